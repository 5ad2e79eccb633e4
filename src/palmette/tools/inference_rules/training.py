"""Counting paths with the words in their slots: one pass over parsed sentences, then the table of information.

    I(p, s, w) = log  c(p, s, w) c(*, s, *) / (c(p, s, *) c(*, s, w))

c(p, s, w) counts how often w is in slot s of path p. A path also counts with its slots exchanged, so both slots
have the same distribution of words. Row 2p of the table is slot X of path p, row 2p + 1 slot Y. Lin and Pantel
2001.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.formats.corpus import Corpus
from palmette.messages import counted
from palmette.tools.inference_rules.options import RuleOptions
from palmette.tools.inference_rules.paths import find_paths
from palmette.tools.lm.runs import bytes_of
from palmette.tools.thesaurus.counting import TripleCounter
from palmette.tools.thesaurus.information import positive_information
from palmette.tools.thesaurus.opposites import PatternCounter, read_patterns
from palmette.tools.thesaurus.triples import Numbers

MOST_WORDS, MOST_PATHS = 1 << 20, 1 << 24
_READINGS = 5
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CountedPaths:
    """Paths by falling frequency, how they read, and what they occur with.

    readings: other ways in which they read ("X had Y" where lemmas are counted), at most five. instances: path,
    word of X, word of Y and count, a row for each, sorted. starts, columns, values: the table. opposites: pairs of
    words, and what tells.
    """

    paths: list[str]
    wordings: list[str]
    readings: list[list[str]]
    words: list[str]
    instances: NDArray[np.int32]
    starts: Ints
    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    opposites: Mapping[tuple[str, str], str]
    options: RuleOptions
    facts: dict[str, Any]


def count_paths(sentences: Iterator[Corpus], options: RuleOptions) -> CountedPaths:
    """Count the paths of all sentences; ValueError if there are none."""
    counter = TripleCounter(bytes_of(options.memory))
    try:
        return _counted(sentences, options, counter)
    finally:
        counter.close()


def _counted(sentences: Iterator[Corpus], options: RuleOptions, counter: TripleCounter) -> CountedPaths:
    words, paths = Numbers("different words", MOST_WORDS), Numbers("different paths", MOST_PATHS)
    everything = Numbers("different words", 1 << 24)  # of patterns, which are of all parts of speech
    wordings: list[str] = []
    readings: list[dict[str, None]] = []
    patterns = PatternCounter(read_patterns(options.patterns))
    n_sentences = n_instances = 0
    for corpus in sentences:
        if not corpus.n_words:
            continue
        _check(corpus)
        if options.words == "auto":
            lemmas = "lemma" in corpus.names and set(corpus.column("lemma").strings) != {"_"}
            options = replace(options, words="lemma" if lemmas else "lower")
        names = _names(corpus, options.words)
        patterns.add(corpus, everything.of(names))
        keys = []
        for i, sentence in enumerate(corpus):
            begin, end = int(corpus.offsets[i]), int(corpus.offsets[i + 1])
            own = names[begin:end]
            for found in find_paths(sentence, own, options.longest):
                path = paths[found.path]
                if path == len(wordings):
                    wordings.append(found.wording)
                    readings.append({})
                elif found.wording != wordings[path] and len(readings[path]) < _READINGS:
                    readings[path].setdefault(found.wording)
                keys.append(path << 40 | words[own[found.x]] << 20 | words[own[found.y]])
        counter.add(np.array(keys, dtype=np.uint64))
        n_sentences, n_instances = n_sentences + len(corpus), n_instances + len(keys)
    if not n_sentences:
        raise ValueError("There are no sentences to learn from.")
    if not n_instances:
        raise ValueError(
            f"No two nouns of these {n_sentences:,} sentences have a path between them: rules need sentences with "
            "relations, such as 'X solves Y'."
        )
    facts = {"sentences": n_sentences, "instances": n_instances, "all_paths": len(wordings)}
    opposites = {
        (everything.strings[a], everything.strings[b]): f"{' '.join(patterns.patterns[p])}, {n} ×"
        for (p, a, b), n in sorted(patterns.found.items())
    }
    kept = _table(counter, paths.strings, wordings, words.strings, options, opposites, facts)
    others = {wording: list(more) for wording, more in zip(paths.strings, readings)}
    return replace(kept, readings=[others[path] for path in kept.paths])


def _table(
    counter: TripleCounter,
    paths: list[str],
    wordings: list[str],
    words: list[str],
    options: RuleOptions,
    opposites: Mapping[tuple[str, str], str],
    facts: dict[str, Any],
) -> CountedPaths:
    kept_keys, kept_counts = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for keys, counts in counter.merged():
        kept_keys.append(keys)
        kept_counts.append(counts)
    keys, count = np.concatenate(kept_keys), np.concatenate(kept_counts)
    path = (keys >> np.uint64(40)).astype(np.int64)
    often = np.bincount(path, weights=count, minlength=len(paths)).astype(np.int64)
    chosen = np.flatnonzero(often >= options.min_count)
    if not len(chosen):
        raise ValueError(
            f"No path occurs {counted(options.min_count, 'time')}, as the option 'min_count' asks for: "
            f"{counted(len(paths), 'path')} "
            f"occur at most {int(often.max())} times."
        )
    order = chosen[np.lexsort((chosen, -often[chosen]))]
    number = np.full(len(paths), -1, dtype=np.int64)
    number[order] = np.arange(len(order))
    good = number[path] >= 0
    keys, count, path = keys[good], count[good], number[path[good]]
    low = np.uint64((1 << 20) - 1)
    x, y = ((keys >> np.uint64(20)) & low).astype(np.int64), (keys & low).astype(np.int64)
    used = np.unique(np.concatenate([x, y]))
    renamed = np.full(len(words), -1, dtype=np.int64)
    renamed[used] = np.arange(len(used))
    x, y = renamed[x], renamed[y]
    sorted_by = np.lexsort((y, x, path))
    instances = np.stack([path, x, y, count], axis=1)[sorted_by].astype(np.int32)
    starts, columns, values = slot_table(instances, len(order), len(used))
    return CountedPaths(
        [paths[i] for i in order.tolist()],
        [wordings[i] for i in order.tolist()],
        [],
        [words[i] for i in used.tolist()],
        instances,
        starts,
        columns,
        values,
        opposites,
        options,
        facts,
    )


def slot_table(
    instances: NDArray[np.int32], n_paths: int, n_words: int
) -> tuple[Ints, NDArray[np.int32], NDArray[np.float32]]:
    """Return the positive information of slots and words: rows 2p and 2p + 1 are slots X and Y of path p."""
    path, x, y, count = (instances[:, i].astype(np.int64) for i in range(4))
    row = np.concatenate([2 * path, 2 * path + 1])
    cells, at = np.unique(row * n_words + np.concatenate([x, y]), return_inverse=True)
    counts = np.bincount(at, weights=np.concatenate([count, count])).astype(np.int64)
    row, word = cells // n_words, cells % n_words
    value = positive_information(counts, row, np.zeros(len(row), np.int64), word).astype(np.float32)
    good = value > 0
    starts = np.concatenate([[0], np.cumsum(np.bincount(row[good], minlength=2 * n_paths))])
    return starts.astype(np.int64), word[good].astype(np.int32), value[good]


def _names(corpus: Corpus, words: str) -> list[str]:
    forms = corpus.column("form").values()
    if words == "form":
        return forms
    if words == "lower":
        return [form.lower() for form in forms]
    if "lemma" not in corpus.names:
        raise ValueError("The option words=lemma needs lemmas, and these sentences have none.")
    return [
        (form if lemma == "_" else lemma).lower()
        for form, lemma in zip(forms, corpus.column("lemma").values())
    ]


def _check(corpus: Corpus) -> None:
    if corpus.heads is None or not (corpus.heads >= 0).any():
        raise ValueError(
            "Paths need dependency trees, and these sentences have none: give CoNLL-U with heads, or a parser."
        )
    if "upos" not in corpus.names or set(corpus.column("upos").strings) <= {"_"}:
        raise ValueError(
            "Paths lead from noun to noun, and these sentences have no parts of speech (UPOS): tag them first."
        )
