"""Structured arrays that the function makes, copies and writes: fields, records, and arrays of records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from oracle import agrees, agrees_in_every_mode, refuses

from sct import SctError, grad, hessian, jvp, value_and_grad, vjp

X = np.array([0.3, 1.2, 0.7, 2.1])
BODY = np.dtype([("pos", "f8", (2,)), ("vel", "f8", (2,)), ("mass", "f8")])
UNALIGNED = np.dtype([("alive", bool), ("a", float), ("b", float), ("n", "i4")])
BODIES = np.zeros(4, dtype=BODY)
BODIES["pos"], BODIES["vel"], BODIES["mass"] = np.arange(8.0).reshape(4, 2) ** 1.2, 0.5, [1.0, 2.0, 3.0, 4.0]


# -- fields and records ------------------------------------------------------------------------------------------------


def steps(x):
    """Fields are written through their views, with `+=`, and as wholes."""
    n = len(x)
    state = np.zeros(n, dtype=[("pos", "f8", (2,)), ("vel", "f8", (2,)), ("mass", "f8")])
    state["mass"] = x
    state["vel"] = 1.0
    for _ in range(3):
        state["vel"] -= 0.1 * state["pos"] / state["mass"][:, None]
        for i in range(n):
            state["pos"][i] += 0.1 * state["vel"][i]
    return np.sum(state["pos"] ** 2) + state["pos"].sum(axis=0) @ state["pos"][0] + np.sum(state["pos"])


def attraction(x):
    b = np.zeros(3, dtype=[("p", float, 3), ("v", float, 3), ("m", float), ("id", int)])
    b["p"] = np.arange(9.0).reshape(3, 3) ** 1.1
    b["m"], b["id"] = x[:3], np.arange(3)
    for _ in range(2):
        force = np.zeros((3, 3))
        for i in range(3):
            for j in range(3):
                if b["id"][i] != b[j]["id"]:
                    d = b["p"][j] - b["p"][i]
                    force[i] += b[j]["m"] * d / (d @ d + 0.1) ** 1.5
        b["v"] += 0.1 * force
        b["p"] += 0.1 * b["v"]
    return np.sum(b["p"] ** 2) + np.sum(b["m"] * np.sum(b["v"] ** 2, axis=1))


def records(x):
    """A record is a view."""
    s = np.zeros(len(x), dtype=BODY)
    s["mass"] = x
    r = s[1]
    s["mass"] = s["mass"] * 3
    r["mass"] *= 2
    r["pos"][:] = [x[0], x[1]]
    s[2]["pos"][1] = x[3] ** 2
    s[1:3]["mass"] *= r["mass"]
    s[np.array([0, 1])]["mass"] = 7.0  # into a copy
    pos, _, mass = s[2]
    return np.sum(s["mass"] ** 2) + np.sum(s["pos"] ** 3) + len(r) * r[2] + pos @ pos * mass


def tuples(x):
    s = np.empty(3, dtype=[("a", float), ("b", float)])
    for i in range(3):
        s[i] = (x[i], x[i] ** 2)
    t = np.array([(x[0], x[1]), (x[2], 2.0)], dtype=s.dtype)
    u = np.array([(v, v**2) for v in x], dtype=[("a", float), ("b", float)])
    t[1:] = (x[3], 1.0)
    one = np.array((x[0], 3.0), dtype=s.dtype)
    one["a"] *= 2.0
    total = sum(a * b for a, b in t.tolist())
    return np.sum(s["a"] * s["b"]) + np.sum(t["a"] * t["b"]) + u["b"].sum() * one["a"] + total


def exchanged(x):
    """Records are views, so that a swap of two loses one; arrays of positions give copies."""
    t = BODIES.copy()
    t["mass"] = x
    t[0], t[1] = t[1], t[0]
    t[[2, 3]] = t[[3, 2]]
    u = np.empty(2, dtype=t.dtype)
    u[0], u[1] = t[3], BODIES[2]
    return np.sum(t["mass"] ** 2 * np.arange(1, 5)) + np.sum(u["mass"] ** 2 * u["pos"][:, 0])


def selected(x):
    t = BODIES.copy()
    t["mass"] = x
    heavy = t[t["mass"] > 1.0]
    t["vel"][t["mass"] > 1.0] = 0.0
    t["pos"][t["mass"] > 1.0, 0] = x[t["mass"] > 1.0]
    t[t["mass"] > 2.0] = t[0]
    part = t[["pos", "mass"]]
    return np.sum(heavy["mass"] ** 2) + np.sum(t["vel"] ** 2) + np.sum(part["pos"] ** 2 * part["mass"][:, None])


def unaligned(x):
    s = np.zeros(4, dtype=UNALIGNED)
    s["a"], s["b"], s["n"], s["alive"] = x, x**2, [1, 2, 3, 4], x > 0.5
    s["a"][s["alive"]] *= 2
    return np.sum(s["a"] * s["b"] * s["n"]) + np.dot(s["a"], s["b"]) + np.sum(s[s["alive"]]["b"])


def matrices(x):
    s = np.zeros(2, dtype=[("R", float, (2, 2)), ("t", float, (2,))])
    s["R"] = x.reshape(2, 2)
    s["t"] = 1.0
    s["R"][0] = s["R"][0] @ s["R"][1]
    s[1]["R"][0, 1] = x[0] ** 2
    s["R"] += 1.0
    return np.sum(s["R"] @ s["t"][..., None]) + np.sum(s["R"])


def two_axes(x):
    g = np.zeros((2, 2), dtype=[("h", float), ("u", float)])
    g["h"] = x.reshape(2, 2)
    g[0, 1]["u"] = g[1, 0]["h"] * 2
    g[1]["u"] = g["h"][:, 0]
    g[:, 0]["h"] += 1
    flat = g.reshape(4)
    flat[3]["h"] = 0.5 * x[0]
    return np.sum(g["h"] * g["u"]) + g["h"][0].sum() + np.sum(flat["h"] ** 2) * g.size * g.ndim * g.shape[1]


def mixed(x):
    s = np.zeros(4, dtype=[("z", complex), ("b", "f8"), ("c", "f4")])
    s["z"], s["b"], s["c"] = x * (1 + 2j), x, [1.0, 2.0, 3.0, 4.0]
    p = np.zeros((), dtype="f8,f8")
    p["f0"], p["f1"] = x[0], x[1]
    full = np.full(4, 2.0, dtype=BODY)
    full["mass"] *= x
    total = np.sum(full["mass"] * full["vel"][:, 0])
    return np.sum(np.abs(s["z"]) ** 2 * s["b"] * s["c"]) + float(p["f0"] * p["f1"]) + total


PROGRAMS = [steps, attraction, records, tuples, exchanged, selected, unaligned, matrices, two_axes, mixed]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_fields_and_records(f: Callable[..., Any]) -> None:
    before = BODIES.copy()
    agrees_in_every_mode(f, [(X,), (X[::-1] * 1.1,)])
    assert (BODIES == before).all()


# -- whole arrays ------------------------------------------------------------------------------------------------------


def sorted_records(x, s):
    t = s.copy()
    t["mass"] = x
    up, order = np.sort(t, order="mass"), np.argsort(t, order=["mass"])
    k = np.zeros(4, dtype=[("k", int), ("w", float), ("p", float, (2,))])
    k["k"], k["w"] = [1, 0, 1, 0], x
    k.sort(order="k")
    data = np.sort(s, order=["vel", "mass"])[::-1]
    total = np.sum(k["w"] ** 2 * np.arange(4)) + np.sum(data["mass"] * x)
    return np.sum(up["mass"] ** 2 * np.arange(4)) + x[order[0]] + total


def joined(x, s):
    t = s.copy()
    t["mass"] = x
    u = np.concatenate((t, t[:2], s))
    like = np.zeros_like(t)
    like["pos"][:, 0] = u["mass"][:4]
    return np.sum(u["mass"] ** 2) * len(u) + np.sum(like["pos"] ** 2)


def iterated(x, s):
    t = np.zeros_like(s)
    for i in range(len(t)):
        t[i] = s[i]
        t[i]["mass"] = x[i]
    total = 0.0
    for p, _, m in t:
        total += m**2 * p[0]
    for i, r in enumerate(t):
        total += r["mass"] * i
    for r, w in zip(t, x):
        total += r["mass"] * w
    return total + max(r["mass"] for r in t) + sum(np.sum(t[name] ** 2) for name in t.dtype.names)


def recarrays(x, s):
    r = np.rec.fromarrays([x, x**2, [1, 2, 3, 4]], names="a, b, k")
    r.b[1] = 3.0 * r.a[0]
    r[2].b = r[0].a
    q = np.recarray(4, dtype=[("a", float), ("b", float)])
    q.a, q.b = x, 1.0
    q.a *= 2
    view = s.copy().view(np.recarray)
    view.mass = x
    given = s.view(np.recarray)
    return np.sum(r.a * r.b * r.k) + np.sum(q.a**q.b) + np.sum(view.mass**2 * view.pos[:, 1]) + np.sum(given.mass * x)


@dataclass
class Simulation:
    state: Any
    dt: float


def held(x, s):
    sim = Simulation(s.copy(), 0.1)
    sim.state["mass"] = x
    history = []
    for _ in range(2):
        sim.state["pos"] += sim.dt * sim.state["vel"] * sim.state["mass"][:, None]
        history.append(sim.state.copy())
    return sum(np.sum(h["pos"] ** 2) for h in history)


def on_a_path(x, s):
    t, u = s.copy(), np.zeros_like(s)
    if x[0] > 0.1:
        t["mass"] = x
    else:
        t["mass"] = 2 * x
    w = t if x[1] > 0.1 else u
    try:
        w["missing"] = x
    except ValueError:
        w["vel"] = x[:, None]
    return np.sum(w["mass"] ** 2) + np.sum(w["vel"] ** 3)


def advanced(s, dt):
    new = s.copy()
    new["q"] += dt * s["p"]
    new["p"] -= dt * s["q"] ** 3
    return new


def handed_over(x, s):
    dtype = np.dtype([("q", float), ("p", float)])
    t = np.zeros(2, dtype)
    t["q"], t["p"] = x[:2], x[2:]
    k = 0
    while k < 5:
        t = advanced(t, 0.1)
        k += 1

    def squared(v, k):
        if k == 0:
            return v
        v["q"] = v["q"] ** 2
        return squared(v, k - 1)

    return np.sum(squared(t, 2)["q"]) + np.sum(s["mass"])


WHOLE = [sorted_records, joined, iterated, recarrays, held, on_a_path, handed_over]


@pytest.mark.parametrize("f", WHOLE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("cls", [np.ndarray, np.recarray])
def test_whole_arrays(f: Callable[..., Any], cls: type) -> None:
    bodies = BODIES.view(cls)
    before = bodies.copy()
    agrees(f, X, bodies)
    slope = grad(f)(X, bodies)
    np.testing.assert_allclose(jvp(f, (X, bodies), (X[::-1],))[1], slope @ X[::-1], rtol=1e-12)
    np.testing.assert_allclose(vjp(f, X, bodies)[1](1.0)[0], slope, rtol=1e-12)
    second = hessian(f)(X, bodies)
    np.testing.assert_allclose(second, second.T, atol=1e-9)
    at = [grad(f)(X + h * np.eye(4)[0], bodies) for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(second[0], (at[0] - at[1]) / 2e-5, rtol=1e-5, atol=1e-6)
    assert (bodies == before).all()


def oscillators(x):
    s = np.zeros(len(x), dtype=[("pos", float), ("vel", float), ("mass", float)])
    s["pos"] = x
    s["mass"] = 1.0 + x * x
    for _ in range(3):
        force = -s["pos"] * s["mass"]
        s["vel"] += 0.1 * force / s["mass"]
        s["pos"] += 0.1 * s["vel"]
    return np.sum(s["mass"] * s["vel"])


def test_columns_are_named_after_their_fields() -> None:
    agrees(oscillators, X)
    derivative = grad(oscillators)
    derivative(X)
    assert "mass = s[:, 2]" in derivative.source and "dmass" in derivative.source
    assert "third" not in derivative.source and "] = 0.0" not in derivative.source


def test_other_arrays_at_the_next_call() -> None:
    g = value_and_grad(held)
    for bodies in (BODIES, BODIES[::-1], BODIES[:3], BODIES[:1], BODIES[:0]):
        x = X[:len(bodies)]
        assert g(x, bodies)[0] == held(x, bodies)
    other = np.zeros(2, dtype=[("mass", float), ("pos", float, 2), ("vel", float, 2), ("id", int)])
    assert g(X[:2], other)[0] == held(X[:2], other)


def test_a_record_as_an_argument() -> None:
    def f(x, body):
        own = body.copy()
        own["mass"] = x[0] * body["mass"]
        return own["mass"] ** 2 + own["vel"][0] * x[1]

    agrees(f, X, BODIES[1])
    other = np.array([(2.0, 1)], dtype=[("mass", float), ("vel", int, 1)])[0]
    assert value_and_grad(f)(X, other)[0] == f(X, other)


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_arguments_are_not_written() -> None:
    def f(x, s):
        s["mass"] = x
        return np.sum(s["mass"] ** 2)

    refuses(f, X, BODIES, code="SCT303")
    with pytest.raises(SctError, match=r"SCT408.*\n.*data\n.*fields"):
        grad(lambda s: np.sum(s["mass"] ** 2))(BODIES)


def of_bodies(use: Callable[[Any], Any]) -> Callable[..., Any]:
    def f(x):
        s = np.zeros(4, dtype=BODY)
        s["mass"] = x
        return use(s)

    return f


@pytest.mark.parametrize(("f", "code"), [
    (of_bodies(lambda s: np.sum(s == s)), "SCT203"),
    (of_bodies(lambda s: s["mass"][0] * len(s.tobytes())), "SCT203"),
    (of_bodies(lambda s: np.unique(s)["mass"][0]), "SCT205"),
    (of_bodies(lambda s: np.sum(np.sort(s.reshape(2, 2), order="mass")["mass"])), "SCT205"),
    (of_bodies(lambda s: np.sum(np.sort(s)["mass"])), "SCT205"),
    (of_bodies(lambda s: np.sum(s)), "SCT205"),
    (of_bodies(lambda s: s.astype(float)), "SCT203"),
])
def test_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, X, code=code)


@pytest.mark.parametrize("field", [("name", "U8"), ("part", [("a", float)]), ("other", object)])
def test_fields_that_are_no_numbers(field: Any) -> None:
    def f(x):
        s = np.zeros(4, dtype=dtype)
        s["mass"] = x
        return np.sum(s["mass"])

    dtype = np.dtype([("mass", float), field])
    refuses(f, X, code="SCT501")


def test_ties_that_numpy_breaks_by_bytes() -> None:
    def f(x):
        s = np.zeros(4, dtype=BODY)
        s["mass"] = np.floor(x)
        s["pos"][:, 0] = x
        return np.sum(np.sort(s, order="mass")["pos"][:, 0] * np.arange(4))

    distinct = np.array([3.5, 1.5, 2.5, 0.5])
    agrees(f, distinct)
    with pytest.raises(NotImplementedError, match="bytes"):
        grad(f)(X)


def test_numbers_that_are_not_aligned() -> None:
    def f(x, dtype):
        s = np.zeros(len(x), dtype=dtype)
        s["b"] = x[:, None] * 1.1
        s["a"] = x
        return np.sum(s["b"]) + s["a"] @ s["a"] + np.sum(s["a"])

    fields = [("alive", bool), ("a", float), ("b", float, 3)]
    many = np.random.default_rng(0).normal(size=20_000)
    g = value_and_grad(f)
    for x in (X, many[:2700]):
        assert g(x, np.dtype(fields))[0] == f(x, np.dtype(fields))
    with pytest.raises(NotImplementedError, match="align=True"):
        g(many, np.dtype(fields))
    aligned = np.dtype(fields, align=True)
    assert value_and_grad(f)(many, aligned)[0] == f(many, aligned)


def test_too_many_indices() -> None:
    def f(x):
        s = np.zeros(4, dtype=BODY)
        s["mass"] = x
        return s[0, 1]["mass"]

    agrees(f, X)


# -- lengths and positions ---------------------------------------------------------------------------------------------


def fields_counted(x):
    b = np.zeros(len(x), dtype=UNALIGNED)
    b["a"] = x
    return np.sum(b["a"] ** 2) * len(b.dtype) + x[0] * len(b.dtype.fields) * len(UNALIGNED)


def rows_at_positions(x, n):
    b = np.zeros(len(x), dtype=UNALIGNED)
    b["a"] = x
    at = [i for i in range(n) if i % 2]
    return np.sum(b[at]["a"] ** 2) + np.sum(np.take(b, at)["a"] ** 3) + np.sum(b[[v > 1 for v in x]]["a"])


def test_a_dtype_has_as_many_items_as_it_has_fields():
    agrees_in_every_mode(fields_counted, [(X,)])


def test_positions_in_a_list_that_may_be_empty():
    agrees_in_every_mode(rows_at_positions, [(X, 4), (X, 0), (X, 1)])


PAIRS = [("u", "f8"), ("w", "f8", (2,))]


def of_a_list_of_the_module(x):
    a = np.zeros(len(x), dtype=PAIRS)
    a["u"] = x
    a["w"] = np.outer(x, x[:2])
    return np.sum(a["u"] ** 2) + np.sum(a["w"] ** 2)


def test_a_dtype_that_is_a_list_of_the_module():
    agrees_in_every_mode(of_a_list_of_the_module, [(X,)])
