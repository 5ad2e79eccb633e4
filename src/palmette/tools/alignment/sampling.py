"""Gibbs sampling of alignments: its settings, its priors, and a run of it. CSC 448, §14.5.

Every target word chooses its source word again, given the choices of all other words of the corpus. Translations
and fertilities are integrated out under Dirichlet priors; the prior of a translation is larger for words that are
spelt alike,

    prior(e, f) = prior · (1 + spelling · alike(e, f))

so names, numbers and cognates find each other in small texts (native/tools/alignment/sampler.hpp has the rest).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from palmette._native import AlignmentSampler, Bitext
from palmette.learning.loop import Callback, Pass, run_passes
from palmette.parameters import Options, option
from palmette.tools.alignment.table import Floats, Ints

ORDERS = {"fertility": "jumps", "model3": "diagonal", "model4": "cepts"}


# Sweeps over a text of one sentence pair, divided by the square root of the number of pairs; at least and at most.
TRAINING = 2400, 16, 64
AGAIN = 6000, 8, 250


@dataclass(frozen=True, kw_only=True)
class Sampling(Options):
    """How alignments are sampled."""

    sweeps: int = option(0, "sweeps over the text; 0: as many as fit its size", low=0)
    kept: int = option(
        0, "last sweeps whose probabilities are averaged; 0: three in five of the sweeps", low=0
    )
    null: float = option(0.3, "probability of NULL", above=0, below=1)
    prior: float = option(0.0003, "prior count of every translation", above=0)
    spelling: float = option(3000.0, "factor of the prior count for words that are spelt the same", low=0)
    fertility: float = option(
        20.0, "observations of a word that the fertilities of all words are worth", above=0
    )
    smoothing: float = option(0.5, "number added to counts of displacements", above=0)
    class_strength: float = option(
        20.0, "observations of two word classes that the displacements of all are worth", above=0
    )
    climb: bool = option(
        False, "end each run with moves and swaps as long as they help, and keep their alignment"
    )
    random_state: int = option(0, "seed of the random numbers", low=0)

    def check(self) -> None:
        """Check that not more sweeps are kept than made."""
        if self.kept > min(self.sweeps or 4096, 4096):
            raise ValueError(f"Of {self.sweeps} sweeps {self.kept} cannot be kept.")

    def planned(self, bitext: Bitext, *, again: bool = False) -> Sampling:
        """With its numbers of sweeps: the fewer sentences there are, the more often each can be looked at.

        again: for a text that is aligned with the counts of another, from a poorer start.
        """
        most = AGAIN if again else TRAINING
        sweeps = self.sweeps or int(np.clip(most[0] / math.sqrt(max(len(bitext), 1)), *most[1:]))
        return replace(self, sweeps=sweeps, kept=self.kept or max(1, 3 * sweeps // 5))


@dataclass(frozen=True, kw_only=True)
class Model3Sampling(Sampling):
    """How alignments of Model 3 are sampled."""

    table: float = option(
        0.0,
        "learn a table d(j | i, l, m) of target positions; the distance from the diagonal is worth this many "
        "observations in it; 0: the distance alone",
        low=0,
    )


@dataclass(frozen=True, kw_only=True)
class Model4Sampling(Sampling):
    """How alignments of Model 4 are sampled."""

    n_classes: int = option(20, "classes of words on each side, found in the text itself; 1: none", low=1)


@dataclass(frozen=True, eq=False)
class Priors:
    """Counts from before: of pairs of words, of source words (NULL first), their fertilities, displacements."""

    pairs: Floats
    sources: Floats
    fertilities: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    displacements: Floats = field(default_factory=lambda: np.zeros(0, np.float32))


def flat_priors(bitext: Bitext, sampling: Sampling) -> Priors:
    """Those of a text of which nothing is known but its spelling."""
    first, alike = bitext.first_of, bitext.alike
    pairs = np.full(bitext.n_pairs, sampling.prior, np.float32)
    sources = np.full(len(first) - 1, sampling.prior * max(bitext.n_target, 1), np.float32)
    if len(alike) and sampling.spelling:
        more = sampling.prior * sampling.spelling * alike
        pairs += more
        sums = np.concatenate([[0.0], np.cumsum(more, dtype=np.float64)])
        sources += (sums[first[1:]] - sums[first[:-1]]).astype(np.float32)
    return Priors(pairs, sources)


def table_strength(sampling: Sampling) -> float:
    """The option `table` of Model 3; 0 for other models."""
    return sampling.table if isinstance(sampling, Model3Sampling) else 0.0


def sampler_of(
    kind: str, bitext: Bitext, priors: Priors, classes: tuple[Ints, Ints], start: Ints, sampling: Sampling
) -> AlignmentSampler:
    """A sampler at its start: for every target word a source word from 1 on, or 0."""
    source, target = (int(own.max(initial=0)) + 1 for own in classes)
    table = table_strength(sampling)
    return AlignmentSampler(
        bitext,
        priors.pairs,
        priors.sources,
        priors.fertilities,
        priors.displacements,
        classes[0],
        classes[1],
        source,
        target,
        start,
        order="table" if table else ORDERS[kind],
        null=sampling.null,
        fertility=sampling.fertility,
        smoothing=sampling.smoothing,
        classes=sampling.class_strength,
        table=table or 1.0,
        seed=sampling.random_state,
        kept=sampling.kept,
    )


def run(
    sampler: AlignmentSampler, sampling: Sampling, n_words: int = 1, callback: Callback | None = None
) -> bool:
    """All sweeps; whether Ctrl-C came, after which what was kept by then is all there is.

    The reports have the perplexity of a target word with all other words and choices given.
    """

    def sweeps() -> Iterator[Pass[None]]:
        for sweep in range(sampling.sweeps):
            likelihood = sampler.sweep(sweep >= sampling.sweeps - sampling.kept)
            perplexity = math.exp(min(-likelihood / max(n_words, 1), 700.0))
            # What was learnt is in the sampler.
            yield Pass({"log_likelihood": likelihood, "perplexity": perplexity}, lambda: None)

    interrupted = run_passes(sweeps(), callback=callback).interrupted
    if interrupted:
        sampler.sweep(True)  # so that a result exists
    elif sampling.climb:
        sampler.climb()
    return interrupted


class HasLengths(Protocol):
    """Sentence pairs, as far as their lengths are known: source and target."""

    @property
    def lengths(self) -> tuple[Ints, Ints]: ...


def likeliest(pairs: HasLengths, posteriors: Floats) -> Ints:
    """For every target word the likeliest source word from 1 on, or 0 where NULL is likelier."""
    chosen: list[Any] = [np.zeros(0, np.int32)]
    at = 0
    for n_source, n_target in zip(*(lengths.tolist() for lengths in pairs.lengths)):
        p = posteriors[at : at + n_source * n_target].reshape(n_source, n_target)
        at += n_source * n_target
        if not n_source:
            chosen.append(np.zeros(n_target, np.int32))
            continue
        null = 1 - p.sum(axis=0)
        chosen.append(np.where(p.max(axis=0) > null, p.argmax(axis=0) + 1, 0).astype(np.int32))
    return np.concatenate(chosen)
