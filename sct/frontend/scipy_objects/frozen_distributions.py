"""Distributions of `scipy.stats` with parameters: `norm(mu, sigma).logpdf(x)`.

What SciPy makes keeps the parameters, and its methods are those of the distribution, called with them.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any, NoReturn

from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.values.abstract_values import Abstract, ObjRef, Static, Tup

__all__ = ["frozen_distribution"]

_METHODS = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "pmf", "logpmf", "mean", "var", "std",
            "median", "entropy", "interval", "stats")


_OF_NOTHING = ("mean", "var", "std", "median", "entropy", "stats")
"""Those that are called without an argument."""


class FrozenDistribution:
    """Such an object, where the function is evaluated; its methods have handlers."""

    def __setattr__(self, name: str, value: Any) -> None: ...

    def other(self, value: Any = None) -> Any:
        """Stands for what SciPy's objects have besides."""


def frozen_distribution(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract | None:
    """`norm(mu, sigma)`, or a method of one that was made outside; None for other calls."""
    stats = sys.modules.get("scipy.stats")
    if stats is None:
        return None
    if isinstance(fn.peek, types.MethodType) and fn.path is not None and fn.peek.__name__ in _METHODS and isinstance(
            fn.peek.__self__, sys.modules["scipy.stats._distn_infrastructure"].rv_frozen):
        return _of_outside(ev, fn, fn.peek.__self__, args, kwargs)
    if not isinstance(fn.peek, stats.rv_continuous | stats.rv_discrete):
        return None
    distribution: Any = type(fn.peek)
    return ev.new_object(_class_of(distribution), {
        "_distribution": fn, "_args": Tup(tuple(args)), "_names": Static(tuple(kwargs)),
        "_named": Tup(tuple(kwargs.values()))})


def _of_outside(ev: Evaluator, fn: Static, owner: Any, args: Args, kwargs: Kwargs) -> Abstract | None:
    """A method of a distribution that was made outside; its parameters are read at each call."""
    of_module = getattr(sys.modules["scipy.stats"], str(owner.dist.name), None)
    if type(of_module) is not type(owner.dist):
        return None
    path = (*(fn.path or ()), ("attr", "__self__"))
    named = (*path, ("attr", "kwds"))
    ev.outside.note(named, "keys", tuple(owner.kwds))
    first = lift(ev, owner.args, (*path, ("attr", "args")))
    assert isinstance(first, Tup)
    return ev.call(Static(getattr(of_module, fn.peek.__name__)), [*args, *first.items], {
        **kwargs, **{key: lift(ev, v, (*named, ("item", key))) for key, v in owner.kwds.items()}})


@functools.cache
def _class_of(distribution: Any) -> type:
    """The class of the frozen distributions of a class, for which `isinstance` holds that holds for SciPy's."""
    stats = sys.modules["scipy.stats"]
    kind = "continuous" if issubclass(distribution, stats.rv_continuous) else "discrete"
    cls = getattr(sys.modules["scipy.stats._distn_infrastructure"], f"rv_{kind}_frozen")
    return stand_in_class(FrozenDistribution, cls, FrozenDistribution.other, ("args", "kwds", "dist"),
                          {name: _stand_in(name) for name in _METHODS})


@functools.cache
def _stand_in(name: str) -> Any:
    def of_argument(self: Any, x: Any) -> Any: ...

    def of_distribution(self: Any) -> Any: ...

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        owner, *rest = args
        assert isinstance(owner, ObjRef)
        cell = ev.slots(owner)
        slots = dict(zip(cell.keys, cell.items))
        fn, first, names, named = (slots[key] for key in ("_distribution", "_args", "_names", "_named"))
        if not (isinstance(fn, Static) and isinstance(names, Static) and isinstance(first, Tup)
                and isinstance(named, Tup)):
            ev.refuse("SCT502", "which distribution this is depends on the path", hint="use it in each of the branches")
        if not hasattr(fn.peek, name):
            _other(ev, args, kwargs)
        return ev.call(Static(getattr(fn.peek, name)), [*rest, *first.items],
                       {**kwargs, **dict(zip(names.value, named.items))})

    method = of_distribution if name in _OF_NOTHING else of_argument
    special(method)(handler)
    return method


@special(FrozenDistribution.other)
def _other(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT203", "this attribute of a distribution with differentiated parameters is not supported",
              why="sct reads densities, distribution functions, quantiles, means and variances",
              hint="write its formula out")


@special(FrozenDistribution.__setattr__)
def _written(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT303", "writing an attribute of a distribution is not supported", hint="make another one")
