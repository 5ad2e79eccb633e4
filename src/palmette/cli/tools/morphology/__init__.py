"""The commands of `morphology` and `lemmas`."""
