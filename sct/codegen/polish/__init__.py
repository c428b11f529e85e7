"""Statements as one would write them by hand: what is dead goes, what is read once is inlined, variables share
names.
"""
