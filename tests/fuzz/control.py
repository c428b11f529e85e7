"""Random scalar programs: nested control flow, exits, assignments, calls, closures.

In: a seed. Out: a program over floats, an int and sometimes an array, a tuple or a dict that are
only read. Values stay finite: products and powers are wrapped in bounded functions, sums grow at
most linearly a trip, denominators and logarithms are kept away from their singular points.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tests.fuzz.features import CONTROL as FEATURES
from tests.fuzz.program import Program
from tests.fuzz.source import Random, Writer

__all__ = ["FEATURES", "generate"]

NAMES = "bcqrstuvw"
SAFE = ("log(1.5 + ({}) ** 2)", "sqrt(1.0 + ({}) ** 2)")


@dataclass
class Scope:
    """What may be read and assigned at this point of the program."""

    floats: list[str]
    ints: list[str] = field(default_factory=list)
    maybe: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)  # further float expressions: p[0], d["w"], globals
    functions: list[tuple[str, int]] = field(default_factory=list)
    fixed: tuple[str, ...] = ()  # not assigned: counters, names of an enclosing function
    loop: bool = False
    names: str = NAMES

    def copy(self, **changes: Any) -> Scope:
        lists = {k: list(getattr(self, k)) for k in ("floats", "ints", "maybe", "lists", "functions")}
        return replace(self, **{**lists, **changes})

    def define(self, name: str, conditional: bool = False) -> None:
        if name in self.floats:
            return
        into, other = (self.maybe, self.floats) if conditional else (self.floats, self.maybe)
        if name not in into:
            into.append(name)
        if not conditional and name in other:
            other.remove(name)

    def join(self, arms: list[Scope]) -> None:
        """After a branch: defined in every arm is defined, defined in some may be."""
        for kind in ("floats", "ints", "lists", "functions"):
            common = [n for n in getattr(arms[0], kind) if all(n in getattr(a, kind) for a in arms)] if arms else []
            setattr(self, kind, common if arms else getattr(self, kind))
        some = [n for a in arms for n in a.floats + a.maybe if n not in self.floats]
        self.maybe = list(dict.fromkeys(self.maybe + some))
        self.maybe = [n for n in self.maybe if n not in self.floats]

    def after_loop(self, body: Scope) -> None:
        self.join([self.copy(), body])


@dataclass
class Helper:
    """A module-level function: positional floats, floats with defaults, and what it returns."""

    name: str
    positional: int
    defaults: tuple[str, ...]
    pair: bool


class Control:
    HELPERS = (0, 1, 1, 1, 2)

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = Random(f"control {seed}")
        self.w = Writer()
        self.helpers: list[Helper] = []
        self.pair = False
        self.conditional = 0
        self.walrus = True
        self.fresh = 0
        self.size = self.r.randint(3, 5)
        self.budget = self.r.randint(12, 32)  # statements, before only simple ones are made

    # --- the program -------------------------------------------------------------------------

    def program(self) -> Program:
        r = self.r
        self.w.line("import math\n\nimport numpy as np\n")
        globals_ = ["SCALE"] if r.chance(0.25) else []
        if globals_:
            self.w.line(f"SCALE = {r.number(0.3, 1.5)}")
        for k in range(r.choice(self.HELPERS)):
            self.helper(k, globals_)
        floats = ["x", "y", "z"][: r.choice((1, 2, 2, 3))]
        extra = self.extra_parameters()
        scope = Scope(list(floats), ["n"], reads=list(globals_), fixed=("n",))
        scope.arrays = [p for p in extra if p in "ae"]
        scope.reads += [e for p in extra for e in {"p": ("p[0]", "p[1]"), "d": ("d['w']", "d['b']")}.get(p, ())]
        parameters = [*floats, "n", *extra]
        with self.w.block(f"def f({', '.join(parameters)}):"):
            if r.chance(0.15):
                self.w.line('"""A generated function."""')
            if not self.block(scope, r.randint(3, 6), 3):
                self.final(scope)
        points = tuple(tuple(self.argument(p) for p in parameters) for _ in range(3))
        wrt = tuple(i for i, p in enumerate(parameters) if p != "n")
        return Program(self.w.text(), points, wrt, self.seed)

    def extra_parameters(self) -> list[str]:
        chosen = [p for p, share in (("a", 0.6), ("e", 0.2), ("p", 0.15), ("d", 0.15)) if self.r.chance(share)]
        return [p for p in chosen if p != "e" or "a" in chosen]

    def argument(self, name: str) -> Any:
        r = self.r
        if name == "n":
            return r.randint(0, 4)
        if name in "ae":
            return np.array([round(r.uniform(-2, 2), 3) for _ in range(self.size)])
        if name == "p":
            return (r.uniform(-1.5, 1.5), r.uniform(-1.5, 1.5))
        if name == "d":
            return {"w": r.uniform(-1.5, 1.5), "b": r.uniform(-1.5, 1.5)}
        return round(r.uniform(-2, 2), 3)

    def helper(self, k: int, globals_: list[str]) -> None:
        r = self.r
        h = Helper(f"h{k}", r.randint(1, 2), tuple(r.number(-1, 1) for _ in range(r.randint(0, 2))), r.chance(0.25))
        floats = ["x", "y"][: h.positional] + ["s", "t"][: len(h.defaults)]
        defaults = [f"{n}={v}" for n, v in zip(floats[h.positional :], h.defaults)]
        star = ["*"] if defaults and r.chance(0.2) else []
        self.pair = h.pair
        with self.w.block(f"def {h.name}({', '.join(floats[: h.positional] + star + defaults)}):"):
            scope = Scope(floats, reads=list(globals_))
            if not self.block(scope, r.randint(1, 3), 2):
                self.final(scope)
        self.pair = False
        self.helpers.append(h)

    def final(self, s: Scope) -> None:
        """A result to which several variables contribute."""
        if self.pair:
            self.w.line(f"return {self.bounded(s)}, {self.leaf(s)}")
            return
        chosen = self.r.sample(s.floats, min(3, len(s.floats)))
        terms = [f"{self.r.number(0.3, 1.3)} * {v}" for v in chosen]
        self.w.line(f"return {' + '.join(terms)} + {self.num(s, 2)}")

    # --- expressions -------------------------------------------------------------------------

    def leaf(self, s: Scope) -> str:
        r = self.r
        table = {"float": 8.0, "number": 1.5}
        table.update({"int": 1.0} if s.ints else {})
        table.update({"read": 2.0} if s.reads else {})
        table.update({"array": 2.0} if s.arrays else {})
        table.update({"list": 1.5} if s.lists else {})
        table.update({"maybe": 0.06} if s.maybe else {})
        kind = r.pick(table)
        if kind == "float":
            return r.choice(s.floats[-4:]) if r.chance(0.6) else r.choice(s.floats)
        if kind == "number":
            return f"({r.number(-1.5, 1.5)})"
        if kind == "int":
            return f"({r.number(0.1, 0.6)} * {r.choice(s.ints)})"
        if kind == "array":
            return f"{r.choice(s.arrays)}[{self.index(s)}]"
        return r.choice({"read": s.reads, "list": s.lists, "maybe": s.maybe}[kind])

    def index(self, s: Scope) -> str:
        if s.ints and self.r.chance(0.6):
            return f"{self.r.choice(s.ints)} % {self.size}"
        return str(self.r.randint(-1, self.size - 1))

    def num(self, s: Scope, depth: int) -> str:
        """A float expression; its size is bounded by a few times that of the variables."""
        r = self.r
        if depth <= 0:
            return self.leaf(s)
        table = {
            "leaf": 2.0, "add": 4.0, "scale": 3.0, "product": 3.0, "call1": 4.0, "quotient": 1.2, "power": 1.0,
            "neg": 0.5, "extreme": 1.0, "abs": 0.5, "ternary": 1.0, "or": 0.6, "call2": 0.5, "cast": 0.3,
            "helper": 2.3 if self.helpers else 0.0, "local": 6.0 if s.functions else 0.0,
            "walrus": 0.5 if self.walrus else 0.0, "mod": 0.2,
        }  # fmt: skip
        kind = r.pick(table)
        a = self.num(s, depth - 1) if kind not in ("ternary", "helper", "local", "leaf") else ""
        if kind == "leaf":
            return self.leaf(s)
        if kind == "add":
            return f"({a} {r.choice('+-')} {self.num(s, depth - 1)})"
        if kind == "scale":
            return f"({r.number(-1.2, 1.2)} * {a})"
        if kind == "product":
            f = r.choice(("math.sin", "math.cos", "math.tanh", "math.atan"))
            return r.choice((f"({a} * {f}({self.leaf(s)}))", f"{f}({a} * {self.leaf(s)})"))
        if kind == "call1":
            f = r.choice(("sin({})", "cos({})", "tanh({})", "atan({})", "exp(math.sin({}))", "exp(-({}) ** 2)", *SAFE))
            return f"math.{f.format(a)}"
        if kind == "quotient":
            return f"({a} / (1.5 + {self.leaf(s)} ** 2))"
        if kind == "power":
            return r.choice((f"math.tanh({a}) ** {r.randint(2, 4)}", f"(1.2 + math.sin({a})) ** {r.number(-1, 2)}"))
        if kind == "neg":
            return f"(-{a})"
        if kind == "abs":
            return f"{r.choice(('abs', 'math.fabs'))}({a})"
        if kind == "extreme":
            return f"{r.choice(('max', 'min'))}({a}, {self.num(s, depth - 1)})"
        if kind == "call2":
            return r.choice(("math.hypot({}, 1.0 + {} ** 2)", "math.atan2({}, 1.0 + {} ** 2)")).format(a, self.leaf(s))
        if kind == "cast":
            return f"float({a})"
        if kind == "mod":
            return f"({a} % {r.number(1, 3)})"
        if kind == "walrus":
            name = self.target(s)
            s.define(name, bool(self.conditional))
            return f"({name} := {a})"
        if kind == "or":
            b = self.under_condition(lambda: self.num(s, depth - 1))
            return f"({a} {r.choice(('or', 'and'))} {b})"
        if kind == "ternary":
            test = self.test(s, 1)
            arms = [self.under_condition(lambda: self.num(s, depth - 1)) for _ in range(2)]
            return f"({arms[0]} if {test} else {arms[1]})"
        if kind == "local":
            name, arity = r.choice(s.functions)
            return f"{name}({', '.join(self.num(s, depth - 1) for _ in range(arity))})"
        h = r.choice(self.helpers)
        return f"{self.call(h, s, depth - 1)}{f'[{r.randint(0, 1)}]' if h.pair else ''}"

    def call(self, h: Helper, s: Scope, depth: int) -> str:
        """Positional and keyword arguments, defaults left out at random."""
        names = ["x", "y"][: h.positional] + ["s", "t"][: len(h.defaults)]
        keywords = self.r.randint(0, h.positional) if self.r.chance(0.4) else h.positional
        given = [n for n in names[keywords:] if n in "xy" or self.r.chance(0.6)]
        self.r.shuffle(given)
        parts = [self.num(s, depth) for _ in range(keywords)]
        return f"{h.name}({', '.join(parts + [f'{n}={self.num(s, depth)}' for n in given])})"

    def under_condition(self, make: Any) -> str:
        self.conditional += 1
        text = make()
        self.conditional -= 1
        return text  # type: ignore[no-any-return]

    def bounded(self, s: Scope) -> str:
        text = self.num(s, self.r.choice((1, 2, 2, 3)))
        return f"{self.r.choice(('math.sin', 'math.tanh'))}({text})" if self.r.chance(0.3) else text

    def test(self, s: Scope, depth: int) -> str:
        r = self.r
        table = {"compare": 5.0, "chained": 1.5, "and": 2.0, "not": 0.6, "truth": 0.4}
        table.update({"int": 3.0} if s.ints else {})
        kind = r.pick(table)
        if kind == "and" and depth > 0:
            a = self.test(s, depth - 1)
            b = self.under_condition(lambda: self.test(s, depth - 1))
            return f"({a} {r.choice(('and', 'or'))} {b})"
        if kind == "not" and depth > 0:
            return f"(not {self.test(s, depth - 1)})"
        if kind == "chained":
            a, b = self.leaf(s), self.num(s, 1)
            c = self.under_condition(lambda: self.leaf(s))
            return r.choice((f"{r.number(-1.5, 0)} < {b} < {r.number(0.2, 2)}", f"({a} < {b} <= {c})"))
        if kind == "int":
            i = r.choice(s.ints)
            other = r.choice(s.ints)
            return r.choice((f"{i} % 2 == {r.randint(0, 1)}", f"{i} == {r.randint(0, 3)}", f"{i} > {r.randint(0, 2)}",
                             f"{i} != {other}", f"{i}"))  # fmt: skip
        if kind == "truth":
            return f"{self.leaf(s)}"
        return f"{self.num(s, 1)} {r.choice(('<', '>', '<=', '>='))} {r.number(-0.8, 0.8)}"

    # --- statements --------------------------------------------------------------------------

    def target(self, s: Scope) -> str:
        known = [n for n in s.floats + s.maybe if n not in s.fixed and n[0] in s.names + "xyz" and "[" not in n]
        return self.r.choice(known) if known and self.r.chance(0.6) else self.r.choice(s.names)

    def block(self, s: Scope, count: int, depth: int) -> bool:
        """Statements; true where control never gets past them."""
        return any(self.statement(s, depth) for _ in range(count if self.budget > 0 else 1))

    def statement(self, s: Scope, depth: int) -> bool:
        self.budget -= 1
        return bool(getattr(self, self.r.pick(self.kinds(s, depth)).rstrip("_") + "_statement")(s, depth))

    def kinds(self, s: Scope, depth: int) -> dict[str, float]:
        """The kinds of statements that may stand here, with their weights."""
        table = {
            "assign": 3.5, "augmented": 2.5, "tuple": 1.0, "swap": 0.7, "starred": 0.5, "chained": 0.6,
            "annotated": 0.3, "count": 0.6, "pair": 0.8 if any(h.pair for h in self.helpers) else 0.0,
            "assert_": 0.35, "print_": 0.25, "raise_": 0.5,
        }  # fmt: skip
        if depth > 0 and self.budget > 0:
            table.update({"if_": 4.0, "for_": 4.2, "while_": 2.3, "lambda_": 1.1, "def_": 0.9})
        table.update({"exit_if": 4.0 if s.loop else 1.2})
        table.update({"exit": 0.25} if s.loop else {})
        return table

    def assign_statement(self, s: Scope, depth: int) -> None:
        value, name = self.bounded(s), self.target(s)
        self.w.line(f"{name} = {value if self.r.chance(0.93) else self.r.choice(('0', '1', '0.0'))}")
        s.define(name)

    def assignable(self, s: Scope) -> list[str]:
        return [n for n in s.floats if n not in s.fixed]

    def augmented_statement(self, s: Scope, depth: int) -> None:
        names = self.assignable(s)
        if not names:
            return self.assign_statement(s, depth)
        op = self.r.choice(("+=", "+=", "-=", "*="))
        value = f"math.cos({self.leaf(s)})" if op == "*=" else self.bounded(s)
        self.w.line(f"{self.r.choice(names)} {op} {value}")
        return None

    def tuple_statement(self, s: Scope, depth: int) -> None:
        a, b, c = self.r.sample(s.names, 3)
        form = self.r.choice(
            ("{}, {} = {}, {}", "({}, {}), {} = ({}, {}), {}", "{}, {} = ({}, {})", "[{}, {}] = [{}, {}]")
        )
        names = [a, b, c][: form.count("{}") // 2]
        values = [self.num(s, 1) for _ in names]
        self.w.line(form.format(*names, *values))
        for n in names:
            s.define(n)

    def swap_statement(self, s: Scope, depth: int) -> None:
        names = self.assignable(s)
        if len(names) < 2:
            return self.tuple_statement(s, depth)
        a, b = self.r.sample(names, 2)
        self.w.line(f"{a}, {b} = {b}, {a if self.r.chance(0.6) else f'{a} + 0.5 * {b}'}")
        return None

    def starred_statement(self, s: Scope, depth: int) -> None:
        a = self.r.choice(s.names)
        self.fresh += 1
        rest = f"rest{self.fresh}"
        values = ", ".join(self.num(s, 1) for _ in range(3))
        self.w.line(self.r.choice((f"{a}, *{rest} = {values}", f"*{rest}, {a} = ({values})")))
        s.define(a)
        s.lists += [f"{rest}[0]", f"{rest}[-1]"]

    def chained_statement(self, s: Scope, depth: int) -> None:
        value = self.bounded(s)
        a, b = self.r.sample(s.names, 2)
        self.w.line(f"{a} = {b} = {value}")
        s.define(a)
        s.define(b)

    def annotated_statement(self, s: Scope, depth: int) -> None:
        value, name = self.bounded(s), self.r.choice(s.names)
        self.w.line(f"{name}: float = {value}")
        s.define(name)

    def count_statement(self, s: Scope, depth: int) -> None:
        counters = [n for n in s.ints if n not in s.fixed]
        if counters and self.r.chance(0.7):
            self.w.line(f"{self.r.choice(counters)} += {self.r.randint(1, 2)}")
            return
        self.fresh += 1
        name = f"m{self.fresh}"
        source = self.r.choice(("0", "1", f"int(abs({self.leaf(s)})) % 4", *s.ints))
        self.w.line(f"{name} = {source}")
        s.ints.append(name)

    def pair_statement(self, s: Scope, depth: int) -> None:
        h = self.r.choice([h for h in self.helpers if h.pair])
        call = self.call(h, s, 1)
        a, b = self.r.sample(s.names, 2)
        self.w.line(f"{a}, {b} = {call}")
        s.define(a)
        s.define(b)

    def assert_statement(self, s: Scope, depth: int) -> None:
        message = self.r.choice(("", ", 'too large'"))
        self.w.line(f"assert math.tanh({self.num(s, 1)}) < {self.r.choice(('1.5', '1.5', '1.5', '0.9'))}{message}")

    def print_statement(self, s: Scope, depth: int) -> None:
        a, b = self.leaf(s), self.leaf(s)
        self.w.line(
            self.r.choice(
                (f"print({a}, {b})", f"print(f'at {{{a}:.3f}} {{{b}}}')".replace("['", '["').replace("']", '"]'))
            )
        )

    def raise_statement(self, s: Scope, depth: int) -> None:
        with self.w.block(f"if {self.leaf(s)} > {self.r.number(1.5, 3)}:"):
            self.w.line(
                self.r.choice(
                    ("raise ValueError('out of range')", "raise ArithmeticError", "raise ValueError(f'n is {1 + 1}')")
                )
            )

    def lambda_statement(self, s: Scope, depth: int) -> None:
        self.fresh += 1
        inner = s.copy(floats=["t", *s.floats], maybe=[])
        walrus, self.walrus = self.walrus, False
        body = self.num(inner, 2)
        self.walrus = walrus
        two = self.r.chance(0.2)
        self.w.line(f"g{self.fresh} = lambda t{', k' if two else ''}: {f'k * math.sin({body})' if two else body}")
        s.functions.append((f"g{self.fresh}", 1 + two))

    def def_statement(self, s: Scope, depth: int) -> None:
        self.fresh += 1
        captured = [n for n in s.floats if n not in ("t", "k")]
        inner = s.copy(
            floats=[*captured, "t_"], maybe=[], functions=[], loop=False, lists=[],
            fixed=(*captured, *s.ints), names="ABC",
        )  # fmt: skip
        pair, self.pair = self.pair, False
        name = f"g{self.fresh}"
        with self.w.block(f"def {name}(t_):"):
            if not self.block(inner, self.r.randint(1, 2), 1):
                self.final(inner)
        self.pair = pair
        s.functions.append((name, 1))

    def if_statement(self, s: Scope, depth: int) -> bool:
        arms: list[Scope] = []
        ended = True
        heads = ["if {}:"] + ["elif {}:"] * self.r.choice((0, 0, 0, 1, 2)) + ["else:"] * self.r.chance(0.5)
        tests = 0
        for head in heads:
            test = self.test(s, 2) if tests == 0 else self.under_condition(lambda: self.test(s, 1))
            tests += 1
            arm = s.copy()
            with self.w.block(head.format(test)):
                done = self.block(arm, self.r.randint(1, 3), depth - 1)
            if not done:
                arms.append(arm)
            ended = ended and done
        if heads[-1] != "else:":
            arms.append(s.copy())
            ended = False
        s.join(arms)
        return ended

    def for_statement(self, s: Scope, depth: int) -> bool:
        r = self.r
        i = f"{'ijkl'[3 - min(depth, 3)]}"
        v = r.choice(s.names)
        table = {"range": 3.0, "range2": 1.5, "down": 1.3, "reversed": 0.8, "tuple": 1.0, "list": 0.5, "count": 0.4}
        if s.arrays:
            table.update({"array": 4.0, "enumerate": 2.0, "zip": 2.0, "backwards": 0.7})
        a = r.choice(s.arrays) if s.arrays else ""
        n = r.choice((*s.ints, "3", "2"))
        kind = r.pick(table)
        values = ", ".join(self.num(s, 1) for _ in range(3)) if kind in ("tuple", "list") else ""
        head, ints, floats = {
            "range": (f"{i} in range({n})", [i], []),
            "range2": (f"{i} in range({r.choice((f'1, {n} + 1', f'{n}, 6, 2', f'-1, {n}'))})", [i], []),
            "down": (f"{i} in range({r.choice((f'{n}, 0, -1', '4, -1, -2'))})", [i], []),
            "reversed": (f"{i} in reversed(range({n}))", [i], []),
            "tuple": (f"{v} in ({values})", [], [v]),
            "list": (f"{v} in [{values}]", [], [v]),
            "count": (f"{i} in range(int(abs({self.leaf(s)})) % 4)", [i], []),
            "array": (f"{v} in {a}", [], [v]),
            "enumerate": (f"{i}, {v} in enumerate({a})", [i], [v]),
            "zip": r.choice(
                (
                    (f"{v}, {v}_ in zip({a}, {r.choice(s.arrays or [''])})", [], [v, f"{v}_"]),
                    (f"{i}, {v} in zip(range({n}), {a})", [i], [v]),
                    (f"{v}, {i} in zip({a}, range(5))", [i], [v]),
                )
            ),
            "backwards": (f"{v} in reversed({a})", [], [v]),
        }[kind]
        return self.loop(s, f"for {head}:", ints, floats, depth)

    def loop(self, s: Scope, head: str, ints: list[str], floats: list[str], depth: int) -> bool:
        body = s.copy(loop=True, fixed=(*s.fixed, *ints))
        body.ints += [i for i in ints if i not in body.ints]
        for v in floats:
            body.define(v)
        before = s.copy()
        with self.w.block(head):
            self.block(body, self.r.randint(1, 3), depth - 1)
        s.after_loop(body)
        if self.r.chance(0.25):
            other = before.copy()
            other.join([before, s])
            with self.w.block("else:"):
                self.block(other, 1, depth - 1)
            s.join([s.copy(), other])
        if ints and self.r.chance(0.07):  # the index after the loop, undefined where no trip was made
            self.w.line(f"q = 0.2 * {ints[0]}")
            s.define("q")
        return False

    def while_statement(self, s: Scope, depth: int) -> bool:
        r = self.r
        self.fresh += 1
        k, most = f"k{self.fresh}", r.randint(2, 4)
        self.w.line(f"{k} = 0")
        s.ints.append(k)
        s.fixed = (*s.fixed, k)
        kind = r.pick({"count": 2.0, "test": 3.0, "true": 2.0, "walrus": 1.0})
        body = s.copy(loop=True)
        before = s.copy()
        head = {
            "count": f"while {k} < {r.choice((str(most), 'n' if 'n' in s.ints else '3'))}:",
            "test": f"while {k} < {most} and {self.under_condition(lambda: self.test(body, 1))}:",
            "true": "while True:",
            "walrus": f"while ({k} := {k} + 1) < {most + 1}:",
        }[kind]
        with self.w.block(head):
            if kind != "walrus":
                self.w.line(f"{k} += 1")
            if kind == "true":
                with self.w.block(f"if {k} > {most} or {self.under_condition(lambda: self.test(body, 1))}:"):
                    self.w.line("break")
            self.block(body, r.randint(1, 3), depth - 1)
        s.after_loop(body)
        if kind != "true" and r.chance(0.25):
            other = before.copy()
            other.join([before, s])
            with self.w.block("else:"):
                self.block(other, 1, depth - 1)
            s.join([s.copy(), other])
        return False

    def exit_statement(self, s: Scope, depth: int) -> bool:
        kinds = {"return": 1.0, **({"break": 1.5, "continue": 1.5} if s.loop else {})}
        kind = self.r.pick(kinds)
        if kind == "return":
            self.final(s) if self.r.chance(0.5) or self.pair else self.w.line(f"return {self.bounded(s)}")
        else:
            self.w.line(kind)
        return True

    def exit_if_statement(self, s: Scope, depth: int) -> bool:
        arm = s.copy()
        with self.w.block(f"if {self.test(s, 1)}:"):
            if self.r.chance(0.4):
                self.block(arm, 1, 0)
            self.exit_statement(arm, depth)
        return False


def generate(seed: int) -> Program:
    return Control(seed).program()
