"""Random IR programs: loops with and without exits, branches, updates, views, swaps, lists.

Everything is bounded and smooth, so that differences are exact to a few digits; branches
depend on data.
"""

from __future__ import annotations

import random
from typing import Any

from handmade import VEC, for_, function, if_, while_

from sct.ir.core import Fn, Lit, Value, undef
from sct.ir.types import ANY_REAL, INT, Optional, Undef
from sct.ops import (
    add,
    add_at,
    copy,
    cos,
    dim,
    gt,
    index,
    lt,
    maximum,
    mul,
    neg,
    reshape,
    sin,
    store,
    sum_,
    tanh,
    unwrap,
    where,
)

__all__ = ["program"]


class _Random:
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)

    def pick(self, xs: Any) -> Any:
        return self.r.choice(xs)

    def scalar(self, s: list[Any], a: list[Any], i: list[Any]) -> Any:
        """An expression of the scalars `s`, arrays `a` and indices `i` in scope."""
        x, y = self.pick(s), self.pick(s)
        kind = self.r.randrange(7)
        if kind == 0:
            return sin(add(x, y))
        if kind == 1:
            return tanh(mul(x, y))
        if kind == 2:
            return mul(0.7, add(x, cos(y)))
        if kind == 3 and i:
            return sin(index(self.pick(a), self.pick(i), key=("i",)))
        if kind == 4:
            return mul(0.3, sum_(sin(self.pick(a))))
        if kind == 5:
            return mul(x, index(self.pick(a), self.r.randrange(4), key=("i",)))
        return where(gt(x, y), sin(x), mul(y, x))

    def array(self, s: list[Any], a: list[Any], i: list[Any]) -> Any:
        x, y = self.pick(a), self.pick(a)
        kind = self.r.randrange(9)
        at = self.pick(i) if i and self.r.random() < 0.7 else self.r.randrange(4)
        if kind == 0:
            return tanh(add(x, y))
        if kind == 1:
            return mul(x, self.pick(s))
        if kind in (2, 3):
            return store(x, tanh(self.pick(s)), at, key=("i",))
        if kind in (4, 5):
            return add_at(x, tanh(self.pick(s)), at, key=("i",))
        if kind == 6:
            part = index(y, 0, -1, key=("s110",))
            return store(x, mul(0.9, sin(part)) if self.r.random() < 0.5 else part, 1, key=("s100",))
        if kind == 7:
            return index(x, -1, key=("s001",))
        return maximum(x, mul(0.5, y)) if self.r.random() < 0.5 else reshape(neg(x), dim(x, axis=0))

    def block(self, s: list[Any], a: list[Any], i: list[Any], depth: int) -> None:
        """A few statements; what they define is added to `s` and `a`."""
        for _ in range(self.r.randint(1, 3)):
            kind = self.r.randrange(9)
            if kind < 2:
                s.append(self.scalar(s, a, i))
            elif kind < 5 or depth == 0:
                a.append(self.array(s, a, i))
            elif kind == 5:
                self.branch(s, a, i, depth)
            elif kind == 6:
                self.missing(s, a, i, depth)
            else:
                self.loop(s, a, i, depth)

    def test(self, s: list[Any], i: list[Any]) -> Any:
        if i and self.r.random() < 0.4:
            return lt(self.pick(i), self.r.randint(1, 3))
        return gt(self.pick(s), self.r.uniform(-0.5, 1.0))

    def inside(self, s: list[Any], a: list[Any], i: list[Any], depth: int) -> tuple[list[Any], list[Any]]:
        s, a = list(s), list(a)
        self.block(s, a, i, depth - 1)
        return s, a

    def branch(self, s: list[Any], a: list[Any], i: list[Any], depth: int) -> None:
        def arm() -> list[Any]:
            s1, a1 = self.inside(s, a, i, depth)
            return [s1[-1], a1[-1], self.pick(a1[-2:])]

        x, y, z = if_(self.test(s, i), arm, arm, [ANY_REAL, VEC, VEC])
        s.append(x)
        a += [y, z]

    def missing(self, s: list[Any], a: list[Any], i: list[Any], depth: int) -> None:
        """A value that may be unassigned, or None, and is read where it is there."""
        here = gt(self.pick(s), 0.3)
        wrap = self.pick([Undef, Optional])
        none = undef(VEC) if wrap is Undef else Lit(None)
        v = if_(here, lambda: self.inside(s, a, i, depth)[1][-1], lambda: none, [wrap(VEC)])

        def there() -> Any:
            a1 = [*a, unwrap(v)]
            s1, a1 = self.inside(s, a1, i, depth)
            return [add(s1[-1], mul(0.2, sum_(unwrap(v)))), a1[-1]]

        def inner(k: Any, w: Any, t: Any) -> list[Any]:
            x, y = if_(here, there, lambda: [t, w], [ANY_REAL, VEC])
            return [mul(0.5, add(y, w)), mul(0.5, add(x, t))]

        if self.r.random() < 0.5:
            w, t, _ = for_(2, [self.pick(a), self.pick(s)], inner, types=[VEC, ANY_REAL])
        else:
            t, w = if_(here, there, lambda: [self.pick(s), self.pick(a)], [ANY_REAL, VEC])
        s.append(t)
        a.append(w)

    def loop(self, s: list[Any], a: list[Any], i: list[Any], depth: int) -> None:
        exits, listed = self.r.random() < 0.3, self.r.random() < 0.4
        inits = [self.pick(s), self.pick(a), self.pick(a)]

        def body(k: Any, t: Any, v: Any, w: Any) -> list[Any]:
            s1, a1 = self.inside([*s, t], [*a, v, w], [*i, k], depth)
            carried = [tanh(s1[-1]), *(self.r.sample([a1[-1], v, w], 2))]
            go = [self.test([s1[-1]], [])] if exits else []
            return [*go, *carried, *([a1[-1]] if listed and not exits else [])]

        types = [ANY_REAL, VEC, VEC]
        if self.r.random() < 0.2:
            (n, t, v, w, _) = while_(
                [Lit(0), *inits], lambda n, t, v, w: lt(n, 3),
                lambda n, t, v, w: [add(n, 1), *body(n, t, v, w)[exits:4 if exits else 3]], types=[INT, *types])
            s.append(t)
            a += [v, w]
            return
        start = self.r.randint(0, 1)
        t, v, w, *ys, _ = for_(self.r.randint(1, 3) + start, inits, body, start=start, exits=exits, types=types)
        s.append(t)
        a += [v, w]
        if ys and isinstance(ys[0], Value):
            def read(k: Any, q: Any, e: Any) -> list[Any]:
                return [tanh(add(q, mul(0.4, index(e, k, key=("i",)))))]

            n = dim(ys[0], axis=0)
            q, _ = for_(n, [self.pick(s)], read, xs=[ys[0]], reverse=self.r.random() < 0.5, types=[ANY_REAL])
            s.append(q)


def program(seed: int) -> Fn:
    """f(u: f64[n], v: f64[n], x: float) -> a scalar; arrays have at least 4 elements."""
    r = _Random(seed)

    def body(u: Any, v: Any, x: Any) -> Any:
        s, a = [x], [u, v]
        for _ in range(3):
            r.block(s, a, [], 2)
        return add(add(mul(0.3, sum_(copy(a[-1]))), mul(0.2, sum_(mul(a[-1], a[-2])))), s[-1])

    return function(body, VEC, VEC, ANY_REAL)
