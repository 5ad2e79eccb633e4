"""Train a parser, make lists of its ten best trees by cross-training, and learn to choose among them.

python examples/reranking/rerank.py
"""

from __future__ import annotations

from pathlib import Path

from palmette import ConstituencyParser, Perceptron, Reranker
from palmette.features import TreeTemplates
from palmette.features.kernels import TreeKernel
from palmette.formats import read_brackets
from palmette.tools.constituency import clean_trees
from palmette.tools.reranking import candidate_lists, cross_lists

TREES = Path(__file__).parents[1] / "constituency"


def main() -> None:
    train, test = (
        [tree for tree in clean_trees(read_brackets(TREES / name)) if tree is not None]
        for name in ("train.mrg", "test.mrg")
    )
    lists = cross_lists(lambda: ConstituencyParser("pcfg"), train, folds=5, k=10)
    others = candidate_lists(ConstituencyParser("pcfg").fit(train), test, k=10)

    # Dual form: Φ has a feature for every subtree, and w is a sum over the trees of the mistakes.
    voted = Reranker(Perceptron(voted=True, n_iter=3), kernel=TreeKernel(decay=0.2), beta=1.0).fit(lists)
    print(f"{len(voted.model_)} supports:", voted.evaluate(others))

    # Primal form: features are written out, and any learner learns their weights.
    features = Reranker(features=TreeTemplates(("rules", "heads", "branches"))).fit(lists)
    print(f"{len(features.model_)} weights:", features.evaluate(others))
    print(features.explain(others[0]).of(top=3))


if __name__ == "__main__":
    main()
