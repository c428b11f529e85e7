"""Random array programs: views, aliases, swaps, writes in branches and loops, duplicate indices.

In: a seed. Out: a program over 1-d and 2-d arrays, a float, an int, sometimes integer indices and a
list or dict of arrays. The generator knows the shape of every array, so programs run; it knows who
shares memory with whom, so that few programs are ambiguous in the sense of contracts 4 (a name
that is one buffer or another, and is then written), which sct refuses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.fuzz.features import HEAP as FEATURES
from tests.fuzz.program import Program, spread
from tests.fuzz.source import Random, Writer

__all__ = ["FEATURES", "generate"]

Shape = tuple[int, ...]
SLICES = ("1:", ":-1", "::2", "::-1", "1:-1", "2:", ":2", "-2:", "1::2", "::-2", "-2::-1", ":")


@dataclass
class Array:
    """A name of an array: its shape and the buffer it reaches."""

    name: str
    shape: Shape
    root: str
    whole: bool = True  # may be the target of `name += ...`

    @property
    def plain(self) -> bool:
        return self.name.isidentifier()


@dataclass
class Scope:
    arrays: list[Array]
    floats: list[str]
    ints: list[tuple[str, int]] = field(default_factory=list)  # name, exclusive bound
    indices: list[tuple[str, int, int]] = field(default_factory=list)  # name, length, exclusive bound
    loops: int = 0
    arms: int = 0
    helpers: bool = True

    def copy(self, **changes: int) -> Scope:
        new = Scope(list(self.arrays), list(self.floats), list(self.ints), list(self.indices))
        new.loops = self.loops + changes.get("loops", 0)
        new.arms = self.arms + changes.get("arms", 0)
        new.helpers = self.helpers
        return new

    @property
    def repeated(self) -> bool:
        """Whether what is written here may run many times, so that sizes must not grow fast."""
        return self.loops > 0 or not self.helpers

    def sharing(self, a: Array) -> list[Array]:
        return [b for b in self.arrays if b.root == a.root]


@dataclass
class Helper:
    name: str
    gives: str  # "none", "same", "view", "float"


class Heap:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = Random(f"heap {seed}")
        self.w = Writer()
        self.names = list("uvwzbcghpq") + [f"t{k}" for k in range(99)]
        self.fresh = 0
        self.n = self.r.choice((4, 4, 6))
        self.rows, self.columns = (
            (2, self.n // 2) if self.r.chance(0.5) else (self.r.randint(2, 3), self.r.randint(2, 4))
        )
        self.frozen: set[str] = set()
        self.helpers: list[Helper] = []
        self.budget = self.r.randint(8, 20)

    def name(self) -> str:
        return self.names.pop(0)

    # --- the program -------------------------------------------------------------------------

    def program(self) -> Program:
        r, w = self.r, self.w
        w.line("import math\n\nimport numpy as np\n")
        for k in range(r.choice((0, 1, 1, 2))):
            self.helper(k)
        parameters = ["x", *(["y"] * r.chance(0.6)), *(["A"] * r.chance(0.6)), "s", "k"]
        parameters += ["idx"] * r.chance(0.3) + ["bufs"] * r.chance(0.12) + ["table"] * r.chance(0.12)
        scope = Scope([], ["s"], [("k", 2)])
        shapes: dict[str, Shape] = {"x": (self.n,), "y": (self.n,), "A": (self.rows, self.columns)}
        twice = self.seed % 10 == 7 and "y" in parameters  # at one point x and y are the same array
        for p in parameters:
            if p in shapes:
                scope.arrays.append(Array(p, shapes[p], "x" if p == "y" and twice else p))
            elif p == "idx":
                scope.indices.append(("idx", 3, self.n))
            elif p == "bufs":
                scope.arrays += [Array(f"bufs[{i}]", (self.n,), f"bufs{i}") for i in range(2)]
            elif p == "table":
                scope.arrays += [Array("table['a']", (self.n,), "ta"), Array("table['b']", (self.n - 1,), "tb")]
        with w.block(f"def f({', '.join(parameters)}):"):
            if r.chance(0.7):
                self.copies_first(scope)
            if not self.block(scope, r.randint(4, 7), 3):
                self.final(scope)
        points = [tuple(self.argument(p, layout) for p in parameters) for layout in ("C", "F", r.choice(("C", "S")))]
        if twice:
            points[2] = (points[0][0], points[0][0], *points[0][2:])
        wrt = tuple(i for i, p in enumerate(parameters) if p not in ("k", "idx"))
        return Program(w.text(), tuple(points), wrt, self.seed)

    def argument(self, name: str, layout: str) -> Any:
        r = self.r

        def array(*shape: int) -> np.ndarray:
            x = np.array([round(r.uniform(-2, 2), 3) for _ in range(int(np.prod(shape)))]).reshape(shape)
            return spread(x) if layout == "S" and name in "xA" else np.asarray(x, order="F" if layout == "F" else "C")

        if name == "A":
            return array(self.rows, self.columns)
        if name == "s":
            return round(r.uniform(-1.5, 1.5), 3)
        if name == "k":
            return r.randint(0, 1)
        if name == "idx":
            return np.array([r.randrange(self.n) for _ in range(2)] * 2)[:3]
        if name == "bufs":
            return [array(self.n), array(self.n)]
        if name == "table":
            return {"a": array(self.n), "b": array(self.n - 1)}
        return array(self.n)

    def copies_first(self, s: Scope) -> None:
        """Buffers made here, for the rest of the program to share and swap."""
        for _ in range(self.r.randint(1, 2)):
            self.fresh_statement(s, 0)

    def helper(self, k: int) -> None:
        r = self.r
        h = Helper(f"w{k}", r.choice(("none", "same", "view", "float", "none")))
        scope = Scope([Array("a", (self.n,), "a"), Array("e", (self.n,), "a")], ["s"], helpers=False)
        budget, self.budget = self.budget, 4
        with self.w.block(f"def {h.name}(a, e, s{'=0.5' if r.chance(0.3) else ''}):"):
            self.block(scope, r.randint(0, 2), 1)
            self.write_statement(scope, 0, Array("a", (self.n,), "a"))
            if h.gives != "none":
                self.w.line(
                    {"same": "return a", "view": "return a[::-1]", "float": f"return {self.scalar(scope, 1)}"}[h.gives]
                )
        self.budget = budget
        self.helpers.append(h)

    def final(self, s: Scope) -> None:
        chosen = self.r.sample(s.arrays, min(3, len(s.arrays)))
        forms = (
            "np.sum(np.sin({0}))",
            "np.sum({0} ** 2)",
            "np.mean({0} * np.cos({0}))",
            "{0}.sum()",
            "np.sum({0} * {1})",
        )
        terms = [self.r.choice(forms).format(a.name, self.weights(a.shape)) for a in chosen]
        self.w.line(f"return {' + '.join(terms)} + {self.scalar(s, 1)}")

    def weights(self, shape: Shape) -> str:
        return f"np.arange({shape[-1]})" if len(shape) == 1 else f"np.linspace(-1.0, 1.0, {shape[-1]})"

    # --- views: text and shape ---------------------------------------------------------------

    def cut(self, length: int) -> tuple[str, int]:
        """A slice and the length it gives."""
        text = self.r.choice(SLICES)
        parts = [int(p) if p else None for p in text.split(":")]
        return text, len(range(length)[slice(*parts)])

    def index(self, s: Scope, length: int) -> str:
        fits = [name for name, bound in s.ints if bound <= length]
        others = [name for name, bound in s.ints if bound > length]
        if fits and self.r.chance(0.7):
            return self.r.choice(fits)
        if others and self.r.chance(0.5):
            return f"{self.r.choice(others)} % {length}"
        return str(self.r.randint(-length, length - 1))

    def view(self, s: Scope, a: Array) -> tuple[str, Shape]:
        """A view of an array, not the array itself."""
        r = self.r
        if len(a.shape) == 1:
            if a.shape[0] == self.rows * self.columns and r.chance(0.3):
                return f"{a.name}.reshape({self.rows}, {self.columns})", (self.rows, self.columns)
            text, m = self.cut(a.shape[0])
            return (f"{a.name}[{text}]", (m,)) if m else (f"{a.name}[:]", a.shape)
        p, q = a.shape
        kind = r.choice(("row", "column", "T", "block", "ravel", "partial"))
        if kind == "row":
            return f"{a.name}[{self.index(s, p)}]", (q,)
        if kind == "column":
            return f"{a.name}[{r.choice((':', '...'))}, {self.index(s, q)}]", (p,)
        if kind == "T":
            return f"{a.name}.T", (q, p)
        if kind == "ravel":
            return f"{a.name}{r.choice(('.ravel()', '.reshape(-1)'))}", (p * q,)
        first, m = self.cut(p)
        second, k = self.cut(q)
        if not m or not k:
            return f"{a.name}.T", (q, p)
        if kind == "partial":
            return f"{a.name}[{self.index(s, p)}, {second}]", (k,)
        return f"{a.name}[{first}, {second}]", (m, k)

    def leaves(self, s: Scope, shape: Shape) -> list[str]:
        """Expressions of this shape that read arrays directly."""
        out = [a.name for a in s.arrays if a.shape == shape] * 2
        for a in s.arrays:
            for _ in range(3):
                text, got = self.view(s, a)
                if got == shape:
                    out.append(text)
            if len(shape) == 1:
                out += [
                    f"{a.name}[{i}]"
                    for i, m, bound in s.indices
                    if (m,) == shape and bound <= a.shape[0] and len(a.shape) == 1
                ]
                out += [f"np.sum({a.name}, axis=0)"] * (len(a.shape) == 2 and a.shape[1] == shape[0])
        return out

    # --- expressions -------------------------------------------------------------------------

    def array(self, s: Scope, shape: Shape, depth: int) -> str:
        """An expression of this shape; it may be a bare name or view."""
        r = self.r
        leaves = self.leaves(s, shape)
        if depth <= 0 or r.chance(0.15):
            return r.choice(leaves) if leaves else self.filled(s, shape)
        return self.computed(s, shape, depth)

    def filled(self, s: Scope, shape: Shape) -> str:
        size = shape[0] if len(shape) == 1 else shape
        return self.r.choice((f"np.full({size}, {self.scalar(s, 0)})", f"{self.scalar(s, 0)} * np.ones({size})"))

    def computed(self, s: Scope, shape: Shape, depth: int) -> str:
        """An expression of this shape whose value is a new array."""
        r = self.r
        table = {"scale": 3.0, "add": 4.0, "call": 4.0, "product": 2.5, "where": 1.5, "extreme": 1.2, "quotient": 0.8}
        table.update({"power": 0.7, "shift": 1.2, "abs": 0.4, "copy": 0.4, "clip": 0.3, "sqrt": 0.6})
        if len(shape) == 1:
            table.update({"matmul": 1.2, "concatenate": 0.4 if shape[0] > 1 else 0.0, "stack": 0.3})
        else:
            table.update({"broadcast": 2.0, "outer": 0.8, "product2": 0.5})
        kind = r.pick(table)

        def e(smaller: int = 1) -> str:
            return self.array(s, shape, depth - smaller)

        if kind == "scale":
            return f"{r.choice((r.number(-1.2, 1.2), f'math.cos({self.scalar(s, 0)})'))} * {e()}"
        if kind == "add":
            return f"({e()} {r.choice('+-')} {e()})"
        if kind == "call":
            return f"{r.choice(('np.sin', 'np.cos', 'np.tanh', 'np.arctan'))}({e()})"
        if kind == "product":
            return f"{e()} * {r.choice(('np.sin', 'np.cos', 'np.tanh'))}({e(2)})"
        if kind == "where":
            return f"np.where({e(2)} > {r.number(-0.7, 0.7)}, {e()}, {r.choice((e(2), self.scalar(s, 0)))})"
        if kind == "extreme":
            return f"np.{r.choice(('maximum', 'minimum'))}({e()}, {r.choice((e(2), r.number(-0.7, 0.7)))})"
        if kind == "quotient":
            return f"{e()} / (1.5 + ({e(2)}) ** 2)"
        if kind == "power":
            return f"np.tanh({e()}) ** {r.randint(2, 3)}"
        if kind == "shift":
            return f"({self.scalar(s, 1)} + {e()})"
        if kind == "abs":
            return f"np.abs({e()})"
        if kind == "copy":
            return r.choice(("({}).copy()", "np.copy({})", "np.exp(np.sin({}))")).format(e())
        if kind == "clip":
            return f"np.clip({e()}, -1.1, 1.2)"
        if kind == "sqrt":
            return f"np.sqrt(1.0 + ({e()}) ** 2)"
        if kind == "matmul":
            fits = [a for a in s.arrays if len(a.shape) == 2 and shape[0] in a.shape]
            if not fits:
                return f"np.sin({e()})"
            a = r.choice(fits)
            left = a.name if a.shape[0] == shape[0] else f"{a.name}.T"
            inner = a.shape[1] if a.shape[0] == shape[0] else a.shape[0]
            return f"{'np.tanh' if s.repeated else '0.4 * '}({left} @ ({self.array(s, (inner,), depth - 1)}))"
        if kind == "concatenate":
            cut = r.randint(1, shape[0] - 1)
            parts = [self.array(s, (m,), depth - 1) for m in (cut, shape[0] - cut)]
            return f"np.concatenate(({', '.join(parts)}))"
        if kind == "stack":
            return f"np.array([{', '.join(self.scalar(s, 0) for _ in range(shape[0]))}])"
        if kind == "outer":
            factors = self.array(s, shape[:1], 0), self.array(s, shape[1:], 0)
            return f"{'np.sin' if s.repeated else '0.5 * '}(np.outer({factors[0]}, {factors[1]}))"
        if kind == "product2":
            return f"{self.array(s, shape[:1], 0)}[:, None] * np.cos({self.array(s, shape[1:], 0)}[None, :])"
        return f"({e()} + {self.array(s, shape[1:], depth - 1)})"

    def scalar(self, s: Scope, depth: int) -> str:
        r = self.r
        table = {"float": 3.0, "number": 1.0, "element": 4.0, "int": 0.5 if s.ints else 0.0}
        if depth > 0:
            table.update(
                {"sum": 2.0, "dot": 1.5, "call": 2.0, "add": 2.0, "mean": 0.6, "max": 0.6, "cast": 0.2, "size": 0.3}
            )
        kind = r.pick(table)
        a = r.choice(s.arrays)
        if kind == "float":
            return r.choice(s.floats)
        if kind == "number":
            return r.number(0.2, 1.5)
        if kind == "int":
            return f"0.3 * {r.choice(s.ints)[0]}"
        if kind == "element" or kind == "cast":
            at = f"{a.name}[{', '.join(self.index(s, m) for m in a.shape)}]"
            return f"float({at})" if kind == "cast" else at
        if kind == "size":
            return f"0.1 * {r.choice(('len({})', '{}.shape[0]', '{}.size', '{}.shape[-1]')).format(a.name)}"
        if kind == "call":
            return f"{r.choice(('math.sin', 'math.tanh', 'np.cos'))}({self.scalar(s, depth - 1)})"
        if kind == "add":
            return f"({self.scalar(s, depth - 1)} {r.choice('+-')} {self.scalar(s, depth - 1)})"
        if kind == "dot":
            shape = a.shape[-1:]
            pair = self.array(s, shape, depth - 1), self.array(s, shape, depth - 1)
            product = r.choice(("np.dot({}, {})", "(({}) @ ({}))")).format(*pair)
            return f"math.tanh({product})" if s.repeated else f"0.3 * {product}"
        e = self.array(s, a.shape, depth - 1)
        return {"sum": f"0.3 * np.sum({e})", "mean": f"np.mean({e})", "max": f"np.{r.choice(('max', 'min'))}({e})"}[
            kind
        ]

    def test(self, s: Scope) -> str:
        r = self.r
        forms = {"value": 3.0, "int": 1.5 if s.ints else 0.0, "and": 0.6, "any": 0.3}
        kind = r.pick(forms)
        if kind == "int":
            i = r.choice(s.ints)[0]
            return r.choice((f"{i} % 2 == 0", f"{i} == 1", f"{i} > 0"))
        if kind == "and":
            first, second = f"{self.scalar(s, 0)} < {r.number(-0.5, 1)}", f"{self.scalar(s, 0)} > {r.number(-1, 0.5)}"
            return f"{first} {r.choice(('and', 'or'))} {second}"
        if kind == "any":
            return f"np.{r.choice(('any', 'all'))}({r.choice(s.arrays).name} > {r.number(-1, 1)})"
        return f"{self.scalar(s, 1)} {r.choice('<>')} {r.number(-0.7, 0.7)}"

    # --- statements --------------------------------------------------------------------------

    def block(self, s: Scope, count: int, depth: int) -> bool:
        return any(self.statement(s, depth) for _ in range(count if self.budget > 0 else 1))

    def statement(self, s: Scope, depth: int) -> bool:
        self.budget -= 1
        table = {
            "write": 9.0,
            "fresh": 1.5,
            "view": 2.6,
            "alias": 1.2,
            "scalar": 0.8,
            "zeros": 0.6,
            "rebind": 1.0,
            "swap": 0.9,
        }
        if s.helpers:
            table.update({"container": 1.0 if not s.loops else 0.2, "indices": 0.4})
            table.update({"helper": 2.4} if self.helpers else {})
            table.update({"closure": 0.3} if depth == 3 else {})
        if depth > 0 and self.budget > 0:
            table.update({"if": 3.0, "for": 3.5, "rows": 1.6, "while": 0.8})
        if s.loops:
            table.update({"exit": 0.9})
        return bool(getattr(self, f"{self.r.pick(table)}_statement")(s, depth))

    def add(self, s: Scope, text: str, shape: Shape, root: str | None = None) -> Array:
        name = self.name()
        self.w.line(f"{name} = {text}")
        a = Array(name, shape, root or name)
        s.arrays.append(a)
        return a

    def some_shape(self, s: Scope) -> Shape:
        return self.r.choice(s.arrays).shape

    def fresh_statement(self, s: Scope, depth: int) -> None:
        shape = self.some_shape(s)
        self.add(s, self.computed(s, shape, 2), shape)

    def zeros_statement(self, s: Scope, depth: int) -> None:
        r, a = self.r, self.r.choice(s.arrays)
        size = a.shape[0] if len(a.shape) == 1 else a.shape
        text = r.choice(
            (
                f"np.zeros({size})",
                f"np.zeros_like({a.name})",
                f"np.ones({size})",
                f"np.empty_like({a.name})",
                f"np.empty({size})",
            )
        )
        value = self.array(s, a.shape, 1)
        new = self.add(s, text, a.shape)
        if "empty" in text:
            self.w.line(f"{new.name}[...] = {value}")

    def view_statement(self, s: Scope, depth: int) -> None:
        a = self.r.choice(s.arrays)
        text, shape = self.view(s, a)
        copied = ".ravel()" in text or "reshape" in text  # a copy where the layout does not allow a view
        if copied and a.root != a.name:
            self.add(s, f"1.0 * {text}", shape)
            return
        self.add(s, text, shape, a.root)

    def alias_statement(self, s: Scope, depth: int) -> None:
        a = self.r.choice(s.arrays)
        self.add(s, a.name, a.shape, a.root)

    def indices_statement(self, s: Scope, depth: int) -> None:
        name, length = self.name(), self.r.randint(2, 4)
        values = [self.r.randrange(-1, self.n - 1) for _ in range(length)]
        self.w.line(f"{name} = np.array({values})")
        s.indices.append((name, length, self.n))

    def scalar_statement(self, s: Scope, depth: int) -> None:
        local = [n for n in s.floats if n != "s"]
        if local and self.r.chance(0.5):
            self.w.line(f"{self.r.choice(local)} += {self.scalar(s, 1)}")
            return
        name, value = self.name(), self.scalar(s, 2)
        self.w.line(f"{name} = {value}")
        s.floats.append(name)

    def writable(self, s: Scope) -> list[Array]:
        return [a for a in s.arrays if a.root not in self.frozen]

    def write_statement(self, s: Scope, depth: int, target: Array | None = None) -> None:
        able = self.writable(s)
        if not able and target is None:
            return self.fresh_statement(s, depth)
        a = target or self.r.choice(able + [a for a in able if len(s.sharing(a)) > 1])
        left, shape = (self.target1 if len(a.shape) == 1 else self.target2)(s, a)
        value = self.scalar(s, 1) if shape == () or self.r.chance(0.2) else self.array(s, shape, 2)
        op = self.r.choice(("=", "=", "+=", "+=", "-=", "*="))
        if left == a.name and (not a.whole or op == "="):
            left = f"{a.name}[{self.r.choice((':', '...'))}]"
        if s.repeated and op in ("+=", "-="):
            value = f"{self.r.choice(('0.2', '-0.3'))} * ({value})"
        if op == "*=":
            value = f"{'math' if shape == () else 'np'}.cos({value})"
        self.w.line(f"{left} {op} {value}")
        return None

    def target1(self, s: Scope, a: Array) -> tuple[str, Shape]:
        """The left side of a write to a vector, and the shape it takes."""
        r, (n,) = self.r, a.shape
        kind = r.pick({"element": 3.0, "slice": 3.0, "whole": 2.0, "indices": 2.5, "mask": 1.5, "chain": 0.7})
        if kind == "element":
            return f"{a.name}[{self.index(s, n)}]", ()
        if kind == "slice":
            text, m = self.cut(n)
            return (f"{a.name}[{text}]", (m,)) if m else (f"{a.name}[0]", ())
        if kind == "chain":
            return f"{a.name}[::-1][{self.index(s, n)}]", ()
        if kind == "mask":
            return f"{a.name}[{self.array(s, a.shape, 0)} {r.choice('<>')} {r.number(-0.6, 0.6)}]", ()
        fits = [(name, m) for name, m, bound in s.indices if bound <= n]
        if kind == "indices" and (fits or n > 2):
            values = [r.randrange(n) for _ in range(2)] * 2
            name, m = r.choice(fits) if fits and r.chance(0.7) else (str(values[:3]), 3)
            return f"{a.name}[{name}]", (m,)
        return a.name, a.shape

    def target2(self, s: Scope, a: Array) -> tuple[str, Shape]:
        r, (p, q) = self.r, a.shape
        kind = r.pick(
            {
                "element": 2.0,
                "row": 2.0,
                "column": 1.5,
                "view": 2.0,
                "whole": 1.5,
                "indices": 1.2,
                "mask": 0.8,
                "chain": 1.0,
            }
        )
        if kind == "element":
            return f"{a.name}[{self.index(s, p)}, {self.index(s, q)}]", ()
        if kind == "row":
            return f"{a.name}[{self.index(s, p)}]", (q,)
        if kind == "column":
            return f"{a.name}[:, {self.index(s, q)}]", (p,)
        if kind == "chain":
            return f"{a.name}[{self.index(s, p)}][{self.index(s, q)}]", ()
        if kind == "mask":
            return f"{a.name}[{a.name} {r.choice('<>')} {r.number(-0.6, 0.6)}]", ()
        if kind == "indices":
            first, second = ([r.randrange(m) for _ in range(2)] * 2 for m in (p, q))
            return r.choice(((f"{a.name}[{first[:3]}, {second[:3]}]", (3,)), (f"{a.name}[{first[:3]}]", (3, q))))
        if kind == "view":
            text, shape = self.view(s, a)
            if "[" in text[len(a.name) :]:
                return text, shape
            return f"{a.name}.T[{self.index(s, q)}]", (p,)
        return a.name, a.shape

    def rebind_statement(self, s: Scope, depth: int) -> None:
        """A name bound to another array; inside branches and loops only where that is not ambiguous."""
        nested = s.loops + s.arms > 0
        names = [a for a in s.arrays if a.plain and (not nested or len(s.sharing(a)) == 1)]
        if not names:
            return self.write_statement(s, depth)
        a = self.r.choice(names)
        if nested and not s.loops and self.r.chance(0.15):  # one buffer or another: not written any more
            b = self.r.choice([b for b in s.arrays if b.shape == a.shape])
            self.w.line(f"{a.name} = {b.name}")
            self.frozen |= {a.root, b.root}
            return None
        self.w.line(f"{a.name} = {self.computed(s, a.shape, 2)}")
        if not nested:
            self.fresh += 1
            s.arrays[s.arrays.index(a)] = Array(a.name, a.shape, f"{a.name} {self.fresh}")
        return None

    def swap_statement(self, s: Scope, depth: int) -> None:
        nested = s.loops + s.arms > 0
        names = [a for a in s.arrays if a.plain and (not nested or len(s.sharing(a)) == 1)]
        pairs = [(a, b) for a in names for b in names if a.name < b.name and a.shape == b.shape]
        if not pairs:
            return self.alias_statement(s, depth)
        a, b = self.r.choice(pairs)
        self.w.line(f"{a.name}, {b.name} = {b.name}, {a.name}")
        if not nested:
            i, j = s.arrays.index(a), s.arrays.index(b)
            s.arrays[i], s.arrays[j] = Array(a.name, a.shape, b.root), Array(b.name, b.shape, a.root)
        return None

    def container_statement(self, s: Scope, depth: int) -> None:
        r = self.r
        a, b = r.choice(s.arrays), r.choice(s.arrays)
        self.fresh += 1
        kind = r.choice(("list", "dict", "tuple", "unpack"))
        name = f"{kind[0]}{self.fresh}"
        keys = ("['a']", "['b']") if kind == "dict" else ("[0]", "[1]")
        form = {"list": "[{}, {}]", "dict": "{{'a': {}, 'b': {}}}", "tuple": "({}, {})", "unpack": "({}, {})"}[kind]
        if kind == "unpack":
            first, second = self.name(), self.name()
            self.w.line(f"{first}, {second} = {form.format(a.name, b.name)}")
            s.arrays += [Array(first, a.shape, a.root), Array(second, b.shape, b.root)]
            return
        self.w.line(f"{name} = {form.format(a.name, b.name)}")
        whole = kind != "tuple"
        held = [Array(name + keys[0], a.shape, a.root, whole), Array(name + keys[1], b.shape, b.root, whole)]
        s.arrays += held
        if whole and a.shape == b.shape and r.chance(0.3) and not s.loops + s.arms:
            self.w.line(f"{name}{keys[0]}, {name}{keys[1]} = {name}{keys[1]}, {name}{keys[0]}")
            held[0].root, held[1].root = b.root, a.root

    def helper_statement(self, s: Scope, depth: int) -> None:
        r = self.r
        h = r.choice(self.helpers)
        targets = [a for a in self.writable(s) if a.shape == (self.n,)]
        if not targets:
            return self.write_statement(s, depth)
        a = r.choice(targets)
        text = a.name if r.chance(0.75) else f"{a.name}[::-1]"
        other = self.array(s, (self.n,), 0)
        call = f"{h.name}({text}, {r.choice(('e=', ''))}{other}, s={self.scalar(s, 0)})"
        if h.gives in ("same", "view"):
            self.add(s, call, (self.n,), a.root)
        elif h.gives == "float":
            name = self.name()
            self.w.line(f"{name} = {call}")
            s.floats.append(name)
        else:
            self.w.line(call)
        return None

    def closure_statement(self, s: Scope, depth: int) -> None:
        """A nested function that writes an array of the enclosing one."""
        able = [a for a in self.writable(s) if a.plain]
        if not able:
            return self.write_statement(s, depth)
        self.fresh += 1
        a = self.r.choice(able)
        inner = Scope([a], ["s", "r"], helpers=False)
        with self.w.block(f"def g{self.fresh}(r):"):
            left, _ = (self.target1 if len(a.shape) == 1 else self.target2)(inner, a)
            left = f"{a.name}[:]" if left == a.name else left
            self.w.line(f"{left} += {self.scalar(inner, 1)}")
        self.w.line(f"g{self.fresh}({self.scalar(s, 0)})")
        if self.r.chance(0.4):
            self.w.line(f"g{self.fresh}({self.scalar(s, 0)})")
        return None

    def if_statement(self, s: Scope, depth: int) -> bool:
        ended = True
        heads = ["if {}:"] + ["elif {}:"] * self.r.chance(0.15) + ["else:"] * self.r.chance(0.45)
        for head in heads:
            with self.w.block(head.format(self.test(s))):
                ended = self.block(s.copy(arms=1), self.r.randint(1, 2), depth - 1) and ended
        return ended and heads[-1] == "else:"

    def for_statement(self, s: Scope, depth: int) -> None:
        r, a = self.r, self.r.choice(s.arrays)
        i = "ijlm"[s.loops % 4]
        inner = s.copy(loops=1)
        n = a.shape[0]
        heads = {
            f"range(len({a.name}))": n,
            f"range({n})": n,
            f"range({r.randint(1, n)})": n,
            f"range({n - 1}, -1, -1)": n,
        }
        heads.update({f"range(1, {a.name}.shape[0])": n, f"reversed(range({n}))": n, f"range(0, {n}, 2)": n})
        heads.update({"range(k + 1)": 2} if "k" in dict(s.ints) else {})
        head, bound = r.choice(list(heads.items()))
        inner.ints = [(name, b) for name, b in inner.ints if name != i] + [(i, bound)]
        with self.w.block(f"for {i} in {head}:"):
            self.block(inner, r.randint(1, 3), depth - 1)
            self.rotate(inner)

    def rotate(self, s: Scope) -> None:
        """At the end of a trip: u, v = v, u, or a rotation of three buffers."""
        if not self.r.chance(0.3):
            return
        names = [a for a in s.arrays if a.plain and len(s.sharing(a)) == 1 and a.name not in ("x", "y", "A")]
        for shape in sorted({a.shape for a in names}):
            same = [a.name for a in names if a.shape == shape]
            if len(same) >= 2:
                chosen = self.r.sample(same, 3 if len(same) > 2 and self.r.chance(0.4) else 2)
                self.w.line(f"{', '.join(chosen)} = {', '.join(chosen[1:] + chosen[:1])}")
                return

    def rows_statement(self, s: Scope, depth: int) -> None:
        r = self.r
        inner = s.copy(loops=1)
        matrices = [a for a in s.arrays if len(a.shape) == 2]
        vectors = [a for a in s.arrays if len(a.shape) == 1]
        if matrices and r.chance(0.7):
            a = r.choice(matrices)
            row = self.name()
            kind = r.choice(
                ("for {r} in {a}:", "for {r} in {a}:", "for {i}, {r} in enumerate({a}):", "for {r} in {a}.T:")
            )
            shape = a.shape[:1] if ".T" in kind else a.shape[1:]
            with self.w.block(kind.format(r=row, a=a.name, i="o")):
                held = Array(row, shape, a.root)
                inner.arrays.append(held)
                if "enumerate" in kind:
                    inner.ints.append(("o", a.shape[0]))
                if a.root not in self.frozen:
                    self.write_statement(inner, 0, held)
                self.block(inner, r.randint(1, 2), depth - 1)
            return
        if not vectors:
            return
        a = r.choice(vectors)
        same = [b for b in vectors if b.shape == a.shape]
        e, g = self.name(), self.name()
        with self.w.block(
            r.choice((f"for {e} in {a.name}:", f"for {e}, {g} in zip({a.name}, {r.choice(same).name}):"))
        ):
            inner.floats += [e, g] if "zip" in self.w.lines[-1] else [e]
            self.block(inner, r.randint(1, 2), depth - 1)

    def while_statement(self, s: Scope, depth: int) -> None:
        self.fresh += 1
        k, most = f"k{self.fresh}", self.r.randint(2, 3)
        self.w.line(f"{k} = 0")
        inner = s.copy(loops=1)
        inner.ints.append((k, most + 1))
        with self.w.block(f"while {k} < {most}{f' and ({self.test(s)})' if self.r.chance(0.5) else ''}:"):
            self.w.line(f"{k} += 1")
            self.block(inner, self.r.randint(1, 2), depth - 1)
            self.rotate(inner)

    def exit_statement(self, s: Scope, depth: int) -> None:
        kind = self.r.choice(("break", "continue", "break", "continue", "return"))
        with self.w.block(f"if {self.test(s)}:"):
            if self.r.chance(0.4):
                self.write_statement(s.copy(arms=1), 0)
            self.final(s) if kind == "return" and s.helpers else self.w.line(kind.replace("return", "break"))


def generate(seed: int) -> Program:
    return Heap(seed).program()
