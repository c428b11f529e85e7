"""What a specialization is for, as plain Python at the top of its function.

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
from sct.frontend import Traced
from sct.ir.core import Fn, free_values
from sct.ir.pytree import Const, Leaf, Node, Tree, leaves
from sct.ir.types import Dim, List, Tensor, Type
from sct.ir.user_objects import is_plain_attribute, slots_of

__all__ = ["Check", "access", "arranged", "asked", "checks", "condition", "part", "raising"]


@dataclass(frozen=True)
class Check:
    """Conditions that must all hold, asked in order, and what is raised if one does not."""

    conditions: tuple[str, ...]
    error: str
    message: str


def checks(traced: Traced, outer: Mapping[int, str], vary: Mapping[int, str], class_text: Callable[[type], str],
           identities: Sequence[str] = (), open_sizes: Collection[Dim] = ()) -> list[Check]:
    """The checks of a specialization.

    outer       how leaves that are not arguments are written
    vary        those of them that are checked
    class_text  how a class is written
    identities  further facts, in Python
    open_sizes  those that may be anything
    """
    texts: dict[int, str] = dict(outer)
    made: list[Check] = []
    for p in traced.params:
        if isinstance(p.tree, Leaf) and p.tree.index in outer:
            continue
        texts.update(_leaves(p.name, p.tree))
        made += _of_tree(p.name, p.tree, traced.fn, class_text)
    seen = {_parts_of(c) for check in made for c in check.conditions}
    for fact in identities:
        _add_fact(made, seen, fact)
    made += [_of_type(text, traced.fn.params[leaf].type) for leaf, text in vary.items()]
    checked = [leaf for leaf in texts if leaf not in outer or leaf in vary]
    made += _of_sizes({texts[leaf]: traced.fn.params[leaf].type for leaf in checked}, open_sizes)
    seen |= {_parts_of(c) for check in made for c in check.conditions}
    for fact in _facts(traced, texts):
        _add_fact(made, seen, fact)
    return [check for check in made if check.conditions]


def _add_fact(made: list[Check], seen: set[frozenset[str]], fact: str) -> None:
    """That a fact holds, if that is not asked already."""
    fact = unparse(ast.parse(fact)).strip()
    if _parts_of(fact) not in seen:
        made.append(Check((fact,), "ValueError", f"this derivative is for {fact}"))


def _parts_of(condition: str) -> frozenset[str]:
    """The sides of an equality, in no order."""
    return frozenset(condition.split(" == "))


# -- types ----------------------------------------------------------------------------


def access(name: str, keys: Sequence[Any]) -> str:
    """`params["W"][0]`"""
    return name + "".join(f"[{unparse(ast.Constant(key, None)).strip()}]" for key in keys)


def part(text: str, tree: Node, key: Any) -> str:
    """How a child of a container is written."""
    if tree.kind == "rows":
        return f"[row[{key}] for row in {text}]"
    if tree.kind == "object":
        return f"{text}.{key}" if is_plain_attribute(tree.cls, key) else access(f"{text}.__dict__", [key])
    return access(text, [key])


def _leaves(text: str, tree: Tree) -> dict[int, str]:
    """How each leaf is written."""
    if isinstance(tree, Leaf):
        return {tree.index: text}
    parts = [_leaves(part(text, tree, key), child) for key, child in zip(tree.keys, tree.children)] \
        if isinstance(tree, Node) else []
    return {leaf: each for part in parts for leaf, each in part.items()}


def arranged(text: str, tree: Tree, class_text: Callable[[type], str]) -> list[Check]:
    """That containers are arranged so, whatever is in them."""
    return _of_tree(text, tree, None, class_text)


def _of_tree(text: str, tree: Tree, fn: Fn | None, class_text: Callable[[type], str]) -> list[Check]:
    if isinstance(tree, Leaf):
        return [] if fn is None else [_of_type(text, fn.params[tree.index].type)]
    if isinstance(tree, Const):
        return [_of_constant(text, tree.value)]
    if tree.kind == "object":
        is_one = f"type({text}) is {class_text(tree.cls)}"
        made = Check((is_one,), "TypeError", f"{text} must be a {tree.cls.__name__}")
        if fn is not None and not issubclass(tree.cls, tuple):
            made = _with_attributes(made, text, tree)
    elif tree.kind == "rows":
        return _of_rows(text, [fn.params[k].type for k in leaves(tree)] if fn else [], len(tree.children))
    elif tree.kind == "dict":
        keys = ", ".join(access("", [key])[1:-1] for key in tree.keys)
        names = ", ".join(map(str, tree.keys)) + " in this order" * (fn is not None and len(tree.keys) > 1)
        has = f"[*{text}] == [{keys}]" if fn is not None else \
            f"{text}.keys() == {f'{{{keys}}}' if keys else 'set()'}"
        made = Check((f"type({text}) is dict", has), "TypeError", f"{text} must be a dict with the keys {names}")
    else:
        made = Check((f"type({text}) is {tree.kind}", f"len({text}) == {len(tree.children)}"), "TypeError",
                     f"{text} must be a {tree.kind} of {len(tree.children)}")
    children = [_of_tree(part(text, tree, key), child, fn, class_text) for key, child in zip(tree.keys, tree.children)]
    return [made, *itertools.chain.from_iterable(children)]


def _with_attributes(made: Check, text: str, tree: Node) -> Check:
    """That an object has these attributes, and no others, too."""
    slots = [name for name in slots_of(tree.cls) if name in tree.keys]
    names = [name for name in tree.keys if name not in slots]
    unset = [name for name in slots_of(tree.cls) if name not in tree.keys]
    conditions = [f"hasattr({text}, {name!r})" for name in slots]
    conditions += [f"not hasattr({text}, {name!r})" for name in unset]
    if hasattr(tree.cls, "__dict__") and tree.cls.__dictoffset__:
        conditions.append(f"[*vars({text})] == {unparse(ast.parse(repr(names))).strip()}")
    message = f"{made.message} with the attributes {', '.join(tree.keys)}" if tree.keys else \
        f"{made.message} without attributes"
    return Check((*made.conditions, *conditions), made.error, message)


def _of_rows(text: str, types: Sequence[Type], width: int) -> list[Check]:
    """That a list holds tuples of this many parts, which have these types of lists."""
    first = Check((f"type({text}) is list", f"all(type(row) is tuple and len(row) == {width} for row in {text})"),
                  "TypeError", f"{text} must be a list of tuples of {width}")
    items = [_of_items(f"row[{k}]", "row", text, f"{text}[0][{k}]", t.elem)
             for k, t in enumerate(types) if isinstance(t, List)]
    return [first, *(replace(c, message=f"{text}: {c.message}") for c in items)]


def _of_constant(text: str, value: Any) -> Check:
    if value is None:
        return Check((f"{text} is None",), "TypeError", f"{text} must be None")
    name = getattr(value, "__name__", "")
    if getattr(np, name, None) is not value:
        raise _cannot(f"`{text}` is {value!r}")
    return Check((f"{text} is np.{name}",), "ValueError", f"{text} must be np.{name}")


_KINDS = {"f": "float", "i": "int", "u": "uint"}
_SCALARS = {"float": "a float", "int": "an int", "bool": "a bool", "real": "a float or an int"}
_EXACT = {"int": "is int", "bool": "is bool", "real": "in (float, int)"}
"""What a type must be: a bool is an int, too.  A NumPy float that is a float computes as one."""



def _of_type(text: str, t: Type) -> Check:
    """That a number or array has its type; nothing of what is not one."""
    if isinstance(t, List):
        return _of_list(text, t)
    if not isinstance(t, Tensor):
        return Check((), "", "")
    bits = t.dtype[1:]
    name = _KINDS[t.dtype[0]] + bits if bits.isdigit() and t.dtype != "b1" else "bool"
    if t.is_array:
        conditions = (f"type({text}) is np.ndarray", f"{text}.dtype == np.{name}", f"{text}.ndim == {t.rank}")
        return Check(conditions, "TypeError", f"{text} must be a {t.rank}-D array of {name}")
    if t.carrier == "np":
        return Check((f"isinstance({text}, np.{name})",), "TypeError", f"{text} must be a np.{name}")
    kind = f"isinstance({text}, float)" if t.dtype == "float" else f"type({text}) {_EXACT[t.dtype]}"
    return Check((kind,), "TypeError", f"{text} must be {_SCALARS[t.dtype]}")


def _of_list(text: str, t: List) -> Check:
    """That a list holds values of one type and, of arrays, of one shape."""
    items = _of_items("item", "item", text, f"{text}[0]", t.elem)
    return Check((f"type({text}) is list", *items.conditions), "TypeError", f"{text} must be a list; {items.message}")


def _of_items(item: str, each: str, text: str, first: str, elem: Type) -> Check:
    """That an expression of `each` that is in a list is of one type and, of arrays, of one shape."""
    one = _of_type(item, elem)
    conditions = [*one.conditions]
    if isinstance(elem, Tensor) and elem.is_array:
        conditions += [f"{item}.shape == {first}.shape", f"min({item}.shape) > 1"]
    every = f"all({' and '.join(conditions)} for {each} in {text})"
    return Check((every,) if conditions else (), one.error, f"each {one.message}")


# -- sizes ----------------------------------------------------------------------------


def _of_sizes(arrays: Mapping[str, Type], open_sizes: Collection[Dim]) -> Iterator[Check]:
    """That equal sizes are equal; a size with a name of its own is neither 0 nor 1, if it is not open."""
    first: dict[Dim, str] = {}
    for text, t in arrays.items():
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


# -- facts ----------------------------------------------------------------------------


def _facts(traced: Traced, texts: Mapping[int, str]) -> Iterator[str]:
    """What was asked of the arguments, in Python."""
    for guard in traced.guards:
        if guard.test is None:
            raise _cannot(guard.text)
        if isinstance(guard.test, str):
            if guard.test:
                yield re.sub(r"\{(\d+)\}", lambda hit: texts[int(hit[1])], guard.test)
            continue
        fn, value = guard.test
        text = _expression(fn, texts)
        if value is True or value is False:
            yield text if value else f"not {text}"
        elif value is None:
            yield f"{text} is None"
        else:
            yield f"{text} == {unparse(ast.Constant(value, None)).strip()}"


def asked(traced: Traced) -> set[int]:
    """The leaves that facts are about."""
    found: set[int] = set()
    for guard in traced.guards:
        if isinstance(guard.test, str):
            found.update(int(k) for k in re.findall(r"\{(\d+)\}", guard.test))
        elif guard.test is not None:
            fn, _ = guard.test
            read = free_values(fn.with_(params=()))
            found.update(k for k, p in enumerate(fn.params) if p in read)
    return found


def _expression(fn: Fn, texts: Mapping[int, str]) -> str:
    """What a function of the leaves computes, as one expression."""
    params = tuple(Parameter(f"leaf{k}", tree=Leaf(k)) for k in range(len(fn.params)))
    tree = ast.parse(generate(fn, Interface("fact", params, Leaf(0))).definition)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    named = {f"leaf{k}": text for k, text in texts.items()}
    *before, last = definition.body
    for stmt in before:
        if not isinstance(stmt, ast.Assign) or not isinstance(stmt.targets[0], ast.Name):
            raise _cannot("a fact that was asked of the arguments")
        named[stmt.targets[0].id] = unparse(_Named(named).visit(stmt.value)).strip()
    if not isinstance(last, ast.Return) or last.value is None:
        raise _cannot("a fact that was asked of the arguments")
    return unparse(_Named(named).visit(last.value)).strip()


class _Named(ast.NodeTransformer):
    """Puts expressions for names."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self.texts[node.id], mode="eval").body if node.id in self.texts else node


def _cannot(what: str) -> SctError:
    return SctError("SCT913", "this specialization cannot be written as a module",
                    why=f"it relies on a fact that plain Python does not check: {what}")


# -- as Python ------------------------------------------------------------------------


def raising(made: Sequence[Check]) -> list[ast.stmt]:
    """`if not ...: raise TypeError(...)`, for each check."""
    return [stmt for check in made for stmt in ast.parse(
        f"if {' or '.join(map(_negated, check.conditions))}:\n    raise {check.error}({check.message!r})").body]


def condition(made: Sequence[Check]) -> str:
    """All checks as one expression, each on a line of its own."""
    text = "\n    and ".join(c for check in made for c in check.conditions)
    return f"(\n    {text}\n)" if "\n" in text else text or "True"


_OPPOSITE = {ast.Is: ast.IsNot, ast.Eq: ast.NotEq, ast.Gt: ast.LtE, ast.In: ast.NotIn,
             ast.IsNot: ast.Is, ast.NotEq: ast.Eq}


def _negated(text: str) -> str:
    tree = ast.parse(text, mode="eval").body
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1 and type(tree.ops[0]) in _OPPOSITE:
        tree.ops = [_OPPOSITE[type(tree.ops[0])]()]
    elif isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        tree = tree.operand
    else:
        tree = ast.UnaryOp(ast.Not(), tree)
    return unparse(tree).strip()


