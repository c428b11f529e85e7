"""Translation validation: runs the function and the primal that sct read, each on copies, and compares their effects.

    Validation(traced, emit).validate(target, args, kwargs)  ->  True, or the reason why they were not compared

Compared are values, exceptions, output, the final contents of the arguments, and changes of globals, closures and
defaults, all bit for bit.  Invariant: nothing of the user's is changed.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import linecache
import logging
import os
import random
import re
import time
import types
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.codegen import Source
from sct.errors import Loc, SctError, complex_refusal
from sct.frontend import NOT_ANSWERED, NOT_SHOWN, OBSERVED_BEFORE, Same, Traced, Transform, read_path
from sct.frontend.values.primal_record import NO_VALUE, ArgumentPart
from sct.ir import Eqn, Fn, walk
from sct.ir.pytrees.pytree import holds_complex
from sct.ir.pytrees.user_objects import get_stored
from sct.validation.clone import CannotCopy, Copier, SharedState
from sct.validation.compare import same, value_text
from sct.validation.primal import Primal, primal_of
from sct.validation.quiet import Outcome, run_quietly
from sct.validation.replay import Divergence, Recorder, first_divergence

__all__ = ["OFF", "Validation", "place_of", "unobserved_type", "user_function", "validation_mode"]

OFF = "SCT_VALIDATE=0"

ROUNDED, KERNELS = 1e-9, 1e-6
"""The tolerances (`close` of `same`) where sums may be rounded differently."""

OF_KERNELS = (int, float, np.bool_, np.integer, np.floating)
"""Compiled loops may give Python's numbers where NumPy gives its own (`alike` of `same`)."""

PATIENCE = 10.0
"""The primal may run this many seconds, or a hundred times as long as the function if that is longer."""


def validation_mode() -> str:
    """When functions are validated: "first", "all" or "0"."""
    return os.environ.get("SCT_VALIDATE", "first")


class Validation:
    """Validates calls of one specialization."""

    def __init__(self, traced: Traced, emit: Callable[[Traced], Source]) -> None:
        self.traced, self.emit = traced, emit
        self.primal: Primal | None = None

    def validate(self, target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True if Python and the primal agree for these arguments, or the reason why they were not compared.

        Raises SctError SCT601 where they differ.
        """
        root, own_count = user_function(target, args)
        if reason := _reason_not_to_repeat(self.traced, root):
            return reason
        try:
            shared = SharedState(root, args, kwargs)
            in_python = _Run(shared, root, args, kwargs, own_count)
            in_sct = _Run(shared, root, args, kwargs, own_count)
            if self.primal is None:
                self.primal = primal_of(self.traced, self.emit)
            in_python.run_function()
            in_sct.time_limit = max(PATIENCE, 100.0 * in_python.duration)
            in_sct.run_primal(self.traced, self.primal)
            has_other_type = in_sct.outcome.error is not None and str(in_sct.outcome.error).endswith(OBSERVED_BEFORE)
            if not self.traced.is_complex and not has_other_type and any(
                    holds_complex(run.outcome.value) for run in (in_python, in_sct)):
                raise complex_refusal(place_of(root))
            in_python.changed -= {id(cls) for _, _, cls in self.traced.written}  # sct changes a private copy
            difference = _difference(in_python, in_sct, self.primal)
            if difference is None:
                return True
            if reason := _excuse(in_python.outcome, in_sct.outcome):
                return reason
            if in_sct.outcome.error is not None and has_other_type:
                raise unobserved_type(in_sct.outcome.error, place_of(root))
            if type(in_python.outcome.error) is NameError and type(in_sct.outcome.error) is UnboundLocalError:
                raise SctError("SCT502", "a variable of a function around this one is read before it is bound",
                               why=f"Python: {in_python.outcome.error}", loc=place_of(root),
                               hint="bind it on every path")
            repeated = _Run(shared, root, args, kwargs, own_count)
            repeated.run_function()
            divergence = self._first_divergence(
                *(_Run(shared, root, args, kwargs, own_count) for _ in ("in Python", "in sct")))
        except CannotCopy as error:
            return str(error)
        except RecursionError:
            return "what it reaches is nested too deeply to be copied"
        if not _same_outcome(in_python.outcome, repeated.outcome):
            return "it does something else each time it is called"
        if in_python.copier.reordered:
            return "a copy of a set of objects has another order"
        raise _refuse_reading(root, difference, divergence, self.traced.is_complex)

    def validate_kernels(self, target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any],
                         compiled: Callable[..., Any], plain: Callable[..., Any]) -> None:
        """Compare the results of compiled loops with those of NumPy, up to rounding.

        Raises SctError SCT603 where they differ.
        """
        root, own_count = user_function(target, args)
        shared = SharedState(root, args, kwargs)
        compiled_run = _Run(shared, root, args, kwargs, own_count)
        numpy_run = _Run(shared, root, args, kwargs, own_count)
        numpy_run.run_derivative(self.traced, plain)
        compiled_run.run_derivative(self.traced, compiled)
        a, b = numpy_run.outcome, compiled_run.outcome
        if a.error is not None or b.error is not None:
            equal = type(a.error) is type(b.error)
        else:
            # The pullback itself is not compared.
            value, other = (a.value[0], b.value[0]) if _kind(target) == "vjp" else (a.value, b.value)
            equal = same(value, other, close=KERNELS, alike=OF_KERNELS)
        if not equal:
            raise SctError("SCT603", f"the compiled loops of `{self.traced.name}` give another result than NumPy",
                           why=f"NumPy: {_outcome_text(a, a.value)}; compiled: {_outcome_text(b, b.value)}",
                           hint='please report this; backend="numpy" is not compiled')

    def _first_divergence(self, in_python: _Run, in_sct: _Run) -> Divergence | None:
        """Where the two runs diverge, if that is found within two seconds."""
        assert self.primal is not None
        lines = self.primal.source.line_map.user
        user = Recorder(frozenset(file for file, _ in lines.values()))
        sct = Recorder(frozenset((self.primal.run.__code__.co_filename,)), lines)
        in_python.run_function(user.run)
        in_sct.time_limit = 2.0
        in_sct.run_primal(self.traced, self.primal, sct.run)
        return first_divergence(user, sct, self.traced.is_complex)


@dataclass(frozen=True)
class Difference:
    """A difference between Python and sct: `what` differs, and its text in both."""

    what: str
    python: str
    sct: str


Within = Callable[[Callable[[], Any]], Any]


def _directly(call: Callable[[], Any]) -> Any:
    return call()


class _Run:
    """A run on copies of the function, its primal or its derivative.

    bound           the copied arguments by parameters of the function
    original_bound  the user's own
    outside         the globals, cells and defaults that were copied for the function
    reached_shared  ids of the shared objects that the arguments hold
    changed         the other shared objects and variables that the run changed
    """

    def __init__(self, shared_state: SharedState, root: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any],
                 own_count: int) -> None:
        self.shared_state, self.copier = shared_state, Copier(shared_state)
        copy = self.copier.copy
        self.originals = args, kwargs
        self.args, self.kwargs = tuple(map(copy, args)), {k: copy(v) for k, v in kwargs.items()}
        for x in _bound_to(root):
            copy(x)
        before = len(self.copier.alive)
        self.original, self.root = root, copy(root)
        self.outside = self.copier.alive[before:]
        self.original_bound = _bind(root, args[:own_count], kwargs)
        self.bound = _bind(self.root, self.args[:own_count], self.kwargs)
        self.outcome = Outcome(None, None, "")
        self.reached_shared = shared_state.reachable_from(self.args, self.kwargs, self.original_bound.arguments)
        self.changed: frozenset[int | tuple[int, str]] = frozenset()
        self.duration, self.time_limit = 0.0, PATIENCE

    def run_function(self, within: Within = _directly) -> None:
        self._execute(lambda: within(lambda: self.root(*self.bound.args, **self.bound.kwargs)), None)

    def run_primal(self, traced: Traced, primal: Primal, within: Within = _directly) -> None:
        self._execute(lambda: within(lambda: primal.run(*self.args, **self.kwargs, **self._free_values(traced))),
                      self.time_limit)

    def run_derivative(self, traced: Traced, run: Callable[..., Any]) -> None:
        self._execute(lambda: run(*self.args, **self.kwargs, **self._free_values(traced)), None)

    def _free_values(self, traced: Traced) -> dict[str, Any]:
        return {f.name: self._free(f.path) for f in traced.free}

    def _free(self, path: tuple[Any, ...]) -> Any:
        start, rest = (path[0].x, path[2:]) if isinstance(path[0], Same) else (path[0], path[1:])
        try:
            return read_path((None if start is None else self.copier.copy(start), *rest), self.root)
        except LookupError:  # a method of a class reads it, which is not copied
            return read_path(path, self.original)

    def _execute(self, run: Callable[[], Any], time_limit: float | None) -> None:
        start = time.perf_counter()
        try:
            self.shared_state.replace_caches()
            self.outcome = run_quietly(run, time_limit)
        finally:
            if self.reached_shared:  # copy the final contents before they are restored
                final = Copier(SharedState()).copy((self.args, self.kwargs, self.bound.arguments))
                self.args, self.kwargs, self.bound.arguments = final
            self.changed = self.shared_state.restore() - self.reached_shared
            self.duration = time.perf_counter() - start


def _kind(target: Any) -> str:
    return str(getattr(target, "__sct_transform__", target).kind)


def user_function(target: Any, args: tuple[Any, ...]) -> tuple[Any, int]:
    """The Python function under nested transforms, and how many of the arguments are its own and not tangents."""
    own_count = len(args)
    while True:
        t = getattr(target, "__sct_transform__", target)
        if not isinstance(t, Transform):
            return target, own_count
        own_count //= 2 if t.kind == "jvp" else 1
        target = t.fn


# -- comparing ------------------------------------------------------------------------


def _difference(in_python: _Run, in_sct: _Run, primal: Primal) -> Difference | None:
    a, b = in_python.outcome, in_sct.outcome
    if a.error is not None or b.error is not None:
        if a.error is None and str(b.error) == NO_VALUE:
            return _output_difference(a, b)
        if not _same_exception(a.error, b.error):
            return Difference("what it does", _outcome_text(a, a.value), _outcome_text(b, b.value and b.value[0]))
        return _output_difference(a, b)
    value, final_contents = b.value
    close = ROUNDED if primal.differentiates or _writes_strided_array(in_python) else 0.0
    # A derivative that is zero may be a literal, which is a float of Python, or a product, which is one of NumPy.
    if not same(a.value, value, close=close, alike=(float, complex) if primal.differentiates else ()):
        return Difference("its value", value_text(a.value), value_text(value))
    return (_output_difference(a, b) or _argument_difference(in_python, in_sct, primal, final_contents, close)
            or _outside_difference(in_python, in_sct))


def _bound_to(f: Any) -> Iterator[Any]:
    """The object that a function is bound to, and the arguments that a partial is bound to, at any depth."""
    yield from (getattr(f, name, None) for name in ("__self__", "args", "keywords"))
    if isinstance(f, functools.partial):
        yield from _bound_to(f.func)


def _same_exception(a: Exception | None, b: Exception | None) -> bool:
    # pytest extends the message of a failing assertion.
    return same(type(a), type(b)) and (isinstance(a, AssertionError) or _message(a) == _message(b))


def _message(error: Exception | None) -> str:
    """The message of an exception, where `x += y` and `x = x + y` are one statement."""
    return re.sub(r"(?<=\bfor )(\S+)=(?=: '.*' and '.*'$)", r"\1", str(error))


def _outcome_text(x: Outcome, value: Any) -> str:
    return f"{type(x.error).__name__}: {x.error}" if x.error is not None else value_text(value)


def _output_difference(a: Outcome, b: Outcome) -> Difference | None:
    return None if a.output == b.output else Difference("what it prints", value_text(a.output), value_text(b.output))


def _argument_difference(in_python: _Run, in_sct: _Run, primal: Primal, final_contents: tuple[Any, ...],
                         close: float) -> Difference | None:
    """Compares the final contents of the arguments; the primal may change none of the caller's own."""
    for place in primal.unwritten:
        before, now = _value_at(in_python.original_bound, place), _value_at(in_python.bound, place)
        if not same(before, now):
            return Difference(_holds_afterwards(place), value_text(now), value_text(before))
    for place, value in zip(primal.written, final_contents):
        now = _value_at(in_python.bound, place)
        if not same(now, value, close=close):
            return Difference(_holds_afterwards(place), value_text(now), value_text(value))
    if not same((in_sct.args, in_sct.kwargs), in_sct.originals, states=False):
        return Difference("the caller's arguments after its derivative", value_text(in_sct.originals[0]),
                          value_text(in_sct.args))
    return None


def _value_at(bound: inspect.BoundArguments, place: ArgumentPart) -> Any:
    """The value at a place in the arguments; of a list the length, of a dict the keys, as their items have places."""
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


def _bind(root: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
    bound = inspect.signature(root, follow_wrapped=False).bind_partial(*args, **kwargs)
    bound.apply_defaults()
    return bound


def _holds_afterwards(place: ArgumentPart) -> str:
    first, *steps = place
    argument = f"{first}" + "".join(f"[{key!r}]" if how == "item" else f".{key}" for how, key in steps)
    return f"what argument {argument} holds afterwards"


def _outside_difference(in_python: _Run, in_sct: _Run) -> Difference | None:
    """Compares globals, cells, defaults and shared objects after both runs."""
    for x in in_python.outside:
        if isinstance(x, (types.FunctionType, types.CellType)) or isinstance(x, dict) and "__builtins__" in x:
            continue
        a, b = in_python.copier.copies[id(x)], in_sct.copier.copies.get(id(x))
        if not same(a, b):
            return Difference("what it leaves in a global, a closure or a default", value_text(a), value_text(b))
    if in_python.changed != in_sct.changed:
        return Difference("what it leaves in what a class or a module holds", *(
            "it is changed" if run.changed - other.changed else "it stays as it was"
            for run, other in ((in_python, in_sct), (in_sct, in_python))))
    return None


def _writes_strided_array(in_python: _Run) -> bool:
    """Does the run write an array that is not contiguous?  Emitted code sums a contiguous copy in another order."""
    return any(not (x.flags.c_contiguous or x.flags.f_contiguous) and not same(x, in_python.copier.copies[id(x)])
               for x in in_python.copier.alive if type(x) is np.ndarray and id(x) in in_python.copier.copies)


def _same_outcome(a: Outcome, b: Outcome) -> bool:
    return type(a.error) is type(b.error) and str(a.error) == str(b.error) and a.output == b.output \
        and same(a.value, b.value)


def _excuse(*outcomes: Outcome) -> str | None:
    """The reason not to compare runs that end in exceptions of the interpreter or of sct itself.

    Raises the SCT601 of a derivative that the function calls.
    """
    for outcome in outcomes:
        if isinstance(outcome.error, SctError) and outcome.error.code == "SCT601":
            raise outcome.error
        if isinstance(outcome.error, (RecursionError, MemoryError)):
            return f"it raises {type(outcome.error).__name__}"
        if isinstance(outcome.error, SctError):
            return f"called as it is, it raises {outcome.error.code}"
        if type(outcome.error) is NotImplementedError and str(outcome.error).startswith(NOT_ANSWERED):
            return str(outcome.error)
    return None


def unobserved_type(error: Exception, place: Loc | None) -> SctError:
    """The refusal of a call in which a value has a type that was not observed."""
    what = str(error).removesuffix(OBSERVED_BEFORE)
    hint = "convert it to one type where it is computed"
    if what.startswith("an empty list"):
        why, hint = "NumPy makes another array of an empty list", "test before whether there are items"
    elif what.endswith("must not change in the loop"):
        why, hint = "sct takes its items when the loop begins", "run over a copy: `list(...)`"
    elif what.endswith("of this matrix must be real"):
        why = "an eigenvalue of the matrix is negative, and SciPy makes a complex matrix"
        hint = "compute it by eigenvalues, in complex numbers: `w, V = np.linalg.eig(A)`, then the root is " \
               "`(V * np.sqrt(w.astype(complex))) @ np.linalg.inv(V)`"
    elif what.endswith(NOT_SHOWN):
        why = "sct cannot read it from the source, and has not run the function on copies to observe it: that may " \
              "reach the world outside, or does not end soon"
        hint = "compute it outside the function, and pass the result"
    elif what.endswith("is not known"):
        why = "sct cannot read this type from the source, and no call that it has observed came here"
    else:
        why = "sct cannot read this type from the source, and observed another one before"
    return SctError("SCT209", what, loc=place, why=why, hint=hint)


def place_of(root: Any) -> Loc | None:
    """The place of the function's definition."""
    code = getattr(getattr(root, "__func__", root), "__code__", None)
    return Loc(code.co_filename, code.co_firstlineno) if code is not None else None


def _refuse_reading(root: Any, difference: Difference, divergence: Divergence | None, is_complex: bool) -> SctError:
    loc = place_of(root)
    name = getattr(root, "__name__", type(root).__name__)
    first = ""
    if divergence is not None:
        text = linecache.getline(divergence.file, divergence.line)
        loc = Loc(divergence.file, divergence.line, len(text) - len(text.lstrip()))
        if not is_complex and (holds_complex(divergence.python) or holds_complex(divergence.sct)):
            return complex_refusal(loc)
        first = f"; first `{divergence.name}` of this line: {value_text(divergence.python)}, " \
                f"as read {value_text(divergence.sct)}"
    return SctError(
        "SCT601", f"sct read `{name}` wrongly: {difference.what} is not what Python gives",
        why=f"Python: {difference.python}; as read: {difference.sct}{first}", loc=loc,
        hint="please report this with the function; SCT_VALIDATE=0 turns the comparison off, not the fault")


# -- calls that must not be repeated -----------------------------------------------------------

_LOGS = {id(f) for f in (logging.debug, logging.info, logging.warning, logging.error, logging.critical, logging.log,
                         logging.exception, warnings.warn)}
_PURE_MODULES = ("math", "numpy", "operator", "string", "random", "time")
_OWN = (list, dict, set, deque, str, bytes, int, float, tuple, random.Random, np.random.Generator,
        np.random.RandomState, logging.Logger, logging.LoggerAdapter)
_OUTSIDE = frozenset(("open", "input", "exec", "eval", "compile", "breakpoint", "__import__", "help", "exit", "quit"))


def _reason_not_to_repeat(traced: Traced, root: Any) -> str | None:
    """The reason why the function must not run twice, if there is one."""
    callees = {f.param: f.path for f in traced.free}
    for fn in (traced.fn, *traced.fn.functions):
        for eqn in walk(fn):
            if eqn.op.name == "python" and str(eqn.attrs["callee"]).removeprefix("builtins.") in _OUTSIDE:
                return f"it calls `{eqn.attrs['callee']}`"
            if eqn.op.name == "apply" and (reason := _opaque_reason(traced, root, fn, eqn, callees)):
                return reason
    return None


def _opaque_reason(traced: Traced, root: Any, fn: Fn, eqn: Eqn, callees: Mapping[Any, Any]) -> str | None:
    """The reason why an opaque call must not be repeated, if there is one."""
    callee = eqn.args[0]
    if callee in callees:
        called = [read_path(callees[callee], root)]
    elif callee in fn.params and fn is not traced.fn:
        called = [x for x in (read_path(path, root) for path in callees.values()) if callable(x)]
    else:
        return "it calls something that is not known before it runs"
    for f in called:
        if not _is_repeatable(f):
            return f"it calls `{getattr(f, '__qualname__', type(f).__name__)}`, which sct does not see into"
    return None


def _is_repeatable(f: Any) -> bool:
    """May a function be called on copies, and more than once?"""
    owner = getattr(f, "__self__", None)
    if id(f) in _LOGS or f is np.random.seed or isinstance(owner, _OWN) or isinstance(f, type) and (
            issubclass(f, BaseException) or getattr(builtins, f.__name__, None) is f):
        return True
    if isinstance(owner, types.ModuleType) or isinstance(f, types.BuiltinFunctionType):
        return f.__module__ in (*_PURE_MODULES, "builtins") and f.__name__ not in _OUTSIDE and f is not time.sleep
    return isinstance(f, np.ufunc)
