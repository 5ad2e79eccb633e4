"""Pictures of trees, arcs and alignments, for a terminal and for a page."""
