"""Tangents and cotangents that a function passes to derivatives inside it, converted to the type of the value.

They follow the rules of `sct.jvp` and of pullbacks: the structure and the shapes of the value, `None` for zero,
and a conversion to its dtype.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from sct.errors import SctError
from sct.frontend.autodiff.differentiated_region import check_row, tangent_type
from sct.frontend.autodiff.value_trees import tree_of
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.objects.objects import class_of, get_attribute
from sct.frontend.state.parts import changed
from sct.frontend.values.abstract_values import Abstract, Container, ListRef, Static, Tup
from sct.frontend.values.item_schemas import schema_parts
from sct.ir import Lit, Operand
from sct.ir.dims import Dim
from sct.ir.pytrees.user_objects import attributes
from sct.ir.real_ints import mark_real
from sct.ir.types import NARROW, List, Tensor, base_type, in_words
from sct.ops import array, astype, dim, index, ne, number_like

__all__ = ["Direction"]


@dataclass(frozen=True)
class Direction:
    """The kind of direction: "tangent" of a primal, or "cotangent" of an output.

    exact  sizes that are not known are compared when the derivative runs, and a number becomes one of the kind that the
           value is, of Python or of NumPy
    """

    name: str
    of: str
    exact: bool = True

    def leaves(self, ev: Evaluator, value: Abstract, direction: Abstract) -> list[Abstract]:
        """The leaves of `given` beside those of `value`; None for a whole part is None for its leaves."""
        leaves: list[Abstract] = []
        if isinstance(direction, Static) and direction.peek is None:
            tree_of(ev, value, leaves)
            return [direction for _ in leaves]
        ours = _parts(ev, value)
        if ours is None:
            tree_of(ev, value, leaves)
            for leaf in leaves:
                check_row(ev, leaf)
            return [direction] if leaves else []
        theirs = self.items(ev, direction, len(ours)) if (
            isinstance(value, ListRef) and not dynamic_lists.is_dynamic(ev, value)
            and isinstance(direction, ListRef) and dynamic_lists.is_dynamic(ev, direction)) else _parts(ev, direction)
        if (dynamic_lists.is_dynamic(ev, value) and isinstance(direction, ListRef)
                and not dynamic_lists.is_dynamic(ev, direction)):
            ev.refuse("SCT406", f"the {self.of} is a list of any length, the {self.name} is not",
                      why="a list that is read from outside has a fixed length",
                      hint=f"pass the {self.name} as an argument, or use np.array of both")
        if theirs is None or ours.keys() != theirs.keys():
            ev.refuse("SCT406", f"the {self.name} does not have the structure of the {self.of}",
                      why="they have different parts",
                      hint=f"a {self.name} is a container like the {self.of}, with None for what has none")
        return [x for k, part in ours.items() for x in self.leaves(ev, part, theirs[k])]

    def items(self, ev: Evaluator, direction: ListRef, n: int) -> dict[Any, Abstract]:
        """The `n` items of a list with columns; raises at run time if it has another length."""
        message = f"a {self.name} has the length of its {self.of}"
        evaluate_branches(ev, ev.emit(ne, dynamic_lists.length(ev, direction), n),
                          lambda: raise_at_run_time(ev, "ValueError", message), lambda: None)
        return {k: dynamic_lists.element(ev, direction, Lit(k)) for k in range(n)}

    def fitted(self, ev: Evaluator, direction: Abstract, value: Operand) -> Operand:
        """`given` as the tangent or cotangent of `value`: of its shape and dtype."""
        if isinstance(direction, ListRef) and isinstance(value.type, List):
            return dynamic_lists.as_column(ev, direction)
        x = ev.operand(direction)
        if isinstance(x.type, List) and isinstance(value.type, List):
            return x
        t, g = base_type(value.type), x.type
        if not isinstance(g, Tensor) or not isinstance(t, Tensor) or g.rank != t.rank or g.kind == "c" != t.kind:
            raise self.refusal(ev, x, value)
        for axis, (a, b) in enumerate(zip(g.shape, t.shape)):
            self.equal(ev, x, value, axis, a, b)
        wanted = tangent_type(mark_real(t))
        assert isinstance(wanted, Tensor)
        if t.is_array:
            return _as_array(ev, x, wanted.dtype)
        if isinstance(x, Lit):
            x = Lit(complex(x.value) if t.kind == "c" else float(x.value))
        x = ev.emit(index, x, key=()) if g.is_array else x
        assert isinstance(x.type, Tensor)
        if not self.exact and _is_as_precise(x.type, wanted):
            return x
        # What kind of number a derivative is, is not known before it is expanded: `number_like` is kept until then.
        is_known = value in ev.params or isinstance(value, Lit)
        if is_known and x.type == wanted:
            return x
        with changed(ev.b, primal=False):
            return cast(Operand, ev.emit(number_like, x, value))

    def equal(self, ev: Evaluator, x: Operand, value: Operand, axis: int, a: Dim, b: Dim) -> None:
        """Refuse sizes that differ; raise at run time where that is not known before."""
        if not ev.same(a, b):
            raise self.refusal(ev, x, value)
        a, b = ev.resolve(a), ev.resolve(b)
        if a == b:
            return
        if a.value == 1 and b.never_one or b.value == 1 and a.never_one:
            raise self.refusal(ev, x, value)
        if not self.exact:
            return
        message = f"a {self.name} has the shape of its {self.of}"
        evaluate_branches(ev, ev.emit(ne, ev.emit(dim, x, axis=axis), ev.emit(dim, value, axis=axis)),
                  lambda: raise_at_run_time(ev, "ValueError", message), lambda: None)

    def refusal(self, ev: Evaluator, x: Operand, value: Operand) -> SctError:
        words, own = in_words(x.type), in_words(value.type)
        return SctError("SCT406", f"the {self.name} is {words}, its {self.of} {own}",
                        why="their sizes differ" if words == own else "",
                        hint=f"a {self.name} has the shape of its {self.of}", loc=ev.loc)


def _as_array(ev: Evaluator, x: Operand, dtype: str) -> Operand:
    x = x if x.type.is_array else ev.emit(array, x)  # type: ignore[union-attr]
    return x if x.type.dtype == dtype else ev.emit(astype, x, dtype=dtype)  # type: ignore[union-attr]


def _is_as_precise(g: Tensor, t: Tensor) -> bool:
    """Are both real or both complex, and of one precision?"""
    return g.kind == t.kind and not g.integral and (g.dtype == t.dtype or not {g.dtype, t.dtype} & set(NARROW))


def _parts(ev: Evaluator, v: Abstract) -> dict[Any, Abstract] | None:
    """The items of a container by their keys, the attributes of an object, the columns of a list of records."""
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v) and ev.slots(v).schema != 0:
        columns = dynamic_lists.column_refs(ev, v)
        return {path: part if isinstance(part, Static) else columns[part]
                for path, part in schema_parts(ev.slots(v).schema or 0)}
    if isinstance(v, Tup):
        return dict(zip(v.fields or range(len(v.items)), v.items))
    if isinstance(v, Static) and class_of(v) is not None:
        return {name: get_attribute(ev, v, name) for name in attributes(v.peek) or ()}
    if not isinstance(v, Container) or dynamic_lists.is_dynamic(ev, v):
        return None
    cell = ev.slots(v)
    return dict(zip(range(len(cell.items)) if isinstance(v, ListRef) else cell.keys, cell.items))
