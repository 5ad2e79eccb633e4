"""Sentiment: 2,000 reviews in ten parts, as in Pang and Lee 2004, beside NBSVM of scikit-learn in the same run.

A part has the reviews with the same first digit of their number. Sentences are from other reviews and from plots:
one classifier of sentences serves all parts. `proximity` is a cut with the strength and reach that were
chosen on the development reviews; accuracies are of all 2,000 reviews.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.data import corpus
from benchmarks.measuring.row import Row, UnavailableError
from palmette import Classifier, Sentiment
from palmette.learning.naive_bayes import BayesWeighted, NaiveBayes
from palmette.structures.minimum_cut import MinimumCut
from palmette.tools.sentiment.documents import Document
from palmette.tools.sentiment.extracts import Extract
from palmette.tools.sentiment.model import cut_all, item_reader, items_of
from palmette.tools.sentiment.options import SentimentOptions

LEAST_SUBJECTIVITY, LEAST_BEST = 0.935, 0.895
CHOSEN = MinimumCut(reach=1, strength=0.5)  # on the development reviews
PARTS = ("train.tsv.gz", "dev.tsv", "test.tsv")


def rows(quick: bool = False) -> Iterator[Row]:
    yield subjectivity_row()
    yield from review_rows(4 if quick else 10)


def lines(name: str) -> list[list[str]]:
    (path,) = corpus(name)
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [line.split("\t") for line in text.decode().rstrip("\n").split("\n")]


def subjectivity_row() -> Row:
    train, dev, test = (lines(f"subj_en_v1/{part}") for part in PARTS)
    start = time.process_time()
    classifier = Classifier(NaiveBayes(alpha=0.3))
    classifier.fit([row[1] for row in train + dev], [row[0] for row in train + dev])
    right = classifier.score([row[1] for row in test], [row[0] for row in test])
    return Row(
        f"subjective sentences, naive Bayes, {len(train + dev):,} sentences",
        time.process_time() - start,
        quality=f"accuracy {100 * right:.1f}",
        holds=right >= LEAST_SUBJECTIVITY,
    )


def review_rows(n_parts: int) -> Iterator[Row]:
    found: dict[tuple[str, str], list[str]] = {}
    for part in PARTS:
        for label, name, _, words in lines(f"sent_en_polarity2/{part}"):
            found.setdefault((label, name), []).append(words)
    labels = np.array([label for label, _ in found])
    parts = np.array([int(name[2]) for _, name in found])
    sentences = [row for part in PARTS for row in lines(f"subj_en_v1/{part}")]
    given = [row[1] for row in sentences], [row[0] for row in sentences]
    start = time.process_time()
    by_ngrams = {}
    for ngrams in (1, 2):
        first = Sentiment(subjectivity=given, options={"ngrams": ngrams})
        inside = first.fit(list(found.values())[:2], ["a", "b"]).model_
        documents = inside.reader.documents(list(found.values()))
        assert inside.subjectivity is not None
        by_ngrams[ngrams] = documents, inside.subjectivity.probabilities(documents)
    p = by_ngrams[2][1]
    reading = time.process_time() - start
    texts = [" ".join(document) for document in found.values()]
    full = cut_all(by_ngrams[1][0], None, CHOSEN)
    single = cut_all(by_ngrams[1][0], p, MinimumCut(strength=0.0))
    together = cut_all(by_ngrams[1][0], p, CHOSEN)
    kept = {"full text": full, "extracts": single, "extracts, proximity": together}
    peer, peer_seconds = _peer(texts, labels, parts, n_parts)
    scores: dict[str, float] = {}
    for title, learner, ngrams, which in (
        ("naive Bayes, words", NaiveBayes(), 1, list(kept)),
        ("naive Bayes, pairs", NaiveBayes(), 2, list(kept)),
        ("NBSVM, pairs", BayesWeighted(), 2, ["full text"]),
    ):
        documents = by_ngrams[ngrams][0]
        for name in which:
            extracts = kept[name]
            start = time.process_time()
            right = _accuracy(documents, extracts, learner, ngrams, labels, parts, n_parts)
            scores[f"{title}, {name}"] = right
            yield Row(
                f"reviews, {title}, {name}",
                time.process_time() - start + (0.0 if extracts is full else reading),
                peer_seconds if title.startswith("NBSVM") and extracts is full else None,
                quality=f"accuracy {100 * right:.2f}, {100 * _words(extracts):.0f} % of the words; "
                f"scikit-learn's NBSVM on full texts {100 * peer:.2f}",
                holds=_holds(scores, title, name),
            )
    best = max(scores, key=lambda name: scores[name])
    yield Row(
        f"reviews, the best: {best}", 0.0, quality=f"accuracy {100 * scores[best]:.2f}",
        holds=scores[best] >= LEAST_BEST and scores[best] >= peer,
    )  # fmt: skip


def _holds(scores: dict[str, float], title: str, name: str) -> bool | None:
    """Naive Bayes must gain by extracts, and lose nothing by proximity, as in the paper."""
    if not title.startswith("naive Bayes, words") or name == "full text":
        return None
    before = "full text" if name == "extracts" else "extracts"
    return scores[f"{title}, {name}"] >= scores[f"{title}, {before}"]


def _accuracy(
    documents: Sequence[Document],
    extracts: Sequence[Extract],
    learner: Any,
    ngrams: int,
    labels: Any,
    parts: Any,
    n_parts: int,
) -> float:
    items = items_of(documents, extracts)
    right = total = 0
    for part in range(n_parts):
        train, test = np.flatnonzero(parts != part), np.flatnonzero(parts == part)
        classifier = Classifier(learner, reader=item_reader(SentimentOptions(ngrams=ngrams)))
        classifier.fit([items[i] for i in train], labels[train])
        guess = np.array(classifier.predict([items[i] for i in test]))
        right, total = right + int((guess == labels[test]).sum()), total + len(test)
    return right / total


def _words(extracts: Sequence[Extract]) -> float:
    """The part of the words that stay."""
    lengths = [(len(text.split()), stay) for one in extracts for text, stay in zip(one.sentences, one.stays)]
    return sum(n for n, stay in lengths if stay) / sum(n for n, _ in lengths)


def _peer(texts: Sequence[str], labels: Any, parts: Any, n_parts: int) -> tuple[float, float]:
    """NBSVM of words and pairs of words: a linear SVM of scikit-learn on features times log-count ratios."""
    try:
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.svm import LinearSVC
    except ImportError as error:
        raise UnavailableError("scikit-learn is not installed") from error
    start = time.process_time()
    y, right, total = (labels == sorted(set(labels))[1]).astype(int), 0, 0
    for part in range(n_parts):
        train, test = np.flatnonzero(parts != part), np.flatnonzero(parts == part)
        vectors = CountVectorizer(tokenizer=str.split, token_pattern=None, binary=True, ngram_range=(1, 2))
        X = vectors.fit_transform([texts[i] for i in train])
        counts = [np.asarray(X[y[train] == c].sum(axis=0)).ravel() + 1.0 for c in (0, 1)]
        ratio = np.log(counts[1] / counts[1].sum()) - np.log(counts[0] / counts[0].sum())
        svm = LinearSVC(C=1.0, random_state=0).fit(X.multiply(ratio).tocsr(), y[train])
        w = svm.coef_.ravel()
        mixed = ratio * (0.25 * w + 0.75 * np.abs(w).mean())
        scores = vectors.transform([texts[i] for i in test]) @ mixed + svm.intercept_[0]
        right, total = right + int(((scores > 0) == y[test]).sum()), total + len(test)
    return right / total, time.process_time() - start
