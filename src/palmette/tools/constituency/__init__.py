"""Constituency parsing: the tree of phrases of a sentence."""
