"""Derivatives by the rules of ops and of the user, where a rule is given for one mode and the other is asked for.

    vjp: dx = a * ct    ->    tangent: dy = a * dx

The rule `vjp` is linear in the cotangent. Its equations that do not depend on the cotangent are kept; the others are
transposed as in reverse mode, from the tangents of the operands to those of the outs. A rule of the user for forward
mode is transposed likewise; whether a rule of the user is linear is proved before, and refused otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sct.errors import SctError
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, free_values, is_float, rebuild
from sct.ir.types import Tensor, Type, TypeMismatch
from sct.ops.arrays.shape import shapes_differ
from sct.ops.program.control import cond
from sct.ops.program.effects import python, raise_
from sct.ops.program.solutions import as_adjoint, once, rule_of, ruled
from sct.passes.analysis.linearity import Linearity, dependents, depends, read_for_elements
from sct.passes.autodiff.cotangents import Masks, current, match_type, materialize, with_real_ints_as_floats, zero
from sct.passes.autodiff.residuals import ResidualTaps, live_eqns
from sct.passes.autodiff.reverse import pullback

__all__ = ["ruled_cotangents", "ruled_tangents", "tangents_by_transpose"]


def tangents_by_transpose(eqn: Eqn, dxs: Sequence[Operand | None],
                          active: Collection[Value]) -> list[Operand | None]:
    """The tangents of the active outs of an equation, given those of its operands."""
    assert eqn.op.vjp is not None
    values, outs = with_real_ints_as_floats(eqn)
    seeds = [Value(y.type) if is_float(out) and out in active else None for y, out in zip(outs, eqn.outs)]
    one: Any = len(seeds) == 1
    with current().nested() as inner:
        cts = eqn.op.vjp(seeds[0] if one else seeds, outs[0] if one else outs, *values, **eqn.attrs)
        pairs = [(match_type(_contribution(ct), x, Masks()), dx) for ct, x, dx in zip(cts, eqn.args, dxs)
                 if ct is not None and dx is not None]
    params = [seed for seed in seeds if seed is not None]
    primals = [v for v in (*eqn.outs, *eqn.args, *dxs) if isinstance(v, Value)]
    tangents = iter(_transposed(inner.finish("rule", params, [ct for ct, _ in pairs]), [dx for _, dx in pairs],
                                primals, {p: y for p, y in zip(seeds, outs) if p is not None}))
    return [None if seed is None else next(tangents) for seed in seeds]


def _transposed(rule: Fn, seeds: Sequence[Operand], primals: Sequence[Value], like: Mapping[Value, Operand]
                ) -> list[Operand]:
    """The results of the transpose of `rule`, a linear function, for its params, from `seeds` for its results.

    primals  values whose shapes may be read in the place of those of the rule
    like     for each param, a value of its shape
    """
    b = current()
    linear = dependents(rule.eqns, rule.params)
    b.eqns += [e for e in rule.eqns if not depends(e, linear)]
    start = len(b.eqns)
    results = pullback(rule, range(len(rule.params)), dict(enumerate(seeds)), ResidualTaps(rule))
    b.eqns[start:] = _with_known_shapes(b.eqns[start:], rule, linear, [
        *primals, *(out for e in b.eqns[:start] for out in e.outs)], like)
    b.defs.update((out, e) for e in b.eqns[start:] for out in e.outs)
    return results


def _contribution(ct: Operand | TypeMismatch) -> Operand:
    """The contribution of a rule; raises the reason why there is none."""
    if isinstance(ct, TypeMismatch):
        raise ct
    return ct


def _with_known_shapes(eqns: Sequence[Eqn], rule: Fn, linear: set[Operand], primals: Sequence[Value],
                       outs: Mapping[Value, Operand]) -> tuple[Eqn, ...]:
    """The equations of a transpose, which depend on `linear` values through their shapes.

    A value of which only the shape is read is replaced by one of `primals` of the same type. Others, as an identity
    matrix, are computed by the rule from the outs, which have the shapes of their cotangents.
    """
    by_type: dict[Type, Value] = {}
    for v in primals:
        by_type.setdefault(v.type, v)
    body = Fn("transpose", (), tuple(eqns), ())
    elements = read_for_elements(body)
    read = [v for v in free_values(body) if v in linear]
    replaced = {v: by_type[v.type] for v in read if v.type in by_type and v not in elements}
    shapes = live_eqns([e for e in rule.eqns if not linear.isdisjoint(e.outs)],
                            [v for v in read if v not in replaced])
    body = body.replace(eqns=(*shapes, *eqns))
    return rebuild(body, {**outs, **replaced}).eqns


# -- rules of the user --------------------------------------------------------------------------------------


def ruled_cotangents(eqn: Eqn, cts: Sequence[Operand | None], wrt: Collection[int]) -> Mapping[int, Operand]:
    """The contributions of a `ruled` to the cotangents of its operands at `wrt`, given the cotangents of its outs."""
    n = eqn.attrs["values"]
    _refuse_missing(eqn, wrt)
    seeds = [materialize(ct, out) for ct, out in zip(cts, eqn.outs)]
    if (vjp := rule_of(eqn, "vjp")) is not None:
        block = _applied(vjp, eqn, seeds)
        _add_live(block, [block.results[k - n] for k in wrt])
        contributions = {k: block.results[k - n] for k in wrt}
        none = [k for k, ct in contributions.items() if ct == Lit(None)]
        if none:
            raise _no_derivative(eqn, none[0], "its vjp returns None in the place of this cotangent")
        return {k: _in_shape(ct, eqn.args[k], block, f"the vjp of `{eqn.attrs['function']}` returns a cotangent of "
                             "another shape than its argument") for k, ct in contributions.items() if ct != Lit(0.0)}
    jvp = _other_mode(eqn, "jvp", "vjp")
    params = jvp.params[:len(jvp.params) - len(eqn.args)]
    block = _applied(jvp, eqn, params)
    results = _transposed_rule(block.replace(params=params), eqn, "jvp", seeds, dict(zip(params, eqn.args[n:])))
    return {k: results[k - n] for k in wrt}


def ruled_tangents(eqn: Eqn, tangents: Mapping[int, Operand]) -> Sequence[Operand]:
    """The tangents of the outs of a `ruled`, given those of the operands that have one."""
    n = eqn.attrs["values"]
    _refuse_missing(eqn, tangents)
    if (jvp := rule_of(eqn, "jvp")) is not None:
        block = _applied(jvp, eqn, [materialize(tangents.get(k), x) for k, x in enumerate(eqn.args) if k >= n])
        _add_live(block, block.results)
        if Lit(None) in block.results:
            raise SctError("SCT402", f"the jvp of `{eqn.attrs['function']}` returns None in the place of a tangent",
                           hint="return 0.0, if the tangent is zero", loc=eqn.loc)
        return [_in_shape(dy, y, block, f"the jvp of `{eqn.attrs['function']}` returns a tangent of another shape "
                          "than its result")
                for dy, y in zip(block.results, eqn.outs)]
    vjp = _other_mode(eqn, "vjp", "jvp")
    params = vjp.params[:n]
    block = _applied(vjp, eqn, params)
    wrt = [k for k in tangents if block.results[k - n] != Lit(0.0)]
    none = [k for k in wrt if block.results[k - n] == Lit(None)]
    if none:
        raise _no_derivative(eqn, none[0], "its vjp returns None in the place of this cotangent")
    rule = block.replace(params=params, results=tuple(block.results[k - n] for k in wrt))
    return _transposed_rule(rule, eqn, "vjp", [materialize(tangents[k], eqn.args[k]) for k in wrt],
                            dict(zip(params, eqn.outs)))


def _applied(rule: Fn, eqn: Eqn, directions: Sequence[Operand]) -> Fn:
    """The rule applied to directions, and to the values and arguments of the equation."""
    fn = rebuild(as_adjoint(rule), fresh=True)
    operands = [*directions, *eqn.outs, *eqn.args[eqn.attrs["values"]:]]
    if eqn.attrs["once"]:
        n = len(directions)
        operands[n:] = [once(x, function=eqn.attrs["function"]) if isinstance(x, Value) else x for x in operands[n:]]
    return rebuild(fn, {p: x for p, x in zip(fn.params, operands) if p is not x}).replace(params=())


def _add_live(block: Fn, results: Sequence[Operand]) -> None:
    for e in live_eqns(block.eqns, results):
        current().add(e)


def _in_shape(direction: Operand, x: Operand, rule: Fn, message: str) -> Operand:
    """The result of a rule for `x`, in the current block, which raises at run time if it has another shape."""
    t, g = x.type, direction.type
    if isinstance(t, Tensor) and isinstance(g, Tensor) and g.rank == t.rank and g.shape != t.shape:
        test = shapes_differ(direction, x)
        with current().nested() as b:
            b.loc = next((e.loc for e in reversed(rule.eqns) if e.loc is not None), b.loc)
            raise_(python(Lit(message), callee="ValueError"))
        current().emit(cond, (test,), {}, regions=(b.finish("then", [], []), Fn("orelse", (), (), ())), types=[])
    return direction


def _transposed_rule(rule: Fn, eqn: Eqn, mode: str, seeds: Sequence[Operand], like: Mapping[Value, Operand]
                     ) -> list[Operand]:
    """The results of the transpose of a rule of the user for its params, in the current block.

    The rule is evaluated at zero, since the transpose of a linear function is the same everywhere.
    """
    _refuse_nonlinear(rule, eqn, mode, eqn.outs if mode == "jvp" else seeds)
    taps = ResidualTaps(rule)
    with current().nested() as b:
        results = pullback(rule, range(len(rule.params)), dict(enumerate(seeds)), taps)
    body = Fn("transpose", (), tuple(b.eqns), tuple(results))
    elements, linear = read_for_elements(body), dependents(rule.eqns, rule.params)
    by_type = {v.type: v for v in reversed([*eqn.outs, *eqn.args, *seeds]) if isinstance(v, Value)}
    shapes = {v: by_type[v.type] for v in free_values(body) if v in linear and v.type in by_type and v not in elements}
    body = rebuild(body, shapes)
    body = body.replace(eqns=(*taps.with_taps(rule.eqns), *body.eqns))
    body = rebuild(body.replace(eqns=tuple(live_eqns(body.eqns, body.results))),
                   {p: zero(x) for p, x in like.items()})
    for e in body.eqns:
        current().add(e)
    return list(body.results)


def _other_mode(eqn: Eqn, mode: str, wanted: str) -> Fn:
    """The rule for `mode`, from which that for the mode that is wanted is derived."""
    rule = rule_of(eqn, mode)
    if rule is None:
        name = eqn.attrs["function"]
        raise SctError("SCT402", f"the rule of `{name}` has no {wanted}" if eqn.attrs["modes"] else
                       f"`{name}` has no rule", hint=f"give one: sct.rule({name}, {wanted}=...)", loc=eqn.loc)
    return rule


def _refuse_missing(eqn: Eqn, wrt: Collection[int]) -> None:
    for k in wrt:
        if k - eqn.attrs["values"] in eqn.attrs["missing"]:
            raise _no_derivative(eqn, k, "it is passed by keyword",
                                 "give it a positional parameter, and pass it so")


def _no_derivative(eqn: Eqn, k: int, why: str, hint: str = "") -> SctError:
    x = eqn.args[k]
    of = f"`{x.hint}`" if isinstance(x, Value) and x.hint else "an argument"
    return SctError("SCT402", f"the rule of `{eqn.attrs['function']}` gives no derivative by {of}", why=why,
                    hint=hint or "pass `sct.stop_gradient(...)` of it, if no derivative is meant to pass", loc=eqn.loc)


def _refuse_nonlinear(rule: Fn, eqn: Eqn, mode: str, of: Sequence[Operand]) -> None:
    """Refuses a rule whose results are not known to be linear in its params.

    of  what the results are directions of; those that are not of floats are not read
    """
    linearity, eqns = Linearity(rule.params), _differentiated(rule)
    nonlinear = next(linearity.nonlinear(eqns), None)
    if nonlinear is None and all(linearity.is_linear(r) for r, x in zip(rule.results, of) if is_float(x)):
        return
    other, direction = ("jvp", "cotangent") if mode == "vjp" else ("vjp", "tangents")
    name = eqn.attrs["function"]
    loc = nonlinear.loc if nonlinear is not None else next((e.loc for e in reversed(eqns) if e.loc is not None), None)
    raise SctError("SCT402", f"the rule of `{name}` has no {other}, which is needed here",
                   why=f"sct derives it where the {mode} is linear in the {direction}, and this is not, or not "
                   "known to be", hint=f"give it: sct.rule({name}, {other}=...)", loc=loc or eqn.loc)


def _differentiated(rule: Fn) -> list[Eqn]:
    """The equations through which a derivative of the results passes: not those that compute the value of a `ruled`."""
    used: set[Operand] = {*rule.results}
    eqns = []
    for eqn in reversed(rule.eqns):
        if not used.isdisjoint(eqn.outs):
            eqns.append(eqn)
            used.update(eqn.args[eqn.attrs["values"]:] if eqn.op is ruled else eqn.args)
            used.update(v for r in eqn.regions for v in free_values(r))
    return eqns[::-1]
