"""Discontinuous trees: method `plcfrs`."""
