"""Values that must be known while the function is evaluated: computed from the arguments, and guarded."""

from __future__ import annotations

import enum
import re
from collections import ChainMap, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from sct.errors import SctError
from sct.frontend.evaluator.operands import Operands
from sct.frontend.evaluator.own_methods import COMPUTING, HASHING, own_method
from sct.frontend.state.choices import definitions
from sct.frontend.values.abstract_values import (
    Abstract,
    Choice,
    Static,
    Tup,
)
from sct.frontend.values.guarded_numbers import Asked, asked, is_asked
from sct.frontend.values.guards import UNKNOWN, Guard, NeedsStatic
from sct.frontend.values.size_terms import size_text
from sct.ir import Builder, Eqn, Fn, Lit, Operand, Value, free_values, is_effect, rebuild
from sct.ir.core import is_float
from sct.ir.dims import Apply, Dim
from sct.ir.interp import run
from sct.ir.loop_view import loop_view
from sct.ir.real_ints import unmark_real
from sct.ir.text import show
from sct.ir.types import INT, Tensor
from sct.ops.arrays.shape import dim
from sct.ops.program.attempts import attempted
from sct.ops.program.control import cond, loop
from sct.ops.program.effects import guarded, part
from sct.ops.scalar.arithmetic import add, mul
from sct.ops.scalar.comparison import tests_nan
from sct.ops.type_rules import numpy_dtype

__all__ = ["KnownValues", "holds_nan", "may_hold_nan"]

_INSTEAD_OF_ASKING = dict.fromkeys(
    ("an index into a list", "an index into a list or tuple"),
    "use a list of items that are alike, or choose: `f(xs[0]) if c else f(xs[1])`") | {
    "the number of items of this list": "take its items one by one, as in `for v in items:`, or by position, as in "
    "`while i < len(items):`, if the loop appends to it; pass the list in place of `*items`",
    "what `in` looks for": "test first whether it is None; or compare it with each item in a loop",
    "a key of a dict": "use an array, and ints as indices in place of keys"}
"""Hints for values that must be known, and are not."""


def holds_nan(value: Any) -> bool:
    """Is this nan, or a tuple with an item that is nan?"""
    return any(map(holds_nan, value)) if isinstance(value, tuple) else \
        isinstance(value, (float, complex, np.inexact)) and bool(value != value)


def may_hold_nan(container: Any) -> bool:
    """Is nan in this container, or may it be in one of an unknown class?"""
    if isinstance(container, (str, bytes, range, enum.Flag)):
        return False
    return not isinstance(container, (tuple, list, set, frozenset, dict, deque)) or any(map(holds_nan, container))


class KnownValues(Operands):
    """Asks for the run-time values of numbers and strings."""

    def can_ask(self, test: Abstract) -> bool:
        """Can the test be computed from the arguments?  Then it is guarded."""
        try:
            self.ask(test, "this test")
        except (NeedsStatic, SctError):
            return False
        return True

    def ask(self, v: Abstract, what: str, assumed: Any = None) -> Any:
        """The run-time value of `v`, which becomes a guard of the specialization; ahead of time the value `assumed`."""
        if isinstance(v, Static):
            return self.without_own(v, what, COMPUTING)
        if isinstance(v, Tup):
            items = tuple(self.ask(x, what) for x in v.items)
            return items if v.cls is tuple else v.cls(*items)
        if isinstance(v, Choice):
            raise self._needed(v.code, what)
        x = self.operand(v)
        if isinstance(x, Lit):
            return x.value
        fn = self._slice(x, what)
        unknown = any(self.leaves[self.params.index(v)] is UNKNOWN for v in free_values(fn.replace(params=())))
        if unknown and assumed is None:
            self.refuse("SCT504", f"the value of {what} is needed to compile",
                        why="ahead of time there is no call to take it from",
                        hint=f'give its value: --args "{self._given(fn)} = ...", or a default; or call the derivative')
        try:
            (value,) = [assumed] if unknown else run(fn, list(self.leaves))
        except (ArithmeticError, LookupError, ValueError, TypeError, AttributeError) as error:
            self.refuse("SCT504", f"the value of {what} is needed to compile", why=f"computing it raised {error!r}")
        if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
            value = value.item()
        if not isinstance(value, (bool, int, float, complex, str, type(None))):
            self.refuse("SCT504", f"the value of {what} is needed to compile", why=f"it is a {type(value).__name__}")
        if type(value) is str and self._shows_derivative(x):
            self.refuse("SCT207", f"{what} is the text of a differentiated number",
                        why="the derivative of a number that is read from it would be lost",
                        hint="use an int, or a string that does not depend on the number")
        if self._tells_nan(x):
            self.emit(guarded, x)
        self.guards.setdefault(f"{show(fn)} == {value!r}", Guard.asked(x.hint or what, fn, value, self.loc))
        return asked(value, x, self.b) if type(value) is float and self.is_varied(x) else value

    def is_varied(self, x: Operand, *, unknown: bool = True) -> bool:
        """May this number depend on an input of differentiation?

        unknown  the answer where that is up to what a region in progress is given, such as the carried values of a loop
        """
        inner = Builder()
        defs: Mapping[Any, Eqn] = ChainMap(inner.defs, cast(Any, definitions(self)))
        todo: list[Operand] = [x]
        seen: set[Operand] = set()
        while todo:
            v = todo.pop()
            if not isinstance(v, Value) or not is_float(v) or v in seen or v in self.params:
                continue
            seen.add(v)
            eqn = defs.get(v)
            if v in self.stands_for or eqn is None and v not in inner.origins and unknown:
                return True
            if eqn is None:
                todo += inner.origins.get(v, ())
            elif (eqn := attempted(eqn)).regions:
                inner.learn(Fn("", (), (eqn,), ()))
                todo += _sources(eqn, v)
            elif eqn.op.nondiff is None:
                todo += [y for k, y in enumerate(eqn.args) if k not in eqn.op.inactive]
        return False

    def _tells_nan(self, test: Value) -> bool:
        """Is this a truth that is computed from tests for nan or infinities?"""
        eqn = self.defs.get(test)
        if eqn is None or not isinstance(test.type, Tensor) or test.type.kind != "b":
            return False
        return tests_nan(eqn) or any(isinstance(x, Value) and self._tells_nan(x) for x in eqn.args)

    def _shows_derivative(self, text: Value) -> bool:
        """Is a string made of a number that is differentiated?"""
        todo: list[Operand] = [text]
        while todo:
            x = todo.pop()
            if self.is_varied(x):
                return True
            eqn = self.defs.get(x) if isinstance(x, Value) else None
            todo += () if eqn is None else eqn.args
        return False

    def key(self, v: Abstract, what: str = "a key of a dict", may_be_nan: bool = False) -> Any:
        """`ask` for a key or an item of a set, which keeps its class and its derivative.

        A guard tells that a number is nan, and not which object it is, which decides whether two keys are one.
        """
        if isinstance(v, Tup):
            items = tuple(self.key(x, what, may_be_nan) for x in v.items)
            return items if v.cls is tuple else v.cls(*items)
        if isinstance(v, Static):
            return self.without_own(v, what, HASHING)
        value = self.ask(v, what)
        if holds_nan(value) and not may_be_nan:
            self.refuse("SCT503", f"{what} is nan",
                        why="whether two nans are one key depends on which objects they are",
                        hint="leave out what is nan before, with a test of v == v")
        x = self.operand(v)
        if not isinstance(x, Value) or type(value) not in (int, float):
            return value
        if self.is_varied(x):
            return asked(value, x, self.b)
        t = x.type
        return numpy_dtype(unmark_real(t).dtype).type(value) if isinstance(t, Tensor) and t.carrier == "np" else value

    def without_own(self, v: Static, what: str, names: Sequence[str]) -> Any:
        """An object with which Python itself computes; refused if that would run special methods of the user."""
        own = own_method(self, v.peek, names)
        if own is not None:
            cls, name = own
            self.refuse("SCT503", f"{what} is an object of class `{cls.__name__}`, which has its own `{name}`",
                        why="its result may differ in the next call",
                        hint="use a string, a number, or a member of an enum without special methods")
        return v.value

    def known(self, v: Abstract, what: str) -> Any:
        """`ask` for a value with which Python computes: it may not depend on a differentiated input."""
        value = self.ask(v, what)
        if is_asked(value):
            self.cut(f"{what} depends on a differentiated input")
        return value

    def text(self, v: Abstract) -> Abstract:
        """A string of the arguments is known only if the program is refused otherwise; any other value as it is."""
        if not isinstance(v, Value) or not isinstance(self.leaf_of(v), str):
            return v
        plan = self.functions.plan
        plan.leave_texts_open()
        return Static(self.ask(v, "this string")) if plan.known_keys else v

    def known_text(self, v: Abstract) -> Abstract:
        """The value of an argument that is a string, as options of functions are; any other value as it is."""
        return Static(self.ask(v, "this string")) if isinstance(v, Value) and isinstance(self.leaf_of(v), str) else v

    def _given(self, fn: Fn) -> str:
        """The name of the first argument that a value is computed from."""
        return next((v.hint for v in free_values(fn.replace(params=())) if v.hint), "n")

    def _needed(self, v: Value, what: str) -> NeedsStatic:
        """The refusal of a value that must be known, and depends on `v`, which is not."""
        return NeedsStatic(v, SctError(
            "SCT505", f"{what} must be known when the function is compiled",
            why="it depends on the result of a loop, a branch or an effect", hint=_INSTEAD_OF_ASKING.get(what, ""),
            loc=self.loc))

    def _slice(self, x: Value, what: str) -> Fn:
        """The function of the leaves of the arguments that computes `x`."""
        needed: dict[Eqn, None] = {}
        sizes: dict[Value, Operand] = {}

        def visit(v: Operand) -> None:
            if isinstance(v, Lit) or v in self.params or v in sizes:
                return
            if v in self.stands_for:
                return visit(self.stands_for[v])
            eqn = self.defs.get(v)
            if eqn is None or is_effect(eqn):
                raise self._needed(v, what)
            if eqn in needed:
                return
            before = len(needed)
            try:
                for a in eqn.args:
                    visit(a)
                needed[eqn] = None
            except NeedsStatic:
                with Builder() as b:
                    size = None if v.dim is None or v.dim.value is not None else self._size_of_leaves(v.dim)
                if size is None:
                    raise
                sizes[v] = size
                for unused in list(needed)[before:]:
                    del needed[unused]
                needed.update(dict.fromkeys(b.eqns))

        visit(x)
        return rebuild(Fn("ask", tuple(self.params), tuple(needed), (x,)), {**self.outermost(), **sizes})

    def _size_of_leaves(self, size: Dim) -> Operand | None:
        """A size, computed from sizes and ints of the arguments; None where it is not computed from these alone."""
        total: Operand = Lit(size.const)
        for atom, coef in size.terms:
            at = atom if isinstance(atom, Apply) else self.sizes.get(atom)
            if at is None or isinstance(at, tuple) and isinstance(at[1], tuple):
                return None
            of_leaves: Any = self._applied_size_of_leaves(at) if isinstance(at, Apply) else self._size_of_leaves(at) \
                if isinstance(at, Dim) else self.params[at[0]] if at[1] is None else dim(self.params[at[0]], axis=at[1])
            if of_leaves is None:
                return None
            total = cast(Operand, add(total, of_leaves if coef == 1 else mul(of_leaves, coef)))
        return total

    def _applied_size_of_leaves(self, atom: Apply) -> Operand | None:
        """The size of a slice or the like, computed from those of the arguments."""
        d = Dim(0, ((atom, 1),))
        text = size_text(d, self.sizes) if d.symbols <= self.sizes.keys() else None
        if text is None:
            return None
        leaves = list(dict.fromkeys(map(int, re.findall(r"\{(\d+)\}", text))))
        numbered = re.sub(r"\{(\d+)\}", lambda m: f"_{leaves.index(int(m[1]))}", text)
        return cast(Operand, part(*(self.params[k] for k in leaves), text=numbered, type=INT))

    def given_back(self, x: Asked) -> Abstract:
        """The value that was asked for a number which leaves a set or is read from a key."""
        if x.home is not self.b and x.home not in self.open_blocks:
            self.cut("a number that leaves a set, or is read of a key, depends on a differentiated input")
        return x.of


def _sources(eqn: Eqn, out: Value) -> Iterable[Operand]:
    """The values that an out of an equation with regions depends on: results of its regions, where these are known."""
    if eqn.op is cond:
        return [region.results[eqn.outs.index(out)] for region in eqn.regions]
    if eqn.op is not loop:
        return [*eqn.args, *(x for region in eqn.regions for x in free_values(region))]
    of = loop_view(eqn)
    if out in of.ys:
        return [of.yields[of.ys.index(out)]]
    k = of.finals.index(out) if out in of.finals else None
    return [] if k is None else [of.inits[k], of.results[k]]
