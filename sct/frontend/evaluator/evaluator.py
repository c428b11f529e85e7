"""The abstract evaluator: it finds the handler of each expression, statement and call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gast
import numpy as np

from sct.errors import SctError
from sct.frontend.evaluator import list_items, lists_in_lists
from sct.frontend.evaluator.handlers import (
    CALLS,
    EXPRESSIONS,
    NO_KEYWORDS,
    PYTHON_EXPRESSION,
    SETTLED,
    STATEMENTS,
    Args,
    Kwargs,
    unsupported,
)
from sct.frontend.evaluator.known_values import KnownValues
from sct.frontend.source.parse import loc_of
from sct.frontend.state import may_alias
from sct.frontend.state.choices import by_code, is_of_kinds, narrowed
from sct.frontend.state.parts import changed
from sct.frontend.state.store import Store
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Choice,
    Container,
    ListRef,
    Poison,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.guards import NeedsStatic
from sct.frontend.values.item_kinds import Kinds, kind_of
from sct.ir import Operand

__all__ = ["Evaluator"]

_FORKS = (
    gast.IfExp, gast.BoolOp, gast.Assert, gast.For, gast.While, gast.With, gast.ListComp, gast.SetComp, gast.DictComp,
    gast.GeneratorExp)
"""Which parts of these are evaluated, and how often, may depend on values."""

_LEFT_TO_PYTHON = (gast.Call, gast.ListComp, gast.SetComp, gast.DictComp, gast.Set)


class Evaluator(KnownValues):
    """Evaluates functions on abstract values and builds their IR."""

    def eval(self, node: Any) -> Abstract:
        """The abstract value of an expression."""
        result: Abstract = self._handled(EXPRESSIONS, node)
        if isinstance(result, Poison):
            self.refuse("SCT502", "this value cannot be used", why=result.reason, node=node,
                        hint=result.hint)
        if isinstance(result, Choice):
            result = narrowed(self.store, result)
        return self.temporaries.hold(result)

    def kinds_of(self, v: Abstract | None, store: Store | None = None) -> Kinds:
        """What a value may be, by the code of its kind, where values of several kinds are in one place; none if it is
        of no kind."""
        plan = self.functions.plan
        if v is not None and is_of_kinds(v):
            return by_code(v)
        if v is None or not plan.kinds:
            return {}
        code = kind_of(v, (self.store if store is None else store).slots, plan.kinds_by_length)
        return {} if code is ... else {code: v}

    def operand(self, v: Abstract) -> Operand:
        """As of any value; of a number of one of several kinds, the number that it is."""
        return super().operand(self.settled(v))

    def settled(self, v: Abstract) -> Abstract:
        """A number of one of several kinds, or None, as one number; other values as they are."""
        return SETTLED[0](self, v) if is_of_kinds(v) else v

    def slots(self, v: Container) -> Slots:
        """The slots of a container, as they are now."""
        list_items.refresh(self, v)
        return super().slots(v)

    def current(self, ref: Ref) -> None:
        list_items.current(self, ref)

    def writable(self, addr: int, what: str, aliases: Sequence[str] = ()) -> Array | Slots:
        """The cell at an address that is about to be written: also an array that a list holds alone."""
        written = self.store.cells[addr]
        if isinstance(written, Slots) and written.parent is not None:
            lists_in_lists.note_write(self)
        if list_items.array_in_list(self, addr) is None:
            return super().writable(addr, what, may_alias.thaw(self, addr))
        cell = self.store.cells[addr]
        list_items.current(self, Ref(addr))
        return self.store.cells[addr] if cell.frozen else super().writable(addr, what)

    def discard(self, node: Any) -> None:
        """Evaluates an expression whose value nothing reads."""
        with changed(self, discarded=loc_of(node, self.frames[-1].source.file)):
            self.eval(node)

    def exec(self, node: Any) -> None:
        """Run one statement."""
        self._handled(STATEMENTS, node)

    def _handled(self, handlers: Mapping[type, Any], node: Any) -> Any:
        handler = handlers.get(type(node))
        if handler is None:
            word, why, hint = unsupported(node)
            self.refuse("SCT101", f"`{word}` is not supported", why=why, hint=hint, node=node)
        before, self.loc = self.loc, self.place(node)
        held = len(self.temporaries.values)
        if isinstance(node, _FORKS):
            self.tries.note_fork()
        try:
            places = self.functions.plan.by_python if handlers is EXPRESSIONS else None
            by_python = PYTHON_EXPRESSION[0](self, node) if places and self.loc in places else None
            result = handler(self, node) if by_python is None else by_python
            self.evaluated.add(self.loc)
            return result
        except Exception as error:
            self.failed(error)
            refusal = error.error if isinstance(error, NeedsStatic) else error
            if isinstance(refusal, SctError):
                refusal.around = (*refusal.around, self.loc)
                if isinstance(node, _LEFT_TO_PYTHON):
                    refusal.candidates = (*refusal.candidates, self.loc)
            raise
        finally:
            self.loc = before
            self.temporaries.keep(held)

    def call(self, fn: Abstract, args: Args, kwargs: Kwargs = NO_KEYWORDS) -> Abstract:
        """`fn(*args, **kwargs)`."""
        caller = CALLS.get(type(fn))
        if caller is None:
            self.refuse("SCT203", "this object cannot be called", why="Python raises TypeError",
                        hint="call a function or a method")
        return caller(self, fn, args, kwargs)

    def array_of_list(self, v: Abstract) -> Abstract:
        """A list or a tuple as an array; another value as it is."""
        return self.call(Static(np.array), [v]) if isinstance(v, (ListRef, Tup)) else v
