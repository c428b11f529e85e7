"""Assignments of a part of an array to another part of it: NumPy copies the value first, but not always.

Where both are one-dimensional, with different strides of one sign, NumPy reads elements that it has already written:
such programs are refused. A derivative never makes such a copy, whatever the program computes from the part.
"""

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import grad, hvp, jvp

X = np.array([0.7, -1.3, 0.4, 1.9, 0.55, -0.8, 1.2, 0.35])
VECTORS = (
    "a[::2] = a[1:5] + 1.0", "a[1:5] = a[::2] + 1.0", "a[::2] = 1.0 + a[2:6]", "a[4:] = a[1::2] - 1.0",
    "a[::2] = a[1:5] * 1.0", "a[::2] = a[1:5] / 1.0", "a[::2] = a[1:5].copy()", "a[::2] = +a[1:5]",
    "a[::2] = a[1:5] + np.floor(a[:4])", "np.add(a[1:5], 1.0, out=a[::2])", "a[1:] = a[:-1]", "a[:-1] = a[1:]",
    "a[2::2] = a[:-2:2]", "a[::-1] = a", "a[:] = a[::-1]", "a[:] = np.flip(a)", "a[::2] += a[1:5]",
    "s = a[:4] + 1.0; d = a[4:] + 2.0; a[::2] = s; a[1::2] = d", "v = a[2:]; v[:-1] = v[1:]",
    "a[np.arange(0, 8, 2)] = a[1:5]", "a[::2] = np.where(a[1:5] > -9.0, a[1:5], 0.0)",
    "a[:4], a[4:] = a[::2].copy(), a[1::2].copy()",
)
MATRICES = (
    "A[:, 3] = A[2] + 1.0", "A[2] = A[:, 5] + 1.0", "A[:, 6], A[1] = A[1] + 1.0, A[:, 6] + 2.0",
    "A.ravel()[:24:3] = A[1] + 1.0", "A.ravel()[::9] = A[4] + 1.0", "A[4] = A.diagonal() + 1.0",
    "A[:, 3] = A[2] + 1.0 if x[0] > 0.0 else x", "A[1:] = A[:-1]", "A[:, 1:] = A[:, :-1]", "A[1:, 0] = A[:-1, 0]",
    "A[:] = A.T", "A[3, :] = A[:, 3]",
    "for i in range(8):\n        A[i, :] = A[:, i]", "for i in range(8):\n        A[i + 1:, i] = A[i, i + 1:]",
    "for i in range(8):\n        A[i, :i] = A[:i, i]", "for i in range(8):\n        A[i] = A[:, 7 - i] + 1.0",
    "for i in range(1, 8):\n        A[i, 1:] = A[i - 1, :-1]", "A.T[2] = A[:, 1]",
    "top = A.reshape(-1)[1::9]; bot = A.reshape(-1)[8::9]; bot[...] = top", "A.ravel()[1::9] = A.ravel()[8::9]",
    "A.swapaxes(0, 1)[0::1, :-2] = A[:, -6:]", "A.reshape(4, 16)[1:3, 2:10] = A[:2]",
    "A.reshape(-1)[:16].reshape(2, 8)[...] = A[6:]",
    "A[np.arange(8) % 3 == 0] = A[1]", "A[np.arange(8) % 2 == 0] = A[1:5]",
)
REFUSED_VECTORS = (
    "a[::2] = a[1:5]", "a[1:5] = a[::2]", "v = a[1:5]; a[::2] = v", "np.copyto(a[::2], a[1:5])",
    "a[::2] = a[1:5] if x[0] > 0.0 else x[:4]", "a[np.arange(8) % 2 == 0] = a[:4]", "a.flat[1::2] = a[:4]",
    "v = a[::2]; v[:] = a[:4]",
)
REFUSED_MATRICES = (
    "A[:, 3] = A[2]", "A[2] = A[:, 3]", "A[:, 3], A[2] = A[2], A[:, 3]", "A[:, 1] = A.diagonal()",
    "c = A[:, 3]; c[:] = A[1]", "A.ravel()[:8] = A.ravel()[8::7]",
    "B = A[1:]; i = int(x.size / 4); B[i, :] = A[:, i]", "for i in range(7):\n        A[i, :] = A[:, i + 1]",
)


def program(statement: str, of: str, tmp_path):
    """The function of `x` that does this to a vector or a matrix."""
    start = "a = x * x" if of == "a" else "A = np.outer(x, x) + x"
    source = f"import numpy as np\n\n\ndef f(x):\n    {start}\n    {statement}\n" \
        f"    return np.sum({of} * np.cos(np.arange(8.0)) * {of})\n"
    file = tmp_path / "overlapping.py"
    file.write_text(source)
    namespace = {"__name__": "overlapping"}
    exec(compile(source, str(file), "exec"), namespace)
    return namespace["f"]


ACCEPTED = [*((s, "a") for s in VECTORS), *((s, "A") for s in MATRICES)]


@pytest.mark.parametrize(("statement", "of"), ACCEPTED, ids=[s for s, _ in ACCEPTED])
def test_in_every_mode(statement: str, of: str, tmp_path) -> None:
    f = program(statement, of, tmp_path)
    agrees(f, X)
    direction = np.cos(np.arange(8.0))
    gradient = grad(f)(X)
    assert jvp(f, (X,), (direction,))[1] == pytest.approx(gradient @ direction, rel=1e-12)
    rise = grad(f)(X + 1e-6 * direction) - grad(f)(X - 1e-6 * direction)
    np.testing.assert_allclose(hvp(f, (X,), (direction,)), rise / 2e-6, rtol=1e-5, atol=1e-6)


REFUSED = [*((s, "a") for s in REFUSED_VECTORS), *((s, "A") for s in REFUSED_MATRICES)]


@pytest.mark.parametrize(("statement", "of"), REFUSED, ids=[s for s, _ in REFUSED])
def test_refused(statement: str, of: str, tmp_path) -> None:
    refuses(program(statement, of, tmp_path), X, code="SCT303")
