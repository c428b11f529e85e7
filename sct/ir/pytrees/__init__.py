"""Values of Python as trees of IR values: containers, and objects of the user's classes."""
