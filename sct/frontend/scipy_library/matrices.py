"""Functions of matrices of `scipy.linalg` that are differentiated where their result is real."""

from __future__ import annotations

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import check_value, is_varied, may_be_differentiated
from sct.frontend.scipy_library.by_program import array_of_floats
from sct.frontend.values.abstract_values import Abstract, Ref, Static
from sct.ops.program.solutions import solver
from sct.ops.scipy.linear_systems import root_of

__all__: list[str] = []


@of_scipy("scipy.linalg.sqrtm")
def _root(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    (a,) = args if len(args) == 1 and not kwargs else (Static(None),)
    if not isinstance(a, Ref) or ev.is_observed and not (is_varied(ev, a) or may_be_differentiated(ev, a)):
        ev.refuse("SCT207", "`sqrtm` is left to Python")
    x = ev.operand(array_of_floats(ev, "scipy.linalg.sqrtm", a, (2,)))
    root = ev.emit(solver, x, text="scipy.linalg.sqrtm(_0)", type=x.type)
    check_value(ev, root, "_0.dtype == 'float64'", "the root of this matrix must be real")
    result = ev.wrap(ev.emit(root_of, root, x))
    assert isinstance(result, Ref)
    ev.freeze(result.addr)
    return result
