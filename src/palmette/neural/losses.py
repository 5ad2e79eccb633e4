"""Losses of label sequences and dependency trees in one call; `functions/loss.py` has the table of losses."""

from __future__ import annotations

from typing import Any

from palmette.neural.functions.arrays import Tensor
from palmette.neural.functions.chains import Chains
from palmette.neural.functions.loss import LOSSES, structured_loss
from palmette.neural.functions.trees import Trees

__all__ = ["LOSSES", "chain_loss", "structured_loss", "tree_loss"]


def chain_loss(
    name: str,
    unary: Tensor,
    lengths: Any,
    gold: Any,
    pairs: Tensor | None = None,
    start: Tensor | None = None,
    end: Tensor | None = None,
    **options: Any,
) -> Tensor:
    """Return a loss of label sequences, summed over sentences; the arguments are those of `Chains`."""
    return structured_loss(name, Chains(unary, lengths, pairs, start, end, **options), gold)


def tree_loss(
    name: str, arcs: Tensor, lengths: Any, heads: Any, projective: bool = True, **options: Any
) -> Tensor:
    """Return a loss of dependency trees, summed over sentences; the arguments are those of `Trees`."""
    return structured_loss(name, Trees(arcs, lengths, projective, **options), heads)
