"""Several parsers as one: the tree with the most expected right brackets by their averaged probabilities.

    argmax over trees y of  Σ over brackets b of y of  (Σ over models m of  share(m) · p(b | x, m)  -  offset)

Models of different kinds err at different places, so their mean is surer than each. The search is that of
`structures/chart/bracket_risk.py`, O(n³) beside what the models cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Self

from numpy.typing import NDArray

from palmette.learning.learner import Callback, Learner
from palmette.parameters import Options, option
from palmette.structures.chart.bracket_risk import best_brackets, chain_heights, tree_of_brackets
from palmette.tools.constituency.combination.members import (
    OWNER,
    Member,
    joined_arrays,
    joined_strings,
    member_options,
    restored_members,
    trained_members,
)
from palmette.tools.constituency.combination.votes import Ballot, ballots, plain, spans_of
from palmette.tools.constituency.model import (
    MOST_WORDS,
    Arrays,
    Bracket,
    ConstituencyModel,
    Constraints,
    Contribution,
    Marginals,
    Parse,
    Sentences,
    Trained,
    contribution,
)
from palmette.tools.constituency.treebank import ROOT
from palmette.trees.tree import Tree

_OFFSET = 0.35
_OFFSETS = (0.2, 0.3, 0.35, 0.4, 0.45, 0.5)
_SHARES = (0.5, 1.0, 2.0)
_RANKED = 20  # trees of each model that are looked at, at least


@dataclass(frozen=True, kw_only=True)
class CombinedOptions(Options):
    """The options of a combination; those of its methods are named METHOD.NAME."""

    methods: str | Sequence[str] = option(
        "", "methods to combine, joined by commas (lexicalized,latent), each trained here", fixed=True
    )
    models: str | Sequence[str] = option("", "model files to combine, joined by commas", fixed=True)
    weights: str | float | Sequence[float] | None = option(
        None, "how much each counts, joined by commas; none: 1 each, or with --dev the best of a few"
    )
    offset: float = option(
        _OFFSET,
        "probability that a bracket must exceed; unless it is given, --dev chooses among a few",
        low=0,
        below=1,
    )
    max_words: int | None = option(
        None,
        "most words of a sentence that is parsed as a whole; none: the fewest of the methods' own bounds",
        low=1,
        high=MOST_WORDS,
    )

    @classmethod
    def help_lines(cls, preset: Mapping[str, Any] | None = None) -> list[str]:
        """Return a line of help for each option, and one about those of the methods."""
        own = super().help_lines(preset)
        return [*own, "METHOD.NAME: the option NAME of one of the methods, as in latent.rounds=4"]


@dataclass
class _Memory:
    """What the models said of the sentences that were asked about last: for choosing weights."""

    sentences: Sentences | None = None
    ballots: list[Ballot] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class CombinedModel:
    """A committee of models, how much each counts, and which of two labels of one span is likelier above."""

    members: tuple[Member, ...]
    weights: tuple[float, ...]
    offset: float = _OFFSET
    heights: Mapping[str, float] = field(default_factory=dict)
    memory: _Memory | None = field(default=None, repr=False)

    @property
    def models(self) -> list[ConstituencyModel]:
        """The models alone."""
        return [member.model for member in self.members]

    @property
    def max_words(self) -> int:
        """The fewest of its models, each of which has a bound of its own."""
        return min(model.max_words for model in self.models)

    def parse(
        self,
        sentences: Sentences,
        *,
        tags: Sentences | None = None,
        constraints: Sequence[Constraints] | None = None,
        minimum_risk: bool | None = None,
        n_jobs: int = 1,
    ) -> list[Parse]:
        """The tree of every sentence: always that of minimum risk."""
        known = constraints or [Constraints()] * len(sentences)
        found = self._ballots(sentences, tags, n_jobs)
        return [
            self._parse(words, ballot, rules)
            for words, ballot, rules in zip(sentences, found, known, strict=True)
        ]

    def kbest(self, sentences: Sentences, k: int, *, n_jobs: int = 1) -> list[list[Parse]]:
        """The committee's own tree, and then the best of those that the models rank highest."""
        found = ballots(self.models, sentences, n_jobs=n_jobs)
        ranked = [model.kbest(sentences, max(k, _RANKED), n_jobs=n_jobs) for model in self.models]
        results = []
        for i, (words, ballot) in enumerate(zip(sentences, found)):
            mean = ballot.average(self.weights)
            own = self._parse(words, ballot, Constraints())
            trees = {own.tree: own}
            for parses in ranked:
                for parse in parses[i]:
                    trees.setdefault(
                        parse.tree, Parse(parse.tree, self._score(parse.tree, mean), None, parse.note)
                    )
            # Its own tree comes first, though one with a second, less probable label of a span may count for more.
            others = [parse for parse in trees.values() if parse is not own]
            results.append([own, *sorted(others, key=lambda parse: -parse.score)][:k])
        return results

    def marginals(self, sentences: Sentences, *, n_jobs: int = 1) -> list[Marginals]:
        """The mean of the models' probabilities."""
        found = self._ballots(sentences, None, n_jobs)
        return [ballot.average(self.weights) for ballot in found]

    def contributions(self, words: Sequence[str], tree: Tree) -> list[Contribution]:
        """For every bracket what it is worth: its probability less the offset, with the parts of each model."""
        (ballot,) = ballots(self.models, [words])
        mean = ballot.average(self.weights)
        parts = []
        for bracket in spans_of(tree):
            each = ", ".join(
                f"{member.method} {table.get(bracket, 0.0):.2f}"
                for member, table in zip(self.members, ballot.marginals)
            )
            worth = mean.get(bracket, 0.0) - self.offset
            parts.append(contribution(f"{bracket.label} ({each})", worth, bracket.start, bracket.end))
        return parts

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """Other weights or another offset; options of a model under its method's name, `latent.name`."""
        CombinedOptions().changed(_own(options), OWNER)
        own = {name: value for name, value in options.items() if name in ("weights", "offset")}
        others = {name: value for name, value in options.items() if name not in own}
        changed = self if "offset" not in own else replace(self, offset=float(own["offset"]))
        if "weights" in own:
            changed = replace(
                changed, weights=_weights(own["weights"] or [1.0] * len(self.members), len(self.members))
            )
        if others:
            given = member_options(others, [member.method for member in self.members])
            members = tuple(
                Member(m.method, m.model.with_options(given[m.method]) if given.get(m.method) else m.model)
                for m in self.members
            )
            changed = replace(changed, members=members)
        return changed

    def arrays(self) -> Arrays:
        """Those of the models, each under its number."""
        return joined_arrays(self.members)

    def strings(self) -> dict[str, Sequence[str]]:
        """Those of the models, each under its number."""
        return joined_strings(self.members)

    def settings(self) -> dict[str, Any]:
        """The members with their settings, weights, offset and heights."""
        members = [{"method": m.method, "settings": m.model.settings()} for m in self.members]
        return {
            "members": members,
            "weights": list(self.weights),
            "offset": self.offset,
            "heights": dict(self.heights),
        }

    @classmethod
    def restore(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        strings: Mapping[str, Sequence[str]],
        settings: Mapping[str, Any],
    ) -> Self:
        """The model of a file."""
        members = restored_members(arrays, strings, settings.get("members"))
        heights = settings.get("heights")
        if not isinstance(heights, dict) or not all(isinstance(h, (int, float)) for h in heights.values()):
            raise ValueError("the heights of its labels are not numbers")
        weights = _weights(settings.get("weights"), len(members))
        offset = CombinedOptions.of({"offset": settings.get("offset")}, OWNER).offset
        return cls(members, weights, float(offset), heights)

    def _ballots(self, sentences: Sentences, tags: Sentences | None, n_jobs: int) -> list[Ballot]:
        if self.memory is None or tags is not None:
            return ballots(self.models, sentences, tags, n_jobs=n_jobs)
        if self.memory.sentences is not sentences:
            self.memory.ballots = ballots(self.models, sentences, n_jobs=n_jobs)
            self.memory.sentences = sentences
        return self.memory.ballots

    def _parse(self, words: Sequence[str], ballot: Ballot, known: Constraints) -> Parse:
        mean = ballot.average(self.weights)
        worth, bonus = _constrained(mean, known, len(words) + 1.0)
        chosen = best_brackets(len(words), plain(worth), offset=self.offset)
        if not chosen:  # no model has seen such a sentence: take what the first one made of it
            return ballot.parses[0]
        tree = tree_of_brackets(words, ballot.tags(self.weights), chosen, root=ROOT, heights=self.heights)
        missing = [b for b in known.required if bonus and not _has(chosen, b)]
        if missing:
            raise ValueError("no tree meets the constraints")
        note = ballot.parses[0].note if all(parse.note for parse in ballot.parses) else ""
        return Parse(tree, self._score(tree, mean), None, note)

    def _score(self, tree: Tree, mean: Marginals) -> float:
        return sum(mean.get(bracket, 0.0) - self.offset for bracket in spans_of(tree))


def _constrained(mean: Marginals, known: Constraints, bonus: float) -> tuple[Marginals, float]:
    """Probabilities without forbidden brackets, and required ones worth more than all others together."""
    if not known.required and not known.forbidden:
        return mean, 0.0
    closed = set(known.forbidden)
    worth = {b: p for b, p in mean.items() if b not in closed and Bracket(b.start, b.end) not in closed}
    for bracket in known.required:
        if bracket.label is None:
            same = {b: p for b, p in worth.items() if (b.start, b.end) == (bracket.start, bracket.end)}
            bracket = max(same, key=lambda b: same[b]) if same else Bracket(bracket.start, bracket.end, "X")
        worth[bracket] = bonus + min(worth.get(bracket, 0.0), 1.0)
    return worth, bonus


def _has(chosen: Sequence[tuple[int, int, str]], bracket: Bracket) -> bool:
    return any((i, j) == bracket[:2] and bracket.label in (None, label) for i, j, label in chosen)


def _own(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the combination itself."""
    return {name: options[name] for name in CombinedOptions.names() if name in options}


def _weights(value: Any, n: int) -> tuple[float, ...]:
    parts = (
        value.split(",") if isinstance(value, str) else [value] if isinstance(value, (int, float)) else value
    )
    try:
        weights = tuple(float(part) for part in parts)
    except (TypeError, ValueError):
        raise ValueError(f"The weights must be numbers. Got {value!r}.") from None
    if len(weights) != n or not all(0 <= w < 1e9 for w in weights) or not sum(weights):
        raise ValueError(f"There must be {n} weights, none negative, not all 0. Got {value!r}.")
    return weights


def train(
    trees: Sequence[Tree],
    *,
    options: Mapping[str, Any],
    learner: Learner | None = None,
    dev: Callable[[ConstituencyModel], float] | None = None,
    callback: Callback | None = None,
    n_jobs: int = 1,
    seed: int = 0,
) -> Trained:
    """Train the methods, or load the models; weights and offset are those given, or the best on dev."""
    chosen = CombinedOptions.of(_own(options), OWNER)
    own = {
        name: options[name]
        for name in ("methods", "models", "weights", "offset")
        if options.get(name) is not None
    }
    rest = {
        name: value
        for name, value in options.items()
        if name not in own and (value is not None or "." in name)
    }
    members, notes = trained_members(
        trees, own, rest, dev=dev, callback=callback, n_jobs=n_jobs, seed=seed, learner=learner
    )
    weights = _weights(own.get("weights", [1.0] * len(members)), len(members))
    model = CombinedModel(members, weights, float(chosen.offset), chain_heights(trees))
    if dev is not None and not {"weights", "offset"} <= set(own):
        model = _tuned(model, dev, choose_weights="weights" not in own, choose_offset="offset" not in own)
    return Trained(model, notes=notes)


def _tuned(
    model: CombinedModel,
    dev: Callable[[ConstituencyModel], float],
    *,
    choose_weights: bool,
    choose_offset: bool,
) -> CombinedModel:
    """The best weights and offset on dev: the models are asked once."""
    remembering = replace(model, memory=_Memory())
    others = product(_SHARES, repeat=len(model.members) - 1) if choose_weights else [model.weights[1:]]
    shares = [(model.weights[0] if not choose_weights else 1.0, *rest) for rest in others]
    offsets = _OFFSETS if choose_offset else (model.offset,)
    candidates = [replace(remembering, weights=w, offset=o) for w in shares for o in offsets]
    # The first of equals wins: let it be the one nearest to the default.
    candidates.sort(key=lambda one: (sum(abs(w - 1) for w in one.weights), abs(one.offset - _OFFSET)))
    best = max(candidates, key=dev)
    return replace(best, memory=None)
