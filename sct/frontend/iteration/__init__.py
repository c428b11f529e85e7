"""Iteration: iterators and their protocol, and the iteration spaces of `for` loops.

    iteration_space       a counter, and the item for each of its values
    iterator_protocol     iterators: an item is computed when it is taken, and once
    positional_iteration  iteration by `__getitem__`
    object_iterators      objects that are iterators themselves
    counted_iterators     iterators whose position is a number of the program
    python_iterables      objects of Python over which a loop runs
    python_iterators      iterators of Python as generator functions
    run_time_sets         sets that the function fills
    sorted_lists          lists of run-time length in the order of keys
    sets_of_objects       sets of objects that the function makes
    set_methods           what their methods do
    run_time_tuples       tuples whose length is known only at run time, as arguments of functions of a library
"""
