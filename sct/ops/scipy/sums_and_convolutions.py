"""Sums of exponentials, integrals of samples, and convolutions."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.creation import eye
from sct.ops.arrays.shape import dim, expand_dims
from sct.ops.linalg.products import bilinear
from sct.ops.reductions import differences, signals
from sct.ops.reductions.reductions import aligned, reduction, sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import div, mul, sub
from sct.ops.scalar.elementary import exp
from sct.ops.scipy.formulas import PARAMETER
from sct.ops.type_rules import Axis, normalize, number, probe, scalar_or_array, ufunc_result

__all__ = ["log_softmax", "logaddexp_reduce", "logsumexp", "softmax"]


def scipy_function(module: str, name: str) -> Any:
    return getattr(import_module(f"scipy.{module}"), name)


# -- log(sum(b * exp(a))), and its gradient ------------------------------------------------------------------


def bind_logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False,
                   return_sign: Any = False) -> tuple[list[Any], dict[str, Any]]:
    if return_sign is not False:
        raise TypeMismatch("`return_sign` of logsumexp is not supported")
    attrs = {"axis": tuple(axis) if isinstance(axis, (tuple, list)) else axis, "keepdims": keepdims}
    return [a] if b is None else [a, b], attrs


def type_logsumexp(a: Operand, b: Operand | None = None, axis: Axis = None, keepdims: bool = False) -> Tensor:
    if b is not None and number(b).shape != number(a).shape and number(b).rank:
        raise TypeMismatch("the weights of logsumexp must be a number, or an array of the same shape as `a`")
    t = reduction(scipy_function("special", "logsumexp"))(a, axis, keepdims)
    return t if b is None else scalar_or_array({probe(np.multiply, t.dtype, dtype_of(b))}, t.shape)


def dtype_of(x: Operand) -> str:
    return ufunc_result(np.exp, (x,), "numpy.exp").dtype


def logsumexp_vjp(ct: Operand, y: Operand, a: Operand, b: Operand | None = None, axis: Axis = None,
                  keepdims: bool = False) -> list[Any]:
    """ct * b * exp(a - y), and ct * exp(a - y)"""
    share = mul(aligned(ct, a, axis, keepdims), exp(sub(a, aligned(y, a, axis, keepdims))))
    if b is None:
        return [share]
    return [mul(share, b), share if number(b).rank else sum_(share)]


def emit_logsumexp(a: Operand, b: Operand | None = None, axis: Axis = None, keepdims: bool = False) -> str:
    keywords = [*["axis=_axis"] * (axis is not None), *["b=_1"] * (b is not None), *["keepdims=True"] * keepdims]
    return f"scipy.special.logsumexp({', '.join(['_0', *keywords])})"


def weighted_samples() -> list[samples.Sample]:
    cases = [(args, attrs) for args, attrs in samples.reductions()() if isinstance(args[0], np.ndarray)]
    a, b = samples.arrays((2, 3)), samples.arrays((2, 3), 0.2, 1.5, seed=1)
    return [*cases, *[((a, b), {"axis": axis, "keepdims": k}) for axis in (None, 0, (0, 1)) for k in (True, False)]]


logsumexp = op("logsumexp", "scipy.special.logsumexp", type=type_logsumexp, bind=bind_logsumexp, vjp=logsumexp_vjp,
               run=lambda a, b=None, **attrs: scipy_function("special", "logsumexp")(a, b=b, **attrs),
               emit=emit_logsumexp, defaults={"axis": None, "keepdims": False}, raises="shape",
               samples=weighted_samples)


def type_logaddexp_reduce(x: Operand, axis: Axis = 0, keepdims: bool = False) -> Tensor:
    if not number(x).rank:
        raise TypeMismatch("numpy.logaddexp.reduce of a number is not supported")
    return reduction(np.logaddexp.reduce)(x, axis, keepdims)


logaddexp_reduce = op("logaddexp_reduce", type=type_logaddexp_reduce, run=np.logaddexp.reduce,
                      vjp=lambda ct, y, x, **attrs: logsumexp_vjp(ct, y, x, **attrs), raises="shape",
                      emit=lambda x, axis=0, keepdims=False: "numpy.logaddexp.reduce(_0{}{})".format(
                          ", axis=_axis" * (axis != 0), ", keepdims=True" * keepdims),
                      defaults={"axis": 0, "keepdims": False},
                      samples=lambda: [s for s in samples.reductions()() if np.ndim(s[0][0])])
"""`np.logaddexp.reduce(x)`: log(sum(exp(x))), computed pairwise."""


def type_softmax(x: Operand, axis: Axis = None) -> Tensor:
    t = number(x)
    if not t.rank:
        raise TypeMismatch("softmax of one number is not supported")
    normalize(axis, t.rank)
    return Tensor("array", dtype_of(x), t.shape)


def softmax_op(name: str, rule: Callable[..., Any]) -> Op:
    return op(name, f"scipy.special.{name}", type=type_softmax, vjp=rule, defaults={"axis": None},
              run=lambda x, axis=None: scipy_function("special", name)(x, axis=axis),
              bind=lambda x, axis=None: ([x], {"axis": tuple(axis) if isinstance(axis, (tuple, list)) else axis}),
              samples=lambda: [((samples.arrays(s, dtype=d),), {"axis": axis}) for s, d, axis in (
                  ((3,), "f8", None), ((2, 3), "f8", -1), ((2, 3), "f8", 0), ((2, 3), "f8", None),
                  ((2, 3, 2), "f8", (0, 2)), ((3,), "f4", 0))])


def softmax_vjp(ct: Operand, y: Operand, x: Operand, axis: Axis = None) -> list[Any]:
    """y * (ct - sum(y * ct))"""
    return [mul(y, sub(ct, sum_(mul(y, ct), axis=axis, keepdims=True)))]


def log_softmax_vjp(ct: Operand, y: Operand, x: Operand, axis: Axis = None) -> list[Any]:
    """ct - exp(y) * sum(ct)"""
    return [sub(ct, mul(exp(y), sum_(ct, axis=axis, keepdims=True)))]


softmax, log_softmax = softmax_op("softmax", softmax_vjp), softmax_op("log_softmax", log_softmax_vjp)

# -- integrals of samples ------------------------------------------------------------------------------------------


def emit_integral(name: str) -> Callable[..., str]:
    def emit(y: Operand, x: Operand, axis: int = -1, spaced: bool = False) -> str:
        spacing = ["x=_1"] if spaced else [] if x == Lit(1.0) else ["dx=_1"]
        return f"scipy.integrate.{name}({', '.join(['_0', *spacing, *['axis=_axis'] * (axis != -1)])})"

    return emit


def run_integral(name: str) -> Callable[..., Any]:
    def run(y: Any, x: Any, axis: int = -1, spaced: bool = False) -> Any:
        spacing = {"x": x} if spaced else {"dx": x}
        return scipy_function("integrate", name)(y, **spacing, axis=axis)

    return run


bilinear("scipy_trapezoid", "scipy.integrate.trapezoid", differences.type_trapezoid,
         differences.trapezoid_transposed, run=run_integral("trapezoid"), emit=emit_integral("trapezoid"),
         bind=differences.bind_trapezoid, defaults={"axis": -1, "spaced": False}, samples=differences.trapezoids,
         complex=False)


def type_simpson(y: Operand, x: Operand, axis: int = -1, spaced: bool = False) -> Tensor:
    if spaced and number(x).rank != 1:
        raise TypeMismatch("the points of simpson must be a vector")
    return differences.type_trapezoid(y, x, axis, spaced)


def simpson_vjp(ct: Operand, z: Operand, y: Operand, x: Operand, axis: int = -1, spaced: bool = False) -> list[Any]:
    """The weights of the values are the integrals of the unit vectors."""
    rank = number(y).rank
    (k,) = normalize(axis, rank)
    weights = simpson(eye(dim(y, axis=k), dtype=number(y).dtype), x, axis=0, spaced=spaced)
    after = tuple(range(1, rank - k))
    dy = mul(expand_dims(weights, axis=after) if after else weights, expand_dims(ct, axis=k) if rank > 1 else ct)
    if spaced:
        return [dy, PARAMETER]
    product = mul(ct, z)
    return [dy, div(sum_(product) if number(product).rank else product, x)]


def simpsons() -> list[samples.Sample]:
    cases: list[samples.Sample] = [((samples.arrays((n,)), Lit(0.5)), {}) for n in (3, 4, 5, 6, 2)]
    return [*cases, ((samples.arrays((3, 5)), 0.7), {"axis": 0}), ((samples.arrays((3, 4)), 0.7), {})]


simpson: Op = op("simpson", "scipy.integrate.simpson", type=type_simpson, run=run_integral("simpson"),
                 emit=emit_integral("simpson"), vjp=simpson_vjp, defaults={"axis": -1, "spaced": False},
                 bind=lambda y, x=None, *, dx=1.0, axis=-1: ([y, dx if x is None else x],
                                                             {"axis": axis, "spaced": x is not None}),
                 linear_in=(0,), raises="shape", samples=simpsons)

# -- convolutions of vectors -------------------------------------------------------------------------------------------


def convolution(name: str, transposed: Callable[..., list[Any]], default: Callable[..., Any]) -> Op:
    """As NumPy's of vectors, to rounding, but for mode "same", which gives as many numbers as the first has."""

    def rule(a: Operand, v: Operand, mode: str = "full", longer: bool = True, **_: Any) -> Tensor:
        if number(a).kind not in "fc" or number(v).kind not in "fc":
            raise TypeMismatch(f"scipy.signal.{name} of integers is not supported", hint="convert with astype(float)")
        return signals.type_convolve(a, v, mode, longer)

    def emit(a: Operand, v: Operand, mode: str = "full", longer: bool = True, method: str = "auto") -> str:
        options = ["mode=_mode"] * (mode != "full") + ["method=_method"] * (method != "auto")
        return f"scipy.signal.{name}({', '.join(['_0', '_1', *options])})"

    def run(a: Any, v: Any, mode: str = "full", longer: bool = True, **method: Any) -> Any:
        return scipy_function("signal", name)(a, v, mode=mode, **method)

    def pairs() -> list[samples.Sample]:
        sizes = ((5, 3), (4, 2), (3, 3), (3, 6), (2, 5))
        return [((samples.arrays((n,)), samples.arrays((m,), seed=1)),
                 {"mode": mode, "longer": n >= m or mode == "same"})
                for n, m in sizes for mode in ("full", "same", "valid")]

    def asks(a: Operand, v: Operand, mode: str = "full", **_: Any) -> dict[str, Any]:
        return signals.is_longer(a, v, mode if mode == "valid" else "full")

    return bilinear(name if name == "fftconvolve" else f"scipy_{name}", f"scipy.signal.{name}", rule,
                    lambda ct, a, v, mode="full", longer=True, **_: transposed(ct, a, v, mode, longer),
                    asks=asks, run=run, emit=emit,
                    bind=default, defaults={"mode": "full", "longer": True, "method": "auto"}, samples=pairs)


def bind_method(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> tuple[list[Any], dict[str, Any]]:
    return [in1, in2], {"mode": mode, "method": method}


convolution("convolve", signals.convolve_transposed, bind_method)
convolution("fftconvolve", signals.convolve_transposed, lambda in1, in2, mode="full": ([in1, in2], {"mode": mode}))
