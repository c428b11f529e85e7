"""Attributes of objects that are rows of columns.

    node.value           node_value[node]
    node.next = tail     node_next[node] = tail
    node.center = x, y   node_center_0[node] = x; node_center_1[node] = y

The items of a dict that is a row are what the attributes of an object are.

    node["l"]            record_l[node]
    "leaf" in node       record_class[node] == "leaf"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.lists_in_lists import cut_loose
from sct.frontend.evaluator.operands import OF_ROWS
from sct.frontend.objects.linked_objects import (
    appended,
    check_one_table,
    class_code,
    classes_of,
    column_cell,
    column_list,
    column_operand,
    entry_of,
    is_alone,
    is_link,
    is_row_display,
    place,
    referred,
    renew,
    table_of_class,
)
from sct.frontend.state.attribute_forms import (
    Form,
    OptionalList,
    TupleOfAnyLength,
    columns_of,
    tuple_of_form,
    with_columns,
)
from sct.frontend.state.attribute_types import attributes_by_column, constants_of, learn
from sct.frontend.state.choices import is_present, narrowed
from sct.frontend.state.object_tables import Column, Record, Tuple, class_of_dict, class_of_items, is_display
from sct.frontend.state.parts import changed
from sct.frontend.state.store import Item
from sct.frontend.values.abstract_values import (
    Abstract,
    Choice,
    DictRef,
    Frozen,
    ListRef,
    OptionalTuple,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
)
from sct.ir import Value
from sct.ir.types import NONE, List, Optional
from sct.ops import index, row_of, store

__all__ = ["as_it_is_now", "copied", "is_attribute", "is_one_for_all", "is_one_item", "name_of_item", "of_dict",
           "of_tuple", "read", "read_item", "refuse_change", "write"]


def is_attribute(ev: Evaluator, cls: type, name: str) -> bool:
    """Have the objects of this class such an attribute of their own?"""
    plan = ev.functions.plan
    return (cls, name) in plan.forms or (cls, name) in plan.fields


def column_of_all(ev: Evaluator, v: Value, name: str) -> Column | None:
    """The one column that holds this attribute for all classes of which the object may be."""
    classes = classes_of(v)
    check_one_table(ev, classes)
    columns = [table_of_class(ev, cls).column(cls, name) for cls in classes]
    one_kind = all(constants_of(ev, cls, name) == constants_of(ev, classes[0], name) for cls in classes[1:])
    return columns[0] if one_kind and all(column == columns[0] for column in columns) else None


def form_of_all(ev: Evaluator, owner: Value, name: str) -> Form | None:
    """The form of an attribute, if it is several columns, of all classes of which the object may be."""
    forms = [ev.functions.plan.forms.get((cls, name)) for cls in classes_of(owner)]
    return forms[0] if all(form == forms[0] for form in forms) else None


def is_one_for_all(ev: Evaluator, owner: Value, name: str) -> bool:
    """Is this attribute in the same columns for all classes of which the object may be?"""
    form = form_of_all(ev, owner, name)
    return all(column_of_all(ev, owner, c) is not None for c in ([name] if form is None else columns_of(form)))


def read(ev: Evaluator, owner: Value, name: str) -> Abstract | None:
    """`owner.name`; None where the object has no such attribute of its own."""
    if not is_one_for_all(ev, owner, name):
        return None
    form = form_of_all(ev, owner, name)
    if form is None:
        return _read_column(ev, owner, name)
    if isinstance(form, OptionalList):
        xs, kind = (_read_column(ev, owner, c) for c in columns_of(form))
        assert xs is not None
        members = Static(None), xs
        return narrowed(ev.store, Choice(kind, members)) if isinstance(kind, Value) else members[kind != Static(None)]
    if isinstance(form, TupleOfAnyLength):
        column = column_of_all(ev, owner, form.items)
        assert column is not None
        return RunTimeTuple(ev.new_dynamic_list(0, [entry_of(ev, column, owner)]))  # it is never written
    whole = with_columns(tuple_of_form(form), lambda c: _read_column(ev, owner, c))
    return whole if isinstance(form, Tup) else OptionalTuple(whole)


def _read_column(ev: Evaluator, owner: Value, name: str) -> Abstract | None:
    """What the row of the object has in a column, as an abstract value; None where there is no such column."""
    column = column_of_all(ev, owner, name)
    if column is None:
        return None
    if isinstance(column.type, List):
        return _list_in(ev, column, owner)
    types = {ev.functions.plan.fields[cls, name] for cls in classes_of(owner)}
    if types == {NONE}:
        return Static(None)
    x = entry_of(ev, column, owner)
    if isinstance(x.type, Optional) and not any(isinstance(t, Optional) for t in types):
        with changed(ev.b, primal=ev.b.primal and not ev.tries.handled):  # objects of other classes alone have none
            x = ev.defined(x)
    if constants := constants_of(ev, classes_of(owner)[0], name):
        members = (*constants.values(), *([Static(None)] if isinstance(x.type, Optional) else []))
        return narrowed(ev.store, Choice(x, members)) if len(members) > 1 else members[0]
    v = ev.wrap(x)
    if is_link(v) and isinstance(v, Value) and isinstance(v.type, Optional) and is_present(ev.store, v):
        return ev.defined(v)
    if isinstance(v, Ref):
        ev.store.cells[v.addr] = replace(ev.store.array(v), frozen=Frozen.HELD)
        if ev.store.holds_alone(column_list(ev, column).addr):
            place(ev, column, owner, v)
    return v


def _list_in(ev: Evaluator, column: Column, owner: Value) -> ListRef:
    """A list that is an attribute: it is written in its column."""
    row = ev.emit(row_of, owner)
    addr = ev.new_addr()
    view = ev.step(column_cell(ev, column), index, (row,), {"key": ("i",)})
    ev.store.cells[addr] = Slots((view,), schema=0, parent=column_list(ev, column).addr)
    return ListRef(addr)


def write(ev: Evaluator, owner: Value, name: str, value: Abstract) -> None:
    """`owner.name = value`"""
    for cls in classes_of(owner):
        learn(ev, cls, {name: value}, ev.type_of)
    if not is_one_for_all(ev, owner, name):
        raise ev.functions.plan.unlinked(classes_of(owner)[0])
    for column, v in attributes_by_column(ev, classes_of(owner)[0], {name: value}).items():
        _write_column(ev, owner, column, v)


def _write_column(ev: Evaluator, owner: Value, name: str, value: Abstract) -> None:
    """Writes into the row of the object in a column."""
    column = column_of_all(ev, owner, name)
    assert column is not None
    if ev.containers.passed:  # it may be an object of the arguments
        ev.containers.note_write(ev.loc)
    xs, row = column_list(ev, column), ev.emit(row_of, owner)
    if isinstance(value, Ref) and _is_there(ev, xs, value, owner):
        return  # `p.x += d` has written the array itself
    alone = is_alone(ev, column, value)
    new = column_operand(ev, value, column.type)
    if isinstance(column.type, List):  # what names the list that was there, keeps it
        cut_loose(ev, xs)
    list_items.displace(ev, Item(xs.addr, row))
    renew(ev, column, store, new, row, key=("i",))
    if alone:
        place(ev, column, owner, value)


def _is_there(ev: Evaluator, xs: ListRef, v: Ref, owner: Value) -> bool:
    """Is this the array that the row of the object has in the column `xs`, which holds it alone?"""
    item = ev.store.items.get(v.addr)
    row = ev.defs.get(item.at) if item is not None and item.of == xs.addr and isinstance(item.at, Value) else None
    return row is not None and row.op is row_of and referred(ev, row.args[0]) is referred(ev, owner) and \
        not v.path and ev.store.holds_alone(xs.addr)


def copied(ev: Evaluator, owner: Abstract) -> Abstract:
    """`copy.copy(owner)`; a tuple is its own copy, and so is None."""
    if not isinstance(owner, Value) or any(issubclass(cls, Tuple) for cls in classes_of(owner)):
        return owner
    (cls,) = classes_of(owner)
    names = [name for of, name in ev.functions.plan.fields if of is cls]
    return appended(ev, cls, {name: v for name in names if (v := _read_column(ev, owner, name)) is not None})


# -- displays --------------------------------------------------------------------------------------------


def of_dict(ev: Evaluator, entries: Mapping[str, Abstract]) -> Value | None:
    """The row that a display of a dict with these entries makes; None where such dicts are no rows."""
    plan, cls = ev.functions.plan, class_of_dict((*entries,))
    if cls is None:
        return None
    plan.displays[cls] = bool(ev.loops.heads or ev.functions.in_progress) or plan.displays.get(cls, False)
    return _row(ev, cls, entries)


def of_tuple(ev: Evaluator, items: tuple[Abstract, ...]) -> Abstract:
    """The tuple that a display makes: a row, where those of this place are."""
    plan, v = ev.functions.plan, Tup(items, place=ev.loc)
    plan.nested.update((x.place, class_of_items(x.items)) for x in items if isinstance(x, Tup) and x.place is not None)
    if ev.loc not in plan.rows_at:
        return v
    cls = class_of_items(items)
    plan.displays[cls] = True
    return _row(ev, cls, {name: items[int(name)] for name in cls.keys}) or v


def _row(ev: Evaluator, cls: type, values: Mapping[str, Abstract]) -> Value | None:
    if cls not in ev.functions.plan.linked:
        return None
    learn(ev, cls, values, ev.type_of)
    return appended(ev, cls, attributes_by_column(ev, cls, values))


_TAG = ""
"""Stands for the item of a tuple that is its class."""


def name_of_item(owner: Abstract, key: Abstract) -> str | None:
    """The attribute that the item `owner[key]` of a dict or a tuple is, which is a row, for all of its classes; None
    if it is not one attribute."""
    if not isinstance(owner, Value) or not is_row_display(owner) or not isinstance(key, Static):
        return None
    names = {_name_of_item(cls, key.value) for cls in classes_of(owner)}
    return names.pop() if len(names) == 1 else None


def _name_of_item(cls: type, key: Any) -> str | None:
    if not is_display(cls):
        return None
    if issubclass(cls, Record):
        return key if key in cls.keys else None
    length = len(cls.keys) + bool(cls.tag)
    if not isinstance(key, int) or not -length <= key < length:
        return None
    return _TAG if cls.tag and key % length == 0 else str(key % length)


def is_one_item(ev: Evaluator, owner: Value, name: str) -> bool:
    """Is this item at one place for all classes of which the dict or tuple may be?"""
    return name == _TAG or is_one_for_all(ev, owner, name)


def read_item(ev: Evaluator, owner: Value, name: str) -> Abstract:
    """The item of this name."""
    value = class_code(ev, owner) if name == _TAG else read(ev, owner, name)
    assert value is not None
    return value


def refuse_change(ev: Evaluator, what: str) -> NoReturn:
    """Refuses what would change the keys of a dict that is a row."""
    ev.refuse("SCT307", f"{what} a dict that is one of many", why=OF_ROWS,
              hint="let the display of the dict have all of its keys, and assign to its items")


def as_it_is_now(ev: Evaluator, v: Abstract) -> Abstract:
    """A tuple that is a row, as one of the program; a dict, as one that is only read; anything else as it is."""
    if not isinstance(v, Value) or not is_row_display(v) or len(classes_of(v)) > 1:
        return v
    (cls,) = classes_of(v)
    assert is_display(cls)
    items = {name: read_item(ev, v, name) for name in cls.keys}
    if issubclass(cls, Tuple):
        return Tup((*([Static(cls.tag)] if cls.tag else []), *items.values()))
    addr = ev.new_addr()
    ev.store.cells[addr] = Slots((*items.values(),), (*items,), frozen=Frozen.ROW, unset=frozenset())
    return DictRef(addr)
