"""In-place updates: which functional update takes over the buffer of its operand, and where that takes a copy.

    ownership      which carries of loops and outs of conditionals have a buffer of their own
    alias_graph    which values may share memory, given the links of in_place
    written_views  the updates of views, which overwrite the buffers of their bases
    contiguity     which arrays of one axis surely have no gaps
    in_place       which updates are done in place, and where that takes a copy
    decisions      what is decided, and the function that it makes
    whole_updates  an array of which all elements are overwritten is another array
"""
