"""Truth: `bool` of abstract values, conditions, `and`, `or` and `not`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sct.errors import SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import expression
from sct.frontend.evaluator.lookup_guards import MISSING, in_class
from sct.frontend.heap import dynamic_lists, run_time_dicts
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.special_methods import checked
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.iteration.run_time_sets import is_set, size
from sct.frontend.objects.container_objects import contents_of
from sct.frontend.objects.linked_objects import classes_of, is_link, may_be_several
from sct.frontend.objects.objects import is_member, is_object, special_call
from sct.frontend.operators.arithmetic_operators import unary
from sct.frontend.operators.choices import told
from sct.frontend.state.choices import mixed
from sct.frontend.state.object_tables import is_empty
from sct.frontend.values.abstract_values import (
    Abstract,
    Bound,
    Cached,
    Choice,
    Closure,
    DerivedCallable,
    DictRef,
    Iteration,
    Key,
    ListRef,
    MapRef,
    Method,
    ObjRef,
    OptionalTuple,
    Poison,
    Ref,
    RunTimeTuple,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Lit, Operand, Value
from sct.ir.dims import Dim
from sct.ir.types import BOOL, ActiveText, Optional, Tensor, Text, base_type
from sct.ops import BY_CALL, gt, is_none, ne, not_
from sct.ops.program.effects import inactive, may_change

__all__ = [
    "ASKED", "as_bool", "boolean", "compares_to_bool", "condition", "either_expression", "negated",
    "truth",
]


@expression(gast.UnaryOp)
def unaryop(ev: Evaluator, node: Any) -> Abstract:
    if isinstance(node.op, gast.Not):
        t = condition(ev, node.operand)
        return Static(not t.value) if isinstance(t, Lit) else ev.emit(not_, t)
    return unary(ev, type(node.op), ev.eval(node.operand))


def truth(ev: Evaluator, v: Abstract) -> Operand:
    """`bool(v)` as an operand; a literal where it is known."""
    v = v.of if isinstance(v, RunTimeTuple) else contents_of(ev, v, "__bool__", "__len__")
    if isinstance(v, Choice) or may_be_several(v) and _has_own_truth(ev, v):
        return ev.operand(told(ev, v, lambda m: boolean(truth(ev, m))))
    if (is_object(v) or is_member(v)) and (own := _own_truth(ev, v)) is not None:
        return own
    if isinstance(v, Static):
        for special in ("__bool__", "__len__"):
            in_class(ev, type(v.peek), special)
        return Lit(bool(v.value))
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        return ev.emit(gt, dynamic_lists.length(ev, v), 0, spelling="operator.gt")  # type: ignore[no-any-return]
    if isinstance(v, MapRef):
        return run_time_dicts.truth(ev, v)
    if is_set(v):
        return ev.emit(gt, ev.operand(size(ev, v)), 0, spelling="operator.gt")  # type: ignore[no-any-return]
    if isinstance(v, Tup):
        return Lit(bool(v.items))
    if isinstance(v, (ListRef, DictRef)):
        return Lit(bool(items_of(ev, v)))
    if isinstance(v, Iteration) and v.kind != "range":
        return truth(ev, ev.call(Static(len), [v])) if v.state is None else Lit(True)
    if isinstance(v, OptionalTuple):
        return ev.emit(not_, ev.emit(is_none, ev.operand_of_item(v)))  # type: ignore[no-any-return]
    v = ev.bound(v)
    optional = ev.contents(v) if isinstance(v, Ref) and not v.path else v
    if isinstance(optional, Value) and isinstance(optional.type, Optional):
        return _truth_if_present(ev, optional)
    if is_link(v):
        return Lit(not any(map(is_empty, classes_of(v))))  # type: ignore[arg-type]
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
            return Lit(run_or_raise(ev, lambda: bool(np.ones([2 if d.value is None else d.value for d in sizes]))))
        if may_change(x.type):
            return ev.emit(inactive, x, text="bool(_0)", type=BOOL)  # type: ignore[no-any-return]
        return ev.emit(BY_CALL["builtins.bool"], x, spelling="builtins.bool")  # type: ignore[no-any-return]
    if isinstance(v, Iteration) and v.kind == "range":
        return _is_not_empty(ev, v)
    if isinstance(v, Iteration) and v.state is None and v.kind in ("keys", "values", "items"):
        return truth(ev, v.parts[0])
    if isinstance(v, Poison):
        ev.refuse("SCT502", "the truth of this value is not known", why=v.reason)
    if isinstance(v, (ObjRef, Closure, Bound, Cached, Method, DerivedCallable, Iteration)):
        return Lit(True)  # an iterator is true whatever it gives
    ev.refuse("SCT503", "sct does not know whether this object is true or false",
              hint="write an explicit comparison")


def _truth_if_present(ev: Evaluator, x: Value) -> Operand:
    """`bool(x)` of a number, an array or an object that may be None."""
    if is_link(x) and not _has_own_truth(ev, x):
        return ev.emit(not_, ev.emit(is_none, x))  # type: ignore[no-any-return]
    return ev.operand(evaluate_branches(ev, ev.emit(is_none, x), lambda: Static(False),
                                        lambda: boolean(truth(ev, ev.wrap(ev.defined(x))))))


def _may_be_one(sizes: list[Dim]) -> bool:
    """May an array of these sizes have one element?"""
    if any(d.value == 0 for d in sizes):
        return False
    return not (all(d.least >= 1 for d in sizes) and any(d.least >= 2 for d in sizes))


def _is_not_empty(ev: Evaluator, v: Iteration) -> Operand:
    """`bool(range(...))`."""
    first, stop, step = (Static(0), v.parts[0], Static(1)) if len(v.parts) == 1 else (*v.parts, Static(1))[:3]
    if all(map(is_literal, v.parts)):
        return Lit(bool(range(*(p.value for p in v.parts if isinstance(p, Static)))))
    up = ev.ask(step, "the step of this range") > 0
    spelling = "operator.lt" if up else "operator.gt"
    return ev.emit(BY_CALL[spelling], ev.operand(first), ev.operand(stop), spelling=spelling)  # type: ignore[no-any-return]


def condition(ev: Evaluator, node: Any) -> Operand:
    """`bool(expression)`; for `and`, `or`, `not` and `if` by the truth of their parts, of any types."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
        return ev.operand(ev.eval(node))
    if isinstance(node, gast.IfExp):
        t = condition(ev, node.test)
        if isinstance(t, Lit):
            return condition(ev, node.body if t.value else node.orelse)
        return ev.operand(evaluate_branches(ev, t, lambda: boolean(condition(ev, node.body)),
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
        branches = lambda: go(k + 1), lambda: stop
        return evaluate_branches(ev, t, *(branches if is_and else reversed(branches)))  # type: ignore[no-any-return]

    return ev.operand(go(0))


def _has_own_truth(ev: Evaluator, x: Any) -> bool:
    """Does a class of which the object may be say what its truth is?"""
    return any(is_empty(cls) or in_class(ev, cls, name)[0] is not MISSING
               for cls in classes_of(x) for name in ("__bool__", "__len__"))


def _own_truth(ev: Evaluator, v: Abstract) -> Operand | None:
    """The truth of an object by its `__bool__` or `__len__`."""
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
        # Where the value is its own truth, and a bool, the branch that stops yields a literal.
        stop: Abstract = Static(not is_and) if t is v and t.type == BOOL else v
        if is_and:
            return either_expression(ev, t, lambda: go(k + 1), lambda: stop)
        return either_expression(ev, t, lambda: stop, lambda: go(k + 1))

    return go(0)


ASKED = ("SCT301", "SCT310", "SCT501", "SCT502", "SCT503", "SCT505")
"""The codes of refusals of a path because of which its test is asked: it may not be taken."""


@expression(gast.IfExp)
def ternary(ev: Evaluator, node: Any) -> Abstract:
    t = condition(ev, node.test)
    if isinstance(t, Lit):
        return ev.eval(node.body if t.value else node.orelse)
    frame = ev.frames[-1]
    live = ev.live_after(frame.behind) if frame.assigned is node else None
    return either_expression(ev, t, lambda: ev.eval(node.body), lambda: ev.eval(node.orelse), live)


def either_expression(ev: Evaluator, t: Value, then: Callable[[], Abstract],
                      orelse: Callable[[], Abstract], live: Callable[[Key], bool] | None = None) -> Abstract:
    """The value of one of two expressions; if they cannot be joined, or one is refused, the test is guarded."""
    store, mark = ev.store, len(ev.b.eqns)
    refused, joined = None, None
    try:
        joined = evaluate_branches(ev, t, then, orelse, live)
        if not isinstance(joined, Poison) and not (mixed(joined) and ev.can_ask(t)):
            return joined  # type: ignore[no-any-return]
    except SctError as error:
        if error.code not in ASKED:
            raise
        refused = error
    ev.go_to(store)
    del ev.b.eqns[mark:]
    try:
        chosen = ev.ask(t, "this test")
    except (NeedsStatic, SctError) as need:
        if isinstance(joined, Poison):
            joined = SctError("SCT502", "the value of this expression depends on its test", why=joined.reason,
                              hint="give it the same type on every path", loc=ev.loc)
            if not isinstance(need, NeedsStatic):
                raise joined from None
            need.error = joined  # the test may be known if a loop is unrolled
        if refused is None:
            raise
        raise refused from None
    return then() if chosen else orelse()


def compares_to_bool(ev: Evaluator, v: Abstract) -> bool:
    """Is this of a class that is known, whose comparisons with others like it give a bool?"""
    if isinstance(v, Static):
        return v.value is None or isinstance(v.value, (bool, int, float, complex, str, bytes))
    t = base_type(v.type) if isinstance(v, Value) else None
    return isinstance(t, Tensor) and t.carrier == "py" or isinstance(t, (ActiveText, Text)) or \
        isinstance(v, Value) and isinstance(ev.leaf_of(v), bytes)
