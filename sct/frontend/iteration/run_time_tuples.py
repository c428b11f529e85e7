"""Tuples whose length is known only at run time, where a function of a library takes them.

    sum(t), np.array(t)     as of the list of their items
    xs, ys = zip(*points)   a tuple for each part of the items of a list
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.heap import dynamic_lists, item_forms
from sct.frontend.heap.dynamic_list_methods import shared
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.values.abstract_values import (
    Abstract,
    Closure,
    ListRef,
    RunTimeTuple,
    Static,
    Tup,
)
from sct.frontend.values.guards import NeedsStatic
from sct.frontend.values.item_schemas import holds_objects, leaf_numbers, map_leaves
from sct.ir.types import List
from sct.ops import gt

__all__ = ["as_lists", "is_zip_of_lists", "transposed"]

_GIVE_NO_ARGUMENT = frozenset({
    len, sum, sorted, any, all, enumerate, zip, filter, map, reversed, iter, list, set, frozenset, dict,
    itertools.chain, itertools.accumulate, itertools.islice, itertools.product, itertools.combinations,
    itertools.permutations, itertools.combinations_with_replacement, itertools.cycle, itertools.takewhile,
    itertools.dropwhile, itertools.filterfalse, itertools.starmap, itertools.zip_longest, itertools.groupby,
    itertools.tee, itertools.compress, getattr(itertools, "pairwise", None)})
"""Functions that read the items of their positional arguments, and do not give the arguments themselves."""


def _takes_lists(f: Any, args: Sequence[Abstract]) -> bool:
    """Does the function treat a tuple among its positional arguments as it does a list?"""
    if f in (min, max):
        return len(args) == 1
    if f is functools.reduce:
        return len(args) == 2
    module = getattr(f, "__module__", None)
    own = f in _GIVE_NO_ARGUMENT or module == "math" and f is not math.isclose
    of_numpy = module is not None and module.split(".")[0] == "numpy" or isinstance(f, np.ufunc)
    return own or of_numpy and not any(isinstance(a, Closure) or callable(getattr(a, "peek", None)) for a in args)


def as_lists(f: Any, args: Sequence[Abstract]) -> Sequence[Abstract]:
    """The positional arguments of a call of a library's function, with lists in the place of tuples whose length is
    known only at run time, where that makes no difference."""
    if not any(isinstance(a, RunTimeTuple) for a in args) or not _hashable(f) or not _takes_lists(f, args):
        return args
    return [a.of if isinstance(a, RunTimeTuple) else a for a in args]


def _hashable(f: Any) -> bool:
    return type(f).__hash__ is not None


def is_zip_of_lists(ev: Evaluator, fn: Abstract, rows: Abstract) -> bool:
    """Is this `zip(*rows)` of a list of lists, whose lengths are known only at run time?"""
    if not (isinstance(fn, Static) and fn.peek is builtins.zip and isinstance(rows, ListRef)) or \
            not dynamic_lists.is_dynamic(ev, rows):
        return False
    schema, types = item_forms.item_type(ev, rows)
    return schema == 0 and isinstance(types[0], List)


def transposed(ev: Evaluator, fn: Abstract, rows: Abstract, unpacked: bool) -> Abstract | None:
    """`zip(*rows)` of a list, whose length is known only at run time, of tuples; None of other calls.

    There is nothing to give if there is no row.  Where that is known only at run time, the program raises: what Python
    raises where a statement unpacks the columns, and else an error of sct, which no handler of the program catches.
    """
    of = rows.of if isinstance(rows, RunTimeTuple) else rows
    if not (isinstance(fn, Static) and fn.peek is builtins.zip) or not isinstance(of, ListRef) or \
            not dynamic_lists.is_dynamic(ev, of):
        return None
    schema, types = item_forms.item_type(ev, of)
    if not isinstance(schema, tuple) or not schema or holds_objects(schema) or any(isinstance(t, List) for t in types):
        return None
    filled = ev.emit(gt, dynamic_lists.length(ev, of), 0, spelling="operator.gt")
    try:
        if not ev.ask(ev.wrap(filled), "whether a list has an item"):
            return ev.call(Static(iter), [Tup(())])
    except NeedsStatic:
        error, text = ("ValueError", f"not enough values to unpack (expected {len(schema)}, got 0)") if unpacked else (
            "TypeError", f"`zip(*rows)` of a list without items gives nothing, and {len(schema)} columns were expected")
        with contextlib.nullcontext() if unpacked else ev.tries.none():
            evaluate_branches(ev, filled, lambda: Static(None), lambda: raise_at_run_time(ev, error, text))
    columns, held = dynamic_lists.columns(ev, of), shared(ev, of)
    parts: list[Abstract] = []
    for part in schema:
        numbers = leaf_numbers(part)
        own = ev.new_dynamic_list(map_leaves(part, numbers.index), [columns[k] for k in numbers], held=held)
        parts.append(RunTimeTuple(own))
    return ev.call(Static(iter), [Tup(tuple(parts))])
