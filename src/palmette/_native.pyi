"""
The loops of Palmette. Use the Python modules; this one checks only what keeps it from crashing.
"""

from typing import Any

def read_brackets(data: bytes, classes: tuple[type, ...], positions: bool, lenient: bool) -> tuple[Any, Any]:
    """
    The trees of a bracketed text, and its problems as (line, message). With `positions`, leaves are i=word.
    """

def read_export(data: bytes, classes: tuple[type, ...], root: str, lenient: bool) -> tuple[Any, Any]:
    """
    The trees of a file in the Negra export format, and its problems as (line, message).
    """
