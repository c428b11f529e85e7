"""Dead-argument elimination: functions lose the params and results that no call needs.

    def g(x, n, k): y = f(x); z = h(n); return y, z        def g(x): y = f(x); return y
    a, b = g(x, 2, 3); return a                       ->   a, = g(x); return a

In:  a program with functions. Out: the same program; its functions have only live params and results, its records only
live fields, and functions that are not called are gone.
A param is live if the function reads it for a live result, an effect or a live param of a function that it calls. A
result is live if some call reads it, and a field of a record if it is read where a record is unpacked. A parameter
that is only forwarded in recursive calls is therefore dead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeVar

from sct.ir.core import Eqn, Fn, Lit, Operand, Value, boundary_index, call_names, free_values, walk
from sct.ir.uses import operands_read
from sct.passes.scalar.dce import dce

__all__ = ["remove_dead_arguments"]

T = TypeVar("T")


def remove_dead_arguments(program: Fn, *, keep_raises: bool,
                          offers: Mapping[str, Set[Value]] | None = None) -> Fn:
    """`program` without dead params and results of its functions, and without functions that are not called.

    offers  for the name of a function: params that its backward part takes whether it reads them or not
    """
    return _DeadArguments(program, keep_raises, offers or {}).run() if program.functions else program


class _DeadArguments:
    """The live params and results by the name by which a function is called, and the live fields by that of a record.

    called  the names by which functions are called
    """

    def __init__(self, program: Fn, keep_raises: bool, offers: Mapping[str, Set[Value]]) -> None:
        self.program, self.keep_raises, self.offers = program, keep_raises, offers
        self.params: dict[str, set[int]] = {name: set() for f in program.functions for name in call_names(f)}
        self.results: dict[str, set[int]] = {name: set() for name in self.params}
        self.fields: dict[str, set[int]] = defaultdict(set)
        self.called: set[str] = set()
        self._cache: dict[Fn, tuple[list[int], Fn]] = {}

    def run(self) -> Fn:
        top = self.program.replace(functions=())
        while True:
            before = self.live_counts()
            self.record_results(self.without_dead(top))
            for f in self.program.functions:
                if self.called.intersection(call_names(f)):
                    cleaned_fn = self.without_dead(f)
                    self.record_results(cleaned_fn)
                    self.record_params(cleaned_fn)
            if self.live_counts() == before:
                break
        functions = [self.shrink_function(self.without_dead(f)) for f in self.program.functions
                     if self.called.intersection(call_names(f))]
        return _without_empty_functions(self.shrink_region(self.without_dead(top)).replace(functions=tuple(functions)))

    def live_counts(self) -> tuple[int, ...]:
        return len(self.called), *(len(s) for live in (self.params, self.results, self.fields) for s in live.values())

    # -- liveness -------------------------------------------------------------------

    def without_dead(self, fn: Fn) -> Fn:
        """`fn` without dead equations; dead operands of calls and dead results are None."""
        sizes = [len(live) for live in self.live_sets(fn)]  # live sets only grow
        cached = self._cache.get(fn)
        if cached is None or cached[0] != sizes:
            names, masked = call_names(fn), self.mask_dead(fn)
            if fn.name in self.results or len(names) > 1:
                masked = masked.replace(results=_masked(fn.results, self.results[names[-1]]))
            self._cache[fn] = sizes, dce(masked, keep_raises=self.keep_raises)
        return self._cache[fn][1]

    def live_sets(self, fn: Fn) -> Iterator[set[int]]:
        """The sets on which `without_dead(fn)` depends."""
        names = call_names(fn)
        if fn.name in self.results or len(names) > 1:
            yield self.results[names[-1]]
        for eqn in walk(fn):
            live = self.live_operands(eqn)
            if live is not None:
                yield live

    def mask_dead(self, fn: Fn) -> Fn:
        return fn.replace(eqns=tuple(
            eqn.replace(args=self.operands(eqn), regions=tuple(map(self.mask_dead, eqn.regions))) for eqn in fn.eqns))

    def live_operands(self, eqn: Eqn) -> set[int] | None:
        """The positions of the live operands, if another function decides that; None: all are live."""
        if eqn.op.name == "call":
            return self.params[eqn.attrs["callee"]]
        if eqn.op.name == "boundary":
            return self.results[f"{eqn.attrs['of']}_forward"]
        if eqn.op.name == "pack":
            return self.fields[eqn.attrs["of"]]
        return None

    def operands(self, eqn: Eqn) -> tuple[Operand, ...]:
        live = self.live_operands(eqn)
        return eqn.args if live is None else _masked(eqn.args, live)

    def record_results(self, fn: Fn) -> None:
        """Record which results of calls and which fields of records `fn`, which has no dead equations, reads."""
        used = set(operands_read(fn))
        for eqn in walk(fn):
            if eqn.op.name == "call":
                self.called.add(eqn.attrs["callee"])
                self.results[eqn.attrs["callee"]].update(k for k, out in enumerate(eqn.outs) if out in used)
            elif eqn.op.name == "unpack":
                self.fields[eqn.args[0].type.of].update(k for k, out in enumerate(eqn.outs) if out in used)  # type: ignore[union-attr]

    def record_params(self, fn: Fn) -> None:
        """Record which params the body of `fn` reads."""
        used = set(operands_read(fn))
        live = {k for k, p in enumerate(fn.params) if p in used}
        at = boundary_index(fn)
        forward, *rest = call_names(fn)
        self.params[forward] |= live
        if at is None:
            return
        boundary, (backward,) = fn.eqns[at], rest
        params = boundary.attrs["params"]
        seed = len(params) + 1  # the params of the backward part: `params`, the record, the outs of the boundary
        reads = set(free_values(Fn("backward", (), fn.eqns[at + 1:], fn.results)))
        reads |= self.offers.get(fn.name, set()) & used
        self.params[backward] |= {j for j, k in enumerate(params) if fn.params[k] in reads}
        self.params[backward] |= {len(params)} | {seed + j for j, out in enumerate(boundary.outs) if out in used}
        self.params[backward] |= {seed + j for j, _ in boundary.attrs["buffers"]}
        self.results[forward] |= {len(boundary.args)} if self.called.intersection(rest) else set()

    # -- removing -------------------------------------------------------------------

    def shrink_region(self, fn: Fn) -> Fn:
        eqns = [self.shrink_call(eqn) if eqn.op.name == "call" else self.shrink_record(eqn) for eqn in fn.eqns]
        return fn.replace(eqns=tuple(e.replace(regions=tuple(map(self.shrink_region, e.regions))) for e in eqns))

    def shrink_call(self, eqn: Eqn) -> Eqn:
        callee = eqn.attrs["callee"]
        args, outs = sorted(self.params[callee]), sorted(self.results[callee])
        attrs: dict[str, Any] = {**eqn.attrs, "types": _pick(eqn.attrs["types"], outs)}
        if eqn.attrs.get("donates"):
            attrs["donates"] = tuple((args.index(k), outs.index(j)) for k, j in eqn.attrs["donates"]
                                   if k in args and j in outs)
        return eqn.replace(args=_pick(eqn.args, args), outs=_pick(eqn.outs, outs), attrs=attrs)

    def shrink_record(self, eqn: Eqn) -> Eqn:
        if eqn.op.name == "pack":
            return eqn.replace(args=_pick(eqn.args, sorted(self.fields[eqn.attrs["of"]])))
        if eqn.op.name == "unpack":
            live = sorted(self.fields[eqn.args[0].type.of])  # type: ignore[union-attr]
            attrs = {**eqn.attrs, "types": _pick(eqn.attrs["types"], live)}
            return eqn.replace(outs=_pick(eqn.outs, live), attrs=attrs)
        return eqn

    def shrink_function(self, fn: Fn) -> Fn:
        fn = self.shrink_region(fn)
        at, names = boundary_index(fn), call_names(fn)
        if at is not None and names[1] not in self.called:
            # No call needs the derivative: the forward part is an ordinary function.
            fn, at = fn.replace(name=names[0], eqns=fn.eqns[:at], results=fn.eqns[at].args), None
        params, live_results = sorted(self.params[names[0]]), sorted(self.results[names[0]])
        results = live_results if at is None else sorted(self.results[names[1]])
        eqns = fn.eqns
        if at is not None:
            eqns = (*eqns[:at], self.shrink_boundary(fn, eqns[at], params), *eqns[at + 1:])
        return fn.replace(params=_pick(fn.params, params), eqns=eqns, results=_pick(fn.results, results),
                        donated_params=tuple((params.index(k), live_results.index(j)) for k, j in fn.donated_params
                                    if k in params and j in live_results))

    def shrink_boundary(self, fn: Fn, eqn: Eqn, params: Sequence[int]) -> Eqn:
        forward, backward = call_names(fn)
        backward_params = eqn.attrs["params"]
        live = self.params[backward]
        outs = [j for j in range(len(eqn.outs)) if len(backward_params) + 1 + j in live]
        results = sorted(self.results[backward])
        return eqn.replace(args=_pick(eqn.args, sorted(self.results[forward] - {len(eqn.args)})),
                         outs=_pick(eqn.outs, outs), attrs={
            **eqn.attrs, "params": tuple(params.index(k) for j, k in enumerate(backward_params) if j in live),
            "types": _pick(eqn.attrs["types"], outs),
            "buffers": tuple((outs.index(j), results.index(k)) for j, k in eqn.attrs["buffers"]
                             if j in outs and k in results)})


def _masked(operands: Sequence[Operand], live: set[int]) -> tuple[Operand, ...]:
    return tuple(x if k in live or isinstance(x, Lit) else Lit(None) for k, x in enumerate(operands))


def _pick(items: Sequence[T], positions: Iterable[int]) -> tuple[T, ...]:
    return tuple(items[k] for k in positions)


def _without_empty_functions(program: Fn) -> Fn:
    """`program` without functions that do nothing and return nothing, and without their calls."""
    empty = {f.name for f in program.functions if not f.eqns and not f.results}
    if not empty:
        return program

    def without_calls(fn: Fn) -> Fn:
        eqns = (eqn for eqn in fn.eqns if eqn.op.name != "call" or eqn.attrs["callee"] not in empty)
        return fn.replace(eqns=tuple(e.replace(regions=tuple(map(without_calls, e.regions))) for e in eqns))

    functions = tuple(without_calls(f) for f in program.functions if f.name not in empty)
    return _without_empty_functions(without_calls(program.replace(functions=())).replace(functions=functions))
