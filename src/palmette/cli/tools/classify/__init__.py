"""The commands of `classify`."""
