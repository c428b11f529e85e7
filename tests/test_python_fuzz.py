"""The Python fuzzer: fixed seeds against sct, and tests that it can find what it should.

Larger runs: `python -m tests.fuzz --family python --seeds 0:5000 --jobs 2`.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.fuzz import python
from tests.fuzz.check import Sct
from tests.fuzz.features import features_of
from tests.fuzz.program import Program, clone, run
from tests.fuzz.pychecks import Plain, check
from tests.fuzz.pyplant import READINGS, Misread, first_seed
from tests.fuzz.shrink import shrink

generate = cache(python.generate)
SEEDS = 150
SEEDS_OF_SCT = 100
MOST_REFUSED = 0.6
MOST_RAISING = 0.25  # of the programs, in plain Python
LEAST_CHANGING = 0.15  # of the programs, that have something changed between two calls
IN_SCT = ["items_of_global_are_the_first", "or_is_a_bool"]


@pytest.mark.parametrize("first", range(0, SEEDS_OF_SCT, 25))
def test_seeds(first: int) -> None:
    """What sct does not refuse it does as Python does; what ends in plain Python ends."""
    verdicts = {seed: check(generate(seed), Sct()) for seed in range(first, first + 25)}
    findings = {seed: v for seed, v in verdicts.items() if v.status in ("wrong", "failure")}
    assert not findings, "\n".join(f"seed {seed}: {v.status}: {v.reason}\n{v.detail}" for seed, v in findings.items())
    refused = {seed: v.reason for seed, v in verdicts.items() if v.status == "refused"}
    assert len(refused) <= MOST_REFUSED * 25, refused


def test_shares_of_features() -> None:
    reached = Counter(name for seed in range(SEEDS) for name in features_of(generate(seed), python.FEATURES))
    assert not {f.name: reached[f.name] / SEEDS for f in python.FEATURES if reached[f.name] < f.share * SEEDS}


def test_programs_run() -> None:
    outcomes = Counter()
    for seed in range(SEEDS):
        program = generate(seed)
        out = run(lambda: program.load()(*clone(program.points[0])))
        outcomes[type(out.error).__name__] += 1
        outcomes["change"] += "def change" in program.source
    assert outcomes["NoneType"] >= (1.0 - MOST_RAISING) * SEEDS, outcomes
    assert outcomes["Timeout"] <= 0.01 * SEEDS
    assert outcomes["change"] >= LEAST_CHANGING * SEEDS


def test_programs_are_reproducible() -> None:
    assert generate(7).source == generate(7).source
    assert repr(generate(7).points) == repr(generate(7).points)


def test_plain_python_passes_its_own_check() -> None:
    verdicts = [check(generate(seed), Plain(), ("value",)) for seed in range(SEEDS)]
    assert {v.status for v in verdicts} <= {"ok", "unknown"}, [v for v in verdicts if v.status not in ("ok", "unknown")]
    assert sum(v.status == "unknown" for v in verdicts) <= 0.01 * SEEDS


@pytest.mark.parametrize("reading", READINGS)
def test_misreadings_are_found(reading: str) -> None:
    assert first_seed(generate, reading, Plain(), "value") is not None


@pytest.mark.parametrize("reading", IN_SCT)
def test_misreadings_are_found_in_sct(reading: str) -> None:
    assert first_seed(generate, reading, Sct(), "value_and_grad") is not None


def test_shrinking() -> None:
    """A finding shrinks to a few lines that still show it."""
    reading = "cached_property_is_property"
    misread = Misread(Plain(), READINGS[reading])
    seed, verdict = first_seed(generate, reading, Plain(), "value")

    def keeps(program: Program) -> bool:
        return misread.mutated(program) is not None and check(program, misread, ("value",)).same_kind(verdict)

    small = shrink(generate(seed), keeps)
    assert keeps(small)
    assert small.source.count("\n") <= 25, small.source
