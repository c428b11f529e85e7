"""The evaluations of GradBench, written as NumPy users write them, and sct as a tool of GradBench.

    python -m benchmarks.gradbench              answers messages in GradBench's protocol, a line of JSON each
    python -m benchmarks.gradbench.against_jax  times them beside JAX

`programs.py`, `mixture.py`, `recurrent.py`, `adjustment.py`, `hand.py` and `descent.py` hold the evaluations.
`tool.EVALS` has, for each function of each evaluation, what turns the fields of an input into the call that is timed.
"""
