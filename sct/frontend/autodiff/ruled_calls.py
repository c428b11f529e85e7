"""Functions with a rule of the user: `sct.rule`.

    y = f(x)  ->  y0 = <the equations of f, or a call of it>;  y = ruled(y0, x, vjp=<of dy, y, x>, jvp=<of dx, y, x>)

The rule is evaluated as any function is, as a region whose params are the directions, the values and the numbers in
the arguments.  It may call the function whose rule it is: such calls have rules as deep as the program differentiates.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sct.errors import SctError, user_text
from sct.frontend.arguments.lift import rooted
from sct.frontend.autodiff.differentiated_region import d_name, evaluate, tangent_type, without_constants
from sct.frontend.autodiff.implicit_functions import has_effect
from sct.frontend.autodiff.tangent_arguments import Direction
from sct.frontend.autodiff.value_trees import rebuild_tree, tree_of
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.heap.inactive import (
    check_value,
    evaluated_by_python,
    give,
    harmless_name,
    template_of,
)
from sct.frontend.source.changing_calls import writes_keyword
from sct.frontend.source.parse import source_of
from sct.frontend.state.observed_types import Observed, numeric_type
from sct.frontend.state.store import is_written
from sct.frontend.user_rules import UserRule, rule_name
from sct.frontend.values.abstract_values import (
    CAPTURED,
    Abstract,
    Array,
    Choice,
    Closure,
    Container,
    DerivedCallable,
    Frozen,
    OptionalTuple,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.ir import Eqn, Fn, Lit, Op, Operand, Value, is_float, walk
from sct.ir.pytrees.pytree import Leaf, Node, Tree
from sct.ir.types import Opaque, Optional, Tensor, Text, Undef
from sct.ops import stop_gradient
from sct.ops.program.effects import part
from sct.ops.program.solutions import ruled
from sct.ops.type_rules import ufunc_result

__all__ = ["called_by_python", "probed", "ruled_call"]

COTANGENT, TANGENT = Direction("cotangent", "argument", False), Direction("tangent", "result", False)


class _Arranged:
    """An argument or a result as a tree.

    floats  for each leaf: is it a number that a derivative passes through?
    """

    def __init__(self, ev: Evaluator, v: Abstract, where: str, numbers: dict[Any, int] | None = None) -> None:
        self.value = v
        self.leaves: list[Abstract] = []
        self.tree: Tree = tree_of(ev, v, self.leaves, where, numbers)
        self.floats = [isinstance(x, (Value, Ref)) and is_float(ev.operand(x)) for x in self.leaves]
        self.operands = [ev.operand(x) for x, is_one in zip(self.leaves, self.floats) if is_one]

    def direction(self, ev: Evaluator, zero: Any) -> Abstract:
        """Tangents or cotangents, new values for the numbers, arranged as the value is; `zero` stands for other
        numbers."""
        def leaf(k: int) -> Abstract:
            x = self.leaves[k]
            if self.floats[k]:
                like = ev.operand(x)
                return ev.wrap(Value(tangent_type(like.type), d_name(like.hint if isinstance(like, Value) else None)))
            return Static(zero if isinstance(x, Static) or not isinstance(x, Ref) and _is_number(x) else None)

        return rebuild_tree(ev, without_constants(self.tree), leaf)


def _is_number(x: Abstract) -> bool:
    return isinstance(x, Value) and getattr(x.type, "kind", "") in ("i", "f")


def ruled_call(ev: Evaluator, rule: UserRule, args: Args, kwargs: Kwargs, call: Callable[[], Abstract]) -> Abstract:
    """The result of a function with a rule; `call` evaluates the call itself."""
    if ev.enclosing.order == 0 and not ev.functions.in_progress:
        return call()
    if ev.enclosing.order > max(ev.functions.plan.orders, default=1):
        raise ev.functions.plan.changed(orders={ev.enclosing.order})
    xs = [_Arranged(ev, v, f"as an argument of `{rule.name}`, which has a rule") for v in (*args, *kwargs.values())]
    before, last = _reached(ev, [x.value for x in xs]), ev.addresses.last
    result = call()
    y = _Arranged(ev, result, "as a result of a function with a rule", {})
    if not any(x.operands for x in xs) or not y.operands:
        return result
    if any(is_written(cell, ev.store.cells.get(addr)) for addr, cell in before.items()):
        ev.refuse("SCT302", f"`{rule.name}`, which has a rule, writes to its arguments",
                  why="the rule is that of the function that it returns", hint="write to a copy in it: `x = x.copy()`")
    regions: dict[str, Fn] = {}
    missing = {k for k, x in enumerate(xs) for _ in x.operands if k >= len(args)}
    places = [k for k, x in enumerate(xs) for _ in x.operands]
    if _is_deep_enough(ev, rule):
        if rule.vjp is not None:
            regions["vjp"] = _vjp_region(ev, rule, rule.vjp, y, xs, kwargs)
        if rule.jvp is not None:
            regions["jvp"] = _jvp_region(ev, rule, rule.jvp, y, xs, kwargs)
    values = [ev.emit(stop_gradient, v) if isinstance(v, Value) else v for v in y.operands]
    outs = [Value(v.type, v.hint, v.dim) for v in y.operands]
    ev.b.add(Eqn(ruled, (*values, *(x for arranged in xs for x in arranged.operands)), tuple(outs), {
        "values": len(outs), "function": rule.name, "modes": tuple(regions), "once": rule.once,
        "missing": tuple(j for j, k in enumerate(places) if k in missing)}, tuple(regions.values()), loc=ev.loc))
    return _rebuilt(ev, y, outs, last)


def probed(ev: Evaluator, x: Abstract, forward: Abstract, backward: Abstract) -> Abstract:
    """`sct.probe`: `x` itself; `forward` is called with it, and `backward` with its cotangent, which it may replace."""
    if not (isinstance(x, (Value, Ref)) or isinstance(x, Static) and isinstance(x.peek, (int, float, complex))):
        ev.refuse("SCT917", "sct.probe takes a number or an array",
                  hint="call it for each leaf: `sct.tree.map(lambda x: sct.probe(x, print), tree)`")
    if not (isinstance(forward, Static) and forward.peek is None):
        value = ev.wrap(ev.emit(stop_gradient, ev.operand(x)))
        before = _reached(ev, [value])
        _check_hook(ev, forward, "the value alone")
        ev.call(forward, [value])
        if any(is_written(cell, ev.store.cells.get(addr)) for addr, cell in before.items()):
            ev.refuse("SCT302", "a hook of sct.probe writes to the value that it is called with",
                      why="the value would change behind the derivative", hint="write to a copy in the hook")
    if isinstance(backward, Static) and backward.peek is None:
        return x

    _check_hook(ev, backward, "the cotangent alone")

    def cotangent(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        returned = ev.call(backward, [args[0]])
        return args[0] if isinstance(returned, Static) and returned.peek is None else returned

    def tangent(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        assert isinstance(args[0], Tup)
        return args[0].items[0]

    hooks: Any = DerivedCallable(cotangent), DerivedCallable(tangent)
    return ruled_call(ev, UserRule(probed, *hooks), [x], {}, lambda: x)


def _check_hook(ev: Evaluator, hook: Abstract, takes: str) -> None:
    f = hook.peek if isinstance(hook, Static) else hook
    if isinstance(f, (Closure, types.FunctionType)):
        _check_arity(ev, "a hook of sct.probe", f, takes, [Static(None)], {})


def _is_deep_enough(ev: Evaluator, rule: UserRule) -> bool:
    """Can the program differentiate a call here?  The derivative of one mode by the other one differentiates, too."""
    order = max(ev.functions.plan.orders, default=1)
    return ev.enclosing.rules < (order if rule.vjp is not None and rule.jvp is not None else 2 * order)


def _reached(ev: Evaluator, todo: list[Abstract]) -> dict[int, Array | Slots]:
    """The cells of the arrays and containers in these values."""
    cells: dict[int, Array | Slots] = {}
    while todo:
        v = todo.pop()
        if isinstance(v, Tup):
            todo += v.items
        elif isinstance(v, (Ref, Container)) and v.addr not in cells:
            cells[v.addr] = cell = ev.store.cells[v.addr]
            todo += cell.items if isinstance(cell, Slots) else ()
    return cells


def _rebuilt(ev: Evaluator, y: _Arranged, outs: Sequence[Value], last: int) -> Abstract:
    """The result with `outs` in the place of its numbers.

    last  the last address before the call

    What is older is also the caller's, and what sct does not read may return memory of something else.  Neither these
    arrays nor those that stand for them are written from here on.
    """
    new = iter(outs)
    numbers = [next(new) if is_one else None for is_one in y.floats]
    wrapped = [v if out is None else ev.wrap(out) for v, out in zip(y.leaves, numbers)]
    for v, w in zip(y.leaves, wrapped):
        if isinstance(v, Ref) and isinstance(w, Ref) and (v.addr <= last or ev.store.cells[v.addr].frozen):
            for addr in (v.addr, w.addr):
                cell = ev.store.cells[addr]
                if addr > CAPTURED and cell.frozen != Frozen.STALE:
                    ev.store.cells[addr] = replace(cell, frozen=Frozen.RULED)
    return rebuild_tree(ev, y.tree, wrapped.__getitem__, {})


# -- calls of functions that sct does not read ------------------------------------------------------------


def called_by_python(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs, op: Op) -> Abstract | None:
    """A call that Python itself makes: of a function with a rule, or in a rule.

    None if the type of its result is not known, or if an argument is no number, array, text, or container of these.
    """
    f = fn.peek
    if any(map(writes_keyword, kwargs)) or isinstance(f, np.ufunc) and len(args) > f.nin:
        ev.refuse("SCT302", f"`{rule_name(f)}` is called with an argument that says where it writes",
                  why="sct would not see the write", hint="leave it out, and use what the function returns")
    operands: list[Operand] = []
    name = harmless_name(f) or template_of(ev, fn if fn.path is not None else Static(f, (f,)), operands)
    texts = [template_of(ev, a, operands) for a in (*args, *kwargs.values())]
    if name is None or None in texts:
        return None
    keywords = ("",) * len(args) + tuple(f"{key}=" for key in kwargs)
    text = f"{name}({', '.join(f'{keyword}{text}' for keyword, text in zip(keywords, texts))})"
    if isinstance(f, np.ufunc) and f.nout == 1 and not kwargs and len(operands) == f.nin == len(args) and all(
            isinstance(x.type, Tensor) for x in operands):
        return ev.wrap(ev.emit(op, *operands, text=text, type=ufunc_result(f, operands, f"numpy.{f.__name__}"),
                               fresh=True))
    if not ev.is_observed:
        return None
    types = ev.observed(ev.loc)
    if len(types) == 1 and (t := next(iter(types)))[0] == "tuple":
        value = _tuple(ev, ev.emit(op, *operands, text=text), t)
        give(ev, [*args, *kwargs.values(), value], False)
    else:
        value = evaluated_by_python(ev, text, operands, (*args, *kwargs.values()), op=op)
    if any(isinstance(x, Value) and isinstance(x.type, (Opaque, Text)) for x in _items(value)):
        ev.refuse("SCT207", f"`{rule_name(f)}` returns an object, or a text" if len(types) == 1 else
                  f"`{rule_name(f)}` returns values of different types",
                  why="sct does not see into it, so the derivative by what it holds would be lost"
                  if len(types) == 1 else "it has returned both in calls with arguments of the same types",
                  hint="call it in a function that returns numbers, arrays and tuples of these, and give that the rule")
    return value


def _items(v: Abstract) -> Iterator[Abstract]:
    if isinstance(v, Tup):
        for x in v.items:
            yield from _items(x)
    else:
        yield v


def _tuple(ev: Evaluator, value: Value, types: Observed) -> Abstract:
    """A tuple of these types, which is checked when the derivative runs."""
    checks: list[str] = []

    def item(text: str, t: Observed) -> tuple[Abstract, str]:
        if t[0] == "tuple":
            checks.append(f"type({text}) is tuple and len({text}) == {len(t[1])}")
            items = [item(f"{text}[{k}]", x) for k, x in enumerate(t[1])]
            return Tup(tuple(v for v, _ in items)), f"({', '.join(words for _, words in items)})"
        numeric = numeric_type(frozenset([t]))
        if numeric is None:
            return ev.emit(part, value, text=text), "an object"
        kind, check, words = numeric
        checks.append(check.replace("_0", text))
        return ev.emit(part, value, text=text, type=kind), words

    result, words = item("_0", types)
    check_value(ev, value, " and ".join(checks), f"{user_text(ev.loc)} must be {words}")

    def wrapped(v: Abstract) -> Abstract:
        return Tup(tuple(map(wrapped, v.items))) if isinstance(v, Tup) else ev.wrap(v)  # type: ignore[arg-type]

    return wrapped(result)


# -- the rules --------------------------------------------------------------------------------------------

_TAKES = {"vjp": "the cotangent, the result, and the arguments: `vjp(ct, y, *args, **kwargs)`",
          "jvp": "the tangents, the result, and the arguments: `jvp(tangents, y, *args, **kwargs)`"}
"""What rules are called with, for hints."""


def _check_arity(ev: Evaluator, what: str, f: Any, takes: str, args: Args, kwargs: Kwargs) -> None:
    """Refuses a rule or a hook that cannot be called with these arguments."""
    if isinstance(f, Closure):
        node: Any = f.node
        most = len(node.args.args) + len(node.args.posonlyargs)
        fits = most - len(f.defaults) <= len(args) and (len(args) <= most or node.args.vararg is not None)
    else:
        try:
            inspect.signature(f).bind(*args, **kwargs)
            fits = True
        except TypeError:
            fits = isinstance(f, DerivedCallable)
        except ValueError:  # its signature is not known
            fits = True
    if not fits:
        count = len(args) + len(kwargs)
        ev.refuse("SCT406", f"{what} does not take {count} argument{'s' * (count != 1)}, and is called with so many",
                  hint=f"let it take {takes}")


def _called(ev: Evaluator, rule: UserRule, kind: str, f: Any, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of a rule, which sct reads from its source."""
    what = f"the {kind} of `{rule.name}`"
    _check_arity(ev, what, f, _TAKES[kind], args, kwargs)
    if isinstance(f, types.FunctionType):
        try:
            source_of(f.__code__)
        except SctError as error:
            ev.refuse(error.code, f"{what} has no source", why=error.why, hint=error.hint)
    return ev.call(f if isinstance(f, DerivedCallable) else rooted(ev, f), args, kwargs)


def _vjp_region(ev: Evaluator, rule: UserRule, vjp: Any, y: _Arranged, xs: Sequence[_Arranged], kwargs: Kwargs) -> Fn:
    def cotangents(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        returned = _called(ev, rule, "vjp", vjp, args, kwargs)
        with ev.at(ev.returned_at or ev.loc):
            parts = _one_each(ev, rule, returned, args[2:])
            _check_present(ev, rule, *parts)
            fitted = [ct for part, v in zip(parts, args[2:]) for ct in _fitted(ev, COTANGENT, v, part)]
        return Tup((*fitted, *(Static(None) for v in kwargs.values() for _ in _Arranged(ev, v, "here").operands)))

    return _evaluated(ev, rule, cotangents, y.direction(ev, None), y, xs, kwargs)


def _jvp_region(ev: Evaluator, rule: UserRule, jvp: Any, y: _Arranged, xs: Sequence[_Arranged], kwargs: Kwargs) -> Fn:
    def tangents(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        returned = _called(ev, rule, "jvp", jvp, args, kwargs)
        with ev.at(ev.returned_at or ev.loc):
            _check_present(ev, rule, *(returned.items if isinstance(returned, Tup) else (returned,)))
            return Tup(tuple(_fitted(ev, TANGENT, args[1], returned)))

    directions = Tup(tuple(x.direction(ev, 0.0) for x in xs[:len(xs) - len(kwargs)]))
    return _evaluated(ev, rule, tangents, directions, y, xs, kwargs)


def _evaluated(ev: Evaluator, rule: UserRule, f: Any, direction: Abstract, y: _Arranged, xs: Sequence[_Arranged],
               kwargs: Kwargs) -> Fn:
    """The rule as a region: its params are the numbers of the direction, of the values and of the arguments."""
    args = [direction, y.value, *(x.value for x in xs[:len(xs) - len(kwargs)])]
    arranged = [_Arranged(ev, direction, "here"), y, *xs]
    with ev.tries.none(), ev.enclosing.in_rule(len(ev.frames)):
        region = evaluate(ev, DerivedCallable(f), args, kwargs, [*range(len(args)), *kwargs],
                          skip=lambda which, j: not arranged[which].floats[j])
    if has_effect(ev, region.fn) and rule.f is not probed:
        ev.refuse("SCT412", f"a rule of `{rule.name}` has an effect (print, random draw)",
                  why="how often it would happen depends on the derivative", hint="move the effect out")
    ev.tries.certain.update(walk(region.fn))
    assert isinstance(region.out, Node)
    results = tuple(region.outs[part.index] if isinstance(part, Leaf) else Lit(None) for part in region.out.children)
    return region.fn.replace(results=results)


def _check_present(ev: Evaluator, rule: UserRule, *returned: Abstract) -> None:
    """Refuses what is None on one path and a number on another."""
    for v in returned:
        cell = ev.store.cells[v.addr] if isinstance(v, Ref) else None
        x = cell.value if isinstance(cell, Array) else v
        if isinstance(v, (Choice, OptionalTuple)) or isinstance(x, Value) and isinstance(x.type, (Optional, Undef)):
            what = "a hook of sct.probe" if rule.f is probed else f"a rule of `{rule.name}`"
            ev.refuse("SCT406", f"{what} returns None on one path, and a number on another",
                      why="which path is taken is known only at run time",
                      hint="return a number or an array on every path, or None on every path")


def _one_each(ev: Evaluator, rule: UserRule, returned: Abstract, args: Args) -> Sequence[Abstract]:
    """The result of a vjp for each argument; of a single one, without a tuple around it."""
    several = isinstance(returned, Tup) and returned.cls is tuple
    parts = returned.items if isinstance(returned, Tup) and several else (returned,)
    if len(args) == 1 and len(parts) != 1 and isinstance(args[0], (Tup, Container)):
        parts = (returned,)
    if not len(args) <= len(parts) <= max(len(args), _count_of_parameters(rule.f)):
        ev.refuse("SCT406", f"the vjp of `{rule.name}` returns {_count(parts)} for {len(args)} "
                  f"argument{'s' * (len(args) != 1)}",
                  hint="return a tuple with one cotangent for each argument, and None for one that has none")
    return parts


def _count(parts: Sequence[object]) -> str:
    return f"{len(parts)} cotangent{'s' * (len(parts) != 1)}"


def _count_of_parameters(f: Any) -> int:
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return 0
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)


def _fitted(ev: Evaluator, kind: Direction, value: Abstract, direction: Abstract) -> list[Abstract]:
    """The directions of the numbers in `value`, in their shapes and dtypes; None where there is none.

    The number 0 stands for the zeros of a whole argument.
    """
    arranged = _Arranged(ev, value, "here")
    if isinstance(direction, Static) and type(direction.peek) in (int, float) and direction.peek == 0:
        return [Static(0.0) for _ in arranged.operands]
    fitted: list[Abstract] = []
    for leaf, d, is_one in zip(arranged.leaves, kind.leaves(ev, value, direction), arranged.floats):
        if is_one:
            none = isinstance(d, Static) and d.peek is None
            fitted.append(Static(None) if none else ev.wrap(kind.fitted(ev, d, ev.operand(leaf))))
    return fitted
