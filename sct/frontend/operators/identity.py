"""`is`: are two values one object?

    x is None        of a value that may be None: tested at run time
    y is x           of arrays and containers: one address, seen in the same way
    n is 0           of small ints, of which Python has one each
"""

from __future__ import annotations

import enum
import types
from typing import Any, NoReturn

import gast
import numpy as np

from sct.frontend.arguments.lift import exception_class
from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import do_not_answer
from sct.frontend.evaluator.lookup_guards import in_class
from sct.frontend.evaluator.operands import OF_ROWS
from sct.frontend.heap.inactive import by_python, pure_builtin
from sct.frontend.objects.linked_objects import classes_of, is_link, is_row_display, of_class_code, same_object
from sct.frontend.state.choices import test_text
from sct.frontend.state.object_tables import Tuple
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Bound,
    Closure,
    Container,
    DerivedCallable,
    Iteration,
    ListRef,
    Method,
    ObjRef,
    OptionalTuple,
    Origin,
    Parent,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
)
from sct.ir import Lit, Value
from sct.ir.types import BOOL, INT, Never, Optional, Tensor, Text, base_type
from sct.ops import BY_CALL, is_none
from sct.ops.program.effects import inactive, part

__all__ = ["check_order", "equal_rows", "identical", "of_one_list", "test_of_class"]

_SHARED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, enum.Enum, np.dtype,
           np.ufunc)
_SINGLE = (None, True, False, Ellipsis, NotImplemented)
_SMALL = range(-5, 257)
"""The ints that are single objects in CPython."""


def of_one_list(ev: Evaluator, a: Abstract, b: Abstract, answer: bool) -> Abstract | None:
    """`a is b`, or with the answer False `a is not b`, of two objects of a list that holds each once: by their places.
    """
    at = list_items.places(ev, a, b) if isinstance(a, Container) and isinstance(b, Container) and a != b else None
    name = "operator.eq" if answer else "operator.ne"
    return None if at is None else ev.emit(BY_CALL[name], *at, spelling=name)


def identical(ev: Evaluator, a: Abstract, b: Abstract) -> Abstract:
    """`a is b`."""
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Static) and x.value is None:
            return _is_none(ev, y)
    if is_link(a) or is_link(b):
        if isinstance(a, Value) and isinstance(b, Value) and is_link(a) and is_link(b):
            return same_object(ev, a, b)
        link, other = (a, b) if is_link(a) else (b, a)
        cls = other.cls if isinstance(other, ObjRef) else type(other.peek) if isinstance(other, Static) else None
        may_be_it = cls in classes_of(link) if cls is not None else not isinstance(other, _KINDS)  # type: ignore[arg-type]
        if may_be_it:  # from an argument, from outside, or out of a list
            _unknown(ev, a, b)
        return Static(False)
    if isinstance(a, Static) and isinstance(b, Static):
        same = _same_static(a, b)
    elif isinstance(a, Static) or isinstance(b, Static):
        one, other = (a, b) if isinstance(a, Static) else (b, a)
        assert isinstance(one, Static)
        return _with_static(ev, one, other)
    elif isinstance(a, Ref) and isinstance(b, Ref):
        ev.containers.note_identity()
        same = _same_array(ev, a, b)
    elif isinstance(a, Container) and isinstance(b, Container):
        ev.containers.note_identity()
        same = True if a == b else None if _perhaps_one(ev, a.addr, b.addr) else False
    elif type(a) is not type(b) and isinstance(a, _KINDS) and isinstance(b, _KINDS):
        same = False
    else:
        same = _same_value(a, b)
    if same is None:
        _unknown(ev, a, b)
    return Static(same)


def equal_rows(ev: Evaluator, a: Abstract, b: Abstract) -> Abstract | None:
    """`a == b` of objects that are rows of columns, if no class of them says what it is; None of other values."""
    links = [v for v in (a, b) if isinstance(v, Value) and is_link(v)]
    own = [cls for link in links for cls in classes_of(link) if any(
        in_class(ev, cls, name)[1] is not object for name in ("__eq__", "__ne__"))]
    other = next((v for v in (a, b) if not is_link(v)), Static(None))
    if len(links) > 1 and any(map(is_row_display, links)):
        for cls in (cls for link in links for cls in classes_of(link) if issubclass(cls, Tuple)):
            raise ev.functions.plan.unlinked(cls)
        ev.refuse("SCT503", "a comparison of dicts that are some of many is not supported", why=OF_ROWS,
                  hint="compare their items")
    if any(map(is_row_display, links)) and other != Static(None):
        return None
    return identical(ev, a, b) if links and not own and other == Static(None) else None


def check_order(ev: Evaluator, a: Abstract, b: Abstract) -> None:
    """Raises at run time where the order of two tuples depends on items that are rows of displays."""
    if is_row_display(a) and is_row_display(b):
        do_not_answer(ev, "compare the nodes of two trees: put numbers that differ before them")


def test_of_class(ev: Evaluator, op: Any, a: Abstract, b: Abstract) -> Abstract | None:
    """A comparison of a class of the user with that of an object of Python, or of the text that a tuple which is a row
    begins with, which is its class; None of anything else."""
    if isinstance(op, (gast.Eq, gast.NotEq)) and any(map(_is_class, (a, b))) and any(
            _is_class_of_object(ev, v) for v in (a, b)):
        cls, other = (a, b) if _is_class(a) else (b, a)
        return _compared_with_class(ev, "==" if isinstance(op, gast.Eq) else "!=", other, cls)
    texts: tuple[Abstract, ...]
    if isinstance(op, (gast.Eq, gast.NotEq)):
        code, texts = (b, (a,)) if of_class_code(ev, b) is not None else (a, (b,))
    elif isinstance(op, (gast.In, gast.NotIn)) and isinstance(b, (Tup, ListRef)):
        code, texts = a, b.items if isinstance(b, Tup) else ev.slots(b).items
    else:
        return None
    if of_class_code(ev, code) is None or not all(isinstance(t, Static) and isinstance(t.value, str) for t in texts):
        return None
    names = [t.value for t in texts if isinstance(t, Static)]
    answer = isinstance(op, (gast.Eq, gast.In))
    text = test_text(names[0], answer) if len(names) == 1 else f"_0 {'in' if answer else 'not in'} {names!r}"
    return ev.emit(part, ev.operand(code), text=text, type=BOOL)  # type: ignore[no-any-return]


def _is_class(v: Abstract) -> bool:
    return isinstance(v, Static) and isinstance(v.value, type)


def _compared_with_class(ev: Evaluator, symbol: str, v: Abstract, cls: Abstract) -> Abstract | None:
    """A comparison of an object that sct does not see into with a class; None for other objects."""
    name = pure_builtin(cls.value) if isinstance(cls, Static) else None
    if name is not None:
        return by_python(ev, f"{{0}} {symbol} {name}", v, of_class=BOOL)
    return by_python(ev, f"{{0}} {symbol} {{1}}", v, cls, of_class=BOOL)


def _is_class_of_object(ev: Evaluator, v: Abstract) -> bool:
    """Is this the class of an object that sct does not see into?"""
    eqn = ev.defs.get(v) if isinstance(v, Value) else None
    return eqn is not None and eqn.op is inactive and eqn.attrs["text"] in ("type(_0)", "_0.__class__")


def _unknown(ev: Evaluator, a: Abstract, b: Abstract) -> NoReturn:
    """Refuses `is` of a value that is known only at run time."""
    plain = all(isinstance(v, (Static, Value)) for v in (a, b)) and \
        any(isinstance(v, Value) and isinstance(base_type(v.type), (Tensor, Text)) for v in (a, b))
    hint = "use `==`" if plain else "compare their positions in the list: `i == j`" if not any(
        _is_passed(ev, v) for v in (a, b)) else "pass a bool argument that says whether they are the same object, or " \
        "the position in the list in place of an item"
    ev.refuse("SCT503", "`is` of values known only at run time is not supported", hint=hint)


def _is_passed(ev: Evaluator, v: Abstract) -> bool:
    """Is this from outside, and no item of a list?"""
    if isinstance(v, (Ref, Container)):
        cell = ev.store.cells[v.addr]
        is_item = v.addr in ev.store.items or isinstance(cell, Slots) and cell.parent is not None
        return cell.origin != Origin.FRESH and not is_item
    if isinstance(v, Tup):
        return bool(v.items) and all(_is_passed(ev, x) for x in v.items)
    return isinstance(v, Static) or isinstance(v, Value) and ev.outermost().get(v, v) in ev.params


_KINDS = (Value, Ref, Container, Tup, RunTimeTuple, Closure, Bound, Method, DerivedCallable, Iteration)
"""Abstract values of two different ones of these classes are two objects."""


def _is_none(ev: Evaluator, y: Abstract) -> Abstract:
    if isinstance(y, Static):
        return Static(y.value is None)
    if isinstance(y, OptionalTuple):
        return _is_none(ev, y.of.items[0])
    if isinstance(y, Ref):
        cell = ev.store.cells[y.addr]
        assert isinstance(cell, Array)
        value: Any = ev.bound(cell.value) if isinstance(cell.value, Value) else cell.value
        optional = isinstance(value.type, Optional)
        return ev.emit(is_none, value) if optional else Static(False)
    y = ev.bound(y)
    if isinstance(y, Value):
        if isinstance(y.type, Tensor) or ev.leaf_of(y) is not None:
            return Static(False)
        if isinstance(y.type, Optional) and isinstance(y.type.elem, Never):
            return Static(True)  # it is None wherever it is bound
        return ev.emit(is_none, y)  # type: ignore[no-any-return]
    if isinstance(y, (Container, Tup, RunTimeTuple, Closure, Bound, Method, Parent, DerivedCallable, Iteration)):
        return Static(False)
    return Static(ev.operand(y) == Lit(None))


def _same_static(a: Static, b: Static) -> bool | None:
    x, y = a.value, b.value
    if x is y:
        return True
    if type(x) is not type(y) or isinstance(x, _SHARED) or any(x is one or y is one for one in _SINGLE):
        return False
    if isinstance(x, (int, float, complex, str, bytes, tuple, frozenset)):
        if type(x) is int:
            return x == y and x in _SMALL or (None if x == y else False)
        return None if x == y else False
    return False


def _with_static(ev: Evaluator, one: Static, other: Abstract) -> Abstract:
    """Is a value that is known only at run time this object?"""
    x = one.value
    t = other.type if isinstance(other, Value) else None
    if isinstance(other, Value) and isinstance(t, Tensor):
        computed = ev.defs.get(other)
        merged = computed is not None and bool(computed.regions)  # an int that may be a bool
        if t == BOOL and isinstance(x, bool) or t == INT and type(x) is int and x in _SMALL and not merged:
            return ev.call_op(BY_CALL["operator.eq"], other, one, spelling="operator.eq")
        leaf = ev.leaf_of(other)
        differs = not isinstance(x, (bool, int, float, complex)) or t.carrier in ("np", "array") or \
            leaf is not None and type(leaf) is not type(x)
    elif isinstance(other, Value) and ev.exception_of_class(other) is not None and isinstance(x, type) and \
            issubclass(x, BaseException):
        named, error = exception_class(ev, one), ev.exception_of_class(other)
        operands, wanted = ((), named.name) if named.operand is None else ((named.operand,), "_1")
        test: Value = ev.emit(part, other, *operands, text=f"_0 is {wanted}", type=BOOL)
        if error is not None:
            ev.tries.asks(error, test, (named,), itself=True)
        return test
    elif isinstance(other, Value):
        of_class = _compared_with_class(ev, "is", other, one) if isinstance(x, type) else None
        if of_class is not None:
            return of_class
        leaf = ev.leaf_of(other)
        differs = leaf is not None and type(leaf) is not type(x)
    elif isinstance(other, (Ref, Container)):
        cls = other.cls if isinstance(other, ObjRef) else np.ndarray if isinstance(other, Ref) else \
            list if isinstance(other, ListRef) else dict
        is_new = ev.store.cells[other.addr].origin == Origin.FRESH and not _ambiguous(ev, other.addr)
        differs = not isinstance(x, cls) or is_new
    elif isinstance(other, (Tup, RunTimeTuple)):
        differs = not isinstance(x, tuple)
    else:
        differs = isinstance(other, (Closure, Bound, Method, DerivedCallable, Iteration))
    if not differs:
        _unknown(ev, one, other)
    return Static(False)


def _same_array(ev: Evaluator, a: Ref, b: Ref) -> bool | None:
    """Each view is an object of its own."""
    if a.addr == b.addr:
        return a.object == b.object if None not in (a.object, b.object) else None
    return None if _perhaps_one(ev, a.addr, b.addr) else False


def _perhaps_one(ev: Evaluator, a: int, b: int) -> bool:
    """May two addresses be one object?  A caller may pass an object twice, or pass a free variable."""
    origins = {ev.store.cells[addr].origin for addr in (a, b)}
    if Origin.ARGUMENT in origins and origins <= {Origin.ARGUMENT, Origin.CAPTURED} and all(
            isinstance(ev.store.cells[addr], Slots) for addr in (a, b)):
        # That the containers of arguments are different from each other, and from those outside, is a guard then.
        ev.containers.note_comparison(ev.loc)
        origins = {Origin.FRESH}
    return Origin.FRESH not in origins or _ambiguous(ev, a) or _ambiguous(ev, b)


def _ambiguous(ev: Evaluator, addr: int) -> bool:
    """May the object at this address also be at another address?"""
    cell = ev.store.cells[addr]
    if isinstance(cell, Slots):
        return bool(cell.frozen) or cell.parent is not None
    eqn = ev.defs.get(cell.value) if isinstance(cell.value, Value) else None
    taken = eqn is not None and not all(isinstance(x.type, Tensor) for x in eqn.args)  # an item of a list
    return bool(cell.frozen) or cell.merged or taken


def _same_value(a: Abstract, b: Abstract) -> bool | None:
    if isinstance(a, Value) and isinstance(b, Value):
        p, q = a.type, b.type
        if a is b:
            return True if isinstance(p, Tensor) and p.kind in "fc" else None
        differ = isinstance(p, Tensor) and isinstance(q, Tensor) and {p.carrier, q.carrier} == {"py", "np"}
        return False if differ else None
    if a is b:
        return True
    if isinstance(a, Closure) and isinstance(b, Closure) and a.node is not b.node:
        return False
    return None
