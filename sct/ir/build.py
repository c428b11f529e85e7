"""The typed builder: ops called inside `with Builder(...) as b:` become equations of `b`.

>>> with Builder(primal=False) as b:          # doctest: +SKIP
...     y = mul(x, x)
>>> fn = b.finish("f", [x], [y])              # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import Token
from typing import Any

from sct.ir.core import EmitsEqns, Eqn, Fn, Lit, Loc, Op, Operand, Value, builder_var
from sct.ir.real_ints import as_ints, derived
from sct.ir.types import Tensor

__all__ = ["Builder", "Rewrite", "module_of", "operand"]

Rewrite = Callable[[Op, Sequence[Operand], Mapping[str, Any], str | None], "Operand | None"]


def module_of(spelling: str | None) -> str | None:
    """The module whose functions the rules of an op called like this use: "math", "numpy", or None."""
    module = (spelling or "").partition(".")[0]
    return module if module in ("math", "numpy") else None


def _raises_in_python(op: Op, args: Sequence[Operand]) -> bool:
    """`math.cos(inf)`, `0.0 ** -1.0`.  Quotients do not: rules divide by what is not 0, or say the edge."""
    types = [x.type for x in args if isinstance(x.type, Tensor)]
    return op.raises == "value" and op.name != "div" and any(t.kind == "f" for t in types) and \
        all(t.carrier in ("py", "any") for t in types)


def operand(x: Operand | float | str | None) -> Operand:
    """A value or literal as it is; a Python number, string or None as a literal."""
    return x if isinstance(x, (Value, Lit)) else Lit(x)


class Builder:
    """Collects the equations of one block.

    primal    the tag of the equations made (Eqn.primal)
    rewrite   rewrite(op, operands, attrs, spelling) -> operand to use instead of a
              new equation, or None; the simplifier of the adjoint
    module    "math" or "numpy": an op called without a spelling takes the one of that
              module, if it has one (the rules of a `math` primal stay in `math`, and what
              raises nothing in NumPy raises nothing in its derivative)
    loc       likewise, the source location of what has none

    `defs` tells which equation made a value, in this block and in those around it; `nonzero`
    are Python numbers that are not 0, for the primal has not raised.
    """

    def __init__(self, *, primal: bool = True, rewrite: Rewrite | None = None,
                 module: str | None = None, loc: Loc | None = None) -> None:
        self.primal, self.rewrite, self.module, self.loc = primal, rewrite, module, loc
        self.eqns: list[Eqn] = []
        self.defs: dict[Value, Eqn] = {}
        self.nonzero: set[Value] = set()
        self._tokens: list[Token[EmitsEqns]] = []

    def __enter__(self) -> Builder:
        self._tokens.append(builder_var.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        builder_var.reset(self._tokens.pop())

    def nested(self) -> Builder:
        """A builder for a region inside this block, with the same settings."""
        inner = Builder(primal=self.primal, rewrite=self.rewrite, module=self.module, loc=self.loc)
        inner.defs, inner.nonzero = self.defs, set(self.nonzero)
        return inner

    def emit(self, op: Op, args: Sequence[Operand | float | None], attrs: Mapping[str, Any] | None = None, *,
             regions: Sequence[Fn] = (), types: Sequence[Any] | None = None, spelling: str | None = None,
             loc: Loc | None = None, hints: Sequence[str | None] = ()) -> Any:
        """Add `op(*args, **attrs)`: its out, or the tuple of its outs where its type is a tuple.

        Control ops (with regions) are given their `types`; others derive them.
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
        made = derived(op, ops, attrs, spelling) if types is None else tuple(types)
        dim = op.dim(*as_ints(ops), **attrs) if op.dim else None
        outs = tuple(Value(t, dim=dim) for t in (made if isinstance(made, tuple) else (made,)))
        for value, hint in zip(outs, hints):
            value.hint = hint
        self.add(Eqn(op, ops, outs, attrs, tuple(regions), spelling, self.primal, loc or self.loc))
        return outs if isinstance(made, tuple) else outs[0]

    def spelled(self, op: Op, args: Sequence[Operand]) -> str | None:
        """The name of `op` in the module, if it has one; NumPy's only where Python's may raise."""
        if self.module == "numpy" and not _raises_in_python(op, args):
            return None
        return next((c for c in op.calls if c.startswith(f"{self.module}.")), None)

    def add(self, eqn: Eqn) -> None:
        """Add an equation that exists."""
        self.eqns.append(eqn)
        self.defs.update((out, eqn) for out in eqn.outs)

    def finish(self, name: str, params: Sequence[Value], results: Sequence[Operand]) -> Fn:
        return Fn(name, tuple(params), tuple(self.eqns), tuple(results))
