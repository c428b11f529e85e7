"""The abstract heap: containers, objects and arrays by address.

`store` holds the names and cells of one path and joins those of two. The other modules read and write its
cells: by subscript, by attribute, by assignment, or as lists whose length is known only at run time.
"""
