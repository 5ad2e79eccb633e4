"""Slow and obvious implementations, against which the fast ones are tested."""
