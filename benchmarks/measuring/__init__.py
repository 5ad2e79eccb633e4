"""How benchmarks measure: rows, time, memory, and works of ours beside those of peers."""
