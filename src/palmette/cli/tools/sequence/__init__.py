"""The commands of `tag`, `spans` and `induce`."""
