"""The abstract heap: containers and arrays by address.

    join_paths            evaluates the branches of a conditional, and joins their heaps
    lattice               the join of two abstract values
    subscripts            reads, views and writes by subscript
    array_keys            subscripts as operands; lists as arrays
    item_forms            the forms of items of lists: their schema, and the types of the columns
    dynamic_lists         lists whose length is known only at run time
    dynamic_list_methods  writes, appends and joins of these
    run_time_dicts        dicts whose keys are known only at run time
    run_time_keys         known keys, read by keys that are known only at run time
    special_methods       results of special methods, which are of the class that Python demands
    sample_calls          calls of Python with sample arguments, for the TypeError that it raises
    inactive              what Python itself evaluates, as no derivative passes through it
"""
