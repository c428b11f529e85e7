"""Compiles the derivative of a function for one kind of arguments: trace -> passes -> codegen."""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sct.call_checks import MISS, Match, compile_checks
from sct.codegen import NO_DEFAULT, Interface, Parameter, Source, generate, load, load_compiled
from sct.errors import (
    Loc,
    SctError,
    SctWarning,
    complex_refusal,
    internal_error,
)
from sct.frontend import (
    Traced,
    Transform,
    library_facts,
    trace,
)
from sct.ir import walk
from sct.ir.pytrees.pytree import becomes_complex
from sct.ops.scalar.powers import may_become_complex
from sct.passes import pipeline
from sct.validation import OFF, Validation, for_observed_types, observer, validation_mode

__all__ = ["BACKENDS", "Specialization", "emit", "specialize"]


@dataclass(frozen=True, eq=False)
class Specialization:
    """The derivative compiled for one combination of argument types, valid under guards.

    run         the emitted function
    bind        bind(root) -> match(args, kwargs): calls `run` if the guards hold for the arguments
                and the free variables of `root`, else returns MISS
    validation  compares the function as read with Python
    validated   True, or the reason why they were not compared
    """

    traced: Traced
    source: Source
    run: Callable[..., Any]
    bind: Callable[[Any], Match]
    validation: Validation
    validated: bool | str


_serial = itertools.count(1)

BACKENDS: dict[str, dict[str, Any] | None] = {
    "numpy": None,
    "numba": {},
    "numba:fastmath": {"fastmath": ("reassoc", "contract", "arcp")},
}
"""Options of `numba.njit`, where there are kernels."""


def emit(traced: Traced, backend: str = "numpy", primal: bool = False) -> Source:
    """The Python source of a traced derivative; with `primal`, of a function without derivatives."""
    params = tuple(
        Parameter(p.name, p.kind, NO_DEFAULT if p.default is inspect.Parameter.empty else p.default, p.tree)
        for p in traced.params
    )
    interface = Interface(traced.name, params, traced.result, traced.comment)
    kernels = BACKENDS[backend]
    try:
        fn = pipeline.run(traced.fn, compiled=kernels is not None, primal=primal)
        return replace(generate(fn, interface, kernels=kernels), is_complex=traced.is_complex)
    except (SctError, Warning, MemoryError):
        raise
    except Exception as error:
        raise internal_error(error, _place_of(traced.root)) from error


def _place_of(root: Any) -> Loc | None:
    """The place of the function's definition."""
    code = getattr(getattr(root, "__func__", root), "__code__", None)
    return None if code is None else Loc(code.co_filename, code.co_firstlineno)


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Disable cyclic garbage collection: the IR is acyclic but large, and would be scanned again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def specialize(
    transform: Transform, args: tuple[Any, ...], kwargs: dict[str, Any], backend: str = "numpy",
    observed: dict[Loc, frozenset[Any]] | None = None
) -> Specialization:
    """Compile `transform` for these arguments.

    observed  the types that were observed in earlier calls, to which those of this call are added
    """
    with _no_collection():
        traced = trace(transform, args, kwargs, in_line=BACKENDS[backend] is not None,
                       observe=observer(transform, args, kwargs, {} if observed is None else observed))
        source, backend = _emitted(traced, backend)
        recorded = {(path, how) for path, how, _ in traced.identities}
        facts = library_facts(source.text, _place_of(traced.root))
        traced = replace(traced, identities=(*traced.identities, *(f for f in facts if f[:2] not in recorded)))
    for name in pipeline.unused(traced.fn):
        warnings.warn(f"{traced.name}: the result does not depend on `{name}`: its gradient is zero", SctWarning,
                      stacklevel=6)
    shared = replace(traced, root=None)
    validation = Validation(shared, functools.partial(emit, primal=True))
    validated = OFF if validation_mode() == "0" else validation.validate(transform, args, kwargs)
    if BACKENDS[backend] is None:
        run = _load(traced, source)
    else:
        plain = functools.lru_cache(lambda: _load(traced, emit(traced)))
        run = load_compiled(source, plain, pipeline.has_effects(traced.fn))
        if validated is True:
            validation.validate_kernels(transform, args, kwargs, run, plain())
    if any(may_become_complex(eqn) for f in (*traced.fn.functions, traced.fn) for eqn in walk(f)):
        run = _without_complex(run, traced)
    run = for_observed_types(shared, run, MISS)
    return Specialization(shared, source, run, compile_checks(traced, run), validation, validated)


def _emitted(traced: Traced, backend: str) -> tuple[Source, str]:
    """The source of a traced derivative and its backend, which is NumPy if there is nothing that Numba compiles."""
    try:
        return emit(traced, backend), backend
    except SctError as error:
        if error.code != "SCT908":
            raise
        warnings.warn(f"{traced.name} runs as NumPy: {error}", SctWarning, stacklevel=6)
        return emit(traced), "numpy"


def _without_complex(run: Callable[..., Any], traced: Traced) -> Callable[..., Any]:
    """The function, which refuses results that have become complex."""
    place, tree, types = _place_of(traced.root), traced.result, [x.type for x in traced.fn.results]

    @functools.wraps(run)
    def checked(*args: Any, **kwargs: Any) -> Any:
        result = run(*args, **kwargs)
        if becomes_complex(tree, types, result):
            raise complex_refusal(place)
        return result

    return checked


def _load(traced: Traced, source: Source) -> Callable[..., Any]:
    return load(source, f"<sct {traced.name} {next(_serial)}>")
