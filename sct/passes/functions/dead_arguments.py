"""Prune: what no call of a function needs is no part of it.

    def g(x, n, k): y = f(x); z = h(n); return y, z        def g(x): y = f(x); return y
    a, b = g(x, 2, 3); return a                       ->   a, = g(x); return a

A param is live if the function reads it for a live result, an effect or a live param of
what it calls; a result is live if one of the calls reads it; a field of a record, if it is
read where one is taken apart.  What a function hands only to itself is therefore not live.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeVar

from sct.ir.core import Eqn, Fn, Lit, Operand, Value, boundary_of, called_as, free_values, walk
from sct.passes.scalar.dce import dce

__all__ = ["prune"]

T = TypeVar("T")


def prune(program: Fn, *, keep_raises: bool = False, offers: Mapping[str, Set[Value]] | None = None) -> Fn:
    """`program` without dead params and results of its functions, and without functions that are not called.

    offers  params that backward parts still take, read or not, by the names of the functions
    """
    return _Prune(program, keep_raises, offers or {}).run() if program.functions else program


class _Prune:
    """`params` and `results`: the live ones, by the name that a function is called by; `fields`: by that of records."""

    def __init__(self, program: Fn, keep_raises: bool, offers: Mapping[str, Set[Value]]) -> None:
        self.program, self.keep_raises, self.offers = program, keep_raises, offers
        self.params: dict[str, set[int]] = {name: set() for f in program.functions for name in called_as(f)}
        self.results: dict[str, set[int]] = {name: set() for name in self.params}
        self.fields: dict[str, set[int]] = defaultdict(set)
        self.called: set[str] = set()
        self._cleaned: dict[Fn, tuple[list[int], Fn]] = {}

    def run(self) -> Fn:
        top = self.program.with_(functions=())
        while True:
            before = self.facts()
            self.learn(self.cleaned(top))
            for f in self.program.functions:
                if self.called.intersection(called_as(f)):
                    made = self.cleaned(f)
                    self.learn(made)
                    self.enter(made)
            if self.facts() == before:
                break
        functions = [self.rebuilt(self.cleaned(f)) for f in self.program.functions
                     if self.called.intersection(called_as(f))]
        return self.region(self.cleaned(top)).with_(functions=tuple(functions))

    def facts(self) -> tuple[int, ...]:
        return len(self.called), *(len(s) for live in (self.params, self.results, self.fields) for s in live.values())

    # -- what is live -------------------------------------------------------------------

    def cleaned(self, fn: Fn) -> Fn:
        """`fn` without what is dead; dead operands of calls, and dead results, are None."""
        sizes = [len(live) for live in self.live_sets(fn)]  # live sets only grow
        before = self._cleaned.get(fn)
        if before is None or before[0] != sizes:
            names, masked = called_as(fn), self.masked(fn)
            if fn.name in self.results or len(names) > 1:
                masked = masked.with_(results=_masked(fn.results, self.results[names[-1]]))
            self._cleaned[fn] = sizes, dce(masked, keep_raises=self.keep_raises)
        return self._cleaned[fn][1]

    def live_sets(self, fn: Fn) -> Iterator[set[int]]:
        """Everything on which `cleaned(fn)` depends."""
        names = called_as(fn)
        if fn.name in self.results or len(names) > 1:
            yield self.results[names[-1]]
        for eqn in walk(fn):
            live = self.live(eqn)
            if live is not None:
                yield live

    def masked(self, fn: Fn) -> Fn:
        return fn.with_(eqns=tuple(
            eqn.with_(args=self.operands(eqn), regions=tuple(map(self.masked, eqn.regions))) for eqn in fn.eqns))

    def live(self, eqn: Eqn) -> set[int] | None:
        """Which operands of the equation are live, where that is not for itself to say."""
        if eqn.op.name == "call":
            return self.params[eqn.attrs["callee"]]
        if eqn.op.name == "boundary":
            return self.results[f"{eqn.attrs['of']}_forward"]
        if eqn.op.name == "pack":
            return self.fields[eqn.attrs["of"]]
        return None

    def operands(self, eqn: Eqn) -> tuple[Operand, ...]:
        live = self.live(eqn)
        return eqn.args if live is None else _masked(eqn.args, live)

    def learn(self, fn: Fn) -> None:
        """Enter what `fn`, which is cleaned, reads of the results of calls and of records."""
        used = set(_reads(fn))
        for eqn in walk(fn):
            if eqn.op.name == "call":
                self.called.add(eqn.attrs["callee"])
                self.results[eqn.attrs["callee"]].update(k for k, out in enumerate(eqn.outs) if out in used)
            elif eqn.op.name == "unpack":
                self.fields[eqn.args[0].type.of].update(k for k, out in enumerate(eqn.outs) if out in used)  # type: ignore[union-attr]

    def enter(self, fn: Fn) -> None:
        """Enter which params the body of `fn` reads."""
        used = set(_reads(fn))
        live = {k for k, p in enumerate(fn.params) if p in used}
        at = boundary_of(fn)
        first, *rest = called_as(fn)
        self.params[first] |= live
        if at is None:
            return
        middle, (second,) = fn.eqns[at], rest
        inside = set(free_values(Fn("backward", (), fn.eqns[at + 1:], fn.results)))
        taken = middle.attrs["params"]
        offered = used.intersection(self.offers.get(fn.name, ()))
        self.params[second] |= {j for j, k in enumerate(taken) if fn.params[k] in inside or fn.params[k] in offered}
        self.params[second] |= {len(taken)} | {len(taken) + 1 + j for j, out in enumerate(middle.outs) if out in used}
        self.params[second] |= {len(taken) + 1 + j for j, _ in middle.attrs["buffers"]}
        self.results[first] |= {len(middle.args)} if self.called.intersection(rest) else set()

    # -- what is left -------------------------------------------------------------------

    def region(self, fn: Fn) -> Fn:
        eqns = [self.call(eqn) if eqn.op.name == "call" else self.record(eqn) for eqn in fn.eqns]
        return fn.with_(eqns=tuple(e.with_(regions=tuple(map(self.region, e.regions))) for e in eqns))

    def call(self, eqn: Eqn) -> Eqn:
        callee = eqn.attrs["callee"]
        args, outs = sorted(self.params[callee]), sorted(self.results[callee])
        attrs: dict[str, Any] = {**eqn.attrs, "types": _pick(eqn.attrs["types"], outs)}
        if eqn.attrs.get("takes"):
            attrs["takes"] = tuple((args.index(k), outs.index(j)) for k, j in eqn.attrs["takes"]
                                   if k in args and j in outs)
        return eqn.with_(args=_pick(eqn.args, args), outs=_pick(eqn.outs, outs), attrs=attrs)

    def record(self, eqn: Eqn) -> Eqn:
        if eqn.op.name == "pack":
            return eqn.with_(args=_pick(eqn.args, sorted(self.fields[eqn.attrs["of"]])))
        if eqn.op.name == "unpack":
            live = sorted(self.fields[eqn.args[0].type.of])  # type: ignore[union-attr]
            return eqn.with_(outs=_pick(eqn.outs, live), attrs={**eqn.attrs, "types": _pick(eqn.attrs["types"], live)})
        return eqn

    def rebuilt(self, fn: Fn) -> Fn:
        fn = self.region(fn)
        at, names = boundary_of(fn), called_as(fn)
        if at is not None and names[1] not in self.called:
            # Nobody asks for the derivative: the forward part is a function like others.
            fn, at = fn.with_(name=names[0], eqns=fn.eqns[:at], results=fn.eqns[at].args), None
        params, given = sorted(self.params[names[0]]), sorted(self.results[names[0]])
        results = given if at is None else sorted(self.results[names[1]])
        eqns = fn.eqns if at is None else (*fn.eqns[:at], self.boundary(fn, fn.eqns[at], params), *fn.eqns[at + 1:])
        return fn.with_(params=_pick(fn.params, params), eqns=eqns, results=_pick(fn.results, results),
                        owned=tuple((params.index(k), given.index(j)) for k, j in fn.owned
                                    if k in params and j in given))

    def boundary(self, fn: Fn, eqn: Eqn, params: Sequence[int]) -> Eqn:
        first, second = called_as(fn)
        taken = eqn.attrs["params"]
        live = self.params[second]
        outs = [j for j in range(len(eqn.outs)) if len(taken) + 1 + j in live]
        results = sorted(self.results[second])
        return eqn.with_(args=_pick(eqn.args, sorted(self.results[first] - {len(eqn.args)})),
                         outs=_pick(eqn.outs, outs), attrs={
            **eqn.attrs, "params": tuple(params.index(k) for j, k in enumerate(taken) if j in live),
            "types": _pick(eqn.attrs["types"], outs),
            "buffers": tuple((outs.index(j), results.index(k)) for j, k in eqn.attrs["buffers"]
                             if j in outs and k in results)})


def _reads(fn: Fn) -> Iterable[Operand]:
    for eqn in walk(fn):
        yield from eqn.args
        for region in eqn.regions:
            yield from region.results
    yield from fn.results


def _masked(operands: Sequence[Operand], live: set[int]) -> tuple[Operand, ...]:
    return tuple(x if k in live or isinstance(x, Lit) else Lit(None) for k, x in enumerate(operands))


def _pick(items: Sequence[T], kept: Iterable[int]) -> tuple[T, ...]:
    return tuple(items[k] for k in kept)
