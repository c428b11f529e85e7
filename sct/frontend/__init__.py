"""The frontend: a Python function and the types of its arguments -> IR.

In:  a function, and the arguments of one call (or their types, ahead of time).
Out: a `Traced`: the IR of the program, its signature, the guards under which it is valid, and the paths of
     its free variables.

The function is evaluated by abstract interpretation: statement by statement, with types in place of numbers.
Its parts:

    source            the syntax tree, private names, scopes and liveness of the user's names
    values            abstract values, guards and size terms
    transform         a derivative as the compiler sees it: the kind, and the function
    user_rules        the rules that `sct.rule` gives to functions
    root_function     the differentiated function, under partials and methods
    signatures        the signatures of derivatives, and the comment that states their types
    state             the state of an evaluation: names, heap, calls and loops in progress
    evaluator         operands of the IR, known values, dispatch: what all handlers share
    arguments         arguments and free variables as abstract values
    writes            what code writes that runs as it is
    objects           objects of a user's classes
    heap              containers and arrays by address; joins of the heaps of two paths
    iteration         iterators and iteration spaces
    scipy_objects     objects of SciPy that depend on what is differentiated
    structured_arrays  structured arrays of NumPy that the function makes
    operators         arithmetic, comparisons, identity, truth, text
    interpreter       handlers of expressions and statements
    loops             loop heads, the fixpoint of the carried values, unrolling
    numpy_library     ops by their spelling, other functions of NumPy
    standard_library  builtins, `operator`, `itertools`, ..., and methods
    autodiff          derivatives inside differentiated functions, and the outermost one
    scipy_library     functions of SciPy that have the derivative of a program of NumPy
    polynomials       polynomials as objects of NumPy and SciPy
    calls             user functions, in line or specialized; closure conversion; opaque calls
    refusals          which refusal is shown, of those of several attempts
    specialize        the entry at a call: arguments -> types, guards, IR
    ahead_of_time     the entry without arguments: annotations and guesses -> types, IR

Imports run upwards in this list; `tests/test_imports.py` holds that.

Invariant: for all arguments that satisfy the guards, the IR computes the same values as the function, bit for bit and
in the same order. The frontend refuses an unknown construct with an `SctError`: no dispatch ends in a default answer.
"""

from sct.frontend.ahead_of_time import trace_ahead, trace_ranks
from sct.frontend.arguments.argument_aliasing import apart, shared_with_callable
from sct.frontend.arguments.argument_keys import (
    COLUMN,
    MANY_KEYS,
    OPAQUE_ARRAY,
    ROWS,
    RecordColumn,
    key_of,
    kind_of_rows,
    list_tree,
    most_flattened,
)
from sct.frontend.arguments.array_sizes import Ragged
from sct.frontend.arguments.lift import Untyped, read_path
from sct.frontend.arguments.row_checks import RowChecks, attribute_text
from sct.frontend.arguments.unloaded import NotLoaded, Unloaded
from sct.frontend.autodiff import integrals, nested_jacobians, solvers, trajectories
from sct.frontend.calls import cached_functions, call_expressions
from sct.frontend.evaluator.exceptions import NOT_ANSWERED
from sct.frontend.heap import subscripts
from sct.frontend.heap.inactive import NOT_SHOWN, OBSERVED_BEFORE
from sct.frontend.interpreter import (
    assignment_statements,
    attributes,
    comprehensions,
    expressions,
    match_statement,
    python_expressions,
    statements,
    try_statement,
)
from sct.frontend.loops import loop_statements, suspended_generators, with_statement
from sct.frontend.numpy_library import array_copies, array_namespace, array_texts, flat_elements, numpy_fallbacks
from sct.frontend.numpy_library.genuine_functions import library_facts
from sct.frontend.operators import comparisons, truth
from sct.frontend.polynomials import by_powers, piecewise, series
from sct.frontend.root_function import identity
from sct.frontend.scipy_library import (
    constrained_minima,
    fitpack,
    fits,
    geometry,
    grids,
    hermite_interpolants,
    integrals_of_samples,
    radial_functions,
    rotations,
    scattered_data,
    spatial,
)
from sct.frontend.scipy_library.linear_algebra import factorizations, matrices
from sct.frontend.scipy_library.signal_processing import (
    filter_design,
    images,
    linear_systems,
    signals,
    spectra,
    windows,
)
from sct.frontend.scipy_library.sparse import algebra, construction, elementwise, krylov
from sct.frontend.scipy_library.statistics import (
    distributions,
    multivariate,
    rank_statistics,
    sample_tests,
    samples,
)
from sct.frontend.scipy_objects import interpolants
from sct.frontend.signatures import SourceParameter, name_of, root_of, signature_comment, tangent_names
from sct.frontend.specialize import Traced, trace
from sct.frontend.standard_library import (
    bisect_heapq,
    builtins,
    introspection,
    iterator_builtins,
    itertools_functools,
    methods,
    operator_module,
    record_classes,
    sums_and_extrema,
)
from sct.frontend.structured_arrays import writes
from sct.frontend.transform import Transform
from sct.frontend.values.exact_keys import COMPARED_BY_CLASS, Equal, Same, exact
from sct.frontend.values.guards import Guard

__all__ = [
    "COLUMN", "COMPARED_BY_CLASS", "MANY_KEYS", "NOT_ANSWERED", "NOT_SHOWN", "OPAQUE_ARRAY", "NotLoaded",
    "OBSERVED_BEFORE", "ROWS",
    "RecordColumn",
    "Equal", "Guard", "Ragged", "RowChecks", "Same", "SourceParameter", "Traced", "Transform", "Unloaded", "Untyped",
    "apart", "attribute_text", "exact", "identity", "key_of", "kind_of_rows", "library_facts", "list_tree",
    "most_flattened", "name_of", "read_path", "root_of", "shared_with_callable", "signature_comment", "tangent_names",
    "trace", "trace_ahead", "trace_ranks",
]

_handlers = (
    algebra, array_copies, array_namespace, array_texts, assignment_statements, attributes, bisect_heapq,
    builtins, by_powers, cached_functions, call_expressions, comparisons, comprehensions, constrained_minima,
    construction, distributions, elementwise, expressions, factorizations, filter_design, fitpack, fits,
    flat_elements, geometry, grids, hermite_interpolants, images, integrals, integrals_of_samples, interpolants,
    introspection, iterator_builtins, itertools_functools, krylov, linear_systems, loop_statements,
    match_statement, matrices, methods, multivariate, nested_jacobians, numpy_fallbacks, operator_module,
    piecewise, python_expressions, radial_functions, rank_statistics, record_classes, rotations, sample_tests,
    samples, scattered_data, series, signals, solvers, spatial, spectra, statements, subscripts, sums_and_extrema,
    suspended_generators, trajectories, truth, try_statement, windows, with_statement, writes)
