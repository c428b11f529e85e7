"""Aliasing of arguments with each other and with free variables, where an argument is written.

    f(a, a), a written        the function is evaluated again with one array under two names
    f(a, a[1:]), a written    refused
    f(a, b)                   that `b` shares no memory with `a` is a guard
    f(o), o also global       refused if `o` is written; otherwise a guard says that they are two objects
    f([row] * 9)              refused if a row is written; otherwise a guard says that the rows are different lists
    f(o, o.method)            refused where the method is called: its object is an argument; otherwise a guard says that
                              it is not
"""

from __future__ import annotations

import functools
import itertools
import logging
import types
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sct.errors import SctError
from sct.frontend.arguments.abstract_arguments import is_mutable_container
from sct.frontend.arguments.argument_keys import is_one_value, kind_of_map
from sct.frontend.arguments.type_syntax import Columns
from sct.frontend.state.store import is_written
from sct.frontend.values.abstract_values import PLAIN, Array, Cell, Origin
from sct.frontend.values.guards import UNKNOWN, Guard
from sct.ir import Fn, Value, walk
from sct.ir.pytrees.pytree import Node, Tree, children_of
from sct.ir.pytrees.user_objects import dict_of, is_container, stored_values
from sct.ir.types import List, Tensor, Type

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = [
    "Shared", "apart", "cell_contents", "check_aliasing", "containers_of", "shared_with_callable", "use_callable",
    "written_leaves",
]

MOST_WORK = 100_000
"""The work limit of the test whether interleaved arrays, such as columns, have elements in common."""


class Shared(Exception):
    """An array is passed twice and written: its two names are one."""


def written_leaves(ev: Evaluator, before: Mapping[int, Cell]) -> set[int]:
    """The leaves of arguments that are written; `before` are the cells that the arguments were at first."""
    return {k for a, cell in before.items() if isinstance(cell, Array) and cell.origin == Origin.ARGUMENT
            and (is_written(cell, ev.store.cells.get(a)) or a in ev.enclosing.written)
            for k, p in enumerate(ev.params) if p is cell.value}


def check_aliasing(ev: Evaluator, fn: Fn, written: set[int], shared: bool) -> None:
    """Guards that written leaves share no memory with other leaves; refuses those that do.

    shared  an array that is passed twice has been evaluated as one

    Ahead of time, arguments are assumed to share no memory.
    """
    written_at = ev.containers.written
    loc, what = (written_at, "writes to its arguments") if written_at else ev.containers.compared or (None, "")
    if loc and ev.containers.passed_twice and not shared:
        raise Shared
    records, maps = ev.containers.records, ev.containers.maps
    if loc and not apart(ev.outside.arguments, (), records, maps):
        raise SctError("SCT305",
                       f"the same list, dict or object occurs twice in the arguments, and the function {what}",
                       why="a write to one of the two is a write to the other" if written_at else
                       "the two are one object",
                       hint="copy each of them first: `[list(row) for row in rows]`", loc=loc)
    if loc and not apart(ev.outside.arguments, list(ev.containers.outside.values()), records, maps):
        raise SctError("SCT305", f"the function {what}, one of which it also reads through a global, a closure, a "
                       "default or `self`", hint="pass a copy", loc=loc)
    free = {ev.params.index(f.param) for f in ev.outside.leaves}
    written = written | {k for k, p in enumerate(ev.params) if p in ev.containers.copied}
    tests, checks = [], []
    for i in sorted(written):
        for j, p in enumerate(ev.params):
            if j == i or j in written and j < i or not _depth(p.type):
                continue
            x, y = ev.leaves[i], ev.leaves[j]
            how = "apart" if x is UNKNOWN or y is UNKNOWN else relation(x, y)
            if x is y and x is not UNKNOWN and not shared and not {i, j} & free:
                raise Shared
            if how == "shared" or how == "same" and {i, j} & free:
                _refuse(ev, fn, *sorted((i, j)))
            a, b = (min(i, j), max(i, j)) if _depth(p.type) == 1 else (i, j)
            tests.append(_text(how, a, b, ev.params))
            checks.append((how, i, j))
    if tests:
        text = "arrays share memory as before"
        ev.guards[text] = Guard(
            text, lambda leaves: all(_holds(how, leaves[i], leaves[j]) for how, i, j in checks), " and ".join(tests))


def apart(arguments: Sequence[Any], outside: Sequence[Any], records: int = True, maps: bool = False) -> bool:
    """Are the lists, dicts and objects in the arguments all different, and none of them one of `outside`?

    A list in a list that is one value is visited once.  `records`, `maps`: as in `key_of`.
    """
    reached: set[int] = set()
    rows: set[int] = set()
    todo = [(x, False) for x in arguments]
    while todo:
        x, in_one = todo.pop()
        if not isinstance(x, tuple):
            if not is_mutable_container(x):
                continue
            if id(x) in reached:
                if in_one or id(x) in rows:
                    return False
                continue
            reached.add(id(x))
            if in_one:
                rows.add(id(x))
        inside = not is_container(type(x)) and (
            in_one or is_one_value(x, records) or maps and type(x) is dict and kind_of_map(x, {}, records) is not None)
        todo += [(v, inside) for v in _held_by(x) if isinstance(v, tuple) or is_mutable_container(v)]
    left = [(x, False) for x in outside]
    while left:
        x, in_one = left.pop()
        if id(x) in reached:
            return False
        in_one = in_one or type(x) is list and is_one_value(x, records)
        if in_one or type(x) is list:
            left += [(v, in_one) for v in _held_by(x) if type(v) is list or in_one and (
                isinstance(v, tuple) or is_mutable_container(v))]
    return True


def _held_by(x: Any) -> list[Any]:
    if is_container(type(x)):
        return stored_values(x)
    return list(x.values() if isinstance(x, dict) else x)


def use_callable(ev: Evaluator, f: Any) -> None:
    """Refuses a callable, or an object that sct does not see into, in the arguments, if it holds an object, list or
    dict which is an argument, too.

    Where it holds none, this becomes a guard.
    """
    if id(f) not in ev.callable_arguments:
        return
    if isinstance(f, types.FunctionType) or not all(isinstance(x, types.ModuleType) for x in _parts_of(f)):
        ev.callables_used[id(f)] = f
    shared = shared_with_callable(ev.outside.arguments, [f])
    if shared is not None:
        name = getattr(f, "__name__", type(f).__name__)
        what = "a callable" if callable(f) else "an object"
        ev.refuse("SCT305", f"`{name}` is {what} in the arguments that holds a `{type(shared).__name__}` which is "
                  "an argument, too",
                  why="what it reads of that object would be a constant to the derivative, and writes are not seen",
                  hint="let it take the object as a parameter, or call the method of the object itself")


def shared_with_callable(arguments: Iterable[Any], callables: Iterable[Any]) -> Any:
    """An object, list or dict in the arguments that one of the callables holds, too; None where there is none."""
    held = {id(x): x for x in _reachable(callables) if is_mutable_container(x) or is_container(type(x))}
    return next((x for x in _reachable(arguments, through_callables=False) if id(x) in held), None) if held else None


def _reachable(roots: Iterable[Any], through_callables: bool = True) -> Iterator[Any]:
    """The roots and what they hold at any depth, each object once, but for globals and the attributes of classes."""
    todo, seen = [*roots], dict[int, Any]()
    while todo:
        x = todo.pop()
        if type(x) not in PLAIN and id(x) not in seen:
            seen[id(x)] = x
            yield x
            todo += _parts_of(x) if _is_data(x) or through_callables else ()


def _is_data(x: Any) -> bool:
    """Is this a container whose items are arguments, too?"""
    return type(x) in (list, tuple, dict) or is_container(type(x))


def _parts_of(x: Any) -> Iterable[Any]:
    """The values that an object or a callable holds."""
    if is_container(type(x)):
        return stored_values(x)
    if isinstance(x, dict):
        return x.values()
    if isinstance(x, (list, tuple, set, frozenset, deque)):
        return x
    if isinstance(x, functools.partial):
        return x.func, *x.args, *x.keywords.values(), *vars(x).values()
    if isinstance(x, types.MethodType):
        return x.__func__, x.__self__
    if isinstance(x, (types.BuiltinMethodType, types.MethodWrapperType)):
        return (x.__self__,)
    if isinstance(x, types.FunctionType):
        cells = [each for cell in x.__closure__ or () for each in cell_contents(cell)]
        return *cells, *(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values(), *vars(x).values()
    if isinstance(x, weakref.ref):
        return (x(),)
    if isinstance(x, (type, types.ModuleType, logging.Logger)):
        return ()
    if hasattr(type(x), "__sct_transform__"):
        return (x.__sct_transform__.fn,)
    return dict_of(x).values()


def cell_contents(cell: types.CellType) -> tuple[Any, ...]:
    """The contents of the cell of a variable, in a tuple."""
    try:
        return (cell.cell_contents,)
    except ValueError:  # the variable is not bound yet
        return ()


def containers_of(x: Any, tree: Tree, numbers: dict[Any, int]) -> Iterator[int]:
    """Numbers for the lists, dicts and objects of an argument, in the order of its tree: one number for each object,
    which is visited once.

    Ahead of time, each type stands for an object of its own.
    """
    is_type = isinstance(x, (List, Columns))
    if is_type or type(x) is list or isinstance(tree, Node) and is_mutable_container(x):
        key = (len(numbers),) if is_type else id(x)
        again = key in numbers
        yield numbers.setdefault(key, len(numbers))
        if again:
            return
    if isinstance(tree, Node) and tree.kind not in ("map", "rows"):
        for part, child in zip(children_of(tree, x), tree.children):
            yield from containers_of(part, child, numbers)


def _depth(t: Type) -> int:
    """1 for an array, 2 for a list of arrays, ...; 0 for a value without arrays."""
    if isinstance(t, List):
        inner = _depth(t.elem)
        return inner + 1 if inner else 0
    return int(isinstance(t, Tensor) and t.is_array)


def _arrays(x: Any) -> Iterator[Any]:
    if isinstance(x, list):
        for item in x:
            yield from _arrays(item)
    elif isinstance(x, np.ndarray):
        yield x


def relation(x: Any, y: Any) -> str:
    """How the memory of two arrays, or of an array and a list of arrays, is related: "same", "shared", "interleaved"
    or "apart"."""
    if x is y:
        return "same"
    near = [(a, b) for a in _arrays(x) for b in _arrays(y) if np.may_share_memory(a, b)]
    if not near:
        return "apart"
    return "shared" if any(_overlap(a, b) for a, b in near) else "interleaved"


def _overlap(a: Any, b: Any) -> bool:
    try:
        return np.shares_memory(a, b, max_work=MOST_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def _holds(how: str, x: Any, y: Any) -> bool:
    now = relation(x, y)
    return now == how or how == "interleaved" and now == "apart"


def _text(how: str, i: int, j: int, params: Sequence[Value]) -> str:
    """The test of leaves `i` and `j` in Python."""
    if how == "same":
        return f"{{{j}}} is {{{i}}}"
    call, more = ("shares_memory", f", {MOST_WORK}") if how == "interleaved" else ("may_share_memory", "")
    (x, of_x), (y, of_y) = (_item_text(k, _depth(params[k].type) - 1, letter) for k, letter in ((i, "b"), (j, "a")))
    test = f"np.{call}({x}, {y}{more})"
    return f"not any({test}{of_x}{of_y})" if of_x or of_y else f"not {test}"


def _item_text(leaf: int, depth: int, letter: str) -> tuple[str, str]:
    """The name of each array in a leaf that is a list, of lists if so deep, and the loops over it; else the leaf."""
    names = [f"{{{leaf}}}", *(f"{letter}{k}" for k in range(depth))]
    return names[-1], "".join(f" for {target} in {over}" for over, target in itertools.pairwise(names))


def _refuse(ev: Evaluator, fn: Fn, i: int, j: int) -> None:
    names = f"`{ev.params[i].hint}` and `{ev.params[j].hint}`"
    written = (e.loc for f in (*fn.functions, fn) for e in walk(f) if e.op.name in ("store", "add_at"))
    raise SctError("SCT305", f"{names} share memory, and one is written", hint="pass a copy",
                   loc=next((loc for loc in written if loc is not None), None))
