"""The programs of `numba_handwritten` as one writes them for JAX: `lax.scan`, double precision, jitted."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from benchmarks.numba_handwritten import Program

jax.config.update("jax_enable_x64", True)


def logistic_map(x, steps):
    return lax.scan(lambda v, _: (3.0 * v * (1.0 - v), None), x, None, length=steps)[0]


def recurrence(x, a):
    return lax.scan(lambda h, w: (jnp.tanh(w * h + 0.1), None), x, a)[0]


def thomas(a, b, c, d):
    def forward(last, row):
        b_last, c_last, d_last = last
        a_i, b_i, c_i, d_i = row
        w = a_i / b_last
        now = (b_i - w * c_last, c_i, d_i - w * d_last)
        return now, now

    first = (b[0], c[0], d[0])
    _, rows = lax.scan(forward, first, (a[1:], b[1:], c[1:], d[1:]))
    bs, ds = (jnp.concatenate([x[:1], r]) for x, r in ((b, rows[0]), (d, rows[2])))
    end = ds[-1] / bs[-1]

    def backward(x, row):
        b_i, c_i, d_i = row
        x = (d_i - c_i * x) / b_i
        return x, x

    _, xs = lax.scan(backward, end, (bs[:-1], c[:-1], ds[:-1]), reverse=True)
    return jnp.sum(xs * xs) + end * end


def seidel(u, sweeps):
    def row(above, rows):
        here, below = rows

        def element(left, parts):
            up, old, right, down = parts
            new = 0.2 * (up + left + down + right - 0.1 * old**3)
            return new, new

        _, inner = lax.scan(element, here[0], (above[1:-1], here[1:-1], here[2:], below[1:-1]))
        now = jnp.concatenate([here[:1], inner, here[-1:]])
        return now, now

    def sweep(u, _):
        _, rows = lax.scan(row, u[0], (u[1:-1], u[2:]))
        return jnp.concatenate([u[:1], rows, u[-1:]]), None

    u, _ = lax.scan(sweep, u, None, length=sweeps)
    return jnp.sum(u * u)


FUNCTIONS = {"logistic_map": logistic_map, "recurrence": recurrence, "thomas": thomas, "seidel": seidel}


def gradient(program: Program, args: tuple[Any, ...]) -> Callable[[], Any] | None:
    """A call of the jitted value and gradient, the arguments on the device; None: there is no such program."""
    function = FUNCTIONS.get(program.name)
    if function is None:
        return None
    fixed = {i: x for i, x in enumerate(args) if isinstance(x, int)}
    given = tuple(jnp.asarray(x) for i, x in enumerate(args) if i not in fixed)
    made = jax.jit(jax.value_and_grad(lambda *xs: function(*xs, *fixed.values()), program.argnums))
    return lambda: jax.block_until_ready(made(*given))
