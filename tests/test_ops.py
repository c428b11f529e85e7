"""Every op, on its samples: types, printing, aliases, derivatives of first and second order.

Nothing here names an op: a new entry is tested because it has samples.
"""

from __future__ import annotations

import cmath
import itertools
import math
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
import scipy.special

import sct.ops
from sct.codegen.program.templates import STATEMENTS, expression
from sct.errors import SctError
from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Op, Value, is_float
from sct.ir.dims import Dim, sym
from sct.ir.interp import call, resolve
from sct.ir.real_ints import takes_complex
from sct.ir.types import (
    ANY_REAL,
    COMPLEX,
    FLOAT,
    LONG,
    List,
    Opaque,
    Tensor,
    Type,
    TypeMismatch,
    dtype_name,
    leaf_type,
    py,
)
from sct.ops import OPS, aliases, cond, cos, is_readonly, linear_operands, mul, sin
from sct.passes.analysis.linearity import Linearity
from sct.passes.autodiff.forward import forward
from sct.passes.autodiff.reverse import reverse

Sample = tuple[tuple[Any, ...], dict[str, Any]]
SIZES = {"n": 2, "m": 3, "k": 4, "p": 5, "q": 6}
NAMES = {size: name for name, size in SIZES.items()}


# -- from samples to functions of one equation, and back -------------------------------------------


KNOWLEDGE = ["known", "symbolic", "any"]


def type_of(x: Any, knowledge: str = "known") -> Type:
    """The type of a NumPy value; "symbolic": sizes above 1 are named, "any": and the carrier of doubles is unknown."""
    if isinstance(x, np.ndarray):
        dims = [sym(NAMES[n]) if knowledge != "known" and n in NAMES else Dim(n) for n in x.shape]
        return Tensor("array", dtype_name(x.dtype), tuple(dims))
    if isinstance(x, list):
        return List(type_of(x[0], knowledge) if x else FLOAT)
    if knowledge == "any" and isinstance(x, float):
        return ANY_REAL
    return Tensor("np", dtype_name(x.dtype)) if isinstance(x, np.generic) else py(x)


def lift(op: Op, sample: Sample, spelling: str | None = None, knowledge: str = "known") -> tuple[Fn, list[Any]]:
    """A function of the sample's arrays and floats that calls the op; its arguments."""
    args, attrs = sample
    operands = [literal(a) if is_fixed(a) else Value(type_of(a, knowledge)) for a in args]
    with Builder() as b:
        made = b.emit(op, operands, attrs, spelling=spelling)
    params = [x for x in operands if isinstance(x, Value)]
    outs = list(made) if isinstance(made, tuple) else [made]
    return b.finish("f", params, outs), [a for a in args if not is_fixed(a)]


def is_fixed(arg: Any) -> bool:
    """Is this argument of a sample a literal: an int, None, or a `Lit`?"""
    return arg is None or isinstance(arg, (int, np.integer, Lit))


def literal(arg: Any) -> Lit:
    return arg if isinstance(arg, Lit) else Lit(arg if arg is None or isinstance(arg, bool) else int(arg))


def values(args: Sequence[Any]) -> list[Any]:
    """The arguments of a sample as NumPy takes them."""
    return [a.value if isinstance(a, Lit) else a for a in args]


def evaluate(fn: Fn, args: Sequence[Any]) -> list[Any]:
    """Run IR without loops, checking every value against its type."""
    env: dict[Any, Any] = dict(zip(fn.params, args))
    return run(fn, env)


def run(fn: Fn, env: dict[Any, Any]) -> list[Any]:
    read = lambda x: env[x] if isinstance(x, Value) else x.value
    for eqn in fn.eqns:
        if eqn.op is cond:
            env.update(zip(eqn.outs, run(eqn.regions[0 if read(eqn.args[0]) else 1], env)))
            continue
        with np.errstate(all="ignore"):
            result = call(eqn.op, list(map(read, eqn.args)), eqn.attrs, eqn.spelling)
        for out, made in zip(eqn.outs, result if len(eqn.outs) > 1 else [result], strict=True):
            assert matches(made, out.type), f"{eqn.op.name}{eqn.args}: {made!r} is not {out.type}"
            if out.dim is not None and (size := evaluate_dim(out.dim)) is not None:
                assert made == size, f"{eqn.op.name}: {made} is not {out.dim}"
            env[out] = made
    return [read(r) for r in fn.results]


def matches(value: Any, t: Type) -> bool:
    if isinstance(t, Opaque):
        return True
    if isinstance(t, List):
        return isinstance(value, list) and all(matches(v, t.elem) for v in value)
    assert isinstance(t, Tensor)
    if t.carrier == "py":
        kinds = {"bool": (bool,), "int": (int,), "float": (float,), "real": (int, float), "complex": (complex,),
                 "number": (int, float, complex)}[t.dtype]
        return type(value) in kinds
    if t.carrier == "any":
        return np.ndim(value) == 0 and not isinstance(value, np.ndarray)
    if t.carrier == "np":
        return isinstance(value, np.generic) and dtype_name(value.dtype) == t.dtype
    sizes = [evaluate_dim(d) for d in t.shape]
    return (isinstance(value, np.ndarray) and dtype_name(value.dtype) == t.dtype and value.ndim == t.rank
            and all(size in (None, n) for size, n in zip(sizes, value.shape)))


def evaluate_dim(d: Dim) -> int | None:
    """The size where the term is linear in the named sizes."""
    if any(atom not in SIZES for atom, _ in d.terms):
        return None
    return d.const + sum(coef * SIZES[str(atom)] for atom, coef in d.terms)


def vjp_of(fn: Fn) -> Fn:
    """(*args, *seeds) -> cotangents of the floating-point arguments."""
    wrt = [k for k, p in enumerate(fn.params) if is_float(p)]
    seeds = {k: Value(seed_type(r.type)) for k, r in enumerate(fn.results) if is_float(r)}
    made = reverse(fn, wrt, seeds)
    return Fn("vjp", (*fn.params, *seeds.values()), (*made.forward, *made.backward), made.cotangents)


def jvp_of(fn: Fn) -> Fn:
    """(*args, *tangents of the floating-point ones) -> tangents of the results."""
    wrt = [k for k, p in enumerate(fn.params) if is_float(p)]
    tangents = [Value(seed_type(fn.params[k].type)) for k in wrt]
    made = forward(fn, wrt, tangents)
    return Fn("jvp", (*fn.params, *tangents), made.eqns, made.results[len(fn.results):])


def seed_type(t: Type) -> Type:
    if isinstance(t, List):
        return List(seed_type(t.elem))
    if isinstance(t, Tensor) and t.is_array:
        return t
    return COMPLEX if isinstance(t, Tensor) and t.kind == "c" else FLOAT


# -- the checks ---------------------------------------------------------------------------------------


def check_derivatives(fn: Fn, args: Sequence[Any], order: int, h: float = 1e-3) -> None:
    """JVP against differences, VJP against JVP, and the same of VJP and JVP themselves."""
    if not any(is_float(p) for p in fn.params) or not any(is_float(r) for r in fn.results):
        return
    rng = np.random.default_rng(0)
    ys = [y for y, r in zip(evaluate(fn, args), fn.results) if is_float(r)]
    xs = [x for x, p in zip(args, fn.params) if is_float(p)]
    dxs = [direction(rng, x, p.type) for x, p in zip(xs, filter(is_float, fn.params))]
    dys = [direction(rng, y, r.type) for y, r in zip(ys, filter(is_float, fn.results))]
    jvp, vjp = jvp_of(fn), vjp_of(fn)
    tangents, cotangents = evaluate(jvp, [*args, *dxs]), evaluate(vjp, [*args, *dys])
    single = any(np.asarray(v).dtype in (np.float32, np.complex64) for v in (*xs, *ys))
    for made, like in [*zip(tangents, ys), *zip(cotangents, xs)]:
        assert np.shape(made) == np.shape(like), f"shape {np.shape(made)}, not {np.shape(like)}"
        if isinstance(like, np.ndarray):
            assert made.dtype == like.dtype, f"dtype {made.dtype}, not {like.dtype}"
    tolerance: dict[str, float] = {"rtol": 2e-3, "atol": 1e-4} if single else {"rtol": 1e-6, "atol": 1e-7}
    if not single:
        for made, expected in zip(tangents, differences(fn, args, dxs, h)):
            np.testing.assert_allclose(made, expected, **tolerance)
    np.testing.assert_allclose(inner(dys, tangents), inner(cotangents, dxs), **tolerance)
    if order > 1:
        check_derivatives(jvp, [*args, *dxs], order - 1, h)
        check_derivatives(vjp, [*args, *dys], order - 1, h)


def direction(rng: np.random.Generator, like: Any, t: Type) -> Any:
    """A random number, array or list of the shape and dtype of `like`, complex if `t` may be."""
    if isinstance(like, list):
        return [direction(rng, x, t) for x in like]
    made: Any = rng.uniform(0.5, 1.5, np.shape(like)) * rng.choice([-1.0, 1.0], np.shape(like))
    if isinstance(leaf := leaf_type(t), Tensor) and leaf.kind == "c":
        made = made + 1j * rng.uniform(-1.0, 1.0, np.shape(like))
    return np.asarray(made, like.dtype) if isinstance(like, np.ndarray) else made.item()


def inner(xs: Sequence[Any], ys: Sequence[Any]) -> float:
    """The real part of the sum of products: the pairing in which the gradient of f(x + iy) is df/dx - i df/dy."""
    return float(sum(np.sum((np.asarray(x) * np.asarray(y)).real) for x, y in zip(xs, ys)))


def differences(fn: Fn, args: Sequence[Any], dxs: Sequence[Any], h: float) -> list[Any]:
    """The derivative along `dxs`, from five points."""
    def at(step: float) -> list[Any]:
        moving = iter(dxs)
        moved = [move(x, step, next(moving)) if is_float(p) else x for x, p in zip(args, fn.params)]
        return [np.asarray(y) * 1.0 for y, r in zip(evaluate(fn, moved), fn.results) if is_float(r)]

    return [(8.0 * (b - a) - (d - c)) / (12.0 * h) for a, b, c, d in zip(at(-h), at(h), at(-2 * h), at(2 * h))]


def move(x: Any, step: float, way: Any) -> Any:
    if isinstance(x, list):
        return [move(a, step, b) for a, b in zip(x, way, strict=True)]
    by = step * way
    return np.asarray(x + by) if isinstance(x, np.ndarray) else type(x)(x + by)


def printed(eqn: Eqn, args: Sequence[Any]) -> Any:
    """What the printed form of the equation gives."""
    text = re.sub(r"\b_args\b", ", ".join(f"_{k}" for k in range(len(args))), expression(eqn))
    names = {f"_{k}": a for k, a in enumerate(args)} | {f"_{k}": v for k, v in eqn.attrs.items()}
    if eqn.op.updates:
        names["_0"] = list(args[0])
        eval(text, names)
        return names["_0"]
    return eval(text, {"numpy": np, "math": math, "cmath": cmath, "scipy": scipy, **names})


def identical(a: Any, b: Any) -> bool:
    """Equal to the bit, of one carrier."""
    if isinstance(a, tuple):
        return type(a) is type(b) and all(map(identical, a, b))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(identical, a, b))
    if isinstance(a, str) or type(a) is not type(b):
        return bool(a == b) and type(a) is type(b)
    return np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind in "fc")


def spread(x: np.ndarray) -> np.ndarray:
    """A view of every other element of a larger array, along each axis."""
    large = np.zeros([2 * n for n in x.shape], x.dtype)
    view = large[(*(slice(None, None, 2) for _ in x.shape), ...)]
    view[...] = x
    return view


def constant(x: np.ndarray) -> np.ndarray | None:
    """One number at every place, if the array is of floats."""
    return np.broadcast_to(x.ravel()[:1].reshape([1] * x.ndim), x.shape) if x.size and x.dtype.kind == "f" else None


LAYOUTS: dict[str, Any] = {
    "C": lambda x: np.array(x, order="C"),
    "F": lambda x: np.array(x, order="F"),
    "strided": spread,
    "backwards": lambda x: np.array(x[::-1])[::-1] if x.ndim else None,
    "broadcast": constant,
    "0-d": lambda x: np.array(x.ravel()[0]) if x.size and x.dtype.kind == "f" else None,
    "empty": lambda x: np.zeros([0 for _ in x.shape], x.dtype) if x.ndim and x.dtype.kind == "f" else None,
}
"""How an array may lie in memory; None where it cannot lie so."""


def laid_out(op: Op, layout: str) -> Iterator[Sample]:
    """The samples whose arrays can lie so."""
    for args, attrs in samples(op):
        laid = [LAYOUTS[layout](a) if isinstance(a, np.ndarray) else a for a in args]
        if all(x is not None or a is None for x, a in zip(laid, args)):
            yield tuple(laid), attrs


def check_alias(op: Op, sample: Sample) -> None:
    """The result shares memory with an operand, or is it, as declared; None of a sample that the op does not take."""
    args, attrs = sample
    try:
        fn, _ = lift(op, sample)
        (eqn,) = fn.eqns
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = call(op, values(args), attrs) if op.name in SUBSCRIPTS else printed(eqn, values(args))
    except (TypeMismatch, ValueError, IndexError, ZeroDivisionError, np.linalg.LinAlgError):
        return
    declared = aliases(eqn)
    if not isinstance(made, np.ndarray):
        return
    parts = [a if isinstance(a, list) else [a] for a in args]
    shared = [any(isinstance(p, np.ndarray) and np.shares_memory(p, made) for p in several) for several in parts]
    owner = args[op.alias_of] if args else None
    assert declared != "view" or (shared[op.alias_of] or not made.size) and made is not owner
    assert declared != "same" or made is owner
    assert declared != "none" or not any(shared)
    assert not any(s for k, s in enumerate(shared) if k != op.alias_of)
    locked = any(shared) and isinstance(owner, np.ndarray) and not owner.flags.writeable
    assert made.flags.writeable == (not locked and not is_readonly(eqn)) or not made.size


# -- the tests -----------------------------------------------------------------------------------------


SAMPLED = sorted((op for op in OPS.values() if op.samples is not None), key=lambda op: op.name)
DIFFERENTIABLE = [op for op in SAMPLED if op.nondiff is None]
LINEAR = [op for op in DIFFERENTIABLE if op.linear is not None or op.linear_in]
SUBSCRIPTS = [op.name for op in SAMPLED if op.name in STATEMENTS or any("key" in attrs for _, attrs in op.samples())]


def samples(op: Op) -> list[Sample]:
    assert op.samples is not None
    return list(op.samples())


@pytest.mark.parametrize("op", SAMPLED, ids=repr)
@pytest.mark.parametrize("knowledge", KNOWLEDGE)
def test_type(op: Op, knowledge: str) -> None:
    """The type rule is what NumPy does, by every spelling that takes the operands as they are."""
    for spelling in (None, *op.calls) if op.bind is None else (None,):
        if spelling is None or exists(spelling):
            for lifted in accepted(op, spelling, knowledge):
                evaluate(*lifted)


def accepted(op: Op, spelling: str | None, knowledge: str) -> Iterator[tuple[Fn, list[Any]]]:
    """The samples that the type rule does not refuse; without a spelling, it refuses only for the want of a carrier."""
    for sample in samples(op):
        try:
            lifted = lift(op, sample, spelling, knowledge)
        except TypeMismatch:
            assert spelling is not None or knowledge == "any"
            continue
        yield lifted


def exists(spelling: str) -> bool:
    """Has this Python the function?"""
    try:
        resolve(spelling)
    except (AttributeError, ImportError):
        return False
    return not spelling.startswith("sct.")


@pytest.mark.parametrize("op", [op for op in SAMPLED if op.name not in SUBSCRIPTS], ids=repr)
def test_printed(op: Op) -> None:
    """What an op prints as gives what it runs."""
    for args, attrs in samples(op):
        fn, _ = lift(op, (args, attrs))
        (eqn,) = fn.eqns
        with np.errstate(all="ignore"):
            made, run = printed(eqn, values(args)), call(op, values(args), attrs)
        if op.named and len(eqn.outs) > 1:
            assert type(made) is op.named
        if op.cost == "never":
            assert np.shape(made) == np.shape(run)
        else:
            assert identical(made, run), f"{expression(eqn)}: {made!r} is not {run!r}"


@pytest.mark.parametrize("op", SAMPLED, ids=repr)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_alias(op: Op, layout: str) -> None:
    """Who shares memory with the result, which object it is and whether it may be written, is what NumPy does."""
    for sample in laid_out(op, layout):
        check_alias(op, sample)


CONTIGUOUS_OPERANDS = {"C": ("C", "F", "strided", "backwards"), "operands": ("C",)}
"""The layouts of operands for which the result of an op of this layout is contiguous in C order."""


def check_facts(op: Op, sample: Sample) -> None:
    """What the entry says of order, memory and values of the result is so."""
    args, attrs = sample
    made = call(op, values(args), attrs)
    if op.commutative and len(args) == 2:
        assert identical(made, call(op, values(args)[::-1], attrs))
    if op.fill is not None:
        assert np.all(np.asarray(made) == op.fill)
    if op.allocates:
        assert made is not call(op, values(args), attrs) or np.isscalar(made)
    if op.square:
        assert np.shape(args[0])[-1] == np.shape(args[0])[-2]


@pytest.mark.parametrize("op", SAMPLED, ids=repr)
def test_facts(op: Op) -> None:
    for sample in op.samples() if op.samples else ():
        check_facts(op, sample)
    for layout in CONTIGUOUS_OPERANDS.get(op.layout, ()):
        for args, attrs in laid_out(op, layout):
            result = call(op, values(args), attrs)
            assert not isinstance(result, np.ndarray) or result.flags.c_contiguous, f"{op.name}{attrs}"


@pytest.mark.parametrize("run, args, fact", [
    (np.subtract, (1.0, 2.0), {"commutative": True}),
    (np.ones, (3,), {"fill": 0.0}),
    (lambda x: x, (np.ones(3),), {"allocates": True}),
    (np.sum, (np.ones((2, 3)),), {"square": True}),
])
def test_planted_fact_is_found(run: Any, args: tuple[Any, ...], fact: dict[str, Any]) -> None:
    op = Op("wrong", type=lambda *_: FLOAT, run=run, nondiff="-", **fact)
    with pytest.raises(AssertionError):
        check_facts(op, (args, {}))


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=repr)
@pytest.mark.parametrize("knowledge", KNOWLEDGE)
def test_derivative(op: Op, knowledge: str) -> None:
    for lifted in accepted(op, None, knowledge):
        check_derivatives(*lifted, order=1)


ONCE = ("kolmogi", "kolmogorov", "ncfdtr", "ncfdtri", "nctdtr", "nctdtrit", "smirnov", "smirnovi")
"""Distribution functions whose densities SciPy computes, but not the derivatives of these."""


@pytest.mark.parametrize("op", [op for op in DIFFERENTIABLE if op.name not in ONCE], ids=repr)
def test_second_derivative(op: Op) -> None:
    for sample in samples(op)[::3]:
        check_derivatives(*lift(op, sample), order=2)


def check_linear(op: Op, sample: Sample, positions: Sequence[int]) -> None:
    """With the other operands constant, op(2 x) == 2 op(x) and op(x + dx) == op(x) + op(dx)."""
    args, attrs = values(sample[0]), sample[1]
    rng = np.random.default_rng(2)

    def at(xs: Sequence[Any]) -> list[Any]:
        operands = list(args)
        for k, x in zip(positions, xs):
            operands[k] = x
        with np.errstate(all="ignore"):
            return leaves_of(call(op, operands, attrs))

    xs = [args[k] for k in positions]
    dxs = [like(x, direction(rng, x, type_of(x))) if is_float(type_of(x)) else x for x in xs]
    twice, both = [combined(x, x) for x in xs], [combined(x, dx) for x, dx in zip(xs, dxs)]
    for made, of_x in zip(at(twice), at(xs), strict=True):
        np.testing.assert_allclose(made, 2.0 * of_x, rtol=1e-4, atol=1e-4)
    for made, of_x, of_dx in zip(at(both), at(xs), at(dxs), strict=True):
        np.testing.assert_allclose(made, of_x + of_dx, rtol=1e-4, atol=1e-4)


def leaves_of(value: Any) -> list[Any]:
    return [leaf for v in value for leaf in leaves_of(v)] if isinstance(value, (list, tuple)) else [np.asarray(value)]


def combined(x: Any, dx: Any) -> Any:
    """x + dx, list by list."""
    return [combined(a, b) for a, b in zip(x, dx, strict=True)] if isinstance(x, list) else like(x, x + dx)


def like(x: Any, value: Any) -> Any:
    """`value` with the carrier and the dtype of `x`."""
    if isinstance(x, list):
        return [like(a, b) for a, b in zip(x, value, strict=True)]
    return np.asarray(value, x.dtype) if isinstance(x, np.ndarray) else type(x)(value)


@pytest.mark.parametrize("op", LINEAR, ids=repr)
def test_linear(op: Op) -> None:
    """An op is linear where it says so, and nowhere else: of a product, one factor alone."""
    for sample in samples(op):
        fn, _ = lift(op, sample)
        (eqn,) = fn.eqns
        if not any(map(is_float, eqn.outs)):
            continue
        for positions in linear_operands(eqn):
            check_linear(op, sample, [k for k in positions if values(sample[0])[k] is not None])


def one_or_two_operands(op: Op, sample: Sample) -> Iterator[tuple[Eqn, tuple[int, ...]]]:
    """The equation of a sample, and the positions of each operand that may have a tangent, and of each two of them."""
    args = [literal(a) if is_fixed(a) else Value(type_of(a)) for a in sample[0]]
    with Builder() as b:
        b.emit(op, args, sample[1])
    active = [k for k, x in enumerate(args) if isinstance(x, Value) and is_float(x)
              and k not in (*op.shapes, *op.inactive)]
    for positions in (*itertools.combinations(active, 1), *itertools.combinations(active, 2)):
        yield b.eqns[0], positions


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=repr)
def test_linear_in_tangents(op: Op) -> None:
    """Tangents in one operand or in two are accepted where the op is linear in them, and the others are constant."""
    for sample in samples(op):
        for eqn, positions in one_or_two_operands(op, sample):
            params = [x for k, x in enumerate(eqn.args) if k in positions and isinstance(x, Value)]
            if next(Linearity(params).nonlinear([eqn]), None) is None:
                check_linear(op, sample, positions)
            elif all(map(is_float, eqn.outs)) and {*range(len(eqn.args))} <= {*positions, *op.inactive}:
                assert op.linear is None and op.linear_in != "all"


def complex_samples(op: Op) -> Iterator[Sample]:
    """The samples of real numbers, turned into complex ones: all operands, the first alone, the last alone."""
    rng = np.random.default_rng(1)

    def turned(x: Any) -> Any:
        if isinstance(x, list):
            return list(map(turned, x))
        if isinstance(x, Lit) or not isinstance(x, (float, np.floating, np.ndarray)) or np.asarray(x).dtype.kind != "f":
            return x
        y = np.asarray(x * np.exp(1j * rng.uniform(0.2, 0.7, np.shape(x))))
        dtype = np.complex64 if np.asarray(x).dtype == np.float32 else np.complex128
        return y.astype(dtype) if isinstance(x, np.ndarray) else dtype(y) if isinstance(x, np.generic) else complex(y)

    for args, attrs in samples(op):
        open_ = [k for k in range(len(args)) if k not in op.inactive]
        for chosen in {tuple(open_), *((k,) for k in (*open_[:1], *open_[-1:]))}:
            sample = tuple(turned(a) if k in chosen else a for k, a in enumerate(args))
            if any(isinstance(x, (complex, np.generic, np.ndarray)) and np.iscomplexobj(x) for x in sample):
                yield sample, attrs


NOT_OF_COMPLEX = ("scipy_eigh", "slogdet", "digamma", "gamma", "loggamma", "rgamma")
"""Ops some of whose results, or derivatives, are not differentiated if they are complex: vectors of any phase, the
sign; `digamma`, as SciPy has no function that gives its derivative."""


@pytest.mark.parametrize("op", SAMPLED, ids=repr)
def test_complex(op: Op) -> None:
    """An op refuses complex operands, or it is right for them: type, text, first and second derivatives."""
    for sample in complex_samples(op):
        try:
            fn, args = lift(op, sample)
        except TypeMismatch:
            continue
        assert takes_complex(op)
        try:
            evaluate(fn, args)
        except np.linalg.LinAlgError:
            continue  # not positive definite any more
        if op.name not in SUBSCRIPTS and op.cost != "never":
            made, run = printed(fn.eqns[0], values(sample[0])), call(op, values(sample[0]), sample[1])
            assert identical(made, run), f"{expression(fn.eqns[0])}: {made!r} is not {run!r}"
        if op.nondiff is None:
            try:
                check_derivatives(fn, args, 2, 2e-4)
            except SctError as refusal:
                single = any(np.asarray(a).dtype in (np.complex64, np.float32) for a in args)
                mixed = any(isinstance(a, list) and not np.iscomplexobj(a) for a in args)  # a list of reals
                assert refusal.code == "SCT402" and (single or mixed or op.name in NOT_OF_COMPLEX)


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=repr)
def test_has_samples_of_floats(op: Op) -> None:
    """Or of literals alone, if it is differentiated by none of its operands."""
    params = [p for sample in samples(op) for p in lift(op, sample)[0].params]
    assert any(map(is_float, params)) or not params


def test_the_package_exports_each_name_once() -> None:
    """`sct.ops` re-exports its modules with `*`: none of them hides a name of another."""
    modules = [m for name, m in sys.modules.items() if name.startswith("sct.ops.") and hasattr(m, "__all__")]
    exported: dict[str, Any] = {}
    for module in modules:
        for name in module.__all__:
            if hasattr(sct.ops, name):
                assert exported.setdefault(name, getattr(module, name)) is getattr(module, name), name


def test_every_differentiable_op_has_samples() -> None:
    structural = {"unwrap", "call", "pack", "unpack", "solution", "integral", "linear_map",
                  "spline", "interpolated", "integrated", "looked_up", "image_convolve", "image_correlate",
                  "image_convolve1d", "image_correlate1d", "ruled", "signal_lfilter",
                  "signal_sosfilt", "sparse_product", "sparse_solution", "root_of", "logm_of",
                  "fractional_matrix_power_of", "solve_discrete_are", "surface",
                  "append_in", "insert_at_in", "remove_at_in", "eigen_sum", "singular_sum",
                  "to_f16", *(f"to_{name}" for name in LONG)}  # tests of their own
    assert [op.name for op in OPS.values()
            if op.nondiff is None and op.samples is None and op.name not in structural] == []


# -- edges: (op, operands, the gradient of the sum of the result by each) --------------------------------

ZERO, TIE = np.array([0.0, 4.0]), np.array([1.0, 2.0, 2.0])
EDGES: list[tuple[str, tuple[Any, ...], list[Any]]] = [
    ("sqrt", (0.0,), [math.inf]),
    ("sqrt", (ZERO,), [[math.inf, 0.25]]),
    ("cbrt", (0.0,), [math.inf]),
    ("abs", (0.0,), [0.0]),
    ("abs", (np.array([0.0, -2.0]),), [[0.0, -1.0]]),
    ("norm", (np.zeros(2),), [[0.0, 0.0]]),
    ("hypot", (0.0, 0.0), [0.0, 0.0]),
    ("hypot", (np.zeros(2), ZERO), [[0.0, 0.0], [0.0, 1.0]]),
    ("arcsin", (1.0,), [math.inf]),
    ("arccos", (1.0,), [-math.inf]),
    ("maximum", (np.array([1.0, 0.0]), 0.0), [[1.0, 1.0], 0.0]),
    ("minimum", (np.array([1.0, 0.0]), 0.0), [[0.0, 1.0], 1.0]),
    ("clip", (np.array([0.0, 0.5, 3.0]), Lit(0.0), Lit(2.0)), [[1.0, 1.0, 0.0]]),
    ("max", (TIE,), [[0.0, 0.5, 0.5]]),
    ("min", (TIE,), [[1.0, 0.0, 0.0]]),
    ("pymax", (1.0, 1.0), [1.0, 0.0]),
    ("pymin", (2.0, 1.0, 1.0), [0.0, 1.0, 0.0]),
    ("prod", (np.array([0.0, 2.0, 3.0]),), [[6.0, 0.0, 0.0]]),
    ("prod", (np.array([0.0, 2.0, 0.0]),), [[0.0, 0.0, 0.0]]),
    ("cumprod", (np.array([2.0, 0.0, 3.0]),), [[1.0, 8.0, 0.0]]),
    ("cumprod", (np.array([0.0, 0.0, 3.0]),), [[1.0, 0.0, 0.0]]),
    ("ptp", (np.array([1.0, 3.0, 3.0, 1.0]),), [[-0.5, 0.5, 0.5, -0.5]]),
    ("median", (np.array([2.0, 1.0, 2.0]),), [[1.0, 0.0, 0.0]]),
    ("median", (np.array([1.0, 2.0, 2.0, 3.0]),), [[0.0, 0.5, 0.5, 0.0]]),
    ("sort", (np.array([2.0, 1.0, 1.0]),), [[1.0, 1.0, 1.0]]),
    ("unique", (np.array([2.0, 1.0, 2.0]),), [[1.0, 1.0, 0.0]]),
    ("running_max", (np.array([1.0, 1.0, 0.0]),), [[1.0, 2.0, 0.0]]),
    ("max_where", (TIE, np.array([True, True, False]), -9.0), [[0.0, 1.0, 0.0], 0.0]),
    ("max_where", (TIE, Lit(True), 2.0), [[0.0, 0.5, 0.5], 0.0]),
    ("sum_where", (np.array([math.inf, 1.0]), np.array([False, True]), None), [[0.0, 1.0]]),
    ("nansum", (np.array([math.nan, 1.0]),), [[0.0, 1.0]]),
    ("nanmax", (np.array([math.nan, 1.0, 1.0]),), [[0.0, 0.5, 0.5]]),
    ("std", (np.ones(2),), [[math.nan, math.nan]]),
    ("var", (np.ones(2),), [[0.0, 0.0]]),
    ("sinc", (np.array([0.0, 1.0]),), [[0.0, -1.0]]),
    ("nan_to_num", (np.array([math.nan, math.inf, 1.0]),), [[0.0, 0.0, 1.0]]),
    ("take", (np.array([1.0, 2.0]), np.array([1, 1])), [[0.0, 2.0]]),
    ("dist", (1.0, 1.0), [0.0, 0.0]),
    ("pow", (0.0, 2), [0.0]),
    ("pow", (0.0, 1), [1.0]),
    ("pow", (0.0, 0), [0.0]),
    ("pow", (0.0, Lit(0.5)), [math.inf]),
    ("pow", (0.0, 2.0), [0.0, 0.0]),
    ("pow", (0.0, 0.0), [0.0, 0.0]),
    ("pow", (0.0, 1.0), [1.0, 0.0]),
    ("pow", (-2.0, 3.0), [12.0, math.nan]),
    ("pow", (np.array([0.0, -2.0]), 2), [[0.0, -4.0]]),
    ("pow", (ZERO, np.zeros(2)), [[0.0, 0.0], [0.0, math.log(4.0)]]),
    ("pow", (ZERO, 2.0), [[0.0, 8.0], 16.0 * math.log(4.0)]),
    ("pow", (1e-200, -1), [-math.inf]),
    ("pow", (1e-160, -1.0), [-math.inf, 1e160 * math.log(1e-160)]),
    ("quotient", (1.0, 0.0), [math.inf, -math.inf]),
]


@pytest.mark.parametrize("name, args, expected", EDGES, ids=lambda v: v if isinstance(v, str) else "")
def test_edge(name: str, args: tuple[Any, ...], expected: list[Any]) -> None:
    fn, values = lift(OPS[name], (args, {}))
    seed = np.ones(np.shape(evaluate(fn, values)[0]))
    made = evaluate(vjp_of(fn), [*values, seed if seed.ndim else 1.0])
    for g, e in zip(made, expected):
        np.testing.assert_allclose(g, e)
    assert len(made) == len(expected)


# -- the checkers are checked ---------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [
    {}, {"partials": lambda y, x: [1.0], "nondiff": "why"}, {"jvp": lambda dxs, y, x: dxs[0]}, {"nondiff": None}])
def test_exactly_one_derivative(rules: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="exactly one"):
        Op("wrong", type=lambda x: x.type, **rules)


def wrong(**rules: Any) -> Op:
    return Op("wrong", type=lambda x: x.type, run=np.sin, **rules)


@pytest.mark.parametrize("op", [
    wrong(partials=lambda y, x: [sin(x)]),
    wrong(vjp=lambda ct, y, x: [mul(ct, cos(x))], jvp=lambda ts, y, x: mul(ts[0], sin(x))),
    wrong(vjp=lambda ct, y, x: [mul(ct, sin(x))], jvp=lambda ts, y, x: mul(ts[0], cos(x))),
])
def test_planted_bug_is_found(op: Op) -> None:
    with pytest.raises(AssertionError):
        check_derivatives(*lift(op, ((np.array([0.5, 1.5]),), {})), order=1)


@pytest.mark.parametrize("run, emit, rules", [
    (np.copy, "numpy.copy(_0)", {"alias": "view"}),
    (np.copy, "numpy.copy(_0)", {"alias": "same"}),
    (lambda x: x[:], "_0[:]", {}),
    (lambda x: x[:], "_0[:]", {"alias": "same"}),
    (lambda x: x, "_0", {"alias": "view"}),
    (lambda x: x[:], "_0[:]", {"alias": "view", "readonly": True}),
    (lambda x: np.broadcast_to(x, x.shape), "numpy.broadcast_to(_0, _0.shape)", {"alias": "view"}),
    (np.copy, "numpy.copy(_0)", {"readonly": True}),
    (np.ravel, "numpy.ravel(_0)", {"alias": "view"}),
])
def test_planted_alias_is_found(run: Any, emit: str, rules: dict[str, Any]) -> None:
    op = Op("wrong", type=lambda x: x.type, run=run, emit=emit, nondiff="-", **rules)
    with pytest.raises(AssertionError):
        for lay in LAYOUTS.values():
            check_alias(op, ((lay(np.ones((2, 3))),), {}))


@pytest.mark.parametrize("run, args", [
    (np.dot, (np.ones(3), np.ones(3))), (lambda x: x + 1.0, (2.0,)), (np.abs, (2.0,))])
def test_planted_linearity_is_found(run: Any, args: tuple[Any, ...]) -> None:
    op = Op("wrong", type=lambda *_: FLOAT, run=run, vjp=lambda ct, y, *xs: [ct for _ in xs], linear_in="all")
    with pytest.raises(AssertionError):
        check_linear(op, (args, {}), range(len(args)))


def test_planted_type_is_found() -> None:
    with pytest.raises(AssertionError, match="is not f64"):
        evaluate(*lift(Op("wrong", type=lambda x: x.type, run=np.sum, nondiff="-"), ((np.ones(3),), {})))
