"""Prediction over many files: cut into shards, worked on by an engine, and written once."""
