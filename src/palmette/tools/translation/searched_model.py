"""What all models have whose translations come from a search: its verbs, other weights, other limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from palmette.tools.translation.features import checked_weights
from palmette.tools.translation.known import Known
from palmette.tools.translation.model import Floats, Rows
from palmette.tools.translation.search_arrays import TranslationArrays
from palmette.tools.translation.translation import Translation


class SearchedModel(ABC):
    """A part of a `TranslationModel`, for a dataclass with a table, weights, and options of its search."""

    table: Any
    weights: Floats
    options: Any
    searching: ClassVar[str]  # the search, in messages

    @property
    @abstractmethod
    def search(self) -> Any:
        """The decoder."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the features."""

    @property
    def target_words(self) -> Sequence[str]:
        """The target words by their numbers in arrays."""
        words: Sequence[str] = self.table.target_strings
        return words

    def translate(
        self, sentences: Rows, *, known: Sequence[Known] | None = None, n_jobs: int = 1
    ) -> list[Translation]:
        """The best translation of every sentence."""
        found: list[Translation] = self.search.translate(sentences, known, n_jobs=n_jobs)
        return found

    def kbest(
        self,
        sentences: Rows,
        k: int,
        *,
        distinct: bool = True,
        known: Sequence[Known] | None = None,
        n_jobs: int = 1,
    ) -> list[list[Translation]]:
        """The k best translations of every sentence."""
        found: list[list[Translation]] = self.search.kbest(
            sentences, k, distinct=distinct, known=known, n_jobs=n_jobs
        )
        return found

    def kbest_arrays(self, sentences: Rows, k: int, *, n_jobs: int = 1) -> TranslationArrays:
        """The k best distinct translations as flat arrays."""
        found: TranslationArrays = self.search.kbest_arrays(sentences, k, n_jobs=n_jobs)
        return found

    def graphs(self, sentences: Rows, *, known: Sequence[Known] | None = None, n_jobs: int = 1) -> list[Any]:
        """The search graphs of sentences."""
        return list(self.search.graphs(sentences, known, n_jobs=n_jobs))

    def forced(self, sentences: Rows, targets: Rows, *, n_jobs: int = 1) -> list[Any]:
        """The best derivation of a given target of every sentence, or why there is none."""
        return list(self.search.forced(sentences, targets, n_jobs=n_jobs))

    def with_weights(self, weights: Floats) -> Self:
        """The same with other weights."""
        return replace(self, weights=checked_weights(weights, self.names))  # type: ignore[type-var]

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """The same with other limits of the search."""
        return replace(self, options=self.options.changed(options, self.searching))  # type: ignore[type-var]
