"""Lookup of the derivatives of functions of the program, for the drivers of reverse and forward mode.

    derivatives_var.get().parts("f", wrt=(0,), seeded=(0,))  ->  DerivativeParts of f_forward and f_backward

`expand` sets `derivatives_var` while it runs; `function_derivatives` implements the protocol.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from sct.ir.core import Eqn, Operand, Value

__all__ = ["DerivativeParts", "FunctionDerivatives", "callee_tests_nan", "derivatives_var"]


@dataclass(frozen=True)
class DerivativeParts:
    """The two parts of a function that is differentiated in reverse mode.

    of       the name of its records, from which the names of the parts are formed
    wrt      positions of the params whose cotangents the backward part returns
    buffers  positions of the params whose cotangents the backward part adds to a buffer that it receives
    donates  pairs (k, j): the k-th of the seeds and buffers is donated to the j-th cotangent
    optional  positions of the params whose cotangents may be missing, as the params may be
    recomputed  there is one part, which evaluates the function again
    """

    of: str
    wrt: tuple[int, ...]
    buffers: tuple[int, ...]
    donates: tuple[tuple[int, int], ...]
    optional: frozenset[int] = frozenset()
    recomputed: bool = False

    @property
    def forward(self) -> str:
        return f"{self.of}_forward"

    @property
    def backward(self) -> str:
        return self.of if self.recomputed else f"{self.of}_backward"


class FunctionDerivatives(Protocol):
    def parts(self, callee: str, wrt: tuple[int, ...], seeded: tuple[int, ...],
              recomputed: bool = False) -> DerivativeParts:
        """`callee`, differentiated by at least the params at `wrt`, for cotangents of the results at `seeded`.

        recomputed  the backward part takes the params in place of a record
        """

    def tangent(self, callee: str, wrt: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """(name, positions) of the function that computes `callee` together with its tangents.

        It takes the params of `callee`, then the tangents of the params at `wrt`; it returns the results of `callee`,
        then the tangents of the results at `positions`. The other results do not depend on the params at `wrt`.
        """

    def zero(self, of: str) -> str:
        """The name of the function that takes a record and returns its zero tangent."""

    def sum(self, of: str) -> str:
        """The name of the function that adds two cotangents of a record."""

    def solution_cotangents(self, eqn: Eqn, ct: Operand, wrt: Sequence[Value]) -> Sequence[Operand]:
        """The cotangents of the operands `wrt` of a `solution` or an `integral`, given that of its out."""

    def solution_tangent(self, eqn: Eqn, tangents: Mapping[Value, Operand]) -> Operand:
        """The tangent of a `solution` or an `integral`, given those of operands."""

    def ruled_cotangents(self, eqn: Eqn, cts: Sequence[Operand | None], wrt: Collection[int]) -> Mapping[int, Operand]:
        """The contributions of a `ruled` to the cotangents of its operands at `wrt`, given those of its outs."""

    def ruled_tangents(self, eqn: Eqn, tangents: Mapping[int, Operand]) -> Sequence[Operand]:
        """The tangents of the outs of a `ruled`, given those of the operands that have one."""

    def tests_nan(self, callee: str) -> bool:
        """See `callee_tests_nan`."""

    def new_mirror(self) -> int:
        """A new number for loops and conditionals that mirror each other."""


derivatives_var: ContextVar[FunctionDerivatives] = ContextVar("sct_callees")


def callee_tests_nan(callee: str) -> bool:
    """Does a function of the program, or one that it calls, test numbers for nan?"""
    return derivatives_var.get().tests_nan(callee)
