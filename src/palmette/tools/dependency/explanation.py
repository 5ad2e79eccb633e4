"""Why words have their heads: the best tree against the best one in which a word has another head.

The margin is the difference of the two trees' scores, and exactly the sum of what each feature gives the one
more than the other, wherever they differ.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from palmette.features.attributes import TypeAttributes
from palmette.features.token_views import TYPE_ATTRIBUTES, TokenViews
from palmette.formats.corpus import Corpus
from palmette.tools.dependency.model import HeadChoice, Parses, TreeModel
from palmette.tools.dependency.tags import is_empty
from palmette.tools.explanation import Contribution, Decision, Explanation, summed

ROOT = "root"
_FINEST = ("xpos", "upos")  # what a feature calls "tag": the finer one, if it is filled
_PLACE = re.compile(r"([^.\s]+)\.([a-z0-9]+)")


def explain_heads(
    model: TreeModel, views: TokenViews, corpus: Corpus, against: tuple[int, int] | None = None
) -> Explanation:
    """The decisions for a single sentence: of every word one search for the best tree with another head.

    against: a word and a head; then only this word is explained, and that head is the rival.
    """
    if len(corpus) != 1:
        raise ValueError(f"One sentence can be explained at a time. Got {len(corpus)}.")
    tokens = range(1, corpus.n_words + 1) if against is None else [against[0]]
    rival = None if against is None else _asked(against, corpus.n_words)
    choices = {token: model.explain(views, 0, token, rival) for token in tokens}
    chosen = _probabilities(model, views, {t: choice.head for t, choice in choices.items()})
    second = _rival_probabilities(model, views, {t: choice.rival_head for t, choice in choices.items()})
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
) -> Decision:
    word, head, rival = values.word(number), choice.head, choice.rival_head
    relation = labels[choice.label]
    extra: dict[str, Any] = {
        "number": number,
        "head_token": values.word(head),
        "relation": relation,
        "probability": p,
        "rival_token": None if rival is None else values.word(rival),
        "rival_relation": None if choice.rival_label is None else labels[choice.rival_label],
        "rival_probability": q,
    }
    text = f"{number}  {word}  {relation} of {_shown(head, values.word(head))}{_percent(p)}"
    if rival is None:
        text += ", the only head that it can have"
        return Decision(word, head, None, float(choice.margin), extra=extra, text=text)
    margin = float(choice.margin)
    text += f", runner-up {extra['rival_relation']} of {_shown(rival, values.word(rival))}{_percent(q)}"
    text += f", margin {margin:+.3f}"
    if margin < 0:
        why = "the filter of heads had left it out" if q == 0 else "the search missed it"
        text += f" (the runner-up scores higher, and {why})"
    return Decision(word, head, rival, margin, tuple(_contributions(choice, values)), extra=extra, text=text)


def _contributions(choice: HeadChoice, values: _Values) -> Iterator[Contribution]:
    """Return the features with their values and the words that they look at; 0 is the root."""
    named = [(values.name_of(use.feature, use.tokens), use) for use in choice.contributions]
    where: defaultdict[str, set[int]] = defaultdict(set)
    for name, use in named:
        where[name] |= {token for token in use.tokens.values() if token >= 0}
    for name, amount in summed((name, use.amount) for name, use in named):
        yield Contribution(name, amount, tuple(sorted(where[name])))


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


def _rival_probabilities(
    model: TreeModel, views: TokenViews, heads: Mapping[int, int | None]
) -> dict[int, float | None]:
    """As `_probabilities`; 0 for heads that the filter leaves out, and that were let in to be the rival."""
    if model.probabilities_from != "trees":
        return _probabilities(model, views, heads)
    found = [dict(row) for row in model.arc_marginals(views)]
    return {token: None if head is None else found[token - 1].get(head, 0.0) for token, head in heads.items()}


class _Values:
    """What is in a sentence: the words by number, and what a view shows of them."""

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
