"""Random plain Python functions, checked against plain execution and an independent oracle.

    python -m tests.fuzz --family control --seeds 0:300

`control` and `heap` generate programs, `features` says what they must reach, `duals` differentiates
them without sct, `check` compares, `shrink` makes a failing program small, `plant` makes wrong
derivatives that the fuzzers must find.
"""
