"""The options of a parser with a network that are not those of the network: which trees there are."""

from __future__ import annotations

from dataclasses import dataclass

from palmette.parameters import Options, option

OWNER = "A neural parser"


@dataclass(frozen=True, kw_only=True)
class NeuralTreeOptions(Options):
    """Which trees a neural parser looks for."""

    projective: bool | None = option(
        None, "whether trees have no arcs that cross; none: false if a tenth of the sentences have some"
    )
    single_root: bool = option(True, "whether every sentence has exactly one word without a head")
