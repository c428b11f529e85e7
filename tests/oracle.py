"""The plain call as the oracle of a program: value, type, exception, output, arguments; differences for the gradient.

    agrees(f, *args)             sct does what Python does, and its gradient agrees with central differences
    agrees_in_every_mode(f, calls)  ... in second order and in forward mode, too
    refuses(f, *args, code=...)  sct refuses, with that code, and points at a line
"""

from __future__ import annotations

import contextlib
import copy
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from sct import SctError, SctWarning, grad, hvp, jvp, value_and_grad

__all__ = ["Outcome", "Programs", "agrees", "agrees_in_every_mode", "outcome", "refuses", "same_value"]

STEP = 1e-6


@dataclass
class Outcome:
    """What a call did: its value or its exception, what it printed, and its arguments afterwards."""

    value: Any
    error: Exception | None
    output: str
    args: tuple[Any, ...]


def outcome(call: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    """Call it on a deep copy of `args`; an `SctError` is passed on."""
    own = copy.deepcopy(args)
    printed = io.StringIO()
    value, error = None, None
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            value = call(*own)
        except SctError:
            raise
        except Exception as e:
            error = e
    return Outcome(value, error, printed.getvalue(), own)


def same_value(a: Any, b: Any) -> bool:
    """Of one type, and bit for bit equal."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (np.ndarray, np.generic)):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float):
        return np.float64(a).tobytes() == np.float64(b).tobytes()
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same_value(a[k], b[k]) for k in a)
    return bool(a == b)


def _floats(tree: Any) -> int:
    """How many floats the tree holds."""
    if isinstance(tree, np.ndarray):
        return tree.size if tree.dtype.kind == "f" else 0
    if isinstance(tree, (list, tuple)):
        return sum(map(_floats, tree))
    if isinstance(tree, dict):
        return sum(map(_floats, tree.values()))
    return int(isinstance(tree, (float, np.floating)))


def _moved(tree: Any, k: int, step: float) -> Any:
    """The tree with its k-th float moved by `step`."""
    if isinstance(tree, np.ndarray) and tree.dtype.kind == "f":
        result = tree.copy(order="K")
        if 0 <= k < tree.size:
            result.flat[k] += step
        return result
    if isinstance(tree, (list, tuple)):
        parts = []
        for item in tree:
            parts.append(_moved(item, k, step))
            k -= _floats(item)
        return type(tree)(parts) if type(tree) in (list, tuple) else type(tree)(*parts)
    if isinstance(tree, dict):
        items = {}
        for key, item in tree.items():
            items[key] = _moved(item, k, step)
            k -= _floats(item)
        return items
    if isinstance(tree, (float, np.floating)):
        return type(tree)(tree + step) if k == 0 else tree
    return copy.deepcopy(tree)


def _flat(tree: Any, like: Any) -> list[float]:
    """The floats of a gradient that has the form of `like`."""
    if isinstance(like, np.ndarray):
        return list(np.ravel(tree)) if like.dtype.kind == "f" else []
    if isinstance(like, (list, tuple)):
        return [v for part, item in zip(tree, like) for v in _flat(part, item)]
    if isinstance(like, dict):
        return [v for key, item in like.items() for v in _flat(tree[key], item)]
    return [float(tree)] if isinstance(like, (float, np.floating)) else []


def agrees(f: Callable[..., Any], *args: Any, rtol: float = 1e-5, atol: float = 1e-6,
           derivative: Callable[..., Any] | None = None) -> None:
    """Fail unless `value_and_grad(f)` does what `f` does, and differentiates it by its first argument.

    Compared with the plain call: the value bit for bit and its type, or the type and the text
    of the exception; what is printed.  The arguments of the derivative are as they were.

    derivative  one that has been called with other arguments
    """
    plain = outcome(f, args)
    derived = outcome(derivative or value_and_grad(f), args)
    if plain.error is not None or derived.error is not None:
        assert type(derived.error) is type(plain.error), (derived.error, plain.error, derived.value)
        assert str(derived.error) == str(plain.error)
    assert derived.output == plain.output
    for before, after in zip(args, derived.args):
        assert isinstance(before, (list, dict, tuple, np.ndarray)) is False or same_value(before, after)
    if plain.error is not None:
        return
    value, gradient = derived.value
    assert same_value(value, plain.value), (value, plain.value)
    if not _floats(args[0]) or not isinstance(value, (float, np.floating, np.ndarray)):
        return
    differences = []
    for k in range(_floats(args[0])):
        ends = [outcome(f, (_moved(args[0], k, step), *args[1:])) for step in (STEP, -STEP)]
        assert not any(end.error for end in ends), "differences leave the domain: choose other arguments"
        differences.append((float(ends[0].value) - float(ends[1].value)) / (2.0 * STEP))
    np.testing.assert_allclose(_flat(gradient, args[0]), differences, rtol=rtol, atol=atol)


def agrees_in_second_order(f: Callable[..., Any], x: Any, *args: Any, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    """Fail unless `hvp`, in the direction of ones, is the difference of two gradients by `x`, a float or an array."""
    second = hvp(f, (x, *args), (np.ones_like(x) if isinstance(x, np.ndarray) else 1.0,))
    rise = grad(f)(x + STEP, *args) - grad(f)(x - STEP, *args)
    np.testing.assert_allclose(second, rise / (2.0 * STEP), rtol=rtol, atol=atol)


def agrees_in_every_mode(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    """As `agrees`, for all calls of one derivative; those that return in forward mode, too, one in second order."""
    derivative = value_and_grad(f)
    for args in calls:
        agrees(f, *args, derivative=derivative)
    returning = [args for args in calls if outcome(f, args).error is None]
    agrees_in_second_order(f, np.array(returning[0][0]), *returning[0][1:])
    for x, *others in returning:
        v = [0.3 + 0.5 * k for k in range(len(x))]
        gradient, (_, pushed) = derivative(x, *others)[1], jvp(f, (x, *others), (v,))
        assert pushed == pytest.approx(sum(a * b for a, b in zip(gradient, v)), rel=1e-12)


class Programs(list[tuple[Callable[..., Any], list[tuple[Any, ...]]]]):
    """The programs of a test file, each with the arguments of its calls; a decorator, `@program(args, args)`, adds one.

    The first argument is a list of floats, by which it is differentiated.
    """

    def __call__(self, *calls: tuple[Any, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(f: Callable[..., Any]) -> Callable[..., Any]:
            self.append((f, list(calls)))
            return f

        return register

    def test(self) -> Callable[..., None]:
        """A test of each program in every mode, with validation and without: `test_programs = program.test()`."""
        @pytest.mark.parametrize("validate", ["1", "0"])
        @pytest.mark.parametrize(("f", "calls"), self, ids=lambda v: getattr(v, "__name__", ""))
        def test_programs(f: Callable[..., Any], calls: list[tuple[Any, ...]], validate: str,
                          monkeypatch: pytest.MonkeyPatch) -> None:
            monkeypatch.setenv("SCT_VALIDATE", validate)
            agrees_in_every_mode(f, calls)

        return test_programs


def refuses(f: Callable[..., Any], *args: Any, code: str) -> SctError:
    """Fail unless `value_and_grad(f)` is refused with this code, at a line of the user's; the refusal."""
    with warnings.catch_warnings(), pytest.raises(SctError) as caught:
        warnings.simplefilter("ignore", SctWarning)
        value_and_grad(f)(*copy.deepcopy(args))
    assert caught.value.code == code, caught.value
    assert "-->" in str(caught.value)
    return caught.value
