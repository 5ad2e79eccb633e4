"""Charts of a grammar that is read off a treebank: horizontal 2, vertical 2, about 2,000 symbols.

The test set of const_en_ptb, words as input. Times are those of the processor for one sentence, save where two
threads are asked for; the native search gets all sentences in one call, and gives back the nodes of the trees. The
textbook's loop and NLTK get the same weights, and must find the same scores.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.cky_textbook.textbook import best_scores
from benchmarks.measuring.row import Row
from benchmarks.measuring.timing import shortest
from benchmarks.ours.grammars import ENGLISH, RANKED, files
from benchmarks.peers import nltk_viterbi
from benchmarks.peers.folder import kept
from benchmarks.peers.process import measure
from palmette.evaluation.brackets import evaluate_brackets
from palmette.formats.corpus import Corpus
from palmette.tools.constituency.input import gold_trees
from palmette.tools.constituency.pcfg.chart_batch import SentenceBatch
from palmette.tools.constituency.pcfg.model import PcfgModel, train
from palmette.trees.tree import Tree

LEAST_TEXTBOOK = 2.0
LEAST_COARSE = 5.0
MOST_SEARCH_ERROR = 0.1  # F1 in percent
LEAST_NLTK = 1000.0
MOST_SUMS = 3.0  # times the maximum
MOST_RANKED = 1.3  # times the best
LEAST_THREADS = 1.8
NLTK_SENTENCES, NLTK_WORDS = 10, 10
_CPU = time.process_time


@dataclass(frozen=True, eq=False)
class Problem:
    """An exact parser, one from coarse to fine, and trees whose words they parse; short: those for NLTK."""

    exact: PcfgModel
    coarse: PcfgModel
    gold: Sequence[Tree]
    short: Sequence[Tree]

    @cached_property
    def sentences(self) -> list[list[str]]:
        return [list(tree.words) for tree in self.gold]

    @cached_property
    def batch(self) -> SentenceBatch:
        return SentenceBatch.of(self.exact.lexicon, self.sentences)

    @cached_property
    def seen(self) -> Corpus:
        """The words as what closes them sees them."""
        assert self.coarse.closure is not None
        return self.coarse.closure.words.corpus(self.sentences)

    def best(self, model: PcfgModel, k: int = 1, n_jobs: int = 1) -> tuple[npt.NDArray[np.generic], ...]:
        """The nodes of the k best trees of every sentence; what closes words is part of the work."""
        closed = None
        if model.closure is not None and model.closed_below:
            closed = model.closure.closed(self.seen, model.closed_below, n_jobs)
        return model._search.best(*self.batch.arrays(), closed, None, k, n_jobs)

    def scores(self) -> npt.NDArray[np.float64]:
        """Of the best trees, found exactly; -inf where there is none."""
        offsets, _, _, _, scores, _ = self.exact._search.best(*self.batch.arrays(), None, None, 1, 1)
        found = np.full(len(self.gold), -np.inf)
        found[np.diff(offsets) > 0] = scores
        return found

    def sums(self) -> object:
        """Inside and outside, with the posteriors of the brackets."""
        model = self.exact
        return model._search.posteriors(
            *self.batch.arrays(), None, None, model._brackets, model._tags, 1e-4, 1
        )

    def f1(self, model: PcfgModel) -> float:
        """Of the most probable trees, in percent."""
        parses = model.parse(self.sentences, minimum_risk=False)
        return 100 * evaluate_brackets(self.gold, [parse.tree for parse in parses]).f1


def problem(quick: bool) -> Problem:
    trained, _, test = files(ENGLISH)
    options = {"horizontal": 2, "vertical": 2}
    model = train(gold_trees(trained).trees, options=options).model
    assert isinstance(model, PcfgModel)
    gold = gold_trees(test).trees
    short = [tree for tree in gold if len(tree.leaves) == NLTK_WORDS][: 2 if quick else NLTK_SENTENCES]
    return Problem(model.with_options({"coarse": False}), model, gold[:60] if quick else gold, short)


def rows(quick: bool = False) -> Iterator[Row]:
    work, times = problem(quick), 1 if quick else 3
    yield textbook_row(work, times)
    yield coarse_row(work, times)
    yield sums_row(work, times)
    yield from ranked_rows(work, times)
    yield from thread_rows(work, times)
    yield nltk_row(work, times)


def textbook_row(work: Problem, times: int) -> Row:
    grammar, n = work.exact.grammar, len(work.gold)
    ours, theirs = work.scores(), best_scores(grammar, work.batch)
    same = bool(np.allclose(ours, theirs, rtol=1e-5, atol=1e-3))
    own, peer = shortest(
        lambda: work.best(work.exact), lambda: best_scores(grammar, work.batch), times=times, clock=_CPU
    )
    size = f"{len(grammar.names):,} symbols, {grammar.binary.shape[1]:,} binary rules"
    return Row(
        f"{ENGLISH} test, {size}, exact / textbook in C++, scores only",
        own / n,
        peer / n,
        1,
        "sentences",
        least_ratio=LEAST_TEXTBOOK,
        quality=("same scores" if same else "other scores") + f", {int(np.isinf(ours).sum())} without a tree",
        holds=same,
    )


def coarse_row(work: Problem, times: int) -> Row:
    n, exact, coarse = len(work.gold), work.f1(work.exact), work.f1(work.coarse)
    own, peer = shortest(
        lambda: work.best(work.coarse), lambda: work.best(work.exact), times=times, clock=_CPU
    )
    return Row(
        f"from coarse to fine / exact, F1 lost ≤ {MOST_SEARCH_ERROR:g}",
        own / n,
        peer / n,
        1,
        "sentences",
        least_ratio=LEAST_COARSE,
        quality=f"F1 {coarse:.2f}, exact {exact:.2f}",
        holds=exact - coarse <= MOST_SEARCH_ERROR,
    )


def nltk_row(work: Problem, times: int) -> Row:
    """Words to trees in Python, exactly. NLTK's grammar has those words alone, which is to its advantage."""
    some, n = replace(work, gold=work.short), len(work.short)
    found = some.scores()
    peer = measure(nltk_viterbi.parse, nltk_problem(some))
    same = abs(peer.quality["score"] - found[np.isfinite(found)].sum()) < 1e-2
    (own,) = shortest(lambda: some.exact.parse(some.sentences, minimum_risk=False), times=times, clock=_CPU)
    return Row(
        f"{n} sentences of {NLTK_WORDS} words, exact / NLTK's ViterbiParser",
        own / n,
        peer.cpu_seconds / n,
        1,
        "sentences",
        least_ratio=LEAST_NLTK,
        quality=f"{'same' if same else 'other'} scores, {peer.quality['trees']:.0f} trees",
        holds=same,
    )


def nltk_problem(work: Problem) -> str:
    """The path of a file with the grammar and the sentences as `nltk_viterbi` reads them.

    NLTK wants probabilities that sum to one: a word that does not occur has what is left of every tag. A word has
    another name where a sentence begins, since capitals mean less there.
    """
    grammar, lexicon = work.exact.grammar, work.exact.lexicon
    columns = zip(*grammar.binary.tolist(), grammar.binary_weights.tolist())
    rules = [[a, [b, c], exp(weight)] for a, b, c, weight in columns]
    rules += [
        [a, [b], exp(weight)] for a, b, weight in zip(*grammar.unary.tolist(), grammar.unary_weights.tolist())
    ]
    left = [1.0] * grammar.n_tags
    words, seen, sentences = [], set(), []
    for sentence in work.sentences:
        sentences.append([word if i else f"^{word}" for i, word in enumerate(sentence)])
        for i, (word, name) in enumerate(zip(sentence, sentences[-1])):
            if name in seen:
                continue
            seen.add(name)
            for tag, weight in lexicon.entries(word, i):
                words.append([tag, name, exp(weight)])
                left[tag] -= exp(weight)
    words += [[tag, "", rest] for tag, rest in enumerate(left) if rest > 0]
    path = Path(kept("charts-nltk.json"))
    given = {"root": grammar.root, "rules": rules, "words": words, "sentences": sentences}
    path.write_text(json.dumps(given), encoding="utf-8")
    return str(path)


def sums_row(work: Problem, times: int) -> Row:
    n = len(work.gold)
    own, peer = shortest(work.sums, lambda: work.best(work.exact), times=times, clock=_CPU)
    return Row(
        "inside and outside, exact / the best tree",
        own / n,
        peer / n,
        1,
        "sentences",
        least_ratio=1 / MOST_SUMS,
    )


def ranked_rows(work: Problem, times: int) -> Iterator[Row]:
    n = len(work.gold)
    for name, model in (("exact", work.exact), ("from coarse to fine", work.coarse)):
        own, peer = shortest(
            lambda: work.best(model, RANKED),  # noqa: B023
            lambda: work.best(model),  # noqa: B023
            times=times,
            clock=_CPU,
        )
        yield Row(
            f"{RANKED} best, {name} / the best",
            own / n,
            peer / n,
            1,
            "sentences",
            least_ratio=1 / MOST_RANKED,
        )


def thread_rows(work: Problem, times: int) -> Iterator[Row]:
    """By the clock, of which a busy machine leaves less."""
    n = len(work.gold)
    for name, model in (("exact", work.exact), ("from coarse to fine", work.coarse)):
        own, peer = shortest(
            lambda: work.best(model, n_jobs=2),  # noqa: B023
            lambda: work.best(model),  # noqa: B023
            times=times,
        )
        yield Row(f"two threads, {name} / one", own / n, peer / n, 1, "sentences", least_ratio=LEAST_THREADS)
