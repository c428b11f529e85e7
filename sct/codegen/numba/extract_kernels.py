"""What Numba compiles: runs of statements about numbers and elements of arrays, with a loop among them.

    u = np.copy(u)              \\
    for i in range(1, n):        |  a kernel
        u[i] += u[i - 1]        /
    return np.sum(u * u)           NumPy, as it is

A loop that holds anything else is refused, with the place and the reason; but a loop
around loops that are kernels may hold what it likes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sct.codegen.numba.tape_sizes import element, is_list, lists
from sct.codegen.polish.buffers import Buffers
from sct.codegen.program.scopes import loop_view
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    CheckBound,
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
    all_blocks,
    blocks,
    list_reads,
    operands,
    reads,
    statements,
    targets,
)
from sct.errors import Loc, SctError
from sct.ir.core import UNDEF, Eqn, Lit, Op, Operand, Value
from sct.ir.types import BOOL, Opaque, Optional, Seq, Tensor, Type, Undef
from sct.ops import OPS

__all__ = [
    "add_bound_flags", "extract_kernels", "make_exceptions_plain", "move_code_behind_loops", "resolve_list_aliases",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARITHMETIC = _words(
    "add sub mul neg pos div floordiv mod pow mathpow abs fabs sign square quotient minimum maximum pymin pymax "
    "fmod remainder hypot copysign arctan2 reciprocal")
FUNCTIONS = _words(
    "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh "
    "arctanh erf erfc gamma lgamma floor ceil trunc rint deg2rad rad2deg logaddexp")
CHOICES = _words(
    "eq ne lt le gt ge not_ logical_and logical_or logical_not logical_xor isnan isinf isfinite where bool int float "
    "round item stop_gradient to_f32 to_f64 to_i64 unwrap")
SCALARS = ARITHMETIC | FUNCTIONS | CHOICES
NEW = _words(
    "copy zeros_of zeros_like ones_like empty_like zeros ones empty full")
SIZES = frozenset(["dim", "size"])
NO_SCIPY = frozenset(["numpy.cbrt", "numpy.float_power"])

UNBOUND = Op("unbound", lambda *_: Opaque(), emit="UnboundLocalError", nondiff="an exception")
EXCEPTIONS = _words(
    "ArithmeticError AssertionError AttributeError Exception FloatingPointError IndexError KeyError LookupError "
    "NameError NotImplementedError OverflowError RuntimeError StopIteration TypeError UnboundLocalError ValueError "
    "ZeroDivisionError")


@dataclass(frozen=True)
class _Reason:
    """Why a statement is not compiled."""

    what: str
    loc: Loc | None


def extract_kernels(block: Block, whole: bool) -> Block:
    """The block, what is compiled in kernels; SctError where a loop cannot be.

    whole  may the kernel be all of the function, with its `return`?
    """
    found = _Grouping(block, whole)
    while True:
        made, stray = found.run()
        if not stray:
            return made
        found.refused |= stray


class _Grouping:
    """
    refused  lists that statements outside kernels read or fill
    taken    the statements that can be compiled
    """

    def __init__(self, block: Block, whole: bool) -> None:
        self.all, self.whole = block, whole
        self.refused: set[Value] = set()
        self.exceptions = _exceptions(block)
        self.memory = Buffers(block)
        self.taken: set[Statement] = set()

    def run(self) -> tuple[Block, set[Value]]:
        """The block in groups, and the lists that are used in kernels and elsewhere."""
        kernels: list[Kernel] = []
        self.taken.clear()
        made = self.block(self.all, kernels, outermost=True)
        inside = {s for k in kernels for s in statements(k.body)}
        for s in statements(made):
            if isinstance(s, Loop) and s not in inside and not any(isinstance(t, Kernel) for t in statements(s.body)):
                reason = next(self.reasons([s]))
                raise _error(reason if reason.loc is not None or s.eqn is None else _Reason(reason.what, s.eqn.loc))
        if not kernels:
            raise _error(next(self.reasons(made, within=True), None))
        outside = {v for s in statements(made) if s not in inside for v in lists(s)}
        return made, {v for s in inside for v in lists(s)} & outside - self.refused

    def block(self, block: Block, kernels: list[Kernel], outermost: bool = False) -> Block:
        made: Block = []
        run: Block = []
        whole = self.whole and outermost

        def close() -> None:
            last = [run.pop()] if run and isinstance(run[-1], Return) and (made or not whole) else []
            straight = outermost and not made and run and len(run) >= len(block) - 1
            if straight and not any(map(_is_of_arrays, run)) or any(isinstance(t, Loop) for t in statements(run)):
                kernels.append(Kernel(list(run)))
                made.append(kernels[-1])
            else:
                made.extend(run)
            made.extend(last)
            run.clear()

        for s in self.late(block):
            if s in self.taken:
                run.append(s)
            else:
                close()
                made.append(self.inner(s, kernels))
        close()
        return made

    def late(self, block: Block) -> Block:
        """The block with what NumPy computes behind the loops that do not need it."""
        readers: dict[Operand, list[Statement]] = defaultdict(list)
        for s in block:
            for t in (s, *(t for inner in blocks(s) for t in statements(inner))):
                for x in reads(t):
                    readers[x].append(s)
        for s in reversed(block):
            taken = next(self.reasons([s]), None) is None
            if taken and isinstance(s, Evaluate) and _is_arithmetic(s.eqn) and readers[s.eqn.out]:
                taken = any(r in self.taken for r in readers[s.eqn.out])
            if taken:
                self.taken.add(s)
        made: Block = []
        for s in reversed(block):
            made.insert(self.place(s, made) if s not in self.taken and isinstance(s, Evaluate) else 0, s)
        return made

    def place(self, s: Evaluate, after: Block) -> int:
        """How many of the statements `after` it can `s` be put behind."""
        if s.eqn.op.effect or s.eqn.regions or s.eqn.op.raises != "never" or s.eqn.op.name == "item_of":
            return 0
        buffers_read = self.memory.read(s, s.eqn.args)
        mine = {*s.eqn.args, *s.eqn.outs}
        for k, t in enumerate(after):
            every = [t, *(u for inner in blocks(t) for u in statements(inner))]
            written = self.memory.written(t)
            if isinstance(t, (Return, Define)) or written is None or written & buffers_read \
                    or any(x in mine for u in every for x in targets(u)) \
                    or any(x in s.eqn.outs for u in every for x in reads(u)):
                return k
        return len(after)

    def inner(self, s: Statement, kernels: list[Kernel]) -> Statement:
        """A statement that is not compiled: what is in it may be."""
        if isinstance(s, Loop) and s.tape is None and not s.zipped:
            s = Loop(self.block(s.body, kernels), s.index, s.bounds, s.reverse, s.test, None, [], s.jumps, s.eqn)
        elif isinstance(s, If):
            s = If(s.test, self.block(s.then, kernels), self.block(s.orelse, kernels), s.eqn)
        elif isinstance(s, Define):
            s = Define(s.eqn, s.params, self.block(s.body, kernels))
        return s

    # -- why not ------------------------------------------------------------------------

    def reasons(self, block: Block, within: bool = False) -> Iterator[_Reason]:
        """Why statements, and those `within` loops, are not compiled."""
        for s in block:
            loc = s.eqn.loc if isinstance(s, (Evaluate, If, Loop)) and s.eqn is not None else None
            what = "a way out of a loop" if isinstance(s, Jump) and not within else self.reason(s)
            if what and not (not within and isinstance(s, Evaluate) and _is_arithmetic(s.eqn)):
                yield _Reason(what, loc)
            for inner in blocks(s):
                yield from self.reasons(inner, within or isinstance(s, Loop))

    def reason(self, s: Statement) -> str:
        """Why this statement, without those in it, cannot be compiled; "" if it can."""
        if isinstance(s, Evaluate):
            return "" if s in self.exceptions else self.equation(s.eqn)
        if isinstance(s, Define):
            return "a function that is made here"
        if isinstance(s, Return):
            return next(filter(None, (self.operand(x) for x in s.results)), "")
        if any(v in self.refused for v in lists(s)) and not isinstance(s, NewList):
            return "numbers that are kept for the backward pass, which is not compiled"
        if isinstance(s, (Push, Pop, ReadAt, NewList)) or isinstance(s, Loop) and (s.zipped or s.tape):
            return self.tape(s)
        if isinstance(s, Assign) and any(is_list(v.type) for v, _ in s.pairs):
            return "a sequence that depends on a branch"
        return next(filter(None, (self.operand(x) for x in (*operands(s), *targets(s)))), "")

    def tape(self, s: Statement) -> str:
        if isinstance(s, Push):
            kept = s.operands
        else:
            kept = tuple(v for read in list_reads(s) for v in read.values)
        for x in kept:
            t = x.type
            while isinstance(t, (Undef, Optional)):
                t = t.elem
            if not isinstance(t, Seq) and element(t) is None:
                return f"an array ({t}) of each trip, kept for the backward pass" \
                    if isinstance(t, Tensor) and t.is_array else self.operand(x)
        return ""

    def equation(self, eqn: Eqn) -> str:
        name = eqn.op.name
        if name == "raise_":
            return ""
        if name in ("index", "store", "add_at"):
            return self.element(eqn)
        if name in NEW or name in SIZES:
            return next(filter(None, map(self.operand, (*eqn.args, *eqn.outs))), "")
        if eqn.regions or eqn.op.effect:
            return _described(eqn)
        if name in SCALARS and (eqn.spelling not in NO_SCIPY):
            if all(_is_number(x) for x in (*eqn.args, *eqn.outs)):
                return _odd(eqn)
            return next(filter(None, map(self.operand, (*eqn.args, *eqn.outs))), "") or _described(eqn)
        return next(filter(None, map(self.operand, eqn.args)), "") or _described(eqn)

    def element(self, eqn: Eqn) -> str:
        key = eqn.attrs["key"]
        if not all(k == "i" or k[0] == "s" for k in key):
            return f"the subscript of {_described(eqn)}"
        if eqn.op.name != "index" and (eqn.inplace is None or not all(k == "i" for k in key)):
            return "a write into a part of an array"
        if eqn.op.name != "index" and not _is_number(eqn.args[1]):
            return "a write into a part of an array"
        return next(filter(None, map(self.operand, (*eqn.args, *eqn.outs))), "")

    def operand(self, x: Operand) -> str:
        t = x.type
        while isinstance(t, Undef):
            t = t.elem
        if isinstance(x, Lit) and x.value is UNDEF or isinstance(t, Seq):
            return ""
        if not isinstance(t, Tensor):
            return "None or a value" if isinstance(t, Optional) else f"a value that is not a number ({_named(x, t)})"
        if t.is_array and (t.dtype not in ("f64", "f32", "i64", "b1") or not t.rank):
            return f"an array of this type ({t})"
        return "" if t.is_array or element(t) else f"a number of this type ({t})"


def _exceptions(block: Block) -> set[Statement]:
    """The statements that make what is raised next, and the strings in it."""
    makers = {v: s for s in statements(block) if isinstance(s, Evaluate) for v in s.eqn.outs}
    found: set[Statement] = set()
    for s in statements(block):
        if isinstance(s, Evaluate) and s.eqn.op.name == "raise_":
            work = list(s.eqn.args)
            while work:
                made = makers.get(work.pop())  # type: ignore[arg-type]
                if made is not None and isinstance(made, Evaluate) and isinstance(made.eqn.out.type, Opaque):
                    found.add(made)
                    work += made.eqn.args
    return found


def make_exceptions_plain(block: Block) -> None:
    """Kernels raise exceptions of the right class, and with their text if that is a literal."""
    made = _exceptions(block)
    makers: dict[Operand, Eqn] = {s.eqn.out: s.eqn for s in made if isinstance(s, Evaluate)}
    for kernel in [s for s in statements(block) if isinstance(s, Kernel)]:
        for inner in all_blocks(kernel.body):
            inner[:] = [t for s in inner if s not in made for t in _raised(s, makers)]


def _raised(s: Statement, makers: Mapping[Operand, Eqn]) -> Iterator[Statement]:
    if isinstance(s, Evaluate) and s.eqn.op.name == "raise_":
        by = makers.get(s.eqn.args[0])
        name = str(by.attrs.get("callee", "")).removeprefix("builtins.") if by is not None else ""
        texts = by.args if by is not None and all(isinstance(x, Lit) for x in by.args) else ()
        emit = f"{name}({', '.join(f'_{k}' for k in range(len(texts)))})" if name in EXCEPTIONS else "RuntimeError"
        op = Op("exception", lambda *_: Opaque(), emit=emit.removesuffix("()"), nondiff="an exception")
        made = Eqn(op, texts if name in EXCEPTIONS else (), (Value(Opaque()),), loc=s.eqn.loc)
        yield Evaluate(made, made)
        eqn = s.eqn.with_(args=made.outs)
        s = Evaluate(eqn, eqn)
    yield s


def resolve_list_aliases(block: Block) -> None:
    """A list that is the result of a branch is the list that one of the arms made."""
    sources: dict[Value, set[Operand]] = defaultdict(set)
    carried: set[Value] = set()
    for s in statements(block):
        for v, x in s.pairs if isinstance(s, Assign) else ():
            if is_list(v.type) and not (isinstance(x, Lit) and x.value is UNDEF):
                sources[v].add(x)
        if isinstance(s, Loop) and s.eqn is not None:
            carried.update(loop_view(s.eqn).params)
    same: dict[Value, Value] = {}
    for v, found in sources.items():
        if len(found) == 1 and v not in carried:
            (x,) = found
            if isinstance(x, Value):
                same[v] = x

    def root(x: Value) -> Value:
        while x in same:
            x = same[x]
        return x

    for s in statements(block):
        if isinstance(s, Assign):
            s.pairs = [(v, x) for v, x in s.pairs if v not in same]
        elif isinstance(s, Push):
            s.operands = tuple(root(x) if isinstance(x, Value) else x for x in s.operands)
        for read in list_reads(s):
            read.tape, read.filled = root(read.tape), root(read.filled)
        if isinstance(s, Loop) and s.tape is not None:
            s.tape = root(s.tape)


def move_code_behind_loops(block: Block) -> None:
    """What comes before the one `break` of a `while True` goes behind the loop: Numba does not
    find the types of what is assigned there."""
    for inner in all_blocks(block):
        inner[:] = [t for s in inner for t in _way_out(s)]


def _way_out(s: Statement) -> Iterator[Statement]:
    yield s
    if not isinstance(s, Loop) or s.test is not None or s.bounds or s.tape is not None:
        return
    jumps = [t for t in _own(s.body) if isinstance(t, Jump)]
    for branch in s.body:
        arm = next((arm for arm in blocks(branch) if arm and arm[-1] in jumps), None) \
            if isinstance(branch, If) and [t.kind for t in jumps] == ["break"] else None
        if arm is not None:
            before = arm[:-1]
            del arm[:-1]
            yield from before


def _own(block: Block) -> Iterator[Statement]:
    """The statements of a block, but not those of loops in it."""
    for s in block:
        yield s
        if not isinstance(s, Loop):
            for inner in blocks(s):
                yield from _own(inner)


def add_bound_flags(block: Block) -> None:
    """Say with a flag whether a variable is assigned, where the user's code may read it unassigned."""
    moves = [s for s in statements(block) if isinstance(s, Assign)]
    sources: dict[Value, list[Operand]] = defaultdict(list)
    for v, x in (pair for s in moves for pair in s.pairs):
        sources[v].append(x)
    flags: dict[Operand, Value] = {}
    work: list[Operand] = [s.value for s in statements(block) if isinstance(s, CheckBound)]
    while work:
        x = work.pop()
        if isinstance(x, Value) and x in sources and x not in flags:
            flags[x] = Value(BOOL, f"has_{x.hint}" if x.hint else "has")
            work += sources[x]

    def flag(x: Operand) -> Operand:
        return flags.get(x, Lit(not (isinstance(x, Lit) and x.value is UNDEF)))

    for s in moves:
        s.pairs += [(flags[v], flag(x)) for v, x in s.pairs if v in flags]
    for inner in all_blocks(block):
        inner[:] = [t for s in inner for t in ([s] if not isinstance(s, CheckBound) else _checked(flag(s.value)))]


def _checked(flag: Operand) -> Iterator[Statement]:
    if isinstance(flag, Value):
        made = Eqn(UNBOUND, (), (Value(Opaque()),))
        raised = Eqn(OPS["raise_"], made.outs, ())
        yield If(flag, [], [Evaluate(made, made), Evaluate(raised, raised)])


def _is_arithmetic(eqn: Eqn) -> bool:
    """Is this arithmetic of whole arrays, as it is in Numba?"""
    arrays = [x.type for x in (*eqn.args, *eqn.outs) if isinstance(x.type, Tensor) and x.type.is_array]
    return (eqn.op.name in ("add", "sub", "mul", "div", "neg") and eqn.inplace is None
            and all(t.dtype == "f64" and t == arrays[0] for t in arrays)
            and all(t in arrays or _is_number(x) for x in eqn.args for t in [x.type]))


def _is_of_arrays(s: Statement) -> bool:
    return isinstance(s, Evaluate) and _is_arithmetic(s.eqn) and not all(map(_is_number, s.eqn.outs))


def _is_number(x: Operand) -> bool:
    return element(x.type) is not None


def _odd(eqn: Eqn) -> str:
    """Arithmetic that means something else in Numba."""
    arithmetic = eqn.op.name in ARITHMETIC or eqn.op.name == "where"
    numpy = [x for x in eqn.args if isinstance(x.type, Tensor) and x.type.dtype == "b1"]
    if arithmetic and eqn.op.name != "where" and len(numpy) == len(eqn.args):
        return "arithmetic of NumPy truth values"
    return ""


def _named(x: Operand, t: Type) -> str:
    return f"`{x.hint}`" if x.hint else repr(x.value) if isinstance(x, Lit) else str(t)


def _described(eqn: Eqn) -> str:
    spelled = eqn.spelling or eqn.attrs.get("callee") or (eqn.op.calls[0] if eqn.op.calls else eqn.op.name)
    name = spelled.removeprefix("builtins.").replace("numpy.", "np.")
    arrays = any(isinstance(x.type, Tensor) and x.type.is_array for x in (*eqn.args, *eqn.outs))
    return f"{name} of arrays" if arrays and not eqn.op.effect else name


def _error(reason: _Reason | None) -> SctError:
    if reason is None:
        return SctError("SCT908", 'backend="numba": there is nothing to compile', hint='backend="numpy"')
    return SctError("SCT908", f'backend="numba" does not compile {reason.what}', loc=reason.loc,
                    why="it compiles loops over numbers and elements of arrays",
                    hint='write the elements out in loops, or use backend="numpy"')
