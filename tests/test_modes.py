"""The modes follow from one another: every program of tests/programs/ in every mode, and in modes of modes.

Along one direction d and for one cotangent c all modes give the same number <c, Df d>, and the modes of modes
the same <c, D(Df d) e>, a derivative of the first by central differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from test_jacobian import part, product, times
from test_programs import Program, active
from trees import fields, flat, is_float, random_like

from sct import grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp


@dataclass
class Point:
    """A program at its arguments, with two directions and a cotangent."""

    program: Program
    backend: str = "numpy"
    args: tuple[Any, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.args = self.program.args()
        rng = np.random.default_rng(7)
        self.d, self.e = random_like(self.args, rng), random_like(self.args, rng)
        self.value = self.program.run(*self.args)
        self.c = random_like(self.value, rng)
        self.argnums = active(self.args)

    @property
    def f(self) -> Callable[..., Any]:
        return self.program.function

    @property
    def scalar(self) -> bool:
        return is_float(self.value) and np.size(self.value) == 1

    def along(self, direction: Any) -> tuple[Any, ...]:
        return tuple(direction[i] for i in self.argnums)

    def dot(self, gradients: Any, direction: Any) -> float:
        return float(flat(gradients) @ flat(self.along(direction)))

    def cotangents(self, c: Any, gradients: Any) -> float:
        return float(flat(c) @ flat(gradients))


def first_orders(p: Point) -> dict[str, Callable[[], float]]:
    """<c, Df d> in each mode."""
    f, args, argnums, backend = p.f, p.args, p.argnums, p.backend
    c = float(flat(p.c)[0]) if p.scalar else 0.0

    def dense(transform: Any) -> Callable[[], float]:
        return lambda: p.cotangents(p.c, product(transform(f, argnums, backend=backend)(*args), p.value, p.along(p.d)))

    def pulled() -> float:
        cts = vjp(f, *args, backend=backend)[1](p.c)
        return p.dot(tuple(cts[i] for i in argnums), p.d)

    found: dict[str, Callable[[], float]] = {
        "jvp": lambda: p.cotangents(p.c, jvp(f, args, p.d, backend=backend)[1]),
        "vjp": pulled, "jacfwd": dense(jacfwd), "jacrev": dense(jacrev), "jacobian": dense(jacobian)}
    if p.scalar:
        found["grad"] = lambda: c * p.dot(grad(f, argnums, backend=backend)(*args), p.d)
        found["value_and_grad"] = lambda: c * p.dot(value_and_grad(f, argnums, backend=backend)(*args)[1], p.d)
    return found


def second_orders(p: Point) -> dict[str, Callable[[], float]]:
    """<c, D(Df d) e> in each mode of a mode."""
    f, args, argnums, d, e, c = p.f, p.args, p.argnums, p.d, p.e, p.c
    n = len(argnums)

    def tangent(*xs: Any) -> Any:
        return jvp(f, xs, d)[1]

    def cotangent(*xs: Any) -> Any:
        made = vjp(f, *xs)[1](c)
        return tuple(made[i] for i in argnums)

    def along(direction: Any) -> Any:
        return p.along(direction)

    def nested(outer: Any, inner: Any) -> Callable[[], float]:
        def run() -> float:
            rows = outer(inner(f, argnums), argnums)(*args)
            return p.cotangents(c, again(rows, p.value))
        return run

    def again(rows: Any, value: Any) -> Any:
        """A leaf of the output holds blocks arranged as the arguments, of blocks arranged likewise."""
        named = value if isinstance(value, dict) else fields(value)
        if named is not None:
            return {key: again(part(rows, key), named[key]) for key in named}
        if isinstance(value, (tuple, list)):
            return type(value)(again(r, v) for r, v in zip(rows, value, strict=True))
        if not is_float(value):
            return None
        return twice(rows, along(d), lambda block: times(block, along(e))) + np.zeros(np.shape(value))

    def twice(blocks: Any, direction: Any, inner: Callable[[Any], Any]) -> Any:
        named = direction if isinstance(direction, dict) else fields(direction)
        if named is not None:
            return sum(twice(part(blocks, key), named[key], inner) for key in named)
        if isinstance(direction, (tuple, list)):
            return sum(twice(b, t, inner) for b, t in zip(blocks, direction, strict=True))
        if direction is None:
            assert blocks is None
            return 0.0
        block = inner(blocks)
        return np.tensordot(block, direction, axes=np.ndim(direction)) if np.ndim(direction) else block * direction

    found: dict[str, Callable[[], float]] = {
        "jvp of jvp": lambda: p.cotangents(c, jvp(tangent, args, e)[1]),
        "vjp of jvp": lambda: p.dot(tuple(vjp(tangent, *args)[1](c)[i] for i in argnums), e),
        "jvp of vjp": lambda: p.dot(jvp(cotangent, args, e)[1], d),
        "vjp of vjp": lambda: p.dot(tuple(vjp(cotangent, *args)[1](along(d))[i] for i in argnums), e),
        "jacrev of jacfwd": nested(jacrev, jacfwd), "jacfwd of jacrev": nested(jacfwd, jacrev),
        "jacfwd of jacfwd": nested(jacfwd, jacfwd), "jacrev of jacrev": nested(jacrev, jacrev)}
    if p.scalar:
        found["hessian"] = lambda: float(flat(c)[0]) * float(np.asarray(
            again(hessian(f, argnums)(*args), p.value)).ravel()[0])
        if 0 in argnums:
            found["hvp"] = lambda: float(flat(c)[0]) * float(
                flat(hvp(f, args, e)) @ flat(d[0]))
    return found
