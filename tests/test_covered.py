"""Every name of docs/coverage.md: its line gives the plain value, and its derivatives are right."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import numpy as np
import pytest
from covered import FAMILIES, PAGE, VARIANTS, page

from sct import jvp, value_and_grad

pytestmark = pytest.mark.filterwarnings("ignore:.*the result does not depend on")
LINES = {name: line for names in FAMILIES.values() for name, line in names.items()}
LINES |= {line: line for line in VARIANTS if line}
HERE = {name for name, line in LINES.items() if all(hasattr(math, f) for f in re.findall(r"math\.(\w+)", line))}
HEAD = '''import cmath
import math

import numpy as np
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial
import scipy.spatial.distance
import scipy.spatial.transform
import scipy.special
import scipy.stats


def weigh(y):
    return np.sum(y * np.cos(1.0 + np.arange(np.size(y))).reshape(np.shape(y)))

'''


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[..., Any]]:
    """The lines as functions of a module of their own."""
    text = HEAD
    for k, line in enumerate(LINES.values()):
        *statements, result = line.split("; ")
        body = "".join(f"    {one}\n" for one in [*statements, f"return weigh({result})"])
        text += f"\ndef f{k}(x, m, s, c):\n{body}"
    path = tmp_path_factory.mktemp("covered") / "covered_lines.py"
    path.write_text(text)
    spec = spec_from_file_location("covered_lines", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: getattr(module, f"f{k}") for k, name in enumerate(LINES)}


def arguments() -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    x = np.array([0.31, 1.57, 0.83, 1.21, 0.47, 1.73])
    m = (rng.permutation(12).reshape(3, 4) - 5.3) / 5.0
    s = rng.normal(size=(3, 3)) + 3.0 * np.eye(3)
    return x, m, s, 1.3


def slope(f: Callable[..., Any], args: tuple[Any, ...], direction: tuple[Any, ...], h: float = 1e-4) -> float:
    """Along a direction, from four points."""
    at = lambda t: f(*(np.array(a + t * d) if np.ndim(a) else a + t * d for a, d in zip(args, direction)))
    return float((8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h))


@pytest.mark.parametrize("name", sorted(HERE))
def test_covered(name: str, functions: dict[str, Callable[..., Any]]) -> None:
    f, args = functions[name], arguments()
    expected = f(*arguments())
    value, gradients = value_and_grad(f, (0, 1, 2, 3))(*args)
    assert value == expected, f"value {value!r}, plain call {expected!r}"
    assert np.asarray(value).dtype == np.asarray(expected).dtype
    for seed in range(3):
        rng = np.random.default_rng(seed)
        direction = tuple(rng.normal(size=np.shape(a)) if np.ndim(a) else float(rng.normal()) for a in args)
        exact = sum(float(np.sum(g * d)) for g, d in zip(gradients, direction))
        np.testing.assert_allclose(exact, slope(f, args, direction), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(jvp(f, args, direction)[1], exact, rtol=1e-9, atol=1e-11)
    assert all(np.array_equal(a, b) for a, b in zip(args, arguments())), "an argument was changed"


def test_at_least_150_names() -> None:
    assert len({name for names in FAMILIES.values() for name in names}) >= 150


def test_page_is_what_the_table_says() -> None:
    assert PAGE.read_text() == page(), "run `python -m tests.covered`"
