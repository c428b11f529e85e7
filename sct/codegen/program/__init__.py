"""IR -> statement IR: structured statements over values that may be assigned in several places."""
