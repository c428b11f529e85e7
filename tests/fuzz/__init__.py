"""Random plain Python functions, checked against plain execution and an independent oracle.

    python -m tests.fuzz --family control --seeds 0:300

`buffers`, `calls`, `control`, `heap`, `lists` and `python` generate programs, `features` says what they must reach,
`duals` differentiates them without sct, `check` compares, `shrink` makes a failing program small,
`plant` makes wrong derivatives that the fuzzers must find.  `python` is over all of Python's types and has
modules of its own: `grammar` and `outside` hold what it is made of, `pyfeatures`, `pychecks`, `pyplant`.
"""
