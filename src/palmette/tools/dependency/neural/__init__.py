"""Dependency parsers whose arcs and relations are scored by a network."""
