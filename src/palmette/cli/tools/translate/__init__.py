"""The commands of `translate`."""
