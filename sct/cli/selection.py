"""Which functions of a file a command is about, which derivative of them, and for which types."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import Any

import click

from sct.derivative import Derivative
from sct.errors import SctError
from sct.export.decorated_file import Decorated, DecoratedFile
from sct.frontend import root_of, tangent_names
from sct.frontend.arguments.type_syntax import known_value, structure

__all__ = ["ARGS", "MODE", "MODES", "NAMES", "WRT", "ArgTypes", "Selection"]

MODES = ("reverse", "forward", "grad", "value_and_grad", "jacobian", "jacfwd", "jacrev", "hessian", "vjp", "jvp", "hvp")

NAMES = click.option("--function", "names", metavar="NAME", multiple=True,
                     help="This function, decorated or not (Class.method for a method); may be repeated.")
ARGS = click.option("--args", "types", metavar="TYPES", default="",
                    help='Types of parameters, or values: "x: f64[n], p: (float, int), self.a: float, k = 2".')
WRT = click.option("--wrt", metavar="NAMES", help="Parameters to differentiate by, separated by commas.")
MODE = click.option("--mode", type=click.Choice(MODES),
                    help="Which derivative, instead of the one of the decorator: reverse is the gradient, forward the "
                         "derivative in a direction.")


class Selection:
    """The functions that a command line asks for.

    names      those of `--function`; empty: all decorated ones
    functions  all functions of a file, decorated or not, where `names` is empty
    chosen     the names that a file had
    """

    def __init__(self, names: Collection[str] = (), wrt: str | None = None, mode: str | None = None, *,
                 functions: bool = False) -> None:
        self.names, self.wrt, self.mode, self.functions = names, wrt, mode, functions
        self.chosen: set[str] = set()
        self.seen: dict[str, None] = {}

    def of(self, file: DecoratedFile) -> list[Decorated]:
        """The functions of a file, as the derivatives that are asked for."""
        self.seen.update(dict.fromkeys(file.functions()))
        if not self.names and not self.functions:
            chosen = list(file.decorated())
        else:
            named = (file.named(name, partial(Derivative, "grad")) for name in self.names or file.functions())
            chosen = [x for x in named if x is not None and (self.names or not _lacks_arguments(x))]
        self.chosen |= {decorated.name for decorated in chosen}
        return [_with_options(decorated, self.wrt, self.mode) for decorated in chosen]

    def check(self, where: str) -> None:
        """Refuses a command line that names a function which no file has, or that finds none."""
        for name in self.names:
            if name not in self.chosen:
                raise click.BadParameter(f"there is no function {name!r} in {where}; "
                                         f"it has {', '.join(self.seen) or 'none'}", param_hint="--function")
        if not self.chosen:
            raise click.UsageError(f"no function of {where} is decorated with @grad or @value_and_grad; "
                                   "choose one with --function NAME")


def _lacks_arguments(decorated: Decorated) -> bool:
    """Is there nothing to differentiate by?"""
    return decorated.refusal is not None and decorated.refusal.code == "SCT903"


def _with_options(chosen: Decorated, wrt: str | None, mode: str | None) -> Decorated:
    """The derivative with respect to other arguments, or in another mode."""
    if wrt is None and mode is None or chosen.refusal is not None:
        return chosen
    transform = chosen.value.__sct_transform__
    argnums: Any = transform.argnums if wrt is None else tuple(name.strip() for name in wrt.split(","))
    argnums = argnums[0] if wrt is not None and len(argnums) == 1 else argnums
    kind = transform.kind if transform.kind not in ("jvp", "vjp") else "grad"
    if mode not in (None, "reverse", "forward", "vjp", "jvp", "hvp"):
        kind = str(mode)
    try:
        by = Derivative(kind, transform.fn, argnums)
    except SctError as error:
        raise click.BadParameter(f"{error.what}; {error.why}", param_hint="--wrt") from None
    if mode == "vjp":
        positions = tuple(range(len(inspect.signature(transform.fn).parameters))) if wrt is None else _as_tuple(argnums)
        return chosen.with_value(Derivative("vjp", transform.fn, positions))
    if mode == "hvp":
        return chosen.with_value(Derivative("jvp", Derivative("grad", transform.fn, argnums)), only=1)
    if mode not in ("forward", "jvp"):
        return chosen.with_value(by)
    without = _without_tangent(by) if mode == "forward" or wrt is not None else []
    return chosen.with_value(Derivative("jvp", transform.fn), dict.fromkeys(without, "= None"))


def _as_tuple(argnums: Any) -> Any:
    return argnums if isinstance(argnums, tuple) else (argnums,)


def _without_tangent(by: Derivative) -> list[str]:
    """The names of the tangents of parameters that `by` does not differentiate with respect to."""
    names = _parameters_of(by)
    wanted = _as_tuple(by.__sct_transform__.argnums)
    return [tangent for k, (name, tangent) in enumerate(zip(names, tangent_names(names)))
            if k not in wanted and name not in wanted]


def _parameters_of(derivative: Any) -> list[str]:
    """The parameters of the function; of a bound method without the first."""
    root = root_of(derivative)
    code = root.__code__
    names = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    return names[1:] if hasattr(root, "__self__") else names


# -- --args ---------------------------------------------------------------------------


class ArgTypes:
    """The types of `--args`: `x: f64[n], k = 2`.

    >>> ArgTypes("x: f64[n], k = 2").types
    {'x': 'f64[n]', 'k': '= 2'}
    """

    def __init__(self, text: str) -> None:
        self.types = dict(map(_name_and_type, _split_at_commas(text)))
        self.parameters: set[str] = set()

    def of(self, decorated: Decorated) -> dict[str, str]:
        """The types of the parameters and attributes of a function."""
        if decorated.refusal is not None:
            return {}
        names = {*_parameters_of(decorated.value), *decorated.attributes()}
        self.parameters |= names
        return {name: text for name, text in self.types.items() if name in names}

    def check(self, chosen: Iterable[Decorated] = ()) -> None:
        """Refuses a name that is no parameter of these functions, nor of those before."""
        for decorated in chosen:
            self.of(decorated)
        for name in self.types:
            if name not in self.parameters:
                there = ", ".join(sorted(self.parameters)) or "none"
                raise click.BadParameter(f"there is no parameter {name!r}; there are {there}", param_hint="--args")


def _name_and_type(part: str) -> tuple[str, str]:
    is_value = "=" in part and ":" not in part.partition("=")[0]
    name, separator, type_or_value = (piece.strip() for piece in part.partition("=" if is_value else ":"))
    if not separator or not name.replace(".", "_").isidentifier() or not type_or_value:
        raise click.BadParameter(f'{part.strip()!r} is not "name: type" or "name = value"', param_hint="--args")
    try:
        if is_value:
            known_value(name, type_or_value)
        elif not type_or_value.endswith("[...]"):
            structure(type_or_value)
    except SctError as error:
        raise click.BadParameter(f"{error.what}; {error.hint}".removesuffix("; "), param_hint="--args") from None
    return name, f"= {type_or_value}" if is_value else type_or_value


def _split_at_commas(text: str) -> Iterator[str]:
    """The parts of `text` between commas that are not in brackets.

    >>> list(_split_at_commas("x: f64[n, m], y: float"))
    ['x: f64[n, m]', ' y: float']
    """
    depth, part = 0, ""
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            yield part
            part = ""
        else:
            part += character
    if part.strip():
        yield part
