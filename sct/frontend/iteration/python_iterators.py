"""Iterators of Python, as generator functions that ask them for one item after the other:

    for row in csv.reader(lines): ...   ->   rows = csv.reader(lines)
                                             while True:
                                                 row = next(rows, rows)
                                                 if row is rows: break
                                                 ...

so that a loop over them takes an item when an iteration begins, as Python does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.iteration.iterator_protocol import new_iterator
from sct.frontend.iteration.python_iterables import PythonIterable, check_class, python_item, python_iterable
from sct.frontend.values.abstract_values import Abstract, Iteration, Static
from sct.ir import Value
from sct.ir.types import BOOL
from sct.ops.program.effects import inactive, part

__all__ = ["RUN_OVER", "arguments_run_over", "generator_of_python", "is_python_iterator", "python_iterator"]


RUN_OVER = (enumerate, filter, map, zip)
"""Builtins that make iterators of their arguments."""


def arguments_run_over(ev: Evaluator, fn: Abstract, args: Sequence[Abstract], nodes: Sequence[Any]) -> list[Abstract]:
    """The arguments of a call; an object of Python that `map` and the like run over is the iterator of its items."""
    if not (isinstance(fn, Static) and any(fn.value is f for f in RUN_OVER)) or \
            len(args) != len(nodes):
        return [*args]
    iterables = [python_iterable(ev, v, node) for v, node in zip(args, nodes)]
    return [v if of is None else new_iterator(ev, "python", (v, Static(of))) for v, of in zip(args, iterables)]


def python_iterator(ev: Evaluator, over: Abstract, node: Any) -> Iteration | None:
    """The iterator that an iterator of Python is for sct; `node` is its syntax.  None of other values."""
    iterable = python_iterable(ev, over, node)
    if iterable is None or not iterable.is_iterator:
        return None
    return new_iterator(ev, "python", (over, Static(iterable)))


def is_python_iterator(v: Iteration) -> bool:
    """Is this an iterator of Python, whose items are not known before they are asked for?"""
    return v.kind == "python" and _iterable_of(v.parts[1]).is_iterator


def _iterable_of(v: Abstract) -> PythonIterable:
    assert isinstance(v, Static) and isinstance(v.value, PythonIterable)
    return v.value


def generator_of_python(ev: Evaluator, v: Iteration) -> Iteration:
    """The generator of a function that gives the items of an iterator of Python."""
    of, iterable = v.parts
    assert isinstance(of, Value)
    check_class(ev, of, _iterable_of(iterable))
    generator = ev.call(Static(_items), [of, iterable, Static(_next_or_itself), Static(_is_end), Static(_observed)])
    assert isinstance(generator, Iteration)
    return generator


def _items(over: Iterator[Any], iterable: PythonIterable, next_or_itself: Callable[..., Any],
           is_end: Callable[..., bool], observed: Callable[..., Any]) -> Iterator[Any]:
    while True:
        item = next_or_itself(over)
        if is_end(item, over):
            break
        yield observed(item, iterable)


def _next_or_itself(over: Iterator[Any]) -> Any:
    """The next item of an iterator, and itself at its end: no iterator gives itself.  `special` evaluates the call."""
    raise NotImplementedError


def _is_end(item: Any, over: Iterator[Any]) -> bool:
    """Has the iterator given no item?  `special` evaluates the call."""
    raise NotImplementedError


def _observed(item: Any, iterable: PythonIterable) -> Any:
    """The item, with the type that was observed.  `special` evaluates the call."""
    raise NotImplementedError


@special(_next_or_itself)
def _emit_next(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.emit(inactive, ev.operand(args[0]), text="next(_0, _0)")  # type: ignore[no-any-return]


@special(_is_end)
def _emit_is_end(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.emit(part, *map(ev.operand, args), text="_0 is _1", type=BOOL)  # type: ignore[no-any-return]


@special(_observed)
def _emit_observed(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (item, iterable) = args
    assert isinstance(item, Value)
    checked = python_item(ev, "_0", (item,), _iterable_of(iterable))
    if not isinstance(checked, Value) or checked.type != item.type:
        return checked
    item.hint = None  # it is what the loop names
    return item
