"""Elementwise ops: arithmetic, powers, comparisons, selection, elementary and special functions.

    arithmetic         operators, and conversions of scalars
    powers             `x ** y`
    comparison         comparisons, tests, values that may be missing
    selection          `where`, `maximum`, `clip`, logic
    elementary         functions of one number, and a few of two
    special_functions  parts of numbers, steps, and functions of `math` alone
    complex_parts      parts of complex numbers
"""
