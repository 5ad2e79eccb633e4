"""Taggers whose scores come from a network: what it sees, its training, and the model that comes out.

Torch is needed for training alone (`palmette.neural.networks`). A model is a `SequenceModel` with a `Network`,
which adds its scores of single labels to those of features; label n-grams have weights as in any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.errors import UsageError
from palmette.features import FeatureMap, Templates
from palmette.features.network.inputs import (
    Ids,
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
from palmette.messages import logged, warn
from palmette.structures.chain import Chain
from palmette.tools.sentences import Gold, Listed, as_corpus, transform
from palmette.tools.sequence.file import padded
from palmette.tools.sequence.histories import of_ngrams, with_states
from palmette.tools.sequence.model import SequenceModel, SequenceStructure
from palmette.tools.sequence.training import check_labels
from palmette.tools.training_record import training_record

if TYPE_CHECKING:
    from palmette.learning.loop import Callback, Outcome
    from palmette.neural.networks.chain import ChainScorer
    from palmette.structures.automata import Given
    from palmette.tools.sequence.tagger import Tagger

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
    unary = [template.text for template in templates.unary]
    texts = ["\n".join(unary)] if options.join == "sum" else unary
    maps = [FeatureMap.fit(Templates(text), corpus)[0] for text in texts]
    return [Input("templates", "", (), features) for features in maps]


def check_scorer(tagger: Tagger, scorer: object, **given: object) -> None:
    """UsageError unless a scorer is one for sequences, and parameters that do not go with it are left out."""
    if not isinstance(scorer, Neural):
        raise UsageError(
            f"The 'scorer' parameter must be a Neural, such as Neural(layers=2), or None. Got {scorer!r}."
        )
    scorer.refuse(FOR_TREES, "sequences")
    scorer.check_columns(scorer.column_names, rare=False)
    if tagger.templates is not None and not scorer.looks_at_templates:
        raise UsageError("A recurrent network with linear=false looks at no templates: leave them out.")
    given |= {"learner": tagger.learner, "hash_bits": tagger.hash_bits}
    given["min_count"] = None if tagger.min_count == 1 else tagger.min_count
    for name, value in given.items():
        if value is not None:
            raise UsageError(f"A neural scorer takes no {name!r}: leave it out.")


def fit_network(
    tagger: Tagger,
    scorer: Neural,
    X: Listed,
    y: Sequence[Sequence[Any]] | None,
    dev: tuple[Listed, Sequence[Any] | None] | None,
    callback: Callback | None,
    *,
    start: SequenceModel | None = None,
) -> None:
    """Train a tagger with the parameters that it has; the other arguments are those of its `fit`.

    start: a model with a network, to go on from with its inputs, layers, features and labels.
    """
    gold, corpus = tagger._gold(X, y), as_corpus(X)
    if corpus is None:
        raise ValueError("A neural scorer looks at words: give it words, not features.")
    if start is None:
        templates = tagger._templates(X)
        tagger._order = 1 if tagger.order is None else tagger.order
        structure = tagger._structure(gold.labels, tagger.default_learner())
        features = FeatureMap.fit(templates if scorer.linear else Templates("y"), corpus)[0]
        given = network_inputs(scorer, corpus, templates if scorer.network == "feedforward" else None)
    else:
        structure, features, given = start.structure, _features_of(start), inputs_of(_network_of(start))
        check_labels(start, gold)
        scorer = scorer.going_on(tagger.training_.get("settings") or {})
        tagger._order = structure.order
    model, outcome, notes = train_network(
        structure,
        corpus,
        gold,
        given,
        features,
        scorer,
        start=None if start is None else scorer_of(start),
        automaton=tagger.automaton,
        score=None if dev is None else tagger._dev_measure(dev),
        callback=logged(callback, tagger.kind),
        n_jobs=tagger._jobs,
    )
    tagger._set_model(model, outcome)
    tagger.training_ = training_record(scorer, outcome, transform(model.features, corpus))
    tagger._set_facts(X, corpus, y is None)
    if notes:
        warn(*notes)
        tagger.training_["notes"] = notes


def train_network(
    structure: SequenceStructure,
    corpus: Corpus,
    gold: Gold,
    given: Inputs,
    features: FeatureMap,
    options: Neural,
    *,
    start: ChainScorer | None = None,
    automaton: Given | None,
    score: Callable[[SequenceModel], float] | None,
    callback: Callback | None,
    n_jobs: int,
) -> tuple[SequenceModel, Outcome[ChainScorer], list[str]]:
    """Return the model that training finds, how training ended, and notes; ImportError where torch is missing.

    features: those that have weights beside the network. start: an earlier training to go on from.
    """
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
    instances = features.transform(corpus)
    if features.n_pair_attributes:
        raise UsageError("A network takes no templates with the previous label.")
    chain = Chain(structure.labels, structure.order, structure.scheme)
    decoded = with_states(structure, automaton, ids, encoded.offsets)

    def model(made: ChainScorer) -> SequenceModel:
        if options.int8:
            made = replace(made, network=replace(rounded(made.network), int8=True))
        return network_model(decoded, features, made)

    outcome, notes = train_chain(
        given.inputs,
        given.widths,
        LabelledText(encoded, ids, Ids(instances.rows, instances.attributes), features.n_attributes, allowed),
        chain,
        options,
        vectors=given.vectors,
        start=start,
        score=None if score is None else lambda made: score(model(made)),
        callback=callback,
        n_jobs=n_jobs,
    )
    if outcome.result is None:
        raise KeyboardInterrupt  # nothing was learnt
    return model(outcome.result), outcome, notes


def network_model(structure: SequenceStructure, features: FeatureMap, made: ChainScorer) -> SequenceModel:
    """The model of a network with features and label n-grams beside it."""
    n = len(structure.labels)
    tables = [made.weights, *(table.reshape(-1, n) for table in made.ngrams)]
    return SequenceModel(structure, features, of_ngrams(structure, padded(tables, n)), network=made.network)


def scorer_of(model: SequenceModel) -> ChainScorer:
    """What the training of a model with a network made; ValueError where it cannot be had back."""
    from palmette.neural.networks.chain import ChainScorer

    if model.structure.states is not None:
        raise ValueError(
            "A warm start of a network needs a model whose histories are label n-grams, and this one has states."
        )
    network, n, begin, tables = _network_of(model), len(model.structure.labels), 0, []
    for h in range(1, model.structure.order + 1):
        tables.append(model.label_rows[begin : begin + n**h].reshape((n,) * (h + 1)))
        begin += n**h
    return ChainScorer(network, tuple(tables), model.rows)


def _network_of(model: SequenceModel) -> Network:
    if model.network is None:
        raise ValueError(
            "A warm start of a network goes on from a model with a network, and this one has none."
        )
    return model.network


def inputs_of(network: Network) -> Inputs:
    """The inputs of a trained network; its vectors are among its arrays."""
    tables = (network.arrays[f"input.{k}.table"] for k in range(len(network.inputs.inputs)))
    return Inputs(network.inputs, tuple(table.shape[1] for table in tables), None)


def _features_of(model: SequenceModel) -> FeatureMap:
    _network_of(model)
    assert isinstance(model.features, FeatureMap)
    return model.features


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
