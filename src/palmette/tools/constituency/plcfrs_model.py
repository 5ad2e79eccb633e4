"""Discontinuous trees by a probabilistic LCFRS whose symbols have states: method `plcfrs`. Lecture notes §12.

    split grammar of segments ──▶ which segments are probable ──▶ forest of the LCFRS ──▶ sums over states ──▶
    tree

The tree is the one with the largest product of the posteriors of its rules (minimum risk), or that of the most
probable derivation. Several grammars, trained alike from other seeds, multiply their posteriors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from numpy.typing import NDArray

from palmette import _native
from palmette.grammars.lcfrs_extraction import label_of
from palmette.grammars.lcfrs_table import LcfrsTable
from palmette.tools.constituency.model import (
    Arrays,
    Bracket,
    Constraints,
    Contribution,
    Marginals,
    Parse,
    Sentences,
)
from palmette.tools.constituency.plcfrs_emissions import Emissions
from palmette.tools.constituency.plcfrs_file import packed, unpacked
from palmette.tools.constituency.plcfrs_options import MAX_WORDS, OPTIONS, SearchOptions
from palmette.tools.constituency.plcfrs_punctuation import PunctuationRule
from palmette.tools.constituency.plcfrs_training import StateGrammar
from palmette.tools.constituency.plcfrs_training import train as train  # what the registry of methods names
from palmette.tools.constituency.plcfrs_trees import Pieces, flat_contributions, flat_tree, joined, pieces_of
from palmette.transforms.binarization import ANCESTOR, is_made
from palmette.trees import Tree

__all__ = ["OPTIONS", "PlcfrsModel", "train"]

_BATCH = 128  # sentences that cross the border together


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

    def parse(
        self,
        sentences: Sentences,
        *,
        tags: Sentences | None = None,
        constraints: Sequence[Constraints] | None = None,
        minimum_risk: bool | None = None,
        n_jobs: int = 1,
    ) -> list[Parse]:
        """The tree of every sentence; see `ConstituencyModel.parse`. Constraints cannot be heeded."""
        for number, given in enumerate(constraints or (), 1):
            if given.required or given.forbidden:
                raise ValueError(f"Sentence {number} has constraints, which the method 'plcfrs' cannot heed.")
        found = self._flat(sentences, tags, minimum_risk=minimum_risk is not False, n_jobs=n_jobs)
        return [self._parse(pieces, [flat[0] for flat, *_ in results], results) for pieces, results in found]

    def kbest(self, sentences: Sentences, k: int, *, n_jobs: int = 1) -> list[list[Parse]]:
        """The k best different trees of every sentence; binarizations of one tree count once."""
        if k < 1:
            raise ValueError(f"k must be at least 1. Got {k} instead.")
        found: list[list[Parse]] = []
        for pieces, results in self._flat(sentences, None, k=2 * k, n_jobs=n_jobs):
            if len(results) != 1 or results[0][1]:
                found.append([self._parse(pieces, [flat[0] for flat, *_ in results], results)])
                continue
            different: dict[Tree, Parse] = {}
            for flat in results[0][0]:
                parse = self._parse(pieces, [flat], results)
                different.setdefault(parse.tree, parse)
                if len(different) == k:
                    break
            found.append(list(different.values()))
        return found

    def marginals(self, sentences: Sentences, *, n_jobs: int = 1) -> list[Marginals]:
        """The probabilities of brackets without gaps, once punctuation is taken out if the model does so."""
        answers: list[Marginals] = []
        for pieces, results in self._flat(sentences, None, posteriors=True, n_jobs=n_jobs):
            sums: Marginals = {}
            for part, (*_, posteriors) in zip(pieces.parts, results, strict=True):
                for symbol, start, end, probability in posteriors:
                    name = self.table.names[symbol]
                    if self.table.tags[symbol] or is_made(name) or probability < 1e-4:
                        continue
                    label = _bare(label_of(name))
                    bracket = Bracket(
                        pieces.kept[part.start + start], pieces.kept[part.start + end - 1] + 1, label
                    )
                    sums[bracket] = min(1.0, sums.get(bracket, 0.0) + probability)
            answers.append(sums)
        return answers

    def contributions(self, words: Sequence[str], tree: Tree) -> list[Contribution]:
        """The rules of the tree's derivation with the logs of their posteriors; of the 50 best trees only."""
        for pieces, results in self._flat([words], None, k=100):
            candidates = [[flat] for flat in results[0][0]] if len(results) == 1 and not results[0][1] else []
            whole = [flat for trees, *_ in results for flat in trees]
            for flats in candidates or [whole]:
                if self._parse(pieces, flats, results).tree == tree:
                    return [c for flat in flats for c in flat_contributions(self.table, flat, pieces)]
        raise ValueError("The tree is not among the 50 best of its sentence, so its rules have no weights.")

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """The same grammar with other options of search: thresholds, and the most edges."""
        return type(self)(self.table, self.grammars, self.punctuation, self.search.with_options(options))

    # Sentences and trees.

    def _flat(
        self,
        sentences: Sentences,
        tags: Sentences | None,
        *,
        minimum_risk: bool = True,
        k: int = 1,
        posteriors: bool = False,
        n_jobs: int = 1,
    ) -> list[tuple[Pieces, list[Any]]]:
        """What the native parser finds: the parts of each sentence, and the result of each part."""
        pieces = [
            pieces_of(words, tags[i] if tags else None, self.punctuation, MAX_WORDS)
            for i, words in enumerate(sentences)
        ]
        parts = [part for one in pieces for part in one.parts]
        results: list[Any] = []
        for begin in range(0, len(parts), _BATCH):
            batch = parts[begin : begin + _BATCH]
            arrays = self._emissions.sentences([p.words for p in batch], [p.tags for p in batch])
            results += self._parser.parse(
                **arrays,
                **self.search.arguments,
                minimum_risk=minimum_risk,
                k=k,
                posteriors=posteriors,
                n_jobs=n_jobs,
            )
        found = iter(results)
        return [(one, [next(found) for _ in one.parts]) for one in pieces]

    def _parse(self, pieces: Pieces, flats: Sequence[Any], results: Sequence[Any]) -> Parse:
        """The tree of one derivation, or, of a sentence that was cut, of one for each part."""
        notes: list[str] = []
        trees: list[Tree] = []
        if len(pieces.parts) > 1:
            notes.append(f"the sentence was cut into {len(pieces.parts)} parts of at most {MAX_WORDS} words")
        score = 0.0
        if len(results) == 1 and not results[0][1]:
            chosen = [list(flats)]
        else:
            chosen = [list(result[0]) if result[1] else [result[0][0]] for result in results]
        for part, these, (_, in_pieces, loosened, tightened, *_) in zip(
            pieces.parts, chosen, results, strict=True
        ):
            made = [flat_tree(self.table, flat, part.words) for flat in these]
            score += sum(flat[0] for flat in these)
            trees.append(joined(self.root, made))
            if in_pieces:
                notes.append(
                    "no tree of the grammar covers the words: these are the best connected fragments"
                )
            if loosened and not in_pieces:
                notes.append("improbable segments were needed")
            if tightened:
                notes.append("the search was narrowed to stay within its bound of edges")
        tree = pieces.whole(self.root, trees, self.punctuation)
        note = "; ".join(dict.fromkeys(notes))
        return Parse(tree, score, None, note and note[0].upper() + note[1:] + ".")

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
            SearchOptions().with_options(search if isinstance(search, Mapping) else {}),
        )


def _bare(label: str) -> str:
    end = label.find(ANCESTOR, 1)
    return label if end < 0 else label[:end]
