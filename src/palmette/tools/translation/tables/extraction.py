"""From aligned sentence pairs to a phrase table with all its scores (CSC 448, §15.2 and §15.6).

Pairs are found and counted natively (native/tools/alignment/phrase_pairs.hpp). Columns, as natural logarithms:

    phi_source, phi_target   φ(source | target), φ(target | source), smoothed (smoothing.py)
    lex_source, lex_target   lexical weights of the words (tools/alignment/phrases.py)
    rare                     1 for pairs that occur at most `rare` times, 0 for others
    your own                 what your functions of source words, target words and counts return

and of orientations: how often a pair is monotone, swapped or discontinuous with regard to the phrase before it
(`from_…`) and after it (`to_…`), as probabilities (c + σ) / (Σ c + 3 σ): the model that Moses calls
msd-bidirectional-fe. `native/tools/alignment/orientation.hpp` has the three ways to say what a neighbour is
(Galley and Manning 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette.parameters import Options, option
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.phrases import ORIENTATION_KINDS, count_phrases, lexical_logs
from palmette.tools.alignment.text import ParallelText
from palmette.tools.translation.tables.assembling import RawPairs
from palmette.tools.translation.tables.phrase_table import FROM, ORIENTATIONS, STANDARD, TO, PhraseTable
from palmette.tools.translation.tables.pruning import check_significance, prune
from palmette.tools.translation.tables.smoothing import SMOOTHINGS, conditional

Counts: TypeAlias = tuple[int, int, int]  # how often the target phrase, the source phrase and both occur
PairFeature: TypeAlias = Callable[[Sequence[str], Sequence[str], Counts], float]
_ROWS = 1 << 16
DIRECTIONS = {"both": ORIENTATIONS, "from": FROM, "to": TO}


@dataclass(frozen=True)
class TableOptions(Options):
    """How a phrase table is made."""

    max_length: int = option(7, "words of a phrase on either side", low=1, high=255, fixed=True)
    smoothing: str = option("kneser-ney", "smoothing of phrase probabilities", choices=SMOOTHINGS, fixed=True)
    rare: int = option(
        0, "largest count of the pairs that the feature `rare` marks; 0: no such feature", low=0, fixed=True
    )
    reordering: str = option(
        "phrase", "what the neighbour is in orientations of phrases", choices=ORIENTATION_KINDS, fixed=True
    )
    directions: str = option(
        "both",
        "neighbours of orientations: the phrase before, after, or both",
        choices=DIRECTIONS,
        fixed=True,
    )
    reordering_smoothing: float = option(
        0.5, "what is added to each count of an orientation", above=0, fixed=True
    )
    min_count: int = option(1, "how often a phrase pair must occur", low=1, fixed=True)
    limit: int | None = option(None, "translations of a source phrase that are kept", low=1, fixed=True)
    significance: float | str | None = option(
        None,
        "least -ln p of a phrase pair in Fisher's test, alpha+epsilon or alpha-epsilon",
        checked_by=check_significance,
        fixed=True,
    )


def extract(
    text: ParallelText,
    alignments: Alignments,
    options: TableOptions | None = None,
    *,
    features: Mapping[str, PairFeature] | None = None,
    n_jobs: int = 1,
) -> PhraseTable:
    """Return the phrase table of aligned sentence pairs; the same for any number of threads.

    features: further columns by name, each a function of the source words, the target words and the counts of the
    target phrase, the source phrase and both. The table keeps what it returns, not the function.

    >>> text = ParallelText.of([("das Haus", "the house")])
    >>> links = Alignments.of([[(0, 0), (1, 1)]])
    >>> table = extract(text, links, features={"longer": lambda f, e, counts: len(e) - len(f)})
    >>> [" ".join(pair.target) for pair in table.lookup("Haus")], table.columns[-1]
    (['house'], 'longer')
    """
    chosen = options or TableOptions()
    names = {**dict.fromkeys(STANDARD), **({"rare": None} if chosen.rare else {})}
    for name in features or {}:
        if name in names:
            raise ValueError(
                f"The phrase table has a column {name!r} already: give your feature another name."
            )
    found = count_phrases(
        text, alignments, max_length=chosen.max_length, orientation=chosen.reordering, n_jobs=n_jobs
    )
    counts = found.counts().reshape(-1, 3)
    source, target, both = found.nodes.source(), found.nodes.target(), counts[:, 2]
    lexical = lexical_logs(text, alignments, found.places().reshape(-1, 5))
    scores = np.empty((len(both), len(names)), np.float32)
    scores[:, 0] = np.log(conditional(both, source, target, chosen.smoothing))
    scores[:, 1] = lexical[:, 0]
    scores[:, 2] = np.log(conditional(both, target, source, chosen.smoothing))
    scores[:, 3] = lexical[:, 1]
    if chosen.rare:
        scores[:, 4] = both <= chosen.rare
    del lexical
    reordering_columns = DIRECTIONS[chosen.directions] if chosen.reordering != "none" else ()
    table = RawPairs(
        found.nodes,
        text.source.strings,
        text.target.strings,
        tuple(names),
        reordering_columns,
        scores,
        orientation_scores(found.orientations().reshape(-1, 2, 3), chosen)
        if reordering_columns
        else np.zeros((len(both), 0), np.float32),
        *found.links(),
        counts,
    ).table()
    table = prune(
        table,
        min_count=chosen.min_count,
        limit=chosen.limit,
        significance=chosen.significance,
        text=text,
        n_jobs=n_jobs,
    )
    for name, feature in (features or {}).items():
        table = add_column(table, name, feature)
    return table


def orientation_scores(counts: NDArray[np.uint32], options: TableOptions) -> NDArray[np.float32]:
    """Return ln p of each orientation. counts: [pair, before or after, orientation]."""
    chosen = {"both": counts, "from": counts[:, :1], "to": counts[:, 1:]}[options.directions]
    scores = np.empty((len(chosen), 3 * chosen.shape[1]), np.float32)
    for begin in range(0, len(chosen), _ROWS):  # in pieces, so that little memory is needed
        smoothed = chosen[begin : begin + _ROWS] + options.reordering_smoothing
        logs = np.log(smoothed / smoothed.sum(axis=2, keepdims=True))
        scores[begin : begin + _ROWS] = logs.reshape(len(logs), -1)
    return scores


def add_column(table: PhraseTable, name: str, feature: PairFeature) -> PhraseTable:
    """Return the table with one more column: a function of source words, target words and counts."""
    if not len(table.counts) and len(table):
        raise ValueError(f"The feature {name!r} needs a phrase table with counts.")
    values = np.zeros(len(table), np.float32)
    for row, pair in enumerate(table):
        value = float(feature(pair.source, pair.target, pair.counts or (0, 0, 0)))
        if not np.isfinite(value):
            pair_shown = f"{' '.join(pair.source)} ||| {' '.join(pair.target)}"
            raise ValueError(f"The feature {name!r} of {pair_shown!r} must be a finite number. Got {value}.")
        values[row] = value
    scores = np.ascontiguousarray(np.concatenate([table.scores, values[:, None]], axis=1))
    return replace(table, columns=(*table.columns, name), scores=scores)
