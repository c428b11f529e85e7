"""The user's source as a syntax tree.

`parse` finds the AST of a function by its code object; `private_names` and `match_lowering` rewrite it.
`name_scopes` and `name_liveness` say which names a function binds and reads, and where each may still be read.
"""
