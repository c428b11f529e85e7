"""Products of matrices and tensors, norms, solvers and decompositions."""
