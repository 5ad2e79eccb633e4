"""Inference: one engine, many semirings."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.inference.deduction import Deduction as Deduction
    from palmette.inference.facts import Columns as Columns
    from palmette.inference.facts import Item as Item
    from palmette.inference.forest import Forest as Forest
    from palmette.inference.forest import Proof as Proof
    from palmette.inference.hypergraph import CycleError as CycleError
    from palmette.inference.hypergraph import Derivation as Derivation
    from palmette.inference.hypergraph import Hypergraph as Hypergraph
    from palmette.inference.hypergraph import Marginals as Marginals
    from palmette.inference.lcfrs import LCFRS as LCFRS
    from palmette.inference.search import AStar as AStar
    from palmette.inference.search import Beam as Beam
    from palmette.inference.search import BestFirst as BestFirst
    from palmette.inference.search import Exhaustive as Exhaustive
    from palmette.inference.semiring import BOOLEAN as BOOLEAN
    from palmette.inference.semiring import COUNTING as COUNTING
    from palmette.inference.semiring import EXPECTATION as EXPECTATION
    from palmette.inference.semiring import LOG as LOG
    from palmette.inference.semiring import MAX as MAX
    from palmette.inference.semiring import REAL as REAL
    from palmette.inference.semiring import KBest as KBest
    from palmette.inference.semiring import Semiring as Semiring
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "deduction": "Deduction",
            "facts": "Columns Item",
            "forest": "Forest Proof",
            "hypergraph": "CycleError Derivation Hypergraph Marginals",
            "lcfrs": "LCFRS",
            "search": "AStar Beam BestFirst Exhaustive",
            "semiring": "BOOLEAN COUNTING EXPECTATION KBest LOG MAX REAL Semiring",
        },
    )
