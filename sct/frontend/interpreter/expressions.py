"""Expressions: operators, branches in expressions, names, displays, f-strings."""

from __future__ import annotations

import enum
import functools
import operator
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import gast
import numpy as np

from sct.frontend.calls.opaque_calls import is_library
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.assignment import assign
from sct.frontend.heap.class_of import class_object, possible_classes, python_class
from sct.frontend.heap.container_operators import arrays_of, as_set, combined, is_sequence, written
from sct.frontend.heap.objects import (
    get_attribute,
    is_member,
    is_object,
    reflected,
    special_call,
    special_method,
    undefined,
)
from sct.frontend.heap.store import is_number
from sct.frontend.heap.subscripts import NUMPY_NAMES, size_along
from sct.frontend.interpreter.exceptions import attempted, die
from sct.frontend.interpreter.interpreter import Evaluator, expression
from sct.frontend.interpreter.special_methods import checked, plain_numbers
from sct.frontend.library.argument_checks import hashed
from sct.frontend.library.text_formatting import shown
from sct.frontend.loops.iteration_space import items_of
from sct.frontend.values.abstract_values import (
    DELETED,
    SLICE,
    Abstract,
    Bound,
    Cached,
    Closure,
    Container,
    DictRef,
    Iteration,
    Key,
    ListRef,
    Method,
    ObjRef,
    Parent,
    Perhaps,
    Poison,
    Pullback,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.guarded_numbers import is_asked
from sct.frontend.values.lookup_guards import MISSING, absent, in_class, of_builtins, of_library, path_to
from sct.ir import Lit, Operand, Value
from sct.ir.foreign import class_in_words
from sct.ir.real_ints import unmark_real
from sct.ir.types import BOOL, Dim, Optional, Tensor, Undef
from sct.ir.user_objects import dict_of, is_defined_by_user
from sct.ops import BY_CALL, OPS, apply, fstring, gt, is_none, ne, not_, size, transpose
from sct.ops.program.effects import formats, python, samples_of

__all__ = [
    "BINARY", "NUMPY_NAMES", "UNARY", "as_bool", "binary", "boolean", "closure", "condition", "formatted", "get",
    "in_place", "lookup", "name", "negated", "truth", "unary",
]


BINARY: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    gast.Add: ("add", operator.add), gast.Sub: ("sub", operator.sub), gast.Mult: ("mul", operator.mul),
    gast.Div: ("truediv", operator.truediv), gast.FloorDiv: ("floordiv", operator.floordiv),
    gast.Mod: ("mod", operator.mod), gast.Pow: ("pow", operator.pow), gast.MatMult: ("matmul", operator.matmul),
    gast.BitAnd: ("and_", operator.and_), gast.BitOr: ("or_", operator.or_), gast.BitXor: ("xor", operator.xor),
    gast.LShift: ("lshift", operator.lshift), gast.RShift: ("rshift", operator.rshift),
}
_METHOD = {"and_": "and", "or_": "or"}
UNARY: dict[type, tuple[str, Callable[[Any], Any]]] = {
    gast.USub: ("neg", operator.neg), gast.UAdd: ("pos", operator.pos), gast.Invert: ("invert", operator.invert),
}


@expression(gast.Constant)
def constant(ev: Evaluator, node: Any) -> Abstract:
    if isinstance(node.value, complex):
        ev.refuse("SCT102", "complex numbers are not supported", hint="compute with the real and the imaginary part")
    return Static(node.value)


# -- names ------------------------------------------------------------------------------------


@expression(gast.Name)
def name(ev: Evaluator, node: Any) -> Abstract:
    v = lookup(ev, node.id)
    if isinstance(v, Poison):
        ev.refuse("SCT502", f"`{node.id}` cannot be used here", why=v.reason,
                  hint="give it the same type on every path")
    return ev.bound(v)


def lookup(ev: Evaluator, name: str) -> Abstract:
    """What a name is bound to: local, enclosing, global or builtin."""
    frame = ev.frames[-1]
    home = frame.home(name)
    if home is not None:
        key = Key(home.id, name)
        if key in ev.store.vars and ev.store.vars[key] != DELETED:
            return ev.variable(key)
        if home is frame:
            return die(ev, "UnboundLocalError",
                       f"cannot access local variable '{name}' where it is not associated with a value")
        return _unbound(ev, name)
    if name in frame.cells and not frame.is_global(name):
        cells: Any = frame.cells
        if cells[name] == types.CellType():  # it may be filled in the next call
            f = cells.function
            at = (*ev.anchor(f), ("attr", "__closure__"), ("item", f.__code__.co_freevars.index(name)))
            ev.identities[at, "empty"] = at, types.CellType()
            return _unbound(ev, name)
        return ev.free_variable(frame.cells, name)
    if name in frame.globals:
        return ev.free_variable(frame.globals, name)
    found = of_builtins(ev, frame.function, name)
    return die(ev, "NameError", f"name '{name}' is not defined") if found is MISSING else Static(found)


def _unbound(ev: Evaluator, name: str) -> Abstract:
    return die(ev, "NameError", f"cannot access free variable '{name}' where it is not associated "
               "with a value in enclosing scope")


@expression(gast.NamedExpr)
def walrus(ev: Evaluator, node: Any) -> Abstract:
    v = ev.eval(node.value)
    assign(ev, node.target, v)
    return v


# -- operators ----------------------------------------------------------------------------------


def binary(ev: Evaluator, kind: type, a: Abstract, b: Abstract, in_place: Callable[..., Any] | None = None) -> Abstract:
    """`a op b`; `in_place`: as part of `a op= b`."""
    spelling, run = BINARY[kind]
    a, b = as_set(ev, a), as_set(ev, b)
    name = _METHOD.get(spelling, spelling)
    if is_member(a, b) and (own := reflected(ev, a, b, f"__{name}__", f"__r{name}__")) is not None:
        return own
    if isinstance(a, Static) and isinstance(b, Static) and _is_known(a) and _is_known(b):
        try:
            return ev.lift((in_place or run)(a.value, b.value))
        except TypeError as error:
            return die(ev, "TypeError", str(error))
        except (ArithmeticError, ValueError):
            pass  # raised again when the program runs
    if is_object(a, b):
        made = reflected(ev, a, b, f"__{name}__", f"__r{name}__")
        if made is not None:
            return made
        if not (kind in (gast.Add, gast.Mult) and any(isinstance(v, Tup) for v in (a, b))):
            return undefined(ev, in_place or run, a, b)
    a, b = plain_numbers(ev, a, b)
    if kind is gast.Mod and isinstance(a, Static) and isinstance(a.value, str):
        return _formatted_by_percent(ev, a.value, b)
    if is_sequence(a) or is_sequence(b):
        if not isinstance(a, Ref) and not isinstance(b, Ref):
            return combined(ev, kind, in_place or run, a, b)
        a, b = arrays_of(ev, a, b)
    if any(isinstance(v, Container) or isinstance(v, Static) and not is_number(v) or v == Static(None) for v in (a, b)):
        return undefined(ev, in_place or run, a, b)
    _no_strings(ev, a, b)
    if kind in _BITS:
        operands = [ev.as_int(ev.operand(v)) for v in (a, b)]
        if not all(isinstance(x.type, Tensor) and x.type.kind == "b" for x in operands):
            return ev.wrap(ev.emit(OPS[_BITS[kind]], *operands, spelling=f"operator.{spelling}"))
    op = BY_CALL.get(f"operator.{spelling}")
    if op is None:
        ev.refuse("SCT103", f"the operator `{kind.__name__}` is not supported")
    return ev.combined(op, (a, b), lambda: ev.call_op(op, a, b, spelling=f"operator.{spelling}"))


def _formatted_by_percent(ev: Evaluator, text: str, values: Abstract) -> Abstract:
    """`text % values`, of what is known."""
    items = values.items if isinstance(values, Tup) else (values,)
    if not all(isinstance(x, Static) for x in items):
        ev.refuse("SCT501", "`%` of a text is not supported with values known only at run time", hint="use an f-string")
    given = tuple(x.value for x in items if isinstance(x, Static))
    return Static(attempted(ev, lambda: text % (given if isinstance(values, Tup) else given[0])))


_BITS = {gast.BitAnd: "bitand", gast.BitOr: "bitor", gast.BitXor: "bitxor", gast.LShift: "lshift",
         gast.RShift: "rshift"}
"""The ops of ints; of truth values `&` is `logical_and`."""


def _is_known(v: Static) -> bool:
    """Is this a number, a flag, a member of an enum, a class or a set, with which Python itself computes?"""
    return is_number(v) or isinstance(v.peek, (enum.Enum, type, types.UnionType)) or \
        isinstance(v.peek, (set, frozenset)) and v.path is None


def in_place(ev: Evaluator, kind: type, a: Abstract, b: Abstract) -> Abstract:
    """`a op= b`, what is assigned."""
    spelling, _ = BINARY[kind]
    name = _METHOD.get(spelling, spelling)
    made = special_call(ev, a, f"__i{name}__", b)
    if made is not None and made != Static(NotImplemented):
        return made
    if written(ev, kind, a, b):
        return a
    return binary(ev, kind, a, b, getattr(operator, f"i{name}"))


def _no_strings(ev: Evaluator, *values: Abstract) -> None:
    for v in values:
        if isinstance(v, Static) and isinstance(v.value, str):
            ev.refuse("SCT501", "arithmetic on strings is not supported with values known only at run time",
                      hint="use an f-string")
        if isinstance(v, Value) and not isinstance(v.type, (Tensor, Optional, Undef)):
            ev.refuse_object(v, "arithmetic on")


@expression(gast.BinOp)
def binop(ev: Evaluator, node: Any) -> Abstract:
    return binary(ev, type(node.op), ev.eval(node.left), ev.eval(node.right))


@expression(gast.UnaryOp)
def unaryop(ev: Evaluator, node: Any) -> Abstract:
    if isinstance(node.op, gast.Not):
        t = condition(ev, node.operand)
        return Static(not t.value) if isinstance(t, Lit) else ev.emit(not_, t)
    return unary(ev, type(node.op), ev.eval(node.operand))


def unary(ev: Evaluator, kind: type, v: Abstract) -> Abstract:
    """`op v`."""
    spelling, run = UNARY[kind]
    made = special_call(ev, v, f"__{spelling}__")
    if made is not None:
        return made
    if is_object(v) or isinstance(v, Container) or v == Static(None):
        return undefined(ev, run, v)
    if isinstance(v, Static) and isinstance(v.peek, (bool, int, float, str, enum.Enum)):
        return ev.lift(attempted(ev, lambda: run(v.value)))
    _no_strings(ev, v)
    op = BY_CALL.get(f"operator.{spelling}")
    if op is None:
        ev.refuse("SCT103", f"the operator `{kind.__name__}` is not supported")
    return ev.call_op(op, v, spelling=f"operator.{spelling}")


def truth(ev: Evaluator, v: Abstract) -> Operand:
    """`bool(v)` as an operand; a literal where it is known."""
    if (is_object(v) or is_member(v)) and (own := _own_truth(ev, v)) is not None:
        return own
    if isinstance(v, Static):
        for special in ("__bool__", "__len__"):
            in_class(ev, type(v.peek), special)
        return Lit(bool(v.value))
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        return ev.emit(gt, dynamic_lists.length(ev, v), 0, spelling="operator.gt")  # type: ignore[no-any-return]
    if isinstance(v, (Tup, ListRef, DictRef)):
        return Lit(bool(items_of(ev, v)))
    if isinstance(v, Iteration):
        return truth(ev, ev.call(Static(len), [v])) if v.state is None else Lit(True)
    if isinstance(v, Perhaps):
        first = v.of.items[0]
        return ev.emit(not_, ev.emit(is_none, ev.contents(first) if isinstance(first, Ref) else ev.lit(first)))  # type: ignore[no-any-return]
    if isinstance(v, Value) and isinstance(v.type, Optional):
        elem = v.type.elem
        if isinstance(elem, Tensor) and elem.is_scalar:
            absent = ev.emit(is_none, v)
            return ev.operand(ev.branch(absent, lambda: Static(False), lambda: boolean(truth(ev, ev.defined(v)))))
    if isinstance(v, (Value, Ref)):
        x = ev.operand(v)
        if isinstance(x.type, Tensor) and x.type.is_scalar and x.type.kind == "b":
            return x
        if isinstance(x.type, Tensor) and x.type.is_scalar:
            return ev.emit(ne, x, 0, spelling="operator.ne")  # type: ignore[no-any-return]
        sizes = list(map(ev.resolve, x.type.shape)) if isinstance(x.type, Tensor) else []
        if sizes and all(d.value == 1 for d in sizes):
            return truth(ev, ev.call_op(BY_CALL["numpy.any"], v, spelling="numpy.any"))  # that of its element
        if sizes and not _may_be_one(sizes):
            return Lit(attempted(ev, lambda: bool(np.ones([2 if d.value is None else d.value for d in sizes]))))
        return ev.emit(BY_CALL["builtins.bool"], x, spelling="builtins.bool")  # type: ignore[no-any-return]
    if isinstance(v, Iteration) and v.kind == "range":
        return _is_not_empty(ev, v)
    if isinstance(v, Iteration) and v.state is None and v.kind in ("keys", "values", "items"):
        return truth(ev, v.parts[0])
    if isinstance(v, Poison):
        ev.refuse("SCT502", "the truth of this value is not known", why=v.reason)
    if isinstance(v, (ObjRef, Closure, Bound, Cached, Method, Pullback, Iteration)):
        return Lit(True)  # an iterator is true whatever it gives
    ev.refuse("SCT503", "the truth of this object is not known", hint="write what it is to be compared with")


def _may_be_one(sizes: list[Dim]) -> bool:
    """May an array of these sizes have one element?"""
    if any(d.value == 0 for d in sizes):
        return False
    return not (all(d.least >= 1 for d in sizes) and any(d.least >= 2 for d in sizes))


def _is_not_empty(ev: Evaluator, v: Iteration) -> Operand:
    """`bool(range(...))`."""
    first, stop, step = (Static(0), v.parts[0], Static(1)) if len(v.parts) == 1 else (*v.parts, Static(1))[:3]
    if all(map(is_number, v.parts)):
        return Lit(bool(range(*(p.value for p in v.parts if isinstance(p, Static)))))
    up = ev.ask(step, "the step of this range") > 0
    spelling = "operator.lt" if up else "operator.gt"
    return ev.emit(BY_CALL[spelling], ev.operand(first), ev.operand(stop), spelling=spelling)  # type: ignore[no-any-return]


def condition(ev: Evaluator, node: Any) -> Operand:
    """`bool(expression)`: of `and`, `or`, `not` and `if` by the truth of their parts, which need not go together."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
        return ev.operand(ev.eval(node))
    if isinstance(node, gast.IfExp):
        t = condition(ev, node.test)
        if isinstance(t, Lit):
            return condition(ev, node.body if t.value else node.orelse)
        return ev.operand(ev.branch(t, lambda: boolean(condition(ev, node.body)),
                                    lambda: boolean(condition(ev, node.orelse))))
    if not isinstance(node, gast.BoolOp):
        return truth(ev, ev.eval(node))
    is_and = isinstance(node.op, gast.And)

    def go(k: int) -> Abstract:
        t = condition(ev, node.values[k])
        if k == len(node.values) - 1 or isinstance(t, Lit) and t.value != is_and:
            return boolean(t)
        if isinstance(t, Lit):
            return go(k + 1)
        stop: Abstract = Static(not is_and) if t.type == BOOL else t
        arms = lambda: go(k + 1), lambda: stop
        return ev.branch(t, *(arms if is_and else reversed(arms)))  # type: ignore[no-any-return]

    return ev.operand(go(0))


def _own_truth(ev: Evaluator, v: Abstract) -> Operand | None:
    """What `__bool__` or `__len__` of an object say."""
    own = special_call(ev, v, "__bool__")
    if own is not None:
        return truth(ev, checked(ev, own, "bool"))
    if isinstance(v, Static) and is_member(v) and in_class(ev, type(v.peek), "__bool__")[0] is not MISSING:
        return None
    size = special_call(ev, v, "__len__")
    return None if size is None else truth(ev, checked(ev, size, "len"))


def boolean(x: Operand) -> Abstract:
    return Static(x.value) if isinstance(x, Lit) else x


def as_bool(ev: Evaluator, x: Operand) -> Abstract:
    """A truth as the Python bool of it."""
    if isinstance(x, Lit) or x.type == BOOL:
        return boolean(x)
    return ev.emit(BY_CALL["builtins.bool"], x, spelling="builtins.bool")  # type: ignore[no-any-return]


def negated(ev: Evaluator, v: Abstract) -> Abstract:
    """`not v`."""
    t = truth(ev, v)
    return Static(not t.value) if isinstance(t, Lit) else ev.emit(not_, t)


@expression(gast.BoolOp)
def boolop(ev: Evaluator, node: Any) -> Abstract:
    is_and = isinstance(node.op, gast.And)

    def go(k: int) -> Abstract:
        v = ev.eval(node.values[k])
        if k == len(node.values) - 1:
            return v
        t = truth(ev, v)
        if isinstance(t, Lit):
            return go(k + 1) if t.value == is_and else v
        # Where the value is its own truth, and a bool, the arm that stops yields a literal.
        stop: Abstract = Static(not is_and) if t is v and t.type == BOOL else v
        if is_and:
            return _either(ev, t, lambda: go(k + 1), lambda: stop)
        return _either(ev, t, lambda: stop, lambda: go(k + 1))

    return go(0)


@expression(gast.IfExp)
def ternary(ev: Evaluator, node: Any) -> Abstract:
    t = condition(ev, node.test)
    if isinstance(t, Lit):
        return ev.eval(node.body if t.value else node.orelse)
    return _either(ev, t, lambda: ev.eval(node.body), lambda: ev.eval(node.orelse))


def _either(ev: Evaluator, t: Value, then: Callable[[], Abstract], orelse: Callable[[], Abstract]) -> Abstract:
    """What one of two expressions gives; where the two do not go together, the test is asked."""
    store, mark = ev.store, len(ev.b.eqns)
    made = ev.branch(t, then, orelse)
    if not isinstance(made, Poison):
        return made  # type: ignore[no-any-return]
    ev.store = store
    del ev.b.eqns[mark:]
    return then() if ev.ask(t, "this test") else orelse()


# -- attributes ------------------------------------------------------------------------------------


@expression(gast.Attribute)
def attribute(ev: Evaluator, node: Any) -> Abstract:
    return get(ev, ev.eval(node.value), node.attr)


def get(ev: Evaluator, owner: Abstract, name: str) -> Abstract:
    """`owner.name`."""
    if name == "__class__" and not isinstance(owner, Parent):
        return class_object(ev, owner)
    if name == "__dict__" and isinstance(owner, ObjRef):
        cls = owner.cls
        if not cls.__dictoffset__:
            attempted(ev, lambda: object.__new__(cls).__dict__)  # raises
        return ev.call(Static(vars), [owner])
    if isinstance(owner, Parent) or is_object(owner):
        named = ("_replace", "_asdict")
        if isinstance(owner, Tup) and name not in owner.fields and (hasattr(tuple, name) or name in named):
            return Method(owner, name)
        return get_attribute(ev, owner, name)
    owner = ev.text(owner)
    if isinstance(owner, Static):
        return _of_static(ev, owner, name)
    if isinstance(owner, Tup) and name in owner.fields:
        return owner.items[owner.fields.index(name)]
    if isinstance(owner, ObjRef):  # a namespace
        return get_attribute(ev, owner, name)
    if isinstance(owner, Perhaps):
        return get(ev, ev.present(owner), name)
    if isinstance(owner, Tup) and owner.fields == SLICE:
        attempted(ev, lambda: getattr(slice(None), name))  # raises where there is none
        ev.refuse("SCT203", f"`{name}` of a slice that is known only at run time is not supported")
    if isinstance(owner, (ListRef, DictRef, Tup)):
        cls = python_class(ev, owner)
        attempted(ev, lambda: getattr(cls(), name))  # raises where there is none
        return Method(owner, name)
    x_type = ev.type_of(owner) if isinstance(owner, (Ref, Value)) else None
    if isinstance(owner, Value) and isinstance(x_type, (Optional, Undef)):
        owner = ev.defined(owner)
        x_type = owner.type
    if not isinstance(x_type, Tensor):
        leaf = ev.leaf_of(owner) if isinstance(owner, Value) else None
        of = "this object" if leaf is None else class_in_words(leaf)
        given = owner.hint if isinstance(owner, Value) and name in dict_of(leaf) else ""
        hint = f"pass types.SimpleNamespace(**vars({given}))" if given else \
            "use a list, a dict, an array, or an object of a class of your own"
        made = ev.defs.get(owner) if isinstance(owner, Value) else None
        if made is not None and made.op is apply:
            hint = "use a list, a dict or an array; or make the object outside the function, at the top of a module"
        ev.refuse("SCT203", f"the attribute `{name}` of {of} is not supported", hint=hint)
    if isinstance(owner, Value) and not x_type.is_array:
        _no_other(ev, owner, name)
    if name == "T":
        if isinstance(owner, Ref) and x_type.rank < 2:
            return ev.new_view(owner.addr, owner.path)
        return ev.step(owner, transpose, (), {"axes": None}, ".T") if isinstance(owner, Ref) else owner
    if name == "mT":
        return ev.call(Static(np.matrix_transpose), [owner])
    if name == "shape":
        return Tup(tuple(size_along(ev, owner, k) for k in range(x_type.rank)))
    if name == "ndim":
        return Static(x_type.rank)
    if name == "size":
        return ev.wrap(ev.emit(size, ev.operand(owner)))
    if name == "dtype":
        return Static(np.dtype(NUMPY_NAMES[unmark_real(x_type).dtype]))
    if name == "real" and x_type.kind != "c":
        return owner
    if name == "imag" and x_type.carrier != "py":
        return ev.call(Static(np.imag), [owner])
    if name == "imag":
        return _imag(ev, owner)
    if x_type.is_array or x_type.carrier == "np":
        like = np.ones((1,) * x_type.rank)
        if not callable(attempted(ev, lambda: getattr(like if x_type.is_array else like[()], name))):
            ev.refuse("SCT203", f"the attribute `{name}` of an array is not supported",
                      hint="read it outside the function, and pass it")
    return Method(owner, name)


def _imag(ev: Evaluator, owner: Abstract) -> Abstract:
    """The imaginary part of a number of Python: 0 of an int, 0.0 of a float."""
    classes = possible_classes(owner) or (python_class(ev, owner),)
    if {cls.__name__ == "float" for cls in classes} == {True, False}:
        ev.refuse("SCT504", "whether this number is an int or a float is not known", hint="convert it: `float(...)`")
    return Static(classes[0]().imag)


def _no_other(ev: Evaluator, owner: Value, name: str) -> None:
    """Numbers of Python have no attributes of arrays, those of NumPy have."""
    classes = possible_classes(owner) or (python_class(ev, owner),)
    there = [hasattr(cls, name) for cls in classes]
    if len(classes) == 1 and not there[0]:
        attempted(ev, lambda: getattr(classes[0](), name))
    if not all(there):
        ev.refuse("SCT504", f"whether this number has the attribute `{name}` is not known",
                  why="it may be a number of Python or one of NumPy", hint="convert it: `float(...)`")


def _of_static(ev: Evaluator, owner: Static, name: str) -> Abstract:
    """An attribute of a module, a class or another object that is known."""
    it = owner.peek
    if isinstance(it, (set, frozenset)) and owner.path is None and hasattr(set, name) and not hasattr(frozenset, name):
        ev.refuse("SCT303", f"`{name}` of a set that the function makes is not supported",
                  why="what a set holds must be known", hint="use a list, or an array of flags")
    if not hasattr(it, name):
        absent(ev, path_to(owner), name)
    found = attempted(ev, lambda: getattr(it, name))
    if isinstance(it, np.ufunc):
        return Static(found)
    fixed = not _is_written(it) or isinstance(it, enum.Flag) and name in ("name", "value")
    path = None if owner.path is None and fixed else (*path_to(owner), ("attr", name))
    if path is None and isinstance(it, types.ModuleType):
        of_library(ev, it, name, found)
    if isinstance(found, types.MethodType) and isinstance(found.__self__, type) and path is not None:
        ev.lift(found.__func__, (*path, ("attr", "__func__")))
        return Static(found, path)
    if isinstance(found, (types.MethodType, types.BuiltinMethodType)) and found.__self__ is it and \
            not isinstance(it, types.ModuleType):
        if isinstance(found, types.MethodType) and path is not None:
            ev.lift(found.__func__, (*path, ("attr", "__func__")))
        return Static(found, path)  # a new object each time: what is guarded is its owner, and its function
    return ev.lift(found, path)


def _is_written(it: Any) -> bool:
    """Is this a function, a class, a member of an enum, a module or a partial of the user's, whose attributes may
    change until the next call?"""
    if isinstance(it, types.ModuleType):
        return it.__name__.split(".")[0] not in {"numpy", "scipy", "sct", *sys.stdlib_module_names}
    return isinstance(it, (functools.partial, enum.Enum)) or isinstance(it, types.FunctionType) and not is_library(it) \
        or isinstance(it, type) and is_defined_by_user(it)


# -- displays -----------------------------------------------------------------------------------------


def display(ev: Evaluator, nodes: list[Any]) -> tuple[Abstract, ...]:
    items: list[Abstract] = []
    for n in nodes:
        if isinstance(n, gast.Starred):
            items += items_of(ev, ev.eval(n.value), lambda x: [*x])
        else:
            items.append(ev.eval(n))
    return tuple(items)


@expression(gast.Tuple)
def tuple_(ev: Evaluator, node: Any) -> Abstract:
    return Tup(display(ev, node.elts))


@expression(gast.List)
def list_(ev: Evaluator, node: Any) -> Abstract:
    return ev.new_list(display(ev, node.elts))


@expression(gast.Dict)
def dict_(ev: Evaluator, node: Any) -> Abstract:
    made: dict[Any, Abstract] = {}
    for k, v in zip(node.keys, node.values):
        if k is None:
            other = ev.eval(v)
            if not isinstance(other, DictRef):
                ev.refuse("SCT503", "only dicts of known keys may follow `**`", node=v)
            cell = ev.store.cells[other.addr]
            assert isinstance(cell, Slots)
            made.update(zip(cell.keys, cell.items))
        else:
            key = hashed(ev, ev.eval(k))
            made[key] = ev.eval(v)
    return ev.new_dict(made)


@expression(gast.Set)
def set_(ev: Evaluator, node: Any) -> Abstract:
    return Static({hashed(ev, x, "an item of a set") for x in display(ev, node.elts)})


@expression(gast.Lambda)
def lambda_(ev: Evaluator, node: Any) -> Abstract:
    return closure(ev, node)


def closure(ev: Evaluator, node: Any) -> Closure:
    """A `def` or `lambda` as a value; its defaults are evaluated now."""
    defaults = tuple(map(ev.eval, node.args.defaults))
    kw = tuple(None if d is None else ev.eval(d) for d in node.args.kw_defaults)
    return Closure(node, ev.frames[-1].id, defaults, kw)


def _formatted(value: Any, conversion: str, spec: str) -> str:
    convert: Any = {"r": repr, "s": str, "a": ascii}.get(conversion)
    return format(value if convert is None else convert(value), spec)


@expression(gast.JoinedStr)
def fstring_(ev: Evaluator, node: Any) -> Abstract:
    return formatted(ev, node.values, functools.partial(_piece, ev))


Piece = tuple[Abstract, str, Abstract]


def _piece(ev: Evaluator, node: Any) -> str | Piece:
    """A text, or what is shown, with its conversion and its format."""
    if isinstance(node, gast.Constant):
        return str(node.value)
    v = ev.eval(node.value)
    spec = Static("") if node.format_spec is None else ev.eval(node.format_spec)
    return v, chr(node.conversion) if node.conversion and node.conversion > 0 else "", spec


def formatted(ev: Evaluator, nodes: Sequence[Any], piece: Callable[[Any], str | Piece]) -> Abstract:
    """The text of an f-string: each piece is made before the next one is looked at."""
    parts: list[Any] = []
    args: list[Operand] = []
    for node in nodes:
        p = piece(node)
        if isinstance(p, str):
            parts.append(p)
            continue
        v, conversion, text = p
        if not isinstance(text, Static):
            ev.refuse("SCT104", "a format known only at run time is not supported")
        spec = text.value
        own = special_call(ev, v, "__format__", Static(spec)) if not conversion else None
        if own is not None:
            v, conversion, spec = checked(ev, own, "format"), "", ""
        elif isinstance(v, (Tup, Container)) or is_object(v) or isinstance(v, Static) and is_asked(v.peek) or \
                special_method(ev, v, "__repr__" if conversion in ("r", "a") else "__str__") is not None:
            if spec and not conversion:
                ev.refuse("SCT503", "the format of this object is not supported", hint="format its parts")
            v, conversion = boolean(shown(ev, v, ("repr",) if conversion in ("r", "a") else ("str", "repr"))), ""
        if isinstance(v, Static) and (is_number(v) and not args or isinstance(v.value, (enum.Enum, type, np.dtype))):
            parts.append(attempted(ev, functools.partial(_formatted, v.value, conversion, spec)))
            continue
        x = ev.operand(v)
        if not conversion and not formats(x, spec):
            if len(made := samples_of(x.type)) == 1:
                attempted(ev, functools.partial(format, made[0], spec))
            if node is not nodes[-1]:
                x, spec = ev.emit(python, x, Lit(spec), callee="format"), ""  # before what comes next
        parts.append((conversion, spec))
        args.append(x)
    return ev.emit(fstring, *args, parts=tuple(parts)) if args else Static("".join(parts))
