"""Statements -> forms of them that Numba compiles.

    tape = a if c else b            the list that the branches share
    reading an unbound variable     a flag, and a check of it
    raise E(f"...")                 raise E
    while True: if c: x; break      while True: if c: break; x behind the loop
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from sct.codegen.numba.tape_arrays import is_list
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    CheckBound,
    Evaluate,
    If,
    Jump,
    Kernel,
    Loop,
    Push,
    Statement,
    all_blocks,
    statements,
)
from sct.ir.core import Eqn, Lit, Op, Operand, Value, is_undef
from sct.ir.loop_view import loop_view
from sct.ir.types import BOOL, Opaque
from sct.ops import OPS

__all__ = [
    "add_bound_flags", "make_exceptions_plain", "move_code_behind_loops", "raised_values", "resolve_list_aliases",
]

UNBOUND_ERRORS = {free: Op("unbound", lambda *_: Opaque(), emit=exception, nondiff="an exception")
                  for free, exception in ((False, "UnboundLocalError"), (True, "NameError"))}
COMPILED_EXCEPTIONS = frozenset([
    "ArithmeticError", "AssertionError", "AttributeError", "Exception", "FloatingPointError", "IndexError", "KeyError",
    "LookupError", "NameError", "NotImplementedError", "OverflowError", "RuntimeError", "StopIteration", "TypeError",
    "UnboundLocalError", "ValueError", "ZeroDivisionError",
])


def raised_values(block: Block) -> set[Statement]:
    """The statements that define exceptions that are raised, and their texts."""
    definitions: dict[Operand, Evaluate] = {
        v: s for s in statements(block) if isinstance(s, Evaluate) for v in s.eqn.outs}
    raised: set[Statement] = set()
    for s in statements(block):
        if isinstance(s, Evaluate) and s.eqn.op.name == "raise_":
            work = list(s.eqn.args)
            while work:
                definition = definitions.get(work.pop())
                if definition is None or len(definition.eqn.outs) != 1:
                    continue
                if isinstance(definition.eqn.out.type, Opaque):
                    raised.add(definition)
                    work += definition.eqn.args
    return raised


def make_exceptions_plain(block: Block) -> None:
    """Let kernels raise exceptions by class, with the text if it is a literal, as Numba compiles no others."""
    raised = raised_values(block)
    definitions: dict[Operand, Eqn] = {s.eqn.out: s.eqn for s in raised if isinstance(s, Evaluate)}
    for kernel in [s for s in statements(block) if isinstance(s, Kernel)]:
        for inner in all_blocks(kernel.body):
            inner[:] = [t for s in inner if s not in raised for t in _with_plain_exception(s, definitions)]


def _with_plain_exception(s: Statement, definitions: Mapping[Operand, Eqn]) -> Iterator[Statement]:
    if isinstance(s, Evaluate) and s.eqn.op.name == "raise_":
        original = definitions.get(s.eqn.args[0])
        name = str(original.attrs.get("callee", "")).removeprefix("builtins.") if original is not None else ""
        texts = original.args if original is not None and all(isinstance(x, Lit) for x in original.args) else ()
        is_compiled = name in COMPILED_EXCEPTIONS
        emit = f"{name}({', '.join(f'_{k}' for k in range(len(texts)))})" if is_compiled else "RuntimeError"
        op = Op("exception", lambda *_: Opaque(), emit=emit.removesuffix("()"), nondiff="an exception")
        exception = Eqn(op, texts if is_compiled else (), (Value(Opaque()),), loc=s.eqn.loc)
        yield Evaluate(exception, exception)
        eqn = s.eqn.replace(args=exception.outs)
        s = Evaluate(eqn, eqn)
    yield s


def resolve_list_aliases(block: Block) -> None:
    """Replace a list that is the result of a conditional by the list that one of its branches creates."""
    sources: dict[Value, set[Operand]] = defaultdict(set)
    carried: set[Value] = set()
    for s in statements(block):
        for v, x in s.pairs if isinstance(s, Assign) else ():
            if is_list(v.type) and not is_undef(x):
                sources[v].add(x)
        if isinstance(s, Loop) and s.eqn is not None:
            carried.update(loop_view(s.eqn).params)
    alias: dict[Value, Value] = {}
    for v, operands in sources.items():
        if len(operands) == 1 and v not in carried:
            (x,) = operands
            if isinstance(x, Value):
                alias[v] = x

    def root(x: Value) -> Value:
        while x in alias:
            x = alias[x]
        return x

    for s in statements(block):
        if isinstance(s, Assign):
            s.pairs = [(root(v), x) for v, x in s.pairs if v not in alias or is_undef(x)]
        elif isinstance(s, Push):
            s.items = tuple(root(x) if isinstance(x, Value) else x for x in s.items)
            s.maybe_unbound = frozenset(root(x) if isinstance(x, Value) else x for x in s.maybe_unbound)
        for read in s.list_reads:
            read.tape, read.filled = root(read.tape), root(read.filled)
        if isinstance(s, Loop) and s.tape is not None:
            s.tape = root(s.tape)


def move_code_behind_loops(block: Block) -> None:
    """Move the statements before the one `break` of a `while True` behind the loop.

    Numba does not infer the types of variables that are assigned there.
    """
    for inner in all_blocks(block):
        inner[:] = [t for s in inner for t in _with_code_behind(s)]


def _with_code_behind(s: Statement) -> Iterator[Statement]:
    """The statement, and behind it the statements before the `break` if it is a loop with only that exit."""
    yield s
    if not isinstance(s, Loop) or s.test is not None or s.bounds or s.tape is not None:
        return
    jumps = [t for t in _statements_of_loop(s.body) if isinstance(t, Jump)]
    if [jump.kind for jump in jumps] != ["break"]:
        return
    for conditional in s.body:
        branches = list(conditional.blocks) if isinstance(conditional, If) else []
        leaving = next((branch for branch in branches if branch and branch[-1] in jumps), None)
        if leaving is not None:
            before = leaving[:-1]
            del leaving[:-1]
            yield from before


def _statements_of_loop(block: Block) -> Iterator[Statement]:
    """The statements of a block, but not those of loops in it."""
    for s in block:
        yield s
        if not isinstance(s, Loop):
            for inner in s.blocks:
                yield from _statements_of_loop(inner)


def add_bound_flags(block: Block) -> None:
    """Add flags that say whether a variable is bound, and check them where the user's code may read it unbound.

    v <- undef; ...; CheckBound(v)   ->   has_v <- False; ...; if not has_v: raise UnboundLocalError
    """
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
        return flags.get(x, Lit(not is_undef(x)))

    for s in moves:
        s.pairs += [(flags[v], flag(x)) for v, x in s.pairs if v in flags]
    for inner in all_blocks(block):
        inner[:] = [t for s in inner
                    for t in (_check_statements(flag(s.value), s.free) if isinstance(s, CheckBound) else [s])]


def _check_statements(flag: Operand, free: bool) -> Iterator[Statement]:
    if isinstance(flag, Value):
        error = Eqn(UNBOUND_ERRORS[free], (), (Value(Opaque()),))
        raised = Eqn(OPS["raise_"], error.outs, ())
        yield If(flag, [], [Evaluate(error, error), Evaluate(raised, raised)])
