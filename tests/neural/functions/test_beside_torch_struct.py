"""The structures in place of those of torch-struct, as the guide maps them: log Z, probabilities, best outputs."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
torch_struct = pytest.importorskip("torch_struct")
from palmette.neural import BinaryRules, Chains, Charts, Trees, items_of_words  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # torch-struct is older than the torch of today
LENGTHS = torch.tensor([5, 3, 4])
N, LABELS = 5, 4


def close(have: Any, want: Any) -> None:
    torch.testing.assert_close(have, want.detach(), rtol=1e-4, atol=1e-4)


def test_linear_chain_crf() -> None:
    torch.manual_seed(1)
    potentials = torch.randn(3, N - 1, LABELS, LABELS)  # [sentence, step, label after, label before]
    want = torch_struct.LinearChainCRF(potentials, lengths=LENGTHS)
    pairs = torch.cat([torch.zeros(3, 1, LABELS, LABELS), potentials.transpose(2, 3)], dim=1)
    inside = torch.arange(N) < LENGTHS[:, None]
    unary = torch.zeros(int(LENGTHS.sum()), LABELS)
    have = Chains(unary, LENGTHS, pairs[inside], per_token=True)
    close(have.log_z(), want.partition)
    later = inside.clone()
    later[:, 0] = False
    steps = torch.cat([torch.zeros(3, 1, dtype=torch.bool), later[:, 1:]], dim=1)[inside]
    close(have.part_marginals()[1][steps], want.marginals.transpose(2, 3)[later[:, 1:]])
    close(have.best_parts()[1][steps], want.argmax.transpose(2, 3)[later[:, 1:]])


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("single_root", [True, False])
def test_dependency_crf(projective: bool, single_root: bool) -> None:
    torch.manual_seed(2)
    potentials = torch.randn(3, N, N)  # [sentence, head, word], the root on the diagonal
    arcs = torch.zeros(3, N + 1, N + 1)
    arcs[:, 0, 1:] = potentials.diagonal(dim1=1, dim2=2)
    arcs[:, 1:, 1:] = potentials
    kind = torch_struct.DependencyCRF if projective else torch_struct.NonProjectiveDependencyCRF
    for k, n in enumerate(LENGTHS.tolist()):  # a sentence at a time: the peer's sums do not all see lengths
        given = potentials[k : k + 1, :n, :n].clone().requires_grad_() * 1.0  # it writes into its copy
        want = kind(given, multiroot=not single_root)
        have = Trees(arcs[k : k + 1, : n + 1, : n + 1], [n], projective, single_root=single_root)
        close(have.log_z(), want.partition)
        table = have.marginals().reshape(n + 1, n + 1)
        found = table[1:, 1:] + torch.diag(table[0, 1:])
        close(found, want.marginals[0])
    whole = Trees(arcs, LENGTHS, projective, single_root=single_root).log_z()
    close(whole[2:], have.log_z())


def test_sent_cfg() -> None:
    torch.manual_seed(3)
    nonterminals, terminals = 2, 3
    symbols = nonterminals + terminals
    terms = torch.randn(2, N, terminals)
    rules = torch.randn(nonterminals, symbols, symbols)
    root = torch.randn(nonterminals)
    parts = terms, rules[None].expand(2, -1, -1, -1), root[None].expand(2, -1)
    want = torch_struct.SentCFG(parts)
    every = [(a, b, c) for a in range(nonterminals) for b in range(symbols) for c in range(symbols)]
    never = torch.full((2 * N, nonterminals), -torch.inf)
    words = torch.cat([never, terms.reshape(-1, terminals)], dim=1)
    tops = torch.cat([root, torch.full((terminals,), -torch.inf)])
    charts = Charts(
        items_of_words(words, [N, N]), [N, N], BinaryRules(every, symbols), rules.reshape(-1), tops
    )
    close(charts.log_z(), want.partition)
    close(charts.part_marginals()[1].reshape(rules.shape), want.marginals[1].sum(0))
