"""The methods of sense tagging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palmette.learning.capabilities import SUMS, Capabilities
from palmette.tools.methods import Method, Methods

_PLACE = "palmette.tools.senses"


def offers(options: Mapping[str, Any]) -> Capabilities:
    """What classifiers of words offer learners: weights are needed, which kernels and memories do not have."""
    return SUMS | {"history", "pairs", "occurrences"}


METHODS = Methods(
    {
        "supervised": Method(
            summary="a classifier for every word, from a text with senses",
            train=f"{_PLACE}.supervised:train_supervised",
            model=f"{_PLACE}.supervised:SupervisedModel",
            options=f"{_PLACE}.supervised:SupervisedOptions",
            learners=f"{_PLACE}.supervised:LEARNERS",
            offers=f"{_PLACE}.methods:offers",
        ),
        "first": Method(
            summary="the first sense of the inventory, or the most frequent one",
            train=f"{_PLACE}.model:train_first",
            model=f"{_PLACE}.model:FirstSense",
            options=f"{_PLACE}.model:SenseOptions",
        ),
        "lesk": Method(
            summary="the sense whose definition has most words in common with the text",
            train=f"{_PLACE}.lesk:train_lesk",
            model=f"{_PLACE}.lesk:LeskModel",
            options=f"{_PLACE}.lesk:LeskOptions",
        ),
        "bootstrap": Method(
            summary="decision lists that grow from seed words, from a text without senses",
            train=f"{_PLACE}.decision_list:train_lists",
            model=f"{_PLACE}.decision_list:DecisionLists",
            options=f"{_PLACE}.decision_list:ListOptions",
            dev="the best round",
        ),
        "self-training": Method(
            summary="classifiers of words that add examples of their own",
            train=f"{_PLACE}.growing:train_self",
            model=f"{_PLACE}.supervised:SupervisedModel",
            options=f"{_PLACE}.growing:GrowingOptions",
            learners=f"{_PLACE}.supervised:LEARNERS",
            learner="crf",  # whose probabilities are meant as such
            offers=f"{_PLACE}.methods:offers",
            dev="the best round",
        ),
        "co-training": Method(
            summary="two classifiers of each word, with a view each, that add examples for each other",
            train=f"{_PLACE}.growing:train_co",
            model=f"{_PLACE}.supervised:SupervisedModel",
            options=f"{_PLACE}.growing:CoTrainingOptions",
            learners=f"{_PLACE}.supervised:LEARNERS",
            learner="crf",  # whose probabilities are meant as such
            offers=f"{_PLACE}.methods:offers",
            dev="the best round",
        ),
    }
)
