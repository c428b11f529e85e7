"""The guards of a specialization, compiled to straight-line code that runs at every call.

    match = compile_checks(traced, run)(root)       match(args, kwargs) -> run(*args, **kwargs, **free), or MISS

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
                add_source_note(error)
                raise
        return match

The code checks that the arguments and free variables have the types that the function was compiled for (`key_of`),
that names stand for the same functions, and that the guards hold.  Reading a variable that is gone is a miss.  A
guard is evaluated on leaves of the right types, so it raises only where it is undefined for a value (a miss, too);
any other exception is a fault of sct and is not hidden.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from sct.errors import Loc, SctError, add_source_note
from sct.frontend import (
    COLUMN,
    COMPARED_BY_CLASS,
    MANY_KEYS,
    OPAQUE_ARRAY,
    ROWS,
    Equal,
    Guard,
    Ragged,
    RecordColumn,
    RowChecks,
    Traced,
    apart,
    attribute_text,
    exact,
    key_of,
    kind_of_rows,
    most_flattened,
    shared_with_callable,
)
from sct.ir import Value
from sct.ir.pytrees.pytree import STEPS, EntryPart, LeafOf, Places, column, read_step, text_of_step
from sct.ir.pytrees.user_objects import fields_of, holds_each_once, is_identifier
from sct.ir.types import List, Opaque
from sct.memory_limit import check_tapes, limit

__all__ = ["METHODS", "MISS", "Match", "compile_checks", "outside_facts", "place_of"]

Match = Callable[[tuple[Any, ...], dict[str, Any]], Any]


class _Miss:
    def __repr__(self) -> str:
        return "MISS"


MISS = _Miss()

GONE = (AttributeError, LookupError, TypeError, ValueError, SctError)
"""The exceptions of reading a variable that is gone or has another structure."""

METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)
"""Each read of a bound method makes another object; they are equal if they are the same method of one object."""

UNDEFINED = (ArithmeticError, LookupError, ValueError, np.exceptions.TooHardError)
"""The exceptions of evaluating a guard where it is undefined."""


FORMS = {"kind": "type({0}) is list and kind_of_rows({0}, {{}}, True, True) == {1}",
         "kinds": "type({0}) is list and kind_of_rows({0}, {{}}, 2, True) == {1}",
         "is": "{0} is {1}", "type": "type({0}) is {1}", "len": "len({0}) == {1}", "many": "len({0}) > {1}",
         "value": "{0} == {1}", "holds each once": "holds_each_once({0}) is {1}",
         "lacks": "{1} not in {0}", "empty": "{0} == {1}", "unbound": "{1} not in {0}",
         "no attribute": "not hasattr({0}, {1})",
         "instance": "isinstance({0}, {1})", "no instance": "not isinstance({0}, {1})",
         "subclass": "issubclass({0}, {1})", "no subclass": "not issubclass({0}, {1})"}
"""The facts about free variables: {0} is the variable, {1} a constant."""

ROWS_OF = {"keys": "{0}", "items": "{0}", "pairs": "{0}.items()"}
"""The facts about what free variables hold, in which order: {0} is the variable."""


def compile_checks(traced: Traced, run: Callable[..., Any], tapes: str = "0") -> Callable[[Any], Match]:
    """bind(root) -> match; `root` is the differentiated function, whose free variables are read.

    tapes  the bytes of its tapes, as a formula in the leaves of the arguments
    """
    return _CheckWriter(traced).compile(run, tapes)


def outside_facts(traced: Traced) -> Callable[[Any], Any]:
    """facts(root) -> MISS, if the facts about the free variables of `root` do not hold any more."""
    return _CheckWriter(traced).compile_outside()


def reads_the_same(traced: Traced, root: Any) -> bool:
    """Do the facts about the free variables of `root` still hold?"""
    return outside_facts(traced)(root) is not MISS


def place_of(root: Any) -> Loc | None:
    """The place of the function's definition."""
    code = getattr(getattr(root, "__func__", root), "__code__", None)
    return None if code is None else Loc(code.co_filename, code.co_firstlineno)


def _class_of_key(key: Any) -> Any:
    """The class of a container or an object, in place of its key; another key as it is."""
    return key[0] if isinstance(key, tuple) and isinstance(key[0], type) else key


def _miss_unless(test: str) -> str:
    return f"if not ({test}): return MISS"


def _holds_lists(param: Value) -> bool:
    """Is this a list of lists?"""
    return isinstance(param.type, List) and isinstance(param.type.elem, List)


class Variable(str):
    """A variable of the generated code."""


class _CheckWriter:
    """Writes and compiles the checks.

    namespace   the objects that the code names
    bindings    the globals and cells of the root, which never change: expression -> name
    lines       the lines of the checks
    sizes       the variable of each size, by its number in the key
    containers  the variable and the mirror of each container, by its number in the key
    objects     by path, the name of an object that is checked to be the same
    compares_whole_key  there is a list of any length, so keys are compared as a whole

    A mirror is an argument with variables in the place of its leaves.
    """

    def __init__(self, traced: Traced) -> None:
        self.traced = traced
        self.namespace: dict[str, Any] = {
            "MISS": MISS, "GONE": GONE, "UNDEFINED": UNDEFINED, "np": np, "ndarray": np.ndarray,
            "fields_of": fields_of, "holds_each_once": holds_each_once,
            "kind_of_rows": kind_of_rows, "key_of": key_of, "exact": exact,
            "apart": apart, "read_step": read_step, "Places": Places, "column": column, "RecordColumn": RecordColumn,
            "shared_with_callable": shared_with_callable, "add_source_note": add_source_note}
        self.bindings: dict[str, str] = {}
        self.lines: list[str] = []
        self.sizes: dict[int, str] = {}
        self.containers: dict[int, tuple[str, Any]] = {}
        self.objects: dict[tuple[Any, ...], str] = {(None,): "root"}
        self.compares_whole_key = False
        self.count = 0

    def compile(self, run: Callable[..., Any], tapes: str) -> Callable[[Any], Match]:
        traced = self.traced
        args, kwargs = self.check_arguments()
        self.check_identities()
        if traced.apart or traced.apart is not None and (
                traced.holds_records or any(map(_holds_lists, traced.fn.params))):
            others = [self.read(path) for path in traced.apart]
            row, outside = ("".join(f"{x}, " for x in variables) for variables in ((*args, *kwargs.values()), others))
            self.require(f"apart(({row}), ({outside}), {int(traced.records)}, {traced.maps})")
        if traced.callables:
            row, held = "".join(f"{x}, " for x in (*args, *kwargs.values())), self.constant(traced.callables)
            self.require(f"shared_with_callable(({row}), {held}) is None")
        free = self.check_free_variables(traced.key[len(args) + len(kwargs):])
        self.check_distinct(list(self.sizes.values()))
        self.check_distinct([f"id({x})" for x, _ in self.containers.values()])
        if self.compares_whole_key:
            columns = {name for name, leaf in zip(free, traced.free) if leaf.is_column}
            row = "".join(f"RecordColumn({name}), " if name in columns else f"{name}, "
                          for name in (*args, *kwargs.values(), *free))
            key = f"key_of(({row}), {{}}, {traced.records}, {traced.maps})"
            self.require(f"{key} == {self.constant(traced.key)}")
        leaves = [*traced.bind(*self.mirrored_arguments(args, kwargs)), *free]
        guards = self.guard_lines(leaves)
        by_name = {**kwargs, **{leaf.name: name for leaf, name in zip(traced.free, free)}}
        passed = [*args, *(f"{k}={v}" if is_identifier(k) else f"**{{{k!r}: {v}}}" for k, v in by_name.items())]
        self.namespace["run"] = run
        exec("\n".join([
            "def bind(root):", *(f"    {name} = {path}" for path, name in self.bindings.items()),
            "    def match(args, kwargs):", "        try:", *(f"            {line}" for line in self.lines),
            "        except GONE: return MISS",
            *(["        try:", *(f"            {line}" for line in guards), "        except UNDEFINED: return MISS"]
              if guards else []),
            *self.tape_lines(leaves, tapes),
            f"        try: return run({', '.join(passed)})",
            "        except Exception as error:", "            add_source_note(error)", "            raise",
            "    return match",
        ]), self.namespace)
        bind: Callable[[Any], Match] = self.namespace["bind"]
        return bind

    def compile_outside(self) -> Callable[[Any], Any]:
        """The checks of the facts about free variables, without those of the arguments."""
        self.check_identities()
        # Of an object that sct does not see into, nothing is read but the object.
        keys = self.traced.key[self.traced.positional + len(self.traced.keywords):]
        self.check_free_variables([_class_of_key(key) if isinstance(leaf.param.type, Opaque) else key
                                   for leaf, key in zip(self.traced.free, keys)])
        exec("\n".join([
            "def outside(root):", "    try:", *(f"        {name} = {path}" for path, name in self.bindings.items()),
            *(f"        {line}" for line in self.lines), "    except GONE: return MISS"]), self.namespace)
        compile_outside: Callable[[Any], Any] = self.namespace["outside"]
        return compile_outside

    def new_variable(self, letter: str) -> Variable:
        self.count += 1
        return Variable(f"{letter}{self.count}")

    def new_part(self) -> Variable:
        return self.new_variable("a")

    def constant(self, x: Any) -> str:
        name = f"k{len(self.namespace)}"
        self.namespace[name] = x
        return name

    def require(self, test: str) -> None:
        self.lines.append(_miss_unless(test))

    # -- arguments --------------------------------------------------------------------

    def check_arguments(self) -> tuple[list[Variable], dict[str, Variable]]:
        """Assign the arguments to variables, and check them; those passed by keyword are returned by name."""
        n, names = self.traced.positional, self.traced.keywords
        args = [self.new_variable("a") for _ in range(n)]
        kwargs = {name: self.new_variable("a") for name in names}
        self.lines.append(f"if tuple(kwargs) != {names!r}: return MISS" if names else "if kwargs: return MISS")
        self.assign(args, "args")
        if names:
            self.assign(list(kwargs.values()), "kwargs.values()")
        self.mirrors: dict[str, Any] = {}
        for name, key in zip([*args, *kwargs.values()], self.traced.key):
            self.mirrors[name] = self.check_value(name, key)
        return args, kwargs

    def mirrored_arguments(self, args: Sequence[Variable], kwargs: dict[str, Variable]
                           ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return tuple(self.mirrors[a] for a in args), {k: self.mirrors[v] for k, v in kwargs.items()}

    def assign(self, names: Sequence[str], what: str) -> None:
        self.lines.append(f"({''.join(f'{name}, ' for name in names)}) = {what}")

    def check_value(self, x: Variable, key: Any) -> Any:
        """Write the checks that `x` has this key; returns its mirror."""
        if isinstance(key, type):
            self.lines.append(f"if type({x}) is not {self.constant(key)}: return MISS")
            return x
        if isinstance(key, Equal):
            self.lines.append(f"if type({x}) is not {self.constant(type(key.x))}: return MISS")
            self.lines.append(f"if {x} != {self.constant(key.x)}: return MISS")
            return x
        if not isinstance(key, tuple):
            differs = "!=" if isinstance(key.x, METHODS) else "is not"
            self.lines.append(f"if {x} {differs} {self.constant(key.x)}: return MISS")
            return x
        if isinstance(key[0], np.dtype):
            return self.check_array(x, *key)
        if key[0] == OPAQUE_ARRAY:
            self.require(f"type({x}) is {self.constant(key[3])} and {x}.dtype == {self.constant(key[1])} "
                         f"and {x}.ndim == {key[2]}")
            return x
        return self.check_container(x, *key)

    def check_container(self, x: Variable, kind: type, *rest: Any) -> Any:
        self.lines.append(f"if type({x}) is not {self.constant(kind)}: return MISS")
        if kind is tuple:
            return tuple(self.check_parts(x, rest))
        if rest[0] in self.containers:
            first, mirror = self.containers[rest[0]]
            self.require(f"{x} is {first}")
            return mirror
        if rest[1:2] in ((ROWS,), (COLUMN,)):
            mirror = x
            few = 0 if rest[1] == COLUMN else most_flattened(rest[2], self.traced.records)
            lists = [(x, rest[2], few)] if kind is list else [
                (f"[*{x}]", rest[2][1], MANY_KEYS), (f"[*{x}.values()]", rest[2][2], 0)]
            for xs, of_items, few in lists:
                if not self.check_rows(xs, of_items, few, self.sizes):
                    self.compares_whole_key = True
        elif kind is list:
            mirror = self.check_parts(x, rest[1:])
        elif kind is dict:
            names = tuple(name for name, _ in rest[1])
            self.require(self.holds_exactly(x, names))
            mirror = dict(zip(names, self.check_parts(f"{x}.values()", [part for _, part in rest[1]])))
        else:
            mirror = SimpleNamespace()
            self.containers[rest[0]] = x, mirror  # an object may hold itself
            names = tuple(name for name, _ in rest[1])
            self.lines += RowChecks(self.constant, self.new_part).of_attributes(x, kind, names)
            row = "".join(f"{attribute_text(x, kind, name)}, " for name in names)
            vars(mirror).update(zip(names, self.check_parts(f"({row})", [part for _, part in rest[1]])))
        self.containers[rest[0]] = x, mirror
        return mirror

    def holds_exactly(self, x: str, items: tuple[Any, ...]) -> str:
        """The test that `x` gives these keys or members: what is equal may be of another class, or sign."""
        test = f"tuple({x}) == {self.constant(items)}"
        if not items:
            return test
        if COMPARED_BY_CLASS.issuperset(map(type, items)):
            return f"{test} and tuple(map(type, {x})) == {self.constant(tuple(map(type, items)))}"
        return f"{test} and exact({x}) == {self.constant(exact(items))}"

    def check_parts(self, x: str, keys: Sequence[Any]) -> list[Any]:
        items = [self.new_variable("a") for _ in keys]
        self.assign(items, x)
        return [self.check_value(item, key) for item, key in zip(items, keys)]

    def check_array(self, x: Variable, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Variable:
        k = self.constant(dtype)
        self.lines += [f"if type({x}) is not ndarray: return MISS", f"t = {x}.dtype",
                       f"if t is not {k} and t != {k}: return MISS"]
        self.check_shape(f"{x}.shape", shape, self.sizes)
        return x

    def check_shape(self, x: str, shape: tuple[int, ...], sizes: dict[int, str]) -> None:
        names = [self.new_variable("n") for _ in shape]
        self.assign(names, x)
        for name, size in zip(names, shape):
            self.check_size(name, size, sizes)

    def check_size(self, name: str, size: int, sizes: dict[int, str]) -> None:
        if size >= 0:
            self.require(f"{name} == {size}")
        elif sizes.setdefault(size, name) is name:
            self.require(f"{name} > 1")
        else:
            self.require(f"{name} == {sizes[size]}")

    def check_class(self, name: str, of: Ragged, sizes: dict[int, str]) -> None:
        """Write the checks of the sizes that an axis has in the items of a list, which differ."""
        if sizes.setdefault(of.number, name) is name:
            self.require(f"len(set({name})) > 1 and min({name}) {'>=' if of.least == 2 else '<'} 2")
        else:
            self.require(f"{name} == {sizes[of.number]}")

    def check_rows(self, x: str, kind: Any, few: int, sizes: dict[int, str]) -> bool:
        """Write the checks that the items of a list, more than `few`, are of this kind; False if there are none for it.
        """
        checks = RowChecks(self.constant, self.new_part)
        lines = checks.lines(x, kind, few)
        if lines is None:
            return False
        self.lines += lines
        for first, shape in checks.shapes:
            self.check_shape(first, shape, sizes)
        for name, size in checks.sizes:
            self.check_size(name, size, sizes)
        for name, of in checks.classes:
            self.check_class(name, of, sizes)
        return True

    def check_distinct(self, names: Sequence[str]) -> None:
        """Require that sizes, or ids of containers, are pairwise different."""
        if len(names) > 3:
            self.require(f"len({{{', '.join(names)}}}) == {len(names)}")
        elif len(names) > 1:
            self.require(" and ".join(f"{a} != {b}" for k, a in enumerate(names) for b in names[:k]))

    # -- free variables -----------------------------------------------------------------

    def check_identities(self) -> None:
        for path, how, fact in self.traced.identities:
            now, k = self.read(path), self.constant(fact)
            if how == "is":
                self.objects.setdefault(path, k)
            elif how == "value":
                self.require(f"type({now}) is {self.constant(type(fact))}")
            if how in ("kind", "kinds") and self.check_kind(now, fact, how):
                continue
            self.require(self.holds_exactly(ROWS_OF[how].format(now), fact) if how in ROWS_OF else
                         FORMS[how].format(now, k))

    def check_kind(self, x: str, kind: Any, how: str) -> bool:
        """Write the checks that a list from outside is of this kind; False if there are none for it."""
        xs, lines, sizes = self.new_variable("v"), len(self.lines), dict[int, str]()
        self.lines += [f"{xs} = {x}", f"if type({xs}) is not list: return MISS"]
        if not self.check_rows(xs, kind, most_flattened(kind), sizes):
            del self.lines[lines:]
            return False
        self.check_distinct(list(sizes.values()))
        return True

    def check_free_variables(self, keys: Sequence[Any]) -> list[Variable]:
        """Read the free variables into variables, and check them."""
        names = [Variable(f"v{k}") for k in range(len(keys))]
        for leaf, name, key in zip(self.traced.free, names, keys):
            self.lines.append(f"{name} = {self.read(leaf.path)}")
            self.check_value(name, key)
        return names

    def read(self, path: tuple[Any, ...]) -> str:
        """The code that reads the object at a path."""
        n = next(n for n in range(len(path), -1, -1) if n == 0 or path[:n] in self.objects)
        text, fixed = (self.objects[path[:n]], True) if n else (self.constant(path[0]), True)
        for kind, name in path[max(n, 1):]:
            if kind == "global" or name == "__globals__" and kind == "attr":
                text = self.bind_once(f"{text}.__globals__") if fixed else f"{text}.__globals__"
                text += f"[{name!r}]" * (kind == "global")
            elif kind in STEPS:
                text = self.part(text, kind, name)
            elif kind == "cell":
                cell = f"{text}.__closure__[{text}.__code__.co_freevars.index({name!r})]"
                text = f"{self.bind_once(cell) if fixed else cell}.cell_contents"
            else:
                text = f"{text}[{self.constant(name)}]" if kind != "attr" else \
                    f"{text}.{name}" if is_identifier(name) else f"getattr({text}, {name!r})"
            fixed = False
        return text

    def part(self, text: str, kind: str, step: Any) -> str:
        """The code that reads a part of a container; the places of keys are told from other dicts."""
        if kind == "places":
            return f"Places({text_of_step(text, kind, step)})"
        if kind == "column" and (isinstance(step[0], LeafOf) or any(isinstance(key, EntryPart) for key in step[0])):
            return f"read_step({text}, 'column', ({self.constant(step[0])},))" if isinstance(step[0], LeafOf) else \
                f"column({text}, {self.constant(step[0])})"
        return text_of_step(text, kind, step)

    def bind_once(self, text: str) -> str:
        """The name of something that a function never changes, bound outside `match`."""
        return self.bindings.setdefault(text, f"g{len(self.bindings)}")

    # -- guards -----------------------------------------------------------------------

    def guard_lines(self, leaves: Sequence[Any]) -> list[str]:
        """Lines that check the guards."""
        names = [leaf if isinstance(leaf, Variable) else self.constant(leaf) for leaf in leaves]
        return [_miss_unless(self.guard(guard, names)) for guard in self.traced.guards]

    def tape_lines(self, leaves: Sequence[Any], tapes: str) -> list[str]:
        """A line that checks that the tapes fit into memory, where they are so large that they may not."""
        if tapes == "0":
            return []
        names = [leaf if isinstance(leaf, Variable) else self.constant(leaf) for leaf in leaves]
        size, check = tapes.format(*names), self.constant(check_tapes)
        return [f"        if {size} > {limit() // 8}: {check}({size}, {self.constant(place_of(self.traced.root))})"]

    def guard(self, guard: Guard, names: Sequence[str]) -> str:
        if isinstance(guard.test, str) and guard.test:
            return guard.test.format(*names)
        if isinstance(guard.test, tuple):
            fn, value = guard.test
            if not fn.eqns and fn.results[0] in fn.params and type(value) is not float:
                return f"{names[fn.params.index(fn.results[0])]} == {self.constant(value)}"
        return f"{self.constant(guard.holds)}(({''.join(f'{name}, ' for name in names)}))"
