"""Calls: user functions inline, ops by their spelling, builtins, methods."""

from __future__ import annotations

import builtins
import functools
import math
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gast
import numpy as np

from sct.errors import SctError
from sct.frontend.arrays import assign_item
from sct.frontend.evaluator import Dead, Evaluator, Frame, expression
from sct.frontend.expressions import _bool, binary, compare_one, die, items_of, listcomp, truth
from sct.frontend.loops import _from_zero, known_items, space
from sct.frontend.source import Liveness, SourceFunction, loc_of, own_nodes, reads, source_of, writes
from sct.frontend.statements import FALL, block, guard
from sct.frontend.store import is_number
from sct.frontend.values import (
    Abstract,
    Array,
    Closure,
    DictRef,
    Iteration,
    Key,
    ListRef,
    Method,
    Path,
    Poison,
    Pullback,
    Ref,
    Slots,
    Static,
    Step,
    Tup,
)
from sct.ir import Lit, Operand, Value
from sct.ir.types import Opaque, Tensor
from sct.ops import BY_CALL, OPS, aliases, apply, print_, stop_gradient
from sct.ops.effects import python

__all__ = ["KNOWN", "call", "call_named", "call_source", "inline"]


def _known() -> dict[int, str]:
    """Objects of numpy, math and builtins that are spellings of ops."""
    found: dict[int, str] = {}
    for spelling in BY_CALL:
        module, _, name = spelling.partition(".")
        obj: Any = {"numpy": np, "math": math, "builtins": builtins}.get(module)
        for part in name.split("."):
            obj = getattr(obj, part, None)
        if obj is not None:
            found[id(obj)] = spelling
    return found


KNOWN = _known()
Kwargs = Mapping[str, Abstract]
Special = Callable[[Evaluator, Sequence[Abstract], Kwargs], Abstract]
SPECIAL: dict[int, Special] = {}


def special(*objects: Any) -> Callable[[Special], Special]:
    """Registers what a builtin does with abstract values, where it is not an op."""
    def register(f: Special) -> Special:
        SPECIAL.update({id(o): f for o in objects})
        return f

    return register


# -- the call ---------------------------------------------------------------------------------------


@expression(gast.Call)
def call_expr(ev: Evaluator, node: Any) -> Abstract:
    fn = ev.eval(node.func)
    args: list[Abstract] = []
    for a in node.args:
        if isinstance(a, gast.GeneratorExp) and isinstance(fn, Static) and fn.value in _RUN_THROUGH:
            args.append(listcomp(ev, a))
        elif isinstance(a, gast.Starred):
            args += items_of(ev, ev.eval(a.value))
        else:
            args.append(ev.eval(a))
    kwargs: dict[str, Abstract] = {}
    for k in node.keywords:
        v = ev.eval(k.value)
        if k.arg is not None:
            kwargs[k.arg] = v
            continue
        if not isinstance(v, DictRef):
            ev.refuse("SCT503", "only a dict of known keys may follow `**`", node=k.value)
        cell = ev.store.cells[v.addr]
        assert isinstance(cell, Slots)
        kwargs.update(zip(cell.keys, cell.items))
    return call(ev, fn, args, kwargs)


_RUN_THROUGH = (sum, max, min, any, all, list, tuple)
"""Builtins that exhaust a generator at once: it may as well be a list."""


def call(ev: Evaluator, fn: Abstract, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    """`fn(*args, **kwargs)`."""
    if isinstance(fn, Poison):
        ev.refuse("SCT502", "which function is called depends on the path", why=fn.reason,
                  hint="put the call itself into the branches")
    if isinstance(fn, Closure):
        frame = next((f for f in ev.all_frames if f.id == fn.frame), None)
        assert frame is not None
        source = SourceFunction(fn.node, frame.source.file, getattr(fn.node, "name", "<lambda>"))
        return call_source(ev, source, args, kwargs, frame.globals, frame.cells, fn.defaults, fn.kw_defaults, frame)
    if isinstance(fn, Method):
        return call_method(ev, fn, args, kwargs)
    if isinstance(fn, Pullback):
        return fn.call(ev, args, kwargs)  # type: ignore[no-any-return]
    if isinstance(fn, Value):
        return opaque_call(ev, fn, args, kwargs)
    if not isinstance(fn, Static):
        ev.refuse("SCT203", "this object cannot be called")
    f = fn.value
    if id(f) in SPECIAL:
        return SPECIAL[id(f)](ev, args, kwargs)
    if id(f) in KNOWN:
        return call_named(ev, KNOWN[id(f)], args, kwargs)
    from sct.frontend.transforms import call_transform

    if hasattr(f, "__sct_call__") or hasattr(f, "__sct_transform__"):
        return call_transform(ev, fn, args, kwargs)
    if isinstance(f, functools.partial):
        first = [ev.lift(x, (f, ("attr", "args"), ("item", k))) for k, x in enumerate(f.args)]
        named = {k: ev.lift(x, (f, ("attr", "keywords"), ("item", k))) for k, x in f.keywords.items()}
        return call(ev, ev.lift(f.func), [*first, *args], {**named, **kwargs})
    if isinstance(f, types.MethodType):
        owner = Static(f.__self__) if fn.path is None else ev.lift(f.__self__, (*fn.path, ("attr", "__self__")))
        return call(ev, Static(f.__func__), [owner, *args], kwargs)
    if isinstance(f, types.FunctionType) and not _library(f):
        return call_function(ev, f, args, kwargs)
    if isinstance(f, type) and issubclass(f, BaseException):
        return exception(ev, f, args)
    return opaque_call(ev, fn, args, kwargs)


def _library(f: types.FunctionType) -> bool:
    return (f.__module__ or "").split(".")[0] in ("numpy", "scipy", "math")


def call_function(ev: Evaluator, f: types.FunctionType, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    cells = dict(zip(f.__code__.co_freevars, f.__closure__ or ()))
    at = ("attr", "__defaults__")
    defaults = tuple(_Default(ev, x, (f, at, ("item", k))) for k, x in enumerate(f.__defaults__ or ()))
    named = f.__kwdefaults__ or {}
    kw = tuple(_Default(ev, named[a.id], (f, ("attr", "__kwdefaults__"), ("item", a.id))) if a.id in named else None
               for a in source_of(f.__code__).node.args.kwonlyargs)
    return call_source(ev, source_of(f.__code__), args, kwargs, _Globals(f), _Cells(f, cells), defaults, kw, None)


class _Default:
    """The default of a parameter, looked at where it is used: what can change is read at every call."""

    def __init__(self, ev: Evaluator, value: Any, path: Path) -> None:
        self.ev, self.value, self.path = ev, value, path

    def lifted(self) -> Abstract:
        fixed = isinstance(self.value, (bool, int, float, str, type(None)))
        return self.ev.lift(self.value, None if fixed else self.path)


class _Globals(dict):  # type: ignore[type-arg]
    """A function's globals, read at every look-up; remembers whose they are."""

    is_cells = False

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def __contains__(self, name: object) -> bool:
        return name in self.function.__globals__

    def __getitem__(self, name: str) -> Any:
        return self.function.__globals__[name]


class _Cells(dict):  # type: ignore[type-arg]
    """A function's closure cells."""

    is_cells = True

    def __init__(self, function: Any, cells: Mapping[str, Any]) -> None:
        super().__init__(cells)
        self.function = function


_live: dict[int, tuple[Any, Liveness]] = {}


def _liveness(node: Any) -> Liveness:
    if id(node) not in _live:
        if len(_live) > 4096:
            _live.clear()
        _live[id(node)] = node, Liveness(node)
    return _live[id(node)][1]


def call_source(ev: Evaluator, source: SourceFunction, args: Sequence[Abstract], kwargs: Kwargs, globals_: Any,
                cells: Any, defaults: tuple[Any, ...], kw_defaults: tuple[Any, ...],
                parent: Frame | None) -> Abstract:
    """Evaluate a function's body in a frame of its own."""
    node = source.node
    if isinstance(node, gast.AsyncFunctionDef):
        raise SctError("SCT101", "`async def` is not supported", hint="write a plain function",
                       loc=loc_of(node, source.file))
    if any(f.source.node is node for f in ev.frames):
        ev.refuse("SCT204", f"`{source.name}` calls itself: recursion is not supported yet",
                  hint="write it as a loop")
    if not isinstance(node, gast.Lambda):
        _no_generator(ev, source)
    names = {a.id for a in [*node.args.args, *node.args.posonlyargs, *node.args.kwonlyargs]}
    names |= {a.id for a in (node.args.vararg, node.args.kwarg) if a is not None}
    body = node.body if isinstance(node.body, list) else []
    declared = {n for s in own_nodes(body) if isinstance(s, (gast.Global, gast.Nonlocal)) for n in s.names}
    for s in body:
        names |= writes(s)
    frame = Frame(ev.new_frame_id(), source, globals_, cells, _liveness(node), names - declared, parent)
    bound = bind(ev, source, args, kwargs, defaults, kw_defaults)
    for name, v in bound.items():
        ev.store.vars[Key(frame.id, name)] = v
    return inline(ev, frame)


def _no_generator(ev: Evaluator, source: SourceFunction) -> None:
    found = [n for n in own_nodes(source.node.body) if isinstance(n, (gast.Yield, gast.YieldFrom, gast.Await))]
    if found:
        first = min(found, key=lambda n: (n.lineno, n.col_offset))
        word = "await" if isinstance(first, gast.Await) else "yield"
        raise SctError("SCT101", f"`{word}` is not supported", why="generators and coroutines keep state that sct "
                       "does not differentiate", hint="build an array, or inline the loop",
                       loc=loc_of(first, source.file))


def bind(ev: Evaluator, source: SourceFunction, args: Sequence[Abstract], kwargs: Kwargs,
         defaults: tuple[Any, ...], kw_defaults: tuple[Any, ...]) -> dict[str, Abstract]:
    """Parameters by name, as Python binds them."""
    a = source.node.args
    positional = [p.id for p in [*a.posonlyargs, *a.args]]
    bound: dict[str, Abstract] = dict(zip(positional, args))
    rest = dict(kwargs)
    if len(args) > len(positional) and a.vararg is None:
        ev.refuse("SCT505", f"`{source.name}` takes {len(positional)} positional arguments, {len(args)} are given")
    if a.vararg is not None:
        bound[a.vararg.id] = Tup(tuple(args[len(positional):]))
    for name in [*positional[len(a.posonlyargs):], *(p.id for p in a.kwonlyargs)]:
        if name in rest:
            if name in bound:
                ev.refuse("SCT505", f"`{source.name}` got two values for `{name}`")
            bound[name] = rest.pop(name)
    for name, v in zip(positional[len(positional) - len(defaults):], defaults):
        if name not in bound:
            bound[name] = v.lifted() if isinstance(v, _Default) else v
    for p, kw in zip(a.kwonlyargs, kw_defaults):
        if kw is not None and p.id not in bound:
            bound[p.id] = kw.lifted() if isinstance(kw, _Default) else kw
    missing = [p for p in [*positional, *(k.id for k in a.kwonlyargs)] if p not in bound]
    if missing:
        ev.refuse("SCT505", f"`{source.name}` is called without `{missing[0]}`")
    if a.kwarg is not None:
        bound[a.kwarg.id] = ev.new_dict(rest)
    elif rest:
        ev.refuse("SCT505", f"`{source.name}` has no parameter `{next(iter(rest))}`")
    return bound


def inline(ev: Evaluator, frame: Frame) -> Abstract:
    """Run a frame to its end; what it returns."""
    node = frame.source.node
    ev.frames.append(frame)
    ev.all_frames.append(frame)
    before, builder_loc = ev.loc, ev.b.loc
    try:
        if isinstance(node, gast.Lambda):
            frame.now = frozenset(reads(node.body))
            return ev.eval(node.body)
        key = Key(frame.id, "<return>")
        ev.exit = Static(FALL)
        block(ev, node.body)
        if ev.store.dead:
            raise Dead
        if not isinstance(ev.exit, Static):
            end = gast.Return(None)
            gast.copy_location(end, node.body[-1])
            guard(ev, [end], 0)
        elif ev.exit.value == FALL:
            return Static(None)
        if ev.store.dead:
            raise Dead
        result = ev.store.vars[key]
        if isinstance(result, Poison):
            ev.refuse("SCT502", f"what `{frame.source.name}` returns depends on the path", why=result.reason)
        return ev.bound(result)
    finally:
        ev.frames.pop()
        ev.returned_at = frame.returned_at or loc_of(node, frame.source.file)
        ev.loc, ev.b.loc = before, builder_loc
        if not frame.live.captured and not _makes_functions(node):
            for k in [k for k in ev.store.vars if k.frame == frame.id]:
                del ev.store.vars[k]


@functools.lru_cache(maxsize=4096)
def _makes_functions(node: Any) -> bool:
    return any(isinstance(n, (gast.FunctionDef, gast.Lambda)) and n is not node for n in gast.walk(node))


# -- ops ------------------------------------------------------------------------------------------------


def call_named(ev: Evaluator, spelling: str, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    """A call of the function that is spelled so; the op's `bind` sorts operands from attrs."""
    op = BY_CALL[spelling]
    attrs: dict[str, Any] = {}
    plain = [plain_containers(ev, a) for a in args]
    named = {k: plain_containers(ev, v) for k, v in kwargs.items()}
    if op.bind is None:
        if named:
            ev.refuse("SCT205", f"the keyword `{next(iter(named))}` of `{spelling}` is not supported")
        operands: Sequence[Any] = plain
    else:
        try:
            operands, attrs = op.bind(*plain, **named)
        except TypeError as error:
            text = str(error).replace("bind_", "").replace("<lambda>()", f"`{spelling}`")
            ev.refuse("SCT205", f"this call of `{spelling}` is not supported: {text}")
    attrs = {k: static_attr(ev, k, v) for k, v in attrs.items()}
    flat = [ev.operand(x) if not isinstance(x, (Lit, Value)) else x for x in map(_abstract, operands)]
    if op.name in _SIZED:
        flat = [x if k in _NUMBERS.get(op.name, ()) else ev.as_int(x) for k, x in enumerate(flat)]
    return apply_op(ev, op, spelling, args, flat, attrs)


_SIZED = frozenset(("zeros", "ones", "empty", "eye", "reshape", "broadcast_to", "arange", "linspace"))
"""Ops that take sizes,"""
_NUMBERS = {"linspace": (0, 1), "reshape": (0,), "broadcast_to": (0,)}
"""and which of their operands are none."""


def apply_op(ev: Evaluator, op: Any, spelling: str, args: Sequence[Abstract], flat: Sequence[Operand],
             attrs: Mapping[str, Any]) -> Abstract:
    try:
        made = ev.emit(op, *flat, spelling=spelling, **attrs)
    except (TypeError, IndexError, KeyError, AttributeError) as error:
        ev.refuse("SCT205", f"this call of `{spelling}` is not supported: {error}")
    if isinstance(made, tuple):
        return Tup(tuple(map(ev.wrap, made)))
    if isinstance(made, Value) and isinstance(made.type, Tensor) and made.type.is_array:
        owner = args[op.alias_of] if len(args) > op.alias_of else None
        alias = aliases(ev.b.eqns[-1]) if ev.b.eqns and made in ev.b.eqns[-1].outs else "none"
        if alias != "none" and isinstance(owner, Ref):
            return view(ev, op, spelling, owner, flat, attrs, alias, made)
    return ev.wrap(made)


def _keeps_c_order(step: Step) -> bool:
    """Is this view of a contiguous array contiguous: integers, then one slice without a step?"""
    if step.op.name in ("reshape", "ravel", "expand_dims", "squeeze"):
        return True
    if step.op.name != "index":
        return False
    key = step.attrs["key"]
    return all(k == "i" for k in key[:-1]) and (key[-1] == "i" or key[-1][0] == "s" and key[-1][3] == "0")


def view(ev: Evaluator, op: Any, spelling: str, owner: Ref, flat: Sequence[Operand], attrs: Mapping[str, Any],
         alias: str, made: Value) -> Abstract:
    """The result of an op that shares memory with its operand, or may."""
    if op is stop_gradient:
        # The same array to Python, another one to the derivative: neither is written from here on.
        result = ev.wrap(made)
        assert isinstance(result, Ref)
        ev.freeze(owner.addr, result.addr)
        return result
    if alias == "same":
        return owner
    if alias == "maybe":
        cell = ev.store.cells[owner.addr]
        assert isinstance(cell, Array)
        source = ev.type_of(owner)
        one_axis = op.name == "reshape" and isinstance(source, Tensor) and source.rank == 1  # any stride splits
        if not (one_axis or all(map(_keeps_c_order, owner.path)) and ev.contiguous(cell.layout)):
            whole = ev.step(owner, op, flat[1:], attrs, spelling)
            known = ev.is_view(whole)
            if known is not None:
                return whole if known else ev.wrap(made)
            # A view or a copy: as long as neither is written, no one can tell.
            ev.freeze(owner.addr)
            result = ev.wrap(made)
            assert isinstance(result, Ref)
            ev.freeze(result.addr)
            return result
    ref = ev.step(owner, op, flat[1:], attrs, spelling)
    if op.readonly:
        result = ev.wrap(made)
        assert isinstance(result, Ref)
        ev.freeze(result.addr)
        return result
    return ref


def _abstract(x: Any) -> Any:
    return Static(x) if isinstance(x, (bool, int, float, str)) or x is None else x


def plain_containers(ev: Evaluator, v: Abstract) -> Any:
    """Lists and tuples of abstract values as Python lists and tuples; static objects as they are."""
    if isinstance(v, Tup):
        return tuple(plain_containers(ev, x) for x in v.items)
    if isinstance(v, ListRef):
        return [plain_containers(ev, x) for x in items_of(ev, v)]
    if isinstance(v, Static):
        return v.value
    if isinstance(v, Iteration):
        known = known_items(ev, v)
        if known is not None:
            return [plain_containers(ev, x) for x in known]
    if isinstance(v, Value):
        return ev.operand(v)
    return v


def static_attr(ev: Evaluator, name: str, v: Any) -> Any:
    """An attribute of an op: known now, or asked."""
    if isinstance(v, (Value, Ref)):
        return ev.ask(v, f"`{name}`")
    if isinstance(v, Lit):
        return v.value
    if isinstance(v, tuple):
        return tuple(static_attr(ev, name, x) for x in v)
    if isinstance(v, list):
        return [static_attr(ev, name, x) for x in v]
    return v


def opaque_call(ev: Evaluator, fn: Abstract, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    """A call that nothing is known of: an effect, refused later if a differentiated value reaches it."""
    named = fn.value if isinstance(fn, Static) else None
    what = getattr(named, "__qualname__", None) or getattr(named, "__name__", None) or "this function"
    if named is not None and getattr(named, "__module__", None) in ("builtins", "numpy", "math") or \
            isinstance(named, np.ufunc):
        ev.refuse("SCT206", f"`{what}` is not supported yet")
    for a in [*args, *kwargs.values()]:
        if isinstance(a, (Ref, ListRef, DictRef)):
            ev.refuse("SCT207", f"`{what}` gets an array or a container, and sct has no source or rule for it",
                      why="it may write to it", hint="pass numbers, or call it outside the function")
    if isinstance(fn, Static):
        fn = ev.opaque(fn)
    assert isinstance(fn, Value)
    operands = [ev.operand(a) for a in [*args, *kwargs.values()]]
    return ev.emit(apply, fn, *operands, keywords=tuple(kwargs))  # type: ignore[no-any-return]


def exception(ev: Evaluator, f: type, args: Sequence[Abstract]) -> Abstract:
    operands = [ev.operand(a) for a in args]
    if getattr(builtins, f.__name__, None) is f:
        return ev.emit(python, *operands, callee=f.__name__)  # type: ignore[no-any-return]
    return ev.emit(apply, ev.opaque(Static(f)), *operands, keywords=())  # type: ignore[no-any-return]


# -- builtins ---------------------------------------------------------------------------------------------


@special(range)
def range_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    args = [ev.as_int(a) if isinstance(a, Value) else a for a in args]
    for a in args:
        t = ev.type_of(a) if isinstance(a, (Value, Static)) else None
        if not isinstance(t, Tensor) or t.kind not in "ib" and t.dtype != "real":
            ev.refuse("SCT501", "range takes integers", hint="convert with int(...)")
    return Iteration("range", tuple(args))


@special(zip)
def zip_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    if kwargs and ev.ask(kwargs["strict"], "`strict` of zip"):
        lengths = [len_(ev, [a], {}) for a in args]
        for n in lengths[1:]:
            differ = compare_one(ev, gast.NotEq(), lengths[0], n)
            test = truth(ev, differ)
            if isinstance(test, Lit) and not test.value:
                continue
            ev.branch(test, lambda: die(ev, "ValueError", "zip() arguments have different lengths"),
                      lambda: Static(None))
    return Iteration("zip", tuple(args))


@special(enumerate)
def enumerate_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    return Iteration("enumerate", (*args, *kwargs.values()))


@special(reversed)
def reversed_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    return Iteration("reversed", tuple(args))


@special(len)
def len_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    (v,) = args
    if isinstance(v, Ref):
        from sct.frontend.loops import _length

        return ev.wrap(_length(ev, v))
    if isinstance(v, Iteration) and known_items(ev, v) is None:
        counted = space(ev, v)
        if counted is None or counted.step not in (Lit(1), Lit(-1)):
            ev.refuse("SCT503", "the length of this is not supported")
        return len_(ev, [v.parts[0]], {}) if v.kind in ("reversed", "enumerate") else ev.wrap(_from_zero(ev, v).stop)
    return Static(len(items_of(ev, v)))


@special(list, tuple)
def list_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    return ev.new_list(items_of(ev, args[0]) if args else ())


SPECIAL[id(tuple)] = lambda ev, args, kwargs: Tup(items_of(ev, args[0]) if args else ())


@special(dict)
def dict_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    made: dict[Any, Abstract] = {}
    if args and isinstance(args[0], DictRef):
        cell = ev.store.cells[args[0].addr]
        assert isinstance(cell, Slots)
        made.update(zip(cell.keys, cell.items))
    elif args:
        for pair in items_of(ev, args[0]):
            k, v = items_of(ev, pair)
            made[ev.ask(k, "a key of a dict")] = v
    made.update(kwargs)
    return ev.new_dict(made)


@special(print)
def print__(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    attrs = {k: ev.ask(v, f"`{k}` of print") for k, v in kwargs.items()}
    if not attrs.keys() <= {"sep", "end"}:
        ev.refuse("SCT205", f"`print` with {', '.join(attrs)} is not supported")
    shown: list[Operand] = []
    for a in args:
        if isinstance(a, (Tup, ListRef, DictRef)):
            ev.refuse("SCT503", "printing a container is not supported", hint="print its items, or an f-string")
        shown.append(Lit(str(a.value)) if isinstance(a, Static) and not is_number(a) else ev.operand(a))
    ev.emit(print_, *shown, **{"sep": " ", "end": "\n", **attrs})
    return Static(None)


@special(isinstance)
def isinstance_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    v, kinds = args
    wanted = tuple(k.value for k in kinds.items if isinstance(k, Static)) if isinstance(kinds, Tup) else \
        (kinds.value,) if isinstance(kinds, Static) else ()
    have: type
    if isinstance(v, Static):
        return Static(isinstance(v.value, wanted))
    if isinstance(v, Ref):
        have = np.ndarray
    elif isinstance(v, (Tup, ListRef, DictRef)):
        have = {Tup: tuple, ListRef: list, DictRef: dict}[type(v)]
    elif isinstance(v, Value) and isinstance(v.type, Tensor) and v.type.carrier in ("py", "np"):
        if v.type.dtype == "real":
            return Static(ev.ask_type(v, wanted))
        have = {"bool": bool, "int": int, "float": float}.get(v.type.dtype) or \
            np.dtype(_numpy(v.type.dtype)).type
    elif isinstance(v, Closure):
        have = types.FunctionType
    else:
        ev.refuse("SCT504", "the class of this object must be known")
    return Static(issubclass(have, wanted))


def _numpy(dtype: str) -> str:
    from sct.frontend.expressions import _NUMPY_NAMES

    return _NUMPY_NAMES[dtype]


@special(callable)
def callable_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    return Static(isinstance(args[0], (Closure, Method, Pullback)) or
                  isinstance(args[0], Static) and callable(args[0].value))


@special(sum)
def sum_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    total: Abstract = args[1] if len(args) > 1 else kwargs.get("start", Static(0))
    if isinstance(args[0], Ref):
        ev.refuse("SCT206", "builtin `sum` of an array is not supported yet", hint="use np.sum")
    for x in items_of(ev, args[0]):
        total = binary(ev, gast.Add, total, x)
    return total


def _extremum(name: str) -> Special:
    def handler(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
        if kwargs:
            ev.refuse("SCT205", f"`{name}` with keywords is not supported yet")
        items = items_of(ev, args[0]) if len(args) == 1 else tuple(args)
        if all(map(is_number, items)):
            return Static(getattr(builtins, name)(x.value for x in items if isinstance(x, Static)))
        if any(isinstance(x, Ref) for x in items):
            ev.refuse("SCT501", f"builtin `{name}` of arrays is ambiguous", hint=f"use np.{name}imum")
        return ev.call_op(BY_CALL[f"builtins.{name}"], *items, spelling=f"builtins.{name}")

    return handler


SPECIAL[id(max)] = _extremum("max")
SPECIAL[id(min)] = _extremum("min")


@special(divmod)
def divmod_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    return Tup((binary(ev, gast.FloorDiv, *args), binary(ev, gast.Mod, *args)))


def _quantifier(stops: bool) -> Special:
    def handler(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
        items = items_of(ev, args[0])

        def go(k: int) -> Abstract:
            if k == len(items):
                return Static(not stops)
            t = truth(ev, items[k])
            if isinstance(t, Lit):
                return Static(stops) if t.value == stops else go(k + 1)
            if stops:
                return ev.branch(t, lambda: Static(True), lambda: go(k + 1))  # type: ignore[no-any-return]
            return ev.branch(t, lambda: go(k + 1), lambda: Static(False))  # type: ignore[no-any-return]

        return go(0)

    return handler


SPECIAL[id(any)], SPECIAL[id(all)] = _quantifier(True), _quantifier(False)


@special(str, repr)
def str_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    if isinstance(args[0], Static):
        return Static(str(args[0].value))
    return ev.emit(OPS["fstring"], ev.operand(args[0]), parts=(("", ""),))  # type: ignore[no-any-return]


@special(np.shape)
def shape_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    from sct.frontend.expressions import _size_of

    t = ev.type_of(args[0])
    return Tup(tuple(_size_of(ev, args[0], k) for k in range(t.rank if isinstance(t, Tensor) else 0)))


@special(np.ndim)
def ndim_(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    t = ev.type_of(args[0])
    return Static(t.rank if isinstance(t, Tensor) else 0)


def _convert(name: str, cls: Any) -> Special:
    def handler(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
        if not args:
            return Static(cls())
        (v,) = args
        if isinstance(v, Static) and (is_number(v)) and v.value is not None:
            try:
                return Static(cls(v.value))
            except (ValueError, OverflowError):
                pass
        if cls is bool:
            return _bool(truth(ev, v))
        if isinstance(v, Value) and isinstance(v.type, Opaque):
            ev.refuse("SCT207", "a number made of an object that sct cannot see into",
                      why="nothing is known of what the function that made it returns",
                      hint="compute it outside the differentiated function")
        return ev.call_op(BY_CALL[f"builtins.{name}"], v, spelling=f"builtins.{name}")

    return handler


for _name, _cls in (("float", float), ("int", int), ("bool", bool)):
    SPECIAL[id(_cls)] = _convert(_name, _cls)


@special(eval, exec, compile, globals, locals, vars, setattr, getattr, input, open, iter, next, map, filter, sorted)
def refused_builtin(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    ev.refuse("SCT206", "this builtin is not supported in a differentiated function")


@special(np.copyto)
def copyto(ev: Evaluator, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    if kwargs or len(args) != 2:
        ev.refuse("SCT205", "`np.copyto` with keywords is not supported yet")
    assign_item(ev, args[0], Static(Ellipsis), args[1])
    return Static(None)


# -- methods ------------------------------------------------------------------------------------------------


def call_method(ev: Evaluator, fn: Method, args: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    owner, name = fn.owner, fn.name
    if isinstance(owner, (Ref, Value)):
        if name == "fill" and isinstance(owner, Ref):
            assign_item(ev, owner, Static(Ellipsis), args[0])
            return Static(None)
        if name == "item" and not args and isinstance(owner, Value):
            return ev.call_op(BY_CALL["builtins.float"], owner, spelling="builtins.float")
        spelling = f".{name}"
        if spelling in BY_CALL:
            return call_named(ev, spelling, [owner, *args], kwargs)
        ev.refuse("SCT203", f"the method `{name}` of arrays is not supported yet")
    if isinstance(owner, DictRef):
        cell = ev.store.cells[owner.addr]
        assert isinstance(cell, Slots)
        if name == "items":
            return Tup(tuple(Tup((Static(k), v)) for k, v in zip(cell.keys, cell.items)))
        if name == "keys":
            return Tup(tuple(map(Static, cell.keys)))
        if name == "values":
            return Tup(cell.items)
        if name == "get":
            key = ev.ask(args[0], "a key of a dict")
            if key in cell.keys:
                return cell.items[cell.keys.index(key)]
            return args[1] if len(args) > 1 else Static(None)
        if name == "copy":
            return dict_(ev, [owner], {})
    if isinstance(owner, ListRef):
        if name in ("append", "extend", "pop", "insert", "reverse", "clear"):
            return change_list(ev, owner, name, args)
        if name == "copy":
            return list_(ev, [owner], {})
    if isinstance(owner, Static) and isinstance(getattr(owner.value, name), types.MethodType):
        return call(ev, Static(getattr(owner.value, name).__func__), [owner, *args], kwargs)
    if isinstance(owner, Static) and isinstance(owner.value, str):
        return ev.lift(getattr(owner.value, name)(*(ev.ask(a, "an argument of a string method") for a in args)))
    ev.refuse("SCT203", f"the method `{name}` is not supported")


def change_list(ev: Evaluator, owner: ListRef, name: str, args: Sequence[Abstract]) -> Abstract:
    """A list of known length grows or shrinks."""
    from dataclasses import replace

    cell = ev.writable(owner.addr, "a write")
    assert isinstance(cell, Slots)
    items = list(cell.items)
    result: Abstract = Static(None)
    if name == "append":
        items.append(args[0])
    elif name == "extend":
        items.extend(items_of(ev, args[0]))
    elif name == "insert":
        items.insert(ev.ask(args[0], "a position in a list"), args[1])
    elif name == "pop":
        try:
            result = items.pop(ev.ask(args[0], "a position in a list") if args else -1)
        except IndexError as error:
            ev.refuse("SCT505", f"this fails: {error}")
    elif name == "reverse":
        items.reverse()
    else:
        items.clear()
    ev.store.cells[owner.addr] = replace(cell, items=tuple(items))
    return result

