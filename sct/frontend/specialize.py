"""The entry: a function and its arguments -> its IR, signature, guards and free variables."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sct.errors import INTERNAL, Loc, SctError, came_further, contains_itself, internal_error
from sct.frontend.arguments.abstract_arguments import HoldsKinds, argument, is_mutable_container
from sct.frontend.arguments.argument_aliasing import Shared, check_aliasing, containers_of, written_leaves
from sct.frontend.arguments.argument_keys import OF_KINDS, RecordColumn, key_of
from sct.frontend.arguments.float_errors import guards_of_settings
from sct.frontend.arguments.lift import read_path, rooted
from sct.frontend.autodiff.nested_derivatives import apply_transform
from sct.frontend.autodiff.value_trees import tree_of
from sct.frontend.calls.closure_conversion import closed
from sct.frontend.calls.outlining import OutliningPlan, called_once, repeated
from sct.frontend.calls.outside_writes import check_outside_writes, check_rewritten_results
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap import run_time_keys
from sct.frontend.iteration import run_time_sets
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.loops.collected_generators import is_collectable
from sct.frontend.objects.bound_object import private_writes
from sct.frontend.refusals import OF_OBJECTS, drop_answered, furthest, of_attempts, or_of_rows
from sct.frontend.root_function import held
from sct.frontend.signatures import (
    NO_DEFAULT,
    PARAMETER_KINDS,
    SourceParameter,
    as_called,
    differentiated_parameters,
    jvp_signature,
    name_of,
    ordered,
    parameters_taken_apart,
    root_of,
    signature_comment,
    signature_of,
    transform_kind,
)
from sct.frontend.state.fixpoint import Dead, Unstable, fixpoint
from sct.frontend.state.observed_types import Observations
from sct.frontend.state.store import holds_itself
from sct.frontend.transform import Transform
from sct.frontend.values.abstract_values import Abstract, FreeLeaf, Path, Static
from sct.frontend.values.guards import Guard, NeedsStatic
from sct.frontend.values.primal_record import PrimalRecord
from sct.ir import Fn, Lit, Operand, Value
from sct.ir.check import verifies
from sct.ir.core import is_complex
from sct.ir.pytrees.pytree import Leaf, Node, Tree, leaf_values, merge_shared_leaves
from sct.ir.pytrees.user_objects import gradient_class
from sct.ir.types import Link, leaf_type
from sct.ops import call

__all__ = ["Traced", "trace"]

MOST_TAKEN_APART = 1000
"""Lists of records with at most so many items are taken apart where they cannot be one value."""


@dataclass(frozen=True)
class Traced:
    """A function specialized for the types of its arguments.

    fn           its IR: flat params and results
    params       how `fn.params` are arranged as Python parameters
    result       how `fn.results` are arranged
    guards       facts about the arguments under which it is valid
    free         numbers and arrays of free variables, passed by keyword; `identities`: facts about free variables
    key          the `key_of` the arguments and the free variables; `positional`, `keywords`: how they were passed
    bind         bind(args, kwargs): the leaves of the arguments
    apart        the paths of outside containers, which must not be in the arguments; None if no container is written
                 or compared by identity
    callables    callables in the arguments that are called: none may hold an object, list or dict of the arguments
    containers   numbers of the containers of each argument, if it matters which of them are one object
    records, maps  as in `key_of`; `holds_records`: is there a list of records or of strings in the arguments?
    primal_record  where the differentiated function stands in `fn`; None if it always raises
    written      attributes of the bound object, or of a class, that it writes, in a private copy, each with its place
    """

    fn: Fn
    name: str
    params: tuple[SourceParameter, ...]
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
    callables: tuple[Any, ...] = ()
    containers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    maps: bool = False
    records: int = True
    holds_records: bool = False
    primal_record: PrimalRecord | None = None
    written: tuple[tuple[str, Any, type | None], ...] = ()
    bind: Callable[..., Sequence[Any]] = field(default=lambda args, kwargs: [], repr=False)

    def only(self, result: Tree) -> Traced:
        """The function that returns only a part of the result."""
        result, kept = merge_shared_leaves(result)
        return replace(self, fn=self.fn.replace(results=tuple(self.fn.results[k] for k in kept)), result=result)

    @property
    def is_complex(self) -> bool:
        """Does it compute with complex numbers?"""
        return is_complex(self.fn)

    def of(self, root: Any) -> Traced:
        """The specialization for another function with the same code: its numbers become defaults again."""
        numbers = {f.name: x for f in self.free if f.path in held(root).values()
                   for x in [read_path(f.path, root)] if isinstance(x, (int, float))}
        return replace(self, root=root, params=tuple(
            replace(p, default=numbers[p.name]) if p.name in numbers else p for p in self.params))

    def free_values(self, root: Any = None) -> dict[str, Any]:
        """The keyword-only arguments to pass."""
        root = self.root if root is None else root
        return {f.name: read_path(f.path, root) for f in self.free}


def trace(target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, *,
          in_line: bool = False, observe: Callable[[], Observations | None] | None = None) -> Traced:
    """The IR of a function or a `Transform` for these arguments.

    in_line  evaluate functions in line even if they are called more than once
    observe  runs the function on copies, and returns the types of its expressions

    Raises SctError where the function is not differentiated.
    """
    kwargs = dict(kwargs or {})
    observe = functools.cache(observe) if observe is not None else None
    signature, values, compiled_in, passed = _bound_arguments(target, args, kwargs)
    lists, apart = _Lists(), parameters_taken_apart(target, signature)

    def trace_with(shared: bool, records: int, plan: OutliningPlan) -> Traced:
        seen: dict[int, Any] | None = {} if shared else None
        ev = Evaluator(root_of(target), plan)
        ev.containers.take_lists(records, maps := run_time_keys.takes_maps(ev, values, apart, records))
        ev.observe_with(observe)
        ev.outside.called_with((*args, *kwargs.values()), values.keys())
        arguments: dict[str, Abstract] = {}
        trees: dict[str, Tree] = {}
        for name, value in values.items():
            arguments[name], trees[name] = argument(ev, value, name, seen)
            if name in compiled_in:
                ev.outside.note(compiled_in[name], "is", value)
                if is_mutable_container(value):
                    ev.containers.outside[compiled_in[name]] = value
        bind = functools.partial(_leaves_of_call, signature, trees)
        try:
            with _known_sizes(ev, plan):
                traced = finish(ev, target, signature, arguments, trees, bind, shared=shared)
                traced = number_containers(traced, values, trees, shared=shared)
        finally:
            lists.items, lists.mixed = ev.containers.count, lists.mixed or plan.mixed
        read = [(f, ev.leaves[ev.params.index(f.param)]) for f in ev.outside.leaves]
        free = [RecordColumn(x) if f.is_column else x for f, x in read]
        key: Any = key_of((*args, *kwargs.values(), *free), {}, records, maps)
        ev.forget()
        return replace(traced, key=key, maps=maps, records=records, positional=len(args), keywords=tuple(kwargs),
                       params=as_called(traced.params, passed, len(args)))

    return _first_accepted(trace_with, lists, in_line, observe is not None)


@dataclass
class _Lists:
    """What was met in the lists from outside: `items` of those that are one value; `mixed`: of several kinds."""

    items: int = 0
    mixed: bool = False


def _first_accepted(trace_with: Callable[[bool, int, OutliningPlan], Traced], lists: _Lists, in_line: bool,
                    may_observe: bool) -> Traced:
    """The result of `trace_with`: with lists as one value, taken apart, or of items of several kinds; then with dicts
    and tuples as rows of columns."""
    refusals: list[SctError] = []

    def attempt(records: int, long_first: bool = False, rows: bool = False) -> Traced | None:
        def with_plan(shared: bool) -> Traced:
            plan = OutliningPlan(in_line=in_line, kinds=records == OF_KINDS, columns_for_none=records == OF_KINDS,
                                 long_kinds_first=long_first, displays_may_be_rows=rows)
            return with_outlining(functools.partial(trace_with, shared, records), plan, may_observe)

        try:
            try:
                return with_plan(False)
            except Shared:
                return with_plan(True)
        except SctError as refusal:
            if refusal.code == INTERNAL and verifies():
                raise
            refusals.append(refusal)
            return None

    try:
        traced, tried = attempt(True, long_first=True), False
    except HoldsKinds as held:
        traced, tried = attempt(OF_KINDS) or (attempt(True) if held.may_be_taken_apart else None), True
    if traced is None and 0 < lists.items <= MOST_TAKEN_APART:
        with_columns = refusals.pop()
        traced = attempt(False)
        refusals[:] = [with_columns if came_further(with_columns, r) else r for r in refusals]
    if traced is None and lists.mixed and not tried:
        traced = attempt(OF_KINDS)
    if traced is None:
        first = of_attempts(refusals)
        if any(r.has_displays for r in refusals) and (traced := attempt(True, rows=True)) is None:
            first = or_of_rows(first, refusals[-1])
        if traced is None:
            first.evaluated = first.around = ()
            raise first from first.__cause__
    return traced


def _bound_arguments(target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
                     ) -> tuple[inspect.Signature, dict[str, Any], dict[str, Path], Collection[str]]:
    """The signature; the arguments to compile for; the paths of the defaults among them, and the names of the
    parameters whose defaults are not."""
    signature = jvp_signature(target, args) if transform_kind(target) == "jvp" else signature_of(target)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(_python_message(target, args, kwargs) or f"{name_of(target)}() {error}") from None
    there, paths = {**bound.arguments}, held(root_of(target))
    bound.apply_defaults()
    values = _without_held(bound.arguments, there, signature, paths, differentiated_parameters(target, signature))
    compiled_in = {name: path for name, path in paths.items() if name in values and name not in there}
    passed = paths.keys() - compiled_in.keys()
    return signature.replace(parameters=[  # what is held is not kept alive
        p.replace(default=None) if p.name in passed and p.default is not NO_DEFAULT else p
        for p in signature.parameters.values()]), values, compiled_in, passed


def _leaves_of_call(signature: inspect.Signature, trees: Mapping[str, Tree], args: tuple[Any, ...],
                    kwargs: Mapping[str, Any]) -> Sequence[Any]:
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return [leaf for name, tree in trees.items() for leaf in leaf_values(tree, bound.arguments[name])]


def _python_message(target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    """Python's message about arguments that do not fit the function, which is called: its body does not run."""
    f = root_of(target)
    called = f.func if isinstance(f, functools.partial) else f
    if transform_kind(target) == "jvp" or hasattr(f, "__signature__") \
            or not inspect.isfunction(getattr(called, "__func__", called)):
        return None
    try:
        f(*args, **kwargs)
    except TypeError as error:
        return str(error)
    return None


def _without_held(values: Mapping[str, Any], there: Mapping[str, Any], signature: inspect.Signature,
                  paths: Mapping[str, Path], wrt: Collection[str]) -> dict[str, Any]:
    """The arguments of the caller, and defaults except those that are read from the function at every call.

    A default that is differentiated by is an argument in any case.
    """
    passed: dict[str, Any] = {}
    left = False
    for name, value in values.items():
        by_position = signature.parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY
        if name in there or name not in paths and not (left and by_position) or name in wrt:
            passed[name] = value
        else:
            left = True
    return passed


def with_outlining(trace_with: Callable[[OutliningPlan], Traced], plan: OutliningPlan | None = None,
                   may_observe: bool = False) -> Traced:
    """The result of `trace_with`, which is repeated until the outlining plan is complete.

    may_observe  expressions around a refusal may be left to Python, the innermost first
    """
    plan = OutliningPlan() if plan is None else plan
    refusals, with_dicts = list[SctError](), list[SctError]()  # the latter with dicts that have keys of run time
    by_sets: dict[Any, SctError] = {}  # the first with these sets and iterators of run time

    def forget() -> None:
        refusals.clear()
        by_sets.clear()

    def evaluate() -> Traced:
        try:
            return trace_with(plan)
        except SctError as refusal:
            plan.refusals.append(refusal)
            if refusal.code == INTERNAL and verifies():
                raise  # another way to evaluate the function would hide the fault
            if refusal.code == "SCT301" and (other := plan.for_aliases()) is not None:
                raise other from None
            if refusal.code in ("SCT301", "SCT307") and plan.chooses and not plan.choosing:
                refusals.append(refusal)
                raise plan.with_chosen_arrays() from None
            if more := plan.looped - plan.unrolled:
                raise plan.changed(unrolled=more) from None
            refusals.append(refusal)
            by_sets.setdefault((frozenset(plan.sets), frozenset(plan.counted)), refusal)
            if plan.has_arguments and not plan.refused - plan.dicts:
                forget()
                raise plan.with_known_arguments() from None
            if may_observe and (candidates := [at for at in refusal.candidates if at not in plan.by_python]):
                raise plan.changed(by_python=candidates[:1]) from None
            if refusal.code == "SCT302" and (other := plan.with_private_copies(refusal)) is not None:
                raise other from None
            if not plan.known_keys and (refused := plan.refused - plan.dicts):
                plan.by_python.clear()
                raise plan.changed(dicts=refused) from None
            drop_answered(refusals, by_sets, plan.open_positions - plan.positions)
            for name, wanted in (("counted", plan.lost), ("sets", plan.open_sets), ("positions", plan.open_positions)):
                if more := wanted - getattr(plan, name):
                    raise plan.changed(**{name: more}) from None
            if plan.dicts or plan.open_texts:
                with_dicts[:] = refusals[:1]
                forget()
                raise plan.with_known_keys() from None
            if more := {code for code in plan.asked - plan.collected if is_collectable(code[0])}:
                forget()
                raise plan.with_lists_of_items(more) from None
            first = plan.reported(furthest((refusals[0], *with_dicts, *by_sets.values()), plan.refusals))
            if first.code in OF_OBJECTS and (classes := plan.linkable()):
                with_dicts.clear()
                forget()
                raise plan.with_linked_objects(classes, first) from None
            first.has_displays = bool(plan.displays)
            raise first from first.__cause__

    return fixpoint(plan, evaluate, 1000, plan.refuse_unstable)


@contextlib.contextmanager
def _known_sizes(ev: Evaluator, plan: OutliningPlan) -> Iterator[None]:
    """Starts with the sizes that an earlier evaluation has found equal: calls of one kind are recognized so."""
    names = set(ev.sizes)
    for p, q in plan.equal:
        ev.same(p, q)
    try:
        yield
    finally:
        plan.equal = [(p, q) for how, p, q in ev.size_facts if how == "==" and p.symbols | q.symbols <= names]


def finish(ev: Evaluator, target: Any, signature: inspect.Signature, arguments: Mapping[str, Abstract],
            trees: Mapping[str, Tree], bind: Any, *, shared: bool = False) -> Traced:
    """Evaluates the function; an internal error becomes a refusal that names its place."""
    try:
        return _finished(ev, target, signature, arguments, trees, bind, shared)
    except SctError as refusal:
        refusal.evaluated = ev.evaluated
        raise
    except (Unstable, Shared, HoldsKinds, Warning, MemoryError):
        raise
    except Exception as error:
        at = ev.failure[1] if ev.failure is not None and ev.failure[0] is error else ev.returned_at
        raise internal_error(error, at) from error


def _finished(ev: Evaluator, target: Any, signature: inspect.Signature, arguments: Mapping[str, Abstract],
              trees: Mapping[str, Tree], bind: Any, shared: bool) -> Traced:
    positional: list[Abstract] = []
    named: dict[str, Abstract] = {}
    params: list[SourceParameter] = []
    by_name = False
    for p in signature.parameters.values():
        if p.name not in arguments:
            by_name = True  # and what follows
            continue
        v = arguments[p.name]
        params.append(SourceParameter(p.name, PARAMETER_KINDS[p.kind], p.default, trees[p.name]))
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
            result = apply_transform(ev, t, rooted(ev, t.fn), positional, named)
        else:
            result = ev.call(rooted(ev, target), positional, named)
    except Dead:
        result = Static(None)
    except NeedsStatic as need:
        raise need.error from None
    except RecursionError:
        raise _nested_too_deeply(ev) from None
    leaves: list[Abstract] = []
    tree, kept = merge_shared_leaves(tree_of(ev, result, leaves, "as a result", {}))
    _buildable(tree, ev.returned_at)
    outs = [_result(ev, leaves[k]) for k in kept]
    fn = Fn(name_of(target), tuple(ev.params), tuple(ev.b.eqns), tuple(outs))
    if again := repeated(ev, fn):
        raise ev.functions.plan.changed(repeated=again)
    fn = closed(ev, fn)
    if single := called_once(ev, fn):
        raise ev.functions.plan.changed(single=single)
    for check in (check_outside_writes, check_rewritten_results, run_time_sets.check_items_are_not_read):
        check(ev, fn)
    check_aliasing(ev, fn, written_leaves(ev, before), shared)
    _resolve_sizes(ev, fn)
    for f in ev.outside.leaves:
        params.append(SourceParameter(f.name, "keyword", NO_DEFAULT, Leaf(ev.params.index(f.param))))
    identities = tuple((path, how, obj) for (_, how), (path, obj) in ev.outside.facts.items())
    guards = (*ev.size_guards(), *ev.guards.values(), *guards_of_settings(ev))
    apart = tuple(ev.containers.outside) if ev.containers.written or ev.containers.compared else None
    return Traced(fn, name_of(target), tuple(ordered(params)), tree, guards,
                  tuple(ev.outside.leaves), identities, ev.outside.root, signature_comment(fn, params), apart=apart,
                  holds_records=ev.containers.count > 0, callables=tuple(ev.callables_used.values()),
                  primal_record=ev.primal_record, bind=bind, written=private_writes(ev))


def _nested_too_deeply(ev: Evaluator) -> SctError:
    at = ev.failure[1] if ev.failure is not None else ev.returned_at
    if holds_itself(ev.store.cells):
        return contains_itself("a list, a dict or an object here", at)
    deeper = "let the generator that calls itself return a list" if ev.functions.plan.asked else \
        "call sys.setrecursionlimit(10_000)"
    return SctError("SCT109", "the function is nested too deeply", why="sct evaluates it on the stack of Python",
                    hint=f"write a function that calls itself as a loop; or {deeper}", loc=at)


def _result(ev: Evaluator, v: Abstract) -> Operand:
    """A number or an array of the result, as an operand."""
    x = ev.operand(v)
    if isinstance(link := leaf_type(x.type), Link):
        ev.refuse_link(link)
    return x


def number_containers(traced: Traced, values: Mapping[str, Any], trees: Mapping[str, Tree], *, shared: bool) -> Traced:
    """Adds the numbers of the containers of the arguments, if it matters which of them are one object."""
    if traced.apart is None and not shared:
        return traced
    numbers: dict[Any, int] = {}
    return replace(traced, containers={
        name: tuple(containers_of(values[name], tree, numbers)) for name, tree in trees.items()})


def _buildable(tree: Tree, loc: Loc | None) -> None:
    """Refuses a result with an object that emitted code cannot create."""
    if isinstance(tree, Node):
        if tree.kind == "object" and gradient_class(tree.cls, tree.keys) is not tree.cls:
            raise SctError("SCT409", f"an object of class `{tree.cls.__name__}` is not supported as a result",
                           why="emitted code cannot create one: its constructor may do more than set attributes",
                           hint="return what it holds, or make the class a dataclass that runs no code of its own",
                           loc=loc)
        for child in tree.children:
            _buildable(child, loc)


def _resolve_sizes(ev: Evaluator, fn: Fn) -> None:
    """Replaces equal sizes by one term in the types of all values and literals."""
    if not ev.same_size:
        return

    def literal(x: Operand) -> Operand:
        return Lit(x.value, ev.resolved(x.as_type)) if isinstance(x, Lit) and x.as_type is not None else x

    def resolve(v: Value) -> None:
        v.type = ev.resolved(v.type)
        if v.dim is not None:
            v.dim = ev.resolve(v.dim)

    def visit(f: Fn) -> None:
        for v in f.params:
            resolve(v)
        for e in f.eqns:
            for v in e.outs:
                resolve(v)
            object.__setattr__(e, "args", tuple(map(literal, e.args)))
            if e.op is call:
                assert isinstance(e.attrs, dict)
                e.attrs["types"] = tuple(v.type for v in e.outs)
            for r in e.regions:
                visit(r)
        object.__setattr__(f, "results", tuple(map(literal, f.results)))

    for f in (*fn.functions, fn):
        visit(f)
