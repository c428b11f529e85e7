"""Ops that make, shape, join, rearrange and index arrays.

    creation          new arrays, copies, conversions of dtype
    concatenate       arrays from numbers, and from arrays
    stack_and_insert  `hstack`, `block`, `meshgrid`, `insert`, `delete`
    shape             rearrangements of axes, and sizes
    rearrange         rolls, repeats, diagonals
    triangles         the lower and the upper triangle
    windows           windows that slide over an array
    padding           `pad`
    indexing          reads and writes of parts
    overlap           parts of an array that are assigned to other parts of it
    take              selections by computed positions
    linspace          evenly spaced numbers, and powers of them
    interpolation     piecewise linear interpolation
"""
