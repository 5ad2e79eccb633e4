"""Which processor this is; only wheels with several cores have this module."""

def level() -> int:
    """Return the highest level of x86-64 that this processor has."""
