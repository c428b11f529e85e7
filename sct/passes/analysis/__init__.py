"""Analyses: they return facts about a function and change nothing."""
