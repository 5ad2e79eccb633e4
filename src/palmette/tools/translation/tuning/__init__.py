"""Weights of features that make the best translations good ones: tuning on lists and graphs of translations."""
