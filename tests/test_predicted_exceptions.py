"""What may raise in a `try` is predicted: the class of its exception by its operands, or else any class.

The first table is of ops, at the edges of their samples: what they raise there is predicted.  The second is of
expressions, in a `try` with handlers of another class and of the right one, and a `finally`.
"""

from __future__ import annotations

import functools
import importlib.util
import math
import operator
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special
from oracle import agrees, agrees_in_second_order, outcome, refuses, same_value

from sct import SctError, check_grads, jvp, value_and_grad, vjp
from sct.frontend.evaluator.attempts import exceptions_of
from sct.ir.build import Builder
from sct.ir.core import Lit, Op, Value
from sct.ir.dims import TypeMismatch, sym
from sct.ir.interp import call
from sct.ir.types import FLOAT, List, Tensor, Type, dtype_name, py
from sct.ops import OPS

X = np.array([0.7, 0.3, 0.45, 0.9])

# -- ops, at the edges of their samples -----------------------------------------------------------------


SPELLED = [op for op in OPS.values() if op.samples is not None and op.calls and
           op.calls[0].startswith((".", "numpy.", "math.", "builtins.", "operator."))]


def type_of(x: Any, names: Iterator[str]) -> Type:
    """The type of a value whose sizes are known only at run time, and may be 0."""
    if isinstance(x, np.ndarray):
        return Tensor("array", dtype_name(x.dtype), tuple(sym(next(names)) for _ in x.shape))
    if isinstance(x, list):
        return List(type_of(x[0], names) if x else FLOAT)
    return Tensor("np", dtype_name(x.dtype)) if isinstance(x, np.generic) else py(x)


def edges(x: Any) -> Iterator[Any]:
    """The value with other sizes, or at an edge of its domain."""
    if isinstance(x, np.ndarray):
        for k in range(x.ndim):
            yield from (np.take(x, [], axis=k), np.concatenate([x, x], axis=k))
        yield from (np.full_like(x, v) for v in (0, 7, *((np.nan,) if x.dtype.kind == "f" else ())))
    elif isinstance(x, list):
        yield from ([], x + x)
    elif isinstance(x, (int, np.integer)) and not isinstance(x, bool):
        yield from (type(x)(v) for v in (0, -1, 100))
    elif isinstance(x, (float, np.floating)):
        yield from (type(x)(v) for v in (0.0, -1.0, math.inf, math.nan, 1e308))


def raised(op: Op, args: list[Any], attrs: dict[str, Any]) -> Exception | None:
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(op, args, attrs, op.calls[0])
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("op", SPELLED, ids=lambda op: op.name)
def test_what_an_op_raises_at_the_edges_of_its_samples_is_predicted(op: Op) -> None:
    assert op.samples is not None
    for sample, attrs in list(op.samples())[:4]:
        args = [x.value if isinstance(x, Lit) else x for x in sample]
        for k, x in enumerate(args):
            for edge in edges(x):
                there = [*args[:k], edge, *args[k + 1:]]
                names = (f"_{i}" for i in range(1000))
                operands = [Lit(v) if v is None or isinstance(v, str) else Value(type_of(v, names)) for v in there]
                try:
                    with Builder() as b:
                        b.emit(op, operands, attrs, spelling=op.calls[0])
                except (TypeMismatch, AssertionError, TypeError, ValueError, AttributeError):
                    continue  # another program
                error, predicted = raised(op, there, attrs), exceptions_of(b.eqns[-1])
                assert error is None or Exception in predicted or isinstance(error, predicted), (there, attrs, error)


# -- expressions --------------------------------------------------------------------------------------------


EXPRESSIONS = """
    np.linalg.solve(A[:n], x[:2])
    np.linalg.inv(A * (n > 1))
    np.linalg.det(A[:n])
    np.linalg.slogdet(A[:n])[1]
    np.linalg.cholesky(A * (n - 1))
    np.linalg.cond(A[:n])
    np.linalg.matrix_power(A[:n], 2)
    A[:n] @ x[:n]
    x[:n] + x[:2]
    x[:n] / x[:2]
    x[:n] // x[:2]
    x[:n] ** x[:2]
    np.where(x[:n] > 0, x[:2], 0.0)
    np.allclose(x[:n], x[:2]) + x[0]
    np.digitize(x[0], x[:n]) * x[0]
    np.max(x[:n])
    np.argmax(x[:n]) * x[0]
    np.nanmax(x[:n])
    np.percentile(x[:3], 60.0 * n)
    np.interp(0.4, x[:n], x[:2])
    np.partition(x[:n], 1)
    np.sort(x[:n])[1]
    np.gradient(x[:n])
    np.vander(x, n - 1)
    x[:3].reshape(n, -1)
    np.squeeze(A[:n], 0)
    np.vstack([x[:n], x[:2]])
    np.repeat(x, n - 1)
    np.pad(x[:n], 1, mode="edge")
    np.insert(x, n * 3, 1.0)
    x[[0, n * 2]]
    A[0, n]
    x[x[:n] > 0]
    x[:4:n - 1]
    np.einsum("i,i->", x[:n], x[:2])
    np.zeros(n - 1) * x[0]
    np.eye(n - 1) * x[0]
    np.array([x[:n], x[:2]])
    math.sqrt(x[0] - n)
    math.exp(1000.0 * n) * x[0]
    math.factorial(n - 1) * x[0]
    math.floor(math.inf if n else 1.5) * x[0]
    int(math.nan if n else 1.5) * x[0]
    np.int64(math.nan if n else 1.5) * x[0]
    1.0 / n * x[0]
    7 % n * x[0]
    float(n) ** -1 * x[0]
    (1 << (n - 1)) * x[0]
    [x[0], x[1]][n]
    {0: x[0], 2: x[1]}[n]
    max([x[i] for i in range(n)])
    max(x[:n])
    min(A[:n, 0])
    max(abs(x[:n]))
    max(x[x > n])
    functools.reduce(operator.add, x[:n])
    next(iter(x[:n]))
    sum([x[0]] * (0.5 * n))
    range(n)[1] * x[0]
    x[:n].item()
    np.concatenate([A[:n], A[:, :n]])
"""

PROGRAM = """
def program_{k}(x, n):
    A = np.outer(x[:2], x[1:3]) + np.eye(2)
    try:
        try:
            s = np.sum({expression})
        except {other}:
            return x[1] * 3.0
        finally:
            print("end")
    except {cls} as e:
        s = x[1] * 5.0
    return s * x[0]
"""


def exception_of(expression: str) -> type[Exception]:
    """The class of the exception that the expression raises for one of the arguments of the programs."""
    for n in range(4):
        scope = {"np": np, "math": math, "operator": operator, "functools": functools, "x": X.copy(), "n": n}
        scope["A"] = np.outer(X[:2], X[1:3]) + np.eye(2)
        result = outcome(lambda: np.sum(eval(expression, scope)), ())
        if result.error is not None:
            return type(result.error)
    raise AssertionError("it raises nothing")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A module of a program for each expression."""
    text = "import functools\nimport math\nimport operator\n\nimport numpy as np\n"
    for k, expression in enumerate(EXPRESSIONS.split("\n    ")[1:]):
        cls = exception_of(expression.strip())
        name = cls.__name__ if cls.__module__ == "builtins" else "ValueError"
        other = {"ValueError": "LookupError", "TypeError": "LookupError"}.get(name, "ValueError")
        text += PROGRAM.format(k=k, expression=expression.strip(), cls=name, other=other)
    path = tmp_path_factory.mktemp("programs") / "programs_of_expressions.py"
    Path(path).write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("k", range(len(EXPRESSIONS.split("\n    ")) - 1))
def test_the_right_handler_runs(programs: Any, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    f = getattr(programs, f"program_{k}")
    derivative = value_and_grad(f)
    for n in (0, 1, 2, 3, 1):
        plain, derived = outcome(f, (X, n)), outcome(derivative, (X, n))
        assert type(derived.error) is type(plain.error), (n, plain, derived)
        assert derived.output == plain.output
        if plain.error is None:
            assert same_value(derived.value[0], plain.value)


# -- programs -------------------------------------------------------------------------------------------------


CASES: list[Callable[..., Any]] = []


def case(f: Callable[..., Any]) -> Callable[..., Any]:
    CASES.append(f)
    return f


@case
def a_list_with_none_is_summed(x, n):
    L = [None] * 3
    for i in range(min(n, 3)):
        L[i] = x[i]
    try:
        s = sum(L)
    except TypeError:
        s = x[1]
    return s * x[0]


@case
def a_list_with_none_has_a_maximum_in_a_try_with_two_handlers(x, n):
    L = [None] * 3
    for i in range(min(n, 3)):
        L[i] = x[i]
    try:
        s = max(L)
    except LookupError:
        s = x[2]
    except TypeError as e:
        s = x[1] * len(str(e))
    return s * x[0]


@case
def a_list_of_arrays_with_none_is_summed(x, n):
    L = [None] * 2
    for i in range(min(n, 2)):
        L[i] = x[:2] * i
    try:
        s = sum(L, np.zeros(2))
    except TypeError:
        s = x[1:3] * 2.0
    return s @ x[:2]


@case
def a_list_is_repeated_by_a_float(x, n):
    v = 0.0
    for _ in range(n):
        v = x[0]
    try:
        s = sum([x[0]] * v)
    except Exception:
        return x[1]
    return s


@case
def a_slice_ends_at_a_float(x, n):
    v = 0.0
    for _ in range(n):
        v = x[0]
    try:
        s = x[:v].sum()
    except TypeError:
        return x[1]
    return s


@case
def arrays_are_summed_where_another_exception_is_handled(x, n):
    stages = [-x]
    try:
        for _ in range(n):
            stages.append(x + 0.5 * sum(stages))
    except ZeroDivisionError:
        return 0.0
    return stages[-1] @ stages[0]


@case
def a_range_ends_at_a_float(x, n):
    v = 2
    for _ in range(n):
        v = x[0]
    try:
        s = 0.0
        for k in range(v):
            s += x[k]
    except TypeError:
        return x[1] * x[0]
    return s


@case
def a_range_has_a_step_that_is_a_float(x, n):
    v = 1 if n == 0 else 1.5
    s = 0.0
    for k in range(0, len(range(2 * len(x), 0, -2)), v):
        s += x[k] ** 2
    return s


@case
def a_float_is_a_position_under_a_finally(x, n):
    v = 0.0
    for _ in range(n):
        v = x[0]
    try:
        s = [x[0], x[1]][v]
    except LookupError:
        return x[1] * 3.0
    finally:
        x[2] = 0.5
    return s


@case
def as_many_are_written_as_a_mask_is_true(x, n):
    try:
        x[x > 0.5] = x[:n].copy()
    except ValueError:
        return x[1] * 2.0
    return np.sum(x * x)


@case
def the_text_of_what_a_mask_raises_is_read(x, n):
    y = np.zeros(4)
    try:
        y[np.arange(4) < 2] = x[:n]
    except ValueError as e:
        return x[1] * len(str(e))
    return y[0] * x[0]


@case
def a_mask_and_columns_are_written_in_a_loop(x, n):
    A, s = np.zeros((4, 3)), 0.0
    for i in range(3):
        try:
            A[x > 0.2 * i, 1:] = np.outer(x[:n], x[i:i + 2])
        except (IndexError, ValueError):
            s += x[i]
    return s + np.sum(A * A)


@case
def a_float_that_is_nan_is_written_among_ints(x, n):
    y = np.zeros(3, dtype=int)
    try:
        y[n] = np.log(x[0]) / n if n else math.nan
    except ValueError:
        return x[1]
    except IndexError:
        return x[2]
    return y[0] * x[0]


@case
def an_int_is_too_large_for_its_place(x, n):
    y = np.zeros(3, dtype=np.int8)
    try:
        y[0] = 100 * n
        y[1] = x[0] + 100.0 * n
    except OverflowError:
        return x[2] + y[0]
    return y.sum() * x[0]


def written_where_large(x, n):
    y = np.zeros(3)
    y[x[:3] > 0.4] = x[:n]
    return y @ y


@case
def a_helper_raises_in_a_loop_with_a_finally(x, n):
    s = 0.0
    for i in range(4):
        try:
            s += written_where_large(x, i)
        except ValueError:
            s += x[i]
            continue
        finally:
            s *= 1.5
        if i == n:
            break
    return s


@case
def the_text_of_an_augmented_assignment_is_read(x, n):
    y = np.zeros(3)
    for i in range(3):
        try:
            y[i:] += x[i:n]
        except ValueError as e:
            y[0] += x[i] * len(str(e))
    return y @ y


@case
def a_list_becomes_empty(x, n):
    L = [x[i] for i in range(n)]
    try:
        L.pop()
        L.pop()
    except ValueError:
        return x[1]
    return sum(L) + x[0]


@case
def items_are_reduced(x, n):
    try:
        s = functools.reduce(operator.add, x[:n])
    except TypeError as e:
        s = x[1] * len(str(e))
    return s


@case
def the_maximum_of_a_selection_in_a_loop(x, n):
    s = 0.0
    while s < 3.0:
        try:
            s += max(x[n:n + 2])
        except ValueError:
            break
    return s + x[0]


@case
def a_part_of_size_1_is_written(x, n):
    y = np.zeros(n)
    try:
        y[:] = x[:2]
    except ValueError:
        return x[1]
    return y[0]


@case
def an_argument_is_written(x, n):
    try:
        x[:n] = x[1:3]
    except ValueError:
        return x[1]
    return x[0]


@case
def parts_are_copied(x, n):
    try:
        np.copyto(x[1:n], x[1:4])
    except ValueError:
        return x[1]
    return x[0]


@case
def positions_are_written(x, n):
    try:
        x[[0, 1][:n]] = x[:3]
    except ValueError:
        return x[1]
    return x[0]


@case
def too_many_are_written_into_a_part_of_size_1(x, n):
    x[:n] = x[1:3]
    return x[0]


@case
def the_maximum_of_no_items(x, n):
    return max(x[:n])


@case
def the_minimum_of_no_items_is_no_index_error(x, n):
    try:
        s = min(x[:n])
    except IndexError:
        s = x[1] * 2.0
    return s


@case
def a_comprehension_over_a_range_reads_what_is_unbound(x, n):
    for _ in range(n):
        y = x[0]
    return sum([y + k for k in range(3)])


@case
def its_first_iterable_is_evaluated_outside(x, n):
    if n:
        y = 2
    return sum([x[k] for k in range(y)])


@case
def inner_comprehensions_and_their_conditions(x, n):
    for _ in range(n):
        y = x[0]
    return sum([sum([v * w for w in x[:int(y * 4)] if y > 0.1]) for v in x]) + len({k for k in range(3) if k < y})


@case
def a_dict_is_filled_with_what_is_unbound(x, n):
    for _ in range(n):
        y = x[0]
    return {k: y + k for k in range(3)}[0]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_programs(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for order in ((0, 1, 2, 3, 4), (3, 1, 0, 2)):
        derivative = value_and_grad(f)
        for n in order:
            agrees(f, X.copy(), n, derivative=derivative)


IN_EVERY_MODE = [a_list_with_none_is_summed, as_many_are_written_as_a_mask_is_true,
                 the_maximum_of_a_selection_in_a_loop, a_mask_and_columns_are_written_in_a_loop,
                 the_text_of_an_augmented_assignment_is_read]


@pytest.mark.parametrize("f", IN_EVERY_MODE, ids=lambda f: f.__name__)
def test_programs_in_second_order_and_in_forward_mode(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for first in range(4):
        derivative = value_and_grad(f)
        agrees_in_second_order(f, X.copy(), first)
        for n in (first, 0, 3, 1):
            v, (value, gradient) = np.array([0.3, 0.8, -0.2, 0.4]), derivative(X.copy(), n)
            pushed_value, pushed = jvp(f, (X.copy(), n), (v,))
            assert same_value(pushed_value, value)
            assert pushed == pytest.approx(gradient @ v, rel=1e-12)


def test_a_power_that_becomes_complex_in_a_try_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x, n):
        v = x[0] * 0.0 if n else 0.0
        try:
            s = (v - 1.0) ** 0.5
        except ValueError:
            return x[1] * 7.0
        return s

    monkeypatch.setenv("SCT_VALIDATE", "0")
    refuses(f, X, 0, code="SCT102")


def test_an_array_of_a_list_with_none_in_a_try_is_refused() -> None:
    def f(x, n):
        L = [None] * 3
        for i in range(n):
            L[i] = x[i]
        try:
            s = np.sum(L)
        except TypeError:
            s = x[1]
        return s * x[0]

    refuses(f, X, 3, code="SCT101")


@pytest.mark.parametrize("d", [0.5, 2.5, 2.0])
def test_what_is_raised_may_depend_on_the_fraction_of_a_float(d):
    with pytest.raises(SctError, match="no derivative with respect to `d`"):
        vjp(lambda x, y: scipy.special.multigammaln(x, y), 3.5, d)
    with pytest.raises((SctError, TypeError), match="an int"):
        vjp(lambda x: scipy.special.multigammaln(x, d), 3.5)


@pytest.mark.parametrize("d", [-1, 0, 1, 2])
def test_a_dimension_below_one(d):
    check_grads(lambda x: scipy.special.multigammaln(x, d) * x, (3.5,))
