"""What can be iterated over: iterators and their protocol, and the iteration spaces of `for` loops."""
