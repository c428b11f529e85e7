"""The arguments of a call, and the free variables of the function, as abstract values.

    argument_keys       which calls share a specialization
    array_sizes         sizes that the arrays of a list have in common, or that differ from item to item
    row_checks          code that tells at each call if a list's items are of one kind
    abstract_arguments  an argument -> flat parameters and an abstract value
    lift                the same for objects that are read from globals, closures and attributes
    argument_aliasing   guards that written arguments share no memory
    memory_facts        is a view contiguous, does a reshape share memory, may an argument be written?
    float_errors        whether operations of NumPy may raise what `except FloatingPointError` handles
    parameter_defaults  defaults of parameters, read as Python reads them
    type_syntax         types that are written as text
    unloaded            stand-ins for values of a file that is not run
"""
