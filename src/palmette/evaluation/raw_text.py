"""Scores of CoNLL-U from raw text, equal to the official evaluation of the CoNLL 2018 shared task.

Gold and the guess divide the same text, perhaps differently. Tokens and sentences are right if gold has them with
the same characters; words are aligned (`palmette.evaluation.word_alignment`), and an aligned word is right

| score | if these are |
| --- | --- |
| `upos`, `xpos` | the tag |
| `ufeats` | the universal features, in any order |
| `alltags` | all three |
| `lemmas` | the lemma, where gold has one |
| `uas` | the head: the word aligned with gold's |
| `las` | the head, and the relation up to the colon |
| `clas` | as `las`, among words whose relation is one of content words |
| `mlas` | as `clas`, and tag, universal features, and all function words below it |
| `blex` | as `clas`, and the lemma, where gold has one |

Precision divides by what the guess has, recall by what gold has. O(words), besides the alignment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.evaluation.raw_text_scores import MEASURES, AlignedCounts, RawTextScores
from palmette.evaluation.text_spans import TextSpans, check_same_text
from palmette.evaluation.tree_pairs import CONTENT, FUNCTIONAL, joint, universal
from palmette.evaluation.word_alignment import align_words
from palmette.formats.column import Column
from palmette.formats.conllu import read_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source, display_name
from palmette.formats.tree_faults import faults

Ids: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.bool_]
_ROOT, _NOWHERE = -1, -2  # in the place of the row of a head
_MOST_CONFUSED = 20


def evaluate_raw_text(gold: Corpus | Source, guess: Corpus | Source) -> RawTextScores:
    """Compare two analyses of the same text: corpora that were read from CoNLL-U, or paths of such files.

    Heads are scored if both have some; then every sentence of both must be a tree. FormatError names the first
    place where the texts differ, and the first cycle, second root or missing head.

    >>> from palmette.formats.conllu import parse_conllu
    >>> row = "{}\\t{}\\t_\\t{}\\t_\\t_\\t{}\\tdep\\t_\\t_\\n"
    >>> gold = parse_conllu(row.format(1, "can", "AUX", 2) + row.format(2, "not", "PART", 0) + "\\n")
    >>> guess = parse_conllu(row.format(1, "cannot", "AUX", 0) + "\\n")
    >>> evaluate_raw_text(gold, guess).counts["words"]
    AlignedCounts(gold=2, guess=1, correct=0, aligned=None)
    """
    right, tried = _spans(gold, "gold"), _spans(guess, "guess")
    check_same_text(right, tried)
    has_trees = _has_heads(right) and _has_heads(tried)
    if has_trees:
        for spans in (right, tried):
            for fault in faults(spans.corpus, relations=False):
                raise fault.error(spans.corpus, spans.path)
    return _Comparison(right, tried).scores(has_trees)


def _spans(given: Corpus | Source, name: str) -> TextSpans:
    if isinstance(given, Corpus):
        corpus, path = given, name
    else:
        corpus, path = read_conllu(given), display_name(given)
    if not corpus.n_words:
        raise FormatError("expected words to score; there are none", path=path)
    return TextSpans.of(corpus, path)


def _has_heads(spans: TextSpans) -> bool:
    heads = spans.corpus.heads
    return heads is not None and bool((heads >= 0).any())


class _Comparison:
    """Two analyses with their words aligned: word `rows[0][k]` of gold is word `rows[1][k]` of the guess."""

    def __init__(self, gold: TextSpans, guess: TextSpans) -> None:
        self.gold, self.guess = gold, guess
        self.rows = align_words(gold, guess)
        self.counts: dict[str, AlignedCounts] = {}
        self.confused: dict[str, list[tuple[str, str, int]]] = {}
        self.per_sentence: dict[str, Ids] = {}

    def scores(self, has_trees: bool) -> RawTextScores:
        """All measures; those of trees if there are some."""
        self._count_spans("tokens", self.gold.tokens, self.guess.tokens)
        self._count_spans("sentences", self.gold.sentences, self.guess.sentences)
        every = np.ones(len(self.rows[0]), dtype=bool)
        self._count("words", every)
        self.counts["words"] = AlignedCounts(*self._three("words"))  # all of them are right
        upos, xpos = self._same("upos", "upos"), self._same("xpos", "xpos")
        feats = self._same("feats", "ufeats", universal)
        lemma = self._same("lemma", "lemmas", absent_is_right=True)
        for name, same in zip(MEASURES[3:8], (upos, xpos, feats, upos & xpos & feats, lemma)):
            self._count(name, same)
        if has_trees:
            self._trees(upos & feats, lemma)
        return RawTextScores(self.counts, self.confused, self.per_sentence)

    def _trees(self, alike: Rows, lemma: Rows) -> None:
        """UAS to BLEX; `alike` words have the same tag and features."""
        *relations, names = joint(
            _column(self.gold.corpus, "deprel"),
            _column(self.guess.corpus, "deprel"),
            lambda label: label.partition(":")[0],
        )
        same = relations[0][self.rows[0]] == relations[1][self.rows[1]]
        self._confuse("relations", relations[0], relations[1], names, ~same)
        heads = _head_rows(self.gold.corpus), _head_rows(self.guess.corpus)
        # the gold word of every word of the guess; two more places, for the values of _NOWHERE and _ROOT
        gold_of = np.full(len(self.guess.words) + 2, _NOWHERE)
        gold_of[self.rows[1]] = self.rows[0]
        gold_of[_ROOT] = _ROOT
        attached = heads[0][self.rows[0]] == gold_of[heads[1][self.rows[1]]]
        labelled = attached & same
        self._count("uas", attached)
        self._count("las", labelled)
        content, functional = (
            [np.array([name in kind for name in names], dtype=bool)[ids] for ids in relations]
            for kind in (CONTENT, FUNCTIONAL)
        )
        served = self._served(heads, functional, labelled & alike)
        for name, right in (
            ("clas", labelled),
            ("mlas", labelled & alike & served),
            ("blex", labelled & lemma),
        ):
            self._count(name, right, content)

    def _served(self, heads: tuple[Ids, Ids], functional: list[Rows], same: Rows) -> Rows:
        """The aligned words whose function words are the same: as many in both, and as many that are `same`."""
        below = [
            np.bincount(h[f & (h >= 0)], minlength=len(h)) for h, f in zip(heads, functional)
        ]  # how many function words each word has
        up = heads[0][self.rows[0]]
        both = same & functional[0][self.rows[0]] & (up >= 0)
        shared = np.bincount(up[both], minlength=len(heads[0]))[self.rows[0]]
        served: Rows = (below[0][self.rows[0]] == shared) & (below[1][self.rows[1]] == shared)
        return served

    def _same(
        self, column: str, layer: str, key: Callable[[str], str] = str, *, absent_is_right: bool = False
    ) -> Rows:
        """The aligned words with the same value of a column; the others are noted as confused."""
        gold, guess, names = joint(_column(self.gold.corpus, column), _column(self.guess.corpus, column), key)
        same: Rows = gold[self.rows[0]] == guess[self.rows[1]]
        if absent_is_right:
            same = same | np.array([name == "_" for name in names], dtype=bool)[gold[self.rows[0]]]
        self._confuse(layer, gold, guess, names, ~same)
        return same

    def _confuse(self, layer: str, gold: Ids, guess: Ids, names: list[str], wrong: Rows) -> None:
        pairs = zip(gold[self.rows[0][wrong]].tolist(), guess[self.rows[1][wrong]].tolist())
        found = [(names[a] or "_", names[b] or "_", n) for (a, b), n in Counter(pairs).items()]
        self.confused[layer] = sorted(found, key=lambda one: (-one[2], one[0], one[1]))[:_MOST_CONFUSED]

    def _count_spans(self, name: str, gold: Ids, guess: Ids) -> None:
        size = len(self.gold.characters) + 1
        right = np.isin(gold[:, 0] * size + gold[:, 1], guess[:, 0] * size + guess[:, 1])
        self._add(name, gold[:, 0], guess[:, 0], gold[right, 0])
        self.counts[name] = AlignedCounts(*self._three(name))

    def _count(self, name: str, right: Rows, among: list[Rows] | None = None) -> None:
        """Count words; with `among` only those of gold and of the guess, right ones by gold."""
        begins = self.gold.words[:, 0], self.guess.words[:, 0]
        aligned = np.ones(len(right), dtype=bool)
        if among is not None:
            aligned = among[0][self.rows[0]]
            right = right & aligned
        at = begins[0][self.rows[0][right]]
        if among is not None:
            begins = begins[0][among[0]], begins[1][among[1]]
        self._add(name, *begins, at)
        self.counts[name] = AlignedCounts(*self._three(name), int(aligned.sum()))

    def _add(self, name: str, *begins: Ids) -> None:
        """Note what begins at these characters in gold, in the guess, and right, by gold sentence."""
        edges = self.gold.sentences[:, 1]
        of = [np.searchsorted(edges, where, side="right") for where in begins]
        self.per_sentence[name] = np.stack([np.bincount(one, minlength=len(edges)) for one in of], axis=1)

    def _three(self, name: str) -> tuple[int, int, int]:
        gold, guess, correct = self.per_sentence[name].sum(axis=0).tolist()
        return gold, guess, correct


def _column(corpus: Corpus, name: str) -> Column:
    if name not in corpus.names:
        return Column(np.zeros(corpus.n_words, dtype=np.int32), ["_"])
    return corpus.column(name)


def _head_rows(corpus: Corpus) -> Ids:
    """The row of the head of every word, _ROOT at the root."""
    assert corpus.heads is not None
    starts = np.repeat(corpus.offsets[:-1], np.diff(corpus.offsets))
    rows: Ids = np.where(corpus.heads > 0, starts + corpus.heads - 1, _ROOT)
    return rows
