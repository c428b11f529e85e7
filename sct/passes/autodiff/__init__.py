"""Automatic differentiation of IR.

`expand` replaces each derivative equation, from the inside outwards, by the equations that `reverse`, `forward`
or `jacobian` give for it. `linearize` is a derivative that is applied several times. `cotangents` adds what an
op's rules return; `residuals` provides the backward pass with values of the forward pass, at first all on
tapes.
"""
