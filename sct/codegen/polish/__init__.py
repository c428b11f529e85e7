"""Statement IR -> the same program as one would write it by hand: without dead statements, with inlined expressions and
variables that values share.
"""
