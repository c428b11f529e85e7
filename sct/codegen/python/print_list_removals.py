"""Items that are taken out of a list, `v = xs.pop(i)`, `del xs[i]`, `del xs[i:j]`, or change places."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from sct.codegen.program.statement_ir import Block, Evaluate, Statement
from sct.codegen.python.print_attempts import AttemptPrinter
from sct.codegen.python.print_expressions import call, store, tuple_of
from sct.ir.core import Eqn, Lit, Operand, Value
from sct.ops.arrays.indexing import index
from sct.ops.program.inner_lists import INNER_UPDATES, path_of
from sct.ops.program.list_ops import remove_at
from sct.ops.program.list_slices import remove_slice

__all__ = ["ListRemovalPrinter"]

_REMOVE = (remove_at, INNER_UPDATES[remove_at])


class ListRemovalPrinter(AttemptPrinter):
    """Prints what takes items out of lists.

    pop_statements  `v = xs[i]` and `xs.pop(i)` behind it, which are printed as one; True for the first of the two
    """

    pop_statements: dict[Statement, bool]
    read: Any

    def find_pops(self, block: Block) -> Iterator[tuple[Statement, bool]]:
        """Each `v = xs[i]` with `xs.pop(i)` behind it, which are one statement; True for the first of the two.

        They stay two if the user wrote two: their exceptions differ.  The same of the tangents may stand between them.
        """
        for k, s in enumerate(block):
            if isinstance(s, Evaluate) and s.eqn.op is index and s.eqn.out in self.read:
                after, last = (*block[k + 1:k + 3], None, None)[:2]
                if self.is_pop(s, last) and self.is_of_another_list(after, s):
                    after = last
                if after is not None and self.is_pop(s, after):
                    yield s, True
                    yield after, False

    def is_pop(self, s: Evaluate, after: Statement | None) -> bool:
        """Are these `v = xs[i]` and `xs.pop(i)`, which the user wrote as one?"""
        return isinstance(after, Evaluate) and after.eqn.op in _REMOVE \
            and self.reads_from(s.eqn, after.eqn) and not after.eqn.attrs.get("deleted") \
            and (s.eqn.loc == after.eqn.loc or not s.eqn.primal) and isinstance(xs := after.eqn.args[0], Value) \
            and self.names.same(after.eqn.out, xs)

    def is_of_another_list(self, s: Statement | None, read: Evaluate) -> bool:
        """Is this a read of an item, or its removal, that neither sees nor changes the list and the index of `read`?"""
        if not isinstance(s, Evaluate) or s.eqn.op not in (index, *_REMOVE):
            return False
        assigned = self.variables(s.eqn.out) if s.eqn.out in self.read else set()
        return not self.variables(read.eqn.args[0]) & self.variables(*s.eqn.args) \
            and not assigned & self.variables(*read.eqn.args, read.eqn.out)

    def variables(self, *operands: Operand) -> set[str]:
        """The variables in the text of these operands; a value that is not read has none."""
        shown = [x for x in operands if not isinstance(x, Value) or x in self.names.names or x in self.expr.inlined]
        return {n.id for x in shown for n in ast.walk(self.expr(x)) if isinstance(n, ast.Name)}

    def reads_from(self, read: Eqn, update: Eqn) -> bool:
        """Do `read` and `update` name the same item of the same list?"""
        items = self.subscripts(update.args[0], path_of(update)), self.expr(update.args[1])
        return ast.dump(ast.Subscript(*items, ast.Load())) == ast.dump(self.subscripts(read.args[0], read.args[1:]))

    def pop(self, eqn: Eqn) -> ast.stmt:
        xs, *path, i = eqn.args
        pop = ast.Attribute(self.subscripts(xs, path), "pop", ast.Load())
        return self.assign(eqn.out, call(pop, *([] if i == Lit(-1) else [self.expr(i)])))

    def deletion(self, eqn: Eqn) -> ast.stmt:
        """`del xs[i]`, `del xs[k][i]`, `del xs[i:j]`"""
        xs, i, *_ = eqn.args
        if eqn.op is remove_slice:
            return ast.Delete([self.expr.subscript(xs, eqn.args[1:], eqn.attrs["key"], ast.Del())])
        return ast.Delete([ast.Subscript(self.subscripts(xs, path_of(eqn)), self.expr(i), ast.Del())])

    def swap(self, eqn: Eqn) -> ast.stmt:
        """`xs[i], xs[j] = xs[j], xs[i]`"""
        xs, i, j = eqn.args
        items = [[ast.Subscript(self.expr(xs), self.expr(k), context) for k in at]
                 for at, context in (((i, j), ast.Store()), ((j, i), ast.Load()))]
        return ast.Assign([tuple_of(items[0], ast.Store())], tuple_of(items[1]), None)

    def subscripts(self, xs: Operand, path: Sequence[Operand]) -> Any:
        """`xs[i][j]`"""
        item = self.expr(xs)
        for k in path:
            item = ast.Subscript(item, self.expr(k), ast.Load())
        return item

    def assign(self, v: Value, value: ast.expr) -> ast.stmt:
        return ast.Assign([store(self.names[v])], value, None)
