"""log Z of a batch and its gradient by all scores: chains 32 × 25 × 45, trees 32 × 25, CKY 16 × 20 × 30.

Ours is `palmette.neural` from tensors to tensors, on one thread. Peers: pytorch-crf and torch-struct by automatic
differentiation, and NumPy over the whole batch, written for nothing else. Times are those of the processor. All
must find the same log Z.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.measuring.timing import shortest
from benchmarks.neural import in_numpy, left_out

Work = Callable[[], Any]


def rows(quick: bool) -> Iterator[Row]:
    if find_spec("torch") is None:
        raise UnavailableError("torch is not installed: pip install 'palmette[neural]'")
    import torch

    torch.set_num_threads(1)
    times = 3 if quick else 10
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch-struct is older than the torch of today
        yield from measured(times)


def one_thread() -> Any:
    """What keeps the matrix products of NumPy on one thread, where it is installed."""
    if find_spec("threadpoolctl") is None:
        return nullcontext()
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1)


def measured(times: int) -> Iterator[Row]:
    for name, ours, peers in (*chains(), *trees(), *charts()):
        for peer, work in peers.items():
            want, have = np.asarray(work()), np.asarray(ours())
            if not np.allclose(have, want, rtol=1e-3):
                raise AssertionError(f"{name}: {peer} has another log Z, {want[:2]} and not {have[:2]}")
            slow = peer == "torch-struct"
            mine, theirs = shortest(ours, work, times=2 if slow else times, clock=time.process_time)
            yield Row(f"log Z and gradients, {name} / {peer}", mine, theirs, least_ratio=1.0)


def has(peer: str, what: str) -> bool:
    """Whether a peer is installed; its row is named where it is not."""
    there = find_spec(peer) is not None
    if not there:
        left_out(f"log Z and gradients of {what} beside {peer}", "it is not installed")
    return there


def gradient(log_z: Any) -> Any:
    """Run backwards from the sum, and give log Z back."""
    log_z.sum().backward()
    return log_z.detach().numpy()


def chains() -> Iterator[tuple[str, Work, dict[str, Work]]]:
    import torch

    from benchmarks.peers import numpy_chains
    from benchmarks.peers.batches import random_batch
    from palmette.neural import Chains

    emissions, transitions = (array.astype(np.float32) for array in random_batch())
    n, length, labels = emissions.shape
    scores = torch.tensor(emissions, requires_grad=True)
    pairs = torch.tensor(transitions, requires_grad=True)
    lengths = [length] * n
    scaled = numpy_chains.Scaled(emissions.shape, "float32")
    peers: dict[str, Work] = {
        "NumPy (without pairs)": lambda: scaled(emissions, transitions)[0],
    }
    if has("torchcrf", "chains"):
        from torchcrf import CRF

        layer = CRF(labels, batch_first=True)
        with torch.no_grad():
            layer.start_transitions.zero_()
            layer.end_transitions.zero_()
            layer.transitions.copy_(pairs)
        mask = torch.ones(length, n, dtype=torch.bool)
        peers["pytorch-crf"] = lambda: gradient(layer._compute_normalizer(scores.transpose(0, 1), mask))
    if has("torch_struct", "chains"):
        from torch_struct import LinearChainCRF

        def struct() -> Any:
            potentials = scores[:, 1:, :, None] + pairs.T
            first = torch.cat([scores[:, :1, None, :], torch.zeros(n, length - 2, 1, labels)], dim=1)
            return gradient(LinearChainCRF(potentials + first).partition)

        peers["torch-struct"] = struct
    yield (
        f"chain {n} × {length} × {labels}",
        lambda: gradient(Chains(scores.reshape(-1, labels), lengths, pairs).log_z()),
        peers,
    )


def trees() -> Iterator[tuple[str, Work, dict[str, Work]]]:
    import torch

    from palmette.neural import Trees

    n, length = 32, 25
    arcs = np.random.default_rng(2).normal(size=(n, length + 1, length + 1))
    scores = torch.tensor(arcs.astype(np.float32), requires_grad=True)
    lengths = [length] * n
    name = f"{n} × {length}"
    peers: dict[str, Work] = {}
    if has("torch_struct", "trees"):
        from torch_struct import DependencyCRF

        def struct() -> Any:
            # Its diagonal has the arcs of the root.
            inner = scores[:, 1:, 1:] * (1 - torch.eye(length)) + torch.diag_embed(scores[:, 0, 1:])
            return gradient(DependencyCRF(inner, multiroot=False).partition)

        peers["torch-struct"] = struct
    yield f"projective trees {name}", lambda: gradient(Trees(scores, lengths).log_z()), peers
    yield (
        f"spanning trees {name}",
        lambda: gradient(Trees(scores, lengths, False).log_z()),
        {"NumPy": lambda: in_numpy.spanning_trees(arcs)[0]},
    )


def charts() -> Iterator[tuple[str, Work, dict[str, Work]]]:
    import torch

    from palmette.neural import BinaryRules, Charts, items_of_words

    n, length, symbols = 16, 20, 30
    random = np.random.default_rng(3)
    terms, cube, root = (
        random.normal(size=(n, length, symbols)),
        random.normal(size=(symbols,) * 3),
        random.normal(size=symbols),
    )
    words, rules, roots = (
        torch.tensor(array.astype(np.float32), requires_grad=True) for array in (terms, cube, root)
    )
    grammar, lengths = BinaryRules.all(symbols), [length] * n

    def ours() -> Any:
        items = items_of_words(words.reshape(-1, symbols), lengths)
        return gradient(Charts(items, lengths, grammar, rules.reshape(-1), roots).log_z())

    peers: dict[str, Work] = {"NumPy": lambda: in_numpy.charts(terms, cube, root)[0]}
    if has("torch_struct", "charts"):
        from torch_struct import SentCFG

        def struct() -> Any:
            # A symbol over one word is another one than over more, with the same rules.
            wide = torch.cat([torch.cat([rules, rules], 2)] * 2, 1)
            parts = words, wide.expand(n, -1, -1, -1), roots.expand(n, -1)
            return gradient(SentCFG(parts).partition)

        peers["torch-struct"] = struct
    yield f"CKY {n} × {length} × {symbols}", ours, peers
