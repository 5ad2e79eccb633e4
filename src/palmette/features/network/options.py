"""The options of neural scorers: one table for Python, `--set`, the help and model files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from palmette.errors import UsageError
from palmette.parameters import Options, option

FOR_TREES = ("arc_size", "relation_size")
FOR_RECURRENT = (
    "cell",
    "dense",
    "words",
    "letters",
    "letter_size",
    "affixes",
    "columns",
    "word_dropout",
    "min_count",
)
FOR_SEQUENCES = ("linear", "feature_dropout", "network", "join", "columns")
FOR_FEEDFORWARD = ("join",)
SHAPE = (  # what a network is made of, which does not change when its training goes on
    *("network", "layers", "size", "cell", "dense", "words", "letters", "letter_size", "affixes", "columns"),
    *("width", "linear", "join", "vectors", "min_count", "arc_size", "relation_size"),
)
MOST_HIDDEN = 3
NORMALISED = ("crf", "risk")  # losses of e^score / Z


@dataclass(frozen=True, kw_only=True)
class Neural(Options):
    """Scores by a network that is trained with torch, and that predicts without it.

    network "recurrent": embeddings of words, letters, affixes and columns, recurrent layers in both directions,
    feed-forward layers. network "feedforward": embeddings of the features of templates, and up to three hidden
    layers: s(x, i, a, b) = w_ab · h(f(x, i)).

    >>> Neural(layers=2).size
    128
    """

    network: str = option(
        "recurrent", "what kind of network", choices=("recurrent", "feedforward"), fixed=True
    )
    layers: int = option(1, "recurrent or hidden layers", low=1, high=4, fixed=True)
    size: int = option(
        128, "width of a layer, of each direction of a recurrent one", low=1, high=4096, fixed=True
    )
    cell: str = option("lstm", "kind of recurrent layers", choices=("lstm", "gru"), fixed=True)
    dense: int = option(
        0, "hidden layers between the recurrent ones and the labels", low=0, high=MOST_HIDDEN, fixed=True
    )
    words: int = option(100, "width of the embeddings of words; 0: none", low=0, high=4096, fixed=True)
    letters: str = option(
        "convolution",
        "how letters make a vector",
        choices=("convolution", "lstm", "gru", "none"),
        fixed=True,
    )
    letter_size: int = option(64, "filters, or width of each direction", low=1, high=4096, fixed=True)
    affixes: int = option(
        24,
        "width of the embeddings of starts, ends and shapes of words; 0: none",
        low=0,
        high=4096,
        fixed=True,
    )
    columns: str = option(
        "", "columns to look at beside words, with + between them, such as xpos+feats", fixed=True
    )
    width: int = option(
        32, "width of the embeddings of letters, columns and templates", low=1, high=4096, fixed=True
    )
    linear: bool = option(
        True,
        "add weights of the features of templates, as a linear tagger has them, to the network",
        fixed=True,
    )
    feature_dropout: float = option(
        0.3, "share of these features that are left out in training", low=0, below=1, fixed=True
    )
    join: str = option(
        "sum", "how embeddings of templates are put together", choices=("sum", "concatenate"), fixed=True
    )
    vectors: str | None = option(
        None,
        "a file with vectors of words, which stay as they are: text, or .npz with words and vectors",
        fixed=True,
    )
    min_count: int = option(2, "words that come less often share one embedding", low=1, fixed=True)
    arc_size: int = option(160, "width of a word as a head and as a dependent", low=1, high=4096, fixed=True)
    relation_size: int = option(64, "the same for its relation", low=1, high=4096, fixed=True)
    loss: str = option(
        "crf",
        "what is made small: -log P, the violation of the best wrong output without or with a margin, or the "
        "expected number of wrong parts",
        choices=("crf", "perceptron", "svm", "risk"),
        fixed=True,
    )
    n_iter: int = option(15, "most passes over the data", low=1, fixed=True)
    patience: int = option(
        6,
        "with a dev set (it does nothing without), passes without a better score after which training stops; "
        "0: never",
        low=0,
        fixed=True,
    )
    learning_rate: float = option(0.003, "step size of Adam at the beginning", above=0, high=10, fixed=True)
    schedule: str = option(
        "linear",
        "how the step size falls: to zero by the last pass, by half after two passes without a better score, not",
        choices=("linear", "plateau", "constant"),
        fixed=True,
    )
    batch: int = option(8, "sentences of a step", low=1, fixed=True)
    dropout: float = option(
        0.4, "share of the numbers left out between layers in training", low=0, below=1, fixed=True
    )
    word_dropout: float = option(
        0.25, "a word that came n times is taken as unknown with the probability a/(a + n)", low=0, fixed=True
    )
    l2: float = option(
        0.0, "weight decay; of the weights of features, where a step touches them", low=0, fixed=True
    )
    clip: float = option(
        5.0, "longest gradient of a step, without the weights of features", above=0, fixed=True
    )
    int8: bool = option(False, "save matrices as bytes: a quarter of the file", fixed=True)
    random_state: int = option(0, "seed of the random numbers", low=0, fixed=True)

    def check(self) -> None:
        """UsageError for options that do not go together."""
        if not self.linear and self.feature_dropout:
            self.refuse(("feature_dropout",), "linear=false")
        if self.network == "feedforward":
            if self.layers > MOST_HIDDEN:
                raise UsageError(
                    f"A feed-forward network has at most {MOST_HIDDEN} hidden layers. Got {self.layers}."
                )
            self.refuse(FOR_RECURRENT, "the network 'feedforward'")
        else:
            self.refuse(FOR_FEEDFORWARD, "the network 'recurrent'")
            if self.letters == "none":
                self.refuse(("letter_size",), "letters=none")
            if not self.words and self.word_dropout:
                self.refuse(("word_dropout",), "words=0")
            if not (self.words or self.letters != "none" or self.affixes or self.columns or self.vectors):
                raise UsageError(
                    "The network has nothing to look at: give it words, letters, affixes or columns."
                )

    def check_columns(self, columns: Collection[str], *, rare: bool) -> None:
        """UsageError for options that do nothing with these columns; rare: `min_count` counts values of some."""
        if self.network == "recurrent" and self.letters == "none" and not columns:
            self.refuse(("width",), "a network without letters and columns")
        if not (self.words or rare) and self.min_count > 1:
            self.refuse(("min_count",), "words=0")

    @classmethod
    def for_trees(cls) -> Neural:
        """The options that suit dependency parsers."""
        return cls(layers=2, size=200, learning_rate=0.002, dropout=0.33)

    def refuse(self, names: tuple[str, ...], where: str) -> None:
        """UsageError if one of these options, which do nothing there, is not at its default."""
        for one in fields(self):
            if one.name in names and getattr(self, one.name) != one.default:
                raise UsageError(f"The option {one.name!r} does nothing for {where}: leave it out.")

    def going_on(self, old: Mapping[str, Any], usual: Neural | None = None) -> Neural:
        """These options with the layers and inputs of a model, whose own options were `old`.

        UsageError if they ask for others: one that has its default, or that of `usual`, asks for nothing.
        """
        defaults = Neural() if usual is None else usual
        kept = {name: old[name] for name in SHAPE if name in old}
        for name, value in kept.items():
            own = getattr(self, name)
            if own not in (value, getattr(defaults, name)):
                raise UsageError(
                    f"A warm start keeps the layers and inputs of the model, whose option {name!r} is {value!r}: "
                    f"leave out {name}={own!r}."
                )
        return replace(self, **kept)

    @property
    def normalised(self) -> bool:
        """Whether scores of the network mean log-probabilities, as those of learners of this name do."""
        return self.loss in NORMALISED

    @property
    def looks_at_templates(self) -> bool:
        """Whether features of templates count."""
        return self.linear or self.network == "feedforward"

    @property
    def column_names(self) -> tuple[str, ...]:
        """The columns to look at."""
        return tuple(dict.fromkeys(name for name in self.columns.split("+") if name))
