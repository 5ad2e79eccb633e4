"""A trained semantic parser: a world, a lexicon, weights, and how answers name the entities of the world."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from palmette.messages import counted
from palmette.tools.semantics.answer import Answer
from palmette.tools.semantics.answers import Functors
from palmette.tools.semantics.database import Database
from palmette.tools.semantics.denotation import Denotations
from palmette.tools.semantics.engine import Candidate, Engine
from palmette.tools.semantics.general_words import general_words
from palmette.tools.semantics.lexicon import Lexicon
from palmette.tools.semantics.options import SemanticOptions
from palmette.tools.semantics.places import add_places
from palmette.tools.semantics.rules import Rules
from palmette.tools.semantics.wording import Wording
from palmette.tools.semantics.words import cut
from palmette.tools.semantics.world import Entity, Ids, World, show_value

Triggers = Mapping[str, Sequence[str]]
LONGEST = 200  # words of a question


@dataclass(frozen=True)
class Reading:
    """An answer that a question may have: its best tree, and the log-sum of the scores of all its trees.

    new: words without a part in it that training never saw. Each makes it less probable by the factor `unseen`,
    so the probabilities of all readings may sum to less than 1; the rest is for none of them.
    """

    best: Candidate
    score: float
    log_probability: float
    new: tuple[str, ...] = ()


class SemanticModel:
    """What answers questions; `weights` are set by training."""

    def __init__(
        self, database: Database, language: str, triggers: Triggers, options: SemanticOptions
    ) -> None:
        self.database = database
        self.language = language
        self.options = options
        self.world = World.from_database(database)
        add_places(self.world)
        self.lexicon = Lexicon(self.world, general_words(language), triggers)
        ties = "first" if options.ties == "first" else "all"
        self.denotations = Denotations(self.world, ties=ties, limit=options.limit)
        self.engine = Engine(
            self.lexicon, Rules(self.world), self.denotations, options.width, options.candidates
        )
        self.weights: dict[str, float] = {}
        self.functors: Functors = {}
        self.seen: frozenset[str] = frozenset()  # the words of the training questions

    def candidates(self, question: str) -> list[Candidate]:
        """Return the trees of a question, best first."""
        words = cut(question)
        if len(words) > LONGEST:
            raise ValueError(f"A question may have {counted(LONGEST, 'word')}. Got {len(words):,}.")
        return self.engine.candidates(words, self.weights)

    def readings(self, question: str) -> list[Reading]:
        """Return the different answers of a question, the most probable first."""
        found = self.candidates(question)
        if not found:
            return []
        scores = np.array([one.score for one in found])
        log_z = float(np.logaddexp.reduce(scores))
        groups: dict[Ids, list[int]] = {}
        for i, one in enumerate(found):
            groups.setdefault(one.answer, []).append(i)
        readings = []
        for places in groups.values():
            score = float(np.logaddexp.reduce(scores[places]))
            new = self._new_words(question, found[places[0]])
            chance = score - log_z + len(new) * math.log(self.options.unseen)
            readings.append(Reading(found[places[0]], score, chance, new))
        return sorted(readings, key=lambda one: -one.score)

    def _new_words(self, question: str, one: Candidate) -> tuple[str, ...]:
        """Return the words that training never saw and a tree does not use."""
        used = {word for words in one.words for word in words.split()}
        known = self.seen | self.lexicon.general.function
        return tuple(word for word in cut(question) if word not in used and word not in known)

    def answer(self, reading: Reading) -> Answer:
        """Return a reading as an answer."""
        best = reading.best
        values = tuple(
            show_value(value) if isinstance(value, Entity) else value
            for value in (self.world.values[i] for i in sorted(best.answer))
        )
        return Answer(values, self.describe(best), best.tree, math.exp(reading.log_probability))

    def describe(self, one: Candidate) -> str:
        """Return what was understood, in words."""
        named = {
            t.meaning.name: word
            for t, word in zip(one.triggers, one.words)
            if t.match in ("learned", "user") and " > " in t.meaning.name
        }
        return Wording(self.world, self.language, named).describe(one.tree)

    def why_not(self, question: str) -> str:
        """Return why a question has no tree."""
        words = cut(question)
        if not words:
            return "the question has no words"
        if not self.database.n_facts:
            return "the database is empty"
        if not self.lexicon.triggers_of(words):
            return "no word of the question names anything in the database"
        return "the words that name something in the database do not fit together"
