"""The derivative of a function as an object, which caches and calls specializations.

    derivative(*args)   the checks of its latest specialization -> its emitted function
                        on a miss: those of the latest of any derivative of this function
                        on a miss: the key of args -> the checks of the specializations with this key
                        on a miss: trace -> passes -> codegen

The cache belongs to the code of the function, not to the function object, so that
`grad(lambda w: loss(w, x))(w)` in a training loop compiles once.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import inspect
import operator
import os
import sys
import threading
import types
import warnings
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Union

from sct.call_checks import MISS, Match, reads_the_same
from sct.codegen import LineMap
from sct.errors import Loc, SctError, SctWarning, add_source_note, without_compiler_frames
from sct.export.write_module import module_of
from sct.frontend import Traced, Transform, Unloaded, identity, key_of, root_of, trace_ahead, trace_ranks
from sct.frontend.source.written_out import library_function, written_out
from sct.frontend.user_rules import when_rules_change
from sct.ir.text import show
from sct.memory_limit import bytes_of, no_collection
from sct.passes import pipeline
from sct.specialization import BACKENDS, Specialization, emit, specialize
from sct.validation import refuses_type, validation_mode

__all__ = ["Argnums", "Derivative", "Family", "call_once", "check_backend", "check_function"]

Argnums = Union[int, str, "tuple[int | str, ...]"]

MOST_SPECIALIZATIONS = 64
MOST_FAMILIES = 1024
SEVERAL_VALUES = 8
"""So many specializations for arguments of the same types give a warning: a value is compiled into each of them."""


# -- specializations of one function --------------------------------------------------


@dataclass(eq=False)
class Family:
    """All specializations of one transform of one piece of code."""

    key: tuple[Hashable, ...]
    backend: str = "numpy"
    table: dict[Hashable, tuple[Specialization, ...]] = field(default_factory=dict)
    order: list[tuple[Hashable, Specialization]] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)
    observed: dict[Loc, frozenset[Any]] = field(default_factory=dict)
    latest: tuple[Specialization, ...] = ()
    """That of the latest call, which is tried before the key of the arguments is made."""
    several: set[Hashable] = field(default_factory=set)
    """The keys of arguments for which there have been so many specializations that a value may decide the code."""

    def call(self, transform: Transform, args: tuple[Any, ...], kwargs: dict[str, Any],
             called: Callable[[Specialization], None] = lambda specialization: None,
             missed: Specialization | None = None) -> tuple[Specialization, Match, Any]:
        """The specialization for these arguments, compiled if there is none; its `match`; the result of the call.

        called  is told the specialization whose function raises; `missed`: one that is not for them
        """
        root = root_of(transform)

        def answer(candidates: Sequence[Specialization]) -> tuple[Specialization, Match, Any] | None:
            for specialization in candidates:
                match = specialization.bind(root)
                try:
                    result = match(args, kwargs)
                except Exception as error:
                    called(specialization)
                    self.observe(error, transform, args, kwargs)
                    raise
                if result is not MISS:
                    self.latest = (specialization,)
                    return (*self._validated(specialization, match, transform, args, kwargs), result)
            return None

        if missed not in self.latest and (answered := answer(self.latest)) is not None:
            return answered
        key = key_of(args, kwargs)
        while True:
            candidates = self.table.get(key, ())
            if (answered := answer(candidates)) is not None:
                return answered
            with self.lock:
                # Another thread may have compiled one in the meantime.
                if self.table.get(key, ()) is candidates:
                    compiled = self._add(key, self._specialize(transform, args, kwargs))
                    break
        try:
            result = compiled.call(root, args, kwargs)
        except Exception as error:
            called(compiled)
            add_source_note(error)
            raise
        return compiled, compiled.bind(root) if validation_mode() != "all" else _always_miss, result

    def observe(self, error: Exception, transform: Transform, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Compile for the types of a call that was refused because of one; raises what else refuses the next call."""
        if not isinstance(error, SctError) or error.code != "SCT209":
            return
        with self.lock:
            compiled = self._add(key_of(args, kwargs), self._specialize(transform, args, kwargs))
        if not refuses_type(compiled.traced, error):
            error.hint += "; or call it again: it is compiled for the types of this call now"

    def _specialize(self, transform: Transform, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Specialization:
        """A new specialization.  A refusal says that it is no use to call again where nothing was left to observe."""
        before = dict(self.observed)
        try:
            with no_collection():
                return specialize(transform, args, kwargs, self.backend, self.observed)
        except SctError as refusal:
            if refusal.code in ("SCT207", "SCT209") and before:  # the types of this call alone may do
                with contextlib.suppress(SctError), no_collection():
                    return specialize(transform, args, kwargs, self.backend, {})
            if refusal.code == "SCT209" and before and self.observed == before:
                refusal.hint = "compute it outside the function, and pass it; or write it with functions of NumPy"
            raise

    def _validated(self, specialization: Specialization, match: Match, transform: Transform, args: tuple[Any, ...],
                   kwargs: dict[str, Any]) -> tuple[Specialization, Match]:
        """The specialization and its `match`.  If every call is validated, this one is, and the next will be."""
        if validation_mode() != "all":
            return specialization, match
        validated = specialization.validation.validate(transform, args, kwargs)
        return replace(specialization, validated=validated), _always_miss

    def _add(self, key: Hashable, specialization: Specialization) -> Specialization:
        self.table[key] = (*self.table.get(key, ()), specialization)
        self.order.append((key, specialization))
        if len(self.table[key]) == SEVERAL_VALUES and key not in self.several:
            self.several.add(key)
            self._warn_of_values(self.table[key])
        if len(self.order) > MOST_SPECIALIZATIONS:
            self._drop_oldest()
        return specialization

    def _warn_of_values(self, compiled: Sequence[Specialization]) -> None:
        """Says which value differs, if all of these are for arguments of one kind, and each for another value."""
        values: list[dict[tuple[str, Loc | None], str]] = [{} for _ in compiled]
        for texts, specialization in zip(values, compiled):
            for guard in specialization.traced.guards:
                here = guard.what, guard.loc
                texts[here] = f"{texts.get(here, '')} {guard.text}"  # a loop that is unrolled asks several times
        for (what, loc) in filter(operator.itemgetter(0), values[-1]):
            if len({texts[what, loc] for texts in values if (what, loc) in texts}) >= len(compiled) - 1:
                at = "" if loc is None else f" ({loc.file}:{loc.line})"
                warnings.warn(
                    f"{compiled[-1].traced.name} was compiled {len(compiled)} times for arguments of the same types, "
                    f"each time for another value that decides the code: {what}{at}",
                    SctWarning, stacklevel=6)
                return

    def _drop_oldest(self) -> None:
        key, oldest = self.order.pop(0)
        self.latest = ()
        self.table[key] = tuple(s for s in self.table[key] if s is not oldest)
        if not self.table[key]:
            del self.table[key]
            self.several.discard(key)
        warnings.warn(
            f"{oldest.traced.name} was compiled for more than {MOST_SPECIALIZATIONS} kinds of arguments; "
            "the oldest is dropped. Values that change from call to call and decide types (axis=k) cause this",
            SctWarning,
            stacklevel=6,
        )


# -- the cache ------------------------------------------------------------------------

_families: dict[Hashable, Family] = {}
_families_lock = threading.Lock()
_derivatives: weakref.WeakSet[Derivative] = weakref.WeakSet()


def family_of(transform: Transform, backend: str = "numpy") -> Family:
    """The specializations that all transforms of this kind of the same code share."""
    key = identity(transform)
    family = _families.get((backend, *key))
    if family is None:
        with _families_lock:
            family = _families.setdefault((backend, *key), Family(key, backend))
            while len(_families) > MOST_FAMILIES:
                del _families[next(iter(_families))]
    return family


def call_once(transform: Transform, *args: Any, backend: str = "numpy") -> Any:
    """The result of the transform for these arguments, which is compiled if need be."""
    try:
        return family_of(transform, backend).call(transform, args, {})[2]
    except SctError as refusal:
        raise without_compiler_frames(refusal) from refusal.__cause__


def _forget_specializations() -> None:
    """Forget what was compiled: a rule of the user was added, which it does not know."""
    for family in list(_families.values()):
        with family.lock:
            family.table, family.order, family.latest, family.several = {}, [], (), set()
    for derivative in list(_derivatives):
        derivative.forget()


when_rules_change(_forget_specializations)


# -- derivatives ----------------------------------------------------------------------


class Derivative:
    """A function that computes a derivative of another function: the result of `grad` or `value_and_grad`.

    It has the name, docstring and signature of the function, is called like it, and may be differentiated again.
    """

    __name__: str
    __qualname__: str

    def __init__(self, kind: str, f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False,
                 backend: str = "numpy", holomorphic: bool = False, memory: int | str | None = None) -> None:
        check_function(kind, f)
        check_backend(backend)
        self.__name__ = self.__qualname__ = getattr(getattr(f, "func", f), "__name__", type(f).__name__)
        functools.update_wrapper(self, f)
        self._options: tuple[Any, ...] = (kind, argnums, has_aux, backend, holomorphic, memory)
        self._transform = Transform(kind, f, _positions(kind, f, argnums), has_aux, holomorphic,
                                    bytes_of(memory))
        self._family = family_of(self.__sct_transform__, backend)
        self._latest: Specialization | None = None
        self._refusal: SctError | None = None
        self._match: Match = _always_miss
        self._unbound: Derivative | None = None
        self._bound: Derivative | None = None
        _derivatives.add(self)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        try:
            result = self._match(args, kwargs)
        except SctError as refusal:
            self._family.observe(refusal, self.__sct_transform__, args, kwargs)
            raise
        return self._look_up(args, kwargs) if result is MISS else result

    def _look_up(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if args and isinstance(args[0], type) and _is_classmethod(self, args[0]):
            # From Python 3.13 on, a classmethod passes the class and does not call `__get__`.
            return self.__get__(args[0])(*args[1:], **kwargs)
        t = self.__sct_transform__
        if identity(t) != self._family.key:
            self._family = family_of(t, self._family.backend)
        try:
            self._latest, self._match, result = self._family.call(t, args, kwargs, self._raised, self._latest)
        except SctError as refusal:
            self._refusal = without_compiler_frames(refusal)
            raise self._refusal from refusal.__cause__
        if self._unbound is not None:
            self._unbound._bound = self._rebound(None)
        return result

    def forget(self) -> None:
        """Forget the specialization of the latest call."""
        self._latest, self._match, self._bound = None, _always_miss, None

    def _raised(self, specialization: Specialization) -> None:
        """A call that raised is the latest, too: a traceback shows its code."""
        self._latest, self._match = specialization, _always_miss

    def __get__(self, instance: object, owner: type | None = None) -> Derivative:
        if instance is None:
            return self
        f = self._transform.fn.__get__(instance, owner)
        if self._bound is None:
            kind, *options = self._options
            derivative = Derivative(kind, f, *options)
            derivative._unbound = self
        else:
            derivative = self._bound._rebound(f)
        return derivative

    def _rebound(self, f: Any) -> Derivative:
        """This derivative of a method, bound to another object.  `f` None: a template for later bindings."""
        derivative = object.__new__(Derivative)
        derivative.__dict__.update(self.__dict__)
        t = self._transform
        derivative._transform = replace(t, fn=f)
        derivative.__wrapped__ = f  # type: ignore[attr-defined]
        derivative._match = _always_miss if f is None or self._latest is None else self._latest.bind(f)
        _derivatives.add(derivative)
        return derivative

    def __reduce__(self) -> str | tuple[Any, ...]:
        by_value = self.__module__ == "__main__" and _pickled_by_value()
        if not by_value and _global_object(self.__module__, self.__qualname__) is self:
            return self.__qualname__
        kind, *options = self._options
        f = library_function(self.__sct_transform__.fn)
        owner = getattr(f, "__self__", None)
        if isinstance(f, types.MethodType) and isinstance(getattr(type(owner), f.__name__, None), Derivative):
            # The attribute of the object with the name of the function is the derivative.
            return getattr, (owner, f.__name__)
        return Derivative, (kind, f, *options)

    def __repr__(self) -> str:
        return f"<sct {self.__sct_transform__.kind} of {self.__qualname__}>"

    @property
    def __sct_transform__(self) -> Transform:
        """The transform for the compiler.  It is not in `__dict__`, which `functools.wraps` copies."""
        return self._transform

    @property
    def source(self) -> str:
        """The emitted code of the latest call; before any call, of the annotated types."""
        return self._latest.source.text if self._latest else self.source_for({})

    @property
    def validated(self) -> bool | str:
        """True if the function was compared with Python when it was compiled for the latest call, else the reason."""
        return self._latest.validated if self._latest else "it was not called yet"

    @property
    def line_map(self) -> LineMap:
        """Maps lines of `source` to lines of the user, and back."""
        source = self._latest.source if self._latest else None
        return (source or emit(trace_ahead(self.__sct_transform__, {}), self._family.backend)).line_map

    def _specializations(self) -> list[Specialization]:
        """The specializations, oldest first."""
        return [specialization for _, specialization in self._family.order]

    @property
    def sources(self) -> tuple[str, ...]:
        """The emitted code of every specialization, oldest first."""
        return tuple(s.source.text for s in self._specializations())

    def source_for(self, types: Mapping[str, str]) -> str:
        """The code for parameters of these types (`{"x": "f64[n]"}`), without a call; others are as annotated."""
        if self._refusal is not None and not types and not self._latest:
            raise self._refusal
        return emit(trace_ahead(self.__sct_transform__, types), self._family.backend).text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a module that defines this derivative, as compiled for the calls so far, as a plain function.

        The function checks types, ranks and all other guards, and reads globals from the module of the
        differentiated function.  Before any call, it is compiled for the annotated types.
        """
        Path(path).write_text(self.module(), encoding="utf-8")

    def compiled(self) -> list[Traced]:
        """The traced derivatives of the calls so far, with the current function as their root."""
        return [s.traced.of(root_of(self)) for s in self._specializations()]

    def not_validated(self) -> list[str]:
        """For each specialization that was not compared with Python, the reason."""
        return [s.validated for s in self._specializations() if isinstance(s.validated, str)]

    def module(self) -> str:
        """The text that `save` writes."""
        root = root_of(self)
        still_valid = [s.traced.of(root) for s in self._specializations() if reads_the_same(s.traced, root)]
        return module_of(still_valid or [traced for _, traced in trace_ranks(self.__sct_transform__)])

    def ir(self, stage: str = "optimized", types: Mapping[str, str] | None = None) -> str:
        """The IR of the latest call after a stage of the passes ("primal", "adjoint", ...)."""
        if self._latest is None or types is not None:
            traced = trace_ahead(self.__sct_transform__, types or {})
        else:
            traced = self._latest.traced
        if stage not in pipeline.STAGES:
            raise SctError("SCT907", f"there is no stage {stage!r}", hint=f"one of {', '.join(pipeline.STAGES)}")
        return str(show(pipeline.run(traced.fn, until=stage)))


def _always_miss(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return MISS


def _is_classmethod(derivative: Derivative, cls: type) -> bool:
    """Is the derivative a class method of the class?"""
    attributes = (vars(base).get(derivative.__name__) for base in cls.__mro__)
    return any(isinstance(x, classmethod) and x.__func__ is derivative for x in attributes)


def _global_object(module: str, qualname: str) -> object:
    try:
        return operator.attrgetter(qualname)(sys.modules[module])
    except (AttributeError, KeyError):
        return None


def _pickled_by_value() -> bool:
    """Is cloudpickle the caller?  It pickles definitions of `__main__` by value, for processes without that module."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__") in (__name__, "pickle"):
        frame = frame.f_back
    return frame is not None and str(frame.f_globals.get("__name__")).split(".")[-1] == "cloudpickle"


# -- checks of options ------------------------------------------------------------


def check_backend(backend: str) -> None:
    if not isinstance(backend, str) or backend not in BACKENDS:
        choices = " or ".join(f'backend="{name}"' for name in BACKENDS)
        raise SctError("SCT901", f"there is no backend {backend!r}", hint=choices)
    requires = BACKENDS[backend].requires
    if requires is not None and importlib.util.find_spec(requires) is None:
        raise SctError("SCT901", f'backend="{backend}" needs {requires.capitalize()}, which is not installed',
                       hint=f"pip install {requires}")


def check_function(kind: str, f: object) -> None:
    """Refuse an object that has no Python code to differentiate."""
    if isinstance(f, (staticmethod, classmethod)):
        name = type(f).__name__
        raise SctError("SCT902", f"{kind} of a {name} object", hint=f"write @{name} above @{kind}")
    if isinstance(f, type) or not callable(f):
        raise SctError("SCT902", f"{kind} takes a function, not {_described(f)}")
    inner: Any = f
    while isinstance(inner, functools.partial):
        inner = inner.func
    if isinstance(inner, Unloaded):
        raise inner.refusal()
    if isinstance(inner, (types.FunctionType, types.MethodType)) or hasattr(inner, "__sct_transform__"):
        return
    if not hasattr(type(inner).__call__, "__code__") and written_out(inner) is inner:
        bound = [*map(repr, f.args), "x", *(f"{k}={v!r}" for k, v in f.keywords.items())] \
            if isinstance(f, functools.partial) else ["x"]
        name = getattr(inner, "__name__", "f")
        wrapped = f"{name if name.isidentifier() else 'f'}({', '.join(bound)})"
        raise SctError("SCT902", f"{kind} of {_described(f)}, which is not written in Python",
                       hint=f"wrap it: {kind}(lambda x: {wrapped})")


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
    positions = tuple(_position(kind, f, parameters, argnum) for argnum in argnums)
    names = [parameters[p].name if isinstance(p, int) and p < len(parameters) else p for p in positions]
    if len(set(names)) < len(names):
        raise _bad_argnums(kind, f, parameters, f"argnums {tuple(argnums)} names an argument twice")
    return positions


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


def _bad_argnums(kind: str, f: object, parameters: list[inspect.Parameter], problem: str) -> SctError:
    name = getattr(f, "__name__", "f")
    return SctError("SCT903", f"{kind} of {name}: {problem}",
                    why=f"the parameters are ({', '.join(map(str, parameters))})")
