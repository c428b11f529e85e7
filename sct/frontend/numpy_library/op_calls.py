"""Ops by their spelling: `np.sum(x, axis=0)`, `x.sum(0)`, and who shares memory with the result."""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from sct.frontend.arguments.memory_facts import contiguous, is_c_order, is_view
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.array_keys import array_of, check_present, joined_list, may_be_none, nested, selection
from sct.frontend.heap.inactive import check_value
from sct.frontend.heap.special_methods import plain_numbers
from sct.frontend.heap.subscripts import COMPUTED, assign_item, check_fits, writable
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.numpy_library.asked_facts import in_each_case
from sct.frontend.numpy_library.call_forms import in_another_form
from sct.frontend.numpy_library.genuine_functions import is_genuine
from sct.frontend.objects.container_objects import contents_of
from sct.frontend.objects.objects import special_method
from sct.frontend.state.may_alias import freeze_together
from sct.frontend.structured_arrays.creation import structured_array
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Iteration,
    ListRef,
    Ref,
    Static,
    Step,
    Tup,
)
from sct.ir import Eqn, Lit, Op, Operand, Value
from sct.ir.dims import Dim
from sct.ir.real_ints import unmark_real
from sct.ir.types import Tensor, TypeMismatch, dtype_in_words, in_words
from sct.ops import BY_CALL, aliases, is_readonly, stop_gradient
from sct.ops.arrays.shape import dim, has_dtype
from sct.ops.linalg.fourier import OVER_SEVERAL_AXES, TRANSFORMS, axes_of
from sct.ops.program.list_concatenation import JOINS
from sct.ops.reductions.masked_ufuncs import masked_ufunc

__all__ = ["call_named", "spelling_of"]

_spellings: dict[Any, tuple[Any, str]] = {}
_entered: set[str] = set()
_pending: dict[str, list[str]] = {}
"""Spellings by module, of modules that have not been imported yet, and of functions that were replaced."""


def spelling_of(f: Any) -> str | None:
    """The spelling of the op of the function `f`: "numpy.sum", "scipy.special.erf"."""
    if len(_entered) < len(BY_CALL):
        for spelling in BY_CALL.keys() - _entered:
            root = spelling.split(".")[0]
            _pending.setdefault(_module_of(spelling) if root == "scipy" else root, []).append(spelling)
        _entered.update(BY_CALL)
    for module in [m for m in _pending if m in sys.modules]:
        replaced = []
        for spelling in _pending.pop(module):
            obj: Any = sys.modules[spelling.split(".")[0]]
            for part in spelling.split(".")[1:]:
                obj = getattr(obj, part, None)
            if obj is not None and not is_genuine(obj, spelling):
                replaced.append(spelling)
            elif obj is not None:
                _spellings[_identity(obj)] = obj, spelling
        if replaced:  # it may be put back
            _pending[module] = replaced
    entry = _spellings.get(_identity(f))
    return None if entry is None else entry[1]


def _module_of(spelling: str) -> str:
    """The module of SciPy that must be imported; a distribution is an object of `scipy.stats`."""
    module = spelling.rpartition(".")[0]
    return "scipy.stats" if module.startswith("scipy.stats.") else module


def _identity(f: Any) -> Any:
    """What a function is found by; a method of an object is made anew each time that it is read."""
    return (id(f.__self__), f.__name__) if isinstance(f, types.MethodType) else id(f)


_READ_BY_NUMPY = ("__iter__", "__len__", "__getitem__", "__array__")
"""The special methods by which NumPy makes an array of an object that is a list."""


def call_named(ev: Evaluator, spelling: str, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of the function with this spelling; the op's `bind` separates operands from attributes."""
    kwargs = {k: v for k, v in kwargs.items() if v != _LEFT_OUT}
    args, kwargs = with_selections(ev, spelling, args, kwargs)
    if any(may_be_none(ev, v) is not None for v in (*args, *kwargs.values())):
        _check_present(ev, spelling, args, kwargs)
    if spelling.startswith("numpy."):
        args = [contents_of(ev, a, *_READ_BY_NUMPY) for a in args]
    if spelling.startswith("math."):
        args = [ev.call(Static(float), [a]) if special_method(ev, a, "__float__") is not None else a for a in args]
    if (structured := structured_array(ev, spelling, args, kwargs)) is not None:
        return structured
    args = plain_numbers(ev, *args, numpy=spelling.split(".")[0] not in ("builtins", "math"))
    args, kwargs, out, mask = outputs(ev, spelling, args, kwargs)
    if out is not None:
        return call_into(ev, spelling, args, kwargs, out, mask)
    op = by_keyword(BY_CALL[spelling], kwargs)
    attrs: dict[str, Any] = {}
    if spelling in _ARRAYS and args and dynamic_lists.is_dynamic(ev, args[0]) and not kwargs and len(args) == 1:
        return ev.wrap(array_of(ev, args[0]))
    if spelling.removeprefix("numpy.") in JOINS and args and dynamic_lists.is_dynamic(ev, args[0]) and (
            len(args) + len(kwargs) == 1 or spelling in _ALONG and len(args) + ("axis" in kwargs) == 2):
        return ev.wrap(joined_list(ev, args[0], spelling.removeprefix("numpy."), *args[1:], **kwargs))
    if (value := in_another_form(ev, spelling, args, kwargs)) is not None:
        return value
    plain = [plain_containers(ev, ev.known_text(a)) for a in args]
    named = {k: plain_containers(ev, ev.known_text(v)) for k, v in kwargs.items()}
    if op.bind is None:
        if named:
            ev.refuse("SCT205", f"the keyword `{next(iter(named))}` of `{spelling}` is not supported")
        operands: Sequence[Any] = plain
    else:
        try:
            operands, attrs = op.bind(*plain, **named)
        except TypeMismatch as error:
            ev.refuse("SCT501", str(error), why=f"it is asked for by `{spelling}`", hint=error.hint)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            if re.match(r"'(Ref|Value|Iteration)' object is not iterable", str(error)):
                ev.refuse("SCT205", f"this call of `{spelling}` is not supported",
                          why="the length of its argument is known only at run time",
                          hint="fill an array in a loop, and pass that")
            ev.refuse("SCT205", _unsupported(spelling, error),
                      hint=_INSTEAD.get(spelling, "write it without this argument, or compute it outside the function"))
    return ev.combined(op, operands, lambda: call_bound(ev, op, spelling, operands, attrs))


def _unsupported(spelling: str, error: Exception) -> str:
    """What sct does not support of a call that the function itself takes: what that does not take has raised before."""
    text = re.sub(r"^[\w.<>]+\(\)", f"`{spelling}`", str(error))
    if keyword := re.search(r"got an unexpected keyword argument '(\w+)'", text):
        return f"the keyword `{keyword[1]}` of `{spelling}` is not supported"
    if re.search(r"takes .* positional argument", text):
        return f"so many arguments of `{spelling}` are not supported"
    return f"this call of `{spelling}` is not supported: {text}"


def with_selections(ev: Evaluator, spelling: str, args: Args, kwargs: Kwargs) -> tuple[Args, Kwargs]:
    """The arguments, with lists that NumPy reads as positions, counts or a mask as arrays of ints or truths."""
    place, name = _SELECTIONS.get(spelling.rpartition(".")[2], (None, None))
    return ([selection(ev, a) if k == place else a for k, a in enumerate(args)],
            {k: selection(ev, v, np.bool_ if k == "where" else np.intp) if k in ("where", name) else v
             for k, v in kwargs.items()})


_SELECTIONS = {"take": (1, "indices"), "repeat": (1, "repeats"), "delete": (1, "obj"), "bincount": (0, "x")}
"""The parameters of NumPy's functions that are positions or counts: their places, and their names."""

_LEFT_OUT = Static(np._NoValue)
"""The default of keywords that NumPy's own functions hand on."""


def _check_present(ev: Evaluator, spelling: str, args: Args, kwargs: Kwargs) -> None:
    """Checks at run time that no argument is None that may be left out: without it, the call is another one."""
    bind = BY_CALL[spelling].bind
    parameters = {} if bind is None else inspect.signature(bind).parameters
    for name, v in {**dict(zip(parameters, args)), **kwargs}.items():
        if name in parameters and parameters[name].default is None:
            check_present(ev, v, f"`{name}` of {spelling} must be a number or an array")


def call_bound(ev: Evaluator, op: Op, spelling: str, operands: Sequence[Any], attrs: Mapping[str, Any]) -> Abstract:
    """Applies the op to the operands and attributes that `bind` has sorted."""
    attrs = {k: static_attr(ev, k, v) for k, v in attrs.items()}
    flat = [operand(ev, x) for x in operands]
    if op.name in _SIZED:
        flat = [x if k in _SIZED[op.name] else ev.as_int(x) for k, x in enumerate(flat)]
    if op.name == "reshape":
        flat = [x if k == 0 else size_given(ev, x) for k, x in enumerate(flat)]
    if op.name in OVER_SEVERAL_AXES:
        flat = [flat[0], *whole_axes(ev, flat[0], flat[1:], attrs["axes"])]
    if op.name.removesuffix("_where") in _OF_UFUNCS and attrs.get("axis") in (0, -1) and \
            isinstance(t := flat[0].type, Tensor) and not t.rank:
        attrs["axis"] = None
    owner = operands[op.alias_of] if len(operands) > op.alias_of else None
    return apply_op(ev, op, spelling, owner, flat, attrs)


_OF_UFUNCS = ("sum", "prod", "max", "min", "any", "all")
"""The reductions by ufuncs, which reduce a number along its axis 0."""

_INSTEAD = {"math.dist": "use np.linalg.norm(x - y)", "math.sumprod": "use np.dot(x, y)"}
"""Replacements of functions that take no arrays, for hints."""

_ARRAYS = ("numpy.array", "numpy.asarray")
"""Functions that make an array of a list, whatever its length."""

_ALONG = ("numpy.concatenate", "numpy.stack")


def by_keyword(op: Op, kwargs: Kwargs) -> Op:
    """`numpy.sum(where=)` is the entry for calls of `numpy.sum` with that keyword."""
    return next((BY_CALL[name] for k in kwargs if (name := f"{op.calls[0]}({k}=)") in BY_CALL), op)


_SIZED: dict[str, tuple[int, ...]] = {
    "zeros": (), "ones": (), "empty": (), "eye": (), "arange": (), "full": (0,), "reshape": (0,), "broadcast_to": (0,),
    "tile": (0,), "roll": (0,), "array_repeat": (0,), "resize": (0,), "take": (0,), "array_delete": (0,), "pad": (0, 1),
    "linspace": (0, 1), "logspace": (0, 1), "geomspace": (0, 1), "array_insert": (0, 1)} | {
    op.name: (0,) for op in TRANSFORMS.values()}
"""Ops that take sizes or positions, and which of their operands are none."""


def size_given(ev: Evaluator, x: Operand) -> Operand:
    """A size in a reshape.  A guard says whether it is negative; a negative size, the wildcard, must be known."""
    d = x.dim if isinstance(x, Value) else None
    if d is None or d.least >= 0 or (now := ev.size_now(d)) is None:
        return x
    if now < 0:
        return Lit(ev.ask(ev.wrap(x), "this size"))
    ev.size_facts.setdefault(("<=", Dim(0), d), None)
    return x


def whole_axes(ev: Evaluator, x: Operand, lengths: Sequence[Operand], axes: Any) -> list[Operand]:
    """The lengths of a Fourier transform of x, where -1 stands for the whole axis."""
    lengths = [size_given(ev, ev.as_int(n)) for n in lengths]
    try:
        over = axes_of(x, axes, lengths)
    except (TypeMismatch, TypeError):  # of which the type rule of the op tells
        return lengths
    return [ev.emit(dim, x, axis=axis) if n == Lit(-1) else n for n, axis in zip(lengths, over)]


def apply_op(ev: Evaluator, op: Op, spelling: str, owner: Any, flat: Sequence[Operand],
             attrs: Mapping[str, Any]) -> Abstract:
    """The op on these operands; its result may share memory with the array `owner`."""

    def with_facts(answers: Mapping[str, Any], dtype: str | None) -> Abstract:
        outs = ev.emit(op, *flat, spelling=spelling, **{**attrs, **answers})
        if dtype is not None:
            check_value(ev, outs, ev.emit(has_dtype, outs, dtype=dtype),
                        f"the result of {spelling} must be an array of {dtype}")
        return _result(ev, op, owner, outs)

    try:
        return with_facts({}, None) if op.asks is None else in_each_case(ev, op, spelling, flat, attrs, with_facts)
    except (TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
        ev.refuse("SCT205", _unsupported(spelling, error),
                  hint="write it without this argument" if isinstance(error, TypeError) else "")


def _result(ev: Evaluator, op: Op, owner: Any, outs: Any) -> Abstract:
    """The result of an op, and whose memory it shares."""
    if isinstance(outs, tuple):
        items = tuple(map(ev.wrap, outs))
        return Tup(items) if op.named is None else Tup(items, op.named._fields, op.named)
    eqn = ev.defs.get(outs)
    if eqn is None or outs not in eqn.outs or not (isinstance(outs.type, Tensor) and outs.type.is_array):
        return ev.wrap(outs)
    if aliases(eqn) != "none" and isinstance(owner, Ref):
        return view(ev, owner, eqn)
    result = ev.wrap(outs)
    if is_readonly(eqn) and isinstance(result, Ref):
        cell = ev.store.cells[result.addr]
        assert isinstance(cell, Array)
        ev.store.cells[result.addr] = replace(cell, readonly=frozenset({True}))
    return result


# -- out= -----------------------------------------------------------------------------------------------


def outputs(ev: Evaluator, spelling: str, args: Args,
            kwargs: Kwargs) -> tuple[Args, Kwargs, Abstract | None, Abstract | None]:
    """The arguments of a call without `out`, which a ufunc also takes by position, and, for a ufunc, `where`."""
    rest = {k: v for k, v in kwargs.items() if k != "out"}
    out = kwargs.get("out")
    ufunc = getattr(np, spelling.removeprefix("numpy."), None) if spelling.startswith("numpy.") else None
    mask = None
    if isinstance(ufunc, np.ufunc):
        if (dtype := rest.pop("dtype", None)) is not None:
            if not all(_is_of(x, dtype) for x in args if isinstance(x, Value)):
                ev.refuse("SCT205", f"`{spelling}` of numbers with this `dtype` is not supported",
                          hint="leave out `dtype`, and convert the result with `.astype(...)`")
            args = [call_named(ev, ".astype", [x, dtype], {}) if isinstance(x, Ref) else x for x in args]
        mask = rest.pop("where", None)
        if len(args) == ufunc.nin + 1:
            args, out = args[:-1], args[-1]
    if isinstance(out, Tup) and len(out.items) == 1:
        out = out.items[0]
    if isinstance(out, Static) and out.value is None:
        out = None
    if mask is not None and out is None:
        ev.refuse("SCT205", f"`{spelling}` with `where=` and without `out=` is not supported",
                  why="the elements that are left out are not defined", hint="use np.where, or give an `out`")
    return args, rest, out, mask


def _is_of(x: Value, dtype: Abstract) -> bool:
    """Is this a number of 64 bits, and is that the dtype?"""
    cls = dtype.value if isinstance(dtype, Static) else None
    is_float = isinstance(cls, (type, np.dtype)) and np.dtype(float) == cls
    return is_float and isinstance(x.type, Tensor) and x.type.dtype in ("float", "f64")


def call_into(ev: Evaluator, spelling: str, args: Args, kwargs: Kwargs, out: Abstract,
              mask: Abstract | None) -> Abstract:
    """A call whose result is written into the array `out`."""
    if not isinstance(out, Ref):
        ev.refuse("SCT303", "`out` must be an array")
    ufunc = isinstance(getattr(np, spelling.removeprefix("numpy."), None), np.ufunc)
    if not (ufunc or spelling.rpartition(".")[2] in BUFFERED) and any(
            shares(ev, x, out) for x in (*args, *kwargs.values())):
        ev.refuse("SCT303", f"`out` of `{spelling}` shares memory with an operand",
                  why="it is written part by part, while the rest is still to be read",
                  hint="leave `out` out, and assign the result to `y[...]`")
    writable(ev, out, COMPUTED if ufunc else None)
    if spelling == "numpy.dot" and not is_c_order(ev, out):
        ev.refuse("SCT303", "`out` of `numpy.dot` may not be C-contiguous",
                  why="NumPy raises ValueError in that case", hint="write `y[...] = np.dot(a, b)`")
    if mask is None:
        result = call_named(ev, spelling, args, kwargs)
    else:
        if kwargs:
            ev.refuse("SCT205", f"the keyword `{next(iter(kwargs))}` of `{spelling}` is not supported here")
        name = spelling.removeprefix("numpy.")
        selected = ev.wrap(operand(ev, plain_containers(ev, mask)))
        chosen = ev.call_op(masked_ufunc, selected, *args, name=name)
        result = ev.call_op(BY_CALL["numpy.where"], selected, chosen, out, spelling="numpy.where")
    if isinstance(result, Tup):
        ev.refuse("SCT205", f"`{spelling}` with `out=` is not supported", why="it returns several arrays",
                  hint="leave `out` out, and assign the result to `y[...]`")
    into_out(ev, spelling, result, out, ufunc or spelling == "numpy.clip")
    assign_item(ev, out, Static(Ellipsis), result)
    return out


def into_out(ev: Evaluator, spelling: str, result: Abstract, out: Ref, ufunc: bool) -> None:
    """Refuses a result that `out` cannot hold, or may not be able to; raises where a ufunc does."""
    t, n = unmark_real(ev.type_of(out)), unmark_real(ev.type_of(result))
    assert isinstance(t, Tensor) and isinstance(n, Tensor)
    instead = "leave `out` out, and assign the result to `y[...]`"
    dtype, into = dtype_in_words(n.dtype), dtype_in_words(t.dtype)
    if ufunc and "bifc".index(n.kind) > "bifc".index(t.kind):
        ev.refuse("SCT501", f"cannot cast the result from {dtype} to {into}", why="NumPy raises where this is run")
    if n.dtype != t.dtype and not ufunc:
        ev.refuse("SCT501", f"`out` of dtype {into} for a result of dtype {dtype} of `{spelling}` is not supported",
                  hint=instead)
    ends = list(zip(reversed(n.shape), reversed(t.shape)))
    for p, q in ends:
        ev.same(p, q)
    ones = [[ev.resolve(d).value == 1 for d in pair] for pair in ends]
    if not ufunc and (n.rank != t.rank or any(p != q for p, q in ones)):
        part, whole = f"{in_words(n)}{_sizes_now(ev, n)}", f"{in_words(t)}{_sizes_now(ev, t)}"
        ev.refuse("SCT501", f"the result, {part}, does not fit into the `out`, {whole}", hint=instead)
    check_fits(ev, ev.operand(result), out, instead)


def _sizes_now(ev: Evaluator, t: Tensor) -> str:
    """The shape for the current arguments, for a message; nothing where it is not known."""
    sizes = tuple(map(ev.size_now, t.shape))
    return "" if None in sizes else f" of shape {sizes}"


BUFFERED = frozenset((
    "all", "any", "around", "choose", "clip", "compress", "cumprod", "cumsum", "dot", "einsum", "max", "mean", "median",
    "min", "nanmax", "nanmean", "nanmin", "nansum", "outer", "prod", "round", "std", "sum", "take", "var"))
"""Functions that are no ufuncs, and write an `out` as if all operands were read before, as ufuncs do."""


def shares(ev: Evaluator, v: Abstract, out: Ref) -> bool:
    """Does this argument, or a part of it, share memory with `out`?"""
    if isinstance(v, (Tup, ListRef)) and not dynamic_lists.is_dynamic(ev, v):
        return any(shares(ev, x, out) for x in items_of(ev, v))
    return isinstance(v, Ref) and v.addr == out.addr


def _keeps_c_order(step: Step) -> bool:
    """Is this view of a contiguous array contiguous: integers, then one slice without a step?"""
    if step.op.name in ("reshape", "ravel", "expand_dims", "squeeze"):
        return True
    if step.op.name != "index":
        return False
    key = step.attrs["key"]
    return all(k == "i" for k in key[:-1]) and (key[-1] == "i" or key[-1][0] == "s" and key[-1][3] == "0")


def view(ev: Evaluator, owner: Ref, eqn: Eqn) -> Abstract:
    """The result of an equation that shares memory with its operand, or may."""
    op, alias, args = eqn.op, aliases(eqn), eqn.args[1:]
    if op is stop_gradient:
        # The same array to Python, another one to the derivative: neither is written from here on.
        result = ev.wrap(eqn.out)
        assert isinstance(result, Ref)
        freeze_together(ev, owner.addr, result.addr)
        return result
    if alias == "same":
        return owner
    whole = ev.step(owner, op, args, eqn.attrs, eqn.spelling, is_readonly(eqn))
    if alias == "view":
        return whole
    cell = ev.store.cells[owner.addr]
    assert isinstance(cell, Array)
    source = ev.type_of(owner)
    one_axis = op.name == "reshape" and isinstance(source, Tensor) and source.rank == 1  # any stride splits
    if one_axis or all(map(_keeps_c_order, owner.path)) and contiguous(ev, cell.layout):
        return whole
    is_one = is_view(ev, whole)
    if is_one is not None:
        return whole if is_one else ev.wrap(eqn.out)
    # A view or a copy: as long as neither is written, no one can tell.
    result = ev.wrap(eqn.out)
    assert isinstance(result, Ref)
    freeze_together(ev, owner.addr, result.addr)
    return result


def operand(ev: Evaluator, x: Any) -> Operand:
    """An operand as `bind` gives it; a list of numbers and arrays is the array that NumPy makes of it."""
    if isinstance(x, (Lit, Value)):
        return x
    if isinstance(x, (list, tuple)):
        array = BY_CALL["numpy.array"]
        assert array.bind is not None
        parts, attrs = array.bind(x)
        return ev.emit(array, *(operand(ev, p) for p in parts), spelling="numpy.array", **attrs)  # type: ignore
    return ev.operand(x if isinstance(x, get_args(Abstract)) else Static(x))


def plain_containers(ev: Evaluator, v: Abstract) -> Any:
    """Lists, tuples and iterators of abstract values as Python lists and tuples."""
    if dynamic_lists.is_dynamic(ev, v):
        return nested(ev, v)
    if isinstance(v, (Tup, ListRef)):
        parts = [plain_containers(ev, x) for x in items_of(ev, v)]
        return tuple(parts) if isinstance(v, Tup) else parts
    if isinstance(v, Iteration) and v.kind == "range":
        return [plain_containers(ev, x) for x in items_of(ev, v)]
    return nested(ev, v)


_REAL = frozenset(("ord", "left", "right"))
"""Options that are numbers in a formula; an int among others (an axis) has derivative zero."""


def static_attr(ev: Evaluator, name: str, v: Any) -> Any:
    """An attribute of an op: known now, or asked."""
    if isinstance(v, (Value, Ref)):
        value = ev.ask(v, f"`{name}`")
        if (isinstance(value, float) or name in _REAL) and ev.is_varied(ev.operand(v)):
            ev.refuse("SCT401", f"sct has no derivative with respect to `{name}`, which depends on a differentiated "
                      "value",
                      why="the gradient would silently miss that part",
                      hint="pass sct.stop_gradient(...) of it, or write the formula out")
        return value
    if isinstance(v, Lit):
        return v.value
    if isinstance(v, tuple):
        return tuple(static_attr(ev, name, x) for x in v)
    if isinstance(v, list):
        return [static_attr(ev, name, x) for x in v]
    return v
