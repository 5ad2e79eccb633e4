"""Word alignment: which words of a sentence are which of its translation."""
