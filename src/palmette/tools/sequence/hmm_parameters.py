"""From the parameters of a hidden Markov model to the weights of a tagger, and back.

A tagger by `HMM` knows the words of its own text and classes of others. The words of new text get their part of
the class that they fall into, in proportion to their frequencies, so all words of a state sum to about one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.features.word_classes import WordClasses
from palmette.formats.corpus import Corpus
from palmette.learning.em import Estimate, Floats
from palmette.tools.sequence.emissions import emissions
from palmette.tools.sequence.hidden_markov import HiddenChain, Tables
from palmette.tools.sequence.model import SequenceModel, SequenceStructure

_ALPHA, _BACKING, _ABSTRACTION = 0.01, 0.5, 5.0  # of classes of unknown words, as in `hmm.py`


def tagger_model(problem: HiddenChain, names: Sequence[str], found: Estimate) -> SequenceModel:
    """Return the tagger with these parameters; unknown words have states by their suffixes."""
    weights = problem.chain_weights(_logs(found.weights), _classes(problem, found))
    return SequenceModel(SequenceStructure(tuple(names), problem.order), problem.words, weights)


def parameters_of(model: SequenceModel, problem: HiddenChain) -> Floats:
    """Return the parameters of a tagger by `HMM`, for the words of other text."""
    K = problem.n_states
    if not isinstance(model.features, WordClasses) or model.structure.order != problem.order:
        raise ValueError(f"The start must be a tagger by the learner HMM of the order {problem.order}.")
    if len(model.structure.labels) != K:
        raise ValueError("A given start has its own states: no more can be added.")
    types = Corpus.from_columns({model.features.column or "form": [[word] for word in problem.words.words]})
    rows, bos = model.rows, model.features.bos
    known = model.features.transform(types)
    tables = [np.exp(model.ngrams(h).reshape(-1, K).astype(np.float64)) for h in range(1, problem.order + 1)]
    end = np.exp(rows[bos + 1].astype(np.float64))
    on = 1 - end
    transitions = tables[0] / on[:, None]
    longer = tables[1] * np.tile(transitions, (K, 1)) if problem.order == 2 else np.zeros((0, K))
    symbols = known.attributes[known.rows[:-1]]
    emitted = np.exp(rows[symbols].astype(np.float64)) * _parts(symbols, problem.frequencies)[:, None]
    return Tables(
        emitted, np.exp(rows[bos].astype(np.float64)), np.stack([on, end]), transitions, longer
    ).flat


def _parts(symbols: NDArray[np.int32], frequencies: Floats) -> Floats:
    """How much of its symbol each word is."""
    found: Floats = frequencies / np.bincount(symbols, frequencies)[symbols]
    return found


def _classes(problem: HiddenChain, found: Estimate) -> Floats:
    """log P(class of unknown words | state), from the expected counts of the words of the class."""
    counts = problem.tables(found.counts).emissions
    used = counts > 1e-6
    symbols, states = (ids.astype(np.int32) for ids in np.nonzero(used))
    table = emissions(
        problem.words, symbols, states, counts[used], problem.n_states, _ALPHA, _BACKING, _ABSTRACTION
    )
    return _logs(table[problem.n_symbols :])


def _logs(weights: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(weights)
    return logs
