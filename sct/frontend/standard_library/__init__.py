"""Calls of builtins and of the standard library, and methods of objects.

    builtins             builtins that are no ops
    iterator_builtins    `iter`, `next`, `zip`, `map`, `sorted`, `any`, ...
    sums_and_extrema     `sum`, `max` and `min`
    introspection        builtins that ask for classes, attributes and fields
    methods              methods of arrays, lists, dicts and strings
    python_fallbacks     builtins as the functions of Python that they could be
    operator_module      `operator`
    itertools_functools  `itertools` and `functools`
    bisect_heapq         `bisect` and `heapq`
    collections_module   `deque` and `OrderedDict`
    record_classes       `dataclasses`, named tuples, `copy`
    tree_functions       `sct.tree`
"""
