"""Comparisons: of numbers and arrays at run time; of objects and containers by the rules of Python.

A pair of kinds that has no rule here is refused.
"""

from __future__ import annotations

import contextlib
import itertools
import operator
import sys
import types
from typing import Any

import gast

from sct.frontend.arguments.lift import constant_object, contents_of_mapping, is_plain, lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import expression
from sct.frontend.evaluator.known_values import holds_nan, may_hold_nan
from sct.frontend.evaluator.lookup_guards import in_class, is_subclass_of
from sct.frontend.evaluator.own_methods import HASHING, fields_of_dataclass, is_generated, is_library, own_method
from sct.frontend.heap import dynamic_lists, run_time_dicts, run_time_keys
from sct.frontend.heap.array_keys import array_of, check_not_none
from sct.frontend.heap.inactive import by_python
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.sample_calls import check_operands
from sct.frontend.heap.special_methods import plain_numbers
from sct.frontend.iteration import run_time_sets
from sct.frontend.iteration.iteration_space import items_of, items_to_search
from sct.frontend.iteration.iterator_protocol import VIEWS, drained
from sct.frontend.iteration.sets_of_objects import holds_object
from sct.frontend.objects.class_of import is_ordered
from sct.frontend.objects.linked_objects import is_link, is_row_display, may_be_several
from sct.frontend.objects.objects import (
    bind,
    class_of,
    get_attribute,
    is_member,
    is_object,
    special_call,
    special_method,
)
from sct.frontend.objects.operators_of_classes import reflected, undefined
from sct.frontend.operators.choices import check_kinds, told
from sct.frontend.operators.container_operators import as_set
from sct.frontend.operators.equal_items import one_or_equal_numbers
from sct.frontend.operators.identity import check_order, equal_rows, identical, of_one_list, test_of_class
from sct.frontend.operators.run_time_comparisons import COMPARE, apart_from_none, compare_lists, compare_tuples
from sct.frontend.operators.text_formatting import among_strings, compared_by_python, compared_strings, is_string
from sct.frontend.operators.truth import as_bool, boolean, compares_to_bool, negated, truth
from sct.frontend.values.abstract_values import (
    SLICE,
    Abstract,
    Choice,
    Container,
    DictRef,
    Iteration,
    ListRef,
    MapRef,
    ObjRef,
    Poison,
    Ref,
    RunTimeTuple,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.guards import NeedsStatic
from sct.frontend.values.item_kinds import are_number_and_text
from sct.ir import Lit, Value
from sct.ir.dims import Dim
from sct.ir.types import BOOL, Opaque, Tensor, base_type
from sct.ops import BY_CALL, eq
from sct.ops.program.effects import inactive, may_change

__all__ = ["COMPARE", "compare_one", "generated_comparison", "one_or_equal"]

_REFLECTED = {"eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}

_SYMBOLS: dict[type, str] = {
    gast.In: "in", gast.NotIn: "not in", gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">="}
"""Comparisons that Python evaluates for objects that sct does not see into; `==` takes any objects."""
_EQUALITY: dict[type, str] = {gast.Eq: "==", gast.NotEq: "!="}


@expression(gast.Compare)
def compare(ev: Evaluator, node: Any) -> Abstract:
    def go(left: Abstract, k: int) -> Abstract:
        one = compare_one(ev, node.ops[k], left, right := ev.eval(node.comparators[k]))
        if k == len(node.ops) - 1:
            return one
        t = truth(ev, one)
        if isinstance(t, Lit):
            return go(right, k + 1) if t.value else one
        stop = Static(False) if isinstance(one, Value) and one.type == BOOL else one
        return evaluate_branches(ev, t, lambda: go(right, k + 1), lambda: stop)  # type: ignore[no-any-return]

    return go(ev.eval(node.left), 0)


def compare_one(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """`a op b`."""
    if (apart := apart_from_none(ev, op, a, b, compare_one)) is not None:
        return apart
    check_kinds(ev, a, b)
    for v in (a, b):
        if isinstance(v, Poison):
            ev.refuse("SCT502", "this value cannot be compared", why=v.reason)
        if isinstance(v, Choice) or v is b and is_row_display(v) and isinstance(op, (gast.In, gast.NotIn)):
            return told(ev, v, lambda m, v=v: compare_one(ev, op, *(m if w is v else w for w in (a, b))))  # type: ignore
    if isinstance(op, (gast.Eq, gast.NotEq)) and _are_apart(ev, a, b):
        return Static(isinstance(op, gast.NotEq))
    if isinstance(op, (gast.Is, gast.IsNot)):
        by_place = of_one_list(ev, a, b, isinstance(op, gast.Is))
        return by_place if by_place is not None else \
            identical(ev, a, b) if isinstance(op, gast.Is) else negated(ev, identical(ev, a, b))
    if (test := test_of_class(ev, op, a, b)) is not None:
        return test
    of_elements = _EQUALITY if any(t[0] == "array" for t in ev.observed(ev.loc)) else {}
    symbol, (a, b) = (_SYMBOLS | of_elements).get(type(op)), compared_strings(ev, a, b)
    if symbol and (of_strings := compared_by_python(ev, symbol, a, b)) is not None:
        return of_strings
    of_class = BOOL if isinstance(op, (gast.In, gast.NotIn)) else None
    by_item = isinstance(b, DictRef) or is_link(a) and run_time_sets.is_set(b) or \
        isinstance(a, Tup) and isinstance(b, Tup) and _is_ordered_here(a, b)
    template = f"{{0}} {symbol} {{1}}"
    if symbol and not by_item and (value := by_python(ev, template, a, b, of_class=of_class)) is not None:
        return value
    if isinstance(op, (gast.In, gast.NotIn)):
        there = _contains(ev, b, a)
        return there if isinstance(op, gast.In) else negated(ev, there)
    if isinstance(a, RunTimeTuple) or isinstance(b, RunTimeTuple):
        both = [_taken_apart(ev, v) for v in (a, b)]
        if any(isinstance(v, Ref) for v in both):
            both = [v.of if isinstance(v, RunTimeTuple) else v for v in both]
            return compare_one(ev, op, *both)
        return compare_tuples(ev, op, *both)
    (spelling, run), a, b = COMPARE[type(op)], as_set(ev, a), as_set(ev, b)
    if isinstance(a, Iteration) or isinstance(b, Iteration):
        ev.refuse("SCT503", "comparing ranges, views of a dict or iterators is not supported",
                  hint="compare lists: `list(...)`")
    if isinstance(op, (gast.Eq, gast.NotEq)) and (row := equal_rows(ev, a, b)) is not None:
        return row if isinstance(op, gast.Eq) else negated(ev, row)
    for v in (a, b):
        if may_be_several(v) or is_row_display(v):
            return told(ev, v, lambda m, v=v: compare_one(ev, op, *(m if w is v else w for w in (a, b))))  # type: ignore
    if (value := run_time_sets.combined(ev, type(op), a, b)) is not None:
        return value
    if is_object(a, b):
        return _of_objects(ev, op, a, b)
    if is_member(a, b) and (own := _of_members(ev, op, a, b)) is not None:
        return own
    if isinstance(a, Static) and isinstance(b, Static):
        names = f"__{spelling}__", f"__{_REFLECTED[spelling]}__"
        p, q = (ev.without_own(v, "what is compared", names) for v in (a, b))
        return lift(ev, run_or_raise(ev, lambda: run(p, q)))
    a, b = (_taken_apart(ev, v) for v in (a, b))
    if isinstance(a, (Tup, Container)) or isinstance(b, (Tup, Container)):
        return _compare_containers(ev, op, a, b)
    return _compare_values(ev, op, a, b)


def _are_apart(ev: Evaluator, a: Abstract, b: Abstract) -> bool:
    """Are these a number and a string?  Comparisons of numbers of NumPy give a bool of NumPy."""
    return are_number_and_text(a, b) and (ev.functions.plan.kinds or not any(
        isinstance(t := base_type(v.type), Tensor) and t.carrier != "py" for v in (a, b) if isinstance(v, Value)))


def _is_ordered_here(*values: Abstract) -> bool:
    """Are these numbers, strings or tuples of them?  Their order is found item by item."""
    return all(_is_ordered_here(*v.items) if isinstance(v, Tup) else is_string(v) or is_literal(v) or
               isinstance(v, Value) and isinstance(v.type, Tensor) for v in values)


def _taken_apart(ev: Evaluator, v: Abstract) -> Abstract:
    """A tuple, list or slice that is known, as one of items."""
    value = v.value if isinstance(v, Static) else None
    kind = type(value)
    if kind is slice:
        return Tup((Static(slice), *(Static(getattr(value, name)) for name in SLICE[1:])), SLICE)
    return Tup(items_of(ev, v)) if kind is tuple else ev.new_list(items_of(ev, v)) if kind is list else v


def _compare_values(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """A comparison with at least one number, array or object that is known at run time alone."""
    spelling, run = COMPARE[type(op)]
    for x, y in ((a, b), (b, a)):
        if ev.exception_of_class(x) is not None and isinstance(y, Static) and type(y.value) is type and \
                spelling in ("eq", "ne"):
            return identical(ev, a, b) if spelling == "eq" else negated(ev, identical(ev, a, b))
        if isinstance(x, Value) and is_string(x) and (isinstance(y, Ref) or isinstance(y, Value) and isinstance(
                y.type, Tensor) and y.type.carrier != "py"):
            ev.refuse("SCT503", "a comparison of an array or a NumPy number with a string is not supported",
                      hint="compare its elements with numbers")
        if isinstance(x, Static) and not isinstance(x.value, (bool, int, float, complex)):
            t = y.type if isinstance(y, Value) else None
            if isinstance(t, Tensor) and (t.carrier == "py" or not isinstance(x.value, str)):
                return undefined(ev, run, a, b)  # it is the same for all numbers
            if isinstance(t, Tensor) or isinstance(y, Ref):
                ev.refuse("SCT503", f"a comparison of an array or a NumPy number with `{x.value!r}` is not supported",
                          hint="write `is None`" if x.value is None else "compare its elements with numbers")
            if x.value is None and isinstance(y, Value) and (leaf := ev.leaf_of(y)) is not None:
                return undefined(ev, run, *((x, Static(leaf)) if x is a else (Static(leaf), x)))
        if not isinstance(y, (Value, Ref, Static)):
            same = identical(ev, a, b) if spelling in ("eq", "ne") else undefined(ev, run, a, b)
            return negated(ev, same) if spelling == "ne" else same
    objects = any(isinstance(x, Value) and isinstance(base_type(x.type), Opaque) for x in (a, b))
    to = {"to": BOOL} if objects and all(compares_to_bool(ev, x) for x in (a, b)) else {}
    plain = [constant_object(ev, v) or v for v in plain_numbers(ev, a, b)]
    if any(isinstance(v, Value) and may_change(v.type) for v in plain):
        return ev.emit(inactive, *map(ev.operand, plain), text=f"_0 {(_SYMBOLS | _EQUALITY)[type(op)]} _1",  # type: ignore
                       type=to.get("to", Opaque()))
    return ev.call_op(BY_CALL[f"operator.{spelling}"], *plain, spelling=f"operator.{spelling}", **to)


# -- of containers ------------------------------------------------------------------------------------------


def _compare_containers(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """Tuples, lists and dicts; with an array they are arrays, and the array's method is called, as Python calls it."""
    spelling, run = COMPARE[type(op)]
    for x, y in ((a, b), (b, a)):
        if isinstance(y, Ref) or isinstance(y, Value) and isinstance(y.type, Tensor) and y.type.carrier != "py":
            if not isinstance(x, (Tup, ListRef)) or isinstance(y, Value) and y.type.carrier == "any":  # type: ignore
                ev.refuse("SCT503", "a comparison of an array with this object is not supported")
            array = ev.wrap(array_of(ev, x))
            called = f"operator.{_REFLECTED[spelling] if x is a else spelling}"
            return ev.call_op(BY_CALL[called], y, array, spelling=called)
    if isinstance(a, MapRef) or isinstance(b, MapRef):
        ev.refuse("SCT503", "a comparison of a dict whose keys are known only at run time is not supported",
                  hint="compare lists of its keys and of its values")
    kinds = [kind for kind in (Tup, ListRef, DictRef) if isinstance(a, kind) and isinstance(b, kind)]
    if kinds == [DictRef] and spelling in ("eq", "ne"):
        same = _equal_dicts(ev, a, b)
        return negated(ev, same) if spelling == "ne" else same
    if not kinds or kinds == [DictRef]:
        return undefined(ev, run, a, b)
    if any(dynamic_lists.is_dynamic(ev, v) for v in (a, b)):
        return compare_lists(ev, op, a, b)
    left, right = (v.items if isinstance(v, Tup) else items_of(ev, v) for v in (a, b))
    if spelling not in ("eq", "ne"):
        return _ordered(ev, op, left, right)
    long = len(left) == len(right)  # lists are looked into only then
    pairs = list(zip(left, right)) if long or isinstance(a, Tup) else []
    same = _all_equal(ev, pairs, long)
    return negated(ev, same) if spelling == "ne" else same


def _all_equal(ev: Evaluator, pairs: list[tuple[Abstract, Abstract]], last: bool) -> Abstract:
    """Are the items of each pair identical or equal?  Evaluated up to the first pair that is not; `last`: the result if
    all are."""
    if not pairs:
        return Static(last)
    t = one_or_equal(ev, *pairs[0])
    if isinstance(t, Static):
        return _all_equal(ev, pairs[1:], last) if t.value else t
    if len(pairs) == 1 and last:
        return t
    return evaluate_branches(ev, ev.operand(t), lambda: _all_equal(ev, pairs[1:], last), lambda: Static(False))  # type: ignore[no-any-return]


def one_or_equal(ev: Evaluator, x: Abstract, y: Abstract) -> Abstract:
    """`x is y or x == y`, a bool, as containers compare their items."""
    if isinstance(x, (Static, Value, Tup)) and x is y or isinstance(x, Container) and x == y:
        return Static(True)
    if isinstance(x, Static) and isinstance(y, Static) and x.value is y.value:
        return Static(True)
    if isinstance(x, Ref) and x == y and identical(ev, x, y) == Static(True):  # each view is an object of its own
        return Static(True)
    if (same := _equal_sizes(ev, x, y)) is not None:
        return Static(same)
    if (test := one_or_equal_numbers(ev, x, y)) is not None:
        return test
    return as_bool(ev, truth(ev, compare_one(ev, gast.Eq(), x, y)))


def _equal_sizes(ev: Evaluator, x: Abstract, y: Abstract) -> bool | None:
    """Are two sizes of arrays equal, as items of shapes?  None where only the run tells."""
    p, q = (v.dim if isinstance(v, Value) else Dim(v.value) if isinstance(v, Static) and type(v.value) is int else None
            for v in (x, y))
    if p is None or q is None:
        return None
    difference = ev.resolve(p) - ev.resolve(q)
    return difference.value == 0 if not difference.terms else \
        False if max(difference.least, (-difference).least) > 0 else None


def _equal_dicts(ev: Evaluator, a: Abstract, b: Abstract) -> Abstract:
    """The values by the keys of the first dict, up to a key that the other has not."""
    assert isinstance(a, DictRef) and isinstance(b, DictRef)
    left, right = ev.slots(a), ev.slots(b)
    if len(left.keys) != len(right.keys) or left.keys != right.keys and is_ordered(a) and is_ordered(b):
        return Static(False)
    there = list(itertools.takewhile(lambda k: k in right.keys, left.keys))
    pairs = [(x, right.items[right.keys.index(k)]) for k, x in zip(there, left.items)]
    return _all_equal(ev, pairs, len(there) == len(left.keys))


def _ordered(ev: Evaluator, op: Any, left: tuple[Abstract, ...], right: tuple[Abstract, ...]) -> Abstract:
    """`<` and the like of tuples or lists: by the first items that differ, or by their lengths."""
    if not left or not right:
        return compare_one(ev, op, Static(len(left)), Static(len(right)))
    check_order(ev, left[0], right[0])
    equal = one_or_equal(ev, left[0], right[0])
    if isinstance(equal, Static):
        return _ordered(ev, op, left[1:], right[1:]) if equal.value else compare_one(ev, op, left[0], right[0])
    last = len(left) == len(right) == 1
    types_ = [x.type if isinstance(x, Value) else Lit(x.value).type if isinstance(x, Static) else None
              for x in (left[0], right[0])]
    if last and all(isinstance(t, Tensor) and t.carrier == "py" for t in types_):
        return compare_one(ev, op, left[0], right[0])  # of equal ones too, and a bool
    return evaluate_branches(ev, ev.operand(equal), lambda: _ordered(ev, op, left[1:], right[1:]),  # type: ignore[no-any-return]
                     lambda: compare_one(ev, op, left[0], right[0]))


# -- of objects ---------------------------------------------------------------------------------------------

_UNDEFINED = Static(NotImplemented)


def _of_objects(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """The methods of the classes, in Python's order; then identity."""
    spelling, run = COMPARE[type(op)]
    p, q = class_of(a), class_of(b)
    tries = [(a, spelling, b), (b, _REFLECTED[spelling], a)]
    p = tuple if p is None and isinstance(a, Tup) else p
    if p is not None and q is not None and p is not q and is_subclass_of(ev, q, p):
        tries.reverse()
    for owner, name, other in tries:
        result = _by_method(ev, owner, name, other)
        if result != _UNDEFINED:
            return result
    if spelling in ("eq", "ne"):
        same = identical(ev, a, b)
        return same if spelling == "eq" else negated(ev, same)
    return undefined(ev, run, a, b)


def _of_members(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract | None:
    """The result of the user's comparison method of a member of an enum; None if there is none."""
    spelling, _ = COMPARE[type(op)]
    result = reflected(ev, a, b, f"__{spelling}__", f"__{_REFLECTED[spelling]}__")
    if result is None and spelling == "ne" and reflected(ev, a, b, "__eq__", "__eq__") is not None:
        ev.refuse("SCT503", "`!=` of an enum with an `__eq__` of its own is not supported", hint="write `not a == b`")
    return result


def _by_method(ev: Evaluator, owner: Abstract, name: str, other: Abstract) -> Abstract:
    """`owner.__name__(other)`, which may be NotImplemented."""
    cls, dunder = class_of(owner), f"__{name}__"
    op = next(kind for kind, (spelling, _) in COMPARE.items() if spelling == name)()
    if cls is None:
        if isinstance(owner, Tup) and isinstance(other, Tup):
            return _compare_containers(ev, op, Tup(owner.items), Tup(other.items))
        if isinstance(owner, Ref) or isinstance(owner, Value) and not (
                isinstance(owner.type, Tensor) and owner.type.carrier == "py"):
            ev.refuse("SCT501", "a comparison of an array or a NumPy number with an object is not supported",
                      why="NumPy compares them element by element", hint="convert the number with `float(...)`")
        return _UNDEFINED
    raw, where = in_class(ev, cls, dunder)
    if isinstance(raw, types.FunctionType) and is_generated(raw, where):
        return _of_dataclasses(ev, op, where, owner, other)
    if isinstance(raw, types.FunctionType) and not is_library(raw):
        return ev.call(bind(ev, raw, where, owner, dunder), [other])
    if where is tuple:
        items = other.items if isinstance(other, Tup) else None
        return _UNDEFINED if items is None or not isinstance(owner, Tup) else \
            _compare_containers(ev, op, Tup(owner.items), Tup(items))
    if where is types.SimpleNamespace:
        if class_of(other) is not types.SimpleNamespace or not isinstance(owner, ObjRef) or \
                not isinstance(other, ObjRef) or name not in ("eq", "ne"):
            ev.refuse("SCT503", "this comparison of a namespace is not supported", hint="compare its attributes")
        return _compare_containers(ev, op, *(DictRef(v.addr) for v in (owner, other)))
    if where in (list, dict):
        return ev.call(bind(ev, raw, where, owner, dunder), [other])
    if where is not object:
        ev.refuse("SCT203", f"the method `{dunder}` of `{cls.__name__}` is not supported")
    if name != "ne":
        return _UNDEFINED
    same = _by_method(ev, owner, "eq", other)
    return same if same == _UNDEFINED else negated(ev, as_bool(ev, truth(ev, same)))


def generated_comparison(ev: Evaluator, name: str, cls: type, a: Abstract, b: Abstract) -> Abstract | None:
    """`cls.name(a, b)`, where `dataclass` has generated the method; None where it is no comparison."""
    op = next((kind for kind, (spelling, _) in COMPARE.items() if f"__{spelling}__" == name), None)
    return None if op is None else _of_dataclasses(ev, op(), cls, a, b)


def _of_dataclasses(ev: Evaluator, op: Any, cls: type, a: Abstract, b: Abstract) -> Abstract:
    """The methods that `dataclass` writes: they compare the fields of objects of one class."""
    if class_of(a) is not class_of(b):
        return _UNDEFINED
    if isinstance(op, gast.Eq) and a == b and sys.version_info >= (3, 13):
        return Static(True)
    names = [f.name for f in fields_of_dataclass(ev, cls) if f.compare]
    left, right = ([get_attribute(ev, v, name) for name in names] for v in (a, b))
    if isinstance(op, gast.Eq) and sys.version_info >= (3, 13):
        return _fields_equal(ev, list(zip(left, right)))
    return _compare_containers(ev, op, Tup(tuple(left)), Tup(tuple(right)))


def _fields_equal(ev: Evaluator, pairs: list[tuple[Abstract, Abstract]]) -> Abstract:
    """`a.x == b.x and a.y == b.y`: from 3.13 on, identity does not count."""
    if not pairs:
        return Static(True)
    one = compare_one(ev, gast.Eq(), *pairs[0])
    if len(pairs) == 1:
        return one
    t = truth(ev, one)
    if isinstance(t, Lit):
        return _fields_equal(ev, pairs[1:]) if t.value else one
    return evaluate_branches(ev, t, lambda: _fields_equal(ev, pairs[1:]), lambda: one)  # type: ignore[no-any-return]


# -- membership ---------------------------------------------------------------------------------------------


def _contains(ev: Evaluator, owner: Abstract, x: Abstract) -> Abstract:
    """`x in owner`, a bool."""
    owner = contents_of_mapping(ev, owner) or owner
    own = special_call(ev, owner, "__contains__", x)
    if own is not None:
        return as_bool(ev, truth(ev, own))
    owner = owner.of if isinstance(owner, RunTimeTuple) else ev.text(owner)
    if isinstance(owner, MapRef):
        return run_time_dicts.contains(ev, owner, x)
    if run_time_sets.is_set(owner):
        return run_time_sets.contains(ev, owner, x)
    if isinstance(owner, DictRef):
        return run_time_keys.contains(ev, owner, x)
    if isinstance(owner, Static) and class_of(owner) is None:
        check_operands(ev, operator.contains, owner, x)
        if is_link(x) or holds_object(ev, x):
            run_time_sets.note_change(ev, owner.value)
        if type(owner.value) is tuple and (among := among_strings(ev, x, tuple(map(Static, owner.value)))) is not None:
            return among
        try:
            wanted = ev.key(x, "what `in` looks for", may_be_nan=not may_hold_nan(owner.value))
        except NeedsStatic:
            if type(owner.value) not in (tuple, list, set, frozenset) or not all(map(is_plain, owner.value)):
                raise
            return _any_equal(ev, x, tuple(lift(ev, v) for v in owner.value))
        return Static(run_or_raise(ev, lambda: wanted in owner.value))
    if isinstance(owner, Iteration) and owner.state is not None:  # it gives its items up to the one
        tests = (truth(ev, compare_one(ev, gast.Eq(), y, x)) for y in drained(ev, owner))
        return Static(any(ev.ask(boolean(t), "whether this is the item that `in` looks for") for t in tests))
    if isinstance(owner, Iteration) and owner.kind == "range":
        bounds = [ev.ask(p, "the bounds of this range") for p in owner.parts]
        return Static(ev.ask(x, "what `in` looks for") in range(*bounds))
    if isinstance(owner, Ref):
        check_not_none(ev, owner, lambda none: 0 in none)
        equal = ev.call_op(eq, owner, ev.wrap(array_of(ev, x)) if isinstance(x, (Tup, ListRef)) else x,
                           spelling="operator.eq")
        return as_bool(ev, ev.operand(ev.call_op(BY_CALL["numpy.any"], equal, spelling="numpy.any")))
    if (search := run_time_keys.search_of(ev, owner, x)) is not None:
        return run_time_keys.run_search(ev, "in", search)
    if isinstance(owner, (Tup, ListRef)) or isinstance(owner, Iteration) and owner.kind in VIEWS or \
            special_method(ev, owner, "__iter__") is not None:
        items = items_to_search(ev, owner, x)
        if (among := among_strings(ev, x, items)) is not None:
            return among
        plain = all(isinstance(y, (Static, Value)) or isinstance(y, Tup) and _is_plain(y) for y in (x, *items))
        if plain and not any(_has_own_equality(ev, y) for y in (x, *items)):
            if isinstance(x, Value) and any(y is x for y in items):
                return Static(True)  # it may be nan
            with contextlib.suppress(NeedsStatic):
                key = ev.key(x, "what `in` looks for", may_be_nan=True)
                keys = [ev.key(y, "an item of this list", may_be_nan=True) for y in items]
                if not (holds_nan(key) and any(map(holds_nan, keys))):
                    return Static(key in keys)
        return _any_equal(ev, x, items)
    check_operands(ev, operator.contains, owner, x)
    ev.refuse("SCT503", "`in` is supported only for tuples, lists, dicts and arrays")


def _has_own_equality(ev: Evaluator, v: Abstract) -> bool:
    """Has the user written how this, or an item of it, is compared?"""
    if isinstance(v, Tup):
        return is_object(v) or any(_has_own_equality(ev, x) for x in v.items)
    return is_object(v) or isinstance(v, Static) and own_method(ev, v.peek, HASHING) is not None


def _is_plain(v: Tup) -> bool:
    """Is this a tuple of numbers, or of such tuples?"""
    return all(isinstance(x, (Static, Value)) or isinstance(x, Tup) and _is_plain(x) for x in v.items)


def _any_equal(ev: Evaluator, x: Abstract, items: tuple[Abstract, ...]) -> Abstract:
    if not items:
        return Static(False)
    t = one_or_equal(ev, items[0], x)
    if isinstance(t, Static):
        return t if t.value else _any_equal(ev, x, items[1:])
    if len(items) == 1:
        return t
    return evaluate_branches(ev, ev.operand(t), lambda: Static(True), lambda: _any_equal(ev, x, items[1:]))  # type: ignore[no-any-return]
