"""The Numba backend: which statements become kernels, how kernels print, and how long their tapes are."""
