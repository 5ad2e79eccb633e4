"""The commands of `lm`."""
