"""The differentiated function: the function under partials and methods, and the values that may differ between calls.

Functions that share code share the compiled derivative.  Their cells, defaults and bound arguments are read at every
call, by a path that begins at the function of that call: `None`.

    partial(loss, x=batch)   ->   loss is at (None, .func), batch at (None, .keywords["x"])
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Hashable, Iterator, MutableMapping, MutableSequence, MutableSet
from typing import Any

import numpy as np

from sct.frontend.source.parse import note_file
from sct.frontend.transform import Transform
from sct.frontend.values.abstract_values import Path
from sct.frontend.values.exact_keys import Same
from sct.ir.pytrees.user_objects import is_namedtuple, is_user_class

__all__ = ["anchors", "defaults_of", "held", "identity", "innermost", "is_made_anew", "is_read_at_calls"]


def layers(root: Any) -> Iterator[tuple[Path, Any]]:
    """`root`, the function that it wraps if it is a partial or a derivative, and so on, each with its path."""
    path: Path = (None,)
    while True:
        yield path, root
        if isinstance(root, functools.partial):
            root, path = root.func, (*path, ("attr", "func"))
        elif isinstance(t := getattr(root, "__sct_transform__", None), Transform):
            root, path = t.fn, (*path, ("attr", "__sct_transform__"), ("attr", "fn"))
        else:
            return


def innermost(root: Any) -> tuple[Any, Path]:
    """The function, or object, that is called in the end; the path to it."""
    *_, (path, main) = layers(root)
    return getattr(main, "__func__", main), path


def anchors(root: Any) -> dict[int, Path]:
    """The path to each of the layers, by id; a method and its function have one."""
    return {id(each): path for path, layer in layers(root) for each in (layer, getattr(layer, "__func__", layer))}


def identity(f: Any) -> tuple[Hashable, ...]:
    """A key that two callables share if they can share a compiled derivative.

    Objects count by identity, not by equality: code objects of two files can be equal.
    """
    f = getattr(f, "__sct_transform__", f)
    if isinstance(f, Transform):
        return (f.kind, f.argnums, f.has_aux, f.holomorphic, f.memory, *identity(f.fn))
    if isinstance(f, types.MethodType):
        owner = (Same(f.__self__),) if _is_of_module(f.__self__) else ()
        return ("method", *owner, *identity(f.__func__))
    if isinstance(f, functools.partial):
        return ("partial", len(f.args), *(_default(name, x, True) for name, x in f.keywords.items()), *identity(f.func))
    if isinstance(f, types.FunctionType) and hasattr(f, "__sct_call__"):
        return (Same(f),)  # all solutions have one code, that of `implicit`
    if isinstance(f, types.FunctionType):
        note_file(f)
        new = is_made_anew(f)
        return (Same(f.__code__), *(_default(name, x, new) for name, (_, x) in defaults_of(f).items()))
    return ("instance", Same(type(f))) if is_user_class(type(f)) else (Same(f),)


def _is_of_module(x: Any) -> bool:
    """Is this one of the objects that the module of its class defines?  Rules may know it: `scipy.stats.norm`."""
    if isinstance(x, type) or is_user_class(type(x)):
        return False
    module = sys.modules.get(type(x).__module__)
    return any(v is x for v in vars(module).values()) if module is not None else False


def _default(name: str, x: Any, made_anew: bool) -> tuple[Hashable, ...]:
    """The compiled part of a default: its value, or only its existence."""
    return (name,) if is_read_at_calls(x, made_anew) else (name, _value(x))


def _value(x: Any) -> Hashable:
    if type(x) in (bool, int, float, str, type(None)):
        return type(x), repr(x)
    return (tuple, *map(_value, x)) if type(x) is tuple else Same(x)


# -- defaults ------------------------------------------------------------------------------------------


def is_read_at_calls(x: Any, made_anew: bool) -> bool:
    """Is this default, or this argument of a partial, read at every call?

    Everything that may change is, and numbers of a function that is created again and again.
    Functions, strings and flags are compiled in.
    """
    if type(x) is tuple or is_namedtuple(type(x)):
        return any(is_read_at_calls(item, made_anew) for item in x)
    if type(x) in (int, float) or isinstance(x, np.generic):
        return made_anew
    return isinstance(x, (np.ndarray, MutableSequence, MutableMapping, MutableSet, types.SimpleNamespace)) \
        or is_user_class(type(x)) and not hasattr(x, "__sct_transform__")


def is_made_anew(f: types.FunctionType) -> bool:
    """Is this one of many functions of its code?  A lambda is written where it is passed, in a loop as like as not."""
    return f.__name__ == "<lambda>"


def defaults_of(f: types.FunctionType) -> dict[str, tuple[Path, Any]]:
    """The defaults of the parameters of a function by name, with the paths from it."""
    code, positional = f.__code__, f.__defaults__ or ()
    names = code.co_varnames[:code.co_argcount][code.co_argcount - len(positional):]
    defaults = {name: ((("attr", "__defaults__"), ("item", k - len(positional))), x)
             for k, (name, x) in enumerate(zip(names, positional))}
    return {**defaults, **{name: ((("attr", "__kwdefaults__"), ("item", name)), x)
                        for name, x in (f.__kwdefaults__ or {}).items()}}


def held(root: Any) -> dict[str, Path]:
    """The parameters of the root whose defaults are read at every call, with the paths to these."""
    paths: dict[str, Path] = {}
    bound: set[str] = set()
    for path, f in layers(root):
        if isinstance(f, functools.partial):
            paths.update((name, (*path, ("attr", "keywords"), ("item", name)))
                         for name, x in f.keywords.items() if name not in bound and is_read_at_calls(x, True))
            bound |= f.keywords.keys()
        elif not hasattr(f, "__sct_transform__"):
            f, path = (f, path) if hasattr(f, "__code__") else (type(f).__call__, (type(f).__call__,))
            f = getattr(f, "__func__", f)
            new = is_made_anew(f) and path[0] is None
            paths.update((name, (*path, *at)) for name, (at, x) in defaults_of(f).items()
                         if name not in bound and is_read_at_calls(x, new))
    return paths
