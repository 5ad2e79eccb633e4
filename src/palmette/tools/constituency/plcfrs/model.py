"""Discontinuous trees by a probabilistic LCFRS whose symbols have states: method `plcfrs`. CSC 448, §12.

    split grammar of segments ──▶ which segments are probable ──▶ forest of the LCFRS ──▶ sums over states ──▶
    tree

The tree is the one with the largest product of the posteriors of its rules (minimum risk), or that of the most
probable derivation. Several grammars, trained alike from other seeds, multiply their posteriors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple, Self

from numpy.typing import NDArray

from palmette import _native
from palmette.grammars.lcfrs_extraction import label_of
from palmette.grammars.lcfrs_table import LcfrsTable
from palmette.parameters import require_int
from palmette.tools.constituency.fragments import NOTE
from palmette.tools.constituency.model import (
    Arrays,
    Bracket,
    Constraints,
    Contribution,
    Marginals,
    Parse,
    Sentences,
)
from palmette.tools.constituency.plcfrs.emissions import Emissions
from palmette.tools.constituency.plcfrs.file import packed, unpacked
from palmette.tools.constituency.plcfrs.options import OWNER, SearchOptions
from palmette.tools.constituency.plcfrs.punctuation import PunctuationRule
from palmette.tools.constituency.plcfrs.training import StateGrammar
from palmette.tools.constituency.plcfrs.training import train as train  # what the registry of methods names
from palmette.tools.constituency.plcfrs.trees import Kept, flat_contributions, flat_tree, joined, kept_words
from palmette.transforms.binarization import ANCESTOR, is_made
from palmette.trees.tree import Tree

__all__ = ["PlcfrsModel", "train"]

_BATCH = 128  # sentences that cross the border together
_MEMORY = 400_000_000  # bytes for the chart of the segments


class _Result(NamedTuple):
    """What was found in a sentence: derivations, each of one or more flat trees, and posteriors of brackets."""

    derivations: list[list[Any]]
    posteriors: Sequence[Any] = ()
    notes: tuple[str, ...] = ()


def _result(found: Any) -> _Result:
    """Return what the native parser gives; of a sentence in fragments, all its trees are one derivation."""
    flats, in_fragments, loosened, tightened, *_, posteriors = found
    notes = []
    if in_fragments:
        notes.append(NOTE)
    elif loosened:
        notes.append("Improbable segments were needed.")
    if tightened:
        notes.append("The search pruned more than asked for, to stay within max_edges.")
    return _Result([list(flats)] if in_fragments else [[flat] for flat in flats], posteriors, tuple(notes))


class PlcfrsModel:
    """A trained grammar of discontinuous trees. Nothing in it changes by use."""

    def __init__(
        self,
        table: LcfrsTable,
        grammars: Sequence[StateGrammar],
        punctuation: PunctuationRule,
        search: SearchOptions | None = None,
    ) -> None:
        self.table = table
        self.grammars = tuple(grammars)
        self.punctuation = punctuation
        self.search = search or SearchOptions()
        self._emissions = Emissions(
            table, tuple(g.states for g in self.grammars), tuple(g.lexicon for g in self.grammars)
        )
        self._parser = _native.LcfrsParser(
            **table.arguments, grammars=[(g.states, g.binary, g.unary) for g in self.grammars]
        )

    @property
    def root(self) -> str:
        """The label of every tree's root."""
        return label_of(self.table.names[self.table.root])

    @property
    def max_words(self) -> int:
        """The option, and fewer words where the chart of a large grammar would take too much memory."""
        fitting = int(sqrt(_MEMORY / (8 * int(self.table.fan_out.sum()))))
        return min(self.search.max_words, max(20, fitting))

    def parse(
        self,
        sentences: Sentences,
        *,
        tags: Sentences | None = None,
        constraints: Sequence[Constraints] | None = None,
        minimum_risk: bool | None = None,
        n_jobs: int = 1,
    ) -> list[Parse]:
        """Return the tree of every sentence; see `ConstituencyModel.parse`. ValueError for constraints."""
        for number, given in enumerate(constraints or (), 1):
            if given.required or given.forbidden:
                raise ValueError(f"Sentence {number} has constraints, which the method 'plcfrs' cannot use.")
        found = self._searched(sentences, tags, minimum_risk=minimum_risk is not False, n_jobs=n_jobs)
        return [self._parse(kept, result) for kept, result in found]

    def kbest(self, sentences: Sentences, k: int, *, n_jobs: int = 1) -> list[list[Parse]]:
        """Return the k best different trees of every sentence; binarizations of one tree count once."""
        require_int("k", k, 1)
        found: list[list[Parse]] = []
        for kept, result in self._searched(sentences, None, k=2 * k, n_jobs=n_jobs):
            different: dict[Tree, Parse] = {}
            for flats in result.derivations:
                parse = self._parse(kept, result, flats)
                different.setdefault(parse.tree, parse)
                if len(different) == k:
                    break
            found.append(list(different.values()))
        return found

    def marginals(self, sentences: Sentences, *, n_jobs: int = 1) -> list[Marginals]:
        """Return the probabilities of brackets without gaps, with punctuation taken out if the model does so."""
        answers: list[Marginals] = []
        for kept, result in self._searched(sentences, None, posteriors=True, n_jobs=n_jobs):
            sums: Marginals = {}
            for symbol, start, end, probability in result.posteriors:
                name = self.table.names[symbol]
                if self.table.tags[symbol] or is_made(name) or probability < 1e-4:
                    continue
                bracket = Bracket(kept.places[start], kept.places[end - 1] + 1, _bare(label_of(name)))
                sums[bracket] = min(1.0, sums.get(bracket, 0.0) + probability)
            answers.append(sums)
        return answers

    def contributions(self, words: Sequence[str], tree: Tree) -> list[Contribution]:
        """Return the rules of a tree's derivation with the logs of their posteriors; of the 50 best trees only."""
        ((kept, result),) = self._searched([words], None, k=100)
        for flats in result.derivations:
            if self._parse(kept, result, flats).tree == tree:
                return [c for flat in flats for c in flat_contributions(self.table, flat, kept)]
        raise ValueError("The tree is not among the 50 best of its sentence, so its rules have no weights.")

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """The same grammar with other options of search: thresholds, and the most edges."""
        return type(self)(self.table, self.grammars, self.punctuation, self.search.searching(options))

    # Sentences and trees.

    def _searched(
        self,
        sentences: Sentences,
        tags: Sentences | None,
        *,
        minimum_risk: bool = True,
        k: int = 1,
        posteriors: bool = False,
        n_jobs: int = 1,
    ) -> list[tuple[Kept, _Result]]:
        """Return what the native parser finds in the words of each sentence that are kept."""
        kept = [
            kept_words(words, tags[i] if tags else None, self.punctuation)
            for i, words in enumerate(sentences)
        ]
        given = [one for one in kept if one.words]
        results: list[Any] = []
        for begin in range(0, len(given), _BATCH):
            batch = given[begin : begin + _BATCH]
            arrays = self._emissions.sentences([one.words for one in batch], [one.tags for one in batch])
            results += self._parser.parse(
                **arrays,
                **self.search.arguments,
                minimum_risk=minimum_risk,
                k=k,
                posteriors=posteriors,
                n_jobs=n_jobs,
            )
        found = iter(results)
        return [(one, _result(next(found)) if one.words else _Result([[]])) for one in kept]

    def _parse(self, kept: Kept, result: _Result, flats: Sequence[Any] | None = None) -> Parse:
        """Return the tree of a derivation, or of the best one."""
        chosen = result.derivations[0] if flats is None else flats
        trees = [flat_tree(self.table, flat, kept.words) for flat in chosen]
        tree = joined(self.root, trees) if trees else None
        score = sum(flat[0] for flat in chosen)
        return Parse(kept.whole(self.root, tree, self.punctuation), score, None, " ".join(result.notes))

    # Files.

    def arrays(self) -> Arrays:
        """The numbers for a model file."""
        return packed(self.table, self.grammars)[0]

    def strings(self) -> dict[str, Sequence[str]]:
        """The names of symbols, the words, and their shapes."""
        return packed(self.table, self.grammars)[1]

    def settings(self) -> dict[str, Any]:
        """What else a model file keeps."""
        return {
            "root": int(self.table.root),
            "grammars": len(self.grammars),
            "known": self.grammars[0].lexicon.known,
            "backoff": self.grammars[0].lexicon.backoff,
            "punctuation": self.punctuation.to_dict(),
            "search": self.search.to_dict(),
        }

    @classmethod
    def restore(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        strings: Mapping[str, Sequence[str]],
        settings: Mapping[str, Any],
    ) -> Self:
        """The model of a file; ValueError if something is missing or does not fit."""
        table, grammars = unpacked(arrays, strings, settings)
        search = settings.get("search")
        return cls(
            table,
            grammars,
            PunctuationRule.from_dict(settings.get("punctuation")),
            SearchOptions.of(search if isinstance(search, Mapping) else {}, OWNER),
        )


def _bare(label: str) -> str:
    end = label.find(ANCESTOR, 1)
    return label if end < 0 else label[:end]
