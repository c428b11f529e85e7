"""The fuzzers: fixed seeds of each against sct, and tests that the fuzzers can find what they should.

The seeds are the first of each family. Larger runs:
`python -m tests.fuzz --family control --seeds 0:5000 --jobs 2`.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from sct.passes.memory import in_place, ownership
from tests.fuzz import aliases, buffers, calls, control, duals, exceptions, heap, lists
from tests.fuzz.check import Duals, Sct, check, oracle
from tests.fuzz.features import features_of
from tests.fuzz.plant import ALIASES, BUFFERS, CONTROL, EXCEPTIONS, HEAP, LISTS, PLANTS, Planted, found
from tests.fuzz.program import Program, clone, run
from tests.fuzz.shrink import shrink

FAMILIES: dict[str, Any] = {
    "aliases": aliases, "buffers": buffers, "calls": calls, "control": control, "exceptions": exceptions, "heap": heap,
    "lists": lists}
SEEDS_OF_SCT = {"aliases": 60, "buffers": 60, "calls": 60, "control": 60, "exceptions": 60, "heap": 60, "lists": 60}
"""Programs of each family that are compiled in every mode: about 0.4 s each."""
SEEDS = {"aliases": 120, "buffers": 120, "calls": 300, "control": 300, "exceptions": 120, "heap": 300, "lists": 300}
MOST_REFUSED = {
    "aliases": 0.50, "buffers": 0.05, "calls": 0.05, "control": 0.05, "exceptions": 0.25, "heap": 0.05, "lists": 0.05}
MOST_SKIPPED = 0.02  # coordinates at which the oracle has no answer: see check.CHAOTIC
MOST_RAISING = {
    "aliases": 0.05, "buffers": 0.05, "calls": 0.10, "control": 0.10, "exceptions": 0.20, "heap": 0.10, "lists": 0.10}
"""Runs of generated programs that raise, by design."""
PLANTED = [(family, m.__name__) for family, plants in (
    ("aliases", ALIASES), ("buffers", BUFFERS), ("control", CONTROL), ("exceptions", EXCEPTIONS), ("heap", HEAP),
    ("lists", LISTS),
) for m in plants]


# --- the compiler -----------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_seeds(family: str) -> None:
    verdicts = {seed: check(FAMILIES[family].generate(seed), Sct()) for seed in range(SEEDS_OF_SCT[family])}
    findings = {seed: v for seed, v in verdicts.items() if v.status in ("wrong", "failure", "unknown")}
    assert not findings, "\n".join(f"seed {seed}: {v.status}: {v.reason}\n{v.detail}" for seed, v in findings.items())
    refused = {seed: v.reason for seed, v in verdicts.items() if v.status == "refused"}
    assert len(refused) <= SEEDS_OF_SCT[family] * MOST_REFUSED[family], refused
    skipped, checked = (sum(getattr(v, k) for v in verdicts.values()) for k in ("skipped", "checked"))
    assert skipped <= MOST_SKIPPED * checked


@pytest.mark.parametrize("family, plant", PLANTED)
def test_planted_bugs_are_found_in_sct(family: str, plant: str) -> None:
    assert found(FAMILIES[family].generate, plant, Sct()) is not None


def test_shared_cotangents_of_items_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted in the compiler: the arrays that a list holds are written as if nobody else held them."""
    for module in (in_place, ownership):
        monkeypatch.setattr(module, "writes_items", lambda eqn: False)
    assert any(check(buffers.generate(seed), Sct(), ("value_and_grad",)).status == "wrong" for seed in range(200))


# --- the fuzzers themselves -------------------------------------------------------------------


@cache
def reached(family: str) -> Counter[str]:
    module = FAMILIES[family]
    programs = map(module.generate, range(SEEDS[family]))
    return Counter(name for program in programs for name in features_of(program, module.FEATURES))


@pytest.mark.parametrize("family", FAMILIES)
def test_shares_of_features(family: str) -> None:
    low = {f.name: share for f in FAMILIES[family].FEATURES
           if (share := reached(family)[f.name] / SEEDS[family]) < f.share}
    assert not low


@pytest.mark.parametrize("family", FAMILIES)
def test_programs_are_reproducible(family: str) -> None:
    first, second = (FAMILIES[family].generate(7) for _ in range(2))
    assert first.source == second.source
    assert repr(first.points) == repr(second.points)


@pytest.mark.parametrize("family", FAMILIES)
def test_programs_run(family: str) -> None:
    """Finite values, and few exceptions: those that the generators plan."""
    errors: Counter[str] = Counter()
    runs = 0
    for seed in range(SEEDS[family]):
        program = FAMILIES[family].generate(seed)
        for point in program.points:
            out = run(program.load(), *clone(point))
            runs += 1
            errors[type(out.error).__name__] += 1
            assert out.error is not None or np.isfinite(out.value), seed
    planned = {"NoneType", "UnboundLocalError", "ValueError", "ArithmeticError", "AssertionError"}
    if family == "calls":  # names of one function are those of another, of other parameters
        planned |= {"NameError", "TypeError"}
    if family == "exceptions":
        planned |= {"IndexError", "KeyError", "NameError", "ZeroDivisionError"}
    assert set(errors) <= planned, errors
    assert runs - errors["NoneType"] <= MOST_RAISING[family] * runs


@pytest.mark.parametrize("family", FAMILIES)
def test_oracle_agrees_with_differences(family: str) -> None:
    """The duals against central differences of the plain function, where those are smooth."""
    compared = skipped = 0
    for seed in range(0, 100):
        program = FAMILIES[family].generate(seed)
        for point in program.points:
            if run(program.load(), *clone(point)).error is not None or passed_twice(point):
                continue
            expected, smooth = run(lambda: duals.differences(program.load(), point, program.wrt)).value
            _, gradient, bound = oracle(program, point)
            use = smooth & (bound < 1e6)
            compared += len(use)
            skipped += int(np.sum(~use))
            np.testing.assert_array_less(
                np.abs(gradient - expected)[use], (1e-5 * (1.0 + bound))[use], err_msg=str(seed)
            )
    assert skipped <= MOST_SKIPPED * compared


def passed_twice(point: tuple[Any, ...]) -> bool:
    arrays = [id(a) for a in point if isinstance(a, np.ndarray)]
    return len(set(arrays)) < len(arrays)


@pytest.mark.parametrize("family", FAMILIES)
def test_oracle_passes_its_own_check(family: str) -> None:
    verdicts = [check(FAMILIES[family].generate(seed), Duals()) for seed in range(40)]
    assert {v.status for v in verdicts} == {"ok"}, [v for v in verdicts if v.status != "ok"]
    assert sum(v.skipped for v in verdicts) <= MOST_SKIPPED * sum(v.checked for v in verdicts)


@pytest.mark.parametrize("family, plant", PLANTED)
def test_planted_bugs_are_found(family: str, plant: str) -> None:
    assert found(FAMILIES[family].generate, plant, Duals()) is not None


@pytest.mark.parametrize("family, plant", [("control", "ignore_continue"), ("heap", "alias_is_copy")])
def test_shrinking(family: str, plant: str) -> None:
    """A finding shrinks to a few lines that still show it."""
    planted = Planted(Duals(), PLANTS[plant])
    seed, verdict = found(FAMILIES[family].generate, plant, Duals())

    def keeps(program: Program) -> bool:
        return planted.mutated(program) is not None and check(program, planted, ("value_and_grad",)).same_kind(verdict)

    small = shrink(FAMILIES[family].generate(seed), keeps)
    assert keeps(small)
    assert small.source.count("\n") <= 14, small.source


def test_dual_numbers() -> None:
    program = Program(
        "def f(x, a):\n    z = x * 1.0\n    z[[0, 0]] += a\n    return math.sin(z[0]) * np.sum(z)", (), (0, 1)
    )
    x, a = np.array([0.3, 0.5]), 0.2
    value, gradient, _ = oracle(program, (x, a))
    s, c = np.sin(0.5), np.cos(0.5)
    assert value == pytest.approx(s)
    np.testing.assert_allclose(gradient, [c + s, s, c + s])
