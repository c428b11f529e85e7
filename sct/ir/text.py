"""IR as text, a strict subset of Python: `read(show(fn))` is `fn` again.

    def f(x: f64[n], y: float) -> float:
        m: int(n) = dim(x, axis=0)                      an int that equals the size n
        def body(i: int, s: float) -> tuple[bool, float]:
            e: f64 = index(x, at[i])
            t: f64 = operator.mul(e, y)                 the user's spelling
            s_1: f64 = adj.add(s, t)                    made by differentiation
            return True, s_1
        r, iterations = loop[float, int](0, m, 1, 0.0, body=body, counted=True, ...)
        return r

The functions of a program stand before it.  Values are named by their hints, made unique in order; `_3` is a value
without a hint.  A method is spelled `ndarray.sum(x)`.  Attrs that have their default are left out.  The types of
several outs stand in brackets after the op.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Union

from sct.ir.core import UNDEF, Eqn, Fn, Lit, Op, Operand, Value, free_values
from sct.ir.dims import Dim, applied
from sct.ir.pytrees.pytree import Const, Leaf, Node
from sct.ir.pytrees.user_objects import is_identifier
from sct.ir.types import (
    ActiveObject,
    ActiveText,
    Function,
    Link,
    List,
    Lock,
    MutableException,
    Never,
    Opaque,
    Optional,
    Residuals,
    Seq,
    Set,
    Tensor,
    Text,
    Type,
    Undef,
)

__all__ = ["ByCall", "ReadError", "lines", "read", "same", "show", "type_of"]

ByCall = Union[Callable[[str], "Op | None"], Mapping[str, Op]]

REGIONS = {"cond": ("then", "orelse"), "loop": ("test", "body")}
RESERVED = {"nan", "inf", "at", "adj", "undef", "lit", "ndarray", "Leaf", "Const", "Node", "T", "Dim"}


class ReadError(Exception):
    """The text is not IR."""


# -- show -----------------------------------------------------------------------------


def show(fn: Fn) -> str:
    """The text of `fn`.

    >>> x = Value(Tensor("py", "float"), "x")
    >>> print(show(Fn("f", (x,), (), (x, Lit(-0.0)))), end="")
    def f(x: float) -> tuple[float, float]:
        return x, -0.0
    """
    return "".join(text + "\n" for text, _ in lines(fn))


def lines(fn: Fn) -> list[tuple[str, Eqn | None]]:
    """The lines of the text, each with its equation."""
    seen: dict[str, str] = {}

    def number(size: re.Match[str]) -> str:
        return seen.setdefault(size[0], f"{size[1]}{len(seen)}")

    return [(_SIZE.sub(number, text), eqn) for f in (*fn.functions, fn) for text, eqn in _Printer(f).fn(f, f.name, "")]


_SIZE = re.compile(r"\b(__v|_count|_repeats|_unique|_kept|_bins)\d+\b")
"""Sizes named after the id of a value.  They are numbered in order of appearance, so that the text does not depend
on what was compiled before."""


class _Printer:
    def __init__(self, fn: Fn) -> None:
        self.names: dict[Value, str] = {}
        self.used = set(RESERVED) | set(keyword.kwlist)
        self.count = 0
        for value in free_values(fn):
            self.bind(value)

    def bind(self, value: Value) -> str:
        base = value.hint if value.hint and value.hint.isidentifier() and not _unnamed(value.hint) else None
        if base is None:
            name = f"_{self.count}"
            self.count += 1
        else:
            name, k = base, 0
            while name in self.used:
                k += 1
                name = f"{base}_{k}"
            self.used.add(name)
        self.names[value] = name
        return name

    def fn(self, fn: Fn, name: str, indent: str) -> Iterator[tuple[str, Eqn | None]]:
        params = ", ".join(f"{self.bind(p)}: {_annotation(p)}" for p in fn.params)
        types = [str(r.type) for r in fn.results]
        result = types[0] if len(types) == 1 else f"tuple[{', '.join(types) or '()'}]"
        yield f"{indent}def {name}({params}) -> {result}:", None
        inside = indent + "    "
        for eqn in fn.eqns:
            yield from self.eqn(eqn, inside)
        results = ", ".join(map(self.operand, fn.results)) or "()"
        yield f"{inside}return {results}", None

    def eqn(self, eqn: Eqn, indent: str) -> Iterator[tuple[str, Eqn | None]]:
        keywords, region_names = [], set[str]()
        for key, region in zip(_region_keywords(eqn), eqn.regions):
            name = region.name if is_identifier(region.name) else key
            while name in region_names:
                name += "_"
            region_names.add(name)
            yield from self.fn(region, name, indent)
            keywords.append(f"{key}={name}")
        args = self.arguments(eqn)
        attrs = [f"{k}={show_attr(v)}" for k, v in sorted(eqn.attrs.items())
                 if k != "key" and not _is_default(eqn.op, k, v)]
        if eqn.inplace is not None:
            attrs.append(f"inplace={eqn.inplace}")
        head = _head(eqn)
        arguments = ", ".join([*args, *keywords, *attrs])
        if len(eqn.outs) == 1:
            line = f"{self.bind(eqn.out)}: {_annotation(eqn.out)} = {head}({arguments})"
        elif eqn.outs:
            types = ", ".join(map(_annotation, eqn.outs))
            line = f"{', '.join(map(self.bind, eqn.outs))} = {head}[{types}]({arguments})"
        else:
            line = f"{head}({arguments})"
        yield indent + line, eqn

    def arguments(self, eqn: Eqn) -> list[str]:
        key = eqn.attrs.get("key")
        if not isinstance(key, tuple):
            return list(map(self.operand, eqn.args))
        n = sum(map(_width, key))
        split = len(eqn.args) - n
        return [*map(self.operand, eqn.args[:split]), self.key(key, eqn.args[split:])]

    def key(self, key: tuple[str, ...], operands: Sequence[Operand]) -> str:
        rest = iter(operands)
        items = []
        for item in key:
            if item[0] == "s":
                start, stop, step = (self.operand(next(rest)) if c == "1" else "" for c in item[1:])
                items.append(f"{start}:{stop}" + (f":{step}" if step else ""))
            elif item in _MARKS:
                items.append(_MARKS[item])
            else:
                operand = next(rest)
                text = self.operand(operand)
                items.append(text if _letter(operand.type) == item else f"{item}({text})")
        return f"at[{', '.join(items) or '()'}]"

    def operand(self, x: Operand) -> str:
        if isinstance(x, Value):
            return self.names.get(x, f"unbound_{x.hint or ''}_{x.id}")
        return show_literal(x)


def show_literal(x: Lit) -> str:
    if x.value is UNDEF:
        return str(x.type)
    if x.as_type is not None:
        return f"lit[{x.as_type}]({show_attr(x.value)})"
    return show_attr(x.value)


def show_attr(value: Any) -> str:
    """An attribute as a Python expression."""
    if isinstance(value, tuple):
        return f"({', '.join(map(show_attr, value))}{',' * (len(value) == 1)})"
    if isinstance(value, list):
        return f"[{', '.join(map(show_attr, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{show_attr(k)}: {show_attr(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Leaf):
        return f"Leaf({value.index})"
    if isinstance(value, Const):
        return f"Const({show_attr(value.value)})"
    if isinstance(value, Node):
        return f"Node({value.kind!r}, {show_attr(value.keys)}, {show_attr(value.children)})"
    if isinstance(value, Dim):
        return f"Dim[{value}]"
    if isinstance(value, (Tensor, Seq, Optional, Undef, Opaque, Never, Function, Residuals, Link)):
        return f"T[{value}]"
    return repr(value)


_MARKS = {"n": "None", "e": "..."}


def _width(item: str) -> int:
    return item.count("1") if item[0] == "s" else int(item not in _MARKS)


def _letter(t: Type) -> str:
    if isinstance(t, Tensor) and t.is_array:
        return "m" if t.kind == "b" else "a"
    return "i"


def _annotation(x: Value) -> str:
    return f"{x.type}({x.dim})" if x.dim is not None else str(x.type)


def _head(eqn: Eqn) -> str:
    name = eqn.spelling or eqn.op.name
    return ("" if eqn.primal else "adj.") + ("ndarray" + name if name.startswith(".") else name)


def _region_keywords(eqn: Eqn) -> tuple[str, ...]:
    if eqn.op.name in REGIONS:
        return REGIONS[eqn.op.name][-len(eqn.regions):]
    return ("body",) if len(eqn.regions) == 1 else tuple(f"region_{k}" for k in range(len(eqn.regions)))


def _is_default(op: Op, key: str, value: Any) -> bool:
    return key in op.defaults and _equal(op.defaults[key], value)


def _equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and (a == b or show_attr(a) == show_attr(b))


def _unnamed(name: str) -> bool:
    return re.fullmatch(r"_\d+", name) is not None


# -- read -----------------------------------------------------------------------------


def read(text: str, ops: Mapping[str, Op], by_call: ByCall | None = None, *,
         free: Mapping[str, Value] | None = None) -> Fn:
    """The function with this text.

    ops      ops by name
    by_call  ops by spelling
    free     values that the text may read without binding them
    """
    tree = ast.parse(text)
    defs = [stmt for stmt in tree.body if isinstance(stmt, ast.FunctionDef)]
    if not defs or len(defs) < len(tree.body):
        raise ReadError("IR text is function definitions")
    *functions, fn = (_Parser(ops, by_call).fn(node, dict(free or {})) for node in defs)
    return fn.replace(functions=tuple(functions))


class _Parser:
    def __init__(self, ops: Mapping[str, Op], by_call: ByCall | None) -> None:
        self.ops, self.by_call = ops, by_call

    def fn(self, node: ast.FunctionDef, env: dict[str, Value]) -> Fn:
        env = dict(env)
        params = tuple(self.bind(a.arg, a.annotation, env) for a in node.args.args)
        defs: dict[str, Fn] = {}
        eqns = []
        for stmt in node.body[:-1]:
            if isinstance(stmt, ast.FunctionDef):
                defs[stmt.name] = self.fn(stmt, env)
            else:
                eqns.append(self.eqn(stmt, env, defs))
        last = node.body[-1]
        if not isinstance(last, ast.Return) or last.value is None:
            raise ReadError(f"line {last.lineno}: a function ends with return")
        parts = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
        return Fn(node.name, params, tuple(eqns), tuple(self.operand(p, env) for p in parts))

    def bind(self, name: str, annotation: ast.expr | None, env: dict[str, Value]) -> Value:
        dim = None
        if isinstance(annotation, ast.Call):
            dim = dim_of(annotation.args[0])
            annotation = annotation.func
        if annotation is None:
            raise ReadError(f"{name} has no type")
        env[name] = Value(type_of(annotation), None if _unnamed(name) else name, dim)
        return env[name]

    def eqn(self, stmt: ast.stmt, env: dict[str, Value], defs: Mapping[str, Fn]) -> Eqn:
        bindings: list[tuple[str, ast.expr]] = []
        call = stmt.value if isinstance(stmt, (ast.AnnAssign, ast.Assign, ast.Expr)) else None
        if not isinstance(call, ast.Call):
            raise ReadError(f"line {stmt.lineno}: not an equation")
        head = call.func
        if isinstance(stmt, ast.AnnAssign):
            bindings = [(_name(stmt.target), stmt.annotation)]
        elif isinstance(stmt, ast.Assign) and isinstance(head, ast.Subscript):
            target = stmt.targets[0]
            names = [_name(t) for t in target.elts] if isinstance(target, ast.Tuple) else [_name(target)]
            bindings = list(zip(names, _elements(head.slice)))
            head = head.value
        op, spelling, primal = self.op(ast.unparse(head))
        args: list[Operand] = []
        attrs: dict[str, Any] = dict(op.defaults)
        for a in call.args:
            if isinstance(a, ast.Subscript) and isinstance(a.value, ast.Name) and a.value.id == "at":
                attrs["key"], operands = self.key(a.slice, env)
                args += operands
            else:
                args.append(self.operand(a, env))
        regions, inplace = [], None
        for kw in call.keywords:
            if isinstance(kw.value, ast.Name) and kw.value.id in defs:
                regions.append(defs[kw.value.id])
            elif kw.arg == "inplace":
                inplace = attr_of(kw.value)
            else:
                attrs[str(kw.arg)] = attr_of(kw.value)
        outs = tuple(self.bind(name, annotation, env) for name, annotation in bindings)
        return Eqn(op, tuple(args), outs, attrs, tuple(regions), spelling, primal, inplace=inplace)

    def op(self, head: str) -> tuple[Op, str | None, bool]:
        primal = not head.startswith("adj.")
        name = head if primal else head[4:]
        if name in self.ops:
            return self.ops[name], None, primal
        spelling = name[len("ndarray"):] if name.startswith("ndarray.") else name
        op = self.by_call(spelling) if callable(self.by_call) else (self.by_call or {}).get(spelling)
        if op is None:
            raise ReadError(f"no op is called `{name}`")
        return op, spelling, primal

    def key(self, node: ast.expr, env: dict[str, Value]) -> tuple[tuple[str, ...], list[Operand]]:
        key: list[str] = []
        operands: list[Operand] = []
        for item in _elements(node):
            if isinstance(item, ast.Slice):
                bounds = (item.lower, item.upper, item.step)
                key.append("s" + "".join("01"[b is not None] for b in bounds))
                operands += [self.operand(b, env) for b in bounds if b is not None]
            elif isinstance(item, ast.Constant) and item.value in (None, ...):
                key.append("n" if item.value is None else "e")
            elif isinstance(item, ast.Call) and isinstance(item.func, ast.Name) and len(item.func.id) == 1:
                key.append(item.func.id)
                operands.append(self.operand(item.args[0], env))
            else:
                operand = self.operand(item, env)
                key.append(_letter(operand.type))
                operands.append(operand)
        return tuple(key), operands

    def operand(self, node: ast.expr, env: Mapping[str, Value]) -> Operand:
        if isinstance(node, ast.Name) and node.id in env:
            return env[node.id]
        if isinstance(node, ast.Subscript):
            return Lit(UNDEF, type_of(node))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
            return Lit(attr_of(node.args[0]), type_of(node.func.slice))
        return Lit(attr_of(node))


def type_of(node: ast.expr | str) -> Type:
    """The type with this text.

    >>> str(type_of("optional[f64[n - 2, 3]]"))
    'optional[f64[n - 2, 3]]'
    """
    if isinstance(node, str):
        node = ast.parse(node, mode="eval").body
    if isinstance(node, ast.Subscript):
        head = _name(node.value)
        if head == "residuals":
            return Residuals(ast.unparse(node.slice))
        if head == "link":
            return Link(ast.unparse(node.slice))
        if head in _WRAPPERS:
            return _WRAPPERS[head](type_of(node.slice))
        return Tensor("array", head, tuple(map(dim_of, _elements(node.slice))))
    name = _name(node)
    if name in _SIMPLE:
        return _SIMPLE[name]
    if name in ("bool", "int", "float", "real", "rint", "complex", "number"):
        return Tensor("py", name)
    if name.startswith("any_"):
        return Tensor("any", name[4:])
    if not re.fullmatch(r"r?[biufc]\d+", name):
        raise ReadError(f"no type is called `{name}`")
    return Tensor("np", name)


_WRAPPERS: dict[str, Callable[[Type], Type]] = {"seq": Seq, "list": List, "optional": Optional, "undef": Undef}
_SIMPLE: dict[str, Type] = {
    "object": Opaque(), "str": Text(), "active_str": ActiveText(), "active_object": ActiveObject(),
    "mutable_exception": MutableException(), "lock": Lock(), "set": Set(), "never": Never(), "function": Function()}


def dim_of(node: ast.expr | str) -> Dim:
    """The size term with this text."""
    if isinstance(node, str):
        node = ast.parse(node, mode="eval").body
    if isinstance(node, ast.BinOp):
        left, right = dim_of(node.left), dim_of(node.right)
        if isinstance(node.op, ast.Mult):
            return right * left.const
        return left + right if isinstance(node.op, ast.Add) else left - right
    if isinstance(node, ast.UnaryOp):
        return -dim_of(node.operand)
    if isinstance(node, ast.Call):
        args = tuple(None if isinstance(a, ast.Constant) and a.value is None else dim_of(a) for a in node.args)
        return applied(_name(node.func), *args)
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Dim(node.value)
    return Dim(0, ((_name(node), 1),))


def attr_of(node: ast.expr) -> Any:
    """The value of an attribute, from its text."""
    if isinstance(node, ast.Name):
        return {"nan": math.nan, "inf": math.inf}[node.id]
    if isinstance(node, ast.UnaryOp):
        return -attr_of(node.operand)
    if isinstance(node, (ast.Tuple, ast.List)):
        parts = [attr_of(e) for e in node.elts]
        return tuple(parts) if isinstance(node, ast.Tuple) else parts
    if isinstance(node, ast.Dict):
        return {attr_of(k): attr_of(v) for k, v in zip(node.keys, node.values) if k is not None}
    if isinstance(node, ast.Subscript):
        return dim_of(node.slice) if _name(node.value) == "Dim" else type_of(node.slice)
    if isinstance(node, ast.Call):
        return {"Leaf": Leaf, "Const": Const, "Node": Node}[_name(node.func)](*map(attr_of, node.args))
    return ast.literal_eval(node)


def _name(node: ast.expr) -> str:
    if not isinstance(node, ast.Name):
        raise ReadError(f"expected a name: {ast.unparse(node)}")
    return node.id


def _elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


# -- alpha equivalence ----------------------------------------------------------------


def same(a: Fn, b: Fn) -> bool:
    """Are the two functions equal up to the names of their values?"""
    return len(a.functions) == len(b.functions) and all(map(same, a.functions, b.functions)) and _same_fn(a, b, {})


def _same_fn(a: Fn, b: Fn, env: dict[Value, Value]) -> bool:
    return (_bind(a.params, b.params, env) and len(a.eqns) == len(b.eqns)
            and all(_same_eqn(x, y, env) for x, y in zip(a.eqns, b.eqns)) and _read(a.results, b.results, env))


def _same_eqn(x: Eqn, y: Eqn, env: dict[Value, Value]) -> bool:
    if x.op is not y.op or (x.spelling, x.primal, x.inplace) != (y.spelling, y.primal, y.inplace):
        return False
    return (_attrs(x) == _attrs(y) and _read(x.args, y.args, env) and len(x.regions) == len(y.regions)
            and all(_same_fn(f, g, env) for f, g in zip(x.regions, y.regions)) and _bind(x.outs, y.outs, env))


def _attrs(eqn: Eqn) -> list[tuple[str, str]]:
    return sorted((k, show_attr(v)) for k, v in {**eqn.op.defaults, **eqn.attrs}.items())


def _bind(xs: Sequence[Value], ys: Sequence[Value], env: dict[Value, Value]) -> bool:
    env.update(zip(xs, ys))
    return len(xs) == len(ys) and all(x.type == y.type and x.dim == y.dim for x, y in zip(xs, ys))


def _read(xs: Sequence[Operand], ys: Sequence[Operand], env: Mapping[Value, Value]) -> bool:
    return len(xs) == len(ys) and all(
        env.get(x, x) is y if isinstance(x, Value) else x == y for x, y in zip(xs, ys))
