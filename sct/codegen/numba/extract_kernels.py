"""Extracts kernels: runs of statements on numbers and elements of arrays, with a loop among them.

    u = np.copy(u)              \\
    for i in range(1, n):        |  a kernel
        u[i] += u[i - 1]        /
    return np.sum(u * u)           NumPy, as it is

A loop that holds anything else stays Python, with kernels in it where it holds loops that can be compiled. A list that
statements both inside and outside of kernels use stays a list, outside of kernels.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sct.codegen.numba.compilable_forms import raised_values
from sct.codegen.numba.loops.matrix_products import MATRIX_PRODUCTS
from sct.codegen.numba.tape_arrays import KERNEL_DTYPES, RowSizes, array_dtype, is_list, is_row, lists
from sct.codegen.polish.buffers import Buffers
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Define,
    Evaluate,
    If,
    Jump,
    Kernel,
    Loop,
    NewList,
    Pop,
    Push,
    ReadAt,
    Return,
    Statement,
    statements,
)
from sct.errors import Loc, SctError
from sct.ir.core import Eqn, Lit, Operand, Value, is_effect, is_undef
from sct.ir.types import List, Optional, Seq, Tensor, Type, Undef, base_type
from sct.ops import may_raise

__all__ = ["extract_kernels"]


CREATION = frozenset([
    "copy", "zeros_of", "zeros_like", "ones_like", "empty_like", "zeros", "ones", "empty", "full"])
SIZES = frozenset(["dim", "size"])
VIEWS = frozenset(["reshape", "reshape_like", "ravel", "flatten", "transpose"])
ON_TRUTH_VALUES = frozenset([
    "eq", "ne", "lt", "le", "gt", "ge", "not_", "logical_and", "logical_or", "logical_not", "logical_xor", "isnan",
    "isinf", "isfinite", "where", "bool", "int", "float", "round", "item", "stop_gradient", "to_f32", "to_f64",
    "to_i64", "unwrap"])
"""Ops of which Numba gives the same of NumPy's truth values."""
NO_SCIPY = frozenset(["numpy.cbrt", "numpy.float_power"])

@dataclass(frozen=True)
class _Reason:
    """Why a statement is not compiled."""

    reason: str
    loc: Loc | None


def extract_kernels(block: Block, whole: bool) -> Block:
    """The block with its compiled statements in kernels; raises SctError if there are none.

    whole  may a kernel be the whole function, with its `return`?
    """
    extraction = _KernelExtraction(block, whole)
    while True:
        grouped, shared = extraction.group()
        if not shared:
            return grouped
        extraction.refused |= shared


class _KernelExtraction:
    """Groups the statements of a block into kernels and others.

    refused     lists that statements outside of kernels use
    exceptions  the statements that define what is raised
    compilable  the statements that Numba can compile
    either      numbers that may be Python's or NumPy's, where that decides between single and double precision
    rows        the sizes of arrays that are kept for the backward pass
    own_lists   Python lists that the function makes, of which Numba would need the type while they are empty
    """

    def __init__(self, block: Block, whole: bool) -> None:
        self.whole_block, self.whole = block, whole
        self.refused: set[Value] = set()
        self.exceptions = raised_values(block)
        self.buffers = Buffers(block)
        self.compilable: set[Statement] = set()
        self.rows = RowSizes(block)
        self.either = {x for s in statements(block) if isinstance(s, Evaluate) for x in s.eqn.args
                       if isinstance(x.type, Tensor) and x.type.carrier == "any" and x.type.kind == "f"
                       and any(isinstance(y.type, Tensor) and y.type.dtype == "f32" for y in s.eqn.args)}
        self.own_lists = {v for s in statements(block) if isinstance(s, (Assign, Evaluate))
                          for v in s.targets if isinstance(base_type(v.type), List)
                          and not (isinstance(s, Evaluate) and s.eqn.op.name == "item_of")}

    def group(self) -> tuple[Block, set[Value]]:
        """The block with kernels, and the lists that they hold only in part, or without the loops that fill them."""
        kernels: list[Kernel] = []
        self.compilable.clear()
        grouped = self.block(self.whole_block, kernels, outermost=True)
        if not kernels:
            raise self.nothing_compiled(grouped)
        inside = {s for k in kernels for s in statements(k.body)}
        outside = {v for s in statements(grouped) if s not in inside for v in lists(s)}
        used = {v for s in inside for v in ([s.tape] if isinstance(s, NewList) else lists(s))}
        loose = {v for k in kernels for v in _filled_by_loops_around(k)}
        return grouped, (used & outside | loose | self.split_lists(grouped, kernels)) - self.refused

    def split_lists(self, grouped: Block, kernels: list[Kernel]) -> set[Value]:
        """The lists of arrays of any size, and the lists that hold these, with statements outside a kernel."""
        kernel_of = {s: k for k in kernels for s in statements(k.body)}
        homes: dict[Value, set[Kernel | None]] = defaultdict(set)
        for s in statements(grouped):
            for v in [s.tape] if isinstance(s, NewList) else lists(s):
                homes[v].add(kernel_of.get(s))
        uneven = {v for v in homes if self.rows.are_uneven(v)}
        pushes = [s for s in statements(grouped) if isinstance(s, Push)]
        while more := {s.tape for s in pushes if uneven.intersection(s.items)} - uneven:
            uneven |= more
        return {v for v in uneven if len(homes[v]) > 1 or None in homes[v]}

    def nothing_compiled(self, block: Block) -> SctError:
        """The error for a block without kernels: it points at what its first loop cannot be compiled for."""
        for s in statements(block):
            if isinstance(s, Loop):
                reason = next(self.reasons([s]))
                return _error(reason if reason.loc is not None or s.eqn is None else _Reason(reason.reason, s.eqn.loc))
        return _error(next(self.reasons(block, within=True), None))

    def block(self, block: Block, kernels: list[Kernel], outermost: bool = False) -> Block:
        """The block with a kernel for each run of compilable statements that has a loop."""
        out: Block = []
        run: Block = []
        whole = self.whole and outermost

        def end_run() -> None:
            last = [run.pop()] if run and isinstance(run[-1], Return) and (out or not whole) else []
            whole_body = outermost and not out and run and len(run) >= len(block) - 1
            has_loop = any(isinstance(t, Loop) for t in statements(run))
            if has_loop or whole_body and not any(map(_is_array_arithmetic, run)):
                kernels.append(Kernel(list(run)))
                out.append(kernels[-1])
            else:
                out.extend(run)
            out.extend(last)
            run.clear()

        for s in self.delay_numpy(block):
            if s in self.compilable:
                run.append(s)
            elif isinstance(s, NewList):
                out.append(s)  # before the run, which it does not split
            else:
                end_run()
                out.append(self.kernels_inside(s, kernels))
        end_run()
        return out

    def delay_numpy(self, block: Block) -> Block:
        """The block with the statements of NumPy moved behind the loops that do not depend on them."""
        readers: dict[Operand, list[Statement]] = defaultdict(list)
        for s in block:
            for t in statements([s]):
                for x in t.reads:
                    readers[x].append(s)
        for s in reversed(block):
            is_compilable = next(self.reasons([s]), None) is None
            if is_compilable and isinstance(s, Evaluate) and (_is_arithmetic(s.eqn) or s.eqn.op.name in VIEWS) \
                    and readers[s.eqn.out]:
                is_compilable = any(r in self.compilable for r in readers[s.eqn.out])
            if is_compilable:
                self.compilable.add(s)
        self.compilable -= self.returned_with_numpy(block, readers)
        delayed: Block = []
        for s in reversed(block):
            delayed.insert(self.latest_place(s, delayed), s)
        return delayed

    def returned_with_numpy(self, block: Block, readers: Mapping[Operand, list[Statement]]) -> set[Statement]:
        """Arithmetic of numbers that includes results of NumPy, and which is only returned."""
        returned: set[Statement] = set()
        for s in reversed(block):
            if isinstance(s, Evaluate) and _is_pure(s.eqn) and all(map(_is_number, s.eqn.outs)) and all(
                    isinstance(r, Return) or r in returned for v in s.eqn.outs for r in readers[v]):
                returned.add(s)
        numpy: set[Operand] = set()
        for s in block:
            if isinstance(s, Evaluate) and (
                    s not in self.compilable or s in returned and numpy.intersection(s.eqn.args)):
                numpy.update(s.eqn.outs)
        return {s for s in returned if isinstance(s, Evaluate) and numpy.intersection(s.eqn.outs)}

    def latest_place(self, s: Statement, after: Block) -> int:
        """The number of the statements `after` it behind which `s` may be moved."""
        if not isinstance(s, Evaluate) or s in self.compilable:
            return 0
        if not _is_pure(s.eqn):
            return 0
        buffers_read = self.buffers.read(s, s.eqn.args)
        own = {*s.eqn.args, *s.eqn.outs}
        for k, t in enumerate(after):
            inner_statements = statements([t])
            written = self.buffers.written(t)
            if isinstance(t, (Return, Define)) or written is None or written & buffers_read \
                    or any(x in own for u in inner_statements for x in u.targets) \
                    or any(x in s.eqn.outs for u in inner_statements for x in u.reads):
                return k
        return len(after)

    def kernels_inside(self, s: Statement, kernels: list[Kernel]) -> Statement:
        """A statement that is not compiled, with kernels in its blocks."""
        if isinstance(s, Loop):
            s = replace(s, body=self.block(s.body, kernels))
        elif isinstance(s, If):
            s = If(s.test, self.block(s.then, kernels), self.block(s.orelse, kernels), s.eqn)
        elif isinstance(s, Define):
            s = Define(s.eqn, s.params, self.block(s.body, kernels))
        return s

    # -- reasons against compilation ----------------------------------------------------

    def reasons(self, block: Block, within: bool = False) -> Iterator[_Reason]:
        """The reasons why the statements, and those in their blocks, are not compiled.

        within  are they in a loop?  Array arithmetic outside of loops is no reason
        """
        for s in block:
            loc = s.eqn.loc if isinstance(s, (Evaluate, If, Loop)) and s.eqn is not None else None
            reason = "a jump out of a loop" if isinstance(s, Jump) and not within else self.reason(s)
            if reason and not (not within and isinstance(s, Evaluate) and _is_arithmetic(s.eqn)):
                yield _Reason(reason, loc)
            for inner in s.blocks:
                yield from self.reasons(inner, within or isinstance(s, Loop))

    def reason(self, s: Statement) -> str:
        """Why this statement, apart from its blocks, cannot be compiled; "" if it can."""
        if isinstance(s, Evaluate):
            return "" if s in self.exceptions else self.equation_reason(s.eqn)
        if isinstance(s, Define):
            return "a nested function"
        if isinstance(s, Return):
            return self.operands_reason(s.results)
        if any(v in self.refused for v in ([s.tape] if isinstance(s, NewList) else lists(s))):
            return "a list of numbers for the backward pass, which is not compiled"
        if isinstance(s, (Push, Pop, ReadAt, NewList)) or isinstance(s, Loop) and (s.zipped or s.tape):
            return self.tape_reason(s)
        if isinstance(s, Assign) and any(is_list(v.type) for v, _ in s.pairs):
            return "a sequence that depends on a branch"
        return self.operands_reason((*s.operands, *s.targets))

    def tape_reason(self, s: Statement) -> str:
        """Why a statement about a list cannot be compiled; "" if it can."""
        if isinstance(s, Push):
            items = s.items
        else:
            items = tuple(v for read in s.list_reads for v in read.values)
        for x in items:
            t = base_type(x.type)
            if is_row(t) and (self.rows_are_known(s, x) or self.rows_are_alike(s, x)):
                continue
            if not isinstance(t, Seq) and array_dtype(t) is None:
                return f"an array ({t}) that each iteration keeps for the backward pass" \
                    if isinstance(t, Tensor) and t.is_array else self.operand_reason(x)
        return ""

    def rows_are_alike(self, s: Statement, x: Operand) -> bool:
        """May arrays of any size that are appended to a list, or read from it, be in a list for Numba?"""
        if isinstance(s, Push):
            return self.rows.are_alike(s.tape, s.items.index(x))
        return all(self.rows.are_alike(read.filled, read.values.index(x))
                   for read in s.list_reads if isinstance(x, Value) and x in read.values)

    def rows_are_known(self, s: Statement, x: Operand) -> bool:
        """Are the sizes of an array that is appended to a list, or read from it, known where it is allocated?"""
        if isinstance(s, Push):
            return self.rows.of(s.tape, s.items.index(x)) is not None
        return all(self.rows.of(read.filled, read.values.index(x)) is not None
                   for read in s.list_reads if isinstance(x, Value) and x in read.values)

    def equation_reason(self, eqn: Eqn) -> str:
        """Why an equation cannot be compiled; "" if it can."""
        name = eqn.op.name
        if name in ("raise_", "written"):
            return ""
        if name in ("index", "store", "add_at"):
            return self.element_reason(eqn)
        if name in CREATION or name in SIZES or eqn.op in MATRIX_PRODUCTS.values():
            return self.operands_reason((*eqn.args, *eqn.outs))
        if name == "expand_like" and _is_number(eqn.args[0]):
            return self.operands_reason((*eqn.args, *eqn.outs))
        if name in VIEWS and not _is_number(eqn.args[0]):
            return self.operands_reason((*eqn.args, *eqn.outs))
        if name == "attempt":
            return "a `try`"
        if eqn.regions or eqn.op.effect:
            return _described(eqn)
        if eqn.op.compiled and eqn.spelling not in NO_SCIPY:
            if all(_is_number(x) for x in (*eqn.args, *eqn.outs)):
                return _difference_in_numba(eqn)
            return self.operands_reason((*eqn.args, *eqn.outs)) or _described(eqn)
        return self.operands_reason(eqn.args) or _described(eqn)

    def element_reason(self, eqn: Eqn) -> str:
        """Why a subscript, or a write to one, cannot be compiled; "" if it can."""
        key = eqn.attrs["key"]
        if not all(k == "i" or k[0] == "s" for k in key):
            return f"the subscript of {_described(eqn)}"
        if eqn.op.name != "index" and (eqn.inplace is None or not all(k == "i" for k in key)):
            return "a write into a part of an array"
        if eqn.op.name != "index" and not _is_number(eqn.args[1]):
            return "a write into a part of an array"
        return self.operands_reason((*eqn.args, *eqn.outs))

    def operands_reason(self, xs: Iterable[Operand]) -> str:
        return next(filter(None, map(self.operand_reason, xs)), "")

    def operand_reason(self, x: Operand) -> str:
        """Why an operand cannot be in compiled code; "" if it can."""
        t = x.type
        while isinstance(t, Undef):
            t = t.elem
        if is_undef(x) or isinstance(t, Seq):
            return "a list" if x in self.own_lists else ""
        if x in self.either:
            return "a number that may be Python's or NumPy's, with one of single precision"
        if not isinstance(t, Tensor):
            return "None or a value" if isinstance(t, Optional) else f"a value that is not a number ({_named(x, t)})"
        if t.is_array and (t.dtype not in KERNEL_DTYPES or not t.rank):
            return f"an array of this type ({t})"
        return "" if t.is_array or array_dtype(t) else f"a number of this type ({t})"


def _is_pure(eqn: Eqn) -> bool:
    """May an equation be evaluated later, if its operands are what they were?"""
    return not (is_effect(eqn) or eqn.regions or may_raise(eqn) or eqn.op.name == "item_of")


def _is_arithmetic(eqn: Eqn) -> bool:
    """Is this arithmetic of whole arrays or of numbers that Numba does as NumPy does?"""
    arrays = [x.type for x in (*eqn.args, *eqn.outs) if isinstance(x.type, Tensor) and x.type.is_array]
    return (eqn.op.name in ("add", "sub", "mul", "div", "neg") and eqn.inplace is None
            and all(t.dtype == "f64" and t == arrays[0] for t in arrays)
            and all(t in arrays or _is_number(x) for x in eqn.args for t in [x.type]))


def _is_array_arithmetic(s: Statement) -> bool:
    return isinstance(s, Evaluate) and _is_arithmetic(s.eqn) and not all(map(_is_number, s.eqn.outs))


def _is_number(x: Operand) -> bool:
    return array_dtype(x.type) is not None


def _difference_in_numba(eqn: Eqn) -> str:
    """A description of arithmetic that differs in Numba; "" for other arithmetic."""
    numpy_bools = all(isinstance(x.type, Tensor) and x.type.dtype == "b1" for x in eqn.args)
    return "arithmetic of NumPy truth values" if numpy_bools and eqn.op.name not in ON_TRUTH_VALUES else ""


def _named(x: Operand, t: Type) -> str:
    return f"`{x.hint}`" if x.hint else repr(x.value) if isinstance(x, Lit) else str(t)


def _callee(eqn: Eqn) -> str:
    """The function that the text of an equation calls, which Python evaluates: "scipy.special.wright_bessel"."""
    name, is_call, _ = str(eqn.attrs.get("text", "")).partition("(")
    if re.fullmatch(r"_\d+", name):
        x = eqn.args[int(name[1:])]
        name = x.hint or "" if isinstance(x, Value) else ""
    return name if is_call and re.fullmatch(r"\w+(\.\w+)*", name) else ""


def _described(eqn: Eqn) -> str:
    spelled = eqn.spelling or eqn.attrs.get("callee") or _callee(eqn) or next(iter(eqn.op.calls), eqn.op.name)
    name = spelled.removeprefix("builtins.").replace("numpy.", "np.")
    arrays = any(isinstance(x.type, Tensor) and x.type.is_array for x in (*eqn.args, *eqn.outs))
    return f"{name} of arrays" if arrays and not eqn.op.effect else name


def _filled_by_loops_around(kernel: Kernel) -> Iterator[Value]:
    """The lists that the kernel writes or reads at one item for each iteration of a loop around it."""
    own = {s.tape for s in statements(kernel.body) if isinstance(s, NewList)}
    todo = list(kernel.body)
    while todo:
        s = todo.pop()
        if isinstance(s, (Push, Pop, ReadAt)):
            yield from (v for v in lists(s) if v not in own)
        if not isinstance(s, Loop):
            todo += [t for inner in s.blocks for t in inner]


def _error(reason: _Reason | None) -> SctError:
    if reason is None:
        return SctError("SCT908", 'backend="numba": there is nothing to compile', hint='backend="numpy"')
    return SctError("SCT908", f'backend="numba" does not compile {reason.reason}', loc=reason.loc,
                    why="it compiles loops over numbers and elements of arrays",
                    hint='write the elements out in loops, or use backend="numpy"')
