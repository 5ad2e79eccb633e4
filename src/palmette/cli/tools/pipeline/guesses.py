"""What a pipeline guesses of the words of a treebank beside gold, layer by layer, for plots."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from palmette.cli.run import restored
from palmette.cli.tools.depparse.training import read_treebank
from palmette.evaluation.guesses import Guesses
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name
from palmette.formats.model import ModelFile
from palmette.tools.dependency.tags import is_empty
from palmette.tools.pipeline.evaluation import bare
from palmette.tools.pipeline.notes import ENTITY, with_entities_of_misc
from palmette.tools.pipeline.pipeline import Pipeline
from palmette.tools.pipeline.steps import ARC, ESTIMATE

HEAD = "head"
_COLUMNS = ("upos", "xpos", "feats", HEAD, "lemma", ENTITY)  # in the order in which they are drawn
_TAGS = ("upos", "xpos")  # a word without one has no gold


def guesses_by_layer(model: ModelFile, source: str, *, probabilities: bool) -> dict[str, Guesses]:
    """The guesses of every layer that the pipeline fills and the treebank has.

    The words are those of the treebank, so that guess and gold belong to the same word. A guess of the layer head
    is right if the head is; its label is the relation.
    """
    gold = with_entities_of_misc(read_treebank(source))
    if not gold.n_words:
        raise ValueError(f"{display_name(source)}: expected words to score; there are none")
    pipeline: Pipeline = restored(Pipeline, model)
    found = pipeline(bare(gold), probabilities=probabilities)
    layers = [name for name in _COLUMNS if name in pipeline.model_.fills and _has(gold, name)]
    if not layers:
        fills = ", ".join(pipeline.model_.fills)
        raise ValueError(f"{display_name(source)}: expected gold values of what the model fills: {fills}")
    return {name: _of_layer(name, gold, found.corpus, found.probabilities) for name in layers}


def _has(gold: Corpus, name: str) -> bool:
    if name == HEAD:
        return gold.heads is not None and bool((gold.heads >= 0).any())
    return not is_empty(gold, name)


def _of_layer(
    name: str, gold: Corpus, guess: Corpus, probabilities: Mapping[str, NDArray[np.float32]]
) -> Guesses:
    column = "deprel" if name == HEAD else name
    right, guessed = (one.column(column).values() for one in (gold, guess))
    heads = np.asarray(gold.heads)
    if name == HEAD:
        known = np.flatnonzero(heads >= 0)
    else:
        known = np.array(
            [i for i, one in enumerate(right) if name not in _TAGS or one != "_"], dtype=np.int64
        )
    layers = (ARC, ESTIMATE) if name == HEAD else (name,)
    p = next((probabilities[one] for one in layers if one in probabilities), None)
    return Guesses(
        [right[i] for i in known],
        [guessed[i] for i in known],
        None if p is None else p[known],
        (heads == np.asarray(guess.heads))[known] if name == HEAD else None,
    )
