"""Exact derivatives of plain Python and NumPy functions, as plain Python source."""

import importlib

NAMES = ("Derivative", "SctError", "SctWarning", "check_grads", "grad", "hvp", "jvp", "stop_gradient", "value_and_grad", "vjp")


def __getattr__(name: str) -> object:
    # Until all parts are there: `import sct.ir` must not import them.
    if name.startswith("__") or name not in NAMES:
        raise AttributeError(name)
    return getattr(importlib.import_module("sct.errors" if name in ("SctError", "SctWarning") else "sct.api"), name)
