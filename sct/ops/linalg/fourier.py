"""Discrete Fourier transforms: `numpy.fft` and `scipy.fft`.

The operands are the array and the lengths to which its axes are cropped or padded; the attrs say whether an axis is
cropped (`crops0`, ...) and whether the length of a real result is odd.

The matrix of a transform is symmetric, so its transpose is the same transform; that of a crop is a pad, and of a pad a
crop. A transform to real numbers reads half of a spectrum whose other half is the conjugate: the elements that have a
conjugate elsewhere count twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.dims import Dim, divided
from sct.ir.types import COMPLEX_OF, LONG, NARROW, REAL_OF, Tensor, TypeMismatch, note_size_requirement
from sct.ops import samples
from sct.ops.arrays.indexing import index, join, store
from sct.ops.arrays.padding import pad
from sct.ops.arrays.rearrange import text_of
from sct.ops.arrays.shape import dim
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op, placeholders, sequence
from sct.ops.scalar.arithmetic import add, conj, div, floordiv, mod, mul, neg, sub
from sct.ops.scalar.comparison import eq, lt
from sct.ops.scalar.complex_parts import real
from sct.ops.type_rules import number, probe, size_of

__all__: list[str] = []

Axes = tuple[int, ...]
MISSING: Any = object()
SWAPPED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The norm of the inverse that scales as a transform with this norm does."""


def refuse_overwriting(overwrite_x: Any, plan: Any) -> None:
    if overwrite_x is not False or plan is not None:
        raise TypeError("`overwrite_x` and `plan` are not supported")


# -- which axes, of what lengths -----------------------------------------------------------------------


def axes_of(x: Operand, axes: Axes | None, lengths: Sequence[Any]) -> Axes:
    """The transformed axes, counted from the front; without `axes` the last ones, or all."""
    rank = number(x).rank
    if axes is None:
        axes = tuple(range(rank - len(lengths), rank)) if lengths else tuple(range(rank))
    if not rank or any(not -rank <= a < rank for a in axes) or lengths and len(lengths) != len(axes):
        raise TypeMismatch("the axes of the transform do not fit the array")
    if len({a % rank for a in axes}) < len(axes):
        raise TypeMismatch("a transform twice over one axis is not supported")
    return tuple(a % rank for a in axes)


def spectrum(n: Dim) -> Dim:
    """The number of frequencies of a real signal of n values."""
    return divided(n, Dim(2)) + 1


def crops(x: Operand, lengths: Sequence[Operand], axes: Axes, half: bool) -> dict[str, Any]:
    """For each axis: is it cropped, so that the transform reads only its beginning?"""
    asked: dict[str, Any] = {}
    for k, (n, axis) in enumerate(zip(lengths, axes)):
        read: Any = add(floordiv(n, 2), 1) if half and k == len(axes) - 1 else n
        excess = ((spectrum(size_of(n)) if read is not n else size_of(n)) - number(x).shape[axis]).value
        asked[f"crops{k}"] = (excess < 0 if excess is not None else lt(read, dim(x, axis=axis)), False)
    return asked


def resized(ct: Operand, x: Operand, axes: Axes, cropped: Sequence[bool]) -> Any:
    """ct with the sizes of x along the axes: zeros where x was cropped, cropped where x was padded."""
    for axis, is_cropped in zip(axes, cropped):
        size = dim(x, axis=axis)
        if is_cropped:
            widths: list[Any] = [Lit(0)] * (2 * number(x).rank)
            widths[2 * axis + 1] = sub(size, dim(ct, axis=axis))
            tree = tuple((2 * a, 2 * a + 1) for a in range(number(x).rank))
            ct = pad(ct, 0.0, *widths, mode="constant", tree=tree)
        else:
            key, operands = join([*[slice(None)] * axis, slice(None, size)])
            ct = index(ct, *operands, key=key)
    return ct


# -- the transforms --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FourierTransform:
    """The fields of the entry of `<module>.<name>`.

    module    "numpy.fft" or "scipy.fft", which differ in rounding
    several   does it take several axes?
    reads     "complex", "real", or "half": half of the spectrum of a real signal
    gives     "complex", "real" or "half"
    """

    module: str
    name: str
    several: bool
    reads: str
    gives: str

    def register(self) -> None:
        TRANSFORMS[self.module, self.name] = entry = op(
            self.name if self.module == "numpy.fft" else f"scipy_{self.name}", f"{self.module}.{self.name}",
            type=self.type, run=self.run, emit=self.emit, bind=self.bind, asks=self.asks, linear=self.linear,
            inactive=tuple(range(1, 33)), raises="shape", cost="dear",
            defaults={"axes": self.default, "norm": None, "workers": None},
            samples=lambda: transforms(self.reads, self.several, self.default))
        if self.several:
            OVER_SEVERAL_AXES.add(entry.name)

    @property
    def default(self) -> Axes | None:
        """The axes where the call names none."""
        return (-2, -1) if self.name.endswith("2") else None if self.several else (-1,)

    def type(self, x: Operand, *lengths: Operand, axes: Axes | None, norm: str | None = None, **_: Any) -> Tensor:
        t = number(x)
        if norm not in SWAPPED:
            raise TypeMismatch(f"norm={norm!r} is not supported")
        if t.kind == "c" and self.reads == "real":
            raise TypeMismatch(f"{self.module}.{self.name} takes real numbers")
        over = axes_of(x, axes, lengths)
        shape = list(t.shape)
        for axis, n in zip(over, lengths):
            shape[axis] = size_of(n)
        if over and self.gives == "half":
            shape[over[-1]] = spectrum(shape[over[-1]])
        elif over and self.reads == "half" and not lengths:
            shape[over[-1]] = (shape[over[-1]] - 1) * 2
        note_size_requirement(all(d.least > 0 for d in shape))
        of_scipy = "c64" if t.dtype in NARROW else COMPLEX_OF.get(t.dtype, t.dtype) if t.dtype in LONG else "c128"
        dtype = probe(np.fft.fft, t.dtype) if self.module == "numpy.fft" else of_scipy
        dtype = REAL_OF[dtype] if self.gives == "real" else dtype
        return Tensor("array", dtype, tuple(shape))

    def run(self, x: Any, *lengths: Any, axes: Axes | None, norm: str | None = None, workers: int | None = None,
            **_: Any) -> Any:
        call, more = getattr(import_module(self.module), self.name), {} if workers is None else {"workers": workers}
        if self.several:
            return call(x, lengths or None, axes, norm, **more)
        return call(x, *lengths, axis=-1 if axes is None else axes[0], norm=norm, **more)

    def emit(self, x: Operand, *lengths: Operand, axes: Axes | None, norm: str | None = None,
             workers: int | None = None, **_: Any) -> str:
        texts = list(placeholders(1 + len(lengths), 1))
        sizes = f"({', '.join(texts)}{',' * (len(texts) == 1)})" if self.several else ", ".join(texts)
        more = [sizes] if texts else []
        if axes is not None and axes != self.default:
            more.append(f"axes={axes!r}" if self.several else f"axis={axes[0]}")
        more += [] if norm is None else [f"norm={norm!r}"]
        more += [] if workers is None else [f"workers={workers!r}"]
        return f"{self.module}.{self.name}({', '.join(['_0', *more])})"

    @property
    def bind(self) -> Callable[..., tuple[list[Any], dict[str, Any]]]:
        """From the arguments to the operands and the attributes; each library has names of its own for them."""
        if self.several:
            return self.bind_several if self.module == "numpy.fft" else self.bind_several_of_scipy
        return self.bind_one if self.module == "numpy.fft" else self.bind_one_of_scipy

    def bind_one(self, a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> tuple[list[Any], dict[str, Any]]:
        return [a] if n is None else [a, n], {"axes": (axis,), "norm": norm}

    def bind_several(self, a: Any, s: Any = None, axes: Any = MISSING, norm: Any = None
                     ) -> tuple[list[Any], dict[str, Any]]:
        axes = self.default if axes is MISSING else axes
        return [a, *([] if s is None else sequence(s))], {
            "axes": None if axes is None else tuple(sequence(axes)), "norm": norm}

    def bind_one_of_scipy(self, x: Any, n: Any = None, axis: Any = -1, norm: Any = None, overwrite_x: Any = False,
                          workers: Any = None, *, plan: Any = None) -> tuple[list[Any], dict[str, Any]]:
        refuse_overwriting(overwrite_x, plan)
        operands, attrs = self.bind_one(x, n, axis, norm)
        return operands, attrs | {"workers": workers}

    def bind_several_of_scipy(self, x: Any, s: Any = None, axes: Any = MISSING, norm: Any = None,
                              overwrite_x: Any = False, workers: Any = None, *, plan: Any = None
                              ) -> tuple[list[Any], dict[str, Any]]:
        refuse_overwriting(overwrite_x, plan)
        operands, attrs = self.bind_several(x, s, axes, norm)
        return operands, attrs | {"workers": workers}

    def asks(self, x: Operand, *lengths: Operand, axes: Axes | None, **_: Any) -> dict[str, Any]:
        asked = crops(x, lengths, axes_of(x, axes, lengths), self.reads == "half")
        if self.reads == "half" and lengths:
            n = size_of(lengths[-1]).value
            asked["odd"] = (n % 2 == 1 if n is not None else eq(mod(lengths[-1], 2), 1), False)
        return asked

    def linear(self, ct: Operand, x: Operand, *lengths: Operand, axes: Axes | None, norm: str | None = None,
               odd: bool = False, workers: int | None = None, **flags: bool) -> list[Any]:
        over = axes_of(x, axes, lengths)
        back = self.transposed(ct, x, lengths, over, norm, odd, workers)
        cropped = [flags[f"crops{k}"] for k in range(len(lengths))]
        return [resized(back, x, over, cropped) if lengths else back, *[None] * len(lengths)]

    def transposed(self, ct: Operand, x: Operand, lengths: Sequence[Operand], over: Axes, norm: str | None,
                   odd: bool, workers: int | None) -> Any:
        """The transpose of the transform without crop and pad."""
        of = partial(TRANSFORMS[self.module, TRANSPOSES[self.name]], workers=workers)
        axes = self.default if over == axes_of(x, self.default, ()) else over
        if self.gives == "half":
            sizes = [*(dim(ct, axis=a) for a in over[:-1]), lengths[-1] if lengths else dim(x, axis=over[-1])]
            asked = {f"crops{k}": False for k in range(len(over))}
            ct, norm = (conj(ct), SWAPPED[norm]) if self.name == "ihfft" else (ct, norm)
            return real(of(ct, *sizes, axes=axes, norm=norm, **asked))
        if self.reads == "half":
            there = of(ct, axes=axes, norm=norm if self.name == "hfft" else SWAPPED[norm])
            return twice_inside(there if self.name == "hfft" else conj(there), over[-1], odd)
        return of(ct, axes=axes, norm=norm)


def twice_inside(z: Operand, axis: int, odd: bool) -> Any:
    """2 z, but for the frequencies that have no conjugate: the first, and the last unless the signal is odd."""
    doubled: Any = mul(2.0, z)
    for k in (0,) if odd else (0, -1):
        key, operands = join([*[slice(None)] * axis, k])
        doubled = store(doubled, index(z, *operands, key=key), *operands, key=key)
    return doubled


def transforms(reads: str, several: bool, default: Axes | None) -> Iterable[samples.Sample]:
    """Arrays of even and odd sizes, cropped, padded, along other axes, with every norm."""
    x = samples.arrays((4, 5))
    for norm in SWAPPED:
        yield (x,), {"axes": default, "norm": norm}
    axes: list[Axes] = [(0, 1), (1, 0)] if several else [(0,), (1,)]
    for over in axes:
        yield (x,), {"axes": over, "norm": None}
        for n in (3, 6, 7):
            lengths = (n,) * len(over)
            read = [m // 2 + 1 if reads == "half" and k == len(over) - 1 else m for k, m in enumerate(lengths)]
            flags = {f"crops{k}": m < x.shape[a] for k, (m, a) in enumerate(zip(read, over))}
            odd = {"odd": n % 2 == 1} if reads == "half" else {}
            yield (x, *lengths), {"axes": over, "norm": "ortho", **flags, **odd}


TRANSFORMS: dict[tuple[str, str], Op] = {}
OVER_SEVERAL_AXES: set[str] = set()
"""The ops in whose calls the length -1 stands for the whole axis."""

TRANSPOSES = {"rfft": "fft", "rfft2": "fft2", "rfftn": "fftn", "irfft": "rfft", "irfft2": "rfft2", "irfftn": "rfftn",
              "hfft": "rfft", "ihfft": "fft"} | {f"{i}fft{d}": f"{i}fft{d}" for i in ("", "i") for d in ("", "2", "n")}
"""The transform of which the transpose of each is made."""

for _module in ("numpy.fft", "scipy.fft"):
    for _d in ("", "2", "n"):
        for _name, _reads, _gives in (("fft", "complex", "complex"), ("ifft", "complex", "complex"),
                                      ("rfft", "real", "half"), ("irfft", "half", "real")):
            FourierTransform(_module, _name + _d, bool(_d), _reads, _gives).register()
    FourierTransform(_module, "hfft", False, "half", "real").register()
    FourierTransform(_module, "ihfft", False, "real", "half").register()


# -- shifts and frequencies ----------------------------------------------------------------------------


def shift(name: str, inverse: str) -> Op:
    """`fftshift` and `ifftshift`: permutations, each the other's transpose."""
    call = getattr(np.fft, name)

    def linear(ct: Operand, x: Operand, axes: Any = None) -> list[Any]:
        return [SHIFTS[inverse](ct, axes=axes)]

    SHIFTS[name] = op(name, f"numpy.fft.{name} scipy.fft.{name}", type=lambda x, axes=None: number(x),
                      run=lambda x, axes=None: call(x, axes), bind=lambda x, axes=None: ([x], {"axes": axes}),
                      emit=lambda x, axes=None: text_of(f"fft.{name}", "_0", axes=axes), linear=linear,
                      defaults={"axes": None},
                      samples=lambda: [((samples.arrays((4, 5)),), {"axes": a}) for a in (None, 0, (1,), (0, 1))])
    return SHIFTS[name]


SHIFTS: dict[str, Op] = {}
fftshift, ifftshift = shift("fftshift", "ifftshift"), shift("ifftshift", "fftshift")


def frequencies(name: str, count: Callable[[Dim], Dim]) -> Op:
    """`fftfreq` and `rfftfreq`: integers over n d."""
    call = getattr(np.fft, name)

    def rule(n: Operand, d: Operand) -> Tensor:
        if number(d).rank:
            raise TypeMismatch(f"the spacing of numpy.fft.{name} must be a number")
        note_size_requirement(size_of(n).least > 0)
        return Tensor("array", "f64", (count(size_of(n)),))

    return op(name, f"numpy.fft.{name} scipy.fft.{name}", type=rule, run=call, inactive=(0,), raises="value",
              bind=lambda n, d=1.0: ([n, d], {}),
              emit=lambda n, d: f"numpy.fft.{name}(_0)" if d == Lit(1.0) else f"numpy.fft.{name}(_0, d=_1)",
              vjp=lambda ct, y, n, d: [None, neg(div(sum_(mul(ct, y)), d))],
              jvp=lambda tangents, y, n, d: neg(mul(div(tangents[1], d), y)),
              samples=lambda: [((4, 0.5), {}), ((5, 0.25), {}), ((1, 1.5), {})])


fftfreq, rfftfreq = frequencies("fftfreq", lambda n: n), frequencies("rfftfreq", spectrum)
