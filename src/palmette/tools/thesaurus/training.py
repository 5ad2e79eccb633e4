"""Training a thesaurus: one pass over the sentences, then the table of information."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from palmette.formats.corpus import Corpus
from palmette.messages import counted
from palmette.tools.lm.runs import bytes_of
from palmette.tools.thesaurus.counting import TripleCounter
from palmette.tools.thesaurus.information import InformationTable, information_table
from palmette.tools.thesaurus.opposites import PatternCounter, read_patterns
from palmette.tools.thesaurus.options import ThesaurusOptions
from palmette.tools.thesaurus.triples import Ids, TripleMaker


@dataclass(frozen=True, eq=False)
class Counted:
    """What a pass over sentences gives.

    opposites: how often two words, by their numbers in the table, the smaller first, are in a pattern.
    """

    table: InformationTable
    opposites: Mapping[tuple[int, int], tuple[str, int]]
    options: ThesaurusOptions
    facts: dict[str, Any]


def count_contexts(sentences: Iterator[Corpus], options: ThesaurusOptions) -> Counted:
    """Count the triples of all sentences; ValueError if there is nothing to count."""
    counter = TripleCounter(bytes_of(options.memory))
    try:
        return _counted(sentences, options, counter)
    finally:
        counter.close()


def _counted(sentences: Iterator[Corpus], options: ThesaurusOptions, counter: TripleCounter) -> Counted:
    maker: TripleMaker | None = None
    patterns = PatternCounter(read_patterns(options.patterns))
    frequency = np.zeros(1024, dtype=np.int64)
    n_sentences = n_words = n_trees = 0
    for corpus in sentences:
        if not corpus.n_words:
            continue
        if maker is None:
            options = decided(options, corpus)
            maker = TripleMaker(
                options.words,
                options.tags,
                options.contexts != "windows",
                0 if options.contexts == "dependencies" else options.window,
            )
        corpus = _fitting(corpus, options)
        words = maker.rows(corpus)
        frequency = _added(frequency, words, len(maker.entries.strings))
        counter.add(maker.triples(corpus, words))
        patterns.add(corpus, words)
        n_sentences, n_words = n_sentences + len(corpus), n_words + corpus.n_words
        n_trees += 0 if corpus.heads is None else int((corpus.heads == 0).sum())
    if maker is None:
        raise ValueError("There are no sentences to learn from.")
    if options.contexts == "dependencies" and not n_trees:
        raise ValueError(_NO_TREES)
    names = maker.entries.strings
    table = information_table(
        counter.merged(),
        names,
        frequency[: len(names)],
        maker.relations.strings,
        min_count=options.min_count,
        max_words=options.max_words,
        min_context=options.min_context,
        smoothing=options.smoothing,
    )
    if not len(table.values):
        raise ValueError(
            f"No word of this text has a context that tells anything: {counted(n_words, 'word')} were read, "
            "and words that "
            f"occur fewer than {options.min_count} times, or in contexts that occur fewer than "
            f"{options.min_context}, were left out (options 'min_count' and 'min_context')."
        )
    number = {name: i for i, name in enumerate(table.words)}
    opposites: dict[tuple[int, int], tuple[str, int]] = {}
    for (p, a, b), count in sorted(patterns.found.items()):
        one, two = number.get(names[a]), number.get(names[b])
        if one is not None and two is not None:
            pair = min(one, two), max(one, two)
            if count > opposites.get(pair, ("", 0))[1]:
                opposites[pair] = " ".join(patterns.patterns[p]), count
    facts = {"sentences": n_sentences, "words": n_words, "trees": n_trees, "files_on_disk": counter.n_files}
    return Counted(table, opposites, options, facts)


_NO_TREES = (
    "Relations need dependency trees, and these sentences have none: give CoNLL-U with heads, a parser, or the "
    "option contexts=windows."
)


def decided(options: ThesaurusOptions, corpus: Corpus) -> ThesaurusOptions:
    """Return the options with "auto" decided by the first sentences."""
    if options.contexts == "auto":
        options = replace(options, contexts="both" if _has_trees(corpus) else "windows")
    if options.words == "auto":
        options = replace(options, words="lemma" if _has_lemmas(corpus) else "lower")
    return options


def _has_trees(corpus: Corpus) -> bool:
    return corpus.heads is not None and bool((corpus.heads >= 0).any())


def _has_lemmas(corpus: Corpus) -> bool:
    return "lemma" in corpus.names and any(lemma != "_" for lemma in corpus.column("lemma").values())


def _fitting(corpus: Corpus, options: ThesaurusOptions) -> Corpus:
    """Return sentences with all columns that are needed; ValueError if one is missing."""
    if options.contexts != "windows" and not _has_trees(corpus):
        raise ValueError(_NO_TREES)
    if options.tags and (
        "upos" not in corpus.names or not any(tag != "_" for tag in corpus.column("upos").strings)
    ):
        raise ValueError(
            "The option 'tags' needs parts of speech, and these sentences have none: give a parser."
        )
    if options.words == "lemma":
        if not _has_lemmas(corpus):
            raise ValueError("The option words=lemma needs lemmas, and these sentences have none.")
        lemmas, forms = corpus.column("lemma").values(), corpus.column("form").values()
        if "_" in lemmas:  # a word without lemma is its form
            from palmette.formats.column import Column

            filled = Column.of([form if lemma == "_" else lemma for lemma, form in zip(lemmas, forms)])
            corpus = corpus.with_columns({"lemma": filled})
    return corpus


def _added(frequency: Ids, words: Ids, n: int) -> Ids:
    if n > len(frequency):
        frequency = np.concatenate(
            [frequency, np.zeros(max(n, 2 * len(frequency)) - len(frequency), np.int64)]
        )
    good = words[words >= 0]
    frequency[:n] += np.bincount(good, minlength=n)
    return frequency
