"""Compiles the derivative of a function for one kind of arguments: trace -> passes -> codegen."""

from __future__ import annotations

import functools
import inspect
import itertools
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sct.call_checks import MISS, Match, compile_checks, place_of
from sct.codegen import NO_DEFAULT, Interface, Parameter, Source, generate, load, load_compiled
from sct.errors import (
    Loc,
    SctError,
    SctWarning,
    complex_refusal,
    internal_error,
)
from sct.frontend import (
    Guard,
    Traced,
    Transform,
    library_facts,
    trace,
)
from sct.ir import walk
from sct.ir.pytrees.pytree import becomes_complex
from sct.memory_limit import check_amount, check_tapes, in_words, needs, no_collection
from sct.ops.program.attempts import attempted
from sct.ops.program.control import loop
from sct.ops.scalar.powers import may_become_complex
from sct.passes import pipeline
from sct.passes.analysis.tape_sizes import tape_bytes
from sct.passes.rematerialization.segments import checkpoint_loops
from sct.validation import OFF, Validation, for_observed_types, observer, validation_mode
from sct.validation.outside_reads import OutsideReads, outside_reads

__all__ = ["BACKENDS", "Backend", "Specialization", "emit", "specialize"]


@dataclass(frozen=True, eq=False)
class Specialization:
    """The derivative compiled for one combination of argument types, valid under guards.

    run         the emitted function
    bind        bind(root) -> match(args, kwargs): calls `run` if the guards hold for the arguments
                and the free variables of `root`, else returns MISS
    validation  compares the function as read with Python
    validated   True, or the reason why they were not compared
    outside     what it reads from outside, if it runs code of the user as it is, which may change that
    """

    traced: Traced
    source: Source
    run: Callable[..., Any]
    bind: Callable[[Any], Match]
    validation: Validation
    validated: bool | str
    outside: OutsideReads | None = None

    def call(self, root: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result for arguments like those that it was compiled for."""
        values = self.traced.free_values(root)
        if self.outside is None:
            return self.run(*args, **kwargs, **values)
        before = self.outside.now(root)
        result = self.run(*args, **kwargs, **values)
        self.outside.check(root, before)
        return result


_serial = itertools.count(1)

@dataclass(frozen=True)
class Backend:
    """How derivatives are compiled.

    numba_options  those of `numba.njit`, for kernels; None: there are no kernels
    requires       the package that it needs
    """

    numba_options: Mapping[str, Any] | None = None
    requires: str | None = None

    @property
    def compiled(self) -> bool:
        """Is there machine code?"""
        return self.numba_options is not None


BACKENDS = {
    "numpy": Backend(),
    "numba": Backend({}, "numba"),
    "numba:fastmath": Backend({"fastmath": ("reassoc", "contract", "arcp")}, "numba"),
}


def emit(traced: Traced, backend: str = "numpy", primal: bool = False) -> Source:
    """The Python source of a traced derivative; with `primal`, of a function without derivatives."""
    params = tuple(
        Parameter(p.name, p.kind, NO_DEFAULT if p.default is inspect.Parameter.empty else p.default, p.tree)
        for p in traced.params
    )
    interface = Interface(traced.name, params, traced.result, traced.comment)
    target = BACKENDS[backend]
    try:
        with no_collection():
            fn = pipeline.run(traced.fn, compiled=target.compiled, primal=primal)
            source = replace(generate(fn, interface, numba_options=target.numba_options), is_complex=traced.is_complex)
            if primal:
                return source
            tapes = tape_bytes(fn, compiled=target.compiled)
            return replace(source, tapes=(tapes.total, tapes.largest))
    except (SctError, Warning, MemoryError):
        raise
    except Exception as error:
        raise internal_error(error, place_of(traced.root)) from error


def specialize(
    transform: Transform, args: tuple[Any, ...], kwargs: dict[str, Any], backend: str = "numpy",
    observed: dict[Loc, frozenset[Any]] | None = None
) -> Specialization:
    """Compile `transform` for these arguments.

    observed  the types that were observed in earlier calls, to which those of this call are added
    """
    traced = trace(transform, args, kwargs, in_line=BACKENDS[backend].compiled,
                   observe=observer(transform, args, kwargs, {} if observed is None else observed))
    source, backend = _emitted(traced, backend)
    leaves = [*traced.bind(args, kwargs), *traced.free_values(traced.root).values()]
    if transform.memory is not None:
        traced, source, backend = _within(transform.memory, traced, source, backend, leaves)
    check_tapes(needs(source.tapes[1], leaves), place_of(traced.root))
    recorded = {(path, how) for path, how, _ in traced.identities}
    facts = library_facts(source.text, place_of(traced.root))
    traced = replace(traced, identities=(*traced.identities, *(f for f in facts if f[:2] not in recorded)))
    unused, jumping = pipeline.unused(traced.fn), pipeline.jumping(traced.fn)
    for name in unused:
        warnings.warn(f"{traced.name}: the result does not depend on `{name}`: its gradient is zero", SctWarning,
                      stacklevel=6)
    for loc, what in jumping:
        warnings.warn(f"{traced.name}: {what} of a number that depends on the inputs has no derivative, and counts as "
                      f"a constant ({loc.file}:{loc.line})", SctWarning, stacklevel=6)
    for name, loc, cls in traced.written:
        of, it = ("the object of the method", "the object") if cls is None else (f"the class `{cls.__name__}`",
                                                                                 "the class")
        warnings.warn(f"{traced.name}: the write to `{name}` of {of} changes a private copy, and {it} stays as it is "
                      f"({loc.file}:{loc.line})", SctWarning, stacklevel=6)
    shared = replace(traced, root=None)
    validation = Validation(shared, functools.partial(emit, primal=True))
    validated = OFF if validation_mode() == "0" else validation.validate(transform, args, kwargs)
    if not BACKENDS[backend].compiled:
        run = _load(traced, source)
    else:
        plain = functools.lru_cache(lambda: _load(traced, emit(traced)))
        run = load_compiled(source, plain, pipeline.has_effects(traced.fn))
        if validated is True:
            validation.validate_kernels(transform, args, kwargs, run, plain())
    if any(may_become_complex(attempted(eqn)) for f in (*traced.fn.functions, traced.fn) for eqn in walk(f)):
        run = _without_complex(run, traced)
    run = for_observed_types(traced, run, MISS)
    outside = outside_reads(traced, traced.root)
    bind = compile_checks(traced, run, source.tapes[1])
    if outside is not None:
        bind = outside.checked(bind)
    return Specialization(shared, source, run, bind, validation, validated, outside)


def _within(memory: int, traced: Traced, source: Source, backend: str, leaves: Sequence[Any]
            ) -> tuple[Traced, Source, str]:
    """The derivative if its tapes take at most `memory`; else the one that keeps few states of its loops.

    Which of them it is, is a guard.
    """
    total, _ = source.tapes
    fits = total is not None and needs(total, leaves) <= memory
    if not fits:
        loops = [eqn for f in (*traced.fn.functions, traced.fn) for eqn in walk(f) if eqn.op is loop]
        has_inner_loops = any(eqn.op is loop for each in loops for region in each.regions for eqn in walk(region))
        traced = replace(traced, fn=checkpoint_loops(traced.fn))
        source, backend = _emitted(traced, backend)
        if source.tapes[0] is not None:
            check_amount(needs(source.tapes[0], leaves), memory, place_of(traced.root), has_inner_loops)
    if total not in (None, "0"):
        test = f"{total} {'<=' if fits else '>'} {memory}"
        guard = Guard(f"the tapes take {'at most' if fits else 'more than'} {in_words(memory)}",
                      lambda leaves: (needs(str(total), leaves) <= memory) == fits, test)
        traced = replace(traced, guards=(*traced.guards, guard))
    return traced, source, backend


def _emitted(traced: Traced, backend: str) -> tuple[Source, str]:
    """The source of a traced derivative and its backend, which is NumPy if there is nothing that Numba compiles."""
    try:
        return emit(traced, backend), backend
    except SctError as error:
        if error.code != "SCT908":
            raise
        warnings.warn(f"{traced.name} runs as NumPy: {error}", SctWarning, stacklevel=7)
        return emit(traced), "numpy"


def _without_complex(run: Callable[..., Any], traced: Traced) -> Callable[..., Any]:
    """The function, which refuses results that have become complex."""
    place, tree, types = place_of(traced.root), traced.result, [x.type for x in traced.fn.results]

    @functools.wraps(run)
    def checked(*args: Any, **kwargs: Any) -> Any:
        result = run(*args, **kwargs)
        if becomes_complex(tree, types, result):
            raise complex_refusal(place)
        return result

    return checked


def _load(traced: Traced, source: Source) -> Callable[..., Any]:
    return load(source, f"<sct {traced.name} {next(_serial)}>")
