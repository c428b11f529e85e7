"""The ops: one entry each, under the name of the entry (with _ where that is a builtin's).

`OPS` finds them by name, `BY_CALL` by spelling.

>>> BY_CALL["operator.add"] is OPS["add"] is add
True
"""

from sct.ops import lists as lists
from sct.ops.adjoint import unbroadcast, zero
from sct.ops.arithmetic import (
    abs_,
    add,
    bool_,
    div,
    fabs,
    float_,
    floordiv,
    int_,
    item,
    mod,
    mul,
    neg,
    npround,
    pos,
    quotient,
    round_,
    sign,
    stop_gradient,
    sub,
)
from sct.ops.calls import boundary, call, pack, unpack
from sct.ops.comparison import eq, ge, gt, is_none, isfinite, isinf, isnan, le, lt, ne, not_, unwrap
from sct.ops.control import closure, cond, jvp, loop, pullback, vjp
from sct.ops.creation import (
    astype,
    cast_like,
    copy,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    ones,
    ones_like,
    to_f32,
    to_f64,
    to_i64,
    zeros,
    zeros_like,
    zeros_of,
)
from sct.ops.decompositions import eigh, eigvalsh, svd, svdvals
from sct.ops.differences import diff, ediff1d, gradient, trapezoid
from sct.ops.effects import apply, fstring, print_, python, raise_
from sct.ops.einsum import einsum
from sct.ops.elementwise import (
    clip,
    fmax,
    fmin,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    pymax,
    pymin,
    where,
)
from sct.ops.functions import (
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    cbrt,
    ceil,
    copysign,
    cos,
    cosh,
    deg2rad,
    digamma,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    floor,
    fmod,
    gamma,
    hypot,
    ldexp,
    lgamma,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    polygamma,
    rad2deg,
    reciprocal,
    remainder,
    rint,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
    trunc,
)
from sct.ops.indexing import add_at, advanced, index, store, winners
from sct.ops.joining import array, asarray, concatenate, stack
from sct.ops.leastsquares import lstsq, matrix_rank, pinv, qr
from sct.ops.linalg import cholesky, det, inv, slogdet, solve
from sct.ops.norms import condition, norm
from sct.ops.powers import mathpow, pow_
from sct.ops.products import dot, inner, matmul, outer, vdot
from sct.ops.ranges import arange, linspace
from sct.ops.reductions import (
    all_,
    any_,
    argmax,
    argmin,
    expand_like,
    max_,
    mean,
    min_,
    others,
    prod,
    sum_,
    unbroadcast_like,
)
from sct.ops.registry import BY_CALL, ELEMENTWISE, OPS, aliases, template
from sct.ops.shape import (
    broadcast_to,
    dim,
    expand_dims,
    flatten,
    moveaxis,
    ravel,
    reshape,
    reshape_as,
    reshape_like,
    shape_of,
    size,
    squeeze,
    swapaxes,
    transpose,
)
from sct.ops.statistics import cumsum, flip, std, var
from sct.ops.tensor import kron, matrix_power, multi_dot, tensordot, trace
from sct.ops.triangles import tril, triu

__all__ = [
    "BY_CALL", "ELEMENTWISE", "OPS", "abs_", "add", "add_at", "advanced", "aliases", "all_", "any_", "apply", "arange",
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "array", "asarray",
    "astype", "bool_", "boundary", "broadcast_to", "call", "cast_like", "cbrt", "ceil", "cholesky", "clip", "closure",
    "concatenate", "cond", "condition", "copy", "copysign", "cos", "cosh", "cumsum", "deg2rad", "det", "diff",
    "digamma", "dim", "div", "dot", "ediff1d", "eigh", "eigvalsh", "einsum", "empty", "empty_like", "eq", "erf",
    "erfc", "exp", "exp2", "expand_dims", "expand_like", "expm1", "eye", "fabs", "flatten", "flip", "float_", "floor",
    "floordiv", "fmax", "fmin", "fmod", "fstring", "full", "full_like", "gamma", "ge", "gradient", "gt", "hypot",
    "index", "inner", "int_", "inv", "is_none", "isfinite", "isinf", "isnan", "item", "jvp", "kron", "ldexp", "le",
    "lgamma", "linspace", "log", "log10", "log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or",
    "logical_xor", "loop", "lstsq", "lt", "mathpow", "matmul", "matrix_power", "matrix_rank", "max_", "maximum",
    "mean", "min_", "minimum", "mod", "moveaxis", "mul", "multi_dot", "ne", "neg", "norm", "not_", "npround", "ones",
    "ones_like", "others", "outer", "pack", "pinv", "polygamma", "pos", "pow_", "print_", "prod", "pullback", "pymax",
    "pymin", "python", "qr", "quotient", "rad2deg", "raise_", "ravel", "reciprocal", "remainder", "reshape",
    "reshape_as", "reshape_like", "rint", "round_", "shape_of", "sign", "sin", "sinh", "size", "slogdet", "solve",
    "sqrt", "square", "squeeze", "stack", "std", "stop_gradient", "store", "sub", "sum_", "svd", "svdvals", "swapaxes",
    "tan", "tanh", "template", "tensordot", "to_f32", "to_f64", "to_i64", "trace", "transpose", "trapezoid", "tril",
    "triu", "trunc", "unbroadcast", "unbroadcast_like", "unpack", "unwrap", "var", "vdot", "vjp", "where", "winners",
    "zero", "zeros", "zeros_like", "zeros_of",
]
