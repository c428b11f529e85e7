"""Compares two results of one computation by type and bits, containers part by part.

>>> same(np.float64(1.0), 1.0), same([0.0, float("nan")], [0.0, float("nan")]), same(0.0, -0.0)
(False, True, False)
"""

from __future__ import annotations

import io
import random
import types
from collections import deque
from types import SimpleNamespace
from typing import Any

import numpy as np

from sct.ir.pytrees.user_objects import fields_of, get_stored, gradient_class, is_container

__all__ = ["is_hashed_by_identity", "same", "value_text"]


def same(a: Any, b: Any, *, close: float = 0.0, states: bool = True, alike: tuple[Any, ...] = ()) -> bool:
    """Are `a` and `b` of the same types, with the same numbers bit for bit?  All nans are equal.

    close     numbers may differ by this much, absolutely or relative to the largest number in the array
    states    compare the states of random generators and of files in memory
    alike     numbers of these classes are compared as floats, or as complex numbers: of Python and of NumPy, say

    Functions are the same if their code is, and unknown objects if their class is.
    """
    return _Comparison(close, states, alike).same(a, b)


def is_hashed_by_identity(x: Any) -> bool:
    """Is this an object whose place in a set depends on its address?"""
    by_identity: Any = object.__hash__
    return type(x).__hash__ is by_identity


class _Comparison:
    def __init__(self, close: float, states: bool, alike: tuple[Any, ...]) -> None:
        self.close, self.states, self.alike = close, states, alike
        self.seen: set[tuple[int, int]] = set()

    def same(self, a: Any, b: Any) -> bool:
        if a is b:
            return True
        if isinstance(a, type) and isinstance(b, type):
            return _name(a) == _name(b)
        if isinstance(a, self.alike) and isinstance(b, self.alike) and isinstance(a, complex) == isinstance(b, complex):
            number = complex if isinstance(a, complex) else float
            return self.numbers(np.asarray(number(a)), np.asarray(number(b)))
        if type(a) is not type(b) and _name(type(a)) != _name(type(b)) and not _stands_for(b, a):
            return False
        if isinstance(a, (float, complex, np.generic, np.ndarray)):
            return self.numbers(np.asarray(a), np.asarray(b))
        if isinstance(a, (bool, int, str, bytes, range, slice)):
            return bool(a == b)
        if (id(a), id(b)) in self.seen:
            return True
        self.seen.add((id(a), id(b)))
        return self.parts(a, b)

    def take(self, x: Any, others: list[Any]) -> bool:
        """Is the object, which is compared by identity, the same as one of these?  Takes that out of the list."""
        if not is_hashed_by_identity(x):
            return False
        for k, y in enumerate(others):
            trial = _Comparison(self.close, self.states, self.alike)
            trial.seen = set(self.seen)
            if trial.same(x, y):
                del others[k]
                return True
        return False

    def numbers(self, a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype.hasobject:
            return self.rows(a.ravel().tolist(), b.ravel().tolist())
        if a.tobytes() == b.tobytes():
            return True
        if a.dtype.names is not None:
            return all(self.numbers(a[name], b[name]) for name in a.dtype.names)
        if a.dtype.kind not in "fc":
            return False
        if self.close:
            scale = float(np.max(np.abs(np.where(np.isfinite(a), a, 0.0)), initial=0.0))
            close = max(self.close, 8.0 * float(np.sqrt(np.finfo(a.dtype).eps)) if a.dtype.itemsize < 8 else 0.0)
            return bool(np.allclose(a, b, rtol=close, atol=close * max(1.0, scale), equal_nan=True))
        nan = np.isnan(a)
        return np.array_equal(nan, np.isnan(b)) and _equal_bits(a[~nan], b[~nan])

    def rows(self, a: Any, b: Any) -> bool:
        return len(a) == len(b) and all(map(self.same, a, b))

    def parts(self, a: Any, b: Any) -> bool:
        if isinstance(a, dict):
            return self.rows(list(a), list(b)) and self.rows(list(a.values()), list(b.values()))
        if isinstance(a, (list, tuple, deque)):
            return self.rows(a, b)
        if isinstance(a, (set, frozenset)):
            members = {y: y for y in b}
            others = [y for y in b if y not in a]
            return len(a) == len(b) and all(self.same(x, members[x]) if x in b else self.take(x, others) for x in a)
        if is_container(type(a)):
            names = fields_of(a)
            return names == fields_of(b) and all(self.same(get_stored(a, name), get_stored(b, name)) for name in names)
        if isinstance(a, types.FunctionType):
            return bool(a.__code__ == b.__code__)
        if isinstance(a, random.Random):
            return not self.states or bool(a.getstate() == b.getstate())
        if isinstance(a, np.random.Generator):
            return not self.states or self.same(a.bit_generator.state, b.bit_generator.state)
        if isinstance(a, (io.StringIO, io.BytesIO)):
            return not self.states or (a.getvalue(), a.tell()) == (b.getvalue(), b.tell())
        if isinstance(a, BaseException):
            return str(a) == str(b)
        return True


def _equal_bits(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Are these the same numbers, none of them nan, with the same signs?  A longdouble has bytes that say nothing."""
    if a.dtype.kind == "c":
        return _equal_bits(a.real, b.real) and _equal_bits(a.imag, b.imag)
    return np.array_equal(a, b) and np.array_equal(np.signbit(a), np.signbit(b))


def _stands_for(x: Any, instance: Any) -> bool:
    """Is this the namespace that holds what an instance would, which only code of the user can make?"""
    cls = type(instance)
    return type(x) is SimpleNamespace and is_container(cls) and \
        gradient_class(cls, fields_of(instance)) is SimpleNamespace


def _name(cls: type) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__


def value_text(x: Any) -> str:
    """A value in a message, with its dtype where `repr` does not show it."""
    with np.printoptions(precision=17, threshold=20, edgeitems=3):
        text = " ".join(repr(x).split())
    text = text if len(text) <= 200 else text[:197] + "..."
    if isinstance(x, np.ndarray) and x.dtype != np.float64:
        return f"{text} of dtype {x.dtype}" if "dtype" not in text else text
    return text
