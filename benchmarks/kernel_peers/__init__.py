"""Kernels in Python and NumPy, as one would write them: what ours are measured beside."""
