"""Rewriting of adjoint code by the rules of real arithmetic: the table of rules, and their driver.

A rule is small, directional and local; it never applies to the user's own arithmetic. `tests/test_rules.py`
evaluates both sides of each on nan, infinities, signed zeros, empty and broadcast operands.
"""
