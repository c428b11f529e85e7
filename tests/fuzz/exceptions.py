"""Programs that handle exceptions, and programs that take their numbers from generator functions.

The statements are those of the family `control`. In a `try`, expressions may raise: logarithms, quotients of ints,
subscripts, calls of functions that check their argument. Generator functions stand before `f` and in it.
"""

from __future__ import annotations

from tests.fuzz.control import Control, Scope
from tests.fuzz.features import EXCEPTIONS as FEATURES
from tests.fuzz.program import Program

__all__ = ["FEATURES", "generate"]

OUTSIDE = '''import contextlib


class Attempt:
    def __init__(self, handled):
        self.handled = handled

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, self.handled)


@contextlib.contextmanager
def reporting(x):
    print('in', x)
    try:
        yield 0.5 * x
    except ZeroDivisionError:
        print('no quotient')
    finally:
        print('out')


def checked(x):
    if x > 0.7:
        raise ValueError('too large')
    return 0.5 * x
'''
HANDLED = {
    "ValueError": 3.0, "ZeroDivisionError": 1.5, "(ValueError, IndexError)": 1.5, "LookupError": 1.5,
    "ArithmeticError": 1.0, "KeyError": 0.7, "Exception": 2.5,
}  # fmt: skip


class Exceptions(Control):
    """Programs of this family.

    raising     positive where what raises is handled; `tries`: in a `try`, its handlers included
    nested      the loops over generators around this place: a body is compiled once for each `yield`
    generators  the generator functions that may be called; `straight`: those with a fixed number of items
    """

    HELPERS = (0, 0, 1)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.raising = self.tries = self.nested = 0
        self.generating = False
        self.generators: list[str] = []
        self.straight: list[str] = []

    def program(self) -> Program:
        r, line = self.r, self.w.line
        line(OUTSIDE)
        for k in range(r.choice((0, 1, 1, 1, 2))):
            self.generator(f"h_{k}", Scope(["x"], ["m"], fixed=("x", "m")), ["x", "m"], r.randint(2, 4))
        self.straight_generator("h_s")
        return super().program()

    def generator(self, name: str, s: Scope, parameters: list[str], count: int) -> None:
        """A generator function; it yields at least once if control comes to its end."""
        generating, self.generating = self.generating, True
        raising, self.raising = self.raising, 0
        pair, self.pair = self.pair, False
        budget, self.budget = self.budget, 6
        with self.w.block(f"def {name}({', '.join(parameters)}):"):
            if not self.block(s, count, 2):
                self.yield_statement(s, 0)
            else:  # a generator all the same
                self.w.line("yield 0.0")
        self.generating, self.raising, self.pair, self.budget = generating, raising, pair, budget
        self.generators.append(name)

    def straight_generator(self, name: str) -> None:
        """A generator function that always yields the same number of items."""
        s = Scope(["x"], ["m"], fixed=("x", "m"))
        with self.w.block(f"def {name}(x, m):"):
            for _ in range(self.r.randint(1, 3)):
                if self.r.chance(0.6):
                    self.assign_statement(s, 0)
                self.w.line(f"yield {self.bounded(s)}")
        self.straight.append(name)
        self.generators.append(name)

    # --- expressions -------------------------------------------------------------------------

    def leaf(self, s: Scope) -> str:
        return super().leaf(s.copy(maybe=[]) if self.tries else s)  # sct refuses what a handler would see unbound

    def num(self, s: Scope, depth: int) -> str:
        if self.raising and depth > 0 and self.r.chance(0.3):
            return self.may_raise(s)
        if self.generators and depth > 1 and not self.generating and self.r.chance(0.05):
            return self.reduced(s)
        return super().num(s, depth)

    def may_raise(self, s: Scope) -> str:
        r, a, i = self.r, self.leaf(s), self.r.choice(s.ints or ["2"])
        table = {
            f"math.log({a})": 3.0, f"math.asin({a})": 1.0, f"(math.sin({a}) / ({i} - {r.randint(0, 3)}))": 2.0,
            f"[{a}, {self.leaf(s)}][{i}]": 1.5, f"{{0: {a}, 1: {self.leaf(s)}}}[{i}]": 1.0, f"checked({a})": 3.0,
        }  # fmt: skip
        if s.arrays:
            table[f"{r.choice(s.arrays)}[{i} + {r.randint(0, 4)}]"] = 2.0
        return r.pick(table)

    def reduced(self, s: Scope) -> str:
        """A number made of what a generator yields."""
        g = self.generated(s)
        return self.r.choice((f"math.tanh(sum({g}))", f"max({g}, default=0.0)",
                              f"next({self.generated(s, self.straight)}, 0.5)",
                              f"math.sin(sum(v_ * v_ for v_ in {g}))"))

    def generated(self, s: Scope, among: list[str] | None = None) -> str:
        """A call of a generator function."""
        name = self.r.choice(among or self.generators)
        return f"{name}({self.leaf(s)}, {self.r.choice((*s.ints, '3', '2'))})"

    # --- statements --------------------------------------------------------------------------

    def kinds(self, s: Scope, depth: int) -> dict[str, float]:
        table = super().kinds(s, depth)
        if depth > 0 and self.budget > 0 and not self.generating:  # sct refuses a `yield` in a `try`
            table.update({"try_": 6.0, "with_": 1.5, "inner_generator": 0.8})
        if self.raising:
            table.update({"raise_": 1.5})
        if self.generating:
            table.update({"yield_": 5.0})
        if self.generators and not self.generating:
            table.update({"items": 1.2, "first": 0.0 if self.nested else 1.0})
        return table

    def yield_statement(self, s: Scope, depth: int) -> None:
        if self.generators and self.r.chance(0.25) and "m" in s.ints:
            self.w.line(f"yield from {self.r.choice(self.generators)}({self.leaf(s)}, m)")
            return
        self.w.line(f"yield {self.bounded(s)}")

    def inner_generator_statement(self, s: Scope, depth: int) -> None:
        """A generator function that reads the names around it."""
        self.fresh += 1
        names = [n for n in s.floats if n not in ("x", "m")]
        inner = Scope([*names, "t_"], ["m"], reads=list(s.reads), arrays=list(s.arrays), fixed=(*names, "m"),
                      names="ABC")
        kept = list(self.generators)
        self.generator(f"g_{self.fresh}", inner, ["t_", "m"], self.r.randint(1, 2))
        self.generators = [*kept, f"g_{self.fresh}"] if not self.conditional and not s.loop else kept

    def items_statement(self, s: Scope, depth: int) -> None:
        self.fresh += 1
        name = f"items{self.fresh}"
        self.w.line(f"{name} = [0.25, *{self.generated(s)}]")
        s.lists += [f"{name}[0]", f"{name}[-1]"]

    def first_statement(self, s: Scope, depth: int) -> None:
        """The first item, then the others."""
        self.fresh += 1
        it, a, v = f"it{self.fresh}", *self.r.sample(s.names, 2)
        self.w.line(f"{it} = {self.generated(s, self.straight)}")
        self.w.line(f"{a} = next({it}, 0.0)")
        s.define(a)
        self.loop_over_items(s, f"for {v} in {it}:", [], [v], 1)

    def for_statement(self, s: Scope, depth: int) -> bool:
        if not self.generators or self.nested > 1 or self.r.chance(0.7 if self.generating or self.nested else 0.35):
            return super().for_statement(s, depth)
        g, v, i = self.generated(s), self.r.choice(s.names), f"{'ijkl'[3 - min(depth, 3)]}"
        again = self.generated(s, self.straight)
        heads = [(f"for {v} in {g}:", [], [v]), (f"for {v} in {g}:", [], [v]),
                 (f"for {i}, {v} in enumerate({g}):", [i], [v]), (f"for {i}, {v} in zip(range(3), {again}):", [i], [v])]
        head, ints, floats = self.r.choice(heads)
        return self.loop_over_items(s, head, ints, floats, depth)

    def loop_over_items(self, s: Scope, head: str, ints: list[str], floats: list[str], depth: int) -> bool:
        self.nested += 1
        try:
            return self.loop(s, head, ints, floats, depth)
        finally:
            self.nested -= 1

    def exit_statement(self, s: Scope, depth: int) -> bool:
        if not self.generating:
            return super().exit_statement(s, depth)
        self.w.line(self.r.choice(("return", "break", "continue")) if s.loop else "return")
        return True

    def def_statement(self, s: Scope, depth: int) -> None:
        generating, self.generating = self.generating, False
        raising, self.raising = self.raising, 0
        super().def_statement(s, depth)
        self.generating, self.raising = generating, raising

    def handled_body(self, s: Scope, count: int, depth: int) -> bool:
        """Statements that may raise, and at least one that does so now and then."""
        self.raising += 1
        name = self.target(s)
        first = self.r.chance(0.5)
        done = False
        if first:
            self.w.line(f"{name} = {self.may_raise(s)}")
            s.define(name)
        done = self.block(s, count, depth - 1)
        if not first and not done:
            self.w.line(f"{name} = {self.may_raise(s)}")
            s.define(name)
        self.raising -= 1
        return done

    def try_statement(self, s: Scope, depth: int) -> bool:
        self.tries += 1
        try:
            return self.tried(s, depth)
        finally:
            self.tries -= 1

    def tried(self, s: Scope, depth: int) -> bool:
        r, before = self.r, s.copy()
        body = s.copy()
        with self.w.block("try:"):
            ended = self.handled_body(body, r.randint(1, 3), depth)
        thrown = before.copy()
        thrown.maybe = [*thrown.maybe, *(n for n in body.floats + body.maybe if n not in thrown.floats + thrown.maybe)]
        arms: list[Scope] = []
        kinds = [r.pick(HANDLED) for _ in range(r.choice((1, 1, 1, 2)))]
        if "Exception" in kinds[:-1]:
            kinds = ["Exception"]
        if all(k not in ("Exception", "ValueError", "(ValueError, IndexError)") for k in kinds) and r.chance(0.9):
            kinds.append("Exception")
        for kind in dict.fromkeys(kinds):
            named = r.chance(0.35)
            handler = thrown.copy()
            with self.w.block(f"except {kind}{' as error' if named else ''}:"):
                if named:
                    self.w.line(r.choice(("print(error)", "print(type(error).__name__)")))
                done = self.block(handler, r.randint(1, 2), depth - 1)
                if not done and r.chance(0.04):
                    self.w.line("raise")
                    done = True
            if not done:
                arms.append(handler)
        if not ended and r.chance(0.3):
            with self.w.block("else:"):
                ended = self.block(body, r.randint(1, 2), depth - 1)
        if not ended:
            arms.append(body)
        if r.chance(0.25):
            final = before.copy()
            with self.w.block("finally:"):
                self.augmented_statement(final, 0)
                if r.chance(0.3):
                    self.print_statement(before, 0)
            for arm in arms:
                for n in final.floats:
                    if n not in before.floats:
                        arm.define(n)
        s.join(arms or [thrown])
        return not arms

    def with_statement(self, s: Scope, depth: int) -> bool:
        self.tries += 1
        try:
            return self.managed(s, depth)
        finally:
            self.tries -= 1

    def managed(self, s: Scope, depth: int) -> bool:
        body = s.copy()
        self.fresh += 1
        name, leaf = f"e{self.fresh}", self.leaf(s)
        managers = {
            "contextlib.suppress(ValueError, LookupError, ArithmeticError)": 2.0,
            "Attempt((ValueError, LookupError, ArithmeticError))": 2.0,
            f"reporting({leaf}) as {name}": 2.0 if not self.raising or self.r.chance(0.3) else 0.0,
        }
        manager = self.r.pick(managers)
        with self.w.block(f"with {manager}:"):
            if manager.startswith("reporting"):
                body.floats.append(name)
                ended = self.block(body, self.r.randint(1, 2), depth - 1)
            else:
                ended = self.handled_body(body, self.r.randint(1, 2), depth)
        s.join([s.copy(), body])
        return False


def generate(seed: int) -> Program:
    return Exceptions(seed).program()
