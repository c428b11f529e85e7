"""Operations that may raise what a `try` in progress handles: an attempt, and two paths behind it.

    try:                             ok, e, y = attempt(x, of="log", catches=("ValueError",))
        y = math.log(x)        ->    the evaluation goes on where it has not raised;
        z = y * 2.0                  a copy of the store is kept for the path on which it has
    except ValueError: ...

The paths that have raised stay open until the block of equations ends in which they stand: `try_statement` then
joins them.  The slot `<raised>` of the `try` tells there whether a path has raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from sct.errors import SctError
from sct.frontend.source.changing_calls import writes_log
from sct.frontend.state.fixpoint import Dead, Raised
from sct.frontend.state.state import State
from sct.frontend.state.store import Branch
from sct.frontend.state.tries import BlockPosition, Class, Split
from sct.frontend.values.abstract_values import Array, Key, Ref, Static, Tup
from sct.ir import Builder, Eqn, Fn, Lit, Op, Operand, Value, is_float, walk
from sct.ir.real_ints import counts_as_real
from sct.ir.types import List, MutableException, Optional, Tensor, Undef, base_type
from sct.ops import aliases, apply, attempt, index, is_none, raise_, unwrap
from sct.ops.arrays.indexing import split
from sct.ops.program.attempts import is_of_raise, may_not_repeat, trial, trial_in_place
from sct.ops.program.effects import OBJECT, python
from sct.ops.program.uses_of_none import raises_type_error
from sct.ops.registry import ELEMENTWISE, has_unproved_size_requirement, may_raise

__all__ = ["NOT_ANSWERED", "Attempts", "check_recomputable", "exceptions_of"]


_OF_LARGE_INTS = TypeError, OverflowError, ZeroDivisionError, FloatingPointError
"""What NumPy's functions raise of Python's ints that are too large for its own: it uses Python's arithmetic."""

_LINALG = np.linalg.LinAlgError, ValueError
_BY_VALUE = {"div": (ZeroDivisionError, OverflowError), "floordiv": (ZeroDivisionError, OverflowError),
             "mod": (ZeroDivisionError, OverflowError), "pow": (ZeroDivisionError, OverflowError, ValueError),
             "int": (ValueError, OverflowError, TypeError), "index": (IndexError,), "store": (IndexError,),
             "remove_at": (IndexError,), "unwrap": (UnboundLocalError,), "first_max": (ValueError,),
             "first_min": (ValueError,), "order": (ValueError,), "sum_list": (ValueError,),
             "fsum_list": (ValueError, OverflowError)}

NOT_ANSWERED = "sct does not "
"""What the messages of exceptions begin with that only the derivative raises."""

_RAISES_OBJECTS = "raise an exception with an object, or with a list or dict that may have changed since it was made"

_OF_NUMBERS = ("first_max", "first_min", "order", "sum_list", "fsum_list")
"""Ops whose exceptions are known for lists of numbers alone: None is not compared."""


def exceptions_of(eqn: Eqn) -> tuple[type[BaseException], ...]:
    """The classes of the exceptions that the equation may raise."""
    name, spelling = eqn.op.name, eqn.spelling or ""
    if eqn.op is unwrap and not isinstance(eqn.args[0].type, (Optional, Undef)):
        return ()  # what takes the list has been attempted
    silent = eqn.op is attempt or is_of_raise(eqn) or name in ("enter", "leave", "print_")
    if silent or not eqn.primal or eqn.regions or not may_raise(eqn):
        return ()
    if eqn.op is unwrap and isinstance(eqn.args[0].type, Optional):
        return (TypeError,)
    if eqn.op.square or eqn.op.raises == "value" and spelling.startswith("numpy.linalg."):
        return _LINALG
    if spelling.startswith("math."):
        return ValueError, OverflowError, TypeError
    unproved = (ValueError,) if has_unproved_size_requirement(eqn) else ()
    if eqn.op in ELEMENTWISE and spelling.startswith("numpy.") and name not in _BY_VALUE and is_float(eqn.out):
        return (*_OF_LARGE_INTS, *unproved)
    of_numbers = all(isinstance(a.type.elem, Tensor) for a in eqn.args if isinstance(a.type, List))
    if eqn.op.raises == "value" and (name not in _BY_VALUE or name in _OF_NUMBERS and not of_numbers):
        return (Exception,)
    by_size = (ValueError,) if name not in _BY_VALUE else unproved
    return tuple(dict.fromkeys((*_BY_VALUE.get(name, ()), *_of_positions(eqn), *by_size)))


def _of_positions(eqn: Eqn) -> Iterator[type[BaseException]]:
    """What a read or a write raises where positions are no ints, where the step of a slice may be 0, where a slice of a
    list with a step gets another number of items, and where a float becomes an int."""
    first = {"index": 1, "store": 2, "remove_at": 1}.get(eqn.op.name)
    if first is None:
        return
    positions = eqn.args[first:]
    if not all(isinstance(i.type, Tensor) and i.type.kind in "bi" for i in positions if i != Lit(None)):
        yield TypeError
    slices = [i for i in split(eqn.attrs.get("key", ("i",)), positions) if isinstance(i, slice)]
    of_list = eqn.op.name == "store" and isinstance(eqn.args[0].type, List)
    if any(i.step is not None and (of_list or isinstance(i.step, Value)) for i in slices):
        yield ValueError
    t, value = base_type(eqn.args[0].type), base_type(eqn.args[1].type) if eqn.op.name == "store" else None
    if isinstance(t, Tensor) and t.kind == "i" and isinstance(value, Tensor) and not value.is_array:
        yield from (ValueError, OverflowError) if value.kind == "f" else (OverflowError,) if t.dtype != "i64" else ()


def _runs_own_code(cls: type) -> bool:
    """Does making an exception of this class run code of the user?"""
    return any(c.__module__ != "builtins" and not {"__init__", "__new__"}.isdisjoint(vars(c)) for c in cls.__mro__)


class Attempts(State):
    """Attempts what may raise an exception that is handled, and raises known exceptions."""

    def catches(self, eqn: Eqn) -> list[Class]:
        """The classes of exceptions that the equation may raise, as far as they are handled."""
        callee = eqn.args[0] if eqn.op is apply else None
        if eqn in self.tries.certain or isinstance(callee, Value) and writes_log(self.leaf_of(callee)):
            return []
        raised = exceptions_of(eqn.replace(args=tuple(map(self.sized, eqn.args))))  # sizes may fit by a guard
        handled = list(dict.fromkeys(self.tries.handled))
        if Exception in raised:
            return handled
        return [Class(r) for r in raised if any(c.may_catch((r,)) for c in handled)]

    def sized(self, x: Operand) -> Operand:
        """The operand with the sizes that guards give it."""
        return Value(self.resolved(x.type), x.hint, x.dim) if isinstance(x, Value) else x

    def uncaught(self, eqns: Sequence[Eqn]) -> Eqn | None:
        """The first equation, in regions too, that may raise what is handled and is not attempted."""
        if not self.tries.handled:
            return None
        return next((eqn for eqn in walk(Fn("", (), tuple(eqns), ())) if self.catches(eqn)), None)

    def check_operands_that_may_be_none(self, eqn: Eqn) -> None:
        """Refuses an operation in a `try` on a value that may be None, unless Python raises TypeError there.

        The value is taken for one that is not None: where it is None, the path has gone to a handler.
        """
        for k, x in enumerate(eqn.args if self.tries.taken else ()):
            by = self.defs.get(x) if isinstance(x, Value) else None
            if by is not None and by.op is unwrap and by.args[0] in self.tries.taken:
                if not raises_type_error(eqn.replace(args=tuple(map(self.sized, eqn.args))), k):
                    self.refuse_none("what Python does with None here is not known")
                self.tries.taken.discard(by.args[0])

    def check_uses_of_taken(self, eqns: Sequence[Eqn]) -> None:
        """Refuses the body of a `try` that takes a value for one that is not None, and does no operation on it."""
        for eqn in walk(Fn("", (), tuple(eqns), ())) if self.tries.taken else ():
            if eqn in self.tries.certain and not self.tries.taken.isdisjoint(eqn.args):
                with self.at(eqn.loc or self.loc):
                    self.refuse_none("what Python does with None here is not known")

    def attempt_last(self) -> tuple[Value, ...]:
        """Makes the last equation an attempt, if it may raise an exception that is handled; returns its results."""
        tries, eqn = self.tries, self.b.eqns[-1]
        if self.b not in tries.blocks or not (caught := self.catches(eqn)):
            return eqn.outs
        if (same := tries.same(eqn)) is not None:
            self.b.eqns.pop()
            return same
        if eqn.op is unwrap and isinstance(eqn.args[0].type, Optional):
            return self._attempt_to_use(eqn, caught)
        if eqn.op is unwrap:
            name = f": `{eqn.args[0].hint}`" if eqn.args[0].hint else ""
            self.refuse("SCT101", f"a variable is read in a `try` that some path does not bind{name}",
                        why="the exception would be caught here", hint="bind it on every path")
        self.b.eqns.pop()
        tried = eqn
        if eqn.op.name == "store" and isinstance(eqn.args[0].type, Tensor) and {c.cls for c in caught} != {IndexError}:
            tried = Eqn(trial, eqn.args, (), dict(eqn.attrs), (), None)
        elif (ufunc := self._ufunc_in_place(eqn)) is not None:
            tried = Eqn(trial_in_place, eqn.args, (), {"ufunc": ufunc}, (), None)
        elif (position := self._position_in(eqn)) is not None:
            tried = Eqn(index, (eqn.args[0], *position), (), {"key": eqn.attrs.get("key", ("i",))}, (), None)
        elif eqn.op.updates:
            what = "a list" if isinstance(eqn.args[0].type, List) else "an array"
            self.refuse("SCT101", f"{what} is changed in a `try` in a way that may raise an exception that is handled",
                        hint="check for the bad case first, with `if`")
        again = tried is not eqn or aliases(eqn) != "none" or any(counts_as_real(x.type) for x in eqn.args)
        for out, value in zip(self._attempt(tried, 0 if again else len(eqn.outs), caught), eqn.outs):
            out.hint = value.hint
            self.b.add(Eqn(unwrap, (out,), (value,), {}, (), None, False, self.loc))
        if again:
            tries.certain.add(eqn)
            self.b.add(eqn)
        elif not eqn.op.effect:
            tries.passed.append((eqn, BlockPosition(self.b, len(self.b.eqns))))
        return eqn.outs

    def _attempt(self, tried: Eqn, gives: int, caught: Sequence[Class]) -> list[Value]:
        """Attempts an equation, which gives so many results; the evaluation goes on where it has not raised."""
        handled = dict.fromkeys(self.tries.handled)
        classes = [c.operand for c in handled if c.operand is not None]
        ok, error, *results = self.b.emit(attempt, (*tried.args, *classes), {
            "of": tried.op.name, "attrs": tuple(tried.attrs.items()), "spelled": tried.spelling,
            "classes": len(classes), "gives": gives,
            "catches": tuple(c.name for c in handled if c.operand is None and not c.is_below(handled))}, loc=self.loc)
        self.tries.caught.update(caught)
        self.split(ok, False, error, caught)
        return list(results)

    def attempt_with_none(self, xs: Operand, op: Op | None, operands: Sequence[Operand],
                          attrs: Mapping[str, Any]) -> None:
        """A list that may hold None is handed to `op`, which raises a TypeError then: attempted, if that is handled.

        Without an op, what raises it comes later.
        """
        caught = [Class(TypeError)] if any(c.may_catch((TypeError,)) for c in self.tries.handled) else []
        if not caught:
            return
        if op is None or self.b not in self.tries.blocks:
            self.refuse("SCT101", "a list that may hold None is used in a `try` that handles what this raises",
                        why="which operation raises it is not known", hint="leave None out of the list before: "
                        "`[v for v in xs if v is not None]`")
        self._attempt(Eqn(op, (xs, *operands), (), dict(attrs), (), None), 0, caught)

    def _ufunc_in_place(self, eqn: Eqn) -> str | None:
        """The function of an augmented assignment of an array, if the text of its exception is read."""
        t = eqn.args[0].type if len(eqn.args) == 2 else None
        if not (self.in_augmented_assignment and self.tries.needed and isinstance(t, Tensor) and t.is_array):
            return None
        return next((c for c in eqn.op.calls if c.startswith("numpy.") and eqn.op in ELEMENTWISE), None)

    def _position_in(self, eqn: Eqn) -> Sequence[Operand] | None:
        """The indices of an array or a list at which the equation writes or removes: to read there raises where it
        does, of a list with another text.  None for other equations."""
        if eqn.op.name == "store" and not isinstance(eqn.args[0].type, List):
            return eqn.args[2:]
        if eqn.op.name not in ("store", "remove_at"):
            return None
        if self.tries.needed:
            self.refuse("SCT101", "a list is changed in a `try` that needs the exception which this may raise",
                        why="it has several handlers, or one that reads the exception, whose text is not known",
                        hint="check for the bad case first, with `if`")
        return eqn.args[2:] if eqn.op.name == "store" else eqn.args[1:2]

    def _attempt_to_use(self, eqn: Eqn, caught: Sequence[Class]) -> tuple[Value, ...]:
        """Uses a value that may be None as a number or an array: where it is None, the path ends at a handler."""
        if self.tries.needed:
            self.refuse_none("the text of its exception is not known")
        self.b.eqns.pop()
        self.tries.caught.update(caught)
        absent = self.b.emit(is_none, eqn.args, loc=self.loc)
        self.split(absent, True)
        self.tries.certain.add(eqn)
        self.b.add(eqn)
        self.tries.passed.append((eqn, BlockPosition(self.b, len(self.b.eqns))))
        return eqn.outs

    def refuse_none(self, why: str) -> NoReturn:
        """Refuses to use a value that may be None in a `try` whose handlers handle that."""
        self.refuse("SCT101", "a value that may be None is used in a `try` that handles what this may raise", why=why,
                    hint="let the variable be a number on every path, such as math.nan, or use it outside the `try`")

    def split(self, test: Value, raises: bool, error: Value | None = None, caught: Iterable[Class] = ()) -> None:
        """The evaluation goes on where `test` is not `raises`; the store is kept for the path where it is.

        caught  the classes of what may be raised there, and is handled
        """
        assert self.tries.slot is not None and self.tries.exception is not None
        branch = Branch(self.store.copy(), Builder())
        branch.store.vars[self.tries.slot] = Static(True)
        if error is not None and self.tries.needed:
            bound = Value(OBJECT)
            branch.builder.add(Eqn(unwrap, (error,), (bound,), {}, (), None, False, self.loc))
            self.tries.raises(branch.store, bound, caught)
        branch.store.vars.update((Key(frame.id, "<exit>"), Static(0)) for frame in self.frames)
        self.tries.splits.append(Split(self.b, len(self.b.eqns), test, raises, branch, self.tries.slot))

    def split_if_raised(self) -> None:
        """Behind the join of two paths or a loop: goes on where no path has raised."""
        slot = self.tries.slot
        raised = self.store.vars.get(slot) if slot is not None else None
        if isinstance(raised, Value) and self.b in self.tries.blocks and not self.store.dead:
            if isinstance(raised.type, Undef):
                raised = self.known_bound(raised)
            self.split(raised, True)
            self.store.vars[slot] = Static(False)  # type: ignore[index]
        elif raised == Static(True) and not self.store.dead:
            raise Raised

    def known_bound(self, v: Value) -> Value:
        """A value that is bound here, because no path has raised that leads here."""
        assert isinstance(v.type, Undef)
        bound = Value(v.type.elem, v.hint, v.dim)
        self.b.add(Eqn(unwrap, (v,), (bound,), {"to": bound.type, "free": False}, (), None, False, self.loc))
        return bound

    def bound_where_handled(self, v: Any) -> Any:
        """What an exception carries, where it is handled: it is bound there."""
        if isinstance(v, Tup):
            return v.with_(map(self.bound_where_handled, v.items))
        cell = self.store.cells[v.addr] if isinstance(v, Ref) else None
        if isinstance(cell, Array) and isinstance(cell.value, Value) and isinstance(cell.value.type, Undef):
            self.store.cells[v.addr] = replace(cell, value=self.known_bound(cell.value))
        return self.known_bound(v) if isinstance(v, Value) and isinstance(v.type, Undef) else v

    def unless_raised(self, v: Any) -> Any:
        """The value of an expression that is bound here, if it is unbound only on paths that have raised."""
        if isinstance(v, Tup):
            return v.with_(map(self.unless_raised, v.items))
        slot = self.tries.slot
        if slot is None or self.store.vars.get(slot) != Static(False) or not isinstance(v, Value):
            return v
        return self.known_bound(v) if isinstance(v.type, Undef) and self.tries.bound.get(v) == slot else v

    def throw(self, error: Value, cls: type[BaseException] | None, *cause: Operand) -> NoReturn:
        """Raises this exception, of the class `cls` if that is known: this path ends, here or at its handler."""
        tries = self.tries
        if self.b in tries.blocks and cls is not None and any(issubclass(cls, c.cls) for c in tries.handled):
            last = self.b.eqns[-1] if self.b.eqns else None
            if last in tries.certain and not tries.needed and error in last.outs and not _runs_own_code(cls):
                self.b.eqns.pop()
            self.throw_handled(error, [Class(cls)])
        if tries.slot is not None and (cls is None or any(c.may_catch((cls,)) for c in tries.handled)):
            self.refuse("SCT101", "whether a `try` handles this exception is not known", node=None,
                        why="it is raised inside an expression" if cls is not None else "its class is not known",
                        hint="raise it in a statement of its own, by its class")
        self.throw_out(error, *cause)

    def check_not_answered(self, what: str) -> None:
        """Refuses a call that needs what sct does not do, where a handler of the user's would see that."""
        if any(c.may_catch((NotImplementedError,)) for c in self.tries.handled):
            self.refuse("SCT101", f"a `try` handles what is raised here: {NOT_ANSWERED}{what}",
                        hint="name the exceptions of Python that are to be handled there")

    def throw_handled(self, error: Value, classes: Sequence[Class]) -> NoReturn:
        """Ends this path at a handler: the exception is of one of these classes."""
        assert self.tries.slot is not None and self.tries.exception is not None
        self.tries.caught.update(classes)
        self.store.vars[self.tries.slot] = Static(True)
        if self.tries.needed:
            self.tries.raises(self.store, error, classes)
        raise Raised

    def throw_out(self, error: Value, *cause: Operand) -> NoReturn:
        """Raises an exception that no `try` handles."""
        if any(isinstance(x.type, MutableException) for x in (error, *cause)):
            self.check_not_answered(_RAISES_OBJECTS)
            error, cause = self.b.emit(python, (Lit(NOT_ANSWERED + _RAISES_OBJECTS),),
                                       {"callee": NotImplementedError.__name__}, loc=self.loc), ()
        self.b.add(Eqn(raise_, (error, *cause), (), {}, (), None, True, self.loc))
        raise Dead


def check_recomputable(ev: State, fn: Fn, what: str, hint: str) -> None:
    """Refuses what the backward pass cannot evaluate again: `what` says that it has an effect."""
    for eqn in walk(fn):
        if may_not_repeat(eqn) and not is_of_raise(eqn):
            raise SctError("SCT508", what, loc=eqn.loc or ev.loc, hint=hint,
                           why="its body runs again in the backward pass, and this may happen only once")
