"""Reductions, cumulative ops, statistics, sorting, counting, differences."""
