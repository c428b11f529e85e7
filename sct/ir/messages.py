"""Words of messages: what objects of other libraries are called, how to convert them, and what Python says of names.

    a pandas.Series for the parameter x     ->     "a pandas.Series", "pass x.to_numpy()"
"""

from __future__ import annotations

import functools
from decimal import Decimal
from fractions import Fraction
from typing import Any

__all__ = ["PACKAGES", "class_in_words", "conversion_hint", "unbound_error"]

_CONVERSIONS = {
    "astropy": "{0}.value", "cupy": "{0}.get()", "dask": "{0}.compute()", "jax": "np.asarray({0})",
    "jaxlib": "np.asarray({0})", "pandas": "{0}.to_numpy()", "pint": "{0}.magnitude", "polars": "{0}.to_numpy()",
    "scipy": "{0}.toarray()", "sympy": "float({0})", "tensorflow": "{0}.numpy()",
    "torch": "{0}.detach().numpy()", "xarray": "{0}.to_numpy()",
}
"""By the package of its class, how to get the array or number out of an object."""

PACKAGES = frozenset(_CONVERSIONS)


def class_in_words(x: object) -> str:
    """The class of an object with its package and an article.

    >>> class_in_words(Fraction(1, 2))
    'a fractions.Fraction'
    """
    cls = type(x)
    package = cls.__module__.partition(".")[0]
    name = cls.__qualname__ if package in ("builtins", "__main__") else f"{package}.{cls.__qualname__}"
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def conversion_hint(x: Any, name: str) -> str:
    """The hint how to convert the argument `x` of the parameter `name`; "" where there is none.

    >>> conversion_hint(Fraction(1, 2), "ratio")
    'pass float(ratio)'
    """
    if isinstance(x, (Decimal, Fraction)):
        return f"pass float({name})"
    package = type(x).__module__.partition(".")[0]
    return f"pass {_CONVERSIONS[package].format(name)}" if package in _CONVERSIONS else ""


_SNIPPETS = {
    False: "def read():\n    return _name_\n    _name_ = 0\nread()",
    True: "def around():\n    def read():\n        return _name_\n    read()\n    _name_ = 0\naround()",
}


def unbound_error(name: str, *, free: bool) -> tuple[str, str]:
    """The exception and its text; `free`: of a variable of a function around.

    >>> unbound_error("y", free=True)[0]
    'NameError'
    """
    exception, text = _error(free)
    return exception, text.replace("_name_", name)


@functools.cache
def _error(free: bool) -> tuple[str, str]:
    try:
        exec(_SNIPPETS[free], {})
    except NameError as error:
        return type(error).__name__, str(error)
    raise AssertionError("the variable is bound")
