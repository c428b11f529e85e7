"""Dense derivatives, inside differentiated functions and at the top: `jacfwd`, `jacrev`, `jacobian`, `hessian`.

Each is one equation, `jacobian`, of the function as a region; a Hessian is the `jacfwd` of a `jacrev`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sct.frontend.autodiff.differentiated_region import (
    Region,
    check_complex,
    evaluate,
    gradient,
    is_complex,
    is_int,
    positions,
    some_number,
    without_constants,
)
from sct.frontend.autodiff.nested_derivatives import APPLY
from sct.frontend.autodiff.value_trees import rebuild_tree
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs
from sct.frontend.transform import Transform
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, Static, Tup
from sct.frontend.values.guards import UNKNOWN, Guard
from sct.frontend.values.size_terms import At, value_of_size
from sct.ir import Eqn, Lit, Operand, Value, is_float
from sct.ir.dims import Dim
from sct.ir.pytrees.pytree import Leaf
from sct.ir.pytrees.pytree import leaves as leaves_of
from sct.ir.types import List, Tensor, in_words
from sct.ops.program.control import block_type, jacobian

__all__ = ["run_hessian", "run_jacobian"]


def run_jacobian(ev: Evaluator, t: Transform, f: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    """The derivative of every number of the output by every one of the arguments: the output's arrangement,
    each leaf that of the arguments."""
    where = positions(ev, f, t.argnums, args, kwargs)
    region = evaluate(ev, f, args, kwargs, where, has_aux=t.has_aux, strict=True)
    some_number(ev, region)
    if is_int(region):
        region = with_constant(region)
    seeded = _outputs(ev, region)
    for x in (*region.fn.params, *(region.outs[k] for k in seeded)):
        if isinstance(x.type, List):
            ev.refuse("SCT413", f"`{x.hint or 'this'}`, a list of any length, has no Jacobian",
                      why="its numbers are not the elements of an array", hint="use np.array of it, or a tuple")
    mode = _complex_mode(ev, t, region, seeded) or {"jacfwd": "forward", "jacrev": "reverse"}.get(t.kind) or \
        _cheaper(ev, region, seeded)
    outs = [Value(x.type, x.hint, x.dim) for x in region.outs]
    params = region.fn.params
    blocks = {(y, x): Value(block_type(region.outs[y], p, mode)) for y in seeded for x, p in enumerate(params)}
    ev.b.add(Eqn(jacobian, tuple(region.primals), (*outs, *blocks.values()),
                 {"wrt": tuple(range(len(params))), "seeded": tuple(seeded), "mode": mode,
                  "name": "hess" if any(e.op is jacobian for e in region.fn.eqns) else "jac"},
                 (region.fn,), loc=ev.loc))

    def of_output(y: int) -> Abstract:
        if y not in seeded:
            return Static(None)
        row = [blocks[y, x] for x in range(len(params))]
        rows = [gradient(ev, region, k, row) for k in range(len(where))]
        return Tup(tuple(rows)) if isinstance(t.argnums, tuple) else rows[0]

    result = rebuild_tree(ev, without_constants(region.out), of_output)
    return result if region.aux is None else Tup((result, rebuild_tree(ev, region.aux, lambda k: ev.wrap(outs[k]))))


def with_constant(region: Region) -> Region:
    """The region with 0.0 as its result, whose derivatives are those of an int."""
    assert isinstance(region.out, Leaf)
    outs: list[Operand] = list(region.outs)
    outs[region.out.index] = Lit(0.0)
    return replace(region, outs=outs, fn=region.fn.replace(results=tuple(outs)))


def _complex_mode(ev: Evaluator, t: Transform, region: Region, seeded: Sequence[int]) -> str | None:
    """The mode that complex outputs of real arguments need."""
    ys = [region.outs[k] for k in seeded]
    if t.holomorphic:
        check_complex(ev, t, region, ys)
        return None
    if any(map(is_complex, region.fn.params)):
        ev.refuse("SCT405", "an argument is complex: only a holomorphic function has a Jacobian with respect to it",
                  hint="pass holomorphic=True, or differentiate by the real and the imaginary part")
    if not any(map(is_complex, ys)):
        return None
    if t.kind == "jacrev":
        ev.refuse("SCT405", "the output is complex: jacrev takes real outputs", hint="use jacfwd")
    return "forward"


def run_hessian(ev: Evaluator, t: Transform, f: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    """Forward over reverse."""
    where = positions(ev, f, t.argnums, args, kwargs)
    argnums = tuple(where) if isinstance(t.argnums, tuple) else where[0]
    inner = replace(t, kind="jacrev", argnums=argnums)
    reverse = DerivedCallable(lambda ev, args, kwargs: run_jacobian(ev, inner, f, args, kwargs))
    return run_jacobian(ev, replace(t, kind="jacfwd", argnums=argnums), reverse, args, kwargs)


def _outputs(ev: Evaluator, region: Region) -> list[int]:
    """The results that are differentiated."""
    outputs = list(leaves_of(region.out))
    for k in outputs:
        if is_float(region.outs[k]) and not isinstance(region.outs[k].type, (Tensor, List)):
            ev.refuse("SCT405", f"the output is {in_words(region.outs[k].type)}: it cannot be differentiated",
                      hint="return a number or an array on every path")
    seeded = [k for k in outputs if is_float(region.outs[k])]
    if not seeded:
        what = in_words(region.outs[outputs[0]].type) if outputs else "no number"
        ev.refuse("SCT405", f"the output is {what}: it cannot be differentiated", hint="return a float or an array")
    return seeded


def _cheaper(ev: Evaluator, region: Region, seeded: Sequence[int]) -> str:
    """Forward mode if there are no more numbers among the arguments than in the output: a run for each.

    Which of them are more is a guard; where it is not known from the arguments, it is the reverse mode.
    """
    inputs, outputs = [list(map(_shape, xs)) for xs in (region.primals, [region.outs[k] for k in seeded])]
    sizes = dict(ev.sizes)

    def forward(leaves: Sequence[Any]) -> bool | None:
        n, m = _count(inputs, sizes, leaves), _count(outputs, sizes, leaves)
        return None if n is None or m is None else n <= m

    if inputs == outputs:
        return "forward"
    if any(leaf is UNKNOWN for leaf in ev.leaves):
        return "reverse"
    now = forward(ev.leaves)
    if now is None:
        return "reverse"
    text = f"{_text(inputs)} <= {_text(outputs)} is {now}"
    ev.guards[text] = Guard(text, lambda leaves: forward(leaves) == now, "")
    return "forward" if now else "reverse"


Shape = tuple[Dim, ...]


def _shape(x: Operand) -> Shape:
    return x.type.shape if isinstance(x.type, Tensor) else ()


def _text(shapes: Sequence[Shape]) -> str:
    return " + ".join("*".join(f"({d})" for d in shape) or "1" for shape in shapes)


def _count(shapes: Sequence[Shape], sizes: Mapping[str, At], leaves: Sequence[Any]) -> int | None:
    """The number of elements of arrays of these shapes."""
    total = 0
    for shape in shapes:
        sizes_now = [value_of_size(d, sizes, leaves) for d in shape]
        if None in sizes_now:
            return None
        total += math.prod(sizes_now)  # type: ignore[arg-type]
    return total


APPLY.update(jacfwd=run_jacobian, jacrev=run_jacobian, jacobian=run_jacobian, hessian=run_hessian)
