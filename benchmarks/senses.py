"""Senses: all words trained on SemCor, a lexical sample beside scikit-learn, and lists that grow from seed words.

Settings were chosen on semeval2007, on held-out parts of SemCor, and on the development part of the lexical
sample.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from benchmarks.data import corpus
from benchmarks.measuring.row import Row, UnavailableError
from palmette import SenseTagger
from palmette.tools.senses.corpus import Tagged, read_tagged
from palmette.tools.senses.inventory import ListedInventory
from palmette.tools.senses.occurrences import Reader
from palmette.tools.senses.wordnet import WordNet

LEAST = {"senseval2.test": 0.713, "semeval2007.dev": 0.602}
LEAST_LESK, LEAST_SEEDS = 0.58, 0.9
# Two senses of a word, and two seed words for each.
CASES = (
    ("line", "phone", "text", ("telephone", "phone"), ("read", "page")),
    ("line", "cord", "division", ("rope", "fishing"), ("between", "draw")),
    ("line", "product", "phone", ("introduced", "sell"), ("phone", "telephone")),
    ("interest", "interest_6", "interest_5", ("rate", "pay"), ("company", "stake")),
    ("interest", "interest_6", "interest_1", ("rate", "pay"), ("public", "expressed")),
    ("serve", "SERVE10", "SERVE12", ("food", "dish"), ("years", "term")),
    ("serve", "SERVE10", "SERVE2", ("food", "dish"), ("as", "purpose")),
    ("hard", "HARD1", "HARD3", ("find", "difficult"), ("surface", "wood")),
)


def rows(quick: bool = False) -> Iterator[Row]:
    yield from sample_rows()
    yield from seed_rows(3 if quick else len(CASES))
    yield from all_words_rows(quick)


def wordnet() -> WordNet:
    try:
        return WordNet()
    except FileNotFoundError as error:
        raise UnavailableError(str(error.strerror)) from error


def all_words_rows(quick: bool) -> Iterator[Row]:
    start = time.process_time()
    inventory = wordnet()
    opened = time.process_time() - start
    texts = {name: corpus(f"wsd_en_allwords/{name}.tsv")[0] for name in LEAST}
    start = time.process_time()
    lesk = SenseTagger("lesk", inventory=inventory).fit([], [])
    scores = lesk.evaluate(texts["senseval2.test"])
    yield Row(
        "senseval2, extended Lesk",
        time.process_time() - start,
        quality=f"F1 {100 * scores.f1:.1f}; WordNet opened in {1000 * opened:.0f} ms",
        holds=scores.f1 >= LEAST_LESK,
    )
    if quick:
        return
    (train,) = corpus("wsd_en_allwords/semcor.train.tsv.gz")
    start = time.process_time()
    tagger = SenseTagger(inventory=inventory, tagger="en").fit(train)
    seconds = time.process_time() - start
    for name, path in texts.items():
        scores = tagger.evaluate(path)
        first, bound = (scores.baselines[one] for one in ("first_sense", "upper_bound"))
        yield Row(
            f"{name}, trained on SemCor",
            seconds,
            quality=f"F1 {100 * scores.f1:.1f}; first sense {100 * first:.1f}, at best {100 * bound:.1f}",
            holds=scores.f1 >= LEAST[name],
        )


def sample_rows() -> Iterator[Row]:
    train, test = _sample("train.tsv.gz"), _sample("test.tsv")
    start = time.process_time()
    tagger = SenseTagger().fit(*train)
    seconds = time.process_time() - start
    ours = tagger.evaluate(*test).f1
    peers = dict(_peers(train, test))
    best = max(peers.values())
    told = ", ".join(f"{name} {100 * right:.1f}" for name, right in peers.items())
    yield Row(
        f"lexical sample, {len(train.sentences):,} examples",
        seconds,
        quality=f"accuracy {100 * ours:.1f}; scikit-learn: {told}",
        holds=ours >= best,
    )


def _sample(name: str) -> Tagged:
    return read_tagged(corpus(f"wsd_en_lexsample/{name}")[0])


def _peers(train: Tagged, test: Tagged) -> Iterator[tuple[str, float]]:
    """Pipelines of scikit-learn: n-grams of the words around, and our features with its linear SVM."""
    try:
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.svm import LinearSVC
    except ImportError as error:
        raise UnavailableError("scikit-learn is not installed") from error
    same = {"tokenizer": str.split, "token_pattern": None}
    made: dict[str, Any] = {
        "tf-idf of n-grams, SVM": lambda: make_pipeline(
            TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, **same), LinearSVC(random_state=0)
        ),
        "our features, SVM": lambda: make_pipeline(
            CountVectorizer(
                binary=True, lowercase=False, tokenizer=lambda x: x.split("\t"), token_pattern=None
            ),
            LinearSVC(C=0.1, random_state=0),
        ),
        "our features, log-linear": lambda: make_pipeline(
            CountVectorizer(
                binary=True, lowercase=False, tokenizer=lambda x: x.split("\t"), token_pattern=None
            ),
            LogisticRegression(max_iter=200),
        ),
    }
    data = {}
    for name, text in (("train", train), ("test", test)):
        found = Reader(ListedInventory({})).occurrences(text.sentences, None, text.senses)
        for one in found:
            sentence = text.sentences[one.sentence]
            words = " ".join(token.form for token in sentence.tokens)
            row = (words, "\t".join(sorted(one.features)), text.senses[one.sentence][one.place][0])
            data.setdefault((name, one.word[0]), []).append(row)
    words = sorted({word for _, word in data})
    for title, make in made.items():
        column = 1 if "our" in title else 0
        right = total = 0
        for word in words:
            seen, tried = data["train", word], data["test", word]
            pipeline = make().fit([row[column] for row in seen], [row[2] for row in seen])
            guess = pipeline.predict([row[column] for row in tried])
            right += sum(one == row[2] for one, row in zip(guess, tried))
            total += len(guess)
        yield title, right / total


def seed_rows(n: int) -> Iterator[Row]:
    train, test = _sample("train.tsv.gz"), _sample("test.tsv")
    for word, one, two, first, second in CASES[:n]:
        inventory = ListedInventory({(word, ""): [one, two]})
        some, held_out = (_only(text, word, (one, two)) for text in (train, test))
        supervised = SenseTagger(inventory=inventory).fit(*some).evaluate(*held_out).f1
        start = time.process_time()
        lists = SenseTagger("bootstrap", inventory=inventory, seeds={one: first, two: second})
        lists.fit(some.sentences, [[None] * len(row) for row in some.senses])
        grown = lists.evaluate(*held_out).f1
        yield Row(
            f"seeds, {word}: {one} or {two}",
            time.process_time() - start,
            quality=f"accuracy {100 * grown:.1f} without a sense, {100 * supervised:.1f} with all of them",
            holds=grown >= LEAST_SEEDS * supervised,
        )


def _only(text: Tagged, word: str, senses: tuple[str, str]) -> Tagged:
    """The sentences in which a word has one of two senses."""
    found = Tagged([], [])
    for sentence, row in zip(*text):
        if any(own and own[0] in senses and token.unit == word for token, own in zip(sentence.tokens, row)):
            found.sentences.append(sentence)
            found.senses.append(row)
    return found
