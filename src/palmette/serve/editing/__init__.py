"""Correcting files: people fix single values, the model finds the best output that agrees, and nothing is lost."""
