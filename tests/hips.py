"""HIPS/autograd's own tests with sct in its place.

`python -m tests.hips SUITE` runs the tests of an unpacked source distribution of autograd. Its modules are replaced by
the ones below: NumPy and SciPy themselves, and derivatives of sct. The oracle of `check_grads` is differences of the
plain function. Needs pytest. `--out FILE` writes the result of each test as a line of JSON.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import time
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats

import sct
from sct import SctError

# -- derivatives ------------------------------------------------------------------------------------------------------
# These are called inside of functions that are differentiated, too: sct reads their source.


def of_one(fun: Callable[..., Any], argnum: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Callable[..., Any]:
    """`fun` as a function of its argument `argnum`, or of the tuple of several."""
    if isinstance(argnum, int):
        return lambda x: fun(*args[:argnum], x, *args[argnum + 1:], **kwargs)

    def of_tuple(xs: Any) -> Any:
        arguments = list(args)
        for position, x in zip(argnum, xs):
            arguments[position] = x
        return fun(*arguments, **kwargs)
    return of_tuple


def chosen(argnum: Any, args: Sequence[Any]) -> Any:
    return args[argnum] if isinstance(argnum, int) else tuple(args[k] for k in argnum)


def grad(fun: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
    return lambda *args, **kwargs: sct.grad(of_one(fun, argnum, args, kwargs))(chosen(argnum, args))


def value_and_grad(fun: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
    return lambda *args, **kwargs: sct.value_and_grad(of_one(fun, argnum, args, kwargs))(chosen(argnum, args))


def grad_and_aux(fun: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
    return lambda *args, **kwargs: sct.grad(of_one(fun, argnum, args, kwargs), has_aux=True)(chosen(argnum, args))


def holomorphic_grad(fun: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
    return lambda *args, **kwargs: sct.grad(of_one(fun, argnum, args, kwargs), holomorphic=True)(chosen(argnum, args))


def jacobian(fun: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
    return lambda *args, **kwargs: sct.jacobian(of_one(fun, argnum, args, kwargs))(chosen(argnum, args))


def hessian(fun: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
    return lambda *args, **kwargs: sct.hessian(of_one(fun, argnum, args, kwargs))(chosen(argnum, args))


def make_vjp(fun: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
    def pullback_and_value(*args: Any, **kwargs: Any) -> Any:
        value, pullback = sct.vjp(of_one(fun, argnum, args, kwargs), chosen(argnum, args))
        return (lambda cotangent: pullback(cotangent)[0]), value
    return pullback_and_value


def make_jvp(fun: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
    return lambda *args, **kwargs: lambda tangent: sct.jvp(
        of_one(fun, argnum, args, kwargs), (chosen(argnum, args),), (tangent,))


def make_vjp_of_one(fun: Callable[..., Any], x: Any) -> Any:
    """`make_vjp` of autograd's core, where the cotangent of a bool is a number; that of sct is None."""
    value, pullback = sct.vjp(fun, x)
    return (lambda cotangent: pullback(None if isinstance(value, bool) else cotangent)[0]), value


def make_hvp(fun: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
    return make_vjp(grad(fun, argnum), argnum)


def elementwise_grad(fun: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
    def gradient(*args: Any, **kwargs: Any) -> Any:
        pullback, value = make_vjp(fun, argnum)(*args, **kwargs)
        return pullback(np.ones_like(value))
    return gradient


def deriv(fun: Callable[..., Any], argnum: Any = 0) -> Callable[..., Any]:
    return lambda *args, **kwargs: make_jvp(fun, argnum)(*args, **kwargs)(np.ones_like(args[argnum]))[1]


def hessian_tensor_product(fun: Callable[..., Any], argnum: int = 0) -> Callable[..., Any]:
    return lambda *args, **kwargs: make_hvp(fun, argnum)(*args[:-1], **kwargs)[0](args[-1])


def tensor_jacobian_product(fun: Callable[..., Any], argnum: int = 0) -> Callable[..., Any]:
    def product(*args: Any, **kwargs: Any) -> Any:
        return np.tensordot(args[-1], fun(*args[:-1], **kwargs), axes=np.ndim(args[-1]))
    return jacobian(product, argnum)


def make_ggnvp(f: Callable[..., Any], g: Callable[..., Any] = lambda x: 0.5 * np.sum(x ** 2, axis=-1)
               ) -> Callable[..., Any]:
    """The product of the generalized Gauss-Newton matrix, J.T @ H @ J, with a vector."""
    def at(x: Any) -> Callable[..., Any]:
        y, pullback = sct.vjp(f, x)
        return lambda v: pullback(sct.hvp(g, (y,), (sct.jvp(f, (x,), (v,))[1],)))[0]
    return at


def convolve(A: Any, B: Any, axes: Any = None, dot_axes: Any = ((), ()), mode: str = "full") -> Any:
    """Convolution along pairs of axes, with sums over other pairs: not the function of SciPy."""
    if axes is None:
        axes = (list(range(A.ndim)), list(range(B.ndim)))
    summed = [30 + k for k in range(len(dot_axes[0]))]
    sliding = [40 + k for k in range(len(axes[0]))]
    labels = []
    for own, dots, convolved in ((0, dot_axes[0], axes[0]), (10, dot_axes[1], axes[1])):
        named = dict(zip([*dots, *convolved], summed + sliding))
        labels.append([named.get(k, own + k) for k in range((A if own == 0 else B).ndim)])
    of_A, of_B = ([label for label in side if label < 30] for side in labels)
    sizes = [(A.shape[a], B.shape[b]) for a, b in zip(axes[0], axes[1])]
    total = np.zeros([A.shape[labels[0].index(k)] for k in of_A] + [B.shape[labels[1].index(k)] for k in of_B]
                     + [a + b - 1 for a, b in sizes])
    fixed = [label for label in labels[1] if label not in sliding]
    for offset in itertools.product(*[range(b) for _, b in sizes]):
        at = tuple(offset[sliding.index(k)] if k in sliding else slice(None) for k in labels[1])
        term = np.einsum(A, labels[0], B[at], fixed, of_A + of_B + sliding)
        total[(..., *[slice(k, k + a) for k, (a, _) in zip(offset, sizes)])] += term
    if mode == "full":
        return total
    if mode == "same":
        return total[(..., *[slice((b - 1) // 2, (b - 1) // 2 + a) for a, b in sizes])]
    return total[(..., *[slice(min(a, b) - 1, max(a, b)) for a, b in sizes])]


def make_diagonal(D: Any, offset: int = 0, axis1: int = -1, axis2: int = -2) -> Any:
    assert (offset, axis1, axis2) == (0, -1, -2), "as autograd has it"
    return np.expand_dims(D, -1) * np.eye(D.shape[-1])


OWN_NAMES = ((np, "make_diagonal", make_diagonal), (np.linalg, "_dot", np.matmul),
             (np.linalg, "T", np.linalg.matrix_transpose))
"""Functions that autograd's modules have, and NumPy's have not."""

# -- the check --------------------------------------------------------------------------------------------------------

STEP, TOLERANCE = 1e-6, 1e-6  # of autograd
WIDE_STEP = 1e-4
failures: list[tuple[str, str]] = []  # of the test that runs


def mapped(f: Callable[..., Any], x: Any, *others: Any) -> Any:
    """The tree of `f` of the leaves; of a leaf that is None in another tree, `f` gets 0."""
    if isinstance(x, (tuple, list)):
        return type(x)([mapped(f, *items) for items in zip(x, *others, strict=True)])
    if isinstance(x, dict):
        assert all(set(other) == set(x) for other in others), "keys"
        return {key: mapped(f, x[key], *(other[key] for other in others)) for key in x}
    return f(x, *(0.0 if other is None else other for other in others))


def leaves(x: Any) -> list[Any]:
    if isinstance(x, (tuple, list, dict)):
        return [leaf for item in (x.values() if isinstance(x, dict) else x) for leaf in leaves(item)]
    return [x]


def random_like(x: Any, rng: np.random.Generator) -> Any:
    def leaf(x: Any) -> Any:
        x = np.asarray(x)
        values = rng.standard_normal(x.shape)
        if np.iscomplexobj(x):
            values = values + 1j * rng.standard_normal(x.shape)
        return np.asarray(values)[()]
    return mapped(leaf, x)


def differences(f: Callable[..., Any], x: Any, direction: Any) -> Iterator[Any]:
    """The derivative along `direction` by autograd's two points; then by four points that are further away, where
    rounding hides less."""
    def at(t: float) -> Any:
        return f(mapped(lambda a, v: a + v * t, x, direction))

    def slope(step: float) -> Any:
        return mapped(lambda a, b: np.subtract(a, b, dtype=np.result_type(a, b, float)) / (2.0 * step),
                      at(step), at(-step))
    yield slope(STEP / 2.0)
    yield mapped(lambda near, far: (4.0 * near - far) / 3.0, slope(WIDE_STEP), slope(2.0 * WIDE_STEP))


def inner(x: Any, y: Any) -> float:
    return float(sum(leaves(mapped(lambda a, b: np.sum(np.real(np.conj(a) * b)), x, y))))


def assert_alike(x: Any, y: Any, what: str) -> None:
    """Structure, shapes, and which leaves are complex."""
    def leaf(a: Any, b: Any) -> bool:
        return np.shape(a) == np.shape(b) and np.iscomplexobj(a) == np.iscomplexobj(b)
    assert all(leaves(mapped(leaf, x, mapped(lambda a: a, y)))), f"{what}: {y!r} is no tangent of {x!r}"


def assert_same(value: Any, plain: Any) -> None:
    """Equal up to rounding: of functions without derivatives inside them, sct compares each bit itself."""
    def leaf(a: Any, b: Any) -> bool:
        a, b = np.asarray(a), np.asarray(b)
        return a.shape == b.shape and a.dtype == b.dtype and np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True)
    assert all(leaves(mapped(leaf, plain, value))), f"value {value!r}, plain {plain!r}"


def is_near(a: float, b: float) -> bool:
    return abs(a - b) < TOLERANCE or abs(a - b) / abs(a + b) < TOLERANCE


def check_slope(slope: float, wanted: Iterable[float], mode: str) -> None:
    tried = []
    for expected in wanted:
        if is_near(slope, expected):
            return
        tried.append(expected)
    raise AssertionError(f"{mode} {slope}, differences {tried}")


def check_jvp(f: Callable[..., Any], x: Any) -> None:
    rng = np.random.default_rng(0)
    direction = random_like(x, rng)
    plain = f(x)
    value, tangent = sct.jvp(f, (x,), (direction,))
    assert_same(value, plain)
    assert_alike(next(differences(f, x, direction)), tangent, "tangent")
    weights = random_like(plain, rng)
    check_slope(inner(mapped(lambda _, t: t, plain, tangent), weights),
                (inner(slope, weights) for slope in differences(f, x, direction)), "forward")


def check_vjp(f: Callable[..., Any], x: Any) -> None:
    rng = np.random.default_rng(0)
    direction = random_like(x, rng)
    plain = f(x)
    value, pullback = sct.vjp(f, x)
    assert_same(value, plain)
    weights = random_like(plain, rng)
    (cotangent,) = pullback(mapped(np.conj, weights))
    assert_alike(direction, cotangent, "cotangent")
    check_slope(inner(mapped(lambda _, c: np.conj(c), direction, cotangent), direction),
                (inner(slope, weights) for slope in differences(f, x, direction)), "reverse")


def noted(check: Callable[..., None], f: Callable[..., Any], x: Any, order: int) -> bool:
    """Has this check succeeded? A failure is noted, and the test goes on."""
    try:
        f(x)
    except SctError:
        pass
    except Exception as error:
        failures.append(("plain function raises", f"{type(error).__name__}: {error}"[:300]))
        return False
    try:
        check(f, x)
    except Exception as error:
        failures.append((outcome(error), f"{check.__name__} of order {order}: {text(error)[:1000]}; at {x!r}"[:2000]))
        return False
    return True


def check_grads(fun: Callable[..., Any], argnum: Any = None, modes: Sequence[str] = ("fwd", "rev"), order: int = 2
                ) -> Callable[..., None]:
    def checked(*args: Any, **kwargs: Any) -> None:
        positions = 0 if argnum is None and len(args) == 1 else tuple(range(len(args))) if argnum is None else argnum
        check_unary(of_one(fun, positions, args, kwargs), chosen(positions, args), modes, order, order)
    return checked


def check_unary(f: Callable[..., Any], x: Any, modes: Sequence[str], order: int, of: int) -> None:
    rng = np.random.default_rng(1)
    if "fwd" in modes and noted(check_jvp, f, x, of - order + 1) and order > 1:
        def tangent(xv: Any) -> Any:
            return sct.jvp(f, (xv[0],), (xv[1],))[1]
        check_unary(tangent, (x, random_like(x, rng)), modes, order - 1, of)
    if "rev" in modes and noted(check_vjp, f, x, of - order + 1) and order > 1:
        def cotangent(xv: Any) -> Any:
            return sct.vjp(f, xv[0])[1](xv[1])[0]
        check_unary(cotangent, (x, random_like(f(x), rng)), modes, order - 1, of)


def combo_check(fun: Callable[..., Any], argnum: Any = 0, **options: Any) -> Callable[..., None]:
    def checked(*args: Iterable[Any], **kwargs: Iterable[Any]) -> None:
        named = [[(key, x) for x in xs] for key, xs in kwargs.items()]
        for positional, keywords in itertools.product(list(itertools.product(*args)), list(itertools.product(*named))):
            check_grads(fun, argnum, **options)(*positional, **dict(keywords))
    return checked


def check_equivalent(x: Any, y: Any) -> None:
    assert_alike(x, y, "result")
    weights = random_like(x, np.random.default_rng(0))
    assert is_near(inner(x, weights), inner(y, weights)), f"{x!r}, {y!r}"


# -- modules ----------------------------------------------------------------------------------------------------------


def flatten(value: Any) -> tuple[Any, Callable[[Any], Any]]:
    return sct.tree.ravel(value)


def not_there(*_: Any, **__: Any) -> Any:
    raise NotImplementedError("a part of autograd that has no counterpart")


def module(name: str, **attributes: Any) -> types.ModuleType:
    result = types.ModuleType(name)
    vars(result).update(attributes)
    return result


def stand_ins() -> dict[str, Any]:
    """The modules that the tests import, by name."""
    builtin = dict(tuple=tuple, list=list, dict=dict, isinstance=isinstance, type=type)
    operators = {f.__name__: f for f in (
        grad, value_and_grad, grad_and_aux, holomorphic_grad, jacobian, hessian, make_vjp, make_jvp, make_hvp,
        elementwise_grad, deriv, hessian_tensor_product, tensor_jacobian_product, make_ggnvp)}
    operators |= dict(checkpoint=sct.checkpoint, hessian_vector_product=hessian_tensor_product,
                      vector_jacobian_product=tensor_jacobian_product)
    own = dict(primitive=not_there, defvjp=not_there, vspace=not_there, isbox=lambda x: False, primitive_vjps={},
               unary_to_nary=lambda operator: lambda fun, argnum=0: lambda *args: operator(
                   of_one(fun, argnum, args, {}), chosen(argnum, args)))
    modules = {
        "autograd": module("autograd", **builtin, **operators),
        "autograd.builtins": module("autograd.builtins", **builtin),
        "autograd.differential_operators": module("autograd.differential_operators", **operators),
        "autograd.core": module("autograd.core", make_vjp=make_vjp_of_one, **own),
        "autograd.test_util": module("autograd.test_util", check_grads=check_grads, combo_check=combo_check,
                                     check_vjp=check_vjp, check_jvp=check_jvp, check_equivalent=check_equivalent,
                                     scalar_close=is_near),
        "autograd.misc": module("autograd.misc", flatten=flatten, const_graph=not_there),
        "autograd.numpy": np, "autograd.numpy.random": np.random, "autograd.numpy.linalg": np.linalg,
        "autograd.numpy.fft": np.fft,
        "autograd.scipy": module("autograd.scipy"), "autograd.scipy.integrate": scipy.integrate,
        "autograd.scipy.linalg": scipy.linalg, "autograd.scipy.special": scipy.special,
        "autograd.scipy.signal": module("autograd.scipy.signal", convolve=convolve),
        "autograd.scipy.stats": scipy.stats,
        "autograd.scipy.stats.multivariate_normal": scipy.stats.multivariate_normal,
    }
    modules |= {f"autograd.{name}": module(f"autograd.{name}", **own)
                for name in ("extend", "tracer", "wrap_util")}
    modules["autograd.util"] = module("autograd.util", quick_grad_check=not_there)
    for name, value in modules.items():
        above, _, last = name.rpartition(".")
        if isinstance(modules.get(above), types.ModuleType) and not hasattr(modules[above], last):
            setattr(modules[above], last, value)
    return modules


# -- tests ------------------------------------------------------------------------------------------------------------

NOT_NUMERIC = {
    "test_vspaces.py": "autograd's vector spaces",
    "test_tests.py": "own primitives with wrong derivatives",
    "test_ufunc_dispatch.py": "xarray, and dispatch on autograd's boxes",
    "test_builtins.py": "autograd's own isinstance",
    "test_logic.py::test_no_vjp_def": "a primitive without derivative",
    "test_logic.py::test_no_jvp_def": "a primitive without derivative",
    "test_logic.py::test_unimplemented_falseyness": "autograd's table of primitives",
    "test_numpy.py::test_scalar_array_box_attributes": "attributes of autograd's boxes",
    "test_wrappers.py::test_deprecated_defgrad_wrapper": "an own primitive",
    "test_wrappers.py::test_deprecated_defvjp_wrapper": "an own primitive",
    "test_wrappers.py::test_deprecated_defvjp_is_zero_wrapper": "an own primitive",
    "test_wrappers.py::test_deprecated_quick_grad_check_wrapper": "a deprecated name",
    "test_wrappers.py::test_partial": "differentiates nothing",
    "test_wrappers.py::test_custom_where": "values of autograd's own where",
    "test_wrappers.py::test_wrapped_name_and_docs": "names and docstrings of autograd's functions",
    "test_misc.py::test_const_graph": "records of autograd's graphs",
    "test_list.py::test_isinstance": "autograd's own isinstance",
    "test_tuple.py::test_isinstance": "autograd's own isinstance",
    "test_dict.py::test_isinstance": "autograd's own isinstance",
}
OTHER_CONVENTION = {
    "test_graphs.py::test_assignment_raises_error": "an error is expected where sct differentiates: a write",
    "test_fft.py::test_rfftn_odd_not_implemented": "an error is expected where sct differentiates: an odd size",
}
CLASSES = ("passed", "other convention", "refused", "wrong", "crash", "plain function raises", "not numeric")
SEVERITY = ("refused", "plain function raises", "crash", "wrong")


def outcome(error: BaseException) -> str:
    if isinstance(error, SctError):
        return "wrong" if error.code in ("SCT601", "SCT602", "SCT603") else "refused"
    return "wrong" if isinstance(error, (AssertionError, pytest.fail.Exception)) else "crash"


def text(error: BaseException) -> str:
    return str(error) if isinstance(error, SctError) else f"{type(error).__name__}: {error}"


def listed(name: str, table: dict[str, str]) -> str | None:
    """The reason for the test `name`; an entry of `table` stands for the tests whose names begin with it."""
    return next((reason for key, reason in table.items() if name.startswith(key)), None)


class Recorder:
    """A plugin of pytest that keeps the class of each test, and why."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        name, start = item.nodeid.split("tests/")[-1], time.time()
        failures.clear()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        except (Exception, pytest.fail.Exception) as error:
            failures.append((outcome(error), text(error)[:1500]))
        kinds = [kind for kind, _ in failures]
        kind = max(kinds, key=SEVERITY.index, default="passed")
        reason = listed(name, NOT_NUMERIC)
        if reason is not None:
            kind = "not numeric"
        elif kind != "passed" and (reason := listed(name, OTHER_CONVENTION)) is not None:
            kind = "other convention"
        self.records.append({"test": name, "class": kind, "reason": reason, "seconds": round(time.time() - start, 1),
                             "failures": list(dict.fromkeys(failures))})
        print(f"{kind:10} {name} {time.time() - start:.1f} s", *dict.fromkeys(kinds), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", type=Path, help="the unpacked source distribution")
    parser.add_argument("--out", type=Path)
    parser.add_argument("-k", default="", help="the choice of tests, as of pytest")
    options = parser.parse_args()
    sys.modules.update(stand_ins())
    for owner, name, function in OWN_NAMES:
        setattr(owner, name, function)
    raises = pytest.raises
    pytest.raises = lambda expected, *rest, **more: raises((expected, SctError), *rest, **more)  # type: ignore[assignment]
    recorder = Recorder()
    tests = options.suite / "tests"
    pytest.main(["-q", "-s", "-c", os.devnull, "--rootdir", str(options.suite), "-p", "no:cacheprovider", "-p",
                 "no:warnings", "-k", options.k, str(tests)], plugins=[recorder])
    counts = Counter(record["class"] for record in recorder.records)
    print(", ".join(f"{kind}: {counts[kind]}" for kind in CLASSES if counts[kind]))
    numeric = sum(counts[kind] for kind in CLASSES if kind not in ("not numeric", "other convention"))
    print(f"{counts['passed']} of {numeric} numeric tests pass")
    if options.out:
        options.out.write_text("".join(json.dumps(record) + "\n" for record in recorder.records))


if __name__ == "__main__":
    main()
