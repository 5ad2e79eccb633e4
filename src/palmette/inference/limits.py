"""How large a search gets unless more is asked for: an item takes about 100 bytes, an edge 60."""

MAX_ITEMS = 5_000_000
MAX_EDGES = 20_000_000
