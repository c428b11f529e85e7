"""Common subexpressions, dead code, and maxima that need no derivative."""
