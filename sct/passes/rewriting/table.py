"""The table of rewrite rules, and the queries in which they are written.

    @rule("sub", of="neg")
    def sub_negated(a, b):                              a - -b -> a + b;  -a - b -> -(a + b)

A rule takes the operands and attrs of an equation and returns an operand to use instead, or None. It is written with
the ops themselves; `operands_of(x, "mul")` are the operands of the adjoint product that defines `x`. The docstring of a
rule is `before -> after`, in which `a`, `b`, `x` are values and `c`, `d` literals. Every rule is directional and never
adds work, so that rewriting terminates. The driver refuses a result of another type.

A rule declares its phase:

    build      applied before an equation of adjoint code is built, and by the pass `simplify`
    simplify   applied by the pass, since the rule reads the `Site`: its first argument
    present    likewise, last of all: it chooses the form to be printed, which other rules do not match
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from sct.ir.affine import Range
from sct.ir.build import Builder
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, builder_var, walk
from sct.ir.dims import Dim
from sct.ir.types import INT, Tensor
from sct.ir.uses import use_counts
from sct.ops.arrays.indexing import index
from sct.passes.rewriting.literals import number

__all__ = [
    "MOST_FACTORS", "RULES", "Phase", "Rule", "Site", "adjoint_eqn", "carrier_of", "choice_of", "defining_eqn",
    "factors_of", "is_element", "is_full", "is_result_of", "is_zeros", "names_defining", "operands_of", "origins_of",
    "rule", "shape_of", "writes_once",
]

Phase = Literal["build", "simplify", "present"]
Apply = TypeVar("Apply", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Rule:
    """An entry of the table.

    ops    the names of the ops to whose equations it applies
    of     the names that `names_defining` gives the operands that the rule matches, of which there is at least one;
           empty: any operands
    when   the assumption of the rule, if it has one: "finite" means that all values of the left side are finite. Rules
           without an assumption also agree on nan and infinities, with -0.0 equal to 0.0
    """

    apply: Callable[..., Any]
    ops: tuple[str, ...]
    phase: Phase
    of: frozenset[str]
    when: str


RULES: list[Rule] = []


def rule(*ops: str, phase: Phase = "build", of: str = "", when: str = "") -> Callable[[Apply], Apply]:
    """Enter a rule; `of` has the names of its ops in a row."""

    def enter(apply: Apply) -> Apply:
        RULES.append(Rule(apply, ops, phase, frozenset(of.split()), when))
        return apply

    return enter


class Site:
    """An equation that the pass simplifies, and what is known of its function.

    eqn       the equation
    uses      for a value: how often it is read
    ranges    the ranges of the indices of the loops around the equation, inner loops first
    elements  the operands of reads of single elements
    params    the params of the function
    arrays    for a shape: a param that has it
    sizes     for a size: a param that has it, and the axis
    ints      for a size: a param that is this number
    hints     for a value without a hint: the hint of a value that it replaces
    """

    eqn: Eqn

    def __init__(self, fn: Fn) -> None:
        self.uses = use_counts(fn)
        self.ranges: list[Range] = []
        self.elements = {eqn.args for eqn in walk(fn) if eqn.op is index and is_element(eqn.attrs["key"])}
        self.params = frozenset(fn.params)
        self.arrays: dict[tuple[Dim, ...], Value] = {}
        self.sizes: dict[Dim, tuple[Value, int]] = {}
        self.ints: dict[Dim, Value] = {p.dim: p for p in fn.params if p.type == INT and p.dim is not None}
        self.hints: dict[Value, str] = {}
        for p in fn.params:
            if isinstance(p.type, Tensor):
                self.arrays.setdefault(p.type.shape, p)
                for k, d in enumerate(p.type.shape):
                    self.sizes.setdefault(d, (p, k))

    @property
    def out(self) -> Value:
        """The out of the equation."""
        return self.eqn.outs[0]

    def offer_hint(self, x: Operand) -> None:
        """Name `x`, which replaces the out, like that, if it has no name."""
        if isinstance(x, Value) and x.hint is None and self.out.hint is not None:
            self.hints.setdefault(x, self.out.hint)

    def is_shared(self, x: Operand) -> bool:
        """Is `x` read more than once?  A value that a rule has built is read once."""
        return isinstance(x, Value) and self.uses.get(x, 1) > 1

    def sole_eqn(self, x: Operand) -> Eqn | None:
        """The adjoint equation that binds `x`, if nothing else reads `x`."""
        return None if self.is_shared(x) else adjoint_eqn(x)

    def sole_operands(self, x: Operand, name: str) -> tuple[Operand, ...] | None:
        """The operands of the adjoint equation that binds `x`, if its op is `name` and nothing else reads `x`."""
        return None if self.is_shared(x) else operands_of(x, name)


# -- queries ------------------------------------------------------------------------------


def defining_eqn(x: Operand) -> Eqn | None:
    """The equation that binds `x`, primal or adjoint, if it is known."""
    builder: Builder = builder_var.get()  # type: ignore[assignment]
    return builder.defs.get(x) if type(x) is Value else None


def origins_of(x: Operand) -> Sequence[Operand] | None:
    """The values of a param of the body of a loop in its iterations; None if not known yet, and of other values."""
    builder: Builder = builder_var.get()  # type: ignore[assignment]
    return builder.origins.get(x) if type(x) is Value else None


def adjoint_eqn(x: Operand) -> Eqn | None:
    """The equation that binds `x`, if it is known and an adjoint one."""
    eqn = defining_eqn(x)
    return eqn if eqn is not None and not eqn.primal else None


def operands_of(x: Operand, name: str) -> tuple[Operand, ...] | None:
    """The operands of the adjoint equation that binds `x`, if its op is `name`."""
    eqn = defining_eqn(x)
    return eqn.args if eqn is not None and eqn.op.name == name and not eqn.primal else None


def names_defining(xs: Sequence[Operand]) -> list[str]:
    """For each operand the name of the op of the adjoint equation that binds it; "literal", or "" of other values."""
    builder: Builder = builder_var.get()  # type: ignore[assignment]
    eqns = [builder.defs.get(x) if type(x) is Value else None for x in xs]
    return ["literal" if type(x) is Lit else "" if eqn is None or eqn.primal else eqn.op.name
            for x, eqn in zip(xs, eqns)]


def is_result_of(x: Operand, name: str) -> bool:
    eqn = defining_eqn(x)
    return eqn is not None and eqn.op.name == name


MOST_FACTORS = 16
"""A search among the factors of a product ends after so many."""


def factors_of(a: Operand) -> set[Operand]:
    """`a` and the operands of which it is a product, the products among them too."""
    factors, todo = set[Operand](), [a]
    while todo and len(factors) < MOST_FACTORS:
        x = todo.pop()
        eqn = defining_eqn(x)
        if x not in factors and eqn is not None and eqn.op.name in ("mul", "div", "neg", "pow"):
            todo += eqn.args[:1] if eqn.op.name in ("div", "pow") else eqn.args
        factors.add(x)
    return factors


def choice_of(y: Operand) -> tuple[Operand, ...] | None:
    """The operands of y = where(mask, a, b), which may be the sum of where(mask, a, 0) and where(mask, 0, b)."""
    if (choice := operands_of(y, "where")) is not None:
        return choice
    terms = [choice for term in operands_of(y, "add") or () if (choice := operands_of(term, "where")) is not None]
    for (mask, a, zero), (other_mask, other, b) in (terms, terms[::-1]) if len(terms) == 2 else ():
        if mask is other_mask and zero == other == Lit(0.0):
            return mask, a, b
    return None


def is_zeros(x: Operand) -> bool:
    eqn = adjoint_eqn(x)
    if eqn is None:
        return bool(number(x) == 0)
    return bool(number(eqn.args[0]) == 0) if eqn.op.name == "repeat" else eqn.op.fill == 0.0


def shape_of(x: Operand) -> Any:
    return x.type.shape if isinstance(x.type, Tensor) else None


def carrier_of(x: Operand) -> Any:
    return x.type.carrier if isinstance(x.type, Tensor) else None


def is_full(key: Sequence[str]) -> bool:
    """Does the key select all of an array, as it is?"""
    return all(item in ("e", "s000") for item in key)


def is_element(key: Sequence[str]) -> bool:
    """Does the key name one element?"""
    return set(key) == {"i"}


def writes_once(key: Sequence[str]) -> bool:
    """Does the key name every element at most once?"""
    return "a" not in key
