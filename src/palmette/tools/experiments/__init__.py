"""Experiments with a tool: cross-validation, learning curves, and the search for options, learners and methods."""
