"""Plots for `palmette plot`: where their points come from, and how they are written."""
