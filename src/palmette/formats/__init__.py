"""Readers and writers of the field's file formats, and of Palmette's own model files."""

from palmette.formats.conversion import Conversion, convert

__all__ = ["Conversion", "convert"]
