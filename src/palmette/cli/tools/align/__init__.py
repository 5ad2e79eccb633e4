"""The commands of `align`."""
