"""Every program of tests/programs/ in every mode.

Against the plain call (values, bit for bit), central differences, closed forms,
JVP against VJP by inner product, Hessian-vector products against differences of
gradients.  The caller's arrays come back as they were.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import programs
import pytest
from trees import basis, copied, flat, is_float, leaves, mirrors, moved, random_like, same_bits

from sct import grad, hvp, jvp, value_and_grad, vjp

STEPS = (1e-3, 1e-4, 1e-5, 1e-2)


@dataclass(frozen=True)
class Program:
    name: str
    function: Callable[..., Any]
    inputs: Callable[[np.random.Generator], tuple[Any, ...]]
    gradients: Callable[..., dict[int, Any]] | None
    differences: bool

    def args(self) -> tuple[Any, ...]:
        return self.inputs(np.random.default_rng(0))

    def run(self, *args: Any) -> Any:
        """The plain call, on copies."""
        return self.function(*copied(args))

    def __str__(self) -> str:
        return self.name


def collect() -> list[Program]:
    found = []
    for path in sorted(Path(programs.__path__[0]).glob("[a-z]*.py")):
        module = importlib.import_module(f"programs.{path.stem}")
        closed, blind = getattr(module, "GRADIENTS", {}), getattr(module, "NOT_BY_DIFFERENCES", ())
        assert closed.keys() <= module.INPUTS.keys(), f"{path}: a closed form without inputs"
        for name, inputs in module.INPUTS.items():
            function = getattr(module, name)
            found.append(Program(f"{path.stem}.{name}", function, inputs, closed.get(name), name not in blind))
    return found


PROGRAMS = collect()
every_program = pytest.mark.parametrize("program", PROGRAMS, ids=str)
every_scalar_program = pytest.mark.parametrize(
    "program", [p for p in PROGRAMS if is_float(p.function(*p.args())) and np.size(p.function(*p.args())) == 1], ids=str
)


def active(args: tuple[Any, ...]) -> tuple[int, ...]:
    """The arguments that are differentiated."""
    return tuple(i for i, arg in enumerate(args) if leaves(arg))


def tolerance(args: tuple[Any, ...]) -> dict[str, float]:
    single = any(leaf.dtype == np.float32 for leaf in leaves(args))
    return {"rtol": 2e-2, "atol": 2e-3} if single else {"rtol": 1e-6, "atol": 1e-8}


def differences(f: Callable[..., Any], args: tuple[Any, ...], direction: Any, h: float) -> np.ndarray:
    """The derivative of all leaves of `f` along a direction, by central differences of fourth order."""

    def slope(h: float) -> np.ndarray:
        ahead, behind = flat(f(*moved(args, direction, h))), flat(f(*moved(args, direction, -h)))
        return (ahead - behind) / (2.0 * h)

    return (4.0 * slope(0.5 * h) - slope(h)) / 3.0


def assert_slopes(f: Callable[..., Any], args: tuple[Any, ...], directions: list[Any], exact: np.ndarray) -> None:
    """One row of `exact` for each direction; differences with one of several steps must agree."""
    tried = []
    scale = np.max(np.abs(exact), initial=1.0)
    for h in STEPS:
        rows = np.array([differences(f, args, direction, h) for direction in directions]).reshape(exact.shape)
        if np.allclose(rows, exact, rtol=tolerance(args)["rtol"], atol=scale * tolerance(args)["atol"]):
            return
        tried.append(rows)
    closest = min(tried, key=lambda rows: np.max(np.abs(rows - exact)))
    raise AssertionError(f"derivative {exact}\ndifferences {closest}\nerror {np.max(np.abs(closest - exact)):.2e}")


@every_scalar_program
def test_gradient(program: Program) -> None:
    args, expected = program.args(), program.function(*program.args())
    argnums = active(args)
    value, gradients = value_and_grad(program.function, argnums)(*args)
    assert same_bits(value, expected), f"value {value!r}, plain call {expected!r}"
    assert same_bits(args, program.args()), "the caller's arguments were changed"
    for i, gradient in zip(argnums, gradients, strict=True):
        assert mirrors(gradient, args[i]), f"argument {i}: {gradient!r} is no gradient of {args[i]!r}"
    if program.differences:
        assert_slopes(program.run, args, basis(args), flat(gradients))
    if program.gradients:
        for i, closed in program.gradients(*program.args()).items():
            got = flat(gradients[argnums.index(i)])
            np.testing.assert_allclose(got, flat(closed), rtol=1e-9, atol=1e-11, err_msg=f"argument {i}")


@every_scalar_program
def test_gradient_alone(program: Program) -> None:
    """`grad` may drop what only the value needs; each argument by itself gives the same gradient."""
    args = program.args()
    argnums = active(args)
    gradients = value_and_grad(program.function, argnums)(*program.args())[1]
    for i, expected in zip(argnums, gradients, strict=True):
        got = grad(program.function, i)(*args)
        assert mirrors(got, args[i])
        single = any(leaf.dtype == np.float32 for leaf in leaves(args))
        np.testing.assert_allclose(flat(got), flat(expected), rtol=1e-4 if single else 1e-9, atol=1e-11)
    assert same_bits(args, program.args()), "the caller's arguments were changed"


@every_program
def test_jvp_against_vjp(program: Program) -> None:
    args, expected = program.args(), program.function(*program.args())
    rng = np.random.default_rng(1)
    direction = random_like(args, rng)
    cotangent = random_like(expected, rng)
    value, tangent = jvp(program.function, args, direction)
    assert same_bits(value, expected), f"value of jvp {value!r}, plain call {expected!r}"
    value, pullback = vjp(program.function, *args)
    assert same_bits(value, expected), f"value of vjp {value!r}, plain call {expected!r}"
    cotangents = pullback(cotangent)
    again = pullback(cotangent)
    assert same_bits(args, program.args()), "the caller's arguments were changed"
    for i in active(args):
        assert mirrors(cotangents[i], args[i])
        assert same_bits(cotangents[i], again[i]), "a second call of the pullback differs"
    if program.differences:
        assert_slopes(program.run, args, [direction], flat(tangent))
    forward = flat(cotangent) @ flat(tangent)
    backward = sum(flat(direction[i]) @ flat(cotangents[i]) for i in active(args))
    np.testing.assert_allclose(backward, forward, **tolerance(args))


@every_scalar_program
def test_second_order(program: Program) -> None:
    """The derivative of the gradient in argument 0, along a direction in all arguments."""
    args = program.args()
    if not leaves(args[0]):
        pytest.skip("argument 0 has no gradient")
    direction = random_like(args, np.random.default_rng(2))
    product = hvp(program.function, args, direction)
    assert mirrors(product, args[0])
    assert same_bits(args, program.args()), "the caller's arguments were changed"
    if program.differences:
        gradient = grad(program.function)
        assert_slopes(gradient, args, [direction], flat(product))
