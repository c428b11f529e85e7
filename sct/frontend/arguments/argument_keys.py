"""Keys of arguments: two calls with equal keys have the same abstract arguments."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import itertools
import random
import re
import types
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.errors import SctError, contains_itself
from sct.frontend.arguments.array_sizes import Ragged, shape_key
from sct.frontend.values.abstract_values import PLAIN
from sct.frontend.values.exact_keys import Equal, Same, exact
from sct.frontend.values.item_kinds import MOST_KINDS
from sct.ir.pytrees.kinds import CODE, Kind, MemberCode, code_of_record, is_member
from sct.ir.pytrees.pytree import PARTS, Const, Leaf, Node, Places, Tree
from sct.ir.pytrees.user_objects import fields_of, is_container, stored_values

__all__ = [
    "AT_ONCE", "COLUMN", "FEW_ITEMS", "MANY_KEYS", "MEMBER", "OF_KINDS", "OPAQUE_ARRAY", "ROWS", "RecordColumn",
    "is_kind_of_keys", "is_one_value", "is_opaque_array", "is_record", "item_kind", "key_of", "kind_of_map",
    "kind_of_rows", "list_tree", "map_tree_of", "most_flattened",
]


Numbers = dict[Hashable, int]
"""Numbers of sizes, and of containers, in a key."""


def key_of(args: tuple[Any, ...], kwargs: Mapping[str, Any], records: int = True, maps: bool = True) -> Hashable:
    """The types of the arguments: two calls with one key have the same abstract arguments.

    records  as in `item_kind`
    maps     are dicts of many alike values one value each, whatever their keys are?

    >>> key_of((1.0, np.zeros(3)), {}) == key_of((2.0, np.zeros(4)), {})
    True
    """
    sizes: Numbers = {}
    try:
        key = tuple([_key(a, sizes, records, maps) for a in args])
        return key if not kwargs else (key, tuple([(k, _key(v, sizes, records, maps)) for k, v in kwargs.items()]))
    except RecursionError:
        raise contains_itself("an argument") from None


def is_opaque_array(x: Any) -> bool:
    """Is this an array of dates, durations, texts or records, or an element, or one with a mask, which Python alone
    computes with?"""
    if isinstance(x, np.ndarray):
        return type(x) in (np.ndarray, np.recarray) and x.dtype.kind in "mMUSV" or type(x) is np.ma.MaskedArray
    return isinstance(x, (np.datetime64, np.timedelta64, np.void))


def _key(x: Any, sizes: Numbers, records: int = True, maps: bool = False) -> Hashable:
    t: Any = type(x)
    if t in PLAIN:
        return t  # type: ignore[no-any-return]
    if isinstance(x, (np.ndarray, np.void)) and is_opaque_array(x):
        return OPAQUE_ARRAY, x.dtype, x.ndim, t
    if t is np.ndarray:
        # Sizes 0 and 1 are types of their own; other sizes count by which are equal.
        return x.dtype, tuple([s if s < 2 else sizes.setdefault(s, -1 - len(sizes)) for s in x.shape])
    if t is tuple:
        return (t, *[_key(v, sizes, records, maps) for v in x])
    if t is RecordColumn:
        first, kind = sizes.setdefault(-1 - id(x.items), len(sizes)), item_kind(x.items, sizes, records)
        return (list, first, COLUMN, kind) if kind is not None else _key(x.items, sizes, records, maps)
    if t is list or t is dict:
        # One list passed twice is another key than two lists; ids are negative, sizes are not.
        first = sizes.setdefault(-1 - id(x), len(sizes))
        kind = kind_of_rows(x, sizes, records) if t is list else kind_of_map(x, sizes, records) if maps else None
        if kind is not None:
            return t, first, ROWS, kind
        if t is list:
            return (t, first, *[_key(v, sizes, records, maps) for v in x])
        return t, first, tuple([(k, _key(v, sizes, records, maps)) for k, v in x.items()]), exact(x)
    if isinstance(x, np.generic):
        return t  # type: ignore[no-any-return]
    if is_container(t):
        if -1 - id(x) in sizes:
            return t, sizes[-1 - id(x)]
        first = sizes.setdefault(-1 - id(x), len(sizes))
        return t, first, tuple([(k, _key(v, sizes, records, maps)) for k, v in zip(fields_of(x), stored_values(x))])
    if isinstance(x, np.ndarray):
        raise SctError("SCT506", f"an array of class {t.__name__} is not supported",
                       why="a subclass may redefine operators", hint="pass x.data and x.mask, and write data[~mask]"
                       if issubclass(t, np.ma.MaskedArray) else "pass np.asarray(x)")
    if t in _BY_CLASS:
        return t  # type: ignore[no-any-return]
    # A method is made anew whenever it is read of its object; equal ones are of one object.
    return Equal(x) if t in _METHODS else Same(x)


_BY_CLASS = frozenset((
    random.Random, np.random.Generator, np.random.RandomState, datetime.date, datetime.datetime, datetime.time,
    datetime.timedelta, decimal.Decimal, fractions.Fraction, re.Pattern, Places))
"""Classes whose objects differ in their values alone: any of them is passed to Python as it is."""

OF_PYTHON = frozenset((
    datetime.date, datetime.datetime, datetime.time, datetime.timedelta, decimal.Decimal, fractions.Fraction))
"""Classes of immutable objects, with which Python alone computes: in a list of records they have columns."""

_METHODS = (types.MethodType, types.BuiltinMethodType, type([].__len__))


OPAQUE_ARRAY = "opaque"
"""Starts the key of an array that `is_opaque_array`."""

ROWS, COLUMN = "rows", "column"
"""In a key: the items of this list are one value of the IR; of a `COLUMN`, however few they are."""


@dataclass(frozen=True, eq=False)
class RecordColumn:
    """A column of a list of records, for `key_of`."""

    items: list[Any]


OF_KINDS = 2
"""The items of one value may be of several kinds: numbers and strings, tuples of different lengths."""

FEW_ITEMS = 4
"""A list of more items than this, all of one kind, is one value of the IR, as a list of records is; other lists are
flattened."""

FEW_RAGGED = 2
"""A list of more records than this is one value of the IR also where their arrays differ in size."""


MANY_KEYS = 16
"""The keys of a dict of more alike values from outside the function are known only at run time, if the program runs
over the dict or searches it."""

AT_ONCE = 4 * MANY_KEYS
"""Those of a global dict of more values are so from the start."""


def kind_of_rows(xs: list[Any], sizes: Numbers, records: int = True, maps: bool = False) -> Hashable:
    """The kind of the items of a list that is one value of the IR; None for a list that is flattened.

    records, maps  as in `item_kind`
    """
    if len(xs) > FEW_ITEMS:
        return item_kind(xs, sizes, records, maps)
    if not records or not xs or type(xs[0]) in PLAIN or type(xs[0]) in (list, np.ndarray):
        return None
    if not isinstance(xs[0], tuple) and _refers_back(xs, set(), set()):
        return None
    sizes_behind = dict(sizes)
    kind = item_kind(xs, sizes_behind)
    if len(xs) <= most_flattened(kind):
        return None
    sizes.update(sizes_behind)
    return kind


def kind_of_map(x: dict[Any, Any], sizes: Numbers, records: int = True) -> Hashable:
    """The kind of a dict of many alike values that is one value of the IR; None of other dicts."""
    if len(x) <= MANY_KEYS or not records:
        return None
    inside = dict(sizes)
    kinds = [item_kind(list(xs), inside, records, True) for xs in (x, x.values())]
    if None in kinds or not is_kind_of_keys(kinds[0]):
        return None
    sizes.update(inside)
    return ("map", *kinds)


def is_kind_of_keys(kind: Any) -> bool:
    """Are these keys that a program can compute: ints, floats, strings, and tuples of these?"""
    if isinstance(kind, tuple) and kind[0] is tuple:
        return all(map(is_kind_of_keys, kind[2:]))
    return kind in (int, float, str)


def most_flattened(kind: Hashable, records: int = True) -> int:
    """A list of so many items of this kind, or of fewer, is flattened.  `records`: as in `item_kind`."""
    if not records or not is_record(kind):
        return FEW_ITEMS
    return FEW_RAGGED if _differs_in_size(kind) else 0


def _differs_in_size(kind: Any) -> bool:
    """Are there arrays whose sizes differ from item to item?"""
    return isinstance(kind, Ragged) or isinstance(kind, tuple) and any(map(_differs_in_size, kind))


def _refers_back(x: Any, around: set[int], left: set[int]) -> bool:
    """Does a container hold itself, at some depth?  `around`: those around `x`; `left`: those that do not."""
    t = type(x)
    if t in PLAIN or t is np.ndarray or id(x) in left:
        return False
    parts = x.values() if isinstance(x, dict) else stored_values(x) if is_container(t) else x \
        if isinstance(x, (tuple, list)) else ()
    if id(x) in around:
        return True
    around.add(id(x))
    holds = any(_refers_back(v, around, left) for v in parts if type(v) not in PLAIN)
    around.discard(id(x))
    left.add(id(x))
    return holds


def item_kind(xs: Sequence[Any], sizes: Numbers, records: int = True, maps: bool = False, nesting: Hashable = ()
              ) -> Hashable:
    """The type that the items of a list have in common, as a key; None where they are not alike.

    Of records it holds the kinds of their columns: `(dict, ("x", "y"), float, str)`.

    records  may lists of dicts, of objects, of strings and of arrays of different sizes be one value too?  OF_KINDS:
             may their items be of several kinds?
    maps     may dicts with other keys be alike?
    nesting  the lengths of the lists of which these are the items, where they are the items of several
    """
    kind = _alike_kind(xs, sizes, bool(records), maps, nesting)
    if kind is None and records == OF_KINDS:  # records of several kinds, before records with parts of several kinds
        kind = _kinds(xs, sizes, maps)
        kind = _alike_kind(xs, sizes, records, maps, nesting) if kind is None else kind
    return kind


def _alike_kind(xs: Sequence[Any], sizes: Numbers, records: int, maps: bool, nesting: Hashable) -> Hashable:
    """The type that all of the items are of."""
    kinds = set(map(type, xs))
    if records and type(None) in kinds:
        kind = item_kind([x for x in xs if x is not None], sizes, bool(records))
        return ("none", kind) if kind in ("real", float, int, bool, str) or _is_of_members(kind) else None
    if kinds <= _REAL:
        return "real" if len(kinds) > 1 else kinds.pop() if kinds else None
    if len(kinds) > 1:
        return _kinds_of_classes(xs, sizes, maps, nesting) if records else None
    t: Any = kinds.pop()
    if t is list:
        inner = [x for row in xs for x in row]
        # Where all are empty, it is not known of what they are lists.
        kind = item_kind(inner, sizes, records, maps, (nesting, tuple(map(len, xs)))) if inner else None
        return (list, kind) if kind is not None and (records or not is_record(kind)) else None
    if t is np.ndarray:
        return _kind_of_arrays(xs, sizes, records, nesting)
    if issubclass(t, enum.Enum):
        return (MEMBER, t) if records and all(map(is_member, xs)) else None
    if (t in (bool, str) or t in OF_PYTHON) and records or issubclass(t, np.number) or t is Places:
        return t  # type: ignore[no-any-return]
    if t is dict and maps and (kind := _record_kind(t, xs, sizes, records, maps, nesting)) is None:
        inside = nesting, tuple(map(len, xs))
        kinds_of_parts = [item_kind([x for d in xs for x in part(d)], sizes, records, maps, inside)
                          for part in (dict.keys, dict.values)] if any(xs) else [None]
        return None if None in kinds_of_parts else ("map", *kinds_of_parts)
    if records:
        return _record_kind(t, xs, sizes, records, maps, nesting)
    return _row_kind(xs, sizes) if t is tuple else None


MEMBER = "member"
"""Starts the kind of members of one enum, which follows."""


def _is_of_members(kind: Any) -> bool:
    return isinstance(kind, tuple) and kind[0] == MEMBER


def _kind_of_arrays(xs: Sequence[np.ndarray], sizes: Numbers, records: int, nesting: Hashable) -> Hashable:
    """The kind of arrays of one dtype and rank; their sizes may differ where `records` may be one value."""
    first = xs[0]
    if any(x.dtype != first.dtype for x in xs):
        return None
    if all(x.shape == first.shape for x in xs):
        return _key(first, sizes)
    if not records or is_opaque_array(first) or any(x.ndim != first.ndim for x in xs):
        return None
    return first.dtype, shape_key(xs, nesting, lambda size: sizes.setdefault(size, -1 - len(sizes)))


_REAL = frozenset((float, int))
_TEXT = frozenset((str,))


def is_record(kind: Any) -> bool:
    """Is this the kind of tuples, dicts or objects?"""
    return isinstance(kind, tuple) and isinstance(kind[0], type) and kind[0] is not list


def _row_kind(xs: Sequence[Any], sizes: Numbers) -> Hashable:
    """The kind of tuples of numbers, arrays and lists of these."""
    kind = _record_kind(tuple, xs, sizes, False)
    return kind if kind is not None and not any(map(is_record, kind[2:])) else None


def _record_kind(t: Any, xs: Sequence[Any], sizes: Numbers, records: int = True, maps: bool = False,
                 nesting: Hashable = ()) -> tuple[Any, ...] | None:
    """The kind of records of this class: tuples of one length, dicts with the same keys, objects."""
    names: set[Any]
    columns: Iterable[Sequence[Any]]
    if t is tuple:
        names = {len(x) for x in xs}
        columns = zip(*xs)
    elif t is dict:
        names = set(map(tuple, xs))
        if set(map(type, itertools.chain.from_iterable(xs))) != _TEXT:
            return None
        columns = zip(*(x.values() for x in xs))
    elif is_container(t):
        names = {fields_of(x) for x in xs}
        columns = zip(*map(stored_values, xs))
    else:
        return None
    if len(names) > 1:
        return None
    kinds = tuple([item_kind(column, sizes, records, maps, nesting) or _all_none(column) for column in columns])
    if None in kinds or all(kind == "none" for kind in kinds):
        return None
    return (t, names.pop(), *kinds)


def _kinds_of_classes(xs: Sequence[Any], sizes: Numbers, maps: bool, nesting: Hashable) -> Hashable:
    """The kinds of objects of several classes; None where they are not, or refer to one another."""
    classes = {cls.__name__: cls for cls in map(type, xs) if is_container(cls) and not issubclass(cls, tuple)}
    groups = {(name, ("type", cls)): [x for x in xs if type(x) is cls] for name, cls in classes.items()}
    if sum(map(len, groups.values())) < len(xs) or len(groups) > MOST_KINDS or _refers_back(list(xs), set(), set()):
        return None
    return _of_kinds(groups, lambda test, group: _record_kind(test[1], group, sizes, True, maps, nesting))


def _kinds(xs: Sequence[Any], sizes: Numbers, maps: bool) -> Hashable:
    """The kinds of items that are of several: ("kinds", (kind, its key), ...); None where they are not of few kinds."""
    tests = _tests_of_kinds(xs)
    groups: dict[tuple[str | None, tuple[Any, ...]], list[Any]] = {}
    for x in xs:
        test = tests(x)
        if test is None:
            return None
        groups.setdefault(test, []).append(x)
    if not 1 < len(groups) <= MOST_KINDS or len({code for code, _ in groups}) < len(groups):
        return None
    return _of_kinds(groups, lambda test, group: _key_of_kind(test, group, sizes, maps))


def _of_kinds(groups: Mapping[Any, Sequence[Any]], key_of_kind: Callable[[Any, Sequence[Any]], Any]) -> Hashable:
    """("kinds", (kind, its key), ...) for the items of each kind, by its code and its test."""
    keys = []
    for (code, test), group in groups.items():
        key = key_of_kind(test, group)
        fillers = None if key is None else _fillers(key)
        if fillers is None:
            return None
        keys.append((Kind(code, test, fillers), key))
    return ("kinds", *sorted(keys, key=lambda pair: str(pair[0].code)))


def _key_of_kind(test: tuple[Any, ...], group: Sequence[Any], sizes: Numbers, maps: bool) -> Any:
    """The key of the items of one kind; a text that tells it from others is no column."""
    if test[0] == "none":
        return "none"
    if test[0] == "first":
        rest = [x[1:] for x in group]
        if not rest[0] or all(v is None for x in rest for v in x):
            return (tuple, len(rest[0]) + 1, ("text", test[1]), *["none"] * len(rest[0]))
        key = item_kind(rest, sizes, OF_KINDS, maps)
        return (tuple, len(rest[0]) + 1, ("text", test[1]), *key[2:]) \
            if isinstance(key, tuple) and key[0] is tuple else None
    key = item_kind(group, sizes, OF_KINDS, maps)
    if test[0] != "field" or not isinstance(key, tuple) or key[0] is not dict:
        return None if isinstance(key, tuple) and key[0] == "kinds" else key
    at = key[1].index(test[1])
    return (*key[:2 + at], ("text", test[2]), *key[3 + at:])


def _tests_of_kinds(xs: Sequence[Any]) -> Callable[[Any], Any]:
    """What tells the kind of an item: its code and the test; None of an item that is of no kind."""
    tuples, dicts = ([x for x in xs if type(x) is cls] for cls in (tuple, dict))
    of_tuples = _texts_that_tell(tuples, lambda x: x[:1], len)
    of_dicts = _texts_that_tell(dicts, lambda x: next(((k, v) for k, v in x.items() if type(v) is str), ()), tuple)
    # One text may be that of several lengths, of several sets of keys, or of a tuple and of a dict.
    pairs = of_tuples | of_dicts
    by_form = len({text for text, _ in pairs}) < len(pairs)

    def test(x: Any) -> Any:
        if x is None:
            return None, ("none",)
        if type(x) in _REAL:
            return "number", ("number",)
        if type(x) in PLAIN or type(x) is list:
            return type(x).__name__, ("type", type(x))
        if type(x) is tuple:
            return _test_of_record(x, ("first", x[0]), by_form) if of_tuples else \
                _test_of_record(x, ("length",), True)
        if type(x) is not dict or any(type(key) is not str for key in x):
            return None
        if not of_dicts:
            return _test_of_record(x, ("keys",), True)
        return _test_of_record(x, ("field", *next((k, v) for k, v in x.items() if type(v) is str)), by_form)

    return test


def _test_of_record(x: Any, test: tuple[Any, ...], by_form: bool) -> Any:
    """The code of a tuple or a dict, and the test, which begins like this; `by_form`: its length or keys tell, too."""
    form, names = (len(x), (len(x),)) if type(x) is tuple else (tuple(x), tuple(x))
    return code_of_record(test[-1] if len(test) > 1 else None, type(x), names if by_form else None), \
        (*test, form) if by_form else test


def _texts_that_tell(xs: Sequence[Any], text_of: Callable[[Any], Any], shape: Callable[[Any], Any]
                     ) -> set[tuple[str, Any]]:
    """The texts that tell the kinds of these records, each with a length or with keys; none where they have none."""
    texts = [text_of(x) for x in xs]
    if not all(text and type(text[-1]) is str for text in texts) or len({text[:-1] for text in texts}) > 1:
        return set()
    pairs = {(text[-1], shape(x)) for text, x in zip(texts, xs)}
    return pairs if len(pairs) <= (MOST_KINDS if shape is len else MOST_KINDS // 2) else set()


def _fillers(key: Any) -> tuple[Any, ...] | None:
    """What stands in the columns of a kind in the place of other items; None where there is nothing that could."""
    if key == "none" or isinstance(key, tuple) and key[0] == "text":
        return ()
    if not isinstance(key, tuple):
        return (0.0 if key == "real" else key(),) if key == "real" or key in PLAIN else None
    if key[0] in ("none", MEMBER):
        return (None if key[0] == "none" else "",)
    if key[0] is list:
        inner = _fillers(key[1]) if isinstance(key[1], tuple) and key[1][0] is not list else (0,)
        return None if inner is None else tuple([] for _ in inner)
    if key[0] == "kinds":
        parts: list[Any] = [("",), *(kind.fillers for kind, _ in key[1:])]
    elif is_record(key):
        parts = list(map(_fillers, key[2:]))
    else:
        return None
    return None if None in parts else tuple(itertools.chain.from_iterable(parts))


def _all_none(column: Sequence[Any]) -> Hashable:
    """The kind of a column of `None`, which has no tangent."""
    return "none" if all(x is None for x in column) else None


def list_tree(kind: Hashable) -> Tree:
    """The structure of a list whose items are of this kind; its leaves are numbered from 0.

    >>> list_tree(item_kind([(1.0, [2.0]), (3.0, [])], {})).children[0].children
    (Leaf(index=0, number=None), Leaf(index=1, number=None))
    """
    count = itertools.count()

    def of_list(kind: Any) -> Tree | None:
        item = of_item(kind)
        return None if item is None else Node("rows", (None,), (item,))

    def of_item(kind: Any) -> Tree | None:
        """None for a number, an array or a string, and for a list of these."""
        if kind == "none":
            return Const(None)
        if isinstance(kind, tuple) and kind[0] == "text":
            return Const(kind[1])
        if isinstance(kind, tuple) and kind[0] == "kinds":
            code = Leaf(next(count))
            parts = tuple([of_item(key) or Leaf(next(count)) for _, key in kind[1:]])
            return Node("kinds", (CODE, *(each for each, _ in kind[1:])), (code, *parts))
        optional = isinstance(kind, tuple) and kind[0] == "none"
        if _is_of_members(of := kind[1] if optional else kind):
            return Node("member", (MemberCode(of[1], optional),), (Leaf(next(count)),), of[1])
        if not isinstance(kind, tuple) or isinstance(kind[0], np.dtype) or kind[0] == "none":
            return None
        if kind[0] is list:
            return of_list(kind[1])
        if kind[0] == "map":
            places = Leaf(next(count))
            return Node("map", PARTS, (places, *[of_list(part) or Leaf(next(count)) for part in kind[1:]]))
        cls, names, *columns = kind
        keys = tuple(range(names)) if cls is tuple else names
        children = tuple([of_item(column) or Leaf(next(count)) for column in columns])
        return Node("tuple" if cls is tuple else "dict" if cls is dict else "object", keys, children, cls)

    return of_list(kind) or Leaf(0)


def map_tree_of(kind: Hashable) -> Node:
    """The structure of a dict of this kind: its places, its keys and its values."""
    rows = list_tree(kind)
    assert isinstance(rows, Node) and isinstance(rows.children[0], Node)
    return rows.children[0]


def is_one_value(x: Any, records: int = True) -> bool:
    """Is this list one value of the IR, for any length?  `records` as in `item_kind`."""
    return type(x) is list and kind_of_rows(x, {}, records) is not None
