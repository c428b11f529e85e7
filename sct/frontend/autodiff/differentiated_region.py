"""Functions as regions: evaluated with the numbers that they are differentiated by as params.

Everything else that the function reads is an outer value, constant for this derivative
and ordinary for the ones around it.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np

from sct.errors import Loc, SctError
from sct.frontend.autodiff.argument_effects import argument_contents, final_contents
from sct.frontend.autodiff.value_trees import check_class, is_leaf, rebuild_tree, tree_of, with_leaves
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.heap import dynamic_lists, run_time_keys
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.objects.class_defaults import give_defaults_within
from sct.frontend.source.name_scopes import positional_parameters
from sct.frontend.state.fixpoint import Dead
from sct.frontend.state.store import Store, is_written
from sct.frontend.transform import Transform
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Bound,
    Closure,
    Container,
    DerivedCallable,
    ListRef,
    Origin,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.item_schemas import holds_kinds
from sct.frontend.values.primal_record import NO_VALUE, PrimalRecord
from sct.ir import Builder, Fn, Operand, Value, is_float, rebuild
from sct.ir.pytrees.pytree import Leaf, Node, Tree, map_tree
from sct.ir.pytrees.user_objects import gradient_class
from sct.ir.real_ints import counts_as_real, mark_real
from sct.ir.types import FLOAT, Link, List, Opaque, Optional, Tensor, Type, Undef, in_words, leaf_type
from sct.ops import is_none, unwrap

__all__ = [
    "Region", "check_complex", "check_row", "d_name", "evaluate", "gradient", "is_complex", "is_int", "parameter_names",
    "positions", "some_number", "tangent_type", "without_constants",
]


def check_row(ev: Evaluator, leaf: Abstract) -> None:
    """Refuses a derivative by an object that is a row: what it has is in columns, which are no part of it."""
    if isinstance(link := leaf_type(leaf.type if isinstance(leaf, Value) else ev.type_of(leaf)), Link):
        ev.refuse_link(link)


def differentiable(ev: Evaluator, v: Abstract, *, direct: bool) -> bool:
    """Can a derivative be taken by this leaf?  Ints count as real where they are the argument itself."""
    t = v.type if isinstance(v, Value) else ev.type_of(v)
    leaf = leaf_type(t)
    if isinstance(t, List) and isinstance(leaf, Tensor) and leaf.dtype == "number":
        ev.refuse("SCT407", "the gradient is with respect to a list of real and complex numbers",
                  hint="make all of them complex")
    if isinstance(t, List) and isinstance(t.elem, Optional) and is_float(t):
        ev.refuse("SCT407", "the gradient is with respect to a list in which some numbers are None",
                  hint="pass the numbers in a list of their own")
    if not isinstance(t, Tensor):
        return is_float(t)
    return t.kind in "fc" or direct and t.kind == "i"


# -- the region --------------------------------------------------------------------------------------


@dataclass
class Region:
    """`f` evaluated with the numbers of `wrt` made params."""

    fn: Fn
    primals: list[Operand]
    out: Tree
    aux: Tree | None
    outs: list[Operand]
    wrt: list[tuple[int, Tree, list[int]]]
    """(argument, its structure, which params its leaves are; -1: not differentiable)."""


def is_int(region: Region) -> bool:
    """Is the result one int, as the sum of no numbers is?  It counts as a constant, whose derivative is zero."""
    t = region.outs[region.out.index].type if isinstance(region.out, Leaf) else None
    return isinstance(t, Tensor) and t.kind == "i" and t.is_scalar


def evaluate(ev: Evaluator, f: Abstract, args: Args, kwargs: Kwargs, wrt: Sequence[int | str],
             *, has_aux: bool = False, skip: Callable[[int, int], bool] | None = None,
             strict: bool = False) -> Region:
    """Evaluate `f(*args, **kwargs)` as a region.

    skip    which leaves of which argument are constants
    strict  refuses to differentiate by a boolean array; a result that is None at run time raises

    An argument that is passed twice is evaluated as two, each with a derivative of its own.  If it is written, the
    two are one argument, and it may not be differentiated by.
    """
    arguments: dict[int | str, Abstract] = dict(enumerate(args))
    arguments.update(kwargs.items())
    entry = ev.store
    for apart in (True, False):
        ev.go_to(entry.copy())
        copies = _Copies(ev, apart)
        inside = {k: copies.of(v) for k, v in arguments.items()}
        params = _Params(ev, copies, arguments, inside, strict, skip)
        for which, k in enumerate(wrt):
            params.add(which, k)
        for original, copy in copies.addresses:
            if entry.owns(original):
                ev.store.own(copy)
        before = dict(ev.store.cells)
        with ev.enclosing.around(entry, copies.addresses):
            region = _run(ev, f, inside, params, has_aux)
            read = ev.enclosing.read
        changed = {k for k, a in copies.addresses
                   if is_written(before[a], ev.store.cells.get(a)) or a in ev.enclosing.written}
        ev.enclosing.written.update(changed)
        ev.go_to(entry)
        _not_read_itself(ev, entry, changed, read)
        compared = copies.twice() if ev.containers.identities else set()
        one_object = changed & copies.twice() | compared if apart else set()
        if not one_object:
            break
        if clash := params.holding & one_object:
            arrays = all(isinstance(entry.cells[a], Array) for a in clash)
            what, one = ("an array", "array") if arrays else ("a list, a dict or an object", "argument")
            use = "written to" if clash & changed else "compared by identity"
            ev.refuse("SCT305", f"{what} is passed in two places, is {use}, and is differentiated with respect to",
                      why="they are one object: what depends on one depends on the other",
                      hint=f"pass a copy, or differentiate a function of the one {one}: lambda b: f(b, b)")
    return region


def _not_read_itself(ev: Evaluator, entry: Store, changed: set[int], read: Mapping[int, Loc | None]) -> None:
    """Refuses a region that writes its copy of an argument, and reads the argument by another way, too."""
    for addr, loc in read.items():
        ev.enclosing.note_read(addr, loc)
    clash = next((a for a in read if a in changed), None)
    if clash is not None:
        what = "an array" if isinstance(entry.cells[clash], Array) else "a list, a dict or an object"
        raise SctError("SCT305", f"the function that is differentiated writes to its argument, {what} that it also "
                       "reads by another name", why="the two are one object: a write to one is in the other",
                       hint="pass a copy", loc=read[clash])


class _Copies:
    """Private copies of arguments; `apart`: one for each place that an array or container is passed at.

    addresses  (address, address of the copy)
    """

    def __init__(self, ev: Evaluator, apart: bool) -> None:
        self.ev, self.apart = ev, apart
        self.seen: dict[int, int] = {}
        self.addresses: list[tuple[int, int]] = []

    def of(self, v: Abstract) -> Abstract:
        if isinstance(v, Tup):
            return v.with_(map(self.of, v.items))
        if not isinstance(v, (Ref, Container)):
            return v
        if v.addr in self.seen:
            return replace(v, addr=self.seen[v.addr])
        cell = self.ev.store.cells[v.addr]
        self.seen[v.addr] = addr = self.ev.new_addr()
        self.addresses.append((v.addr, addr))
        if isinstance(cell, Slots):
            cell = replace(cell, items=tuple(map(self.of, cell.items)))
        origin = Origin.ARGUMENT if cell.origin == Origin.CAPTURED else cell.origin
        self.ev.store.cells[addr] = replace(cell, origin=origin)
        if self.apart:
            del self.seen[v.addr]
        return replace(v, addr=addr)

    def twice(self) -> set[int]:
        """The objects that were copied more than once."""
        return {k for k, n in Counter(k for k, _ in self.addresses).items() if n > 1}


class _Params:
    """Turns the numbers that a region is differentiated by into its params.

    passed, inside  the arguments, as they are passed and in the region
    holding        the addresses of the arrays that became params, and of the containers that hold them
    """

    def __init__(self, ev: Evaluator, copies: _Copies, passed: Mapping[int | str, Abstract],
                 inside: dict[int | str, Abstract], strict: bool, skip: Callable[[int, int], bool] | None) -> None:
        self.ev, self.copies, self.passed, self.inside, self.strict = ev, copies, passed, inside, strict
        self.skip = skip or (lambda which, j: False)
        self.skips = skip is not None
        self.values: list[Value] = []
        self.primals: list[Operand] = []
        self.holding: set[int] = set()
        self.wrt: list[tuple[int, Tree, list[int]]] = []

    def add(self, which: int, k: int | str) -> None:
        """Params for the numbers of the argument `k`."""
        ev = self.ev
        leaves: list[Abstract] = []
        own: list[Abstract] = []
        tree = tree_of(ev, self.passed[k], leaves, "as an argument")
        tree_of(ev, self.inside[k], own)
        direct = isinstance(tree, Leaf)
        places, new = [], []
        for j, (leaf, copy, holding) in enumerate(zip(leaves, own, _holding(ev, self.passed[k]))):
            skipped = self.skip(which, j)
            if self.strict and direct or self.skips and not skipped:
                _no_flags(ev, leaf)
            wanted = differentiable(ev, leaf, direct=direct) and not skipped
            if not skipped:
                check_row(ev, leaf)
            if wanted:
                self.holding |= holding
            places.append(len(self.values) if wanted else -1)
            new.append(self.param(leaf, copy, k if isinstance(k, str) else None) if wanted else copy)
        if any(at >= 0 for at in places) and _is_of_kinds(ev, self.passed[k]):
            ev.refuse("SCT407", "there is no gradient with respect to a list of items of several kinds",
                      why="its structure depends on the items",
                      hint="write a function of the other arguments alone, and differentiate that; or pass the numbers "
                      "in a list of their own")
        self.inside[k] = with_leaves(ev, self.inside[k], iter(new))
        self.wrt.append((which, tree, places))

    def param(self, leaf: Abstract, copy: Abstract, name: str | None) -> Abstract:
        ev = self.ev
        x = ev.operand(leaf)
        p = Value(mark_real(x.type), x.hint or name, x.dim)
        ev.stands_for[p] = x
        self.values.append(p)
        self.primals.append(x)
        if not isinstance(copy, Ref):
            return p
        cell = ev.store.array(copy)
        if not copy.path:
            ev.store.cells[copy.addr] = replace(cell, value=p, origin=Origin.ARGUMENT)
            return copy
        v = ev.wrap(p, origin=Origin.ARGUMENT)
        assert isinstance(leaf, Ref) and isinstance(v, Ref)
        self.copies.addresses.append((leaf.addr, v.addr))
        return v


def _holding(ev: Evaluator, v: Abstract, around: frozenset[int] = frozenset()) -> Iterator[frozenset[int]]:
    """The addresses of each leaf and of the containers that it is in, in the order of `tree_of`."""
    here = around | {v.addr} if isinstance(v, (Ref, Container)) else around
    if isinstance(v, Container) and dynamic_lists.is_dynamic(ev, v):
        assert isinstance(v, ListRef)
        for column in dynamic_lists.column_refs(ev, v):
            yield from _holding(ev, column, here)
    elif isinstance(v, (Tup, Container)):
        for x in v.items if isinstance(v, Tup) else ev.slots(v).items:
            yield from _holding(ev, x, here)
    elif is_leaf(v):
        yield here


def _is_of_kinds(ev: Evaluator, v: Abstract) -> bool:
    """Is this a list of items of several kinds, or does it hold one?"""
    if isinstance(v, Tup):
        return any(_is_of_kinds(ev, x) for x in v.items)
    if not isinstance(v, Container):
        return False
    schema = ev.slots(v).schema
    return any(_is_of_kinds(ev, x) for x in ev.slots(v).items) if schema is None else holds_kinds(schema)


def _run(ev: Evaluator, f: Abstract, inside: Mapping[int | str, Abstract], params: _Params, has_aux: bool) -> Region:
    """The region in which `f` is called with the arguments `inside` it."""
    body = Builder()
    before = argument_contents(ev, inside)
    try:
        with ev.block(body), ev.temporaries.dropped():
            passed = run_time_keys.of_arguments(ev, inside)
            give_defaults_within(ev, list(passed.values()))
            result = ev.call(f, [v for k, v in passed.items() if isinstance(k, int)],
                             {k: v for k, v in passed.items() if isinstance(k, str)})
            aux: Abstract | None = None
            if has_aux:
                if not isinstance(result, Tup) or len(result.items) != 2:
                    ev.refuse("SCT402", "with has_aux the function must return a pair (value, aux)")
                check_class(ev, result.cls, result.fields, "as a result")
                result, aux = result.items
            flat: list[Abstract] = []
            numbers: dict[Any, int] = {}
            out = tree_of(ev, result, flat, "as a result", numbers)
            for v in flat if params.strict else ():
                _not_none(ev, v)
            aux_tree = None if aux is None else tree_of(ev, aux, flat, "as a result", numbers)
            outs = [ev.operand(v) for v in flat]
            contents = final_contents(ev, before, argument_contents(ev, inside), body.eqns)
    except Dead:
        # The function raises for certain: so does its derivative.
        env = {p: x if x.type == p.type else ev.emit(unwrap, x, to=p.type)  # an int that counts as real
               for p, x in zip(params.values, params.primals)}
        ev.b.eqns.extend(rebuild(Fn("f", (), tuple(body.eqns), ()), env).eqns)
        raise
    fn = Fn("f", tuple(params.values), tuple(body.eqns), tuple(outs))
    if isinstance(f, Static) and f.peek is ev.outside.root and not ev.frames:
        value = out if aux_tree is None else Node("tuple", (0, 1), (out, aux_tree))
        ev.record_primal(PrimalRecord(fn.params, tuple(outs), value, *contents))
    return Region(fn, params.primals, out, aux_tree, outs, params.wrt)


def _not_none(ev: Evaluator, v: Abstract) -> None:
    """Raise where `v`, which is to be differentiated, is None."""
    while isinstance(v, Value) and isinstance(v.type, Undef):
        v = ev.emit(unwrap, v)
    if isinstance(v, Value) and isinstance(v.type, Optional):
        evaluate_branches(ev, ev.emit(is_none, v), lambda: raise_at_run_time(ev, "TypeError", NO_VALUE),
                  lambda: None)


def _no_flags(ev: Evaluator, leaf: Abstract) -> None:
    t = ev.type_of(leaf) if isinstance(leaf, Ref) else None
    if isinstance(t, Tensor) and t.kind == "b":
        ev.refuse("SCT407", f"{in_words(t)} is to be differentiated by", why="its elements are not real numbers",
                  hint="pass x.astype(float)")


# -- which arguments, and what is given back for them --------------------------------------------------


def check_complex(ev: Evaluator, t: Transform, region: Region, ys: Sequence[Operand]) -> None:
    """Refuses complex results; those of a function that is said to be holomorphic must be complex,
    and its arguments."""
    xs = region.fn.params
    if t.holomorphic and not all(map(is_complex, (*ys, *xs))):
        ev.refuse("SCT405", "with holomorphic=True the arguments and the output must be complex",
                  why=f"the output is {in_words(ys[0].type)}", hint="leave holomorphic=True out, or pass complex(x)")
    if not t.holomorphic and any(map(is_complex, ys)):
        ev.refuse("SCT405", "the output is complex: it has no gradient", why="a gradient is that of a real number",
                  hint="return its real or imaginary part, or its modulus; or pass holomorphic=True")


def is_complex(x: Operand) -> bool:
    t = leaf_type(x.type)
    return isinstance(t, Tensor) and t.kind == "c"


def some_number(ev: Evaluator, region: Region) -> None:
    """Refuses arguments without a number that is differentiated by."""
    unseen = [x for p, x in zip(ev.params, ev.leaves) if isinstance(p.type, Opaque) and isinstance(
        x, (Mapping, Sequence)) and not isinstance(x, (str, bytes))]
    if not region.primals and unseen:
        ev.refuse("SCT408", "no argument with respect to which to differentiate holds a real number that sct sees",
                  why=f"it does not see into an argument of class `{type(unseen[0]).__name__}`",
                  hint="pass its items in a dict, as dict(d)" if isinstance(unseen[0], Mapping) else
                  "pass its items in a list, as list(q)")
    opaque = [x for x in ev.leaves if isinstance(x, np.ma.MaskedArray) or isinstance(x, np.ndarray) and x.dtype.names]
    if not region.primals and opaque:
        masked = isinstance(opaque[0], np.ma.MaskedArray)
        ev.refuse("SCT408", "no argument with respect to which to differentiate holds a real number that sct sees",
                  why=f"{'an array with a mask' if masked else 'a structured array'} is data",
                  hint="pass x.data and x.mask, and write data[~mask]" if masked else
                  "differentiate by its fields: pass them in a dict")
    if not region.primals:
        ev.refuse("SCT408", "no argument with respect to which to differentiate holds a real number",
                  why="integers, strings, flags and None have no derivative",
                  hint="pass a float or an array of floats")


def positions(ev: Evaluator, f: Abstract, argnums: Any, args: Args, kwargs: Kwargs) -> list[int | str]:
    """Which arguments `argnums` means: positions, or names of keyword arguments; negative ones count from the last
    positional parameter, whether it is passed or not."""
    wanted = argnums if isinstance(argnums, tuple) else (argnums,)
    names = parameter_names(ev, f)
    chosen: list[int | str] = []
    for w in wanted:
        if isinstance(w, int) and w < 0 and names is None:
            ev.refuse("SCT403", f"which parameter `argnums={w}` means is not known", hint="count from the first: 0")
        k = names.index(w) if names is not None and w in names else w
        if isinstance(k, int) and k < 0:
            k += len(names or ())
        name = names[k] if isinstance(k, int) and names is not None and 0 <= k < len(names) else k
        if isinstance(k, int) and 0 <= k < len(args):
            chosen.append(k)
        elif name in kwargs:
            chosen.append(name)
        elif isinstance(name, str):
            ev.refuse("SCT403", f"the argument `{name}` to differentiate by is left out", hint="pass it")
        else:
            ev.refuse("SCT403", f"there is no positional argument {w} to differentiate by",
                      hint=f"{len(args)} are given")
    return chosen


def parameter_names(ev: Evaluator, f: Abstract) -> list[str] | None:
    """The parameters that can be passed by position, None if they are not known."""
    if isinstance(f, Closure):
        return [*positional_parameters(f.node)]
    if isinstance(f, Bound):
        names = parameter_names(ev, f.fn)
        keywords = dict(f.kwargs)  # what follows a keyword of a partial can be passed by keyword alone
        return None if names is None else list(takewhile(lambda name: name not in keywords, names[len(f.args):]))
    if isinstance(f, DerivedCallable) and f.of is not None:
        return parameter_names(ev, f.of)
    if isinstance(f, Static):
        try:
            parameters = inspect.signature(f.peek).parameters.values()
        except (TypeError, ValueError):
            return None
        return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return None


def tangent_type(t: Type) -> Type:
    if not isinstance(t, Tensor) or not counts_as_real(t):
        return t
    return FLOAT if t.carrier == "py" else replace(t, dtype="f64")


def d_name(hint: str | None) -> str | None:
    return None if hint is None else "d" + hint


def gradient(ev: Evaluator, region: Region, k: int, cts: Sequence[Value]) -> Abstract:
    """The cotangent of argument `k`, arranged as the argument is; None where there is none."""
    _, tree, where = region.wrt[k]
    return rebuild_tree(ev, without_constants(tree),
                        lambda j: ev.wrap(cts[where[j]]) if where[j] >= 0 else Static(None))


def without_constants(tree: Tree) -> Tree:
    """The structure of a derivative with respect to a value of this structure: None at parts without a derivative."""
    return map_tree(tree, Leaf, lambda _: None, gradient_class)
