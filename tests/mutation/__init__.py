"""Mutations of the compiler, and whether the tests notice them.

    python -m tests.mutation map --output touches.json       which test enters which function (once)
    python -m tests.mutation run --map touches.json --seed 0 --number 300 --jobs 2

`sites.py` lists every mutation of a file: an operator, a constant, a condition, or a statement
that is dropped.  `touches.py` is a plugin of pytest that records what a test enters.  `run` plants
mutations one at a time in a copy of the tree and runs the tests that enter the mutated function,
the fastest first.  A mutation that no test notices is printed as a diff, to be read: it needs a
test, or the code is dead, or the mutation changes nothing.
"""
