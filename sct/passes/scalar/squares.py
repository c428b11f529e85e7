"""Squares of absolute values, norms and distances have the derivative of a number that is smooth at 0.

    r = norm(x); y = min(r * r, c)   ->   r = norm(x); q = sum(x * x); s = solution(r * r, q); y = min(s, c)

The derivative of such a modulus jumps at 0, and counts as 0 there. That of its square does not jump, but by the chain
rule its own derivative would count as 0, too.

In:  a program. Out: if it has second derivatives, the program in which squares of moduli have the derivative of `q`.
Where a modulus goes through branches, loops, lists and arrays before it is squared, `q` goes beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, cast

from sct.ir.build import Builder, module_of
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_undef, walk
from sct.ir.loop_view import loop_view
from sct.ir.types import Tensor
from sct.ops.arrays.creation import astype
from sct.ops.linalg.einsum import contract, einsum
from sct.ops.linalg.norms import norm
from sct.ops.linalg.products import vdot
from sct.ops.program.control import DERIVATIVES, cond, loop
from sct.ops.program.solutions import equal_operand, solution
from sct.ops.reductions.reductions import attained_by, max_, min_, sum_
from sct.ops.scalar.arithmetic import add, conj, conj_of, div, float_, mul, neg, pos, sub
from sct.ops.scalar.comparison import eq
from sct.ops.scalar.complex_parts import real
from sct.ops.scalar.elementary import square
from sct.ops.scalar.powers import pow_
from sct.ops.scalar.selection import where
from sct.ops.scalar.special_functions import dist, paired
from sct.ops.type_rules import number
from sct.passes.analysis.moduli import (
    MOVES,
    POWERS,
    PRODUCTS,
    SELECTIONS,
    Moduli,
    labelled,
    moved,
    multiplied_by_themselves,
    passes_squares_on,
)

__all__ = ["smooth_squares"]


def smooth_squares(program: Fn) -> Fn:
    """The program, where squares of moduli have the derivatives of smooth numbers, if there are second derivatives."""
    if not _has_second_derivatives(program):
        return program
    functions = (program.replace(functions=()), *program.functions)
    moduli = Moduli(functions)
    if not moduli.needed:
        return program
    pass_ = _SmoothSquares(moduli)
    top, *others = map(pass_.region, functions)
    return top.replace(functions=tuple(others))


def _has_second_derivatives(program: Fn) -> bool:
    """Does an equation that differentiates stand in another, or in a function of the program?"""
    in_functions = any(eqn.op in DERIVATIVES for fn in program.functions for eqn in walk(fn))
    return in_functions or any(inner.op in DERIVATIVES for eqn in walk(program) if eqn.op in DERIVATIVES
                               for region in eqn.regions for inner in walk(region))


class _SmoothSquares:
    """
    squares  for a value: its square as a smooth number
    """

    def __init__(self, moduli: Moduli) -> None:
        self.moduli = moduli
        self.squares: dict[Operand, Operand] = {}

    def region(self, fn: Fn, roots: Sequence[Operand] = ()) -> Fn:
        """The region; the squares of `roots` are further results."""
        with Builder(primal=False) as b:
            for eqn in fn.eqns:
                self.eqn(eqn, b)
            squares = tuple(map(self.square, roots))
        return fn.replace(eqns=tuple(b.eqns), results=(*fn.results, *squares))

    def eqn(self, eqn: Eqn, b: Builder) -> None:
        b.loc, b.module = eqn.loc, module_of(eqn.spelling)
        if eqn.op is cond:
            self.cond(eqn, b)
        elif eqn.op is loop:
            self.loop(eqn, b)
        elif (root := self.moduli.squared(eqn)) is not None:
            value = Value(eqn.out.type)
            b.add(eqn.replace(outs=(value,)))
            b.add(_equal(eqn, value, _like(self.multiple(eqn, root, value), value)))
        else:
            b.add(eqn.replace(regions=tuple(map(self.region, eqn.regions))))
        if passes_squares_on(eqn) and eqn.out in self.moduli.needed:
            self.squares[eqn.out] = _like(self.square_of_out(eqn, b), eqn.out)

    def cond(self, eqn: Eqn, b: Builder) -> None:
        needed = [k for k, out in enumerate(eqn.outs) if out in self.moduli.needed]
        regions = tuple(self.region(r, [r.results[k] for k in needed]) for r in eqn.regions)
        b.add(eqn.replace(outs=(*eqn.outs, *self.beside(eqn.outs[k] for k in needed)), regions=regions))

    def loop(self, eqn: Eqn, b: Builder) -> None:
        view = loop_view(eqn)
        needed = [k for k, carried in enumerate(zip(view.params, view.finals))
                  if not self.moduli.needed.isdisjoint(carried)]
        inits = [self.square(view.inits[k]) for k in needed]
        params = self.beside(view.params[k] for k in needed)
        tests = [t.replace(params=(*t.params, *(Value(p.type) for p in params))) for t in eqn.regions[:-1]]
        body = self.region(view.body, [view.results[k] for k in needed])
        index = () if view.index is None else (view.index,)
        body = body.replace(
            params=(*index, *view.params, *params, *view.elems),
            results=(view.go, *view.results, *body.results[len(view.body.results):], *view.yields))
        finals = self.beside(view.finals[k] for k in needed)
        b.add(eqn.replace(
            args=(*view.bounds, *view.inits, *inits, *view.xs), regions=(*map(self.region, tests), body),
            outs=(*view.finals, *finals, view.iterations, *view.ys),
            attrs={**eqn.attrs, "carries": len(view.params) + len(params)}))

    def beside(self, xs: Iterable[Value]) -> list[Value]:
        """Values for the squares of some values."""
        squares = [(x, Value(x.type)) for x in xs]
        self.squares.update(squares)
        return [y for _, y in squares]

    # squares of values

    def square(self, x: Operand) -> Operand:
        if x in self.squares:
            return self.squares[x]
        if isinstance(x, Lit):
            return x if x.value is None or is_undef(x) else Lit(x.value * x.value)
        return _like(mul(x, x), x)

    def square_of_modulus(self, x: Operand) -> Operand:
        return cast(Operand, real(mul(x, conj(x)))) if number(x).kind == "c" else self.square(x)

    def square_of_out(self, eqn: Eqn, b: Builder) -> Any:
        """The square of the out of an equation, made of those of operands."""
        if eqn.op in MOVES:
            args = tuple(self.square(x) if k in moved(eqn) else x for k, x in enumerate(eqn.args))
            b.add(eqn.replace(args=args, outs=(out := Value(eqn.out.type),), primal=False))
            return out
        if eqn.op is mul:
            a, c = eqn.args if eqn.args[0] in self.squares else eqn.args[::-1]
            return mul(self.squares[a], self.squares[c]) if c in self.squares else mul(mul(self.squares[a], c), c)
        if eqn.op is div:
            return div(div(self.square(eqn.args[0]), eqn.args[1]), eqn.args[1])
        if eqn.op is solution and (y := equal_operand(eqn)) is not None:
            return y if eqn.attrs["is_root"] else self.square(y)
        if eqn.op in SELECTIONS:
            assert eqn.op.jvp is not None
            tangents = [None if x == Lit(None) else self.square(x) for x in eqn.args]
            return eqn.op.jvp(tangents, eqn.out, *eqn.args, **eqn.attrs)
        if eqn.op in (max_, min_):
            return _mean_where_attained(self.square(eqn.args[0]), eqn)
        return self.square(eqn.args[0]) if eqn.op in (neg, pos) else self.sum_of_squares(eqn)

    def sum_of_squares(self, eqn: Eqn) -> Any:
        """The square of the out of the equation, which is the root of a sum of squares."""
        if eqn.op.name in ("cdist", "pdist"):
            return eqn.op(*eqn.args, metric="sqeuclidean")
        if eqn.op is norm:
            squares = self.square_of_modulus(eqn.args[0])
            return sum_(squares, **{k: v for k, v in eqn.attrs.items() if k != "ord"})
        xs = [sub(a, b) for a, b in zip(*paired(eqn.args))] if eqn.op is dist else eqn.args
        return reduce(add, map(self.square_of_modulus, xs))

    # multiples of squares

    def multiple(self, eqn: Eqn, root: Operand, value: Value) -> Any:
        """The value of an equation that is a multiple of the square of the root, made of its smooth square."""
        y = self.square(root)
        if eqn.op is square or eqn.op in POWERS:
            return y if eqn.op is square or isinstance(n := eqn.args[1], Lit) else _power_of_square(y, n, value)
        if eqn.op is einsum:
            factors, result = labelled(eqn)
            labels = next(labels for x, labels in multiplied_by_themselves(factors) if x is root)
            factors.remove((root, labels))
            factors.remove((root, labels))
            return contract([(y, labels), *factors], result)
        for k, x in enumerate(eqn.args):
            y = self.times_cofactor(y, x, root, conjugate=eqn.op is vdot and k == 0)
        return sum_(y) if eqn.op in PRODUCTS else y

    def times_cofactor(self, y: Any, x: Operand, factor: Operand, conjugate: bool) -> Any:
        """y * c, or y times the conjugate of c, where x is c * factor."""
        if x is factor:
            return y
        negative, factors, divisors = self.moduli.product(x)
        factors.remove(factor)
        if conjugate:
            factors, divisors = ([conj_of(c, c) for c in each] for each in (factors, divisors))
        y = reduce(div, divisors, reduce(mul, factors, y))
        return neg(y) if negative else y


def _mean_where_attained(squares: Operand, eqn: Eqn) -> Any:
    """The square of a maximum or minimum: elements that attain it share its derivative."""
    attained, times = attained_by(eqn.out, eqn.args[0], **eqn.attrs)
    along = {"axis": eqn.attrs.get("axis"), "keepdims": eqn.attrs.get("keepdims", False)}
    return div(sum_(where(attained, squares, 0.0), **along), times)


def _power_of_square(y: Any, n: Value, value: Value) -> Any:
    """The power of a modulus, whose square is `y`, by an exponent known at run time; its derivative by `n` is kept."""
    is_two = eq(n, 2)
    if number(n).kind == "f":
        y = pow_(y, where(is_two, mul(0.5, n), 1.0))  # with any other exponent its derivatives might be infinite
    return where(is_two, y, value)


def _like(x: Any, y: Value) -> Operand:
    """`x` with the class of numbers that `y` has."""
    t, other = x.type, y.type
    if t == other or not isinstance(t, Tensor) or not isinstance(other, Tensor) or other.carrier == "any":
        return cast(Operand, x)
    return cast(Operand, float_(x) if other.carrier == "py" else astype(x, dtype=other.dtype))


def _equal(eqn: Eqn, value: Value, like: Operand) -> Eqn:
    """The equation that gives the out of `eqn`, which has this value, the derivative of `like`."""
    result, param, difference = Value(value.type), Value(like.type), Value(value.type)
    residual = Fn("residual", (result, param), (Eqn(sub, (result, param), (difference,), loc=eqn.loc),), (difference,))
    attrs = {"checked": False, "is_root": False, "near": 0.0}
    return Eqn(solution, (value, like), eqn.outs, attrs, (residual,), loc=eqn.loc)
