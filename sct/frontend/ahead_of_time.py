"""Specialization ahead of time: types from annotations, defaults and the command line, or guessed."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from sct.errors import SctError
from sct.frontend.arguments.abstract_arguments import argument
from sct.frontend.arguments.lift import Untyped
from sct.frontend.arguments.type_syntax import (
    arrays_of_ranks,
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

__all__ = ["trace_ahead", "trace_ranks"]


def trace_ahead(target: Any, stated: Mapping[str, str] | None = None) -> Traced:
    """The IR of a function for types from `stated`, its annotations and its defaults.

    `stated` has types of parameters (`"f64[n]"`), or their values (`"= 2"`).  A parameter without any of these is
    tried as a float, a 1-D array, a 2-D array and an int; the simplest types for which the function can be evaluated
    are taken.  Attributes `self.NAME` that are `Untyped` are tried in the same way.
    """
    return _AheadOfTime(target, stated or {}).simplest()


def trace_ranks(target: Any, stated: Mapping[str, str] | None = None) -> list[tuple[dict[str, str], Traced]]:
    """As `trace_ahead`, for every number of axes of the arrays whose annotations leave it open (`np.ndarray`).

    All combinations from 0 to MOST_AXES for which the function can be evaluated, each with the types that were
    chosen; the simplest alone where there are more than MOST_COMBINATIONS.
    """
    stated = dict(stated or {})
    first = _AheadOfTime(target, stated)
    open_ = {name: text for name, text in first.open.items() if text is not None}
    if not open_ or (MOST_AXES + 1) ** len(open_) > MOST_COMBINATIONS:
        traced = first.simplest()
        return [({name: first.chosen[name] for name in open_}, traced)]
    by_rank: list[tuple[dict[str, str], Traced]] = []
    for ranks in itertools.product(range(MOST_AXES + 1), repeat=len(open_)):
        types = dict(zip(open_, arrays_of_ranks(open_.values(), ranks)))
        try:
            traced = trace_ahead(target, {**stated, **types})
        except SctError:
            continue
        if traced.primal_record is not None:
            by_rank.append((types, traced))
    return by_rank or [({}, first.simplest())]


MOST_AXES, MOST_COMBINATIONS = 3, 64


class _AheadOfTime:
    """The types of the parameters of a function, as far as they are known.

    texts   the types that are known
    open    the parameters that have none, with the part of it that is known ("f64[...]")
    chosen  the types that `simplest` has found for these
    """

    def __init__(self, target: Any, stated: Mapping[str, str]) -> None:
        self.target, self.stated, self.signature = target, stated, signature_of(target)
        root = root_of(target)
        hints = hints_of(root)
        self.texts: dict[str, Any] = {}
        self.open: dict[str, str | None] = {}
        self.chosen: dict[str, str] = {}
        self.objects: list[tuple[str, type, list[str]]] = []
        self.attributes = [x.name for x in getattr(getattr(root, "__self__", None), "__dict__", {}).values()
                           if isinstance(x, Untyped)]
        names = [*self.signature.parameters]
        self.tangents = dict(zip(names[len(names) // 2:], names)) if transform_kind(target) == "jvp" else {}
        for name in (*names, *self.attributes):
            if name not in self.tangents or name in stated:
                self._enter(name, hints.get(name), self.signature.parameters.get(name))

    def _enter(self, name: str, hint: Any, p: inspect.Parameter | None) -> None:
        """Enters the type or value of a parameter, or of a field of one."""
        text = self.stated.get(name) or type_text(hint)
        fields = fields_by_hint(hint)
        if text is not None and not is_open(text):
            self.texts[name] = known_value(name, text[1:]) if text.startswith("=") else structure(text)
        elif p is not None and p.kind in _REST:
            self.texts[name] = _REST[p.kind]
        elif p is not None and isinstance(p.default, Unloaded):
            raise p.default.refusal()
        elif p is not None and p.default is not NO_DEFAULT:
            self.texts[name] = p.default
        elif fields:
            for field, inner in fields.items():
                self._enter(f"{name}.{field}", inner, None)
            self.objects.append((name, hint, list(fields)))
        else:
            self.open[name] = text

    def simplest(self) -> Traced:
        """The function for the simplest types for which it can be evaluated."""
        try:
            return self._simplest(rows=False)
        except SctError as error:
            if not error.has_displays:
                raise
            refusal = error
        try:
            return self._simplest(rows=True)
        except SctError:
            raise refusal from None

    def _simplest(self, rows: bool) -> Traced:
        furthest: SctError | None = None
        raising: Traced | None = None
        for guess in guesses(self.open):
            try:
                traced = with_outlining(functools.partial(
                    _attempt, self.target, self.signature, self._types(guess), self.attributes),
                    OutliningPlan(displays_may_be_rows=rows))
                self.chosen = guess
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

    def _types(self, guess: Mapping[str, str]) -> dict[str, Any]:
        """The types of all parameters, with these for the open ones."""
        types = {**self.texts, **{name: structure(text) for name, text in guess.items()}}
        for name, cls, fields in self.objects:
            types[name] = make_without_init(cls, {each: types[f"{name}.{each}"] for each in fields})
        types.update({name: tangent_of(types[primal]) for name, primal in self.tangents.items()
                      if name not in self.stated})
        return types


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
