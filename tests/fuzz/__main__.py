"""python -m tests.fuzz --family aliases|buffers|calls|control|... --seeds A:B [--jobs 2] [--time S]"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.fuzz import aliases, buffers, calls, control, exceptions, heap, lists, pychecks, python
from tests.fuzz.check import Sct, Verdict, check, effort
from tests.fuzz.features import features_of
from tests.fuzz.program import Program
from tests.fuzz.shrink import shrink

FAMILIES = {"aliases": aliases, "buffers": buffers, "calls": calls, "control": control, "exceptions": exceptions,
            "heap": heap, "lists": lists, "python": python}
CHECKS = {"python": pychecks.check}


@dataclass(frozen=True)
class Result:
    seed: int
    verdict: Verdict
    features: frozenset[str]
    seconds: float


def one(task: tuple[str, int, bool, str]) -> Result:
    family, seed, features, backend = task
    module = FAMILIES[family]
    program = module.generate(seed)
    start = time.perf_counter()
    verdict = CHECKS.get(family, check)(program, Sct(backend))
    seconds = time.perf_counter() - start
    reached = features_of(program, module.FEATURES) if features else set()
    return Result(seed, verdict, frozenset(reached), seconds)


def results(
    family: str, seeds: range, jobs: int, seconds: float, features: bool = True, backend: str = "numpy"
) -> Iterator[Result]:
    """The results of the seeds, as far as the time goes."""
    end = time.monotonic() + seconds
    tasks = [(family, seed, features, backend) for seed in seeds]
    if jobs == 1:
        for task in tasks:
            if time.monotonic() > end:
                return
            yield one(task)
        return
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=200) as pool:
        for result in pool.imap_unordered(one, tasks):
            yield result
            if time.monotonic() > end:
                return


def smallest(family: str, seed: int, verdict: Verdict, seconds: float) -> tuple[Program, Verdict]:
    """The shrunk program of a finding, at the one point and in the one mode that show it."""
    whole = FAMILIES[family].generate(seed)
    judge = CHECKS.get(family, check)
    mode = verdict.detail.split(",")[0]
    modes = (mode,) if mode in effort(seed) else effort(seed)

    def keeps(smaller: Program) -> bool:
        return judge(smaller, Sct(), modes).same_kind(verdict)

    program = replace(whole, points=(whole.points[verdict.point],))
    program = program if keeps(program) else replace(whole, points=whole.points[: verdict.point + 1])
    if not keeps(program):
        return whole, verdict
    small = shrink(program, keeps, seconds)
    return small, judge(small, Sct(), modes)


def report(program: Program, verdict: Verdict) -> str:
    """A finding as text to copy into a test."""
    points = "\n".join(f"args = {literal(point)}" for point in program.points)
    head = f"# seed {program.seed}: {verdict.status}: {verdict.reason}"
    detail = "\n".join(f"# {line}" for line in verdict.detail.splitlines())
    return f"{head}\n{program.source}\n{points}\n{detail}\n"


def literal(x: Any) -> str:
    """Python source of an argument, with its layout."""
    if isinstance(x, dict):
        return "{" + ", ".join(f"{k!r}: {literal(v)}" for k, v in x.items()) + "}"
    if isinstance(x, (tuple, list)):
        inner = ", ".join(map(literal, x))
        return f"[{inner}]" if isinstance(x, list) else f"({inner}{',' if len(x) == 1 else ''})"
    if not isinstance(x, np.ndarray):
        return repr(x)
    text = f"np.array({x.tolist()})"
    if x.flags.c_contiguous:
        return text
    return f"np.asfortranarray({text})" if x.flags.f_contiguous else f"spread({text})"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Random programs against sct.")
    parser.add_argument("--family", choices=list(FAMILIES), required=True)
    parser.add_argument("--seeds", default="0:300", help="A:B, or one seed")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--time", type=float, default=1e9, help="stop after so many seconds")
    parser.add_argument("--backend", default="numpy")
    parser.add_argument("--show", type=int, default=3, help="how many findings to shrink and print")
    parser.add_argument("--refused", type=int, default=0, help="how many kinds of refusals to shrink and print")
    options = parser.parse_args(argv)
    start, _, end = options.seeds.partition(":")
    seeds = range(int(start), int(end) if end else int(start) + 1)
    done = []
    for r in results(options.family, seeds, options.jobs, options.time, backend=options.backend):
        done.append(r)
        if r.verdict.status in ("wrong", "failure"):
            print(f"seed {r.seed}: {r.verdict.status}: {r.verdict.reason}", file=sys.stderr, flush=True)
    summary(options.family, done)
    findings = [r for r in done if r.verdict.status in ("wrong", "failure")]
    refusals = {r.verdict.reason: r for r in reversed(done) if r.verdict.status == "refused"}
    for r in distinct(findings)[: options.show] + list(refusals.values())[: options.refused]:
        print("\n" + report(*smallest(options.family, r.seed, r.verdict, 120.0)), flush=True)
    return 1 if findings else 0


def distinct(findings: list[Result]) -> list[Result]:
    """One of each kind first, then the others."""
    kinds: dict[tuple[str, str], list[Result]] = {}
    for r in findings:
        kinds.setdefault((r.verdict.status, r.verdict.reason), []).append(r)
    first = [rs[0] for rs in kinds.values()]
    return first + [r for r in findings if r not in first]


def summary(family: str, done: list[Result]) -> None:
    count = max(1, len(done))
    statuses = Counter(r.verdict.status for r in done)
    print(f"{family}: {len(done)} programs, " + ", ".join(f"{n} {s}" for s, n in statuses.most_common()))
    times = np.array([r.seconds for r in done] or [0.0])
    print(f"seconds a program: {times.mean():.3f} mean, {np.median(times):.3f} median, {times.max():.2f} most")
    checked, skipped = (sum(getattr(r.verdict, k) for r in done) for k in ("checked", "skipped"))
    print(f"coordinates: {checked} compared, {skipped} skipped ({100 * skipped / max(1, checked):.2f} %)")
    print(f"refused: {100 * statuses['refused'] / count:.2f} %")
    for status in ("refused", "failure", "wrong", "unknown"):
        reasons = Counter(r.verdict.reason for r in done if r.verdict.status == status)
        for reason, n in reasons.most_common(25):
            seeds = [r.seed for r in done if r.verdict.status == status and r.verdict.reason == reason]
            print(f"  {status} {n:4d}  {reason}  (seeds {seeds[:5]})")
    print("features (share of programs that reach it, least share):")
    for f in FAMILIES[family].FEATURES:
        share = sum(f.name in r.features for r in done) / count
        print(f"  {share:6.1%} {f.share:6.1%}  {f.name}{'  LOW' if share < f.share else ''}")


if __name__ == "__main__":
    sys.exit(main())
