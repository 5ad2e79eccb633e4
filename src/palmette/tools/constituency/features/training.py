"""Training of parsers with features: trees, the items of their first pass, predicted tags, and a learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.formats.corpus import Corpus
from palmette.learning.learner import Callback, Learner
from palmette.learning.perceptron import Perceptron
from palmette.learning.problem import Weights
from palmette.learning.votes import votes_of
from palmette.structures.anchored_rules import WIDTH, AnchoredRules, Int32, is_anchorable
from palmette.tools.constituency.features.coarse_pass import CoarsePass
from palmette.tools.constituency.features.model import FeatureModel, anchored_problem
from palmette.tools.constituency.features.options import LEARNERS, OWNER, FeatureOptions
from palmette.tools.constituency.lexicon import Lexicon
from palmette.tools.constituency.model import ConstituencyModel, Sentences, Trained
from palmette.tools.constituency.treebank import sentences_of
from palmette.tools.sequence.jackknifing import fill, jackknifed, train_taggers
from palmette.tools.sequence.tagger import Tagger
from palmette.trees.tree import Tree

MOST_TRAINED = 200  # words of a sentence that is learnt from: the time of one grows with its cube
_COLUMN = "xpos"
_TAGGER = Perceptron(
    n_iter=5
)  # as good for features as a CRF, which takes three times as long with many tags


def train_features(
    trees: Sequence[Tree],
    *,
    options: Mapping[str, Any],
    learner: Learner | None = None,
    dev: Callable[[ConstituencyModel], float] | None = None,
    callback: Callback | None = None,
    n_jobs: int = 1,
    seed: int = 0,
) -> Trained:
    """Train a parser of features; see `TrainFunction`."""
    made = FeatureOptions.of(options, OWNER)
    trees, notes = _usable(trees)
    if learner is None:
        learner = replace(LEARNERS[0], n_jobs=n_jobs, random_state=seed)
    binarized = [made.binarization(tree) for tree in trees]
    rules = AnchoredRules.of(binarized, trees[0].label)
    coarse = CoarsePass.of(binarized, rules, Lexicon.of(trees))
    sentences = sentences_of(trees)
    tagger, tags = (None, None) if not made.tags else _tags(trees, made.folds, n_jobs)
    model = FeatureModel(made, coarse, tagger, np.zeros(0, dtype=np.float32), learner.probabilistic)
    gold = [rules.nodes(tree) or [] for tree in binarized]
    rows, items, _ = coarse.items(sentences, made.threshold, n_jobs=n_jobs)
    reachable = _with_gold(rows, items, [rules.items(nodes) for nodes in gold])
    problem = anchored_problem(model, sentences, tags, reachable, _packed(gold, WIDTH))

    def score(weights: Weights) -> float:
        assert dev is not None
        return dev(replace(model, weights=weights))

    learned = learner.learn(problem, dev=None if dev is None else score, callback=callback)
    trained = replace(model, weights=learned.weights, votes=votes_of(learned.extra))
    return Trained(trained, learner, learned.history, learned.interrupted, notes)


def _usable(trees: Sequence[Tree]) -> tuple[list[Tree], tuple[str, ...]]:
    """The trees that can be learnt from, and a note about the others; ValueError if there are none."""
    good = [tree for tree in trees if is_anchorable(tree)]
    usual = [tree for tree in good if len(tree.words) <= MOST_TRAINED]
    if not usual:
        raise ValueError(
            "No tree can be learnt from: every word needs a tag, every phrase words that are neighbours, "
            f"and a sentence at most {MOST_TRAINED} words."
        )
    notes = []
    if len(good) < len(trees):
        notes.append(f"{len(trees) - len(good):,} trees have gaps or words without tags: not learnt from")
    if len(usual) < len(good):
        notes.append(
            f"{len(good) - len(usual):,} sentences have more than {MOST_TRAINED} words: not learnt from"
        )
    return usual, tuple(notes)


def _tags(trees: Sequence[Tree], folds: int, n_jobs: int) -> tuple[Tagger, Sentences]:
    """A tagger, and the tags of the trees as taggers that have not seen them predict these."""
    corpus = Corpus.from_columns({"form": sentences_of(trees), _COLUMN: [tree.tags for tree in trees]})
    tagger = train_taggers(corpus, [_COLUMN], _TAGGER, n_jobs)[_COLUMN]
    parts = min(folds, len(trees))
    tagged = (
        jackknifed(corpus, [_COLUMN], parts, _TAGGER, n_jobs=n_jobs)
        if parts > 1
        else fill(corpus, {_COLUMN: tagger})
    )
    values = tagged.column(_COLUMN).values()
    return tagger, [values[a:b] for a, b in zip(corpus.offsets[:-1].tolist(), corpus.offsets[1:].tolist())]


def _with_gold(
    rows: NDArray[np.int64], items: Int32, gold: Sequence[set[tuple[int, int, int]]]
) -> tuple[NDArray[np.int64], Int32]:
    """The items of the first pass and those of the right trees, sorted and none twice."""
    table = items.reshape(-1, 3)
    joined = []
    for i, own in enumerate(gold):
        kept = table[rows[i] : rows[i + 1]]
        more = np.array(sorted(own), dtype=np.int32).reshape(-1, 3)
        joined.append(np.unique(np.concatenate([kept, more]), axis=0))
    return _packed(joined, 3)


def _packed(lists: Sequence[Any], width: int) -> tuple[NDArray[np.int64], Int32]:
    """Lists of tuples one after another, and where each begins."""
    flat = [np.asarray(each, dtype=np.int32).reshape(-1, width) for each in lists]
    rows = np.cumsum([0, *map(len, flat)], dtype=np.int64)
    return rows, np.ascontiguousarray(np.concatenate(flat).reshape(-1))
