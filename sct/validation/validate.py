"""A function as it was read runs beside the function itself, each on copies; what they do must be the same.

    Validation(traced, emit).of(target, args, kwargs)  ->  True, or why it is not said; SctError where they differ
"""

from __future__ import annotations

import builtins
import inspect
import linecache
import logging
import os
import random
import time
import types
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.codegen import Source
from sct.errors import Loc, SctError, complex_number
from sct.frontend import Same, Traced, Transform, read_path
from sct.frontend.values.primal_record import NO_VALUE, Place
from sct.ir import Eqn, Fn, walk
from sct.ir.user_objects import get_stored
from sct.validation.clone import Kept, NotCopied, World
from sct.validation.compare import same, shown
from sct.validation.primal import Primal, primal_of
from sct.validation.quiet import Outcome, outcome
from sct.validation.replay import Parting, Recorder, parting

__all__ = ["OFF", "Validation", "mode"]

OFF = "SCT_VALIDATE=0"

ROUNDED, KERNELS = 1e-9, 1e-6
"""How far results may be apart where sums are added up in another order: `close` of `same`."""

PATIENCE = 10.0
"""How many seconds what was read may run at least; a hundred times what the function took, if that is more."""


def mode() -> str:
    """When functions are validated: "first", "all" or "0"."""
    return os.environ.get("SCT_VALIDATE", "first")


class Validation:
    """What it takes to validate the calls of one specialisation."""

    def __init__(self, traced: Traced, emit: Callable[[Traced], Source]) -> None:
        self.traced, self.emit = traced, emit
        self.primal: Primal | None = None

    def of(self, target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True, or why a call with these arguments was not validated.

        Raises SctError SCT601 where the function does something else than what it was read as.
        """
        root, given = _user_call(target, args)
        if reason := _once_only(self.traced, root):
            return reason
        try:
            kept = Kept(root, args, kwargs)
            plain = _Run(kept, root, args, kwargs, given)
            read = _Run(kept, root, args, kwargs, given)
            if self.primal is None:
                self.primal = primal_of(self.traced, self.emit)
            plain.call()
            read.seconds = max(PATIENCE, 100.0 * plain.took)
            read.read(self.traced, self.primal)
            if _is_complex(plain.outcome.value) or _is_complex(read.outcome.value):
                raise complex_number(_place_of(root))
            difference = _compared(plain, read, self.primal)
            if difference is None:
                return True
            if reason := _beyond(plain.outcome, read.outcome):
                return reason
            if type(plain.outcome.error) is NameError and type(read.outcome.error) is UnboundLocalError:
                raise SctError("SCT502", "a variable of a function around this one is read before it is bound",
                               why=f"Python: {plain.outcome.error}", loc=_place_of(root), hint="bind it on every path")
            again = _Run(kept, root, args, kwargs, given)
            again.call()
            where = self._parting(_Run(kept, root, args, kwargs, given), _Run(kept, root, args, kwargs, given))
        except NotCopied as error:
            return str(error)
        except RecursionError:
            return "what it reaches is nested too deeply to be copied"
        if not _alike(plain.outcome, again.outcome):
            return "it does something else each time it is called"
        raise _refusal(root, difference, where)

    def of_kernels(self, target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], compiled: Callable[..., Any],
                   plain: Callable[..., Any]) -> None:
        """Compare what compiled loops give with what NumPy does, up to rounding.

        Raises SctError SCT603 where they differ.
        """
        root, given = _user_call(target, args)
        kept = Kept(root, args, kwargs)
        ours, theirs = _Run(kept, root, args, kwargs, given), _Run(kept, root, args, kwargs, given)
        theirs.derivative(self.traced, plain)
        ours.derivative(self.traced, compiled)
        a, b = theirs.outcome, ours.outcome
        if a.error is not None or b.error is not None:
            alike = type(a.error) is type(b.error)
        else:
            # A pullback is compared when it is called: not at all.
            value, other = (a.value[0], b.value[0]) if _kind(target) == "vjp" else (a.value, b.value)
            alike = same(value, other, close=KERNELS, carriers=False)
        if not alike:
            raise SctError("SCT603", f"the compiled loops of `{self.traced.name}` give another result than NumPy",
                           why=f"NumPy: {_said(a, a.value)}; compiled: {_said(b, b.value)}",
                           hint='please report this; backend="numpy" is not compiled')

    def _parting(self, plain: _Run, read: _Run) -> Parting | None:
        """Where the two part, if that can be told in two seconds."""
        assert self.primal is not None
        lines = self.primal.source.line_map.user
        user = Recorder(frozenset(file for file, _ in lines.values()))
        sct = Recorder(frozenset((self.primal.run.__code__.co_filename,)), lines)
        plain.call(user.run)
        read.seconds = 2.0
        read.read(self.traced, self.primal, sct.run)
        return parting(user, sct)


@dataclass(frozen=True)
class Difference:
    """What differs, what Python gives, and what sct does."""

    what: str
    python: str
    sct: str


Within = Callable[[Callable[[], Any]], Any]


def _as_it_is(call: Callable[[], Any]) -> Any:
    return call()


class _Run:
    """A run on copies: of the function by `call`, of what it was read as by `read`.

    bound    the arguments of the function, as its parameters have them; `given` are those that were copied
    outside  what was copied for the function alone: globals, cells, defaults
    shared   what the arguments hold and a class or a module too, so that it is not copied: ids
    changed  of what classes and modules hold, what the run changed
    """

    def __init__(self, kept: Kept, root: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], given: int) -> None:
        self.kept, self.world = kept, World(kept)
        copied = self.world.copy
        self.originals = args, kwargs
        self.args, self.kwargs = tuple(map(copied, args)), {k: copied(v) for k, v in kwargs.items()}
        for x in (getattr(root, "__self__", None), getattr(root, "args", None), getattr(root, "keywords", None)):
            copied(x)
        before = len(self.world.alive)
        self.original, self.root = root, copied(root)
        self.outside = self.world.alive[before:]
        self.given = _bound(root, args[:given], kwargs)
        self.bound = _bound(self.root, self.args[:given], self.kwargs)
        self.outcome = Outcome(None, None, "")
        self.shared = kept.among(self.args, self.kwargs, self.given.arguments)
        self.changed: frozenset[int | tuple[int, str]] = frozenset()
        self.took, self.seconds = 0.0, PATIENCE

    def call(self, within: Within = _as_it_is) -> None:
        self._go(lambda: within(lambda: self.root(*self.bound.args, **self.bound.kwargs)), None)

    def read(self, traced: Traced, primal: Primal, within: Within = _as_it_is) -> None:
        free = {f.name: self._free(f.path) for f in traced.free}
        self._go(lambda: within(lambda: primal.run(*self.args, **self.kwargs, **free)), self.seconds)

    def derivative(self, traced: Traced, run: Callable[..., Any]) -> None:
        free = {f.name: self._free(f.path) for f in traced.free}
        self._go(lambda: run(*self.args, **self.kwargs, **free), None)

    def _free(self, path: tuple[Any, ...]) -> Any:
        start, rest = (path[0].x, path[2:]) if isinstance(path[0], Same) else (path[0], path[1:])
        try:
            return read_path((None if start is None else self.world.copy(start), *rest), self.root)
        except LookupError:  # a method of a class reads it, which runs as it is
            return read_path(path, self.original)

    def _go(self, call: Callable[[], Any], seconds: float | None) -> None:
        start = time.perf_counter()
        try:
            self.outcome = outcome(call, seconds)
        finally:
            if self.shared:  # what it left there, before that is put back
                left = World(Kept()).copy((self.args, self.kwargs, self.bound.arguments))
                self.args, self.kwargs, self.bound.arguments = left
            self.changed = self.kept.restore() - self.shared
            self.took = time.perf_counter() - start


def _kind(target: Any) -> str:
    return str(getattr(target, "__sct_transform__", target).kind)


def _user_call(target: Any, args: tuple[Any, ...]) -> tuple[Any, int]:
    """The Python function under transforms, and how many of the arguments are its own: the others are tangents."""
    given = len(args)
    while True:
        t = getattr(target, "__sct_transform__", target)
        if not isinstance(t, Transform):
            return target, given
        given //= 2 if t.kind == "jvp" else 1
        target = t.fn


# -- comparing ------------------------------------------------------------------------


def _compared(plain: _Run, read: _Run, primal: Primal) -> Difference | None:
    a, b = plain.outcome, read.outcome
    if a.error is not None or b.error is not None:
        if a.error is None and str(b.error) == NO_VALUE:
            return _of_output(a, b)
        if not _raise_alike(a.error, b.error):
            return Difference("what it does", _said(a, a.value), _said(b, b.value and b.value[0]))
        return _of_output(a, b)
    value, after = b.value
    close = ROUNDED if primal.differentiates or _rounded(plain) else 0.0
    if not same(a.value, value, close=close):
        return Difference("its value", shown(a.value), shown(value))
    return _of_output(a, b) or _of_arguments(plain, read, primal, after, close) or _of_outside(plain, read)


def _raise_alike(a: Exception | None, b: Exception | None) -> bool:
    # pytest adds to the text of an assertion that fails.
    return same(type(a), type(b)) and (isinstance(a, AssertionError) or str(a) == str(b))


def _said(x: Outcome, value: Any) -> str:
    return f"{type(x.error).__name__}: {x.error}" if x.error is not None else shown(value)


def _of_output(a: Outcome, b: Outcome) -> Difference | None:
    return None if a.output == b.output else Difference("what it prints", shown(a.output), shown(b.output))


def _of_arguments(plain: _Run, read: _Run, primal: Primal, after: tuple[Any, ...], close: float) -> Difference | None:
    """What the arguments hold at the end of the function; and what was read writes into none of the caller's."""
    for place in primal.unwritten:
        before, now = _held(plain.given, place), _held(plain.bound, place)
        if not same(before, now):
            return Difference(f"what argument {_spelled(place)} holds afterwards", shown(now), shown(before))
    for place, value in zip(primal.written, after):
        now = _held(plain.bound, place)
        if not same(now, value, close=close):
            return Difference(f"what argument {_spelled(place)} holds afterwards", shown(now), shown(value))
    if not same((read.args, read.kwargs), read.originals, states=False):
        return Difference("the caller's arguments after its derivative", shown(read.originals[0]), shown(read.args))
    return None


def _held(bound: inspect.BoundArguments, place: Place) -> Any:
    """What a part of the arguments holds; of a list or a dict its size or its keys: items are parts of their own."""
    first, *steps = place
    if isinstance(first, int):
        x = bound.args[first]
    else:
        x = bound.arguments[first] if first in bound.arguments else bound.kwargs[first]
    for how, key in steps:
        try:
            x = x[key] if how == "item" else get_stored(x, key)
        except (LookupError, AttributeError):
            return _GONE
    return len(x) if isinstance(x, list) else list(x) if isinstance(x, dict) else x


_GONE = "nothing"


def _bound(root: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
    bound = inspect.signature(root, follow_wrapped=False).bind_partial(*args, **kwargs)
    bound.apply_defaults()
    return bound


def _spelled(place: Place) -> str:
    first, *steps = place
    return f"{first}" + "".join(f"[{key!r}]" if how == "item" else f".{key}" for how, key in steps)


def _of_outside(plain: _Run, read: _Run) -> Difference | None:
    """What both runs left in globals, cells and defaults."""
    for x in plain.outside:
        if isinstance(x, (types.FunctionType, types.CellType)) or isinstance(x, dict) and "__builtins__" in x:
            continue
        a, b = plain.world.memo[id(x)], read.world.memo.get(id(x))
        if not same(a, b):
            return Difference("what it leaves in a global, a closure or a default", shown(a), shown(b))
    if plain.changed != read.changed:
        return Difference("what it leaves in what a class or a module holds", *(
            "it is changed" if run.changed - other.changed else "it stays as it was"
            for run, other in ((plain, read), (read, plain))))
    return None


def _rounded(plain: _Run) -> bool:
    """Is an array written that has gaps?  Its private copy has none, and sums may be rounded otherwise."""
    return any(not (x.flags.c_contiguous or x.flags.f_contiguous) and not same(x, plain.world.memo[id(x)])
               for x in plain.world.alive if type(x) is np.ndarray and id(x) in plain.world.memo)


def _alike(a: Outcome, b: Outcome) -> bool:
    return type(a.error) is type(b.error) and str(a.error) == str(b.error) and a.output == b.output \
        and same(a.value, b.value)


def _beyond(*outcomes: Outcome) -> str | None:
    """Why exceptions that depend on the run do not count; a function that it calls may be read wrongly."""
    for each in outcomes:
        if isinstance(each.error, SctError) and each.error.code == "SCT601":
            raise each.error
        if isinstance(each.error, (RecursionError, MemoryError)):
            return f"it raises {type(each.error).__name__}"
        if isinstance(each.error, SctError):
            return f"called as it is, it raises {each.error.code}"
    return None


def _is_complex(x: Any) -> bool:
    """Is this a complex number, or a tuple with one?  The type of no argument is."""
    return any(map(_is_complex, x)) if isinstance(x, tuple) else isinstance(x, (complex, np.complexfloating))


def _place_of(root: Any) -> Loc | None:
    """Where the function stands."""
    code = getattr(getattr(root, "__func__", root), "__code__", None)
    return Loc(code.co_filename, code.co_firstlineno) if code is not None else None


def _refusal(root: Any, found: Difference, where: Parting | None) -> SctError:
    loc = _place_of(root)
    name = getattr(root, "__name__", type(root).__name__)
    first = ""
    if where is not None:
        text = linecache.getline(where.file, where.line)
        loc = Loc(where.file, where.line, len(text) - len(text.lstrip()))
        if _is_complex(where.python) or _is_complex(where.sct):
            return complex_number(loc)
        first = f"; first `{where.name}` of this line: {shown(where.python)}, as read {shown(where.sct)}"
    return SctError(
        "SCT601", f"sct read `{name}` wrongly: {found.what} is not what Python gives",
        why=f"Python: {found.python}; as read: {found.sct}{first}", loc=loc,
        hint="please report this with the function; SCT_VALIDATE=0 turns the comparison off, not the fault")


# -- what is not done twice -----------------------------------------------------------

_LOGS = {id(f) for f in (logging.debug, logging.info, logging.warning, logging.error, logging.critical, logging.log,
                         logging.exception, warnings.warn)}
_PURE_MODULES = ("math", "numpy", "operator", "string", "random", "time")
_OWN = (list, dict, set, deque, str, bytes, int, float, tuple, random.Random, np.random.Generator,
        np.random.RandomState, logging.Logger, logging.LoggerAdapter)
_OUTSIDE = frozenset(("open", "input", "exec", "eval", "compile", "breakpoint", "__import__", "help", "exit", "quit"))


def _once_only(traced: Traced, root: Any) -> str | None:
    """What the function does that cannot be done twice, if it does."""
    callees = {f.param: f.path for f in traced.free}
    for fn in (traced.fn, *traced.fn.functions):
        for eqn in walk(fn):
            if eqn.op.name == "python" and str(eqn.attrs["callee"]).removeprefix("builtins.") in _OUTSIDE:
                return f"it calls `{eqn.attrs['callee']}`"
            if eqn.op.name == "apply" and (reason := _opaque(traced, root, fn, eqn, callees)):
                return reason
    return None


def _opaque(traced: Traced, root: Any, fn: Fn, eqn: Eqn, callees: Mapping[Any, Any]) -> str | None:
    """What a call does of which nothing is known."""
    callee = eqn.args[0]
    if callee in callees:
        called = [read_path(callees[callee], root)]
    elif callee in fn.params and fn is not traced.fn:
        called = [x for x in (read_path(path, root) for path in callees.values()) if callable(x)]
    else:
        return "it calls something that is not known before it runs"
    for f in called:
        if not _repeatable(f):
            return f"it calls `{getattr(f, '__qualname__', type(f).__name__)}`, which sct does not see into"
    return None


def _repeatable(f: Any) -> bool:
    """Can a call of it be made on copies, and made again?"""
    owner = getattr(f, "__self__", None)
    if id(f) in _LOGS or f is np.random.seed or isinstance(owner, _OWN) or isinstance(f, type) and (
            issubclass(f, BaseException) or getattr(builtins, f.__name__, None) is f):
        return True
    if isinstance(owner, types.ModuleType) or isinstance(f, types.BuiltinFunctionType):
        return f.__module__ in (*_PURE_MODULES, "builtins") and f.__name__ not in _OUTSIDE and f is not time.sleep
    return isinstance(f, np.ufunc)
