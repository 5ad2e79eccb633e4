"""Why a network chose a label: what each word, its letters and columns add to the margin, by integrated gradients.

The best sequence is compared with the best one that has another label at a token, as for other taggers. What
features and label n-grams give the one more than the other is exact. To these come what the network says without
any input, and what each of its inputs adds at each token; what the sum over points of the integral misses is the
rest of the decision. All of it sums to the margin.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from palmette.features.network.attribution import Attributions
from palmette.features.network.inputs import Input
from palmette.features.network.network import Network
from palmette.formats.corpus import Corpus
from palmette.tools.explanation import Contribution, Decision

_NEGLIGIBLE = 1e-9
Labels = NDArray[np.int32]


class NetworkExplainer:
    """One sentence, whose decisions by a network are explained one after the other."""

    def __init__(self, network: Network, sentence: Corpus) -> None:
        self._inputs = network.inputs.inputs
        self._sentence = sentence
        self._words = list(sentence[0]["form" if "form" in sentence.names else sentence.names[0]])
        self._attributions = Attributions(network, network.inputs.encode(sentence)) if self._words else None

    def completed(self, decision: Decision, best: Labels, other: Labels, here: int) -> Decision:
        """Add what the network says to a decision that has all else; the margin and the text are made again."""
        assert self._attributions is not None
        tokens = np.arange(len(best))
        difference = np.zeros(self._attributions.outputs.shape)
        np.add.at(difference, (tokens, best), 1.0)
        np.add.at(difference, (tokens, other), -1.0)
        found = self._attributions.of(difference)
        parts = [
            Contribution(self._name(one, t), float(amount), (t + 1,), self._where(t, here))
            for one, row in zip(self._inputs, found.amounts)
            for t, amount in enumerate(row.tolist())
        ]
        parts += [Contribution("network without input", found.start), *decision.contributions]
        kept = sorted(
            (part for part in parts if abs(part.amount) > _NEGLIGIBLE), key=lambda part: -abs(part.amount)
        )
        rest = found.total - found.start - float(found.amounts.sum())
        margin = math.fsum([*(part.amount for part in kept), rest])
        text = f"{decision.text.rpartition(', margin ')[0]}, margin {margin:+.3f}"
        return Decision(
            decision.subject, decision.chosen, decision.rival, margin, tuple(kept), rest, decision.extra, text
        )

    def _name(self, one: Input, t: int) -> str:
        if one.kind == "column":
            return f"network {one.name}={self._sentence[0][one.name][t]}"
        kind = "word" if one.name == "collapsed" else one.name or one.kind
        return f"network {kind}={self._words[t]}"

    def _where(self, t: int, here: int) -> str:
        return "" if t == here else f"at {t + 1} {self._words[t]}"
