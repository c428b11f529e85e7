"""Objects in a list of run time that are sorted by the `<` of their class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from oracle import Programs, agrees_in_every_mode

program = Programs()
CALLS = ([0.7], 6), ([1.3], 1), ([0.43], 9), ([0.21], 3), ([0.6], 0)


class Job:
    def __init__(self, due: Any, cost: Any) -> None:
        self.due, self.cost = due, cost

    def __lt__(self, other: Any) -> Any:
        return self.due < other.due


@dataclass(order=True)
class Task:
    due: float
    cost: float = field(compare=False, default=1.0)


class WithoutOrder:
    def __init__(self, v: Any) -> None:
        self.v = v


def jobs_of(cls: Any, x: Any, n: int) -> Any:
    return [cls(x * (5 - i) ** 2, x + i) for i in range(n)]


@program(*CALLS)
def lateness(xs: Any, n: int) -> Any:
    t = late = 0.0
    for task in sorted(jobs_of(Task, xs[0], n)):
        t += task.cost
        late += max(0.0, t - task.due)
    return late


@program(*CALLS)
def in_place(xs: Any, n: int) -> Any:
    jobs = jobs_of(Job, xs[0], n)
    jobs.sort()
    return sum(job.cost * k for k, job in enumerate(jobs))


@program(*CALLS[:4])
def written_in_between(xs: Any, n: int) -> Any:
    tasks = jobs_of(Task, xs[0], n)
    tasks.sort(reverse=True)
    tasks[0].cost = 5 * xs[0]
    tasks.append(Task(xs[0], 2.0))
    tasks.sort()
    return sum(task.cost * k * task.due for k, task in enumerate(tasks))


@program(*CALLS)
def equal_ones_keep_their_order(xs: Any, n: int) -> Any:
    jobs = [Job(float(i // 2), xs[0] + i) for i in range(n)]
    up = sum(job.cost * k for k, job in enumerate(sorted(jobs)))
    return up + sum(job.cost * k for k, job in enumerate(sorted(jobs, reverse=True))) * xs[0]


@program(*CALLS)
def by_a_key_that_is_an_object(xs: Any, n: int) -> Any:
    rows = [(i % 3, job) for i, job in enumerate(jobs_of(Job, xs[0], n))]
    return sum(job.cost * k for k, (_, job) in enumerate(sorted(rows, key=lambda row: row[1])))


@program(CALLS[1], *CALLS)
def without_an_order(xs: Any, n: int) -> Any:
    return sum(v.v for v in sorted([WithoutOrder(xs[0] * i) for i in range(n)])) + xs[0]  # type: ignore[type-var]


@pytest.mark.parametrize("validate", ["0", "1"])
@pytest.mark.parametrize(("f", "calls"), program, ids=lambda each: getattr(each, "__name__", None))
def test_sorted_objects(f: Callable[..., Any], calls: Any, validate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", validate)
    agrees_in_every_mode(f, calls)
