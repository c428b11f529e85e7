"""Calls that are kept, in order, run once and not differentiated."""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import re
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from sct.ir.core import Eqn, Operand
from sct.ir.types import INT, Opaque, Tensor, Type, base_type
from sct.ops.registry import op, placeholders
from sct.ops.type_rules import numpy_dtype

__all__ = [
    "apply", "enter", "formats", "fstring", "guarded", "inactive", "leave", "may_change", "membership", "part",
    "print_", "python", "raise_", "runs_code_of_operands",
    "samples_of"]

OBJECT = Opaque()


def opaque(*_: Any, type: Type = OBJECT, **__: Any) -> Type:
    """The type of a call that nothing is known of; the attr `type` may say more."""
    return type


def run_raise(exception: BaseException, *cause: BaseException | None) -> NoReturn:
    if cause:
        raise exception from cause[0]
    raise exception


def run_python(*args: Any, callee: str, keywords: tuple[str, ...] = (), **_: Any) -> Any:
    return run_apply(getattr(builtins, callee.removeprefix("builtins.")), *args, keywords=keywords)


def run_apply(fn: Any, *args: Any, keywords: tuple[str, ...] = (), **_: Any) -> Any:
    split = len(args) - len(keywords)
    return fn(*args[:split], **dict(zip(keywords, args[split:])))


def called(callee: str, first: int, count: int, keywords: tuple[str, ...]) -> str:
    """The template of a call whose last operands are given by keyword."""
    names = [""] * (count - first - len(keywords)) + [f"{name}=" for name in keywords]
    return f"{callee}({', '.join(name + value for name, value in zip(names, placeholders(count, first)))})"


def run_fstring(*args: Any, parts: tuple[Any, ...], **_: Any) -> str:
    values = iter(args)
    return "".join(p if isinstance(p, str) else _formatted(next(values), *p) for p in parts)


def _formatted(value: Any, conversion: str, spec: str) -> str:
    convert: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}
    return format(convert[conversion](value) if conversion else value, spec)


def samples_of(t: Type) -> list[Any]:
    """A number or an array of each kind that one of this type may be; none if it may be anything."""
    if not isinstance(t, Tensor):
        return []
    if t.carrier in ("np", "array"):
        ones = np.ones((1,) * t.rank, numpy_dtype(t.dtype.removeprefix("r")))
        return [ones if t.is_array else ones[()]]
    numbers: dict[str, list[Any]] = {"b": [True], "i": [1], "f": [1.0] if t.dtype == "float" else [1, 1.0],
                                     "c": [1j] if t.dtype == "complex" else [1.0, 1j]}
    return numbers[t.kind]


def formats(x: Operand, spec: str) -> bool:
    """Does a format take what `x` may be, whatever its value?"""
    try:
        return not spec or spec[-1] != "c" and bool([format(each, spec) for each in samples_of(x.type)])
    except (TypeError, ValueError):
        return False


def emit_fstring(*args: Any, parts: tuple[Any, ...], **_: Any) -> str:
    values = placeholders(len(args))
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += repr(part + '"')[1:-2].replace("{", "{{").replace("}", "}}")  # the '"' makes repr choose "'"
            continue
        conversion, spec = part
        text += "{" + next(values) + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"
    return f"f'{text}'"


def bind_print(*args: Any, sep: str = " ", end: str = "\n") -> tuple[list[Any], dict[str, Any]]:
    return list(args), {"sep": sep, "end": end}


def run_print(*args: Any, file: str = "", **attrs: Any) -> None:
    print(*args, **attrs, file=sys.stderr if file else None)


def emit_print(*args: Any, file: str = "", **attrs: Any) -> str | None:
    if not file:
        return None
    keywords = [f"{k}={v!r}" for k, v in attrs.items() if v != print_.defaults[k]]
    return f"print({', '.join([*placeholders(len(args)), *keywords, f'file={file}'])})"


print_ = op("print_", "builtins.print", type=opaque, run=run_print, bind=bind_print, emit=emit_print,
            defaults={"sep": " ", "end": "\n", "file": "", "flush": False}, effect=True, cost="never",
            nondiff="an effect", complex=True)
"""`file` is the expression of a stream other than the standard output."""

raise_ = op("raise_", type=lambda *_: (), run=run_raise, raises="value", effect=True, cost="never",
            nondiff="it ends the function", complex=True)
"""`raise exception`, or `raise exception from cause`."""

python = op("python", type=opaque, run=run_python, defaults={"keywords": ()}, raises="value", effect=True, cost="never",
            emit=lambda *a, callee, keywords=(), **_: called(callee.removeprefix("builtins."), 0, len(a), keywords),
            nondiff="an opaque call", complex=True)

apply = op("apply", type=opaque, run=run_apply, defaults={"keywords": ()}, raises="value", effect=True, cost="never",
           emit=lambda *a, keywords=(), **_: called("_0", 1, len(a), keywords), nondiff="an opaque call", complex=True)

def run_inactive(*args: Any, text: str, **_: Any) -> Any:
    names = {f"_{k}": x for k, x in enumerate(args)}
    modules = {name: importlib.import_module(name) for name in _module_names(text)}
    return eval(text, {**modules, **names})


@functools.cache
def _module_names(text: str) -> tuple[str, ...]:
    names = {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
    return tuple(name for name in sorted(names) if name[0] != "_" and not hasattr(builtins, name))


def runs_code_of_operands(eqn: Eqn) -> bool:
    """Does this call an operand, or a method of one: code of which nothing is known?"""
    text = eqn.attrs.get("text")
    return eqn.op is apply or isinstance(text, str) and re.search(r"\b_\d+[\w.\[\]]*\(", text) is not None


def may_change(t: Type) -> bool:
    """May an object of this type change, so that what is told of it holds at one place of the program alone?"""
    return type(base_type(t)) is Opaque


inactive = op("inactive", type=opaque, run=run_inactive, raises="value", effect=True, cost="never",
              emit=lambda *_, text, **__: text, nondiff="it is evaluated by Python itself", complex=True)
"""An expression that Python evaluates; `text` is its template: "statistics.mean(_0)"."""

lookup = op("lookup", type=lambda *_, type=INT, **__: type, run=run_inactive, raises="value", cost="read",
            emit=lambda *_, text, **__: text, nondiff="a position, a part of a string, or a number that a string shows")
"""What Python computes of strings and numbers of run time alone: the position of a key, `{"a": 0, "b": 1}[_0]`, a part
of a string, or the number that it shows, `float(_0)`."""

part = op("part", type=opaque, run=run_inactive, raises="never", cost="read", nondiff="it is not differentiated",
          emit=lambda *_, text, **__: text, complex=True)
"""A part of an object that does not change: an item of a tuple, or of a list that only this function holds; and what
is told of strings and numbers, `len(_0)`, `_0 in (_1, _2)`."""

guarded = op("guarded", type=lambda *_: (), run=lambda *_: None, raises="never", cost="free", complex=True,
             nondiff="its operand decides which program is compiled")
"""A guard has told whether this test for nan holds.  So elements may be left out by a program in which no test is read;
the equation keeps the test until everything is differentiated."""

membership = op("membership", type=opaque, run=run_inactive, raises="never", cost="read", complex=True,
                emit=lambda *_, text, **__: text, nondiff="it tells of equality alone, as `==` does")
"""Whether an item is among numbers, strings and tuples of these, or how often: `_1 in _0`, `_0.count(_1)`."""

enter = op("enter", type=lambda *_, **__: (), run=lambda *_, **__: None, defaults={"keywords": ()}, raises="value",
           effect=True, cost="never", nondiff="it changes no number",
           emit=lambda *a, callee, keywords=(), **_: called(callee, 0, len(a), keywords) if callee else "_0",
           complex=True)
"""The first of two that stand around what is done in a `with`; the other is `leave`.  Without a callee, the operand is
the context itself: a lock."""

leave = op("leave", type=lambda: (), run=lambda: None, emit="None", effect=True, cost="never",
           nondiff="it changes no number", complex=True)

fstring = op("fstring", type=opaque, run=run_fstring, emit=emit_fstring, nondiff="a string",
             raises="value", safe=lambda *args, parts, **_: all(
                 formats(x, spec) for x, (_, spec) in zip(args, [p for p in parts if not isinstance(p, str)])),
                 complex=True)
