"""Writes into structured arrays: fields, and records from tuples and other records."""

from __future__ import annotations

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.heap.subscripts import assign_item
from sct.frontend.structured_arrays.copies import described, like_opaque
from sct.frontend.structured_arrays.layout import columns_of
from sct.frontend.structured_arrays.records import (
    Structured,
    columns,
    dtype_and_kind,
    is_structured,
    name_of_field,
    names_of_fields,
    parts_of_key,
    rank_of,
    record_item,
    row_key,
    write_field,
)
from sct.frontend.values.abstract_values import Abstract, Static, Tup

__all__: list[str] = []


@special(Structured.__setitem__)
def _set_item(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    self, key, value = args
    dtype, _ = dtype_and_kind(self)
    if (name := name_of_field(ev, self, key)) is not None:
        write_field(ev, self, name, value)
        return Static(None)
    if names_of_fields(ev, key):
        ev.refuse("SCT303", "a write to several fields of a structured array at once is not supported",
                  hint="write one field after the other")
    row = row_key(ev, self, key)
    if (of := described(ev, value)) is not None:
        value = like_opaque(ev, value, of)
    if is_structured(value):
        if dtype_and_kind(value)[0] != dtype:
            ev.refuse("SCT303", "records of another dtype are written into a structured array",
                      hint="write one field after the other")
        values = columns(ev, value)
        for group, x in columns(ev, self).items():
            assign_item(ev, x, row, values[group])
        return Static(None)
    if not isinstance(value, Tup) or value.fields:
        ev.refuse("SCT303", "what is written into records of a structured array is neither a tuple nor a record",
                  hint="write one field after the other")
    if len(value.items) != len(columns_of(dtype)):
        raise_at_run_time(ev, "ValueError", "could not assign tuple of length "
                          f"{len(value.items)} to structure with {len(columns_of(dtype))} fields.")
    view = record_item(ev, [self, key], {})
    if rank_of(ev, view) and not all(isinstance(k, (Static, Tup)) for k in parts_of_key(key)):
        ev.refuse("SCT303", "a tuple is written into selected records of a structured array",
                  hint="write one field after the other")
    for name, x in zip(columns_of(dtype), value.items):
        write_field(ev, view, name, x)
    return Static(None)
