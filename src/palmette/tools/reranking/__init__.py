"""Rerankers: of the few best outputs of a first model, the one that a second model likes best."""
