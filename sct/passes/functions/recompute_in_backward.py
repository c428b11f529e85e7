"""Chooses which forward values the backward part of a function recomputes and which it receives as residuals.

    forward: t = 0.5 * x; u = sin(t)     backward reads t, u   ->   backward: t = 0.5 * x;  u is a residual

In:  a function with a `boundary`. Out: its two parts, where the backward part reads only its params and `residuals`.
Cheap arithmetic on numbers that both parts have is done twice: the record is shorter for it, and a person would write
`f_backward(0.5 * x, n - 1, ...)` like the call of `f`. A value that one branch computes is recomputed in the branch
that mirrors it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sct.ir.core import (
    Eqn,
    Fn,
    Lit,
    Operand,
    Value,
    boundary_index,
    free_values,
    is_effect,
    is_float,
    is_undef,
    substitute,
)
from sct.ir.types import Undef
from sct.ir.uses import DefUse
from sct.ops.registry import aliases
from sct.ops.scalar.comparison import unwrap
from sct.passes.functions.forwarded_params import is_scalar
from sct.passes.functions.residual_records import narrow_to_readers, only_unwrapped
from sct.passes.rematerialization.cost_model import CHEAP, FREE, TAPE

__all__ = ["BackwardRecompute"]

NEVER = float("inf")


class BackwardRecompute:
    """The two parts of a function.

    forward    the equations of the forward part
    backward   the backward part, whose free values are its params and `residuals`
    residuals  the values that the backward part receives, in the order in which the forward part computes them
    """

    def __init__(self, fn: Fn) -> None:
        at = boundary_index(fn)
        assert at is not None
        boundary = fn.eqns[at]
        self.forward, self.backward = narrow_to_readers(
            fn.eqns[:at], Fn("", boundary.outs, fn.eqns[at + 1:], fn.results))
        self._uses = DefUse(self.backward)
        self._params = [fn.params[k] for k in boundary.attrs["params"]]
        self._costs: dict[Operand, float] = dict.fromkeys(self._params, 0.0)
        self._producer: dict[Operand, Eqn] = {}
        self._in_branch: dict[Value, tuple[Value, Fn]] = {}
        self._price_all()
        self.residuals = self._choose()
        self.backward = self._with_recomputation()

    # -- costs --------------------------------------------------------------------------

    def _price_all(self) -> None:
        for eqn in self.forward:
            for region in eqn.regions if eqn.op.name == "cond" else ():
                for inner in region.eqns:
                    self._price(inner)
            self._in_branch.update(_bound_in_one_branch(eqn))
            self._price(eqn)

    def _price(self, eqn: Eqn) -> None:
        self._producer.update(dict.fromkeys(eqn.outs, eqn))
        if (own := _cost(eqn)) < NEVER:
            self._costs[eqn.out] = own + sum(map(self._cost, eqn.args))

    def _cost(self, x: Operand) -> float:
        return 0.0 if isinstance(x, Lit) else self._costs.get(x, NEVER)

    # -- choosing -----------------------------------------------------------------------

    def _choose(self) -> list[Value]:
        order = {out: k for k, eqn in enumerate(self.forward) for out in eqn.outs}
        read = [v for v in free_values(self.backward) if v not in self._params]
        residuals = sorted((v for v in read if self._cost(self._value_of(v)) > TAPE), key=lambda v: order.get(v, -1))
        for v in reversed(list(residuals)):
            others = self._available_beside(v, residuals)
            eqn = self._producer.get(self._value_of(v))
            if eqn is not None and _cost(eqn) + sum(self._cost(x) for x in eqn.args if x not in others) <= TAPE:
                residuals.remove(v)
        return residuals

    def _available_beside(self, v: Value, residuals: Iterable[Value]) -> set[Value]:
        """The values that the other residuals give where `v` is read: in its branch, or at the top level."""
        value = self._value_of(v)
        branch = None if value is v else self._in_branch[v][1]
        others = {x: self._value_of(x) for x in residuals}
        return {y for x, y in others.items() if y is x or self._in_branch[x][1] is branch} - {value}

    def _value_of(self, v: Value) -> Value:
        """If `v` is the out of a conditional, the value of a branch that it stands for at its uses."""
        value = self._in_branch[v][0] if v in self._in_branch else None
        return value if value is not None and only_unwrapped(self._uses, v, value.type) else v

    # -- recomputing --------------------------------------------------------------------

    def _with_recomputation(self) -> Fn:
        backward = self._recompute_in_branches(self.backward, {}, frozenset())
        eqns = _producing(self.forward, free_values(backward), {*self._params, *self.residuals})
        return backward.replace(eqns=(*eqns, *backward.eqns))

    def _recompute_in_branches(self, fn: Fn, env: dict[Value, Operand], present: frozenset[Value]) -> Fn:
        """`fn`, where values of branches are recomputed in place of being unwrapped."""
        eqns: list[Eqn] = []
        for eqn in fn.eqns:
            eqn = eqn.replace(args=substitute(eqn.args, env))
            out = eqn.args[0] if eqn.op is unwrap else None
            if not isinstance(out, Value) or out not in self._in_branch or out in self.residuals \
                    or self._value_of(out) is out:
                regions = tuple(self._recompute_in_branches(r, env, present) for r in eqn.regions)
                eqns.append(eqn.replace(regions=regions))
                continue
            value, branch = self._in_branch[out]
            env[eqn.out] = value
            recomputed = [e for e in self._recomputation(value, branch) if e.out not in present]
            present |= {e.out for e in recomputed}
            eqns += recomputed
        return fn.replace(eqns=tuple(eqns), results=substitute(fn.results, env))

    def _recomputation(self, value: Value, branch: Fn) -> Iterable[Eqn]:
        """The equations of `branch` that compute `value`, after those that unwrap the residuals they read."""
        residuals = {v: x for x in self.residuals if x in self._in_branch and self._in_branch[x][1] is branch
                     for v in [self._value_of(x)]}
        eqns = _producing(branch.eqns, [value], set(residuals))
        reads = {x for e in eqns for x in e.args}
        for v, out in residuals.items():
            if v in reads and v is not out:
                yield Eqn(unwrap, (out,), (v,), primal=False)
        yield from eqns


def _producing(eqns: Sequence[Eqn], values: Iterable[Operand], available: set[Value]) -> list[Eqn]:
    """Those of `eqns` that compute `values` from what is available."""
    needed = set(values) - available
    producing = []
    for eqn in reversed(eqns):
        if needed.intersection(eqn.outs):
            producing.append(eqn)
            needed |= set(eqn.args) - available
    return producing[::-1]


def _bound_in_one_branch(eqn: Eqn) -> Iterable[tuple[Value, tuple[Value, Fn]]]:
    """(out, (value, branch)) for the outs of a conditional that only one branch binds."""
    for k, out in enumerate(eqn.outs if eqn.op.name == "cond" else ()):
        bound = [branch for branch in eqn.regions if not is_undef(branch.results[k])]
        if isinstance(out.type, Undef) and len(bound) == 1 and isinstance(value := bound[0].results[k], Value):
            yield out, (value, bound[0])


def _cost(eqn: Eqn) -> float:
    """The cost of recomputing a number or a view, in multiplications; integer arithmetic and comparisons are free."""
    if eqn.regions or is_effect(eqn) or len(eqn.outs) != 1:
        return NEVER
    if not is_scalar(eqn.out):
        return FREE if aliases(eqn) == "view" else NEVER
    if not is_float(eqn.out) and eqn.op.cost in ("free", "cheap"):
        return 0.0
    return {"free": FREE, "read": FREE, "cheap": CHEAP}.get(eqn.op.cost, NEVER)
