"""Rewriting of adjoint code by the rules of real arithmetic: the table of rules, and their driver.

    table             the rules, and the queries in which they are written
    driver            applies them until none applies
    literals          arithmetic on literals
    arithmetic_rules  signs, like terms, products and quotients
    factoring         a*c + b*c -> (a + b) * c
    mask_rules        sums and products of masked values
    element_rules     reads and writes of elements
    update_chains     chains of updates of one cotangent
    shape_rules       broadcasts and rearrangements
    linalg_rules      products of matrices
    cast_rules        casts that NumPy does by itself
    integer_ranges    comparisons that the ranges of loop indices decide

A rule is small, directional and local; it never applies to the user's own arithmetic. `tests/test_rules.py`
evaluates both sides of each on nan, infinities, signed zeros, empty and broadcast operands.
"""
