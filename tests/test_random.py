"""Random IR programs in every mode: derivatives against differences and each other, storage and
emitted code against plain interpretation.  SCT_SEEDS=100:400 runs others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from handmade import differences, grad_, gradient_of, jvp_, tangent_of, value
from randomir import program
from test_storage import check, compiled

from sct.codegen import generate, load
from sct.codegen.interface import Interface, Parameter
from sct.ir.build import Builder
from sct.ir.check import verify
from sct.ir.core import Fn, Value
from sct.ir.interp import run
from sct.ir.pytrees.pytree import Leaf, Node
from sct.ops import mul, sum_
from sct.passes import pipeline
from sct.passes.autodiff.expand import expand
from sct.passes.rewriting.driver import rewrite

FIRST, LAST = map(int, os.environ.get("SCT_SEEDS", "0:16").split(":"))
SEEDS = pytest.mark.parametrize("seed", range(FIRST, LAST))


def inputs(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1.0, 1.0, 5), rng.uniform(-1.0, 1.0, 5), 0.4]


def close(made: Sequence[Any], wanted: Sequence[Any], tolerance: float = 1e-9) -> None:
    for a, b in zip(made, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=0.01 * tolerance)


def along(f: Fn, mode: str) -> Fn:
    """The derivative of `f` by its first argument in the direction of its second."""
    params = [Value(p.type, p.hint) for p in f.params]
    with Builder() as b:
        made = sum_(mul(grad_(f, params)[0], params[1])) if mode == "vjp" else jvp_(f, params, [params[1]])[0]
    return b.finish("h", params, [made])


def emitted(fn: Fn, seed: int) -> Any:
    params = tuple(Parameter(p.hint or f"p{k}", tree=Leaf(k)) for k, p in enumerate(fn.params))
    leaves = tuple(map(Leaf, range(len(fn.results))))
    return load(generate(fn, Interface(fn.name, params, Node("tuple", tuple(range(len(leaves))), leaves))), f"<{seed}>")


@SEEDS
def test_first_order(seed: int) -> None:
    f, args = verify(program(seed)), inputs(seed)
    wanted = [differences(value(f), args, k) for k in range(3)]
    smooth = all(np.allclose(w, differences(value(f), args, k, 1e-7), atol=1e-4) for k, w in enumerate(wanted))
    if not smooth:
        pytest.skip("differences are not exact here")
    g = gradient_of(f, range(3))
    for fn in (verify(expand(g)), compiled(g)):
        close(run(fn, args), wanted, 1e-4)
        check(fn, args)
    direction = np.random.default_rng(seed).normal(size=5)
    t = verify(expand(tangent_of(f, 0), rewrite=rewrite))
    close(run(t, [*args, direction]), [np.sum(direction * wanted[0])], 1e-4)
    check(t, [*args, direction])
    done = pipeline.run(g, verify=True)
    plain = run(expand(g), args)
    close(run(done, args, inplace=True), plain)
    close(emitted(done, seed)(*args), plain)


@SEEDS
def test_second_order(seed: int) -> None:
    f, args = program(seed), inputs(seed)
    made = []
    for mode in ("vjp", "jvp"):
        fn = compiled(gradient_of(along(f, mode), range(3)))
        made.append(run(fn, args))
        check(fn, args)
    close(made[0], made[1])
    direction = np.random.default_rng(seed).normal(size=5)
    t = verify(expand(tangent_of(along(f, "vjp"), 0), rewrite=rewrite))
    close(run(t, [*args, direction]), [np.sum(direction * made[0][0])])
