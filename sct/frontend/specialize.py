"""The entry: a function and its arguments -> its IR, signature, guards and free variables."""

from __future__ import annotations

import contextlib
import functools
import inspect
import keyword
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sct.errors import Loc, SctError, internal_error
from sct.frontend.autodiff.differentiated_region import tree_of
from sct.frontend.autodiff.nested_derivatives import apply_transform
from sct.frontend.calls.closure_conversion import closed
from sct.frontend.calls.outlining import Outline, Sites, called_once, repeated
from sct.frontend.interpreter.interpreter import Dead, Evaluator
from sct.frontend.loops.iteration_space import items_of
from sct.frontend.root_function import held
from sct.frontend.transform import Transform
from sct.frontend.values.abstract_values import Abstract, FreeLeaf, Path, Static
from sct.frontend.values.argument_aliasing import Shared, check_aliasing, containers_of, written_leaves
from sct.frontend.values.argument_types import Untyped, argument, is_shared, key_of, read_path
from sct.frontend.values.guards import Guard, NeedsStatic
from sct.frontend.values.primal_record import Reading
from sct.frontend.values.type_syntax import (
    fields_by_hint,
    guesses,
    hints_of,
    is_open,
    known_value,
    structure,
    tangent_of,
    type_text,
)
from sct.ir import Fn, Value
from sct.ir.pytree import Const, Leaf, Node, Tree, children_of, leaves, map_tree, structure_text
from sct.ir.user_objects import gradient_class, make_without_init
from sct.ops import call

__all__ = ["Parameter", "Traced", "root_of", "signature_comment", "tangent_names", "trace", "trace_ahead"]

NO_DEFAULT = inspect.Parameter.empty


@dataclass(frozen=True)
class Parameter:
    """A parameter of the function: as Python has it, with the arrangement of its leaves."""

    name: str
    kind: str = "positional"
    default: Any = NO_DEFAULT
    tree: Tree = Leaf(0)  # noqa: RUF009


@dataclass(frozen=True)
class Traced:
    """A function specialized for the types of its arguments.

    fn           its IR: flat params and results
    params       how `fn.params` are arranged as Python parameters
    result       how `fn.results` are arranged
    guards       facts about the arguments that it relies on
    free         what it reads from globals and closures, passed by keyword
    key          the `key_of` the arguments, `positional` of them and `keywords`, and what is free
    bind         bind(args, kwargs): the leaves of the arguments
    apart        where lists, dicts and objects of the arguments are written: the paths of those outside, which are
                 others; None where none are written
    containers   the numbers of the lists, dicts and objects of each argument, where it matters which are one
    reading      what the function does that is differentiated; None where it raises for certain
    """

    fn: Fn
    name: str
    params: tuple[Parameter, ...]
    result: Tree
    guards: tuple[Guard, ...]
    free: tuple[FreeLeaf, ...]
    identities: tuple[tuple[Path, str, Any], ...]
    root: Any
    comment: str = ""
    key: tuple[Any, ...] = ()
    positional: int = 0
    keywords: tuple[str, ...] = ()
    apart: tuple[Path, ...] | None = None
    containers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    reading: Reading | None = None
    bind: Callable[..., Sequence[Any]] = field(default=lambda args, kwargs: [], repr=False)

    def only(self, result: Tree) -> Traced:
        """The same, returning a part of its result."""
        kept = list(leaves(result))
        fn = self.fn.replace(results=tuple(self.fn.results[k] for k in kept))
        return replace(self, fn=fn, result=map_tree(result, lambda k: Leaf(kept.index(k))))

    def of(self, root: Any) -> Traced:
        """The same, of this function; the numbers that it has for parameters are defaults of these again."""
        numbers = {f.name: x for f in self.free if f.path in held(root).values()
                   for x in [read_path(f.path, root)] if isinstance(x, (int, float))}
        return replace(self, root=root, params=tuple(
            replace(p, default=numbers[p.name]) if p.name in numbers else p for p in self.params))

    def free_values(self, root: Any = None) -> dict[str, Any]:
        """The keyword-only arguments to pass."""
        root = self.root if root is None else root
        return {f.name: read_path(f.path, root) for f in self.free}


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


# -- signatures -------------------------------------------------------------------------------------------

_KINDS = {
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
        params = [p for p in inner.parameters.values() if p.kind.name in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")]
        both = [p.replace(default=NO_DEFAULT) for p in params]
        return inspect.Signature([*both, *map(_tangent, both, tangent_names([p.name for p in both]))])
    try:
        return inspect.signature(target, follow_wrapped=False)
    except (TypeError, ValueError) as error:
        raise SctError("SCT201", f"the signature of {target!r} cannot be had", why=str(error)) from None


def tangent_names(names: Sequence[str]) -> list[str]:
    """What the tangents of parameters are called.

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


def trace(target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, *,
          in_line: bool = False) -> Traced:
    """The IR of a function or a `Transform` for these arguments.

    in_line  are functions that are called more than once evaluated in line all the same?

    Raises SctError where the function is not differentiated.
    """
    kwargs = dict(kwargs or {})
    signature = _jvp_signature(target, args) if _kind(target) == "jvp" else signature_of(target)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{name_of(target)}() {error}") from None
    there, paths = {**bound.arguments}, held(root_of(target))
    bound.apply_defaults()
    values = _without_held(bound.arguments, there, signature, paths, _differentiated(target, signature))
    compiled_in = paths.keys() & values.keys() - there.keys()
    passed = paths.keys() - compiled_in
    signature = signature.replace(parameters=[  # what is held is not kept alive
        p.replace(default=None) if p.name in passed and p.default is not NO_DEFAULT else p
        for p in signature.parameters.values()])

    def attempt(seen: dict[int, Any] | None, sites: Sites) -> Traced:
        ev = Evaluator(root_of(target), sites)
        ev.given, ev.parameter_names = (*args, *kwargs.values()), values.keys()
        given: dict[str, Abstract] = {}
        trees: dict[str, Tree] = {}
        for name, value in values.items():
            given[name], trees[name] = argument(ev, value, name, seen)
            if name in compiled_in:
                ev.identities[paths[name], "is"] = paths[name], value
                if is_shared(value):
                    ev.found_outside[paths[name]] = value

        def bind(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Sequence[Any]:
            again = signature.bind(*args, **kwargs)
            again.apply_defaults()
            return [leaf for name, tree in trees.items() for leaf in _leaves(tree, again.arguments[name])]

        with _known_sizes(ev, sites):
            traced = _finish(ev, target, signature, given, trees, bind, shared=seen is not None)
            traced = _with_containers(traced, values, trees, shared=seen is not None)
        free = [ev.leaves[ev.params.index(f.param)] for f in ev.free_leaves]
        key: Any = key_of((*args, *kwargs.values(), *free), {})
        ev.forget()
        return replace(traced, key=key, positional=len(args), keywords=tuple(kwargs),
                       params=_as_called(traced.params, passed, len(args)))

    try:
        return _outlining(functools.partial(attempt, None), in_line)
    except Shared:
        return _outlining(functools.partial(attempt, {}), in_line)


def _without_held(values: Mapping[str, Any], there: Mapping[str, Any], signature: inspect.Signature,
                  paths: Mapping[str, Path], wrt: Collection[str]) -> dict[str, Any]:
    """The arguments: the caller's, and defaults but for those that the function itself looks up at every call.

    What is differentiated by is an argument all the same.
    """
    found: dict[str, Any] = {}
    left = False
    for name, value in values.items():
        by_position = signature.parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY
        if name in there or name not in paths and not (left and by_position) or name in wrt:
            found[name] = value
        else:
            left = True
    return found


def _differentiated(target: Any, signature: inspect.Signature) -> set[str]:
    """The parameters that transforms are by."""
    names: set[str] = set()
    while isinstance(t := getattr(target, "__sct_transform__", target), Transform):
        for each in t.argnums if isinstance(t.argnums, tuple) else (t.argnums,):
            names.update([each] if isinstance(each, str) else [*signature.parameters][each:each + 1])
        target = t.fn
    return names


def _as_called(params: Sequence[Parameter], passed: Collection[str], n: int) -> tuple[Parameter, ...]:
    """The parameters of what is emitted for a call with `n` arguments by position: those that are always passed have
    no default."""
    last = max((k for k, p in enumerate(params[:n]) if p.name in passed), default=-1)
    return tuple(
        replace(p, kind="keyword" if p.name in passed and k >= n and p.kind == "positional" else p.kind,
                default=NO_DEFAULT if p.name in passed or k <= last else p.default)
        for k, p in enumerate(params))


def _outlining(attempt: Callable[[Sites], Traced], in_line: bool = False) -> Traced:
    """What `attempt` makes, given what is to be a function of its own: that is found on the way."""
    sites = Sites(in_line=in_line)
    while True:
        try:
            return attempt(sites)
        except Outline as found:
            found.enter(sites)


@contextlib.contextmanager
def _known_sizes(ev: Evaluator, sites: Sites) -> Iterator[None]:
    """Sizes of arguments that were found to be equal are so from the start when all is evaluated again: calls for
    arguments of one kind are then seen to be."""
    names = set(ev.sizes)
    for p, q in sites.equal:
        ev.same(p, q)
    try:
        yield
    finally:
        sites.equal = [(p, q) for how, p, q in ev.size_facts if how == "==" and p.symbols | q.symbols <= names]


def _leaves(tree: Tree, value: Any) -> list[Any]:
    if isinstance(tree, Leaf):
        return [value]
    if not isinstance(tree, Node):
        return []
    return [leaf for c, part in zip(tree.children, children_of(tree, value)) for leaf in _leaves(c, part)]


def _kind(target: Any) -> str | None:
    t = getattr(target, "__sct_transform__", target)
    return t.kind if isinstance(t, Transform) else None


def _jvp_signature(target: Any, args: tuple[Any, ...]) -> inspect.Signature:
    """As many primals as are given, then their tangents."""
    t = getattr(target, "__sct_transform__", target)
    params = [p.replace(default=NO_DEFAULT) for p in signature_of(t.fn).parameters.values()]
    half = len(args) // 2
    named: list[inspect.Parameter] = []
    for k in range(half):
        p = params[min(k, len(params) - 1)]
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            p = inspect.Parameter(f"{p.name}_{k}", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        named.append(p.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD))
    return inspect.Signature([*named, *map(_tangent, named, tangent_names([p.name for p in named]))])


def _finish(ev: Evaluator, target: Any, signature: inspect.Signature, given: Mapping[str, Abstract],
            trees: Mapping[str, Tree], bind: Any, *, shared: bool = False) -> Traced:
    """What was traced; an error of sct's own is a refusal that says so, and where it came up."""
    try:
        return _finished(ev, target, signature, given, trees, bind, shared)
    except (SctError, Outline, Shared, Warning, MemoryError):
        raise
    except Exception as error:
        at = ev.failure[1] if ev.failure is not None and ev.failure[0] is error else ev.returned_at
        raise internal_error(error, at) from error


def _finished(ev: Evaluator, target: Any, signature: inspect.Signature, given: Mapping[str, Abstract],
              trees: Mapping[str, Tree], bind: Any, shared: bool) -> Traced:
    positional: list[Abstract] = []
    named: dict[str, Abstract] = {}
    params: list[Parameter] = []
    by_name = False
    for p in signature.parameters.values():
        if p.name not in given:
            by_name = True  # and what follows
            continue
        v = given[p.name]
        params.append(Parameter(p.name, _KINDS[p.kind], p.default, trees[p.name]))
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            positional += items_of(ev, v)
        elif p.kind is inspect.Parameter.VAR_KEYWORD:
            cell = ev.store.cells[v.addr]  # type: ignore[union-attr]
            named.update(zip(cell.keys, cell.items))  # type: ignore[union-attr]
        elif p.kind is inspect.Parameter.KEYWORD_ONLY or by_name:
            named[p.name] = v
        else:
            positional.append(v)
    before = dict(ev.store.cells)
    try:
        t = getattr(target, "__sct_transform__", target)
        if isinstance(t, Transform):
            result = apply_transform(ev, t, ev.rooted(t.fn), positional, named)
        else:
            result = ev.call(ev.rooted(target), positional, named)
    except Dead:
        result = Static(None)
    except NeedsStatic as need:
        raise need.error from None
    except RecursionError:
        raise SctError("SCT109", "the function is nested too deeply") from None
    leaves: list[Abstract] = []
    tree = tree_of(ev, result, leaves, "as a result")
    _buildable(tree, ev.returned_at)
    outs = [ev.operand(v) for v in leaves]
    fn = Fn(name_of(target), tuple(ev.params), tuple(ev.b.eqns), tuple(outs))
    if again := repeated(ev, fn):
        raise Outline(repeated=again)
    fn = closed(ev, fn)
    if single := called_once(ev, fn):
        raise Outline(single=single)
    check_aliasing(ev, fn, written_leaves(ev, before), shared)
    _settle_sizes(ev, fn)
    for f in ev.free_leaves:
        params.append(Parameter(f.name, "keyword", NO_DEFAULT, Leaf(ev.params.index(f.param))))
    identities = tuple((path, how, obj) for (_, how), (path, obj) in ev.identities.items())
    guards = (*ev.size_guards(), *ev.guards.values())
    apart = tuple(ev.found_outside) if ev.container_written else None
    return Traced(fn, name_of(target), tuple(_ordered(params)), map_tree(tree, Leaf), guards,
                  tuple(ev.free_leaves), identities, ev.root, signature_comment(fn, params), apart=apart,
                  reading=ev.reading, bind=bind)


def _with_containers(traced: Traced, values: Mapping[str, Any], trees: Mapping[str, Tree], *, shared: bool) -> Traced:
    """The same, with the numbers of the lists, dicts and objects of the arguments, where it matters which are one."""
    if traced.apart is None and not shared:
        return traced
    numbers: dict[Any, int] = {}
    return replace(traced, containers={
        name: tuple(containers_of(values[name], tree, numbers)) for name, tree in trees.items()})


def _buildable(tree: Tree, loc: Loc | None) -> None:
    """Can what is emitted make the objects of a result?"""
    if isinstance(tree, Node):
        if tree.kind == "object" and gradient_class(tree.cls, tree.keys) is not tree.cls:
            raise SctError("SCT409", f"an object of class `{tree.cls.__name__}` is not supported as a result",
                           why="what `__init__` does to make one is not known from its attributes",
                           hint="return what it holds, or make the class a dataclass", loc=loc)
        for child in tree.children:
            _buildable(child, loc)


def _ordered(params: list[Parameter]) -> list[Parameter]:
    return [p for p in params if p.kind != "varkeywords"] + [p for p in params if p.kind == "varkeywords"]


def signature_comment(fn: Fn, params: Sequence[Parameter]) -> str:
    """Which types the parameters have, in lines that are not too long."""
    lines = [""]
    for p in params:
        if isinstance(p.tree, Const):
            continue
        text = f"{p.name}: {structure_text(p.tree, lambda k: str(fn.params[k].type))}"
        if lines[-1] and len(lines[-1]) + len(text) > 80:
            lines.append("")
        lines[-1] += f"{', ' if lines[-1] else ''}{text}"
    return ",\n".join("\n    ".join(textwrap.wrap(line, 100, break_long_words=False)) for line in lines)


def _settle_sizes(ev: Evaluator, fn: Fn) -> None:
    """Put what was found to be equal into the types of all values."""
    if not ev.same_size:
        return

    def settle(v: Value) -> None:
        v.type = ev.resolved(v.type)
        if v.dim is not None:
            v.dim = ev.resolve(v.dim)

    def visit(f: Fn) -> None:
        for v in f.params:
            settle(v)
        for e in f.eqns:
            for v in e.outs:
                settle(v)
            if e.op is call:
                assert isinstance(e.attrs, dict)
                e.attrs["types"] = tuple(v.type for v in e.outs)
            for r in e.regions:
                visit(r)

    for f in (*fn.functions, fn):
        visit(f)


# -- ahead of time -----------------------------------------------------------------------------------------


def trace_ahead(target: Any, given: Mapping[str, str] | None = None) -> Traced:
    """The IR of a function for types from `given`, its annotations and its defaults.

    `given` has types of parameters (`"f64[n]"`), or their values (`"= 2"`).  What has
    none of these is tried as a float, then as a 1-D and a 2-D array, an int: the
    simplest types under which the function types.  So are the attributes `self.NAME` of
    an object it is bound to that are `Untyped`.
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
    tangents = dict(zip(names[len(names) // 2:], names)) if _kind(target) == "jvp" else {}

    def enter(name: str, hint: Any, p: inspect.Parameter | None) -> None:
        """What is known of a parameter, or of a field of one."""
        text = given.get(name) or type_text(hint)
        fields = fields_by_hint(hint)
        if text is not None and not is_open(text):
            texts[name] = known_value(name, text[1:]) if text.startswith("=") else structure(text)
        elif p is not None and p.kind in _REST:
            texts[name] = _REST[p.kind]
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
            traced = _outlining(functools.partial(_ahead, target, signature, tried, attributes))
            if traced.reading is not None or not guess:
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


def _ahead(target: Any, signature: inspect.Signature, types: Mapping[str, Any], attributes: Sequence[str],
           sites: Sites) -> Traced:
    ev = Evaluator(root_of(target), sites)
    ev.attributes, ev.parameter_names = {name: types[name] for name in attributes}, signature.parameters.keys()
    given: dict[str, Abstract] = {}
    trees: dict[str, Tree] = {}
    for name in signature.parameters:
        given[name], trees[name] = argument(ev, types[name], name, {})
    traced = _finish(ev, target, signature, given, trees, lambda args, kwargs: [], shared=True)
    return _with_containers(traced, types, trees, shared=True)
