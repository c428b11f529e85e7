"""The IR: types, values, equations, the builder and the tools to read and check it."""

from sct.errors import Loc
from sct.ir.build import Builder, operand
from sct.ir.core import (
    UNDEF,
    Eqn,
    Fn,
    Lit,
    Op,
    Operand,
    Value,
    builder_var,
    free_values,
    has_effect,
    is_effect,
    is_float,
    rebuild,
    substitute,
    undef,
    walk,
)

__all__ = [
    "UNDEF", "Builder", "Eqn", "Fn", "Lit", "Loc", "Op", "Operand", "Value", "builder_var", "free_values",
    "has_effect", "is_effect", "is_float", "operand", "rebuild", "substitute", "undef", "walk",
]
