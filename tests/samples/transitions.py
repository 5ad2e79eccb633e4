"""Random sentences with random trees, for tests of transition-based parsers."""

from dataclasses import dataclass

import numpy as np

from palmette.features.token_views import TokenViews
from palmette.formats.corpus import Corpus
from palmette.structures.transitions import TransitionSystem

LABELS = 4


@dataclass
class RandomTrees:
    corpus: Corpus
    views: TokenViews
    heads: np.ndarray
    labels: np.ndarray


def random_sentences(rng: np.random.Generator, lengths: list[int], distinct: bool = False) -> Corpus:
    """Words and tags at random; distinct: every word its own."""
    words = iter(range(10**9))
    forms = [[f"w{next(words) if distinct else rng.integers(9)}" for _ in range(n)] for n in lengths]
    tags = [[f"T{rng.integers(3)}" for _ in range(n)] for n in lengths]
    feats = [[["_", "A=1", "A=2|B=1"][rng.integers(3)] for _ in range(n)] for n in lengths]
    return Corpus.from_columns({"form": forms, "lemma": forms, "upos": tags, "xpos": tags, "feats": feats})


def random_heads(rng: np.random.Generator, n: int, projective: bool) -> list[int]:
    """The tree of random actions."""
    state = TransitionSystem("arc-standard" if projective else "swap").start(n)
    while not state.finished:
        state = state.apply(state.legal[rng.integers(len(state.legal))])
    return list(state.heads)


def random_trees(seed: int, n: int, *, projective: bool = True, distinct: bool = False) -> RandomTrees:
    """n sentences; the first has four words."""
    rng = np.random.default_rng(seed)
    lengths = [4, *rng.integers(1, 8, n - 1).tolist()]
    corpus = random_sentences(rng, lengths, distinct)
    heads = np.array([h for k in lengths for h in random_heads(rng, k, projective)], dtype=np.int32)
    labels = rng.integers(LABELS, size=len(heads)).astype(np.int32)
    return RandomTrees(corpus, TokenViews.of(corpus), heads, labels)
