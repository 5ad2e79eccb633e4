"""Taggers from few labelled sentences and the text of the others: pos_en_ptb, five random choices of each share.

Labels alone (an HMM of order 1), EM on all sentences with passes and weight chosen on the dev set or by
cross-validation over the labels, and states without labels that get theirs afterwards. Accuracy on the test set.
What is chosen on the dev set must not be below the labels alone there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.hidden_states import sentences
from benchmarks.measuring.row import Row
from palmette import HMM, Tagger, TagInducer

SHARES = (0.01, 0.05, 0.2)
CHOICES, STATES = 5, 150
ON_DEV, AFTERWARDS = "EM, chosen on dev", f"{STATES} states, labelled afterwards"

Labelled = tuple[list[list[str]], list[list[str]]]


def rows(quick: bool = False) -> Iterator[Row]:
    (text, gold), dev, test = (sentences(part) for part in ("train", "dev", "test"))
    began = time.process_time()
    states = None if quick else TagInducer(n_states=STATES).fit(text)
    before = {AFTERWARDS: time.process_time() - began}
    for share in SHARES[1:2] if quick else SHARES:
        found: dict[str, list[float]] = {}
        spent: dict[str, float] = {}
        worst = np.inf
        for seed in range(1 if quick else CHOICES):
            chosen = np.random.default_rng(seed).permutation(len(text))[: int(share * len(text))].tolist()
            few = ([text[i] for i in chosen], [gold[i] for i in chosen])
            rest = [text[i] for i in sorted(set(range(len(text))) - set(chosen))]
            for name, made in _taggers(few, rest, dev, states).items():
                began = time.process_time()
                tagger = made()
                spent[name] = spent.get(name, before.get(name, 0.0)) + time.process_time() - began
                found.setdefault(name, []).append(tagger.score(*test))
                if name == ON_DEV:
                    worst = min(worst, tagger.training_["dev_score"] - tagger.training_["labels_alone"])
        for name, scores in found.items():
            yield Row(
                f"{100 * share:g} % of {len(text):,} sentences labelled: {name}",
                spent[name] / len(scores),
                quality=f"accuracy {100 * np.mean(scores):.2f}, "
                f"from {100 * min(scores):.2f} to {100 * max(scores):.2f}",
                holds=bool(worst >= 0) if name == ON_DEV else None,
            )


def _taggers(
    few: Labelled, rest: list[list[str]], dev: Labelled, states: TagInducer | None
) -> dict[str, Callable[[], Tagger]]:
    found: dict[str, Callable[[], Tagger]] = {
        "labels alone": lambda: Tagger(HMM(), order=1).fit(*few),
        ON_DEV: lambda: TagInducer().fit(rest, labelled=few, dev=dev),
        "EM, cross-validated": lambda: TagInducer().fit(rest, labelled=few),
    }
    if states is not None:
        found[AFTERWARDS] = lambda: states.label_states(*few)
    return found
