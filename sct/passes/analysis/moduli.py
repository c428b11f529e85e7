"""Moduli: absolute values, norms and distances, whose derivative jumps at 0, and where a program reads their squares.

    r = norm(x); rs = append(rs, r / c); y = index(rs, i) ** 2     `y` is a square of `r`, through a quotient and a list

A modulus may go through branches, loops, lists, arrays, products and choices before it is squared. The square of what
is made of it is made of its square, by the same moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sct.ir.core import Eqn, Fn, Lit, Op, Operand, Value, is_float, walk
from sct.ir.loop_view import loop_view
from sct.ir.types import Tensor, leaf_type
from sct.ir.uses import reachable
from sct.ops import OPS
from sct.ops.linalg.einsum import Labels, einsum, parse
from sct.ops.linalg.norms import is_euclidean, norm
from sct.ops.linalg.products import dot, inner, matmul, vdot
from sct.ops.program.control import cond, loop
from sct.ops.program.solutions import equal_operand, solution
from sct.ops.reductions.reductions import max_, min_
from sct.ops.scalar.arithmetic import abs_, div, fabs, mul, neg, pos
from sct.ops.scalar.elementary import hypot, square
from sct.ops.scalar.powers import mathpow, pow_
from sct.ops.scalar.special_functions import dist, float_power
from sct.ops.type_rules import number
from sct.passes.rewriting.table import MOST_FACTORS

__all__ = [
    "MOVES", "POWERS", "PRODUCTS", "SELECTIONS", "Moduli", "Product", "labelled", "moved", "multiplied_by_themselves",
    "passes_squares_on"]

def _ops(names: str) -> frozenset[Op]:
    return frozenset(OPS[name] for name in names.split())


MOVES = _ops(
    "append array array_append array_delete array_insert array_repeat asarray astype atleast_1d atleast_2d atleast_3d "
    "block broadcast_to choose column_stack compress concatenate concatenated copy copy_list diag diagflat diagonal "
    "dstack expand_dims extend extract flatten flip fliplr flipud float hstack index insert_at item joined list_of "
    "matrix_of_pairs moveaxis of_list pairs_of_matrix parts_of permuted ravel remove_at remove_slice repeat repeated "
    "reshape reshape_like resize roll rollaxis rot90 rows_of_list sliding_windows splice squeeze stack stacked "
    "stacked_rows store swapaxes swapped take take_along_axis tile to_f32 to_f64 transpose tril triu unstack unwrap "
    "vstack where")
"""The ops each element of whose result is an element of an operand, or 0."""

SELECTIONS = _ops("clip first_max first_min fmax fmin maximum minimum partition pymax pymin sort")
"""The ops that choose elements by their values, and tangents likewise."""

POWERS = frozenset((pow_, mathpow, float_power))
PRODUCTS = frozenset((matmul, dot, vdot, inner))
SIGNS = frozenset((neg, pos, abs_, fabs))


class Moduli:
    """The moduli of functions, and the squares of them.

    defs     what defines a value
    sources  for a value: the operands of whose squares its square is made
    unknown  the containers that are made of one whose items are not known, as of a param
    moduli   the moduli, and the values whose squares are made of those of moduli
    needed   the moduli that are squared, and the values of whose squares these squares are made
    """

    def __init__(self, functions: Sequence[Fn]) -> None:
        eqns = [eqn for fn in functions for eqn in walk(fn)]
        self.defs = {out: eqn for eqn in eqns for out in eqn.outs}
        self.sources: dict[Operand, list[Operand]] = {}
        targets: dict[Operand, list[Operand]] = {}
        for source, target in (flow for eqn in eqns for flow in _flows(eqn)):
            self.sources.setdefault(target, []).append(source)
            targets.setdefault(source, []).append(target)
        unmoved = (x for x in targets if x not in self.sources and _is_container(x))
        self.unknown = reachable(unmoved, lambda x: filter(_is_container, targets.get(x, ())))
        norms: list[Operand] = [eqn.out for eqn in eqns if _is_modulus(eqn)]
        reached = reachable(norms, lambda x: targets.get(x, ()))
        self.moduli = {x for x in reached - self.unknown if self.unknown.isdisjoint(self.sources.get(x, ()))}
        roots = [root for eqn in eqns if (root := self.squared(eqn)) is not None] if self.moduli else []
        self.needed = reachable(roots, lambda x: filter(self.may_hold_moduli, self.sources.get(x, ())))

    def may_hold_moduli(self, x: Operand) -> bool:
        return x in self.moduli or _is_container(x) and x not in self.unknown

    def squared(self, eqn: Eqn) -> Operand | None:
        """The modulus of whose square the out of the equation is a multiple."""
        if eqn.op is square or eqn.op in POWERS and (eqn.args[1] in (Lit(2), Lit(2.0)) or _is_known_later(eqn.args[1])):
            return eqn.args[0] if eqn.args[0] in self.moduli else None
        if eqn.op is einsum:
            return next((x for x, _ in multiplied_by_themselves(labelled(eqn)[0]) if x in self.moduli), None)
        if eqn.op is not mul and (eqn.op not in PRODUCTS or [number(x).rank for x in eqn.args] != [1, 1]):
            return None
        a, b = eqn.args
        if a is b and a in self.moduli:
            return a
        ours, others = self.product(a).factors, self.product(b).factors
        return next((x for x in ours if x in self.moduli and ours.count(x) == 1 == others.count(x)), None)

    def product(self, x: Operand) -> Product:
        """`x` as a product of factors."""
        factors: list[Operand] = []
        divisors: list[Operand] = []
        todo, negative = [x], False
        while todo and len(factors) + len(todo) < MOST_FACTORS:
            x = todo.pop()
            eqn = self.defs.get(x) if isinstance(x, Value) else None
            if eqn is None or eqn.op not in (mul, div, neg):
                factors.append(x)
            elif eqn.op is div:
                todo.append(eqn.args[0])
                divisors.append(eqn.args[1])
            else:
                todo += eqn.args
                negative ^= eqn.op is neg
        return Product(negative, [*factors, *todo], divisors)


class Product(NamedTuple):
    """The factors over the divisors, or the negative of that."""

    negative: bool
    factors: list[Operand]
    divisors: list[Operand]


def _flows(eqn: Eqn) -> Iterator[tuple[Operand, Value]]:
    """The pairs (source, target) where the square of the target is made of that of the source."""
    if eqn.op is cond:
        for branch in eqn.regions:
            yield from zip(branch.results, eqn.outs)
    elif eqn.op is loop:
        view = loop_view(eqn)
        for sources in (view.inits, view.results):
            yield from zip(sources, view.params)
            yield from zip(sources, view.finals)
    elif passes_squares_on(eqn):
        yield from ((x, eqn.out) for x in _sources(eqn) or [Lit(0.0)] * (eqn.op in MOVES))  # an empty list has no items


def passes_squares_on(eqn: Eqn) -> bool:
    """May the square of the out be made of those of operands, by the equation alone?"""
    return len(eqn.outs) == 1 and (not eqn.regions or eqn.op is solution) and _is_real(eqn.out)


def _sources(eqn: Eqn) -> Sequence[Operand]:
    if eqn.op in MOVES:
        return [eqn.args[k] for k in moved(eqn)]
    if eqn.op in (div, max_, min_):
        return eqn.args[:1]
    if eqn.op is solution:
        return [] if eqn.attrs["is_root"] or (y := equal_operand(eqn)) is None else [y]
    return eqn.args if eqn.op is mul or eqn.op in SELECTIONS or eqn.op in SIGNS or _is_modulus(eqn) else ()


def moved(eqn: Eqn) -> Sequence[int]:
    """The positions of the operands of a move whose elements are moved."""
    return [k for k in range(len(eqn.args)) if k not in eqn.op.inactive and k not in eqn.op.shapes]


def _is_modulus(eqn: Eqn) -> bool:
    """Is the out the root of a number with a derivative, and has itself the derivative 0 at 0?"""
    if eqn.op is norm:
        return is_euclidean(eqn.args[0], eqn.attrs.get("ord"), eqn.attrs.get("axis"))
    if eqn.op.name in ("cdist", "pdist"):
        return bool(eqn.attrs.get("metric", "euclidean") == "euclidean")
    return eqn.op in (abs_, fabs, hypot, dist) and _is_real(eqn.out) or eqn.op is solution and eqn.attrs["is_root"]


def labelled(eqn: Eqn) -> tuple[list[tuple[Operand, Labels]], Labels]:
    """The operands of an `einsum` with the labels of their axes, and those of the result."""
    terms, result = parse(eqn.attrs["subscripts"], [number(x).rank for x in eqn.args])
    return [*zip(eqn.args, terms)], result


def multiplied_by_themselves(factors: Sequence[tuple[Operand, Labels]]) -> Iterator[tuple[Operand, Labels]]:
    """The factors of an `einsum` that it squares, element by element, if no operand has one label twice."""
    if all(len(set(labels)) == len(labels) for _, labels in factors):
        yield from (factor for factor in factors if factors.count(factor) > 1)


def _is_container(x: Operand) -> bool:
    """Is this anything but a number or an array?"""
    return isinstance(x, Value) and not isinstance(x.type, Tensor)


def _is_real(x: Value) -> bool:
    """Is this a float, or are these floats?"""
    return is_float(x) and getattr(leaf_type(x.type), "kind", "") == "f"


def _is_known_later(x: Operand) -> bool:
    """Is this a real number that is known at run time?"""
    return isinstance(x, Value) and isinstance(x.type, Tensor) and x.type.kind in "if" and not x.type.rank
