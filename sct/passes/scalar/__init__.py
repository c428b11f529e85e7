"""Common subexpression elimination and dead code elimination."""
