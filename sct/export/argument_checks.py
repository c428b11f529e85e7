"""The types and guards of a specialization as plain Python checks at the top of its function.

    x: f64[n, m], loss == "mse"   ->   if type(x) is not np.ndarray or x.dtype != np.float64 or x.ndim != 2:
                                           raise TypeError("x must be a 2-D array of float64")
                                       if loss != "mse":
                                           raise ValueError('loss must be "mse"')
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sct.codegen import Interface, Parameter, generate
from sct.codegen.python.unparse import unparse
from sct.errors import SctError
from sct.export.list_size_checks import list_size_checks
from sct.frontend import Traced
from sct.ir.core import Fn, free_values
from sct.ir.dims import Dim
from sct.ir.pytrees.kinds import MemberCode
from sct.ir.pytrees.pytree import Const, Leaf, Node, Tree, column_texts, text_of_step
from sct.ir.pytrees.user_objects import is_plain_attribute, slots_of
from sct.ir.types import List, Optional, Tensor, Text, Type
from sct.ops.type_rules import numpy_dtype

__all__ = [
    "Check", "child_text", "conjunction", "exact_conditions", "leaves_in_guards", "raise_statements",
    "specialization_checks", "structure_checks", "subscripted",
]

_LITERAL = frozenset((bool, int, float, complex, str, bytes, type(None), type(...)))


@dataclass(frozen=True)
class Check:
    """Conditions that must all hold, evaluated in order, and the error that is raised if one does not."""

    conditions: tuple[str, ...]
    error: str
    message: str


def specialization_checks(
    traced: Traced, outer_texts: Mapping[int, str], checked_leaves: Mapping[int, str],
    class_text: Callable[[type], str], identities: Sequence[str] = (), open_sizes: Collection[Dim] = (),
) -> list[Check]:
    """The checks of a specialization.

    outer_texts     the expressions of leaves that are free variables
    checked_leaves  those of them that are checked
    class_text      gives the expression for a class
    identities      further facts, as Python expressions
    open_sizes      sizes that need no check
    """
    leaf_texts: dict[int, str] = dict(outer_texts)
    all_checks: list[Check] = []
    for p in traced.params:
        if isinstance(p.tree, Leaf) and p.tree.index in outer_texts:
            continue
        leaf_texts.update(column_texts(p.tree, p.name))
        all_checks += _tree_checks(p.name, p.tree, {k: v.type for k, v in enumerate(traced.fn.params)}, class_text)
    seen = {_sides(c) for check in all_checks for c in check.conditions}
    for fact in identities:
        _add_fact(all_checks, seen, fact)
    all_checks += [_type_check(text, traced.fn.params[leaf].type) for leaf, text in checked_leaves.items()]
    checked_texts = [leaf for leaf in leaf_texts if leaf not in outer_texts or leaf in checked_leaves]
    all_checks += _size_checks({leaf_texts[leaf]: traced.fn.params[leaf].type for leaf in checked_texts}, open_sizes)
    seen |= {_sides(c) for check in all_checks for c in check.conditions}
    for fact in _guard_texts(traced, leaf_texts):
        _add_fact(all_checks, seen, fact)
    return [check for check in all_checks if check.conditions]


def _add_fact(all_checks: list[Check], seen: set[frozenset[str]], fact: str) -> None:
    """Add the check of a fact, unless it is checked already."""
    fact = unparse(ast.parse(fact)).strip()
    if _sides(fact) not in seen:
        all_checks.append(Check((fact,), "ValueError", f"this derivative is for {fact}"))


def _sides(condition: str) -> frozenset[str]:
    """The two sides of an equality as a set, so that `a == b` and `b == a` are one fact."""
    return frozenset(condition.split(" == "))


# -- types ----------------------------------------------------------------------------


def exact_conditions(text: str, items: Sequence[Any]) -> tuple[str, ...]:
    """The conditions that what `text` gives is not only equal to these numbers, but of their classes and signs."""
    if all(isinstance(x, str) for x in items):
        return ()
    if all(type(x) in (int, bool, str) for x in items):
        return (f"[*map(type, {text})] == [{', '.join(type(x).__name__ for x in items)}]",)
    return (f"[*map(repr, {text})] == {list(map(repr, items))!r}",)


def subscripted(name: str, keys: Sequence[Any]) -> str:
    """`params["W"][0]` for the keys `"W"` and 0."""
    for key in keys:
        if not _has_literal(key):
            raise SctError("SCT914", f"the key {key!r} of a dict cannot be copied", why="it has no literal form",
                           hint="use strings or numbers as keys")
    return name + "".join(f"[{unparse(ast.Constant(key, None)).strip()}]" for key in keys)


def _has_literal(key: Any) -> bool:
    return all(map(_has_literal, key)) if type(key) is tuple else type(key) in _LITERAL or isinstance(key, np.generic)


def child_text(text: str, tree: Node, key: Any) -> str:
    """The expression for a child of a container."""
    if tree.kind == "object":
        return f"{text}.{key}" if is_plain_attribute(tree.cls, key) else subscripted(f"{text}.__dict__", [key])
    return subscripted(text, [key])


def structure_checks(text: str, tree: Tree, class_text: Callable[[type], str]) -> list[Check]:
    """Checks that containers have this structure, whatever their leaves are."""
    return _tree_checks(text, tree, None, class_text)


Types = Mapping[int, Type]
"""The types of leaves, by number."""


def _tree_checks(text: str, tree: Tree, types: Types | None, class_text: Callable[[type], str]) -> list[Check]:
    if isinstance(tree, Leaf):
        return [] if types is None else [_type_check(text, types[tree.index])]
    if isinstance(tree, Const):
        return [_constant_check(text, tree.value)]
    if tree.kind == "rows":
        return _rows_checks(text, tree.children[0], types, class_text)
    if tree.kind == "member":
        return [_member_check(text, tree.keys[0], class_text(tree.cls))]
    if tree.kind == "map":
        of_parts = (_tree_checks(text_of_step(text, part.name, None), child, types, class_text)
                    for part, child in zip(tree.keys[1:], tree.children[1:]))
        return [Check((f"type({text}) is dict",), "TypeError", f"{text} must be a dict"),
                *itertools.chain.from_iterable(of_parts)]
    if tree.kind == "kinds":
        return [_kinds_check(text, tree, types, class_text)]
    if tree.kind == "object":
        has_class = f"type({text}) is {class_text(tree.cls)}"
        own_check = Check((has_class,), "TypeError", f"{text} must be a {tree.cls.__name__}")
        if types is not None and not issubclass(tree.cls, tuple):
            own_check = _with_attribute_conditions(own_check, text, tree)
    elif tree.kind == "dict":
        keys = ", ".join(subscripted("", [key])[1:-1] for key in tree.keys)
        names = ", ".join(map(str, tree.keys)) + " in this order" * (types is not None and len(tree.keys) > 1)
        has = (f"[*{text}] == [{keys}]", *exact_conditions(text, tree.keys)) if types is not None else \
            (f"{text}.keys() == {f'{{{keys}}}' if keys else 'set()'}",)
        own_check = Check((f"type({text}) is dict", *has), "TypeError", f"{text} must be a dict with the keys {names}")
    else:
        own_check = Check((f"type({text}) is {tree.kind}", f"len({text}) == {len(tree.children)}"), "TypeError",
                     f"{text} must be a {tree.kind} of {len(tree.children)}")
    children = (_tree_checks(child_text(text, tree, key), child, types, class_text)
                for key, child in zip(tree.keys, tree.children))
    return [own_check, *itertools.chain.from_iterable(children)]


def _member_check(text: str, key: MemberCode, cls: str) -> Check:
    """Checks that this is a member of an enum with a name of its own."""
    is_member = f"type({text}) is {cls} and {cls}.__members__.get({text}.name) is {text}"
    condition, none = (f"({text} is None or {is_member})", " or None") if key.optional else (is_member, "")
    return Check((condition,), "TypeError", f"{text} must be a member of {key.cls.__name__}{none}")


def _kinds_check(text: str, tree: Node, types: Types | None, class_text: Callable[[type], str]) -> Check:
    """Checks that an item is of one of several kinds."""
    checks = [_tree_checks(text, child, types, class_text) for child in tree.children[1:]]
    kinds = [" and ".join(itertools.chain.from_iterable(check.conditions for check in of_kind)) for of_kind in checks]
    named = ", ".join(str(kind.code) for kind in tree.keys[1:])
    return Check((f"({' or '.join(f'({kind})' for kind in kinds)})",), "TypeError",
                 f"{text} must be of one of the kinds {named}")


def _rows_checks(text: str, item: Tree, types: Types | None, class_text: Callable[[type], str]) -> list[Check]:
    """Checks that a list holds records of this structure."""
    row = _unused_name(text)
    in_row = None if types is None else {k: t.elem for k, t in types.items() if isinstance(t, List)}
    checks = _tree_checks(row, item, in_row, class_text)
    every = [replace(c, conditions=(f"all({' and '.join(c.conditions)} for {row} in {text})",),
                     message=f"{text}: each {c.message}") for c in checks if c.conditions]
    return [Check((f"type({text}) is list",), "TypeError", f"{text} must be a list"), *every]


def _unused_name(text: str) -> str:
    """A name for the items of a list that the expression `text` for the list does not contain."""
    depth = text.partition("[")[0].partition(".")[0]
    return f"row{int(depth[3:] or 0) + 1}" if re.fullmatch(r"row\d*", depth) else "row"


def _with_attribute_conditions(check: Check, text: str, tree: Node) -> Check:
    """Extends the check of the class of an object: it has these attributes and no others."""
    slots = [name for name in slots_of(tree.cls) if name in tree.keys]
    names = [name for name in tree.keys if name not in slots]
    unset = [name for name in slots_of(tree.cls) if name not in tree.keys]
    conditions = [f"hasattr({text}, {name!r})" for name in slots]
    conditions += [f"not hasattr({text}, {name!r})" for name in unset]
    if hasattr(tree.cls, "__dict__") and tree.cls.__dictoffset__:
        conditions.append(f"[*vars({text})] == {unparse(ast.parse(repr(names))).strip()}")
    message = f"{check.message} with the attributes {', '.join(tree.keys)}" if tree.keys else \
        f"{check.message} without attributes"
    return Check((*check.conditions, *conditions), check.error, message)


def _constant_check(text: str, value: Any) -> Check:
    if value is None:
        return Check((f"{text} is None",), "TypeError", f"{text} must be None")
    if type(value) is str:
        return Check((f"{text} == {value!r}",), "ValueError", f"{text} must be {value!r}")
    name = getattr(value, "__name__", "")
    if getattr(np, name, None) is not value:
        raise _not_expressible(f"`{text}` is {value!r}")
    return Check((f"{text} is np.{name}",), "ValueError", f"{text} must be np.{name}")


_SCALARS = {"float": "a float", "int": "an int", "bool": "a bool", "real": "a float or an int",
            "complex": "a complex number", "number": "a float or a complex number"}
_EXACT = {"int": "is int", "bool": "is bool", "real": "in (float, int)", "number": "in (float, complex)"}
"""The exact type where a subclass does not serve: a bool is an int.  A `np.float64` computes like a float, a
`np.complex128` like a complex number."""


def _type_check(text: str, t: Type) -> Check:
    """Checks that a number, array or list has its type; other values have no conditions."""
    if isinstance(t, List):
        return _list_check(text, t)
    if isinstance(t, Optional):
        there = _type_check(text, t.elem)
        conditions = tuple(f"({text} is None or {c})" for c in there.conditions)
        return replace(there, conditions=conditions, message=f"{there.message} or None")
    if isinstance(t, Text):
        return Check((f"type({text}) is str",), "TypeError", f"{text} must be a str")
    if not isinstance(t, Tensor):
        return Check((), "", "")
    name = numpy_dtype(t.dtype).type.__name__
    if t.is_array:
        conditions = (f"type({text}) is np.ndarray", f"{text}.dtype == np.{name}", f"{text}.ndim == {t.rank}")
        return Check(conditions, "TypeError", f"{text} must be a {t.rank}-D array of {name}")
    if t.carrier == "np":
        return Check((f"isinstance({text}, np.{name})",), "TypeError", f"{text} must be a np.{name}")
    kind = f"isinstance({text}, {t.dtype})" if t.dtype in ("float", "complex") else f"type({text}) {_EXACT[t.dtype]}"
    return Check((kind,), "TypeError", f"{text} must be {_SCALARS[t.dtype]}")


def _list_check(text: str, t: List) -> Check:
    """Checks that the items of a list are of one type."""
    items = _items_check("item", text, t.elem)
    message = f"{text} must be a list{'; ' * bool(items.conditions)}{items.message}"
    return Check((f"type({text}) is list", *items.conditions), "TypeError", message)


def _items_check(item: str, text: str, elem: Type) -> Check:
    """Checks the type of each `item` in a list."""
    one = _type_check(item, elem)
    every = f"all({' and '.join(one.conditions)} for {item} in {text})"
    return Check((every,), one.error, f"each {one.message}") if one.conditions else Check((), one.error, "")


# -- sizes ----------------------------------------------------------------------------


def _size_checks(leaves: Mapping[str, Type], open_sizes: Collection[Dim]) -> Iterator[Check]:
    """Checks that equal sizes are equal, and that a named size is neither 0 nor 1 unless it is open."""
    first: dict[Dim, str] = {}
    for text, t in leaves.items():
        shape = t.shape if isinstance(t, Tensor) and t.is_array else ()
        named = [axis for axis, d in enumerate(shape) if d.value is None and d not in first]
        for axis in named:
            first.setdefault(shape[axis], f"{text}.shape[{axis}]")
        for axis, d in enumerate(shape):
            size = f"{text}.shape[{axis}]"
            if d.value is not None:
                yield Check((f"{size} == {d.value}",), "ValueError", f"{size} must be {d.value}")
            elif first[d] != size:
                yield Check((f"{size} == {first[d]}",), "ValueError", f"{size} must be {first[d]}")
        large = [axis for axis in named if shape[axis] not in open_sizes]
        if large:
            least = f"min({text}.shape)" if len(large) == len(shape) > 1 else f"{text}.shape[{large[0]}]"
            along = "each axis" if len(large) == len(shape) else f"axis {large[0]}"
            yield Check((f"{least} > 1",), "ValueError", f"{text} must have more than one element along {along}")
        for axis in large[1:] if len(large) < len(shape) else ():
            yield Check((f"{text}.shape[{axis}] > 1",), "ValueError",
                        f"{text} must have more than one element along axis {axis}")
    lists = {text: t for text, t in leaves.items() if isinstance(t, List)}
    for conditions, message in list_size_checks(lists, first, open_sizes):
        yield Check(conditions, "ValueError", message)


# -- facts ----------------------------------------------------------------------------


def _guard_texts(traced: Traced, texts: Mapping[int, str]) -> Iterator[str]:
    """The guards as Python expressions."""
    for guard in traced.guards:
        if guard.test is None:
            raise _not_expressible(guard.text)
        if isinstance(guard.test, str):
            if guard.test:
                yield re.sub(r"\{(\d+)\}", lambda hit: texts[int(hit[1])], guard.test)
            continue
        fn, value = guard.test
        text = _function_as_expression(fn, texts, guard.text)
        if value is True or value is False:
            yield text if value else f"not {text}"
        elif value is None:
            yield f"{text} is None"
        elif value != value:
            yield f"{text} != {text}"
        else:
            yield f"{text} == {unparse(ast.Constant(value, None)).strip()}"


def leaves_in_guards(traced: Traced) -> set[int]:
    """The leaves that guards read."""
    leaves_read: set[int] = set()
    for guard in traced.guards:
        if isinstance(guard.test, str):
            leaves_read.update(int(k) for k in re.findall(r"\{(\d+)\}", guard.test))
        elif guard.test is not None:
            fn, _ = guard.test
            read = free_values(fn.replace(params=()))
            leaves_read.update(k for k, p in enumerate(fn.params) if p in read)
    return leaves_read


def _function_as_expression(fn: Fn, texts: Mapping[int, str], fact: str) -> str:
    """The result of a function of the leaves as one expression; `fact`: what it tests, for a message."""
    params = tuple(Parameter(f"leaf{k}", tree=Leaf(k)) for k in range(len(fn.params)))
    tree = ast.parse(generate(fn, Interface("fact", params, Leaf(0))).definition)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    expressions = {f"leaf{k}": text for k, text in texts.items()}
    *assignments, return_ = definition.body
    for stmt in assignments:
        if not isinstance(stmt, ast.Assign) or not isinstance(stmt.targets[0], ast.Name):
            raise _not_expressible(f"`{fact}`")
        expressions[stmt.targets[0].id] = unparse(_ReplaceNames(expressions).visit(stmt.value)).strip()
    if not isinstance(return_, ast.Return) or return_.value is None:
        raise _not_expressible(f"`{fact}`")
    return unparse(_ReplaceNames(expressions).visit(return_.value)).strip()


class _ReplaceNames(ast.NodeTransformer):
    """Replaces names by expressions."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self.texts[node.id], mode="eval").body if node.id in self.texts else node


def _not_expressible(what: str) -> SctError:
    return SctError("SCT913", "this specialization cannot be written as a module",
                    why=f"it relies on a fact that plain Python does not check: {what}")


# -- statements and conditions ------------------------------------------------------------------------


def raise_statements(all_checks: Sequence[Check]) -> list[ast.stmt]:
    """`if not ...: raise TypeError(...)`, for each check."""
    return [stmt for check in all_checks for stmt in ast.parse(
        f"if {' or '.join(map(_negation, check.conditions))}:\n    raise {check.error}({check.message!r})").body]


def conjunction(all_checks: Sequence[Check], without: Collection[str] = ()) -> str:
    """All conditions but those of `without` as one expression; one on each line if they are long."""
    conditions = [c for check in all_checks for c in check.conditions if c not in without]
    text = " and ".join(conditions)
    return text or "True" if len(text) < 100 else "(\n    {}\n)".format("\n    and ".join(conditions))


_OPPOSITE = {ast.Is: ast.IsNot, ast.Eq: ast.NotEq, ast.Gt: ast.LtE, ast.In: ast.NotIn,
             ast.IsNot: ast.Is, ast.NotEq: ast.Eq}


def _negation(text: str) -> str:
    tree = ast.parse(text, mode="eval").body
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and type(tree.ops[0]) in _OPPOSITE:
        tree.ops = [_OPPOSITE[type(tree.ops[0])]()]
    elif isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        tree = tree.operand
    else:
        tree = ast.UnaryOp(ast.Not(), tree)
    return unparse(tree).strip()
