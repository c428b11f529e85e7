"""IR -> Python that Numba compiles.

    fn after `storage`   ->   def f(...): loops, variables, flat tapes

An equation is a statement, nothing is folded: LLVM does that.  A tape is an array with
a fill pointer; room for all trips is made before the loops, or before the innermost one
where only that knows its trips, so that a push does not ask.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.numba_spike.names import Names, Reading, Stack, Tapes, Unsupported, bare, is_undef
from sct.codegen.templates import expression
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, walk
from sct.ir.types import INT, Seq, Tensor, Type
from sct.ops.indexing import split
from sct.passes.loops import Loop, parts

HEAD = """
def grow(tape, need):
    bigger = np.empty(max(need, 2 * tape.size), tape.dtype)
    bigger[: tape.size] = tape
    return bigger
"""

DTYPES = {"b": "np.bool_", "i": "np.int64", "f": "np.float64"}
ZEROS = {"b": "False", "i": "0", "f": "0.0"}
UPDATES = {"add": "+=", "sub": "-=", "mul": "*=", "div": "/="}


def emit(fn: Fn, name: str) -> str:
    """The source of `fn`, a function of its flat parameters that returns a tuple of its flat results."""
    return _Emitter(fn).source(name)


def load(source: str, name: str, **options: Any) -> Any:
    """The source as a function, compiled by Numba (`options` of njit), or plain if there is none."""
    namespace: dict[str, Any] = {"np": np, "math": math}
    exec(HEAD, namespace)
    if options:
        from numba import njit

        namespace["grow"] = njit(**options)(namespace["grow"])
    exec(compile(source, f"<{name}>", "exec"), namespace)
    made = namespace[name]
    return njit(**options)(made) if options else made


class _Emitter:
    def __init__(self, fn: Fn) -> None:
        self.fn = fn
        self.names, self.tapes = Names(fn), Tapes(fn)
        self.lines: list[str] = []
        self.depth = 1
        self.arrays: dict[tuple[Stack, int], str] = {}
        self.fills: dict[Stack, tuple[str, str]] = {}
        self.pointers: dict[int, str] = {}
        self.prepared: set[Stack] = set()
        self.used = {self.names.find(a) for f in _functions(fn) for a in _reads(f)}

    def source(self, name: str) -> str:
        params = ", ".join(self.name(p) for p in self.fn.params)
        self.block(self.fn)
        results = "".join(f"{self.read(r)}, " for r in self.fn.results).rstrip()
        self.line(f"return {results}")
        tapes = [
            f"    {self.arrays[stack, j]} = np.empty(0, {_dtype(parts(stack.loop).yields[j].type)})"
            for stack, j in self.arrays
        ]
        return "\n".join([f"def {name}({params}):", *tapes, *self.lines, ""])

    # -- words ---------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def name(self, v: Value) -> str:
        return self.names.of(v)

    def read(self, x: Operand) -> str:
        x = self.names.find(x)
        if isinstance(x, Value):
            return self.name(x)
        if isinstance(x.value, float) and not math.isfinite(x.value):
            return {"inf": "np.inf", "-inf": "(-np.inf)", "nan": "np.nan"}[repr(x.value)]
        return repr(x.value) if not isinstance(x.value, (int, float)) or x.value >= 0 else f"({x.value!r})"

    def assign(self, targets: Sequence[Value], sources: Sequence[Operand]) -> None:
        """All at once, as the loop carries of a trip are."""
        pairs = [
            (self.name(t), self.read(s))
            for t, s in zip(targets, sources, strict=True)
            if not is_undef(s) and self.names.find(t) is not self.names.find(s)
        ]
        left = [t for t, _ in pairs]
        if any(s in left[:k] for k, (_, s) in enumerate(pairs)):
            self.line(f"{', '.join(left)} = {', '.join(s for _, s in pairs)}")
        else:
            for target, source in pairs:
                self.line(f"{target} = {source}")

    # -- statements ------------------------------------------------------------------------------

    def block(self, fn: Fn) -> None:
        for eqn in fn.eqns:
            if eqn.op.name == "loop":
                self.loop(eqn)
            elif eqn.op.name == "cond":
                self.cond(eqn)
            elif eqn.regions:
                raise Unsupported(eqn.op.name)
            elif eqn.op.name != "unwrap":
                self.statement(eqn)

    def inner(self, fn: Fn) -> None:
        self.depth += 1
        self.block(fn)

    def statement(self, eqn: Eqn) -> None:
        name, args = eqn.op.name, [self.read(a) for a in eqn.args]
        if name in ("store", "add_at"):
            if not set("am").isdisjoint(eqn.attrs["key"]):
                raise Unsupported("an index that is an array")
            if eqn.inplace is None:
                raise Unsupported(f"{name} that is not in place")
            sign = "=" if name == "store" else "+="
            self.line(f"{args[0]}[{_subscript(eqn.attrs['key'], args[2:])}] {sign} {args[1]}")
        elif eqn.inplace is not None:
            self.line(f"{args[0]} {UPDATES[name]} {args[1]}")
        elif eqn.op.effect:
            raise Unsupported(name)
        else:
            self.line(f"{self.name(eqn.out)} = {self.expression(eqn, args)}")

    def expression(self, eqn: Eqn, args: list[str]) -> str:
        name = eqn.op.name
        if name == "index":
            if isinstance(eqn.args[0].type, Seq):
                raise Unsupported("a sequence read by position")
            return f"{args[0]}[{_subscript(eqn.attrs['key'], args[1:])}]"
        if name == "copy":
            return f"{args[0]}.copy()"
        if name == "where" and not _is_array(eqn.out.type):
            return f"{args[1]} if {args[0]} else {args[2]}"
        text = expression(eqn).replace("numpy.", "np.")
        given = {"args": ", ".join(args), **{str(k): a for k, a in enumerate(args)}}
        given |= {k: repr(v) for k, v in eqn.attrs.items()}
        return re.sub(r"\b_(\w+)\b", lambda m: given.get(m[1], m[0]), text)

    # -- control -----------------------------------------------------------------------------------

    def cond(self, eqn: Eqn) -> None:
        for word, arm in zip((f"if {self.read(eqn.args[0])}:", "else:"), eqn.regions, strict=True):
            self.line(word)
            start = len(self.lines)
            self.inner(arm)
            outs = [(o, r) for o, r in zip(eqn.outs, arm.results, strict=True) if not isinstance(bare(o.type), Seq)]
            self.assign([o for o, _ in outs], [self.defined(*each) for each in outs])
            if len(self.lines) == start:
                self.line("pass")
            self.depth -= 1

    def defined(self, out: Value, result: Operand) -> Operand:
        """A zero for a number that is not there: a tape has a place for it."""
        t = bare(out.type)
        if is_undef(result) and isinstance(t, Tensor) and not t.is_array:
            return Lit({"b": False, "i": 0, "f": 0.0}[t.kind])
        return result

    def loop(self, eqn: Eqn) -> None:
        loop = parts(eqn)
        self.begin(eqn)
        self.assign(loop.params, [self.defined(p, x) for p, x in zip(loop.params, loop.inits, strict=True)])
        self.reserve(loop)
        counting = loop.trips in self.used and loop.exits
        if counting:
            self.line(f"{self.name(loop.trips)} = 0")
        self.line(self.head(loop))
        start = len(self.lines)
        if eqn.attrs["tested"]:
            self.inner(eqn.regions[0])
            self.line(f"if not {self.read(eqn.regions[0].results[0])}: break")
            self.depth -= 1
        self.depth += 1
        self.pop(eqn)
        self.block(loop.body)
        if counting:
            self.line(f"{self.name(loop.trips)} += 1")
        self.push(loop)
        go = self.read(loop.go)
        self.assign(loop.params, loop.results)
        if go != "True":
            self.line(f"if not {go}: break")
        if len(self.lines) == start:
            self.line("pass")
        self.depth -= 1
        if loop.trips in self.used and not loop.exits:
            self.line(f"{self.name(loop.trips)} = {self.count(loop)}")

    def head(self, loop: Loop) -> str:
        if loop.index is None:
            return "while True:"
        start, stop, step = map(self.read, loop.bounds)
        if loop.eqn.attrs["reverse"]:
            if step in ("1", "(-1)"):
                sign, back = ("- 1", "-1") if step == "1" else ("+ 1", "1")
                start, stop, step = f"{stop} {sign}", f"{start} {sign}", back
            else:
                start, stop, step = f"{start} + ({self.count(loop)} - 1) * {step}", f"{start} - {step}", f"-{step}"
        return f"for {self.name(loop.index)} in range({start}, {stop}, {step}):"

    def count(self, loop: Loop) -> str:
        return f"len(range({', '.join(map(self.read, loop.bounds))}))"

    # -- tapes ---------------------------------------------------------------------------------------

    def begin(self, eqn: Eqn) -> None:
        """Empty the tapes that begin before this loop, set the pointers that read in it."""
        for stack in self.tapes.begins.get(eqn, ()):
            top = self.names.fresh("top")
            self.fills[stack] = (top, self.names.fresh("bottom"))
            for j in stack.values:
                value = parts(stack.loop).yields[j]
                self.arrays[stack, j] = self.names.fresh(f"{(value.hint or 't')}_tape")
            self.line(f"{top} = 0")
            self.prepare(stack)
        for reading in self.tapes.starts.get(eqn, ()):
            pointer = self.pointers[id(reading)] = self.names.fresh("at")
            self.line(f"{pointer} = {self.fills[reading.stack][not reading.backward]}")

    def prepare(self, stack: Stack) -> None:
        """Make room for all trips of the nest, where their number can be had without running it."""
        loops = [parts(eqn) for eqn in self.tapes.path(stack)]
        indices = {loop.index for loop in loops}
        if None in indices:
            return
        bodies = [
            self.slice([b for inner in loops[k + 1 :] for b in inner.bounds], loop, indices)
            for k, loop in enumerate(loops)
        ]
        if None in bodies:
            return
        self.prepared.add(stack)
        room, depth = self.names.fresh("room"), self.depth
        self.line(f"{room} = 0")
        for loop, eqns in zip(loops[:-1], bodies, strict=False):
            self.line(self.head(loop))
            self.depth += 1
            for eqn in eqns or ():
                self.statement(eqn)
        self.line(f"{room} += {self.count(loops[-1])}")
        self.depth = depth
        self.grow(stack, room)

    def slice(self, wanted: list[Operand], loop: Loop, indices: set[Value | None]) -> list[Eqn] | None:
        """The equations of the body that `wanted` is computed by; None if that takes more than
        arithmetic on indices and what is known outside."""
        inside = {v for f in _functions(loop.body) for v in [*f.params, *(o for e in f.eqns for o in e.outs)]}
        needed: set[Eqn] = set()
        todo = [self.names.find(x) for x in wanted]
        while todo:
            x = todo.pop()
            if not isinstance(x, Value) or x not in inside or x in indices:
                continue
            eqn = self.tapes.made.get(x, (None, 0))[0]
            if eqn is None or eqn.regions or eqn.op.effect or bare(x.type) != INT:
                return None
            needed.add(eqn)
            todo += [self.names.find(a) for a in eqn.args]
        return [eqn for eqn in loop.body.eqns if eqn in needed]

    def reserve(self, loop: Loop) -> None:
        for stack in self.tapes.pushes.get(loop.eqn, ()):
            top, bottom = self.fills[stack]
            if self.is_read_forwards(stack):
                self.line(f"{bottom} = {top}")
            if loop.index is not None and stack not in self.prepared:
                self.grow(stack, f"{top} + {self.count(loop)}")

    def is_read_forwards(self, stack: Stack) -> bool:
        return any(r.stack == stack and not r.backward for found in self.tapes.reads.values() for r in found)

    def grow(self, stack: Stack, need: str) -> None:
        arrays = [self.arrays[stack, j] for j in stack.values]
        self.line(f"if {need} > {arrays[0]}.size:")
        for tape in arrays:
            self.line(f"    {tape} = grow({tape}, {need})")

    def push(self, loop: Loop) -> None:
        for stack in self.tapes.pushes.get(loop.eqn, ()):
            top, _ = self.fills[stack]
            if loop.index is None and stack not in self.prepared:
                self.grow(stack, f"{top} + 1")
            for j in stack.values:
                y = loop.yields[j]
                value = ZEROS[bare(y.type).kind] if is_undef(y) else self.read(y)  # type: ignore[union-attr]
                self.line(f"{self.arrays[stack, j]}[{top}] = {value}")
            self.line(f"{top} += 1")

    def pop(self, eqn: Eqn) -> None:
        for reading in self.tapes.reads.get(eqn, ()):
            self.elements(reading, self.pointers[id(reading)])

    def elements(self, reading: Reading, pointer: str) -> None:
        if reading.backward:
            self.line(f"{pointer} -= 1")
        for elem, j in reading.elems:
            self.line(f"{self.name(elem)} = {self.arrays[reading.stack, j]}[{pointer}]")
        if not reading.backward:
            self.line(f"{pointer} += 1")


def _subscript(key: tuple[str, ...], args: list[str]) -> str:
    def item(x: Any) -> str:
        if isinstance(x, slice):
            text = f"{x.start or ''}:{x.stop or ''}"
            return text if x.step is None else f"{text}:{x.step}"
        return "..." if x is Ellipsis else str(x)

    return ", ".join(map(item, split(key, args))) or "()"


def _functions(fn: Fn) -> list[Fn]:
    return [fn, *(region for eqn in walk(fn) for region in eqn.regions)]


def _reads(fn: Fn) -> list[Operand]:
    return [*fn.results, *(a for eqn in fn.eqns for a in eqn.args)]


def _is_array(t: Type) -> bool:
    return isinstance(t, Tensor) and t.is_array


def _dtype(t: Type) -> str:
    t = bare(t)
    assert isinstance(t, Tensor)
    return "np.float32" if t.dtype == "f32" else DTYPES[t.kind]
