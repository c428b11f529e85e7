"""Random programs in which items of containers have other names, and one of the names is written in place.

In: a seed. Out: a program over two arrays and an int. Arrays, small objects and lists are items of lists, dicts, tuples
and objects, have names beside that, and are written through any of them: elements, views, whole arrays, in branches,
in loops that end early, in helpers and closures, at positions that only the run tells. Every other name is read later.
"""

from __future__ import annotations

import ast
import contextlib

from tests.fuzz.features import Feature, in_arm, in_loop, inside, method, nodes, where, writes
from tests.fuzz.program import Program
from tests.fuzz.two_arrays import OfTwoArrays

__all__ = ["FEATURES", "generate"]

HEADER = """import copy

class Box:
    def __init__(self, buf, v):
        self.buf = buf
        self.v = v

    def add(self, x):
        self.buf[0] += x
        self.v = self.v + x

def bump(x, v):
    x[0] += v
    return x

def scale(xs, v):
    for x in xs:
        x *= v

def pick(xs, i):
    return xs[i % len(xs)]

def push(xs, x):
    xs.append(x)
    return xs[-1]
"""


def is_item(n: ast.AST) -> bool:
    """Is this an item of a container, or an attribute?"""
    return isinstance(n, ast.Attribute) or isinstance(n, ast.Subscript) and not isinstance(n.slice, ast.Slice)


def of_run_time(n: ast.AST) -> bool:
    return isinstance(n, ast.Subscript) and isinstance(n.slice, ast.BinOp)


def names_an_item(n: ast.AST) -> bool:
    return isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and is_item(n.value)


AUG = where(ast.AugAssign, lambda n: isinstance(n.target, (ast.Name, ast.Subscript)))
FEATURES = (
    Feature("item with a name", 0.30, where(ast.Assign, names_an_item)),
    Feature("write to an item of an item", 0.15, writes(ast.AugAssign, lambda t: is_item(t) and is_item(t.value))),
    Feature("write in place in a loop", 0.30, in_loop(AUG)),
    Feature("write in place in a branch", 0.15, in_arm(AUG)),
    Feature("item at a run-time position", 0.25, where(ast.Subscript, of_run_time)),
    Feature("append", 0.15, method("append")),
    Feature("while", 0.05, nodes(ast.While)),
    Feature("break", 0.05, nodes(ast.Break)),
    Feature("swap", 0.10, where(ast.Assign, lambda n: isinstance(n.targets[0], ast.Tuple))),
    Feature("loop over items", 0.10, where(ast.For, lambda n: not isinstance(n.iter, ast.Call))),
    Feature("branch in a loop", 0.08, inside(ast.If, 1, ast.For, ast.While)),
)


class Aliases(OfTwoArrays):
    """Writes a program.

    arrays    expressions of arrays of three numbers; `names`: of those that a loop may bind first
    lists     expressions of lists of at least two of them; `tuples`: of tuples; `boxes`: of objects
    tame      containers start with arrays of their own, and get such arrays
    iterated  names that loops in progress give to items; `index`: the counter of the innermost loop
    """

    family, header, counts = "aliases", HEADER, (4, 0, 3, 1)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.arrays = ["a", "b"]
        self.lists: list[str] = []
        self.tuples: list[str] = []
        self.boxes: list[str] = []
        self.iterated: list[str] = []
        self.index = ""
        self.has_dict = self.has_view = False
        self.tame = self.r.chance(0.6)

    def body(self) -> str:
        for _ in range(self.r.randint(2, 4)):
            self.statement(2)
        return " + ".join(["s", *(self.number() for _ in range(self.r.randint(2, 4)))])

    # -- names and containers ------------------------------------------------------------------------------

    def start(self) -> None:
        """Names and containers that may hold one array twice."""
        r = self.r
        self.w.line(f"a = {self.fresh()}")
        self.w.line(r.choice(("b = a", "b = np.zeros(3)", "b = w * 1.0", "a = b = np.zeros(3)")))
        shares = {"list": 0.9, "boxes": 0.2, "rows": 0.25, "dict": 0.25, "tuple": 0.15, "box": 0.3, "second": 0.4}
        rare = 0.6 if self.tame else 1.0
        for kind, share in shares.items():
            if r.chance(share * (1.0 if kind in ("list", "boxes") else rare)):
                getattr(self, f"start_{kind}")()
        if not self.lists:
            self.start_list()
        self.arrays += [f"{box}.buf" for box in self.boxes]
        if r.chance(0.2):
            self.w.line(f"v = {self.array()}[1:]")
            self.has_view = True

    def start_list(self) -> None:
        r = self.r
        x, y = (self.either(), self.either()) if self.tame else (self.array(), self.either())
        few = (f"[{x}, {y}]", f"[{x}, {y}]", f"[{y}, {self.either()}, {x}]", "[np.zeros(3) for _ in range(3)]",
               f"[{x}] * 2", "[u * k for k in range(2)]", f"[{x} * 1.0, {y} * 2.0]")
        many = ("[u * k for k in range(n + 2)]", "[w + k for k in range(n + 2)]", "[u * w for _ in range(n)] + [w, u]",
                "[np.zeros(3) for _ in range(n + 2)]")
        same = (f"[{x} for _ in range(n + 2)]", f"[{x}, {y}] * (n + 1)")
        self.w.line(f"L = {r.choice(few if r.chance(0.6) else many if self.tame else many + same)}")
        self.lists.append("L")
        self.arrays += ["L[0]", "L[1]", "L[-1]"]
        if r.chance(0.25):
            with self.w.block("for t in range(n):"):
                item = r.choice(("u * t", "L[-1] * w", self.either(), *["a", "L[t]"] * (not self.tame)))
                self.w.line(f"L.append({item})")

    def start_boxes(self) -> None:
        first = f"Box({self.either()}, 1.0)"
        self.w.line("P = " + self.r.choice((
            f"[{first}, Box({self.either()}, {self.element()})]", "[Box(u * k, w[0]) for k in range(n + 2)]",
            f"[Box({self.either()}, u[0]) for _ in range(n + 2)]")))
        self.boxes += ["P[0]", "P[-1]"]

    def start_rows(self) -> None:
        rows = f"[[{self.either()}, {self.either()}], {self.r.choice(('[b, a]', 'L' if self.lists else '[a, a]'))}]"
        self.w.line("R = " + self.r.choice((rows, rows, "[[u * k, w * k] for k in range(n + 2)]",
                                            "[[u * 1.0 for _ in range(n + 2)] for _ in range(n + 2)]")))
        self.lists += ["R[0]", "R[1]"]
        self.arrays += ["R[0][0]", "R[1][1]", "R[0][-1]"]

    def start_dict(self) -> None:
        self.w.line(f"D = {{'p': {self.array()}, 'q': {self.either()}}}")
        self.has_dict = True
        self.arrays += ["D['p']", "D['q']"]

    def start_tuple(self) -> None:
        self.w.line(f"T = ({self.array()}, {self.either()})")
        self.arrays += ["T[0]", "T[1]"]
        self.tuples.append("T")

    def start_box(self) -> None:
        self.w.line(f"o = {self.r.choice(['P[0]'] * bool(self.boxes) + [f'Box({self.either()}, {self.element()})'])}")
        self.w.line(f"p = {self.r.choice(('o', f'Box({self.array()}, 0.5)', 'copy.copy(o)'))}")
        self.boxes += ["o", "p"]

    def start_second(self) -> None:
        """Another name of a list, or a list of the same items."""
        xs = self.r.choice(self.lists) if self.lists else "[a, b]"
        others = (xs, f"list({xs})", f"{xs}[:]", f"{xs}[0:2]", f"copy.copy({xs})", f"{xs} + [a]", f"[*{xs}, b]",
                  f"{xs}[::-1]", f"[x for x in {xs}]", f"[x for x in {xs} if x[0] > -0.2] + {xs}",
                  f"sorted({xs}, key=lambda x: x[0])", f"[x.copy() for x in {xs}]")
        self.w.line(f"K = {xs if self.tame else self.r.choice(others)}")
        self.lists.append("K")
        self.arrays += ["K[0]", "K[1]"]

    # -- expressions ---------------------------------------------------------------------------------------

    def counter(self) -> str:
        return self.index or "n"

    def at(self, xs: str) -> str:
        t = self.counter()
        return f"{xs}[{self.r.choice(('0', '1', '-1', f'{t} % 2', f'{t} % 2', f'{t} % len({xs})'))}]"

    def array(self) -> str:
        """An array that somebody holds."""
        r = self.r
        held = [*self.arrays, *self.iterated, *(self.at(xs) for xs in self.lists)]
        held += [f"pick({xs}, n)" for xs in [*self.lists, *self.tuples] if r.chance(0.3)]
        held += ["P[n % 2].buf"] * ("P[0]" in self.boxes)
        return r.choice(held)

    def either(self) -> str:
        """An array that gets a name or is put into a container: a new one, or one that has other names."""
        if self.tame:
            return f"{self.array()}.copy()" if self.r.chance(0.3) else self.fresh()
        return self.array() if self.r.chance(0.5) else self.fresh()

    def fresh(self) -> str:
        return self.r.choice(("u * 1.0", "np.zeros(3)", "w.copy()", "np.sin(u)", "u * w", "w + u",
                              "np.cos(w)" if self.tame else "u"))

    def element(self) -> str:
        return f"{self.r.choice(['u', 'w', self.array()])}[{self.r.choice('012')}]"

    def number(self) -> str:
        p, q = self.array(), self.array()
        parts = [f"{p}[{self.r.choice('012')}]", f"{p}[0] * {q}[1]", f"{p} @ {q}", f"np.sum({p} * w)",
                 f"np.sum({p} ** 2)", *(f"{box}.v" for box in self.boxes), *["np.sum(v)"] * self.has_view]
        return self.r.choice(parts)

    def condition(self) -> str:
        t, r = self.counter(), self.r
        return r.choice((f"{t} % 2 == 0", f"{t} > 1", f"{self.array()}[1] > {self.array()}[0]", "w[0] > u[0]",
                         f"{self.number()} > {r.number(-0.5, 0.5)}"))

    # -- statements ----------------------------------------------------------------------------------------

    def statement(self, depth: int) -> None:
        kinds = {"write": 4.0, "name": 1.8, "store": 1.3, "number": 0.7, "swap": 0.6, "append": 0.7, "helper": 0.8,
                 "if": 2.0 * (depth > 0), "loop": 3.0 * (depth > 0), "closure": 0.3 * (depth == 2),
                 "box": 1.0 * bool(self.boxes)}
        getattr(self, f"{self.r.pick(kinds)}_statement")(depth)

    def write_statement(self, depth: int) -> None:
        """A write in place; the item of a tuple, and the result of a call, gets a name first."""
        r, x = self.r, self.array()
        if x.startswith(("pick(", "T[")):
            self.w.line(f"x = {x}")
            x = "x"
        value = f"{r.choice(('', '0.5 * '))}math.tanh({self.number()})"
        k = r.choice(("0", "1", f"{self.counter()} % 3"))
        self.w.line(r.choice((
            f"{x}[{k}] = {value}", f"{x}[{k}] += {value}", f"{x}[{k}] *= 0.5", f"{x}[1:] += {value}",
            f"{x}[:] = 0.5 * {self.array()}", f"{x} *= {r.choice(('0.5', '-0.7', 'w'))}",
            f"{x} += np.tanh({self.array()})", f"np.add({x}, w, out={x})",
            *["v *= 0.5", f"v[0] = {value}"] * self.has_view)))

    def name_statement(self, depth: int) -> None:
        r = self.r
        if self.has_view and r.chance(0.2):
            self.w.line(f"v = {self.array()}[1:]")
            return
        name = r.choice("ab") if depth == 2 or r.chance(0.7) else "c"
        self.w.line(f"{name} = {self.either() if r.chance(0.4) else self.array()}")
        if name == "c" and name not in self.arrays:
            self.arrays.append("c")

    def store_statement(self, depth: int) -> None:
        slots = [x for x in self.arrays if x[0] not in "abcT"] + [self.at(xs) for xs in self.lists]
        self.w.line(f"{self.r.choice(slots)} = {self.either()}")

    def number_statement(self, depth: int) -> None:
        self.w.line(f"s = {self.r.choice(('s', '0.5 * s'))} + {self.number()}")

    def swap_statement(self, depth: int) -> None:
        xs = self.r.choice(self.lists)
        p, q = self.r.choice([("a", "b"), (f"{xs}[0]", f"{xs}[1]"), (f"{xs}[0]", f"{xs}[-1]"), ("a", f"{xs}[0]"),
                              (self.at(xs), f"{xs}[0]"), *[("D['p']", "D['q']")] * self.has_dict,
                              *[("R[0]", "R[1]")] * ("R[0]" in self.lists)])
        self.w.line(f"{p}, {q} = {q}, {p}")

    def append_statement(self, depth: int) -> None:
        if self.iterated:  # of the list that grows, maybe
            self.write_statement(depth)
            return
        xs = self.r.choice(self.lists)
        self.w.line(self.r.choice((
            f"{xs}.append({self.either()})", f"{xs}.append({self.either()})", f"a = push({xs}, {self.either()})",
            f"{xs}.insert(0, {self.either()})", f"{xs}.reverse()", f"{xs}.extend([{self.either()}])",
            f"{xs}.append({xs}.pop(0))", f"{xs} = {xs} + [{self.either()}]", f"{xs} = {xs}[1:] + [{self.either()}]")))

    def helper_statement(self, depth: int) -> None:
        r = self.r
        xs = r.choice([*self.lists, *self.tuples])
        self.w.line(r.choice((
            f"{r.choice('ab')} = bump({self.array()}, {self.element()})", f"bump({self.array()}, 0.3)",
            f"scale({xs}, {r.choice(('0.5', '-0.8'))})", f"bump(pick({xs}, {self.counter()}), {self.element()})")))

    def box_statement(self, depth: int) -> None:
        p, value = self.r.choice(self.boxes), f"math.tanh({self.number()})"
        self.w.line(self.r.choice((
            f"{p}.add({value})", f"{p}.v = {value}", f"{p}.v += {value}", f"{p}.buf = {self.either()}",
            f"{p if 'o' not in self.boxes else 'o'} = {self.r.choice(self.boxes)}", f"{p}.buf[1] += {value}")))

    def if_statement(self, depth: int) -> None:
        with self.w.block(f"if {self.condition()}:"):
            for _ in range(self.r.choice((1, 1, 2))):
                self.statement(0)
        if self.r.chance(0.4):
            with self.w.block("else:"):
                self.statement(0)

    def loop_statement(self, depth: int) -> None:
        r = self.r
        around, names = (self.index, [*self.iterated]), [*self.arrays]
        counter = "i" if self.index else "t"
        xs, ys = (r.choice([*self.lists, *self.tuples]) for _ in range(2))
        kind = r.choice(("range", "range", "range", "while", "items", "items", "enumerate", "zip"))
        items = {"items": ["r"], "enumerate": ["r"], "zip": ["y", "z"]}.get(kind, [])
        if kind == "while":
            self.w.line(f"{counter} = 0")
        with self.w.block({
                "range": f"for {counter} in range({r.choice(('n', 'n', '2'))}):", "while": f"while {counter} < n:",
                "items": f"for r in {r.choice((xs, xs, f'{xs}[:2]', '[a, b]', *['D.values()'] * self.has_dict))}:",
                "enumerate": f"for {counter}, r in enumerate({xs}):", "zip": f"for y, z in zip({xs}, {ys}):"}[kind]):
            self.index = around[0] if kind in ("items", "zip") else counter
            self.iterated += items
            late = kind in ("range", "while", "enumerate") and r.chance(0.25)
            if late:
                self.late_statement(counter)
            for _ in range(r.randint(1, 3)):
                self.statement(depth - 1)
            if late:
                with self.w.block(f"if {self.condition()}:") if r.chance(0.3) else contextlib.nullcontext():
                    self.w.line(f"q = {self.array()}")
            if r.chance(0.25):
                with self.w.block(f"if {self.condition()}:"):
                    self.w.line("break")
            if kind == "while":
                self.w.line(f"{counter} += 1")
        self.index, self.iterated = around
        if r.chance(0.8):
            self.arrays = names  # else what a loop binds first may be unbound behind it

    def late_statement(self, counter: str) -> None:
        """Reads or writes a name that an iteration before has bound."""
        with self.w.block(f"if {counter} > 0:"):
            self.w.line(self.r.choice(("s = s + q[0]", "q[0] += 0.3", "q *= 0.5", f"q[1:] = {self.array()}[1:]")))

    def closure_statement(self, depth: int) -> None:
        r = self.r
        x = r.choice([x for x in self.arrays if x[0] != "T"])
        with self.w.block("def inner(c):"):
            self.w.line(r.choice((f"{x}[0] += c", f"{x}[1:] *= c", f"{x}[:] = c")))
            self.w.line(f"return {x}")
        self.statement(0)
        self.w.line(f"{r.choice(('', 'a = '))}inner({r.choice(('0.4', self.element()))})")


def generate(seed: int) -> Program:
    return Aliases(seed).program()
