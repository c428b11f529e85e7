"""The function as it was read, taken out of the IR of its derivative, before anything is differentiated.

    f_grad(x): y, dx = vjp(x, 1.0, body=f); return dx      ->      f(x): f's equations; return (y, (what x holds then,))

What is emitted takes what the emitted derivative takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sct.codegen import Source
from sct.frontend import Traced
from sct.frontend.values.primal_record import Place, Reading
from sct.ir import Eqn, Fn, Operand, Value, rebuild, walk
from sct.ir.pytree import Const, Leaf, Node
from sct.ir.real_ints import counts_as_real
from sct.ops import unwrap
from sct.passes.pipeline import differentiates

__all__ = ["Primal", "primal_of"]

_RAISES = Reading((), (), Const(None), (), ())
"""What there is to say of a function that raises for certain."""


@dataclass(frozen=True)
class Primal:
    """The function as it was read, as NumPy code.

    run        run(*args, **kwargs, **free) -> (value, the contents of `written`)
    unwritten  the parts of the arguments that it leaves as they are
    written    those that it says the final contents of
    differentiates  whether it holds derivatives of other functions, whose sums may be added up in another order
    """

    source: Source
    run: Callable[..., Any]
    unwritten: tuple[Place, ...]
    written: tuple[Place, ...]
    differentiates: bool


def primal_of(traced: Traced, emit: Callable[[Traced], Source]) -> Primal:
    """What `traced` differentiates; `emit` makes NumPy code of it."""
    reading = traced.reading or _RAISES
    name, n = f"{traced.name}_as_read", len(reading.outs)
    fn = traced.fn.with_(name=name, results=(*reading.outs, *(x for _, x in reading.written)))
    fn = _fresh(_in_line(fn, reading) if traced.reading else fn)
    written = tuple(place for place, _ in reading.written)
    rest = Node("tuple", tuple(range(len(written))), tuple(Leaf(n + k) for k in range(len(written))))
    source = emit(replace(traced, fn=fn, name=name, comment="", result=Node("tuple", (0, 1), (reading.value, rest))))
    return Primal(source, _loaded(source), reading.unwritten, written, differentiates(fn))


def _loaded(source: Source) -> Callable[..., Any]:
    """The function of the source, whose text nobody will ask for."""
    namespace: dict[str, Any] = {"__name__": "sct.emitted", **source.bindings}
    exec(compile(source.text, f"<sct {source.function_name}>", "exec"), namespace)
    run: Callable[..., Any] = namespace[source.function_name]
    return run


def _in_line(fn: Fn, reading: Reading) -> Fn:
    """The equations before the one that differentiates the function, and its own, with the results of `fn`."""
    eqns: list[Eqn] = []
    env: dict[Value, Operand] = {}
    block = fn
    while block.params != reading.params:
        at = next(k for k, eqn in enumerate(block.eqns) if any(_leads_to(r, reading) for r in eqn.regions))
        eqns += block.eqns[:at]
        given = block.eqns[at].args
        block = next(r for r in block.eqns[at].regions if _leads_to(r, reading))
        for p, x in zip(block.params, given):
            env[p] = env.get(x, x) if isinstance(x, Value) else x
            if counts_as_real(p.type):
                marked = Value(p.type, p.hint, p.dim)
                eqns.append(Eqn(unwrap, (env[p],), (marked,), {"to": p.type}))
                env[p] = marked
    return rebuild(fn.with_(eqns=(*eqns, *block.eqns)), env)


def _leads_to(region: Fn, reading: Reading) -> bool:
    return region.params == reading.params or any(r.params == reading.params for e in walk(region) for r in e.regions)


def _fresh(program: Fn) -> Fn:
    """A copy that shares no value with the program."""
    functions = tuple(rebuild(f, fresh=True) for f in program.functions)
    return rebuild(program.with_(functions=()), fresh=True).with_(functions=functions)
