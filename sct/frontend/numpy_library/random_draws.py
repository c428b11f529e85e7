"""Draws of NumPy's generators of random numbers: the types of what their methods give.

    rng.normal(size=(n, 2))   ->   f64[n, 2]
    rng.integers(0, n, n)     ->   i64[n]
    rng.permutation(n)        ->   i64[n]

Other draws have the type that is observed when they are made.
"""

from __future__ import annotations

import random
import types
from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.state.observed_types import class_of_generator
from sct.frontend.values.abstract_values import Abstract, ListRef, Static, Tup
from sct.ir import Operand, Value
from sct.ir.dims import Dim
from sct.ir.real_ints import counts_as_real
from sct.ir.types import FLOAT, Tensor, Type
from sct.ops.program.effects import inactive

__all__ = [
    "GENERATORS", "MAKERS", "draws_floats", "is_generator", "is_scalar", "of_ints", "place_of_size", "type_of_draw",
]

GENERATORS = (np.random.Generator, np.random.RandomState)
MAKERS = (np.random.default_rng, *GENERATORS)
"""What makes a generator."""

_SEEDED = (*MAKERS, np.random.SeedSequence, np.random.seed, random.Random, random.seed)
"""What takes a seed."""

_FLOATS = frozenset(("random", "standard_normal", "normal", "uniform", "exponential", "standard_exponential", "gamma",
                     "beta", "laplace", "logistic", "lognormal", "chisquare", "standard_t", "rayleigh", "weibull",
                     "rand", "randn"))
_INTS = frozenset(("integers", "randint", "binomial", "poisson", "geometric"))
_PLACE_OF_SIZE = {"rand": 0, "randn": 0, "random": 0, "standard_normal": 0, "standard_exponential": 0, "exponential": 1,
                  "chisquare": 1, "standard_t": 1, "rayleigh": 1, "weibull": 1, "poisson": 1, "geometric": 1}


def is_generator(ev: Evaluator, x: Operand) -> bool:
    """Is this a generator of random numbers?  Nothing else holds the results of its methods."""
    if not isinstance(x, Value):
        return False
    definition = ev.defs.get(x)
    if definition is None:
        return type(ev.leaf_of(x)) in GENERATORS
    return definition.op is inactive and class_of_generator(str(definition.attrs["text"])) is not None


def draws_floats(f: Any) -> bool:
    """Does this draw floats with NumPy?"""
    return type(getattr(f, "__self__", None)) in GENERATORS and f.__name__ in _FLOATS


_OF_INTS = frozenset(("bytes", "choice", "integers", "permutation", "randint", "seed", "spawn"))
"""Methods of generators that take integers alone, beside arrays."""


def of_ints(ev: Evaluator, f: Any, draws: str, args: Args, kwargs: Kwargs) -> tuple[Args, Kwargs]:
    """The arguments of the method `draws` of a generator, or of what takes a seed: seeds, bounds and sizes are ints, by
    which nothing is differentiated.  The arguments of other calls as they are."""
    takes_seed = any(f is seeded for seeded in _SEEDED)
    if not takes_seed and not draws:
        return args, kwargs
    whole = takes_seed or draws in _OF_INTS
    place = place_of_size(draws)

    def as_int(v: Abstract) -> Abstract:
        if isinstance(v, Tup):
            return v.with_(map(as_int, v.items))
        if isinstance(v, ListRef) and ev.slots(v).schema is None and any(
                isinstance(x, Value) and counts_as_real(x.type) for x in ev.slots(v).items):
            return ev.new_list(tuple(map(ev.as_int, ev.slots(v).items)))
        return ev.as_int(v)  # type: ignore[no-any-return]

    return [as_int(v) if whole or k == place or draws in ("rand", "randn") else v for k, v in enumerate(args)], {
        key: as_int(v) if whole or key == "size" else v for key, v in kwargs.items()}


def place_of_size(name: str) -> int:
    """The place of the size among the arguments of a draw."""
    return _PLACE_OF_SIZE.get(name, 2)


def type_of_draw(name: str, args: Args, kwargs: Kwargs) -> Type | None:
    """The type of what the method `name` of a generator draws; None if that is not known."""
    if name in ("rand", "randn"):
        return _array(args, "f64") if args else FLOAT
    if name == "permutation" and len(args) == 1 and not kwargs and is_scalar(args[0]):
        return _array(args, "i64")
    place = place_of_size(name)
    if name not in _FLOATS | _INTS or kwargs.keys() & {"dtype", "out", "method"} or len(args) > place + 1:
        return None
    size = kwargs.get("size", args[place] if len(args) > place else Static(None))
    if size != Static(None):
        return _array(size.items if isinstance(size, Tup) else (size,), "f64" if name in _FLOATS else "i64")
    parameters = (*args, *(v for key, v in kwargs.items() if key != "size"))
    return FLOAT if name in _FLOATS and all(map(is_scalar, parameters)) else None


def _array(sizes: Args, dtype: str) -> Type | None:
    dims = [Dim(d.value) if isinstance(d, Static) and type(d.value) is int else d.dim if isinstance(d, Value) else None
            for d in sizes]
    return None if None in dims else Tensor("array", dtype, tuple(d for d in dims if d is not None))


def is_scalar(v: Abstract) -> bool:
    """Is this a number or None?"""
    return isinstance(v, Static) and type(v.value) in (bool, int, float, types.NoneType) or \
        isinstance(v, Value) and isinstance(v.type, Tensor) and v.type.is_scalar
