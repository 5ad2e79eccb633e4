"""Dependency parsing by transitions: method `transition`."""
