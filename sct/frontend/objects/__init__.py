"""Objects of a user's classes: attributes, special methods, how they are made; the class of any value.

    objects               attributes, methods and operators
    construction          how objects are made, and called
    class_of              `type(v)`, as far as it is known
    class_defaults        values of a class that objects have until they set their own
    bound_object          the object of a differentiated method: a private copy, if it is written
    linked_objects        objects whose number is known only at run time
    row_attributes        attributes of these
    container_objects     objects that hold their items: deques, sets of objects, subclasses of `list` and `dict`
    functions_in_lists    functions in lists whose length is known only at run time
    parts_of_exceptions   what exceptions of the program carry
    single_dispatch       `functools.singledispatch`
    operators_of_classes  operators by the methods of classes, and those that no class defines
"""
