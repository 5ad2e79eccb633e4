"""Grammars with head words: method `lexicalized`."""
