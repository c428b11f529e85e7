"""A derivative as the compiler sees it: the kind of transform, and the function."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sct.frontend.source.written_out import written_out

__all__ = ["Transform"]


@dataclass(frozen=True)
class Transform:
    """The derivative of `fn`, of a kind: "grad", "value_and_grad", "jacobian",
    "jacfwd", "jacrev", "hessian", "vjp" or "jvp".

    argnums  what `grad` differentiates: an index, a name, or a tuple of them
    has_aux  `fn` returns (value, aux); aux is not differentiated
    memory   the bytes that its tapes may take
    holomorphic  `fn` is a holomorphic function of complex arguments: its complex derivative is taken
    """

    kind: str
    fn: Callable[..., Any]
    argnums: int | str | tuple[int | str, ...] = 0
    has_aux: bool = False
    holomorphic: bool = False
    memory: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "fn", written_out(_unwrapped(self.fn)))


def _unwrapped(f: Any) -> Any:
    """The function itself, if it is checkpointed: there is nothing around it for which it could be evaluated again."""
    while getattr(f, "__sct_call__", None) == "checkpoint_of":
        inner = getattr(f, "__wrapped__")  # noqa: B009
        f = types.MethodType(inner, f.__self__) if isinstance(f, types.MethodType) else inner
    return f
