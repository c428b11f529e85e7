"""Loops.

A `for` or `while` becomes the equation `loop` (`loop_statements`).  `loop_head` makes its carried values from what
earlier rounds have learnt, `loop_fixpoint` confirms them at the back edge or asks for another round, `unrolling`
evaluates the body once for each item where that is cheaper or necessary.  `nested_iteration` runs over several things
at once, `generator_expressions` evaluates the items of a generator where they are taken.
"""
