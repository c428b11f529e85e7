"""Derivatives inside differentiated functions, and at the top: the equations vjp, jvp and pullback."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sct.frontend.arguments.lift import rooted
from sct.frontend.autodiff.differentiated_region import (
    Region,
    check_complex,
    d_name,
    evaluate,
    gradient,
    is_int,
    positions,
    some_number,
    tangent_type,
    without_constants,
)
from sct.frontend.autodiff.implicit_functions import has_effect, solution_of
from sct.frontend.autodiff.ruled_calls import probed
from sct.frontend.autodiff.tangent_arguments import Direction
from sct.frontend.autodiff.value_trees import rebuild_tree
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.heap.sample_calls import by_position, check_arguments
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.standard_library.tree_functions import call_tree_function
from sct.frontend.transform import Transform
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, Iteration, Static, Tup
from sct.ir import Eqn, Lit, Operand, Value, is_float, rebuild
from sct.ir.pytrees.pytree import Const, Leaf, Node, map_tree
from sct.ir.pytrees.pytree import leaves as leaves_of
from sct.ir.types import Function, Tensor, in_words
from sct.ops import apply, apply_pullback, jvp, ones, pullback, vjp

__all__ = ["APPLY", "apply_transform", "call_transform"]

TANGENT, COTANGENT = Direction("tangent", "primal"), Direction("cotangent", "output")


# -- what is called ---------------------------------------------------------------------------------------


def call_transform(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of `sct.grad`, `sct.vjp`, ..., or of a function that one of them returned."""
    t = getattr(fn.value, "__sct_transform__", None)
    if isinstance(t, Transform):
        return apply_transform(ev, t, rooted(ev, t.fn), args, kwargs)
    kind = fn.value.__sct_call__
    if kind.startswith("tree_"):
        return call_tree_function(ev, fn, args, kwargs)
    if kind == "probe":
        check_arguments(ev, fn.value, args, kwargs)
        (x, *hooks), named = by_position(fn.value, args, kwargs)
        hooks = [*hooks, Static(None), Static(None)]
        return probed(ev, x, named.get("forward", hooks[0]), named.get("backward", hooks[1]))
    if kind in ("solution", "fixed_point_of"):
        solve, theirs = (rooted(ev, f) for f in fn.value.__sct_equation__)
        return solution_of(ev, solve, _residual(kind, theirs), args, kwargs)
    if kind == "checkpoint_of":
        return _recomputed(ev, rooted(ev, fn.value.__wrapped__), args, kwargs)
    if kind == "checkpoint":
        check_arguments(ev, fn.value, args, kwargs)
        (f,), _ = by_position(fn.value, args, kwargs)
        return DerivedCallable(lambda ev, args, kwargs: _recomputed(ev, f, args, kwargs), f)
    if kind in ("implicit", "fixed_point"):
        check_arguments(ev, fn.value, args, kwargs)
        of, equation = by_position(fn.value, args, kwargs)[0]
        return DerivedCallable(lambda ev, args, kwargs: solution_of(ev, of, _residual(kind, equation), args, kwargs))
    if kind in ("rule", "emit"):
        ev.refuse("SCT206", f"`sct.{kind}` is not supported inside a differentiated function",
                  hint="call it outside the differentiated function")
    options = {k: _static_tree(ev, v) for k, v in kwargs.items() if k not in ("backend", "f")}
    has_aux = bool(options.get("has_aux", False))
    if kind in APPLY:
        if len(args) > 1:
            options["argnums"] = _static_tree(ev, args[1])
        if not args:
            return DerivedCallable(lambda ev, inner, _: derivative(ev, kind, inner[0], options))
        return derivative(ev, kind, args[0], options)
    if kind == "vjp":
        return inner_vjp(ev, args[0], args[1:], has_aux)
    if kind in ("jvp", "hvp"):
        f, primals, tangents = args
        if kind == "hvp":
            f = derivative(ev, "grad", f, {})
        both = run_jvp(ev, f, items_of(ev, primals), items_of(ev, tangents), has_aux)
        return both if kind == "jvp" else both.items[1]
    if kind == "checkpointed":
        check_arguments(ev, fn.value, args, kwargs)
        (of, *slots), named = by_position(fn.value, args, kwargs)
        return Iteration("checkpointed", (of, *slots, *named.values(), Static(None))[:2])
    if kind == "stop_gradient":
        return call_named(ev, "sct.stop_gradient", args, {})
    ev.refuse("SCT206", f"`sct.{kind}` is not supported inside a differentiated function",
              hint="call it outside the differentiated function")


def _recomputed(ev: Evaluator, f: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of a checkpointed function."""
    ev.functions.recompute(True)
    try:
        return ev.call(f, args, kwargs)
    finally:
        ev.functions.recompute(False)


def _residual(kind: str, equation: Abstract) -> Abstract:
    """The residual of an equation: the function itself, or for a fixed point its difference to the solution."""
    if kind in ("solution", "implicit"):
        return equation
    return DerivedCallable(lambda ev, args, kwargs: ev.call(
        Static(operator.sub), [ev.call(equation, args, kwargs), args[0]]))


def _static_tree(ev: Evaluator, v: Abstract) -> Any:
    if isinstance(v, Tup):
        return tuple(_static_tree(ev, x) for x in v.items)
    return ev.ask(v, "argnums")


def derivative(ev: Evaluator, kind: str, f: Abstract, options: Mapping[str, Any]) -> DerivedCallable:
    t = Transform(kind, f, options.get("argnums", 0), options.get("has_aux", False),  # type: ignore[arg-type]
                  options.get("holomorphic", False))
    return DerivedCallable(lambda ev, args, kwargs: apply_transform(ev, t, f, args, kwargs), f)


def apply_transform(ev: Evaluator, t: Transform, f: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    """The derivative `t` of `f` at these arguments."""
    if t.kind == "jvp":
        half = len(args) // 2
        return run_jvp(ev, f, args[:half], args[half:], t.has_aux)
    if t.kind == "vjp":
        return outer_vjp(ev, f, args, kwargs, t)
    return APPLY[t.kind](ev, t, f, args, kwargs)


def run_grad(ev: Evaluator, t: Transform, f: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    where = positions(ev, f, t.argnums, args, kwargs)
    region = evaluate(ev, f, args, kwargs, where, has_aux=t.has_aux, strict=True)
    some_number(ev, region)
    with ev.at(ev.returned_at):
        if not isinstance(region.out, Leaf):
            ev.refuse("SCT404", "the function to differentiate must return one number",
                      why="it returns a container" if isinstance(region.out, Node) else "it returns no number",
                      hint="use vjp or jvp, or has_aux=True for a pair (value, aux)")
        y = region.outs[region.out.index]
        _one_number(ev, y)
        check_complex(ev, t, region, [y])
    seed: Operand = Lit(1.0 + 0.0j if t.holomorphic else 1.0)
    if isinstance(y.type, Tensor) and y.type.is_array:
        # A result of size 1 with axes: its seed is an array of ones of that shape.
        outs, cts = _emit_vjp_shaped(ev, region)
    else:
        outs, cts = _emit_vjp(ev, region, [region.out.index], [seed])
    grads = [gradient(ev, region, k, cts) for k in range(len(where))]
    result: Abstract = Tup(tuple(grads)) if isinstance(t.argnums, tuple) else grads[0]
    value = ev.wrap(outs[region.out.index])
    aux = _aux(ev, region, outs)
    if t.kind == "grad":
        return Tup((result, *aux)) if aux else result
    return Tup((Tup((value, *aux)) if aux else value, result))


def _one_number(ev: Evaluator, y: Operand) -> None:
    if not is_float(y):
        if isinstance(y, Lit) and isinstance(y.value, (int, float)) and not isinstance(y.value, bool):
            return
        if isinstance(y.type, Tensor) and y.type.kind == "i":
            return
        eqn = ev.defs.get(y) if isinstance(y, Value) else None
        unknown = eqn is not None and eqn.op is apply
        ev.refuse("SCT405", f"the output is {in_words(y.type)}: it cannot be differentiated",
                  why="it is the result of a function that sct cannot read" if unknown else "",
                  hint="write out what that function does" if unknown else "return a float")
    if isinstance(y.type, Tensor) and any(d.value != 1 for d in y.type.shape):
        ev.refuse("SCT404", f"the function to differentiate must return one number, not {in_words(y.type)}",
                  hint="sum it up, or use vjp or jvp")


def _emit_vjp(ev: Evaluator, region: Region, seeded: Sequence[int],
              seeds: Sequence[Operand]) -> tuple[list[Operand], list[Value]]:
    keep = [k for k in seeded if is_float(region.outs[k])]
    seeds = [s for k, s in zip(seeded, seeds) if k in keep]
    outs = [Value(x.type, x.hint, x.dim) for x in region.outs]
    cts = [Value(tangent_type(p.type), d_name(p.hint)) for p in region.fn.params]
    ev.b.add(Eqn(vjp, (*region.primals, *seeds), (*outs, *cts),
                 {"wrt": tuple(range(len(cts))), "seeded": tuple(keep)}, (region.fn,), loc=ev.loc))
    return list(outs), cts


def _emit_vjp_shaped(ev: Evaluator, region: Region) -> tuple[list[Operand], list[Value]]:
    assert isinstance(region.out, Leaf)
    y = region.outs[region.out.index]
    assert isinstance(y.type, Tensor)
    t = tangent_type(y.type)
    assert isinstance(t, Tensor)
    seed = ev.emit(ones, *(Lit(1) for _ in t.shape), dtype=t.dtype)
    return _emit_vjp(ev, region, [region.out.index], [seed])


def run_jvp(ev: Evaluator, f: Abstract, primals: Args, tangents: Args, has_aux: bool) -> Tup:
    if len(tangents) > len(primals):
        ev.refuse("SCT406", f"{len(primals)} primals and {len(tangents)} tangents are given",
                  hint="one tangent for each primal, in a tuple")
    tangents = (*tangents, *[Static(None)] * (len(primals) - len(tangents)))  # the last ones may be left out
    flat: list[list[Abstract]] = []
    for p, t in zip(primals, tangents):
        flat.append(TANGENT.leaves(ev, p, t))
    region = evaluate(ev, f, primals, {}, range(len(primals)), has_aux=has_aux,
                      skip=lambda k, j: isinstance(flat[k][j], Static) and flat[k][j].value is None)  # type: ignore[union-attr]
    directions: list[Operand | None] = [None] * len(region.primals)
    for k, (_, _, where) in enumerate(region.wrt):
        for j, at in enumerate(where):
            if at >= 0:
                directions[at] = TANGENT.fitted(ev, flat[k][j], region.primals[at])
    outs = [Value(x.type, x.hint, x.dim) for x in region.outs]
    dots = [Value(tangent_type(x.type), d_name(x.hint)) if is_float(x) else None for x in region.outs]
    ev.b.add(Eqn(jvp, (*region.primals, *(x for x in directions if x is not None)),
                 (*outs, *(d for d in dots if d is not None)), {"wrt": tuple(range(len(directions)))},
                 (region.fn,), loc=ev.loc))
    numbered: dict[int, Abstract] = {}
    value = rebuild_tree(ev, region.out, lambda k: ev.wrap(outs[k]), numbered)

    def dot(k: int) -> Abstract:
        d = dots[k]
        return Static(0.0 if is_int(region) else None) if d is None else ev.wrap(d)

    return Tup((value, rebuild_tree(ev, without_constants(region.out), dot), *_aux(ev, region, outs, numbered)))


def outer_vjp(ev: Evaluator, f: Abstract, args: Args, kwargs: Kwargs, t: Transform) -> Abstract:
    """`vjp` as the outermost transform: the value, and a pullback that is a function.

    Arguments that have their defaults come after those that were passed, the first ones, and have no cotangent.
    """
    first = isinstance(t.argnums, tuple) and t.argnums == (*range(len(t.argnums)),)
    count = min(len(t.argnums), len(args)) if first else len(args)  # type: ignore[arg-type]
    region = evaluate(ev, f, args, kwargs, range(count), has_aux=t.has_aux)
    some_number(ev, region)
    seeded = [k for k in leaves_of(region.out) if is_float(region.outs[k])]
    outs = [Value(x.type, x.hint, x.dim) for x in region.outs]
    back = Value(Function(), "pullback")
    index = {k: j for j, k in enumerate(seeded)}
    ct_tree = map_tree(region.out, lambda k: Leaf(index[k]) if k in index else Const(None), lambda _: None)
    result = Node("tuple", tuple(range(count)), tuple(
        map_tree(without_constants(tree), lambda j, where=where: Leaf(where[j]) if where[j] >= 0 else Const(None))  # type: ignore[misc]
        for _, tree, where in region.wrt))
    ev.b.add(Eqn(pullback, tuple(region.primals), (*outs, back),
                 {"wrt": tuple(range(len(region.primals))), "seeded": tuple(seeded), "params": ct_tree,
                  "result": result, "names": ("ct",)}, (region.fn,), loc=ev.loc))
    numbered: dict[int, Abstract] = {}
    value = rebuild_tree(ev, region.out, lambda k: ev.wrap(outs[k]), numbered)
    return Tup((value, back, *_aux(ev, region, outs, numbered)))


def inner_vjp(ev: Evaluator, f: Abstract, args: Args, has_aux: bool) -> Abstract:
    """`vjp` inside a differentiated function: `f` is evaluated once, and each call of the pullback is an equation that
    applies it."""
    region = evaluate(ev, f, args, {}, range(len(args)), has_aux=has_aux)
    outs, linear = [Value(x.type, x.hint, x.dim) for x in region.outs], Value(Function(), "pullback")
    ev.b.add(Eqn(pullback, tuple(region.primals), (*outs, linear), {"wrt": tuple(range(len(region.primals)))},
                 (region.fn,), loc=ev.loc))
    numbered: dict[int, Abstract] = {}
    value = rebuild_tree(ev, region.out, lambda k: ev.wrap(outs[k]), numbered)

    def back(ev: Evaluator, cotangents: Args, kwargs: Kwargs) -> Abstract:
        beside = zip(leaves_of(region.out), COTANGENT.leaves(ev, value, cotangents[0]))
        seeds = {k: COTANGENT.fitted(ev, x, outs[k]) for k, x in beside
                 if is_float(outs[k]) and not (isinstance(x, Static) and x.value is None)}
        if not any(linear in b.defs for b in [*ev.open_blocks, ev.b][ev.enclosing.hidden:]):
            again = _again(ev, region)
            _, cts = _emit_vjp(ev, again, list(seeds), list(seeds.values()))
            return Tup(tuple(gradient(ev, again, k, cts) for k in range(len(args))))
        cts = [Value(tangent_type(p.type), d_name(p.hint)) for p in region.fn.params]
        if cts:
            ev.b.add(Eqn(apply_pullback, (linear, *seeds.values()), tuple(cts), {"seeded": tuple(seeds)}, loc=ev.loc))
        return Tup(tuple(gradient(ev, region, k, cts) for k in range(len(args))))

    return Tup((value, DerivedCallable(back), *_aux(ev, region, outs, numbered)))


def _again(ev: Evaluator, region: Region) -> Region:
    """A copy of the region, for a pullback that is called in an equation that is solved: that has all its residuals."""
    if has_effect(ev, region.fn):
        ev.refuse("SCT412", "the pullback of a function with an effect (print, random draw) is called in an equation "
                  "that is solved", why="the effect would happen again", hint="move the effect out")
    copy = replace(region, fn=rebuild(region.fn, fresh=True))
    copy.outs = list(copy.fn.results)
    return copy


def _aux(ev: Evaluator, region: Region, outs: Sequence[Operand],
         numbered: dict[int, Abstract] | None = None) -> tuple[Abstract, ...]:
    """The auxiliary result of the function, with `has_aux`."""
    return () if region.aux is None else (rebuild_tree(ev, region.aux, lambda k: ev.wrap(outs[k]), numbered),)


APPLY: dict[str, Callable[[Evaluator, Transform, Abstract, Args, Kwargs], Abstract]] = {
    "grad": run_grad, "value_and_grad": run_grad}
"""The functions that compute derivatives with the arguments of `f`, by kind."""

