"""Tables of phrase pairs: extracted, scored, pruned, read and written."""
