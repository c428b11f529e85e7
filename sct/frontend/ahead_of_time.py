"""Specialization ahead of time: types from annotations, defaults and the command line, or guessed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from sct.errors import SctError
from sct.frontend.arguments.abstract_arguments import argument
from sct.frontend.arguments.lift import Untyped
from sct.frontend.arguments.type_syntax import (
    fields_by_hint,
    guesses,
    hints_of,
    is_open,
    known_value,
    structure,
    tangent_of,
    type_text,
)
from sct.frontend.arguments.unloaded import Unloaded
from sct.frontend.calls.outlining import OutliningPlan
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.signatures import NO_DEFAULT, root_of, signature_of, transform_kind
from sct.frontend.specialize import Traced, finish, number_containers, with_outlining
from sct.frontend.values.abstract_values import Abstract
from sct.ir.pytrees.pytree import Tree
from sct.ir.pytrees.user_objects import make_without_init

__all__ = ["trace_ahead"]


def trace_ahead(target: Any, given: Mapping[str, str] | None = None) -> Traced:
    """The IR of a function for types from `given`, its annotations and its defaults.

    `given` has types of parameters (`"f64[n]"`), or their values (`"= 2"`).  A parameter without any of these is
    tried as a float, a 1-D array, a 2-D array and an int; the simplest types for which the function can be evaluated
    are taken.  Attributes `self.NAME` that are `Untyped` are tried in the same way.
    """
    signature = signature_of(target)
    root = root_of(target)
    hints = hints_of(root)
    given = dict(given or {})
    texts: dict[str, Any] = {}
    open_: dict[str, str | None] = {}
    objects: list[tuple[str, type, list[str]]] = []
    attributes = [x.name for x in getattr(getattr(root, "__self__", None), "__dict__", {}).values()
                  if isinstance(x, Untyped)]
    names = [*signature.parameters]
    tangents = dict(zip(names[len(names) // 2:], names)) if transform_kind(target) == "jvp" else {}

    def enter(name: str, hint: Any, p: inspect.Parameter | None) -> None:
        """Enters the type or value of a parameter, or of a field of one."""
        text = given.get(name) or type_text(hint)
        fields = fields_by_hint(hint)
        if text is not None and not is_open(text):
            texts[name] = known_value(name, text[1:]) if text.startswith("=") else structure(text)
        elif p is not None and p.kind in _REST:
            texts[name] = _REST[p.kind]
        elif p is not None and isinstance(p.default, Unloaded):
            raise p.default.refusal()
        elif p is not None and p.default is not NO_DEFAULT:
            texts[name] = p.default
        elif fields:
            for field_, inner in fields.items():
                enter(f"{name}.{field_}", inner, None)
            objects.append((name, hint, list(fields)))
        else:
            open_[name] = text

    for name in (*names, *attributes):
        if name not in tangents or name in given:
            enter(name, hints.get(name), signature.parameters.get(name))
    furthest: SctError | None = None
    raising: Traced | None = None
    for guess in guesses(open_):
        try:
            tried = {**texts, **{name: structure(text) for name, text in guess.items()}}
            for name, cls, fields in objects:
                tried[name] = make_without_init(cls, {each: tried[f"{name}.{each}"] for each in fields})
            tried.update({name: tangent_of(tried[primal]) for name, primal in tangents.items() if name not in given})
            traced = with_outlining(functools.partial(_attempt, target, signature, tried, attributes))
            if traced.primal_record is not None or not guess:
                return traced
            raising = raising or traced  # for these types it raises, whatever their values
        except SctError as error:
            if furthest is None or _line(error) > _line(furthest):
                furthest = error
    if raising is not None:
        return raising
    assert furthest is not None
    raise furthest


_REST: dict[Any, Any] = {inspect.Parameter.VAR_POSITIONAL: (), inspect.Parameter.VAR_KEYWORD: {}}


def _line(error: SctError) -> int:
    return error.loc.line if error.loc else 0


def _attempt(target: Any, signature: inspect.Signature, types: Mapping[str, Any], attributes: Sequence[str],
           plan: OutliningPlan) -> Traced:
    ev = Evaluator(root_of(target), plan)
    ev.outside.typed({name: types[name] for name in attributes}, signature.parameters.keys())
    arguments: dict[str, Abstract] = {}
    trees: dict[str, Tree] = {}
    for name in signature.parameters:
        arguments[name], trees[name] = argument(ev, types[name], name, {})
    traced = finish(ev, target, signature, arguments, trees, lambda args, kwargs: [], shared=True)
    return number_containers(traced, types, trees, shared=True)
