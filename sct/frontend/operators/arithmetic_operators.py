"""Arithmetic and bitwise operators of abstract values: binary, unary, and in place."""

from __future__ import annotations

import enum
import operator
import re
import types
from collections.abc import Callable
from typing import Any

import gast

from sct.errors import SctError
from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import expression
from sct.frontend.heap.inactive import by_python, is_changed_in_place
from sct.frontend.heap.special_methods import plain_numbers
from sct.frontend.iteration import run_time_sets
from sct.frontend.objects.container_objects import contents_of
from sct.frontend.objects.linked_objects import is_row_display
from sct.frontend.objects.objects import is_member, is_object, special_call, special_method
from sct.frontend.objects.operators_of_classes import reflected, undefined
from sct.frontend.objects.row_attributes import refuse_change
from sct.frontend.operators.choices import distributed
from sct.frontend.operators.container_operators import arrays_of, as_set, combined, is_sequence, written
from sct.frontend.operators.text_formatting import concatenated, joined, repeated_text
from sct.frontend.scipy_objects.sparse_matrices import constants_as_objects, sparse_product
from sct.frontend.state.store import is_plain_tuple
from sct.frontend.values.abstract_values import Abstract, Container, DictRef, ListRef, Ref, Static, Tup, is_literal
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Value
from sct.ir.types import FLOAT, INT, ActiveText, Optional, Tensor, Text, Undef
from sct.ops import BY_CALL, OPS, lt

__all__ = ["BINARY", "UNARY", "binary", "in_place", "unary"]

BINARY: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    gast.Add: ("add", operator.add), gast.Sub: ("sub", operator.sub), gast.Mult: ("mul", operator.mul),
    gast.Div: ("truediv", operator.truediv), gast.FloorDiv: ("floordiv", operator.floordiv),
    gast.Mod: ("mod", operator.mod), gast.Pow: ("pow", operator.pow), gast.MatMult: ("matmul", operator.matmul),
    gast.BitAnd: ("and_", operator.and_), gast.BitOr: ("or_", operator.or_), gast.BitXor: ("xor", operator.xor),
    gast.LShift: ("lshift", operator.lshift), gast.RShift: ("rshift", operator.rshift),
}


SYMBOLS: dict[type, str] = {
    gast.Add: "+", gast.Sub: "-", gast.Mult: "*", gast.Div: "/", gast.FloorDiv: "//", gast.Mod: "%", gast.Pow: "**",
    gast.MatMult: "@", gast.BitAnd: "&", gast.BitOr: "|", gast.BitXor: "^", gast.LShift: "<<", gast.RShift: ">>"}

_METHOD = {"and_": "and", "or_": "or"}

_OF_STRINGS: dict[type, Callable[[Evaluator, Abstract, Abstract], Abstract | None]] = {
    gast.Add: concatenated, gast.Mult: repeated_text}


UNARY: dict[type, tuple[str, Callable[[Any], Any]]] = {
    gast.USub: ("neg", operator.neg), gast.UAdd: ("pos", operator.pos), gast.Invert: ("invert", operator.invert),
}


def binary(ev: Evaluator, kind: type, a: Abstract, b: Abstract, in_place: Callable[..., Any] | None = None) -> Abstract:
    """`a op b`; `in_place`: as part of `a op= b`."""
    spelling, run = BINARY[kind]
    each = distributed(ev, (a, b), lambda values: binary(ev, kind, values[0], values[1], in_place))
    if each is not None:
        return each
    a, b = as_set(ev, a), as_set(ev, b)
    name = _METHOD.get(spelling, spelling)
    if is_member(a, b) and (own := reflected(ev, a, b, f"__{name}__", f"__r{name}__")) is not None:
        return own
    if isinstance(a, Static) and isinstance(b, Static) and _is_known(a) and _is_known(b):
        try:
            return lift(ev, (in_place or run)(a.value, b.value))
        except TypeError as error:
            return raise_at_run_time(ev, "TypeError", str(error))
        except (ArithmeticError, ValueError):
            pass  # raised again when the program runs
    if (value := run_time_sets.combined(ev, kind, a, b)) is not None:
        return value
    if is_object(a, b):
        result = reflected(ev, a, b, f"__{name}__", f"__r{name}__")
        if result is not None:
            return result
        if (held := (contents_of(ev, a), contents_of(ev, b))) != (a, b):
            return binary(ev, kind, *held, in_place)
        counted = kind is gast.Mult and any(special_method(ev, v, "__index__") is not None for v in (a, b))
        if not (counted or kind in (gast.Add, gast.Mult) and any(isinstance(v, Tup) for v in (a, b))):
            return undefined(ev, in_place or run, a, b)
    if ev.functions.plan.kinds and (pair := _text_and_float(a, b)) is not None and kind is not gast.Mod:
        return undefined(ev, in_place or run, *pair)
    if kind in _OF_STRINGS and (value := _OF_STRINGS[kind](ev, a, b)) is not None:
        return value
    if kind in (gast.MatMult, gast.Mult) and (value := sparse_product(ev, SYMBOLS[kind], a, b)) is not None:
        return value
    if kind is gast.Add and (is_plain_tuple(a) and is_plain_tuple(b) or all(isinstance(v, ListRef) for v in (a, b))):
        return combined(ev, kind, in_place or run, a, b)
    a, b = constants_as_objects(ev, a, b)
    if (value := by_python(ev, f"{{0}} {SYMBOLS[kind]} {{1}}", a, b)) is not None:
        return value
    a, b = plain_numbers(ev, a, b)
    if kind is gast.Mod and isinstance(a, Static) and isinstance(a.value, str):
        return _formatted_by_percent(ev, a.value, b)
    if is_sequence(a) or is_sequence(b):
        if not isinstance(a, Ref) and not isinstance(b, Ref):
            return combined(ev, kind, in_place or run, a, b)
        a, b = arrays_of(ev, a, b)
    if any(isinstance(v, Container) or isinstance(v, Static) and not is_literal(v) or v == Static(None)
           for v in (a, b)):
        return undefined(ev, in_place or run, a, b)
    _no_strings(ev, a, b)
    return _of_numbers(ev, kind, a, b)


def _of_numbers(ev: Evaluator, kind: type, a: Abstract, b: Abstract) -> Abstract:
    """An operator between numbers and arrays."""
    spelling, run = BINARY[kind]
    if kind in _BITS:
        operands = [ev.as_int(ev.operand(v)) for v in (a, b)]
        if not all(isinstance(x.type, Tensor) and x.type.kind == "b" for x in operands):
            return ev.wrap(ev.emit(OPS[_BITS[kind]], *operands, spelling=f"operator.{spelling}"))
    if kind in (gast.Mod, gast.FloorDiv) and b == Static(0) and all(map(_is_int, (a, b))):
        run_or_raise(ev, lambda: run(1, 0))  # raises, whatever reads the result
    op = BY_CALL.get(f"operator.{spelling}")
    if op is None:
        ev.refuse("SCT103", f"the operator `{kind.__name__}` is not supported")
    attrs = {"whole": True} if kind is gast.Pow and _is_whole(ev, a, b) else {}
    return ev.combined(op, (a, b), lambda: ev.call_op(op, a, b, spelling=f"operator.{spelling}", **attrs))


def _is_whole(ev: Evaluator, base: Abstract, exponent: Abstract) -> bool:
    """Is a power of Python ints an int, since the exponent is not negative?  A guard tells, where it can be asked."""
    if not isinstance(exponent, Value) or not all(map(_is_int, (base, exponent))):
        return False
    if exponent.dim is not None and exponent.dim.least >= 0:
        return True
    is_negative = ev.wrap(ev.emit(lt, exponent, 0, spelling="operator.lt"))
    try:
        return not ev.ask(is_negative, "the sign of an exponent", assumed=False)
    except (NeedsStatic, SctError):
        return False


def _text_and_float(a: Abstract, b: Abstract) -> list[Abstract] | None:
    """A string and a float, for which no operator but `%` is defined; the string as one that stands for any."""
    texts = [isinstance(v, Value) and isinstance(v.type, (ActiveText, Text)) or
             isinstance(v, Static) and type(v.peek) is str for v in (a, b)]
    number = b if texts[0] else a
    if sum(texts) != 1 or not (number.type == FLOAT if isinstance(number, Value) else
                               isinstance(number, Static) and type(number.peek) is float):
        return None
    return [Static("") if is_text else v for is_text, v in zip(texts, (a, b))]


def _formatted_by_percent(ev: Evaluator, text: str, values: Abstract) -> Abstract:
    """`text % values`; values known only at run time as in an f-string."""
    items = values.items if isinstance(values, Tup) else (values,)
    if all(map(is_literal, items)):
        arguments = tuple(x.value for x in items if isinstance(x, Static))
        return Static(run_or_raise(ev, lambda: text % (arguments if isinstance(values, Tup) else arguments[0])))
    texts = re.split(_CONVERSION, text)
    conversions = re.findall(_CONVERSION, text)
    fit = not any("%" in t.replace("%%", "") for t in texts) and len(conversions) == len(items)
    if not fit or any(c[-1] not in "sr" and not _is_number(x) for c, x in zip(conversions, items)) or \
            any(isinstance(x, (ListRef, DictRef)) for x in items):
        ev.refuse("SCT501", "this `%` of a text is not supported with values known only at run time",
                  hint="use an f-string")
    pieces: list[Abstract] = [Static(texts[0].replace("%%", "%"))]
    for conversion, x, after in zip(conversions, items, texts[1:]):
        pieces += [_by_percent(ev, conversion, x), Static(after.replace("%%", "%"))]
    return joined(ev, "", Tup(tuple(pieces)))


def _is_number(x: Abstract) -> bool:
    if isinstance(x, Static):
        return isinstance(x.peek, (bool, int, float, complex))
    return isinstance(x, Value) and isinstance(x.type, Tensor)


_CONVERSION = r"%[-+ 0]*\d*(?:(?:\.\d+)?[eEfFgGsr]|[di])"
"""A conversion that the format of an f-string has as well."""


def _by_percent(ev: Evaluator, conversion: str, x: Abstract) -> Abstract:
    """`conversion % x`."""
    flags, kind = re.sub(r"[^-+ 0].*", "", conversion[1:]), conversion[-1]
    size = conversion[1 + len(flags):-1]
    if kind in "sr":
        x = ev.call(Static(str if kind == "s" else repr), [x])
        return ev.call(Static(format), [x, Static(("<" if "-" in flags else ">") + size if size else "")])
    if kind in "di":
        x = ev.call(Static(int), [x])
    align = "<" if "-" in flags else ""
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zero = "0" if "0" in flags and not align else ""
    return ev.call(Static(format), [x, Static(align + sign + zero + size + ("d" if kind in "di" else kind))])


_BITS = {gast.BitAnd: "bitand", gast.BitOr: "bitor", gast.BitXor: "bitxor", gast.LShift: "lshift",
         gast.RShift: "rshift"}
"""The ops of ints; of truth values `&` is `logical_and`."""


def _is_int(v: Abstract) -> bool:
    """Is this an int of Python?"""
    return isinstance(v, Value) and v.type == INT or isinstance(v, Static) and type(v.value) is int


def _is_known(v: Static) -> bool:
    """Is this a number, a flag, a member of an enum, a class or a set, with which Python itself computes?"""
    return is_literal(v) or isinstance(v.peek, (enum.Enum, type, types.UnionType)) or \
        isinstance(v.peek, (set, frozenset)) and (v.path is None or type(v.peek) is frozenset)


def in_place(ev: Evaluator, kind: type, a: Abstract, b: Abstract) -> Abstract:
    """The value that `a op= b` assigns."""
    spelling, _ = BINARY[kind]
    if is_row_display(a) and kind is gast.BitOr:
        refuse_change(ev, f"`{SYMBOLS[kind]}=` of")
    if (each := distributed(ev, (a, b), lambda values: in_place(ev, kind, *values))) is not None:
        return each
    name = _METHOD.get(spelling, spelling)
    result = special_call(ev, a, f"__i{name}__", b)
    if result is not None and result != Static(NotImplemented):
        return result
    if written(ev, kind, a, b):
        return a
    if is_changed_in_place(ev, a):
        ev.refuse("SCT307", "an object that sct does not see into may be changed in place",
                  why="other names may hold it, and would have to change with it",
                  hint="write the new value out: `a = a + b`; or call the method: `a.extend(b)`, `a.update(b)`")
    return binary(ev, kind, a, b, getattr(operator, f"i{name}"))


def _no_strings(ev: Evaluator, *values: Abstract) -> None:
    for v in values:
        if isinstance(v, Static) and isinstance(v.value, str):
            ev.refuse("SCT501", "arithmetic on strings is not supported with values known only at run time",
                      hint="use an f-string")
        if isinstance(v, Value) and not isinstance(v.type, (Tensor, Optional, Undef)):
            ev.refuse_object(v, "arithmetic on")


@expression(gast.BinOp)
def binop(ev: Evaluator, node: Any) -> Abstract:
    with ev.temporaries.dropped():
        operands = ev.eval(node.left), ev.eval(node.right)
    return binary(ev, type(node.op), *operands)


def unary(ev: Evaluator, kind: type, v: Abstract) -> Abstract:
    """`op v`."""
    if (each := distributed(ev, (v,), lambda values: unary(ev, kind, values[0]))) is not None:
        return each
    spelling, run = UNARY[kind]
    result = special_call(ev, v, f"__{spelling}__")
    if result is not None:
        return result
    if is_object(v) or isinstance(v, Container) or v == Static(None):
        return undefined(ev, run, v)
    if isinstance(v, Static) and isinstance(v.peek, (bool, int, float, complex, str, enum.Enum)):
        return lift(ev, run_or_raise(ev, lambda: run(v.value)))
    if kind is gast.USub and (value := by_python(ev, "-{0}", *constants_as_objects(ev, v))) is not None:
        return value
    _no_strings(ev, v)
    op = BY_CALL.get(f"operator.{spelling}")
    if op is None:
        ev.refuse("SCT103", f"the operator `{kind.__name__}` is not supported")
    t = ev.type_of(v) if isinstance(v, (Value, Ref)) else None
    if kind is gast.Invert and isinstance(t, Tensor) and t.kind == "i":
        return binary(ev, gast.Sub, unary(ev, gast.USub, v), Static(1))
    return ev.call_op(op, v, spelling=f"operator.{spelling}")
