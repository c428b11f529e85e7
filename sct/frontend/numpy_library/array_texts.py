"""Texts of arrays and numbers that NumPy makes.  As `str(x)` they need no derivative, and carry none.

    print(np.array2string(beta, precision=4))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special
from sct.frontend.heap.inactive import template_of
from sct.frontend.operators.text_formatting import may_show_derivative
from sct.frontend.values.abstract_values import Abstract
from sct.ir import Operand, Value
from sct.ir.types import ActiveText, Text
from sct.ops import stop_gradient
from sct.ops.program.effects import inactive

__all__: list[str] = []


def _text_by(f: Any) -> Special:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        operands: list[Operand] = []
        texts = [template_of(ev, v, operands) for v in args]
        named = {name: template_of(ev, v, operands) for name, v in kwargs.items()}
        if None in texts or None in named.values():
            ev.refuse("SCT205", f"an argument of `np.{f.__name__}` is not supported", hint="pass numbers and strings")
        passed = ", ".join([*map(str, texts), *(f"{name}={text}" for name, text in named.items())])
        active = any(may_show_derivative(ev, x) for x in operands)
        shown = [ev.emit(stop_gradient, x) if isinstance(x, Value) and may_show_derivative(ev, x) else x
                 for x in operands]
        return ev.emit(inactive, *shown, text=f"numpy.{f.__name__}({passed})",  # type: ignore[no-any-return]
                       type=ActiveText() if active else Text())

    return handler


for _f in (np.array2string, np.array_str, np.array_repr, np.format_float_positional, np.format_float_scientific):
    SPECIAL[id(_f)] = _text_by(_f)
