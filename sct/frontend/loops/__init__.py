"""Loops and iteration.

A `for` or `while` becomes the equation `loop`. `loop_head` makes its carried values from what earlier rounds
have learnt, `loop_fixpoint` confirms them at the back edge or asks for another round, `unrolling` evaluates a
body once for each item where that is cheaper or necessary. `iteration_space` and `nested_iteration` say what is
iterated over.
"""
