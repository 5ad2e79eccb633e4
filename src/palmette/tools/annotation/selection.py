"""`palmette.tools.select`: the examples of a collection that are most worth annotating."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from palmette.formats.corpus import Corpus
from palmette.formats.given import listed
from palmette.formats.listed_corpus import as_corpus, conllu_names
from palmette.tools.annotation.confidence import sureness
from palmette.tools.annotation.strategies import Candidate, choose

_AT_ONCE = 500  # examples that are measured together
_CORPORA = (
    "tagger",
    "span tagger",
    "induced tagger",
    "morphology",
    "lemmatizer",
    "dependency parser",
    "text pipeline",
)


def select(
    tool: Any,
    X: Any,
    n: int = 100,
    *,
    strategy: str = "mixed",
    annotated: Iterable[Sequence[str]] = (),
    shortest: int = 1,
    longest: int | None = None,
    random_state: int = 0,
) -> list[Candidate]:
    """Return the n examples of X most worth annotating, the first first.

    tool: a trained model with probabilities or margins. X: examples as its `predict` takes them; for a pipeline
    also texts, whose sentences are then chosen. strategy: "mixed", "least-confident", "change", "diverse" or
    "random" (see `palmette.tools.annotation.strategies`). annotated: the words of examples that are done.
    shortest, longest: the number of words that an example may have.

    >>> from palmette import Tagger
    >>> tagger = Tagger().fit([["a", "dog"], ["the", "dog", "sleeps"]], [["D", "N"], ["D", "N", "V"]])
    >>> [found] = select(tagger, [["the", "dog"], ["zebras", "fly"]], 1)
    >>> found.number, found.example
    (2, ['zebras', 'fly'])
    """
    found = _candidates(tool, X)
    fitting = (
        one for one in found if shortest <= len(one.words) and (longest is None or len(one.words) <= longest)
    )
    return choose(fitting, n, strategy, annotated=annotated, random_state=random_state)


def _candidates(tool: Any, X: Any) -> Iterator[Candidate]:
    number = 0
    for given, examples, words in _batches(tool, X):
        for one, example, own in zip(sureness(tool, given), examples, words, strict=True):
            number += 1
            yield Candidate(number, own, one.confidence, one.change, example)


def _batches(tool: Any, X: Any) -> Iterator[tuple[Any, Sequence[Any], Sequence[Sequence[str]]]]:
    """What `sureness` takes, its examples, and their words."""
    kind = getattr(tool, "kind", "")
    if kind == "text pipeline" and (isinstance(X, str) or _are_texts(X)):
        for document in tool.pipe([X] if isinstance(X, str) else X):
            yield document.corpus, document.sentences, words_of(document.corpus)
        return
    if kind in _CORPORA:
        corpus = X if isinstance(X, Corpus) else as_corpus(X, conllu_names)
        rows = words_of(corpus)
        examples = [corpus[i] for i in range(len(corpus))] if corpus is X else listed(X, "Sentences")
        for at in range(0, len(corpus), _AT_ONCE):
            part = range(at, min(at + _AT_ONCE, len(corpus)))
            yield corpus.select(part), examples[at : part.stop], rows[at : part.stop]
        return
    given = listed(X, "Examples")
    for at in range(0, len(given), _AT_ONCE):
        items = given[at : at + _AT_ONCE]
        yield items, items, [words_in(item) for item in items]


def _are_texts(X: Any) -> bool:
    return isinstance(X, Sequence) and bool(X) and isinstance(X[0], str)


def words_of(corpus: Corpus) -> list[list[str]]:
    """Return the words of every sentence."""
    forms = corpus.column("form" if "form" in corpus.names else 0).values()
    bounds = corpus.offsets.tolist()
    return [forms[a:b] for a, b in pairwise(bounds)]


def words_in(item: Any) -> list[str]:
    """Return the words of a text, of a row of texts, or of anything that prints."""
    if isinstance(item, str):
        return item.split()
    if isinstance(item, (list, tuple)):
        return [word for part in item for word in words_in(part)]
    return str(item).split()
