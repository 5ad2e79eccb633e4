"""Decision lists by bootstrapping: from a few seed words for each sense to a list of collocations (Yarowsky 1995).

An occurrence near a seed of one sense has that sense. In every round, each feature f gets for each sense s

    log (c_s(f) + α) / (c_other(f) + α)

over the occurrences that have a sense now; those above the threshold are the lines of a list, the best first,
and an occurrence gets the sense of its first line. With `discourse`, the majority in a document holds for all
of it. The rounds end when no sense changes. CSC 448, §24.2.1: a line decides alone, so every decision names
its line.

arrays    strengths: of the lines, best first in each word
strings   lines: lemma, part of speech, sense and feature between tabs; first: lemma, part of speech and usual
sense
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text
from palmette.formats.model import ModelFile
from palmette.learning.loop import Pass, run_passes
from palmette.parameters import option
from palmette.tools.senses.inventory import Inventory, Word
from palmette.tools.senses.model import KIND, Reals, SenseModel, SenseOptions
from palmette.tools.senses.occurrences import Occurrence
from palmette.tools.senses.supervised import definition_features
from palmette.tools.senses.task import Task
from palmette.tools.senses.wordnet import WordNet

_SEED = "near "


@dataclass(frozen=True, kw_only=True)
class ListOptions(SenseOptions):
    """How a decision list grows."""

    rounds: int = option(20, "most rounds", low=1, fixed=True)
    threshold: float = option(2.0, "least log-likelihood ratio of a line", low=0, fixed=True)
    step: float = option(
        0.5, "how much weaker lines may be in every round than in the one before", above=0, fixed=True
    )
    support: int = option(3, "least number of occurrences of a line", low=1, fixed=True)
    alpha: float = option(0.1, "number added to every count", above=0, fixed=True)
    seeds: str = option(
        "given",
        "where seed words come from: given, words of definitions, or synonyms in WordNet",
        choices=("given", "definitions", "synonyms"),
        fixed=True,
    )


@dataclass(frozen=True)
class Line:
    """A line of a list: the feature, the sense that it points to, and how strongly."""

    feature: str
    sense: str
    strength: float

    def __str__(self) -> str:
        return f"{self.strength:6.2f}  {self.feature} → {self.sense}"


class DecisionLists(SenseModel):
    """A list for every word, and the sense of occurrences that no line is for."""

    method = "bootstrap"

    def __init__(
        self, lists: Mapping[Word, Sequence[Line]], usual: Mapping[Word, str], options: ListOptions
    ) -> None:
        self.lists, self.usual, self.options = dict(lists), dict(usual), options

    def scores(self, occurrences: Sequence[Occurrence], inventory: Inventory) -> list[Reals]:
        return [
            np.array([self._strength(one, sense)[0] - 1e-6 * i for i, sense in enumerate(one.senses)])
            for one in occurrences
        ]

    def _strength(self, occurrence: Occurrence, sense: str) -> tuple[float, str]:
        """The strongest line for a sense; less than any line where it is only the usual sense."""
        features = occurrence.features
        for line in self.lists.get(occurrence.word, ()):
            if line.sense == sense and line.feature in features:
                return line.strength, line.feature
        return (
            (1e-3, "no line: the usual sense")
            if self.usual.get(occurrence.word) == sense
            else (0.0, "no line")
        )

    def reasons(
        self, occurrence: Occurrence, inventory: Inventory, chosen: str, rival: str
    ) -> Mapping[str, float]:
        one, two = self._strength(occurrence, chosen), self._strength(occurrence, rival)
        return {f"{one[1]} → {chosen}": one[0], f"{two[1]} → {rival}": -two[0]}

    def facts(self) -> dict[str, Any]:
        return {
            "words": len(self.lists),
            "lines": {
                "/".join(word).rstrip("/"): {
                    f"{line.feature} → {line.sense}": line.strength for line in lines[:20]
                }
                for word, lines in sorted(self.lists.items())[:20]
            },
        }

    def to_file(self, options: Mapping[str, Any], fingerprint: str) -> ModelFile:
        rows = [(word, line) for word, lines in sorted(self.lists.items()) for line in lines]
        strings = {
            "lines": ["\t".join([*word, line.sense, line.feature]) for word, line in rows],
            "first": ["\t".join([*word, sense]) for word, sense in sorted(self.usual.items())],
        }
        arrays = {"strengths": np.array([line.strength for _, line in rows], dtype=np.float64)}
        return ModelFile(KIND, {**options, "own": self.options.to_dict()}, arrays, strings, fingerprint)

    @classmethod
    def of_file(cls, file: ModelFile, options: SenseOptions) -> Self:
        lines = list(file.table("lines"))
        strengths = file.array("strengths", np.float64, [len(lines)])
        if not np.isfinite(strengths).all():
            raise ValueError("its lines have no strength")
        lists: defaultdict[Word, list[Line]] = defaultdict(list)
        for text, strength in zip(lines, strengths.tolist()):
            lemma, pos, sense, feature = text.split("\t", 3)
            lists[lemma, pos].append(Line(feature, sense, strength))
        usual = {
            (lemma, pos): sense for lemma, pos, sense in (row.split("\t") for row in file.table("first"))
        }
        assert isinstance(options, ListOptions)
        return cls(lists, usual, options)


def train_lists(task: Task) -> DecisionLists:
    """Bootstrap a list for every word that has seeds."""
    seeds = seed_features(task)
    by_word: defaultdict[Word, list[Occurrence]] = defaultdict(list)
    for occurrence in task.occurrences:
        if sum(sense in seeds for sense in occurrence.senses) > 1:
            by_word[occurrence.word].append(occurrence)
    if not by_word:
        raise ValueError("No word of the text has seeds for two of its senses.")
    found = run_passes(
        _rounds(by_word, seeds, task.options),
        limit=task.options.rounds,
        score=task.dev,
        callback=task.callback,
    )
    if found.result is None:
        raise KeyboardInterrupt
    return found.result


def seed_features(task: Task) -> dict[str, frozenset[str]]:
    """Return the features that point to each sense: seed words near, or the words of definitions or synonyms."""
    if task.options.seeds == "given":
        if not task.seeds:
            raise ValueError(
                "Bootstrapping needs seed words for the senses: give seeds, or set seeds=definitions."
            )
        return {sense: frozenset(f"{_SEED}{w.lower()}" for w in words) for sense, words in task.seeds.items()}
    inventory, found = task.inventory, {}
    for word in dict.fromkeys(one.word for one in task.occurrences):
        own = {sense: _words_of(sense, inventory, task.options.seeds) for sense in inventory.senses(word)}
        for sense, words in own.items():
            others = frozenset().union(*(w for other, w in own.items() if other != sense))
            left = words - others - {f"{_SEED}{word[0]}"}
            if left:
                found[sense] = left
    return found


def _words_of(sense: str, inventory: Inventory, kind: str) -> frozenset[str]:
    if kind == "definitions":
        return definition_features(inventory.definition(sense), inventory)
    if not isinstance(inventory, WordNet):
        raise ValueError("Seeds by synonyms need WordNet as the inventory.")
    words = frozenset(f"{_SEED}{word.lower()}" for word in inventory.synonyms(sense))
    return words | definition_features(" ".join(inventory.related(sense)[:1]), inventory)


def _rounds(
    by_word: Mapping[Word, Sequence[Occurrence]], seeds: Mapping[str, frozenset[str]], options: ListOptions
) -> Iterator[Pass[DecisionLists]]:
    labels = {word: [_by_seeds(one, seeds) for one in own] for word, own in by_word.items()}
    starts: dict[Word, float] = {}
    for number in itertools.count(1):
        lists, usual, changed, open_bars = {}, {}, 0, 0
        for word, own in by_word.items():
            before = labels[word]
            lists[word] = _grown(own, before, options)
            strongest = lists[word][0].strength if lists[word] else 0.0
            start = starts.setdefault(word, strongest)
            bar = max(options.threshold, start - options.step * number)
            lists[word] = [line for line in lists[word] if line.strength >= bar]
            open_bars += bar > options.threshold
            counts = Counter(sense for sense in before if sense is not None)
            usual[word] = max(sorted(counts), key=lambda sense: counts[sense]) if counts else own[0].senses[0]
            after = [_by_list(one, lists[word]) or _by_seeds(one, seeds) for one in own]
            labels[word] = _by_document(own, after) if options.discourse else after
            changed += sum(a != b for a, b in zip(before, labels[word]))
        model = DecisionLists(lists, usual, options)
        known = sum(sense is not None for row in labels.values() for sense in row)
        numbers = {"labelled": known, "changed": changed, "lines": sum(map(len, lists.values()))}
        yield Pass(numbers, lambda model=model: model, not changed and not open_bars)  # type: ignore[misc]


def _by_seeds(occurrence: Occurrence, seeds: Mapping[str, frozenset[str]]) -> str | None:
    """The sense whose seeds are near, if those of no other sense are."""
    found = [sense for sense in occurrence.senses if seeds.get(sense, frozenset()) & occurrence.topic]
    return found[0] if len(found) == 1 else None


def _grown(own: Sequence[Occurrence], labels: Sequence[str | None], options: ListOptions) -> list[Line]:
    """The lines of a list, from the occurrences that have a sense; the best first."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter(sense for sense in labels if sense is not None)
    if not total:
        return []
    for occurrence, sense in zip(own, labels):
        if sense is not None:
            for feature in occurrence.features:
                if feature.startswith("tag "):
                    continue  # a tag alone tells little
                counts[feature][sense] += 1
    lines = []
    for feature in sorted(counts):
        row = counts[feature]
        sense = max(sorted(row), key=lambda one: row[one] / total[one])
        others = sum(row.values()) - row[sense]
        rest = sum(total.values()) - total[sense]
        share = (row[sense] + options.alpha) / (total[sense] + 2 * options.alpha)
        other = (others + options.alpha) / (rest + 2 * options.alpha)
        strength = math.log(share / other) if rest else math.log((row[sense] + options.alpha) / options.alpha)
        if strength >= options.threshold and sum(row.values()) >= options.support:
            lines.append(Line(feature, sense, strength))
    return sorted(lines, key=lambda line: -line.strength)


def _by_list(occurrence: Occurrence, lines: Sequence[Line]) -> str | None:
    features = occurrence.features
    return next((line.sense for line in lines if line.feature in features), None)


def _by_document(own: Sequence[Occurrence], labels: Sequence[str | None]) -> list[str | None]:
    """One sense per discourse: the majority of a document, where there is one."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for occurrence, sense in zip(own, labels):
        if sense is not None and occurrence.document:
            votes[occurrence.document][sense] += 1
    found = []
    for occurrence, sense in zip(own, labels):
        top = votes[occurrence.document].most_common(2) if occurrence.document else []
        clear = top and (len(top) == 1 or top[0][1] > top[1][1])
        found.append(top[0][0] if clear else sense)
    return found


def read_seeds(source: Source) -> dict[str, list[str]]:
    """Return the seeds of a file: sense, tab, words between spaces."""
    path, found = display_name(source), {}
    for number, line in enumerate(read_text(source).split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        sense, tab, words = line.partition("\t")
        if not tab or not sense.strip() or not words.split():
            raise FormatError("expected a sense, a tab and its seed words", path=path, line=number)
        found[sense.strip()] = words.split()
    if not found:
        raise FormatError("expected seeds; the file has none", path=path)
    return found
