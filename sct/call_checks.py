"""The checks before an emitted function is called, as straight-line code: they run at every call.

    match = checks(traced, run)(root)       match(args, kwargs) -> run(*args, **kwargs, **free), or MISS

    def bind(root):
        g0 = root.__globals__
        def match(args, kwargs):
            try:
                if kwargs: return MISS
                a0, a1 = args
                if type(a0) is not float: return MISS
                if type(a1) is not ndarray: return MISS
                t = a1.dtype
                if t is not k0 and t != k0: return MISS
                n1, = a1.shape
                if n1 < 2: return MISS
                if g0['np'] is not k1: return MISS
                v0 = g0['SCALE']
                if type(v0) is not float: return MISS
            except GONE: return MISS
            try: return run(a0, a1, SCALE=v0)
            except Exception as error:
                add_place(error)
                raise
        return match

The arguments and free variables are of the types that the function was compiled for (`key_of`
together), names stand for the functions that they stood for, and the guards hold.  What is
read may be gone; a guard is asked of leaves of the right types, so nothing but a value that
has no answer may raise there: other exceptions are faults of sct, and are not hidden.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from sct.errors import SctError, add_place
from sct.frontend import ROWS, Equal, Guard, Traced, apart, key_of
from sct.ir import Value
from sct.ir.types import List
from sct.ir.user_objects import fields_of, is_plain_attribute

__all__ = ["MISS", "Match", "checks"]

Match = Callable[[tuple[Any, ...], dict[str, Any]], Any]


class _Miss:
    def __repr__(self) -> str:
        return "MISS"


MISS = _Miss()

GONE = (AttributeError, LookupError, TypeError, ValueError, SctError)
"""What reading a variable that is not there any more, or not like it was, may raise."""

UNDEFINED = (ArithmeticError, LookupError, ValueError, np.exceptions.TooHardError)
"""What computing a fact of other values may raise."""


FORMS = {"is": "{0} is {1}", "type": "type({0}) is {1}", "len": "len({0}) == {1}", "keys": "tuple({0}) == {1}",
         "items": "tuple({0}) == {1}", "pairs": "tuple({0}.items()) == {1}", "value": "{0} == {1}",
         "lacks": "{1} not in {0}", "empty": "{0} == {1}", "unbound": "{1} not in {0}",
         "no attribute": "not hasattr({0}, {1})",
         "instance": "isinstance({0}, {1})", "no instance": "not isinstance({0}, {1})",
         "subclass": "issubclass({0}, {1})", "no subclass": "not issubclass({0}, {1})"}
"""The facts about what is read from outside, {1} being known."""


def checks(traced: Traced, run: Callable[..., Any]) -> Callable[[Any], Match]:
    """bind(root) -> match; `root` is the function that is differentiated, whose variables are read."""
    return _Writer(traced).made(run)


def stands(traced: Traced, root: Any) -> bool:
    """Is what `root` reads from outside like it was?"""
    return _Writer(traced).outside()(root) is not MISS


def _plain(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def _demanded(test: str) -> str:
    return f"if not ({test}): return MISS"


def _holds_lists(param: Value) -> bool:
    """Is this a list of lists?"""
    return isinstance(param.type, List) and isinstance(param.type.elem, List)


class Name(str):
    """A variable of the code that is written."""


class _Writer:
    """
    known   the objects that the code names
    head    the lines that bind what a root keeps for life: its globals and cells
    lines   the lines of the checks
    whole   a list of any length is compared by its whole key
    sizes   by the number that stands for it in a key: the variable of a size
    """

    def __init__(self, traced: Traced) -> None:
        self.traced = traced
        self.known: dict[str, Any] = {"MISS": MISS, "GONE": GONE, "UNDEFINED": UNDEFINED, "np": np,
                                      "ndarray": np.ndarray, "fields_of": fields_of, "key_of": key_of, "apart": apart,
                                      "add_place": add_place}
        self.head: dict[str, str] = {}
        self.lines: list[str] = []
        self.sizes: dict[int, str] = {}
        self.containers: dict[int, tuple[str, Any]] = {}
        self.objects: dict[tuple[Any, ...], str] = {(None,): "root"}
        self.whole = False
        self.count = 0

    def made(self, run: Callable[..., Any]) -> Callable[[Any], Match]:
        traced = self.traced
        args, kwargs = self.arguments()
        self.identities()
        if traced.apart or traced.apart is not None and any(map(_holds_lists, traced.fn.params)):
            others = [self.read(path) for path in traced.apart]
            row, found = ("".join(f"{x}, " for x in each) for each in ((*args, *kwargs.values()), others))
            self.demand(f"apart(({row}), ({found}))")
        free = self.free(traced.key[len(args) + len(kwargs):])
        self.distinct(list(self.sizes.values()))
        self.distinct([f"id({x})" for x, _ in self.containers.values()])
        if self.whole:
            row = "".join(f"{name}, " for name in (*args, *kwargs.values(), *free))
            self.demand(f"key_of(({row}), {{}}) == {self.constant(traced.key)}")
        guards = self.guards([*traced.bind(*self.mirrored(args, kwargs)), *free])
        named = {**kwargs, **{leaf.name: name for leaf, name in zip(traced.free, free)}}
        given = [*args, *(f"{k}={v}" if _plain(k) else f"**{{{k!r}: {v}}}" for k, v in named.items())]
        self.known["run"] = run
        exec("\n".join([
            "def bind(root):", *(f"    {name} = {path}" for path, name in self.head.items()),
            "    def match(args, kwargs):", "        try:", *(f"            {line}" for line in self.lines),
            "        except GONE: return MISS",
            *(["        try:", *(f"            {line}" for line in guards), "        except UNDEFINED: return MISS"]
              if guards else []),
            f"        try: return run({', '.join(given)})",
            "        except Exception as error:", "            add_place(error)", "            raise",
            "    return match",
        ]), self.known)
        bind: Callable[[Any], Match] = self.known["bind"]
        return bind

    def outside(self) -> Callable[[Any], Any]:
        """The checks of what is read from outside by themselves."""
        self.identities()
        self.free([leaf.key[0] for leaf in self.traced.free])
        exec("\n".join([
            "def outside(root):", "    try:", *(f"        {name} = {path}" for path, name in self.head.items()),
            *(f"        {line}" for line in self.lines), "    except GONE: return MISS"]), self.known)
        outside: Callable[[Any], Any] = self.known["outside"]
        return outside

    def new(self, letter: str) -> Name:
        self.count += 1
        return Name(f"{letter}{self.count}")

    def constant(self, x: Any) -> str:
        self.known[f"k{len(self.known)}"] = x
        return f"k{len(self.known) - 1}"

    def demand(self, test: str) -> None:
        self.lines.append(_demanded(test))

    # -- arguments --------------------------------------------------------------------

    def arguments(self) -> tuple[list[Name], dict[str, Name]]:
        """Variables for the arguments, checked; those passed by keyword by their names."""
        n, names = self.traced.positional, self.traced.keywords
        args = [self.new("a") for _ in range(n)]
        kwargs = {name: self.new("a") for name in names}
        self.lines.append(f"if tuple(kwargs) != {names!r}: return MISS" if names else "if kwargs: return MISS")
        self.unpack(args, "args")
        if names:
            self.unpack(list(kwargs.values()), "kwargs.values()")
        self.mirrors: dict[str, Any] = {}
        for name, key in zip([*args, *kwargs.values()], self.traced.key):
            self.mirrors[name] = self.check(name, key)
        return args, kwargs

    def mirrored(self, args: Sequence[Name], kwargs: dict[str, Name]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return tuple(self.mirrors[a] for a in args), {k: self.mirrors[v] for k, v in kwargs.items()}

    def unpack(self, names: Sequence[str], what: str) -> None:
        self.lines.append(f"({''.join(f'{name}, ' for name in names)}) = {what}")

    def check(self, x: Name, key: Any) -> Any:
        """Lines that check that `x` has this key; `x` with variables for the parts of containers."""
        if isinstance(key, type):
            self.lines.append(f"if type({x}) is not {self.constant(key)}: return MISS")
            return x
        if isinstance(key, Equal):
            self.lines.append(f"if type({x}) is not {self.constant(type(key.x))}: return MISS")
            self.lines.append(f"if {x} != {self.constant(key.x)}: return MISS")
            return x
        if not isinstance(key, tuple):
            self.lines.append(f"if {x} is not {self.constant(key.x)}: return MISS")
            return x
        if isinstance(key[0], np.dtype):
            return self.array(x, *key)
        return self.container(x, *key)

    def container(self, x: Name, kind: type, *rest: Any) -> Any:
        self.lines.append(f"if type({x}) is not {self.constant(kind)}: return MISS")
        if kind is tuple:
            return tuple(self.parts(x, rest))
        if rest[0] in self.containers:
            first, made = self.containers[rest[0]]
            self.demand(f"{x} is {first}")
            return made
        if rest[1:2] == (ROWS,):
            self.whole, made = True, x
            if isinstance(rest[2], tuple) and rest[2][0] is tuple:
                made = {k: Name(f"[row[{k}] for row in {x}]") for k in range(len(rest[2]) - 1)}
        elif kind is list:
            made = self.parts(x, rest[1:])
        elif kind is dict:
            names = self.names(rest[1], f"tuple({x})")
            made = dict(zip(names, self.parts(f"{x}.values()", [part for _, part in rest[1]])))
        else:
            made = SimpleNamespace()
            self.containers[rest[0]] = x, made  # an object may hold itself
            names = self.names(rest[1], f"fields_of({x})")
            row = "".join(f"{x}.{name}, " if is_plain_attribute(kind, name) else f"{x}.__dict__[{name!r}], "
                          for name in names)
            vars(made).update(zip(names, self.parts(f"({row})", [part for _, part in rest[1]])))
        self.containers[rest[0]] = x, made
        return made

    def names(self, items: Any, now: str) -> tuple[Any, ...]:
        names = tuple(name for name, _ in items)
        self.demand(f"{now} == {self.constant(names)}")
        return names

    def parts(self, x: str, keys: Sequence[Any]) -> list[Any]:
        items = [self.new("a") for _ in keys]
        self.unpack(items, x)
        return [self.check(item, key) for item, key in zip(items, keys)]

    def array(self, x: Name, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Name:
        k = self.constant(dtype)
        self.lines += [f"if type({x}) is not ndarray: return MISS", f"t = {x}.dtype",
                       f"if t is not {k} and t != {k}: return MISS"]
        names = [self.new("n") for _ in shape]
        self.unpack(names, f"{x}.shape")
        for name, size in zip(names, shape):
            if size >= 0:
                self.demand(f"{name} == {size}")
            elif self.sizes.setdefault(size, name) is name:
                self.demand(f"{name} > 1")
            else:
                self.demand(f"{name} == {self.sizes[size]}")
        return x

    def distinct(self, names: Sequence[str]) -> None:
        """Sizes that were different are different, lists and dicts other objects."""
        if len(names) > 3:
            self.demand(f"len({{{', '.join(names)}}}) == {len(names)}")
        elif len(names) > 1:
            self.demand(" and ".join(f"{a} != {b}" for k, a in enumerate(names) for b in names[:k]))

    # -- what is read from outside ------------------------------------------------------

    def identities(self) -> None:
        for path, how, fact in self.traced.identities:
            now, k = self.read(path), self.constant(fact)
            if how == "is":
                self.objects.setdefault(path, k)
            elif how == "value":
                self.demand(f"type({now}) is {self.constant(type(fact))}")
            self.demand(FORMS[how].format(now, k))

    def free(self, keys: Sequence[Any]) -> list[Name]:
        """Variables for the free variables, checked."""
        names = [Name(f"v{k}") for k in range(len(keys))]
        for leaf, name, key in zip(self.traced.free, names, keys):
            self.lines.append(f"{name} = {self.read(leaf.path)}")
            self.check(name, key)
        return names

    def read(self, path: tuple[Any, ...]) -> str:
        """The code that reads the object at a path."""
        n = next(n for n in range(len(path), -1, -1) if n == 0 or path[:n] in self.objects)
        text, fixed = (self.objects[path[:n]], True) if n else (self.constant(path[0]), True)
        for kind, name in path[max(n, 1):]:
            if kind == "global" or name == "__globals__" and kind == "attr":
                text = self.kept(f"{text}.__globals__") if fixed else f"{text}.__globals__"
                text += f"[{name!r}]" * (kind == "global")
            elif kind == "cell":
                cell = f"{text}.__closure__[{text}.__code__.co_freevars.index({name!r})]"
                text = f"{self.kept(cell) if fixed else cell}.cell_contents"
            else:
                text = f"{text}[{self.constant(name)}]" if kind != "attr" else \
                    f"{text}.{name}" if _plain(name) else f"getattr({text}, {name!r})"
            fixed = False
        return text

    def kept(self, text: str) -> str:
        """What a function has for life, by a name."""
        return self.head.setdefault(text, f"g{len(self.head)}")

    # -- guards -----------------------------------------------------------------------

    def guards(self, leaves: Sequence[Any]) -> list[str]:
        """Lines that check the guards."""
        names = [leaf if isinstance(leaf, Name) else self.constant(leaf) for leaf in leaves]
        return [_demanded(self.guard(guard, names)) for guard in self.traced.guards]

    def guard(self, guard: Guard, names: Sequence[str]) -> str:
        if isinstance(guard.test, str) and guard.test:
            return guard.test.format(*names)
        if isinstance(guard.test, tuple):
            fn, value = guard.test
            if not fn.eqns and fn.results[0] in fn.params and type(value) is not float:
                return f"{names[fn.params.index(fn.results[0])]} == {self.constant(value)}"
        return f"{self.constant(guard.holds)}(({''.join(f'{name}, ' for name in names)}))"
