"""The IR: types, values, equations, the builder, and the tools to read and check it.

`core` has the nodes and the schema of an op, `types` the types and symbolic sizes, `build` the builder that types
equations as they are made.  `check` verifies a program, `interp` runs it (the oracle of passes), `text` prints and
reads it.  `uses` says where values are bound and read, `loop_view` names the parts of a loop equation, `affine` proves
bounds of index expressions.  `pytree`, `user_objects` and `real_ints` say how Python values are made of IR values,
`messages` what messages call them.

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
    rebuild,
    substitute,
    undef,
    walk,
)

__all__ = [
    "UNDEF", "Builder", "Eqn", "Fn", "Lit", "Loc", "Op", "Operand", "Value", "builder_var", "free_values",
    "has_effect", "is_effect", "is_float", "operand", "rebuild", "substitute", "undef", "walk",
]
