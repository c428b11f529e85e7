"""Def-use analysis: against the text of a program, and against a search of random ones."""

from __future__ import annotations

from collections import Counter

import pytest
from randomir import program

from sct.ir import text
from sct.ir.core import Eqn, Fn, Lit, Value, walk
from sct.ir.uses import Definition, DefUse, Use, operands_read, outer_reads, use_counts
from sct.ops import BY_CALL, OPS

PROGRAM = text.read("""
def f(x: float, n: int) -> float:
    y: float = math.sin(x)
    def body(i: int, s: float) -> tuple[bool, float, float]:
        c: bool = operator.lt(s, y)
        def then() -> float:
            a: float = operator.mul(s, s)
            return a
        def orelse() -> float:
            return y
        r: float = cond(c, then=then, orelse=orelse)
        return True, r, y
    z, iterations, ys = loop[float, int, seq[float]](0, n, 1, x, body=body, carries=1, counted=True)
    return z, 2.0
""", OPS, BY_CALL)
VALUES = {v.hint: v for eqn in walk(PROGRAM) for v in (*eqn.outs, *(p for r in eqn.regions for p in r.params))}


def regions(fn: Fn) -> list[Fn]:
    return [fn, *(r for eqn in walk(fn) for r in eqn.regions)]


def test_definitions_uses_and_places_of_a_program() -> None:
    def_use, (sin, loop) = DefUse(PROGRAM), PROGRAM.eqns
    body, (lt, cond) = loop.regions[0], loop.regions[0].eqns
    then, orelse = cond.regions
    x, n = PROGRAM.params
    assert def_use.definition(x) is None and def_use.definition(Lit(2.0)) is None
    assert def_use.definition(VALUES["y"]) == Definition(sin, None, 0)
    assert def_use.definition(VALUES["s"]) == Definition(loop, body, 1)
    assert def_use.definition(VALUES["ys"]) == Definition(loop, None, 2)
    assert def_use.defining_eqn(VALUES["r"]) is cond and def_use.defining_eqn(VALUES["s"]) is None
    assert def_use.uses(x) == [Use(sin, 0), Use(loop, 3)] and def_use.uses(n) == [Use(loop, 1)]
    assert def_use.uses(VALUES["y"]) == [Use(lt, 1), Use(orelse, 0), Use(body, 2)]
    assert def_use.uses(VALUES["s"]) == [Use(lt, 0), Use(then.eqns[0], 0), Use(then.eqns[0], 1)]
    assert def_use.uses(VALUES["z"]) == [Use(PROGRAM, 0)] and def_use.uses(VALUES["ys"]) == ()
    assert def_use.home[VALUES["a"]] is then and def_use.home[VALUES["i"]] is body and def_use.home[x] is PROGRAM
    assert def_use.parent[cond] is body and def_use.owner[orelse] is cond and PROGRAM not in def_use.owner
    assert list(outer_reads(cond)) == [VALUES["c"], VALUES["s"], VALUES["y"]]
    assert list(operands_read(orelse)) == [VALUES["y"]]
    assert def_use.runs_once_from(then, body) and not def_use.runs_once_from(then, PROGRAM)


@pytest.mark.parametrize("seed", range(20))
def test_every_definition_and_use_is_where_it_says(seed: int) -> None:
    fn = program(seed)
    def_use = DefUse(fn)
    bound = {v for r in regions(fn) for v in (*r.params, *(out for eqn in r.eqns for out in eqn.outs))}
    assert bound == set(def_use.home) == set(def_use.definitions) | set(fn.params)
    for v, (eqn, region, k) in def_use.definitions.items():
        assert (eqn.outs if region is None else region.params)[k] is v
        assert def_use.home[v] is (def_use.parent[eqn] if region is None else region)
    reads = [x for eqn in walk(fn) for x in eqn.args] + [x for r in regions(fn) for x in r.results]
    assert Counter(operands_read(fn)) == Counter(reads)
    for v in bound:
        uses = def_use.uses(v)
        assert len(set(uses)) == len(uses) == sum(x is v for x in reads) == use_counts(fn)[v]
        assert all((u.args if isinstance(u, Eqn) else u.results)[k] is v for u, k in uses)
    assert all(isinstance(v, Value) for v in use_counts(fn))
