"""The pipeline:  a function that holds derivatives as equations  ->  one that is ready to print.

    primal -> optimized -> expanded -> adjoint -> saved -> storage

Passes are pure functions. This module alone puts them in order, verifies and dumps them.

>>> list(stages(fn))                          # doctest: +SKIP
['primal', 'optimized', 'expanded', 'adjoint', 'saved', 'storage']
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator

from sct.errors import Loc
from sct.ir.check import verifies
from sct.ir.check import verify as verified
from sct.ir.core import Eqn, Fn, bound_values, walk
from sct.ir.text import show
from sct.ops.program.attempts import is_of_raise, may_not_repeat
from sct.ops.program.control import DERIVATIVES
from sct.passes.analysis.activity import activity, empty_as_others
from sct.passes.analysis.jumps import JUMPING, jumps
from sct.passes.autodiff.expand import expand
from sct.passes.autodiff.implicit_functions import drop_residuals
from sct.passes.functions.dead_arguments import remove_dead_arguments
from sct.passes.functions.forwarded_params import forwarded_params
from sct.passes.functions.split_forward_backward import split_all
from sct.passes.memory.in_place import storage
from sct.passes.memory.whole_updates import replace_whole_updates
from sct.passes.motion.dead_stores import dead_stores
from sct.passes.motion.delay_updates import delay_updates
from sct.passes.motion.initial_zeros import initial_zeros
from sct.passes.motion.invariant_lengths import read_lengths_outside
from sct.passes.motion.loop_invariant import hoist, hoist_primal
from sct.passes.motion.merge_branches import merge_branches
from sct.passes.motion.new_keys import add_new_keys
from sct.passes.motion.scalar_replacement import replace_elements
from sct.passes.motion.scatter_to_store import scatter_to_store
from sct.passes.motion.sink import sink
from sct.passes.motion.thread_jumps import thread_jumps
from sct.passes.rematerialization.choose_residuals import choose_residuals
from sct.passes.rematerialization.masks_on_tapes import compare_forward
from sct.passes.rematerialization.segments import segments
from sct.passes.rewriting.driver import rewrite, simplify
from sct.passes.scalar.chained_reads import merge_chained_reads
from sct.passes.scalar.cse import cse
from sct.passes.scalar.dce import dce
from sct.passes.scalar.list_copies import drop_list_copies
from sct.passes.scalar.literal_choices import replace_literal_choices
from sct.passes.scalar.position_lists import write_position_lists
from sct.passes.scalar.reread_views import merge_reread_views
from sct.passes.scalar.shift_invariance import stop_shifts
from sct.passes.scalar.squares import smooth_squares
from sct.passes.scalar.turned_vectors import turn_vectors
from sct.passes.scalar.uniform_lists import replace_uniform_items
from sct.passes.vectorization.batch_reductions import batch_reductions
from sct.passes.vectorization.distribute import distribute
from sct.passes.vectorization.vectorize import vectorize
from sct.passes.vectorization.windows import slide_windows

__all__ = ["PIPELINE", "ORACLE", "STAGES", "Pass", "differentiates", "has_effects", "passes", "run", "stages", "unused"]

Pass = Callable[[Fn], Fn]
Pipeline = tuple[tuple[str, tuple[str, ...]], ...]

PIPELINE: Pipeline = (
    ("optimized", (
        "thread jumps", "invariant lengths", "literal choices", "cse", "new keys", "reread views", "list copies", "dce",
        "hoist the primal")),
    ("expanded", ("stop shifts", "smooth squares", "segments", "expand", "turn vectors", "drop residuals")),
    ("adjoint", ("simplify", "cse", "uniform lists", "dce", "dead arguments")),
    ("saved", (
        # Once, after the last differentiation: it relies on every residual of a loop being on a tape, as `expand`
        # leaves it, removes all tapes and adds those that pay.
        "choose residuals",
        # Values that are computed again now stand beside the backward equations that read them: rules apply across,
        # equal equations merge, and forward values that only a tape read are dead.
        "simplify", "cse", "dce",
        # Of arrays on tapes that are only compared, the result is kept.
        "compare forward",
        # With it, elements that are written for nothing keep no loop from becoming operations on arrays.
        "dead stores", "dce",
        # Loops that are operations on arrays, and parts of loops: which of their operands are computed again is decided
        # by now.
        "vectorize", "distribute", "slide windows",
        # The rules that choose the form in which a product or a mask is printed, which other rules do not match.
        "simplify for printing",
        # Before the motion into branches: only an equation that stands directly in the body of a loop is hoisted.
        "hoist",
        # Conditionals on one predicate merge; equations that only one branch of the result reads then move into it.
        "merge branches", "sink",
        # Sums that a loop accumulates: outer products become one matrix product, and additions to elements that one
        # iteration alone writes become stores. Each looks for its own kind of sum.
        "batch reductions", "scalar replacement", "scatter to store",
        # Last of the motion: an update that was moved behind its readers must stay there.
        "delay updates",
        # Needs to see which carries are still written into.
        "initial zeros",
        # Equal equations stay apart from here on.
        "position lists",
        # Removes what motion has left dead; it keeps the order of the rest.
        "dce",
        # Once nothing moves or merges any more: it looks at neighbours.
        "chained reads")),
    # A part of a function needs fewer params than the whole. Whole updates stay where the array is not read again.
    # `storage` decides which updates are in place; no equation may be added, moved or merged after that.
    ("storage", ("split", "dead arguments", "whole updates", "written views", "storage")),
)
"""The passes that lead to each stage from the stage before; the first stage is "primal"."""

ORACLE: Pipeline = (("expanded", ("expand as it is", "drop residuals")), ("storage", ("split", "copy everywhere")))
"""Every residual is kept, every update is of a copy: the reference for tests of the passes after `expand`."""

NESTED: Pipeline = (*PIPELINE[:3], PIPELINE[-1])
"""For a function that is not differentiated itself, with derivatives in it: there is nothing to save."""

PRIMAL: Pipeline = (PIPELINE[0], ("expanded", ("drop residuals", "dce")), PIPELINE[-1])
"""For a function without derivatives."""

COMPILED: Pipeline = tuple(
    (stage, tuple("choose residuals for kernels" if name == "choose residuals" else name
                  for name in names if name not in ("vectorize", "distribute", "slide windows", "position lists")))
    for stage, names in PIPELINE)
"""The same for a backend that compiles loops, where other operations are cheap."""

STAGES = ("primal", *(stage for stage, _ in PIPELINE))


def run(fn: Fn, *, until: str | None = None, verify: bool | None = None,
        dump: Collection[str] = (), oracle: bool = False, compiled: bool = False, primal: bool = False) -> Fn:
    """`fn` at the stage `until`, the last one if that is None.

    verify    check the IR after every pass, and that the pass left its input as it was, not only the result; None:
              if the environment has SCT_VERIFY=1
    dump      names of passes after which the IR is written to stderr
    oracle    by the pipeline `ORACLE`
    compiled  by the pipeline `COMPILED`
    primal    by the pipeline `PRIMAL` or `NESTED`; equations that may raise stay
    """
    undifferentiated = NESTED if differentiates(fn) else PRIMAL
    verify = verifies() if verify is None else verify
    pipeline = ORACLE if oracle else COMPILED if compiled else undifferentiated if primal else PIPELINE
    steps = _steps(fn, pipeline, verify, dump, keep_raises=primal or returns_value(fn))
    for stage, result in steps:
        fn = result
        if stage == until:
            break
    return fn if verify else verified(fn)


def differentiates(program: Fn) -> bool:
    """Has the program an equation that differentiates?"""
    return any(eqn.op in DERIVATIVES for fn in (program, *program.functions) for eqn in walk(fn))


def stages(fn: Fn, *, verify: bool | None = None) -> dict[str, Fn]:
    """`fn` at every stage, by name."""
    return dict(_steps(fn, PIPELINE, verify, (), returns_value(fn)))


def _steps(fn: Fn, pipeline: Pipeline, verify: bool | None, dump: Collection[str], keep_raises: bool
           ) -> Iterator[tuple[str, Fn]]:
    verify = verifies() if verify is None else verify
    by_name = passes(fn, keep_raises)
    checked: set[Eqn] = set()
    if verify:
        verified(fn, checked)
    yield "primal", fn
    for stage, names in pipeline:
        for name in names:
            before, state = fn, _mutable_state(fn) if verify else []
            fn = by_name[name](fn)
            if verify and _mutable_state(before) != state:
                raise AssertionError(f"the pass {name!r} changed values of its input")
            if name in dump:
                print(f"# {stage}: {name}\n{show(fn)}", file=sys.stderr)
            if verify and fn is not before:
                verified(fn, checked)
        yield stage, fn


def _mutable_state(fn: Fn) -> list[tuple[object, ...]]:
    """The fields of the values of `fn` that a pass could change."""
    return [(v, v.hint, v.type, v.dim) for v in bound_values(fn)]


def passes(fn: Fn, keep_raises: bool | None = None) -> dict[str, Pass]:
    """Every pass by its name in a pipeline, for this program."""
    keep = returns_value(fn) if keep_raises is None else keep_raises
    per_function: dict[str, Pass] = {
        "thread jumps": thread_jumps, "new keys": add_new_keys, "invariant lengths": read_lengths_outside,
        "literal choices": replace_literal_choices, "cse": _settling(cse), "uniform lists": replace_uniform_items,
        "dce": _settling(lambda f: dce(f, keep_raises=keep)),
        "simplify": simplify, "simplify for printing": lambda f: simplify(f, for_printing=True),
        "choose residuals": choose_residuals,
        "choose residuals for kernels": lambda f: choose_residuals(f, compiled=True), "hoist": hoist,
        "drop residuals": drop_residuals, "stop shifts": stop_shifts,
        "hoist the primal": hoist_primal,
        "chained reads": merge_chained_reads,
        "list copies": drop_list_copies,
        "reread views": lambda f: merge_reread_views(f, differentiated=False),
        "written views": lambda f: merge_reread_views(f, differentiated=True),
        "merge branches": merge_branches, "sink": sink, "batch reductions": batch_reductions,
        "scalar replacement": replace_elements, "scatter to store": scatter_to_store,
        "delay updates": delay_updates, "initial zeros": initial_zeros, "position lists": write_position_lists,
        "compare forward": compare_forward, "dead stores": dead_stores, "vectorize": vectorize,
        "distribute": distribute, "slide windows": slide_windows,
        "whole updates": replace_whole_updates,
        "storage": storage, "copy everywhere": lambda f: storage(f, copies=True),
    }
    return {
        **{name: _on_each_function(step) for name, step in per_function.items()},
        "smooth squares": smooth_squares,
        "segments": segments,
        "expand": lambda f: expand(f, rewrite=rewrite), "expand as it is": expand,
        "turn vectors": turn_vectors,
        "dead arguments": lambda f: remove_dead_arguments(f, keep_raises=keep, offers=forwarded_params(f)),
        "split": lambda f: split_all(f, keep_raises=keep),
    }


def _on_each_function(step: Pass) -> Pass:
    """The pass that applies `step` to a program and to each of its functions."""
    def run(program: Fn) -> Fn:
        functions = tuple(step(f).replace(donated_params=f.donated_params) for f in program.functions)
        top = program.replace(functions=())
        after = step(top)
        return (program if after is top else after).replace(functions=functions)

    return run


def _settling(step: Pass) -> Pass:
    """The pass `step`, which changes nothing more in what it has returned."""
    settled: set[Fn] = set()

    def run(fn: Fn) -> Fn:
        if fn not in settled:
            fn = step(fn)
            settled.add(fn)
        return fn

    return run


def unused(fn: Fn) -> list[str]:
    """The names of the params by which `fn` differentiates although the result does not depend on them.

    A name of several params, such as an attribute of several records, is one of them if the result depends on none.
    """
    names = []
    for eqn in fn.eqns:
        if eqn.op.name == "vjp" and eqn.attrs["seeded"]:
            region = _without_derivatives(eqn.regions[0], fn.functions)
            params = [region.params[k] for k in eqn.attrs["wrt"]]
            with empty_as_others():
                active = activity(region, params, [region.results[k] for k in eqn.attrs["seeded"]]).active
            used = {p.hint for p in params if p in active and p.hint}
            names += [p.hint or "its argument" for p in params if p not in active and p.hint not in used]
    return names


def _without_derivatives(region: Fn, functions: tuple[Fn, ...]) -> Fn:
    """The region of a program with these functions, with its derivatives as the equations that they stand for."""
    program = region.replace(functions=functions)
    return expand(program, last=False) if differentiates(program) else program


def jumping(fn: Fn) -> list[tuple[Loc, str]]:
    """The places at which `fn` makes of a differentiated number one that jumps, with what is there, each once."""
    places: dict[tuple[Loc, str], None] = {}
    may_jump = any(eqn.op.name in JUMPING for f in (fn, *fn.functions) for eqn in walk(f))
    for eqn in fn.eqns:
        if may_jump and eqn.op.name in ("vjp", "jvp"):
            region = _without_derivatives(eqn.regions[0], fn.functions)
            wrt = [region.params[k] for k in eqn.attrs["wrt"]]
            places.update(dict.fromkeys(jumps(region, wrt, region.results)))
    return list(places)


def has_effects(fn: Fn) -> bool:
    """Has the function effects that must not happen twice: printing, reading, drawing random numbers?"""
    return any(may_not_repeat(eqn) and not is_of_raise(eqn) for eqn in walk(fn))


def returns_value(fn: Fn) -> bool:
    """Does `fn` return the user's own result, and not only derivatives?  Then equations that may raise stay."""
    derivatives = [e for e in fn.eqns if e.op in DERIVATIVES]
    values = {out for e in derivatives for out in e.outs[:len(e.regions[0].results)]}
    return not derivatives or any(r in values for r in fn.results)
