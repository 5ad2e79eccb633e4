"""Dependency parsing: a head and a relation for every word, by a graph or by transitions."""
