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

from sct.codegen.numba.extract_kernels import VIEWS
from sct.codegen.numba.loops.index_ranges import Ranges
from sct.codegen.numba.loops.joined_arrays import JOINS, Place, places
from sct.codegen.numba.loops.loop_nests import (
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
    tensor,
)
from sct.codegen.numba.loops.matrix_products import is_matrix_product, labels, multiply
from sct.codegen.numba.loops.supported_statements import (
    REPEATING,
    WRITES,
    SupportedStatements,
    part_written,
)
from sct.codegen.numba.tape_arrays import empty_op
from sct.codegen.polish.buffers import Buffers
from sct.codegen.program.statement_ir import Assign, Block, Evaluate, Loop, Statement, all_blocks, statements
from sct.ir.core import Eqn, Lit, Op, Operand, Value, is_effect
from sct.ir.types import Tensor, Undef
from sct.ops import OPS, aliases
from sct.ops.arrays.indexing import split
from sct.ops.type_rules import normalize

__all__ = ["scalarize"]

REDUCED_ROWS = frozenset(["sum", "mean", "max", "min"])
REDUCTIONS = frozenset([*REDUCED_ROWS, "matmul", "dot", "einsum", "tensordot"])


def scalarize(block: Block) -> Block:
    """The block with loops over elements in place of the array statements in its loops."""
    return _Scalarization(block).block(block, False)


class _Scalarization:
    """Rewrites the statements of a program.

    readers  value -> the statements that read it, wherever they are
    home     statement -> its block, as a position in it
    virtual  array that is not stored -> its equation
    bound    value that may be unbound -> one that stands for it where it is bound
    unbound  the reverse
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
        can_check = not any(isinstance(s, Evaluate) and is_effect(s.eqn) and s.eqn.op.name != "raise_"
                            for s in statements(block))
        self.supported = SupportedStatements(self.ranges, can_check)
        self.same_array: dict[Value, Value] = {}
        self.virtual: dict[Value, Eqn] = {}
        self.views: dict[Value, View] = {}
        self.bound: dict[Value, Operand] = {}
        self.unbound: dict[Value, Value] = {}
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
        chosen = {s for s in block if isinstance(s, Evaluate) and self.bound_equation(s.eqn) in self.supported
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
        """Is this a stored result without the arithmetic of another one in it?  NumPy computes it as fast, unless it is
        a reduction, for which NumPy takes its time for each row."""
        stored = s.eqn.outs[0] not in self.virtual and aliases(s.like) == "none"
        return stored and self.operations(s.eqn) < 2 and s.eqn.op.name not in REDUCED_ROWS

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
            if not isinstance(s, Evaluate) or s not in chosen or s.eqn.op.name in WRITES or not is_array(s.eqn.out) \
                    or s.eqn.inplace is not None and tensor(s.eqn.args[s.eqn.inplace]) != tensor(s.eqn.out):
                continue
            v, readers = s.eqn.out, self.readers[s.eqn.out]
            ends: set[int] = set()
            if not readers or not all(self.reads_elements(t, v, block, chosen, ends) for t in readers):
                continue
            is_view = aliases(s.like) != "none"
            once = len(readers) == 1 and len(ends) == 1 and self.reads_once(readers[0], v)
            again = _is_cheaper_than_memory(s.eqn) and all(self.reads_once(t, v) for t in readers)
            if not is_view and (not (once or again) or s.eqn.op.name in REDUCTIONS | JOINS
                                or self.overwritten(s.eqn, block, place, ends)):
                continue
            self.virtual[v], self.ends[v] = self.bound_equation(s.eqn), ends
            if once:
                self.once.add(v)

    def reads_elements(self, t: Statement, v: Value, block: Block, chosen: set[Evaluate], ends: set[int]) -> bool:
        """Does `t` read only elements of `v`, in this block?  The places where it does are added to `ends`."""
        home, place = self.places[t]
        if home != id(block) or not isinstance(t, Evaluate):
            return False
        if t.eqn.op.name in ("dim", "size"):
            return True
        if t not in chosen or self.is_matrix_product(t.eqn):
            return False
        if t.eqn.inplace == 0 and t.eqn.args[0] is v and t.eqn.outs[0] not in self.virtual:
            return False
        if t.eqn.outs[0] in self.virtual:
            ends |= self.ends[t.eqn.outs[0]]
            return True
        ends.add(place)
        return t.eqn.op.name in WRITES or aliases(t.like) == "none"  # a view that stays takes the array

    def is_matrix_product(self, eqn: Eqn) -> bool:
        """Is this a product for which a helper is called, with arrays as its operands?"""
        return is_matrix_product(eqn) and all(
            d is None or aliases(d) == "none" or d.op.name in VIEWS
            or d.op.name == "index" and all(k == "i" or k[0] == "s" for k in d.attrs["key"])
            for d in map(self.ranges.definitions.get, eqn.args))

    def reads_once(self, t: Statement, v: Value) -> bool:
        """Does `t` read each element of `v` at most once?"""
        assert isinstance(t, Evaluate)
        eqn = t.eqn
        if eqn.op.name == "einsum":
            return _reads_once(eqn, v)
        if eqn.op.name in REPEATING:
            return all(len(shape_of(x)) == 1 for x in eqn.args) and not is_array(eqn.outs[0])
        if eqn.op.name in REDUCTIONS:
            return True
        if aliases(t.like) != "none":
            return eqn.outs[0] in self.once and (eqn.op.name == "index" or _axes(v) == _axes(eqn.outs[0]))
        target = part_written(eqn).out if eqn.op.name in WRITES else eqn.outs[0]
        return _varies_with_outer_axes(v, target) and (eqn.outs[0] not in self.virtual or eqn.outs[0] in self.once)

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

    # -- statements -> loops --------------------------------------------------------------

    def nest(self, eqn: Eqn) -> Nest:
        nest = Nest(self.virtual, self.views, self.ranges, None if eqn.primal else eqn.loc)
        nest.renamed.update(self.unbound)
        return nest

    def bound_equation(self, eqn: Eqn) -> Eqn:
        """The equation, of operands whose types say that they are bound, as they are where it is evaluated."""
        args = tuple(map(self.bound_operand, eqn.args)) if eqn.op.elements is not None else eqn.args
        return eqn if args == eqn.args else eqn.replace(args=args)

    def bound_operand(self, x: Operand) -> Operand:
        if not isinstance(x, Value) or not isinstance(x.type, Undef):
            return x
        if x not in self.bound:
            self.bound[x] = y = bound(x)
            assert isinstance(y, Value)
            self.unbound[y] = x
        return self.bound[x]

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
        eqn = self.bound_equation(s.eqn)
        if eqn.op.name == "index" and (eqn.out in self.virtual or aliases(s.like) != "none"):
            return self.fix_positions(eqn) if eqn.out in self.virtual else [s]
        if eqn.outs[0] in self.virtual:
            return []
        if eqn.op.name in JOINS:
            return self.join(eqn)
        if eqn.op.name in WRITES:
            return self.write(eqn)
        if aliases(s.like) != "none":
            return [s]
        if not is_array(eqn.out):
            return self.number(eqn)
        if eqn.inplace is not None:
            return self.overwrite(eqn)
        return self.fill(eqn)

    def fix_positions(self, eqn: Eqn) -> Block:
        """Statements that check the ints of a subscript, which the view has from now on."""
        view = self.views.setdefault(eqn.out, View())
        x, axis = eqn.args[0], 0
        with self.nest(eqn) as nest:
            for item in split(eqn.attrs["key"], eqn.args[1:]):
                if item is Ellipsis:
                    axis = len(shape_of(x)) - sum(k[0] in "isa" for k in eqn.attrs["key"][
                        eqn.attrs["key"].index("e"):])
                elif item is not None:
                    if not isinstance(item, slice) and not is_array(item):
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
            if self.is_matrix_product(eqn):
                multiply(nest, eqn)
                return nest.before
            sizes = [nest.size_of_result(eqn, k) for k in range(len(shape_of(eqn.out)))]
            for x in eqn.args if eqn.op.name == "matmul" else ():
                batch = len(sizes) - sum(len(shape_of(y)) > 1 for y in eqn.args)
                nest.check_sizes(x, shape_of(eqn.out)[:batch], sizes[:batch], inner=2)
            if not _sums_rows(eqn):
                self.fill_loops(nest, eqn.out, sizes, lambda at: nest.element(eqn, at))
                return nest.before
            self.fill_loops(nest, eqn.out, sizes, lambda at: Lit(0.0))
            loops(nest, sizes[:-1], lambda outer: self.add_rows(nest, eqn, outer, sizes[-1]))
        return nest.before

    def join(self, eqn: Eqn) -> Block:
        """A new array that holds the operands side by side."""
        with self.nest(eqn) as nest:
            sizes = [nest.size_of_result(eqn, k) for k in range(len(shape_of(eqn.out)))]
            nest.append(Eqn(_empty(eqn.out), tuple(sizes), (eqn.out,), primal=False), 0)
            for x, place in places(nest, eqn):
                self.put(nest, eqn.out, x, place)
        return nest.before

    def put(self, nest: Nest, out: Value, x: Operand, place: Place) -> None:
        """The loops that write an operand into the result."""
        loops(nest, [nest.size(x, k) for k in range(len(shape_of(x)))],
              lambda at: _store(nest, out, nest.read(x, at), place(at)))

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
        part = part_written(eqn)
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
        buffer, repeats = self.buffers.buffer(target), part is not None and "a" in part.attrs["key"]
        safe = all(self.array(y) is self.array(target)
                   and (at == positions[0] and not repeats or _are_apart(at, positions[0]))
                   for y, at in nest.reads if self.buffers.buffer(y) is buffer)
        return [Assign([(out, target)]), *nest.before], safe


def _sums_rows(eqn: Eqn) -> bool:
    """Is this a sum of rows, in which the last axis is better the innermost loop than the axis that is summed over?"""
    if eqn.out.type != Tensor("array", "f64", shape_of(eqn.out)):
        return False
    if eqn.op.name in ("matmul", "dot"):
        return len(shape_of(eqn.args[1])) > 1
    if eqn.op.name in ("einsum", "tensordot"):
        terms, result = labels(eqn)
        return any(label not in result for of in terms for label in of) \
            and all(of[-1] == result[-1] for of in terms if result[-1] in of)
    rank = len(shape_of(eqn.args[0]))
    return eqn.op.name == "sum" and not eqn.attrs.get("keepdims") \
        and rank - 1 not in normalize(eqn.attrs.get("axis"), rank)


def _is_cheap(eqn: Eqn) -> bool:
    """Does a loop over elements gain time outside of loops?

    `exp`, and sums of all elements, are as fast in NumPy, and products of matrices faster.
    """
    by = eqn.args[1] if eqn.op.name == "pow" else None
    return (eqn.op.cost in ("free", "read", "cheap") or eqn.op.name in (*WRITES, "copy", "clip", "index", "expand_like")
            or isinstance(by, Lit) and by.value in (2, 3)
            or eqn.op.name in REDUCED_ROWS and is_array(eqn.out)
            or eqn.op.name == "einsum" and is_array(eqn.out) and any(_reads_once(eqn, x) for x in eqn.args))


def _is_cheaper_than_memory(eqn: Eqn) -> bool:
    """Are the elements of a result computed faster than read, as the operands are smaller arrays?"""
    arrays = [x for x in eqn.args if is_array(x)]
    return eqn.op.name in ("add", "sub", "mul") and all(_axes(x) < _axes(eqn.out) for x in arrays)


def _reads_once(eqn: Eqn, x: Operand) -> bool:
    """Does an `einsum` read each element of x at most once?"""
    terms, _ = labels(eqn)
    every = {label for of in terms for label in of}
    return all({*of} == every for y, of in zip(eqn.args, terms) if y is x)


def _store(nest: Nest, target: Value, x: Operand, at: Sequence[Operand]) -> None:
    nest.append(Eqn(OPS["store"], (target, x, *at), (target,), _subscript(target), primal=False, inplace=0))


def _subscript(x: Value) -> dict[str, object]:
    return {"key": ("i",) * len(shape_of(x)), INSIDE: True}


def _are_apart(at: Sequence[Operand], other: Sequence[Operand]) -> bool:
    """Do two positions differ in an int that is known?"""
    return any(isinstance(i, Lit) and isinstance(j, Lit) and i != j for i, j in zip(at, other))


def _varies_with_outer_axes(x: Operand, target: Operand) -> bool:
    """Is each element of x read in one iteration of loops over the target: is x broadcast along last axes alone?"""
    own, shape = shape_of(x), shape_of(target)
    broadcast = [*[True] * (len(shape) - len(own)), *(d.value == 1 for d in own)]
    return sorted(b for b, d in zip(broadcast, shape) if d.value != 1) == [
        b for b, d in zip(broadcast, shape) if d.value != 1]


def _axes(x: Operand) -> int:
    """The number of axes of an array along which it is not broadcast."""
    return sum(d.value != 1 for d in shape_of(x))


def _empty(x: Value) -> Op:
    return empty_op(len(shape_of(x)), element_type(x).dtype)
