"""A recurrent predictor: a state that keeps track of the input and of the labels before (Carreras, p. 68).

    h_t = GRU(h_{t-1}, [x_t, e(y_{t-1})])            s(y_t | y_1 … y_{t-1}) = W h_t [y_t]

The state depends on all labels before, so no dynamic program finds the best sequence: search is greedy, or by
a beam.

| training    | loss                                                                                        |
|-------------|---------------------------------------------------------------------------------------------|
| `teacher`   | Σ_t −log softmax(s(· | gold before t))[gold_t]: each step by itself, with the right history  |
| `beam`      | −log of the share of gold among the sequences of a beam, sums of s without a softmax; where  |
|             | gold falls off the beam, what came before (early update: Collins and Roark 2004; Andor 2016) |

Teacher forcing is locally normalised: a step must give all its probability to some label, even if what follows
shows that the history was wrong (label bias), and it never sees a wrong history (exposure). Training with a beam
has neither.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from palmette.features.network.history import History

Tensor = Any


class Beam(NamedTuple):
    """The best sequences of every sentence, [sentences, width, tokens], and their scores, [sentences, width]."""

    labels: Tensor
    scores: Tensor


class RecurrentDecoder(nn.Module):
    """Labels one after the other, each seeing those before it.

    width: of the vectors of tokens. n_labels: how many labels there are. size: of the state. label_size: of the
    vectors of labels. All inputs are padded: x is [sentences, tokens, width], lengths [sentences].
    """

    def __init__(self, width: int, n_labels: int, size: int = 64, label_size: int = 16) -> None:
        super().__init__()
        self.n_labels = n_labels
        self.labels = nn.Embedding(n_labels + 1, label_size)  # the last one is before the first token
        self.cell = nn.GRUCell(width + label_size, size)
        self.output = nn.Linear(size, n_labels)

    def teacher_scores(self, x: Tensor, gold: Tensor) -> Tensor:
        """Return s(y | gold before t) for every label, [sentences, tokens, labels]."""
        n = x.shape[1]
        before = torch.cat([torch.full_like(gold[:, :1], self.n_labels), gold[:, :-1]], dim=1)
        inputs = torch.cat([x, self.labels(before)], dim=2)
        h = x.new_zeros(len(x), self.cell.hidden_size)
        states = []
        for t in range(n):
            h = self.cell(inputs[:, t], h)
            states.append(h)
        return self.output(torch.stack(states, dim=1))

    def teacher_loss(self, x: Tensor, lengths: Tensor, gold: Tensor) -> Tensor:
        """Return −log P(gold), summed over all tokens, where every step is normalised by itself."""
        inside = torch.arange(x.shape[1]) < lengths[:, None]
        return cross_entropy(self.teacher_scores(x, gold)[inside], gold[inside], reduction="sum")

    def export(self, normalised: bool) -> History:
        """Return the decoder as arrays, which need no torch."""
        cell = self.cell
        given = {
            "labels": self.labels.weight,
            "weights": cell.weight_ih,
            "bias": cell.bias_ih,
            "hidden": cell.weight_hh,
            "hidden_bias": cell.bias_hh,
            "output": self.output.weight,
            "output_bias": self.output.bias,
        }
        return History({name: value.detach().numpy().copy() for name, value in given.items()}, normalised)

    def search(self, x: Tensor, lengths: Tensor, width: int, *, normalised: bool) -> Beam:
        """Return the best sequences by beam search; a width of 1 is greedy.

        normalised: scores of a step are log-probabilities, as teacher forcing trains them; else plain sums.
        """
        beam = _Search(self, x, lengths, width, normalised)
        for t in range(x.shape[1]):
            beam.step(t)
        return Beam(beam.labels, beam.scores)

    def beam_loss(self, x: Tensor, lengths: Tensor, gold: Tensor, width: int) -> Tensor:
        """Return −log of the share of gold in the beam, where it falls off or at the end, summed."""
        own = self.teacher_scores(x, gold).gather(2, gold[:, :, None])[:, :, 0]
        so_far = own.cumsum(1)
        beam = _Search(self, x, lengths, width, normalised=False)
        total = x.new_zeros(())
        open_ = torch.ones(len(x), dtype=torch.bool)
        for t in range(x.shape[1]):
            beam.step(t)
            kept = (beam.labels == gold[:, None, : t + 1]).all(2) & (beam.scores > -torch.inf)
            fell = open_ & ~kept.any(1)
            done = open_ & (fell | (lengths == t + 1))
            if bool(done.any()):
                rivals = beam.scores.masked_fill(kept, -torch.inf)[done]
                right = so_far[done, t]
                every = torch.cat([rivals, right[:, None]], dim=1)
                total = total + (every.logsumexp(1) - right).sum()
            open_ = open_ & ~done
            if not bool(open_.any()):
                break
        return total


class _Search:
    """The beams of a batch; gradients flow through the scores of what they hold."""

    def __init__(
        self, decoder: RecurrentDecoder, x: Tensor, lengths: Tensor, width: int, normalised: bool
    ) -> None:
        self.decoder, self.x, self.lengths = decoder, x, lengths
        self.width, self.normalised = width, normalised
        n = len(x)
        self.scores = x.new_full((n, width), -torch.inf)
        self.scores[:, 0] = 0.0
        self.labels = torch.zeros(n, width, 0, dtype=torch.long)
        self.last = torch.full((n, width), decoder.n_labels)
        self.h = x.new_zeros(n, width, decoder.cell.hidden_size)

    def step(self, t: int) -> None:
        """Extend all sequences by a label, and keep the best; sentences that have ended stay as they are."""
        n, K, L = len(self.x), self.width, self.decoder.n_labels
        inputs = torch.cat([self.x[:, None, t].expand(-1, K, -1), self.decoder.labels(self.last)], dim=2)
        h = self.decoder.cell(inputs.reshape(n * K, -1), self.h.reshape(n * K, -1)).reshape(n, K, -1)
        scores = self.decoder.output(h)
        if self.normalised:
            scores = scores.log_softmax(2)
        found, at = (self.scores[:, :, None] + scores).reshape(n, K * L).topk(min(K, K * L), dim=1)
        before, label = at // L, at % L
        ended = (self.lengths <= t)[:, None]
        same = torch.arange(K).expand(n, -1)
        before, label = torch.where(ended, same, before), torch.where(ended, 0, label)
        self.scores = torch.where(ended, self.scores, found)
        history = self.labels.gather(1, before[:, :, None].expand(-1, -1, t))
        self.labels = torch.cat([history, label[:, :, None]], dim=2)
        self.h = h.gather(1, before[:, :, None].expand(-1, -1, h.shape[2]))
        self.last = label
