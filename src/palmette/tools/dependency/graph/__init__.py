"""Dependency parsing by the best tree: method `graph`."""
