"""Derivatives by the rules of ops and of the user, where a rule is given for one mode and the other is asked for.

    vjp: dx = a * ct    ->    tangent: dy = a * dx

The rule `vjp` is linear in the cotangent. Its equations that do not depend on the cotangent are kept; the others are
transposed as in reverse mode, from the tangents of the operands to those of the outs. A rule of the user for forward
mode is transposed likewise; whether a rule of the user is linear is proved before, and refused otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sct.errors import SctError
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, free_values, is_float, rebuild, regions, walk
from sct.ir.loop_view import loop_view
from sct.ir.types import Tensor, Type, TypeMismatch
from sct.ops.arrays.shape import shapes_differ
from sct.ops.program.control import cond
from sct.ops.program.effects import python, raise_
from sct.ops.program.solutions import as_adjoint, once, rule_of, ruled
from sct.passes.autodiff.cotangents import Masks, current, match_type, materialize, with_real_ints_as_floats, zero
from sct.passes.autodiff.residuals import ResidualTaps, live_equations
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
        pairs = [(match_type(_given(ct), x, Masks()), dx) for ct, x, dx in zip(cts, eqn.args, dxs)
                 if ct is not None and dx is not None]
    params = [seed for seed in seeds if seed is not None]
    known = [v for v in (*eqn.outs, *eqn.args, *dxs) if isinstance(v, Value)]
    found = iter(_transposed(inner.finish("rule", params, [ct for ct, _ in pairs]), [dx for _, dx in pairs], known,
                             {p: y for p, y in zip(seeds, outs) if p is not None}))
    return [None if seed is None else next(found) for seed in seeds]


def _transposed(rule: Fn, seeds: Sequence[Operand], known: Sequence[Value], like: Mapping[Value, Operand]
                ) -> list[Operand]:
    """What the transpose of `rule`, a linear function, gives for its params, from `seeds` for its results.

    known  values whose shapes may be read in the place of those of the rule
    like   for each param, a value of its shape
    """
    b = current()
    linear = _dependents(rule)
    b.eqns += [e for e in rule.eqns if not _reads(e, linear)]
    start = len(b.eqns)
    results = pullback(rule, range(len(rule.params)), dict(enumerate(seeds)), ResidualTaps(rule))
    b.eqns[start:] = _with_known_shapes(b.eqns[start:], rule, linear, [
        *known, *(out for e in b.eqns[:start] for out in e.outs)], like)
    b.defs.update((out, e) for e in b.eqns[start:] for out in e.outs)
    return results


def _given(ct: Operand | TypeMismatch) -> Operand:
    """The contribution of a rule; raises the reason why there is none."""
    if isinstance(ct, TypeMismatch):
        raise ct
    return ct


def _dependents(rule: Fn) -> set[Value]:
    """The values that depend on the params."""
    linear = {*rule.params}
    for eqn in rule.eqns:
        if _reads(eqn, linear):
            linear.update(eqn.outs)
    return linear


def _reads(eqn: Eqn, values: Collection[Operand]) -> bool:
    return any(x in values for x in (*eqn.args, *(v for r in eqn.regions for v in free_values(r))))


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
    given = [*directions, *eqn.outs, *eqn.args[eqn.attrs["values"]:]]
    if eqn.attrs["once"]:
        n = len(directions)
        given[n:] = [once(x, function=eqn.attrs["function"]) if isinstance(x, Value) else x for x in given[n:]]
    return rebuild(fn, {p: x for p, x in zip(fn.params, given) if p is not x}).replace(params=())


def _add_live(block: Fn, results: Sequence[Operand]) -> None:
    for e in live_equations(block.eqns, results):
        current().add(e)


def _in_shape(direction: Operand, x: Operand, rule: Fn, message: str) -> Operand:
    """What a rule returns for `x`, in the current block, which raises at run time if it has another shape."""
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
    """What the transpose of a rule of the user gives for its params, in the current block.

    The rule is evaluated at zero, since the transpose of a linear function is the same everywhere.
    """
    _refuse_nonlinear(rule, eqn, mode)
    taps = ResidualTaps(rule)
    with current().nested() as b:
        results = pullback(rule, range(len(rule.params)), dict(enumerate(seeds)), taps)
    body = Fn("transpose", (), tuple(b.eqns), tuple(results))
    elements, linear = _read_for_elements(body), _dependents(rule)
    by_type = {v.type: v for v in reversed([*eqn.outs, *eqn.args, *seeds]) if isinstance(v, Value)}
    shapes = {v: by_type[v.type] for v in free_values(body) if v in linear and v.type in by_type and v not in elements}
    body = rebuild(body, shapes)
    body = body.replace(eqns=(*taps.with_taps(rule.eqns), *body.eqns))
    body = rebuild(body.replace(eqns=tuple(live_equations(body.eqns, body.results))),
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


def _refuse_nonlinear(rule: Fn, eqn: Eqn, mode: str) -> None:
    """Refuses a rule that is not known to be linear in its params."""
    found = next(_nonlinear(_differentiated(rule), {*rule.params}), None)
    if found is not None:
        other, direction = ("jvp", "cotangent") if mode == "vjp" else ("vjp", "tangents")
        name = eqn.attrs["function"]
        raise SctError("SCT402", f"the rule of `{name}` has no {other}, which is needed here",
                       why=f"sct derives it where the {mode} is linear in the {direction}, and this is not, or not "
                       "known to be", hint=f"give it: sct.rule({name}, {other}=...)", loc=found.loc or eqn.loc)


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


_LINEAR = {name: None for name in (
    "add", "sub", "neg", "pos", "mul", "conj", "imag", "item", "einsum", "matmul", "vecdot", "dot", "inner", "vdot",
    "outer", "tensordot", "kron", "multi_dot", "cross", "convolve", "correlate", "scipy_convolve", "fftconvolve",
    "list_of", "sum_where", "mean_where", "trapezoid", "scipy_trapezoid", "simpson", "gradient", "pysum")} | {
    "div": 0, "quotient": 0, "solve": 1, "scipy_solve": 1, "solve_triangular": 1, "cho_solve": -1, "lu_solve": -1}
"""Ops that are linear in an operand, at a position or at any, besides those whose rule is `linear`."""

_OF_ONE = frozenset(("mul", "einsum", "matmul", "vecdot", "dot", "inner", "vdot", "outer", "tensordot", "kron",
                     "multi_dot", "cross", "convolve", "correlate", "scipy_convolve", "fftconvolve"))
"""Those that are linear in one operand at a time."""


def _nonlinear(eqns: Sequence[Eqn], linear: set[Value]) -> Iterator[Eqn]:
    """The equations that are not known to be linear in the values `linear`, to which it adds those that are."""
    for eqn in eqns:
        first = eqn.attrs["values"] if eqn.op is ruled else 0
        read = [k for k, x in enumerate(eqn.args) if k >= first and x in linear and k not in eqn.op.shapes]
        if eqn.op.name == "cond":
            yield from [eqn] if read else ()
            for branch in eqn.regions:
                inner = {*linear}
                yield from _nonlinear(branch.eqns, inner)
                linear.update(out for out, r in zip(eqn.outs, branch.results) if r in inner)
        elif eqn.op.name == "loop":
            yield from _nonlinear_in_loop(eqn, linear)
        elif read:
            known = _is_linear_rule(eqn, read) if eqn.regions else _is_linear(eqn, read)
            if not known or not all(map(is_float, eqn.outs)):
                yield eqn
            linear.update(eqn.outs)


def _is_linear(eqn: Eqn, read: Sequence[int]) -> bool:
    op, n = eqn.op, len(eqn.args)
    if op.linear is not None:
        return not set(read).intersection(op.inactive)
    if op.name not in _LINEAR or op.name in _OF_ONE and len(read) > 1:
        return False
    at = _LINEAR[op.name]
    return at is None or read == [at % n]


def _is_linear_rule(eqn: Eqn, read: Sequence[int]) -> bool:
    """Is this a call of a function with a rule whose derivatives by these operands do not depend on them?"""
    vjp = rule_of(eqn, "vjp") if eqn.op is ruled else None
    if vjp is None:
        return False
    n = eqn.attrs["values"]
    dependent = {*vjp.params[n:2 * n], *(vjp.params[n + k] for k in read)}
    for e in vjp.eqns:
        if _reads(e, dependent):
            dependent.update(e.outs)
    return all(vjp.results[k - n] not in dependent for k in read)


def _is_read(fn: Fn, x: Value) -> bool:
    """Does the function read more of `x` than its shape?"""
    return x in _read_for_elements(fn) or x in fn.results


def _nonlinear_in_loop(eqn: Eqn, linear: set[Value]) -> Iterator[Eqn]:
    loop = loop_view(eqn)
    if any(x in linear for x in loop.bounds):
        yield eqn
    carried = {k for k, x in enumerate(loop.inits) if x in linear}
    listed = {e for s, e in zip(loop.xs, loop.elems) if s in linear}
    while True:
        inner = {*linear, *listed, *(loop.params[k] for k in carried)}
        found = list(_nonlinear(loop.body.eqns, inner))
        more = carried | {k for k, r in enumerate(loop.results) if r in inner}
        if more == carried:
            break
        carried = more
    yield from found
    test = loop.test
    if loop.go in inner or test is not None and any(
            _is_read(test, x) for x in (*linear, *(test.params[k] for k in carried))):
        yield eqn
    linear.update(loop.finals[k] for k in carried)
    linear.update(y for y, r in zip(loop.ys, loop.yields) if r in inner)
