"""Stand-ins for values of a file that is not run."""

from __future__ import annotations

from typing import Any, NoReturn

from sct.errors import Loc, SctError

__all__ = ["NotLoaded", "Unloaded"]


class NotLoaded(SctError):
    """The value of an `Unloaded` is needed."""


class Unloaded:
    """Stands for a global of a file that was loaded without the statement that binds it.

    What is derived from it by attributes, calls and subscripts (a decorator, an annotation) is not known either.
    Whatever asks for its value is refused.

    name   the name of the global
    what, why, hint, loc   of the refusal
    """

    def __init__(self, name: str, what: str, why: str, hint: str, loc: Loc | None = None) -> None:
        self.name, self.what, self.why, self.hint, self.loc = name, what, why, hint, loc

    @staticmethod
    def not_run(name: str, loc: Loc) -> Unloaded:
        """Stands for what a statement binds that is not run."""
        return Unloaded(name, f"the value of `{name}` is not known", "it is made by a statement that sct does not run",
                        "assign it with a literal or a call of NumPy, or make it an argument", loc)

    def refusal(self, loc: Loc | None = None) -> NotLoaded:
        """The refusal of a function that needs the value, at `loc` if the statement that binds it has no place."""
        return NotLoaded("SCT914", self.what, why=self.why, hint=self.hint, loc=self.loc or loc)

    def _same(self, *_: Any, **__: Any) -> Unloaded:
        return self

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise self.refusal()

    def __getattr__(self, name: str) -> Unloaded:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)  # what Python and libraries ask of any object
        return self

    __call__ = __getitem__ = __or__ = __ror__ = _same
    __mro_entries__ = __bool__ = __iter__ = __len__ = __contains__ = __eq__ = __ne__ = __lt__ = __le__ = _refuse
    __gt__ = __ge__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __float__ = __int__ = _refuse
    __index__ = __setitem__ = __enter__ = __matmul__ = __rmatmul__ = __truediv__ = __rtruediv__ = __pow__ = _refuse
    __neg__ = __array__ = _refuse
    __hash__ = object.__hash__
