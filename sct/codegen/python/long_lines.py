"""Lines that are too long are broken as formatters (black, ruff) break them.

In:  the tokens of a logical line; brackets and operators are tokens of their own. Out: its text.

    x = np.where(mask, a_long_name, another_long_name)   ->   x = np.where(
                                                                  mask, a_long_name, another_long_name
                                                              )
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Union

__all__ = ["WIDTH", "broken"]

WIDTH = 88
_INDENT = "    "
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_PRECEDENCE = {
    " for ": -1, " if ": 0, " else ": 0, " or ": 1, " and ": 2,
    **dict.fromkeys([" in ", " not in ", " is ", " is not ", " < ", " <= ", " > ", " >= ", " == ", " != "], 3),
    " | ": 4, " ^ ": 5, " & ": 6, " << ": 7, " >> ": 7, " + ": 8, " - ": 8,
    **dict.fromkeys([" * ", " / ", " // ", " % ", " @ "], 9)}
_ASSIGNMENTS = {" = ", *(f" {op}= " for op in ("+", "-", "*", "/", "//", "%", "@", "**"))}


@dataclass(eq=False)
class _Group:
    """A bracket with its content; `is_part` of a call or a subscript, if it follows what is called or indexed."""

    opening: str
    is_part: bool
    content: list[_Tree] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.opening}{_flat(self.content)}{_CLOSING[self.opening]}"


_Tree = Union[str, _Group]


def broken(tokens: Sequence[str], indent: str) -> list[str]:
    """The lines of a logical line without its indentation."""
    trees = _trees(tokens)
    flat = indent + _flat(trees)
    if len(flat) <= WIDTH:
        return [flat]
    suffix = ""
    if trees[-1] == ":":
        suffix = ":"
        trees.pop()
    k = next((k + 1 for k, t in enumerate(trees) if t in _ASSIGNMENTS), 0)
    if not k and isinstance(trees[0], str):
        head = trees[0].split(" ")[0]
        if head == "for":
            k = next(k + 1 for k, t in enumerate(trees) if t == " in ")
        elif head in ("return", "if", "elif", "while", "assert", "raise", "del"):
            k = 1 if trees[0].endswith(" ") else 2
    head_trees, value = trees[:k], trees[k:]
    last = value[-1] if value else None
    fits = isinstance(last, _Group) and last.content and (
        k and head_trees[-1] in _ASSIGNMENTS or len(indent + _flat(trees)) - len(str(last)) < WIDTH)
    if k and ", " in head_trees and not fits:
        keyword = "for " if trees[0] == "for " else ""
        targets = head_trees[len(keyword) > 0:-1]
        lines = [f"{indent}{keyword}(", *_one_per_line(targets, indent + _INDENT)]
        return [*lines, f"{indent}){head_trees[-1]}{_flat(value)}{suffix}"]
    return _statement(indent + _flat(head_trees), value, suffix, indent)


def _statement(head: str, value: list[_Tree], suffix: str, indent: str) -> list[str]:
    """A statement that ends in an expression, which gets parentheses where breaking its own brackets is not enough."""
    inner = indent + _INDENT
    if ", " in value:
        return [f"{head}(", *_one_per_line(value, inner), f"{indent}){suffix}"]
    if not _needs_parentheses(value):
        lines = _flow(head, value, suffix, indent)
        if all(len(line) <= WIDTH for line in lines) or not _operators(value):
            return lines
    return [f"{head}(", *_expression("", value, "", inner), f"{indent}){suffix}"]


def _needs_parentheses(value: list[_Tree]) -> bool:
    """Is a break at an operator better than one in the first or the last bracket?"""
    operators = _operators(value)
    lowest = min(operators, default=None)
    if lowest is None:
        return False
    first, last = value[0], value[-1]
    breakable = [t for t in (first, last) if isinstance(t, _Group) and t.content]
    return operators.count(lowest) > 1 or not any(t.opening != "[" or not t.is_part for t in breakable)


def _expression(prefix: str, trees: list[_Tree], suffix: str, indent: str) -> list[str]:
    """An expression inside brackets: broken before the operators that bind least, then inside its own brackets."""
    flat = f"{indent}{prefix}{_flat(trees)}{suffix}"
    if prefix == "for ":
        k = trees.index(" in ") + 1
        prefix, trees = prefix + _flat(trees[:k]), trees[k:]
    operators = _operators(trees)
    if len(flat) <= WIDTH:
        return [flat]
    if not operators:
        return _flow(indent + prefix, trees, suffix, indent)
    lowest = min(operators)
    parts: list[tuple[str, list[_Tree]]] = [(prefix, [])]
    for t in trees:
        if isinstance(t, str) and _PRECEDENCE.get(t) == lowest:
            parts.append((t.lstrip(), []))
        else:
            parts[-1][1].append(t)
    return [line for k, (op, part) in enumerate(parts)
            for line in _expression(op, part, suffix if k == len(parts) - 1 else "", indent)]


def _flow(head: str, trees: list[_Tree], suffix: str, indent: str) -> list[str]:
    """The trees on one line, but for the brackets that must be broken, from the left."""
    lines = [head]
    for k, t in enumerate(trees):
        if not isinstance(t, _Group) or not t.content:
            lines[-1] += str(t)
            continue
        rest = ""
        for after in trees[k + 1:]:
            rest += after.opening if isinstance(after, _Group) and after.content else str(after)
            if isinstance(after, _Group) and after.content:
                break
        else:
            rest += suffix
        if len(lines[-1]) + len(str(t)) + len(rest) <= WIDTH:
            lines[-1] += str(t)
        else:
            lines[-1] += t.opening
            lines += _content(t, indent + _INDENT)
            lines.append(indent + _CLOSING[t.opening])
    lines[-1] += suffix
    return lines


def _content(group: _Group, indent: str) -> list[str]:
    """The content of a broken bracket."""
    trees = group.content
    flat = indent + _flat(trees)
    if ", " not in trees:
        return _expression("", trees, "", indent)
    if group.is_part and len(flat) <= WIDTH and trees[-1] != ", " or " for " in trees:
        return _expression("", trees, "", indent)
    return _one_per_line(trees, indent)


def _one_per_line(trees: Sequence[_Tree], indent: str) -> list[str]:
    items: list[list[_Tree]] = [[]]
    for t in trees:
        if t == ", ":
            items.append([])
        else:
            items[-1].append(t)
    return [line for item in items if item for line in _expression("", item, ",", indent)]


def _operators(trees: Sequence[_Tree]) -> list[int]:
    """The precedences of the operators outside brackets."""
    return [_PRECEDENCE[t] for t in trees if isinstance(t, str) and t in _PRECEDENCE]


def _flat(trees: Sequence[_Tree]) -> str:
    return "".join(map(str, trees))


def _trees(tokens: Sequence[str]) -> list[_Tree]:
    stack: list[list[_Tree]] = [[]]
    for token in tokens:
        if token in _CLOSING:
            before = stack[-1][-1] if stack[-1] else ""
            called = isinstance(before, _Group) or before[-1:].isidentifier() and before.strip() == before
            group = _Group(token, called)
            stack[-1].append(group)
            stack.append(group.content)
        elif token in _CLOSING.values():
            stack.pop()
        elif token:
            stack[-1].append(token)
    return stack[0]
