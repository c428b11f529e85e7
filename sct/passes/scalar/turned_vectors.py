"""Turned vectors: those of equal values are turned only where second derivatives need it.

    R = turn(P); diag(R.T @ P @ R)   ->   diag(P)

In:  a program. Out: a program where the tangents of eigenvalues are those along any of the vectors of equal values, if
there are no second derivatives; a symmetric function of them has the same derivative. Where there are, the tangents of
eigenvalues and of their derivatives are along the same vectors.
"""

from __future__ import annotations

from sct.ir.core import Eqn, Fn, Operand, Value, rebuild, substitute, walk
from sct.ops.arrays.shape import swapaxes, transpose
from sct.ops.linalg.products import matmul
from sct.ops.linalg.spectral_sums import turn
from sct.ops.scalar.arithmetic import conj

__all__ = ["turn_vectors"]


def turn_vectors(program: Fn) -> Fn:
    """The program with all turns, or with none."""
    functions = (program, *program.functions)
    turns = [eqn for fn in functions for eqn in walk(fn) if eqn.op is turn]
    if not any(eqn.attrs["first"] for eqn in turns):
        return program
    change = _without_turns if all(eqn.attrs["first"] for eqn in turns) else _with_turns
    return change(program).replace(functions=tuple(change(fn) for fn in program.functions))


def _with_turns(fn: Fn) -> Fn:
    """Turns are the same for tangents of eigenvalues and of their derivatives."""
    eqns = tuple(eqn.replace(attrs={**eqn.attrs, "first": False}) if eqn.op is turn else
                 eqn.replace(regions=tuple(map(_with_turns, eqn.regions))) for eqn in fn.eqns)
    return fn.replace(eqns=eqns)


def _without_turns(fn: Fn) -> Fn:
    identities: set[Operand] = set()
    products: dict[Value, Operand] = {}
    for eqn in walk(fn):
        if eqn.op is turn or eqn.op in (transpose, swapaxes, conj) and eqn.args[0] in identities:
            identities.add(eqn.outs[0])
        elif eqn.op is matmul and not identities.isdisjoint(eqn.args):
            products[eqn.outs[0]] = _other_factor(eqn, identities, products)
    return rebuild(fn, products)


def _other_factor(eqn: Eqn, identities: set[Operand], products: dict[Value, Operand]) -> Operand:
    """The factor of a product that is not an identity."""
    a, b = eqn.args
    return substitute((b if a in identities else a,), products)[0]
