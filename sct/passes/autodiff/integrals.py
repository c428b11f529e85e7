"""Derivatives of integrals, by the rule of Leibniz.

    I = quad(f, a, b)[0]  ->  dI = f(b) * db - f(a) * da + quad(df, a, b)[0]    df: the derivative of f by what it reads

In:  an `integral` equation, and the cotangent of its out or the tangents of its operands. Out: equations that evaluate
the integrand at the limits, and integrals of the derivatives of the integrand, to the tolerance of the user's call.
These are `integral` equations again, so that derivatives of every order are those of the exact integral.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from sct.errors import SctError
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, free_values, is_float, rebuild
from sct.ir.pytrees.pytree import Leaf
from sct.ir.types import FLOAT, Function, Tensor
from sct.ops.arrays.creation import CONSTANT
from sct.ops.arrays.shape import SIZE
from sct.ops.program.control import closure
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import BY_THEOREM, integral, solver
from sct.ops.reductions.reductions import sum_
from sct.ops.scalar.arithmetic import add, float_, mul, neg
from sct.ops.type_rules import number
from sct.passes.autodiff.cotangents import current, d_hint, materialize
from sct.passes.autodiff.forward import forward
from sct.passes.autodiff.implicit_functions import integrand_of
from sct.passes.autodiff.residuals import live_eqns
from sct.passes.autodiff.reverse import reverse

__all__ = ["integral_cotangents", "integral_tangent"]

_OF_SCALARS, _OF_ARRAYS = "quad", "quad_vec"
_TOLERANCE = {_OF_SCALARS: ("1.49e-08", "1.49e-08"), _OF_ARRAYS: ("1e-200", "1e-08")}
"""The tolerances `epsabs` and `epsrel` that the functions of `scipy.integrate` have if they are given none."""

_OF_BOTH = ("epsabs", "epsrel", "limit", "points")
"""The options that both functions have."""


def integral_cotangents(eqn: Eqn, ct: Operand, wrt: Sequence[Value]) -> Sequence[Operand]:
    """The cotangents of the operands `wrt`, given that of the integral."""
    ct = materialize(ct, eqn.out)
    return [_total(_contributions(eqn, ct, x)) for x in wrt]


def _contributions(eqn: Eqn, ct: Operand, x: Value) -> Iterable[Operand]:
    """The contributions of the limits and the integrand to the cotangent of `x`."""
    a, b = eqn.args[1:3]
    if x is b:
        yield _inner(ct, _integrand_at(eqn, b))
    if x is a:
        yield neg(_inner(ct, _integrand_at(eqn, a)))
    if x not in _read(eqn):
        return
    fn = integrand_of(eqn)
    _refuse_jumps(eqn, fn, {x})
    if not isinstance(x.type, Tensor):
        raise SctError("SCT402", f"`{eqn.attrs['function']}` integrates a function that reads a list",
                       why="the derivative by its items would be an integral of lists",
                       hint="make an array of the list", loc=eqn.loc)
    whole = fn.replace(params=(fn.params[0], x))
    if number(fn.results[0]).rank or number(x).rank:
        seed = ct if number(fn.results[0]).rank else Lit(1.0)
        back = reverse(whole, [1], {0: seed}, rewrite=current().rewrite)
        derivative = _function(fn, [*back.forward, *back.backward], back.cotangents[0], x)
    else:
        tangents = forward(whole, [1], [Lit(1.0)], rewrite=current().rewrite)
        derivative = _function(fn, tangents.eqns, tangents.results[-1], x)
    result = _integral_of(eqn, derivative, d_hint(x))
    yield result if number(fn.results[0]).rank else cast(Operand, mul(ct, result))


def integral_tangent(eqn: Eqn, tangents: Mapping[Value, Operand]) -> Operand:
    """The tangent of the integral, given those of operands."""
    a, b = eqn.args[1:3]
    terms: list[Operand] = []
    if isinstance(b, Value) and b in tangents:
        terms.append(cast(Operand, mul(_integrand_at(eqn, b), tangents[b])))
    if isinstance(a, Value) and a in tangents:
        terms.append(cast(Operand, neg(mul(_integrand_at(eqn, a), tangents[a]))))
    read = [x for x in _read(eqn) if x in tangents]
    if read:
        fn = integrand_of(eqn)
        _refuse_jumps(eqn, fn, set(read))
        whole = fn.replace(params=(fn.params[0], *read))
        pushed = forward(whole, range(1, len(read) + 1), [materialize(tangents[x], x) for x in read],
                         rewrite=current().rewrite)
        derivative = _function(fn, pushed.eqns, pushed.results[-1], read[0] if len(read) == 1 else None)
        terms.append(_integral_of(eqn, derivative))
    return _total(terms)


def _total(terms: Iterable[Operand]) -> Operand:
    total: Operand | None = None
    for term in terms:
        total = term if total is None else cast(Operand, add(total, term))
    return Lit(0.0) if total is None else total


def _inner(ct: Operand, y: Operand) -> Operand:
    product = cast(Operand, mul(ct, y))
    return cast(Operand, sum_(product)) if number(product).rank else product


def _read(eqn: Eqn) -> list[Value]:
    """The operands that the integrand reads."""
    return [x for x in dict.fromkeys(eqn.args[3 + eqn.attrs["given"]:]) if isinstance(x, Value)]


def _integrand_at(eqn: Eqn, x: Operand) -> Operand:
    """The integrand at the limit `x`, in the current block."""
    fn = integrand_of(eqn)
    fn = rebuild(fn, {fn.params[0]: x if x.type == FLOAT else cast(Operand, float_(x))})
    for each in fn.eqns:
        current().add(each)
    return fn.results[0]


def _function(fn: Fn, eqns: Sequence[Eqn], result: Operand, by: Value | None) -> Fn:
    """The derivative of the integrand `fn`, as a function of the variable of the integral."""
    name = f"d{fn.name}_d{by.hint}" if by is not None and by.hint else f"d{fn.name}"
    region = Fn(name, fn.params[:1], tuple(live_eqns(eqns, [result])), (materialize(result, fn.results[0])
              if isinstance(result, Lit) and number(fn.results[0]).rank == 0 else result,))
    return rebuild(region, fresh=True)


def _integral_of(eqn: Eqn, fn: Fn, name: str | None = None) -> Operand:
    """The integral of `fn` between the limits of `eqn`, in the current block; `name` is that of its variable."""
    region_args = eqn.args[1:3 + eqn.attrs["given"]]
    rank = number(fn.results[0]).rank
    function = _OF_ARRAYS if rank else _OF_SCALARS
    options = _options(eqn, function)
    f = Value(Function(), fn.name)
    body = rebuild(fn, fresh=True)
    current().add(Eqn(closure, (), (f,), {"names": (fn.params[0].hint or "x",), "params": Leaf(0), "result": Leaf(0),
                                          "escapes": False}, (body,), primal=False, loc=eqn.loc))
    keywords = "".join(f", {name}={text}" for name, text in options)
    solved = current().emit(solver, (f, *region_args), {
        "text": f"scipy.integrate.{function}(_0, _1, _2{keywords})", "type": OBJECT})
    t = Tensor("array", "f64", number(fn.results[0]).shape) if rank else FLOAT
    value = current().emit(part, (solved,), {"text": "_0[0]", "type": t})
    value.hint = name
    reads = [v for v in free_values(fn) if is_float(v)]
    params = [Value(v.type, v.hint, v.dim) for v in reads]
    region = rebuild(fn.replace(params=(*fn.params, *params)), dict(zip(reads, params)))
    out = Value(t, name)
    current().add(Eqn(integral, (value, *region_args, *reads), (out,), {
        "function": function, "options": options, "given": eqn.attrs["given"]}, (region,), primal=False, loc=eqn.loc))
    return out


def _options(eqn: Eqn, function: str) -> tuple[tuple[str, str], ...]:
    """The options of the user's call, as `function` takes them: with the tolerance of the user's function."""
    own, options = eqn.attrs["function"], dict(eqn.attrs["options"])
    if own == function:
        return tuple(options.items())
    tolerance = dict(zip(("epsabs", "epsrel"), _TOLERANCE[own]))
    return tuple((name, text) for name, text in {**tolerance, **options}.items() if name in _OF_BOTH)


# -- jumps ------------------------------------------------------------------------------------------------------------

_JUMPS = frozenset(("copysign", "fmod", "heaviside", "mod", "remainder", "frexp", "modf", "divmod"))
"""Differentiable ops that jump."""

_NO_JUMPS = frozenset(("eq", "ne", "is_none", "isnan", "isinf", "isfinite", "logical_and", "logical_or", "logical_not",
                       "logical_xor", "not_", "and_", "or_", "xor", "invert", "part", "solver", "raise_", "python"))
"""Ops without a derivative whose result is the same almost everywhere, or that join what is looked at itself."""


def _refuse_jumps(eqn: Eqn, fn: Fn, wrt: set[Value]) -> None:
    """Refuse an integrand that may jump where both the variable of the integral and `wrt` decide.

    The place of the jump moves with `wrt`, which the derivative of the integrand does not see.
    """
    jump = _jump(live_eqns(fn.eqns, fn.results), {fn.params[0]: 1, **dict.fromkeys(wrt, 2)})
    if jump is not None:
        raise SctError(
            "SCT402", f"the function that `{eqn.attrs['function']}` integrates may jump at a place that moves with a "
            "differentiated number", why="what the moving jump contributes is not in the derivative of the function",
            hint="integrate the parts apart: `quad(f, a, k)[0] + quad(g, k, b)[0]`; where they meet without a jump, "
            "np.maximum, np.minimum and np.clip do without a comparison", loc=jump.loc or eqn.loc)


def _jump(eqns: Iterable[Eqn], depends: dict[Operand, int]) -> Eqn | None:
    """The first equation that jumps by both; `depends`: bit 0 for the variable, bit 1 for what is differentiated."""
    for eqn in eqns:
        if eqn.op is closure:
            continue
        regions = () if eqn.op in BY_THEOREM else eqn.regions
        bits = 0
        for x in (*eqn.args, *(v for region in regions for v in free_values(region))):
            bits |= depends.get(x, 0)
        if bits == 3 and _may_jump(eqn):
            return eqn
        for region in regions:
            depends.update(dict.fromkeys(region.params, bits))
            jump = _jump(region.eqns, depends)
            if jump is not None:
                return jump
        depends.update(dict.fromkeys(eqn.outs, bits))
    return None


def _may_jump(eqn: Eqn) -> bool:
    op = eqn.op
    piecewise = op.nondiff is not None and op.nondiff not in (SIZE, CONSTANT) and op.name not in _NO_JUMPS
    return op.name in _JUMPS or piecewise and not eqn.regions
