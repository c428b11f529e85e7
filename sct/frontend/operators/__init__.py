"""Operators: arithmetic, comparisons, identity and truth of abstract values.

Each module asks the operands' own special methods first (`special_methods`), as Python does; numbers and arrays
become equations, containers are compared or joined item by item.
"""
