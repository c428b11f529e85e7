"""The function as sct read it: the primal, taken out of the IR of its derivative and emitted.

    f_grad(x): y, dx = vjp(x, 1.0, body=f); return dx    ->    f(x): f's equations; return (y, (final contents of x,))

The emitted primal has the parameters of the emitted derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sct.codegen import Source
from sct.frontend import Traced
from sct.frontend.values.primal_record import ArgumentPart, PrimalRecord
from sct.ir import Eqn, Fn, Operand, Value, rebuild, walk
from sct.ir.pytrees.pytree import Const, Leaf, Node, Tree
from sct.ir.pytrees.user_objects import gradient_class
from sct.ir.real_ints import counts_as_real
from sct.ops import unwrap
from sct.passes.pipeline import differentiates

__all__ = ["Primal", "primal_of"]

_ALWAYS_RAISES = PrimalRecord((), (), Const(None), (), ())
"""The reading of a function that always raises."""


@dataclass(frozen=True)
class Primal:
    """The function as it was read, as NumPy code.

    run        run(*args, **kwargs, **free) -> (value, the final contents of `written`)
    unwritten  the parts of the arguments that it does not change
    written    the parts of the arguments that it changes
    differentiates  whether it contains derivatives of other functions, in which sums may be rounded differently
    """

    source: Source
    run: Callable[..., Any]
    unwritten: tuple[ArgumentPart, ...]
    written: tuple[ArgumentPart, ...]
    differentiates: bool


def primal_of(traced: Traced, emit: Callable[[Traced], Source]) -> Primal:
    """The primal of `traced`; `emit` makes NumPy code of it."""
    reading = traced.primal_record or _ALWAYS_RAISES
    name, n = f"{traced.name}_as_read", len(reading.outs)
    fn = traced.fn.replace(name=name, results=(*reading.outs, *(x for _, x in reading.written)))
    fn = _with_new_values(_inlined(fn, reading) if traced.primal_record else fn)
    written = tuple(place for place, _ in reading.written)
    value = _constructible(reading.value)
    rest = Node("tuple", tuple(range(len(written))), tuple(Leaf(n + k) for k in range(len(written))))
    source = emit(replace(traced, fn=fn, name=name, comment="", result=Node("tuple", (0, 1), (value, rest))))
    return Primal(source, _load(source), reading.unwritten, written, differentiates(fn))


def _constructible(tree: Tree) -> Tree:
    """The tree with namespaces in the place of objects that only code of the user can make."""
    if not isinstance(tree, Node):
        return tree
    return replace(tree, children=tuple(map(_constructible, tree.children)),
                   cls=gradient_class(tree.cls, tree.keys) if tree.kind == "object" else tree.cls)


def _load(source: Source) -> Callable[..., Any]:
    """The function of the source, without registering its text for tracebacks."""
    namespace: dict[str, Any] = {"__name__": "sct.emitted", **source.bindings}
    exec(compile(source.text, f"<sct {source.function_name}>", "exec"), namespace)
    run: Callable[..., Any] = namespace[source.function_name]
    return run


def _inlined(fn: Fn, reading: PrimalRecord) -> Fn:
    """`fn` with the body of the differentiated function in the place of the equation that differentiates it."""
    eqns: list[Eqn] = []
    env: dict[Value, Operand] = {}
    block = fn
    while block.params != reading.params:
        at = next(k for k, eqn in enumerate(block.eqns) if any(_contains(r, reading) for r in eqn.regions))
        eqns += block.eqns[:at]
        args = block.eqns[at].args
        block = next(r for r in block.eqns[at].regions if _contains(r, reading))
        for p, x in zip(block.params, args):
            env[p] = env.get(x, x) if isinstance(x, Value) else x
            if counts_as_real(p.type):
                marked = Value(p.type, p.hint, p.dim)
                eqns.append(Eqn(unwrap, (env[p],), (marked,), {"to": p.type}))
                env[p] = marked
    return rebuild(fn.replace(eqns=(*eqns, *block.eqns)), env)


def _contains(region: Fn, reading: PrimalRecord) -> bool:
    return region.params == reading.params or any(r.params == reading.params for e in walk(region) for r in e.regions)


def _with_new_values(program: Fn) -> Fn:
    """A copy that shares no value with `program`."""
    functions = tuple(rebuild(f, fresh=True) for f in program.functions)
    return rebuild(program.replace(functions=()), fresh=True).replace(functions=functions)
