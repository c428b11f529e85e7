"""Objects of a user's classes: attributes, special methods, how they are made; the class of any value."""
