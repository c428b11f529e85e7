"""The IR: types, values, equations, the builder, and the tools to read and check it.

`core` has the nodes and the schema of an op, `types` the types, `dims` the symbolic sizes of shapes, `build` the
builder that types equations as they are made. `check` verifies a program, `interp` runs it (the oracle of passes),
`text` prints and reads it. `uses` says where values are bound and read, `loop_view` names the parts of a loop equation,
`affine` proves bounds of index expressions, `array_accesses` that two of them touch no common element. `pytrees` says
how Python values are made of IR values; `real_ints` says which ints the function is differentiated by.

Invariants: the IR is in A-normal form, every value is bound once, and nodes are not changed after they are made.
"""

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
    is_undef,
    rebuild,
    substitute,
    undef,
    walk,
)

__all__ = [
    "UNDEF", "Builder", "Eqn", "Fn", "Lit", "Loc", "Op", "Operand", "Value", "builder_var", "free_values",
    "has_effect", "is_effect", "is_float", "is_undef", "operand", "rebuild", "substitute", "undef", "walk",
]
