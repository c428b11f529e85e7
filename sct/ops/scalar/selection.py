"""Logic and selections: where, maximum, clip, the builtin max; ties and masks.

The contributions of a rule carry their mask outermost (`where(c, ct, 0)`), so that the
driver keeps 0 * inf from arising further back.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Elements, Lit, Op, Operand, Value
from sct.ir.types import Tensor, Type, TypeMismatch, broadcast_shapes, join
from sct.ops import samples
from sct.ops.registry import op, placeholders
from sct.ops.scalar.arithmetic import add
from sct.ops.scalar.comparison import TRUTH, ge, gt, isnan, le, lt
from sct.ops.type_rules import arithmetic, bools, by_carrier, elementwise, is_python, number, promote, ufunc_result

__all__ = [
    "bitand", "bitor", "bitxor", "clip", "fmax", "fmin", "logical_and", "logical_not", "logical_or", "logical_xor",
    "lshift", "maximum", "minimum", "pymax", "pymin", "pysum", "rshift", "where",
]


# -- logic ---------------------------------------------------------------------------------


def logic(name: str, symbol: str, ufunc: np.ufunc, operator_name: str) -> Op:
    """A logical function; the operator of the name (`&` of ints) is only it for bools."""
    numbers = elementwise(ufunc, bools)

    def rule(*xs: Operand, spelling: str | None = None) -> Tensor:
        if (spelling is None or spelling.startswith("operator.")) and any(number(x).kind != "b" for x in xs):
            raise TypeMismatch(f"`{symbol}` of integers is not supported")
        return numbers(*xs, spelling=spelling)

    return op(name, f"numpy.{name} operator.{operator_name}", type=rule, spelled=True,
              run=getattr(operator, operator_name),
              emit=f"_0 {symbol} _1", elementwise=True, samples=truths(2), nondiff=TRUTH, cost="cheap", compiled=True,
              commutative=True)


def truths(count: int) -> samples.Samples:
    """Bools, scalars and arrays."""

    def make() -> Iterable[samples.Sample]:
        yield (True, False)[:count], {}
        yield (np.array([True, False]), np.array([[True], [False]]))[:count], {}

    return make


logical_and = logic("logical_and", "&", np.logical_and, "and_")
logical_or = logic("logical_or", "|", np.logical_or, "or_")
logical_xor = logic("logical_xor", "^", np.logical_xor, "xor")


def bits(name: str, symbol: str, ufunc: np.ufunc, run: Callable[..., Any]) -> Op:
    """An operator of the bits of ints."""
    numbers = elementwise(ufunc, arithmetic)

    def rule(*xs: Operand, spelling: str | None = None) -> Tensor:
        if any(not number(x).integral and number(x).kind != "b" for x in xs):
            raise TypeMismatch(f"`{symbol}` of numbers that are no integers")
        return numbers(*xs, spelling=spelling)

    return op(name, f"numpy.{ufunc.__name__}", type=rule, spelled=True, run=run, emit=f"_0 {symbol} _1",
              elementwise=True, raises="value", nondiff="an integer has no derivative",
              samples=lambda: [((6, 3), {}), ((np.int64(5), 2), {}), ((np.arange(4), np.arange(4)), {})], cost="cheap")


bitand = bits("bitand", "&", np.bitwise_and, operator.and_)
bitor = bits("bitor", "|", np.bitwise_or, operator.or_)
bitxor = bits("bitxor", "^", np.bitwise_xor, operator.xor)
lshift = bits("lshift", "<<", np.left_shift, operator.lshift)
rshift = bits("rshift", ">>", np.right_shift, operator.rshift)


def type_logical_not(x: Operand, spelling: str | None = None) -> Tensor:
    """`~` of a Python bool is an int, so there `not` is printed, and `~` by a user refused."""
    if spelling is not None and spelling.startswith("operator.") and (number(x).kind != "b" or is_python(x)):
        raise TypeMismatch("`~` is only supported of boolean arrays")
    return ufunc_result(np.logical_not, (x,), spelling, bools)


logical_not = op("logical_not", "numpy.logical_not operator.invert operator.inv", type=type_logical_not,
                 spelled=True, run=by_carrier(np.logical_not, operator.not_),
                 emit=lambda x: "not _0" if is_python(x) else "~_0", elementwise=True, samples=truths(1), nondiff=TRUTH,
                 cost="cheap", compiled=True)


# -- selections ------------------------------------------------------------------------------


def type_where(c: Operand, a: Operand, b: Operand, spelling: str | None = None) -> Type:
    """`numpy.where` gives an array, of rank 0 for scalars; without a spelling that is `a if c else b`."""
    if spelling is None and chooses(c, a, b):
        return join(a.type, b.type)
    shape = broadcast_shapes(*(number(x).shape for x in (c, a, b)))
    dtypes = promote([number(a), number(b)])
    if len(dtypes) > 1 and spelling is None and all(number(x).carrier in ("py", "any") for x in (a, b)):
        dtypes = frozenset(["f64"])  # a tangent of single precision is known to be one
    if len(dtypes) > 1:
        raise TypeMismatch("numpy.where of a scalar that may be a Python number or a NumPy scalar")
    (dtype,) = dtypes
    return Tensor("array", dtype, shape)


def chooses(*xs: Operand) -> bool:
    """Are these scalars, to be chosen from by a conditional expression?"""
    return all(number(x).is_scalar for x in xs)


def run_where(c: Any, a: Any, b: Any) -> Any:
    if any(isinstance(x, np.ndarray) for x in (c, a, b)):
        return np.where(c, a, b)
    return a if c else b


def selections() -> Iterable[samples.Sample]:
    for args, attrs in samples.pairs():
        for c in (True, False, np.arange(3) > 0):
            if not any(np.shape(x)[-1:] in ((4,), (0,), (2,)) for x in args):
                yield (c, *args), attrs
    yield (np.array(True), np.ones(3), 0.0), {}


where: Op = op("where", "numpy.where", type=type_where, spelled=True, run=run_where, inactive=(0,), elementwise=True,
           emit=lambda c, a, b: "_1 if _0 else _2" if chooses(c, a, b) else "numpy.where(_args)",
           linear=lambda ct, c, a, b: [None, where(c, ct, 0.0), where(c, 0.0, ct)], samples=selections,
               cost="cheap", compiled=True, layout="operands")


# -- extrema -----------------------------------------------------------------------------------


def extremum(name: str, ufunc: np.ufunc, wins: Callable[[Any, Any], Any], **fields: Any) -> Op:
    """maximum and its like: the derivative is that of x where `wins(x, y)`, also at a tie, and that of y elsewhere."""

    def vjp(ct: Operand, z: Operand, x: Operand, y: Operand) -> list[Any]:
        first = wins(x, y)
        return [where(first, ct, 0.0), where(first, 0.0, ct)]

    def jvp(tangents: Sequence[Any], z: Operand, x: Operand, y: Operand) -> Any:
        dx, dy = (0.0 if t is None else t for t in tangents)
        return where(wins(x, y), dx, dy)

    return op(name, f"numpy.{name}", type=elementwise(ufunc), spelled=True, run=ufunc, vjp=vjp, jvp=jvp,
              elementwise=True, samples=samples.pairs, cost="cheap", **fields)


maximum = extremum("maximum", np.maximum, ge, commutative=True, compiled=True)
minimum = extremum("minimum", np.minimum, le, commutative=True, compiled=True)
fmax = extremum("fmax", np.fmax, lambda x, y: logical_or(ge(x, y), isnan(y)))
fmin = extremum("fmin", np.fmin, lambda x, y: logical_or(le(x, y), isnan(y)))


# clip(x, lo, hi) is minimum(maximum(x, lo), hi): the derivative is that of x at the bounds too. A bound may be None.


def bounds(lo: Operand, hi: Operand) -> tuple[bool, bool]:
    return not (isinstance(lo, Lit) and lo.value is None), not (isinstance(hi, Lit) and hi.value is None)


def ordered(lo: Operand, hi: Operand) -> bool:
    """Are these literals in order?  Then x compares with hi as maximum(x, lo) does."""
    return isinstance(lo, Lit) and isinstance(hi, Lit) and None not in (lo.value, hi.value) and lo.value < hi.value


def type_clip(x: Operand, lo: Operand, hi: Operand) -> Tensor:
    limits = [b for b, there in zip((lo, hi), bounds(lo, hi)) if there]
    return ufunc_result(None, (x, *limits), "numpy.clip")


def bind_clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    return [a, a_min if min is None else min, a_max if max is None else max], {}


def clip_vjp(ct: Operand, y: Operand, x: Operand, lo: Operand, hi: Operand) -> list[Any]:
    below, above = bounds(lo, hi)
    dx, dlo, dhi = ct, None, None
    if above:
        inside = le(maximum(x, lo) if below and not ordered(lo, hi) else x, hi)
        dx, dhi = where(inside, dx, 0.0), where(inside, 0.0, dx)
    if below:
        inside = ge(x, lo)
        dx, dlo = where(inside, dx, 0.0), where(inside, 0.0, dx)
    return [dx, dlo, dhi]


def clip_jvp(tangents: Sequence[Any], y: Operand, x: Operand, lo: Operand, hi: Operand) -> Any:
    """The transposed selections of `clip_vjp`, one operand at a time: each is diagonal."""
    parts = [clip_vjp(t, y, x, lo, hi)[k] for k, t in enumerate(tangents) if t is not None]
    total = parts[0]
    for part in parts[1:]:
        total = add(total, part)
    return total


def clips() -> Iterable[samples.Sample]:
    for (x, lo), attrs in samples.pairs():
        yield (x, lo, lo + 1.0), attrs
        yield (x, None, lo), attrs
        yield (x, lo, None), attrs


def clip_elements(e: Elements, at: Sequence[Any], x: Operand, lo: Operand, hi: Operand) -> Any:
    element, *bounds = (broadcast_read(e, at, v) for v in (x, lo, hi))
    for bound, best in zip(bounds, (maximum, minimum)):
        element = element if bound == Lit(None) else best(element, bound)
    return element


def broadcast_read(e: Elements, at: Sequence[Any], x: Operand) -> Operand:
    """The element of a broadcast operand."""
    if not isinstance(x.type, Tensor) or not x.type.is_array:
        return x
    shape = x.type.shape
    return e.read(x, [0 if d.value == 1 else i for d, i in zip(shape, at[len(at) - len(shape):])])


clip = op("clip", "numpy.clip .clip", type=type_clip, run=np.clip, bind=bind_clip, emit="numpy.clip(_args)",
          vjp=clip_vjp, jvp=clip_jvp, elementwise=True, samples=clips,
          elements=clip_elements)


# -- the builtins: they return one of their operands, the first of equals --------------------------


def chosen(beats: Callable[[Any, Any], Any], best: Op, xs: Sequence[Operand]) -> list[Any]:
    """For each operand but the first: does it beat those before it?"""
    conditions = []
    leader = xs[0]
    for k, x in enumerate(xs[1:], 1):
        conditions.append(beats(x, leader))
        if k < len(xs) - 1:
            leader = best(leader, x)
    return conditions


def builtin(name: str, call: Callable[..., Any], beats: Callable[[Any, Any], Any]) -> Op:
    def rule(*xs: Operand) -> Type:
        if any(number(x).rank for x in xs):
            raise TypeMismatch("the truth value of an array is ambiguous")
        t = xs[0].type
        for x in xs[1:]:
            t = join(t, x.type)
        return t

    def vjp(ct: Any, z: Operand, *xs: Operand) -> list[Any]:
        cts = []
        for c in reversed(chosen(beats, entry, xs)):
            cts.append(where(c, ct, 0.0))
            ct = where(c, 0.0, ct)
        return [ct, *reversed(cts)]

    def jvp(tangents: Sequence[Any], z: Operand, *xs: Operand) -> Any:
        dz = 0.0 if tangents[0] is None else tangents[0]
        for c, t in zip(chosen(beats, entry, xs), tangents[1:]):
            dz = where(c, 0.0 if t is None else t, dz)
        return dz

    entry = op(name, f"builtins.{call.__name__}", type=rule, run=call, emit=f"{call.__name__}(_args)", vjp=vjp, jvp=jvp,
               samples=lambda: [((1.5, 2.5), {}), ((2.5, 1.5, np.float64(2.0)), {}), ((1.0, 2.0, 3.0, 0.5), {})],
               cost="cheap", compiled=True)
    return entry


pymax = builtin("pymax", max, gt)
pymin = builtin("pymin", min, lt)


def type_pysum(start: Operand, *xs: Operand) -> Type:
    t: Any = start.type
    for x in xs:
        if number(x).rank:
            raise TypeMismatch("the builtin `sum` of arrays")
        t = add.type(Value(t), x)
    return t  # type: ignore[no-any-return]


def emit_pysum(start: Operand, *xs: Operand) -> str:
    items = ", ".join(placeholders(len(xs) + 1, 1))
    return f"sum(({items}{',' * (len(xs) == 1)}){'' if start == Lit(0) else ', _0'})"


pysum = op("pysum", "builtins.sum", type=type_pysum, run=lambda start, *xs: sum(xs, start), emit=emit_pysum,
           partials=lambda z, *xs: [1.0 for _ in xs], linear_in="all",
           bind=lambda items, start=0: ([start, *items], {}),
           samples=lambda: [((0, 1.5, 2.5, 1e-3), {}), ((1.0, np.float64(2.5), 2.0), {})])
