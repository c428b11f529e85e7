"""IR -> statement IR: structured statements over values that may be assigned in several places.

In:  a function of the IR after the last pass. Out: a `Block` of statements that ends in its `Return`.

    statement_ir        the statements, what they read and assign, and the blocks in them
    templates           the Python expression of an equation, with placeholders for its operands
    paired_branches     branches of the forward and the backward pass that run under the same predicate
    tape_layout         which sequences become which lists, and where lists are appended to, popped or read
    joined_tapes        tapes that the same iterations fill and empty, as one
    recover_jumps       exit codes of loops -> `break` and `continue`
    argument_unpacking  reads of the items of containers among the arguments
    bound_checks        checks that variables are bound, where they are on every path
    predicate_facts     the outcomes of predicates at a place of the text
    implied_tests       conditionals of the backward pass on predicates that the innermost one implies
    lower               the entry: regions -> blocks, results of regions -> assignments

Invariant: a statement stands where its equation stood. A value that is not bound on every path is `maybe_unbound` where
it is assigned or appended, and `CheckBound` stands where the user's code reads it.
"""
