"""Translation validation: a compiled function is compared with Python itself.

In:  a traced function and the arguments of a call. Out: True, or the reason why it was not compared; SCT601 is raised
     where sct read the function otherwise than Python.

`primal` takes the function as read out of the IR; `validate` runs it and the user's function on copies (`clone`),
without visible effects (`quiet`), and compares the outcomes (`compare`). Where they differ, `replay` finds the first
assignment at which they diverge. `observe` runs the function on copies too: for types that its source does not tell;
`instrument` writes the code that tells them, `observed_operands` are objects whose special methods run as such code,
and `outside_calls` says what may be called there. `outside_reads` compares what a call has read from outside with what
it is after the call.
"""

from sct.validation.observe import for_observed_types, observer, refuses_type
from sct.validation.validate import OFF, Validation, validation_mode

__all__ = ["OFF", "Validation", "for_observed_types", "observer", "refuses_type", "validation_mode"]
