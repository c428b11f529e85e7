"""Programs over all of Python's types: `f` and what it finds outside, from the templates of `grammar`.

    generate(seed) -> Program        with `f(x, ...)`, and perhaps `change()`, to be called between two calls of f

An environment gives each name its type, so that most programs run without an error in plain Python.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.fuzz.grammar import EXPRESSIONS, LEAVES, NUMBER, STARTS, STATEMENTS
from tests.fuzz.outside import constant, definitions
from tests.fuzz.program import Program
from tests.fuzz.pyfeatures import PYTHON as FEATURES
from tests.fuzz.source import Random, normal

__all__ = ["FEATURES", "generate"]

TOKEN = re.compile(
    r"\{(?P<slot>[A-Z])\}|\{(?P<literal>[fisbg])\}|\{(?P<new>[+#])(?P<again>!?)(?P<target>[A-Z])\}|\{=(?P<old>[A-Z])\}"
    r"|<(?P<binds>\$\d):(?P<type>[A-Z])>|(?P<ends></>)|(?P<name>\$\d)"
)
FRESH = {
    "F": "v",
    "I": "n",
    "B": "b",
    "S": "s",
    "A": "y",
    "T": "t",
    "L": "xs",
    "E": "es",
    "D": "d",
    "Z": "z",
    "C": "c",
    "P": "p",
    "K": "k",
    "O": "o",
    "H": "h",
    "Q": "q",
    "R": "ys",
    "X": "rows",
    "J": "it",
    "U": "u",
}
EXTRAS = {"a": "F", "n": "I", "flag": "B", "mode": "S", "opt": "O", "vs": "L", "d": "D", "t": "T"}
CHANGED = 0.3
"""How many programs of which a global can be changed have a `change`."""


class NotHere(Exception):
    """A template that does not apply: no variable of that type is in scope."""


class Generator:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.scope: dict[str, str] = {"x": "A"}
        self.kept: set[str] = {"x"}  # names that are not assigned: counters, what a loop runs over, parameters
        self.count = 0
        self.lines: list[str] = []
        self.functions = 0  # how many are around

    # -- expressions -----------------------------------------------------------------------

    def fresh(self, kind: str) -> str:
        self.count += 1
        return f"{FRESH[kind]}{self.count}"

    def named(self, *kinds: str, free: bool = False) -> list[str]:
        return [name for name, kind in self.scope.items() if kind in kinds and not (free and name in self.kept)]

    def expression(self, kind: str, depth: int) -> str:
        names = self.named(kind)
        if names and self.rng.chance(0.6 if depth <= 0 else 0.3):
            return self.rng.choice(names)
        table = EXPRESSIONS if depth > 0 else LEAVES
        for _ in range(20):
            template = self.rng.choice(table[kind])
            if self.scope["x"] == "A" or not re.search(r"\bx\b", template):
                text = Template(self, depth - 1).expand(template)
                return text if re.fullmatch(r"[\w.]+|'\w*'", text) else f"({text})"
        return {"F": "1.5", "A": "np.ones(3)", "L": "[1.5, 0.5]"}.get(kind, "None")

    # -- statements ------------------------------------------------------------------------

    def block(self, count: int, nesting: int, indent: int) -> None:
        """So many statements; names of a nested block are gone after it."""
        before = dict(self.scope)
        start = len(self.lines)
        for _ in range(count):
            self.statement(nesting, indent)
        if len(self.lines) == start:
            self.lines.append(" " * indent + "pass")
        if nesting:
            self.scope = before

    def statement(self, nesting: int, indent: int) -> None:
        weights, templates = zip(*STATEMENTS)
        for _ in range(20):
            template = self.rng.choices(templates, weights)[0]
            if (nesting > 1 and "\n" in template) or (
                self.functions and "return {F}" in template[-20:] and "def" not in template
            ):
                continue
            before = dict(self.scope), set(self.kept), len(self.lines), self.count
            try:
                self.lay_out(template, nesting, indent)
                return
            except NotHere:
                self.scope, self.kept, length, self.count = before
                del self.lines[length:]
                self.functions = 0

    def lay_out(self, template: str, nesting: int, indent: int) -> None:
        own, kept = Template(self, self.rng.choice([1, 2, 2, 3])), set(self.kept)
        is_function = template.startswith(("def", "@"))
        last = ""
        self.functions += is_function
        for line in template.split("\n"):
            if line.endswith("..."):
                own.expand(line[:-3])
                inner = indent + len(last) - len(last.lstrip()) + 4 * last.endswith(":")
                self.block(self.rng.choice([1, 1, 2]), nesting + 1, inner)
                continue
            text = own.expand(line)
            self.lines.append(" " * indent + text)
            last = line
            if (loop := re.match(r"\s*for .* in (\w+):$", text)) is not None:
                self.kept.add(loop[1])
            if "def " not in template:
                own.declare()
        self.functions -= is_function
        own.close()
        own.declare()
        self.kept = kept | own.counters

    def body(self) -> str:
        extras = [name for name in EXTRAS if self.rng.chance(0.12)]
        self.scope |= {name: EXTRAS[name] for name in extras}
        self.lines = [f"def f({', '.join(['x', *extras])}):"]
        self.block(self.rng.randint(3, 7), 0, 4)
        terms = [self.number(name) for name in reversed(self.scope) if name != "x"]
        self.rng.shuffle(terms)
        self.lines.append(f"    return {' + '.join(['x[0] * x[1]', *terms[: self.rng.randint(1, 4)]])}")
        return "\n".join(self.lines) + "\n"

    def number(self, name: str) -> str:
        kind = self.scope[name]
        return Template(self, 1).expand(NUMBER[kind].replace(f"{{{kind}}}", name))


class Template:
    """One template that is being filled in: its names, targets and what is bound for a part of it."""

    def __init__(self, generator: Generator, depth: int) -> None:
        self.own, self.depth = generator, depth
        self.names: dict[str, str] = {}
        self.targets: dict[str, str] = {}
        self.bound: list[tuple[str, str | None]] = []
        self.new: dict[str, str] = {}
        self.counters: set[str] = set()

    def expand(self, text: str) -> str:
        kinds = dict(re.findall(r"<(\$\d):([A-Z])>", text))
        is_loop = text.startswith("for ")
        for name in re.findall(r"\$\d", text):
            if name not in self.names:
                self.names[name] = self.draw(name, kinds.get(name, "F"), is_loop)
        return TOKEN.sub(self.token, text)

    def draw(self, name: str, kind: str, is_loop: bool) -> str:
        """A name for what is bound: its own, or that of another variable; `$9` is always its own."""
        rng = self.own.rng
        if name == "$9":
            return self.own.fresh("U")
        taken = (
            self.own.named(kind, free=True) if is_loop else [n for n in self.own.scope if n not in self.names.values()]
        )
        if taken and rng.chance(0.2):
            return rng.choice(taken)
        return self.own.fresh(kind)

    def token(self, m: re.Match[str]) -> str:
        own = self.own
        if m["slot"]:
            return own.expression(m["slot"], self.depth)
        if m["literal"]:
            return own.rng.choice(STARTS) if m["literal"] == "g" else constant(own.rng, m["literal"])
        if m["target"]:
            return self.target(m["target"], bool(m["again"]), m["new"] == "#")
        if m["old"]:
            names = own.named(m["old"], free=True)
            if not names:
                raise NotHere
            return own.rng.choice(names)
        if m["binds"]:
            name = self.names[m["binds"]]
            self.bound.append((name, own.scope.get(name)))
            own.scope[name] = m["type"]
            return ""
        if m["ends"]:
            self.unbind()
            return ""
        return self.names[m["name"]]

    def target(self, kind: str, again: bool, counts: bool) -> str:
        own = self.own
        if again:
            return self.targets[kind]
        taken = [n for n in own.named(kind, free=True) if n not in self.targets.values()]
        name = (
            own.rng.choice(taken)
            if taken and kind not in "HJ" and not counts and own.rng.chance(0.4)
            else own.fresh(kind)
        )
        self.targets[kind] = name
        self.new[name] = kind
        if counts:
            self.counters.add(name)
            own.kept.add(name)
        return name

    def declare(self) -> None:
        self.own.scope |= self.new
        self.new = {}

    def unbind(self) -> None:
        name, kind = self.bound.pop()
        if kind is None:
            del self.own.scope[name]
        else:
            self.own.scope[name] = kind

    def close(self) -> None:
        while self.bound:
            self.unbind()


def generate(seed: int) -> Program:
    rng = Random(f"python {seed}")
    for source in sources(rng):
        with warnings.catch_warnings(), contextlib.suppress(SyntaxError):
            warnings.simplefilter("ignore")
            text = normal(definitions(rng, source, CHANGED) + source)
            compile(text, "<generated>", "exec")
            break
    names = re.search(r"def f\((.*)\):", source)[1].split(", ")  # type: ignore[index]
    points = tuple(point(np.random.default_rng([seed, k]), names) for k in range(2))
    return Program(text, points, (0, 1) if "a" in names else (0,), seed)


def sources(rng: Random) -> Iterator[str]:
    while True:
        yield Generator(rng).body()


def point(rng: Any, names: list[str]) -> tuple[Any, ...]:
    draws = {
        "x": lambda: np.round(rng.uniform(-1.5, 1.5, 3), 2),
        "a": lambda: round(float(rng.uniform(-1.5, 1.5)), 2),
        "n": lambda: int(rng.integers(1, 4)),
        "flag": lambda: bool(rng.integers(2)),
        "mode": lambda: str(rng.choice(["fast", "slow", "a"])),
        "opt": lambda: None if rng.integers(2) else 0.75,
        "vs": lambda: [round(float(v), 2) for v in rng.uniform(-1.0, 1.0, 3)],
        "d": lambda: {"a": 0.25, "b": round(float(rng.uniform(0.1, 1.0)), 2)},
        "t": lambda: (0.5, round(float(rng.uniform(0.1, 1.0)), 2)),
    }
    return tuple(draws[name]() for name in names)
