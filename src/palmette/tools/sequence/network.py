"""Taggers whose scores come from a network: what it sees, its training, and the model that comes out.

Torch is needed for training alone (`palmette.neural.networks`). A model is a `SequenceModel` whose features are a
`Network`: its scores of single labels come from the network, and label n-grams have weights as in any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.errors import UsageError
from palmette.features import FeatureMap, Templates
from palmette.features.network.inputs import (
    Input,
    NetworkInputs,
    attribute_input,
    column_input,
    letters_input,
)
from palmette.features.network.network import Network
from palmette.features.network.options import FOR_TREES, Neural
from palmette.features.network.saving import rounded
from palmette.features.network.vectors import read_vectors
from palmette.formats.corpus import Corpus
from palmette.structures.chain import Chain
from palmette.tools.sentences import Gold
from palmette.tools.sequence.file import padded
from palmette.tools.sequence.histories import of_ngrams, with_states
from palmette.tools.sequence.model import SequenceModel, SequenceStructure

if TYPE_CHECKING:
    from palmette.learning.loop import Callback, Outcome
    from palmette.neural.networks.chain import ChainScorer
    from palmette.structures.automata import Given

WORDS = "collapsed"  # the attribute that words are embedded by: lower case, digits alike
AFFIXES = ("start2", "start3", "end2", "end3", "end4", "shortshape")


class Inputs(NamedTuple):
    """What a network sees, the widths of the embeddings, and the vectors that are not trained."""

    inputs: NetworkInputs
    widths: tuple[int, ...]
    vectors: NDArray[np.float32] | None


def network_inputs(options: Neural, corpus: Corpus, templates: Templates | None) -> Inputs:
    """Make the inputs that options ask for from a training corpus; templates: further ones, or None."""
    found: list[tuple[Input, int]] = []
    vectors = None
    if options.network == "recurrent":
        if options.words:
            found.append((attribute_input(WORDS, corpus, options.min_count), options.words))
        if options.affixes:
            found += [(attribute_input(name, corpus, 2), options.affixes) for name in AFFIXES]
        if options.letters != "none":
            found.append((letters_input(corpus), options.width))
    if options.vectors is not None:
        words, table = read_vectors(options.vectors)
        found.append((Input("vectors", "", words), table.shape[1]))
        vectors = np.concatenate([np.zeros((1, table.shape[1]), dtype=np.float32), table])
    if options.network == "recurrent":
        found += [(column_input(name, corpus), options.width) for name in options.column_names]
    if templates is not None:
        found += [(one, options.width) for one in _template_inputs(options, corpus, templates)]
    return Inputs(NetworkInputs(tuple(one for one, _ in found)), tuple(width for _, width in found), vectors)


def _template_inputs(options: Neural, corpus: Corpus, templates: Templates) -> list[Input]:
    """The features of templates: all in one sum, or side by side with embeddings of their own."""
    resources = templates.resources
    if resources.gazetteers or resources.clusters or resources.functions:
        raise UsageError(
            "A network looks at templates without gazetteers, clusters and functions of your own."
        )
    if templates.pairs:
        raise UsageError("A network scores single labels: it takes no templates with the previous label.")
    unary = [template.text for template in templates.unary]
    texts = ["\n".join(unary)] if options.join == "sum" else unary
    maps = [FeatureMap.fit(Templates(text), corpus)[0] for text in texts]
    return [Input("templates", "", (), features) for features in maps]


def check_scorer(scorer: object, **others: object) -> None:
    """UsageError unless a scorer is one for sequences, and parameters that do not go with it are left out."""
    if not isinstance(scorer, Neural):
        raise UsageError(
            f"The 'scorer' parameter must be a Neural, such as Neural(layers=2), or None. Got {scorer!r}."
        )
    scorer.refuse(FOR_TREES, "sequences")
    for name, value in others.items():
        if value is not None:
            raise UsageError(f"A neural scorer takes no {name!r}: leave it out.")


def train_network(
    structure: SequenceStructure,
    corpus: Corpus,
    gold: Gold,
    given: Inputs,
    options: Neural,
    *,
    automaton: Given | None,
    score: Callable[[SequenceModel], float] | None,
    callback: Callback | None,
    n_jobs: int,
) -> tuple[SequenceModel, Outcome[ChainScorer]]:
    """Return the model that training finds, and how training ended; ImportError where torch is missing."""
    from palmette.neural.networks.chain import LabelledText, train_chain

    encoded = given.inputs.encode(corpus)
    gold.check(encoded.offsets)
    if not encoded.n_tokens:
        raise ValueError("There are no examples to learn from.")
    ids, _ = gold.as_ids(structure.visible)
    allowed = None
    if (ids < 0).any():
        if options.loss != "crf":
            raise UsageError(f"The loss {options.loss!r} needs a label for every token; take the loss 'crf'.")
        allowed = gold.allowed(structure.visible)
    chain = Chain(structure.labels, structure.order, structure.scheme)
    decoded = with_states(structure, automaton, ids, encoded.offsets)
    measure = None if score is None else lambda made: score(network_model(decoded, made))
    outcome = train_chain(
        given.inputs,
        given.widths,
        LabelledText(encoded, ids, allowed),
        chain,
        options,
        vectors=given.vectors,
        score=measure,
        callback=callback,
        n_jobs=n_jobs,
    )
    if outcome.result is None:
        raise KeyboardInterrupt  # nothing was learnt
    made = outcome.result
    if options.int8:
        made = replace(made, network=replace(rounded(made.network), int8=True))
    return network_model(decoded, made), outcome


def network_model(structure: SequenceStructure, made: ChainScorer) -> SequenceModel:
    """The model of a network and its label n-grams."""
    n = len(structure.labels)
    tables = [table.reshape(-1, n) for table in made.ngrams]
    return SequenceModel(structure, made.network, of_ngrams(structure, padded(tables, n)))


def network_facts(network: Network) -> dict[str, Any]:
    """What people want to know of a network: its inputs with their sizes, its layers, its weights."""
    inputs = {
        " ".join(filter(None, (one.kind, one.name))): {
            "values": one.n_entries,
            "width": int(network.arrays[f"input.{k}.table"].shape[1]),
        }
        for k, one in enumerate(network.inputs.inputs)
    }
    layers = [
        f"{network.plan.cell} {network.arrays[f'recurrent.{k}.hidden'].shape[1]}, both directions"
        for k in range(network.plan.layers)
    ]
    layers += [
        f"{kind} {network.arrays[f'dense.{k}.bias'].size}" if kind != "none" else "linear"
        for k, kind in enumerate(network.plan.activations)
    ]
    return {"inputs": inputs, "layers": layers, "weights": network.n_weights, "int8": network.int8}
