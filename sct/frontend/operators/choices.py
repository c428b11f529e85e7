"""Objects that depend on the path: what is done with one is done for each, as the code of the choice says.

    state = State.RUN if c else State.STOP; state is State.RUN   ->   state = "State.RUN" ...; state == "State.RUN"
"""

from __future__ import annotations

import copy
import re
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sct.errors import SctError, user_text
from sct.frontend.arguments.lift import opaque
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.handlers import Args, Kwargs, called, settling
from sct.frontend.evaluator.lookup_guards import in_class, in_parents
from sct.frontend.heap.inactive import OBSERVED_BEFORE
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.iteration.iterator_protocol import iterable
from sct.frontend.objects.linked_objects import by_class, is_row_display, may_be_absent, may_be_several
from sct.frontend.objects.row_attributes import as_it_is_now, copied
from sct.frontend.state.choices import (
    among,
    is_of_kinds,
    is_present,
    members_by_code,
    narrowed,
    test_text,
)
from sct.frontend.state.fixpoint import Dead
from sct.frontend.state.observed_types import owner_place
from sct.frontend.values.abstract_values import Abstract, Choice, Container, Static, Tup
from sct.frontend.values.guards import NeedsStatic
from sct.frontend.values.item_kinds import is_number, is_text
from sct.ir import Operand, Value
from sct.ir.pytrees.user_objects import is_container, is_defined_by_user
from sct.ir.types import BOOL, Optional
from sct.ops import is_none, not_
from sct.ops.program.effects import part

__all__ = ["check_kinds", "distributed", "for_each", "for_each_argument", "for_each_row", "is_one_of_several",
           "method_by_class", "of_parts", "parts_of_kinds", "settled", "told"]


def is_one_of_several(v: Abstract) -> bool:
    """Is this one of several objects, by the path, or an object of one of several classes, or a dict that is a row?"""
    return isinstance(v, Choice) or may_be_several(v) or is_row_display(v)


def for_each(ev: Evaluator, v: Abstract, do: Callable[[Abstract], Abstract]) -> Abstract:
    """`do(v)`, for the member that it is; a dict that is a row is one that is only read."""
    return for_each_row(ev, v, lambda m: do(as_it_is_now(ev, m)))


def for_each_row(ev: Evaluator, v: Abstract, do: Callable[[Abstract], Abstract]) -> Abstract:
    """The same, with rows as they are."""
    if isinstance(v, Value) and is_one_of_several(v):
        return _where_present(ev, v, lambda link: _for_each_member(ev, by_class(ev, link), do), do)
    return _for_each_member(ev, v, do)


def _for_each_member(ev: Evaluator, v: Abstract, do: Callable[[Abstract], Abstract]) -> Abstract:
    v = narrowed(ev.store, v) if isinstance(v, Choice) else v
    if not isinstance(v, Choice):
        return do(v)
    (code, first), *rest = members_by_code(v)

    def of_first() -> Abstract:
        return _for_each_member(ev, first, do)

    if not rest:
        return of_first()
    return evaluate_branches(  # type: ignore[no-any-return]
        ev, _is(ev, v, code), of_first, lambda: _for_each_member(ev, among(v, dict(rest)), do))


def parts_of_kinds(ev: Evaluator, v: Abstract, part: Callable[[Abstract], Abstract | None],
                   do: Callable[[Abstract], Abstract],
                   of_all: Callable[[Choice, dict[str | None, Abstract]], Abstract] | None = None) -> Abstract:
    """`do(v)`, which reads `part(v)` of records of several kinds: that part of each kind, which depends on the path as
    the record does.  Records that have no such part are told apart by a test.

    of_all  makes the result of those that have it, and of their parts
    """
    v = narrowed(ev.store, v) if isinstance(v, Choice) else v
    if not is_of_kinds(v):
        return for_each(ev, v, do)
    assert isinstance(v, Choice)
    parts = [(code, m, part(m)) for code, m in members_by_code(v)]
    for code, member, x in parts:
        if x is None:
            rest = among(v, {other: m for other, m in members_by_code(v) if other != code})
            return evaluate_branches(  # type: ignore[no-any-return]
                ev, _is(ev, v, code), lambda: do(member),  # noqa: B023
                lambda: parts_of_kinds(ev, rest, part, do, of_all))  # noqa: B023
    of_each = {code: x for code, _, x in parts if x is not None}
    return of_parts(ev, v, of_each) if of_all is None else of_all(v, of_each)


@settling
def settled(ev: Evaluator, v: Choice) -> Abstract:
    """A number of one of several kinds, or None, as one number; the text that says the kind as the code."""
    if all(is_text(m) and m == Static(code) for code, m in members_by_code(v)):
        return ev.bound(v.code)
    if not all(m == Static(None) or is_number(m) for m in v.members):
        return v
    return for_each(ev, v, lambda m: m)


def of_parts(ev: Evaluator, v: Choice, parts: dict[str | None, Abstract]) -> Abstract:
    """The part of a value of several kinds, by their codes."""
    first, *rest = parts.values()
    if all(x == first for x in rest):
        return first
    return Choice(v.code, tuple(parts.values()), tuple(parts))


def _where_present(ev: Evaluator, v: Value, do: Callable[[Value], Abstract], none: Callable[[Abstract], Abstract]
                   ) -> Abstract:
    """`do` of an object that may be None, where it is there, otherwise `none` of None."""
    v = ev.bound(v)  # type: ignore[assignment]
    if not isinstance(v.type, Optional) or is_present(ev.store, v):
        return do(ev.defined(v))
    return evaluate_branches(  # type: ignore[no-any-return]
        ev, ev.emit(is_none, v), lambda: none(Static(None)), lambda: do(ev.defined(v)))


def check_kinds(ev: Evaluator, *values: Abstract) -> None:
    """Refuses to compare two values of several kinds that may be containers: each kind with each, at every depth."""
    if all(is_of_kinds(v) and any(isinstance(m, (Tup, Container)) for m in v.members)  # type: ignore[union-attr]
           for v in values):
        ev.refuse("SCT503", "a comparison of two values of several kinds is not supported",
                  why="each of them may be a tuple, a list or a dict", hint="compare the numbers or strings in them")


def told(ev: Evaluator, v: Abstract, test: Callable[[Abstract], Abstract]) -> Abstract:
    """A test that is known for each member, as a test of the code."""
    if isinstance(v, Value) and (is_one_of_several(v) or may_be_absent(v)):
        return _where_present(ev, v, lambda link: _told_of_member(ev, by_class(ev, link), test), test)
    return _told_of_member(ev, v, test)


def _told_of_member(ev: Evaluator, v: Abstract, of: Callable[[Abstract], Abstract]) -> Abstract:
    def test(m: Abstract) -> Abstract:
        return of(as_it_is_now(ev, m))

    if not isinstance(v, Choice):
        return test(v)
    answers = [(code, _tried(ev, lambda: test(m))) for code, m in members_by_code(v)]  # noqa: B023
    decided = [(code, x.value) for code, x in answers if isinstance(x, Static) and isinstance(x.value, bool)]
    if len(decided) < len(answers):
        return for_each(ev, v, of)
    for answer in (True, False):
        rare = [code for code, x in decided if x is answer]
        if not rare:
            return Static(not answer)
        if len(rare) == 1:
            return ev.wrap(_is(ev, v, rare[0], answer))
    return for_each(ev, v, of)


def _tried(ev: Evaluator, test: Callable[[], Abstract]) -> Abstract | None:
    """The answer of a test on a path of its own, which leaves no trace."""
    with ev.inside(ev.fork()):
        try:
            return test()
        except (Dead, SctError, NeedsStatic):
            return None


def _is(ev: Evaluator, v: Choice, code: str | None, answer: bool = True) -> Operand:
    which = ev.bound(v.code)
    assert isinstance(which, Value)
    if code is None:
        absent = ev.emit(is_none, which)
        return absent if answer else ev.emit(not_, absent)  # type: ignore[no-any-return]
    test: Operand = ev.emit(part, which, text=test_text(code, answer), type=BOOL)
    return test


def distributed(ev: Evaluator, values: Sequence[Abstract], do: Callable[[list[Abstract]], Abstract]) -> Abstract | None:
    """`do(values)`, for the member that the first choice among them is; None if there is none."""
    k = next((k for k, v in enumerate(values) if is_one_of_several(v)), None)
    if k is None:
        return None
    return for_each(ev, values[k], lambda m: do([*values[:k], m, *values[k + 1:]]))


def for_each_argument(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract | None:
    """A call of a function that is not the user's with an argument that is one of several objects."""
    if isinstance(fn.value, type) and is_container(fn.value):
        return None
    if (fn.value is isinstance or fn.value is callable) and args and (
            is_one_of_several(args[0]) or may_be_absent(args[0])):
        return told(ev, args[0], lambda m: ev.call(fn, [m, *args[1:]], kwargs))
    if fn.value is type and len(args) == 1 and may_be_several(args[0]) and not may_be_absent(args[0]):
        return None
    if any(fn.value is f for f in _GIVE_ITEMS) and any(isinstance(a, Choice) for a in args):
        items = [iterable(ev, a) if isinstance(a, Choice) else a for a in args]
        if items != list(args):
            return ev.call(fn, items, kwargs)
    if fn.value in (copy.copy, dict) and len(args) == 1 and not kwargs and is_row_display(args[0]):
        return for_each_row(ev, args[0], lambda m: copied(ev, m))
    values = [*args, *kwargs.values()]
    kept = kwargs.values() if _only_reads(fn.value) else values
    if any(map(is_row_display, kept)):
        return None
    return distributed(ev, values, lambda vs: ev.call(fn, vs[:len(args)], dict(zip(kwargs, vs[len(args):]))))


_GIVE_ITEMS = (enumerate, filter, iter, map, reversed, zip)
"""Functions that give the items of their arguments: of a list or a tuple alike."""


_READERS = (*_GIVE_ITEMS, all, any, bool, dict, frozenset, hasattr, hash, len, list, max, min, print, repr,
            set, sorted, str, sum, tuple, type)
"""Functions that look at a dict or a tuple, and do not keep it."""


def _only_reads(f: Any) -> bool:
    return any(f is g for g in _READERS) or str(getattr(f, "__module__", "")).partition(".")[0] in ("math", "numpy")


@called(Choice)
def call_member(ev: Evaluator, fn: Any, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of a member that has a `__call__`."""
    return for_each(ev, fn, lambda m: ev.call(m, args, kwargs))


# -- methods of objects of Python ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _OfClass:
    """The method that a name is for objects of a class.

    where  the class that has it: its own, or one that it inherits from
    form   how it is read there: `_1.value`
    bound  what comes before its arguments, if that is known: the class of a class method, nothing of a static one
    """

    function: types.FunctionType
    where: type
    form: str
    bound: tuple[type, ...] | None = None

    @property
    def test(self) -> str:
        """Is `_0`, a method of an object, this method?"""
        if self.bound == ():
            return f"_0 is {self.form}"
        of_class = " and _0.__self__ is _2" if self.bound else ""
        return f"getattr(_0, '__func__', None) is {self.form}{of_class}"


def _method_of(ev: Evaluator, kind: str, cls: type, name: str, behind: type | None) -> _OfClass | None:
    """The method of this name, of objects of the class or of the class itself; None if it is none of the user's.

    behind  the class behind which `super` looks for it
    """
    raw, where = in_class(ev, cls, name) if behind is None else in_parents(ev, cls, behind, name)
    f = getattr(raw, "__func__", raw) if isinstance(raw, (staticmethod, classmethod)) else raw
    if not isinstance(f, types.FunctionType) or not is_defined_by_user(where) or \
            (kind == "class") != isinstance(raw, classmethod):
        return None
    if isinstance(raw, classmethod):
        return _OfClass(f, where, f"_1.{name}.__func__", (cls,))
    return _OfClass(f, where, f"_1.{name}", () if isinstance(raw, staticmethod) else None)


def method_by_class(ev: Evaluator, method: Value, args: Args, kwargs: Kwargs) -> Abstract | None:
    """The call of a method of an object that sct does not see into: for each class that it had, that of the class.

        node.value(x)    ->    Sum.value(node, x) if getattr(node.value, "__func__", None) is Sum.value else ...

    None where no class was observed, where the method is one of a library, and where another callable was observed.
    """
    eqn = ev.defs[method]
    of_method = re.fullmatch(r"(_0|super\(_1, _0\))\.(\w+)", str(eqn.attrs["text"]))
    owner = eqn.args[0] if eqn.args else None
    if of_method is None or not isinstance(owner, Value) or eqn.loc is None or not ev.observed(eqn.loc) or \
            not ev.observed(eqn.loc) <= {("object", types.MethodType), ("object", types.FunctionType)}:
        return None
    behind = ev.leaf_of(eqn.args[1]) if len(eqn.args) > 1 and isinstance(eqn.args[1], Value) else None
    of_classes = {t[:2] for t in ev.observed(owner_place(eqn.loc)) if t[0] in ("object", "class")}
    methods = [_method_of(ev, kind, cls, of_method[2], behind)
             for kind, cls in sorted(of_classes, key=lambda t: str(t[1].__qualname__))]
    if not methods or None in methods:
        return None

    def call(rest: Sequence[_OfClass]) -> Abstract:
        if not rest:
            with ev.tries.none():  # sct raises it, not the function
                raise_at_run_time(ev, "TypeError", f"the class of the object of {user_text(eqn.loc)} is not "
                                  f"known{OBSERVED_BEFORE}")
        m, *others = rest
        classes = [opaque(ev, Static(cls, (cls,))) for cls in (m.where, *(m.bound or ()))]
        named = ev.emit(part, method, *classes, text=m.test, type=BOOL)
        path = (m.where, *(("attr", name) for name in m.form.split(".")[1:]))
        before = [owner] if m.bound is None else [Static(cls, (cls,)) for cls in m.bound]
        return evaluate_branches(  # type: ignore[no-any-return]
            ev, named, lambda: ev.call(Static(m.function, path), [*before, *args], kwargs), lambda: call(others))

    return call([*dict.fromkeys(m for m in methods if m is not None)])
