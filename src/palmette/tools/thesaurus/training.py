"""Training a thesaurus: one pass over the sentences, by workers on a cluster, then the table of information."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from palmette.course import Workers
from palmette.formats.corpus import Corpus
from palmette.messages import counted
from palmette.tools.lm.runs import bytes_of
from palmette.tools.thesaurus.counting import Counts, Keys, TripleCounter
from palmette.tools.thesaurus.information import InformationTable, information_table
from palmette.tools.thesaurus.opposites import PatternCounter, read_patterns
from palmette.tools.thesaurus.options import ThesaurusOptions
from palmette.tools.thesaurus.sharing import ContextCounts, SentenceShard, united
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
    counter = ContextCounter(options)
    try:
        for corpus in sentences:
            counter.add(corpus)
        return _told(counter.counts(), counter.triples.merged(), counter.triples.n_files)
    finally:
        counter.triples.close()


def count_shards(shards: Iterable[SentenceShard], options: ThesaurusOptions, cluster: Workers) -> Counted:
    """The same by the workers of a cluster."""
    shards = list(shards)
    first = (corpus for shard in shards for corpus in shard.corpora() if corpus.n_words)
    corpus = next(first, None)
    if corpus is None:
        raise ValueError("There are no sentences to learn from.")
    with cluster.stored(shards) as stored:
        found = cluster.reduce(counts_of, stored, decided(options, corpus), add=united)
    return _told(found, found.runs, 0)


class ContextCounter:
    """Counts what sentences have, one piece after another."""

    def __init__(self, options: ThesaurusOptions) -> None:
        """options: "auto" is decided by the first sentences."""
        self.triples = TripleCounter(bytes_of(options.memory))
        self._options = options
        self._maker: TripleMaker | None = None
        self._patterns = PatternCounter(read_patterns(options.patterns))
        self._frequency = np.zeros(1024, dtype=np.int64)
        self._n_sentences = self._n_words = self._n_trees = 0

    def add(self, corpus: Corpus) -> None:
        """Count some sentences."""
        if not corpus.n_words:
            return
        if self._maker is None:
            self._options = options = decided(self._options, corpus)
            self._maker = TripleMaker(
                options.words,
                options.tags,
                options.contexts != "windows",
                0 if options.contexts == "dependencies" else options.window,
            )
        maker = self._maker
        corpus = _fitting(corpus, self._options)
        words = maker.rows(corpus)
        self._frequency = _added(self._frequency, words, len(maker.entries.strings))
        self.triples.add(maker.triples(corpus, words))
        self._patterns.add(corpus, words)
        self._n_sentences, self._n_words = self._n_sentences + len(corpus), self._n_words + corpus.n_words
        self._n_trees += 0 if corpus.heads is None else int((corpus.heads == 0).sum())

    def counts(self) -> ContextCounts:
        """What was counted, but for the triples."""
        maker = self._maker
        names, relations = ([], []) if maker is None else (maker.entries.strings, maker.relations.strings)
        return ContextCounts(
            self._options,
            names,
            relations,
            self._frequency[: len(names)],
            self._patterns.found,
            (self._n_sentences, self._n_words, self._n_trees),
        )


def counts_of(shard: SentenceShard, options: ThesaurusOptions) -> ContextCounts:
    """What a shard adds to the counts. options: without "auto"."""
    counter = ContextCounter(options)
    try:
        for corpus in shard.corpora():
            counter.add(corpus)
        found = counter.counts()
        found.runs = list(counter.triples.merged())
        return found
    finally:
        counter.triples.close()


def _told(found: ContextCounts, triples: Iterable[tuple[Keys, Counts]], n_files: int) -> Counted:
    """The table of what was counted."""
    options, names = found.options, found.names
    n_sentences, n_words, n_trees = found.sizes
    if not n_words:
        raise ValueError("There are no sentences to learn from.")
    if options.contexts == "dependencies" and not n_trees:
        raise ValueError(_NO_TREES)
    table = information_table(
        triples,
        names,
        found.frequency,
        found.relations,
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
    patterns = read_patterns(options.patterns)
    opposites: dict[tuple[int, int], tuple[str, int]] = {}
    for (p, a, b), count in sorted(found.patterns.items()):
        one, two = number.get(names[a]), number.get(names[b])
        if one is not None and two is not None:
            pair = min(one, two), max(one, two)
            if count > opposites.get(pair, ("", 0))[1]:
                opposites[pair] = " ".join(patterns[p]), count
    facts = {"sentences": n_sentences, "words": n_words, "trees": n_trees, "files_on_disk": n_files}
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
