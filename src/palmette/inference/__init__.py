"""Inference: one engine, many semirings."""
