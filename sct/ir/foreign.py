"""Objects of other libraries, and what to pass instead of them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

__all__ = ["PACKAGES", "described", "instead"]

_INSTEAD = {
    "astropy": "{0}.value", "cupy": "{0}.get()", "dask": "{0}.compute()", "jax": "np.asarray({0})",
    "jaxlib": "np.asarray({0})", "pandas": "{0}.to_numpy()", "pint": "{0}.magnitude", "polars": "{0}.to_numpy()",
    "scipy": "{0}.toarray()", "sympy": "float({0})", "tensorflow": "{0}.numpy()",
    "torch": "{0}.detach().numpy()", "xarray": "{0}.to_numpy()",
}
"""By the package of the class: an expression for the array or number that an object holds."""


PACKAGES = frozenset(_INSTEAD)


def described(x: object) -> str:
    """What an object is, for a message: the class with its package.

    >>> described(Fraction(1, 2))
    'a fractions.Fraction'
    """
    cls = type(x)
    package = cls.__module__.partition(".")[0]
    name = cls.__qualname__ if package in ("builtins", "__main__") else f"{package}.{cls.__qualname__}"
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def instead(x: Any, name: str) -> str:
    """The hint what to pass for an object that the parameter `name` is; "" where there is none.

    >>> instead(Fraction(1, 2), "ratio")
    'pass float(ratio)'
    """
    if isinstance(x, (Decimal, Fraction)):
        return f"pass float({name})"
    package = type(x).__module__.partition(".")[0]
    return f"pass {_INSTEAD[package].format(name)}" if package in _INSTEAD else ""
