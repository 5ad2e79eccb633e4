"""The commands of `tokens`."""
