"""Parts of complex numbers: real and imaginary part, angle; polar coordinates."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sct.ir.core import Aliasing, Op, Operand, Value
from sct.ir.types import ANY_REAL, COMPLEX, FLOAT, INT, REAL_OF, Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, conj, mul, quotient
from sct.ops.type_rules import number, ufunc_result

__all__ = ["angle", "imag", "polar", "real", "rect"]


def type_real(x: Operand) -> Tensor:
    t = number(x)
    if t.kind != "c":
        return INT if t.carrier == "py" and t.kind == "b" else t
    if t.is_scalar and t.carrier != "np":
        return FLOAT if t.carrier == "py" else ANY_REAL
    return Tensor(t.carrier, REAL_OF[t.dtype], t.shape)


def view_of_complex(x: Operand) -> Aliasing:
    return "view" if number(x).kind == "c" else "none"


def emit_part(name: str) -> Callable[[Operand], str]:
    return lambda x: f"_0.{name}" if number(x).kind == "c" else f"numpy.{name}(_0)"


real = op("real", "numpy.real", type=type_real, run=np.real, emit=emit_part("real"), cost="free", complex=True,
          alias=lambda x: "view" if number(x).kind == "c" else "same",
          linear=lambda ct, x: [ct], samples=samples.layouts)

# For z = x + iy: d imag(z)/dx - i d imag(z)/dy = -i
imag: Op = op("imag", "numpy.imag", type=type_real, run=np.imag, emit=emit_part("imag"), samples=samples.layouts,
          readonly=lambda x: number(x).kind != "c", alias=view_of_complex, complex=True, linear_in="all",
          vjp=lambda ct, y, x: [mul(ct, -1j) if number(x).kind == "c" else None],
          jvp=lambda tangents, y, x: imag(tangents[0]) if number(tangents[0]).kind == "c" else None)

# For z = x + iy and angle(z) = arctan2(y, x): d angle/dx - i d angle/dy = -(y + ix) / |z|**2 = -i / z
angle = op("angle", "numpy.angle cmath.phase", spelled=True, run=np.angle, complex=True, elementwise=True,
           type=lambda x, deg=False, spelling=None: type_angle(x, spelling), defaults={"deg": False},
           emit=lambda x, deg=False: "numpy.angle(_0, deg=True)" if deg else None,
           bind=lambda z, deg=False: ([z], {"deg": deg}),
           vjp=lambda ct, y, x, deg=False: [angle_change(ct, x, deg)],
           jvp=lambda tangents, y, x, deg=False: angle_change(tangents[0], x, deg),
           samples=lambda: [*samples.reals(), ((samples.arrays((3,)),), {"deg": True})])


def angle_change(g: Operand, x: Operand, deg: bool) -> Any:
    """g times the derivative by x; that of a real number is constant between its jumps."""
    change = mul(g, quotient(-1j, x)) if number(x).kind == "c" else None
    return mul(180.0 / math.pi, change) if deg and change is not None else change


def type_angle(x: Operand, spelling: str | None) -> Tensor:
    part: Any = Value(type_real(x))
    t = ufunc_result(np.arctan2, (part, part), "numpy.angle")
    if spelling == "cmath.phase" and t.rank:
        raise TypeMismatch("cmath.phase takes a number")
    return FLOAT if spelling == "cmath.phase" else t


def type_rect(r: Operand, phi: Operand) -> Tensor:
    if number(r).rank or number(phi).rank or "c" in (number(r).kind, number(phi).kind):
        raise TypeMismatch("cmath.rect takes two real numbers")
    return COMPLEX


rect: Op = op("rect", "cmath.rect", type=type_rect, run=cmath.rect, emit="cmath.rect(_0, _1)", raises="value",
          partials=lambda z, r, phi: [rect(1.0, phi), mul(1j, z)], samples=lambda: [((1.5, 0.7), {}), ((0.5, -2.0),
                                                                                                       {})])

polar = op("polar", "cmath.polar", type=lambda z: (FLOAT, FLOAT), run=cmath.polar, emit="cmath.polar(_0)",
           raises="value",
           complex=True, samples=lambda: [((1.5,), {})],
           vjp=lambda cts, ys, z: [polar_vjp(cts, ys, z)])


def polar_vjp(cts: Sequence[Any], ys: Sequence[Operand], z: Operand) -> Any:
    """d|z| = conj(z) / |z|, d phase(z) = -i / z"""
    r, phi = cts
    of_r = None if r is None else mul(r, quotient(conj(z), ys[0], edge=0.0))
    of_phi = None if phi is None else mul(phi, quotient(-1j, z))
    return of_phi if of_r is None else of_r if of_phi is None else add(of_r, of_phi)
