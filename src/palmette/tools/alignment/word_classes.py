"""Find word classes of each language of a bitext by exchange (native/tools/alignment/word_exchange.hpp)."""

from __future__ import annotations

from palmette._native import Bitext
from palmette.tools.alignment.table import Ints

PASSES = 10


def word_classes(bitext: Bitext, n_classes: int) -> tuple[Ints, Ints]:
    """The class of every source word and of every target word, from 0 on."""
    source, _ = bitext.exchange_classes(False, n_classes, PASSES)
    target, _ = bitext.exchange_classes(True, n_classes, PASSES)
    return source, target
