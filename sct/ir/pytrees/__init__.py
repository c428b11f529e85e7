"""Values of Python as trees of IR values: containers, and objects of the user's classes.

    pytree        containers of Python as trees over flat lists of IR values
    kinds         the kinds of items of a list, where they are not all alike
    user_objects  objects as containers: dataclasses, named tuples, instances of classes
"""
