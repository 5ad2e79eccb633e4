"""A tagger whose predictor sees its own labels, and beside it the same network under a chain, to compare the two.

Both see words and letters through the layers of `neural/networks/module.py`. Prediction is by torch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from palmette.features.network.history import History, HistoryOptions
from palmette.features.network.inputs import Encoded, NetworkInputs, attribute_input, letters_input
from palmette.features.network.network import Network, Plan
from palmette.formats.corpus import Corpus
from palmette.learning.loop import Callback, Pass, run_passes
from palmette.messages import warn
from palmette.neural.functions.chains import Chains
from palmette.neural.networks.module import Batch, Sizes, TokenNetwork, recurrent_arrays
from palmette.neural.networks.steps import Examples, Steps, require_moderate
from palmette.neural.networks.training import reproducible
from palmette.neural.recurrent.decoder import RecurrentDecoder
from palmette.parameters import option

Sentences = Sequence[Sequence[str]]
State = dict[str, Any]
_CLIP = 5.0  # longest gradient of a step


@dataclass(eq=False, kw_only=True)
class RecurrentTagger(HistoryOptions):
    """Labels of words by a recurrent predictor, or by a CRF over the same network: fit, predict, score.

    X: sentences as lists of words; y: their labels. After `fit`, `history_gap(X, y)` tells what wrong histories
    cost (exposure).

    >>> X, y = [["time", "flies"], ["flies", "fly"]] * 8, [["N", "V"], ["N", "V"]] * 8
    >>> RecurrentTagger(n_iter=20, size=8).fit(X, y).predict([["time", "flies"]])
    [['N', 'V']]
    """

    decoder: str = option("recurrent", "what finds the labels", choices=("recurrent", "crf"), fixed=True)

    def fit(
        self,
        X: Sentences,
        y: Sentences,
        *,
        dev: tuple[Sentences, Sentences] | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Train; with a dev set keep the best pass."""
        if len(X) != len(y) or not len(X):
            raise ValueError(
                f"there must be labels for each sentence, and at least one; got {len(X)} and {len(y)}"
            )
        for number, (words, labels) in enumerate(zip(X, y), start=1):
            if len(words) != len(labels):
                raise ValueError(f"sentence {number} has {len(words)} words and {len(labels)} labels")
        names, codes = np.unique([label for one in y for label in one], return_inverse=True)
        if not len(names):
            raise ValueError("all sentences are empty: there is nothing to learn from")
        self.classes_ = names
        corpus = _corpus(X)
        self.inputs_ = NetworkInputs(
            (attribute_input("collapsed", corpus, self.min_count), letters_input(corpus))
        )
        self.notes_: list[str] = []  # what was done differently, a sentence each
        if dev is None and self.patience:
            self.notes_.append(f"patience={self.patience} does nothing without a dev set")
        with reproducible(self.random_state):
            self.module_ = _Module(self, len(names))
            outcome = run_passes(
                lambda state: self._passes(corpus, codes.astype(np.int64), self.notes_, state),
                limit=self.n_iter,
                score=None if dev is None else self._score_of(*dev),
                patience=self.patience,
                callback=callback,
            )
        if outcome.result is None:
            raise KeyboardInterrupt
        self.module_.load_state_dict({name: torch.from_numpy(a) for name, a in outcome.result.items()})
        self.module_.eval()
        self.history_, self.interrupted_ = outcome.history, outcome.interrupted
        warn(*self.notes_)
        return self

    def predict(self, X: Sentences, *, width: int | None = None) -> list[list[str]]:
        """Return the labels of sentences; `width` of the beam in place of the constructor's, 1 for greedy."""
        wide = self.width if width is None else width
        return [self.classes_[labels].tolist() for labels in self._predicted(X, wide)]

    def score(self, X: Sentences, y: Sentences, *, width: int | None = None) -> float:
        """Return the share of right labels."""
        return _share(self.predict(X, width=width), y)

    def history_gap(self, X: Sentences, y: Sentences) -> float:
        """Return how many more labels are right with gold labels as the history than with its own, greedily."""
        self._trained()
        if self.decoder == "crf":
            return 0.0
        number = {name: k for k, name in enumerate(self.classes_.tolist())}
        corpus, right, total = _corpus(X), 0, 0
        with torch.no_grad():
            for some, batch in self._batches(corpus, np.arange(len(X))):
                x, lengths = self.module_.padded(batch)
                gold = torch.zeros(x.shape[:2], dtype=torch.long)
                known = [[number.get(label, 0) for label in y[k]] for k in some]
                for row, labels in zip(gold, known):
                    row[: len(labels)] = torch.tensor(labels)
                best = self.module_.decoder.teacher_scores(x, gold).argmax(2)
                for row, k, n in zip(best, some, lengths.tolist()):
                    right += sum(a == b for a, b in zip(self.classes_[row[:n].numpy()], y[k]))
                    total += n
        return right / max(total, 1) - self.score(X, y, width=1)

    def export(self) -> tuple[Network, History]:
        """Return the trained predictor as arrays, which need no torch; ValueError for a CRF."""
        self._trained()
        if self.decoder == "crf":
            raise ValueError(
                "Only a recurrent predictor can be exported; for a CRF take Tagger(scorer=Neural())."
            )
        return self.module_.exported(), self.module_.decoder.export(self.training == "teacher")

    # Helpers of the above

    def _trained(self) -> None:
        if not hasattr(self, "module_"):
            raise ValueError("this RecurrentTagger is not trained yet; call fit first")

    def _batches(self, corpus: Corpus, order: Any) -> Iterator[tuple[Any, Batch]]:
        encoded = self.inputs_.encode(corpus)
        for some in self._numbers(encoded, order):
            yield some, Batch(encoded, some)

    def _numbers(self, encoded: Encoded, order: Any) -> Iterator[Any]:
        """The numbers of the sentences of each batch; empty ones are left out."""
        full = order[np.diff(encoded.offsets)[order] > 0]
        for first in range(0, len(full), self.batch_size):
            yield full[first : first + self.batch_size]

    def _predicted(self, X: Sentences, width: int) -> list[Any]:
        self._trained()
        found: list[Any] = [np.zeros(0, dtype=np.int64)] * len(X)
        if not len(X):
            return found
        corpus = _corpus(X)
        order = np.argsort([len(one) for one in X], kind="stable")
        with torch.no_grad():
            for some, batch in self._batches(corpus, order):
                for k, labels in zip(some, self.module_.best(batch, width, self.training == "teacher")):
                    found[k] = labels
        return found

    def _passes(self, corpus: Corpus, labels: Any, notes: list[str], state: Any) -> Iterator[Pass[State]]:
        random = np.random.default_rng(self.random_state)
        encoded = self.inputs_.encode(corpus)
        beam = 0

        def loss(sentences: NDArray[np.int64]) -> Any:
            batch = Batch(encoded, sentences)
            return self.module_.loss(batch, labels[batch.tokens], beam)

        steps = Steps(
            loss,
            np.diff(encoded.offsets),
            [torch.optim.Adam(self.module_.parameters(), lr=self.learning_rate)],
            most=self.batch_size,
            clip=_CLIP,
            examples=Examples(smaller=f"a smaller network (size={self.size})"),
            notes=notes,
        )
        done = 0
        if state is not None:
            done, before = state
            steps.restore(before, random)
        for number in range(done, self.n_iter):
            if self.training == "beam" and number >= self.teacher_passes:
                beam = self.width
            self.module_.train()
            total = 0.0
            for some in self._numbers(encoded, random.permutation(len(corpus))):
                total += steps.take(some, len(some))
                if not math.isfinite(total):
                    steps.stop(number, self.learning_rate)
                    return
            if not steps.sound:
                steps.stop(number, self.learning_rate)
                return
            self.module_.eval()
            made = {name: value.numpy().copy() for name, value in self.module_.state_dict().items()}
            yield Pass(
                {"loss": total / max(len(labels), 1)},
                lambda made=made: made,  # type: ignore[misc]
                state=(number + 1, steps.state(random)),
            )

    def _score_of(self, X: Sentences, y: Sentences) -> Callable[[State], float]:
        return lambda made: self.score(X, y)


class _Module(nn.Module):
    """Words and letters, a recurrent layer, and one of the two decoders."""

    def __init__(self, options: RecurrentTagger, n_labels: int) -> None:
        super().__init__()
        both = options.directions == "both"
        plan = Plan("convolution", "lstm", 1 if both else 0, ())
        sizes = Sizes((options.words, 16), options.letters, options.size, ())
        self.network = TokenNetwork(options.inputs_, plan, sizes, options.dropout)
        width = self.network.outputs
        self.forward_layer = None if both else nn.LSTM(width, options.size, batch_first=True)
        width = width if both else options.size
        self.decoder: Any = None
        self.unary: Any = None
        if options.decoder == "crf":
            self.unary = nn.Linear(width, n_labels)
            self.pairs = nn.Parameter(torch.zeros(n_labels, n_labels))
            self.start, self.end = (nn.Parameter(torch.zeros(n_labels)) for _ in range(2))
        else:
            self.decoder = RecurrentDecoder(width, n_labels, options.size)

    def padded(self, batch: Batch) -> tuple[Any, Any]:
        """Return vectors of tokens, [sentences, tokens, width], and lengths."""
        rows = list(self.network(batch).split(batch.lengths.tolist()))
        x = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        return x if self.forward_layer is None else self.forward_layer(x)[0], batch.lengths

    def exported(self) -> Network:
        """Return the vectors of tokens as a network."""
        made = self.network.export()
        if self.forward_layer is None:
            return made
        plan = Plan(made.plan.letters, "lstm", 1, ())
        layer = {f"recurrent.0.{name}": a for name, a in recurrent_arrays(self.forward_layer).items()}
        return Network(made.inputs, plan, {**made.arrays, **layer})

    def loss(self, batch: Batch, labels: Any, width: int) -> Any:
        """Return the loss of a batch, summed; a width of 0 is teacher forcing."""
        x, lengths = self.padded(batch)
        if self.unary is not None:
            return self._chains(x, lengths).loss("crf", labels)
        gold = nn.utils.rnn.pad_sequence(
            list(torch.from_numpy(labels).split(lengths.tolist())), batch_first=True
        )
        if width:
            return self.decoder.beam_loss(x, lengths, gold, width)
        return self.decoder.teacher_loss(x, lengths, gold)

    def best(self, batch: Batch, width: int, normalised: bool) -> list[Any]:
        x, lengths = self.padded(batch)
        if self.unary is not None:
            return [own.numpy() for own in self._chains(x, lengths).labels().split(lengths.tolist())]
        beam = self.decoder.search(x, lengths, width, normalised=normalised)
        return [own[0, :n].numpy() for own, n in zip(beam.labels, lengths.tolist())]

    def _chains(self, x: Any, lengths: Any) -> Chains:
        inside = torch.arange(x.shape[1]) < lengths[:, None]
        unary = self.unary(x[inside])
        require_moderate(unary, self.pairs, self.start, self.end)
        return Chains(unary, lengths, self.pairs, self.start, self.end)


def _corpus(X: Sentences) -> Corpus:
    return Corpus.from_columns({"form": [[str(word) for word in one] for one in X]})


def _share(guess: Sentences, gold: Sentences) -> float:
    right = [a == b for have, want in zip(guess, gold, strict=True) for a, b in zip(have, want, strict=True)]
    return float(np.mean(right)) if right else 0.0
