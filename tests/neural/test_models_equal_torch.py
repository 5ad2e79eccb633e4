"""Whole models in the native core against the torch modules that they were trained as."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neural.test_neural_parsers import neural as for_trees
from neural.test_neural_parsers import toy as trees
from neural.test_neural_taggers import neural, toy
from palmette import DependencyParser, Tagger
from palmette.features.network.inputs import Ids
from palmette.tools.sentences import as_corpus

torch = pytest.importorskip("torch")
from palmette.neural.functions.chains import Chains  # noqa: E402
from palmette.neural.functions.trees import Trees  # noqa: E402
from palmette.neural.networks.module import Batch  # noqa: E402
from palmette.neural.networks.training import Trainer  # noqa: E402


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The modules of all trainings of a test."""
    found: list[Any] = []
    init = Trainer.__init__

    def kept(self: Any, module: Any, *given: Any) -> None:
        found.append(module)
        init(self, module, *given)

    monkeypatch.setattr(Trainer, "__init__", kept)
    return found


def batch_of(model: Any, corpus: Any) -> Batch:
    encoded = model.network.inputs.encode(corpus)
    return Batch(encoded, np.arange(len(encoded), dtype=np.int64))


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cell": "gru", "letters": "lstm", "layers": 2, "dense": 1},
        {"linear": False},
    ],
    ids=str,
)
def test_a_tagger(order: int, options: dict[str, Any], modules: list[Any]) -> None:
    """Network, weights of features and label n-grams together: scores, best labels, log Z, probabilities."""
    tagger = Tagger(scorer=neural(**options), order=order).fit(*toy())
    (module,), model = modules, tagger.model_
    module.eval()
    X, _ = toy(12, seed=11)
    corpus = as_corpus(X)
    assert corpus is not None
    batch = batch_of(model, corpus)
    with torch.no_grad():
        unary, tables = module.network(batch), module.tables()
        if options.get("linear", True):
            instances = model.features.transform(corpus)
            features = Ids(instances.rows, instances.attributes).select(batch.tokens)
            unary = unary + module.weighted(features)
        chains = Chains(unary, batch.lengths, tables[-1] if tables else None, begin=tables[:-1])
        marginals, log_z, labels = chains.marginals(), chains.log_z(), chains.labels()
    have = np.concatenate([np.asarray(scores.unary) for _, scores in tagger.chains(X)])
    np.testing.assert_allclose(have, unary.numpy(), rtol=0, atol=1e-5)
    np.testing.assert_allclose(np.concatenate(tagger.predict_proba(X)), marginals.numpy(), rtol=0, atol=1e-5)
    best = [one[0] for one in tagger.kbest(X, 1)]
    found = np.array([one.score - (one.log_probability or 0.0) for one in best])
    np.testing.assert_allclose(found, log_z.numpy(), rtol=1e-6, atol=1e-5)
    names = [tagger.classes_[k] for k in labels.tolist()]
    assert [label for one in tagger.predict(X) for label in one] == names


@pytest.mark.parametrize("options", [{}, {"cell": "gru", "layers": 2, "dense": 1}], ids=str)
def test_a_parser(options: dict[str, Any], modules: list[Any]) -> None:
    """Scores of arcs and of relations, best trees, probabilities."""
    parser = DependencyParser(scorer=for_trees(**options)).fit(*trees())
    (module,), model = modules, parser.model_
    module.eval()
    X = [one[: 2 + k % 4] for k, one in enumerate(trees(12, seed=11)[0])]
    _, views = parser._given(X, False)
    batch = batch_of(model, views.corpus)
    with torch.no_grad():
        head, dependent, above, below = module.network(batch).split(module.sizes, dim=1)
        arcs = module.arc_scores(head, dependent, batch.lengths)
        structure = Trees(arcs, batch.lengths)
        heads, marginals = structure.heads().numpy(), structure.marginals().numpy()
        begins = np.repeat(views.offsets[:-1], np.diff(views.offsets))
        rows = torch.from_numpy(np.where(heads == 0, 0, begins + heads))
        relations = module.relation_scores(torch.cat([module.relation_root[None], above])[rows], below)
    found = list(model.arc_scores(model.vectors(views), views.offsets))
    for k, (have, n) in enumerate(zip(found, batch.lengths.tolist())):
        np.testing.assert_allclose(have[:, 1:], arcs[k, : n + 1, 1 : n + 1].numpy(), rtol=0, atol=1e-5)
    assert [h for tree in parser.predict(X) for h in tree.heads] == heads.tolist()
    have = model.tree_label_scores(views, heads.astype(np.int32))
    fits = np.isfinite(have)  # relations that can be at such an arc
    assert fits.any(axis=1).all()
    np.testing.assert_allclose(have[fits], relations.numpy()[fits], rtol=0, atol=1e-5)
    tables = np.split(marginals, np.cumsum((np.diff(views.offsets) + 1) ** 2)[:-1])
    sure = np.concatenate(
        [
            t.reshape(n + 1, n + 1)[h, np.arange(1, n + 1)]
            for t, n, h in zip(tables, np.diff(views.offsets).tolist(), np.split(heads, views.offsets[1:-1]))
        ]
    )
    np.testing.assert_allclose(np.concatenate(parser.arc_probabilities(X)), sure, rtol=0, atol=1e-5)
