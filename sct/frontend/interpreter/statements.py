"""Statements: `if`, exits, raise, assert, nested functions."""

from __future__ import annotations
import __future__

import contextlib
import importlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import gast

from sct.errors import SctError
from sct.frontend.arguments.lift import lift_module
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import leaves_generator, raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import GUARDING, guarding_statement, statement
from sct.frontend.evaluator.lookup_guards import absent, path_to
from sct.frontend.heap.inactive import OBSERVED_BEFORE
from sct.frontend.heap.join_paths import evaluate_branches, join_branches, run_branch, run_branches
from sct.frontend.interpreter.assignment import assign
from sct.frontend.interpreter.attributes import get
from sct.frontend.interpreter.expressions import closure
from sct.frontend.interpreter.tail_duplication import as_conditional, is_duplicated
from sct.frontend.operators.truth import ASKED, condition
from sct.frontend.source.name_scopes import reads
from sct.frontend.source.parse import loc_of
from sct.frontend.state import choices
from sct.frontend.state.fixpoint import Dead
from sct.frontend.state.observed_types import observed_dtype
from sct.frontend.state.parts import changed
from sct.frontend.values.abstract_values import (
    DELETED,
    Abstract,
    Array,
    Key,
    Poison,
    Ref,
    Static,
)
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Lit, Operand, Value
from sct.ir.types import Tensor, Undef, dtype_name
from sct.ops import eq, lt

__all__ = [
    "BREAK", "CONTINUE", "END", "FALL", "RETURN", "block", "fall_test", "guard", "leave_alike", "leave_generator",
    "read_as_bound", "rethrow",
]

FALL, CONTINUE, END, BREAK, RETURN = 0, 1, 2, 3, 4
"""Exit codes.  END: the test of a `while` failed.  Each `return` inside a loop has its own code above RETURN."""


# -- blocks -----------------------------------------------------------------------------------


def block(ev: Evaluator, stmts: Sequence[Any], at: int = 0) -> None:
    """Run statements until one exits; where one may exit, the rest is guarded by a `cond`."""
    frame = ev.frames[-1]
    whole = at == 0 and stmts is frame.source.node.body
    with ev.to_its_end(is_path=False), frame.living():
        while at < len(stmts) and not ev.store.dead:
            stmt = as_conditional(ev, stmts[at]) if ev.functions.plan.duplicated else stmts[at]
            at += 1
            live = frame.live
            frame.be_at(live.after.get(stmt, frozenset()) | live.before.get(stmt, frozenset()) | reads(stmt))
            if type(stmt) in GUARDING:
                ev.tries.note_fork()
                with ev.at(ev.place(stmt)):
                    if GUARDING[type(stmt)](ev, stmt, stmts, at):
                        return
            else:
                ev.exec(stmt)
            if isinstance(ev.exit, Static):
                if ev.exit.value != FALL:
                    return
            else:
                ends = whole and frame.consumer is not None  # `leave_alike` looks at its exit
                if at < len(stmts) or ev.exits.least_of(_value(ev.exit)) > 1 and not ends:
                    guard(ev, stmts, at)
                return


def _value(v: Abstract) -> Value:
    assert isinstance(v, Value)
    return v


def fall_test(ev: Evaluator, kind: Value) -> Operand:
    """Does the exit `kind` mean: go on here?"""
    least = ev.exits.least_of(kind)
    if least == 1:
        return ev.emit(eq, kind, FALL, spelling="operator.eq")  # type: ignore[no-any-return]
    return ev.emit(lt, kind, least, spelling="operator.lt")  # type: ignore[no-any-return]


def guard(ev: Evaluator, stmts: Sequence[Any], at: int) -> None:
    """Run `stmts[at:]` where the exit says fall."""
    kind = ev.exit
    assert isinstance(kind, Value)
    least = ev.exits.least_of(kind)
    kinds = ev.exits.kinds_of(kind)
    exits = frozenset(k for k in kinds if k >= least)

    def rest() -> None:
        ev.set_exit(FALL)
        block(ev, stmts, at)

    def skip() -> None:
        settle(ev, kind, exits)

    if not exits:
        return rest()
    if exits == kinds:
        return skip()
    after = ev.frames[-1].live.leaving(stmts[-1]) | ev.frames[-1].now
    run_branches(ev, fall_test(ev, kind), rest, skip, ev.live_after(after))


def settle(ev: Evaluator, kind: Value, exits: frozenset[int]) -> None:
    """On the path where `kind` is one of `exits`: evaluates the returned value, after the outermost loop."""
    frame = ev.frames[-1]
    if exits == {RETURN}:
        read_as_bound(ev, Key(frame.id, "<return>"))
    if frame.loop_depth or max(exits) <= RETURN:
        if len(exits) == 1:
            ev.set_exit(next(iter(exits)))
        else:
            ev.exits.least.setdefault(kind, 1)
        return

    def go(codes: list[int]) -> None:
        code = codes[0]
        if code <= RETURN and len(codes) == 1:
            ev.set_exit(code)
            return
        if len(codes) == 1:
            with ev.to_its_end():
                return return_value(ev, frame.returns[code - RETURN - 1])
        test = ev.emit(eq, kind, code, spelling="operator.eq")
        run_branches(ev, test, lambda: go([code]), lambda: go(codes[1:]), ev.live_after(frame.now))

    go(sorted(exits))


@guarding_statement(gast.If)
def if_(ev: Evaluator, stmt: Any, stmts: Sequence[Any], at: int) -> bool:
    """An `if`; where one branch always exits the rest of the block goes into the other: then True."""
    with ev.at(ev.place(stmt.test)):
        with ev.temporaries.dropped():
            test = condition(ev, stmt.test)
        ev.frames[-1].be_at(ev.frames[-1].live.after.get(stmt, frozenset()))
        if isinstance(test, Value) and ev.frames[-1].code in ev.functions.plan.asked:
            with contextlib.suppress(NeedsStatic, SctError):
                test = Lit(ev.ask(test, "this test"))
        if isinstance(test, Lit):
            block(ev, stmt.body if test.value else stmt.orelse)
            return False
        try:
            if at < len(stmts) and is_duplicated(ev, stmt):
                return _rest_in_each(ev, test, stmt, stmts[at:])
            return _two_branches(ev, test, stmt, stmts, at)
        except SctError as error:
            if error.code not in ASKED:
                raise
            saved = error
        try:
            chosen = ev.ask(test, "this test")
        except (NeedsStatic, SctError):
            raise saved from None
        block(ev, stmt.body if chosen else stmt.orelse)
        return False


def _two_branches(ev: Evaluator, test: Value, stmt: Any, stmts: Sequence[Any], at: int) -> bool:
    branches = choices.forks(ev, test)
    exits, after = [], frozenset[str]()

    def live(key: Key) -> bool:
        return ev.live_after(_live_behind(ev, stmt))(key)

    for branch, body in zip(branches, (stmt.body, stmt.orelse)):
        run_branch(ev, branch, lambda: block(ev, body), live)  # noqa: B023
        with ev.inside(branch):
            exits.append(isinstance(ev.exit, Static) and ev.exit.value != FALL and not ev.store.dead)
            after |= _live_behind(ev, stmt)
    took_rest = False
    for this, other in ((0, 1), (1, 0)):
        branch = branches[this]
        if exits[other] and not exits[this] and at < len(stmts) and not branch.store.dead and not took_rest:
            after = ev.frames[-1].live.leaving(stmts[-1]) | _pending(ev)  # what the rest reads, it has read at the join
            run_branch(ev, branch, lambda: block(ev, stmts, at) if isinstance(ev.exit, Static)
                       else guard(ev, stmts, at), ev.live_after(after))
            took_rest = True
    before = {k for k, v in ev.store.vars.items() if isinstance(v, Poison) and v != DELETED}
    state = ev.store, list(ev.b.eqns)
    join_branches(ev, test, branches[0], branches[1], ev.live_after(after), asked=test)
    poisoned = [k for k, v in ev.store.vars.items() if (isinstance(v, Poison) and v != DELETED or choices.mixed(v))
                and k not in before and state[0].vars.get(k) != v]
    if poisoned and ev.can_ask(test):
        ev.go_to(state[0])
        ev.b.eqns[:] = state[1]
        v = poisoned[0]
        ev.refuse("SCT502", f"`{v.name}` depends on this test", why="its values on the two paths cannot be joined")
    return took_rest


def _rest_in_each(ev: Evaluator, test: Value, stmt: Any, rest: Sequence[Any]) -> bool:
    """Evaluates the rest of the block in each branch of an `if`, which is then the last statement of the block."""
    branches = choices.forks(ev, test)
    live = ev.live_after(ev.frames[-1].live.leaving(rest[-1]) | _pending(ev))
    with changed(ev, duplications=ev.duplications + 1):
        for branch, body in zip(branches, (stmt.body, stmt.orelse)):
            run_branch(ev, branch, lambda: block(ev, [*body, *rest]), live)  # noqa: B023
    join_branches(ev, test, branches[0], branches[1], live)
    return True


def _live_behind(ev: Evaluator, stmt: Any) -> frozenset[str]:
    """Names that are live where the path in progress goes on behind the statement: its exit says where that is."""
    live = ev.frames[-1].live
    return live.after.get(stmt, frozenset()) if ev.exit == Static(FALL) else live.leaving(stmt) | _pending(ev)


def _pending(ev: Evaluator) -> frozenset[str]:
    """Names that returns inside the loops in progress will read after them."""
    return frozenset(n for r in ev.frames[-1].returns if r is not None for n in reads(r))


# -- exits ----------------------------------------------------------------------------------------


@statement(gast.Pass)
def pass_(ev: Evaluator, node: Any) -> None:
    pass


@statement(gast.Break)
def break_(ev: Evaluator, node: Any) -> None:
    ev.set_exit(BREAK)


@statement(gast.Continue)
def continue_(ev: Evaluator, node: Any) -> None:
    ev.set_exit(CONTINUE)


@statement(gast.Return)
def return_(ev: Evaluator, node: Any) -> None:
    frame = ev.frames[-1]
    if frame.loop_depth:
        # The expression is evaluated after the loop, from the state that the loop leaves.
        if node not in frame.returns:
            frame.returns.append(node)
        names = () if ev.tries.slot is None or isinstance(node, Leave) else reads(node)
        frame.bound_at[node] = [n for n in names if not _may_be_unbound(ev, Key(frame.id, n))]
        ev.set_exit(RETURN + 1 + frame.returns.index(node))
    else:
        return_value(ev, node)


def _may_be_unbound(ev: Evaluator, key: Key) -> bool:
    """Does some path to this place not bind the variable?"""
    v = ev.store.vars.get(key)
    return v is None or isinstance(v, (Value, Ref)) and isinstance(ev.type_of(v), Undef)


class Leave(gast.Return):  # type: ignore[misc]
    """The exit of a generator whose consumer is left by the exit `code`, in place of a `return` of the generator."""

    code: int


def leave_generator(ev: Evaluator, code: int) -> None:
    """Leaves the generator in progress by an exit of its consumer, as a `return` in it would."""
    frame = ev.frames[-1]
    node = next((r for r in frame.returns if isinstance(r, Leave) and r.code == code), None)
    if node is None:
        node = Leave(None)
        node.code = code
        if code - RETURN > len(frame.returns):  # then both calls number it alike
            frame.returns.extend([None] * (code - RETURN - 1 - len(frame.returns)))
    return_(ev, node)


def _leave(ev: Evaluator, code: int) -> None:
    """Sets the exit of the consumer, outside the loops of the generator, and ends the generator."""
    consumer = ev.frames[-1].consumer
    assert consumer is not None
    with ev.consuming(consumer):
        if code <= RETURN or consumer.frame.loop_depth:
            ev.set_exit(code)
        else:
            return_value(ev, consumer.frame.returns[code - RETURN - 1])
    ev.set_exit(RETURN)


def leave_alike(ev: Evaluator, kind: Value) -> bool:
    """Ends the generator in progress with the exit code of its last loop, if that is one of its consumer, too."""
    frame = ev.frames[-1]
    consumer = frame.consumer
    if consumer is None or not consumer.plain:
        return False
    least = max(RETURN + 1, ev.exits.least_of(kind))
    kinds = ev.exits.kinds_of(kind)
    nodes = {k: frame.returns[k - RETURN - 1] for k in kinds if k >= least}
    further = {k for k, node in nodes.items() if isinstance(node, Leave) and node.code != BREAK}
    ends = [k for k in kinds if k not in further]
    own = [node for node in nodes.values() if not isinstance(node, Leave)]
    if any(node.value is not None for node in own) or any(nodes[k].code != k for k in further):
        return False
    if further and max(ends, default=FALL) > min(further):
        return False
    with ev.consuming(consumer):
        if ev.exit != Static(FALL):
            return False
        if further:
            ev.exits.least[kind] = min(further)
            ev.set_exit(kind)
    ev.set_exit(RETURN)
    return True


def return_value(ev: Evaluator, node: Any) -> None:
    if isinstance(node, Leave):
        return _leave(ev, node.code)
    frame = ev.frames[-1]
    for name in frame.bound_at.get(node, ()):
        read_as_bound(ev, Key(frame.id, name))
    before = frame.now
    frame.be_at(before | reads(node))
    v = Static(None) if node.value is None else _of_observed_dtype(ev, ev.eval(node.value))
    frame.be_at(before)
    frame.note_return(loc_of(node, frame.source.file))
    ev.store.vars[Key(frame.id, "<return>")] = v
    ev.set_exit(RETURN)


def _of_observed_dtype(ev: Evaluator, v: Abstract) -> Abstract:
    """What the call in progress returns. An array of another dtype than the observed one raises TypeError, if that
    depends on the path: the function is observed again."""
    frame = ev.frames[-1]
    dtype = observed_dtype(ev, frame) if frame.code in ev.functions.plan.of_observed_dtype else None
    t = ev.type_of(v) if isinstance(v, Ref) and dtype is not None else None
    if isinstance(t, Tensor) and dtype is not None and t.dtype != dtype_name(dtype):
        with ev.tries.none():
            raise_at_run_time(ev, "TypeError", f"the result of {frame.source.name} must be an array of {dtype}"
                              f"{OBSERVED_BEFORE}")
    return v


def read_as_bound(ev: Evaluator, key: Key) -> None:
    """Reads a variable that is bound on this path, although some path that is joined with it does not bind it."""
    v = ev.store.vars.get(key)
    if isinstance(v, Value) and isinstance(v.type, Undef):
        ev.store.vars[key] = ev.known_bound(v)
    elif isinstance(v, Ref):
        cell = ev.store.cells[v.addr]
        if isinstance(cell, Array) and isinstance(cell.value, Value) and isinstance(cell.value.type, Undef):
            ev.store.cells[v.addr] = replace(cell, value=ev.known_bound(cell.value))


@statement(gast.Raise)
def raise_stmt(ev: Evaluator, node: Any) -> None:
    if node.exc is None:
        raise_again(ev)
    with ev.tries.raising(loc_of(node.exc, ev.frames[-1].source.file)):
        raised = ev.eval(node.exc)
    parts = [raised, *([ev.eval(node.cause)] if node.cause is not None else [])]
    exceptions = [
        ev.call(v, []) if isinstance(v, Static) and isinstance(v.value, type) and issubclass(v.value, BaseException)
        else v for v in parts]
    error, *cause = map(ev.operand, exceptions)
    if not isinstance(error, Value):
        ev.refuse("SCT503", "this cannot be raised", node=node.exc)
    cls = ev.tries.classes.get(error)
    if cls is None and error in ev.tries.exceptions and not cause:
        rethrow(ev, error, None)
    if leaves_generator(ev, cls):
        raise_at_run_time(ev, "StopIteration")  # which is another exception here
    ev.throw(error, cls, *cause)


def raise_again(ev: Evaluator) -> NoReturn:
    """`raise` in the handler of an exception."""
    if not ev.tries.current:
        raise_at_run_time(ev, "RuntimeError", "No active exception to reraise")
    error = ev.tries.current[-1]
    if error is None:
        ev.refuse("SCT107", "a bare `raise` outside of the handler of the exception is not supported",
                  hint="name the exception: `except ValueError as e: ...; raise e`")
    rethrow(ev, error, ev.tries.classes.get(error))


def rethrow(ev: Evaluator, error: Value, cls: type[BaseException] | None) -> NoReturn:
    """Raises an exception that has been caught; if its class is not known, it is asked whether it is handled."""
    handled = ev.tries.handled
    if cls is not None or not handled:
        ev.throw(error, cls)
    around, carried = tuple(c.cls for c in handled), ev.tries.carried(ev.store, error)
    certain = [c for c in carried if issubclass(c.cls, around)]
    if carried and len(certain) == len(carried):
        ev.throw_handled(error, certain)
    others = [c.cls for c, parts in carried.items() if c not in certain and isinstance(parts, Poison)]
    classes = certain + [h for h in handled if any(issubclass(h.cls, cls) for cls in others)]
    evaluate_branches(ev, ev.caught_test(error, handled), lambda: ev.throw_handled(error, classes or handled),
                      lambda: ev.throw_out(error))
    raise Dead


@statement(gast.Assert)
def assert_(ev: Evaluator, node: Any) -> None:
    if not __debug__:  # Python leaves asserts out
        return
    test = condition(ev, node.test)

    def fail() -> None:
        args = [] if node.msg is None else [ev.eval(node.msg)]
        error = ev.operand(ev.call(Static(AssertionError), args))
        assert isinstance(error, Value)
        ev.throw(error, AssertionError)

    if isinstance(test, Lit):
        if not test.value:
            fail()
        return
    evaluate_branches(ev, test, lambda: None, fail)


@statement(gast.Expr)
def expr(ev: Evaluator, node: Any) -> None:
    if not isinstance(node.value, gast.Constant):
        ev.discard(node.value)


def annotate(ev: Evaluator, node: Any) -> None:
    """Evaluates the annotations of a function, as Python does at its definition, if they contain calls."""
    function = getattr(ev.frames[-1].function, "__code__", None)
    if function is not None and function.co_flags & __future__.annotations.compiler_flag:
        return
    a = node.args
    params = [*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg]
    for each in [*(p.annotation for p in params if p is not None), node.returns]:
        if each is not None and any(isinstance(n, (gast.Call, gast.NamedExpr)) for n in gast.walk(each)):
            ev.eval(each)


@statement(gast.FunctionDef)
def function_def(ev: Evaluator, node: Any) -> None:
    decorators = [ev.eval(d) for d in node.decorator_list]
    v: Abstract = closure(ev, node)
    annotate(ev, node)
    for d in reversed(decorators):
        v = ev.call(d, [v])
    assign(ev, gast.Name(node.name, gast.Store(), None, None), v)


@statement(gast.Import, gast.ImportFrom)
def import_(ev: Evaluator, node: Any) -> None:
    """Imports a module; its attributes are read at every call of the derivative."""
    level = getattr(node, "level", 0) or 0
    names = ev.frames[-1].globals
    package = names["__package__"] if level and "__package__" in names else None
    for alias in node.names:
        if isinstance(node, gast.Import):
            module = run_or_raise(ev, lambda: importlib.import_module(alias.name))  # noqa: B023
            shown = alias.asname or alias.name.split(".")[0]
            v = lift_module(ev, module if alias.asname else sys.modules[shown])
        else:
            shown = alias.asname or alias.name
            source = "." * level + (node.module or "")
            module = run_or_raise(ev, lambda: importlib.import_module(source, package))  # noqa: B023
            owner = lift_module(ev, module)
            if isinstance(owner, Static) and not hasattr(module, alias.name):
                absent(ev, path_to(owner), alias.name)
                run_or_raise(ev, lambda: exec(f"from {module.__name__} import {alias.name}", {}))  # noqa: B023
            v = get(ev, owner, alias.name)
        assign(ev, gast.Name(shown, gast.Store(), None, None), v)


@statement(gast.Global, gast.Nonlocal)
def global_(ev: Evaluator, node: Any) -> None:
    pass  # reading is as ever; `assign` refuses writes
