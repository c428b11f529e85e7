"""A hundred functions of published packages, differentiated as shipped.

`python -m tests.packages draw --seed N` draws them, `python -m tests.packages run` differentiates those of
`drawn.json`, which seed 10 has drawn.  Both need `sct-grad[packages]`.  Neither is part of the test suite.
"""
