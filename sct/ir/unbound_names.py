"""What this version of Python raises where a variable is read that is not bound."""

from __future__ import annotations

import functools

__all__ = ["unbound_error"]

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
