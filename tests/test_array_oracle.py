"""The programs of tests/programs/arrays.py that write into nothing, against JAX and the same source."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from programs import arrays
from trees import leaves

from sct import grad, hvp

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)

PURE = ("standardised_loss", "weighted_variance", "pinball", "robust_scale", "gini", "drawdown", "swap",
        "periodic_laplace", "upsampled", "gates", "cross_entropy", "top_k", "wiped_out")


def with_jax(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function with `np` meaning `jax.numpy`."""
    return types.FunctionType(f.__code__, {**f.__globals__, "np": jax.numpy}, f.__name__, f.__defaults__)


@pytest.mark.parametrize("name", PURE)
def test_gradient_and_hessian_product(name: str) -> None:
    f, args = getattr(arrays, name), arrays.INPUTS[name](np.random.default_rng(3))
    active = tuple(k for k, a in enumerate(args) if leaves(a) and not isinstance(a, int))
    theirs = jax.grad(with_jax(f), argnums=active)(*args)
    for k, expected in zip(active, theirs, strict=True):
        np.testing.assert_allclose(grad(f, k)(*args), expected, rtol=1e-9, atol=1e-11)
    v = np.random.default_rng(4).normal(size=np.shape(args[0]))
    rest = [np.zeros_like(a) if np.ndim(a) and k in active else None if k not in active else 0.0
            for k, a in enumerate(args)][1:]
    expected = jax.jvp(lambda x: jax.grad(with_jax(f))(x, *args[1:]), (args[0],), (v,))[1]
    np.testing.assert_allclose(hvp(f, args, (v, *rest)), expected, rtol=1e-8, atol=1e-9)
