"""Abstract values, and what is known about them.

`abstract_values` is what a name can be bound to while a function is evaluated. `guards` holds the facts that
were asked of the arguments, under which the compiled code is valid; `size_terms` and `memory_layout` answer
questions about sizes and strides with such facts.
"""
