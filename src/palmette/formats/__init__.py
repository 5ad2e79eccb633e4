"""Readers and writers of the field's file formats, and of Palmette's own model files."""
