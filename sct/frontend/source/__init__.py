"""The user's source: its syntax tree with places in the file, private names, and the liveness of names."""
