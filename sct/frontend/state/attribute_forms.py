"""The forms of attributes of rows that are several columns: tuples, and tuples or lists that may be None.

    node.center = x, y                      node_center_0[node] = x; node_center_1[node] = y
    node.body = None, or (x, y)             the same: both are None, or none is
    node.args = (), or (a, b)               node_args[node] = [] or [a, b]
    node.children = None, or [a, b]         node_children[node] = [a, b]; node_children_kind[node] = "list"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Union

from sct.frontend.state.choices import code_of, may_be_absent
from sct.frontend.state.state import State
from sct.frontend.state.store import is_plain_tuple
from sct.frontend.values.abstract_values import SLICE, Abstract, ListRef, OptionalTuple, RunTimeTuple, Static, Tup
from sct.ir.types import NONE, List, Type

__all__ = ["Form", "NoForm", "OptionalList", "TupleOfAnyLength", "columns_of", "columns_with", "joined_form",
           "tuple_of_form", "with_columns"]


@dataclass(frozen=True)
class OptionalList:
    """An attribute that is None or a list.

    items  the name of the column of lists; `kind`: of the column that is None where the attribute is
    """

    items: str
    kind: str


@dataclass(frozen=True)
class TupleOfAnyLength:
    """An attribute that is a tuple, in one column of lists of this name."""

    items: str


Form = Union[Tup, OptionalTuple, OptionalList, TupleOfAnyLength]
"""A tuple has the names of the columns in the place of its items."""


class NoForm(Exception):
    """The values of an attribute have no common form."""


def joined_form(form: Form | None, before: Type | None, name: str, v: Abstract) -> Form | None:
    """The form of an attribute that may be `v`, too; None if it is one column.

    before  the type of the values that it has had, if it was one column
    """
    if isinstance(v, (Tup, OptionalTuple, RunTimeTuple)):
        if before not in (None, NONE) or isinstance(form, OptionalList):
            raise NoForm
        return _form_of_tuples(form, name, v, before == NONE)
    if v == Static(None):
        may_be_list = form is None and isinstance(before, List)
        return _optional(form) if isinstance(form, (Tup, TupleOfAnyLength)) else \
            OptionalList(name, f"{name}.kind") if may_be_list else form
    if form is not None and not (isinstance(form, OptionalList) and isinstance(v, ListRef)):
        raise NoForm
    return OptionalList(name, f"{name}.kind") if isinstance(v, ListRef) and before == NONE else form


def _form_of_tuples(form: Form | None, name: str, v: Tup | OptionalTuple | RunTimeTuple, may_be_none: bool) -> Form:
    """The form of tuples that may be `v`, too."""
    new = _named(name, v.of if isinstance(v, OptionalTuple) else v) if not isinstance(v, RunTimeTuple) else None
    if new is not None and (form is None or form == new or isinstance(form, OptionalTuple) and form.of == new):
        return _optional(new) if may_be_none or OptionalTuple in (type(v), type(form)) else new
    are_plain = all(is_plain_tuple(t) for t in (form, new) if isinstance(t, Tup))
    if may_be_none or isinstance(form, (OptionalTuple, OptionalList)) or not are_plain:
        raise NoForm
    return TupleOfAnyLength(name)


def _named(name: str, v: Tup) -> Tup:
    """A tuple of the names of columns for the items of the attribute."""
    if v.fields == SLICE:
        raise NoForm
    parts = [f"{name}.{part}" for part in v.fields or range(len(v.items))]
    return v.with_(_named(part, x) if isinstance(x, Tup) else Static(part) for part, x in zip(parts, v.items))


def _optional(form: Tup | TupleOfAnyLength) -> OptionalTuple:
    if not isinstance(form, Tup) or not form.items or any(isinstance(x, Tup) for x in form.items):
        raise NoForm
    return OptionalTuple(form)


def tuple_of_form(form: Form) -> Tup:
    """The names of the columns of a tuple that may be None or not."""
    assert isinstance(form, (Tup, OptionalTuple))
    return form.of if isinstance(form, OptionalTuple) else form


def with_columns(form: Tup, read: Callable[[str], Any]) -> Tup:
    """The tuple with what `read` gives for the name of each of its columns."""
    return form.with_(with_columns(x, read) if isinstance(x, Tup) else read(_name(x)) for x in form.items)


def _name(x: Abstract) -> str:
    assert isinstance(x, Static)
    return str(x.value)


def columns_of(form: Form) -> tuple[str, ...]:
    """The names of the columns."""
    if isinstance(form, OptionalList):
        return form.items, form.kind
    if isinstance(form, TupleOfAnyLength):
        return (form.items,)
    names: list[str] = []
    with_columns(tuple_of_form(form), names.append)
    return tuple(names)


def columns_with(ev: State, form: Form, v: Abstract) -> Iterator[tuple[str, Abstract]]:
    """What the columns hold where the attribute is `v`, which is of this form."""
    if isinstance(form, OptionalList):
        yield form.items, ev.new_list(()) if v == Static(None) else v
        yield form.kind, Static(code_of(v))
        return
    if isinstance(form, TupleOfAnyLength):
        yield form.items, ev.new_list(v.items) if isinstance(v, Tup) else v
        return
    whole = v.of if isinstance(v, OptionalTuple) else v
    if isinstance(form, OptionalTuple) and isinstance(v, (Tup, OptionalTuple)) and not may_be_absent(v):
        raise NoForm
    for k, name in enumerate(tuple_of_form(form).items):
        x = whole.items[k] if isinstance(whole, Tup) else Static(None)
        yield from columns_with(ev, name, x) if isinstance(name, Tup) else [(_name(name), x)]
