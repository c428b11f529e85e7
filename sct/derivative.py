"""The derivative of a function as an object: compiled for the arguments it meets, cached, called.

    derivative(*args)   key of args -> one look-up -> guards -> the emitted function
                        on a miss: trace -> passes -> codegen

The cache belongs to the code of the function, not to the function object, so that
`grad(lambda w: loss(w, x))(w)` in a training loop compiles once.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
import itertools
import operator
import os
import sys
import threading
import types
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Union

from sct.codegen import NO_DEFAULT, Interface, LineMap, Parameter, Source, generate, load
from sct.errors import SctError, SctWarning
from sct.frontend import Traced, Transform, key_of, root_of, trace, trace_ahead
from sct.ir.text import show
from sct.ir.types import Opaque
from sct.modules.writer import module_of
from sct.passes import manager

__all__ = ["Argnums", "Derivative", "Family", "Specialisation", "call_once", "check_backend", "check_function"]

Argnums = Union[int, str, "tuple[int | str, ...]"]

MOST_SPECIALISATIONS = 64
MOST_FAMILIES = 1024


# -- compiling ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Specialisation:
    """The derivative compiled for one type of the arguments and one set of facts about them.

    run    the emitted function
    free   free(root): what it reads from globals and closures, None where that is of
           another type, or a name stands for another function, than when it was compiled
    """

    traced: Traced
    source: Source
    run: Callable[..., Any]
    free: Callable[[Any], dict[str, Any] | None]

    def serves(self, args: tuple[Any, ...], kwargs: dict[str, Any], free: dict[str, Any]) -> bool:
        """Do the facts about the arguments hold?"""
        if not self.traced.guards:
            return True
        leaves = [*self.traced.bind(args, kwargs), *free.values()]
        return all(guard.holds(leaves) for guard in self.traced.guards)


def reader(traced: Traced) -> Callable[[Any], dict[str, Any] | None]:
    """`Specialisation.free`, as straight-line code: it runs at every call.

        def free(root):
            try:
                if not (root.__globals__['np'] is k0): return None
                v0 = root.__globals__['SCALE']
                if type(v0) is not float: return None
                return {'SCALE': v0}
            except gone: return None
    """
    known: dict[str, Any] = {"key_of": key_of, "gone": (AttributeError, LookupError, TypeError, ValueError, SctError)}

    def constant(x: Any) -> str:
        known[f"k{len(known)}"] = x
        return f"k{len(known) - 1}"

    def read(path: tuple[Any, ...]) -> str:
        text = "root" if path[0] is None else constant(path[0])
        for kind, name in path[1:]:
            if kind == "global":
                text += f".__globals__[{name!r}]"
            elif kind == "cell":
                text += f".__closure__[{text}.__code__.co_freevars.index({name!r})].cell_contents"
            else:
                text += f".{name}" if kind == "attr" else f"[{constant(name)}]"
        return text

    lines = []
    for path, how, fact in traced.identities:
        forms = {"is": "{0} is {1}", "len": "len({0}) == {1}", "keys": "tuple({0}) == {1}", "lacks": "{1} not in {0}",
                 "value": "type({0}) is type({1}) and {0} == {1}"}
        lines.append(f"if not ({forms[how].format(read(path), constant(fact))}): return None")
    for k, leaf in enumerate(traced.free):
        lines.append(f"v{k} = {read(leaf.path)}")
        if leaf.key == (float,):
            lines.append(f"if type(v{k}) is not float: return None")
        elif not isinstance(leaf.param.type, Opaque):
            lines.append(f"if key_of((v{k},), {{}}) != {constant(leaf.key)}: return None")
    lines.append(f"return {{{', '.join(f'{leaf.name!r}: v{k}' for k, leaf in enumerate(traced.free))}}}")
    body = "".join(f"        {line}\n" for line in lines)
    exec(f"def free(root):\n    try:\n{body}    except gone: return None\n", known)
    free: Callable[[Any], dict[str, Any] | None] = known["free"]
    return free


_serial = itertools.count(1)


def emit(traced: Traced) -> Source:
    """The Python source of what was traced."""
    params = tuple(
        Parameter(p.name, p.kind, NO_DEFAULT if p.default is inspect.Parameter.empty else p.default, p.tree)
        for p in traced.params
    )
    return generate(manager.run(traced.fn), Interface(traced.name, params, traced.result, traced.comment))


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


def specialise(transform: Transform, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Specialisation:
    """Compile `transform` for these arguments."""
    with _no_collection():
        traced = trace(transform, args, kwargs)
        source = emit(traced)
    for name in manager.unused(traced.fn):
        warnings.warn(f"{traced.name}: the result does not depend on `{name}`: its gradient is zero", SctWarning,
                      stacklevel=6)
    run = load(source, f"<sct {traced.name} {next(_serial)}>")
    return Specialisation(traced, source, run, reader(traced))


@dataclass(eq=False)
class Family:
    """All specialisations of one transform of one piece of code.

    `root`, in all methods, is the function that is differentiated at this call: its
    closure and globals are read.
    """

    transform: Transform
    table: dict[Hashable, tuple[Specialisation, ...]] = field(default_factory=dict)
    order: list[tuple[Hashable, Specialisation]] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def call(
        self, transform: Transform, root: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Specialisation, Any]:
        """The specialisation that serves these arguments, compiled if there is none, and its result."""
        key = key_of(args, kwargs)
        found, free = self._look_up(key, root, args, kwargs)
        if found is None:
            with self.lock:
                found, free = self._look_up(key, root, args, kwargs)
                if found is None:
                    found = self._add(key, specialise(transform, args, kwargs))
                    free = found.free(root) or {}
        return found, found.run(*args, **kwargs, **free)

    def _look_up(
        self, key: Hashable, root: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Specialisation | None, dict[str, Any]]:
        for candidate in self.table.get(key, ()):
            free = candidate.free(root)
            if free is not None and candidate.serves(args, kwargs, free):
                return candidate, free
        return None, {}

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


def family_of(transform: Transform) -> Family:
    """The specialisations shared by all transforms of this kind of the same code."""
    key = _identity(transform)
    family = _families.get(key)
    if family is None:
        with _families_lock:
            family = _families.setdefault(key, Family(transform))
            while len(_families) > MOST_FAMILIES:
                del _families[next(iter(_families))]
    return family


def _identity(f: Any) -> tuple[Hashable, ...]:
    """What two callables share if one compiled derivative serves both.

    Not the closure: what it holds is read at every call.  Defaults are in the signature
    of what is emitted.  Objects count by identity, not by equality (code objects of two files can be equal);
    the family holds the callable, so an id is not used again while it is a key.
    """
    f = getattr(f, "__sct_transform__", f)
    if isinstance(f, Transform):
        return (f.kind, f.argnums, f.has_aux, *_identity(f.fn))
    if isinstance(f, types.MethodType):
        return ("method", id(f.__self__), *_identity(f.__func__))
    if isinstance(f, functools.partial):
        return ("partial", *_ids(f.args), *f.keywords, *_ids(f.keywords.values()), *_identity(f.func))
    if isinstance(f, types.FunctionType):
        keywords = f.__kwdefaults__ or {}
        return (id(f.__code__), *keywords, *_ids((*(f.__defaults__ or ()), *keywords.values())))
    return (id(f),)


def call_once(transform: Transform, *args: Any) -> Any:
    """The derivative of the transform at these arguments, compiled if need be."""
    root = root_of(transform)
    return family_of(transform).call(transform, root, args, {})[1]


def _ids(objects: Iterable[object]) -> list[int]:
    return [id(each) for each in objects]


# -- what grad returns ----------------------------------------------------------------


class Derivative:
    """A function that computes a derivative of another: what `grad` and `value_and_grad` return.

    It has the name, docstring and signature of the function, is called as the
    function is, and may be differentiated again.
    """

    __name__: str
    __qualname__: str

    def __init__(self, kind: str, f: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> None:
        check_function(kind, f)
        functools.update_wrapper(self, f)
        self._made_with = (kind, argnums, has_aux)
        self._transform = Transform(kind, f, _positions(kind, f, argnums), has_aux)
        self._family = family_of(self.__sct_transform__)
        self._root = root_of(self.__sct_transform__)
        self._latest: Specialisation | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._latest, result = self._family.call(self.__sct_transform__, self._root, args, kwargs)
        return result

    def __get__(self, instance: object, owner: type | None = None) -> Derivative:
        if instance is None:
            return self
        kind, argnums, has_aux = self._made_with
        return Derivative(kind, self.__sct_transform__.fn.__get__(instance, owner), argnums, has_aux)

    def __reduce__(self) -> str | tuple[Any, ...]:
        if _global(self.__module__, self.__qualname__) is self:
            return self.__qualname__
        kind, argnums, has_aux = self._made_with
        return Derivative, (kind, self.__sct_transform__.fn, argnums, has_aux)

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
    def line_map(self) -> LineMap:
        """Which line of `source` belongs to which line of the user's, and the other way round."""
        source = self._latest.source if self._latest else emit(trace_ahead(self.__sct_transform__, {}))
        return source.line_map

    @property
    def sources(self) -> tuple[str, ...]:
        """The emitted code of every specialisation, oldest first."""
        return tuple(made.source.text for _, made in self._family.order)

    def source_for(self, types: Mapping[str, str]) -> str:
        """The code for parameters of these types (`{"x": "f64[n]"}`), without a call.

        Types of parameters that are not given come from annotations and defaults.
        """
        return emit(trace_ahead(self.__sct_transform__, types)).text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a module that defines this derivative, as compiled for the calls so far, as a plain function.

        It checks types, ranks and whatever else it was compiled for, and reads globals
        from the module of the function.  Before any call it is for the annotated types.
        """
        Path(path).write_text(self.module(), encoding="utf-8")

    def module(self) -> str:
        """What `save` writes."""
        found = [replace(made.traced, root=self._root) for _, made in self._family.order
                 if made.free(self._root) is not None]
        return module_of(found or [trace_ahead(self.__sct_transform__, {})])

    def ir(self, stage: str = "optimized", types: Mapping[str, str] | None = None) -> str:
        """The IR of the latest call after a stage of the passes ("primal", "adjoint", ...)."""
        if self._latest is None or types is not None:
            traced = trace_ahead(self.__sct_transform__, types or {})
        else:
            traced = self._latest.traced
        if stage not in manager.STAGES:
            raise SctError("SCT907", f"there is no stage {stage!r}", hint=f"one of {', '.join(manager.STAGES)}")
        return str(show(manager.run(traced.fn, until=stage)))


def _global(module: str, qualname: str) -> object:
    try:
        return operator.attrgetter(qualname)(sys.modules[module])
    except (AttributeError, KeyError):
        return None


# -- what may be asked for ------------------------------------------------------------


def check_backend(backend: str) -> None:
    if backend != "numpy":
        raise SctError("SCT901", f"there is no backend {backend!r}", hint='backend="numpy"')


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
