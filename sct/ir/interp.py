"""The reference interpreter: runs IR with the user's own NumPy and math functions.

An equation with a spelling runs that function ("math.sin" is `math.sin`), others run `Op.run`; control flow is
Python's.  A sequence is a list aligned by position, an unassigned value is `UNDEF`.  It is slow and plain: the
oracle that passes are tested against.

>>> run(f, [x, 2.0])                          # doctest: +SKIP
[array([2., 4.])]
"""

from __future__ import annotations

import builtins
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sct.ir.core import UNDEF, Eqn, Fn, Op, Operand, Value, boundary_index, call_names
from sct.ir.pytrees.pytree import unflatten

__all__ = ["call", "resolve", "run"]

Env = dict[Value, Any]


def run(fn: Fn, args: Sequence[Any], *, captured: Mapping[Value, Any] | None = None,
        inplace: bool = False) -> list[Any]:
    """The results of `fn`, flat.

    captured  the free values of `fn`
    inplace   write into the operand's buffer where `Eqn.inplace` says so: a wrong decision of
              `storage` then gives a wrong number
    """
    with np.errstate(all="ignore"):
        return _Interpreter(inplace, fn.functions).region(fn, args, dict(captured or {}))


def resolve(spelling: str) -> Callable[..., Any]:
    """The Python function of a spelling; `.sum` is a method call."""
    if spelling.startswith("."):
        name = spelling[1:]
        return lambda x, *args, **kw: getattr(x, name)(*args, **kw)
    module, _, name = spelling.rpartition(".")
    if module.startswith("scipy.stats."):  # a method of a distribution
        module, _, owner = module.rpartition(".")
        method: Callable[..., Any] = getattr(getattr(importlib.import_module(module), owner), name)
        return method
    function: Callable[..., Any] = getattr(importlib.import_module(module) if module else builtins, name)
    return function


def call(op: Op, args: Sequence[Any], attrs: Mapping[str, Any], spelling: str | None = None) -> Any:
    """Run one op, by its spelling where the spelling takes the operands and attrs unchanged."""
    direct = op.emit is None or op.bind is None
    if spelling is None or op.run is not None and not direct:
        if op.run is None:
            raise NotImplementedError(f"op {op.name} has no reference implementation")
        return op.run(*args, **attrs)
    return resolve(spelling)(*args, **op.explicit(attrs))


class _Interpreter:
    def __init__(self, inplace: bool, functions: Sequence[Fn] = ()) -> None:
        self.inplace, self.functions = inplace, {name: f for f in functions for name in call_names(f)}
        self.control: dict[str, Callable[[Eqn, list[Any], Env], Sequence[Any]]] = {
            "cond": self.cond, "loop": self.loop, "closure": self.closure,
            "integral": lambda eqn, args, env: args[:1], "solution": lambda eqn, args, env: args[:1]}

    def region(self, fn: Fn, args: Sequence[Any], env: Env) -> list[Any]:
        if len(args) != len(fn.params):
            raise TypeError(f"{fn.name} takes {len(fn.params)} arguments, {len(args)} given")
        env.update(zip(fn.params, args))
        for eqn in fn.eqns:
            env.update(zip(eqn.outs, self.eqn(eqn, env)))
        return self.read(fn.results, env)

    def read(self, operands: Iterable[Operand], env: Env) -> list[Any]:
        return [env[a] if isinstance(a, Value) else a.value for a in operands]

    def eqn(self, eqn: Eqn, env: Env) -> Sequence[Any]:
        args = self.read(eqn.args, env)
        if eqn.regions:
            if eqn.op.name not in self.control:
                raise NotImplementedError(f"`{eqn.op.name}` is not run but expanded")
            return self.control[eqn.op.name](eqn, args, env)
        if eqn.op.name == "call":
            return self.call(eqn, args)
        if eqn.op.name == "unwrap" and args[0] is UNDEF:
            raise UnboundLocalError(f"`{eqn.out.hint}` is not bound on this path")
        result = call(eqn.op, args, eqn.attrs, eqn.spelling)
        outs = [result] if len(eqn.outs) == 1 else list(result or ())
        if self.inplace and eqn.inplace is not None and isinstance(args[eqn.inplace], (np.ndarray, list)):
            outs[0] = _take_over(args[eqn.inplace], outs[0])
        return outs

    def call(self, eqn: Eqn, args: list[Any]) -> list[Any]:
        """Run a call.  The record of a function in two parts holds all values of its forward part."""
        f = self.functions[eqn.attrs["callee"]]
        at = boundary_index(f)
        if at is None:
            return self.region(f, args, {})
        middle = f.eqns[at]
        if eqn.attrs["callee"] == call_names(f)[0]:
            env: Env = {}
            outs = self.region(Fn(f.name, f.params, f.eqns[:at], middle.args), args, env)
            return [*outs, env]
        n = len(middle.attrs["params"])
        return self.region(Fn(f.name, middle.outs, f.eqns[at + 1:], f.results), args[n + 1:], dict(args[n]))

    def cond(self, eqn: Eqn, args: list[Any], env: Env) -> Sequence[Any]:
        then, orelse = eqn.regions
        return self.region(then if args[0] else orelse, [], env)

    def loop(self, eqn: Eqn, args: list[Any], env: Env) -> Sequence[Any]:
        counted, tested, n = eqn.attrs["counted"], eqn.attrs["tested"], eqn.attrs["carries"]
        body = eqn.regions[-1]
        indices = range(*args[:3]) if counted else None
        carries, xs = args[3 * counted:][:n], args[3 * counted:][n:]
        n_ys = len(body.results) - 1 - n
        ys: list[list[Any]] = [[None] * len(indices or ()) for _ in range(n_ys)]
        done = 0
        go: Any = True
        while go and (indices is None or done < len(indices)):
            if tested and not self.region(eqn.regions[0], carries, env)[0]:
                break
            k = len(indices) - 1 - done if indices is not None and eqn.attrs["reverse"] else done
            index = [indices[k]] if indices is not None else []
            go, *rest = self.region(body, [*index, *carries, *(x[k] for x in xs)], env)
            carries, yielded = rest[:n], rest[n:]
            for seq, y in zip(ys, yielded):
                if indices is None:
                    seq.append(y)
                else:
                    seq[k] = y
            done += 1
        if not eqn.attrs["reverse"]:
            ys = [seq[:done] for seq in ys]
        return [*carries, done, *ys]

    def closure(self, eqn: Eqn, args: list[Any], env: Env) -> Sequence[Any]:
        """A pullback: it takes flat cotangents and arranges its results by the tree `result`."""
        (body,) = eqn.regions
        outer = dict(env)
        tree = eqn.attrs.get("result")

        def pullback(*seeds: Any) -> Any:
            results = self.region(body, seeds, dict(outer))
            return results if tree is None else unflatten(tree, results)

        return [pullback]


def _take_over(buffer: Any, result: Any) -> Any:
    buffer[... if isinstance(buffer, np.ndarray) else slice(None)] = result
    return buffer
