"""What the searches of all methods share: sentences in, translations, lists, graphs and forced derivations out.

A method adds its native search, what it needs beside the words of sentences, and how its answers are read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

from palmette.formats.given import listed_rows
from palmette.parameters import require_int
from palmette.threads import n_threads
from palmette.tools.alignment.text import Sentence, words_of
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.derivation_graph import DerivationGraph
from palmette.tools.translation.features import Weights
from palmette.tools.translation.forced import (
    Forced,
    Unreachable,
    check_target,
    forced_answer,
    nowhere,
    targets_of,
    unreachable,
)
from palmette.tools.translation.known import Known, checked_known
from palmette.tools.translation.search_arrays import TranslationArrays
from palmette.tools.translation.translation import Translation

Graph = TypeVar("Graph", bound=DerivationGraph)
Rows = list[list[str]]
Facts = list[Known] | None


class TranslationSearch(ABC, Generic[Graph]):
    """A decoder: a table, a language model or None, and weights, one for each of `names`."""

    table: Any
    lm: LanguageModel | None
    names: tuple[str, ...]
    weights: Weights
    _native: Any
    _words: dict[int, str]

    # What a method adds

    @abstractmethod
    def _core(self, forced: bool = False) -> Any:
        """The native search; forced: one that looks at more, for targets that are given."""

    @abstractmethod
    def _beside(self, rows: Rows, facts: Facts) -> Any:
        """What the native search needs beside the words of sentences."""

    @abstractmethod
    def _best(self, core: Any, rows: Rows, facts: Facts, beside: Any, jobs: int) -> Any:
        """The best translations, as native code returns them."""

    @abstractmethod
    def _several(self, rows: Rows, facts: Facts, beside: Any, k: int, distinct: bool, jobs: int) -> Any:
        """The k best translations, as native code returns them."""

    @abstractmethod
    def _graphs(self, core: Any, rows: Rows, facts: Facts, beside: Any, jobs: int) -> list[Graph]:
        """The graphs of sentences."""

    @abstractmethod
    def _arrays(self, native: Any) -> TranslationArrays:
        """What native code returned, as arrays."""

    @abstractmethod
    def translations(self, native: Any, more: Sequence[str] | None = None) -> list[list[Translation]]:
        """Return what native code returned as translations; more: words behind those of the table."""

    def _check_row(self, row: Sequence[str], number: int) -> None:
        """Raise ValueError if the search cannot take a sentence."""

    # Translations

    def translate(
        self, sentences: Iterable[Sentence], known: Iterable[Known | None] | None = None, *, n_jobs: int = 1
    ) -> list[Translation]:
        """Return the best translation of every sentence. known: what is known of each translation, or None.

        ValueError, with the number of the sentence, if nothing agrees with what is known.
        """
        rows, facts = self._given(sentences, known)
        native = self._best(self._native, rows, facts, self._beside(rows, facts), n_threads(n_jobs))
        return [found[0] for found in self._lists(native, facts)]

    def kbest(
        self,
        sentences: Iterable[Sentence],
        k: int,
        *,
        distinct: bool = True,
        known: Iterable[Known | None] | None = None,
        n_jobs: int = 1,
    ) -> list[list[Translation]]:
        """Return the k best translations of every sentence, fewer if there are fewer.

        distinct: no two have the same words. They are exact among all that the search has kept and looked at: by
        phrases up to 20 · k derivations.
        """
        return self._lists(*self._kbest(sentences, k, distinct, known, n_jobs))

    def kbest_arrays(
        self,
        sentences: Iterable[Sentence],
        k: int,
        *,
        distinct: bool = True,
        known: Iterable[Known | None] | None = None,
        n_jobs: int = 1,
    ) -> TranslationArrays:
        """Return the k best translations as flat arrays, for tuning."""
        return self._arrays(self._kbest(sentences, k, distinct, known, n_jobs)[0])

    def graphs(
        self, sentences: Iterable[Sentence], known: Iterable[Known | None] | None = None, *, n_jobs: int = 1
    ) -> list[Graph]:
        """Return the search graph of every sentence."""
        rows, facts = self._given(sentences, known)
        return self._graphs(self._native, rows, facts, self._beside(rows, facts), n_threads(n_jobs))

    def forced(
        self, sentences: Iterable[Sentence], targets: Iterable[Sentence], *, n_jobs: int = 1
    ) -> list[Forced | Unreachable]:
        """Return the best derivation of a given target for every sentence, and the probability of this target.

        The search keeps more than others do, and looks at all that the table has. The probability is that of all
        derivations of the target, among these and all that the search finds freely.
        """
        rows, wanted, facts = targets_of(sentences, targets)
        jobs, beside = n_threads(n_jobs), self._beside(rows, None)
        wide = self._core(forced=True)
        own = self._graphs(wide, rows, facts, beside, jobs)
        prefixes = self._arrays(self._best(wide, rows, facts, beside, jobs)).prefix.tolist()
        free = self.graphs(rows, n_jobs=jobs)
        return [
            forced_answer(graph, among, target, prefix)
            for graph, among, target, prefix in zip(own, free, wanted, prefixes)
        ]

    # Strings

    def word(self, number: int, more: Sequence[str] = ()) -> str:
        """Return a target word by its number; more: those behind the words of the table."""
        found = self._words.get(number)
        if found is not None:
            return found
        own = len(self.table.target_strings)
        if number >= own:
            return more[number - own]
        self._words[number] = made = str(self.table.target_strings[number])
        return made

    # Helpers of the above

    def _given(
        self, sentences: Iterable[Sentence], known: Iterable[Known | None] | None
    ) -> tuple[Rows, Facts]:
        rows = [list(words_of(sentence)) for sentence in listed_rows(sentences, "The sentences")]
        facts = checked_known(known, [len(row) for row in rows])
        for number, row in enumerate(rows, 1):
            self._check_row(row, number)
        for number, fact in enumerate(facts or (), 1):
            check_target(fact, number)
        return rows, facts

    def _kbest(
        self,
        sentences: Iterable[Sentence],
        k: int,
        distinct: bool,
        known: Iterable[Known | None] | None,
        n_jobs: int,
    ) -> tuple[Any, Facts]:
        require_int("k", k, 1)
        rows, facts = self._given(sentences, known)
        native = self._several(rows, facts, self._beside(rows, facts), k, distinct, n_threads(n_jobs))
        return native, facts

    def _lists(self, native: Any, facts: Facts) -> list[list[Translation]]:
        lists = self.translations(native)
        arrays = self._arrays(native)
        for number, found in enumerate(lists, 1):
            if not found:
                fact = facts[number - 1] if facts else Known()
                exact = bool(arrays.exact[number - 1])
                if fact.target is not None:
                    raise ValueError(unreachable(fact, int(arrays.prefix[number - 1]), exact, number))
                raise ValueError(nowhere(fact, exact, number))
        return lists
