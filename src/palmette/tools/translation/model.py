"""What a translator asks of a model, and which methods there are.

    F(x) = argmax over derivations y of  w · Φ(x, y)

A model sees sentences as words and answers with translations: words, features and phrases of a derivation.
Whatever does not depend on how derivations are made (tuning, minimum risk, probabilities, explanations, files, raw
text) is outside of it, so that a new method is one entry in `METHODS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from palmette.formats.model import ModelFile
from palmette.learning.loop import Report
from palmette.tools.alignment.links import Alignments
from palmette.tools.lm.model import LanguageModel
from palmette.tools.methods import Method, Methods
from palmette.tools.translation.known import Known
from palmette.tools.translation.search_arrays import TranslationArrays
from palmette.tools.translation.translation import Translation

Floats = NDArray[np.float64]
Rows = Sequence[Sequence[str]]


class TranslationModel(Protocol):
    """A trained model. Nothing in it changes by use, so threads may share one."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""

    @property
    def weights(self) -> Floats:
        """The weights of the features."""

    def translate(
        self, sentences: Rows, *, known: Sequence[Known] | None = None, n_jobs: int = 1
    ) -> list[Translation]:
        """The best translation of every sentence.

        ValueError, with the number of the sentence, if there is none that obeys what is known.
        """

    def kbest(
        self,
        sentences: Rows,
        k: int,
        *,
        distinct: bool = True,
        known: Sequence[Known] | None = None,
        n_jobs: int = 1,
    ) -> list[list[Translation]]:
        """The k best translations of every sentence; distinct: no two of them have the same words."""

    def kbest_arrays(self, sentences: Rows, k: int, *, n_jobs: int = 1) -> TranslationArrays:
        """The k best distinct translations as flat arrays, for tuning; words are numbers of `target_words`."""

    @property
    def target_words(self) -> Sequence[str]:
        """The target words by their numbers in arrays."""

    def graphs(self, sentences: Rows, *, known: Sequence[Known] | None = None, n_jobs: int = 1) -> list[Any]:
        """The search graphs of sentences, each with `to_dict()`, and `hypergraph`, `features` of its edges."""

    def forced(self, sentences: Rows, targets: Rows, *, n_jobs: int = 1) -> list[Any]:
        """The best derivation of a given target of every sentence, or why there is none."""

    def with_weights(self, weights: Floats) -> Self:
        """The same with other weights."""

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """The same with other options of search; ValueError for one that it has not."""

    def facts(self) -> dict[str, Any]:
        """What a person may want to know of it, as plain data."""

    def to_model(self) -> ModelFile:
        """The content of a part of a model file."""

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The model of a file; FormatError if it is damaged."""


@dataclass(frozen=True, eq=False)
class Given:
    """What comes from outside in place of a stage of training: all of it may be left out.

    alignments: links of the training text. table: a phrase table, or a rule table. lm: a language model of the
    target language. weights: start weights by name. trees: of the sentences of one side of the training text, for
    methods that need them; or parser: what makes them, an object with `predict`. dev_trees: of the dev text.
    """

    alignments: Alignments | None = None
    table: Any = None
    lm: LanguageModel | None = None
    weights: Mapping[str, float] | None = None
    trees: Any = None
    parser: Any = None
    dev_trees: Any = None


def check_given(
    method: str,
    *,
    table: bool = False,
    alignments: bool = False,
    trees: bool = False,
    parser: bool = False,
    dev: bool = False,
    dev_trees: bool = False,
) -> None:
    """Raise ValueError if something is given that the training of a method would not use."""
    side = METHODS.named(method).trees
    if not side and (trees or parser):
        raise ValueError(f"The method {method!r} does not use trees.")
    if table and alignments:
        raise ValueError("With a table that is given nothing is extracted, and alignments have no use.")
    if table and (trees or (parser and side == "target")):
        raise ValueError(
            "With a table that is given nothing is extracted, and trees of the text have no use."
        )
    if dev_trees and side != "source":
        raise ValueError(f"The method {method!r} does not use trees of the dev text.")
    if dev_trees and not dev:
        raise ValueError("There are trees of a dev text, but no dev text.")
    if trees and parser and side == "target":
        raise ValueError(f"The method {method!r} needs trees of the text, or a parser, not both.")


@dataclass(frozen=True, eq=False)
class Dev:
    """Sentences to tune on, and lists of their references, as lines of words."""

    sentences: Rows
    references: Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Trained:
    """A model fresh from training.

    scale: makes its scores log-probabilities. tuned: the metric on the dev text by the name of what was measured.
    """

    model: TranslationModel
    history: tuple[Report, ...] = ()
    interrupted: bool = False
    scale: float = 1.0
    tuned: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


_HERE = "palmette.tools.translation"
METHODS = Methods(
    phrase=Method(
        summary="phrases of words, in any order",
        train=f"{_HERE}.phrases.training:PhraseTraining",
        model=f"{_HERE}.phrases.model:PhraseModel",
        options=f"{_HERE}.phrases.options:PhraseOptions",
        preset={"reordering": "hierarchical"},
    ),
    hiero=Method(
        summary="rules with gaps, learned without trees",
        train=f"{_HERE}.chart.hiero:HieroTraining",
        model=f"{_HERE}.chart.model:HieroModel",
        options=f"{_HERE}.chart.hiero:HieroMethodOptions",
        preset={"loose": True},
    ),
    **{
        "string-to-tree": Method(
            summary="rules that write pieces of target trees",
            train=f"{_HERE}.chart.string_to_tree:StringToTreeTraining",
            model=f"{_HERE}.chart.model:StringToTreeModel",
            options=f"{_HERE}.chart.string_to_tree:StringToTreeOptions",
            trees="target",
        ),
        "tree-to-string": Method(
            summary="fragments of parsed source sentences",
            train=f"{_HERE}.tree_to_string.training:TreeToStringTraining",
            model=f"{_HERE}.tree_to_string.model:TreeToStringModel",
            options=f"{_HERE}.tree_to_string.options:TreeToStringOptions",
            trees="source",
        ),
    },
)
