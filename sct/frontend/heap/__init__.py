"""The abstract heap: containers and arrays by address.

`join_paths` evaluates the two branches of a conditional and joins their heaps.  The other modules read and write
cells: by subscript, by assignment, or as lists whose length is known only at run time.
"""
