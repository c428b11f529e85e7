"""Runs a call without visible effects: its output and its logging are captured, random generators are restored,
and debuggers do not stop.

    run_quietly(lambda: f(x))  ->  Outcome(value, error, output)
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import random
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.memory_limit import collection

__all__ = ["TimedOut", "Outcome", "run_quietly"]


@dataclass(frozen=True)
class Outcome:
    """The value of a call or the exception that it raised, and the text that it printed and logged."""

    value: Any
    error: Exception | None
    output: str


def run_quietly(call: Callable[[], Any], seconds: float | None = None) -> Outcome:
    """The outcome of a call, which is ended with `TimedOut` after this many seconds.

    A `BaseException` that is no `Exception` passes through.
    """
    value: Any = None
    error: Exception | None = None
    with _captured() as texts, collection():
        try:
            with _time_limit(seconds) if seconds is not None else contextlib.nullcontext():
                value = call()
        except _Timeout:
            error = TimedOut(f"it does not end ({seconds:.0f} seconds)")
        except Exception as e:  # the error is part of the outcome
            error = e.with_traceback(None)
    return Outcome(value, error, "".join(texts))


class TimedOut(Exception):
    """The error in the outcome of a call that was ended because it took too long."""


class _Timeout(BaseException):
    """Raised in the thread of a call to end it."""


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `_Timeout` in the body, from another thread, if it takes longer than this many seconds.

    It is raised again until the body ends: where it arises in a callback of the garbage collector, Python ignores it.
    """
    ident, lock, over = threading.get_ident(), threading.Lock(), threading.Event()

    def fire() -> None:
        pause = seconds
        while not over.wait(pause):
            with lock:
                if not over.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(_Timeout))
            pause = _PAUSE

    threading.Thread(target=fire, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            over.set()


_PAUSE = 0.5
"""Seconds between two attempts to end a call."""


# Streams, handlers and filters belong to all threads.  They are replaced while any thread captures its output, and
# pass on the output of the other threads.
_lock = threading.Lock()
_texts: dict[int, list[list[str]]] = {}
_originals: list[Any] = []
_IGNORED = ("ignore", None, Warning, None, 0)


class _Stream:
    """`sys.stdout` or `sys.stderr` without the text of the threads that capture theirs."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        texts = _texts.get(threading.get_ident())
        if texts:
            texts[-1].append(text)
            return len(text)
        return int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _call_handlers(self: logging.Logger, record: logging.LogRecord) -> None:
    texts = _texts.get(threading.get_ident())
    if texts:
        texts[-1].append(f"{record.name}:{record.levelname}:{record.getMessage()}\n")
    else:
        _originals[2](self, record)


def _stop(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that starts a debugger, but not in the threads that capture their output."""

    def stop(*args: Any, **kwargs: Any) -> Any:
        return None if _texts.get(threading.get_ident()) else original(*args, **kwargs)

    return stop


def _enter(texts: list[str]) -> None:
    with _lock:
        if not _texts:
            streams = _Stream(sys.stdout), _Stream(sys.stderr)
            debugger: Any = sys.modules.get("pdb")
            _originals[:] = [sys.stdout, sys.stderr, logging.Logger.callHandlers, *streams, sys.breakpointhook,
                             debugger, getattr(debugger, "set_trace", None)]
            sys.stdout, sys.stderr = streams
            sys.breakpointhook = _stop(sys.breakpointhook)
            if debugger is not None:
                debugger.set_trace = _stop(debugger.set_trace)
            logging.Logger.callHandlers = _call_handlers  # type: ignore[method-assign]
        _texts.setdefault(threading.get_ident(), []).append(texts)
        # `catch_warnings` would make every registry forget which warnings were shown.
        warnings.filters.insert(0, _IGNORED)  # type: ignore[attr-defined]


def _leave() -> None:
    with _lock:
        stack = _texts[threading.get_ident()]
        stack.pop()
        if not stack:
            del _texts[threading.get_ident()]
        if _IGNORED in warnings.filters:
            warnings.filters.remove(_IGNORED)  # type: ignore[attr-defined]
        if not _texts:
            out, err, handlers, own_out, own_err, sys.breakpointhook, debugger, set_trace = _originals
            if debugger is not None:
                debugger.set_trace = set_trace
            sys.stdout = out if sys.stdout is own_out else sys.stdout
            sys.stderr = err if sys.stderr is own_err else sys.stderr
            logging.Logger.callHandlers = handlers  # type: ignore[method-assign]


@contextlib.contextmanager
def _captured() -> Iterator[list[str]]:
    texts: list[str] = []
    states = random.getstate(), np.random.get_state(legacy=False)
    errors = {kind: "ignore" if how in ("print", "log", "call") else how for kind, how in np.geterr().items()}
    _enter(texts)
    try:
        with np.errstate(**errors):  # type: ignore[arg-type]
            yield texts
    finally:
        _leave()
        random.setstate(states[0])
        np.random.set_state(states[1])
