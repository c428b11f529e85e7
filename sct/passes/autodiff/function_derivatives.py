"""Derivatives of the functions of a program, computed when the first call needs them.

    y = call(x, callee="f")  ->  y, r = call(x, callee="f_forward");  dx, = call(x, r, dy, callee="f_backward")

In:  a program and the name of one of its functions. Out: in reverse mode one function that holds the forward and the
backward part with a `boundary` between them; in forward mode one function that computes values and tangents.
The derivative of a function is named before its body exists, so that a recursive function is differentiated once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import cast

from sct.errors import SctError
from sct.ir.build import Builder, Rewrite
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, call_names, is_float, rebuild, undef, walk
from sct.ir.types import NONE, List, Optional, Residuals, Seq, Tensor, Undef
from sct.ops.program.call_ops import boundary, call, pack, unpack
from sct.ops.program.solutions import integral
from sct.ops.scalar.comparison import is_none, tests_nan
from sct.passes.analysis.activity import activity, differentiable
from sct.passes.autodiff.cotangents import Masks, cotangent_type, d_hint, if_else, mapped, unwrap_known, zero
from sct.passes.autodiff.derivative_lookup import DerivativeParts, derivatives_var
from sct.passes.autodiff.forward import forward, tangent_type
from sct.passes.autodiff.implicit_functions import solution_cotangents, solution_tangent
from sct.passes.autodiff.integrals import integral_cotangents, integral_tangent
from sct.passes.autodiff.residuals import live_eqns, without_raises
from sct.passes.autodiff.reverse import reverse
from sct.passes.autodiff.transposed_rules import ruled_cotangents, ruled_tangents
from sct.passes.functions.split_forward_backward import split

__all__ = ["ProgramDerivatives"]


class ProgramDerivatives:
    """Implements `derivative_lookup.FunctionDerivatives` for the functions of one program.

    expand  removes the equations that differentiate from a function
    """

    def __init__(self, program: Fn, expand: Callable[[Fn], Fn], rewrite: Rewrite | None) -> None:
        self.program = program.name
        self.functions = {f.name: f for f in program.functions}
        self.expand, self.rewrite = expand, rewrite
        self._mirrors = count(1)
        self._expanded: set[str] = set()
        self._pending: list[str] = []
        self._parts: dict[tuple[object, ...], DerivativeParts] = {}
        self._tangents: dict[tuple[object, ...], tuple[str, tuple[int, ...]]] = {}

    def new_mirror(self) -> int:
        return next(self._mirrors)

    def solution_cotangents(self, eqn: Eqn, ct: Operand, wrt: Sequence[Value]) -> Sequence[Operand]:
        return (integral_cotangents if eqn.op is integral else solution_cotangents)(eqn, ct, wrt)

    def solution_tangent(self, eqn: Eqn, tangents: Mapping[Value, Operand]) -> Operand:
        return (integral_tangent if eqn.op is integral else solution_tangent)(eqn, tangents)

    def ruled_cotangents(self, eqn: Eqn, cts: Sequence[Operand | None], wrt: Collection[int]) -> Mapping[int, Operand]:
        return ruled_cotangents(eqn, cts, wrt)

    def ruled_tangents(self, eqn: Eqn, tangents: Mapping[int, Operand]) -> Sequence[Operand]:
        return ruled_tangents(eqn, tangents)

    def function(self, name: str) -> Fn:
        """The function called `name`, without equations that differentiate."""
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

    def tests_nan(self, callee: str) -> bool:
        todo, seen = [callee], set[str]()
        while todo:
            name = todo.pop()
            fn = next(f for f in self.functions.values() if name in (f.name, *call_names(f)))
            if any(map(tests_nan, walk(fn))):
                return True
            seen.add(name)
            todo += [n for n in _called_names(fn) if n not in seen]
        return False

    def _split(self, name: str) -> None:
        """Split the function that has the part `name`, so that the part can be differentiated itself."""
        whole = next(f for f in self.functions.values() if name in call_names(f))
        del self.functions[whole.name]
        for part in split(whole):
            self.functions[part.name] = part
            self._expanded.add(part.name)

    def called(self, fn: Fn) -> tuple[Fn, ...]:
        """The functions that `fn` calls, directly or not, without equations that differentiate."""
        callees: dict[str, Fn] = {}
        todo = _called_names(fn)
        while todo:
            name = todo.pop()
            whole = next((f for f in self.functions.values() if name in call_names(f)), None)
            f = whole if whole is not None and whole.name != name else self.function(name)
            if f.name not in callees:
                callees[f.name] = f
                todo += _called_names(f)
        return tuple(callees[name] for name in self.functions if name in callees)

    def free_name(self, name: str) -> str:
        """`name`, with a number behind it if a function has that name."""
        names = (f"{name}_{k}" if k else name for k in count())
        return next(free for free in names if free not in self._taken() and self._may_be_split(free))

    def _may_be_split(self, name: str) -> bool:
        """Are the names of the two parts of a function of this name free?"""
        return self._taken().isdisjoint((f"{name}_forward", f"{name}_backward"))

    def _taken(self) -> set[str]:
        functions = {n for f in self.functions.values() for n in (f.name, *call_names(f))}
        parts = {n for p in self._parts.values() for n in (p.forward, p.backward)}
        return functions | parts | {n for n, _ in self._tangents.values()} | {self.program}

    # -- reverse mode -------------------------------------------------------------------

    def parts(self, callee: str, wrt: tuple[int, ...], seeded: tuple[int, ...],
              recomputed: bool = False) -> DerivativeParts:
        """`callee`, differentiated by at least the params at `wrt`, for cotangents of the results at `seeded`."""
        key = callee, wrt, seeded, recomputed
        if key not in self._parts:
            fn = self.function(callee)
            own = replace(_derivative_parts(callee, fn, _closed_under_recursion(fn, wrt, seeded), seeded),
                          recomputed=recomputed)
            shared = self._parts_for_more(callee, own, seeded)
            if shared is None:
                of = self.free_name(f"{callee}_vjp") if recomputed else \
                    callee if self._may_be_split(callee) else self.free_name(callee)
                shared = self._parts[callee, own.wrt, seeded, recomputed] = replace(own, of=of)
                whole = self._reverse_function(fn, shared.wrt, seeded, shared)
                self.functions[whole.name] = whole
                self._expanded.add(whole.name)
            self._parts[key] = shared
        return self._parts[key]

    def _parts_for_more(self, callee: str, parts: DerivativeParts, seeded: tuple[int, ...]) -> DerivativeParts | None:
        """Existing parts that compute these cotangents and perhaps more, from the same buffers."""
        return next((p for (name, _, seeds, _), p in self._parts.items() if (name, seeds) == (callee, seeded)
                     and (p.recomputed, p.buffers) == (parts.recomputed, parts.buffers)
                     and set(parts.wrt) <= set(p.wrt)), None)

    def _reverse_function(self, fn: Fn, wrt: Sequence[int], seeded: Sequence[int], parts: DerivativeParts) -> Fn:
        seeds = {k: _cotangent_value(fn.results[k]) for k in seeded}
        buffers = {k: _cotangent_value(fn.params[k]) for k in parts.buffers}
        fn = without_raises(rebuild(fn, fresh=True)) if parts.recomputed else fn
        transpose = reverse(fn, wrt, seeds, rewrite=self.rewrite, buffers=buffers)
        outs = (*seeds.values(), *buffers.values())
        if parts.recomputed:
            needed = live_eqns((*transpose.forward, *transpose.backward), transpose.cotangents)
            return Fn(parts.of, (*fn.params, *outs), tuple(needed), transpose.cotangents,
                      donated_params=tuple((len(fn.params) + k, j) for k, j in parts.donates))
        boundary_eqn = Eqn(boundary, fn.results, outs, {
            "of": parts.of, "params": tuple(range(len(fn.params))), "buffers": parts.donates,
            "types": tuple(v.type for v in outs)}, primal=False)
        eqns = (*transpose.forward, boundary_eqn, *transpose.backward)
        return Fn(self.free_name(f"{parts.of}_vjp"), fn.params, eqns, transpose.cotangents,
                  donated_params=fn.donated_params)

    # -- forward mode -------------------------------------------------------------------

    def tangent(self, callee: str, wrt: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """(name, positions of the results whose tangents it computes) of the forward derivative of `callee`."""
        key = callee, wrt
        if key not in self._tangents:
            fn = self.function(callee)
            name = self.free_name(f"{callee}_jvp")
            active = activity(fn, [fn.params[k] for k in wrt], filter(is_float, fn.results)).active
            of = tuple(k for k, r in enumerate(fn.results) if r in active)
            self._tangents[key] = name, of
            params = [Value(tangent_type(fn.params[k].type), d_hint(fn.params[k])) for k in wrt]
            tangent_fn = forward(fn, wrt, params, rewrite=self.rewrite, of=of)
            self.functions[name] = tangent_fn.replace(name=name, params=(*fn.params, *params))
            self._expanded.add(name)
        return self._tangents[key]

    # -- records ------------------------------------------------------------------------

    def _record_fields(self, of: str) -> tuple[Operand, ...]:
        """The operands that are packed into a record of the function `of`."""
        whole = next((f for f in self.functions.values()
                      if any(eqn.op is boundary and eqn.attrs["of"] == of for eqn in f.eqns)), None)
        if whole is not None:
            self._split(call_names(whole)[0])
        return next(eqn.args for f in self.functions.values() for eqn in walk(f)
                    if eqn.op is pack and eqn.attrs["of"] == of)

    def zero(self, of: str) -> str:
        """The function that computes the zero tangent of a record; its fields are missing where the record's are."""
        name = f"{of}_zero"
        if name not in self.functions:
            record = Value(Residuals(of), "residuals")
            self.functions[name] = Fn(name, (record,), (), (record,))
            self._expanded.add(name)
            types = tuple(x.type for x in self._record_fields(of))
            with Builder(primal=False, rewrite=self.rewrite) as builder:
                fields = [_tangent_zero(x) if is_float(x) else Lit(None) for x in unpack(record, types=types)]
                zero_record = pack(*fields, of="d" + of)
            self.functions[name] = builder.finish(name, (record,), (zero_record,))
        return name

    def sum(self, of: str) -> str:
        """The function that adds two cotangents of a record, field by field."""
        name = f"{of}_sum"
        if name not in self.functions:
            a, b = Value(Residuals(of), "a"), Value(Residuals(of), "b")
            types = tuple(cotangent_type(x.type) if is_float(x) else NONE for x in self._record_fields(of[1:]))
            self.functions[name] = Fn(name, (a, b), (), (a,))
            self._expanded.add(name)
            with Builder(primal=False, rewrite=self.rewrite) as builder:
                fields = [Masks().sum(x, y) if t != NONE else x
                          for x, y, t in zip(unpack(a, types=types), unpack(b, types=types), types)]
                sum_record = pack(*fields, of=of)
            self.functions[name] = builder.finish(name, (a, b), (sum_record,))
        return name


def _tangent_zero(x: Operand) -> Operand:
    if isinstance(x.type, (Undef, Optional)):
        return if_else(cast(Operand, is_none(x)), lambda: undef(tangent_type(x.type)), lambda: zero(unwrap_known(x)))
    if isinstance(x.type, Seq) and not isinstance(x.type, List):
        return mapped(_tangent_zero, x)
    if isinstance(x.type, Residuals):
        return cast(Operand, call(x, callee=derivatives_var.get().zero(x.type.of), types=(tangent_type(x.type),))[0])
    return zero(x)


def _called_names(fn: Fn) -> list[str]:
    return [eqn.attrs["callee"] for eqn in walk(fn) if eqn.op.name == "call"]


def _closed_under_recursion(fn: Fn, wrt: Sequence[int], seeded: Sequence[int]) -> tuple[int, ...]:
    """`wrt`, and the params by which the recursive calls of `fn` must then be differentiated."""
    params, written = set(wrt), {k for k, r in fn.donated_params if r in seeded}
    while True:
        active = activity(fn, [fn.params[k] for k in sorted(params)], [fn.results[k] for k in seeded]).active
        more = {k for eqn in walk(fn) if eqn.op is call and eqn.attrs["callee"] == fn.name
                for k, x in enumerate(eqn.args) if x in active and differentiable(eqn, k)
                and (k in written or not _is_accumulated(fn, fn.params[k]))}
        if more <= params:
            return tuple(sorted(params))
        params |= more


def _derivative_parts(of: str, fn: Fn, wrt: Sequence[int], seeded: Sequence[int]) -> DerivativeParts:
    """Where a param donates its buffer to a result, the cotangent of the result donates to that of the param."""
    written = {k: r for k, r in fn.donated_params if k in wrt and r in seeded}
    buffers = tuple(k for k in wrt if k not in written and _is_accumulated(fn, fn.params[k]))
    donates = [(seeded.index(r), wrt.index(k)) for k, r in written.items()]
    donates += [(len(seeded) + j, wrt.index(k)) for j, k in enumerate(buffers)]
    optional = frozenset(k for k in wrt if isinstance(cotangent_type(fn.params[k].type), Optional))
    return DerivativeParts(of, tuple(wrt), buffers, tuple(donates), optional)


def _cotangent_value(x: Operand) -> Value:
    return Value(cotangent_type(x.type), d_hint(x) if isinstance(x, Value) and x.hint else "dvalue")


def _is_accumulated(fn: Fn, param: Value) -> bool:
    """Is the cotangent of `param` accumulated in place: by reads of elements, in regions, or by calls?"""
    if not isinstance(param.type, Tensor) or not param.type.is_array:
        return False
    reads = [eqn for eqn in fn.eqns if param in eqn.args]
    inner = any(param in e.args for eqn in fn.eqns for region in eqn.regions for e in walk(region))
    return inner or any(eqn.op.name in ("index", "call") for eqn in reads)
