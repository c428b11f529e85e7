"""How the drivers of reverse and forward mode get at the derivatives of the functions of a program."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Callees", "Parts", "callees_var"]


@dataclass(frozen=True)
class Parts:
    """A function differentiated in reverse mode.

    of       the name of its records; forward, backward: those of its parts
    wrt      the params whose cotangents it gives
    buffers  the params whose cotangents the backward part adds to what it is given
    takes    pairs (seed or then buffer, cotangent): the one is made in place of the other
    """

    of: str
    wrt: tuple[int, ...]
    buffers: tuple[int, ...]
    takes: tuple[tuple[int, int], ...]

    @property
    def forward(self) -> str:
        return f"{self.of}_forward"

    @property
    def backward(self) -> str:
        return f"{self.of}_backward"


class Callees(Protocol):
    def parts(self, callee: str, wrt: tuple[int, ...], seeded: tuple[int, ...]) -> Parts:
        """`callee` differentiated by the params at `wrt`, or by more, given cotangents of the results at `seeded`."""

    def tangent(self, callee: str, wrt: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """The name of the function of the params of `callee` and the tangents of those at `wrt`; which of
        the results of `callee` it gives the tangents of, after them: the others depend on none of these."""

    def zero(self, of: str) -> str:
        """The name of the function of a record that gives its tangent where that is zero."""

    def sum(self, of: str) -> str:
        """The name of the function of two cotangents of a record that adds them."""


callees_var: ContextVar[Callees] = ContextVar("sct_callees")
