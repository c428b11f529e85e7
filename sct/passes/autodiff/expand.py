"""Expand: `vjp`, `jvp`, `pullback` and `jacobian` equations become the equations that they stand for.

    y, dx = vjp(x, 1.0, f)  ->  the equations of f, then those of its transpose
    y, p = pullback(x, f); dx = apply_pullback(p, ct)  ->  the same, those of the transpose where it is applied

In:  a program with equations that differentiate their regions. Out: the same program with ordinary equations only.
Inner regions are expanded first, so that `reverse`, `forward` and `jacobian` only meet plain equations, calls, `cond`
and `loop`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from sct.ir.build import Builder, Rewrite
from sct.ir.core import Eqn, Fn, Operand, Value, rebuild, substitute, walk
from sct.ir.real_ints import counts_as_real, unmark_all
from sct.ir.types import Tensor, Type
from sct.ops.arrays.creation import to_f64
from sct.ops.program.control import apply_pullback, closure
from sct.ops.scalar.arithmetic import float_
from sct.passes.analysis.type_inference import retype
from sct.passes.autodiff.cotangents import cotangent_type, is_narrow
from sct.passes.autodiff.derivative_lookup import derivatives_var
from sct.passes.autodiff.forward import forward
from sct.passes.autodiff.function_derivatives import ProgramDerivatives
from sct.passes.autodiff.jacobian import jacobian
from sct.passes.autodiff.residuals import ResidualTaps
from sct.passes.autodiff.reverse import pullback, reverse
from sct.passes.motion.loop_invariant import hoist

__all__ = ["expand"]

Env = dict[Value, Operand]


def expand(program: Fn, *, rewrite: Rewrite | None = None, last: bool = True) -> Fn:
    """`program` without equations that differentiate; `rewrite` simplifies each new equation.

    last  the result is not differentiated again
    """
    return _Expand(program, rewrite).program(program, _finalize if last else retype)


class _Expand:
    def __init__(self, program: Fn, rewrite: Rewrite | None) -> None:
        self.rewrite = rewrite
        self.derivatives = ProgramDerivatives(program, lambda fn: self.fn(fn, {}), rewrite)
        self.rules: dict[str, Callable[[Eqn, Env], Sequence[Eqn]]] = {
            "vjp": self.vjp, "jvp": self.jvp, "pullback": self.pullback, "apply_pullback": self.apply_pullback,
            "jacobian": self.jacobian}
        self.applications: dict[Operand, list[Eqn]] = {}
        for eqn in (e for fn in (program, *program.functions) for e in walk(fn) if e.op is apply_pullback):
            self.applications.setdefault(eqn.args[0], []).append(eqn)
        self.sweeps: dict[Value, tuple[Fn, Sequence[Operand]]] = {}

    def program(self, program: Fn, finalize: Callable[[Fn], Fn]) -> Fn:
        token = derivatives_var.set(self.derivatives)
        try:
            fn = finalize(self.fn(program.replace(functions=()), {}))
            fn = fn.replace(functions=tuple(map(finalize, self.derivatives.called(fn))))
            return _as_declared(fn, program.results)
        finally:
            derivatives_var.reset(token)

    def fn(self, fn: Fn, env: Env) -> Fn:
        """`fn` expanded; `env` maps the outs of replaced equations to the operands that stand for them."""
        eqns: list[Eqn] = []
        for eqn in fn.eqns:
            rule = self.rules.get(eqn.op.name)
            regions = tuple(self.fn(r, env) for r in eqn.regions)
            if rule and self.rewrite:
                regions = tuple(map(hoist, regions))  # finds masks that are loop-invariant: see Masks.carry_out_of_loop
            eqn = eqn.replace(args=substitute(eqn.args, env), regions=regions)
            eqns += rule(eqn, env) if rule else [eqn]
        return fn.replace(eqns=tuple(eqns), results=substitute(fn.results, env))

    def vjp(self, eqn: Eqn, env: Env) -> Sequence[Eqn]:
        (fn,) = eqn.regions
        n = len(fn.params)
        transpose = reverse(fn, eqn.attrs["wrt"], dict(zip(eqn.attrs["seeded"], eqn.args[n:])), rewrite=self.rewrite)
        block = Fn(fn.name, fn.params, (*transpose.forward, *transpose.backward), (*fn.results, *transpose.cotangents))
        return self.splice(block, eqn, env)

    def jvp(self, eqn: Eqn, env: Env) -> Sequence[Eqn]:
        (fn,) = eqn.regions
        return self.splice(forward(fn, eqn.attrs["wrt"], eqn.args[len(fn.params):], rewrite=self.rewrite), eqn, env)

    def pullback(self, eqn: Eqn, env: Env) -> Sequence[Eqn]:
        (fn,) = eqn.regions
        if "params" not in eqn.attrs:
            return self.applied_pullback(eqn, env)
        seeds = {k: Value(_seed_type(fn.results[k].type), "d" + (fn.results[k].hint or "y"))
                 for k in eqn.attrs["seeded"]}
        transpose = reverse(fn, eqn.attrs["wrt"], seeds, rewrite=self.rewrite)
        body = Fn("pullback", tuple(seeds.values()), transpose.backward, transpose.cotangents)
        attrs = {k: eqn.attrs[k] for k in ("names", "params", "result")}
        closure_eqn = Eqn(closure, (), eqn.outs[-1:], attrs, (body,), primal=False, loc=eqn.loc)
        block = Fn(fn.name, fn.params, (*transpose.forward, closure_eqn), (*fn.results, *eqn.outs[-1:]))
        return self.splice(block, eqn, env)

    def applied_pullback(self, eqn: Eqn, env: Env) -> Sequence[Eqn]:
        """The equations of the function; the sweeps of the equations that apply its pullback share its residuals."""
        (fn,) = eqn.regions
        applications, taps = self.applications.get(eqn.outs[-1], []), ResidualTaps(fn)
        seeded = sorted({k for each in applications for k in each.attrs["seeded"]})
        for each in applications:
            seeds = dict(zip(each.attrs["seeded"], each.args[1:]))
            with Builder(primal=False, rewrite=self.rewrite) as b:
                cts = pullback(fn, eqn.attrs["wrt"], seeds, taps, among=seeded if len(applications) > 1 else None)
            sweep = Fn(fn.name, (), tuple(b.eqns), tuple(cts))
            self.sweeps[each.outs[0]] = rebuild(sweep, dict(zip(fn.params, eqn.args))), each.args
        return self.splice(Fn(fn.name, fn.params, taps.with_taps(fn.eqns), fn.results), eqn, env)

    def apply_pullback(self, eqn: Eqn, env: Env) -> Sequence[Eqn]:
        sweep, args = self.sweeps[eqn.outs[0]]
        seeds = {x: seed for x, seed in zip(args, eqn.args) if isinstance(x, Value)}
        return self.splice(rebuild(sweep, seeds), eqn.replace(args=()), env)

    def jacobian(self, eqn: Eqn, env: Env) -> Sequence[Eqn]:
        return self.splice(jacobian(eqn.regions[0], **eqn.attrs, rewrite=self.rewrite), eqn, env)

    def splice(self, block: Fn, eqn: Eqn, env: Env) -> Sequence[Eqn]:
        """The equations of `block`, applied to the operands of `eqn`; `env` maps the outs of `eqn` to its results."""
        block = _as_declared(rebuild(block, dict(zip(block.params, eqn.args))), eqn.outs)
        env.update((out, r) for out, r in zip(eqn.outs, block.results) if out is not r)
        return block.eqns


def _finalize(fn: Fn) -> Fn:
    """`fn` after the last differentiation: no int counts as real any more, and types are inferred again."""
    return retype(unmark_all(fn))


def _as_declared(fn: Fn, declared: Sequence[Operand]) -> Fn:
    """`fn` with the results in double precision that are declared so, where ints or less precision was enough."""
    with Builder(primal=False) as b:
        results = tuple(_in_double(d.type, r) for d, r in zip(declared, fn.results))
    return fn.replace(eqns=(*fn.eqns, *b.eqns), results=results) if b.eqns else fn


def _in_double(declared: Type, r: Operand) -> Operand:
    if not isinstance(declared, Tensor) or not declared.is_scalar or declared.dtype not in ("float", "f64"):
        return r
    if isinstance(r.type, Tensor) and r.type.integral:
        return cast(Operand, (float_ if declared.carrier == "py" else to_f64)(r))
    return cast(Operand, to_f64(r)) if is_narrow(r.type) else r


def _seed_type(t: Type) -> Type:
    """The type of the cotangent that a pullback takes for a result of type `t`."""
    return cotangent_type(t) if counts_as_real(t) else t
