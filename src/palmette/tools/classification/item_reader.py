"""Rows of a file as items of a classifier: what each column is, and so which parts an item has.

| column   | part of the item                                    | its kernel                                |
|----------|-----------------------------------------------------|-------------------------------------------|
| `label`  | none: the class                                     |                                           |
| `text`   | its words and n-grams; with a parser its tree too   | linear and tree kernel, both normalised   |
| `raw`    | a text that is not cut into words yet               | as above                                  |
| `tree`   | a tree in brackets, and its words                   | as above                                  |
| `string` | a string of characters                              | n-grams of characters, normalised         |
| `symbol` | with all other symbols a set of `column=value`      | polynomial                                |
| `word`   | a symbol, in lower case and with 0 for every digit  | polynomial                                |
| `number` | with all other numbers a row                        | Gaussian                                  |
| `-`      | none                                                |                                           |

For k-NN an item is the row of its symbols and numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from palmette.features.kernels.kernel import Kernel
from palmette.features.kernels.strings import SpectrumKernel
from palmette.features.kernels.trees import TreeKernel
from palmette.features.kernels.vectors import GaussianKernel, LinearKernel, PolynomialKernel
from palmette.formats.errors import FormatError
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.tokenizer import Tokenizer
from palmette.trees import Leaf, Tree

KINDS = ("label", "text", "raw", "tree", "string", "symbol", "word", "number", "-")
# The part of an item, or the column, that an option is about.
OPTIONS = {
    **dict.fromkeys(("fragments", "decay", "mu"), "tree"),
    **dict.fromkeys(("ngrams", "lower"), "words"),
    **{"n": "string", "degree": "symbols", "gamma": "numbers", "language": "raw"},
}
_TEXTS = {"text", "raw"}
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, eq=False)
class ItemReader:
    """How rows become items.

    columns: what each is, one of the words above; `label` once at most. parser: of the texts. ngrams: words
    of a text in a row that are a feature, from 1 on. lower: words in lower case (not those of trees). flat:
    rows for k-NN. language: of raw texts.
    """

    columns: tuple[str, ...]
    parser: ConstituencyParser | None = field(default=None, repr=False)
    ngrams: int = 2
    lower: bool = True
    flat: bool = False
    language: str = "en"

    def __post_init__(self) -> None:
        for column in self.columns:
            if column not in KINDS:
                raise ValueError(f"{column!r} is no kind of column: they are {', '.join(KINDS)}.")
        if self.columns.count("label") > 1:
            raise ValueError("There can be one column with labels only.")
        used = [column for column in self.columns if column not in ("label", "-")]
        if not used:
            raise ValueError("There must be a column to learn from beside the labels.")
        if not isinstance(self.ngrams, int) or isinstance(self.ngrams, bool) or self.ngrams < 1:
            raise ValueError(
                f"The 'ngrams' must be an int in the range [1, inf). Got {self.ngrams!r} instead."
            )
        for name in ("lower", "flat"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"The '{name}' must be True or False. Got {getattr(self, name)!r} instead.")
        if not isinstance(self.language, str) or not self.language:
            raise ValueError(f"The 'language' must be a code like 'en'. Got {self.language!r} instead.")
        if self.flat and not set(used) <= {"symbol", "word", "number"}:
            raise ValueError(
                "k-NN looks at symbols and numbers; for texts and trees take a kernel or a linear learner."
            )
        if self.parser is not None and not _TEXTS & set(used):
            raise ValueError("A parser is for a column of texts, and there is none.")

    def items(self, rows: Sequence[Sequence[str]], *, path: str | None = None, first: int = 1) -> list[Any]:
        """The items of rows that have a field for every column, that of labels too. first: the number of
        their line.
        """
        trees = self._parsed(rows)
        items = []
        for i, row in enumerate(rows):
            try:
                items.append(self._item(row, trees[i] if trees is not None else []))
            except ValueError as error:
                raise FormatError(str(error), path=path, line=first + i) from error
        return items

    def labels(self, rows: Sequence[Sequence[str]]) -> list[str]:
        """The labels of rows."""
        at = self.columns.index("label")
        return [row[at] for row in rows]

    def kernel(
        self,
        *,
        fragments: str = "partial",
        decay: float = 0.4,
        mu: float | None = None,
        degree: int = 3,
        gamma: float = 1.0,
        n: int = 3,
    ) -> Kernel:
        """The sum of the kernels of all parts."""
        trees = TreeKernel(fragments, decay, mu).normalized  # type: ignore[arg-type]
        made: dict[str, Kernel] = {
            "tree": trees,
            "words": LinearKernel().normalized,
            "string": SpectrumKernel(n, least=1).normalized,
            "symbols": PolynomialKernel(degree),
            "numbers": GaussianKernel(gamma),
        }
        return _sum([made[part].on(i) for i, part in enumerate(self.parts)])

    def uses(self, option: str) -> bool:
        """Whether an option, one of `OPTIONS`, changes anything for these columns.

        >>> ItemReader(("label", "string")).uses("n"), ItemReader(("label", "string")).uses("decay")
        (True, False)
        """
        return not self.flat and OPTIONS[option] in (*self.parts, *self.columns)

    @property
    def parts(self) -> list[str]:
        """What an item is made of, part by part."""
        found: list[str] = []
        for column in self.columns:
            if column == "tree" or (column in _TEXTS and self.parser is not None):
                found += ["tree", "words"]
            elif column in _TEXTS:
                found.append("words")
            elif column == "string":
                found.append("string")
        found += ["symbols"] * bool({"symbol", "word"} & set(self.columns)) + ["numbers"] * (
            "number" in self.columns
        )
        return found

    def text(self, item: Any) -> str:
        """An item for people."""
        for part in item:
            if isinstance(part, Tree):
                return " ".join(part.words)
        return "  ".join(" ".join(sorted(map(str, p))) if isinstance(p, set) else str(p) for p in item)

    # Files

    def options(self) -> dict[str, Any]:
        """What a model file keeps, beside the parser."""
        names = ("ngrams", "lower", "flat", "language")
        return {"columns": list(self.columns)} | {name: getattr(self, name) for name in names}

    @classmethod
    def of_options(cls, options: Any, parser: ConstituencyParser | None) -> ItemReader:
        """The reader of a model file; ValueError if it is damaged."""
        columns, ngrams, lower, flat = (options[name] for name in ("columns", "ngrams", "lower", "flat"))
        language = options.get("language", "en")
        if not isinstance(columns, list) or not all(isinstance(one, bool) for one in (lower, flat)):
            raise ValueError("its columns are not described")
        if not isinstance(language, str):
            raise ValueError("its language has no name")
        return cls(tuple(columns), parser, ngrams, lower, flat, language)

    # One row

    def _item(self, row: Sequence[str], trees: Sequence[Tree]) -> tuple[Any, ...]:
        parts: list[Any] = []
        flat: list[Any] = []
        symbols, numbers, parsed = set(), [], iter(trees)
        for i, (kind, value) in enumerate(zip(self.columns, row)):
            if kind in _TEXTS:
                if self.parser is not None:
                    parts.append(next(parsed))
                parts.append(self._words(self._tokens(kind, value)))
            elif kind == "tree":
                tree = Tree.parse(value)
                parts += [tree, self._words(tree.words)]
            elif kind == "string":
                parts.append(value)
            elif kind in ("symbol", "word"):
                if kind == "word":
                    value = _DIGIT.sub("0", value.lower())
                symbols.add(f"{i + 1}={value}")
                flat.append(value)
            elif kind == "number":
                numbers.append(_number(value, i + 1))
                flat.append(numbers[-1])
        if self.flat:
            return tuple(flat)
        return (*parts, *([symbols] if symbols else []), *([np.array(numbers)] if numbers else []))

    def _tokens(self, kind: str, text: str) -> list[str]:
        if kind == "text":
            return text.split()
        return [token.text for sentence in self._tokenizer.sentences(text) for token in sentence]

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self.language)

    def _words(self, words: Sequence[str]) -> set[str]:
        """The words, and all n-grams up to the length with the start of the text before them."""
        row = [word.lower() for word in words] if self.lower else list(words)
        found = set(row)
        padded = ["<s>", *row]
        for n in range(2, min(self.ngrams, len(padded)) + 1):
            found |= {" ".join(padded[i : i + n]) for i in range(len(padded) - n + 1)}
        return found

    def _parsed(self, rows: Sequence[Sequence[str]]) -> list[list[Tree]] | None:
        if self.parser is None:
            return None
        places = [i for i, kind in enumerate(self.columns) if kind in _TEXTS]
        texts = [self._tokens(self.columns[i], row[i]) for row in rows for i in places]
        found = iter(self.parser.predict(texts))
        # A text without words has a tree without any.
        return [[next(found) or Tree("TOP", [Tree("X", [Leaf("_", 0)])]) for _ in places] for _ in rows]


def _sum(kernels: Sequence[Kernel]) -> Kernel:
    """K₁ + … + Kₙ, half and half: no deeper than log n, for a model file holds what is nested a little only."""
    if len(kernels) == 1:
        return kernels[0]
    half = (len(kernels) + 1) // 2
    return _sum(kernels[:half]) + _sum(kernels[half:])


def _number(text: str, column: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"column {column} is {text!r} and must be a number")
    return value
