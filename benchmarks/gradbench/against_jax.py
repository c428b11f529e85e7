"""The derivatives of GradBench's evaluations by sct and by JAX, in one run.

    OMP_NUM_THREADS=1 XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1" \\
        python -m benchmarks.gradbench.against_jax [NAME...]

Milliseconds of the processor of one call, medians of interleaved rounds, after the first calls have compiled.
"""

import sys
from typing import Any

from benchmarks.gradbench.inputs import LARGE
from benchmarks.gradbench.jax_programs import CALLS
from benchmarks.gradbench.tool import EVALS
from benchmarks.timing import interleaved, table


def derivative_of(name: str) -> tuple[str, str]:
    """The evaluation of this name and size, and its function that is a derivative."""
    module = name.partition(",")[0]
    return next(key for key in CALLS if key[0] == module)


def measured(name: str) -> tuple[Any, ...]:
    module, function = derivative_of(name)
    fields = LARGE[name]()
    own, other = interleaved([EVALS[module][function](fields), CALLS[module, function](fields)], rounds=9)
    return name, 1e3 * own, 1e3 * other, own / other


def main() -> None:
    names = sys.argv[1:] or list(LARGE)
    rows = [measured(name) for name in names]
    print(table(("evaluation", "sct, ms", "JAX, ms", "sct/JAX"), rows))


if __name__ == "__main__":
    main()
