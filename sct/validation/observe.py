"""Observes the types of values that sct cannot read from the source: the function runs once, on copies.

    rng = np.random.default_rng(7)    ->   an object
    rng.normal(size=n)                ->   an array of float64 with one axis

    observer(f, args, kwargs)()  ->  {place of an expression: the types that its value had}

The copies run instrumented code, in which each expression passes its value to the observer.  The function is not run
if it may reach the world outside: if it calls what is neither the user's own nor known to be without such effects.
"""

from __future__ import annotations

import contextlib
import copy
import datetime
import functools
import inspect
import operator
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from sct.errors import Loc, SctError, raised_at
from sct.frontend import OBSERVED_BEFORE, Traced
from sct.frontend.evaluator.own_methods import generator_of_context, is_library
from sct.frontend.heap.inactive import PLAIN_CONTAINERS
from sct.frontend.state.observed_types import (
    Observations,
    Observed,
    is_of_latest,
    latest_place,
    observed_type,
    owner_place,
)
from sct.frontend.user_rules import UserRule, normal_call, rule_of
from sct.frontend.writes.references import CACHED
from sct.ir import Eqn, Lit, walk
from sct.ir.pytrees.user_objects import is_defined_by_user, is_user_class
from sct.ops.arrays.shape import has_dtype
from sct.ops.program.attempts import attempted, may_not_repeat
from sct.ops.program.call_ops import call
from sct.ops.program.effects import inactive, python, raise_
from sct.ops.program.solutions import call_in_rule, ruled_call
from sct.validation.clone import CannotCopy, Copier, SharedState
from sct.validation.instrument import (
    ARGUMENT,
    ATTRIBUTE,
    CALLEE,
    IN_PLACE,
    ITEMS,
    OBSERVE,
    OPERAND,
    UNPACKED,
    instrumented_code,
    plain_code,
)
from sct.validation.observed_operands import ObservedOperands
from sct.validation.outside_calls import ReachesOutside, check_callee, has_users_cache, is_harmless
from sct.validation.quiet import TimedOut, run_quietly
from sct.validation.validate import place_of, unobserved_type, user_function

__all__ = ["for_observed_types", "observer", "refuses_type"]

PATIENCE = 10.0
"""The function may run this many seconds."""

def _has_rule(x: Any) -> bool:
    """Is this a function with a rule, or an object that has one as an attribute or a method?"""
    classes = (vars(cls) for cls in type(x).__mro__)
    return rule_of(x) is not None or any(
        rule_of(f) is not None for attributes in (getattr(x, "__dict__", {}), *classes) for f in [*attributes.values()])


def _copied(x: Any) -> Any:
    """A copy of an argument of a rule, which may write to it; an object that cannot be copied as it is."""
    try:
        return copy.deepcopy(x)
    except Exception:  # what copies it may be the user's
        return x


_DIFFERENTIATE = frozenset((
    "grad", "value_and_grad", "vjp", "jvp", "hvp", "jacobian", "jacfwd", "jacrev", "hessian"))
"""The functions of sct that differentiate functions."""

_OF_RULES = (ruled_call, call_in_rule)


def observer(target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], observed: dict[Loc, frozenset[Observed]]
             ) -> Callable[[], Observations | None]:
    """A function that runs `target` on copies of the arguments, adds what it observes to `observed`, and returns it.

    If the function must not be run, or does not end soon, nothing is added: None if nothing was observed before.
    """

    def observe() -> Observations | None:
        root, own_count = user_function(target, args)
        try:
            shared = SharedState(root, args, kwargs, caches_are_copied=True)
        except CannotCopy:
            return observed or None
        copier = _InstrumentingCopier(shared)
        try:
            shared.replace_caches()
            function, copied_args, copied_kwargs = copier.copy((root, args[:own_count], dict(kwargs)))
            function = copier.callee(function)
            outcome = run_quietly(lambda: function(*copied_args, **copied_kwargs), PATIENCE)
            if isinstance(outcome.error, TimedOut):
                return observed or None
        except (CannotCopy, ReachesOutside, RecursionError):
            return observed or None
        finally:
            shared.restore()
        if copier.writes is not None:
            raise copier.writes
        for place in [p for p in observed if is_of_latest(p)]:
            del observed[place]
        for place, seen in copier.types.items():
            observed[place] = observed.get(place, frozenset()) | seen
            observed[latest_place(place)] = frozenset(seen)
        return observed

    return observe


_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd, "Sub": operator.isub, "Mult": operator.imul, "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv, "Mod": operator.imod, "Pow": operator.ipow, "MatMult": operator.imatmul,
    "LShift": operator.ilshift, "RShift": operator.irshift, "BitAnd": operator.iand, "BitOr": operator.ior,
    "BitXor": operator.ixor}
"""What operators in place do, by the names of their nodes in the syntax tree."""


class _InstrumentingCopier(Copier):
    """Copies functions with instrumented code, which passes the values of its expressions here.

    types     the types that were observed, by place
    in_rules  the rules of the user that are running: where a function is called that has one, the rule runs, too
    trusted   how many functions with a rule, and rules, are running: these have no effects
    writes    the refusal of a function with a rule that writes to its arguments
    plains    for an instrumented function: as the user wrote it; instrumented: the reverse
    operands  the operands of operators, of which special methods are instrumented
    of_static  the object of which a static method has just been read
    """

    def __init__(self, shared: SharedState) -> None:
        super().__init__(shared)
        self.types: dict[Loc, set[Observed]] = {}
        self.in_rules: list[UserRule] = []
        self.trusted = 0
        self.writes: SctError | None = None
        self.plains: dict[int, Any] = {}
        self.instrumented: dict[int, Any] = {}
        self.of_static: tuple[Any, ...] = ()
        self.operands = ObservedOperands(lambda f, *args, **kwargs: self.callee(f)(*args, **kwargs))

    def copy(self, x: Any) -> Any:
        """A copy.  An object with a rule that cannot be copied is used as it is: its rule says that it stays so."""
        try:
            return super().copy(x)
        except CannotCopy:
            if not _has_rule(x):
                raise
            return self.remember(x, x)

    def code_of(self, f: types.FunctionType) -> types.CodeType:
        code, places = instrumented_code(f.__code__)
        self.copies[id(f.__globals__)].update({
            OBSERVE: functools.partial(self.observe, places), ITEMS: functools.partial(self.items, places),
            UNPACKED: functools.partial(self.unpacked, places), CALLEE: self.callee, ATTRIBUTE: self.attribute,
            OPERAND: self.operands.operand, IN_PLACE: self.in_place,
            ARGUMENT: functools.partial(self.argument, places)})
        return code

    def observe(self, places: list[Loc], k: int, value: Any) -> Any:
        self.types.setdefault(places[k], set()).add(observed_type(value))
        if isinstance(value, types.MethodType) or self.of_static and isinstance(value, types.FunctionType):
            of = getattr(value, "__self__", *self.of_static)
            self.types.setdefault(owner_place(places[k]), set()).add(
                ("class", of) if isinstance(of, type) else observed_type(of))
        self.of_static = ()
        return value

    def items(self, places: list[Loc], k: int, values: Any) -> Iterator[Any]:
        self.types.setdefault(places[k], set()).add(("iterable", type(values)))
        iterator = self.operands.operand(iter(self.operands.operand(values)))
        with contextlib.suppress(StopIteration):
            while True:
                yield self.observe(places, k, next(iterator))

    def argument(self, places: list[Loc], k: int, values: Any) -> Any:
        """The argument of a builtin that runs over it; the items of a container of Python are observed."""
        if type(values) in PLAIN_CONTAINERS:
            self.types.setdefault(places[k], set()).add(("iterable", type(values)))
            for x in values:
                self.observe(places, k, x)
        return values

    def unpacked(self, places: list[Loc], k: int, values: Iterable[Any]) -> Iterator[Any]:
        """These values, each of which is unpacked: a tuple or a list is observed as the tuple of its items."""
        for x in values:
            if isinstance(x, (tuple, list)):
                self.observe(places, k, tuple(x))
            yield x

    def in_place(self, name: str, x: Any, y: Any) -> Any:
        """`x op= y`."""
        return _IN_PLACE[name](self.operands.operand(x), self.operands.operand(y))

    def callee(self, f: Any) -> Any:
        """The callable in the place of `f`: methods and constructors of the user's classes are instrumented too."""
        if getattr(f, "__sct_call__", "") in _DIFFERENTIATE or hasattr(type(f), "__sct_transform__"):
            return functools.partial(self.differentiated, f)
        rule = rule_of(f) or rule_of(getattr(f, "__func__", None))
        if rule is not None:
            return functools.partial(self.call_with_rule, rule, self._instrumented(f))
        if has_users_cache(f):
            f = self.copies.get(id(f)) or self.remember(f, self._cached(f))  # the caller's cache stays as it is
        if not self.trusted:
            if self.copies.get(id(owner := getattr(f, "__self__", None))) is owner is not None and _has_rule(owner):
                raise ReachesOutside  # another method of an object that is not copied
            check_callee(f)
        return self._instrumented(f)

    def call_with_rule(self, rule: UserRule, f: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls a function, and its rule with the values as directions."""
        self.trusted += 1
        try:
            before = [x.copy() if isinstance(x, np.ndarray) else None for x in args]
            y = f(*args, **kwargs)
            if any(x is not None and x.tobytes() != now.tobytes() for x, now in zip(before, args)):
                self.writes = SctError("SCT302", f"`{rule.name}`, which has a rule, writes to its arguments",
                                       why="the rule is that of what it returns",
                                       hint="write to a copy in it: `x = x.copy()`")
            if rule not in self.in_rules:
                owner = (f.__self__,) if isinstance(f, types.MethodType) and isinstance(
                    rule.f, types.FunctionType) else ()
                self.in_rules.append(rule)
                for run, directions in ((rule.vjp, lambda inputs: y), (rule.jvp, tuple)):
                    with contextlib.suppress(Exception):  # what it raises, it raises where it is needed
                        inputs, keywords = normal_call(rule.f, (*owner, *args), kwargs)
                        if run is not None:
                            self.copy(run)(*map(_copied, (directions(inputs), y, *inputs)), **keywords)
                self.in_rules.pop()
        finally:
            self.trusted -= 1
        return y

    def differentiated(self, f: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls a derivative, which reads functions as the user wrote them; these run instrumented, too."""
        with contextlib.suppress(Exception):  # the derivative raises it
            if hasattr(type(f), "__sct_transform__"):
                function, primals = f.__sct_transform__.fn, args
            else:
                function, primals = args[0], {"vjp": args[1:], "jvp": args[1], "hvp": args[1]}[f.__sct_call__]
            callee = self.instrumented.get(id(function)) or self.callee(self.copy(function))
            callee(*map(_copied, primals), **kwargs)
        return f(*map(self.plain, args), **kwargs)

    def plain(self, f: Any) -> Any:
        """The function as the user wrote it, of one that is instrumented; anything else as it is."""
        if not isinstance(f, types.FunctionType) or OBSERVE not in f.__globals__:
            return f
        if id(f) in self.plains:
            return self.plains[id(f)]
        originals = {id(self.copies[id(x)]): x for x in self.alive if id(x) in self.copies}
        cells = tuple(types.CellType() for _ in f.__closure__ or () if id(f) not in originals)
        written = originals.get(id(f)) or types.FunctionType(  # instrumented code has made it
            plain_code(f.__code__), originals[id(f.__globals__)], f.__name__, f.__defaults__, cells)
        if id(f) not in originals:
            written.__kwdefaults__ = f.__kwdefaults__
        self.plains[id(f)] = written
        self.instrumented[id(written)] = f
        for cell, of in zip(cells, f.__closure__ or ()):
            with contextlib.suppress(ValueError):  # it is empty
                cell.cell_contents = self.plain(of.cell_contents)
        return written

    def _instrumented(self, f: Any) -> Any:
        function, owner = getattr(f, "__func__", None), getattr(f, "__self__", None)
        if (generator := generator_of_context(function or f)) is not None:
            entered = contextlib.contextmanager(self._instrumented(generator))
            return entered if function is None else types.MethodType(entered, owner)
        if isinstance(function, types.FunctionType) and not is_harmless(f, type(owner)) and not is_library(function):
            return types.MethodType(self.copy(function), owner)
        if isinstance(f, types.FunctionType) and OBSERVE not in f.__globals__ and not is_harmless(f, None):
            return self.copy(f)  # of a class, or a static method
        call = inspect.getattr_static(type(f), "__call__", None) if is_user_class(type(f)) else None
        if isinstance(call, types.FunctionType):
            return types.MethodType(self.copy(call), f)
        if isinstance(f, type) and is_user_class(f):
            new, initialize = (inspect.getattr_static(f, name) for name in ("__new__", "__init__"))
            if new is object.__new__ and isinstance(initialize, types.FunctionType):
                return functools.partial(self.construct, f, self.copy(initialize))
        if isinstance(f, types.BuiltinFunctionType) or type(f) is type:
            return self.operands.builtin(f)
        return f

    def construct(self, cls: Any, initialize: Callable[..., None], *args: Any, **kwargs: Any) -> Any:
        instance = cls.__new__(cls)
        after = getattr(cls, "__post_init__", None)
        if isinstance(after, types.FunctionType) and hasattr(instance, "__dict__"):
            instance.__dict__["__post_init__"] = functools.partial(self.after_construction, self.copy(after), instance)
        initialize(instance, *args, **kwargs)
        return instance

    def after_construction(self, after: Callable[..., None], instance: Any, *args: Any) -> None:
        """Calls `__post_init__` of a dataclass, in the place of its own method."""
        del instance.__dict__["__post_init__"]
        after(instance, *args)

    def attribute(self, owner: Any, name: str) -> Any:
        """An attribute; the getter of a property is instrumented."""
        is_users = is_defined_by_user(type(owner)) and not is_harmless(None, type(owner))
        raw = inspect.getattr_static(type(owner), name, None) if is_users else None
        self.of_static = (owner,) if isinstance(raw, staticmethod) else ()
        if isinstance(raw, property) and isinstance(raw.fget, types.FunctionType):
            return self.copy(raw.fget)(owner)
        if isinstance(raw, functools.cached_property) and name not in owner.__dict__:
            return owner.__dict__.setdefault(name, self.copy(raw.func)(owner))
        return getattr(owner, name)


# -- calls with other types ------------------------------------------------------------------------------


def for_observed_types(traced: Traced, run: Callable[..., Any], miss: Any) -> Callable[..., Any]:
    """`run`, which returns `miss` from the first call on in which a value has a type that was not observed.

    That call is refused if it may have had an effect before, since it must not be repeated. If it is the dtype of a
    result that decides, such as that of eigenvalues, then `run` is for that dtype, and serves later calls.
    """
    functions = (*traced.fn.functions, traced.fn)
    eqns = [attempted(eqn) for f in functions for eqn in walk(f)]
    if not any(eqn.op in (inactive, *_OF_RULES) or _is_unobserved(eqn) for eqn in eqns):
        return run
    ops = {eqn.op for eqn in eqns if may_not_repeat(eqn) and not _only_reads(eqn)} - {call}
    place, is_of_one_dtype = place_of(traced.root), any(eqn.op is has_dtype for eqn in eqns)
    is_stale, was_called = False, False

    @functools.wraps(run)
    def checked(*args: Any, **kwargs: Any) -> Any:
        nonlocal is_stale, was_called
        if is_stale:
            return miss
        try:
            result = run(*args, **kwargs)
        except Exception as error:
            if type(error) is not TypeError or not str(error).endswith(OBSERVED_BEFORE):
                was_called = True
                raise
            keeps_arguments = inactive not in ops or _is_immutable((*args, *kwargs.values()))
            misses = was_called and ops <= {inactive, python, raise_} and keeps_arguments
            is_stale = not (misses and is_of_one_dtype)
            if misses:
                return miss
            raise unobserved_type(error, raised_at(error)[0] or place) from None
        was_called = True
        return result

    return checked


def _only_reads(eqn: Eqn) -> bool:
    """Does Python only read an attribute or ask for a class here, which changes no object?"""
    return eqn.op is inactive and re.fullmatch(
        r"_0(\.\w+)+|(bool|callable|hasattr|isinstance|issubclass|len)\([^()]*\)", str(eqn.attrs["text"])) is not None


def refuses_type(traced: Traced, refusal: SctError) -> bool:
    """Does the compiled function still refuse the type of a value in these words?"""
    functions = (*traced.fn.functions, traced.fn)
    return any(_is_unobserved(attempted(eqn), refusal.what) for f in functions for eqn in walk(f))


def _is_unobserved(eqn: Eqn, what: str = "") -> bool:
    """Is this the exception that stands where an expression was not evaluated when types were observed?"""
    return eqn.op is python and any(isinstance(x, Lit) and str(x.value).endswith(what + OBSERVED_BEFORE)
                                    for x in eqn.args)


def _is_immutable(x: Any) -> bool:
    """Is this a number, an array, a text, a date, or a container of these, which calls of libraries do not change?

    So is a function with a cache, which a second call does not change, and a function or class of the user, which
    writes to nothing outside: it would be refused.
    """
    if isinstance(x, (list, tuple)):
        return all(map(_is_immutable, x))
    if isinstance(x, dict):
        return all(map(_is_immutable, x.values()))
    return x is None or isinstance(x, (
        int, float, str, bytes, np.generic, np.ndarray, datetime.date, type, types.FunctionType, CACHED))
