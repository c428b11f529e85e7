"""Handlers of the syntax: expressions, attributes, statements, comprehensions, `with` and `match`."""
