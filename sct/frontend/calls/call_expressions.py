"""Calls: the arguments, and the dispatch on the class of the function."""

from __future__ import annotations

import enum
import functools
import itertools
import math
import re
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gast
import numpy as np

from sct.errors import SctError
from sct.frontend.arguments.argument_aliasing import use_callable
from sct.frontend.arguments.lift import lift
from sct.frontend.autodiff.nested_derivatives import apply_transform, call_transform
from sct.frontend.autodiff.ruled_calls import called_by_python, ruled_call
from sct.frontend.calls.library_functions import entered, entered_from_library, entered_with_numbers
from sct.frontend.calls.opaque_calls import (
    call_of_library,
    opaque_call,
)
from sct.frontend.calls.starred_lists import StarredList, called_with_items, starred_list
from sct.frontend.calls.user_functions import call_partial, call_source, call_user
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.evaluator.handlers import (
    INSTANCES,
    SPECIAL,
    Args,
    Kwargs,
    Special,
    called,
    expression,
    handler_before_op,
    handler_of_scipy,
    special_key,
)
from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.heap.inactive import by_python, harmless_name, pure_builtin
from sct.frontend.heap.sample_calls import by_position, check_arguments, check_instance, check_operands
from sct.frontend.heap.special_methods import checked
from sct.frontend.heap.subscripts import item
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.iteration.python_iterables import array_items
from sct.frontend.iteration.python_iterators import arguments_run_over
from sct.frontend.iteration.run_time_tuples import as_lists, is_zip_of_lists, transposed
from sct.frontend.loops.generator_expressions import generator
from sct.frontend.numpy_library.numpy_functions import ufunc_method
from sct.frontend.numpy_library.op_calls import call_named, spelling_of
from sct.frontend.objects.class_of import python_class
from sct.frontend.objects.construction import class_of_generated, fill, instantiate
from sct.frontend.objects.container_objects import contents_of_dict
from sct.frontend.objects.objects import special_call, special_method
from sct.frontend.objects.operators_of_classes import undefined
from sct.frontend.objects.single_dispatch import implementation, is_dispatcher
from sct.frontend.operators.choices import for_each_argument
from sct.frontend.operators.comparisons import generated_comparison
from sct.frontend.operators.exception_arguments import exception
from sct.frontend.operators.methods_of_constants import pure_method
from sct.frontend.operators.text_formatting import joined
from sct.frontend.polynomials.constant_splines import value_of_polynomial, value_of_spline
from sct.frontend.scipy_library.grids import value_of_table
from sct.frontend.scipy_library.rotations import value_of_rotation
from sct.frontend.scipy_library.statistics.multivariate import value_of_density
from sct.frontend.scipy_objects.frozen_distributions import frozen_distribution
from sct.frontend.scipy_objects.sparse_matrices import linear_method
from sct.frontend.source.parse import SourceFunction
from sct.frontend.source.private_names import name_of
from sct.frontend.standard_library.builtins import name_of_debugger, stop_in_debugger
from sct.frontend.standard_library.python_fallbacks import check_member, columns_of
from sct.frontend.state.parts import changed
from sct.frontend.structured_arrays.copies import is_seen_into
from sct.frontend.transform import Transform
from sct.frontend.user_rules import normal_call, owned_rule, rule_name, rule_of, rule_of_class_method
from sct.frontend.values.abstract_values import (
    Abstract,
    Bound,
    Closure,
    Container,
    DerivedCallable,
    DictRef,
    Instance,
    Key,
    ListRef,
    Method,
    ObjRef,
    Origin,
    Poison,
    Ref,
    Static,
    Tup,
)
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Op, Value
from sct.ir.pytrees.user_objects import builtin_base, is_container, is_defined_by_user, is_namedtuple, is_user_class
from sct.ir.types import Text
from sct.ops.program.solutions import call_in_rule
from sct.ops.program.solutions import ruled_call as ruled_call_op


@expression(gast.Call)
def call_expr(ev: Evaluator, node: Any) -> Abstract:
    held, fn = len(ev.temporaries.values), ev.eval(node.func)
    args: list[Abstract] = []
    alone = ev.eval(node.args[0].value) if len(node.args) == 1 and isinstance(node.args[0], gast.Starred) else None
    starred: StarredList | None = None
    for a in node.args if alone is None else ():
        is_starred = isinstance(a, gast.Starred)
        v = _generator(ev, fn, a) if isinstance(a, gast.GeneratorExp) else ev.eval(a.value if is_starred else a)
        if starred is not None:
            starred.extend(ev, v, is_starred)
        elif is_starred:
            starred = starred_list(ev, args, v)
        else:
            args.append(v)
    kwargs: dict[str, Abstract] = {}
    for spread, keywords in itertools.groupby(node.keywords, lambda k: k.arg is None):
        for more in map(functools.partial(_spread, ev, fn), keywords) if spread else [_named(ev, keywords)]:
            _no_second(ev, fn, kwargs, list(more))
            kwargs.update(more)
    if starred is not None:
        return called_with_items(ev, fn, args, starred, kwargs)
    if alone is not None and not kwargs and (
            columns := transposed(ev, fn, alone, ev.frames[-1].unpacked is node)) is not None:
        return columns
    if alone is not None:  # it is run over by the call
        try:
            args += items_of(ev, alone, _taker(ev, fn, "*{}"))
        except NeedsStatic as need:
            if not kwargs and is_zip_of_lists(ev, fn, alone) and ev.frames[-1].unpacked is not node:
                return ev.call(Static(columns_of), [ev.call(Static(list), [alone])])
            return called_with_items(ev, fn, [], StarredList(alone, need), kwargs)
    if _takes_over(fn):
        ev.temporaries.keep(held)
    frame = ev.frames[-1]
    live = frame.now if frame.assigned is not node else frame.behind | {
        name for name in frame.now if _is_argument(ev, ev.store.vars.get(Key(frame.id, name)))}
    with changed(frame, now=live):
        return ev.call(fn, arguments_run_over(ev, fn, args, node.args), kwargs)


def _is_argument(ev: Evaluator, v: Abstract | None) -> bool:
    """Is this an array or a container of the arguments, which the caller holds, too?"""
    return isinstance(v, (Ref, Container)) and ev.store.cells[v.addr].origin == Origin.ARGUMENT


def _takes_over(fn: Abstract) -> bool:
    """Are the arguments of a call held by `fn` alone, as those of a function by its parameters?"""
    if isinstance(fn, (Static, Instance)):
        f = fn.peek
        own = isinstance(f, (types.FunctionType, types.MethodType)) or f is functools.reduce
        return own or is_defined_by_user(f if isinstance(f, type) else type(f))
    return isinstance(fn, (Closure, Bound, ObjRef)) or isinstance(fn, Method) and isinstance(fn.owner, ObjRef)


def _named(ev: Evaluator, keywords: Iterable[Any]) -> dict[str, Abstract]:
    """Consecutive keywords, which are all evaluated before a duplicate is reported."""
    return {k.arg: ev.eval(k.value) for k in keywords}


def _spread(ev: Evaluator, fn: Abstract, keyword: Any) -> dict[str, Abstract]:
    """The keywords of `**mapping`."""
    v = contents_of_dict(ev, ev.eval(keyword.value))
    check_operands(ev, _taker(ev, fn, "**{}"), v)
    if not isinstance(v, DictRef):
        ev.refuse("SCT503", "only a dict of known keys may follow `**`", node=keyword.value)
    cell = ev.slots(v)
    return {key: ev.temporaries.hold(v) for key, v in zip(cell.keys, cell.items)}


def _taker(ev: Evaluator, fn: Abstract, how: str) -> Callable[[Any], Any]:
    """A function that raises what Python raises for `fn(*x)` or `fn(**x)`."""
    name = _shown_name(ev, fn)

    def take(x: Any) -> Any:
        try:
            return eval(f"(lambda *_, **__: None)({how.format('x')})", {"x": x})
        except TypeError as error:
            if name is None:
                return None
            raise TypeError(re.sub(r"^.*\(\)", lambda _: f"{name}()", str(error))) from None

    return take


def _no_second(ev: Evaluator, fn: Abstract, there: Kwargs, names: Sequence[Any]) -> None:
    """Raises as Python does if a keyword is passed twice or is not a string."""
    if not all(isinstance(name, str) for name in names):
        raise_at_run_time(ev, "TypeError", "keywords must be strings")
    twice = next((name for name in names if name in there), None)
    if twice is None:
        return
    text = _shown_name(ev, fn)
    if text is None:
        ev.refuse("SCT205", f"the keyword `{twice}` is given twice", why="Python raises a TypeError here")
    raise_at_run_time(ev, "TypeError", f"{text}() got multiple values for keyword argument {twice!r}")


def _shown_name(ev: Evaluator, fn: Abstract) -> str | None:
    """The name of a function in the TypeError that Python raises for a call of it."""
    module: Any
    qualname: Any
    f = fn.fn if isinstance(fn, Bound) else fn
    if isinstance(f, Closure):
        frame = ev.all_frames[f.frame]
        module, qualname = frame.function.__module__, f"{frame.source.qualname}.<locals>.{name_of(f.node)}"
    else:
        function = f.peek if isinstance(f, Static) else None
        function = getattr(function, "__func__", function)
        module, qualname = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if qualname is None:
        return None
    return qualname if module in (None, "builtins") else f"{module}.{qualname}"


def _generator(ev: Evaluator, fn: Abstract, node: Any) -> Abstract:
    """A generator expression that is passed to a function."""
    if node in ev.frames[-1].live.at_once and not (isinstance(fn, Static) and special_key(fn.value) in SPECIAL):
        ev.refuse("SCT101", "a generator expression that is passed to a function with the name of a builtin is not "
                  "supported", hint="bind it to a name before, or write a list: [...]", node=node)
    iterator: Abstract = generator(ev, node)
    return iterator


@called(Poison)
def call_poison(ev: Evaluator, fn: Poison, args: Args, kwargs: Kwargs) -> Abstract:
    ev.refuse("SCT502", "which function is called depends on the path", why=fn.reason,
              hint="put the call itself into the branches")


@called(Closure)
def call_closure(ev: Evaluator, fn: Closure, args: Args, kwargs: Kwargs) -> Abstract:
    frame = ev.all_frames[fn.frame]
    name = name_of(fn.node)
    source = SourceFunction(fn.node, frame.source.file, name, f"{frame.source.qualname}.<locals>.{name}")
    return call_source(ev, source, args, kwargs, (frame.globals, frame.cells, frame.function), fn.defaults,
                       fn.kw_defaults, frame)


@called(Bound)
def call_bound(ev: Evaluator, fn: Bound, args: Args, kwargs: Kwargs) -> Abstract:
    t = getattr(fn.fn.value, "__sct_transform__", None) if isinstance(fn.fn, Static) and fn.method else None
    if isinstance(t, Transform):  # @grad of a method: argument 0 is the one after `self`
        return apply_transform(ev, t, Bound(Static(t.fn), fn.args), args, kwargs)
    return ev.call(fn.fn, [*fn.args, *args], {**dict(fn.kwargs), **kwargs})


@called(DerivedCallable)
def call_pullback(ev: Evaluator, fn: DerivedCallable, args: Args, kwargs: Kwargs) -> Abstract:
    return fn.call(ev, args, kwargs)  # type: ignore[no-any-return]


_SPECIAL_METHODS = {id(f): name for f, name in (
    (abs, "__abs__"), (round, "__round__"), (math.floor, "__floor__"), (math.ceil, "__ceil__"),
    (math.trunc, "__trunc__"), (str, "__str__"), (repr, "__repr__"))}


@called(Static, Instance)
def call_object(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of a Python object that is known."""
    use_callable(ev, fn.peek)
    rule, owned = rule_of(fn.peek), owned_rule(fn.peek)
    if owned is not None:
        rule, owner = owned
        args = [Static(owner) if fn.path is None else lift(ev, owner, (*fn.path, ("attr", "__self__"))), *args]
        fn = Static(rule.f, (rule.f,))
    if rule is None and (of_class := rule_of_class_method(fn.peek, args)) is not None:
        cls, args = args[0], args[1:]
        return ruled_call(ev, of_class, args, kwargs, lambda: _call_object(ev, fn, [cls, *args], kwargs))
    if rule is None and not ev.enclosing.rules:
        return _call_object(ev, fn, args, kwargs)
    if rule is None:
        return _or_by_python(ev, fn, args, kwargs, call_in_rule)
    args, kwargs = normal_call(rule.f, args, kwargs)
    return ruled_call(ev, rule, args, kwargs, lambda: _or_by_python(ev, fn, args, kwargs, ruled_call_op))


def _is_opaque(ev: Evaluator, f: Any) -> bool:
    """Is this a function that sct does not evaluate?  It need not evaluate one of NumPy that was observed."""
    function = ev.is_observed and getattr(f, "_implementation", None) or getattr(f, "__func__", f)
    unread = not is_user_class(type(f)) and is_library(function)
    return unread and special_key(f) not in SPECIAL and spelling_of(f) is None and handler_of_scipy(f) is None


def _or_by_python(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs, op: Op) -> Abstract:
    """A call of a function with a rule, or in a rule, evaluated as any call is; or made by Python, if it is refused."""
    snapshot = ev.snapshot()
    try:
        if op is ruled_call_op and _is_opaque(ev, fn.peek):
            ev.refuse("SCT207", f"`{rule_name(fn.peek)}` has a rule, but sct knows neither its Python source nor the "
                      "type of its result", why="the type is observed in a run of the program, and cannot be here",
                      hint="call the derivative with numbers, arrays, and containers of these")
        return _call_object(ev, fn, args, kwargs)
    except SctError as refusal:
        if refusal.code[:4] == "SCT3" or getattr(fn.peek, "__module__", "") == "builtins":
            raise  # it writes to what is outside of it, or may
        ev.restore(snapshot)
        value = called_by_python(ev, fn, args, kwargs, op)
        if value is None and op is ruled_call_op and not _is_opaque(ev, fn.peek):
            refusal.why = f"`{rule_name(fn.peek)}` has a rule, but cannot be called as it is either: " + (
                "an argument is an object that sct sees into" if ev.is_observed else "the type of its result is "
                "not known")
        if value is None:
            raise
        return value


def _name_of_op(f: Any) -> str | None:
    """The name of a function of a library that has an op; None of others."""
    return harmless_name(f) if spelling_of(f) is not None else None


def _by_python(ev: Evaluator, f: Any, args: Args) -> Abstract | None:
    """The call of a builtin or of an op with an object that sct does not see into; None of others."""
    if f is getattr and len(args) == 2 and isinstance(args[1], Static) and str(args[1].peek).isidentifier():
        return by_python(ev, f"{{0}}.{args[1].peek}", args[0])
    name = pure_builtin(f) or _name_of_op(f)
    return by_python(ev, f"{name}({', '.join(f'{{{k}}}' for k in range(len(args)))})", *args) if name else None


def _is_seen_into(ev: Evaluator, f: Any, args: Args) -> bool:
    """Is this a builtin that leaves the items of containers of the program as they are, or a function that asks for a
    class or for the attributes of an exception that the program makes, or copies records?"""
    if is_seen_into(ev, f, args) or f is isinstance and args and isinstance(args[0], (Tup, ListRef, DictRef)):
        return True
    if any(f is b for b in (isinstance, hasattr, getattr, type)):
        return bool(args) and isinstance(e := args[0], Value) and e in ev.tries.exceptions and e in ev.tries.parts
    return any(f is b for b in (zip, enumerate, reversed, list, tuple, len)) and all(
        isinstance(x, (Tup, ListRef)) or (f is zip or f is enumerate) and array_items(ev, x)
        for x in (args[:1] if f is enumerate else args))


def _call_object(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract:
    args = as_lists(fn.peek, args)
    if isinstance(fn, Instance) and not hasattr(fn.peek, "__sct_transform__") and (
            method := special_method(ev, fn, "__call__")) is not None:  # of any object of its class
        return ev.call(method, args, kwargs)
    if not kwargs and not _is_seen_into(ev, fn.peek, args) and (value := _by_python(ev, fn.peek, args)) is not None:
        return value
    f = fn.value
    if (debugger := name_of_debugger(f)) is not None:
        return stop_in_debugger(ev, debugger, args, kwargs)
    if not (isinstance(f, (types.FunctionType, types.MethodType)) and not is_library(getattr(f, "__func__", f))) and \
            (each := for_each_argument(ev, fn, args, kwargs)) is not None:
        return each
    if (value := _of_library(ev, fn, args, kwargs) or _of_object_of_library(ev, fn, args, kwargs)) is not None:
        return value
    if type(f) in INSTANCES:
        if not hasattr(f, "__wrapped__"):  # a function with a cache: the user's own
            check_instance(ev, f, args, kwargs)
        return INSTANCES[type(f)](ev, f, args, kwargs)
    if isinstance(getattr(f, "__self__", None), np.ufunc):
        return ufunc_method(ev, f.__self__, f.__name__, args, kwargs)
    if hasattr(f, "__sct_call__") and not isinstance(f, types.MethodType) or hasattr(f, "__sct_transform__"):
        return call_transform(ev, fn, args, kwargs)
    if isinstance(f, functools.partial):
        return call_partial(ev, f, args, kwargs)
    if (value := _bound_method(ev, fn, f, args, kwargs)) is not None:
        return value
    if (of := class_of_generated(f, args)) is not None:
        return _generated_method(ev, f, of, args, kwargs)
    if is_dispatcher(f):
        path = ev.anchor(f) if fn.path is None else fn.path
        return ev.call(implementation(ev, f, path, f.__name__, args), args, kwargs)
    if isinstance(f, types.FunctionType) and not is_library(f):
        return call_user(ev, fn, f, args, kwargs)
    if isinstance(f, enum.EnumMeta):
        return _member(ev, f, args)
    if isinstance(f, type) and issubclass(f, BaseException):
        return exception(ev, fn, args, kwargs)
    if hasattr(f, "__origin__"):  # Box[float]
        return ev.call(lift(ev, f.__origin__, (f, ("attr", "__origin__"))), args, kwargs)
    if isinstance(f, type) and (is_container(f) or builtin_base(f) is not None):
        return instantiate(ev, f, args, kwargs)
    if ev.frames and (value := entered_from_library(ev, f, args, kwargs)) is not None:
        return value
    if harmless_name(f) is not None and ((value := entered_with_numbers(ev, f, args, kwargs)) is not None or (
            value := call_of_library(ev, fn, args, kwargs)) is not None):
        return value
    if hasattr(f, "__wrapped__") and not isinstance(f, types.FunctionType):  # a cache around the function
        return ev.call(lift(ev, f.__wrapped__, (*(fn.path or (f,)), ("attr", "__wrapped__"))), args, kwargs)
    if (method := special_method(ev, fn, "__call__")) is not None:
        return ev.call(method, args, kwargs)
    if isinstance(f, type) and is_defined_by_user(type(f)):
        ev.refuse("SCT208", f"creating a `{f.__name__}` is not supported",
                  why=f"it has a metaclass of its own, `{type(f).__name__}`", hint="use a class without a metaclass")
    return _left_to_python(ev, fn, args, kwargs)


def _left_to_python(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract:
    """A call that Python itself makes, or else one of a library's own Python, which is evaluated."""
    if (value := entered_with_numbers(ev, fn.value, args, kwargs)) is not None:
        return value
    try:
        return opaque_call(ev, fn, args, kwargs)
    except SctError as refusal:
        if refusal.code not in ("SCT206", "SCT207"):
            raise
        return entered(ev, fn.value, args, kwargs, refusal)


def _member(ev: Evaluator, cls: Any, args: Args) -> Abstract:
    """`cls(value)`, the member of an enum with this value."""
    try:
        values = [ev.ask(a, "what a member of an enum is found by") for a in args]
    except NeedsStatic:
        by_value = ev.new_dict({member.value: Static(member) for member in cls}) if all(
            type(member.value) in (int, str) for member in cls) else None
        if by_value is None or len(args) != 1 or issubclass(cls, enum.Flag) or hasattr(cls._missing_, "__func__") and \
                cls._missing_.__func__ is not enum.Enum._missing_.__func__:  # type: ignore[attr-defined]
            raise
        ev.call(Static(check_member), [by_value, *args, Static(cls.__qualname__)])
        return item(ev, by_value, args[0])
    return lift(ev, run_or_raise(ev, lambda: cls(*values)))


def _solved(ev: Evaluator, fn: Static, handler: Special, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of a function of SciPy, which is differentiated; or else of a call that Python itself makes, if it
    can."""
    snapshot = ev.snapshot()
    try:
        return handler(ev, args, kwargs)
    except SctError:
        ev.restore(snapshot)
        value = call_of_library(ev, fn, args, kwargs)
        if value is None:
            raise
        return value


def _of_object_of_library(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract | None:
    """A call of an object that a library has made, which is differentiated by its arguments; else None."""
    return linear_method(ev, fn, args, kwargs) or value_of_spline(ev, fn, args, kwargs) \
        or value_of_polynomial(ev, fn, args, kwargs) or value_of_table(ev, fn, args, kwargs) \
        or value_of_density(ev, fn, args, kwargs) or value_of_rotation(ev, fn, args, kwargs) \
        or frozen_distribution(ev, fn, args, kwargs)


def _of_library(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract | None:
    """A call of a function that has a handler or is an op; else None."""
    f = fn.value
    special, spelling = SPECIAL.get(special_key(f)), spelling_of(f)
    if special is not None or spelling is not None:
        check_arguments(ev, f, args, kwargs)
        args, kwargs = by_position(f, args, kwargs)
    own = special_call(ev, args[0], _SPECIAL_METHODS[id(f)]) if args and id(f) in _SPECIAL_METHODS else None
    if own is not None:
        return checked(ev, own, f.__name__) if f in (str, repr) else own
    if (f is abs or f is round) and args and isinstance(args[0], ObjRef):
        return undefined(ev, f, *args)
    if special is not None:
        return special(ev, args, kwargs)
    if spelling is not None and (before := handler_before_op(spelling, kwargs)) is not None:
        return _solved(ev, fn, before, args, kwargs)
    if spelling is not None and spelling.startswith("scipy.ndimage."):  # which takes images of ints, too
        return _solved(ev, fn, lambda ev, args, kwargs: call_named(ev, spelling, args, kwargs), args, kwargs)
    if spelling is not None:
        return call_named(ev, spelling, args, kwargs)
    of_scipy = handler_of_scipy(f)
    return None if of_scipy is None else _solved(ev, fn, of_scipy, args, kwargs)


def _bound_method(ev: Evaluator, fn: Static, f: Any, args: Args, kwargs: Kwargs) -> Abstract | None:
    """A call of `f`, the method of an object that is known; None if it is none, or one of a library."""
    if isinstance(f, types.MethodType) and isinstance(f.__self__, type) and is_namedtuple(f.__self__) and \
            f.__name__ == "_make":
        check_instance(ev, f, args, kwargs)
        items = items_of(ev, args[0])
        run_or_raise(ev, lambda: f([None] * len(items)))  # raises where these are not as many as it has
        return ev.call(Static(f.__self__), items)
    if isinstance(f, types.BuiltinMethodType) and f.__name__ == "join" and type(f.__self__) is str and \
            len(args) == 1 and not kwargs:
        return joined(ev, f.__self__, args[0])
    if (pure := pure_method(ev, fn, f, args, kwargs)) is not None:
        return pure
    if isinstance(f, types.MethodDescriptorType) and args and python_class(ev, args[0]) is f.__objclass__:
        if isinstance(args[0], Value) and isinstance(args[0].type, Text) and ev.leaf_of(args[0]) is None:
            ev.refuse("SCT504", f"`str.{f.__name__}` of this string is left to Python")
        return ev.call(ev.call(Static(getattr), [args[0], Static(f.__name__)]), args[1:], kwargs)
    if isinstance(f, types.MethodType) and not is_library(f.__func__):
        owner = Static(f.__self__) if fn.path is None else lift(ev, f.__self__, (*fn.path, ("attr", "__self__")))
        return ev.call(Static(f.__func__), [owner, *args], kwargs)
    return None


def _generated_method(ev: Evaluator, f: types.FunctionType, cls: type, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of a method that `dataclass` has generated for `cls`: `super().__init__(x)` in a class made of it."""
    if f.__name__ == "__init__" and isinstance(args[0], ObjRef):
        fill(ev, args[0], cls, f, args[1:], kwargs)
        return Static(None)
    compared = generated_comparison(ev, f.__name__, cls, *args) if len(args) == 2 and not kwargs else None
    if compared is None:
        ev.refuse("SCT208", f"a call of `{f.__name__}`, which `dataclass` has generated, is not supported",
                  why="there is no source of it")
    return compared
