"""Word alignment: which words of a sentence and of its translation belong together."""
