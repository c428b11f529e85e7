"""Containers compare their items by `x is y or x == y`, which tells two floats that are nan apart by which objects they
are.

Numbers of the arguments are the caller's objects: Python asks for these.  Arithmetic makes new objects, and so does
reading an array.  Of other numbers, as those of a list or from several paths, it is not known; an error is raised where
both are nan.
"""

from __future__ import annotations

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import do_not_answer
from sct.frontend.evaluator.known_values import holds_nan
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.values.abstract_values import Abstract, Static
from sct.ir import Value
from sct.ir.types import BOOL, Tensor
from sct.ops import BY_CALL, index
from sct.ops.program.effects import membership
from sct.ops.scalar import arithmetic

__all__ = ["one_or_equal_numbers"]

_NEW = {arithmetic.add, arithmetic.sub, arithmetic.mul, arithmetic.div, arithmetic.neg}
"""Operations whose result is a new object."""


def one_or_equal_numbers(ev: Evaluator, x: Abstract, y: Abstract) -> Abstract | None:
    """`x is y or x == y`, a bool, of two numbers that may be nan; None where `==` tells."""
    if not (_may_be_nan(x) and _may_be_nan(y)) or isinstance(x, Static) and isinstance(y, Static):
        return None
    new, argument = ([has(ev, v) for v in (x, y)] for has in (_is_new, _is_argument))
    if any(new) and all(a or b for a, b in zip(new, argument)):
        return None
    if all(argument):
        equal = "_0 == _1" if _is_of_python(x) and _is_of_python(y) else "bool(_0 == _1)"
        return ev.emit(membership, *map(ev.operand, (x, y)), text=f"_0 is _1 or {equal}", type=BOOL)  # type: ignore[no-any-return]
    equal_now = ev.call_op(BY_CALL["operator.eq"], x, y, spelling="operator.eq")
    return evaluate_branches(ev, ev.operand(equal_now), lambda: Static(True),  # type: ignore[no-any-return]
                             lambda: _raise_if_nan(ev, x, y))


def _raise_if_nan(ev: Evaluator, x: Abstract, y: Abstract) -> Abstract:
    """False, of numbers that are not equal, if not both are nan."""
    operands = [v for v in (x, y) if isinstance(v, Value)]
    text = " and ".join(f"_{k} != _{k}" for k in range(len(operands)))

    def refuse() -> Abstract:
        do_not_answer(ev, "know whether two nans are one object")

    return evaluate_branches(ev, ev.emit(membership, *operands, text=text, type=BOOL), refuse,  # type: ignore[no-any-return]
                             lambda: Static(False))


def _may_be_nan(v: Abstract) -> bool:
    if isinstance(v, Static):
        return holds_nan(v.value) and not isinstance(v.value, tuple)
    return isinstance(v, Value) and isinstance(v.type, Tensor) and v.type.is_scalar and v.type.kind in "fc"


def _is_of_python(v: Abstract) -> bool:
    return isinstance(v, Value) and isinstance(v.type, Tensor) and v.type.carrier == "py"


def _is_new(ev: Evaluator, v: Abstract) -> bool:
    """Is this the result of arithmetic, or an element of an array, which is a new object each time it is read?"""
    eqn = ev.defs.get(v) if isinstance(v, Value) else None
    return eqn is not None and (eqn.op in _NEW or eqn.op is index and isinstance(eqn.args[0].type, Tensor))


def _is_argument(ev: Evaluator, v: Abstract) -> bool:
    """Is this a number of the arguments of the derivative, an object of the caller?"""
    return isinstance(v, Value) and ev.outermost().get(v, v) in ev.params
