"""What to annotate next: how sure a model is of each example, and which examples are worth the work."""
