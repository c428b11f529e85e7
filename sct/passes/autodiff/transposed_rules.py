"""Tangents by the transpose of the reverse rule, for ops that give no forward rule.

    vjp: dx = a * ct    ->    tangent: dy = a * dx

The rule `vjp` is linear in the cotangent. Its equations that do not depend on the cotangent are kept; the others are
transposed as in reverse mode, from the tangents of the operands to those of the outs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sct.ir.core import Eqn, Fn, Operand, Value, free_values, is_float, rebuild, regions, walk
from sct.ir.types import Type, TypeMismatch
from sct.passes.autodiff.cotangents import Masks, current, match_type, with_real_ints_as_floats
from sct.passes.autodiff.residuals import ResidualTaps, live_equations
from sct.passes.autodiff.reverse import pullback

__all__ = ["tangents_by_transpose"]


def tangents_by_transpose(eqn: Eqn, dxs: Sequence[Operand | None],
                          active: Collection[Value]) -> list[Operand | None]:
    """The tangents of the active outs of an equation, given those of its operands."""
    assert eqn.op.vjp is not None
    b = current()
    values, outs = with_real_ints_as_floats(eqn)
    seeds = [Value(y.type) if is_float(out) and out in active else None for y, out in zip(outs, eqn.outs)]
    one: Any = len(seeds) == 1
    with b.nested() as inner:
        cts = eqn.op.vjp(seeds[0] if one else seeds, outs[0] if one else outs, *values, **eqn.attrs)
        pairs = [(match_type(_given(ct), x, Masks()), dx) for ct, x, dx in zip(cts, eqn.args, dxs)
                 if ct is not None and dx is not None]
    params = [seed for seed in seeds if seed is not None]
    rule = inner.finish("rule", params, [ct for ct, _ in pairs])
    linear = _dependents(rule)
    b.eqns += [e for e in rule.eqns if linear.isdisjoint(e.outs)]
    start = len(b.eqns)
    tangents = pullback(rule, range(len(params)), {k: dx for k, (_, dx) in enumerate(pairs)}, ResidualTaps(rule))
    b.eqns[start:] = _with_known_shapes(b.eqns[start:], rule, linear, [
        v for v in (*eqn.outs, *eqn.args, *dxs, *(out for e in b.eqns[:start] for out in e.outs))
        if isinstance(v, Value)], {p: y for p, y in zip(seeds, outs) if p is not None})
    b.defs.update((out, e) for e in b.eqns[start:] for out in e.outs)
    found = iter(tangents)
    return [None if seed is None else next(found) for seed in seeds]


def _given(ct: Operand | TypeMismatch) -> Operand:
    """The contribution of a rule; raises the reason why there is none."""
    if isinstance(ct, TypeMismatch):
        raise ct
    return ct


def _dependents(rule: Fn) -> set[Value]:
    """The values that depend on the params."""
    linear = {*rule.params}
    for eqn in rule.eqns:
        if not linear.isdisjoint([*eqn.args, *(v for r in eqn.regions for v in free_values(r))]):
            linear.update(eqn.outs)
    return linear


def _with_known_shapes(eqns: Sequence[Eqn], rule: Fn, linear: set[Value], known: Sequence[Value],
                       outs: Mapping[Value, Operand]) -> tuple[Eqn, ...]:
    """The equations of a transpose, which depend on `linear` values through their shapes.

    A value of which only the shape is read is replaced by a `known` value of the same type. Others, as an identity
    matrix, are computed by the rule from the outs, which have the shapes of their cotangents.
    """
    by_type: dict[Type, Value] = {}
    for v in known:
        by_type.setdefault(v.type, v)
    body = Fn("transpose", (), tuple(eqns), ())
    elements = _read_for_elements(body)
    read = [v for v in free_values(body) if v in linear]
    replaced = {v: by_type[v.type] for v in read if v.type in by_type and v not in elements}
    shapes = live_equations([e for e in rule.eqns if not linear.isdisjoint(e.outs)],
                            [v for v in read if v not in replaced])
    body = body.replace(eqns=(*shapes, *eqns))
    return rebuild(body, {**outs, **replaced}).eqns


def _read_for_elements(fn: Fn) -> set[Operand]:
    """The values that an equation reads for more than their shape."""
    read = {x for eqn in walk(fn) for k, x in enumerate(eqn.args) if k not in eqn.op.shapes}
    return read.union(*(region.results for region in regions(fn)))
