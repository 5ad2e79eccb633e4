"""Alignments that agree with what is known: links that must be there, and links that must not.

In a direction every word of one side chooses a word of the other, or none. A word with known links chooses among
these alone, and no word chooses a forbidden one. Where a direction is a chain (models 1 and 2, diagonal, HMM) the
posteriors of all other links are those given these choices, exactly. Where it is sampled (models with fertilities)
each word's own posterior is restricted and made to sum to one again, and the other words keep theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette._native import Bitext
from palmette.formats.given import listed_rows
from palmette.formats.pharaoh import Link
from palmette.messages import counted
from palmette.tools.alignment.alignment_chain import chains
from palmette.tools.alignment.direction import Direction
from palmette.tools.alignment.hmm import HmmDirection
from palmette.tools.alignment.independent import IndependentDirection
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.model import AlignmentModel
from palmette.tools.alignment.symmetrization import symmetrize
from palmette.tools.alignment.text import ParallelText

Known = Iterable[Iterable[Link] | None]  # for every pair its links, or None
Reals = NDArray[np.float64]


_LEAST = -60.0  # log-probabilities of words that never met


class PairFacts(NamedTuple):
    """What is known of one pair: links that must be there, and links that must not."""

    known: frozenset[Link]
    forbidden: frozenset[Link]


def checked_links(text: ParallelText, known: Known | None, forbidden: Known | None) -> list[PairFacts]:
    """Return what is known of every pair; ValueError, with the number of the pair, for links that cannot be."""
    rows = [_rows(given, len(text), name) for given, name in ((known, "known"), (forbidden, "forbidden"))]
    facts = []
    for number, (must, must_not) in enumerate(zip(*rows), 1):
        source, target = text[number - 1]
        for i, j in must | must_not:
            if not (0 <= i < len(source) and 0 <= j < len(target)):
                raise ValueError(
                    f"Pair {number} has {len(source)} and {len(target)} words, and no link "
                    f"{i}-{j}: words are "
                    "counted from 0."
                )
        both = sorted(must & must_not)
        if both:
            raise ValueError(
                f"Pair {number}: the link {both[0][0]}-{both[0][1]} is both known and forbidden."
            )
        facts.append(PairFacts(must, must_not))
    return facts


def align_known(
    model: AlignmentModel, text: ParallelText, facts: Sequence[PairFacts], method: str, threshold: float
) -> Alignments:
    """Return the links of every pair, with all that are known and none that is forbidden.

    The probability of a known link is 1; those of others are means of the two directions, given what is known.
    """
    rows, likely = [], []
    for own, (forth, back) in zip(facts, _directions(model, text, facts)):
        mean = (forth.posterior + back.posterior.T) / 2
        if method == "posterior":
            found = {(i, j) for i, j in np.argwhere(mean > threshold).tolist()}
        else:
            one = {(i - 1, j) for j, i in enumerate(forth.best) if i}
            two = {(i, j - 1) for i, j in enumerate(back.best) if j}
            found = set(symmetrize(one, two, method))
        links = sorted((found | own.known) - own.forbidden)
        rows.append(links)
        likely += [1.0 if link in own.known else float(mean[link]) for link in links]
    made = Alignments.of(rows)
    return Alignments(made.offsets, made.source, made.target, np.array(likely, dtype=np.float32))


class _Choices(NamedTuple):
    """One direction of a pair: P(word j chooses word i), [i][j], and the best choice of j from 1, 0 for none."""

    posterior: Reals
    best: list[int]


def _directions(
    model: AlignmentModel, text: ParallelText, facts: Sequence[PairFacts]
) -> Iterator[tuple[_Choices, _Choices]]:
    at = 0
    for part in (text.part(*ends) for ends in text.bounds()):
        own = facts[at : at + len(part)]
        pairs = model.bitexts(part, 1)
        yield from zip(
            *(
                _chosen(model.direction(back), pairs[back], [_turned(one, back) for one in own], at)
                for back in (False, True)
            )
        )
        at += len(part)


def _turned(facts: PairFacts, back: bool) -> PairFacts:
    if not back:
        return facts
    return PairFacts(*(frozenset((j, i) for i, j in links) for links in facts))


def _chosen(way: Direction, pairs: Bitext, facts: Sequence[PairFacts], before: int) -> Iterator[_Choices]:
    """The choices of a direction for every pair; links are (word that is chosen, word that chooses)."""
    lengths = [tuple(pair) for pair in zip(*(length.tolist() for length in pairs.lengths))]
    if isinstance(way, IndependentDirection | HmmDirection):
        for number, ((n, m), own, made) in enumerate(zip(lengths, facts, chains(way, pairs)), before + 1):
            if made is None:
                yield _Choices(np.zeros((n, m)), [])
                continue
            chain, given, places = made
            scores = replace(given, unary=np.maximum(given.unary, _LEAST))  # a known link may be a new one
            allowed = _allowed(own, n, m)[:, places]
            try:
                p = chain.marginals(scores, allowed=allowed)
                best = places[chain.best(scores, allowed=allowed).labels].tolist()
            except ValueError as error:
                raise ValueError(
                    f"Pair {number}: no alignment agrees with what is known ({error})."
                ) from None
            posterior = np.zeros((m, n + 1))
            np.add.at(posterior.T, places, np.asarray(p, dtype=np.float64).T)
            yield _Choices(posterior[:, 1:].T, best)
        return
    ends, flat = way.posteriors(pairs)
    for (n, m), own, begin in zip(lengths, facts, ends.tolist()):
        links: Reals = flat[begin : begin + n * m].reshape(n, m).astype(np.float64)
        free = np.concatenate([np.clip(1 - links.sum(axis=0), 0, 1)[None], links])  # row 0: no word
        kept = np.where(_allowed(own, n, m).T, np.maximum(free, 1e-12), 0.0)
        kept /= kept.sum(axis=0)
        yield _Choices(kept[1:], kept.argmax(axis=0).tolist())


def _allowed(facts: PairFacts, n: int, m: int) -> NDArray[np.bool_]:
    """Which words, from 1, and none, 0, each of m words may choose, [m][n + 1]."""
    may = np.ones((m, n + 1), dtype=bool)
    for i, j in facts.forbidden:
        may[j, i + 1] = False
    for j in {j for _, j in facts.known}:
        may[j] = False
    for i, j in facts.known:
        may[j, i + 1] = True
    return may


def _rows(given: Known | None, n: int, name: str) -> list[frozenset[Link]]:
    if given is None:
        return [frozenset()] * n
    rows = listed_rows(given, f"The {name} links")
    if len(rows) != n:
        raise ValueError(
            f"Expected {name} links of {counted(n, 'sentence pair')}, one list for each. Got {len(rows)}."
        )
    found = []
    for number, row in enumerate(rows, 1):
        try:
            found.append(frozenset((int(i), int(j)) for i, j in (row if row is not None else ())))
        except (TypeError, ValueError):
            raise ValueError(
                f"Pair {number}: {name} links are pairs (source word, target word). Got {row!r:.60}."
            ) from None
    return found
