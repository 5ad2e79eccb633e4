"""Weighted context-free grammars as objects: read, estimated, checked, converted, sampled, re-estimated."""
