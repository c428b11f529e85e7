"""Objects that depend on the path: which ones can, what says which one it is, and what a path knows about it.

    best = None or a Particle   ->   Choice(code, (None, the particle)), whose code is None or "Particle"
"""

from __future__ import annotations

import ast
import contextlib
import enum
import functools
import re
import types
from collections import ChainMap
from collections.abc import Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from sct.errors import SctError
from sct.frontend.source.parse import source_of
from sct.frontend.state.store import Branch, Store, Told
from sct.frontend.values.abstract_values import (
    Abstract,
    Bound,
    Choice,
    Closure,
    DictRef,
    Instance,
    ListRef,
    ObjRef,
    OptionalTuple,
    Ref,
    Static,
    Tup,
    is_literal,
)
from sct.ir import Builder, Eqn, Fn, Lit, Operand, Value, is_undef
from sct.ir.pytrees.kinds import code_of_member
from sct.ir.types import Link, Optional, Undef
from sct.ops import cond, eq, is_none, lt, ne, not_
from sct.ops.program.attempts import is_caught
from sct.ops.program.effects import part

if TYPE_CHECKING:
    from sct.frontend.state.state import State

__all__ = [
    "among", "by_code", "chosen", "code", "code_of", "definitions", "enum_of", "forks", "implied", "is_kept",
    "is_of_kinds", "is_present", "joined", "may_be_absent", "may_be_chosen", "member_of", "members_by_code",
    "members_of", "mixed", "narrowed", "take", "test_text",
]

_CALLABLE = (types.FunctionType, types.BuiltinFunctionType, type, np.ufunc)


def may_be_chosen(a: Abstract, b: Abstract) -> bool:
    """Can one of these be chosen by the path: are they objects of different kinds, or choices already?"""
    sides = by_code(a), by_code(b)
    if not all(sides):
        return False
    both = sides[0].keys() & sides[1].keys()
    if isinstance(a, Choice) or isinstance(b, Choice):
        return all(sides[0][k] == sides[1][k] or not is_kept(sides[0][k]) for k in both)
    return not both and not (Static(None) in (a, b) and all(v == Static(None) or isinstance(v, Tup) and may_be_absent(v)
                                                             for v in (a, b)))


def may_be_absent(v: Tup | OptionalTuple) -> bool:
    """Can this become a `OptionalTuple`: is it one, or a tuple of numbers and arrays, none of which may be None?"""
    return isinstance(v, OptionalTuple) or bool(v.items) and all(
        isinstance(x, Ref) or isinstance(x, Value) and not isinstance(x.type, (Optional, Undef))
        or is_literal(x) and x != Static(None) for x in v.items)


def members_of(v: Abstract) -> tuple[Abstract, ...]:
    """The objects that this may be; none if it is nothing that can be chosen by the path."""
    if isinstance(v, Choice):
        return v.members
    if isinstance(v, Static) and not isinstance(v, Instance):
        return (v,) if v.value is None or isinstance(v.peek, (enum.Enum, *_CALLABLE)) else ()
    is_method = isinstance(v, Bound) and v.method and isinstance(v.fn, Static) and (
        not isinstance(v.args[0], Value) or isinstance(v.args[0].type, Link))  # exceptions belong to their handlers
    return (v,) if is_method or isinstance(v, (Instance, Closure, ObjRef, DictRef, ListRef, Tup)) else ()


def by_code(v: Abstract) -> dict[str | None, Abstract]:
    """The objects that this may be, by what says which one it is; none where two of them share it."""
    codes = dict(members_by_code(v))
    return codes if len(codes) == len(members_of(v)) else {}


def members_by_code(v: Abstract) -> Iterator[tuple[str | None, Abstract]]:
    """The objects that this may be, each with its code."""
    members = members_of(v)
    codes = v.codes if isinstance(v, Choice) and v.codes is not None else map(code_of, members)
    return zip(codes, members)


def is_kept(v: Abstract) -> bool:
    """Is this an object without parts that depend on the path?"""
    is_number = isinstance(v, Value) and not isinstance(v.type, Link)
    return not is_number and not isinstance(v, (ObjRef, DictRef, ListRef, Ref, Choice, Tup))


def mixed(v: Abstract | None) -> bool:
    """Is this a choice that is not one of members of enums and None alone?"""
    return isinstance(v, Choice) and not all(
        isinstance(m, Static) and (m == Static(None) or isinstance(m.peek, enum.Enum)) for m in v.members)


def enum_of(v: Abstract) -> type[enum.Enum] | None:
    """The enum of which this is a member, or one of several, or None; None of other values."""
    if is_of_kinds(v):
        return None
    members = [m.peek if isinstance(m, Static) else ... for m in members_of(v) if m != Static(None)]
    classes = {type(x) if isinstance(x, enum.Enum) and x in type(x).__members__.values() else None for x in members}
    return classes.pop() if len(classes) == 1 else None


def member_of(store: Store, cls: type[enum.Enum], code: Abstract) -> Abstract:
    """The member of an enum that has this code; None where the code is."""
    every: tuple[Abstract, ...] = *map(Static, cls.__members__.values()),
    if not isinstance(code, Value):
        return next((m for m in every if Static(code_of(m)) == code), Static(None))
    members = (*dict.fromkeys(every), *([Static(None)] if isinstance(code.type, Optional) else []))
    return narrowed(store, Choice(code, members)) if len(members) > 1 else members[0]


def code_of(v: Abstract) -> str | None:
    """The code of this object."""
    if isinstance(v, Static):
        x = v.peek
        if isinstance(v, Instance):
            return ".".join(str(part[-1]) for part in v.path or () if isinstance(part, tuple))
        if isinstance(x, enum.Enum):
            return code_of_member(x)
        if isinstance(x, types.FunctionType):
            return _function(x.__name__, _place_of(x))
        return None if x is None else str(x.__name__)
    if isinstance(v, Closure):
        node: Any = v.node
        return _function("<lambda>", f"{node.lineno}:{node.col_offset}") if isinstance(node, gast.Lambda) else node.name
    if isinstance(v, Bound):
        return f"{code_of(v.args[0])}.{code_of(v.fn)}"
    if isinstance(v, Value):
        assert isinstance(v.type, Link) and v.type.cls is not None
        return v.type.cls.__name__
    assert isinstance(v, (ObjRef, Tup, ListRef, DictRef))
    return v.cls.__name__ if isinstance(v, (ObjRef, Tup)) else "list" if isinstance(v, ListRef) else "dict"


def _place_of(f: types.FunctionType) -> str:
    """The line of a function; of a lambda the column too, since there may be several on a line."""
    with contextlib.suppress(SctError):
        if f.__name__ == "<lambda>":
            node = source_of(f.__code__).node
            return f"{node.lineno}:{node.col_offset}"
    return str(f.__code__.co_firstlineno)


def _function(name: str, place: str) -> str:
    return f"lambda at {place}" if name == "<lambda>" else name


def code(v: Abstract) -> Operand:
    return v.code if isinstance(v, Choice) else Lit(code_of(v))


def chosen(code: Operand, members: Mapping[str | None, Abstract], *like: Abstract | None) -> Choice:
    """The member that this code says, where these are its codes; of several kinds of values if one of `like` is."""
    assert isinstance(code, Value)
    return Choice(code, tuple(members.values()), tuple(members) if any(map(is_of_kinds, like)) else None)


def is_of_kinds(v: Abstract | None) -> bool:
    """Is this a value of one of several kinds?"""
    return isinstance(v, Choice) and v.codes is not None


def among(v: Choice, members: Mapping[str | None, Abstract]) -> Abstract:
    """The choice with these members, by their codes; the member, if it is the only one."""
    (first, *rest) = members.values()
    return chosen(v.code, members, v) if rest else first


# -- what a path knows -----------------------------------------------------------------------------------


def narrowed(store: Store, v: Choice) -> Abstract:
    """The members that it may be on this path; the member, if it is the only one."""
    if v.code not in store.told:
        return v
    inside, codes = store.told[v.code]
    left = {code: m for code, m in members_by_code(v) if (code in codes) is inside}
    return among(v, left) if left else v


def is_present(store: Store, v: Value) -> bool:
    """Is it known on this path that this is not None?"""
    among, codes = store.told.get(v, (True, {None}))
    return (None in codes) is not among


def forks(ev: State, test: Operand) -> tuple[Branch, Branch]:
    """The paths on which a test holds and on which it does not."""
    branches = ev.fork(), ev.fork()
    for branch, holds in zip(branches, (True, False)):
        _learn(branch.store, definitions(ev), test, holds)
        if ev.functions.plan.kinds:
            _learn_kinds(branch.store, definitions(ev), test, holds)
    return branches


def take(ev: State, test: Operand, holds: bool, block: Builder) -> None:
    """Notes what a test says about choices where it holds, or does not: on this path; `block` computes it."""
    _learn(ev.store, definitions(ev, block), test, holds)
    if ev.functions.plan.kinds:
        _learn_kinds(ev.store, definitions(ev, block), test, holds)


def definitions(ev: State, *more: Builder) -> Mapping[Any, Eqn]:
    """The equations of the blocks that are open, by what they bind."""
    blocks: list[Any] = [b.defs for b in (*more, ev.b, *ev.open_blocks)]
    return ChainMap(*blocks, ev.defs)


def _learn(store: Store, defs: Mapping[Any, Eqn], test: Operand, holds: bool) -> None:
    """Notes on a path what a test says about choices, where it holds or does not."""
    for code, members, is_one in implied(defs, test, holds):
        among, codes = store.told.get(code, (False, frozenset()))
        if is_one:
            both = members & codes if among else members - codes
            store.told[code] = True, frozenset(both or members)
        elif not among:
            store.told[code] = False, codes | members


def _learn_kinds(store: Store, defs: Mapping[Any, Eqn], test: Operand, holds: bool) -> None:
    """Notes of which kinds a value may be where a test of several kinds holds, or does not."""
    eqn = defs.get(test) if isinstance(test, Value) else None
    for code in dict.fromkeys(_tested_codes(defs, test)) if eqn is not None and eqn.op is cond else ():
        left = _both(store.told.get(code, ANYTHING), _allowed(defs, test, holds, code))
        if left != ANYTHING:
            store.told[code] = left


ANYTHING: Told = (False, frozenset())
"""Nothing is known of a choice: its code is none of no codes."""


def _both(a: Told, b: Told) -> Told:
    """What is known where both facts hold."""
    (p, x), (q, y) = sorted((a, b), reverse=True)
    return (True, x & y if q else x - y) if p else (False, x | y)


def _either(a: Told, b: Told) -> Told:
    """What is known where one of two facts holds."""
    inside, codes = _both(*((not inside, codes) for inside, codes in (a, b)))
    return not inside, codes


def _tested_codes(defs: Mapping[Any, Eqn], test: Operand) -> Iterator[Value]:
    """The codes that a test asks for, which is a choice between answers."""
    eqn = defs.get(test) if isinstance(test, Value) else None
    if eqn is None:
        return
    if eqn.op is cond:
        yield from (code for code, _, _ in implied(defs, eqn.args[0], True))
        yield from _tested_codes(defs, eqn.args[0])
        for region in eqn.regions:
            inner = {**defs, **{out: e for e in region.eqns for out in e.outs}}
            yield from _tested_codes(inner, region.results[eqn.outs.index(test)])
    elif eqn.op is not_:
        yield from _tested_codes(defs, eqn.args[0])


def _allowed(defs: Mapping[Any, Eqn], test: Operand, holds: bool, code: Value) -> Told:
    """The codes with which a test may hold, or may not."""
    if isinstance(test, Lit):
        return ANYTHING if bool(test.value) == holds else (True, frozenset())
    eqn = defs.get(test)
    if eqn is None:
        return ANYTHING
    if eqn.op is not_:
        return _allowed(defs, eqn.args[0], not holds, code)
    if eqn.op is cond:
        sides: list[Told] = []
        for region, answer in zip(eqn.regions, (True, False)):
            inner = {**defs, **{out: e for e in region.eqns for out in e.outs}}
            there = _allowed(inner, region.results[eqn.outs.index(test)], holds, code)
            sides.append(_both(_allowed(defs, eqn.args[0], answer, code), there))
        return _either(*sides)
    facts = [(is_one, frozenset(members)) for c, members, is_one in implied(defs, test, holds) if c is code]
    return functools.reduce(_both, facts, ANYTHING)


def joined(left: Store, right: Store) -> dict[Value, Told]:
    """The facts that hold on both paths."""
    if left.dead or right.dead:
        return dict(right.told if left.dead else left.told)
    either = {code: _either(told, right.told[code]) for code, told in left.told.items() if code in right.told}
    return {code: told for code, told in either.items() if told[1]}


def implied(defs: Mapping[Any, Eqn], test: Operand, holds: bool) -> Iterator[tuple[Value, Set[str | None], bool]]:
    """(code, members, whether it is one of them): what follows if a test holds, or does not."""
    eqn = defs.get(test) if isinstance(test, Value) else None
    if eqn is None:
        return
    if eqn.op is not_:
        yield from implied(defs, eqn.args[0], not holds)
    elif eqn.op is is_none and isinstance(eqn.args[0], Value):
        yield eqn.args[0], {None}, holds
    elif eqn.op is part and (named := _tested(eqn.attrs["text"])) is not None and isinstance(eqn.args[0], Value):
        yield eqn.args[0], {*named[0]}, holds is named[1]
        yield from _implied_by_code(defs, eqn.args[0], {*named[0]}, holds is named[1])
    elif eqn.op in (eq, ne) and len(texts := _texts(eqn)) == 1:
        yield texts[0][0], {texts[0][1]}, holds is (eqn.op is eq)
    elif eqn.op is is_caught or eqn.op is part and eqn.attrs["text"].startswith("_0 is "):
        yield eqn.out, {str(holds)}, True
    elif eqn.op is cond:
        k = eqn.outs.index(test)
        for side in (0, 1):
            stop, went = eqn.regions[1 - side].results[k], eqn.regions[side]
            if isinstance(stop, Lit) and bool(stop.value) != holds:
                yield from implied(defs, eqn.args[0], side == 0)
                inner = {**defs, **{out: e for e in went.eqns for out in e.outs}}
                yield from implied(inner, went.results[k], holds)
    elif eqn.op in (eq, lt) and isinstance(exit_code := eqn.args[0], Value) and isinstance(least := eqn.args[1], Lit):
        join = defs.get(exit_code)  # a path that has left the block has another code than one that goes on in it
        if join is not None and join.op is cond:
            codes = [region.results[join.outs.index(exit_code)] for region in join.regions]
            for side, code in enumerate(reversed(codes)):
                if not isinstance(code, Lit):
                    continue
                if is_undef(code) or bool(eqn.op.run(code.value, least.value)) != holds:  # type: ignore[misc]
                    yield from implied(defs, join.args[0], side == 0)


def _implied_by_code(defs: Mapping[Any, Eqn], code: Value, members: Set[str | None], is_one: bool
                     ) -> Iterator[tuple[Value, Set[str | None], bool]]:
    """What follows if a code is one of these, or none of them, that is itself chosen by a test: which method is called
    says of which class the object is that the method was chosen by."""
    eqn = defs.get(code)
    if eqn is None or eqn.op is not cond:
        return
    k = eqn.outs.index(code)
    for side in (0, 1):
        went = eqn.regions[side]
        others = _codes_of(eqn.regions[1 - side], k)
        if others is None or any((c in members) is is_one for c in others):
            continue  # that path may have been taken
        yield from implied(defs, eqn.args[0], side == 0)
        if isinstance(chosen_there := went.results[k], Value):
            yield chosen_there, members, is_one
            inner = {**defs, **{out: e for e in went.eqns for out in e.outs}}
            yield from _implied_by_code(inner, chosen_there, members, is_one)


def _codes_of(path: Fn, k: int) -> Set[str | None] | None:
    """The codes that the result `k` of a path may be; None where that is not known."""
    result = path.results[k]
    if isinstance(result, Lit):
        return None if is_undef(result) else {result.value}
    eqn = next((e for e in path.eqns if result in e.outs), None)
    if eqn is None or eqn.op is not cond:
        return None
    sides = [_codes_of(region, eqn.outs.index(result)) for region in eqn.regions]
    return None if None in sides else frozenset().union(*sides)  # type: ignore[arg-type]


def test_text(member: str, answer: bool) -> str:
    """The text of the test that a code says this member, or another one."""
    return f"_0 {'==' if answer else '!='} {member!r}"


def _texts(eqn: Eqn) -> list[tuple[Value, str]]:
    """The text of run time and the known one that a comparison compares."""
    a, b = eqn.args
    return [(x, y.value) for x, y in ((a, b), (b, a)) if isinstance(x, Value) and isinstance(y, Lit)
            and type(y.value) is str]


def _tested(text: Any) -> tuple[list[str], bool] | None:
    """The members that this tests for, and the answer of the test."""
    if not isinstance(text, str):
        return None
    if (match := re.fullmatch(r"""_0 ([=!]=) ('.*'|".*")""", text)) is not None:
        return [ast.literal_eval(match[2])], match[1] == "=="
    match = re.fullmatch(r"_0 (in|not in) (\[.*\])", text)
    return None if match is None else (ast.literal_eval(match[2]), match[1] == "in")
