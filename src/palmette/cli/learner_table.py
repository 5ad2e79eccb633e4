"""Which learner trains which tool: the table of docs/learners.md, made from what learners need and tools offer.

python -m palmette.cli.learner_table > docs/learners.md
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from palmette.features.tree_templates import TreeTemplates
from palmette.learning.capabilities import MEANINGS
from palmette.learning.registry import LEARNERS, learner_class
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.classification.classifier import Classifier
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.estimator import Estimator
from palmette.tools.reranking.reranker import Reranker
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tag_inducer import TagInducer
from palmette.tools.sequence.tagger import Tagger

# Every kind of problem that tools make.
KINDS: Mapping[str, Callable[[], Estimator]] = {
    "`tag`": Tagger,
    "`spans`": SpanTagger,
    "`depparse`, graph, projective": lambda: DependencyParser("graph", options={"projective": True}),
    "`depparse`, graph, crossing arcs": lambda: DependencyParser("graph", options={"projective": False}),
    "`depparse`, graph, crossing, first order": lambda: DependencyParser(
        "graph", options={"projective": False, "siblings": False, "grandparents": False}
    ),
    "`depparse`, transition, dynamic oracle": lambda: DependencyParser("transition"),
    "`depparse`, transition, static oracle": lambda: DependencyParser(
        "transition", options={"oracle": "static"}
    ),
    "`depparse`, transition, beam": lambda: DependencyParser("transition", options={"beam": 4}),
    "`parse`, features": lambda: ConstituencyParser("crf"),
    "`rerank`, features": lambda: Reranker(features=TreeTemplates(("rules",)), min_count=1),
    "`rerank`, kernel": Reranker,
    "`classify`": Classifier,
    "`align`": Aligner,
    "`induce`": TagInducer,
}

_PAGE = """# Which learner trains which tool

This page is made from the code: `python -m palmette.cli.learner_table > docs/learners.md`. A test tries every
cell. With ✓ the tool trains, predicts, and predicts the same after it was saved and loaded. With – training is
refused in one sentence that names the learners that fit, and before any data is read; only whether arcs cross
may be seen in the treebank.

{table}

The names are those of `--learner`, with the default options of each learner; `--help-learner NAME` shows them.
With ✓ p the model has probabilities that are meant as such, because its learner estimates them. Taggers and
linear classifiers give the softmax of their scores after any learner; it orders the labels, and says little
about how sure the model is. Parsers without probabilities of their own refuse to give any.

Methods of `train parse` that count (`pcfg`, `markov`, `lexicalized`, `latent`, `plcfrs`) have no learner.

## What learners need

A tool can be trained by a learner if it offers all that the learner needs.

{needs}

Options may ask for more: `mira` with `k` above 1 needs the k best outputs, `crf` with `method=sag` the same
parts in every pass, `eg` with `loss=hinge` a loss that is a sum over parts. A classifier by `knn` takes rows of
symbols and numbers, and no texts. A problem of your own (`palmette.adapt`) offers what its methods compute:
`best`, `kbest`, `marginals`, `risk`, and hidden variables with `gold_marginals`.

## Voting

`perceptron` with `voted=true` trains every tool that `perceptron` trains, and predicts by a vote
(`learning/votes.py`): each weight vector of the training searches on its own, and has as many votes as examples
it survived. The `vectors` that survived longest vote (100 by default), which is an approximation; `vectors=0`
lets all of them vote, which is exact and takes one search per vector and input. Scores and probabilities are
shares of the votes, and model files keep the vectors. Known labels and explanations of taggers and parsers need
one vector, and are refused; classifiers and rerankers explain the mean.

On development sets the mean (`voted=false`), which is faster by the number of vectors, was better for tags and
trees, and the votes were better for entities:

| development set | mean | 10 vectors | 100 vectors | 300 vectors |
| --- | --- | --- | --- | --- |
| UD English EWT, tags, accuracy | 95.22 | 94.89 | 95.15 | 95.19 |
| CoNLL-2002 Spanish, entities, F1 | 75.21 | 75.35 | 75.71 | 75.35 |
| Penn Treebank, `transition`, UAS | 88.81 | 87.43 | 88.25 | |
| Penn Treebank, `graph`, UAS | 89.99 | 89.28 | 89.15 | |
"""


def trains(kind: str, learner: str) -> bool:
    """Tell whether a learner, by its name, trains a tool of `KINDS`.

    >>> trains("`tag`", "hmm"), trains("`depparse`, transition, beam", "crf")
    (True, False)
    """
    return learner_class(learner)().needs <= KINDS[kind]().offers


def page() -> str:
    """Return the text of docs/learners.md."""
    heads = [f"`{name}`" for name in LEARNERS]
    rows = [["tool", *heads], ["---", *("---" for _ in heads)]]
    for kind in KINDS:
        cells = []
        for name in LEARNERS:
            mark = " p" if learner_class(name)().probabilistic else ""
            cells.append(f"✓{mark}" if trains(kind, name) else "–")
        rows.append([kind, *cells])
    needs = [["learner", "what it is", "what it needs"], ["---", "---", "---"]]
    for name, entry in LEARNERS.items():
        wanted = learner_class(name)().needs
        words = ", ".join(meaning for need, meaning in MEANINGS.items() if need in wanted)
        needs.append([f"`{name}`", entry.summary, words])
    return _PAGE.format(table=_lines(rows), needs=_lines(needs))


def _lines(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    print(page(), end="")
