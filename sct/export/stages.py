"""Prints a derivative at each stage of the compiler, for `sct show-ir`.

    ast        the function's syntax tree           adjoint    differentiated, simplified
    anf        its equations                        optimized  after all passes: residuals and buffers chosen
    activity   which of them carry a derivative     source     Python
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any

import gast

from sct.codegen import Source
from sct.errors import Loc, SctError
from sct.frontend import Traced
from sct.frontend.source.parse import source_of
from sct.ir.core import Eqn, Fn, Value, walk
from sct.ir.text import lines, show
from sct.passes import pipeline
from sct.passes.analysis.activity import activity

__all__ = ["STAGES", "copies_in_loops", "stage_text"]

STAGES = ("ast", "anf", "activity", "adjoint", "optimized", "source")

Emit = Callable[[Traced], Source]


def stage_text(traced: Traced, stage: str, emit: Emit) -> str:
    """The text of a stage; `emit` makes the source."""
    if stage == "ast":
        return _ast(traced.root)
    if stage == "anf":
        return show(traced.fn)
    if stage == "activity":
        return _activity(pipeline.run(traced.fn, until="optimized"))
    if stage == "adjoint":
        return show(pipeline.run(traced.fn, until="adjoint"))
    if stage == "optimized":
        return show(pipeline.run(traced.fn))
    return emit(traced).text


def _ast(f: Any) -> str:
    function = f.__func__ if isinstance(f, MethodType) else f
    if not hasattr(function, "__code__"):
        raise SctError("SCT201", f"{f!r} has no syntax tree of its own")
    text = gast.dump(source_of(function.__code__).node, indent=2)
    return re.sub(r",\s*\w+=(None|\[\])", "", text) + "\n"


def _activity(fn: Fn) -> str:
    """The equations, with a comment on each that carries a derivative."""
    active: set[Value] = set()
    for eqn in fn.eqns:
        if eqn.op.name in ("vjp", "jvp", "pullback") and eqn.regions:
            region = eqn.regions[0]
            wrt = [region.params[k] for k in eqn.attrs["wrt"]]
            seeded = eqn.attrs.get("seeded", range(len(region.results)))
            active |= activity(region, wrt, [region.results[k] for k in seeded]).active
    marked = [(text, eqn is not None and any(out in active for out in eqn.outs)) for text, eqn in lines(fn)]
    width = max((len(text) for text, mark in marked if mark), default=0)
    return "".join(f"{text:{width}}  # active\n" if mark else f"{text}\n" for text, mark in marked)


# -- findings -------------------------------------------------------------------------


def copies_in_loops(traced: Traced) -> Iterator[tuple[str, Loc | None]]:
    """The arrays that are copied in each iteration of a loop of the derivative, and the line that overwrites them."""
    fn = pipeline.run(traced.fn)
    for f in (*fn.functions, fn):
        for loop in walk(f):
            if loop.op.name == "loop":
                yield from _copies(loop.regions[-1], loop.loc)


def _copies(body: Fn, loc: Loc | None) -> Iterator[tuple[str, Loc | None]]:
    for k, eqn in enumerate(body.eqns):
        if eqn.op.name == "copy" and not eqn.primal:
            name = next((v.hint for v in (eqn.out, *eqn.args) if isinstance(v, Value) and v.hint), "an array")
            yield name, _overwriting_loc(eqn, body.eqns[k + 1:]) or loc
        elif eqn.op.name == "cond":
            for branch in eqn.regions:
                yield from _copies(branch, loc)


def _overwriting_loc(copy: Eqn, later: tuple[Eqn, ...]) -> Loc | None:
    """The place where the copy or the original is overwritten."""
    buffers = {copy.out, copy.args[0]}
    users = [e for e in later if e.loc is not None and buffers & {*e.args}]
    return next((e.loc for e in (*(u for u in users if u.inplace is not None), *users)), None)
