"""sct as a tool of GradBench: messages in, answers out, a line of JSON each.

    {"id": 0, "kind": "start", "eval": "lse"}                     {"id": 0, "tool": "sct"}
    {"id": 1, "kind": "define", "module": "lse"}                  {"id": 1, "success": true}
    {"id": 2, "kind": "evaluate", "module": "lse", "function": "gradient", "input": {"x": [0.0, 1.0]}}
                                                                  {"id": 2, "success": true, "output": ..., ...}
"""

import json
import time
from collections.abc import Callable
from typing import Any, TextIO

import numpy as np

from benchmarks.gradbench import adjustment, descent, hand, mixture, programs, recurrent

Input = dict[str, Any]
Call = Callable[[], Any]

EVALS: dict[str, dict[str, Callable[[Input], Call]]] = {
    **programs.EVALS, "gmm": mixture.EVAL, "lstm": recurrent.EVAL, "ba": adjustment.EVAL, "ht": hand.EVAL,
    **descent.EVALS,
}
"""For each function of each evaluation: what turns the fields of an input into the call that is timed."""


def serve(messages: TextIO, answers: TextIO) -> None:
    """Answer every message until there are no more."""
    for line in messages:
        if line.strip():
            print(json.dumps(answer(json.loads(line))), file=answers, flush=True)


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """The answer to one message."""
    kind = message["kind"]
    if kind == "start":
        body: dict[str, Any] = {"tool": "sct"}
    elif kind == "define":
        body = {"success": message["module"] in EVALS}
    elif kind == "evaluate":
        body = evaluated(message)
    else:
        body = {}
    return {"id": message["id"], **body}


def evaluated(message: dict[str, Any]) -> dict[str, Any]:
    try:
        fields = message["input"]
        call = EVALS[message["module"]][message["function"]](fields)
        fields = fields if isinstance(fields, dict) else {}
        output, times = repeated(call, fields.get("min_runs", 1), fields.get("min_seconds", 0.0))
    except Exception as error:  # GradBench goes on with the next message
        return {"success": False, "error": f"{type(error).__name__}: {error}"}
    timings = [{"name": "evaluate", "nanoseconds": t} for t in times]
    return {"success": True, "output": plain(output), "timings": timings}


def repeated(call: Call, min_runs: int, min_seconds: float) -> tuple[Any, list[int]]:
    """What the call gives, and the nanoseconds of each run."""
    times: list[int] = []
    while len(times) < max(1, min_runs) or sum(times) < 1e9 * min_seconds:
        start = time.perf_counter_ns()
        output = call()
        times.append(time.perf_counter_ns() - start)
    return output, times


def plain(x: Any) -> Any:
    """Arrays and numbers of NumPy as JSON holds them."""
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(value) for value in x]
    return x.tolist() if isinstance(x, (np.ndarray, np.generic)) else x
