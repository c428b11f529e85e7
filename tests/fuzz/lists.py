"""Random programs over lists: append, pop, insert, slices, comprehensions, lists of pairs, arrays and lists.

In: a seed. Out: a program over a list of floats, a float, an int and a small array. Positions are taken
modulo the length and every list keeps an item, so that programs run; a list that is put into another
is made for it, so that few programs are refused for not knowing who sees a write.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.fuzz.features import LISTS as FEATURES
from tests.fuzz.program import Program
from tests.fuzz.source import Random, Writer

__all__ = ["FEATURES", "generate"]


@dataclass
class Scope:
    """Names by what they are; `fixed`: lists that a loop in progress runs over."""

    floats: list[str]
    ints: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    pairs: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)
    fixed: frozenset[str] = frozenset()
    loops: int = 0
    arms: int = 0

    def copy(self, fixed: str = "", loops: int = 0, arms: int = 0) -> Scope:
        new = Scope(*(list(x) for x in (self.floats, self.ints, self.lists, self.pairs, self.rows, self.arrays)))
        new.fixed = self.fixed | {fixed}
        new.loops, new.arms = self.loops + loops, self.arms + arms
        return new

    def growing(self, roots: dict[str, str]) -> list[str]:
        """Lists that may change their length: no loop in progress runs over them by any name."""
        held = {roots.get(xs, xs) for xs in self.fixed}
        return [xs for xs in self.lists if roots.get(xs, xs) not in held]


class Lists:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = Random(f"lists {seed}")
        self.w = Writer()
        self.fresh = 0
        self.roots: dict[str, str] = {}

    def program(self) -> Program:
        r = self.r
        s = Scope(["a"], ["n"], ["xs"])
        helpers = [k for k in ("push", "total") if r.chance(0.35)]
        if "push" in helpers:
            with self.w.block("def push(zs, v):"):
                self.w.line(f"zs.append({r.choice(('v * 0.5', 'math.sin(v)', 'v + zs[0]'))})")
                self.w.line("return zs[-1]")
        if "total" in helpers:
            with self.w.block("def total(zs):"):
                self.w.line("s = 0.0")
                with self.w.block("for z in zs:"):
                    self.w.line(r.choice(("s += z * z", "s = 0.5 * s + z", "s += math.sin(z)")))
                self.w.line("return s")
        self.helpers = helpers
        with self.w.block("def f(xs, a, n, x):"):
            self.start(s)
            self.block(s, r.randint(3, 6), 2)
            self.w.line(f"return {self.result(s)}")
        points = tuple(self.point(k) for k in range(2))
        return Program(self.w.text(), points, (0, 1, 3), self.seed)

    def point(self, k: int) -> tuple[Any, ...]:
        rng = np.random.default_rng([self.seed, k])
        xs = [float(v) for v in rng.uniform(-1.5, 1.5, 5 + int(rng.integers(3)))]
        return xs, float(rng.uniform(-1.5, 1.5)), int(rng.integers(2, 5)), rng.uniform(-1.0, 1.0, 3)

    def name(self, base: str) -> str:
        self.fresh += 1
        return f"{base}{self.fresh}"

    def start(self, s: Scope) -> None:
        """Lists of every kind, some of them."""
        r = self.r
        made = {
            "lists": (("[a]", "[a, xs[0]]", "[0.5, a * a, 1]", "[a] * n", "[0.0] * (n + 1)", "list(xs)", "xs[:2]",
                       "[v * 0.5 for v in xs]", "[math.sin(v) for v in xs if v > 0.1] + [a]",
                       "[a * k for k in range(n)]"), 0.8),
            "pairs": (("[(a, 1.0)]", "[(v, k) for k, v in enumerate(xs)]", "[(a, xs[0]), (xs[1], a)]"), 0.5),
            "rows": (("[[a] * 3 for k in range(n)]", "[[v * k for k in range(3)] for v in xs]",
                      "[[a, 1.0], [xs[0], xs[1]]]"), 0.6),
            "arrays": (("[x * 0.5]", "[x * v for v in xs]", "[x + 1.0, x * a]"), 0.45),
        }
        for kind, (forms, chance) in made.items():
            if r.chance(chance):
                name = self.name({"lists": "ys", "pairs": "ps", "rows": "rs", "arrays": "zs"}[kind])
                self.w.line(f"{name} = {r.choice(forms)}")
                getattr(s, kind).append(name)

    # -- expressions ------------------------------------------------------------------------------

    def at(self, s: Scope, xs: str) -> str:
        """A position of the list."""
        r = self.r
        forms = ["0", "-1", f"{r.randint(0, 5)} % len({xs})"]
        forms += [f"{k} % len({xs})" for k in s.ints]
        forms += [f"-1 - {k} % len({xs})" for k in s.ints if r.chance(0.3)]
        return r.choice(forms)

    def atom(self, s: Scope) -> str:
        r = self.r
        kinds = {"float": 3.0, "number": 1.0, "item": 4.0, "pair": 1.0 * bool(s.pairs), "row": 1.5 * bool(s.rows),
                 "array": 1.0 * bool(s.arrays), "reduce": 0.7, "x": 0.7, "int": 0.4 * bool(s.ints)}
        kind = r.pick(kinds)
        xs = r.choice(s.lists)
        if kind == "item":
            return f"{xs}[{self.at(s, xs)}]"
        if kind == "pair":
            ps = r.choice(s.pairs)
            return f"{ps}[{self.at(s, ps)}][{r.randint(0, 1)}]"
        if kind == "row":
            rs = r.choice(s.rows)
            i = self.at(s, rs)
            return f"{rs}[{i}][{r.choice(('0', '-1', '1'))}]"
        if kind == "array":
            zs = r.choice(s.arrays)
            item, other = (f"{zs}[{self.at(s, zs)}]" for _ in range(2))
            return r.choice((f"{item}[{r.randint(0, 2)}]",) * 3 + (
                f"({item} @ x)", f"({item} @ {other})", f"np.sum(({item} + {other}) ** 2)"))
        if kind == "reduce":
            forms = [f"sum({xs})", f"max({xs})", f"min({xs})", f"len({xs})", f"sum({xs}[1:])"]
            forms += [f"np.sum(np.array({xs}))"]
            forms += [f"sum(v * v for v in {xs})", f"sum([v * w for v, w in zip({xs}, xs)])"]
            forms += ["total(" + xs + ")"] * ("total" in self.helpers)
            forms += [f"sum({r.choice(s.rows)}[0])"] if s.rows else []
            forms += [f"np.sum({r.choice(s.arrays)}[-1])"] if s.arrays else []
            return f"math.tanh({r.choice(forms)})"
        if kind == "number":
            return r.number(-1.5, 1.5)
        if kind == "int":
            return r.choice(s.ints)
        return f"x[{r.randint(0, 2)}]" if kind == "x" else r.choice(s.floats)

    def scalar(self, s: Scope, depth: int = 2) -> str:
        r = self.r
        if depth == 0 or r.chance(0.3):
            return self.atom(s)
        kind = r.pick({"+": 2, "*": 2, "-": 1, "sin": 1, "tanh": 0.6, "if": 0.4})
        p, q = self.scalar(s, depth - 1), self.scalar(s, depth - 1)
        if kind in "+-*":
            return f"({p} {kind} {q})"
        return f"({p} if {self.test(s)} else {q})" if kind == "if" else f"math.{kind}({p})"

    def small(self, s: Scope) -> str:
        """A number that does not grow from trip to trip."""
        return f"math.{self.r.choice(('sin', 'tanh', 'cos'))}({self.scalar(s)})"

    def test(self, s: Scope) -> str:
        r = self.r
        xs = r.choice(s.lists)
        forms = [f"{self.atom(s)} > {r.number(-0.5, 0.5)}", f"len({xs}) > {r.randint(2, 5)}"]
        forms += [f"{k} % 2 == 0" for k in s.ints]
        return r.choice(forms)

    # -- statements ----------------------------------------------------------------------------------

    def block(self, s: Scope, count: int, depth: int) -> None:
        r = self.r
        for _ in range(count):
            table = {"grow": 4.0, "shrink": 2.0, "slice": 1.2, "item": 3.0, "new": 1.5 * (s.loops < 2), "number": 2.0,
                     "pairs": 1.5 * bool(s.pairs), "rows": 3.0 * bool(s.rows), "arrays": 1.5 * bool(s.arrays),
                     "helper": 1.0 * ("push" in self.helpers)}
            if depth:
                table.update({"for": 3.0, "each": 3.0, "if": 2.0, "while": 0.7, "exit": 1.2 * bool(s.loops),
                              "drain": 0.7 * (not s.loops)})
            getattr(self, r.pick(table) + "_statement")(s, depth)

    def new_statement(self, s: Scope, depth: int) -> None:
        r = self.r
        xs, ys = r.choice(s.lists), r.choice(s.lists)
        forms = [f"list({xs})", f"{xs}.copy()", f"{xs}[1:] + [{self.small(s)}]", f"{xs}[::-1]", f"{xs}[:3] + {ys}[:2]",
                 f"[v * {r.number(-1, 1)} for v in {xs}]", f"[v * w for v, w in zip({xs}, {ys})]",
                 f"[v if v > 0.0 else {self.atom(s)} for v in {xs}]", f"[{self.atom(s)}] * n", xs,
                 f"[math.sin(v) for v in {xs} if v < 0.3] + [a]"]
        name, form = self.name("ys"), r.choice(forms)
        self.w.line(f"{name} = {form}")
        s.lists.append(name)
        if form == xs:
            self.roots[name] = self.root(xs)
        if r.chance(0.3) and xs != "xs" and xs in s.growing(self.roots):
            self.w.line(f"{name}, {xs} = {xs}, {name}")
            self.merge(xs, name)

    def root(self, xs: str) -> str:
        return self.roots.get(xs, xs)

    def merge(self, xs: str, ys: str) -> None:
        """From here on either name may be either list."""
        a, b = self.root(xs), self.root(ys)
        self.roots.update({z: a for z in [*self.roots, xs, ys, b] if self.root(z) == b})

    def number_statement(self, s: Scope, depth: int) -> None:
        r = self.r
        inner = [f for f in s.floats if f.startswith("t")]
        if inner and r.chance(0.5):
            t = r.choice(inner)
            self.w.line(r.choice((f"{t} += {self.small(s)}", f"{t} = 0.5 * {t} + {self.small(s)}")))
        else:
            name = self.name("t")
            self.w.line(f"{name} = {self.small(s)}")
            s.floats.append(name)

    def grow_statement(self, s: Scope, depth: int) -> None:
        r, able = self.r, s.growing(self.roots)
        if not able:
            return self.number_statement(s, depth)
        xs = r.choice(able)
        forms = [f"{xs}.append({self.small(s)})"] * 3
        forms += [f"{xs} += [{self.small(s)}]", f"{xs}.insert(0, {self.small(s)})"]
        if not s.loops:
            forms += [f"{xs}.extend({r.choice(s.lists)}[:2])", f"{xs}.extend([{self.atom(s)}, {self.atom(s)}])",
                      f"{xs}.reverse()"]
        return self.w.line(r.choice(forms))

    def shrink_statement(self, s: Scope, depth: int) -> None:
        r, able = self.r, s.growing(self.roots)
        if not able:
            return self.number_statement(s, depth)
        xs, name = r.choice(able), self.name("t")
        at = r.choice(("", "", "0", "-2", "len({}) // 2".format(xs)))
        test = f"len({xs}) > 2"
        if r.chance(0.5):
            with self.w.block(f"if {test}:"):
                self.w.line(f"{xs}.pop({at})")
            return None
        self.w.line(f"{name} = {xs}.pop({at}) if {test} else {self.atom(s)}")
        s.floats.append(name)
        return None

    def slice_statement(self, s: Scope, depth: int) -> None:
        """A part of a list gives way to others, or to none; an item stays."""
        r = self.r
        able = [*s.growing(self.roots) * 2, *(zs for zs in [*s.pairs, *s.arrays, *s.rows] if zs not in s.fixed)]
        if not able:
            return self.number_statement(s, depth)
        xs = r.choice(able)
        item = f"({self.small(s)}, {self.small(s)})" if xs in s.pairs else f"x * {self.small(s)}" if xs in s.arrays \
            else f"[{self.small(s)}, {self.small(s)}]" if xs in s.rows else self.small(s)
        at = [str(r.randint(0, 3)), "-1", *s.ints]
        lower, upper = r.choice(["", *at]), r.choice(["", "-1", *at])
        forms = [f"{xs}[{lower}:{upper}] = [{item}]", f"{xs}[{lower}:{lower}] = [{item}]"] * (lower != "")
        forms += [f"{xs}[1:{upper}] = [{item}]", f"del {xs}[1:{upper}]", f"del {xs}[:len({xs}) // 2]"]
        forms += [f"{xs}[:{upper}] = {xs}[{lower}:] + [{item}]"]
        if xs in s.lists:
            forms += [f"{xs}[:] = [v * {r.number(-1, 1)} for v in {xs}]", f"{xs}[::-1] = {xs}[:]"]
            forms += [f"{xs}[::2] = [v * {r.number(-1, 1)} for v in {xs}[::2]]"]
            forms += [f"{xs}[1:{upper}] = {r.choice(s.lists)}[:2]"]
        return self.w.line(r.choice(forms))

    def item_statement(self, s: Scope, depth: int) -> None:
        r = self.r
        xs = r.choice(s.lists)
        op = r.choice(("=", "=", "+=", "*=", "-="))
        self.w.line(f"{xs}[{self.at(s, xs)}] {op} {self.small(s)}")

    def pairs_statement(self, s: Scope, depth: int) -> None:
        r, ps = self.r, self.r.choice(s.pairs)
        if ps in s.fixed:
            return self.number_statement(s, depth)
        kind = r.pick({"append": 3, "pop": 1.5, "write": 1.5})
        pair = f"({self.small(s)}, {self.small(s)})"
        if kind == "append":
            return self.w.line(f"{ps}.append({pair})")
        if kind == "write":
            return self.w.line(f"{ps}[{self.at(s, ps)}] = {pair}")
        with self.w.block(f"if len({ps}) > 1:"):
            p, q = self.name("t"), self.name("t")
            self.w.line(f"{p}, {q} = {ps}.pop({r.choice(('', '0'))})")
            xs = r.choice(s.growing(self.roots) or ["xs"])
            self.w.line(f"{xs}.append({p} * {q})" if xs in s.growing(self.roots) else f"{xs}[0] = {p} * {q}")
        return None

    def rows_statement(self, s: Scope, depth: int) -> None:
        r, rs = self.r, self.r.choice(s.rows)
        i = self.at(s, rs)
        kind = r.pick({"write": 6, "append": 2.0, "row": 0.7, "new": 0.7, "named": 1.0})
        if kind == "write":
            return self.w.line(f"{rs}[{i}][{r.choice(('0', '1', '-1'))}] {r.choice(('=', '+='))} {self.small(s)}")
        if kind == "append":
            return self.w.line(f"{rs}[{i}].append({self.small(s)})")
        if kind == "named":
            name = self.name("row")
            self.w.line(f"{name} = {rs}[{i}]")
            self.w.line(f"{name}[0] = {self.small(s)}")
            return None
        row = f"[{self.small(s)}, {self.small(s)}]"
        if kind == "new" and rs not in s.fixed:
            return self.w.line(f"{rs}.append({row})")
        return self.w.line(f"{rs}[{i}] = {row}")

    def arrays_statement(self, s: Scope, depth: int) -> None:
        r, zs = self.r, self.r.choice(s.arrays)
        if zs in s.fixed:
            return self.number_statement(s, depth)
        made = r.choice((f"x * {self.small(s)}", f"np.sin({zs}[-1])", f"{zs}[0] + {self.small(s)}", "x.copy()"))
        kind = r.pick({"append": 3, "write": 1, "pop": 1, "stack": 1})
        if kind == "append":
            return self.w.line(f"{zs}.append({made})")
        if kind == "write":
            return self.w.line(f"{zs}[{self.at(s, zs)}] = {made}")
        if kind == "pop":
            with self.w.block(f"if len({zs}) > 1:"):
                self.w.line(f"{zs}.pop()")
            return None
        name = self.name("t")
        self.w.line(f"{name} = math.sin(np.sum(np.array({zs}) * {r.choice(('1.0', 'x', 'a'))}))")
        return s.floats.append(name)

    def helper_statement(self, s: Scope, depth: int) -> None:
        able = s.growing(self.roots)
        if not able:
            return self.number_statement(s, depth)
        name = self.name("t")
        self.w.line(f"{name} = push({self.r.choice(able)}, {self.small(s)})")
        return s.floats.append(name)

    # -- control --------------------------------------------------------------------------------------

    def if_statement(self, s: Scope, depth: int) -> None:
        for head in ["if {}:"] + ["else:"] * self.r.chance(0.5):
            with self.w.block(head.format(self.test(s))):
                self.block(s.copy(arms=1), self.r.randint(1, 2), depth - 1)

    def for_statement(self, s: Scope, depth: int) -> None:
        r = self.r
        i = "ijlm"[s.loops % 4]
        xs = r.choice(s.lists)
        heads = (f"range({r.randint(2, 4)})", "range(n)", "range(n)", f"range(min(len({xs}), 4))", "range(1, n)")
        head = r.choice(heads)
        inner = s.copy(loops=1)
        inner.ints = [k for k in inner.ints if k != i] + [i]
        with self.w.block(f"for {i} in {head}:"):
            self.block(inner, r.randint(1, 3), depth - 1)

    def each_statement(self, s: Scope, depth: int) -> None:
        r = self.r
        kind = r.pick({"list": 3, "enumerate": 1.8, "zip": 1.5, "reversed": 1, "pairs": 1.8 * bool(s.pairs),
                       "rows": 1.8 * bool(s.rows), "arrays": 1.8 * bool(s.arrays)})
        v, w = self.name("v"), self.name("v")
        over = r.choice(s.pairs if kind == "pairs" else s.rows if kind == "rows" else s.arrays if kind == "arrays"
                        else s.lists)
        other = r.choice(s.lists)
        inner = s.copy(over, loops=1)
        inner.floats += [v] if kind not in ("rows", "arrays") else []
        head = f"for {v} in {over}:"
        if kind == "enumerate":
            head = f"for k, {v} in enumerate({over}):"
            inner.ints.append("k")
        elif kind == "zip":
            head = f"for {v}, {w} in zip({over}, {other}):"
            inner.fixed |= {other}
            inner.floats.append(w)
        elif kind == "reversed":
            head = f"for {v} in reversed({over}):"
        elif kind == "pairs":
            head = f"for {v}, {w} in {over}:"
            inner.floats.append(w)
        with self.w.block(head):
            if kind == "rows":
                inner.floats.append(w)
                self.w.line(f"{w} = {r.choice((f'sum({v})', f'max({v})', f'{v}[0] * {v}[-1]', f'len({v}) * {v}[1]'))}")
            elif kind == "arrays":
                inner.floats.append(w)
                self.w.line(f"{w} = {r.choice((f'np.sum({v})', f'{v}[0] * {v}[1]', f'np.dot({v}, x)'))}")
            self.block(inner, r.randint(1, 2), depth - 1)

    def while_statement(self, s: Scope, depth: int) -> None:
        k = self.name("k")
        self.w.line(f"{k} = 0")
        inner = s.copy(loops=1)
        inner.ints.append(k)
        with self.w.block(f"while {k} < {self.r.randint(2, 3)}{f' and {self.test(s)}' if self.r.chance(0.5) else ''}:"):
            self.w.line(f"{k} += 1")
            self.block(inner, self.r.randint(1, 2), depth - 1)

    def drain_statement(self, s: Scope, depth: int) -> None:
        """A stack that is worked off."""
        r = self.r
        stack, v = self.name("stack"), self.name("v")
        self.w.line(f"{stack} = {r.choice(('[a]', 'list(xs)', 'xs[:3]', '[a, xs[0]]'))}")
        inner = s.copy(loops=1)
        inner.floats.append(v)
        done = self.name("k")
        self.w.line(f"{done} = 0")
        with self.w.block(f"while {stack}:"):
            self.w.line(f"{v} = {stack}.pop()")
            self.w.line(f"{done} += 1")
            with self.w.block(f"if {done} < 4:"):
                self.w.line(f"{stack}.append({v} * {r.number(-0.9, 0.9)})")
                if r.chance(0.5):
                    self.w.line(f"{stack}.append({self.small(inner)})")
            self.block(inner, 1, 0)

    def exit_statement(self, s: Scope, depth: int) -> None:
        with self.w.block(f"if {self.test(s)}:"):
            if self.r.chance(0.4):
                self.item_statement(s.copy(arms=1), 0)
            self.w.line(self.r.choice(("break", "continue")))

    def result(self, s: Scope) -> str:
        r = self.r
        parts = [f"{r.number(0.3, 1.5)} * sum({xs})" for xs in s.lists]
        parts += [f"{xs}[{self.at(s, xs)}] * len({xs})" for xs in s.lists[:2]]
        parts += [f"{t} * {r.number(-1, 1)}" for t in s.floats]
        parts += [f"sum(p * q for p, q in {ps})" for ps in s.pairs]
        parts += [f"sum(sum(row) * row[0] for row in {rs})" for rs in s.rows]
        parts += [r.choice((f"np.sum(np.array({zs}) ** 2)", f"{zs}[0] @ {zs}[-1]", f"{zs}[0] @ x",
                            f"np.sum(({zs}[0] + {zs}[-1]) ** 2)")) for zs in s.arrays]
        return " + ".join(parts)


def generate(seed: int) -> Program:
    return Lists(seed).program()
