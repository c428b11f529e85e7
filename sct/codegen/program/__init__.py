"""From IR to structured statements over variables that are assigned."""
