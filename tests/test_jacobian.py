"""Dense derivatives: `jacfwd`, `jacrev`, `jacobian`, `hessian`.

Every program of tests/programs/ in both modes against its JVP and its gradient (which are
tested against central differences), the Hessians against Hessian-vector products; then the
conventions (containers, argnums, aux, shapes), closed forms, effects and what is emitted.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from test_programs import Program, active, every_program, every_scalar_program, tolerance
from trees import fields, flat, is_float, leaves, random_like, same_bits

import sct
from sct import SctError, grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp


def times(blocks: Any, tangent: Any) -> Any:
    """A row of blocks, arranged as the argument, times a tangent arranged likewise."""
    named = tangent if isinstance(tangent, dict) else fields(tangent)
    if named is not None:
        return sum(times(part(blocks, key), named[key]) for key in named)
    if isinstance(tangent, (tuple, list)):
        return sum(times(b, t) for b, t in zip(blocks, tangent, strict=True))
    if tangent is None:
        assert blocks is None
        return 0.0
    return np.tensordot(blocks, tangent, axes=np.ndim(tangent)) if np.ndim(tangent) else blocks * tangent


def product(result: Any, value: Any, tangent: Any) -> Any:
    """The Jacobian of an output like `value` times a tangent: a tangent of the output."""
    named = value if isinstance(value, dict) else fields(value)
    if named is not None:
        return {key: product(part(result, key), named[key], tangent) for key in named}
    if isinstance(value, (tuple, list)):
        return type(value)(product(r, v, tangent) for r, v in zip(result, value, strict=True))
    return times(result, tangent) + np.zeros(np.shape(value)) if is_float(value) else None


def part(x: Any, key: str) -> Any:
    return x[key] if isinstance(x, dict) else getattr(x, key)


def has_long_list(x: Any) -> bool:
    """Does it hold a list that has no Jacobian?"""
    if isinstance(x, dict):
        return any(map(has_long_list, x.values()))
    return isinstance(x, (tuple, list)) and (isinstance(x, list) and len(x) > 4 or any(map(has_long_list, x)))


def dense(transform: Any, f: Any, argnums: Any, args: tuple[Any, ...], value: Any) -> Any:
    try:
        return transform(f, argnums)(*args)
    except SctError as error:
        if error.code == "SCT413" and has_long_list((args, value)):
            pytest.skip("a list of any length has no Jacobian")
        raise


def size(args: tuple[Any, ...]) -> int:
    return sum(leaf.size for leaf in leaves(args))


@every_program
def test_against_jvp(program: Program) -> None:
    args = program.args()
    value, argnums = program.run(*args), active(args)
    direction = random_like(args, np.random.default_rng(1))
    _, tangent = jvp(program.function, args, direction)
    scale = 1.0 + np.max(np.abs(flat(tangent)), initial=0.0)
    for transform in (jacfwd, jacrev):
        made = dense(transform, program.function, argnums, args, value)
        got = product(made, value, tuple(direction[i] for i in argnums))
        np.testing.assert_allclose(flat(got), flat(tangent), rtol=tolerance(args)["rtol"],
                                   atol=scale * tolerance(args)["atol"], err_msg=transform.__name__)
        assert same_bits(args, program.args()), "the caller's arguments were changed"


@every_scalar_program
def test_hessian_against_hvp(program: Program) -> None:
    args = program.args()
    if not leaves(args[0]) or size(args[:1]) > 40:
        pytest.skip("argument 0 has no gradient, or is large")
    direction = [None] * len(args)
    direction[0] = random_like(args[0], np.random.default_rng(2))
    expected = hvp(program.function, args, direction)
    got = product(dense(hessian, program.function, 0, args, None), args[0], direction[0])
    scale = 1.0 + np.max(np.abs(flat(expected)), initial=0.0)
    np.testing.assert_allclose(flat(got), flat(expected), rtol=tolerance(args)["rtol"],
                               atol=scale * tolerance(args)["atol"])
    assert same_bits(args, program.args()), "the caller's arguments were changed"


# -- conventions ----------------------------------------------------------------------

X = np.array([0.5, 0.2, 0.3])
BOTH = pytest.mark.parametrize("jac", [jacfwd, jacrev, jacobian])


def cubed(x: np.ndarray) -> np.ndarray:
    return x * x * x


def affine(p: dict[str, Any]) -> np.ndarray:
    return p["w"] @ p["x"] + p["b"]


def same(got: Any, expected: Any) -> None:
    """Equal arrangement, equal shapes, close numbers."""
    if isinstance(expected, dict):
        assert isinstance(got, dict) and list(got) == list(expected)
        for key in expected:
            same(got[key], expected[key])
    elif isinstance(expected, (tuple, list)):
        assert type(got) is type(expected) and len(got) == len(expected)
        for g, e in zip(got, expected):
            same(g, e)
    elif expected is None:
        assert got is None
    else:
        assert np.shape(got) == np.shape(expected)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


@BOTH
def test_shapes_are_those_of_the_output_and_the_argument(jac) -> None:
    same(jac(cubed)(X), np.diag(3.0 * X * X))
    same(jac(lambda x: x * x)(3.0), 6.0)
    same(jac(lambda s: s * s * X)(2.0), 4.0 * X)
    same(jac(lambda x: np.sum(x * x))(X), 2.0 * X)
    same(jac(lambda x: x * x)(np.array(3.0)), 6.0)
    same(jac(cubed)(np.zeros(0)), np.zeros((0, 0)))
    same(jac(cubed)(np.ones(1)), np.full((1, 1), 3.0))
    same(jac(lambda x: np.zeros(0) * np.sum(x))(X), np.zeros((0, 3)))
    matrix = np.arange(6.0).reshape(2, 3)
    same(jac(lambda m: 2.0 * m.T)(matrix), transposed(matrix))


def transposed(m: np.ndarray) -> np.ndarray:
    """The Jacobian of `2 * m.T`."""
    made = np.zeros((*m.T.shape, *m.shape))
    for i, j in np.ndindex(m.shape):
        made[j, i, i, j] = 2.0
    return made


@BOTH
def test_containers_give_blocks(jac) -> None:
    w, b = np.arange(6.0).reshape(2, 3), np.ones(2)
    blocks = jac(affine)({"w": w, "x": X, "b": b})
    same(blocks, {"w": np.einsum("ij,k->ijk", np.eye(2), X), "x": w, "b": np.eye(2)})

    def outputs(a, s):
        return {"p": a * s, "q": (np.sum(a) * s, [s])}

    same(jac(outputs, argnums=(0, "s"))(X, 2.0),
         {"p": (2.0 * np.eye(3), X), "q": ((np.full(3, 2.0), X.sum()), [(np.zeros(3), 1.0)])})
    same(jac(outputs, argnums=(1,))(X, 2.0), {"p": (X,), "q": ((X.sum(),), [(1.0,)])})
    same(jac(lambda p: p["x"] * p["n"])({"x": X, "n": 2, "name": "a"}),
         {"x": 2.0 * np.eye(3), "n": None, "name": None})
    same(jac(lambda x: (2.0 * x, 3, None, "a"))(X), (2.0 * np.eye(3), None, None, None))


@BOTH
def test_argnums_and_aux(jac) -> None:
    def f(a, b):
        return a * b, {"sum": a + b}

    same(jac(f, argnums=-1, has_aux=True)(X, 2.0), (X, {"sum": X + 2.0}))
    same(jac(f, (0, 1), has_aux=True)(X, b=2.0), ((2.0 * np.eye(3), X), {"sum": X + 2.0}))
    with pytest.raises(SctError, match="pair"):
        jac(cubed, has_aux=True)(X)


def test_dtypes() -> None:
    x = X.astype(np.float32)
    assert jacrev(cubed)(x).dtype == jacfwd(cubed)(x).dtype == hessian(cubed)(x).dtype == np.float32


def test_an_int_counts_as_a_float() -> None:
    assert jacfwd(cubed)(3) == jacrev(cubed)(3) == 27.0
    assert hessian(cubed)(3) == 18.0


@jacfwd
def doubled(x: np.ndarray) -> np.ndarray:
    """Twice."""
    return 2.0 * x


@hessian(argnums=1)
def curved(a: float, b: float) -> float:
    return a * b * b * b


class Model:
    scale = 2.0

    @jacrev
    def slopes(self, x: np.ndarray) -> np.ndarray:
        return self.scale * x * x


def test_decorators() -> None:
    same(doubled(X), 2.0 * np.eye(3))
    assert doubled.__doc__ == "Twice." and "jacfwd of doubled" in repr(doubled)
    assert curved(2.0, 3.0) == 36.0
    same(Model().slopes(X), np.diag(4.0 * X))


@BOTH
def test_results_are_owned(jac) -> None:
    a, b = jac(lambda x: (x, x))(X)
    a[0, 0] = 7.0
    same(b, np.eye(3))


# -- hessians -------------------------------------------------------------------------


def rosenbrock(x: np.ndarray) -> float:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_hessian(x: np.ndarray) -> np.ndarray:
    n = len(x)
    made = np.zeros((n, n))
    for i in range(n - 1):
        made[i, i] += 1200.0 * x[i] ** 2 - 400.0 * x[i + 1] + 2.0
        made[i + 1, i + 1] += 200.0
        made[i, i + 1] -= 400.0 * x[i]
        made[i + 1, i] -= 400.0 * x[i]
    return made


def test_hessian_in_closed_form() -> None:
    x = np.random.default_rng(0).normal(size=6)
    got = hessian(rosenbrock)(x)
    same(got, rosenbrock_hessian(x))
    np.testing.assert_array_equal(got, got.T)


def test_hessian_of_several_arguments() -> None:
    def f(p, s):
        return np.sum(p["a"] ** 3) * s + p["b"] * s * s

    p, s = {"a": X, "b": 2.0}, 3.0
    same(hessian(f, argnums=(0, 1))(p, s), hessian_by_hand(X, s))


def hessian_by_hand(a: np.ndarray, s: float) -> Any:
    """Arranged as (p, s), each leaf again as (p, s)."""
    of_a = ({"a": np.diag(6.0 * a * s), "b": np.zeros(3)}, 3.0 * a ** 2)
    of_b = ({"a": np.zeros(3), "b": 0.0}, 2.0 * s)
    of_s = ({"a": 3.0 * a ** 2, "b": 2.0 * s}, 4.0)
    return {"a": of_a, "b": of_b}, of_s


def test_hessian_of_an_array() -> None:
    got, aux = hessian(lambda x: (x * x * x, "aux"), has_aux=True)(X)
    expected = np.zeros((3, 3, 3))
    expected[range(3), range(3), range(3)] = 6.0 * X
    same(got, expected)
    assert aux == "aux"


# -- inside functions that are differentiated -----------------------------------------


def test_derivatives_of_jacobians() -> None:
    for jac in (jacfwd, jacrev, jacobian):
        same(grad(lambda x, jac=jac: np.sum(jac(cubed)(x) ** 2))(X), 36.0 * X ** 3)
        same(jvp(jac(cubed), (X,), (X,))[1], np.diag(6.0 * X * X))
        same(grad(lambda x, jac=jac: np.sum(jac(lambda y: (x * y * y, y), has_aux=True)(x)[0]))(X), 4.0 * X)
        same(jac(jac(cubed))(X), np.einsum("ij,jk->ijk", np.eye(3), 6.0 * np.diag(X)))
    same(grad(lambda x: np.sum(hessian(lambda v: np.sum(v * v * v * x))(x)))(X), 12.0 * X)
    assert hessian(hessian(lambda x: np.sum(x ** 4)))(X).shape == (3, 3, 3, 3)
    same(grad(lambda x: jacfwd(lambda y: x * y)(1.0))(3.0), 1.0)


# -- effects --------------------------------------------------------------------------


def loud(x: np.ndarray) -> np.ndarray:
    for i in range(2):
        print("trip", i, x[i])
    if x[0] > 0.9:
        raise ValueError("large")
    return x * x


@pytest.mark.parametrize("jac", [jacfwd, jacrev, jacobian, hessian])
def test_effects_happen_once(jac, capsys) -> None:
    loud(X)
    expected = capsys.readouterr().out
    jac(loud)(X)
    assert capsys.readouterr().out == expected
    with pytest.raises(ValueError, match="large"):
        jac(loud)(2.0 * X)
    assert capsys.readouterr().out.count("trip") == 2
    jac(quiet)(np.zeros(0))
    assert capsys.readouterr().out == "once\n"


def quiet(x: np.ndarray) -> np.ndarray:
    print("once")
    return x * x


# -- which mode -----------------------------------------------------------------------


def test_jacobian_takes_the_mode_with_fewer_runs() -> None:
    wide = jacobian(lambda x, y: np.outer(x, y).sum(axis=0))
    wide(np.ones(5), np.ones(2))
    assert "dy[i] = 1.0" in wide.source and "dx[i] = 1.0" not in wide.source
    same(wide(np.ones(2), np.arange(5.0)), np.outer(np.arange(5.0), np.ones(2)))
    assert "dx[i] = 1.0" in wide.source
    same(wide(np.ones(5), np.ones(2)), np.ones((2, 5)))
    assert len(wide.sources) == 2


def test_an_output_of_unknown_size_is_differentiated_in_reverse() -> None:
    derivative = jacobian(lambda x: 2.0 * x[x > 0.0])
    for x in (np.array([1.0, -2.0, 3.0]), np.array([-1.0, 2.0])):
        same(derivative(x), 2.0 * np.eye(x.size)[x > 0.0])


INTS = (lambda x: sum(v * v for v in x), lambda x: 3, lambda x: len(x) - 1, lambda x: np.int64(x.size))


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize("f", INTS)
def test_an_int_is_a_constant_in_every_mode(f) -> None:
    """The sum of no numbers is the int 0."""
    x = np.zeros(0) if f is INTS[0] else X
    n = x.size
    assert value_and_grad(f)(x)[0] == f(x) and type(value_and_grad(f)(x)[0]) is type(f(x))
    for derivative in (grad(f), jacobian(f), jacfwd(f), jacrev(f)):
        same(derivative(x), np.zeros(n))
    same(hessian(f)(x), np.zeros((n, n)))
    assert jvp(f, (x,), (x,)) == (f(x), 0.0)
    same(vjp(f, x)[1](1.0)[0], np.zeros(n))
    gradient, aux = jacrev(lambda x: (f(x), x), has_aux=True)(x)
    same(gradient, np.zeros(n))
    same(aux, x)


def test_one_derivative_of_sums_of_no_and_of_some_numbers() -> None:
    for jac in (jacobian(INTS[0]), jacfwd(INTS[0]), jacrev(INTS[0])):
        for n in (0, 2, 1, 0, 3):
            same(jac(np.arange(1.0, n + 1.0)), 2.0 * np.arange(1.0, n + 1.0))
    second = hessian(INTS[0])
    for n in (3, 0, 1, 2):
        same(second(np.arange(1.0, n + 1.0)), 2.0 * np.eye(n))


# -- refusals -------------------------------------------------------------------------


@pytest.mark.parametrize("jac", [jacfwd, jacrev, jacobian, hessian])
def test_refusals(jac) -> None:
    for output in (lambda x: None, lambda x: "a", lambda x: (3, 4), lambda x: x > 0.0):
        with pytest.raises(SctError) as error:
            jac(output)(X)
        assert error.value.code == "SCT405"
    for argument in (True, "a", {"n": 1}, None):
        with pytest.raises(SctError) as error:
            jac(lambda x: 1.0)(argument)
        assert error.value.code == "SCT408"
    with pytest.raises(SctError, match="no positional argument 3"):
        jac(cubed, argnums=3)
    with pytest.raises(SctError, match="backend"):
        jac(cubed, backend="x")
    with pytest.raises(SctError, match="wrap it"):
        jac(str.upper)


@pytest.mark.parametrize("jac", [jacfwd, jacrev, jacobian, hessian])
def test_lists_of_any_length_are_refused(jac) -> None:
    def grown(x):
        made = []
        for k in range(len(x)):
            made.append(x[k] * x[k])
        return made

    for f, x in ((lambda p: sum([q * q for q in p]), [1.0, 2.0, 3.0, 4.0, 5.0]), (grown, X), (lambda p: p[0], [X] * 6)):
        with pytest.raises(SctError, match="list of any length") as error:
            jac(f)(x)
        assert error.value.code == "SCT413"
    same(jacrev(lambda p: p[0] * p[1])([2.0, 3.0]), [3.0, 2.0])
    same(jacrev(lambda p: p[0] * p[1])((2.0, 3.0, 1.0, 1.0, 1.0)), (3.0, 2.0, 0.0, 0.0, 0.0))


# -- what is emitted ------------------------------------------------------------------


def test_the_source_stands_alone() -> None:
    for transform in (jacfwd, jacrev, jacobian, hessian):
        derivative = transform(rosenbrock)
        expected = derivative(X)
        namespace: dict[str, Any] = {}
        exec(derivative.source, namespace)
        assert "sct" not in derivative.source
        np.testing.assert_array_equal(namespace[f"rosenbrock_{transform.__name__}"](X), expected)


def test_the_function_runs_once_and_what_is_invariant_is_before_the_loop() -> None:
    derivative = jacfwd(lambda x: np.exp(x) * np.sin(x))
    derivative(X)
    before, loop = derivative.source.split("    for i in")
    assert before.count("np.exp") == before.count("np.sin") == before.count("np.cos") == 1
    assert "np.exp" not in loop and "np.sin" not in loop and "np.cos" not in loop


def test_aux_of_vjp_and_jvp() -> None:
    def f(x):
        return x * x, {"twice": 2.0 * x}

    value, pullback, aux = vjp(f, X, has_aux=True)
    same((value, aux, pullback(X)), (X * X, {"twice": 2.0 * X}, (2.0 * X * X,)))
    same(jvp(f, (X,), (X,), has_aux=True), (X * X, 2.0 * X * X, {"twice": 2.0 * X}))
    same(grad(lambda x: np.sum(vjp(f, x, has_aux=True)[1](x)[0]))(X), 4.0 * X)
    same(grad(lambda x: np.sum(jvp(f, (x,), (x,), has_aux=True)[1]))(X), 4.0 * X)
    for call in (lambda: vjp(cubed, X, has_aux=True), lambda: jvp(cubed, (X,), (X,), has_aux=True)):
        with pytest.raises(SctError, match="pair"):
            call()


def test_sources_ahead_of_a_call() -> None:
    assert "def cubed_jacrev(x)" in jacrev(cubed).source
    assert sct.jacobian(cubed).source_for({"x": "f64[n]"}).count("for ") == 1
    assert math.isclose(jacfwd(lambda x: math.sin(x))(0.0), 1.0)


# -- recursion ------------------------------------------------------------------------


def branching(x: np.ndarray, depth: int) -> np.ndarray:
    if depth == 0:
        return np.sin(x)
    return branching(1.1 * x, depth - 1) * branching(x + 0.5, depth - 1) + x


def announced(x: np.ndarray, depth: int) -> np.ndarray:
    print("depth", depth)
    return np.sin(x) if depth == 0 else announced(1.1 * x, depth - 1) * x


def test_recursion(capsys) -> None:
    for f in (branching, announced):
        f(X, 2)
        expected = capsys.readouterr().out
        for jac in (jacfwd, jacrev, jacobian):
            got = jac(f)(X, 2)
            assert capsys.readouterr().out == expected
            same(got @ X, jvp(f, (X, 2), (X, None))[1])
            capsys.readouterr()
    def f(x):
        return np.sum(branching(x, 2))

    got = hessian(f)(X)
    same(got @ X, hvp(f, (X,), (X,)))
    np.testing.assert_allclose(got, got.T, rtol=1e-12)
