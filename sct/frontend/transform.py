"""A derivative as the compiler sees it: the kind of transform, and the function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Transform"]


@dataclass(frozen=True)
class Transform:
    """The derivative of `fn`, of a kind: "grad", "value_and_grad", "jacobian",
    "jacfwd", "jacrev", "hessian", "vjp" or "jvp".

    argnums  what `grad` differentiates: an index, a name, or a tuple of them
    has_aux  `fn` returns (value, aux); aux is not differentiated
    holomorphic  `fn` is a holomorphic function of complex arguments: its complex derivative is taken
    """

    kind: str
    fn: Callable[..., Any]
    argnums: int | str | tuple[int | str, ...] = 0
    has_aux: bool = False
    holomorphic: bool = False
