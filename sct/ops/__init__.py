"""The ops: one entry each, under the name of the entry (with _ where that is a builtin's).

`OPS` finds them by name, `BY_CALL` by spelling.

>>> BY_CALL["operator.add"] is OPS["add"] is add
True
"""

from sct.ops.arrays.concatenate import array, asarray, concatenate, stack
from sct.ops.arrays.creation import (
    astype,
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
from sct.ops.arrays.indexing import add_at, advanced, index, store, winners
from sct.ops.arrays.interpolation import interp
from sct.ops.arrays.linspace import arange, geomspace, linspace, logspace
from sct.ops.arrays.padding import pad, pad_positions
from sct.ops.arrays.rearrange import (
    array_repeat,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    diag,
    diagflat,
    diagonal,
    flip,
    fliplr,
    flipud,
    resize,
    roll,
    rollaxis,
    rot90,
    tile,
)
from sct.ops.arrays.shape import (
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
from sct.ops.arrays.stack_and_insert import (
    array_append,
    array_delete,
    array_insert,
    block,
    column_stack,
    dstack,
    hstack,
    kept_positions,
    meshgrid,
    vstack,
)
from sct.ops.arrays.take import (
    choose,
    compress,
    extract,
    flatnonzero,
    grid,
    nonzero,
    searchsorted,
    select,
    take,
    take_along_axis,
)
from sct.ops.arrays.triangles import tril, triu
from sct.ops.derivative_helpers import unbroadcast, zero
from sct.ops.linalg.cross import cross, tensorinv, tensorsolve
from sct.ops.linalg.decompositions import eigh, eigvalsh, svd, svdvals
from sct.ops.linalg.einsum import einsum
from sct.ops.linalg.least_squares import lstsq, matrix_rank, pinv, qr
from sct.ops.linalg.linalg import cholesky, det, inv, slogdet, solve
from sct.ops.linalg.norms import condition, norm
from sct.ops.linalg.products import dot, inner, matmul, outer, vdot, vecdot
from sct.ops.linalg.tensor_products import kron, matrix_power, multi_dot, tensordot, trace
from sct.ops.program import list_ops
from sct.ops.program.call_ops import boundary, call, pack, unpack
from sct.ops.program.control import closure, cond, jvp, loop, pullback, vjp
from sct.ops.program.effects import apply, enter, fstring, leave, print_, python, raise_
from sct.ops.reductions.counting import (
    allclose,
    argwhere,
    array_equal,
    bincount,
    count_nonzero,
    digitize,
    isclose,
    tril_indices,
    triu_indices,
    weighted_bincount,
)
from sct.ops.reductions.covariance import corrcoef, cov
from sct.ops.reductions.cumulative import average, cumprod, ptp, running_max, running_min
from sct.ops.reductions.differences import diff, ediff1d, gradient, trapezoid
from sct.ops.reductions.masked_reductions import (
    all_where,
    any_where,
    max_where,
    mean_where,
    min_where,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
    prod_where,
    std_where,
    sum_where,
    var_where,
)
from sct.ops.reductions.masked_ufuncs import masked_ufunc
from sct.ops.reductions.reductions import (
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
from sct.ops.reductions.signals import convolve, correlate, polyval, vander
from sct.ops.reductions.sorting import (
    argpartition,
    argsort,
    median,
    partition,
    partition_order,
    percentile,
    positions,
    quantile,
    sort,
    unique,
    unique_index,
)
from sct.ops.reductions.statistics import cumsum, std, var
from sct.ops.registry import BY_CALL, ELEMENTWISE, OPS, aliases, is_readonly, template
from sct.ops.scalar.arithmetic import (
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
from sct.ops.scalar.comparison import eq, ge, gt, is_instance, is_none, isfinite, isinf, isnan, le, lt, ne, not_, unwrap
from sct.ops.scalar.elementary import (
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
from sct.ops.scalar.powers import mathpow, pow_
from sct.ops.scalar.selection import (
    bitand,
    bitor,
    bitxor,
    clip,
    fmax,
    fmin,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lshift,
    maximum,
    minimum,
    pymax,
    pymin,
    pysum,
    rshift,
    where,
)
from sct.ops.scalar.special_functions import (
    angle,
    array_frexp,
    array_modf,
    comb,
    conj,
    dist,
    factorial,
    float_power,
    frexp,
    fsum,
    gcd,
    heaviside,
    imag,
    isqrt,
    lcm,
    logaddexp2,
    math_prod,
    modf,
    nan_to_num,
    nextafter,
    perm,
    real,
    signbit,
    sinc,
    sinc_slope,
    spacing,
    ulp,
)

__all__ = [
    "BY_CALL", "ELEMENTWISE", "OPS", "abs_", "add", "add_at", "advanced", "aliases", "all_", "all_where", "allclose",
    "angle", "any_", "any_where", "apply", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2",
    "arctanh", "argmax", "argmin", "argpartition", "argsort", "argwhere", "array", "array_append", "array_delete",
    "array_equal", "array_frexp", "array_insert", "array_modf", "array_repeat", "asarray", "astype", "atleast_1d",
    "atleast_2d", "atleast_3d", "average", "bincount", "bitand", "bitor", "bitxor", "block", "bool_", "boundary",
    "broadcast_to", "call", "cbrt", "ceil", "cholesky", "choose", "clip", "closure", "column_stack",
    "comb", "compress", "concatenate", "cond", "condition", "conj", "convolve", "copy", "copysign", "corrcoef",
    "correlate", "cos", "cosh", "count_nonzero", "cov", "cross", "cumprod", "cumsum", "deg2rad", "det", "diag",
    "diagflat", "diagonal", "diff", "digamma", "digitize", "dim", "dist", "div", "dot", "dstack", "ediff1d", "eigh",
    "eigvalsh", "einsum", "empty", "empty_like", "enter", "eq", "erf", "erfc", "exp", "exp2", "expand_dims",
    "expand_like", "expm1", "extract", "eye", "fabs", "factorial", "flatnonzero", "flatten", "flip", "fliplr", "flipud",
    "float_", "float_power", "floor", "floordiv", "fmax", "fmin", "fmod", "frexp", "fstring", "fsum", "full",
    "full_like", "gamma", "gcd", "ge", "geomspace", "gradient", "grid", "gt", "heaviside", "hstack", "hypot", "imag",
    "index", "inner", "int_", "interp", "inv", "is_instance", "is_none", "is_readonly", "isclose", "isfinite", "isinf",
    "isnan", "isqrt", "item", "jvp", "kept_positions", "kron", "lcm", "ldexp", "le", "leave", "lgamma", "linspace",
    "list_ops", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logspace", "loop", "lshift", "lstsq", "lt", "masked_ufunc", "math_prod", "mathpow", "matmul",
    "matrix_power", "matrix_rank", "max_", "max_where", "maximum", "mean", "mean_where", "median", "meshgrid", "min_",
    "min_where", "minimum", "mod", "modf", "moveaxis", "mul", "multi_dot", "nan_to_num", "nanmax", "nanmean", "nanmin",
    "nanprod", "nanstd", "nansum", "nanvar", "ne", "neg", "nextafter", "nonzero", "norm", "not_", "npround", "ones",
    "ones_like", "others", "outer", "pack", "pad", "pad_positions", "partition", "partition_order", "percentile",
    "perm", "pinv", "polygamma", "polyval", "pos", "positions", "pow_", "print_", "prod", "prod_where", "ptp",
    "pullback", "pymax", "pymin", "pysum", "python", "qr", "quantile", "quotient", "rad2deg", "raise_", "ravel", "real",
    "reciprocal", "remainder", "reshape", "reshape_as", "reshape_like", "resize", "rint", "roll", "rollaxis", "rot90",
    "round_", "rshift", "running_max", "running_min", "searchsorted", "select", "shape_of", "sign", "signbit", "sin",
    "sinc", "sinc_slope", "sinh", "size", "slogdet", "solve", "sort", "spacing", "sqrt", "square", "squeeze", "stack",
    "std", "std_where", "stop_gradient", "store", "sub", "sum_", "sum_where", "svd", "svdvals", "swapaxes", "take",
    "take_along_axis", "tan", "tanh", "template", "tensordot", "tensorinv", "tensorsolve", "tile", "to_f32", "to_f64",
    "to_i64", "trace", "transpose", "trapezoid", "tril", "tril_indices", "triu", "triu_indices", "trunc", "ulp",
    "unbroadcast", "unbroadcast_like", "unique", "unique_index", "unpack", "unwrap", "vander", "var", "var_where",
    "vdot", "vecdot", "vjp", "vstack", "weighted_bincount", "where", "winners", "zero", "zeros", "zeros_like",
    "zeros_of",
]
