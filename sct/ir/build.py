"""The typed builder: calls of ops inside `with Builder(...) as b:` become equations of `b`.

Each equation is typed when it is made, by the rule of its op; a builder in adjoint code simplifies it first
(`rewrite`).

>>> with Builder(primal=False) as b:          # doctest: +SKIP
...     y = mul(x, x)
>>> fn = b.finish("f", [x], [y])              # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import Token
from typing import Any

from sct.ir.core import Constant, EmitsEqns, Eqn, Fn, Lit, Loc, Op, Operand, Value, builder_var, walk
from sct.ir.loop_view import loop_view
from sct.ir.real_ints import operands_as_ints, result_type
from sct.ir.types import Tensor

__all__ = ["Builder", "Rewrite", "module_of", "operand"]

Rewrite = Callable[[Op, Sequence[Operand], Mapping[str, Any], str | None], "Operand | None"]


def module_of(spelling: str | None) -> str | None:
    """The module ("math", "numpy" or "scipy") in which derivative rules of an op with this spelling call functions."""
    module = (spelling or "").partition(".")[0]
    return module if module in ("math", "numpy", "scipy") else None


def _raises_in_python(op: Op, args: Sequence[Operand]) -> bool:
    """May the op raise for Python numbers (`math.cos(inf)`, `0.0 ** -1.0`)?

    Quotients in derivative rules do not: their divisor is not 0, or the rule handles 0 itself.
    """
    types = [x.type for x in args if isinstance(x.type, Tensor)]
    return op.raises == "value" and op.name != "div" and any(t.kind in "fc" for t in types) and \
        all(t.carrier in ("py", "any") for t in types)


def operand(x: Operand | Constant | str) -> Operand:
    """`x` itself if it is an operand; a Python number, string or None as a literal."""
    return x if isinstance(x, (Value, Lit)) else Lit(x)


class Builder:
    """Collects the equations of one block.

    primal    `Eqn.primal` of its equations
    rewrite   rewrite(op, operands, attrs, spelling) -> the operand to use in place of a
              new equation, or None; the simplifier of adjoint code
    module    "math", "numpy" or "scipy": an op called without a spelling gets its spelling in that
              module (of SciPy, or else of NumPy), if it has one.  So the derivative of `math.sin` uses `math`, and
              the derivative of a NumPy function does not raise where the function does not
    loc       the source location of equations that are given none
    defs      the equation that defines each value, in this block and in those around it
    origins   for params of loop bodies: the values that they are in the iterations, and lists of which they are items;
              none for params that are derivatives
    nonzero   Python numbers that are not 0, because the primal has not raised
    """

    def __init__(self, *, primal: bool = True, rewrite: Rewrite | None = None,
                 module: str | None = None, loc: Loc | None = None) -> None:
        self.primal, self.rewrite, self.module, self.loc = primal, rewrite, module, loc
        self.eqns: list[Eqn] = []
        self.defs: dict[Value, Eqn] = {}
        self.origins: dict[Value, tuple[Operand, ...]] = {}
        self.nonzero: set[Value] = set()
        self._tokens: list[Token[EmitsEqns]] = []

    def __enter__(self) -> Builder:
        self._tokens.append(builder_var.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        builder_var.reset(self._tokens.pop())

    def nested(self, derivatives: Iterable[Operand] = ()) -> Builder:
        """A builder for a region inside this block, with the same settings; `derivatives`: params that are such."""
        inner = Builder(primal=self.primal, rewrite=self.rewrite, module=self.module, loc=self.loc)
        inner.defs, inner.origins, inner.nonzero = self.defs, self.origins, set(self.nonzero)
        inner.learn_derivatives(derivatives)
        return inner

    def emit(self, op: Op, args: Sequence[Operand | Constant], attrs: Mapping[str, Any] | None = None, *,
             regions: Sequence[Fn] = (), types: Sequence[Any] | None = None, spelling: str | None = None,
             loc: Loc | None = None, hints: Sequence[str | None] = ()) -> Any:
        """Add `op(*args, **attrs)`; returns its out, or the tuple of its outs where its type is a tuple.

        An op with regions is given its `types`; others derive them from the operands.
        """
        ops = tuple(map(operand, args))
        attrs = dict(attrs or {})
        if spelling is None and self.module is not None:
            spelling = self.spelled(op, ops)
        if self.rewrite is not None and not self.primal and not regions:
            with self:
                rewritten = self.rewrite(op, ops, attrs, spelling)
            if rewritten is not None:
                return rewritten
        out_types = result_type(op, ops, attrs, spelling) if types is None else tuple(types)
        dim = op.dim(*operands_as_ints(ops), **attrs) if op.dim else None
        outs = tuple(Value(t, dim=dim) for t in (out_types if isinstance(out_types, tuple) else (out_types,)))
        for value, hint in zip(outs, hints):
            value.hint = hint
        self.add(Eqn(op, ops, outs, attrs, tuple(regions), spelling, self.primal, loc or self.loc))
        return outs if isinstance(out_types, tuple) else outs[0]

    def spelled(self, op: Op, args: Sequence[Operand]) -> str | None:
        """The spelling of `op` in `module`, if it has one; in NumPy only where the Python operator may raise."""
        if self.module in ("numpy", "scipy") and not _raises_in_python(op, args):
            return None
        modules = ("scipy.", "numpy.") if self.module == "scipy" else (f"{self.module}.",)
        return next((c for module in modules for c in op.calls if c.startswith(module)), None)

    def add(self, eqn: Eqn) -> None:
        """Append an equation that is already made."""
        self.eqns.append(eqn)
        for out in eqn.outs:
            self.defs[out] = eqn

    def learn(self, fn: Fn, derivatives: Iterable[Operand] = ()) -> None:
        """Note what defines the values of `fn`, what the params of its loops are, and which values are derivatives."""
        for eqn in walk(fn):
            self.defs.update(dict.fromkeys(eqn.outs, eqn))
            if eqn.op.name == "loop":
                loop = loop_view(eqn)
                self.origins.update(zip(loop.params, zip(loop.inits, loop.results)))
                self.origins.update((elem, (x,)) for elem, x in zip(loop.elems, loop.xs))
        self.learn_derivatives(derivatives)

    def learn_derivatives(self, params: Iterable[Operand]) -> None:
        """Note that these params are derivatives."""
        self.origins.update((p, ()) for p in params if isinstance(p, Value) and p not in self.defs)

    def finish(self, name: str, params: Sequence[Value], results: Sequence[Operand]) -> Fn:
        return Fn(name, tuple(params), tuple(self.eqns), tuple(results))
