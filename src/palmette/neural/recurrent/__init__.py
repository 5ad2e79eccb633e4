"""Predictors that see their own previous outputs: greedy and beam search, and what training makes of them."""
