"""Who has probabilities: one sentence for models without, and what those of the others are made of.

`probabilities_from` of a tool says what its probabilities are:

    "model"         sums over all outputs of a model that was trained to give probabilities
    "scores"        the softmax of scores that were not trained to be log-probabilities: they order the outputs
    "votes"         shares of votes
    "trees", "steps", "head filter"     of dependency parsers, see `DependencyParser.arc_probabilities`
    None            there are none, and asking for them is an error
"""

from __future__ import annotations

from palmette.learning.capabilities import Capabilities, fitting_learners
from palmette.learning.registry import LEARNERS, learner_class


def no_probabilities(what: str, offers: Capabilities, advice: str = "") -> ValueError:
    """Return the error of a model without probabilities; it names the learners that give it some.

    offers: what the tool offers learners. advice: what else is needed, or helps.

    >>> str(no_probabilities("This parser", frozenset({"best", "marginals"})))
    'This parser has no probabilities: train it with a learner that estimates them (crf).'
    """
    names = ", ".join(name for name in fitting_learners(offers) if learner_class(name).probabilistic)
    return ValueError(
        f"{what} has no probabilities: train it with a learner that estimates them ({names}){advice}."
    )


def trained_for_probabilities(learner: object) -> bool:
    """Return whether a learner, by the name of its class in a record of training, estimates probabilities.

    A method without a learner counts, and so does; so does a learner that this version does not know.

    >>> trained_for_probabilities("CRF"), trained_for_probabilities("Perceptron"), trained_for_probabilities(None)
    (True, False, True)
    """
    found = [name for name, entry in LEARNERS.items() if entry.where.endswith(f":{learner}")]
    return all(learner_class(name).probabilistic for name in found)
