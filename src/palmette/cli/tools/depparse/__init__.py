"""The commands of `depparse`."""
