"""Constants as text that gives them again where NumPy is imported.

    (0.5, inf)   ->   "(0.5, numpy.inf)"
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["text_of"]


def text_of(value: Any) -> str:
    """The text of a constant: of a number, a text, or a list or tuple of these."""
    if isinstance(value, (list, tuple)):
        items = f"{', '.join(map(text_of, value))}{',' * (len(value) == 1 and isinstance(value, tuple))}"
        return f"({items})" if isinstance(value, tuple) else f"[{items}]"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return f"{'-' * (value < 0.0)}numpy.{'nan' if math.isnan(value) else 'inf'}"
    return repr(value)
