"""Common subexpressions, dead code, maxima that need no derivative, and squares that have another.

    cse               common subexpressions
    dce               dead code
    list_copies       copies of lists that are only read
    purity            which equations may move, or run once
    literal_choices   comparisons with a choice between literals
    uniform_lists     items of a list that holds one value n times
    position_lists    lists of ints in subscripts, written where they are read
    chained_reads     `A[i][j]`, read as the user wrote it
    reread_views      views that are read again after a write through them
    shift_invariance  maxima that need no derivative
    squares           squares of norms, whose second derivatives are those of sums of squares
    turned_vectors    vectors of equal eigenvalues, which second derivatives turn
"""
