"""Conversion between formats, with the changes that a user asks for on the way."""
