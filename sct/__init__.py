"""Exact derivatives of plain Python and NumPy functions, as plain Python source."""

from sct import tree
from sct.api import (
    Derivative,
    checkpoint,
    checkpointed,
    emit,
    fixed_point,
    grad,
    hessian,
    hvp,
    implicit,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    probe,
    rule,
    stop_gradient,
    value_and_grad,
    vjp,
)
from sct.debugging import debug
from sct.errors import SctError, SctWarning
from sct.gradient_check import check_grads

__all__ = [
    "Derivative", "SctError", "SctWarning", "check_grads", "checkpoint", "checkpointed", "debug", "emit", "fixed_point",
    "grad", "hessian", "hvp", "implicit", "jacfwd", "jacobian", "jacrev", "jvp", "probe", "rule", "stop_gradient",
    "tree", "value_and_grad", "vjp",
]
