"""Abstract values as operands of the IR: equations are emitted here, and arrays are read here."""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from sct.errors import SctError, class_in_words, conversion_hint
from sct.frontend.evaluator.attempts import Attempts
from sct.frontend.evaluator.memory_layout import layout
from sct.frontend.state.choices import is_present
from sct.frontend.state.object_tables import is_display
from sct.frontend.state.parts import Changed, changed
from sct.frontend.state.tries import Class
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Iteration,
    Key,
    ObjRef,
    OptionalTuple,
    Origin,
    Poison,
    Ref,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.guarded_numbers import is_asked
from sct.frontend.values.guards import NeedsFirst
from sct.frontend.values.in_words import abstract_in_words
from sct.ir import Builder, Lit, Op, Operand, Value
from sct.ir.dims import Dim
from sct.ir.real_ints import counts_as_real
from sct.ir.types import (
    INT,
    REAL,
    Link,
    List,
    MutableException,
    Opaque,
    Optional,
    Tensor,
    Type,
    TypeMismatch,
    Undef,
    base_type,
    leaf_type,
)
from sct.ops import ELEMENTWISE, dim, fstring, inactive, index, is_caught, python, stop_gradient, unwrap
from sct.ops.arrays.indexing import subscript_text
from sct.ops.program.attempts import attempted
from sct.ops.program.effects import runs_code_of_operands
from sct.ops.registry import placeholders

__all__ = ["OF_ROWS", "Operands"]


def _shape_shown(sizes: Sequence[Operand]) -> list[Any]:
    """The parts of the text of a shape: texts, and sizes."""
    if not sizes:
        return ["()"]
    end = ",)" if len(sizes) == 1 else ")"
    return [*(part for k, size in enumerate(sizes) for part in ("," if k else "(", size)), end]


def is_array_of_numbers(result: Any, args: Sequence[Any]) -> bool:
    """Is the result an array, and no argument one?"""
    types = [x.type for x in (result, *args) if isinstance(x, Value)]
    return [isinstance(t, Tensor) and t.is_array for t in types] == [True] + [False] * (len(types) - 1)


OF_ROWS = "how many of them there are is known only at run time"
"""Why some uses of objects that are rows of columns are refused."""

_OF_LINKS = frozenset((
    "append", "append_in", "attempt", "copy_list", "dim", "eq_rows", "extend", "index", "insert_at", "insert_in",
    "is_none", "joined", "link_to", "list_of", "permuted", "remove_at", "remove_in", "repeat", "repeated", "row_of",
    "store", "unwrap"))
"""The ops of references to objects, and of lists of these, that mean the same for the numbers of their rows."""


def _called(v: Static) -> str:
    """The name of an object that is read from outside."""
    name = v.path[-1][1] if v.path is not None and len(v.path) > 1 else None
    return name if isinstance(name, str) and name.isidentifier() else "it"


_OF_EXCEPTIONS = frozenset(("is_caught", "is_none", "unwrap"))
"""The ops of exceptions that do not read what these carry."""


class Operands(Attempts):
    """Emits equations, reads arrays, and wraps results."""

    def emit(self, op: Op, *args: Operand | float | None, spelling: str | None = None, **attrs: Any) -> Any:
        """Adds an equation; type errors of the op become refusals."""
        self.agree_sizes(op, args, attrs)
        if self.functions.plan.linked and op.name not in _OF_LINKS:
            for x in args:
                if isinstance(x, Value) and isinstance(link := leaf_type(x.type), Link):
                    self.refuse_link(link)
        if self.tries.classes and op.name not in _OF_EXCEPTIONS and any(
                isinstance(x, Value) and isinstance(leaf_type(x.type), MutableException) for x in args):
            self.refuse("SCT503", "an exception that carries a list, a dict or an object is not supported here",
                        why="what it carries may have changed since it was made", hint="use its attributes")
        if any(map(is_asked, attrs.values())):
            self.cut(f"an option of `{op.name}` depends on a differentiated input")
        try:
            outs = self.b.emit(op, args, attrs, spelling=spelling, loc=self.loc)
        except TypeMismatch as error:
            for x in args:
                if isinstance(x, Value) and isinstance(x.type, Opaque):
                    self.refuse_object(x, f"`{op.name}` of")
            self.doubt()
            self.refuse("SCT501", str(error), hint=error.hint)
        self.defs.update(dict.fromkeys(outs if isinstance(outs, tuple) else [outs], self.b.eqns[-1]))
        if self.tries.handled:
            self.check_operands_that_may_be_none(self.b.eqns[-1])
            attempted = self.attempt_last()
            outs = attempted if isinstance(outs, tuple) else attempted[0] if attempted else outs
        if any(isinstance(x, Value) and x.type == REAL for x in args) and is_array_of_numbers(outs, args):
            ints = [Value(INT) if isinstance(x, Value) and x.type == REAL else x for x in args]
            other = Builder().emit(op, ints, attrs, spelling=spelling)
            if isinstance(other, Value) and other.type != outs.type:
                self.refuse("SCT501", "the dtype of this array is not known",
                            why="its elements are ints on one path and floats on another",
                            hint="make it a float on all: `float(...)`")
        return outs

    def caught_test(self, error: Value, classes: Sequence[Class]) -> Value:
        """Is the exception of one of these classes?"""
        named = tuple(c.name for c in classes if c.operand is None)
        operands = [c.operand for c in classes if c.operand is not None]
        test: Value = self.emit(is_caught, error, *operands, catches=named)
        self.tries.asks(error, test, classes)
        return test

    def exception_of_class(self, v: Abstract | Operand) -> Value | None:
        """The exception whose class `v` is: `type(error)`."""
        eqn = self.defs.get(v) if isinstance(v, Value) else None
        if eqn is None or eqn.attrs.get("text") != "type(_0)" or eqn.args[0] not in self.tries.exceptions:
            return None
        (error,) = eqn.args
        return error if isinstance(error, Value) else None

    def doubt(self) -> None:
        """Sizes do not fit: the assumed result of a recursive function in progress may be wrong."""
        for f in reversed(self.functions.in_progress):
            if f.recursive and f.result is not None and not f.fresh_sizes:
                raise f.doubted()

    def cannot_broadcast(self, operands: Sequence[Any]) -> NoReturn:
        shown = (*operands, *operands[:1]) if self.in_augmented_assignment else operands
        shapes = [part for x in shown for part in (*_shape_shown(self._sizes(x)), " ")]
        self._raise_of_sizes("operands could not be broadcast together with shapes ", *shapes)

    def cannot_multiply(self, op: Op, x: Value, y: Value) -> NoReturn:
        p, q = self._sizes(x), self._sizes(y)
        i, j = len(p) - 1, max(len(q) - 2, 0)
        if op.name == "matmul":
            self._raise_of_sizes("matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
                                 "signature (n?,k),(k,m?)->(n?,m?) (size ", q[j], " is different from ", p[i], ")")
        self._raise_of_sizes("shapes ", *_shape_shown(p), " and ", *_shape_shown(q), " not aligned: ",
                             p[i], f" (dim {i}) != ", q[j], f" (dim {j})")

    def cannot_store(self, value: Any, base: Any, at: Sequence[Any], attrs: Mapping[str, Any]) -> NoReturn:
        part, whole = self._sizes(self.b.emit(index, (base, *at), attrs)), self._sizes(value)
        if "a" in attrs["key"]:
            self._raise_of_sizes("shape mismatch: value array of shape ", *_shape_shown(whole),
                                 " could not be broadcast to indexing result of shape ", *_shape_shown(part))
        while len(whole) > len(part) and value.type.shape[-len(whole)].value == 1:
            del whole[0]
        self._raise_of_sizes("could not broadcast input array from shape ", *_shape_shown(whole), " into shape ",
                             *_shape_shown(part))

    def cannot_write_into(self, value: Operand, out: Operand) -> NoReturn:
        self._raise_of_sizes("non-broadcastable output operand with shape ", *_shape_shown(self._sizes(out)),
                             " doesn't match the broadcast shape ", *_shape_shown(self._sizes(value)))

    def _sizes(self, x: Any) -> list[Operand]:
        rank = x.type.rank if isinstance(x, Value) and isinstance(x.type, Tensor) else 0
        return [self.b.emit(dim, (x,), {"axis": k}) for k in range(rank)]

    def _raise_of_sizes(self, *parts: Any) -> NoReturn:
        """Raises ValueError at run time with a text of these parts: texts, and sizes."""
        self.doubt()
        sizes = [part for part in parts if not isinstance(part, str)]
        shown = tuple(part if isinstance(part, str) else ("", "") for part in parts)
        text = self.b.emit(fstring, sizes, {"parts": shown})
        error = self.b.emit(python, (text,), {"callee": "ValueError"}, loc=self.loc)
        self.throw(error, ValueError)

    def call_op(self, op: Op, *args: Abstract, spelling: str | None = None, **attrs: Any) -> Abstract:
        """Applies an op to abstract values; an array result gets a new cell."""
        outs = self.emit(op, *map(self.operand, args), spelling=spelling, **attrs)
        return self.wrap(outs) if not isinstance(outs, tuple) else Tup(tuple(map(self.wrap, outs)))

    def wrap(self, v: Operand, *, origin: Origin = Origin.FRESH) -> Abstract:
        """An IR operand as an abstract value."""
        if isinstance(v, Lit):
            return Static(v.value)
        t = v.type.elem if isinstance(v.type, (Optional, Undef)) else v.type
        if isinstance(t, Tensor) and t.is_array:
            addr = self.new_addr()
            self.store.cells[addr] = Array(v, origin, layout=layout(self, v))
            return Ref(addr)
        if isinstance(t, List):
            return self.new_dynamic_list(0, [v], origin=origin)
        return v

    def operand(self, v: Abstract) -> Operand:
        """The IR operand of an abstract value; an array is read now."""
        if isinstance(v, Value):
            if isinstance(link := base_type(v.type), Link):
                self.refuse_link(link)
            return self.defined(v) if isinstance(v.type, (Optional, Undef)) else v
        if is_literal(v):
            assert isinstance(v, Static)
            if type(v.value) is int and abs(v.value) > sys.float_info.max:
                self.refuse("SCT501", "an int that is too large for a float is not supported among values known only "
                            "at run time", hint="use math.inf")
            return Lit(v.value)
        if isinstance(v, Ref):
            return self.read(v)
        if isinstance(v, Poison):
            self.refuse("SCT502", "this value cannot be used here", why=v.reason)
        if isinstance(v, Static) and (hint := conversion_hint(v.value, _called(v))):
            self.refuse("SCT506", f"{class_in_words(v.value)} is not supported here",
                        hint=hint if v.path is None else f"make it {hint.removeprefix('pass ')} outside the function")
        what = abstract_in_words(v)
        hint = f"use its value: `{v.value}.value`" if isinstance(v, Static) and isinstance(v.value, enum.Enum) else \
            "make a list of it: `list(...)`" if isinstance(v, Iteration) else "use a number or an array"
        self.refuse("SCT503", f"{what} is not supported here", hint=hint)

    def refuse_link(self, link: Link) -> NoReturn:
        """Refuses a use of an object that is a row of columns, other than of its attributes."""
        self.loc = self.loc or self.returned_at
        kinds = sorted({cls.of.__name__ for cls in link.classes if is_display(cls)})
        name = link.of if link.cls is None else link.cls.__name__
        what = f"a {' or '.join(kinds)} that is one of many" if kinds else f"an object of class `{name}`"
        self.refuse("SCT503", f"{what} is not supported here", why=OF_ROWS,
                    hint="use its items" if kinds else "use its attributes")

    def defined(self, v: Value, *, free: bool = False) -> Value:
        """A value that may be None or unassigned, used as a value that is neither; `free`: of a free variable."""
        is_bound = self.tries.slot is not None and self.tries.bound.get(v) == self.tries.slot
        value = self._assigned(v, free) if isinstance(v.type, Undef) and (
            is_bound or isinstance(v.type.elem, Optional)) else v
        while isinstance(value.type, (Optional, Undef)):
            maybe = value
            is_there = isinstance(maybe.type, Optional) and is_present(self.store, maybe)
            with changed(self.b, primal=self.b.primal and not is_there):
                value = self.emit(unwrap, maybe, free=free and isinstance(maybe.type, Undef))
            value.hint = v.hint
            last = self.b.eqns[-1] if self.tries.handled and self.b in self.tries.blocks and self.b.eqns else None
            of_number = isinstance(maybe.type, Optional) and not isinstance(maybe.type.elem, Link)  # an object is asked
            if of_number and last is not None and last.primal and value in last.outs:
                self.tries.taken.add(maybe)
        return value

    def if_present(self, v: Abstract) -> Abstract:
        """A number, an object or a tuple that may be None, where this path knows that it is not; anything else as it
        is."""
        if isinstance(v, OptionalTuple):
            first = self.operand_of_item(v)
            return self.present(v) if isinstance(first, Value) and is_present(self.store, first) else v
        optional = isinstance(v, Value) and isinstance(v.type, Optional) and isinstance(v.type.elem, (Link, Tensor))
        return self.defined(v) if optional and isinstance(v, Value) and is_present(self.store, v) else v

    def operand_of_item(self, v: OptionalTuple) -> Operand:
        """The first item of a tuple that may be None: it is None where the tuple is."""
        first = v.of.items[0]
        return self.contents(first) if isinstance(first, Ref) else self.lit(first)

    def present(self, v: OptionalTuple) -> Tup:
        """The tuple, used as one that is not None: if its first number is None, then so are the others."""
        items: list[Abstract] = []
        for x in v.of.items:
            with changed(self.b, primal=self.b.primal and not any(isinstance(other, Value) for other in items)):
                items.append(self.defined(x) if isinstance(x, Value) else x)
        return v.of.with_(items)

    def as_int(self, x: Any) -> Any:
        """Converts an int that counts as real, where an integer is needed."""
        return self.emit(stop_gradient, x) if isinstance(x, Value) and counts_as_real(x.type) else x

    def bound(self, v: Abstract, *, free: bool = False) -> Abstract:
        """Reads a value that some path does not assign; it may still be None."""
        if isinstance(v, Ref):
            contents = self.store.array(v).value
            if isinstance(contents, Value) and isinstance(contents.type, Undef):
                self.defined(contents, free=free)
        if not isinstance(v, Value) or not isinstance(v.type, Undef):
            return v
        if not isinstance(v.type.elem, Optional):
            return self.defined(v, free=free)
        return self._assigned(v, free)

    def _assigned(self, v: Value, free: bool) -> Value:
        """The value of one that some path does not assign, read here; it may still be None."""
        assert isinstance(v.type, Undef)
        if self.tries.slot is not None and self.tries.bound.get(v) == self.tries.slot:
            return self.known_bound(v)
        value: Value = self.emit(unwrap, v, to=v.type.elem, free=free)
        value.hint = v.hint
        return value

    def give_name(self, v: Abstract, name: str) -> None:
        """The user's name of a number or an array that has none yet, or of the arrays of a structured one."""
        for x in self.slots(v).items if isinstance(v, ObjRef) and hasattr(v.cls, "dtype_of_records") else ():
            self.give_name(x, name)
        cell = self.store.cells[v.addr] if isinstance(v, Ref) and not v.path else None
        value = cell.value if isinstance(cell, Array) else v
        if not isinstance(value, Value):
            return
        if value.hint is None:
            value.hint = name
        else:
            self.name_item(name, self.stands_for.get(value, value), value)

    def variable(self, key: Key, *, free: bool = False) -> Abstract:
        """Reads a name; raises at run time on a path that has not bound it."""
        bound = self.store.is_bound(key)
        if isinstance(bound, Value):
            self.defined(bound, free=free)
        return self.store.vars[key]

    def read(self, ref: Ref) -> Operand:
        """The current contents of an array."""
        self.current(ref)
        self.enclosing.note_read(ref.addr, self.loc)
        return self._as_it_is(ref)

    def _as_it_is(self, ref: Ref) -> Operand:
        """The contents of an array that is current, or of one of its type."""
        cell = self.store.array(ref)
        self.is_array(cell)
        value = cell.value
        if isinstance(value, Value) and isinstance(value.type, (Optional, Undef)):
            value = self.defined(value)
        for step in ref.path:
            value = self.emit(step.op, value, *step.args, spelling=step.spelling, **step.attrs)
            value.hint = value.hint or step.name
        return self._as_it_is_now(value, "numpy.copy(_0)", value.type) if cell.origin == Origin.PYTHON else value

    def _as_it_is_now(self, value: Operand, text: str, t: Type, *operands: Operand) -> Value:
        """What the template `text` copies of an array that Python holds, to which a later call may write."""
        attrs: dict[str, Any] = {"text": text, "type": t}
        for eqn in reversed(self.b.eqns):
            if eqn.op is inactive and (eqn.args, eqn.attrs) == ((value, *operands), attrs):
                return eqn.out
            if eqn.regions or runs_code_of_operands(attempted(eqn)):
                break
        return self.emit(inactive, value, *operands, **attrs)  # type: ignore[no-any-return]

    def read_item(self, ref: Ref, key: tuple[str, ...], operands: Sequence[Operand]) -> Value:
        """`ref[key]`: a number, a copy, or a view of the contents of `ref`."""
        cell = self.store.array(ref)
        if cell.origin != Origin.PYTHON or ref.path:
            return self.emit(index, self.read(ref), *operands, key=key)  # type: ignore[no-any-return]
        with self.block(Builder()):
            t = self.emit(index, cell.value, *operands, key=key).type
        item = f"_0[{subscript_text(key, placeholders(len(operands) + 1, 1))}]"
        is_array = isinstance(t, Tensor) and t.is_array
        return self._as_it_is_now(cell.value, f"numpy.copy({item})" if is_array else item, t, *operands)

    def current(self, ref: Ref) -> None:
        """Reads an array of a list again, if another name of it may have changed it."""
        raise NotImplementedError

    def contents(self, ref: Ref) -> Operand:
        """The contents of an array, which may be unassigned: to be passed on, not to be used."""
        self.current(ref)
        cell = self.store.array(ref)
        self.enclosing.note_read(ref.addr, self.loc)
        return self.read(ref) if ref.path else cell.value

    def type_of(self, v: Abstract) -> Type:
        """The type of a value without emitting anything that stays."""
        if isinstance(v, Ref) and not v.path:
            cell = self.store.array(v)
            self.is_array(cell)
            t = cell.value.type
            return t.elem if isinstance(t, (Optional, Undef)) else t
        if isinstance(v, Ref):
            with self.block(Builder()):  # what `read` makes current there, would be lost with the block
                return self._as_it_is(v).type
        if isinstance(v, Value):
            return v.type
        return Lit(v.value).type if isinstance(v, Static) else Lit(None).type

    def shape_of(self, v: Abstract) -> tuple[Dim, ...]:
        """The shape of a number or an array, with equal sizes resolved."""
        t = self.resolved(self.type_of(v))
        return t.shape if isinstance(t, Tensor) else ()

    def is_array(self, cell: Array) -> None:
        """Refuses the use as an array of a value that is a number in the first iteration of a loop."""
        if cell.starts and not self.reading_as_array:
            self.becomes_array()

    def as_array(self) -> Changed:
        """Reads a value that starts as a number as the array that it becomes."""
        return changed(self, reading_as_array=True)

    def becomes_array(
            self, why: str = "it is a number in the first iteration, and used for more than sums and products with an "
                             "array of that shape",
    ) -> NoReturn:
        """Unrolls the loop, where the number and the array are two values, or refuses."""
        raise NeedsFirst(SctError(
            "SCT108", "a number becomes an array in this loop", why=why,
            hint="start with an array: `v = np.zeros(n)`, `v = np.full(n, start)`", loc=self.loc))

    def starts(self, v: Abstract) -> bool:
        """Is this a number in the first iteration of a loop, and an array in the next?"""
        cell = self.store.cells[v.addr] if isinstance(v, Ref) else None
        return isinstance(cell, Array) and cell.starts

    def combined(self, op: Op, values: Sequence[Any], run: Callable[[], Abstract]) -> Abstract:
        """`run()`, the op of these values.

        If one starts as a number and becomes an array, an elementwise op with an array of that shape has the same
        result for the number and for the array.
        """
        first = next(filter(self.starts, values), None)
        if first is None:
            return run()
        with self.as_array():
            shape = self.shape_of(first)
            others = [v for v in values if isinstance(v, Ref) and not self.starts(v)]
            if op not in ELEMENTWISE or all(self.shape_of(v) != shape for v in others):
                self.becomes_array()
            result = run()
            if self.resolved(self.type_of(result)) != self.resolved(self.type_of(first)):
                self.becomes_array()
        return result
