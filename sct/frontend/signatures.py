"""The Python signatures of derivatives: names, parameters, and the comment that states their types."""

from __future__ import annotations

import inspect
import keyword
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sct.errors import SctError
from sct.frontend.transform import Transform
from sct.ir import Fn
from sct.ir.dims import in_signature
from sct.ir.pytrees.pytree import Const, Leaf, Tree, structure_text
from sct.ir.types import map_sizes

__all__ = [
    "NO_DEFAULT", "PARAMETER_KINDS", "SourceParameter", "as_called", "differentiated_parameters", "jvp_signature",
    "name_of", "ordered", "parameters_taken_apart", "root_of", "signature_comment", "signature_of", "tangent_names",
    "transform_kind",
]

NO_DEFAULT = inspect.Parameter.empty


@dataclass(frozen=True)
class SourceParameter:
    """A parameter of the user's function.

    kind     one of PARAMETER_KINDS
    default  the default itself, or NO_DEFAULT
    tree     its leaves: Leaf(i) is params[i] of the traced function
    """

    name: str
    kind: str = "positional"
    default: Any = NO_DEFAULT
    tree: Tree = Leaf(0)  # noqa: RUF009


def root_of(target: Any) -> Any:
    """The Python function under transforms."""
    while True:
        inner = getattr(target, "__sct_transform__", target)
        inner = inner.fn if isinstance(inner, Transform) else inner
        if inner is target:
            break
        target = inner
    return target


def name_of(target: Any) -> str:
    """`f_grad`, `f_grad_jvp`, ..."""
    t = getattr(target, "__sct_transform__", target)
    if isinstance(t, Transform):
        return f"{name_of(t.fn)}_{t.kind}"
    name = getattr(target, "__name__", "f")
    return name if name.isidentifier() else "f"


PARAMETER_KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional_only", inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
    inspect.Parameter.VAR_POSITIONAL: "varargs", inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "varkeywords",
}


def signature_of(target: Any) -> inspect.Signature:
    """The signature of the derivative: the function's own; `jvp` adds the tangents."""
    t = getattr(target, "__sct_transform__", target)
    if isinstance(t, Transform):
        inner = signature_of(t.fn)
        if t.kind != "jvp":
            return inner
        rest = [p for p in inner.parameters.values() if p.kind is inspect.Parameter.VAR_POSITIONAL]
        if rest:  # how many primals there are, the call tells
            return inspect.Signature(rest)
        params = [p for p in inner.parameters.values() if p.kind.name in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")]
        both = [p.replace(default=NO_DEFAULT) for p in params]
        return inspect.Signature([*both, *map(_tangent, both, tangent_names([p.name for p in both]))])
    try:
        return inspect.signature(target, follow_wrapped=False)
    except (TypeError, ValueError) as error:
        raise SctError("SCT201", f"the signature of {target!r} is not available", why=str(error)) from None


def tangent_names(names: Sequence[str]) -> list[str]:
    """The names of the tangents of parameters.

    >>> tangent_names(["x", "dx", "el"])
    ['dx_', 'ddx', 'del_']
    """
    taken, tangents = set(names), []
    for name in names:
        tangent = f"d{name}"
        while tangent in taken or keyword.iskeyword(tangent):
            tangent += "_"
        taken.add(tangent)
        tangents.append(tangent)
    return tangents


def _tangent(p: inspect.Parameter, name: str) -> inspect.Parameter:
    return p.replace(name=name)


def differentiated_parameters(target: Any, signature: inspect.Signature) -> set[str]:
    """The parameters by which the transforms differentiate."""
    names: set[str] = set()
    while isinstance(t := getattr(target, "__sct_transform__", target), Transform):
        for each in t.argnums if isinstance(t.argnums, tuple) else (t.argnums,):
            names.update([each] if isinstance(each, str) else [*signature.parameters][each:each + 1])
        target = t.fn
    return names


def parameters_taken_apart(target: Any, signature: inspect.Signature) -> set[str]:
    """The parameters whose dicts have known keys: those by which the transforms differentiate, and `**kwargs`."""
    return differentiated_parameters(target, signature).union(
        name for name, p in signature.parameters.items() if p.kind is inspect.Parameter.VAR_KEYWORD)


def as_called(params: Sequence[SourceParameter], passed: Collection[str], n: int) -> tuple[SourceParameter, ...]:
    """The parameters of the emitted function, for a call with `n` positional arguments: parameters that are always
    passed have no default."""
    last = max((k for k, p in enumerate(params[:n]) if p.name in passed), default=-1)
    return tuple(
        replace(p, kind="keyword" if p.name in passed and k >= n and p.kind == "positional" else p.kind,
                default=NO_DEFAULT if p.name in passed or k <= last else p.default)
        for k, p in enumerate(params))


def transform_kind(target: Any) -> str | None:
    t = getattr(target, "__sct_transform__", target)
    return t.kind if isinstance(t, Transform) else None


def jvp_signature(target: Any, args: tuple[Any, ...]) -> inspect.Signature:
    """The signature of `jvp` for these arguments: primals, then their tangents."""
    t = getattr(target, "__sct_transform__", target)
    params = [p.replace(default=NO_DEFAULT) for p in signature_of(t.fn).parameters.values()
              if p.kind.name in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL")]
    named: list[inspect.Parameter] = []
    for k in range(len(args) // 2):
        if k >= len(params) and (not params or params[-1].kind is not inspect.Parameter.VAR_POSITIONAL):
            break  # too many arguments
        p = params[min(k, len(params) - 1)]
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            p = inspect.Parameter(f"{p.name}_{k}", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        named.append(p.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD))
    return inspect.Signature([*named, *map(_tangent, named, tangent_names([p.name for p in named]))])


def ordered(params: list[SourceParameter]) -> list[SourceParameter]:
    return [p for p in params if p.kind != "varkeywords"] + [p for p in params if p.kind == "varkeywords"]


def signature_comment(fn: Fn, params: Sequence[SourceParameter]) -> str:
    """Which types the parameters have, in lines that are not too long."""
    lines = [""]
    for p in params:
        if isinstance(p.tree, Const):
            continue
        text = f"{p.name}: {structure_text(p.tree, lambda k: str(map_sizes(in_signature, fn.params[k].type)))}"
        if lines[-1] and len(lines[-1]) + len(text) > 80:
            lines.append("")
        lines[-1] += f"{', ' if lines[-1] else ''}{text}"
    return ",\n".join("\n    ".join(textwrap.wrap(line, 100, break_long_words=False)) for line in lines)
