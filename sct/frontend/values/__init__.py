"""Abstract values, and what is known about them.

`abstract_values` is what a name can be bound to while a function is evaluated. `guards` holds the facts about the
arguments under which the compiled code is valid; `size_terms` computes sizes from the arguments.
"""
