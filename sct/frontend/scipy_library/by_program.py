"""Functions of libraries whose derivative is that of a program of NumPy; the value is what the library computes.

    detrend(x)   ->   y0 = solver(x, text="scipy.signal.detrend(_0)");  y = y0, with the derivative of `_detrended(x)`
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sct.errors import SctError
from sct.frontend.autodiff.implicit_functions import computed_before, derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import is_varied, leave_to_python
from sct.frontend.state.fixpoint import Dead
from sct.frontend.state.observed_types import is_of_sct
from sct.frontend.values.abstract_values import Abstract, Iteration, ListRef, Ref, Static, Tup
from sct.frontend.values.constant_text import text_of
from sct.ir import Operand, Value, is_float
from sct.ir.types import LONG, Tensor
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver
from sct.ops.registry import add_operand

__all__ = ["Program", "array_of_floats", "as_floats", "by_program", "handler", "register"]

NONE = Static(None)


@dataclass(frozen=True)
class Program:
    """How a function of a library is differentiated.

    run      the program, which takes the arrays, and then the options
    arrays   the parameters that are differentiated; None where they are left out
    options  those that the program takes after them, which must be known; others must be left out
    fields   the names of the parts of the result, if it is a named tuple: the program returns as many
    ranks    how many axes the arrays may have
    needs    functions of SciPy that the program takes last
    takes    what values of options the program knows
    integers do arrays of integers stay what they are?  Else the program gets floats
    complex  is the program right for complex arrays?
    counts   those of the arrays that hold counts, by which there is no derivative
    is_root  is the result the root of that of the program?
    by_value does the program take what the library has computed last?  It is None where its result has the same type,
             and perhaps other signs
    instead  what to write in place of a parameter that must be left out, where that gives another result
    reads    how parts of the result are read that are of another type for some values: what raises for those
    """

    run: Callable[..., Any]
    arrays: Sequence[str]
    options: Sequence[str] = ()
    fields: Sequence[str] = ()
    ranks: Sequence[int] = (1, 2, 3)
    needs: Sequence[str] = ()
    takes: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    integers: bool = False
    complex: bool = False
    counts: Sequence[str] = ()
    is_root: bool = False
    by_value: bool = False
    instead: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[int, str] = field(default_factory=dict)


def register(module: str, programs: Mapping[str, Program]) -> None:
    """Registers handlers of functions of a module of SciPy."""
    for name, program in programs.items():
        of_scipy(f"{module}.{name}")(handler(f"{module}.{name}", program))


def handler(name: str, program: Program) -> Callable[..., Abstract]:
    """The handler of the function, or of the method of an object of a module, with this name."""

    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        function = _function(name)
        parameters = _parameters(function, program)
        arguments: dict[str, Any] = named_arguments(ev, function, args, kwargs)
        for spread in [key for key, p in inspect.signature(function).parameters.items() if p.kind is p.VAR_KEYWORD]:
            arguments.update(arguments.pop(spread, {}))
        several = next((key for key, p in parameters.items() if p.kind is p.VAR_POSITIONAL), "")
        leave_to_python(ev, function.__name__, [*arguments.get(several, ()), *(
            v for key, v in arguments.items() if key != several)])
        texts: list[str] = []
        xs: list[Abstract] = []
        options: list[Abstract] = []
        operands: list[Operand] = []
        for key, parameter in parameters.items():
            if key == several:
                pairs = [_argument(ev, name, v, program) for v in arguments.get(key, ())]
                xs.append(Tup(tuple(x for _, x in pairs)))
                texts += [f"_{k}" for k in range(len(pairs))]
                operands += [ev.operand(own) for own, _ in pairs]
                continue
            if key in program.arrays and arguments.get(key, NONE) != NONE:
                if key in program.counts and is_varied(ev, arguments[key]):
                    ev.refuse("SCT402", f"`{name}` is not differentiated by `{key}`", why="it counts something",
                              hint="pass sct.stop_gradient(...) of it, if no derivative is meant to pass")
                own, x = _argument(ev, name, arguments[key], program)
                xs.append(x)
                text = add_operand(ev.operand(own), operands)
            else:
                value = _known(ev, arguments.get(key, Static(parameter.default)), f"`{key}` of `{name}`")
                text = text_of(value)
                if key in program.arrays:
                    xs.append(NONE)
                elif key in program.options:
                    if not program.takes.get(key, lambda _: True)(value):
                        ev.refuse("SCT402", f"`{name}` with `{key}={text}` is not differentiated",
                                  hint="write it out with functions of NumPy")
                    options.append(Static(value))
                elif value != parameter.default:
                    ev.refuse("SCT402", f"`{key}` of `{name}` is not supported", hint=f"leave `{key}` out")
            if key in arguments:
                texts.append(f"{key}={text}" if key in kwargs else text)
        return by_program(ev, f"{name}({', '.join(texts)})", operands, program, [*xs, *options])

    return handle


def _known(ev: Evaluator, v: Abstract, what: str) -> Any:
    """An option: a number, a text, or a tuple or list of these, as a tuple."""
    if isinstance(v, ListRef) and ev.slots(v).schema is None:
        return tuple(ev.ask(x, what) for x in ev.slots(v).items)
    return ev.ask(v, what)


def _function(name: str) -> Any:
    """A function of a module, or a method of an object that the module holds."""
    module, _, function = name.rpartition(".")
    if module in sys.modules:
        return getattr(sys.modules[module], function)
    return getattr(_function(module), function)


def _parameters(function: Any, program: Program) -> dict[str, inspect.Parameter]:
    """The parameters of the function, in which those are named that `**kwargs` stands for."""
    own = {key: p for key, p in inspect.signature(function).parameters.items() if p.kind is not p.VAR_KEYWORD}
    more = [key for key in (*program.arrays, *program.options) if key not in own]
    return own | {key: inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None) for key in more}


def _argument(ev: Evaluator, name: str, v: Abstract, program: Program) -> tuple[Abstract, Abstract]:
    """The argument as the library gets it, and as the program does: an array of floats, or a number."""
    if isinstance(v, Iteration) and v.kind == "range":
        v = ev.call(Static(np.arange), v.parts)
    v = ev.array_of_list(v)
    t = ev.type_of(v) if isinstance(v, (Ref, Value)) else None
    is_number = 0 in program.ranks and (isinstance(v, Static) and type(v.value) in (int, float) or isinstance(
        t, Tensor) and not t.rank and t.kind in "fi" and t.dtype != "f32")
    if is_number:
        return v, v
    if isinstance(t, Tensor) and t.is_array and t.kind in "iub":
        if program.integers and t.rank in program.ranks:
            return v, v
        return v, ev.call(Static(np.asarray), [v], {"dtype": Static(float)})
    x = array_of_floats(ev, name, v, program.ranks, program.complex)
    return x, x


def by_program(ev: Evaluator, text: str, call: Sequence[Operand], program: Program, args: Args) -> Abstract:
    """The result of the library, with the derivative of that of the program."""
    paths = [f.rpartition(".") for f in program.needs]
    needs = [Static(getattr(sys.modules[module], name)) for module, _, name in paths]

    def compute(like: Abstract) -> Value:
        t = OBJECT if isinstance(like, Tup) else ev.operand(like).type
        value: Value = ev.emit(solver, *call, text=text, type=t)
        return value

    try:
        last = [NONE] if program.by_value else []
        result, like = computed_before(ev, lambda: ev.call(Static(program.run), [*args, *needs, *last]), compute)
        if program.by_value:
            with derivative_code(ev):
                like = ev.call(Static(program.run), [*args, *needs, _computed(ev, result, like)])
    except Dead:
        ev.refuse("SCT402", f"`{text.partition('(')[0]}` is not differentiated for these arguments",
                  why="the program that has its derivative raises an exception for them")
    except SctError as refusal:
        is_own = refusal.loc is None or refusal.loc == ev.loc or is_of_sct(refusal.loc.file)
        if refusal.code == "SCT209" or not is_own:  # of a function that the program calls
            raise
        ev.refuse("SCT402", f"`{text.partition('(')[0]}` is not differentiated for these arguments",
                  why=f"in the program that has its derivative, {refusal.what}", hint="write it out with functions of "
                  "NumPy")
    if not isinstance(like, Tup):
        is_active = is_float(ev.operand(like))
        return standing_for(ev, result, like, is_root=program.is_root) if is_active else ev.wrap(result)
    parts = [_part_of(ev, result, like_part, program.reads.get(k, f"_0[{k}]"))
             for k, like_part in enumerate(like.items)]
    return Tup(tuple(parts), tuple(program.fields)) if program.fields else Tup(tuple(parts))


def _computed(ev: Evaluator, result: Value, like: Abstract, text: str = "_0") -> Abstract:
    """What the library has computed, of the types of `like`."""
    if isinstance(like, Tup):
        return Tup(tuple(_computed(ev, result, x, f"{text}[{k}]") for k, x in enumerate(like.items)))
    return ev.wrap(result if text == "_0" else ev.emit(part, result, text=text, type=ev.operand(like).type))


def _part_of(ev: Evaluator, result: Value, like: Abstract, text: str) -> Abstract:
    if isinstance(like, Tup):
        return Tup(tuple(_part_of(ev, result, x, f"{text}[{k}]") for k, x in enumerate(like.items)))
    y = ev.operand(like)
    if not is_float(y):
        return ev.wrap(ev.emit(part, result, text=text, type=y.type))
    return standing_for(ev, result, like, text)


def as_floats(ev: Evaluator, what: str, v: Abstract, ranks: Sequence[int], hint: str) -> Ref:
    """`np.asarray(v, dtype=float)`, an array of floats of 64 bits with one of these numbers of axes."""
    t = ev.type_of(v) if isinstance(v, Ref) else None
    if isinstance(t, Tensor) and t.dtype in LONG:
        ev.refuse("SCT402", f"{what} is an array of numbers of more than double precision",
                  hint="convert with astype(float)")
    x = ev.call(Static(np.asarray), [v], {"dtype": Static(float)})
    t = ev.type_of(x) if isinstance(x, Ref) else None
    if not isinstance(t, Tensor) or t.rank not in ranks or t.dtype != "f64":
        ev.refuse("SCT402", f"{what} is not an array of {' or '.join(map(str, ranks))} axes", hint=hint)
    assert isinstance(x, Ref)
    return x


def array_of_floats(ev: Evaluator, name: str, v: Abstract, ranks: Sequence[int], takes_complex: bool = False,
                    instead: str = "") -> Ref:
    """The argument as an array of floats of 64 bits, or perhaps of complex numbers; `instead`: a hint for these."""
    x = ev.call(Static(np.asarray), [v])
    t = ev.type_of(x) if isinstance(x, Ref) else None
    if isinstance(t, Tensor) and t.kind == "c" and not takes_complex:
        ev.refuse("SCT402", f"`{name}` of complex numbers is not differentiated", hint=instead or
                  "where it is linear in them, call it twice: `f(z.real) + 1j * f(z.imag)`")
    is_known = isinstance(t, Tensor) and t.dtype in ("f64", *["c128"] * takes_complex)
    if not isinstance(t, Tensor) or t.rank not in ranks or not is_known:
        ev.refuse("SCT402", f"`{name}` is differentiated only for arrays of floats of 64 bits with "
                  f"{' or '.join(map(str, ranks))} axes",
                  hint="write it out with functions of NumPy" if is_known else "convert with astype(float)")
    assert isinstance(x, Ref)
    return x
