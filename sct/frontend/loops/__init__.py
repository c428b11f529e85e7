"""Loops, generators and `with`.

    loop_statements        `for` and `while` -> the equation `loop`
    loop_head              the carried values, from what earlier rounds have learnt
    loop_fixpoint          confirms them at the back edge, or asks for another round
    loop_learning          what a round learns
    unrolling              the body once for each item, where that is cheaper or necessary
    nested_iteration       loops over several things at once
    with_statement         `with`: its statements between those that open and close the contexts
    generator_expressions  items of generator expressions, evaluated where they are taken
    generator_functions    a generator, with the body of a loop in place of each `yield`
    collected_generators   one that calls itself, as a function that appends its items to a list
    streamed_iterators     the same for iterators over a generator
    suspended_generators   a generator, run up to the next `yield`
"""
