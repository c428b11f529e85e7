"""Elementwise ops: arithmetic, powers, comparisons, selection, elementary and special functions."""
