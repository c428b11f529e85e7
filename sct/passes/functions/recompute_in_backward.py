"""What the backward part of a function computes again, and what it has to be handed over.

Cheap arithmetic on numbers of what both parts have is done twice: a tuple is shorter for
it, and a person writes `f_backward(0.5 * x, n - 1, ...)` as he wrote the call of `f`.  What
an arm alone computes is computed again in the arm that mirrors it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sct.ir.core import Eqn, Fn, Lit, Operand, Value, boundary_of, free_values, is_effect, is_float, substitute
from sct.ir.types import Undef
from sct.ops.registry import aliases
from sct.ops.scalar.comparison import unwrap
from sct.passes.functions.forwarded_params import is_scalar
from sct.passes.functions.residual_records import in_one_arm, is_undef, only_unwrapped
from sct.passes.rematerialization.cost_model import ARITHMETIC, CHEAP, FREE, READS, TAPE

__all__ = ["Again"]

NEVER = float("inf")


class Again:
    """Of a function in two parts:

    before    the equations of the forward part
    after     the backward part, of which `crossing` are the free values beside the params
    crossing  what is handed over, in the order in which it is made
    """

    def __init__(self, fn: Fn) -> None:
        at = boundary_of(fn)
        assert at is not None
        middle = fn.eqns[at]
        self.before, self.after = in_one_arm(fn.eqns[:at], Fn("", middle.outs, fn.eqns[at + 1:], fn.results))
        self._params = [fn.params[k] for k in middle.attrs["params"]]
        self._costs: dict[Operand, float] = dict.fromkeys(self._params, 0.0)
        self._made: dict[Operand, Eqn] = {}
        self._arms: dict[Value, tuple[Value, Fn]] = {}
        self._enter()
        self.crossing = self._kept()
        self.after = self._completed()

    # -- what it costs ------------------------------------------------------------------

    def _enter(self) -> None:
        for eqn in self.before:
            for region in eqn.regions if eqn.op.name == "cond" else ():
                for e in region.eqns:
                    self._price(e)
            self._arms.update(_of_one_arm(eqn))
            self._price(eqn)

    def _price(self, eqn: Eqn) -> None:
        self._made.update(dict.fromkeys(eqn.outs, eqn))
        if (own := _cost(eqn)) < NEVER:
            self._costs[eqn.out] = own + sum(map(self._cost, eqn.args))

    def _cost(self, x: Operand) -> float:
        return 0.0 if isinstance(x, Lit) else self._costs.get(x, NEVER)

    # -- what is handed over ------------------------------------------------------------

    def _kept(self) -> list[Value]:
        order = {out: k for k, eqn in enumerate(self.before) for out in eqn.outs}
        kept = [v for v in free_values(self.after) if v not in self._params]
        kept = sorted((v for v in kept if self._cost(self._source(v)) > TAPE), key=lambda v: order.get(v, -1))
        for v in reversed(list(kept)):
            others = {self._source(x) for x in kept} - {self._source(v)}
            made = self._made.get(self._source(v))
            if made is not None and _cost(made) + sum(self._cost(x) for x in made.args if x not in others) <= TAPE:
                kept.remove(v)
        return kept

    def _source(self, v: Value) -> Value:
        """The value of an arm that `v`, an out of a branch, is where it is read."""
        value = self._arms[v][0] if v in self._arms else None
        return value if value is not None and only_unwrapped(self.after, [v], value.type) else v

    # -- computing it again -------------------------------------------------------------

    def _completed(self) -> Fn:
        after = self._in_arms(self.after, {}, frozenset())
        again = _chain(self.before, free_values(after), {*self._params, *self.crossing})
        return after.with_(eqns=(*again, *after.eqns))

    def _in_arms(self, fn: Fn, env: dict[Value, Operand], present: frozenset[Value]) -> Fn:
        """`fn` where what an arm computes again stands for what would be unwrapped."""
        eqns: list[Eqn] = []
        for eqn in fn.eqns:
            eqn = eqn.with_(args=substitute(eqn.args, env))
            out = eqn.args[0] if eqn.op is unwrap else None
            if not isinstance(out, Value) or out not in self._arms or out in self.crossing or self._source(out) is out:
                eqns.append(eqn.with_(regions=tuple(self._in_arms(r, env, present) for r in eqn.regions)))
                continue
            value, arm = self._arms[out]
            env[eqn.out] = value
            made = [e for e in self._again(value, arm) if e.out not in present]
            present |= {e.out for e in made}
            eqns += made
        return fn.with_(eqns=tuple(eqns), results=substitute(fn.results, env))

    def _again(self, value: Value, arm: Fn) -> Iterable[Eqn]:
        """The equations of `arm` that compute `value`, and those that unwrap what is handed over."""
        given = {v: x for x in self.crossing if x in self._arms and self._arms[x][1] is arm
                 for v in [self._source(x)]}
        chain = _chain(arm.eqns, [value], set(given))
        reads = {x for e in chain for x in e.args}
        for v, out in given.items():
            if v in reads and v is not out:
                yield Eqn(unwrap, (out,), (v,), primal=False)
        yield from chain


def _chain(eqns: Sequence[Eqn], values: Iterable[Operand], given: set[Value]) -> list[Eqn]:
    """Those of `eqns` that make `values` of what is given."""
    needed = set(values) - given
    found = []
    for eqn in reversed(eqns):
        if needed.intersection(eqn.outs):
            found.append(eqn)
            needed |= set(eqn.args) - given
    return found[::-1]


def _of_one_arm(eqn: Eqn) -> Iterable[tuple[Value, tuple[Value, Fn]]]:
    """Outs of a branch that one arm alone binds: its value, and the arm."""
    for k, out in enumerate(eqn.outs if eqn.op.name == "cond" else ()):
        bound = [arm for arm in eqn.regions if not is_undef(arm.results[k])]
        if isinstance(out.type, Undef) and len(bound) == 1 and isinstance(value := bound[0].results[k], Value):
            yield out, (value, bound[0])


def _cost(eqn: Eqn) -> float:
    """Of computing a number or a view again, in multiplications; counting and tests are free."""
    if eqn.regions or is_effect(eqn) or len(eqn.outs) != 1:
        return NEVER
    if not is_scalar(eqn.out):
        return FREE if aliases(eqn) == "view" else NEVER
    if not is_float(eqn.out) and eqn.op.cost in ("free", "cheap"):
        return 0.0
    if eqn.op.name in READS or eqn.op.cost == "free":
        return FREE
    return CHEAP if eqn.op.name in ARITHMETIC else NEVER
