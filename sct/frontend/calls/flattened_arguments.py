"""Flattened arguments of outlined functions: numbers and arrays as a flat list, and the tree of containers around them.

    (x, [a, b], 2)   ->   values x, a, b, 2; the tree says where each stands

Two calls share an outlined function if their trees are equal and the types of their values are of one kind.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Union

from sct.frontend.calls.captured_variables import Outer, captured
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.dynamic_lists import grow
from sct.frontend.objects.class_defaults import note_unset
from sct.frontend.state.parts import Frame
from sct.frontend.state.store import Cells
from sct.frontend.values.abstract_values import (
    CAPTURED,
    Abstract,
    Bound,
    Cached,
    Choice,
    Closure,
    Container,
    Frozen,
    Key,
    ListRef,
    MapRef,
    ObjRef,
    OptionalTuple,
    Origin,
    Poison,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.exact_keys import exact
from sct.frontend.values.in_words import abstract_in_words
from sct.frontend.values.item_schemas import Rows, holds_objects
from sct.frontend.values.schemas import KindSchema, Schema
from sct.frontend.values.size_terms import is_function, substituted
from sct.ir import Operand, Value
from sct.ir.dims import RAGGED, Dim, carried_size, sym
from sct.ir.types import INT, Optional, Seq, Tensor, Type, Undef, map_sizes

__all__ = [
    "Aliasing", "ArgumentLeaf", "ArgumentNode", "ArgumentTree", "Flattening", "NotFlattenable", "aliasing_of",
    "kind_of", "leaf_indices", "leaf_name", "may_be_passed", "operand_of", "other_length", "outlined_type",
    "result_types", "same_kind",
]


class NotFlattenable(Exception):
    """These arguments or results cannot be passed to, or returned from, an outlined function."""


@dataclass(frozen=True)
class ArgumentLeaf:
    """The value at `index` of the flat list."""

    index: int


@dataclass(frozen=True)
class ArgumentNode:
    """A container.  `which` numbers lists and dicts, as two names may stand for one; `exact` compares its keys.

    schema, site  as in `Slots`
    frozen  why it is not written
    """

    kind: object
    which: int
    keys: tuple[Any, ...] = field(compare=False)
    items: tuple[ArgumentTree, ...]
    exact: Hashable = field(init=False)
    schema: Schema | None = None
    site: Any = field(default=None, compare=False)
    frozen: Frozen = Frozen.NO

    def __post_init__(self) -> None:
        object.__setattr__(self, "exact", exact(self.keys))


ArgumentTree = Union[ArgumentLeaf, ArgumentNode, Static, Poison]

MADE_ANEW: Mapping[type, Callable[[Any], tuple[Any, ...]]] = {
    **dict.fromkeys((set, frozenset), tuple),
    **dict.fromkeys((slice, operator.itemgetter, operator.attrgetter), lambda x: x.__reduce__()[1])}
"""What these objects hold, which every evaluation of an expression makes anew: one kind has equal contents."""


@dataclass(frozen=True)
class _ClosureCode:
    """The code of a closure, the number of the call in which it was made, and its attributes."""

    node: Any
    function: Any
    frame: int
    attributes: tuple[tuple[str, Any], ...]


@dataclass
class Flattening:
    """Collects the numbers and arrays of abstract values into a flat list; an array that has two names is listed once.

    outer     the calls in which closures were made
    numbers   the classes of known Python numbers that are listed too, and are not part of the tree
    values    the flat list
    containers  the containers, by address: their numbers
    lists     of each column of a list whose length is not known: the address of the list
    rebuilt   of the containers that were made last, by address: the number and the kind
    any_length  may a list have an unknown length?
    with_frozen  does the tree say what is not written?
    grown     lists that get columns before they are passed, by number: the kind of their items
    """

    ev: Evaluator
    outer: Outer = field(default_factory=Outer)
    numbers: tuple[type, ...] = (int, float)
    values: list[Abstract] = field(default_factory=list)
    refs: dict[Ref, int] = field(default_factory=dict)
    containers: dict[int, int] = field(default_factory=dict)
    lists: dict[int, int] = field(default_factory=dict)
    any_length: bool = True
    with_frozen: bool = True
    grown: Mapping[int, Rows] = field(default_factory=dict)
    rebuilt: dict[int, tuple[int, object]] = field(default_factory=dict)

    def flatten(self, v: Abstract, pinned: bool = False) -> ArgumentTree:
        if isinstance(v, Ref):
            if v not in self.refs:
                self.refs[v] = len(self.values)
                self.values.append(v)
            return ArgumentLeaf(self.refs[v])
        if isinstance(v, Value) or isinstance(v, Static) and type(v.peek) in self.numbers and not pinned:
            self.values.append(v)
            return ArgumentLeaf(len(self.values) - 1)
        if isinstance(v, Tup):
            return ArgumentNode(v.with_(()), 0, (), tuple(self.flatten(x, pinned) for x in v.items))
        if isinstance(v, Choice) and v.codes is not None:
            return ArgumentNode(KindSchema(0, v.codes, ()), 0, (),
                                tuple(self.flatten(x, pinned) for x in (v.code, *v.members)))
        if isinstance(v, OptionalTuple):
            return ArgumentNode(OptionalTuple, 0, (), (self.flatten(v.of),))
        if isinstance(v, RunTimeTuple):
            return ArgumentNode(RunTimeTuple, 0, (), (self.flatten(v.of),))
        if isinstance(v, Bound):
            names = tuple(name for name, _ in v.kwargs)
            return ArgumentNode((Bound, v.method), 0, names,
                         tuple(self.flatten(x) for x in (v.fn, *v.args, *(x for _, x in v.kwargs))))
        if isinstance(v, Cached):
            return ArgumentNode(Cached, 0, (), (self.flatten(v.fn), self.flatten(v.memo or Static(None))))
        if isinstance(v, Closure):
            return self.closure(v)
        if isinstance(v, Container):
            return self.container(v, pinned)
        if isinstance(v, Static) and not self.any_length and type(v.peek) in MADE_ANEW:
            return ArgumentNode(type(v.peek), 0, MADE_ANEW[type(v.peek)](v.peek), ())
        if isinstance(v, (Static, Poison)):
            return v
        raise NotFlattenable(abstract_in_words(v))

    def container(self, v: Container, pinned: bool) -> ArgumentTree:
        cell = self.ev.store.cells[v.addr]
        if v.addr in self.containers or not isinstance(cell, Slots) or cell.parent is not None or cell.frozen and not (
                self.any_length and may_be_passed(cell)):
            raise NotFlattenable("a list or dict that has two names, or that is in a list whose length is not known")
        if not self.any_length and (cell.schema is not None or isinstance(v, MapRef)):
            raise NotFlattenable("a list whose length is not known")
        which = self.containers[v.addr] = len(self.containers)
        if isinstance(v, ListRef) and cell.schema is None and which in self.grown:
            grow(self.ev, v, self.grown[which])
            cell = self.ev.slots(v)
        if cell.unset or not cell.ordered:
            note_unset(self.ev, v)
            raise NotFlattenable("an object with an attribute that is set on one path alone")
        items = tuple(self.flatten(x, pinned) for x in cell.items)
        if cell.schema is not None:
            self.lists.update((x.index, v.addr) for x in items if isinstance(x, ArgumentLeaf))
        factory = (self.flatten(v.factory),) if isinstance(v, MapRef) and v.factory is not None else ()
        kind = replace(v, addr=0, factory=None) if isinstance(v, MapRef) else replace(v, addr=0)
        return ArgumentNode(kind, which, cell.keys, (*items, *factory), schema=cell.schema, site=cell.site,
                            frozen=cell.frozen if self.with_frozen else Frozen.NO)

    def closure(self, v: Closure) -> ArgumentTree:
        if v.frame not in self.outer.frames:
            raise NotFlattenable("a function that it makes")
        code = _ClosureCode(v.node, self.ev.all_frames[v.frame].function, self.outer.frames.index(v.frame),
                            v.attributes)
        lacks = tuple(d is None for d in v.kw_defaults)
        defaults = (*v.defaults, *(d for d in v.kw_defaults if d is not None))
        return ArgumentNode(code, len(v.defaults), lacks, tuple(map(self.flatten, defaults)))

    def rebuild(self, tree: ArgumentTree, leaves: Sequence[Abstract], same: Mapping[int, int] | None = None
                ) -> Abstract:
        """The value of this tree with the given leaves, in new containers; `same`: addresses of those that are not new.
        """
        if isinstance(tree, ArgumentLeaf):
            return leaves[tree.index]
        if not isinstance(tree, ArgumentNode):
            return tree
        items = tuple(self.rebuild(x, leaves, same) for x in tree.items)
        if isinstance(tree.kind, Tup):
            return tree.kind.with_(items)
        if isinstance(tree.kind, KindSchema):
            which, *members = items
            assert isinstance(which, Value)
            return Choice(which, tuple(members), tree.kind.codes)
        if tree.kind is OptionalTuple:
            (of,) = items
            assert isinstance(of, Tup)
            return OptionalTuple(of)
        if tree.kind is RunTimeTuple:
            (of,) = items
            assert isinstance(of, ListRef)
            return RunTimeTuple(of)
        if tree.kind is Cached:
            return Cached(items[0], items[1] if isinstance(items[1], MapRef) else None)
        if isinstance(tree.kind, tuple):
            split = len(items) - len(tree.keys)
            return Bound(items[0], items[1:split], tuple(zip(tree.keys, items[split:])), tree.kind[1])
        if isinstance(tree.kind, _ClosureCode):
            named = iter(items[tree.which:])
            return Closure(tree.kind.node, self.outer.frames[tree.kind.frame], items[:tree.which],
                           tuple(None if lacks else next(named) for lacks in tree.keys), tree.kind.attributes)
        kind = tree.kind
        assert isinstance(kind, Container)
        if isinstance(kind, MapRef) and len(items) > len(tree.keys):
            kind = replace(kind, factory=items[-1])
            items = items[:-1]
        if same is not None and tree.which in same:
            return replace(kind, addr=same[tree.which])  # type: ignore[return-value]
        addr = self.ev.new_addr()
        self.ev.store.cells[addr] = Slots(
            items, tree.keys, schema=tree.schema, site=tree.site,
            frozen=tree.frozen,
            unset=frozenset() if isinstance(kind, ObjRef) else None)
        self.rebuilt[addr] = tree.which, kind
        return replace(kind, addr=addr)  # type: ignore[return-value]


@dataclass(frozen=True)
class Aliasing:
    """The memory that the results of an outlined function share with its arguments and with what it captures.

    same_array  for each result: the param whose array it is, or the captured array that it is, if it is one
    may_alias   for each result: may it share memory with a param or with another result?
    written     the params that it writes
    same_container  of the containers in the result that are in the arguments or captured, by number: the number in
                the arguments, or the address of what is captured
    shared      the containers in the result that may have another name, or share their items, by number
    arguments   those in the arguments that may do so after the call
    """

    same_array: Sequence[int | Ref | None] = ()
    may_alias: Sequence[bool] = ()
    written: Sequence[int] = ()
    same_container: Mapping[int, int] = field(default_factory=dict)
    shared: Mapping[int, Frozen] = field(default_factory=dict)
    arguments: Mapping[int, Frozen] = field(default_factory=dict)


def aliasing_of(args: Flattening, params: Sequence[Abstract], results: Flattening, written: Sequence[int],
                arguments: Mapping[int, Frozen]) -> Aliasing:
    """What the results share with the params.  `args`: how the arguments were flattened; the rest as in `Aliasing`."""
    cells = results.ev.store.cells
    everything = [*params, *results.values]
    same_array = [_same_array(v, params) for v in results.values]
    may_alias = [k is None and _may_alias(cells, v, everything) for v, k in zip(results.values, same_array)]
    same_container = {n: addr if addr <= CAPTURED else args.rebuilt[addr][0] for addr, n in results.containers.items()
                      if addr <= CAPTURED or addr in args.rebuilt}
    shared = {n: cells[addr].frozen or Frozen.AMBIGUOUS for addr, n in results.containers.items()
              if n not in same_container and (cells[addr].frozen or cells[addr].origin == Origin.CAPTURED)}
    return Aliasing(same_array, may_alias, written, same_container, shared, arguments)


def may_be_passed(cell: Slots) -> bool:
    """May a container that is not written be passed?  Paths disagree on its names, or it is a list that shares the
    lists in it with another list."""
    return cell.frozen == Frozen.AMBIGUOUS or cell.frozen == Frozen.HELD and cell.schema is not None and \
        not holds_objects(cell.schema)


def _same_array(v: Abstract, params: Sequence[Abstract]) -> int | Ref | None:
    if not isinstance(v, Ref):
        return None
    return params.index(v) if v in params else v if v.addr <= CAPTURED and not v.path else None


def _may_alias(cells: Cells, v: Abstract, others: Sequence[Abstract]) -> bool:
    """May a write into this result be seen under another name, or the other way round?"""
    return isinstance(v, Ref) and (bool(cells[v.addr].frozen) or cells[v.addr].origin == Origin.CAPTURED or any(
        isinstance(x, Ref) and x.addr == v.addr and x != v for x in others))


def other_length(a: ArgumentTree, b: ArgumentTree) -> ArgumentNode | None:
    """The first list in `a` that has another length in `b`, or that has columns in one of the two alone."""
    if not isinstance(a, ArgumentNode) or not isinstance(b, ArgumentNode) or a.which != b.which:
        return None
    if isinstance(a.kind, ListRef) and a.kind == b.kind and (
            a.schema != b.schema or a.schema is None and len(a.items) != len(b.items)):
        return a
    return next((part for x, y in zip(a.items, b.items) if (part := other_length(x, y)) is not None), None)


def leaf_name(trees: Mapping[Key, ArgumentTree], k: int) -> str | None:
    """The name of param `k`, after the argument that it is in."""
    named = (pair for key, tree in trees.items() for pair in _names(tree, key.name.strip("<>")))
    return next((name for index, name in named if index == k), None)


def _names(tree: ArgumentTree, name: str) -> Iterator[tuple[int, str]]:
    """The names of the params that an argument becomes: a dict whose keys are known only at run time is two lists."""
    if isinstance(tree, ArgumentLeaf):
        yield tree.index, name
    elif isinstance(tree, ArgumentNode) and isinstance(tree.kind, MapRef):
        for part, of in zip(tree.items, (f"{name}_places", f"{name}_keys", name)):
            yield from _names(part, of)
    elif isinstance(tree, ArgumentNode) and (tree.schema is not None or tree.kind is Cached):
        several = tree.schema not in (None, 0)
        for k, part in enumerate(tree.items):
            yield from _names(part, f"{name}_{k}" if several else name)
    elif isinstance(tree, ArgumentNode) and isinstance(tree.kind, ObjRef):
        for part, attribute in zip(tree.items, tree.keys):
            yield from _names(part, attribute.strip("_") if attribute.isidentifier() else name)


def outlined_type(ev: Evaluator, t: Type) -> Type:
    """The type with sizes that mean something in another function: sizes of arguments, or fresh symbols."""
    return map_sizes(lambda d: d if d.symbols <= ev.sizes.keys() else carried_size(str(d), 0), t)


def result_types(ev: Evaluator, params: Sequence[Value], types: Sequence[Type], operands: Sequence[Operand]
                 ) -> tuple[Type, ...]:
    """The types of the results of a call, with sizes that mean something to the caller; one size has one name."""
    sizes: dict[str, Dim | None] = {}
    unknown: dict[Dim, Dim] = {}
    for p, x in zip(params, operands):
        if isinstance(p.type, Tensor) and isinstance(x.type, Tensor):
            sizes.update((str(d), e) for d, e in zip(p.type.shape, x.type.shape) if len(d.symbols) == 1)
        sizes[f"__v{p.id}"] = x.dim

    def size(d: Dim) -> Dim:
        if d == RAGGED:
            return d
        if not is_function(d):
            return sym(f"_count{Value(INT).id}")
        of_caller = substituted(d, {name: sym(name) if name in ev.sizes else sizes.get(name) for name in d.symbols})
        if of_caller is None and d not in unknown:
            unknown[d] = sym(f"_count{Value(INT).id}")
        return unknown[d] if of_caller is None else of_caller

    return tuple(map_sizes(size, t) for t in types)


def kind_of(ev: Evaluator, bound: Mapping[Key, Abstract], *, any_length: bool = False) -> object | None:
    """The kind of these arguments: calls with arguments of one kind can share a function.  None if none can.

    any_length  may a list among them have an unknown length?
    """
    try:
        flat = Flattening(ev, any_length=any_length)
        trees = tuple((key.name, flat.flatten(v)) for key, v in bound.items())
        types = [ev.resolved(x.type) for x in map(operand_of(ev), flat.values)]
    except NotFlattenable:
        return None
    names: dict[Dim, str] = {}
    return trees, tuple(_named(ev, t, names) for t in types)


def _named(ev: Evaluator, t: Type, names: dict[Dim, str]) -> str:
    """The text of a type; sizes other than those of arguments are numbered."""
    if isinstance(t, (Optional, Undef, Seq)):
        return f"{type(t).__name__} {_named(ev, t.elem, names)}"
    if not isinstance(t, Tensor):
        return str(t)
    sizes = [str(d) if d.symbols <= ev.sizes.keys() else names.setdefault(d, f"?{len(names)}") for d in t.shape]
    return f"{t.carrier} {t.dtype} {sizes}"


def operand_of(ev: Evaluator) -> Callable[[Abstract], Operand]:
    return lambda v: ev.contents(v) if isinstance(v, Ref) else ev.lit(v)


def same_kind(ev: Evaluator, a: tuple[Frame, Mapping[str, Abstract]], b: tuple[Frame, Mapping[str, Abstract]]) -> bool:
    """Do two calls of one function differ only in the numbers and arrays that they pass?"""
    (p, x), (q, y) = [(captured(ev, frame, arguments.values()), arguments) for frame, arguments in (a, b)]
    if p.links != q.links:
        return False
    first, second = Flattening(ev, p, with_frozen=False), Flattening(ev, q, with_frozen=False)
    pairs = [(x[name], y[name]) for name in x]
    pairs += [(ev.store.vars[k], ev.store.vars[j]) for k, j in zip(p.keys, q.keys) if k != j]
    try:
        return all(first.flatten(v) == second.flatten(w) for v, w in pairs)
    except NotFlattenable:
        return False


def leaf_indices(shape: ArgumentTree) -> Iterable[int]:
    if isinstance(shape, ArgumentLeaf):
        yield shape.index
    elif isinstance(shape, ArgumentNode):
        for item in shape.items:
            yield from leaf_indices(item)
