"""The pipeline:  a function that holds derivatives as equations  ->  one that is ready to print.

    primal -> optimized -> expanded -> adjoint -> saved -> storage

Passes are pure functions; here alone they are put in order, verified and dumped.

>>> list(stages(fn))                          # doctest: +SKIP
['primal', 'optimized', 'expanded', 'adjoint', 'saved', 'storage']
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Collection, Iterator

from sct.ir.check import verify as verified
from sct.ir.core import Eqn, Fn, bound_values, walk
from sct.ir.text import show
from sct.passes.analysis.activity import activity
from sct.passes.autodiff.expand import expand
from sct.passes.autodiff.initial_zeros import initial_zeros
from sct.passes.functions.dead_arguments import remove_dead_arguments
from sct.passes.functions.forwarded_params import forwarded_params
from sct.passes.functions.split_forward_backward import split_all
from sct.passes.memory.in_place import storage
from sct.passes.motion.batch_reductions import stack
from sct.passes.motion.delay_updates import late
from sct.passes.motion.loop_invariant import hoist, hoist_primal
from sct.passes.motion.merge_branches import gather
from sct.passes.motion.scatter_to_store import once
from sct.passes.motion.sink import sink
from sct.passes.rematerialization.choose_residuals import choose_residuals
from sct.passes.rewriting.driver import rewrite, simplify
from sct.passes.scalar.cse import cse
from sct.passes.scalar.dce import dce

__all__ = ["PIPELINE", "ORACLE", "STAGES", "Pass", "differentiates", "has_effects", "passes", "run", "stages", "unused"]

Pass = Callable[[Fn], Fn]
Pipeline = tuple[tuple[str, tuple[str, ...]], ...]

PIPELINE: Pipeline = (
    ("optimized", ("cse", "dce", "hoist the primal")),
    ("expanded", ("expand",)),
    ("adjoint", ("simplify", "cse", "dce", "dead arguments")),
    ("saved", ("choose residuals", "simplify", "cse", "dce", "tidy", "hoist", "gather", "sink", "stack", "once", "late",
               "initial zeros", "dce")),
    ("storage", ("split", "dead arguments", "storage")),
)
"""What leads to each stage from the one before; the first is "primal"."""

ORACLE: Pipeline = (("expanded", ("expand as it is",)), ("storage", ("split", "copy everywhere")))
"""Save all, copy everywhere: what the passes behind `expand` are tested against."""

NESTED: Pipeline = (*PIPELINE[:3], PIPELINE[-1])
"""For a function that is not differentiated itself, with derivatives in it: there is nothing to save."""

PRIMAL: Pipeline = (PIPELINE[0], PIPELINE[-1])
"""For a function without derivatives."""

DERIVATIVES = frozenset(("vjp", "jvp", "pullback", "jacobian"))

COMPILED: Pipeline = tuple(
    (stage, tuple("choose residuals for kernels" if name == "choose residuals" else name for name in names))
    for stage, names in PIPELINE)
"""The same where loops are compiled: other things are cheap there."""

STAGES = ("primal", *(stage for stage, _ in PIPELINE))


def run(fn: Fn, *, until: str | None = None, verify: bool | None = None,
        dump: Collection[str] = (), oracle: bool = False, compiled: bool = False, primal: bool = False) -> Fn:
    """`fn` at the stage `until`, the last one if that is None.

    verify  check the IR after every pass, and that the pass left its input as it was; None: if the
            environment has SCT_VERIFY=1
    dump    names of passes after which the IR is written to stderr
    oracle  by the pipeline `ORACLE`
    compiled  by the pipeline `COMPILED`
    primal    by the pipeline `PRIMAL` or `NESTED`; all that may raise stays
    """
    undifferentiated = NESTED if differentiates(fn) else PRIMAL
    pipeline = ORACLE if oracle else COMPILED if compiled else undifferentiated if primal else PIPELINE
    for stage, made in _steps(fn, pipeline, verify, dump, keep_raises=primal or returns_value(fn)):
        fn = made
        if stage == until:
            break
    return fn


def differentiates(program: Fn) -> bool:
    """Is there a derivative in the program, as an equation?"""
    return any(eqn.op.name in DERIVATIVES for fn in (program, *program.functions) for eqn in walk(fn))


def stages(fn: Fn, *, verify: bool | None = None) -> dict[str, Fn]:
    """`fn` at every stage, by name."""
    return dict(_steps(fn, PIPELINE, verify, (), returns_value(fn)))


def _steps(fn: Fn, pipeline: Pipeline, verify: bool | None, dump: Collection[str], keep_raises: bool
           ) -> Iterator[tuple[str, Fn]]:
    verify = os.environ.get("SCT_VERIFY") == "1" if verify is None else verify
    each = passes(fn, keep_raises)
    if verify:
        verified(fn)
    yield "primal", fn
    for stage, names in pipeline:
        for name in names:
            before = _noted(fn) if verify else []
            given, fn = fn, each[name](fn)
            if verify and _noted(given) != before:
                raise AssertionError(f"the pass {name!r} changed values of what it was given")
            if name in dump:
                print(f"# {stage}: {name}\n{show(fn)}", file=sys.stderr)
            if verify:
                verified(fn)
        yield stage, fn


def _noted(fn: Fn) -> list[tuple[object, ...]]:
    """What a pass could change of the values of `fn`."""
    return [(v, v.hint, v.type, v.dim) for v in bound_values(fn)]


def passes(fn: Fn, keep_raises: bool | None = None) -> dict[str, Pass]:
    """Every pass by its name in a pipeline, for this program."""
    keep = returns_value(fn) if keep_raises is None else keep_raises
    each: dict[str, Pass] = {
        "cse": cse, "dce": lambda f: dce(f, keep_raises=keep),
        "simplify": simplify, "tidy": lambda f: simplify(f, last=True), "choose residuals": choose_residuals,
        "choose residuals for kernels": lambda f: choose_residuals(f, compiled=True), "hoist": hoist,
        "hoist the primal": hoist_primal,
        "gather": gather, "sink": sink, "stack": stack, "once": once, "late": late, "initial zeros": initial_zeros,
        "storage": storage, "copy everywhere": lambda f: storage(f, copies=True),
    }
    return {
        **{name: _of_each_function(each[name]) for name in each},
        "expand": lambda f: expand(f, rewrite=rewrite), "expand as it is": expand,
        "dead arguments": lambda f: remove_dead_arguments(f, keep_raises=keep, offers=forwarded_params(f)),
        "split": lambda f: split_all(f, keep_raises=keep),
    }


def _of_each_function(step: Pass) -> Pass:
    """The pass on the functions of a program, one by one."""
    def run(program: Fn) -> Fn:
        functions = tuple(step(f).with_(donated_params=f.donated_params) for f in program.functions)
        return step(program.with_(functions=())).with_(functions=functions)

    return run


def unused(fn: Fn) -> list[str]:
    """Names of what `fn` differentiates by in vain: the result does not depend on it."""
    found = []
    for eqn in fn.eqns:
        if eqn.op.name == "vjp" and eqn.attrs["seeded"]:
            region = expand(eqn.regions[0].with_(functions=fn.functions), last=False)
            params = [region.params[k] for k in eqn.attrs["wrt"]]
            active = activity(region, params, [region.results[k] for k in eqn.attrs["seeded"]]).active
            found += [p.hint or "its argument" for p in params if p not in active]
    return found


def has_effects(fn: Fn) -> bool:
    """Does it do what cannot be done twice: print, read, draw?"""
    return any(eqn.op.effect and eqn.op.name != "raise_" and not _is_exception(eqn) for eqn in walk(fn))


def _is_exception(eqn: Eqn) -> bool:
    made = getattr(builtins, str(eqn.attrs.get("callee", "")).removeprefix("builtins."), None)
    return isinstance(made, type) and issubclass(made, BaseException)


def returns_value(fn: Fn) -> bool:
    """Is the user's own result a result, and not a derivative only?  Then all that may raise stays."""
    derivatives = [e for e in fn.eqns if e.op.name in DERIVATIVES]
    values = {out for e in derivatives for out in e.outs[:len(e.regions[0].results)]}
    return not derivatives or any(r in values for r in fn.results)
