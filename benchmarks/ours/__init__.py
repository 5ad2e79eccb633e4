"""Palmette beside its peers: works that run in a process of their own."""
