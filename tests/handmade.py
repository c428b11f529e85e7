"""IR functions written by hand, for tests: Python functions over IR values, with loops and branches.

>>> f = function(lambda x: for_(3, [x], lambda i, s: [s * x])[0], FLOAT)       # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sct.ir.build import Builder, operand
from sct.ir.core import Fn, Lit, Operand, Value, builder_var
from sct.ir.dims import sym
from sct.ir.interp import run
from sct.ir.types import INT, Seq, Type, join
from sct.ir.types import array as array_type
from sct.ops.program.control import cond, jvp, loop, vjp

VEC, MAT, SQUARE = (array_type("f64", *map(sym, dims)) for dims in ("n", "nm", "nn"))


def function(body: Callable[..., Any], *types: Type, name: str = "f") -> Fn:
    """The Fn that `body` builds, of params of these types named as its own."""
    names = body.__code__.co_varnames
    params = [Value(t, n) for t, n in zip(types, names)]
    with Builder() as b:
        results = body(*params)
    return b.finish(name, params, [operand(r) for r in _listed(results)])


def _listed(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def for_(n: Any, inits: Sequence[Any], body: Callable[..., Any], *, start: Any = 0, step: Any = 1, ys: int = 0,
         xs: Sequence[Any] = (), reverse: bool = False, exits: bool = False,
         types: Sequence[Type] | None = None) -> list[Any]:
    """body(i, *carries, *elems) -> [go if exits, *carries, *ys]; -> [*finals, *ys, iterations]"""
    return _loop([start, n, step], inits, body, xs, exits, reverse, types, None)


def while_(inits: Sequence[Any], test: Callable[..., Any] | None, body: Callable[..., Any], *, exits: bool = False,
           types: Sequence[Type] | None = None) -> list[Any]:
    return _loop([], inits, lambda *a: body(*a), (), exits, False, types, test)


def _loop(bounds: list[Any], inits: Sequence[Any], body: Callable[..., Any], xs: Sequence[Any], exits: bool,
          reverse: bool, types: Sequence[Type] | None, test: Callable[..., Any] | None) -> list[Any]:
    b: Any = builder_var.get()
    inits = [operand(x) for x in inits]
    types = list(types or [x.type for x in inits])
    params = [Value(t, x.hint) for t, x in zip(types, inits)]
    elems = [Value(x.type.elem) for x in xs]
    index = [Value(INT, "i")] if bounds else []
    with b.nested() as inner:
        results = [operand(r) for r in _listed(body(*index, *params, *elems))]
    if not exits:
        results = [Lit(True), *results]
    regions = []
    if test is not None:
        tested = [Value(t, x.hint) for t, x in zip(types, inits)]
        with b.nested() as block:
            go = test(*tested)
        regions.append(block.finish("test", tested, [go]))
    regions.append(inner.finish("body", [*index, *params, *elems], results))
    n = len(inits)
    made = results[1 + n:]
    attrs = {"counted": bool(bounds), "tested": test is not None, "reverse": reverse, "carries": n}
    outs = b.emit(loop, (*bounds, *inits, *xs), attrs, regions=regions, hints=[p.hint for p in params],
                  types=[*types, INT, *(Seq(y.type) for y in made)])
    return [*outs[:n], *outs[n + 1:], outs[n]]


def if_(pred: Operand, then: Callable[[], Any], orelse: Callable[[], Any], types: Sequence[Type] | None = None) -> Any:
    b: Any = builder_var.get()
    regions = []
    for arm in (then, orelse):
        with b.nested() as inner:
            results = [operand(r) for r in _listed(arm())]
        regions.append(inner.finish("arm", [], results))
    types = types or [join(x.type, y.type) for x, y in zip(regions[0].results, regions[1].results)]
    outs = b.emit(cond, (pred,), {}, regions=regions, types=types)
    return outs[0] if len(outs) == 1 else list(outs)


def tangent(t: Type) -> Type:
    return t


def grad_(f: Fn, args: Sequence[Any], wrt: Sequence[int] = (0,)) -> list[Operand]:
    """In a function being built: cotangents of `f` at `args`."""
    b: Any = builder_var.get()
    types = [*(r.type for r in f.results), *(args[k].type for k in wrt)]
    outs = b.emit(vjp, (*args, 1.0), {"wrt": tuple(wrt), "seeded": (0,)}, regions=(f,), types=types)
    return list(outs[len(f.results):])


def jvp_(f: Fn, args: Sequence[Any], tangents: Sequence[Any], wrt: Sequence[int] = (0,)) -> list[Operand]:
    b: Any = builder_var.get()
    types = [r.type for r in f.results] * 2
    outs = b.emit(jvp, (*args, *tangents), {"wrt": tuple(wrt)}, regions=(f,), types=types)
    return list(outs[len(f.results):])


def gradient_of(f: Fn, wrt: Sequence[int]) -> Fn:
    """The function of the params of `f` that gives the cotangents at `wrt` of its first result."""
    params = [Value(p.type, p.hint) for p in f.params]
    with Builder() as b:
        results = grad_(f, params, wrt)
    return b.finish("g", params, results)


def tangent_of(f: Fn, wrt: int) -> Fn:
    params = [Value(p.type, p.hint) for p in f.params]
    dx = Value(f.params[wrt].type, "v")
    with Builder() as b:
        results = jvp_(f, params, [dx], (wrt,))
    return b.finish("t", [*params, dx], results)


def differences(f: Callable[..., Any], args: Sequence[Any], k: int, eps: float = 1e-6) -> Any:
    """The gradient of `f` by its argument `k`, by central differences."""
    x = np.array(args[k], dtype=float)
    g = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        values = []
        for sign in (1, -1):
            moved = x.copy()
            moved[at] += sign * eps
            values.append(f(*[(moved if x.ndim else float(moved)) if j == k else a for j, a in enumerate(args)]))
        g[at] = (values[0] - values[1]) / (2 * eps)
    return g


def value(f: Fn) -> Callable[..., Any]:
    return lambda *args: run(f, args)[0]


__all__ = ["MAT", "SQUARE", "VEC", "differences", "for_", "function", "grad_", "gradient_of", "if_", "jvp_",
           "tangent_of", "value", "while_"]
