"""The memory that the tapes of a function take, as a formula in its arguments.

    tape = [u for each i in range(n)], u: f64[m]   ->   "{1} * ({0}.shape[0] * 8 + 112)"

In:  a function that is ready to print. Out: the text of an expression, in which `{k}` is the k-th argument.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sct.ir.core import Eqn, Fn, Lit, Operand, Value
from sct.ir.dims import Dim
from sct.ir.loop_view import LoopView, is_counted, loop_view
from sct.ir.types import INT, Optional, Seq, Tensor, Undef
from sct.ops.registry import aliases
from sct.ops.type_rules import numpy_dtype

__all__ = ["TapeBytes", "tape_bytes"]

NUMBER = 32
"""A float, and its place in a list."""
HEADER = 112
"""What an array takes besides its elements."""


@dataclass(frozen=True)
class TapeBytes:
    """
    total    of all tapes, at most; None if there is no bound for the iterations of a loop before it runs
    largest  of the loop whose tapes are largest, among those that are not left early and whose number of iterations is
             known; "0" if there is none
    """

    total: str | None
    largest: str


def tape_bytes(fn: Fn, compiled: bool) -> TapeBytes:
    """The memory that the tapes of `fn` take, those of functions that it calls left out.

    compiled  tapes of numbers are arrays
    """
    of_number = 8 if compiled else NUMBER
    bounded, certain = ([t for eqn in fn.eqns for t in sizes.of_tapes(eqn) if t != "0"]
                        for sizes in (_Sizes(fn, of_number), _Sizes(fn, of_number, certain=True)))
    formulas = [t for t in certain if t is not None]
    return TapeBytes(None if None in bounded else " + ".join(map(str, bounded)) or "0",
                     f"max({', '.join(formulas)})" if len(formulas) > 1 else formulas[0] if formulas else "0")


class _Sizes:
    """Formulas for numbers of iterations and bytes.

    of_number    the bytes of a number
    certain      is a number of iterations not known where a loop may be left early?
    sizes        for the symbol of a size: the argument that has it
    definitions  for a value: the equation that binds it
    """

    def __init__(self, fn: Fn, of_number: int, certain: bool = False) -> None:
        self.of_number, self.certain = of_number, certain
        self.sizes: dict[str, str] = {}
        self.definitions: dict[Value, Eqn] = {}
        self.numbers: dict[Value, str] = {}
        for k, p in enumerate(fn.params):
            if p.type == INT:
                self.numbers[p] = f"{{{k}}}"
            if p.type == INT and p.dim is not None and len(p.dim.terms) == 1 and str(p.dim) == str(p.dim.terms[0][0]):
                self.sizes.setdefault(str(p.dim), f"{{{k}}}")
            for axis, d in enumerate(p.type.shape if isinstance(p.type, Tensor) else ()):
                if d.terms and str(d) == str(d.terms[0][0]):
                    self.sizes.setdefault(str(d), f"{{{k}}}.shape[{axis}]")
        self.define(fn)

    def define(self, fn: Fn) -> None:
        for eqn in fn.eqns:
            self.definitions.update((out, eqn) for out in eqn.outs)
            for region in eqn.regions:
                self.define(region)

    def of_tapes(self, eqn: Eqn) -> list[str | None]:
        """The bytes of the tapes that a loop fills, or the loops in the branches of a conditional.

        Those of the loops in it are live in one iteration at a time, if it does not put them on a tape itself.
        """
        if eqn.op.name != "loop":
            return [t for region in eqn.regions for inner in region.eqns for t in self.of_tapes(inner)]
        loop = loop_view(eqn)
        inside = [t for inner in loop.body.eqns for t in self.of_tapes(inner)]
        own, count = self.of_iteration(loop), self.count(loop)
        if None in inside or own != "0" and count is None:
            return [None]
        parts = [t for t in inside if t != "0"] + ([f"{count} * ({own})"] if own != "0" else [])
        return [" + ".join(map(str, parts)) or "0"]

    def of_iteration(self, loop: LoopView) -> str:
        """The bytes that an iteration adds to the tapes of the loop."""
        buffers: dict[Operand, str] = {}
        for y in loop.yields:
            buffer = self.buffer(loop, y)
            if buffer is not None:
                buffers.setdefault(buffer, self.bytes_of(y) or "0")
        parts = Counter(text for text in buffers.values() if text != "0")
        return " + ".join(text if n == 1 else f"{n} * ({text})" for text, n in parts.items()) or "0"

    def buffer(self, loop: LoopView, y: Operand) -> Operand | None:
        """The value whose memory an element is in; None if it is not its own."""
        carried = set()
        while y in loop.params:  # the iteration before has computed it, or carried it, too
            carried.add(y)
            y = loop.results[loop.params.index(y)]
            if y in carried or y in loop.params and y not in loop.yields:
                return None
        eqn = self.definitions.get(y) if isinstance(y, Value) else None
        if eqn is None or not eqn.regions and aliases(eqn) != "none":
            return None
        return y

    def bytes_of(self, x: Operand) -> str | None:
        """The bytes of a value, as far as they are known."""
        t = x.type
        while isinstance(t, (Optional, Undef)):
            t = t.elem
        if isinstance(t, Seq):
            eqn = self.definitions.get(x) if isinstance(x, Value) else None
            if eqn is None or eqn.op.name != "loop":
                return None
            loop = loop_view(eqn)
            count = self.count(loop)
            element = self.bytes_of(loop.yields[loop.ys.index(x)]) if x in loop.ys else None
            return None if count is None or element is None else f"{count} * ({element})"
        if not isinstance(t, Tensor):
            return None
        if t.is_scalar:
            return str(self.of_number)
        factors = [self.size(d) for d in t.shape]
        if None in factors:
            return None
        return " * ".join([*map(str, factors), str(numpy_dtype(t.dtype.removeprefix("r")).itemsize)]) + f" + {HEADER}"

    def count(self, loop: LoopView) -> str | None:
        """The number of iterations; at most so many, if the loop may be left early."""
        if not is_counted(loop.bounds) or self.certain and loop.body.results[0] != Lit(True):
            return None
        start, stop, step = loop.bounds
        last = self.definitions.get(stop) if isinstance(stop, Value) else None
        if last is not None and last.op.name in ("pymin", "pymax"):  # a segment
            stride = self.definitions.get(last.args[0]) if isinstance(last.args[0], Value) else None
            if stride is not None and stride.op.name == "add" and start in stride.args:
                length = self.number(next(x for x in stride.args if x is not start))
                return self.divided(length, step)
        first, end = self.number(start), self.number(stop)
        if first is None or end is None:
            return None
        return self.divided(end if first == "0" else f"({end} - {first})", step)

    def divided(self, length: str | None, step: Operand) -> str | None:
        by = self.number(step)
        if length is None or by is None:
            return None
        return length if by == "1" else f"({length} // {by} + 1)"

    def size(self, d: Dim) -> str | None:
        if any(str(atom) not in self.sizes for atom, _ in d.terms):
            return None
        terms = [self.sizes[str(atom)] if coef == 1 else f"{coef} * {self.sizes[str(atom)]}" for atom, coef in d.terms]
        text = " + ".join([*terms, *([str(d.const)] if d.const or not terms else [])])
        return text if len(d.terms) + bool(d.const) < 2 else f"({text})"

    def number(self, x: Operand) -> str | None:
        """An int as a formula."""
        if isinstance(x, Lit):
            return str(x.value) if type(x.value) is int else None
        assert isinstance(x, Value)
        if x in self.numbers:
            return self.numbers[x]
        text = self.size(x.dim) if x.dim is not None else None
        eqn = self.definitions.get(x)
        if text is not None or eqn is None or eqn.op.name not in _FORMS:
            return text
        args = [self.number(a) for a in eqn.args]
        return None if None in args else _FORMS[eqn.op.name].format(*args)


_FORMS = {"add": "({} + {})", "sub": "({} - {})", "mul": "({} * {})", "floordiv": "({} // {})", "abs": "abs({})",
          "isqrt": "int({} ** 0.5)", "pymin": "min({}, {})", "pymax": "max({}, {})"}
