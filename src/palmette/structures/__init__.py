"""GEN: which sets of parts make an output."""
