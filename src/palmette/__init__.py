"""Structured prediction for language: F(x) = argmax over y in GEN(x) of w · Φ(x, y)."""
