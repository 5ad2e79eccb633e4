"""The lexicon: which words of a question trigger which meanings (L in eq. 127 of CSC 448).

There are four sources: the names and other strings in the database, the names of its tables and columns, the
general words of the language, and triggers: those that a user gives, and those that training finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text
from palmette.tools.semantics.derived import derived
from palmette.tools.semantics.general_words import GeneralWords
from palmette.tools.semantics.meanings import (
    Meaning,
    of_entities,
    of_number,
    of_operation,
    of_predicate,
)
from palmette.tools.semantics.places import WHERE
from palmette.tools.semantics.words import BEGINNING, EXACT, alike, cut, name_words, number_of
from palmette.tools.semantics.world import Predicate, World

NOTHING = "-"  # the meaning of words that a user says to pass over
_OPERATIONS = ("argmax", "argmin")


@dataclass(frozen=True)
class Trigger:
    """Words start … end - 1 of a question, a meaning of theirs, and how they match it."""

    start: int
    end: int
    meaning: Meaning
    match: str


class Lexicon:
    """Finds the triggers in questions.

    triggers: names of predicates by words, given by a user. learned: the same, found by training.
    """

    def __init__(
        self,
        world: World,
        general: GeneralWords,
        triggers: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self.world = world
        self.general = general
        self.triggers = {words: tuple(names) for words, names in (triggers or {}).items()}
        self.learned: dict[str, dict[str, None]] = {}
        self._given = {tuple(cut(words)): self.meanings(names) for words, names in self.triggers.items()}
        self._found: dict[str, list[Meaning]] = {}
        self._phrases = [
            (tuple(phrase.split()), meaning)
            for kind, phrases in general.phrases.items()
            for phrase in phrases
            for meaning in self._general(kind)
        ]
        self._longest = max((len(name.split()) for name in world.names), default=1)
        self.nouns = list(_nouns(world))

    def meanings(self, names: Iterable[str]) -> list[Meaning]:
        """Return the meanings of predicates, and of operations by name."""
        found = []
        for name in names:
            if name == NOTHING:
                continue
            operator, _, rest = name.partition(" ")
            if operator in _OPERATIONS and rest:
                predicate = derived(self.world, rest)
                found.append(
                    Meaning(operator, name, of_predicate(predicate).tree, predicate.types[0], label=name)
                )
            elif name in self.general.phrases:
                found.append(of_operation(name))
            else:
                found.append(of_predicate(derived(self.world, name)))
        return found

    def _general(self, kind: str) -> list[Meaning]:
        if kind == WHERE:
            return [of_predicate(p) for p in self.world.binary() if p.label == WHERE]
        return [of_operation(kind)]

    def learn(self, word: str, name: str) -> None:
        """Add a trigger that training found."""
        if name not in self.learned.setdefault(word, {}):
            self.learned[word][name] = None
            self._found.setdefault(word, []).extend(self.meanings([name]))

    def triggers_of(self, words: list[str]) -> list[Trigger]:
        """Return all triggers in a question."""
        found: list[Trigger] = []
        for i in range(len(words)):
            for j in range(i + 1, min(len(words), i + self._longest) + 1):
                found += self._names(words, i, j)
            found += self._numbers(words, i)
            found += self._learned(words, i)
        operations = self._operations(words)
        found += operations
        found += self._predicates(words)
        given = self._user(words, {i for t in operations for i in range(t.start, t.end)})
        taken = {(t.start, t.end) for t in given}
        return [t for t in found if (t.start, t.end) not in taken] + [
            t for t in given if t.meaning.kind != NOTHING
        ]

    def _names(self, words: list[str], i: int, j: int) -> list[Trigger]:
        text = " ".join(words[i:j])
        if j == i + 1 and text in self.general.function:
            return []
        by_type = self.world.names.get(text, {})
        return [
            Trigger(i, j, of_entities(text, type, frozenset(ids)), "name")
            for type, ids in sorted(by_type.items())
        ]

    def _numbers(self, words: list[str], i: int) -> list[Trigger]:
        value = number_of(words[i])
        return [] if value is None else [Trigger(i, i + 1, of_number(self.world, value), "number")]

    def _learned(self, words: list[str], i: int) -> list[Trigger]:
        return [Trigger(i, i + 1, meaning, "learned") for meaning in self._found.get(words[i], ())]

    def _operations(self, words: list[str]) -> list[Trigger]:
        found = []
        for phrase, meaning in self._phrases:
            n = len(phrase)
            for i in range(len(words) - n + 1):
                if tuple(words[i : i + n]) == phrase:
                    found.append(Trigger(i, i + n, meaning, "general"))
        taken = {(t.start, t.end) for t in found}
        for i, word in enumerate(words):
            if len(word) > 4 and word.endswith(self.general.superlative) and (i, i + 1) not in taken:
                found += [Trigger(i, i + 1, of_operation(kind), "superlative") for kind in _OPERATIONS]
            if self._is_comparative(words, i) and (i, i + 1) not in taken:
                found += [
                    Trigger(i, i + 1, of_operation(kind), "comparative") for kind in ("greater", "less")
                ]
        return found

    def _is_comparative(self, words: list[str], i: int) -> bool:
        than = {"than", "als"} & set(words[i + 1 : i + 5])
        return bool(than) and len(words[i]) > 4 and words[i].endswith(self.general.comparative)

    def _predicates(self, words: list[str]) -> list[Trigger]:
        found: dict[tuple[int, int, str], Trigger] = {}
        for names, predicate in self.nouns:
            n = len(names)
            for i in range(len(words) - n + 1):
                levels = [alike(word, name) for word, name in zip(words[i : i + n], names)]
                if None in levels or (n == 1 and words[i] in self.general.function):
                    continue
                level = BEGINNING if BEGINNING in levels else EXACT if set(levels) == {EXACT} else "ending"
                if n > 1 and BEGINNING in levels:
                    continue
                found[i, i + n, predicate.name] = Trigger(i, i + n, of_predicate(predicate), level)
            if n > 1:
                for i, word in enumerate(words):
                    if alike(word, names[-1]) in (EXACT, "ending") and word not in self.general.function:
                        found.setdefault(
                            (i, i + 1, predicate.name), Trigger(i, i + 1, of_predicate(predicate), "part")
                        )
        return list(found.values())

    def _user(self, words: list[str], operations: set[int]) -> list[Trigger]:
        """Return the triggers of the user; `long` is also in other forms, but not in the superlative `longest`."""
        found = []
        for phrase, meanings in self._given.items():
            n = len(phrase)
            for i in range(len(words) - n + 1):
                levels = {alike(a, b) for a, b in zip(words[i : i + n], phrase)}
                inflected = levels <= {EXACT, "ending"} and not operations & set(range(i, i + n))
                if levels == {EXACT} or inflected:
                    found += [
                        Trigger(i, i + n, meaning, "user") for meaning in meanings or [Meaning(NOTHING, "")]
                    ]
        return found

    def explained(self, triggers: list[Trigger]) -> list[int]:
        """Return the words that name a predicate and nothing else, by their places."""
        nouns = {
            t.start
            for t in triggers
            if t.match in (EXACT, "ending", BEGINNING, "part") and t.end == t.start + 1
        }
        others = {i for t in triggers if t.match in ("name", "user", "number") for i in range(t.start, t.end)}
        return sorted(nouns - others)

    def unexplained(self, words: list[str], triggers: list[Trigger]) -> list[int]:
        """Return the words that trigger nothing and could name something, by their places."""
        covered = {i for t in triggers if t.match != "learned" for i in range(t.start, t.end)}
        return [i for i, word in enumerate(words) if i not in covered and word not in self.general.function]


def _nouns(world: World) -> Iterable[tuple[tuple[str, ...], Predicate]]:
    """The names by which questions may call predicates."""
    targets = {p.types[1] for p in world.binary()}
    for predicate in world.predicates.values():
        words = name_words(predicate.label)
        if (
            not words
            or predicate.label == WHERE
            or (predicate.arity == 1 and predicate.name in targets - world.tables)
        ):
            continue
        if all(word.isdigit() for word in words):
            continue  # a column without a name
        if predicate.arity == 2 and predicate.types[1] in world.tables:
            called = name_words(predicate.types[1])
            if len(called) == len(words) and all(map(alike, words, called)):
                continue  # city.state says what "state" says
        yield words, predicate


def read_triggers(source: Source) -> dict[str, list[str]]:
    """Return the triggers of a file: words, a tab, and the name of a predicate, or - for words to pass over."""
    path = display_name(source)
    found: dict[str, list[str]] = {}
    for number, content in enumerate(read_text(source).split("\n"), 1):
        line = content.strip("\r")
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 2 or not all(fields):
            raise FormatError("expected words, a tab and the name of a predicate", path=path, line=number)
        found.setdefault(fields[0], []).append(fields[1])
    return found
