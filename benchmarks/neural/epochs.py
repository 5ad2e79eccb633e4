"""One network, BiLSTM-CRF for UPOS of ud_en_ewt: a pass of training beside pytorch-crf and torch-struct, and
tagging beside torch. All in one process with one thread; processor time.

Ours trains as `Tagger(scorer=Neural())` does. The peers train as their guides show: torch's LSTM over packed
sentences, its convolution, its dropout, its Adam.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.data import treebank
from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.neural import left_out
from palmette.features.network.inputs import Encoded, NetworkInputs, attribute_input, letters_input
from palmette.features.network.network import Plan
from palmette.formats.conllu import parse_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.files import read_bytes

SENTENCES, BATCH = 4000, 32


def rows(quick: bool = False) -> Iterator[Row]:
    try:
        import torch
    except ImportError as error:
        raise UnavailableError("torch is not installed") from error
    corpus = parse_conllu(read_bytes(treebank("ud_en_ewt", "train")))[: 500 if quick else SENTENCES]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield from _tagging(corpus)
        yield from _training(corpus)
    finally:
        torch.set_num_threads(threads)


def _network(corpus: Corpus) -> tuple[Any, Encoded]:
    import torch

    from palmette.neural.networks.module import Sizes, TokenNetwork

    torch.manual_seed(0)
    inputs = NetworkInputs((attribute_input("collapsed", corpus, 2), letters_input(corpus)))
    n = len(set(corpus.column("upos").values()))
    sizes = Sizes((100, 32), 64, 128, (n,))
    return TokenNetwork(inputs, Plan("convolution", "lstm", 1, ("none",)), sizes, 0.3), inputs.encode(corpus)


def _batches(encoded: Encoded) -> list[Any]:
    from palmette.neural.networks.module import Batch

    order = np.argsort(-np.diff(encoded.offsets), kind="stable").astype(np.int64)
    return [Batch(encoded, order[k : k + BATCH]) for k in range(0, len(order), BATCH)]


def _tagging(corpus: Corpus) -> Iterator[Row]:
    """The scores of all labels, without the search, which is the same for both."""
    import torch

    module, encoded = _network(corpus)
    module.eval()
    network = module.export()
    assert network.core is not None
    batches = _batches(encoded)
    ours, found = _timed(lambda: network(encoded))
    _as_in_guides(module)
    with torch.no_grad():
        peer, parts = _timed(lambda: [module(batch).numpy() for batch in batches])
    want = np.zeros_like(found)
    for batch, part in zip(batches, parts):
        want[batch.tokens] = part
    off = float(np.abs(found - want).max())
    yield Row(
        "scores of BiLSTM, beside torch with the same network",
        ours,
        peer,
        encoded.n_tokens,
        "tokens",
        least_ratio=3,
        quality=f"differ by at most {off:.1e}",
        holds=off < 1e-5,
    )


def _training(corpus: Corpus) -> Iterator[Row]:
    column = corpus.column("upos")
    used, gold = np.unique(column.ids, return_inverse=True)
    gold = gold.astype(np.int64).reshape(-1)
    ours = _epoch(corpus, gold, _ours(len(used)), plain=False)
    peers = {"pytorch-crf": (_pytorch_crf, 1.5), "torch-struct": (_torch_struct, 5.0)}
    for name, (made, least) in peers.items():
        try:
            peer = _epoch(corpus, gold, made(len(used)), plain=True)
        except ImportError as missing:
            left_out(f"a pass of training beside {name}", missing)
            continue
        yield Row(
            f"a pass of training, BiLSTM-CRF, {len(corpus):,} sentences, beside the same network with {name}",
            ours[0],
            peer[0],
            corpus.n_words,
            "tokens",
            least_ratio=least,
            quality=f"the loss alone: {ours[1]:.2f} s beside {peer[1]:.2f} s",
        )


def _epoch(
    corpus: Corpus, gold: np.ndarray[Any, Any], made: tuple[Any, Callable[..., Any]], *, plain: bool
) -> tuple[float, float]:
    """Processor seconds of a pass, and those of the loss and its gradient alone; plain: as guides do it."""
    import torch

    module, encoded = _network(corpus)
    layer, loss = made
    parameters = [*module.parameters(), *layer.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.001, fused=not plain)
    if plain:
        _as_in_guides(module)
    module.train()
    layers = patch("palmette.neural.networks.module.states_of", _packed) if plain else nullcontext()
    with layers:
        return _steps(encoded, module, loss, optimizer, gold)


def _steps(
    encoded: Encoded, module: Any, loss: Any, optimizer: Any, gold: np.ndarray[Any, Any]
) -> tuple[float, float]:
    import torch

    own = 0.0
    began = time.process_time()
    for batch in _batches(encoded):
        optimizer.zero_grad()
        unary = module(batch)
        cut = unary.detach().requires_grad_()
        first = time.process_time()
        loss(cut, batch.lengths, torch.from_numpy(gold[batch.tokens])).backward()
        own += time.process_time() - first
        unary.backward(cut.grad)
        optimizer.step()
    return time.process_time() - began, own


def _as_in_guides(module: Any) -> None:
    """Take torch's own layers, with padding."""
    import torch

    module.dropout = torch.nn.Dropout(0.3).train(module.training)
    for embedding in module.embeddings:
        if hasattr(embedding, "convolution"):
            embedding.forward = _Convolution(embedding)


class _Convolution:
    """Filters over padded words, by torch."""

    def __init__(self, letters: Any) -> None:
        self.letters = letters

    def __call__(self, ids: Any, dropout: Any) -> Any:
        import torch

        lengths = torch.from_numpy(np.diff(ids.rows))
        words = torch.from_numpy(ids.ids.astype(np.int64)).split(lengths.tolist())
        padded = torch.nn.utils.rnn.pad_sequence(list(words), batch_first=True)
        mask = torch.arange(padded.shape[1])[None, :] < lengths[:, None]
        x = dropout(self.letters.table(padded)) * mask[..., None]
        found = self.letters.convolution(x.transpose(1, 2))
        return torch.relu(found.masked_fill(~mask[:, None, :], -torch.inf)).max(dim=2).values


def _packed(layer: Any, x: Any, lengths: Any) -> Any:
    """A recurrent layer over packed sentences, by torch."""
    import torch

    rnn = torch.nn.utils.rnn
    packed = rnn.pack_sequence(list(x.split(lengths.lengths.tolist())), enforce_sorted=False)
    states, sizes = rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)
    return states[torch.arange(states.shape[1])[None] < sizes[:, None]]


def _ours(n: int) -> tuple[Any, Callable[..., Any]]:
    import torch

    from palmette.neural.functions.chains import Chains

    layer = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(n, n))])
    return layer, lambda unary, lengths, gold: Chains(unary, lengths, layer[0]).loss("crf", gold.numpy())


def _padded(unary: Any, lengths: Any, gold: Any) -> tuple[Any, Any, Any]:
    import torch

    pad = torch.nn.utils.rnn.pad_sequence
    scores = pad(list(unary.split(lengths.tolist())), batch_first=True)
    tags = pad(list(gold.split(lengths.tolist())), batch_first=True)
    return scores, tags, torch.arange(scores.shape[1])[None] < lengths[:, None]


def _pytorch_crf(n: int) -> tuple[Any, Callable[..., Any]]:
    import torchcrf

    layer = torchcrf.CRF(n, batch_first=True)
    return layer, lambda *given: -layer(*_padded(*given))


def _torch_struct(n: int) -> tuple[Any, Callable[..., Any]]:
    import torch
    import torch_struct

    layer = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(n, n))])

    def loss(unary: Any, lengths: Any, gold: Any) -> Any:
        scores, tags, _ = _padded(unary, lengths, gold)
        if scores.shape[1] == 1:
            return torch.nn.functional.cross_entropy(unary, gold, reduction="sum")
        # potentials[t, y, x]: the step from x to y; the first one has the scores of its first label too
        potentials = layer[0].T[None, None] + scores[:, 1:, :, None]
        potentials[:, 0] = potentials[:, 0] + scores[:, 0, None, :]
        potentials = potentials.contiguous()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about what it does not declare to torch
            found = torch_struct.LinearChainCRF(potentials, lengths=lengths)
        parts = torch_struct.LinearChainCRF.struct.to_parts(tags, n, lengths=lengths).type_as(potentials)
        score = (potentials * parts).sum()
        return found.partition.sum() - score

    return layer, loss


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    work()
    began = time.process_time()
    found = work()
    return time.process_time() - began, found
