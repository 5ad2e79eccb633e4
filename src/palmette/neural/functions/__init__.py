"""Structures over tensors of part scores: log Z, marginals, best outputs and expected losses with gradients."""
