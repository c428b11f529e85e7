"""Ops that make, shape, join, rearrange and index arrays."""
