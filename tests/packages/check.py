"""One function of a package: sct's value and gradient beside the plain call's value and its differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.exceptions import ComplexWarning

from sct import SctError, value_and_grad
from tests.packages.functions import Case, differentiated, gradient, leaves, quiet

FAULTS = {"SCT601", "SCT602", "SCT603"}
"""The codes of errors that are faults of sct."""


def of_one_number(f: Callable[..., Any], value: Any) -> Callable[..., Any]:
    """The function itself if its value is a number, else the sum of its results."""
    if isinstance(value, float):
        return f

    def sum_of_array(*args):
        return np.sum(f(*args))

    def sum_of_all(*args):
        return sum(np.sum(v) for v in f(*args))

    return sum_of_all if type(value) in (tuple, list) else sum_of_array


def complex_step(f: Callable[..., Any], args: list[Any]) -> list[Any]:
    """The gradient by steps into the complex plane; right only where everything in the function is analytic."""
    gradients = []
    for k in differentiated(args):
        x = np.array(args[k], complex)
        found = np.zeros(x.shape)
        for index in np.ndindex(x.shape):
            moved = x.copy()
            moved[index] += 1e-30j
            own = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
            own[k] = moved if moved.ndim else complex(moved)
            found[index] = np.imag(f(*own)) / 1e-30
        gradients.append(found)
    return gradients


def close(a: list[Any], b: list[Any], tolerance: float, doubt: list[Any]) -> bool:
    """Whether two gradients agree, relative to the largest element for each argument; `doubt` is the error of `b`."""
    return all(np.allclose(x, y, rtol=tolerance, atol=tolerance * np.max(np.abs(y)) + 10.0 * d)
               for x, y, d in zip(a, b, doubt))


def same_bits(a: Any, b: Any) -> bool:
    """Whether two numbers or arrays are of one type and bit for bit equal."""
    return type(a) is type(b) and np.shape(a) == np.shape(b) and np.asarray(a).tobytes() == np.asarray(b).tobytes()


def check(case: Case) -> tuple[str, str]:
    """What comes of it: "right", "refused", "crash" or "wrong", and a message."""
    f, args = case.load()
    value = f(*case.load()[1])  # which may write to its arguments
    if leaves(value) is None:
        return "crash", "the plain function fails: draw it again"
    f = of_one_number(f, value)
    plain = f(*case.load()[1])
    with quiet(60):
        expected = gradient(f, case.load()[1])
    try:
        with quiet(600):
            got, gradients = value_and_grad(f, argnums=differentiated(args))(*args)
    except SctError as error:
        return "crash" if error.code in FAULTS else "refused", str(error)
    except Exception as error:
        return "crash", f"{type(error).__name__}: {error}"
    if not same_bits(got, plain):
        return "wrong", f"the value is {got!r}, not {plain!r}"
    if not all(map(same_bits, args, case.load()[1])):
        return "wrong", "an argument has changed"
    if expected is None or not close(gradients, expected[0], 1e-5, expected[1]):
        return "wrong", f"the gradient is {gradients}, not {expected}"
    try:
        with quiet(60):
            warnings.simplefilter("error", ComplexWarning)  # of an imaginary part that is dropped
            exact = complex_step(f, case.load()[1])
    except Exception:
        return "right", "by differences"
    rounding = [1e-10 * np.max(np.abs(plain)) / np.min(np.abs(args[k])) for k in differentiated(args)]
    if close(exact, expected[0], 1e-5, expected[1]) and not close(gradients, exact, 1e-9, rounding):
        return "wrong", f"the gradient is {gradients}, not {exact}"
    return "right", ""
