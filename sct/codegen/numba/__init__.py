"""The Numba backend: statements -> kernels that Numba compiles, and lists -> preallocated arrays."""
