"""Arguments and results as trees: their floating-point leaves, copies, moves."""

import dataclasses
from typing import Any

import numpy as np


def is_float(x: Any) -> bool:
    if isinstance(x, np.ndarray):
        return x.dtype.kind == "f"
    return isinstance(x, (float, np.floating))


def fields(x: Any) -> dict[str, Any] | None:
    """The fields of a dataclass or of a named tuple; None for what is neither."""
    if dataclasses.is_dataclass(x):
        return {field.name: getattr(x, field.name) for field in dataclasses.fields(x)}
    return x._asdict() if hasattr(x, "_asdict") else None


def mapped(f: Any, x: Any, *others: Any) -> Any:
    """`f` of the floating-point leaves, of the same leaves of the others too; a copy of the rest."""
    if isinstance(x, dict):
        return {key: mapped(f, x[key], *(other[key] for other in others)) for key in x}
    named = fields(x)
    if named is not None:
        return type(x)(**{key: mapped(f, v, *(getattr(other, key) for other in others)) for key, v in named.items()})
    if isinstance(x, (tuple, list)):
        return type(x)(mapped(f, *items) for items in zip(x, *others, strict=True))
    if is_float(x):
        return f(x, *others)
    return x.copy() if isinstance(x, np.ndarray) else x


def copied(x: Any) -> Any:
    return mapped(lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, x)


def leaves(x: Any) -> list[np.ndarray]:
    found: list[np.ndarray] = []
    mapped(lambda leaf: found.append(np.asarray(leaf)), x)
    return found


def flat(x: Any) -> np.ndarray:
    """All leaves as one vector."""
    return np.concatenate([np.zeros(0), *(leaf.ravel() for leaf in leaves(x))])


def random_like(x: Any, rng: np.random.Generator) -> Any:
    """A random tangent: None for what has none."""
    if isinstance(x, dict):
        return {key: random_like(item, rng) for key, item in x.items()}
    named = fields(x)
    if named is not None:
        return type(x)(**{key: random_like(item, rng) for key, item in named.items()})
    if isinstance(x, (tuple, list)):
        return type(x)(random_like(item, rng) for item in x)
    if not is_float(x):
        return None
    tangent = rng.normal(size=np.shape(x))
    return tangent.astype(x.dtype) if isinstance(x, (np.ndarray, np.generic)) else float(tangent)


def moved(x: Any, direction: Any, h: float) -> Any:
    """`x + h * direction`, each leaf of the type that it was."""

    def move(leaf: Any, tangent: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            return np.asarray(leaf + leaf.dtype.type(h) * tangent)
        return type(leaf)(leaf + h * tangent)

    return mapped(move, x, direction)


def basis(x: Any) -> list[Any]:
    """A tangent for every number among the leaves."""

    def tangent(k: int) -> Any:
        numbers = iter(np.eye(flat(x).size)[k])

        def filled(leaf: Any) -> Any:
            taken = np.array([next(numbers) for _ in range(np.size(leaf))]).reshape(np.shape(leaf))
            return taken.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else taken.item()

        return mapped(filled, x)

    return [tangent(k) for k in range(flat(x).size)]


def same_bits(x: Any, y: Any) -> bool:
    """Equal structure, types and bits."""
    if isinstance(x, dict):
        return isinstance(y, dict) and x.keys() == y.keys() and all(same_bits(x[key], y[key]) for key in x)
    named = fields(x)
    if named is not None:
        return type(x) is type(y) and all(same_bits(v, getattr(y, key)) for key, v in named.items())
    if isinstance(x, (tuple, list)):
        return type(x) is type(y) and len(x) == len(y) and all(map(same_bits, x, y))
    if isinstance(x, (np.ndarray, np.generic)):
        return type(x) is type(y) and (x.dtype, x.shape) == (y.dtype, y.shape) and x.tobytes() == y.tobytes()
    return type(x) is type(y) and (x == y or x != x and y != y) and str(x) == str(y)


def mirrors(gradient: Any, x: Any) -> bool:
    """A gradient has the structure, shapes and dtypes of its argument, None for what has none."""
    if isinstance(x, dict):
        return gradient.keys() == x.keys() and all(mirrors(gradient[key], x[key]) for key in x)
    named = fields(x)
    if named is not None:
        return type(gradient) is type(x) and all(mirrors(getattr(gradient, key), v) for key, v in named.items())
    if isinstance(x, (tuple, list)):
        return type(gradient) is type(x) and len(gradient) == len(x) and all(map(mirrors, gradient, x))
    if not is_float(x):
        return gradient is None
    if isinstance(x, np.ndarray) and x.ndim:
        return isinstance(gradient, np.ndarray) and (gradient.dtype, gradient.shape) == (x.dtype, x.shape)
    if isinstance(x, np.ndarray):
        return np.shape(gradient) == () and gradient.dtype == x.dtype
    return isinstance(gradient, (float, np.floating)) and np.shape(gradient) == ()
