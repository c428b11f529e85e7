"""A sweep of every line of docs/coverage.md over arguments: values, layouts, dtypes, shapes, edges of domains.

    python -m tests.sweep --lines 0:1300 --out sweep.jsonl     every case of these lines
    python -m tests.sweep --summary sweep.jsonl                the counts

A case is a line and a variant of its arguments. Its value is compared with the plain call, bit for bit; the gradient by
all arguments with differences of the plain function in double precision, from four points, for steps of several sizes;
forward with reverse mode. Where the function has a kink, a gradient between the slopes of both sides is right;
where several elements are at kinks, the slopes of both sides do not decide.
"""

from __future__ import annotations

import argparse
import itertools
import json
import linecache
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from covered import FAMILIES, VARIANTS
from test_covered import HEAD

from sct import SctError, jvp, value_and_grad

Arguments = tuple[Any, Any, Any, Any]
INTEGRALS = frozenset(["quad", "entropy", "expect"])
QUADRATURE = 1.49e-8
"""QUADPACK's tolerance by default: forward and reverse mode integrate different functions to it."""
STEPS = (1e-4, 1e-3, 1e-5, 1e-2, 1e-6)


def lines() -> list[str]:
    """The lines that users write, each once."""
    of_names = [line for names in FAMILIES.values() for line in names.values()]
    return list(dict.fromkeys([*of_names, *filter(None, VARIANTS)]))


# -- arguments ------------------------------------------------------------------------------------------------------


def usual(seed: int) -> Arguments:
    """Values like those of tests/test_covered.py: apart from each other, and inside of the domains."""
    rng = np.random.default_rng(seed)
    x = (np.array([0.31, 1.57, 0.83, 1.21, 0.47, 1.73]) + 0.05 * rng.uniform(-1.0, 1.0, 6))[rng.permutation(6)]
    m = (rng.permutation(12).reshape(3, 4) - 5.3) / 5.0 + 0.02 * rng.uniform(-1.0, 1.0, (3, 4))
    return x, m, rng.normal(size=(3, 3)) + 3.0 * np.eye(3), 1.3 + 0.2 * rng.uniform(-1.0, 1.0)


def in_layout(k: int, args: Arguments) -> Arguments:
    x, m, s, c = args
    every_other, wide = np.empty(12), np.empty((3, 9))
    every_other[::2], wide[:, 1:9:2] = x, m
    return [
        (x, np.asfortranarray(m), np.asfortranarray(s), c),
        (every_other[::2], wide[:, 1:9:2], np.stack([s, s], axis=-1)[..., 0], c),
        (x[::-1].copy()[::-1], m[::-1].copy()[::-1], s[:, ::-1].copy()[:, ::-1], c),
    ][k]


def in_dtype(k: int, args: Arguments) -> Arguments:
    x, m, s, c = args
    single, long = (lambda a: a.astype(np.float32)), (lambda a: a.astype(np.longdouble))
    return [(single(x), single(m), single(s), c), (single(x), m, s, c), (x, single(m), single(s), np.float64(c)),
            (x, m, s, np.float64(c)), (single(x), single(m), single(s), np.float32(c)), (long(x), long(m), long(s), c),
            (long(x), m, s, np.longdouble(c))][k]


def in_shape(k: int, seed: int) -> Arguments:
    rng = np.random.default_rng(seed)
    n, rows, columns, size = [(12, 3, 8, 4), (6, 6, 4, 2), (8, 4, 5, 5), (1, 1, 1, 1), (2, 2, 2, 2), (4, 4, 3, 3)][k]
    x = 0.2 + 1.6 * (rng.permutation(n) + rng.uniform(0.2, 0.8, n)) / n
    m = (rng.permutation(rows * columns).reshape(rows, columns) - 0.45 * rows * columns) / 5.0 + 0.03
    return x, m, rng.normal(size=(size, size)) + 3.0 * np.eye(size), 1.3


def at_edge(k: int) -> Arguments:
    x, m, s, c = usual(0)
    x, m = x.copy(), m.copy()
    if k == 0:
        x[2], m[1, 1] = 0.0, 0.0
    elif k == 1:
        x[1] = x[4]
        m[0, 0] = m[1, 2] = m[0, 1]
    elif k == 2:
        x[:], c = 1.0, 1.0
    elif k == 3:
        x, m, c = 10.0 * x, 10.0 * m, 7.0
    elif k == 4:
        x, m, c = 1e-3 * x, 1e-3 * m, 0.1
    elif k == 5:
        x[3], m[2, 3] = 1.0, -1.0
    return x, m, s, c


VARIED: dict[str, list[Callable[[], Arguments]]] = {
    "values": [lambda k=k: usual(k) for k in range(1, 9)],
    "layout": [lambda k=k: in_layout(k, usual(k + 10)) for k in range(3)],
    "dtype": [lambda k=k: in_dtype(k, usual(k + 20)) for k in range(7)],
    "shape": [lambda k=k: in_shape(k, k + 30) for k in range(6)],
    "edge": [lambda k=k: at_edge(k) for k in range(6)],
}


def variants() -> Iterator[tuple[str, Callable[[], Arguments]]]:
    for kind, makers in VARIED.items():
        for k, maker in enumerate(makers):
            yield f"{kind} {k}", maker


def slope_along(gradients: Any, direction: Arguments) -> tuple[float, float]:
    """The sum of the products, and that of their absolute values."""
    parts = [np.sum(np.multiply(np.asarray(g, float), d)) for g, d in zip(gradients, doubles(direction))]
    return float(np.sum(parts)), float(np.sum(np.abs(parts)))


# -- one case ---------------------------------------------------------------------------------------------------------


def doubles(args: Arguments) -> Arguments:
    return tuple(np.array(a, float) if np.ndim(a) else float(a) for a in args)  # type: ignore[return-value]


def moved(args: Arguments, direction: Arguments, t: float) -> Arguments:
    return tuple(np.array(a + t * d) if np.ndim(a) else a + t * d for a, d in zip(args, direction))  # type: ignore[return-value]


def is_near(a: float, b: float, tolerance: float, size: float) -> bool:
    return abs(a - b) <= tolerance * (abs(a) + abs(b)) + 1e-3 * tolerance * size + 1e-9


def judged(f: Callable[..., Any], args: Arguments, direction: Arguments, slope: float, tolerance: float) -> str:
    """Is this the slope of the plain function?"""
    exact = doubles(args)
    try:
        middle = float(f(*exact))
        if not np.isclose(middle, float(f(*args)), rtol=1e-2, atol=1e-2):
            return "no differences"  # the dtype decides the value
        at = {h: [float(f(*moved(exact, direction, j * h))) for j in (-2, -1, 1, 2)] for h in STEPS}
    except Exception:
        return "no differences"
    size = 0.1 * abs(middle) + (tolerance > 1e-4)
    smooth = {h: (8.0 * (c - b) - (d - a)) / (12.0 * h) for h, (a, b, c, d) in at.items()}
    if any(np.isfinite(v) and is_near(slope, v, tolerance, size) for v in smooth.values()):
        return "right"
    finite = [h for h, v in smooth.items() if np.isfinite(v)]
    if not finite:
        return "no differences"
    if np.isnan(slope):
        return "nan"
    for h in finite:
        _, b, c, _ = at[h]
        below, above = sorted(((middle - b) / h, (c - middle) / h))
        room = 1e-3 * (abs(below) + abs(above)) + 1e-6
        if above - below > room:
            return "kink" if below - room <= slope <= above + room else "several kinks"
    errors = [abs(smooth[h] - slope) for h in (1e-3, 1e-4, 1e-5)]
    if errors[0] > 2.0 * errors[1] > 4.0 * errors[2] and errors[2] < 1e-3:
        return "right"  # the second derivative is infinite
    if is_between_slopes_around(f, exact, direction, slope):
        return "several kinks"
    jumps = [abs(at[h][2] - at[h][1]) / h for h in (1e-3, 1e-4, 1e-5, 1e-6)]
    if jumps[-1] > 20.0 * (jumps[0] + abs(slope)) or not any(
            is_near(smooth[a], smooth[b], 1e-2, size) for a, b in itertools.pairwise(STEPS) if {a, b} <= set(finite)):
        return "no differences"
    return "wrong"


def is_between_slopes_around(f: Callable[..., Any], args: Arguments, direction: Arguments, slope: float) -> bool:
    """Do the slopes at points around differ, as around a tie of several elements, and is this one between them?"""
    rng = np.random.default_rng(2)
    slopes = []
    for _ in range(16):
        noise = tuple(rng.normal(size=np.shape(a)) for a in args)
        point = moved(args, noise, 1e-6)  # type: ignore[arg-type]
        below, above = (float(f(*moved(point, direction, t))) for t in (-1e-8, 1e-8))
        slopes.append((above - below) / 2e-8)
    room = 1e-3 * max(map(abs, slopes)) + 1e-6
    return max(slopes) - min(slopes) > room and min(slopes) - room <= slope <= max(slopes) + room


def is_ill_conditioned(value_and_slope: Callable[[Arguments], tuple[float, float]], args: Arguments, difference: float
                       ) -> bool:
    """Does the value change by many roundings where the arguments change by a few, or is the slope huge there; and does
    the slope change as much as this?"""
    rng = np.random.default_rng(3)
    points = [tuple(a * (1.0 + np.finfo(np.asarray(a).dtype).eps * rng.integers(-3, 4, np.shape(a))) for a in args)
              for _ in range(4)]
    values, slopes = np.array([value_and_slope(point) for point in points]).T  # type: ignore[arg-type]
    if not np.all(np.isfinite((values, slopes))):
        return True
    is_noisy = np.ptp(values) > 1e-11 * np.max(np.abs(values)) or np.max(np.abs(slopes)) > 1e9
    return bool(is_noisy and np.ptp(slopes) > 0.1 * abs(difference))


def case(f: Callable[..., Any], derivative: Callable[..., Any], maker: Callable[[], Arguments]
         ) -> tuple[str, str] | None:
    """The outcome and what there is to say about it; None where the plain function raises or is not finite."""
    args = maker()
    try:
        expected = f(*maker())
    except Exception:
        return None
    if not np.all(np.isfinite(np.asarray(expected, complex))):
        return None
    try:
        value, gradients = derivative(*args)
        rng = np.random.default_rng(1)
        direction = tuple(rng.normal(size=np.shape(a)).astype(np.asarray(a).dtype) if np.ndim(a) else
                          type(a)(rng.normal()) for a in args)
        _, tangent = jvp(f, args, direction)
    except SctError as refusal:
        return "refused" if refusal.code not in ("SCT601", "SCT602", "SCT603") else "wrong", str(refusal)[:300]
    except Exception as error:
        return "crash", f"{type(error).__name__}: {error}"[:300]
    if not (np.asarray(value).dtype == np.asarray(expected).dtype and value == expected):
        return "wrong", f"value {value!r}, plain {expected!r}"
    if any(not np.array_equal(a, b) for a, b in zip(args, maker())):
        return "wrong", "an argument was changed"
    if any(np.shape(g) != np.shape(a) for g, a in zip(gradients, args)):
        return "wrong", "the shape of a gradient"
    narrow = any(np.asarray(a).dtype == np.float32 for a in args)
    tolerance = 2e-3 if narrow else 1e-6
    slope, size = slope_along(gradients, direction)
    agree = is_near(slope, float(tangent), 5e-3 if narrow else 1e-8, size + narrow)
    integrates = not INTEGRALS.isdisjoint(f.__code__.co_names)
    if not (agree or integrates and abs(slope - tangent) <= QUADRATURE) and not np.array_equal(
            slope, tangent, equal_nan=True):
        slopes = f"forward {tangent}, reverse {slope}"

        def value_and_slope(at: Arguments) -> tuple[float, float]:
            value, gradients = derivative(*at)
            return float(value), slope_along(gradients, direction)[0]

        if is_ill_conditioned(value_and_slope, args, slope - tangent):
            return "no differences", f"ill-conditioned: {slopes}"
        return "wrong", slopes
    outcome = judged(f, args, doubles(direction), slope, tolerance)
    return outcome, "" if outcome == "right" else f"slope {slope}"


# -- runs -------------------------------------------------------------------------------------------------------------


def functions(chosen: list[str]) -> list[Callable[..., Any]]:
    """The lines as functions of a module of their own."""
    text = HEAD
    for k, line in enumerate(chosen):
        *statements, result = line.split("; ")
        body = "".join(f"    {one}\n" for one in [*statements, f"return weigh({result})"])
        text += f"\ndef f{k}(x, m, s, c):\n{body}"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "swept_lines.py"
        path.write_text(text)
        spec = spec_from_file_location("swept_lines", path)
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        linecache.getlines(str(path))
        linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))
    return [getattr(module, f"f{k}") for k in range(len(chosen))]


def sweep(chosen: list[str], until: float = float("inf")) -> Iterator[dict[str, Any]]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for line, f in zip(chosen, functions(chosen)):
            derivative = value_and_grad(f, (0, 1, 2, 3))
            for name, maker in variants():
                if time.time() > until:
                    return
                result = case(f, derivative, maker)
                if result is not None:
                    yield {"line": line, "variant": name, "outcome": result[0], "why": result[1]}


def summary(path: str) -> None:
    records = [json.loads(text) for text in Path(path).read_text().splitlines()]
    by_kind = Counter((r["variant"].split()[0], r["outcome"]) for r in records)
    outcomes = dict(Counter(r["outcome"] for r in records))
    print(len(records), "cases of", len({r["line"] for r in records}), "lines:", outcomes)
    for kind in VARIED:
        print(f"  {kind}:", {outcome: n for (k, outcome), n in by_kind.items() if k == kind})
    for r in records:
        if r["outcome"] in ("wrong", "crash"):
            print(r["outcome"], r["variant"], r["line"], "|", r["why"])
    refusals = Counter((r["why"].split("\n")[0]) for r in records if r["outcome"] == "refused")
    for why, n in refusals.most_common(60):
        print("refused", n, why, "|", next(r["line"] for r in records if r["why"].startswith(why)))


def table(path: str) -> str:
    """The page docs/sweep.md."""
    records = [json.loads(text) for text in Path(path).read_text().splitlines()]
    families = {line: family for family, names in FAMILIES.items() for line in names.values()}
    counts: dict[str, Counter[str]] = {}
    swept: dict[str, set[str]] = {}
    for r in records:
        family = families.get(r["line"], "keywords and other forms")
        counts.setdefault(family, Counter())[r["outcome"]] += 1
        swept.setdefault(family, set()).add(r["line"])
    outcomes = ["right", "kink", "several kinks", "nan", "no differences", "refused", "wrong", "crash"]
    rows = [f"| {family} | {len(swept[family])} | {' | '.join(str(c[o]) for o in outcomes)} |"
            for family, c in counts.items()]
    total = sum(counts.values(), Counter())
    all_of = f"| all | {sum(map(len, swept.values()))} | {' | '.join(str(total[o]) for o in outcomes)} |"
    heads = f"| family | lines | {' | '.join(outcomes)} |\n|---|---|{'---|' * len(outcomes)}"
    return HEAD_OF_PAGE + "\n".join([heads, *rows, all_of]) + "\n"


HEAD_OF_PAGE = """# Sweep

Lines of [the functions that are covered](coverage.md) with 30 sets of arguments: eight of other values, three in
other layouts (Fortran order, strides, in reverse), seven of other dtypes (single, long, mixed, NumPy's scalars), six of
other shapes, six at the edges of domains (zeros, ties, ones, large and small numbers). `python -m tests.sweep --out
sweep.jsonl` runs it, `--table sweep.jsonl` writes this page.

The value is compared with that of the plain call, bit for bit, forward with reverse mode, and the gradient with
differences of the plain function in double precision. Sets of arguments for which the function itself raises, or is not
finite, are left out.

- `kink`: the slopes of both sides differ, and the derivative is between them
- `several kinks`: several elements are at kinks, so that the slopes of both sides do not decide
- `no differences`: the differences of several steps do not agree, as where the function jumps or its slope is infinite
- `refused`: most of these are complex results for which the line is not written

"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", default="0:99999")
    parser.add_argument("--out")
    parser.add_argument("--time", type=float, default=1e9)
    parser.add_argument("--summary")
    parser.add_argument("--table")
    options = parser.parse_args()
    if options.summary:
        summary(options.summary)
        return
    if options.table:
        (Path(__file__).parent.parent / "docs" / "sweep.md").write_text(table(options.table))
        return
    first, last = map(int, options.lines.split(":"))
    out = open(options.out, "a") if options.out else sys.stdout
    for record in sweep(lines()[first:last], time.time() + options.time):
        print(json.dumps(record), file=out, flush=True)


if __name__ == "__main__":
    main()
