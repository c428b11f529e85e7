"""The verifier: checks scopes, arities and types of IR, which it derives again.

It runs after a pass, so that a pass that breaks the IR is found at once and not by a wrong number later:

>>> verify(Fn("f", (), (), (Value(FLOAT, "x"),)))
Traceback (most recent call last):
    ...
sct.ir.check.IRError: result x is not in scope
 -> def f() -> float:
        return x
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NoReturn

from sct.ir import text
from sct.ir.core import Eqn, Fn, Lit, Op, Operand, Value, call_names, walk
from sct.ir.dims import Apply, Dim, is_ragged, sym
from sct.ir.real_ints import counts_as_real, result_type, unmark_real
from sct.ir.types import (
    INT,
    REAL,
    Function,
    Link,
    Never,
    Opaque,
    Optional,
    Residuals,
    Seq,
    Tensor,
    Type,
    TypeMismatch,
    Undef,
    leaf_type,
    map_sizes,
    maybe_single,
)

__all__ = ["IRError", "agree", "fits", "always_raises", "rename_own_sizes", "verifies", "verify"]


def verifies() -> bool:
    """Does the environment ask for checks of the compiler itself, by `SCT_VERIFY=1`?"""
    return os.environ.get("SCT_VERIFY") == "1"


class IRError(AssertionError):
    """The IR breaks a rule: a bug in sct."""


def verify(fn: Fn, checked: set[Eqn] | None = None) -> Fn:
    """`fn` itself; raises `IRError` where it breaks a rule.

    checked  equations whose types are right, of which the scopes alone are checked; those of `fn` are added. It relies
             on the types of their values being the same as before.
    """
    checked = set() if checked is None else checked
    table = {name: f for f in fn.functions for name in call_names(f)}
    if len(table) < sum(len(call_names(f)) for f in fn.functions):
        raise IRError(f"two functions of {fn.name} have one name")
    for f in (*fn.functions, fn):
        _Checker(f, table, checked).region(f)
    _check_mirrors(eqn for f in (*fn.functions, fn) for eqn in walk(f) if eqn.regions)
    return fn


def _check_mirrors(eqns: Iterable[Eqn]) -> None:
    """Equations that mirror each other are of one op."""
    ops: dict[int, Op] = {}
    for eqn in eqns:
        for number in eqn.attrs.get("mirrors", ()):
            if ops.setdefault(number, eqn.op) is not eqn.op:
                raise IRError(f"a `{eqn.op}` mirrors a `{ops[number]}`: {number}")


class _Checker:
    def __init__(self, fn: Fn, functions: Mapping[str, Fn], checked: set[Eqn]) -> None:
        self.fn, self.functions, self.checked = fn, functions, checked
        self.bound: set[Value] = set()
        self.scope: set[Value] = set()
        self.control: dict[str, Callable[[Eqn], None]] = {
            "cond": self.cond, "loop": self.loop, "closure": self.closure,
            "integral": self.integral, "ruled": self.ruled, "solution": self.solution,
            "vjp": self.vjp, "jvp": self.jvp, "pullback": self.pullback, "apply_pullback": self.apply_pullback,
            "jacobian": self.jacobian}

    def fail(self, message: str, eqn: Eqn | None = None) -> NoReturn:
        shown = text.lines(self.fn)
        at = next((k for k, (_, e) in enumerate(shown) if e is eqn), len(shown) - 1)
        near = [(" -> " if k == at else "    ") + shown[k][0]
                for k in range(max(0, at - 7), min(len(shown), at + 3))]
        raise IRError("\n".join([message, *near]))

    # scope

    def region(self, fn: Fn) -> None:
        inside: list[Value] = []
        self.bind(fn.params, inside, None)
        for eqn in fn.eqns:
            self.in_scope(eqn.args, eqn, "operand")
            for region in eqn.regions:
                self.region(region)
            self.eqn(eqn)
            self.bind(eqn.outs, inside, eqn)
        self.in_scope(fn.results, fn.eqns[-1] if fn.eqns and fn is not self.fn else None, "result")
        self.scope.difference_update(inside)

    def bind(self, values: Iterable[Value], inside: list[Value], eqn: Eqn | None) -> None:
        for v in values:
            if v in self.bound:
                self.fail(f"{_name(v)} is bound twice", eqn)
            if any(map(is_ragged, getattr(v.type, "shape", ()))):
                self.fail(f"{_name(v)} has an axis of no size: only items of a list are ragged", eqn)
            self.bound.add(v)
            self.scope.add(v)
            inside.append(v)

    def in_scope(self, args: Iterable[Operand], eqn: Eqn | None, what: str) -> None:
        for a in args:
            if isinstance(a, Value) and a not in self.scope:
                self.fail(f"{what} {_name(a)} is not in scope", eqn)

    # types

    def eqn(self, eqn: Eqn) -> None:
        if eqn in self.checked:
            return
        if eqn.op.name in self.control:
            self.control[eqn.op.name](eqn)
            self.checked.add(eqn)
            return
        if eqn.regions:
            self.fail(f"`{eqn.op.name}` has regions", eqn)
        try:
            derived = result_type(eqn.op, eqn.args, eqn.attrs, eqn.spelling)
        except (TypeMismatch, TypeError, ValueError, AttributeError, LookupError) as error:
            self.fail(f"`{eqn.op.name}` does not take these operands: {error!r}", eqn)
        types = derived if isinstance(derived, tuple) else (derived,)
        if eqn.op.effect and not eqn.outs:
            return
        if len(types) != len(eqn.outs):
            self.fail(f"`{eqn.op.name}` has {len(types)} outs", eqn)
        for out, t in zip(eqn.outs, types):
            if not agree(out.type, t):
                self.fail(f"{_name(out)} is declared {out.type}, derived {t}", eqn)
        if eqn.inplace is not None:
            self.expect(0 <= eqn.inplace < len(eqn.args), "inplace names no operand", eqn)
        if eqn.op.name == "call":
            self.call(eqn)
        else:
            self.checked.add(eqn)

    def expect(self, holds: bool, message: str, eqn: Eqn) -> None:
        if not holds:
            self.fail(message, eqn)

    def arity(self, eqn: Eqn, regions: int, args: int, outs: int) -> None:
        for what, has, wants in (("regions", len(eqn.regions), regions), ("operands", len(eqn.args), args),
                                 ("outs", len(eqn.outs), outs)):
            if has != wants:
                self.fail(f"`{eqn.op.name}` has {has} {what}, not {wants}", eqn)

    def flow(self, sources: Sequence[Operand], targets: Sequence[Value], eqn: Eqn, what: str) -> None:
        """Each target is bound to its source, so it must be assignable to it."""
        if len(sources) != len(targets):
            self.fail(f"{what}: {len(sources)} values for {len(targets)}", eqn)
        for a, b in zip(sources, targets):
            if a.type is not b.type and not fits(a.type, b.type):
                self.fail(f"{what}: {_name(a)}: {a.type} does not fit {_name(b)}: {b.type}", eqn)

    # control

    def cond(self, eqn: Eqn) -> None:
        self.arity(eqn, 2, 1, len(eqn.outs))
        self.is_bool(eqn.args[0], eqn, "the predicate")
        for region in eqn.regions:
            self.expect(not region.params, "a branch has no params", eqn)
            if always_raises(region):
                self.expect(len(region.results) == len(eqn.outs), "a branch has other results", eqn)
            else:
                self.flow(region.results, eqn.outs, eqn, region.name)

    def loop(self, eqn: Eqn) -> None:
        counted, tested, n = eqn.attrs["counted"], eqn.attrs["tested"], eqn.attrs["carries"]
        first = 3 if counted else 0
        self.arity(eqn, 1 + tested, len(eqn.args), len(eqn.outs))
        body = eqn.regions[-1]
        xs = eqn.args[first + n:]
        self.expect(len(eqn.args) >= first + n, "a loop has its range and a value for each carry", eqn)
        ints = all(_is_int(a.type) or a.type == REAL for a in eqn.args[:first])
        self.expect(ints, "the range of a loop is of ints", eqn)
        self.expect(len(body.params) == counted + n + len(xs), "body: (index, carries, xs)", eqn)
        ys = len(body.results) - 1 - n
        self.expect(ys >= 0 and len(eqn.outs) == n + 1 + ys, "outs: (carries, iterations, ys)", eqn)
        carries = body.params[counted:counted + n]
        self.flow(eqn.args[first:first + n], carries, eqn, "init")
        self.is_bool(body.results[0], eqn, "go")
        if not always_raises(body):
            self.flow(body.results[1:n + 1], [Value(in_any_iteration(v.type), v.hint) for v in carries], eqn, "carry")
        self.flow(carries, eqn.outs[:n], eqn, "result")
        self.expect(eqn.outs[n].type == INT, "the number of iterations is an int", eqn)
        for x, p in zip(xs, body.params[counted + n:]):
            if not (isinstance(x.type, Seq) and fits(x.type.elem, p.type)):
                self.fail(f"xs: {x.type} for {p.type}", eqn)
        for y, out in zip(body.results[n + 1:], eqn.outs[n + 1:]):
            if not (isinstance(out.type, Seq) and fits(y.type, out.type.elem)):
                self.fail(f"ys: {y.type} in {out.type}", eqn)
        if tested:
            test = eqn.regions[0]
            self.flow(eqn.args[first:first + n], test.params, eqn, "test")
            self.expect(len(test.results) == 1, "a test has one result", eqn)
            self.is_bool(test.results[0], eqn, "the test")
        self.expect(not eqn.attrs["reverse"] or counted and body.results[0] == Lit(True),
                    "only a counted loop without exits runs in reverse", eqn)

    def call(self, eqn: Eqn) -> None:
        """The callee exists and takes these arguments.  Parts of a function are checked once it is split."""
        f = self.functions.get(eqn.attrs["callee"])
        self.expect(f is not None, f"there is no function {eqn.attrs['callee']}", eqn)
        if f is not None and call_names(f) == (f.name,):
            self.flow(eqn.args, _at_another_time(f.params), eqn, "argument")
            self.flow(_at_another_time(f.results), eqn.outs, eqn, "result")

    def closure(self, eqn: Eqn) -> None:
        self.arity(eqn, 1, 0, 1)
        self.expect(eqn.out.type == Function(), "a closure is a function", eqn)

    def solution(self, eqn: Eqn) -> None:
        (fn,) = eqn.regions
        self.arity(eqn, 1, len(fn.params), 1)
        self.flow(eqn.args, fn.params, eqn, "operand")
        self.flow(eqn.args[:1], eqn.outs, eqn, "solution")
        self.expect(len(fn.results) == 1, "a residual has one result", eqn)

    def integral(self, eqn: Eqn) -> None:
        (fn,) = eqn.regions
        first = 3 + eqn.attrs["given"]
        self.arity(eqn, 1, first + len(fn.params) - 1, 1)
        self.flow(eqn.args[first:], fn.params[1:], eqn, "operand")
        self.flow(eqn.args[:1], eqn.outs, eqn, "integral")
        self.expect(len(fn.results) == 1, "an integrand has one result", eqn)

    def ruled(self, eqn: Eqn) -> None:
        n = eqn.attrs["values"]
        xs = eqn.args[n:]
        self.arity(eqn, len(eqn.attrs["modes"]), len(eqn.args), n)
        self.flow(eqn.args[:n], eqn.outs, eqn, "value")
        for mode, fn in zip(eqn.attrs["modes"], eqn.regions):
            first, results = (n, len(xs)) if mode == "vjp" else (len(xs), n)
            self.expect(len(fn.params) == first + len(eqn.args), f"{mode}: (directions, values, arguments)", eqn)
            self.expect(len(fn.results) == results, f"{mode} has {results} results", eqn)
            self.flow(eqn.args, fn.params[first:], eqn, "operand")

    def vjp(self, eqn: Eqn) -> None:
        wrt, seeded = eqn.attrs["wrt"], eqn.attrs["seeded"]
        f = self.function(eqn, len(seeded), wrt)
        self.expect(all(k < len(f.results) for k in seeded), "seeded names a result", eqn)
        self.arity(eqn, 1, len(f.params) + len(seeded), len(f.results) + len(wrt))

    def jvp(self, eqn: Eqn) -> None:
        wrt = eqn.attrs["wrt"]
        f = self.function(eqn, len(wrt), wrt)
        tangents = sum(map(_has_tangent, f.results))
        self.arity(eqn, 1, len(f.params) + len(wrt), len(f.results) + tangents)

    def pullback(self, eqn: Eqn) -> None:
        f = self.function(eqn, 0, eqn.attrs["wrt"])
        self.arity(eqn, 1, len(f.params), len(f.results) + 1)
        self.expect(eqn.outs[-1].type == Function(), "the last out is a function", eqn)

    def apply_pullback(self, eqn: Eqn) -> None:
        self.arity(eqn, 0, 1 + len(eqn.attrs["seeded"]), len(eqn.outs))
        self.expect(eqn.args[0].type == Function(), "the first operand is a function", eqn)

    def jacobian(self, eqn: Eqn) -> None:
        wrt, seeded = eqn.attrs["wrt"], eqn.attrs["seeded"]
        f = self.function(eqn, 0, wrt)
        self.expect(all(k < len(f.results) for k in seeded), "seeded names a result", eqn)
        self.arity(eqn, 1, len(f.params), len(f.results) + len(seeded) * len(wrt))

    def function(self, eqn: Eqn, extra: int, wrt: tuple[int, ...]) -> Fn:
        self.expect(len(eqn.regions) == 1, f"`{eqn.op.name}` has one region", eqn)
        (f,) = eqn.regions
        self.expect(all(0 <= k < len(f.params) for k in wrt), "wrt names a param", eqn)
        self.flow(eqn.args[:len(eqn.args) - extra], f.params, eqn, "primals")
        self.flow(f.results, eqn.outs[:len(f.results)], eqn, "results")
        return f

    def is_bool(self, x: Operand, eqn: Eqn, what: str) -> None:
        t = x.type
        if not (isinstance(t, Tensor) and t.kind == "b" and t.rank == 0):
            self.fail(f"{what} is a bool, not {t}", eqn)


def always_raises(fn: Fn) -> bool:
    """Does every path through `fn` raise?"""
    return any(e.op.name == "raise_" or e.op.name == "cond" and all(map(always_raises, e.regions)) for e in fn.eqns)


def fits(a: Type, b: Type) -> bool:
    """May a value of type `a` be bound to a variable of type `b`?"""
    if isinstance(b, Opaque) or isinstance(a, Never):
        return True
    for wrap in (Undef, Optional):
        if isinstance(b, wrap):
            inner = a.elem if isinstance(a, wrap) else a
            return isinstance(a, Undef) or fits(inner, b.elem)
    if isinstance(a, Seq) and type(a) is type(b):
        return fits(a.elem, b.elem)
    if isinstance(a, Link) and isinstance(b, Link):
        return a | b == b
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        return a == b
    if counts_as_real(b) or b.kind == "f" and counts_as_real(a):
        return fits(unmark_real(a), unmark_real(b))
    if b.carrier == "py":
        wider = "bifc".index(a.kind) < "bifc".index(b.kind)
        return a.carrier == "py" and (a.dtype == b.dtype or wider or b.dtype in ("real", "number"))
    if b.carrier == "any":
        if b.dtype == "single" and not maybe_single(a):
            return False
        return a.carrier != "array" and "bifc".index(a.kind) <= "bifc".index(b.kind)
    return agree(a, b)


def agree(declared: Type, derived: Type) -> bool:
    """Are the types equal, as far as their sizes are comparable?

    Sizes that are no linear terms of the sizes of arguments are not compared.  A size of an argument agrees with any
    number that it may be: in a branch that does not run for these arguments it need not be the right one.
    """
    if isinstance(declared, Tensor) and isinstance(derived, Tensor):
        return ((declared.carrier, declared.dtype, declared.rank) == (derived.carrier, derived.dtype, derived.rank)
                and all(map(_may_be, declared.shape, derived.shape)))
    if isinstance(declared, (Seq, Optional, Undef)) and type(declared) is type(derived):
        return agree(declared.elem, derived.elem)
    return declared == derived


def _at_another_time(values: Sequence[Operand]) -> list[Value]:
    """Values that stand for these in the next iteration, or in a call."""
    return [Value(rename_own_sizes(v.type), getattr(v, "hint", None)) for v in values]


def in_any_iteration(t: Type) -> Type:
    """The type of a carry, in which a size that depends on the iteration may be another one."""
    return map_sizes(lambda d: sym("_next") if any(map(_is_of_value, d.symbols)) else d, t)


def _is_of_value(name: str) -> bool:
    """Is the size of this name that of a value or of an index, and not one of the arguments?"""
    return name.startswith("_") and (not name.startswith("__") or name.startswith("__v"))


def rename_own_sizes(t: Type) -> Type:
    """The type of a carry or a param, in which a size of its own may be another one in the next iteration or call."""
    return map_sizes(lambda d: sym("_next") if _is_own(d) else d, t)


def _is_own(d: Dim) -> bool:
    """Is this a size that is named for the value, and is no number of the arguments?"""
    return any(d == sym(name) and name.startswith("_") and not name.startswith("__") for name in d.symbols)


def _may_be(a: Dim, b: Dim) -> bool:
    difference = a - b
    if difference.value is not None:
        return difference.value == 0
    if a.value is not None or b.value is not None:
        constant, other = (a, b) if a.value is not None else (b, a)
        return other.least <= constant.const
    return any(isinstance(atom, Apply) or atom.startswith("_") for atom, _ in difference.terms)


def _has_tangent(x: Operand) -> bool:
    t = leaf_type(x.type)
    return isinstance(t, Residuals) or isinstance(t, Tensor) and t.kind in "fc"


def _is_int(t: Type) -> bool:
    return isinstance(t, Tensor) and t.kind in "ib" and t.rank == 0


def _name(x: Operand) -> str:
    return x.hint or "a value" if isinstance(x, Value) else repr(x.value)
