"""The commands of `semantics`."""
