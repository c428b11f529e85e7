"""What `where` does not select contributes 0 where a derivative behind it is infinite, through lists of loops too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, hessian, jacrev

A = np.array([0.5, 0.4])
R = np.array([0.0, 0.1])


def inverses(a: Any, r: Any) -> Any:
    total = 0.0
    for scale in a:
        total = total + np.sum(np.where(r > 0, 1 / (scale * r), 0.0))
    return total


def mask_of_the_iteration(a: Any, r: Any) -> Any:
    total = 0.0
    for scale in a:
        total = total + np.sum(np.where(r * scale > 0, scale / (scale * r), 0.0))
    return total


def nested_masks(a: Any, r: Any) -> Any:
    total = 0.0
    for scale in a:
        inside = r * scale > 0
        total = total + np.sum(np.where(inside, np.where(r < 5, scale / r * np.sin(scale), 0.0), 0.0))
    return total


def sums_of_squares(a: Any, r: Any) -> Any:
    terms = []
    for scale in a:
        terms.append(np.where(r > 0, np.sqrt(r) * scale ** 2 / (scale * r + r), 0.0))
    total = 0.0
    for term in terms:
        total = total + np.sum(term * term)
    return total


def logarithms(a: Any, r: Any) -> Any:
    terms = []
    for scale in a:
        q = np.log(scale * r)
        terms.append(np.where(r * scale > 0, q * q, 0.0))
    total = 0.0
    for term in terms:
        total = total + np.sum(term * term)
    return total


PROGRAMS = (inverses, mask_of_the_iteration, nested_masks, sums_of_squares, logarithms)


@pytest.mark.parametrize("f", PROGRAMS)
def test_first_and_second_derivatives(f: Callable[..., Any]) -> None:
    h = 1e-6
    with np.errstate(all="ignore"):
        first = np.array([f(A + h * e, R) - f(A - h * e, R) for e in np.eye(2)]) / (2.0 * h)
        np.testing.assert_allclose(grad(f)(A, R), first, rtol=1e-6, atol=1e-6)
        second = np.array([grad(f)(A + h * e, R) - grad(f)(A - h * e, R) for e in np.eye(2)]) / (2.0 * h)
        np.testing.assert_allclose(hessian(f)(A, R), second, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(jacrev(grad(f))(A, R), second, rtol=1e-5, atol=1e-6)
        of_sum = grad(lambda a: np.sum(grad(f)(a, R)))(A)
        np.testing.assert_allclose(of_sum, second.sum(0), rtol=1e-5, atol=1e-6)
