"""
The loops of Palmette. Use the Python modules; this one checks only what keeps it from crashing.
"""

def read_brackets(data: bytes, classes: tuple, positions: bool, lenient: bool) -> tuple:
    """
    The trees of a bracketed text, and its problems as (line, message). With `positions`, leaves are i=word.
    """

def read_export(data: bytes, classes: tuple, root: str, lenient: bool) -> tuple:
    """
    The trees of a file in the Negra export format, and its problems as (line, message).
    """
