"""Statement IR -> syntax trees -> text.

In:  a `Block`, the values that are inlined, and the names of the others. Out: the text of a module.

    unparse              syntax trees -> text; it alone decides how Python text looks
    print_expressions    equations -> expressions
    print_results        the structure of a result -> a display of containers
    print_signature      the parameters of an `Interface` -> a signature
    print_statements     statements -> statements of Python, with the lines that they differentiate as comments
    placeholders         variables that several paths leave unbound are None before the conditional
    common_statements    what all branches begin or end with stands before or behind the conditional, a return once
    held_views           views of an array that a loop writes into are taken once, before it
    print_attempts       attempts -> `try` statements
    print_list_removals  items that are taken out of a list of the user's, or change places
    nesting              Python's limits on the nesting of statements
    long_lines           long lines, broken as formatters break them

Invariant: the text parses back to the trees, on every version of Python.
"""
