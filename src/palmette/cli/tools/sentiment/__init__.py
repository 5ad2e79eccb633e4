"""The commands of `sentiment`."""
