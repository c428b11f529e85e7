"""The helpers of kernels: functions that the emitted module defines if its kernels call them.

    math_log   ->   def math_log(x): ...
"""

from __future__ import annotations

__all__ = ["RESERVED", "helper_source"]

HELPERS = {
    "reserve": '''\
def reserve(tape, size):
    """`tape`, with room for `size` elements."""
    if size <= tape.size:
        return tape
    larger = np.empty(max(size, 2 * tape.size), tape.dtype)
    larger[:tape.size] = tape
    return larger
''',
    "reserve_rows": '''\
def reserve_rows(tape, size):
    """`tape`, with room for `size` arrays."""
    if size <= len(tape):
        return tape
    larger = np.empty((max(size, 2 * len(tape)),) + tape.shape[1:], tape.dtype)
    larger[:len(tape)] = tape
    return larger
''',
    "nonzero": '''\
def nonzero(x):
    """`x`, by which Python divides."""
    if x == 0:
        raise ZeroDivisionError("division by zero")
    return x
''',
    "power": '''\
def power(x, y):
    """x ** y, where that is a number for Python."""
    if x == 0 and y < 0:
        raise ZeroDivisionError("zero to a negative power")
    z = x ** y
    if math.isnan(z) and x < 0:
        raise ValueError("a complex number")
    if math.isinf(z) and math.isfinite(x) and math.isfinite(y):
        raise OverflowError("Numerical result out of range")
    return z
''',
    "int_power": '''\
def int_power(x, y):
    """x ** y of ints of NumPy."""
    if y < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return x ** y
''',
    "within": '''\
def within(i, size):
    """The position that `i` means in `size` elements."""
    if i < 0:
        i += size
    if i < 0 or i >= size:
        raise IndexError("index is out of bounds")
    return i
''',
    "slice_start": '''\
def slice_start(start, size):
    """The position where a slice of `size` elements begins."""
    return max(start + size, 0) if start < 0 else start
''',
    "slice_last": '''\
def slice_last(start, size):
    """The position where a slice of `size` elements begins, if its step is negative."""
    return start + size if start < 0 else min(start, size - 1)
''',
    "not_empty": '''\
def not_empty(size):
    """`size`, of a reduction that needs an element."""
    if size == 0:
        raise ValueError("zero-size array to reduction operation which has no identity")
    return size
''',
    "matrix_product": '''\
def matrix_product(a, b):
    """a @ b, of small matrices without a call of BLAS."""
    if a.size * b.shape[1] > 1000:
        return np.dot(np.ascontiguousarray(a), np.ascontiguousarray(b))
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c
''',
    "matrix_vector": '''\
def matrix_vector(a, x):
    """a @ x, of a small matrix without a call of BLAS."""
    if a.size > 500:
        return np.dot(np.ascontiguousarray(a), np.ascontiguousarray(x))
    y = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            y[i] += a[i, k] * x[k]
    return y
''',
    "vector_matrix": '''\
def vector_matrix(x, a):
    """x @ a, of a small matrix without a call of BLAS."""
    if a.size > 500:
        return np.dot(np.ascontiguousarray(x), np.ascontiguousarray(a))
    y = np.zeros(a.shape[1])
    for k in range(a.shape[0]):
        for j in range(a.shape[1]):
            y[j] += x[k] * a[k, j]
    return y
''',
    "whole": '''\
def whole(x):
    """`x`, which has an integer part."""
    if not abs(x) < 9.2e18:
        raise OverflowError("cannot convert float to integer")
    return x
''',
}
"""The definitions of helpers, by name."""

MATH_FUNCTION = '''\
def math_{0}(x):
    """math.{0}(x), which raises outside its domain."""
    y = math.{0}(x)
    if math.isnan(y) and not math.isnan(x) or math.isinf(y) and math.isfinite(x):
        raise {1}
    return y
'''
OVERFLOWING = frozenset(["exp", "exp2", "expm1", "cosh", "sinh"])

RESERVED = frozenset([*HELPERS, "njit"])
"""Names that have a meaning in the emitted module."""


def helper_source(name: str) -> str:
    """The definition of a helper: one of `HELPERS`, or `math_f` for a function `math.f` of one number."""
    if name.startswith("math_"):
        short = name.removeprefix("math_")
        raised = 'OverflowError("math range error")' if short in OVERFLOWING else 'ValueError("math domain error")'
        return MATH_FUNCTION.format(short, raised)
    return HELPERS[name]
