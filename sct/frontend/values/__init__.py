"""Abstract values, and what is known about them.

    abstract_values  what a name can be bound to while a function is evaluated
    guards           the facts about the arguments under which the compiled code is valid
    size_terms       sizes, computed from the arguments
    guarded_numbers  differentiated numbers whose value decides what is computed
    schemas          how an item of a list is built from its columns
    item_schemas     what is asked of schemas, and the form that holds the items of two lists
    item_kinds       values of several kinds in one place: the kind of each, and the form of a list of them
    exact_keys       keys, compared by class and bits
    constant_text    constants as text that gives them again
    in_words         abstract values in messages
    primal_record    where the differentiated function stands in the IR of its derivative
"""
