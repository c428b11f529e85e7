"""Random programs over arrays that several names, containers and objects hold, and that loops rotate and rewrite.

In: a seed. Out: a program over two arrays and an int. Lists, tuples, dicts, deques and an object start with arrays that
may be the same one; loops swap and replace them, append to windows, and read and write elements at run-time positions.
What is written into in place is made by the program, and is held once.
"""

from __future__ import annotations

import ast

from tests.fuzz.features import Feature, in_loop, inside, method, nodes, np_call, where, writes
from tests.fuzz.program import Program
from tests.fuzz.two_arrays import OfTwoArrays

__all__ = ["FEATURES", "generate"]

HEADER = """from collections import deque

G = np.array([0.5, -0.2, 0.8])

class State:
    def __init__(self, p, q):
        self.p = p
        self.q = q

    def step(self, v):
        self.p, self.q = self.q, self.p * 0.5 + v

def pick(a, b, t):
    return a if t % 2 else b
"""


def holds_twice(n: ast.AST) -> bool:
    """Is this a list or dict that holds one variable twice?"""
    items = n.elts if isinstance(n, ast.List) else n.values if isinstance(n, ast.Dict) else []
    names = [x.id for x in items if isinstance(x, ast.Name)]
    return len(set(names)) < len(names)


FEATURES = (
    Feature("one array twice", 0.15, where((ast.List, ast.Dict), holds_twice)),
    Feature("swap", 0.40, where(ast.Assign, lambda n: isinstance(n.targets[0], ast.Tuple))),
    Feature("window", 0.10, method("popleft", "pop")),
    Feature("nested loop", 0.08, inside(ast.For, 1, ast.For, ast.While)),
    Feature("while", 0.10, nodes(ast.While)),
    Feature("break or continue", 0.05, nodes(ast.Break, ast.Continue)),
    Feature("write in place", 0.25, writes(ast.AugAssign, lambda t: isinstance(t, ast.Subscript))),
    Feature("product in a loop", 0.30, in_loop(where(ast.BinOp, lambda n: isinstance(n.op, ast.MatMult)))),
    Feature("roll", 0.10, np_call("roll")),
    Feature("method that rebinds attributes", 0.08, method("step")),
)


class Buffers(OfTwoArrays):
    family, header, counts = "buffers", HEADER, (4, 0, 7)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.arrays = ["u", "w"]
        self.slots: list[str] = []
        self.windows: list[str] = []
        self.own: list[str] = []
        self.has_state = False
        self.bounded = False
        self.in_loop = ""

    def body(self) -> str:
        for _ in range(self.r.randint(1, 2)):
            self.loop(depth=2, counter="n")
        return self.result()

    def start(self) -> None:
        """Names and containers that may hold one array twice."""
        r = self.r
        for name in ("a", "b"):
            self.w.line(f"{name} = {r.choice(('u', 'w', 'a' if name == 'b' else 'u', self.fresh()))}")
            self.arrays.append(name)
            self.slots.append(name)
        kinds = {"list": 1.0, "dict": 0.6, "state": 0.5, "window": 0.5, "own": 0.7}
        for kind in [k for k, p in kinds.items() if r.chance(p)] or ["list"]:
            p, q, z = (r.choice([*self.arrays[:4], self.fresh()]) for _ in range(3))
            if kind == "list":
                self.w.line(f"L = [{p}, {q}, {z}]")
                self.slots += ["L[0]", "L[1]", "L[2]", "L[t % 3]"]
            elif kind == "dict":
                self.w.line(f"D = {{'p': {p}, 'q': {q}}}")
                self.slots += ["D['p']", "D['q']"]
            elif kind == "state":
                self.w.line(f"o = State({p}, {q})")
                self.slots += ["o.p", "o.q"]
                self.has_state = True
            elif kind == "window":
                made = r.choice((f"deque([{p}], maxlen=2)", f"[{p}]", f"[{p}, {q}]"))
                self.w.line(f"h = {made}")
                self.windows.append("h")
                self.bounded = "maxlen" in made
            else:
                self.w.line(f"m = {r.choice(('u * 1.0', 'np.zeros(3)', 'w.copy()'))}")
                self.own.append("m")

    # -- expressions ------------------------------------------------------------------------------------

    def slot(self) -> str:
        return self.r.choice(self.slots)

    def array(self) -> str:
        """An array that somebody holds."""
        held = [*self.arrays, *(s for s in self.slots if self.in_loop or "t %" not in s), "G", *self.own]
        held += [f"{h}[{self.r.choice(('-1', '0'))}]" for h in self.windows]
        held += [f"{h}[t % len({h})]" for h in self.windows if self.in_loop]
        return self.r.choice(held)

    def fresh(self) -> str:
        """A new array of numbers that stay small."""
        r = self.r
        p, q = self.array(), self.array()
        if not self.slots:
            return r.choice(("u * 1.0", "u * w", "np.sin(w)"))
        return r.choice((f"np.sin({p})", f"{p} * {q}", f"0.5 * {p} + 0.3 * {q}", f"np.roll({p}, 1)",
                         f"0.5 * ({p} - {q})", f"np.tanh({p} + {q})"))

    def value(self) -> str:
        """An array that may be held by another name."""
        r = self.r
        return r.choice((self.array(), self.fresh(), self.fresh(), f"pick({self.array()}, {self.array()}, t)"))

    def number(self) -> str:
        p, q = self.array(), self.array()
        k = self.r.choice(("0", "1", "2", "t % 3") if self.in_loop else ("0", "1", "2"))
        return self.r.choice((f"{p}[{k}]", f"{p}[{k}] * {q}[0]", f"{p} @ {q}", f"np.sum(({p} + {q}) ** 2)"))

    # -- statements -------------------------------------------------------------------------------------

    def loop(self, depth: int, counter: str) -> None:
        r = self.r
        around = self.in_loop
        if r.chance(0.25) and not around:
            self.w.line("t = 0")
            self.in_loop = "while"
            with self.w.block("while t < n:"):
                self.block(depth)
                self.w.line("t += 1")
        else:
            self.in_loop = "for"
            with self.w.block(f"for {'i' if around else 't'} in range({counter}):"):
                self.block(depth)
                if r.chance(0.15):
                    with self.w.block(f"if {self.number()} > {r.number(0.5, 3.0)}:"):
                        self.w.line("break")
        self.in_loop = around

    def block(self, depth: int) -> None:
        for _ in range(self.r.randint(2, 4)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        r = self.r
        kinds = {"number": 3.0, "swap": 2.5, "replace": 2.0, "if": 0.8, "loop": 0.8 * (depth == 2),
                 "window": 2.0 * bool(self.windows), "step": 1.2 * self.has_state, "own": 2.5 * bool(self.own)}
        kind = r.pick(kinds)
        if kind == "number":
            self.w.line(f"s = {r.choice(('s', '0.5 * s'))} + {self.number()}")
        elif kind == "swap":
            slots = r.sample(sorted({s for s in self.slots if s != "L[t % 3]"}), 2)
            slots += r.sample(["a", "b"], 1) if r.chance(0.3) else []
            turned = slots[1:] + slots[:1]
            if r.chance(0.4):
                turned[r.randrange(len(turned))] = self.value()
            self.w.line(f"{', '.join(slots)} = {', '.join(turned)}")
        elif kind == "replace":
            self.w.line(f"{self.slot()} = {self.value()}")
        elif kind == "if":
            with self.w.block(f"if {r.choice(('t % 2 == 0', f'{self.number()} > {r.number(-0.5, 0.5)}'))}:"):
                self.statement(0)
                if r.chance(0.2) and self.in_loop == "for":
                    self.w.line("continue")
        elif kind == "loop":
            self.loop(1, r.choice(("2", "t", "3")))
        elif kind == "window":
            h = self.windows[0]
            self.w.line(f"{h}.append({self.value()})")
            if not self.bounded:
                with self.w.block(f"if len({h}) > 2:"):
                    self.w.line(f"{h}.pop(0)")
        elif kind == "step":
            self.w.line(f"o.step({self.value()})")
        else:
            at = r.choice(("m[t % 3]", "m[0]", "m[1:]", "m[:]", "m[::-1]"))
            value = f"math.tanh({self.number()})" if at in ("m[t % 3]", "m[0]") else f"{self.fresh()}{at[1:]}"
            self.w.line(f"{at} {r.choice(('=', '+=', '+='))} {r.choice(('0.5 * ', ''))}{value}")

    def result(self) -> str:
        parts = ["s"] + [self.number() for _ in range(self.r.randint(2, 3))]
        return " + ".join(parts)


def generate(seed: int) -> Program:
    return Buffers(seed).program()
