"""In-place updates: which functional update takes over the buffer of its operand, and where that takes a copy."""
