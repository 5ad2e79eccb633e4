"""Why words have their heads: the best tree against the best one in which a word has another head.

The margin is the difference of the two trees' scores, and exactly the sum of what each feature gives the one
more than the other, wherever they differ.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from palmette.features.attributes import TypeAttributes
from palmette.features.token_views import TYPE_ATTRIBUTES, TokenViews
from palmette.formats.corpus import Corpus
from palmette.tools.dependency.model import HeadChoice, Parses, TreeModel
from palmette.tools.dependency.tags import is_empty
from palmette.tools.explanation import Explanation, summed

ROOT = "root"
_FINEST = ("xpos", "upos")  # what a feature calls "tag": the finer one that there is
_PLACE = re.compile(r"([^.\s]+)\.([a-z0-9]+)")


@dataclass(frozen=True)
class Part:
    """A feature, with the values it has in the sentence, and what it adds to the margin."""

    feature: str
    amount: float


@dataclass(frozen=True)
class HeadDecision:
    """One word: its head and relation, the runner-up, their probabilities if there are any, and why.

    Heads are numbers of words from 1, and 0 is the root. `contributions` come largest first and sum to `margin`;
    `others` is what those add that were left out. A word that can have one head only has no runner-up.
    """

    number: int
    token: str
    head: int
    head_token: str
    relation: str
    probability: float | None
    runner_up: int | None
    runner_up_token: str | None
    runner_up_relation: str | None
    runner_up_probability: float | None
    margin: float
    contributions: tuple[Part, ...]
    others: float = 0.0

    def first(self, top: int) -> HeadDecision:
        """The decision with its largest contributions only, and what the others add in one number."""
        rest = math.fsum(part.amount for part in self.contributions[top:])
        return replace(self, contributions=self.contributions[:top], others=self.others + rest)

    def to_dict(self) -> dict[str, Any]:
        """As plain data; a margin without a runner-up is None."""
        return {**asdict(self), "margin": self.margin if np.isfinite(self.margin) else None}

    def __str__(self) -> str:
        head = f"{self.number}  {self.token}  {self.relation} of {_shown(self.head, self.head_token)}"
        head += _percent(self.probability)
        if self.runner_up is None or self.runner_up_token is None:
            return f"{head}, the only head that it can have"
        head += f", runner-up {self.runner_up_relation} of {_shown(self.runner_up, self.runner_up_token)}"
        head += f"{_percent(self.runner_up_probability)}, margin {self.margin:+.3f}"
        if self.margin < 0:
            head += " (the runner-up scores higher, and the search missed it)"
        lines = [f"   {part.amount:+8.3f}  {part.feature}" for part in self.contributions]
        if self.others:
            lines.append(f"   {self.others:+8.3f}  all others")
        return "\n".join([head, *lines])


def explain_heads(
    model: TreeModel, views: TokenViews, corpus: Corpus, against: tuple[int, int] | None = None
) -> Explanation[HeadDecision]:
    """The decisions for a single sentence: of every word one search for the best tree with another head.

    against: a word and a head; then only this word is explained, and that head is the rival.
    """
    if len(corpus) != 1:
        raise ValueError(f"One sentence can be explained at a time. Got {len(corpus)}.")
    tokens = range(1, corpus.n_words + 1) if against is None else [against[0]]
    rival = None if against is None else _asked(against, corpus.n_words)
    choices = {token: model.explain(views, 0, token, rival) for token in tokens}
    chosen = _probabilities(model, views, {t: choice.head for t, choice in choices.items()})
    second = _probabilities(model, views, {t: choice.rival_head for t, choice in choices.items()})
    values = _Values(corpus)
    return Explanation(
        tuple(
            _decision(t, choice, model.labels, values, chosen[t], second[t]) for t, choice in choices.items()
        )
    )


def _asked(against: tuple[int, int], n: int) -> int:
    token, head = against
    if not 1 <= token <= n or not 0 <= head <= n or token == head:
        raise ValueError(f"The sentence has {n} words, and word {token} cannot have the head {head}.")
    return head


def _decision(
    number: int,
    choice: HeadChoice,
    labels: tuple[str, ...],
    values: _Values,
    p: float | None,
    q: float | None,
) -> HeadDecision:
    rival = choice.rival_head
    parts = summed(
        (values.name_of(found.feature, found.tokens), found.amount) for found in choice.contributions
    )
    return HeadDecision(
        number,
        values.word(number),
        choice.head,
        values.word(choice.head),
        labels[choice.label],
        p,
        rival,
        None if rival is None else values.word(rival),
        None if choice.rival_label is None else labels[choice.rival_label],
        q,
        float(choice.margin),
        tuple(Part(feature, amount) for feature, amount in parts),
    )


def _probabilities(
    model: TreeModel, views: TokenViews, heads: Mapping[int, int | None]
) -> dict[int, float | None]:
    """The probability of an arc of these words; None where there is no arc, or the model has no probabilities.

    Those of a head filter say nothing about the trees that an explanation compares.
    """
    if model.probabilities_from in (None, "head filter"):
        return dict.fromkeys(heads)
    row = np.zeros(views.n_tokens, dtype=np.int32)  # of the others any arc
    for token, head in heads.items():
        row[token - 1] = head or 0
    found = model.arc_probabilities(views, Parses(row, np.zeros_like(row), np.zeros(1)))
    return {token: None if head is None else float(found[token - 1]) for token, head in heads.items()}


class _Values:
    """What stands in a sentence: the words by number, and what a view shows of them."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._forms = corpus[0]["form" if "form" in corpus.names else corpus.names[0]]

    def word(self, number: int) -> str:
        """A word; 0 is the root."""
        return ROOT if number == 0 else self._forms[number - 1]

    def name_of(self, feature: str, tokens: Mapping[str, int]) -> str:
        """The feature with its values: "h.upos m.word" becomes "h.upos=VERB m.word=dogs"."""

        def with_value(found: re.Match[str]) -> str:
            place, view = found.groups()
            token = tokens.get(place)
            value = None if token is None else self._value(token, view)
            return found[0] if value is None else f"{found[0]}={value}"

        return _PLACE.sub(with_value, feature)

    def _value(self, token: int, view: str) -> str | None:
        if not 1 <= token <= len(self._forms):
            return ROOT if token == 0 else None
        if view in TYPE_ATTRIBUTES:
            return self._types.values_of(TYPE_ATTRIBUTES[view]).values()[token - 1]
        for name in _FINEST if view == "tag" else (view,):
            if not is_empty(self._corpus, name):
                return self._corpus[0][name][token - 1]
        return None

    @cached_property
    def _types(self) -> TypeAttributes:
        return TypeAttributes(self._forms)


def _shown(number: int, word: str) -> str:
    return f"the {word}" if number == 0 else f"{number} {word}"


def _percent(p: float | None) -> str:
    return "" if p is None else f" {p:.3f}"
