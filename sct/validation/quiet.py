"""A call of which nobody sees or hears anything: what it prints and logs is caught, generators are put back.

    outcome(lambda: f(x))  ->  Outcome(value, error, output)
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

__all__ = ["Endless", "Outcome", "outcome"]


@dataclass(frozen=True)
class Outcome:
    """What a call gave, or the exception that it raised, and what it printed and logged."""

    value: Any
    error: Exception | None
    output: str


def outcome(call: Callable[[], Any], seconds: float | None = None) -> Outcome:
    """Make the call; only what is not an `Exception` gets out.  After so many `seconds` it ends with `Endless`."""
    value: Any = None
    error: Exception | None = None
    with _caught() as texts:
        try:
            with _limited(seconds) if seconds is not None else contextlib.nullcontext():
                value = call()
        except _Stop:
            error = Endless(f"it does not end ({seconds:.0f} seconds)")
        except Exception as e:  # it is what the call did
            error = e.with_traceback(None)
    return Outcome(value, error, "".join(texts))


class Endless(Exception):
    """Stands for the exception of a call that was ended."""


class _Stop(BaseException):
    """Ends a call."""


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise `_Stop` here, from another thread, if this takes longer."""
    ident, lock = threading.get_ident(), threading.Lock()
    over: list[bool] = []

    def fire() -> None:
        with lock:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(_Stop))

    timer = threading.Timer(seconds, fire)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            over.append(True)
        timer.cancel()


# Streams, handlers and filters belong to all threads: they are replaced while any thread is here, and pass on what the
# others do.
_lock = threading.Lock()
_texts: dict[int, list[list[str]]] = {}
_before: list[Any] = []
_IGNORED = ("ignore", None, Warning, None, 0)


class _Stream:
    """`sys.stdout` or `sys.stderr`, without what the threads that are caught write."""

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
        _before[2](self, record)


def _enter(texts: list[str]) -> None:
    with _lock:
        if not _texts:
            streams = _Stream(sys.stdout), _Stream(sys.stderr)
            _before[:] = [sys.stdout, sys.stderr, logging.Logger.callHandlers, *streams]
            sys.stdout, sys.stderr = streams
            logging.Logger.callHandlers = _call_handlers  # type: ignore[method-assign]
        _texts.setdefault(threading.get_ident(), []).append(texts)
        # Not by `catch_warnings`, which makes every registry forget what was shown.
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
            out, err, handlers, own_out, own_err = _before
            sys.stdout = out if sys.stdout is own_out else sys.stdout
            sys.stderr = err if sys.stderr is own_err else sys.stderr
            logging.Logger.callHandlers = handlers  # type: ignore[method-assign]


@contextlib.contextmanager
def _caught() -> Iterator[list[str]]:
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
