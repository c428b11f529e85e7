"""The types of the attributes of objects that are rows of columns, which evaluations learn.

    Node(2.0, None), later Node(0.5, head)    ->    value: float, next: None or a Node
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from sct.frontend.state.attribute_forms import Form, NoForm, TupleOfAnyLength, columns_of, columns_with, joined_form
from sct.frontend.state.choices import by_code, code, members_of
from sct.frontend.state.object_tables import class_of_dict, wider, with_known_sizes
from sct.frontend.state.state import State
from sct.frontend.values.abstract_values import (
    PLAIN,
    Abstract,
    Choice,
    Container,
    DictRef,
    ListRef,
    ObjRef,
    OptionalTuple,
    Ref,
    RunTimeTuple,
    Static,
)
from sct.ir import Lit, Operand, Value
from sct.ir.types import NONE, Link, List, Never, Optional, Tensor, Text, Type, TypeMismatch, join

__all__ = ["attributes_by_column", "constants_of", "learn", "learn_all", "link_type", "text_of_constant"]


TypeOf = Callable[[Abstract], Type]
"""The types of arrays and of columns of lists."""


def link_type(ev: State, *classes: type) -> Link:
    """The type of a reference to an object of one of these classes."""
    links = [Link(ev.functions.plan.linked[cls], (cls,)) for cls in classes]
    return functools.reduce(Link.__or__, links)


def constants_of(ev: State, cls: type, name: str) -> dict[str, Static]:
    """The members of enums, functions and classes that an attribute may be, by the texts that stand for them."""
    return ev.functions.plan.constants.get((cls, name), {})  # type: ignore[no-any-return]


def text_of_constant(v: Abstract) -> Operand | None:
    """What stands for a member of an enum, a function or a class; None of anything else."""
    is_constant = isinstance(v, (Choice, Static)) and v != Static(None) and bool(by_code(v))
    return code(v) if is_constant and all(type(m) is Static for m in members_of(v)) else None


def _learn_constants(ev: State, cls: type, name: str, v: Abstract) -> None:
    """Evaluates the function again if the attribute may be one more constant; it is always one, or None, or never."""
    plan, before = ev.functions.plan, constants_of(ev, cls, name)
    members = {} if text_of_constant(v) is None else {c: m for c, m in by_code(v).items() if c is not None}
    mixed = plan.fields.get((cls, name), NONE) != NONE if members and not before else before and not members and \
        v != Static(None)
    if mixed or any(before.get(c, m) != m for c, m in members.items()):
        raise plan.unlinked(cls)
    if not members.keys() <= before.keys():
        raise plan.changed(constants={(cls, name): before | members})


def _type_of(ev: State, cls: type, v: Abstract, type_of: TypeOf) -> Type:
    """The type of an attribute with this value; where it has none, the objects of the class are no rows."""
    if (text := text_of_constant(v)) is not None:
        return text.type
    if (of := _linkable_class(ev, v)) is not None and of not in ev.functions.plan.linked:
        raise ev.functions.plan.changed(linked={of})
    if isinstance(v, ObjRef) and v.cls in ev.functions.plan.linked:
        return link_type(ev, v.cls)
    if isinstance(v, Static) and type(v.peek) in PLAIN:
        return Lit(v.value).type
    if isinstance(v, Ref):
        return type_of(v)
    if isinstance(v, (ListRef, RunTimeTuple)):
        return _type_of_list(ev, cls, v if isinstance(v, ListRef) else v.of, type_of)
    if isinstance(v, Value):
        t = v.type.elem if isinstance(v.type, Optional) else v.type
        if isinstance(t, (Tensor, Text, Link)) or v.type == NONE:
            return v.type
    raise ev.functions.plan.unlinked(cls)


def _linkable_class(ev: State, v: Abstract) -> type | None:
    """The class of an object, or of a dict that a display makes, that can be a row."""
    plan = ev.functions.plan
    of = v.cls if isinstance(v, ObjRef) else class_of_dict(ev.slots(v).keys) if isinstance(v, DictRef) else None
    return None if of in plan.unlinkable or isinstance(v, DictRef) and of not in plan.displays else of


def _type_of_list(ev: State, cls: type, v: ListRef, type_of: TypeOf) -> Type:
    """The type of an attribute that is a list of numbers, strings, arrays, objects that are rows, and such lists."""
    cell = ev.slots(v)
    if cell.schema is not None and cell.schema != 0:
        raise ev.functions.plan.unlinked(cls)
    if cell.schema is not None:
        return type_of(cell.items[0])
    elem: Type = Never()
    if any(text_of_constant(x) is not None for x in cell.items):
        raise ev.functions.plan.unlinked(cls)
    for x in cell.items:
        elem = join(elem, _type_of(ev, cls, x, type_of))
    if any(isinstance(x, ObjRef) for x in cell.items):  # one whose `__init__` has not ended
        raise ev.functions.plan.unlinked(cls)
    return List(elem)


def attributes_by_column(ev: State, cls: type, values: Mapping[str, Abstract]) -> dict[str, Abstract]:
    """What the columns hold of these attributes, which have been learnt."""
    forms, columns = ev.functions.plan.forms, dict[str, Abstract]()
    for name, v in values.items():
        form = forms.get((cls, name))
        columns.update([(name, v)] if form is None else columns_with(ev, form, v))
    return columns


def learn(ev: State, cls: type, values: Mapping[str, Abstract], type_of: TypeOf) -> None:
    """Evaluates the function again if an attribute has a type that its columns do not hold."""
    plan = ev.functions.plan
    more: dict[tuple[type, str], Type] = {}
    try:
        for name, v in values.items():
            form = _learn_form(ev, cls, name, v)
            for column, x in [(name, v)] if form is None else columns_with(ev, form, v):
                t = _learnt(ev, cls, column, x, type_of)
                may_be_none = isinstance(form, OptionalTuple) and not isinstance(t, Optional)
                if (t := Optional(t) if may_be_none else t) != plan.fields.get((cls, column)):
                    more[cls, column] = t
    except (NoForm, TypeMismatch):
        plan.note_met(*values.values())
        raise plan.unlinked(cls) from None
    if more:
        raise plan.changed(fields=more)


def _learn_form(ev: State, cls: type, name: str, v: Abstract) -> Form | None:
    """The form of an attribute.  Evaluates the function again if it is another one with this value."""
    plan = ev.functions.plan
    before = plan.forms.get((cls, name))
    form = joined_form(before, plan.fields.get((cls, name)) if before is None else None, name, v)
    if form is not None and form != before:
        columns = (name,) if before is None else columns_of(before)
        if isinstance(form, OptionalTuple) and before is not None and any(
                isinstance(plan.fields.get((cls, c)), Optional) for c in columns):
            raise NoForm
        if before is None or isinstance(form, TupleOfAnyLength):
            for c in columns:
                plan.fields.pop((cls, c), None)
        raise plan.changed(forms={(cls, name): form})
    return form


def _learnt(ev: State, cls: type, column: str, v: Abstract, type_of: TypeOf) -> Type:
    """The type of a column that holds this value, too."""
    _learn_constants(ev, cls, column, v)
    t = with_known_sizes(ev.resolved(_type_of(ev, cls, v, type_of)), ev.sizes)
    return wider(ev.functions.plan.fields.get((cls, column), t), t)


def learn_all(ev: State, cls: type, obj: Abstract, attributes: Mapping[str, Abstract], type_of: TypeOf
              ) -> dict[str, Abstract]:
    """The same for an object with these attributes, which all objects of its class must have: what the columns hold."""
    cell = ev.slots(obj) if isinstance(obj, Container) else None
    if cell is not None and (cell.unset or cell.frozen):
        raise ev.functions.plan.unlinked(cls)
    learn(ev, cls, attributes, type_of)
    columns = attributes_by_column(ev, cls, attributes)
    if columns.keys() != {name for of, name in ev.functions.plan.fields if of is cls}:
        raise ev.functions.plan.unlinked(cls)
    return columns
