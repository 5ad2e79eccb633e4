"""The commands of `parse`."""
