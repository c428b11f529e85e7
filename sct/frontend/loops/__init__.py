"""Loops.

A `for` or `while` becomes the equation `loop` (`loop_statements`).  `loop_head` makes its carried values from what
earlier rounds have learnt, `loop_fixpoint` confirms them at the back edge or asks for another round, `unrolling`
evaluates the body once for each item where that is cheaper or necessary.  `nested_iteration` runs over several things
at once, `generator_expressions` evaluates the items of a generator expression where they are taken.
`generator_functions` runs the body of a generator with the body of a loop in place of each `yield`,
`streamed_iterators` does the same for iterators over a generator, `suspended_generators` runs it up to the next
`yield`.
"""
