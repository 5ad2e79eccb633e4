"""Translation of source trees: fragments of parses become target text."""
