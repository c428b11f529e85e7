"""What code of the user writes that sct does not evaluate itself, told by the objects that it calls.

    references           what functions can reach from an object
    callees              which objects the functions are that expressions call
    written_expressions  what code writes to
    written_objects      what functions that run as they are may write
"""
