"""What the backward pass keeps of the forward pass, and how it gets the rest.

`choose_residuals` finds the cheapest set of values to keep (a minimum cut, by the costs of `cost_model`); the
rest is computed again, read from the final array of a loop, or taken from an equal value at hand.
"""
