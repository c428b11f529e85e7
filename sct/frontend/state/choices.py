"""Objects that depend on the path: which ones can, what says which one it is, and what a path knows about it.

    best = None or a Particle   ->   Choice(code, (None, the particle)), whose code is None or "Particle"
"""

from __future__ import annotations

import ast
import contextlib
import enum
import re
import types
from collections import ChainMap
from collections.abc import Iterator, Mapping
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
from sct.ir import Builder, Eqn, Lit, Operand, Value, is_undef
from sct.ir.types import Link, Optional, Undef
from sct.ops import cond, eq, is_none, lt, not_
from sct.ops.program.attempts import is_caught
from sct.ops.program.effects import part

if TYPE_CHECKING:
    from sct.frontend.state.state import State

__all__ = [
    "by_code", "chosen", "code", "code_of", "forks", "is_kept", "joined", "may_be_absent", "may_be_chosen",
    "members_of", "is_present", "mixed", "narrowed", "take", "test_text",
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
    is_method = isinstance(v, Bound) and v.method and isinstance(v.fn, Static)
    return (v,) if is_method or isinstance(v, (Instance, Closure, ObjRef, DictRef, ListRef, Tup)) else ()


def by_code(v: Abstract) -> dict[str | None, Abstract]:
    """The objects that this may be, by what says which one it is; none where two of them share it."""
    members = members_of(v)
    codes = {code_of(m): m for m in members}
    return codes if len(codes) == len(members) else {}


def is_kept(v: Abstract) -> bool:
    """Is this an object without parts that depend on the path?"""
    return not isinstance(v, (ObjRef, DictRef, ListRef, Tup))


def mixed(v: Abstract | None) -> bool:
    """Is this a choice that is not one of members of enums and None alone?"""
    return isinstance(v, Choice) and not all(
        isinstance(m, Static) and (m == Static(None) or isinstance(m.peek, enum.Enum)) for m in v.members)


def code_of(v: Abstract) -> str | None:
    """The code of this object."""
    if isinstance(v, Static):
        x = v.peek
        if isinstance(v, Instance):
            return ".".join(str(part[-1]) for part in v.path or () if isinstance(part, tuple))
        if isinstance(x, enum.Enum):
            return f"{type(x).__name__}.{x.name}"
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


def chosen(code: Operand, members: tuple[Abstract, ...]) -> Choice:
    """The member that this code says."""
    assert isinstance(code, Value)
    return Choice(code, members)


# -- what a path knows -----------------------------------------------------------------------------------


def narrowed(store: Store, v: Choice) -> Abstract:
    """The members that it may be on this path; the member, if it is the only one."""
    if v.code not in store.told:
        return v
    among, codes = store.told[v.code]
    left = tuple(m for m in v.members if (code_of(m) in codes) is among)
    return left[0] if len(left) == 1 else Choice(v.code, left) if left else v


def is_present(store: Store, v: Value) -> bool:
    """Is it known on this path that this is not None?"""
    among, codes = store.told.get(v, (True, {None}))
    return (None in codes) is not among


def forks(ev: State, test: Operand) -> tuple[Branch, Branch]:
    """The paths on which a test holds and on which it does not."""
    branches = ev.fork(), ev.fork()
    for branch, holds in zip(branches, (True, False)):
        _learn(branch.store, _definitions(ev), test, holds)
    return branches


def take(ev: State, test: Operand, holds: bool, block: Builder) -> None:
    """Notes what a test says about choices where it holds, or does not: on this path; `block` computes it."""
    _learn(ev.store, _definitions(ev, block), test, holds)


def _definitions(ev: State, *more: Builder) -> Mapping[Any, Eqn]:
    blocks: list[Any] = [b.defs for b in (*more, ev.b, *ev.open_blocks)]
    return ChainMap(*blocks, ev.defs)


def _learn(store: Store, defs: Mapping[Any, Eqn], test: Operand, holds: bool) -> None:
    """Notes on a path what a test says about choices, where it holds or does not."""
    for code, member, is_it in _implied(defs, test, holds):
        among, codes = store.told.get(code, (False, frozenset()))
        if is_it:
            store.told[code] = True, frozenset({member})
        elif not among:
            store.told[code] = False, codes | {member}


def joined(left: Store, right: Store) -> dict[Value, Told]:
    """The facts that hold on both paths."""
    if left.dead or right.dead:
        return dict(right.told if left.dead else left.told)
    both = {}
    for code in left.told.keys() & right.told.keys():
        (p, a), (q, b) = sorted((left.told[code], right.told[code]), key=lambda t: t[0])
        both[code] = (p, a | b) if p and q else (False, a & b if p is q else a - b)
    return {code: told for code, told in both.items() if told[1]}


def _implied(defs: Mapping[Any, Eqn], test: Operand, holds: bool) -> Iterator[tuple[Value, str | None, bool]]:
    """(code, member, whether it is that member): what follows if a test holds, or does not."""
    eqn = defs.get(test) if isinstance(test, Value) else None
    if eqn is None:
        return
    if eqn.op is not_:
        yield from _implied(defs, eqn.args[0], not holds)
    elif eqn.op is is_none and isinstance(eqn.args[0], Value):
        yield eqn.args[0], None, holds
    elif eqn.op is part and (named := _tested(eqn.attrs["text"])) is not None and isinstance(eqn.args[0], Value):
        yield eqn.args[0], named[0], holds is named[1]
    elif eqn.op is is_caught or eqn.op is part and eqn.attrs["text"].startswith("_0 is "):
        yield eqn.out, str(holds), True
    elif eqn.op is cond:
        k = eqn.outs.index(test)
        for side in (0, 1):
            stop, went = eqn.regions[1 - side].results[k], eqn.regions[side]
            if isinstance(stop, Lit) and bool(stop.value) != holds:
                yield from _implied(defs, eqn.args[0], side == 0)
                inner = {**defs, **{out: e for e in went.eqns for out in e.outs}}
                yield from _implied(inner, went.results[k], holds)
    elif eqn.op in (eq, lt) and isinstance(exit_code := eqn.args[0], Value) and isinstance(least := eqn.args[1], Lit):
        join = defs.get(exit_code)  # a path that has left the block has another code than one that goes on in it
        if join is not None and join.op is cond:
            codes = [region.results[join.outs.index(exit_code)] for region in join.regions]
            for side, code in enumerate(reversed(codes)):
                if not isinstance(code, Lit):
                    continue
                if is_undef(code) or bool(eqn.op.run(code.value, least.value)) != holds:  # type: ignore[misc]
                    yield from _implied(defs, join.args[0], side == 0)


def test_text(member: str, answer: bool) -> str:
    """The text of the test that a code says this member, or another one."""
    return f"_0 {'==' if answer else '!='} {member!r}"


def _tested(text: Any) -> tuple[str, bool] | None:
    """The member that this tests for, and the answer of the test."""
    match = re.fullmatch(r"""_0 ([=!]=) ('.*'|".*")""", text) if isinstance(text, str) else None
    return None if match is None else (ast.literal_eval(match[2]), match[1] == "==")
