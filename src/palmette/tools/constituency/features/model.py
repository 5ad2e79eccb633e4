"""Parsers with little grammar and many features: a small grammar whose anchored rules are scored where they are.

    score(tree) = Σ over its rules A → B C from i to j, split at k, of  w · Φ(A → B C, i, k, j, words)

after Hall, Durrett and Klein (2014). Features look at the words at both ends of a span, outside of it and beside
the split, at their tags (a tagger of words is part of the model), at length and shape. A plain PCFG leaves the
items worth a look (`coarse_pass.py`); over these the search is exact, and so are sums. Any learner finds the
weights: a tree CRF, a perceptron, MIRA, a support vector machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import AnchoredProblem
from palmette.errors import numbered
from palmette.features.spans import SpanViews
from palmette.formats.model import ModelFile, placed_under, taken_from
from palmette.learning.capabilities import SUMS
from palmette.learning.problem import Weights
from palmette.learning.votes import VotedWeights, no_single_score
from palmette.parameters import require_int
from palmette.structures.anchored_rules import RULE_NODE, WIDTH, AnchoredRules, Int32
from palmette.tools.constituency.features.coarse_pass import CoarsePass, PackedConstraints
from palmette.tools.constituency.features.options import (
    OWNER,
    RISKS,
    FeatureOptions,
)
from palmette.tools.constituency.fragments import NOTE
from palmette.tools.constituency.model import (
    Arrays,
    Bracket,
    Constraints,
    Contribution,
    Marginals,
    Parse,
    Sentences,
    contribution,
)
from palmette.tools.packed_weights import pack_weights, unpack_weights
from palmette.tools.probabilities import no_probabilities
from palmette.tools.sequence.tagger import Tagger
from palmette.trees.tree import Tree

_FAINT = 1e-4  # brackets less probable than this are left out of marginals
_WIDER = 1e-3  # by this factor the threshold falls where constraints leave nothing
_TAGGER = "tagger."
_MEMORY = 400_000_000  # bytes for the chart of the first pass

__all__ = [
    "FeatureModel",
    "train",
]


@dataclass(frozen=True, eq=False)
class FeatureModel:
    """A trained parser: the first pass with its rules, a tagger (None if features see no tags), and the weights.

    normalised: do scores mean probabilities (was a log-linear learner at work)? votes: weights that vote on trees;
    `weights` are their mean.
    """

    options: FeatureOptions
    coarse: CoarsePass
    tagger: Tagger | None
    weights: Weights
    normalised: bool = True
    votes: VotedWeights | None = None

    @property
    def rules(self) -> AnchoredRules:
        """The grammar."""
        return self.coarse.rules

    @property
    def max_words(self) -> int:
        """The option, and fewer words where the first pass over a large grammar would take too much memory."""
        fitting = int(sqrt(_MEMORY / (8 * len(self.rules.symbols))))
        return min(self.options.max_words, max(20, fitting))

    @cached_property
    def views(self) -> SpanViews:
        """How words are seen."""
        counts = {word: sum(tags.values()) for word, tags in self.coarse.lexicon.words.items()}
        return SpanViews(counts, self.options.rare)

    # Parsing

    def parse(
        self,
        sentences: Sentences,
        *,
        tags: Sentences | None = None,
        constraints: Sequence[Constraints] | None = None,
        minimum_risk: bool | None = None,
        n_jobs: int = 1,
    ) -> list[Parse]:
        """The tree of every sentence; see `ConstituencyModel.parse`."""
        expected = self.normalised if minimum_risk is None else minimum_risk
        if expected:
            self.require_probabilities()
        elif self.votes is not None:
            return [own[0] for own in self._elected(sentences, tags, constraints, 1, n_jobs)]
        packed = None if constraints is None else self.coarse.constraints(constraints)
        problem = self._problem(sentences, tags, packed, self.options.threshold, n_jobs)
        choice = self._choice(expected)
        rows, nodes, scores, log_z = problem.decode(
            self.weights, choice, self.options.offset, self.normalised, n_jobs
        )
        found = np.isfinite(scores)
        if constraints is None and not found.all():
            raise ValueError("No tree has a finite score: the weights of this model are damaged.")
        counts = np.concatenate([[0], np.cumsum(found)]).astype(np.int64)
        made = self._parses(
            sentences, counts, np.append(rows[:1], rows[1:][found]), nodes, scores[found], log_z
        )
        return [
            own[0] if own else self._with_less_pruning(i, sentences, tags, constraints, choice)
            for i, own in enumerate(made)
        ]

    def _elected(
        self,
        sentences: Sentences,
        tags: Sentences | None,
        constraints: Sequence[Constraints] | None,
        k: int,
        n_jobs: int,
    ) -> list[list[Parse]]:
        """The k trees with most votes, scored by their shares."""
        assert self.votes is not None
        packed = None if constraints is None else self.coarse.constraints(constraints)
        problem = self._problem(sentences, tags, packed, self.options.threshold, n_jobs)
        seen: dict[str, Parse] = {}

        def search(w: Weights) -> list[str]:
            voter = _Voter(self.options, self.coarse, self.tagger, w, False, None, problem)
            parses = voter.parse(
                sentences, tags=tags, constraints=constraints, minimum_risk=False, n_jobs=n_jobs
            )
            names = [f"{i} {one.tree}" for i, one in enumerate(parses)]
            seen.update(zip(names, parses))
            return names

        return [
            [Parse(seen[name].tree, share, None, seen[name].note) for name, share in tally[:k]]
            for tally in self.votes.elect(search)
        ]

    def _choice(self, expected: bool) -> int:
        """How trees are chosen, as the loops have it."""
        return 1 + RISKS.index(self.options.risk) if expected else 0

    def _with_less_pruning(
        self,
        number: int,
        sentences: Sentences,
        tags: Sentences | None,
        constraints: Sequence[Constraints] | None,
        choice: int,
    ) -> Parse:
        """A sentence whose constraints what the first pass left could not meet."""
        assert constraints is not None
        threshold = self.options.threshold * _WIDER
        own, given = [sentences[number]], None if tags is None else [tags[number]]
        problem = self._problem(own, given, self.coarse.constraints([constraints[number]]), threshold, 1)
        rows, nodes, scores, log_z = problem.decode(
            self.weights, choice, self.options.offset, self.normalised, 1
        )
        if not np.isfinite(scores[0]):
            raise ValueError(f"{numbered(number, 'Sentence')}: no tree of the grammar meets the constraints.")
        return self._parses(own, np.arange(2), rows, nodes, scores, log_z)[0][0]

    def kbest(self, sentences: Sentences, k: int, *, n_jobs: int = 1) -> list[list[Parse]]:
        """The k best trees of every sentence; see `ConstituencyModel.kbest`."""
        require_int("k", k, 1)
        if self.votes is not None:
            return self._elected(sentences, None, None, k, n_jobs)
        problem = self._problem(sentences, None, None, self.options.threshold, n_jobs)
        trees, rows, nodes, scores, log_z = problem.kbest(self.weights, k, self.normalised, n_jobs)
        return self._parses(sentences, trees, rows, nodes, scores, log_z)

    def marginals(self, sentences: Sentences, *, n_jobs: int = 1) -> list[Marginals]:
        """The probabilities of brackets; see `ConstituencyModel.marginals`."""
        self.require_probabilities()
        problem = self._problem(sentences, None, None, self.options.threshold, n_jobs)
        rows, spans, probabilities = problem.brackets(self.weights, n_jobs)
        labels, table = self.rules.labels, spans.reshape(-1, 3).tolist()
        found: list[Marginals] = []
        for i in range(len(sentences)):
            sums: Marginals = {}
            for k in range(rows[i], rows[i + 1]):
                start, end, symbol = table[k]
                bracket = Bracket(start, end, labels[symbol])
                sums[bracket] = sums.get(bracket, 0.0) + float(probabilities[k])
            found.append({b: min(p, 1.0) for b, p in sums.items() if p >= _FAINT})
        return found

    def contributions(self, words: Sequence[str], tree: Tree) -> list[Contribution]:
        """What makes up the score of a tree; see `ConstituencyModel.contributions`."""
        from palmette.tools.constituency.features.names import FeatureNames

        if self.votes is not None:
            raise no_single_score("An explanation")
        nodes = self.rules.nodes(self.options.binarization(tree))
        if nodes is None or tree.words != list(words):
            raise ValueError("This tree is not one of these words, or has a rule that the grammar has not.")
        tags = self.tags([words])
        problem = self._problem([words], None, None, self.options.threshold, 1)
        uses, amounts = problem.contributions(self.weights, 0, np.array(nodes, dtype=np.int32).reshape(-1))
        names = FeatureNames(self.rules, self.views, words, None if tags is None else tags[0])
        return [
            contribution(names.name(*use), float(amount), use[2], use[3])
            for use, amount in zip(uses.reshape(-1, names.width).tolist(), amounts)
        ]

    def require_probabilities(self) -> None:
        """ValueError if the weights were not made for probabilities."""
        if not self.normalised:
            raise no_probabilities("This parser", SUMS, ", or with the method crf")

    def tags(self, sentences: Sentences, given: Sentences | None = None) -> list[list[str]] | None:
        """The tags that features see: given ones, and those that the tagger predicts; None if they see none."""
        if self.tagger is None:
            return None
        predicted = [
            list(map(str, tags)) for tags in self.tagger.predict([list(words) for words in sentences])
        ]
        if given is None:
            return predicted
        return [[known or guess for known, guess in zip(own, tags)] for own, tags in zip(given, predicted)]

    def _problem(
        self,
        sentences: Sentences,
        tags: Sentences | None,
        constraints: PackedConstraints | None,
        threshold: float,
        n_jobs: int,
    ) -> AnchoredProblem:
        rows, items, _ = self.coarse.items(
            sentences, threshold, tags=tags, constraints=constraints, n_jobs=n_jobs
        )
        none = np.zeros(len(sentences) + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
        return anchored_problem(self, sentences, self.tags(sentences, tags), (rows, items), none, constraints)

    def _parses(
        self,
        sentences: Sentences,
        counts: NDArray[np.int64],
        rows: NDArray[np.int64],
        nodes: Int32,
        scores: NDArray[np.float64],
        log_z: NDArray[np.float64],
    ) -> list[list[Parse]]:
        """Derivations as `AnchoredRules.trees` takes them, with their scores and, if normalised, log Z."""
        table = nodes.reshape(-1, WIDTH)
        joins = np.zeros(len(table) + 1, dtype=np.int64)
        is_rule = table[:, 2] == RULE_NODE
        np.cumsum(is_rule & self._joining[np.where(is_rule, table[:, 4], 0)], out=joins[1:])
        notes = [NOTE if joined else "" for joined in np.diff(joins[rows]).tolist()]
        listed, bounds = scores.tolist(), counts.tolist()
        found = []
        for i, trees in enumerate(self.rules.trees(sentences, counts, rows, nodes)):
            z = float(log_z[i]) if self.normalised else None
            found.append(
                [
                    Parse(tree, listed[t], None if z is None else min(listed[t] - z, 0.0), notes[t])
                    for t, tree in enumerate(trees, bounds[i])
                ]
            )
        return found

    @cached_property
    def _joining(self) -> NDArray[np.bool_]:
        """The binary rules that no tree had: by these the root joins fragments."""
        parents = self.rules.binary[::3]
        unseen = self.coarse.binary < np.log(2e-8)
        joins: NDArray[np.bool_] = unseen & ((parents == self.rules.root) | (parents == self.rules.joint))
        return joins

    # Files

    def with_options(self, options: Mapping[str, Any]) -> FeatureModel:
        """The same weights with another threshold or offset."""
        return replace(self, options=self.options.changed(options, OWNER))

    @cached_property
    def _tagger_file(self) -> ModelFile | None:
        """The tagger as a file keeps it: small, for it is only looked at."""
        return None if self.tagger is None else self.tagger.to_model(compact=True)

    def arrays(self) -> Arrays:
        """The weights, the rules, the first pass and the tagger."""
        tagger = {} if self._tagger_file is None else dict(self._tagger_file.arrays)
        return {
            **pack_weights("features", self.weights, False),
            **self.rules.arrays(),
            **self.coarse.arrays(),
            **placed_under(_TAGGER, tagger),
            **({} if self.votes is None else self.votes.arrays()),
        }

    def strings(self) -> dict[str, Sequence[str]]:
        """The names of symbols, words and the tagger's features."""
        tagger = {} if self._tagger_file is None else dict(self._tagger_file.strings)
        own = {"symbols": self.rules.symbols, **self.coarse.lexicon.strings()}
        return {**own, **placed_under(_TAGGER, tagger)}

    def settings(self) -> dict[str, Any]:
        """The options, and those of the parts."""
        return {
            **self.options.to_dict(),
            "root": self.rules.root,
            "normalised": self.normalised,
            "lexicon": self.coarse.lexicon.settings(),
            "tagger": None if self._tagger_file is None else dict(self._tagger_file.options),
        }

    @classmethod
    def restore(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        strings: Mapping[str, Sequence[str]],
        settings: Mapping[str, Any],
    ) -> FeatureModel:
        """The model of a file; ValueError if it does not fit together."""
        try:
            late = {"max_words"} - set(settings)  # files of earlier versions have no bound on words
            names = [name for name in FeatureOptions.names() if name not in late]
            options = FeatureOptions.of({name: settings[name] for name in names}, OWNER)
            normalised, root, lexicon = (settings[name] for name in ("normalised", "root", "lexicon"))
            symbols, about = strings["symbols"], settings["tagger"]
        except (KeyError, TypeError) as error:
            raise ValueError(f"a parser of features lacks something: {error}") from None
        if not isinstance(normalised, bool) or type(root) is not int or not isinstance(lexicon, dict):
            raise ValueError("the settings of a parser of features are damaged")
        rules = AnchoredRules.restore(symbols, root, arrays)
        coarse = CoarsePass.restore(rules, arrays, strings, lexicon)
        tagger = None
        if options.tags:
            if not isinstance(about, dict):
                raise ValueError("a parser that sees tags lacks its tagger")
            content = taken_from(_TAGGER, arrays), taken_from(_TAGGER, strings)
            tagger = Tagger.from_model(ModelFile(Tagger.kind, about, *content))
        weights = unpack_weights(arrays, "features", 1 << options.bits)
        votes = VotedWeights.of_arrays(arrays, len(weights))
        return cls(options, coarse, tagger, weights, normalised, votes)


@dataclass(frozen=True, eq=False)
class _Voter(FeatureModel):
    """One vector of a vote. `made`: the problem of all sentences with the usual threshold, the same for all."""

    made: AnchoredProblem | None = None

    def _problem(
        self,
        sentences: Sentences,
        tags: Sentences | None,
        constraints: PackedConstraints | None,
        threshold: float,
        n_jobs: int,
    ) -> AnchoredProblem:
        if self.made is not None and threshold == self.options.threshold:
            return self.made
        return super()._problem(sentences, tags, constraints, threshold, n_jobs)


def anchored_problem(
    model: FeatureModel,
    sentences: Sentences,
    tags: Sentences | None,
    items: tuple[NDArray[np.int64], Int32],
    gold: tuple[NDArray[np.int64], Int32],
    constraints: PackedConstraints | None = None,
) -> AnchoredProblem:
    """Sentences with the items that their trees may have, and their right trees if these are known."""
    views = model.views.of(sentences, tags)
    given = None if constraints is None else (constraints.rows, constraints.entries)
    return model.rules.problem(views, items, gold, model.options.bits, given)


def train(*arguments: Any, **named: Any) -> Any:
    """Train a parser of features; see `TrainFunction`."""
    from palmette.tools.constituency.features.training import train_features

    return train_features(*arguments, **named)
