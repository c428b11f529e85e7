"""The roots of a polynomial, by the theorem of implicit functions:

    r = np.roots(p)   ->   r0 = <the eigenvalues of the companion matrix>;  r = solution(r0, p, body=np.polyval(p, r))

NumPy leaves out coefficients that are 0 at both ends, which the roots depend on all the same: a root at 0 moves
with the last coefficient. A root that is multiple has no derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import as_solution, function_of
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.heap.inactive import is_varied
from sct.frontend.numpy_library.stand_ins import as_roots
from sct.frontend.values.abstract_values import Abstract, Static
from sct.ir import is_float

__all__: list[str] = []


@special(as_roots)
def _as_roots(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    roots, p = args
    if not is_varied(ev, p) or not is_float(ev.operand(roots)):
        return roots
    region = function_of(ev, Static(_value), [roots, p], {}, "the polynomial")
    return ev.wrap(as_solution(ev, ev.operand(roots), region.fn.replace(results=(region.outs[0],))))


def _value(roots: Any, p: Any) -> Any:
    return np.polyval(p, roots)
