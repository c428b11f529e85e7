"""Code motion: equations move out of loops, into branches, or behind the readers of a buffer; equal branches are
merged.
"""
