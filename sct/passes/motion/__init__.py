"""Code motion: equations move out of loops, into branches, or behind the readers of a buffer; equal branches are
merged; what is carried through a loop starts in the form in which it is written into.
"""
