"""Array statements -> loops over elements, which Numba compiles to fast code.

    u[1:-1] = 0.5 * (w[2:] + w[:-2])   ->   for i in range(u.size - 2):
                                                u[i + 1] = 0.5 * (w[i + 2] + w[i])

A result that is read once, by another such statement, is not stored (`virtual`): its elements are computed where they
are read. Every other result is an array, filled by its own loops. A statement that reads what it overwrites at other
positions is computed into an array of its own first.

Invariant: a statement becomes loops only if all of it can be compiled; the sizes of its operands are proved to agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from sct.codegen.numba.extract_kernels import ON_TRUTH_VALUES
from sct.codegen.numba.index_ranges import Ranges
from sct.codegen.numba.loop_nests import (
    INSIDE,
    WITHIN,
    ZERO,
    Nest,
    Total,
    View,
    bound,
    element_type,
    is_array,
    loops,
    shape_of,
    size_source,
    tensor,
)
from sct.codegen.numba.tape_sizes import DTYPES, array_dtype, empty_op
from sct.codegen.polish.buffers import Buffers
from sct.codegen.program.statement_ir import Assign, Block, Evaluate, Loop, Statement, all_blocks, statements
from sct.ir.core import Eqn, Lit, Op, Operand, Value, is_effect
from sct.ir.dims import Dim
from sct.ir.types import INT, Tensor, Undef
from sct.ops import ELEMENTWISE, OPS, aliases, may_raise
from sct.ops.arrays.indexing import split
from sct.ops.type_rules import normalize

__all__ = ["scalarize"]

WRITES = frozenset(["store", "add_at"])
REDUCTIONS = frozenset(["sum", "mean", "max", "min", "matmul", "dot"])
REPEATING = frozenset(["matmul", "dot", "outer"])
"""Ops that read an element of an operand for several elements of the result."""


def scalarize(block: Block) -> Block:
    """The block with loops over elements in place of the array statements in its loops."""
    return _Scalarization(block).block(block, False)


class _Scalarization:
    """Rewrites the statements of a program.

    readers  value -> the statements that read it, wherever they are
    home     statement -> its block, as a position in it
    virtual  array that is not stored -> its equation
    can_check  may what is compiled raise, so that all of it runs again as NumPy?
    once     arrays of which each element is read at most once
    """

    def __init__(self, block: Block) -> None:
        self.buffers, self.ranges = Buffers(block), Ranges(block)
        self.readers: dict[Operand, list[Statement]] = defaultdict(list)
        self.places: dict[Statement, tuple[int, int]] = {}
        for b in all_blocks(block):
            self.places.update((s, (id(b), k)) for k, s in enumerate(b))
        for s in statements(block):
            for x in dict.fromkeys(s.reads):
                self.readers[x].append(s)
        self.can_check = not any(isinstance(s, Evaluate) and is_effect(s.eqn) and s.eqn.op.name != "raise_"
                                 for s in statements(block))
        self.same_array: dict[Value, Value] = {}
        self.virtual: dict[Value, Eqn] = {}
        self.views: dict[Value, View] = {}
        self.once: set[Value] = set()
        self.ends: dict[Value, set[int]] = {}
        for s in statements(block):
            if isinstance(s, Evaluate) and s.eqn.inplace is not None and is_array(s.eqn.args[s.eqn.inplace]):
                self.unite(s.eqn.outs[0], s.eqn.args[s.eqn.inplace])
            for v, x in s.pairs if isinstance(s, Assign) else ():
                if is_array(v) and isinstance(x, Value):
                    self.unite(v, x)

    def unite(self, a: Value, b: Operand) -> None:
        """Note that two values may be the same array, not views of one another."""
        if isinstance(b, Value):
            self.same_array[self.array(a)] = self.array(b)

    def array(self, x: Value) -> Value:
        while (y := self.same_array.get(x, x)) is not x:
            x = y
        return x

    # -- blocks -------------------------------------------------------------------------

    def block(self, block: Block, in_loop: bool) -> Block:
        chosen = {s for s in block if isinstance(s, Evaluate) and self.is_supported(s.eqn)
                  and (in_loop or _is_cheap(s.eqn))}
        self.choose_virtual(block, chosen)
        while not in_loop and (alone := {s for s in chosen if self.fuses_nothing(s)}):
            chosen -= alone
            for v in (t.eqn.outs[0] for t in chosen | alone):
                self.virtual.pop(v, None)
                self.once.discard(v)
            self.choose_virtual(block, chosen)
        out: Block = []
        for s in block:
            if isinstance(s, Evaluate) and s in chosen:
                out += self.statement(s)
                continue
            if isinstance(s, Evaluate) and s.eqn.op.name in ("dim", "size") and s.eqn.args[0] in self.virtual:
                out += self.size_statement(s.eqn)
                continue
            for inner in s.blocks:
                inner[:] = self.block(inner, in_loop or isinstance(s, Loop))
            out.append(s)
        return out

    def fuses_nothing(self, s: Evaluate) -> bool:
        """Is this a stored result without the arithmetic of another one in it?  NumPy computes it as fast."""
        stored = s.eqn.outs[0] not in self.virtual and aliases(s.like) == "none"
        return stored and self.operations(s.eqn) < 2

    def operations(self, eqn: Eqn) -> int:
        """The number of operations of NumPy in an equation and what is not stored of its operands."""
        own = eqn.op.name not in ("index", "copy") and eqn.op.cost not in ("free", "read")
        return own + sum(self.operations(self.virtual[x]) for x in dict.fromkeys(eqn.args)
                         if isinstance(x, Value) and x in self.virtual)

    # -- which results are not stored -----------------------------------------------------

    def choose_virtual(self, block: Block, chosen: set[Evaluate]) -> None:
        """Decide which results of the `chosen` statements are not stored, the last first."""
        for place in reversed(range(len(block))):
            s = block[place]
            if not isinstance(s, Evaluate) or s not in chosen or s.eqn.op.name in WRITES or s.eqn.inplace is not None \
                    or not is_array(s.eqn.out):
                continue
            v, readers = s.eqn.out, self.readers[s.eqn.out]
            ends: set[int] = set()
            if not readers or not all(self.reads_elements(t, v, block, chosen, ends) for t in readers):
                continue
            is_view = aliases(s.like) != "none"
            once = len(readers) == 1 and len(ends) == 1 and self.reads_once(readers[0], v)
            if not is_view and (not once or s.eqn.op.name in REDUCTIONS or self.overwritten(s.eqn, block, place, ends)):
                continue
            self.virtual[v], self.ends[v] = s.eqn, ends
            if once:
                self.once.add(v)

    def reads_elements(self, t: Statement, v: Value, block: Block, chosen: set[Evaluate], ends: set[int]) -> bool:
        """Does `t` read only elements of `v`, in this block?  The places where it does are added to `ends`."""
        home, place = self.places[t]
        if home != id(block) or not isinstance(t, Evaluate):
            return False
        if t.eqn.op.name in ("dim", "size"):
            return True
        if t not in chosen or t.eqn.inplace == 0 and t.eqn.args[0] is v:
            return False
        if t.eqn.outs[0] in self.virtual:
            ends |= self.ends[t.eqn.outs[0]]
            return True
        ends.add(place)
        return t.eqn.op.name in WRITES or aliases(t.like) == "none"  # a view that stays takes the array

    def reads_once(self, t: Statement, v: Value) -> bool:
        """Does `t` read each element of `v` at most once?"""
        assert isinstance(t, Evaluate)
        eqn = t.eqn
        if eqn.op.name in REPEATING:
            return all(len(shape_of(x)) == 1 for x in eqn.args) and not is_array(eqn.outs[0])
        if eqn.op.name in REDUCTIONS:
            return True
        if aliases(t.like) != "none":
            return eqn.outs[0] in self.once and (eqn.op.name == "index" or _axes(v) == _axes(eqn.outs[0]))
        target = self.part(eqn).out if eqn.op.name in WRITES else eqn.outs[0]
        return _axes(v) == _axes(target) and (eqn.outs[0] not in self.virtual or eqn.outs[0] in self.once)

    def overwritten(self, eqn: Eqn, block: Block, place: int, ends: set[int]) -> bool:
        """May an array that the equation reads be written before its elements are read at `ends`?"""
        read = self.buffers_read(eqn)
        for t in block[place + 1:max(ends, default=place)]:
            written = self.buffers.written(t)
            if written is None or written & read:
                return True
        return False

    def buffers_read(self, eqn: Eqn) -> set[Value]:
        return {self.buffers.buffer(x) for x in self.leaves(eqn)}

    def leaves(self, eqn: Eqn) -> Iterable[Value]:
        """The stored arrays that the equation reads.  What is virtual is known only for the statements behind it."""
        work, seen = [x for x in eqn.args if isinstance(x, Value)], set()
        while work:
            x = work.pop()
            if x in seen:
                continue
            seen.add(x)
            definition = self.ranges.definitions.get(x)
            if is_array(x):
                yield x
            if definition is not None and is_array(x) and definition.inplace is None:
                work += [y for y in definition.args if isinstance(y, Value)]

    # -- what is supported ----------------------------------------------------------------

    def is_supported(self, eqn: Eqn) -> bool:
        """Does the equation become loops, alone or as a part of another statement?"""
        if len(eqn.outs) != 1 or eqn.regions or is_effect(eqn) or eqn.attrs.get("effect"):
            return False
        arrays = [x for x in (*eqn.args, *eqn.outs) if is_array(x)]
        if not arrays or not all(_is_compiled_dtype(x) and shape_of(x) for x in arrays):
            return False
        if eqn.op.elements is not None and any(isinstance(x.type, Undef) for x in eqn.args):
            return False
        if not all(is_array(x) or array_dtype(x.type) or x == Lit(None) for x in (*eqn.args, *eqn.outs)):
            return False
        if eqn.op.name in WRITES:
            return self.is_supported_write(eqn)
        if eqn.op.name == "index":
            return is_array(eqn.out) and self.is_supported_key(eqn) and self.has_sizes(eqn)
        return self.is_supported_op(eqn)

    def is_supported_op(self, eqn: Eqn) -> bool:
        name = eqn.op.name
        raises = may_raise(_of_machine_ints(eqn))
        if name in REPEATING and not all(is_array(x) and len(shape_of(x)) <= 2 for x in eqn.args):
            return False
        if name == "outer" and any(len(shape_of(x)) != 1 for x in eqn.args):
            return False
        broadcasts = eqn.op in ELEMENTWISE and is_array(eqn.out)
        if broadcasts and not all(self.broadcasts(x, shape_of(eqn.out)) for x in eqn.args if is_array(x)):
            if eqn.op.elements is not None or eqn.op.raises == "value" and raises or not self.can_check \
                    or not all(self.may_agree(x, shape_of(eqn.out)) for x in eqn.args if is_array(x)):
                return False
        elif raises and name not in ("max", "min"):
            return False
        if eqn.op.elements is None:
            if eqn.op not in ELEMENTWISE or not eqn.op.compiled or name in ("astype",) or eqn.spelling == "numpy.cbrt":
                return False
            bools = all((t := tensor(x)) is not None and t.kind == "b" for x in eqn.args)
            if bools and name not in ON_TRUTH_VALUES:
                return False
        return not is_array(eqn.out) or self.has_sizes(eqn)

    def broadcasts(self, x: Operand, shape: tuple[Dim, ...]) -> bool:
        """Is it proved that x broadcasts to this shape?"""
        own = shape_of(x)
        return len(own) <= len(shape) and all(d == e or d.value == 1 for d, e in zip(own[::-1], shape[::-1]))

    def may_agree(self, x: Operand, shape: tuple[Dim, ...]) -> bool:
        """May the sizes of x agree with those of this shape, which is checked when the loops run?"""
        own = shape_of(x)
        return len(own) <= len(shape) and all(d == e or d.value == 1 or None in (d.value, e.value)
                                              for d, e in zip(own[::-1], shape[::-1]))

    def has_sizes(self, eqn: Eqn) -> bool:
        return all(size_source(eqn, k) is not None for k in range(len(shape_of(eqn.out))))

    def is_supported_key(self, eqn: Eqn) -> bool:
        """Is a subscript made of ints, and of slices whose steps are literals?"""
        key = eqn.attrs["key"]
        operands = eqn.args[1:] if eqn.op.name == "index" else eqn.args[2:]
        if not all(k in ("i", "n", "e") or k[0] == "s" for k in key):
            return False
        return all(item.step is None or isinstance(item.step, Lit) and item.step.value
                   for item in split(key, operands) if isinstance(item, slice))

    def is_supported_write(self, eqn: Eqn) -> bool:
        key = eqn.attrs["key"]
        if eqn.inplace != 0 or not self.is_supported_key(eqn) or "n" in key:
            return False
        if all(k == "i" for k in key) and len(key) == len(shape_of(eqn.args[0])):
            return False  # of one element
        to, of = tensor(eqn.args[0]), tensor(eqn.args[1])
        if to is None or of is None or not (to.kind == "f" or to.dtype == of.dtype):
            return False
        shape = self.written_shape(eqn)
        if not all(size_source(self.part(eqn), k) is not None for k in range(len(shape))):
            return False
        x = eqn.args[1]
        return not is_array(x) or self.broadcasts(x, shape) or self.can_check and self.may_agree(x, shape)

    def part(self, eqn: Eqn) -> Eqn:
        """The read of the part that a statement writes."""
        x, _, *operands = eqn.args
        t = OPS["index"].type(bound(x), *map(bound, operands), key=eqn.attrs["key"])
        assert not isinstance(t, tuple)
        return Eqn(OPS["index"], (x, *operands), (Value(t),), {"key": eqn.attrs["key"]}, primal=False)

    def written_shape(self, eqn: Eqn) -> tuple[Dim, ...]:
        return shape_of(self.part(eqn).out)

    # -- statements -> loops --------------------------------------------------------------

    def nest(self, eqn: Eqn) -> Nest:
        return Nest(self.virtual, self.views, self.ranges, None if eqn.primal else eqn.loc)

    def size_statement(self, eqn: Eqn) -> Block:
        """The size of an array that is not stored."""
        x = eqn.args[0]
        with self.nest(eqn) as nest:
            if eqn.op.name == "dim":
                size = nest.size(x, eqn.attrs.get("axis", 0))
            else:
                size = nest.size(x, 0)
                for k in range(1, len(shape_of(x))):
                    size = OPS["mul"](size, nest.size(x, k))
        return [*nest.before, Assign([(eqn.out, size)])]

    def statement(self, s: Evaluate) -> Block:
        """The loops of a statement; of a result that is not stored, the checks of its subscript."""
        eqn = s.eqn
        if eqn.op.name == "index":
            return self.fix_positions(eqn) if eqn.out in self.virtual else [s]
        if eqn.outs[0] in self.virtual:
            return []
        if eqn.op.name in WRITES:
            return self.write(eqn)
        if aliases(s.like) != "none":
            return [s]
        if not is_array(eqn.out):
            return self.number(eqn)
        if eqn.inplace is not None:
            return self.overwrite(eqn)
        return self.fill(eqn)

    def fix_positions(self, eqn: Eqn, operands: Sequence[Operand] | None = None) -> Block:
        """Statements that check the ints of a subscript, which the view has from now on."""
        view = self.views.setdefault(eqn.out, View())
        x, axis = eqn.args[0], 0
        with self.nest(eqn) as nest:
            for item in split(eqn.attrs["key"], eqn.args[1:]):
                if item is Ellipsis:
                    axis = len(shape_of(x)) - sum(k[0] in "is" for k in eqn.attrs["key"][
                        eqn.attrs["key"].index("e"):])
                elif item is not None:
                    if not isinstance(item, slice):
                        view.fixed[axis] = self.checked(nest, item, x, axis)
                    axis += 1
        return nest.before

    def checked(self, nest: Nest, i: Operand, x: Operand, axis: int) -> Operand:
        d = shape_of(x)[axis]
        if isinstance(i, Lit) and -d.least <= i.value < 0:
            return nest.plus(nest.size(x, axis), i.value)
        if self.ranges.inside(i, d):
            return i
        checked: Operand = nest.emit(WITHIN, (i, nest.size(x, axis)))
        return checked

    def number(self, eqn: Eqn) -> Block:
        """A reduction to a number."""
        with self.nest(eqn) as nest:
            result = nest.element(eqn, ())
        return [*nest.before, Assign([(eqn.out, result)])]

    def fill(self, eqn: Eqn) -> Block:
        """A new array, filled in loops."""
        with self.nest(eqn) as nest:
            sizes = [nest.size_of_result(eqn, k) for k in range(len(shape_of(eqn.out)))]
            if not _sums_rows(eqn):
                self.fill_loops(nest, eqn.out, sizes, lambda at: nest.element(eqn, at))
                return nest.before
            self.fill_loops(nest, eqn.out, sizes, lambda at: Lit(0.0))
            loops(nest, sizes[:-1], lambda outer: self.add_rows(nest, eqn, outer, sizes[-1]))
        return nest.before

    def add_rows(self, nest: Nest, eqn: Eqn, outer: tuple[Value, ...], size: Operand) -> None:
        """Add the terms of a sum to the row of its result at `outer`, one row of terms after another."""
        nest.written = out = eqn.out
        sizes = Total(nest, eqn, (*outer, ZERO)).sizes

        def add_row(inner: tuple[Value, ...]) -> None:
            with nest.loop(size) as i:
                at = (*outer, i)
                term = Total(nest, eqn, at).term(*inner)
                old = nest.emit(OPS["index"], (out, *at), _subscript(out), result=element_type(out))
                _store(nest, out, nest.emit(OPS["add"], (old, term), result=element_type(out)), at)

        loops(nest, sizes, add_row)

    def fill_loops(self, nest: Nest, out: Value, sizes: Sequence[Operand],
                   element: Callable[[Sequence[Operand]], Operand]) -> None:
        nest.append(Eqn(_empty(out), tuple(sizes), (out,), primal=False), 0)
        loops(nest, sizes, lambda at: _store(nest, out, element(at), at))

    def overwrite(self, eqn: Eqn) -> Block:
        """An operand that the result overwrites."""
        return self.into(eqn, eqn.args[eqn.inplace or 0], None, lambda nest, at: nest.element(eqn, at))

    def write(self, eqn: Eqn) -> Block:
        """A part of an array that the statement overwrites or adds to."""
        part = self.part(eqn)
        checks = self.fix_positions(part)
        return [*checks, *self.into(eqn, eqn.args[0], part, lambda nest, at: nest.broadcast(eqn.args[1], at))]

    def into(self, eqn: Eqn, target: Operand, part: Eqn | None,
             element: Callable[[Nest, Sequence[Operand]], Operand]) -> Block:
        """The loops that write into an array, by way of another one if they read what they have written."""
        assert isinstance(target, Value)
        block, safe = self.write_loops(eqn, target, part, element)
        if not safe:
            t = tensor(target if part is None else part.out)
            assert t is not None
            temporary = Value(t)
            with self.nest(eqn) as nest:
                self.fill_loops(nest, temporary, self.sizes(nest, target, part), lambda at: element(nest, at))
            copy, _ = self.write_loops(eqn, target, part, lambda nest, at: nest.read(temporary, at))
            block = [*nest.before, *copy]
        return block

    def sizes(self, nest: Nest, target: Value, part: Eqn | None) -> list[Operand]:
        if part is None:
            return [nest.size(target, k) for k in range(len(shape_of(target)))]
        return [nest.size_of_result(part, k) for k in range(len(shape_of(part.out)))]

    def write_loops(self, eqn: Eqn, target: Value, part: Eqn | None,
                    element: Callable[[Nest, Sequence[Operand]], Operand]) -> tuple[Block, bool]:
        """The loops that write into an array, and whether they read nothing that they have written."""
        positions: list[tuple[Operand, ...]] = []
        with self.nest(eqn) as nest:
            nest.renamed[target] = out = eqn.out

            def body(at: tuple[Value, ...]) -> None:
                x = element(nest, at)
                position = tuple(at if part is None else nest.position(part, at))
                positions.append(position)
                if eqn.op.name == "add_at":
                    old = nest.emit(OPS["index"], (out, *position), _subscript(out), result=element_type(out))
                    x = nest.emit(OPS["add"], (old, x), result=element_type(out))
                _store(nest, out, x, position)

            sizes = self.sizes(nest, target, part)
            if part is not None:
                nest.check_sizes(eqn.args[1], shape_of(part.out), sizes)
            loops(nest, sizes, body)
        buffer = self.buffers.buffer(target)
        safe = all(self.array(y) is self.array(target) and (at == positions[0] or _are_apart(at, positions[0]))
                   for y, at in nest.reads if self.buffers.buffer(y) is buffer)
        return [Assign([(out, target)]), *nest.before], safe


def _sums_rows(eqn: Eqn) -> bool:
    """Is this a sum of rows, in which the last axis is better the innermost loop than the axis that is summed over?"""
    if eqn.out.type != Tensor("array", "f64", shape_of(eqn.out)):
        return False
    if eqn.op.name in ("matmul", "dot"):
        return len(shape_of(eqn.args[1])) == 2
    rank = len(shape_of(eqn.args[0]))
    return eqn.op.name == "sum" and not eqn.attrs.get("keepdims") \
        and rank - 1 not in normalize(eqn.attrs.get("axis"), rank)


def _is_cheap(eqn: Eqn) -> bool:
    """Does a loop over elements gain time outside of loops?  `exp` and sums are as fast in NumPy."""
    by = eqn.args[1] if eqn.op.name == "pow" else None
    return (eqn.op.cost in ("free", "read", "cheap") or eqn.op.name in (*WRITES, "copy", "clip", "index", "expand_like")
            or isinstance(by, Lit) and by.value in (2, 3))


def _store(nest: Nest, target: Value, x: Operand, at: Sequence[Operand]) -> None:
    nest.append(Eqn(OPS["store"], (target, x, *at), (target,), _subscript(target), primal=False, inplace=0))


def _subscript(x: Value) -> dict[str, object]:
    return {"key": ("i",) * len(shape_of(x)), INSIDE: True}


def _are_apart(at: Sequence[Operand], other: Sequence[Operand]) -> bool:
    """Do two positions differ in an int that is known?"""
    return any(isinstance(i, Lit) and isinstance(j, Lit) and i != j for i, j in zip(at, other))


def _axes(x: Operand) -> int:
    """The number of axes of an array along which it is not broadcast."""
    return sum(d.value != 1 for d in shape_of(x))


def _of_machine_ints(eqn: Eqn) -> Eqn:
    """The equation with 64 bits for Python's ints, as they have in kernels: each is near a float."""
    return eqn.replace(args=tuple(Value(Tensor("np", "i64"), dim=x.dim) if isinstance(x, Value) and x.type == INT else x
                                  for x in eqn.args))


def _is_compiled_dtype(x: Operand) -> bool:
    t = tensor(x)
    return t is not None and t.dtype in DTYPES


def _empty(x: Value) -> Op:
    return empty_op(len(shape_of(x)), element_type(x).dtype)
