"""Derivatives inside differentiated functions, and at the top: the equations vjp, jvp and pullback.

The function is evaluated into a region whose params are the numbers that it is
differentiated by; everything else that it reads is an outer value, constant for this
derivative and ordinary for the ones around it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sct.frontend.evaluator import Args, Dead, Evaluator, Kwargs
from sct.frontend.iteration import items_of
from sct.frontend.operations import call_named
from sct.frontend.store import is_number
from sct.frontend.transform import Transform
from sct.frontend.values import (
    Abstract,
    Array,
    Closure,
    DictRef,
    ListRef,
    Pullback,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.ir import Builder, Eqn, Fn, Lit, Operand, Value, is_float, rebuild
from sct.ir.tree import Const, Leaf, Node, Tree, relabel
from sct.ir.types import FLOAT, REAL, Function, Tensor, Type
from sct.ops import jvp, ones, pullback, vjp

__all__ = ["call_transform", "rebuild_tree", "tree_of"]



# -- flat views of abstract values ---------------------------------------------------------------


def tree_of(ev: Evaluator, v: Abstract, leaves: list[Abstract], where: str = "here") -> Tree:
    """The structure of `v`; its numbers and arrays are appended to `leaves`."""
    if isinstance(v, Tup):
        return Node("tuple", tuple(range(len(v.items))), tuple(tree_of(ev, x, leaves, where) for x in v.items))
    if isinstance(v, (ListRef, DictRef)):
        cell = ev.store.cells[v.addr]
        assert isinstance(cell, Slots)
        children = tuple(tree_of(ev, x, leaves, where) for x in cell.items)
        if isinstance(v, DictRef):
            return Node("dict", cell.keys, children)
        return Node("list", tuple(range(len(children))), children)
    if isinstance(v, (Value, Ref)) or is_number(v) and isinstance(v, Static) and isinstance(v.value, (int, float)):
        leaves.append(v)
        return Leaf(len(leaves) - 1)
    if isinstance(v, Static):
        return Const(v.value)
    ev.refuse("SCT503", f"a function or a range is not supported {where}")


def rebuild_tree(ev: Evaluator, tree: Tree, leaf: Callable[[int], Abstract]) -> Abstract:
    """The abstract value of a structure."""
    if isinstance(tree, Leaf):
        return leaf(tree.index)
    if isinstance(tree, Const):
        return Static(tree.value)
    items = tuple(rebuild_tree(ev, c, leaf) for c in tree.children)
    if tree.kind == "tuple":
        return Tup(items)
    return ev.new_dict(dict(zip(tree.keys, items))) if tree.kind == "dict" else ev.new_list(items)


def with_leaves(ev: Evaluator, v: Abstract, leaves: Iterator[Abstract]) -> Abstract:
    """`v` with its leaves replaced; lists and dicts stay the objects that they are."""
    if isinstance(v, Tup):
        return Tup(tuple(with_leaves(ev, x, leaves) for x in v.items))
    if isinstance(v, (ListRef, DictRef)):
        cell = ev.store.cells[v.addr]
        assert isinstance(cell, Slots)
        ev.store.cells[v.addr] = replace(cell, items=tuple(with_leaves(ev, x, leaves) for x in cell.items))
        return v
    is_leaf = isinstance(v, (Value, Ref)) or isinstance(v, Static) and isinstance(v.value, (int, float))
    return next(leaves) if is_leaf else v


def differentiable(ev: Evaluator, v: Abstract, *, direct: bool) -> bool:
    """Can a derivative be taken by this leaf?  An int counts as a float where it is the argument itself."""
    t = v.type if isinstance(v, Value) else ev.type_of(v)
    if not isinstance(t, Tensor):
        return is_float(t)
    return t.kind == "f" or direct and t.kind == "i" and t.is_scalar


# -- the region --------------------------------------------------------------------------------------


@dataclass
class _Region:
    """`f` evaluated with the numbers of `wrt` made params."""

    fn: Fn
    primals: list[Operand]
    out: Tree
    aux: Tree | None
    outs: list[Operand]
    wrt: list[tuple[int, Tree, list[int]]]
    """(argument, its structure, which params its leaves are; -1: not differentiable)."""


def evaluate(ev: Evaluator, f: Abstract, args: Args, kwargs: Kwargs, wrt: Sequence[int | str],
             *, has_aux: bool = False, skip: Callable[[int, int], bool] | None = None,
             strict: bool = False) -> _Region:
    """Evaluate `f(*args, **kwargs)` as a region.

    skip    which leaves of which argument are constants
    strict  an array of ints that is to be differentiated by is refused
    """
    seen: dict[int, int] = {}
    entry = ev.store
    ev.store = ev.store.copy()
    given_by: dict[int | str, Abstract] = dict(enumerate(args))
    given_by.update(kwargs.items())
    inside = {k: ev.fresh_copy(a, seen) for k, a in given_by.items()}
    params: list[Value] = []
    primals: list[Operand] = []
    shapes: list[tuple[int, Tree, list[int]]] = []
    body = Builder()
    for which, k in enumerate(wrt):
        leaves: list[Abstract] = []
        tree = tree_of(ev, given_by[k], leaves, "as an argument")
        positions = []
        new: list[Abstract] = []
        inner: list[Abstract] = []
        tree_of(ev, inside[k], inner)
        for j, (leaf, own) in enumerate(zip(leaves, inner)):
            _no_int_array(ev, leaf, strict and isinstance(tree, Leaf) or skip is not None and not skip(which, j))
            if not differentiable(ev, leaf, direct=isinstance(tree, Leaf)) or skip is not None and skip(which, j):
                positions.append(-1)
                new.append(own)
                continue
            x = ev.operand(leaf)
            t: Type = REAL if isinstance(x.type, Tensor) and x.type.kind == "i" else x.type
            p = Value(t, x.hint or _name(f, k), x.dim)
            ev.stands_for[p] = x
            positions.append(len(params))
            params.append(p)
            primals.append(x)
            if isinstance(own, Ref):
                cell = ev.store.cells[own.addr]
                assert isinstance(cell, Array)
                if own.path:
                    own = ev.wrap(p, origin="argument")
                else:
                    ev.store.cells[own.addr] = replace(cell, value=p, origin="argument")
                new.append(own)
            else:
                new.append(p)
        inside[k] = with_leaves(ev, inside[k], iter(new))
        shapes.append((which, tree, positions))
    outer, ev.boundary = ev.boundary, max([ev.boundary, *(a for a in entry.cells)])
    try:
        with ev.block(body):
            result = ev.call(f, [inside[k] for k in range(len(args))],
                          {k: v for k, v in inside.items() if isinstance(k, str)})
            aux: Abstract | None = None
            if has_aux:
                if not isinstance(result, Tup) or len(result.items) != 2:
                    ev.refuse("SCT402", "with has_aux the function must return a pair (value, aux)")
                result, aux = result.items
            flat: list[Abstract] = []
            out_tree = tree_of(ev, result, flat, "as a result")
            aux_tree = None if aux is None else tree_of(ev, aux, flat, "as a result")
            outs = [ev.operand(v) for v in flat]
    except Dead:
        # The function raises for certain: so does its derivative.
        ev.b.eqns.extend(rebuild(Fn("f", (), tuple(body.eqns), ()), dict(zip(params, primals))).eqns)
        raise
    finally:
        ev.boundary = outer
    ev.store = entry
    fn = Fn("f", tuple(params), tuple(body.eqns), tuple(outs))
    return _Region(fn, primals, out_tree, aux_tree, outs, shapes)


def _name(f: Abstract, k: int | str) -> str | None:
    return k if isinstance(k, str) else None


def _no_int_array(ev: Evaluator, leaf: Abstract, strict: bool) -> None:
    t = ev.type_of(leaf) if isinstance(leaf, Ref) else None
    if strict and isinstance(t, Tensor) and t.kind in "ib":
        ev.refuse("SCT407", f"an array of type {t} is to be differentiated by", why="its elements are not real numbers",
                  hint="pass x.astype(float)")


# -- what is called ---------------------------------------------------------------------------------------


def call_transform(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of `sct.grad`, `sct.vjp`, ... or of what they return."""
    t = getattr(fn.value, "__sct_transform__", None)
    if isinstance(t, Transform):
        return apply_transform(ev, t, Static(t.fn, (None,) if t.fn is ev.root else None), args, kwargs)
    kind = fn.value.__sct_call__
    options = {k: _static_tree(ev, v) for k, v in kwargs.items() if k not in ("backend", "f")}
    if kind in ("grad", "value_and_grad"):
        if len(args) > 1:
            options["argnums"] = _static_tree(ev, args[1])
        if not args:
            return Pullback(lambda ev, given, _: derivative(ev, kind, given[0], options))
        return derivative(ev, kind, args[0], options)
    if kind == "vjp":
        return inner_vjp(ev, args[0], args[1:])
    if kind in ("jvp", "hvp"):
        f, primals, tangents = args
        if kind == "hvp":
            f = derivative(ev, "grad", f, {})
        both = run_jvp(ev, f, items_of(ev, primals), items_of(ev, tangents))
        return both if kind == "jvp" else both.items[1]
    if kind == "stop_gradient":
        return call_named(ev, "sct.stop_gradient", args, {})
    ev.refuse("SCT206", f"`sct.{kind}` is not supported inside a differentiated function")


def _static_tree(ev: Evaluator, v: Abstract) -> Any:
    if isinstance(v, Tup):
        return tuple(_static_tree(ev, x) for x in v.items)
    return ev.ask(v, "argnums")


def derivative(ev: Evaluator, kind: str, f: Abstract, options: Mapping[str, Any]) -> Pullback:
    t = Transform(kind, f, options.get("argnums", 0), options.get("has_aux", False))  # type: ignore[arg-type]
    return Pullback(lambda ev, args, kwargs: apply_transform(ev, t, f, args, kwargs))


def apply_transform(ev: Evaluator, t: Transform, f: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    if t.kind in ("grad", "value_and_grad"):
        return run_grad(ev, t, f, args, kwargs)
    if t.kind == "jvp":
        half = len(args) // 2
        return run_jvp(ev, f, args[:half], args[half:])
    return outer_vjp(ev, f, args, kwargs)


def positions(ev: Evaluator, f: Abstract, argnums: Any, args: Args, kwargs: Kwargs) -> list[int | str]:
    """Which arguments `argnums` means: positions, or names of keyword arguments."""
    wanted = argnums if isinstance(argnums, tuple) else (argnums,)
    names = parameter_names(ev, f)
    found: list[int | str] = []
    for w in wanted:
        if isinstance(w, int):
            k = w + len(args) if w < 0 else w
            if not 0 <= k < len(args):
                if names is not None and 0 <= w < len(names) and names[w] in kwargs:
                    found.append(names[w])
                    continue
                ev.refuse("SCT403", f"there is no positional argument {w} to differentiate by",
                          hint=f"{len(args)} are given")
            found.append(k)
        elif w in kwargs:
            found.append(w)
        elif names is not None and w in names and names.index(w) < len(args):
            found.append(names.index(w))
        else:
            ev.refuse("SCT403", f"there is no argument `{w}` to differentiate by")
    return found


def parameter_names(ev: Evaluator, f: Abstract) -> list[str] | None:
    if isinstance(f, Closure):
        return [a.id for a in [*f.node.args.posonlyargs, *f.node.args.args]]
    if isinstance(f, Static):
        try:
            return list(inspect.signature(f.value).parameters)
        except (TypeError, ValueError):
            return None
    return None


def run_grad(ev: Evaluator, t: Transform, f: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    where = positions(ev, f, t.argnums, args, kwargs)
    region = evaluate(ev, f, args, kwargs, where, has_aux=t.has_aux, strict=True)
    _something(ev, region)
    ev.loc, outer = ev.returned_at, ev.loc
    if not isinstance(region.out, Leaf):
        ev.refuse("SCT404", "the function to differentiate must return one number",
                  why="it returns a container" if isinstance(region.out, Node) else "it returns no number",
                  hint="use vjp or jvp, or has_aux=True for a pair (value, aux)")
    y = region.outs[region.out.index]
    _one_number(ev, y)
    ev.loc = outer
    seed: Operand = Lit(1.0)
    if isinstance(y.type, Tensor) and y.type.is_array:
        # A result of size 1 with axes: its seed is an array of ones of that shape.
        outs, cts = _emit_vjp_shaped(ev, region)
    else:
        outs, cts = _emit_vjp(ev, region, [region.out.index], [seed])
    grads = [gradient(ev, region, k, cts) for k in range(len(where))]
    result: Abstract = Tup(tuple(grads)) if isinstance(t.argnums, tuple) else grads[0]
    value = ev.wrap(outs[region.out.index])
    aux = None if region.aux is None else rebuild_tree(ev, region.aux, lambda k: ev.wrap(outs[k]))
    if t.kind == "grad":
        return result if aux is None else Tup((result, aux))
    return Tup((value if aux is None else Tup((value, aux)), result))


def _something(ev: Evaluator, region: _Region) -> None:
    if not region.primals:
        ev.refuse("SCT408", "there is no real number to differentiate by",
                  hint="integers, strings, flags and None have no derivative")


def _one_number(ev: Evaluator, y: Operand) -> None:
    if not is_float(y):
        if isinstance(y, Lit) and isinstance(y.value, (int, float)) and not isinstance(y.value, bool):
            return
        if isinstance(y.type, Tensor) and y.type.kind == "i":
            return
        ev.refuse("SCT405", f"the output is a {y.type}: it cannot be differentiated",
                  hint="return a float")
    if isinstance(y.type, Tensor) and any(d.value != 1 for d in y.type.shape):
        ev.refuse("SCT404", f"the function to differentiate must return one number, not {y.type}",
                  hint="sum it up, or use vjp or jvp")


def _emit_vjp(ev: Evaluator, region: _Region, seeded: Sequence[int],
              seeds: Sequence[Operand]) -> tuple[list[Operand], list[Value]]:
    keep = [k for k in seeded if is_float(region.outs[k])]
    seeds = [s for k, s in zip(seeded, seeds) if k in keep]
    outs = [Value(x.type, x.hint, x.dim) for x in region.outs]
    cts = [Value(_tangent(p.type), _d(p.hint)) for p in region.fn.params]
    ev.b.add(Eqn(vjp, (*region.primals, *seeds), (*outs, *cts),
                 {"wrt": tuple(range(len(cts))), "seeded": tuple(keep)}, (region.fn,), loc=ev.loc))
    return list(outs), cts


def _emit_vjp_shaped(ev: Evaluator, region: _Region) -> tuple[list[Operand], list[Value]]:
    assert isinstance(region.out, Leaf)
    y = region.outs[region.out.index]
    assert isinstance(y.type, Tensor)
    seed = ev.emit(ones, *(Lit(1) for _ in y.type.shape), dtype=y.type.dtype)
    return _emit_vjp(ev, region, [region.out.index], [seed])


def _tangent(t: Type) -> Type:
    return FLOAT if t == REAL else t


def _d(hint: str | None) -> str | None:
    return None if hint is None else "d" + hint


def gradient(ev: Evaluator, region: _Region, k: int, cts: Sequence[Value]) -> Abstract:
    """The cotangent of argument `k`, arranged as the argument is; None where there is none."""
    _, tree, where = region.wrt[k]
    return rebuild_tree(ev, _no_constants(tree), lambda j: ev.wrap(cts[where[j]]) if where[j] >= 0 else Static(None))


def _no_constants(tree: Tree) -> Tree:
    return relabel(tree, Leaf, lambda _: None)


def run_jvp(ev: Evaluator, f: Abstract, primals: Args, tangents: Args) -> Tup:
    if len(primals) != len(tangents):
        ev.refuse("SCT406", f"{len(primals)} primals and {len(tangents)} tangents are given")
    flat: list[list[Abstract]] = []
    for p, t in zip(primals, tangents):
        flat.append(_tangent_leaves(ev, p, t))
    region = evaluate(ev, f, primals, {}, range(len(primals)),
                      skip=lambda k, j: isinstance(flat[k][j], Static) and flat[k][j].value is None)  # type: ignore[union-attr]
    given: list[Operand | None] = [None] * len(region.primals)
    for k, (_, _, where) in enumerate(region.wrt):
        for j, at in enumerate(where):
            if at >= 0:
                given[at] = _as_tangent(ev, flat[k][j], region.fn.params[at])
    outs = [Value(x.type, x.hint, x.dim) for x in region.outs]
    dots = [Value(_tangent(x.type), _d(x.hint)) if is_float(x) else None for x in region.outs]
    ev.b.add(Eqn(jvp, (*region.primals, *(x for x in given if x is not None)),
                 (*outs, *(d for d in dots if d is not None)), {"wrt": tuple(range(len(given)))},
                 (region.fn,), loc=ev.loc))
    value = rebuild_tree(ev, region.out, lambda k: ev.wrap(outs[k]))

    def dot(k: int) -> Abstract:
        d = dots[k]
        return Static(None) if d is None else ev.wrap(d)

    return Tup((value, rebuild_tree(ev, _no_constants(region.out), dot)))


def _tangent_leaves(ev: Evaluator, primal: Abstract, tangent: Abstract) -> list[Abstract]:
    """The leaves of `tangent` beside those of `primal`; None for a whole part is None for its leaves."""
    if isinstance(tangent, Static) and tangent.value is None:
        leaves: list[Abstract] = []
        tree_of(ev, primal, leaves)
        return [tangent for _ in leaves]
    if isinstance(primal, (Tup, ListRef, DictRef)):
        ours = primal.items if isinstance(primal, Tup) else ev.store.cells[primal.addr].items  # type: ignore[union-attr]
        if type(primal) is not type(tangent):
            ev.refuse("SCT406", "the tangent is not arranged as the primal is")
        theirs = tangent.items if isinstance(tangent, Tup) else ev.store.cells[tangent.addr].items  # type: ignore[union-attr]
        if len(ours) != len(theirs):
            ev.refuse("SCT406", "the tangent is not arranged as the primal is")
        return [x for p, t in zip(ours, theirs) for x in _tangent_leaves(ev, p, t)]
    leaves = []
    tree_of(ev, primal, leaves)
    return [tangent] if leaves else []


def _as_tangent(ev: Evaluator, v: Abstract, p: Value) -> Operand:
    x = ev.operand(v)
    if not isinstance(x.type, Tensor) or not isinstance(p.type, Tensor) or x.type.rank != p.type.rank:
        ev.refuse("SCT406", f"a tangent of type {x.type} for a primal of type {p.type}",
                  hint="a tangent has the shape of its primal")
    for a, b in zip(x.type.shape, p.type.shape):
        ev.same(a, b)
    return x


def outer_vjp(ev: Evaluator, f: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    """`vjp` as what a caller gets: the value and a pullback that is a function."""
    region = evaluate(ev, f, args, kwargs, range(len(args)))
    _something(ev, region)
    seeded = [k for k, x in enumerate(region.outs) if is_float(x)]
    outs = [Value(x.type, x.hint, x.dim) for x in region.outs]
    back = Value(Function(), "pullback")
    index = {k: j for j, k in enumerate(seeded)}
    ct_tree = relabel(region.out, lambda k: Leaf(index[k]) if k in index else Const(None), lambda _: None)
    result = Node("tuple", tuple(range(len(args))), tuple(
        relabel(_no_constants(tree), lambda j, where=where: Leaf(where[j]) if where[j] >= 0 else Const(None))  # type: ignore[misc]
        for _, tree, where in region.wrt))
    ev.b.add(Eqn(pullback, tuple(region.primals), (*outs, back),
                 {"wrt": tuple(range(len(region.primals))), "seeded": tuple(seeded), "params": ct_tree,
                  "result": result, "names": ("ct",)}, (region.fn,), loc=ev.loc))
    return Tup((rebuild_tree(ev, region.out, lambda k: ev.wrap(outs[k])), back))


def inner_vjp(ev: Evaluator, f: Abstract, args: Args) -> Abstract:
    """`vjp` inside a differentiated function: each call of the pullback is one `vjp` equation."""
    region = evaluate(ev, f, args, {}, range(len(args)))
    zero_outs, _ = _emit_vjp(ev, region, [], [])
    value = rebuild_tree(ev, region.out, lambda k: ev.wrap(zero_outs[k]))

    def back(ev: Evaluator, given: Args, kwargs: Kwargs) -> Abstract:
        leaves: list[Abstract] = []
        tree_of(ev, given[0], leaves)
        seeded = [k for k, x in enumerate(region.outs) if is_float(x)]
        if len(leaves) != len(region.outs):
            ev.refuse("SCT406", "the cotangent is not arranged as the output is")
        copy = replace(region, fn=rebuild(region.fn, fresh=True))
        copy.outs = list(copy.fn.results)
        _, cts = _emit_vjp(ev, copy, seeded, [ev.operand(leaves[k]) for k in seeded])
        return Tup(tuple(gradient(ev, copy, k, cts) for k in range(len(args))))

    return Tup((value, Pullback(back)))

