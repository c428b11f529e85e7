"""Integrals of functions: SciPy integrates as it does, and the rule of Leibniz differentiates the result.

    I, error = quad(f, a, b)   ->   f = closure(body=...);  found = solver(f, a, b);  I0 = part(found, text="_0[0]")
                                    I = integral(I0, a, b, p, body=<f of x and p>)
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

from sct.frontend.autodiff.differentiated_region import Region
from sct.frontend.autodiff.implicit_functions import with_params_for_reads
from sct.frontend.autodiff.solvers import defined, function_of_unknown
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import template_of
from sct.frontend.values.abstract_values import Abstract, Poison, Static, Tup
from sct.ir import Eqn, Fn, Operand, Value
from sct.ir.dims import Dim, sym
from sct.ir.pytrees.pytree import Leaf
from sct.ir.types import FLOAT, Tensor, in_words
from sct.ops.program.effects import OBJECT, inactive, part
from sct.ops.program.solutions import integral, solver

__all__: list[str] = []

_OPTIONS = {"quad": ("epsabs", "epsrel", "limit", "points"),
            "quad_vec": ("epsabs", "epsrel", "norm", "cache_size", "limit", "points", "quadrature")}
"""The options with which a function integrates the given function, and returns the integral and its error alone."""


_OF_WEIGHT = "multiply the function by a weight 'cos' or 'sin': `quad(lambda x: f(x) * np.cos(w * x), a, b)`"
_OF_PARTS = "integrate both parts: `quad(lambda x: f(x).real, a, b)[0] + 1j * quad(lambda x: f(x).imag, a, b)[0]`"
_INSTEAD = {"weight": _OF_WEIGHT, "wvar": _OF_WEIGHT, "complex_func": _OF_PARTS}
"""What to write in place of an option without which the integral is another one."""


def _integrate(ev: Evaluator, name: str, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of `name`: the integral, and an estimate of its error."""
    function = getattr(sys.modules["scipy.integrate"], name)
    signature, arguments = inspect.signature(function), named_arguments(ev, function, args, kwargs)
    for key, v in arguments.items():
        default = signature.parameters[key].default
        if key not in (*list(signature.parameters)[:3], "args", *_OPTIONS[name]) and not (
                isinstance(v, Static) and (v.value is default or v.value == default)):
            ev.refuse("SCT402", f"`{name}` is not differentiated with this `{key}`",
                      why="the result need not be the integral of the function, or is more than that",
                      hint=_INSTEAD.get(key, f"leave `{key}` out"))
    f, *limits = (arguments[key] for key in list(signature.parameters)[:3])
    extra = arguments.get("args", Tup(()))
    extra = extra.items if isinstance(extra, Tup) and extra.cls is tuple else (extra,)
    region = function_of_unknown(ev, f, extra, FLOAT, name)
    _check_integrand(ev, name, region)
    a, b = (_limit(ev, name, v) for v in limits)
    operands: list[Operand] = [defined(ev, region, f, "integrand"), a, b]
    options = _options(ev, name, arguments, operands)
    keywords = "".join(f", {key}={text}" for key, text in options)
    solver_result = ev.emit(solver, *operands, text=f"scipy.integrate.{name}(_0, _1, _2{keywords})", type=OBJECT)
    t = region.outs[0].type
    assert isinstance(t, Tensor)
    value = ev.emit(part, solver_result, text="_0[0]", type=Tensor("array", "f64", t.shape) if t.rank else FLOAT)
    f_name = operands[0].hint if isinstance(operands[0], Value) else None
    result = _as_integral(ev, name, value, operands[1:], options, region.fn.replace(
        name=f_name or "integrand", results=tuple(region.outs)))
    return Tup((ev.wrap(result), ev.wrap(ev.emit(part, solver_result, text="_0[1]", type=OBJECT))))


for _name in _OPTIONS:
    of_scipy(f"scipy.integrate.{_name}")(
        lambda ev, args, kwargs, name=_name: _integrate(ev, name, args, kwargs))  # type: ignore[misc]


def _at(limit: Any, *x: Any) -> Any:
    return limit(*x) if callable(limit) else limit


def _double(quad: Any, func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any, options: Any) -> Any:
    """As SciPy does: one `quad` in the other."""
    def inner(x: Any) -> Any:
        return quad(lambda y: func(y, x, *args), _at(gfun, x), _at(hfun, x), **options)[0]

    return quad(inner, a, b, **options)[0]


def _triple(quad: Any, func: Any, a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any,
            options: Any) -> Any:
    def area(x: Any) -> Any:
        def line(y: Any) -> Any:
            return quad(lambda z: func(z, y, x, *args), _at(qfun, x, y), _at(rfun, x, y), **options)[0]

        return quad(line, _at(gfun, x), _at(hfun, x), **options)[0]

    return quad(area, a, b, **options)[0]


def _multiple(name: str, program: Any) -> Any:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        """The value alone: the estimate of the error is the largest of those of all integrals."""
        function = getattr(sys.modules["scipy.integrate"], name)
        arguments = named_arguments(ev, function, args, kwargs)
        options = {key: arguments.pop(key) for key in ("epsabs", "epsrel") if key in arguments}
        more = arguments.pop("args", Tup(()))
        quad = Static(sys.modules["scipy.integrate"].quad)
        value = ev.call(Static(program), [quad, *arguments.values(), more, ev.new_dict(options)])
        return Tup((value, Poison(f"the error of `{name}` is not read where its integral is differentiated")))

    return handle


of_scipy("scipy.integrate.dblquad")(_multiple("dblquad", _double))
of_scipy("scipy.integrate.tplquad")(_multiple("tplquad", _triple))


@of_scipy("scipy.integrate.nquad")
def _nested(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    ev.refuse("SCT402", "sct does not differentiate `nquad`",
              hint="write one `quad` in the other: `quad(lambda x: quad(lambda y: f(y, x), c, d)[0], a, b)[0]`")


@of_scipy("scipy.integrate._quadrature._cached_roots_legendre")
def _nodes(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The nodes and weights of `fixed_quad`, which SciPy keeps in a dict."""
    solver_result = ev.emit(inactive, ev.operand(args[0]), text="scipy.special.roots_legendre(_0)", type=OBJECT)
    size = Dim(n) if isinstance(n := getattr(ev.operand(args[0]), "value", None), int) else \
        sym(f"_nodes{solver_result.id}")
    vector = Tensor("array", "f64", (size,))
    return Tup(tuple(ev.wrap(ev.emit(part, solver_result, text=f"_0[{k}]", type=vector)) for k in range(2)))


def _check_integrand(ev: Evaluator, name: str, region: Region) -> None:
    t = region.outs[0].type if isinstance(region.out, Leaf) else None
    if not isinstance(t, Tensor) or t.kind not in "fi" or t.rank and (name == "quad" or t.kind != "f"):
        what = in_words(t) if isinstance(t, Tensor) else "no number"
        ev.refuse("SCT402", f"the function that `{name}` integrates returns {what}",
                  hint="return a float" if name == "quad" else "return a float, or an array of floats")


def _limit(ev: Evaluator, name: str, v: Abstract) -> Operand:
    x = ev.operand(v)
    if not isinstance(x.type, Tensor) or x.type.rank or x.type.kind not in "fi":
        what = in_words(x.type) if isinstance(x.type, Tensor) else "no number"
        ev.refuse("SCT402", f"a limit of `{name}` is {what}",
                  hint="integrate between two numbers; for many limits, in a loop")
    return x


def _options(ev: Evaluator, name: str, arguments: Mapping[str, Abstract], operands: list[Operand]
             ) -> tuple[tuple[str, str], ...]:
    """The options that are given, and their texts; adds the operands that these read."""
    options: list[tuple[str, str]] = []
    for key in _OPTIONS[name]:
        if key in arguments:
            text = template_of(ev, arguments[key], operands)
            if text is None:
                ev.refuse("SCT402", f"`{key}` of `{name}` is not a number, a text or a list of these",
                          hint="pass what SciPy needs as a float, an array or a list")
            options.append((key, text))
    return tuple(options)


def _as_integral(ev: Evaluator, name: str, value: Value, operands: list[Operand], options: Any, fn: Fn) -> Value:
    """`value` as the integral of `fn`, a function of its variable and of numbers that it reads."""
    fn, reads, params = with_params_for_reads(ev, fn)
    out = Value(value.type)
    attrs = {"function": name, "options": options, "given": len(operands) - 2}
    ev.b.add(Eqn(integral, (value, *operands, *reads), (out,), attrs, (fn.replace(params=(*fn.params, *params)),),
                 loc=ev.loc))
    return out
