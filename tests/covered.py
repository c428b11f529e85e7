"""What the ops cover: for each name of the list (docs/coverage.md) a line that uses it.

The lines are bodies of functions of a vector `x` (six numbers between 0.2 and 1.8, no two equal),
a matrix `m` (3 by 4), a square matrix `s` and a float `c`, all of them differentiated; what a
line gives is weighed into one number.  `python -m tests.covered` writes docs/coverage.md.
"""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "coverage.md"

BASES = {"chebyshev": "cheb", "hermite": "herm", "hermite_e": "herme", "laguerre": "lag", "legendre": "leg",
         "polynomial": "poly"}
"""The modules of `numpy.polynomial`, and what the names of their functions begin with."""

FAMILIES: dict[str, dict[str, str]] = {
    "elementwise": {
        "abs": "np.abs(x - 1.0)", "fabs": "np.fabs(x - 1.0)", "absolute": "np.absolute(m)", "add": "np.add(x, c)",
        "subtract": "np.subtract(c, x)", "multiply": "np.multiply(m, m)", "divide": "np.divide(c, x)",
        "true_divide": "np.true_divide(x, c)", "power": "np.power(x, c)", "float_power": "np.float_power(x, 2.5)",
        "negative": "np.negative(x)", "positive": "np.positive(x) * x", "reciprocal": "np.reciprocal(x)",
        "square": "np.square(m)", "sqrt": "np.sqrt(x)", "cbrt": "np.cbrt(x)", "exp": "np.exp(m)",
        "exp2": "np.exp2(m)", "expm1": "np.expm1(x)", "log": "np.log(x)", "log2": "np.log2(x)",
        "log10": "np.log10(x)", "log1p": "np.log1p(x)", "sin": "np.sin(m)", "cos": "np.cos(m)",
        "tan": "np.tan(0.5 * x)",
        "arcsin": "np.arcsin(0.4 * x)", "arccos": "np.arccos(0.4 * x)", "arctan": "np.arctan(m)",
        "arctan2": "np.arctan2(x, c)", "sinh": "np.sinh(m)", "cosh": "np.cosh(m)", "tanh": "np.tanh(m)",
        "arcsinh": "np.arcsinh(m)", "arccosh": "np.arccosh(1.0 + x)", "arctanh": "np.arctanh(0.4 * x)",
        "hypot": "np.hypot(x, c)", "deg2rad": "np.deg2rad(x) * x", "rad2deg": "np.rad2deg(x) * x",
        "degrees": "np.degrees(x)", "radians": "np.radians(x)", "sinc": "np.sinc(m)",
        "logaddexp": "np.logaddexp(x, c)", "logaddexp2": "np.logaddexp2(x, x[::-1])", "maximum": "np.maximum(x, 1.0)",
        "minimum": "np.minimum(x, c)", "fmax": "np.fmax(x, 1.0)", "fmin": "np.fmin(x, 1.0)",
        "clip": "np.clip(x, 0.5, 1.1)", "where": "np.where(x > 1.0, x * x, c * x)", "mod": "np.mod(x, 0.7)",
        "remainder": "np.remainder(x, 0.7)", "fmod": "np.fmod(m, 0.7)", "floor_divide": "np.floor_divide(x, 0.7) * x",
        "copysign": "np.copysign(x, m[0, 1])", "nan_to_num": "np.nan_to_num(x)",
        "heaviside": "np.heaviside(m, 0.5) * m",
        "real": "np.real(x) * x", "imag": "np.imag(x) + x", "conj": "np.conj(x) * x", "angle": "np.angle(m) * m",
        "ldexp": "np.ldexp(x, 3)",
    },
    "reductions": {
        "sum": "np.sum(m, axis=(0, -1), where=m > 0.0)", "mean": "m.mean(axis=-1, keepdims=True)",
        "prod": "np.prod(x) + np.prod(m, axis=0)", "max": "np.max(m, axis=1)", "min": "m.min(axis=0)",
        "amax": "np.amax(x)", "amin": "np.amin(m, axis=-1)", "var": "np.var(m, axis=0, ddof=1)",
        "std": "m.std(axis=(0, 1))", "ptp": "np.ptp(m, axis=1)",
        "average": "np.average(m, axis=0, weights=x[:3]) * np.average(x)", "cumsum": "m.cumsum(axis=1) * x.cumsum()[2]",
        "cumprod": "np.cumprod(x)", "nansum": "np.nansum(np.where(m > 1.0, np.nan, m), axis=0)",
        "nanmean": "np.nanmean(m, axis=1)", "nanmax": "np.nanmax(m, axis=1)", "nanmin": "np.nanmin(m)",
        "nanprod": "np.nanprod(m, axis=0)", "nanvar": "np.nanvar(m, axis=0)", "nanstd": "np.nanstd(x, ddof=1)",
        "trace": "np.trace(s) + s.trace()", "median": "np.median(m, axis=0) * np.median(x)",
        "percentile": "np.percentile(x, 30.0)", "quantile": "np.quantile(m, np.array([0.2, 0.7]), axis=1)",
        "logsumexp-style chains": "np.max(x) + np.log(np.sum(np.exp(x - np.max(x))))",
    },
    "shape": {
        "reshape": "m.reshape(2, -1)", "ravel": "np.ravel(m)", "flatten": "m.flatten()",
        "transpose": "np.transpose(m, (1, 0))", "T": "m.T", "swapaxes": "np.swapaxes(m, 0, 1)",
        "moveaxis": "np.moveaxis(m, 0, -1)", "rollaxis": "np.rollaxis(m, 1)", "expand_dims": "np.expand_dims(x, 1)",
        "squeeze": "np.squeeze(m[:1])", "atleast_1d": "np.atleast_1d(c)", "atleast_2d": "np.atleast_2d(x)",
        "atleast_3d": "np.atleast_3d(m)", "broadcast_to": "np.broadcast_to(x, (2, 6))",
        "broadcast_arrays": "np.broadcast_arrays(x, m[:, :1])[0] * np.broadcast_arrays(x, m[:, :1])[1]",
        "tile": "np.tile(x, (2, 2))", "repeat": "np.repeat(m, 2, axis=0)", "roll": "np.roll(m, (1, -1), axis=(0, 1))",
        "rot90": "np.rot90(m)", "flip": "np.flip(m)", "fliplr": "np.fliplr(m)", "flipud": "np.flipud(m)",
        "diag": "np.diag(x) @ np.diag(x)", "diagonal": "m.diagonal(1)", "diagflat": "np.diagflat(x, 1)",
        "tril": "np.tril(m, 1)", "triu": "np.triu(m)", "pad": 'np.pad(m, ((1, 2), (0, 1)), mode="reflect")',
        "resize": "np.resize(x, (2, 4))",
    },
    "joining": {
        "concatenate": "np.concatenate((x, m[0]))", "stack": "np.stack([x, x * x], axis=1)",
        "vstack": "np.vstack((m, m[0]))", "hstack": "np.hstack((x, m[0]))", "dstack": "np.dstack((m, m * m))",
        "column_stack": "np.column_stack((x, x * c))", "append": "np.append(x, m)",
        "split": "np.split(x, 2)[0] * np.split(x, 2)[1]", "array_split": "np.array_split(x, 4)[1]",
        "hsplit": "np.hsplit(m, 2)[0]", "vsplit": "np.vsplit(m, 3)[1]",
        "dsplit": "np.dsplit(np.dstack((m, m * c)), 2)[1]",
        "block": "np.block([[m, m * c], [m[:1], m[1:2]]])", "array": "np.array([c, x[0], x[1] * c])",
        "asarray": "np.asarray([x[0], c])", "meshgrid": "np.meshgrid(x, m[0])[0] * np.meshgrid(x, m[0])[1]",
        "full": "np.full((2, 3), c)", "full_like": "np.full_like(x, c)", "zeros": "np.zeros(6) + x",
        "ones": "np.ones((3, 4)) * m", "empty": "np.empty(6) * 0.0 + x", "zeros_like": "np.zeros_like(x) - x",
        "ones_like": "np.ones_like(x) * c", "empty_like": "np.full_like(np.empty_like(x), c)",
        "linspace": "np.linspace(0.0, c, 5)", "logspace": "np.logspace(0.0, c, 5)",
        "geomspace": "np.geomspace(c, 3.0, 5)", "arange": "np.arange(6) * x", "eye": "np.eye(3) * s",
        "identity": "np.identity(3) @ s", "insert": "np.insert(x, 2, c)", "delete": "np.delete(x, 1)",
    },
    "indexing": {
        "ints": "m[1, -1] * x[0]", "slices": "x[4:0:-2] * m[::2, 1:3].sum()", "newaxis": "x[:, None] - x[None, :]",
        "ellipsis": "m[..., 0]", "integer arrays": "x[np.array([1, 1, 0])]", "boolean masks": "m[m > 0.0]",
        "mixtures": "m[1:, np.array([0, 2])]", "take": "np.take(m, np.array([2, 0, 2]), axis=1) * x.take(1)",
        "take_along_axis": "np.take_along_axis(m, np.argsort(m, axis=1)[:, :2], axis=1)",
        "put_along_axis": "y = m.copy(); np.put_along_axis(y, np.array([[1], [0], [3]]), c, axis=1); y",
        "compress": "np.compress(np.array([True, False, True]), m, axis=0)", "extract": "np.extract(m > 0.0, m)",
        "choose": "np.choose(np.array([0, 1, 1, 0, 1, 0]), [x, x * c])",
        "select": "np.select([x > 1.2, x > 0.6], [x * x, c * x], c)",
        "piecewise": "np.piecewise(x, [x < 0.8, x >= 0.8], [lambda v: v * v, lambda v: c * v])",
        "nonzero": "x[np.nonzero(x > 1.0)]", "argsort-then-index": "x[np.argsort(x)[::-1]]",
        "sort": "np.sort(m, axis=0)", "partition": "np.partition(x, 2)", "unique": "np.unique(np.append(x, x))",
        "fill_diagonal": "y = s * s; np.fill_diagonal(y, c); y",
        "copyto": "y = x * c; np.copyto(y, x, where=x > 1.0); y",
        "np.add.at": "y = np.zeros(3); np.add.at(y, np.array([0, 2, 2, 1, 0, 0]), x); y",
        "writing": "y = m * c; y[1:, 0] = x[:2]; y[0] += c; y",
    },
    "products": {
        "dot": "np.dot(m, m[0])", "vdot": "np.vdot(x, x)", "inner": "np.inner(x, x)", "outer": "np.outer(x, m[0])",
        "matmul": "np.matmul(s, m)", "@": "s @ m", "tensordot": "np.tensordot(m, m, axes=([0], [0]))",
        "einsum": 'np.einsum("ij,kj->ik", m, m)', "kron": "np.kron(x, m[0])", "cross": "np.cross(x[:3], x[3:])",
        "multi_dot": "np.linalg.multi_dot([s, s, m])", "matrix_power": "np.linalg.matrix_power(s, 3)",
        "convolve": "np.convolve(x, m[0])", "correlate": "np.correlate(x, m[0])", "trapezoid": "np.trapezoid(x)",
        "interp": "np.interp(np.array([0.1, 0.7]), np.array([0.0, 0.5, 1.0]), x[:3])",
        "polyval": "np.polyval(x, c)", "diff": "np.diff(m, axis=1)", "ediff1d": "np.ediff1d(x)",
        "gradient": "np.gradient(x)", "cov": "np.cov(m)", "corrcoef": "np.corrcoef(m)",
    },
    "numpy.polynomial": {
        **{f"{kind}val": f"np.polynomial.{module}.{kind}val(0.3 * x, x[:4])" for module, kind in BASES.items()},
        **{f"{kind}vander": f"np.polynomial.{module}.{kind}vander(0.3 * x, 3)" for module, kind in BASES.items()},
        **{f"{kind}der": f"np.polynomial.{module}.{kind}der(x, 2)" for module, kind in BASES.items()},
        **{f"{kind}int": f"np.polynomial.{module}.{kind}int(x, k=c, lbnd=0.5)" for module, kind in BASES.items()},
        **{f"{kind}add": f"np.polynomial.{module}.{kind}add(x, m[0])" for module, kind in BASES.items()},
        **{f"{kind}fit": f"np.polynomial.{module}.{kind}fit(np.linspace(-1.0, 1.0, 6), x * c, 3)"
           for module, kind in BASES.items()},
        "polymul": "np.polynomial.polynomial.polymul(x, m[0])",
        "polyfromroots": "np.polynomial.polynomial.polyfromroots(x[:3])",
        "chebmul": "np.polynomial.chebyshev.chebmul(x, m[0])",
        "chebval2d": "np.polynomial.chebyshev.chebval2d(0.3, 0.5, m)",
        "Polynomial": "np.polynomial.Polynomial(x, domain=[0, 3]).deriv()(c)",
        "Chebyshev": "np.polynomial.Chebyshev(x).integ()(0.3 * c)",
        "Chebyshev.fit": "np.polynomial.Chebyshev.fit(np.arange(6.0), x, 3)(c)",
        "Legendre": "(np.polynomial.Legendre(x[:3]) * np.polynomial.Legendre(m[0]))(c)",
        "Hermite": "np.polynomial.Hermite(x[:3])(m)", "HermiteE": "np.polynomial.HermiteE(x[:3]).coef",
        "Laguerre": "np.polynomial.Laguerre(x[:3], domain=[0.0, c]).linspace(5)[1]",
    },
    "linalg": {
        "inv": "np.linalg.inv(s)", "pinv": "np.linalg.pinv(s)", "det": "np.linalg.det(s)",
        "slogdet": "np.linalg.slogdet(s)[1]", "solve": "np.linalg.solve(s, m)", "lstsq": "np.linalg.lstsq(s, x[:3])[0]",
        "cholesky": "np.linalg.cholesky(s @ s.T)", "qr": "np.linalg.qr(s)[1]",
        "svd": "np.linalg.svd(m, compute_uv=False)", "eigh": "np.linalg.eigh(s + s.T)[0]",
        "eigvalsh": "np.linalg.eigvalsh(s + s.T)", "eig": "np.linalg.eig(s)[0]", "eigvals": "np.linalg.eigvals(s)",
        "norm": "np.linalg.norm(m, axis=0) * np.linalg.norm(x)",
        "matrix_rank": "np.linalg.matrix_rank(s) * c", "cond": "np.linalg.cond(s)",
        "tensorsolve": "np.linalg.tensorsolve(s, x[:3])", "tensorinv": "np.linalg.tensorinv(s, ind=1)",
    },
    "fft": {f: f"np.abs(np.fft.{f}(x))" for f in ("fft", "ifft", "rfft", "irfft", "fftshift", "ifftshift")} | {
        f: f"np.abs(np.fft.{f}(m))" for f in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn",
                                                "irfftn")} | {
        "n, axis, norm": 'np.abs(np.fft.rfft(m, n=5, axis=0, norm="ortho"))',
        "s, axes": "np.fft.irfft2(np.fft.fft2(m), s=(4, 5), axes=(0, 1))", "hfft": "np.fft.hfft(x * (1.0 + 0.5j))",
        "irfft": "np.fft.irfft(x) ** 2",
        "ihfft": "np.fft.ihfft(x).imag", "fftfreq": "np.fft.fftfreq(6, d=c)", "rfftfreq": "np.fft.rfftfreq(6, d=c)"},
    "complex": {
        "1j": "abs(c + 2j)", "complex()": "abs(complex(c, x[0]) ** 2)", ".real": "((x + 1j) ** 2).real",
        ".imag": "((x + 1j) ** 2).imag", "np.real, np.imag": "np.real(x * 1j + x) * np.imag(x * 1j)",
        "np.conj": "np.conj(x + 1j * x[::-1]).imag", "np.angle": "np.angle(x + 1j * c)", "np.abs": "np.abs(x + 1j * c)",
        "np.exp": "np.exp(1j * x).real", "np.log, np.sqrt": "np.log(np.sqrt(x + 1j)).imag",
        "np.sin, np.tanh": "np.abs(np.sin(x + 0.3j) * np.tanh(0.4j * x))", "**": "((x + 1j) ** (c + 0.5j)).real",
        "np.vdot": "abs(np.vdot(x + 1j, x * 1j + c))", "@": "np.abs((s + 1j) @ (s - 2j))",
        "np.linalg.solve": "np.abs(np.linalg.solve(s + 1j, x[:3]))", "np.linalg.inv": "np.linalg.inv(s + 0.5j).imag",
        "np.linalg.det": "np.abs(np.linalg.det(s + 0.5j))", "np.linalg.norm": "np.linalg.norm(m + 1j * c)",
        "np.linalg.eigvalsh": "np.linalg.eigvalsh(s @ s.T + 1j * (s - s.T))",
        "np.linalg.cholesky": "np.abs(np.linalg.cholesky(s @ s.T + 0.3j * (s - s.T) + 9.0 * np.eye(3)))",
        "np.var": "np.var(m + 1j * m[::-1])",
        "in place": "z = np.zeros(6, dtype=complex); z[1:] += 1j * x[1:]; np.abs(z)",
        "cmath": "cmath.phase(cmath.exp(1j * c)) + abs(cmath.rect(c, 0.3)) + cmath.polar(c + 1j)[1]",
    },
    "math": {
        **{f"math.{f}": f"math.{f}(c)" for f in (
            "acosh", "asinh", "atan", "cbrt", "cos", "cosh", "degrees", "erf", "erfc", "exp", "exp2", "expm1", "fabs",
            "gamma", "lgamma", "log", "log10", "log1p", "log2", "radians", "sin", "sinh", "sqrt", "tan", "tanh")},
        "math.acos": "math.acos(0.5 * c)", "math.asin": "math.asin(0.5 * c)", "math.atanh": "math.atanh(0.5 * c)",
        "math.atan2": "math.atan2(c, 0.7)", "math.copysign": "math.copysign(c, -1.0)",
        "math.dist": "math.dist((c, x[0]), [x[1], 0.5])", "math.fmod": "math.fmod(c, 0.7)",
        "math.fsum": "math.fsum([c, x[0], c])", "math.hypot": "math.hypot(c, x[0], x[1])",
        "math.ldexp": "math.ldexp(c, 3)", "math.modf": "math.modf(3.0 * c)[0]", "math.frexp": "math.frexp(c)[0]",
        "math.pow": "math.pow(c, 1.7)", "math.prod": "math.prod([c, c, 2.0])",
        "math.remainder": "math.remainder(c, 0.7)", "math.sumprod": "math.sumprod([c, 2.0], [3.0, c])",
        "math.fma": "math.fma(c, 2.0, c)", "math.pi": "c * math.pi * math.e / math.tau",
        "math.comb": "c * math.comb(5, 2) * math.factorial(3) * math.isqrt(10) * math.gcd(4, 6)",
        "math.floor": "c * math.floor(3.0 * c) * math.ceil(c) * math.trunc(2.0 * c)",
    },
    "builtins": {
        "abs()": "abs(c - 3.0)", "min()": "min(c, 3.0, x[0])", "max()": "max(c, x[0])", "sum()": "sum([c, c * c])",
        "round()": "round(c) * c", "pow()": "pow(c, 3)", "divmod()": "divmod(c, 0.7)[1]", "float()": "float(x[0]) * c",
        "int()": "int(3.0 * c) * c", "len()": "len(x) * c", "range()": "sum([c * i for i in range(3)])",
        "zip()": "sum([a * b for a, b in zip((c, 2.0), (3.0, c))])",
        "enumerate()": "sum([i * a for i, a in enumerate((c, c * c))])",
        "reversed()": "[c * a for a in reversed((1.0, c))][0]", "any()": "c if any([c > 0.0, c > 9.0]) else 0.0",
        "all()": "c if all([c > 0.0, c > 0.1]) else 0.0", "isinstance()": "c if isinstance(c, float) else 0.0",
    },
}

CALLS = (Path(__file__).resolve().parent / "covered_scipy.txt").read_text()
SCIPY = re.findall(r"(scipy\.(?:spatial\.)?\w+)\.(.*)", CALLS)
"""Modules of SciPy, and calls of their functions."""
for module, call in SCIPY:
    FAMILIES.setdefault(module, {})[f"{module}.{re.split('[(]', call)[0]}"] = f"{module}.{call}"

VARIANTS = (Path(__file__).resolve().parent / "covered_variants.txt").read_text().split("\n")
"""More lines: keywords, methods, in-place forms, empty arrays and numbers."""


def page() -> str:
    """The page with new tables; the text around them is written by hand."""
    head, tables = PAGE.read_text(encoding="utf-8").split("## elementwise")
    edges = tables[tables.index("## Ties and edges"):]
    lines = []
    for family, names in FAMILIES.items():
        lines += [f"## {family}", "", "| name | for example |", "|---|---|"]
        for name, line in names.items():
            shown = line.replace("|", "\\|")
            lines.append(f"| {name} | `{shown}` |")
        lines.append("")
    return head + "\n".join([*lines, edges])


if __name__ == "__main__":
    PAGE.write_text(page())
