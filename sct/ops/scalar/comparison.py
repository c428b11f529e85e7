"""Comparisons, tests, and values that may be missing."""

from __future__ import annotations

import builtins
import cmath
import math
import operator

import numpy as np

from sct.ir.core import Eqn, Op, Operand
from sct.ir.types import BOOL, Opaque, Tensor, Type, TypeMismatch, base_type
from sct.ops import samples
from sct.ops.registry import op
from sct.ops.type_rules import bools, by_carrier, elementwise, prints

__all__ = ["eq", "ge", "gt", "is_instance", "is_none", "isfinite", "isinf", "isnan", "le", "lt", "ne", "not_",
           "tests_nan", "unwrap"]

TRUTH = "a truth value has no derivative"


# -- comparisons ---------------------------------------------------------------------------


def comparison(name: str, symbol: str, ufunc: np.ufunc, numpy_name: str) -> Op:
    """A comparison of numbers, or of objects that are not differentiated.

    Objects compare to values of type `to`, and to anything where that is not known.
    """
    numbers = elementwise(ufunc, bools)

    def rule(x: Operand, y: Operand, spelling: str | None = None, to: Type | None = None) -> Type:
        if isinstance(x.type, Tensor) and isinstance(y.type, Tensor):
            return numbers(x, y, spelling=spelling)
        return to or Opaque() if any(isinstance(t, Opaque) for t in (x.type, y.type)) else BOOL

    return op(name, f"operator.{name} numpy.{numpy_name}", type=rule, spelled=True, run=getattr(operator, name),
              emit=f"_0 {symbol} _1", elementwise=True, samples=samples.pairs, nondiff=TRUTH,
              complex=name in ("eq", "ne"),
              cost="cheap", compiled=True, commutative=name in ("eq", "ne"))


eq = comparison("eq", "==", np.equal, "equal")
ne = comparison("ne", "!=", np.not_equal, "not_equal")
lt = comparison("lt", "<", np.less, "less")
le = comparison("le", "<=", np.less_equal, "less_equal")
gt = comparison("gt", ">", np.greater, "greater")
ge = comparison("ge", ">=", np.greater_equal, "greater_equal")


def type_not(*xs: Operand) -> Type:
    """Python's `not`, of anything that has one truth value."""
    if any(isinstance(x.type, Tensor) and x.type.rank for x in xs):
        raise TypeMismatch("the truth value of an array is ambiguous")
    return BOOL


not_ = op("not_", "operator.not_", complex=True, type=type_not, run=operator.not_, emit="not _0", nondiff=TRUTH,
          samples=lambda: [((True,), {}), ((0.0,), {})], cost="cheap", compiled=True)

def predicate(name: str, ufunc: np.ufunc) -> Op:
    return op(name, f"numpy.{name} math.{name} cmath.{name}", complex=True, type=elementwise(ufunc, bools),
              spelled=True,
              run=by_carrier(ufunc, getattr(math, name), getattr(cmath, name)), emit=prints(f"numpy.{name}",
                                                                                            f"math.{name}"),
              elementwise=True, samples=samples.reals, nondiff=TRUTH, cost="cheap", compiled=True)


isnan = predicate("isnan", np.isnan)
isinf = predicate("isinf", np.isinf)
isfinite = predicate("isfinite", np.isfinite)

_of_python = elementwise(np.isnan, bools)
op("isreal", "numpy.isreal", complex=True, type=_of_python, run=np.isreal, elementwise=True, samples=samples.reals,
   nondiff=TRUTH)
op("iscomplex", "numpy.iscomplex", complex=True, type=lambda x: _of_python(x, spelling="numpy.isnan"), run=np.iscomplex,
   elementwise=True, samples=samples.reals, nondiff=TRUTH)


def tests_nan(eqn: Eqn) -> bool:
    """Is this a test for nan or infinities of the user's?  Those of derivatives are masks already."""
    return eqn.primal and (eqn.op in (isnan, isfinite, isinf) or \
        eqn.op in (eq, ne) and len(set(eqn.args)) == 1 and isinstance(eqn.args[0].type, Tensor))



# -- values that may be missing --------------------------------------------------------------

def classes(names: tuple[str, ...]) -> tuple[type, ...]:
    return tuple(getattr(np if name.startswith("numpy.") else builtins, name.rpartition(".")[2]) for name in names)


is_instance = op("is_instance", complex=True, type=lambda x, names: BOOL, run=lambda x, names: isinstance(x,
                                                                                                          classes(names)),
                 emit=lambda x, names: f"isinstance(_0, ({', '.join(names)},))", cost="free", nondiff=TRUTH,
                 samples=lambda: [((1.5,), {"names": ("float",)})])
"""`isinstance(x, names)` of a number that may be of several classes."""

is_none = op("is_none", complex=True, type=lambda x: BOOL, run=lambda x: x is None, emit="_0 is None", cost="free",
             nondiff=TRUTH)


def type_unwrap(x: Operand, to: Type | None = None, free: bool = False) -> Type:
    """The type of the value, known to be there, or known to be of the type `to`."""
    if to is not None:
        return to
    return base_type(x.type)


unwrap = op("unwrap", type=type_unwrap, run=lambda x, **_: x, defaults={"to": None, "free": False}, emit="_0",
            alias="same", cost="free", raises="value", linear=lambda ct, x, **_: [ct], compiled=True)
