"""The derivative of a function as an object: compiled for the arguments it meets, cached, called.

    derivative(*args)   the checks of the latest specialisation -> the emitted function
                        on a miss: key of args -> one look-up -> the checks of those found
                        on a miss: trace -> passes -> codegen

The cache belongs to the code of the function, not to the function object, so that
`grad(lambda w: loss(w, x))(w)` in a training loop compiles once.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib.util
import inspect
import itertools
import operator
import os
import sys
import threading
import types
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Union

from sct.call_checks import MISS, Match, checks, stands
from sct.codegen import NO_DEFAULT, Interface, LineMap, Parameter, Source, generate, load, load_compiled
from sct.errors import Loc, SctError, SctWarning, add_place, at_the_call, fault
from sct.export.write_module import module_of
from sct.frontend import Traced, Transform, identity, key_of, library_facts, root_of, trace, trace_ahead
from sct.ir.text import show
from sct.passes import pipeline
from sct.validation import OFF, Validation, mode

__all__ = ["Argnums", "Derivative", "Family", "Specialisation", "call_once", "check_backend", "check_function"]

Argnums = Union[int, str, "tuple[int | str, ...]"]

MOST_SPECIALISATIONS = 64
MOST_FAMILIES = 1024


# -- compiling ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Specialisation:
    """The derivative compiled for one type of the arguments and one set of facts about them.

    run   the emitted function
    bind  bind(root): calls it if it serves these arguments and what `root`
          reads from outside, else gives MISS
    validation, validated   what compares it with Python; True if it did, or why it did not
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
    """The Python source of what was traced; `primal`: which is no derivative."""
    params = tuple(
        Parameter(p.name, p.kind, NO_DEFAULT if p.default is inspect.Parameter.empty else p.default, p.tree)
        for p in traced.params
    )
    interface = Interface(traced.name, params, traced.result, traced.comment)
    kernels = BACKENDS[backend]
    try:
        return generate(pipeline.run(traced.fn, compiled=kernels is not None, primal=primal), interface,
                        kernels=kernels)
    except (SctError, Warning, MemoryError):
        raise
    except Exception as error:
        raise fault(error, _place_of(traced.root)) from error


def _place_of(root: Any) -> Loc | None:
    """Where the function is written."""
    code = getattr(getattr(root, "__func__", root), "__code__", None)
    return None if code is None else Loc(code.co_filename, code.co_firstlineno)


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """The IR is acyclic but large: cycle collection would look at all of it again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def specialise(
    transform: Transform, args: tuple[Any, ...], kwargs: dict[str, Any], backend: str = "numpy"
) -> Specialisation:
    """Compile `transform` for these arguments."""
    with _no_collection():
        traced = trace(transform, args, kwargs, in_line=BACKENDS[backend] is not None)
        source = emit(traced, backend)
        asked = {(path, how) for path, how, _ in traced.identities}
        facts = library_facts(source.text, _place_of(traced.root))
        traced = replace(traced, identities=(*traced.identities, *(f for f in facts if f[:2] not in asked)))
    for name in pipeline.unused(traced.fn):
        warnings.warn(f"{traced.name}: the result does not depend on `{name}`: its gradient is zero", SctWarning,
                      stacklevel=6)
    known = replace(traced, root=None)
    validation = Validation(known, functools.partial(emit, primal=True))
    validated = OFF if mode() == "0" else validation.of(transform, args, kwargs)
    if BACKENDS[backend] is None:
        run = _loaded(traced, source)
    else:
        plain = functools.lru_cache(lambda: _loaded(traced, emit(traced)))
        run = load_compiled(source, plain, pipeline.has_effects(traced.fn))
        if validated is True:
            validation.of_kernels(transform, args, kwargs, run, plain())
    return Specialisation(known, source, run, checks(traced, run), validation, validated)


def _loaded(traced: Traced, source: Source) -> Callable[..., Any]:
    return load(source, f"<sct {traced.name} {next(_serial)}>")


@dataclass(eq=False)
class Family:
    """All specialisations of one transform of one piece of code."""

    key: tuple[Hashable, ...]
    backend: str = "numpy"
    table: dict[Hashable, tuple[Specialisation, ...]] = field(default_factory=dict)
    order: list[tuple[Hashable, Specialisation]] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def call(self, transform: Transform, args: tuple[Any, ...], kwargs: dict[str, Any]
             ) -> tuple[Specialisation, Match, Any]:
        """The specialisation that serves these arguments, compiled if there is none, bound to the function
        that is differentiated at this call; and its result."""
        root, key = root_of(transform), key_of(args, kwargs)
        while True:
            candidates = self.table.get(key, ())
            for known in candidates:
                match = known.bind(root)
                if (result := match(args, kwargs)) is not MISS:
                    return (*self._validated(known, match, transform, args, kwargs), result)
            with self.lock:
                # Another thread may have compiled one meanwhile.
                if self.table.get(key, ()) is candidates:
                    made = self._add(key, specialise(transform, args, kwargs, self.backend))
                    break
        try:
            result = made.run(*args, **kwargs, **made.traced.free_values(root))
        except Exception as error:
            add_place(error)
            raise
        return made, made.bind(root) if mode() != "all" else _no_match, result

    def _validated(self, known: Specialisation, match: Match, transform: Transform, args: tuple[Any, ...],
                   kwargs: dict[str, Any]) -> tuple[Specialisation, Match]:
        """A specialisation that serves, compared again if every call is; then it is looked up at the next one too."""
        if mode() != "all":
            return known, match
        return replace(known, validated=known.validation.of(transform, args, kwargs)), _no_match

    def _add(self, key: Hashable, made: Specialisation) -> Specialisation:
        self.table[key] = (*self.table.get(key, ()), made)
        self.order.append((key, made))
        if len(self.order) > MOST_SPECIALISATIONS:
            self._drop_oldest()
        return made

    def _drop_oldest(self) -> None:
        key, oldest = self.order.pop(0)
        self.table[key] = tuple(s for s in self.table[key] if s is not oldest)
        warnings.warn(
            f"{oldest.traced.name} was compiled for more than {MOST_SPECIALISATIONS} kinds of arguments; "
            "the oldest is dropped. Values that change from call to call and decide types (axis=k) cause this",
            SctWarning,
            stacklevel=6,
        )


# -- the cache ------------------------------------------------------------------------

_families: dict[Hashable, Family] = {}
_families_lock = threading.Lock()


def family_of(transform: Transform, backend: str = "numpy") -> Family:
    """The specialisations shared by all transforms of this kind of the same code."""
    key = identity(transform)
    family = _families.get((backend, *key))
    if family is None:
        with _families_lock:
            family = _families.setdefault((backend, *key), Family(key, backend))
            while len(_families) > MOST_FAMILIES:
                del _families[next(iter(_families))]
    return family


def call_once(transform: Transform, *args: Any, backend: str = "numpy") -> Any:
    """The derivative of the transform at these arguments, compiled if need be."""
    try:
        return family_of(transform, backend).call(transform, args, {})[2]
    except SctError as refusal:
        raise at_the_call(refusal) from refusal.__cause__


# -- what grad returns ----------------------------------------------------------------


class Derivative:
    """A function that computes a derivative of another: what `grad` and `value_and_grad` return.

    It has the name, docstring and signature of the function, is called as the
    function is, and may be differentiated again.
    """

    __name__: str
    __qualname__: str

    def __init__(self, kind: str, f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False,
                 backend: str = "numpy") -> None:
        check_function(kind, f)
        check_backend(backend)
        self.__name__ = self.__qualname__ = getattr(getattr(f, "func", f), "__name__", type(f).__name__)
        functools.update_wrapper(self, f)
        self._made_with: tuple[Any, ...] = (kind, argnums, has_aux, backend)
        self._transform = Transform(kind, f, _positions(kind, f, argnums), has_aux)
        self._family = family_of(self.__sct_transform__, backend)
        self._latest: Specialisation | None = None
        self._match: Match = _no_match
        self._unbound: Derivative | None = None
        self._bound: Derivative | None = None

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        result = self._match(args, kwargs)
        return self._look_up(args, kwargs) if result is MISS else result

    def _look_up(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if args and isinstance(args[0], type) and _is_classmethod(self, args[0]):
            # From Python 3.13 on a classmethod passes the class, and does not ask `__get__`.
            return self.__get__(args[0])(*args[1:], **kwargs)
        t = self.__sct_transform__
        if identity(t) != self._family.key:
            self._family = family_of(t, self._family.backend)
        try:
            self._latest, self._match, result = self._family.call(t, args, kwargs)
        except SctError as refusal:
            raise at_the_call(refusal) from refusal.__cause__
        if self._unbound is not None:
            self._unbound._bound = self._like(None)
        return result

    def __get__(self, instance: object, owner: type | None = None) -> Derivative:
        if instance is None:
            return self
        f = self._transform.fn.__get__(instance, owner)
        if self._bound is None:
            kind, *options = self._made_with
            made = Derivative(kind, f, *options)
            made._unbound = self
        else:
            made = self._bound._like(f)
        return made

    def _like(self, f: Any) -> Derivative:
        """This derivative of a method bound to another object; for None it is only kept to be like it."""
        made = object.__new__(Derivative)
        made.__dict__.update(self.__dict__)
        t = self._transform
        made._transform = Transform(t.kind, f, t.argnums, t.has_aux)
        made.__wrapped__ = f  # type: ignore[attr-defined]
        made._match = _no_match if f is None or self._latest is None else self._latest.bind(f)
        return made

    def __reduce__(self) -> str | tuple[Any, ...]:
        if _global(self.__module__, self.__qualname__) is self and not (self.__module__ == "__main__" and _by_value()):
            return self.__qualname__
        kind, *options = self._made_with
        f = self.__sct_transform__.fn
        owner = getattr(f, "__self__", None)
        if isinstance(f, types.MethodType) and isinstance(getattr(type(owner), f.__name__, None), Derivative):
            # A decorated method, of an object: the name of the function means the derivative.
            return getattr, (owner, f.__name__)
        return Derivative, (kind, f, *options)

    def __repr__(self) -> str:
        return f"<sct {self.__sct_transform__.kind} of {self.__qualname__}>"

    @property
    def __sct_transform__(self) -> Transform:
        """What this is to the compiler; not in `__dict__`, of which functools.wraps makes copies."""
        return self._transform

    @property
    def source(self) -> str:
        """The emitted code of the latest call; before any call, of the annotated types."""
        return self._latest.source.text if self._latest else self.source_for({})

    @property
    def validated(self) -> bool | str:
        """Was the function compared with Python when it was compiled for the latest call?  If not, why not."""
        return self._latest.validated if self._latest else "it was not called yet"

    @property
    def line_map(self) -> LineMap:
        """Which line of `source` belongs to which line of the user's, and the other way round."""
        made = self._latest.source if self._latest else None
        return (made or emit(trace_ahead(self.__sct_transform__, {}), self._family.backend)).line_map

    @property
    def sources(self) -> tuple[str, ...]:
        """The emitted code of every specialisation, oldest first."""
        return tuple(made.source.text for _, made in self._family.order)

    def source_for(self, types: Mapping[str, str]) -> str:
        """The code for parameters of these types (`{"x": "f64[n]"}`), without a call.

        Types of parameters that are not given come from annotations and defaults.
        """
        return emit(trace_ahead(self.__sct_transform__, types), self._family.backend).text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a module that defines this derivative, as compiled for the calls so far, as a plain function.

        It checks types, ranks and whatever else it was compiled for, and reads globals
        from the module of the function.  Before any call it is for the annotated types.
        """
        Path(path).write_text(self.module(), encoding="utf-8")

    def compiled(self) -> list[Traced]:
        """What was compiled for the calls so far, of whatever function this is the derivative of now."""
        return [made.traced.of(root_of(self)) for _, made in self._family.order]

    def not_validated(self) -> list[str]:
        """Why functions were not compared with Python, for each compiled one that was not."""
        return [made.validated for _, made in self._family.order if isinstance(made.validated, str)]

    def module(self) -> str:
        """What `save` writes."""
        root = root_of(self)
        found = [made.traced.of(root) for _, made in self._family.order if stands(made.traced, root)]
        return module_of(found or [trace_ahead(self.__sct_transform__, {})])

    def ir(self, stage: str = "optimized", types: Mapping[str, str] | None = None) -> str:
        """The IR of the latest call after a stage of the passes ("primal", "adjoint", ...)."""
        if self._latest is None or types is not None:
            traced = trace_ahead(self.__sct_transform__, types or {})
        else:
            traced = self._latest.traced
        if stage not in pipeline.STAGES:
            raise SctError("SCT907", f"there is no stage {stage!r}", hint=f"one of {', '.join(pipeline.STAGES)}")
        return str(show(pipeline.run(traced.fn, until=stage)))


def _no_match(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return MISS


def _is_classmethod(derivative: Derivative, cls: type) -> bool:
    """Is this a class method of the class?"""
    found = (vars(base).get(derivative.__name__) for base in cls.__mro__)
    return any(isinstance(x, classmethod) and x.__func__ is derivative for x in found)


def _global(module: str, qualname: str) -> object:
    try:
        return operator.attrgetter(qualname)(sys.modules[module])
    except (AttributeError, KeyError):
        return None


def _by_value() -> bool:
    """Does the pickler at work take what `__main__` defines by value?  Processes of joblib have no such module."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__") in (__name__, "pickle"):
        frame = frame.f_back
    return frame is not None and str(frame.f_globals.get("__name__")).split(".")[-1] == "cloudpickle"


# -- what may be asked for ------------------------------------------------------------


def check_backend(backend: str) -> None:
    if not isinstance(backend, str) or backend not in BACKENDS:
        known = " or ".join(f'backend="{name}"' for name in BACKENDS)
        raise SctError("SCT901", f"there is no backend {backend!r}", hint=known)
    if BACKENDS[backend] is not None and importlib.util.find_spec("numba") is None:
        raise SctError("SCT901", f'backend="{backend}" needs Numba, which is not installed',
                       hint="pip install numba")


def check_function(kind: str, f: object) -> None:
    """Refuse what has no Python code to differentiate."""
    if isinstance(f, (staticmethod, classmethod)):
        name = type(f).__name__
        raise SctError("SCT902", f"{kind} of a {name} object", hint=f"write @{name} above @{kind}")
    if isinstance(f, type) or not callable(f):
        raise SctError("SCT902", f"{kind} takes a function, not {_described(f)}")
    inner: Any = f
    while isinstance(inner, functools.partial):
        inner = inner.func
    if isinstance(inner, (types.FunctionType, types.MethodType)) or hasattr(inner, "__sct_transform__"):
        return
    if not hasattr(type(inner).__call__, "__code__"):
        name = getattr(inner, "__name__", "f")
        raise SctError(
            "SCT902",
            f"{kind} of {_described(f)}, which is not written in Python",
            hint=f"wrap it: {kind}(lambda x: {name}(x))",
        )


def _described(f: object) -> str:
    text = repr(f)
    return f"the {type(f).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def _positions(kind: str, f: Callable[..., Any], argnums: Any) -> Argnums:
    """`argnums` checked against the signature of `f`, indices counted from the front."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = [inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
                      inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)]
    if not isinstance(argnums, (tuple, list)):
        return _position(kind, f, parameters, argnums)
    if not argnums:
        raise _bad_argnums(kind, f, parameters, "argnums is empty")
    places = tuple(_position(kind, f, parameters, each) for each in argnums)
    names = [parameters[p].name if isinstance(p, int) and p < len(parameters) else p for p in places]
    if len(set(names)) < len(names):
        raise _bad_argnums(kind, f, parameters, f"argnums {tuple(argnums)} names an argument twice")
    return places


def _position(kind: str, f: object, parameters: list[inspect.Parameter], argnum: Any) -> int | str:
    kinds = {p.kind for p in parameters}
    if isinstance(argnum, str):
        named = {p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
        if argnum in named or inspect.Parameter.VAR_KEYWORD in kinds:
            return argnum
        raise _bad_argnums(kind, f, parameters, f"there is no parameter {argnum!r}")
    if isinstance(argnum, bool) or not hasattr(argnum, "__index__"):
        raise _bad_argnums(kind, f, parameters, f"argnums {argnum!r} is neither an index nor a name")
    index = operator.index(argnum)
    count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    if -count <= index < count:
        return index % count
    if index >= 0 and inspect.Parameter.VAR_POSITIONAL in kinds:
        return index
    raise _bad_argnums(kind, f, parameters, f"there is no positional argument {index}")


def _bad_argnums(kind: str, f: object, parameters: list[inspect.Parameter], what: str) -> SctError:
    name = getattr(f, "__name__", "f")
    return SctError("SCT903", f"{kind} of {name}: {what}",
                    why=f"the parameters are ({', '.join(map(str, parameters))})")
