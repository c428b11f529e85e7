"""Text of objects at run time: containers in `print` and in f-strings.

    print((a, [b]))   ->   print(f"({a!r}, [{b!r}])")
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.lookup_guards import in_class
from sct.frontend.evaluator.own_methods import fields_of_dataclass
from sct.frontend.heap.dynamic_lists import as_column, columns, is_dynamic
from sct.frontend.heap.inactive import by_python, is_varied
from sct.frontend.heap.run_time_dicts import plain_dict
from sct.frontend.heap.special_methods import checked
from sct.frontend.iteration.iterator_protocol import drained, iterator
from sct.frontend.objects.class_of import python_class
from sct.frontend.objects.objects import class_of, get_attribute, is_member, special_call
from sct.frontend.values.abstract_values import (
    Abstract,
    Container,
    DefaultRef,
    DerivedCallable,
    DictRef,
    ListRef,
    MapRef,
    Ref,
    RunTimeTuple,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.guarded_numbers import is_asked
from sct.frontend.values.guards import NeedsStatic
from sct.frontend.values.schemas import ObjectSchema, OptionalSchema, TupleSchema
from sct.ir import Lit, Operand, Value, is_effect
from sct.ir.pytrees.user_objects import is_user_class
from sct.ir.types import BOOL, INT, ActiveText, List, Optional, Tensor, Text, base_type, join, shows_number
from sct.ops import fstring, stop_gradient
from sct.ops.program.effects import inactive, lookup, may_change, part
from sct.ops.registry import may_raise

__all__ = [
    "among_strings", "compared_by_python", "compared_strings", "concatenated", "fstring_of", "is_string", "joined",
    "logged", "may_show_derivative", "method_of_text", "repeated_text", "shown", "text_of",
]


def fstring_of(ev: Evaluator, parts: Sequence[Any], operands: Sequence[Operand]) -> Abstract:
    """An f-string of these operands.

    It is a string that Python's functions may read, unless it shows a number that may be differentiated: the derivative
    of what is read from it would be lost.
    """
    if not operands:
        return Static("".join(parts))
    shows = any(may_show_derivative(ev, x) for x in operands)
    ordered: dict[str, Any] = {"effect": True} if any(may_change(x.type) for x in operands) else {}
    return ev.emit(fstring, *operands, parts=tuple(parts), type=ActiveText() if shows else Text(), **ordered)  # type: ignore[no-any-return]


def may_show_derivative(ev: Evaluator, x: Operand) -> bool:
    """May this be a number or an array that is differentiated, or a text that shows one?"""
    if isinstance(x, Lit) or isinstance(x.type, Text):
        return False
    return not isinstance(x.type, Tensor) or is_varied(ev, x)


def concatenated(ev: Evaluator, a: Abstract, b: Abstract) -> Abstract | None:
    """`a + b` of strings; None of other values."""
    if not (is_string(a) and is_string(b)) or isinstance(a, Static) and isinstance(b, Static):
        return None
    x, y = ev.operand(a), ev.operand(b)
    return ev.emit(part, x, y, text="_0 + _1", type=join(x.type, y.type))  # type: ignore[no-any-return]


def repeated_text(ev: Evaluator, a: Abstract, b: Abstract) -> Abstract | None:
    """`a * b` of a string, in which no number is differentiated, and an int; None of other values."""
    x, y = (ev.operand(v) if isinstance(v, Value) or is_literal(v) else None for v in (a, b))
    types = [None if v is None else v.type for v in (x, y)]
    if x is None or y is None or not any(isinstance(t, Text) for t in types) or not any(
            isinstance(t, Tensor) and t.is_scalar and t.kind in "ib" for t in types):
        return None
    return ev.emit(part, ev.as_int(x), ev.as_int(y), text="_0 * _1", type=Text())  # type: ignore[no-any-return]


def is_string(v: Abstract) -> bool:
    """Is this certainly a string, known or of run time?"""
    if isinstance(v, Static):
        return type(v.peek) is str
    return isinstance(v, Value) and isinstance(v.type, (Text, ActiveText))


def compared_strings(ev: Evaluator, a: Abstract, b: Abstract) -> tuple[Abstract, Abstract]:
    """Strings that are compared: arguments are known, if the program is refused without that."""
    if not (is_string(a) and is_string(b)) or isinstance(a, Static) and isinstance(b, Static):
        return a, b
    ev.functions.plan.leave_texts_open()
    return ev.text(a), ev.text(b)


def compared_by_python(ev: Evaluator, symbol: str, a: Abstract, b: Abstract) -> Abstract | None:
    """`a in b`, `a < b` and the like of two strings, one of run time; of one that may be None Python raises TypeError.

    In a `try`, `in` is evaluated where they are not None alone (`run_time_comparisons.apart_from_none`).
    """
    certain, apart = is_string(a) and is_string(b), bool(ev.tries.handled)
    if not (certain or all(is_string(v) or _may_be_string(v) for v in (a, b)) and (
            not apart or symbol in ("in", "not in"))) or not (isinstance(a, Value) or isinstance(b, Value)):
        return None
    by = part if certain or apart else lookup
    return ev.emit(by, ev.operand(a), ev.operand(b), text=f"_0 {symbol} _1", type=BOOL)  # type: ignore[no-any-return]


def _may_be_string(v: Abstract) -> bool:
    """Is this a string or None?"""
    return isinstance(v, Value) and isinstance(v.type, Optional) and isinstance(v.type.elem, Text)


def among_strings(ev: Evaluator, x: Abstract, items: tuple[Abstract, ...]) -> Abstract | None:
    """Is a string of run time, that may be None, one of these?  None if they are not all strings or None."""
    if not isinstance(x, Value) or not isinstance(base_type(x.type), Text) or not all(
            isinstance(y, Static) and type(y.peek) in (str, type(None)) for y in items):
        return None
    return ev.emit(part, ev.operand(x), text=f"_0 in {tuple(y.peek for y in items)!r}", type=BOOL)  # type: ignore


_GIVE_TEXT = frozenset((
    "capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "lstrip", "removeprefix", "removesuffix",
    "replace", "rjust", "rstrip", "strip", "swapcase", "title", "upper", "zfill"))
_GIVE_LIST = frozenset(("rsplit", "split", "splitlines"))
_GIVE_INT = frozenset(("count", "find", "index", "rfind", "rindex"))
_GIVE_BOOL = frozenset((
    "endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "islower", "isnumeric", "isspace", "istitle",
    "isupper", "startswith"))


def method_of_text(ev: Evaluator, owner: Abstract, name: str) -> Abstract | None:
    """A method of a string of run time that gives another string, a list of strings, an int or a bool; None for other
    methods and objects.

    What a method makes of a string that shows a differentiated number shows it, too.
    """
    if not isinstance(owner, Value) or not isinstance(owner.type, (ActiveText, Text)) or \
            name not in _GIVE_TEXT | _GIVE_LIST | _GIVE_INT | _GIVE_BOOL or \
            name in _GIVE_INT and isinstance(owner.type, ActiveText):
        return None

    def call(ev: Evaluator, args: Sequence[Abstract], kwargs: Any) -> Abstract:
        args = [_known_strings(v) for v in args]
        taken = [is_string(v) or isinstance(v, Static) and type(v.peek) in (int, type(None), tuple) or _is_int(v)
                 for v in args]
        if kwargs or not all(taken):
            of_python = by_python(ev, f"{{0}}.{name}", owner)
            if of_python is None:
                ev.refuse("SCT205", f"`{name}` of a string of run time takes strings and ints here")
            return ev.call(of_python, args, kwargs)
        operands: list[Operand] = [owner]
        texts = []
        for v in args:
            texts.append(repr(v.value) if isinstance(v, Static) else f"_{len(operands)}")
            operands += [] if isinstance(v, Static) else [ev.as_int(ev.operand(v))]
        active = any(shows_number(x.type) for x in operands)
        shown = ActiveText() if active else Text()
        t = BOOL if name in _GIVE_BOOL else INT if name in _GIVE_INT else \
            List(shown) if name in _GIVE_LIST else shown
        result = ev.emit(lookup, *operands, text=f"_0.{name}({', '.join(texts)})", type=t)
        return ev.new_dynamic_list(0, [result]) if name in _GIVE_LIST else result

    return DerivedCallable(call)


def _known_strings(v: Abstract) -> Abstract:
    """A tuple of known strings as a constant; other values as they are."""
    if isinstance(v, Tup) and v.cls is tuple and all(isinstance(x, Static) and type(x.peek) is str for x in v.items):
        return Static(tuple(x.value for x in v.items if isinstance(x, Static)))
    return v


def _is_int(v: Abstract) -> bool:
    return isinstance(v, Value) and isinstance(v.type, Tensor) and v.type.is_scalar and v.type.kind in "ib"


def shown(ev: Evaluator, v: Abstract, by: tuple[str, ...] = ("str", "repr")) -> Operand:
    """`str(v)` as an operand, or `repr(v)`, depending on `by`; numbers and arrays are left to the emitted f-string."""
    if is_member(v) and (text := special_call(ev, v, f"__{by[0]}__")) is not None:
        return shown(ev, checked(ev, text, by[0]))
    if isinstance(v, Static) and not is_asked(v.peek):
        return Lit(v.value) if is_literal(v) else Lit(str(v.value))
    for name in by:
        own = special_call(ev, v, f"__{name}__")
        if own is not None:
            return shown(ev, checked(ev, own, by[0]))
    if not isinstance(v, (Tup, RunTimeTuple, Container, Static)):
        return ev.operand(v)
    parts: list[Any] = []
    operands: list[Operand] = []
    text_of(ev, v, parts, operands)
    return ev.operand(fstring_of(ev, parts, operands))


def text_of(ev: Evaluator, v: Abstract, parts: list[Any], operands: list[Operand]) -> None:
    """Add `repr(v)` to the parts and operands of an f-string."""
    if isinstance(v, Static) and is_asked(v.peek):
        ends = ("{", "}") if type(v.value) is set else ("frozenset({", "})")
        _joined(ev, ends[0], [("", lift(ev, x)) for x in v.value], ends[1], parts, operands)
    elif isinstance(v, Static):
        parts.append(repr(v.value))
    elif isinstance(v, (Value, Ref)):
        parts.append(("r", ""))
        operands.append(ev.operand(v))
    elif isinstance(v, DictRef) and not isinstance(v, DefaultRef):
        cell = ev.slots(v)
        _joined(ev, "{", [(lift(ev, k), x) for k, x in zip(cell.keys, cell.items)], "}", parts, operands)
    elif isinstance(v, ListRef) and not is_dynamic(ev, v):
        _joined(ev, "[", [("", x) for x in ev.slots(v).items], "]", parts, operands)
    elif isinstance(v, Tup) and v.cls is tuple:
        _joined(ev, "(", [("", x) for x in v.items], ",)" if len(v.items) == 1 else ")", parts, operands)
    elif (shown_by_python := _of_run_time(ev, v)) is not None:
        parts.append(("r", ""))
        operands.append(shown_by_python)
    else:
        _object(ev, v, parts, operands)


def _of_run_time(ev: Evaluator, v: Abstract) -> Operand | None:
    """A list or a dict that is known only at run time, of numbers, arrays or strings; None if `v` is none of these."""
    if isinstance(v, MapRef) and v.factory is None and not v.ordered:
        return plain_dict(ev, v)
    if isinstance(v, RunTimeTuple):
        items = _of_run_time(ev, v.of)
        return None if items is None else ev.emit(inactive, ev.emit(stop_gradient, items), text="tuple(_0)")
    if not isinstance(v, ListRef) or (schema := ev.slots(v).schema) == 0:
        return as_column(ev, v) if isinstance(v, ListRef) else None
    names: list[str] = []
    row, parts = _row_text(schema, names), columns(ev, v)
    if row is None or len(names) != len(parts):
        return None
    operands = [ev.emit(stop_gradient, x) for x in parts]  # it is shown, and not read again
    one = "," if len(names) == 1 else ""
    columns_shown = ", ".join(f"_{k}" for k in range(len(names)))
    text = f"[{row} for {', '.join(names)}{one} in zip({columns_shown})]"
    return ev.emit(inactive, *operands, text=text)  # type: ignore[no-any-return]


def _row_text(schema: Any, names: list[str]) -> str | None:
    """The text of an item of a list of this schema, of named columns; None of objects that have a text of their own."""
    if isinstance(schema, int):
        names.append(f"_x{schema}")
        return names[-1]
    if isinstance(schema, Static):
        return repr(schema.value)
    if isinstance(schema, tuple):
        parts = [_row_text(part, names) for part in schema]
        return None if None in parts else f"({', '.join(map(str, parts))}{',' if len(parts) == 1 else ''})"
    if isinstance(schema, TupleSchema) and isinstance(schema.item, int):
        return f"tuple({_row_text(schema.item, names)})"
    if isinstance(schema, OptionalSchema):
        first, part = len(names), _row_text(schema.item, names)
        return None if part is None else f"None if {names[first]} is None else {part}"
    if isinstance(schema, ObjectSchema) and schema.cls is dict:
        parts = [_row_text(part, names) for part in schema.parts]
        rows = ", ".join(f"{key!r}: {part}" for key, part in zip(schema.keys, parts))
        return None if None in parts else f"{{{rows}}}"
    return None


def _object(ev: Evaluator, v: Abstract, parts: list[Any], operands: list[Operand]) -> None:
    own = special_call(ev, v, "__repr__")
    if own is not None:
        parts.append(("", ""))
        operands.append(ev.operand(checked(ev, own, "repr")))
        return
    cls = class_of(v)
    where = in_class(ev, cls, "__repr__")[1] if cls is not None else object
    if isinstance(v, Tup) and cls is not None:
        name, fields = cls.__name__, list(zip(v.fields, v.items))
    elif cls is not None and "__dataclass_fields__" in vars(where):
        name = cls.__qualname__
        fields = [(f.name, get_attribute(ev, v, f.name)) for f in fields_of_dataclass(ev, where) if f.repr]
    else:
        ev.refuse("SCT503", "printing this object is not supported", hint="print its items, or an f-string")
    _joined(ev, f"{name}(", [(f"{k}=", x) for k, x in fields], ")", parts, operands)


def _joined(ev: Evaluator, head: str, items: Sequence[tuple[str | Abstract, Abstract]], tail: str, parts: list[Any],
            operands: list[Operand]) -> None:
    """The text of the items, each after its prefix: a separator, or the key of a dict."""
    parts.append(head)
    for k, (label, x) in enumerate(items):
        parts.append((", " if k else "") + (label if isinstance(label, str) else ""))
        if not isinstance(label, str):
            text_of(ev, label, parts, operands)
            parts.append(": ")
        text_of(ev, x, parts, operands)
    parts.append(tail)


def joined(ev: Evaluator, between: str, over: Abstract) -> Abstract:
    """`between.join(over)`: all items are taken, then the first that is no string is named."""
    if isinstance(over, (Static, Value)) and not hasattr(python_class(ev, over), "__iter__"):
        raise_at_run_time(ev, "TypeError", "can only join an iterable")
    column = as_column(ev, over) if isinstance(over, ListRef) and is_dynamic(ev, over) and ev.slots(over).schema == 0 \
        else None
    if column is not None and isinstance(column.type, List) and isinstance(column.type.elem, (ActiveText, Text)):
        return ev.emit(part, column, text=f"{between!r}.join(_0)", type=column.type.elem)  # type: ignore[no-any-return]
    snapshot = ev.snapshot()
    try:
        items = tuple(drained(ev, iterator(ev, over)))
    except NeedsStatic:
        ev.restore(snapshot)
        of_run_time = ev.call(Static(list), [over])
        if not is_dynamic(ev, of_run_time):
            raise
        return joined(ev, between, of_run_time)
    parts: list[Any] = []
    operands: list[Operand] = []
    for k, x in enumerate(items):
        x = ev.text(x)
        text = isinstance(x, Value) and is_string(x)
        cls = str if text else python_class(ev, x)
        if not issubclass(cls, str):
            raise_at_run_time(ev, "TypeError", f"sequence item {k}: expected str instance, {_class_name(cls)} found")
        if text:
            operands.append(ev.operand(x))
        parts += [between] * (k > 0) + [("", "") if text else "".join([ev.ask(x, "a string to join")])]
    return fstring_of(ev, parts, operands)


def _class_name(cls: type) -> str:
    """The name of a class as in messages of C code: with its module if the class is written in C."""
    plain = is_user_class(cls) or cls.__module__ == "builtins"
    return cls.__name__ if plain else f"{cls.__module__}.{cls.__name__}"


_CONVERSION = re.compile(r"%(?!%)([-#0 +]*\d*(?:\.\d+)?)([a-zA-Z])")


def logged(ev: Evaluator, args: Sequence[Abstract]) -> list[Abstract]:
    """A message and what it is formatted with, where containers and objects are texts: `"%r", p` is `"%s", repr(p)`."""
    message, *values = args
    text = message.value if isinstance(message, Static) and type(message.peek) is str else ""
    places = list(_CONVERSION.finditer(text.replace("%%", "\0\0")))
    if len(places) != len(values):
        return list(args)
    pieces, end, first = [], 0, len(ev.b.eqns)
    for k, conversion in enumerate(places):
        how, v = conversion[2], values[k]
        if how in "rs" and isinstance(v, (Container, RunTimeTuple, Tup)) and not is_literal(v):
            values[k] = ev.wrap(shown(ev, v, ("repr",) if how == "r" else ("str", "repr")))
            how = "s"
        pieces += [text[end:conversion.start()], f"%{conversion[1]}{how}"]
        end = conversion.end()
    if any(is_effect(e) or may_raise(e) for e in ev.b.eqns[first:]):
        ev.refuse("SCT205", "an object is logged whose text has an effect or may raise",
                  why="it is made only if the message is written", hint="log its attributes")
    return [Static("".join([*pieces, text[end:]])), *values]
