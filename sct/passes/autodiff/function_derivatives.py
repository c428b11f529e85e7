"""The derivatives of the functions of a program, made when the first call asks for them.

    y = call(x, callee="f")  ->  y, r = call(x, callee="f_forward");  dx, = call(x, r, dy, callee="f_backward")

One function holds both parts, `boundary` between them.  A function that calls itself is
differentiated once: its derivative has its names before it has a body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from sct.errors import SctError
from sct.ir.build import Builder, Rewrite
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, called_as, is_float, undef, walk
from sct.ir.types import NONE, List, Optional, Residuals, Seq, Tensor, Undef
from sct.ops.program.call_ops import boundary, call, pack, unpack
from sct.ops.scalar.comparison import is_none
from sct.passes.analysis.activity import activity, differentiable
from sct.passes.autodiff.cotangents import Masks, choice, ct_type, hint, present, zero
from sct.passes.autodiff.derivative_lookup import Parts, callees_var
from sct.passes.autodiff.forward import forward, tangent_type
from sct.passes.autodiff.reverse import reverse
from sct.passes.autodiff.sequence_cotangents import mapped
from sct.passes.functions.split_forward_backward import split

__all__ = ["Derivatives"]


class Derivatives:
    """The functions of a program.

    expand  makes a function free of equations that differentiate
    """

    def __init__(self, program: Fn, expand: Callable[[Fn], Fn], rewrite: Rewrite | None) -> None:
        self.program = program.name
        self.functions = {f.name: f for f in program.functions}
        self.expand, self.rewrite = expand, rewrite
        self._expanded: set[str] = set()
        self._pending: list[str] = []
        self._parts: dict[tuple[object, ...], Parts] = {}
        self._tangents: dict[tuple[object, ...], tuple[str, tuple[int, ...]]] = {}

    def function(self, name: str) -> Fn:
        """A function that is called so, without equations that differentiate."""
        if name not in self.functions:
            self._split(name)
        if name not in self._expanded:
            if name in self._pending:
                raise SctError("SCT409", f"`{name}` is differentiated by itself",
                               why="each of its derivatives would take another one of its own")
            self._pending.append(name)
            self.functions[name] = self.expand(self.functions[name])
            self._pending.pop()
            self._expanded.add(name)
        return self.functions[name]

    def _split(self, name: str) -> None:
        """A part is to be differentiated itself: make functions of the two."""
        whole = next(f for f in self.functions.values() if name in called_as(f))
        del self.functions[whole.name]
        for part in split(whole):
            self.functions[part.name] = part
            self._expanded.add(part.name)

    def called(self, fn: Fn) -> tuple[Fn, ...]:
        """The functions that `fn` needs, without equations that differentiate."""
        found: dict[str, Fn] = {}
        todo = _callees(fn)
        while todo:
            name = todo.pop()
            whole = next((f for f in self.functions.values() if name in called_as(f)), None)
            f = whole if whole is not None and whole.name != name else self.function(name)
            if f.name not in found:
                found[f.name] = f
                todo += _callees(f)
        return tuple(found[name] for name in self.functions if name in found)

    def free_name(self, name: str) -> str:
        """`name`, or one like it that no function has."""
        taken = {n for f in self.functions.values() for n in (f.name, *called_as(f))}
        taken |= {n for p in self._parts.values() for n in (p.forward, p.backward)}
        taken |= {n for n, _ in self._tangents.values()}
        taken.add(self.program)
        made, k = name, 0
        while made in taken or f"{made}_forward" in taken:
            k += 1
            made = f"{name}_{k}"
        return made

    # -- reverse mode -------------------------------------------------------------------

    def parts(self, callee: str, wrt: tuple[int, ...], seeded: tuple[int, ...]) -> Parts:
        """`callee` differentiated by the params at `wrt`, or by more, given cotangents of the results at `seeded`."""
        key = callee, wrt, seeded
        if key not in self._parts:
            fn = self.function(callee)
            made = _parts(callee, fn, _wanted(fn, wrt, seeded), seeded)
            known = self._wider(callee, made, seeded)
            if known is None:
                of = callee if not any(k[0] == callee for k in self._parts) else self.free_name(callee)
                known = self._parts[callee, made.wrt, seeded] = replace(made, of=of)
                whole = self._reversed(fn, known.wrt, seeded, known)
                self.functions[whole.name] = whole
                self._expanded.add(whole.name)
            self._parts[key] = known
        return self._parts[key]

    def _wider(self, callee: str, made: Parts, seeded: tuple[int, ...]) -> Parts | None:
        """What gives these cotangents, and others for which it is given nothing more."""
        return next((p for (name, _, seeds), p in self._parts.items() if (name, seeds) == (callee, seeded)
                     and p.buffers == made.buffers and set(made.wrt) <= set(p.wrt)), None)

    def _reversed(self, fn: Fn, wrt: Sequence[int], seeded: Sequence[int], made: Parts) -> Fn:
        seeds = {k: _cotangent(fn.results[k]) for k in seeded}
        buffers = {k: _cotangent(fn.params[k]) for k in made.buffers}
        done = reverse(fn, wrt, seeds, rewrite=self.rewrite, buffers=buffers)
        outs = (*seeds.values(), *buffers.values())
        middle = Eqn(boundary, fn.results, outs, {
            "of": made.of, "params": tuple(range(len(fn.params))), "buffers": made.takes,
            "types": tuple(v.type for v in outs)}, primal=False)
        eqns = (*done.forward, middle, *done.backward)
        return Fn(self.free_name(f"{made.of}_vjp"), fn.params, eqns, done.cotangents, owned=fn.owned)

    # -- forward mode -------------------------------------------------------------------

    def tangent(self, callee: str, wrt: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """The function of the params of `callee` and the tangents of those at `wrt`; whose tangents it gives."""
        key = callee, wrt
        if key not in self._tangents:
            fn = self.function(callee)
            name = self.free_name(f"{callee}_jvp")
            active = activity(fn, [fn.params[k] for k in wrt], filter(is_float, fn.results)).active
            of = tuple(k for k, r in enumerate(fn.results) if r in active)
            self._tangents[key] = name, of
            params = [Value(tangent_type(fn.params[k].type), hint(fn.params[k])) for k in wrt]
            made = forward(fn, wrt, params, rewrite=self.rewrite, of=of)
            self.functions[name] = made.with_(name=name, params=(*fn.params, *params))
            self._expanded.add(name)
        return self._tangents[key]

    # -- records ------------------------------------------------------------------------

    def _fields(self, of: str) -> tuple[Operand, ...]:
        """What is packed in the records of a function whose parts are functions."""
        return next(eqn.args for f in self.functions.values() for eqn in walk(f)
                    if eqn.op is pack and eqn.attrs["of"] == of)

    def zero(self, of: str) -> str:
        """The function that makes the tangent zero of a record: a field is missing where it is in the record."""
        name = f"{of}_zero"
        if name not in self.functions:
            record = Value(Residuals(of), "residuals")
            self.functions[name] = Fn(name, (record,), (), (record,))
            self._expanded.add(name)
            types = tuple(x.type for x in self._fields(of))
            with Builder(primal=False, rewrite=self.rewrite) as builder:
                fields = [_tangent_zero(x) if is_float(x) else Lit(None) for x in unpack(record, types=types)]
                made = pack(*fields, of="d" + of)
            self.functions[name] = builder.finish(name, (record,), (made,))
        return name

    def sum(self, of: str) -> str:
        """The function that adds two cotangents of the records of one function, field by field."""
        name = f"{of}_sum"
        if name not in self.functions:
            a, b = Value(Residuals(of), "a"), Value(Residuals(of), "b")
            types = tuple(ct_type(x.type) if is_float(x) else NONE for x in self._fields(of[1:]))
            self.functions[name] = Fn(name, (a, b), (), (a,))
            self._expanded.add(name)
            with Builder(primal=False, rewrite=self.rewrite) as builder:
                fields = [Masks().sum(x, y) if t != NONE else x
                          for x, y, t in zip(unpack(a, types=types), unpack(b, types=types), types)]
                made = pack(*fields, of=of)
            self.functions[name] = builder.finish(name, (a, b), (made,))
        return name


def _tangent_zero(x: Operand) -> Operand:
    if isinstance(x.type, (Undef, Optional)):
        return choice(cast(Operand, is_none(x)), lambda: undef(tangent_type(x.type)), lambda: zero(present(x)))
    if isinstance(x.type, Seq) and not isinstance(x.type, List):
        return mapped(_tangent_zero, x)
    if isinstance(x.type, Residuals):
        return cast(Operand, call(x, callee=callees_var.get().zero(x.type.of), types=(tangent_type(x.type),))[0])
    return zero(x)


def _callees(fn: Fn) -> list[str]:
    return [eqn.attrs["callee"] for eqn in walk(fn) if eqn.op.name == "call"]


def _wanted(fn: Fn, wrt: Sequence[int], seeded: Sequence[int]) -> tuple[int, ...]:
    """`wrt`, and the params that calls of the function by itself are then to be differentiated by."""
    found, written = set(wrt), {k for k, r in fn.owned if r in seeded}
    while True:
        active = activity(fn, [fn.params[k] for k in sorted(found)], [fn.results[k] for k in seeded]).active
        more = {k for eqn in walk(fn) if eqn.op is call and eqn.attrs["callee"] == fn.name
                for k, x in enumerate(eqn.args) if x in active and differentiable(eqn, k)
                and (k in written or not _is_added_to(fn, fn.params[k]))}
        if more <= found:
            return tuple(sorted(found))
        found |= more


def _parts(of: str, fn: Fn, wrt: Sequence[int], seeded: Sequence[int]) -> Parts:
    """What is made in the buffer of a param has a cotangent, in whose buffer that of the param is made."""
    written = {k: r for k, r in fn.owned if k in wrt and r in seeded}
    buffers = tuple(k for k in wrt if k not in written and _is_added_to(fn, fn.params[k]))
    takes = [(seeded.index(r), wrt.index(k)) for k, r in written.items()]
    takes += [(len(seeded) + j, wrt.index(k)) for j, k in enumerate(buffers)]
    return Parts(of, tuple(wrt), buffers, tuple(takes))


def _cotangent(x: Operand) -> Value:
    return Value(ct_type(x.type), hint(x) if isinstance(x, Value) and x.hint else "dvalue")


def _is_added_to(fn: Fn, param: Value) -> bool:
    """Is the cotangent of `param` summed up part by part: of elements, in regions, by other calls?"""
    if not isinstance(param.type, Tensor) or not param.type.is_array:
        return False
    reads = [eqn for eqn in fn.eqns if param in eqn.args]
    inner = any(param in e.args for eqn in fn.eqns for region in eqn.regions for e in walk(region))
    return inner or any(eqn.op.name in ("index", "call") for eqn in reads)
