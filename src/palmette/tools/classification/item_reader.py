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

A classifier that has a reader takes in Python what its files hold: texts, lists of words, rows of fields. `read`
makes items of them, and refuses everything else.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from palmette.errors import FormatError, UsageError
from palmette.features.kernels.kernel import Kernel
from palmette.tools.classification.item_options import ABOUT, KernelOptions, ReaderOptions
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.text.tokenizer import Tokenizer
from palmette.trees.tree import Leaf, Tree

KINDS = ("label", "text", "raw", "tree", "string", "symbol", "word", "number", "-")
_TEXTS = {"text", "raw"}
_DIGIT = re.compile(r"\d")
_START = "<s>"  # before the first word of a text
_FIELDS = {  # what a field may be in Python
    "text": "a text or a list of words",
    "raw": "a text or a list of words",
    "tree": "a tree or its brackets",
    "string": "a string",
    "symbol": "a string",
    "word": "a string",
    "number": "a number",
}


class Item(tuple[Any, ...]):
    """The parts of an item; `given` is what it was made of, for people."""

    given: str

    def __new__(cls, parts: Iterable[Any], given: str) -> Self:
        made = super().__new__(cls, parts)
        made.given = given
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.given


@dataclass(frozen=True, eq=False)
class ItemReader(ReaderOptions):
    """How rows become items.

    columns: what each is, one of the words above; `label` once at most. parser: of the texts. flat: rows for
    k-NN. The rest are `ReaderOptions`.
    """

    columns: tuple[str, ...]
    parser: ConstituencyParser | None = field(default=None, repr=False)
    flat: bool = field(default=False, kw_only=True)

    def check(self) -> None:
        for column in self.columns:
            if column not in KINDS:
                raise UsageError(f"{column!r} is not a kind of column: they are {', '.join(KINDS)}.")
        if self.columns.count("label") > 1:
            raise UsageError("There can be one column with labels only.")
        used = [column for column in self.columns if column not in ("label", "-")]
        if not used:
            raise UsageError("There must be a column to learn from beside the labels.")
        if self.flat and not set(used) <= {"symbol", "word", "number"}:
            raise UsageError(
                "k-NN looks at symbols and numbers; for texts and trees take a kernel or a linear learner."
            )
        if self.parser is not None and not _TEXTS & set(used):
            raise UsageError("A parser is for a column of texts, and there is none.")

    def items(self, rows: Sequence[Sequence[str]], *, path: str | None = None, first: int = 1) -> list[Item]:
        """Return the items of rows that have a field for every column, that of labels too.

        path, first: the file and the line of the first row, for messages.
        """
        trees = self._parsed(rows)
        items = []
        for i, row in enumerate(rows):
            try:
                items.append(self._item(row, trees[i] if trees is not None else []))
            except ValueError as error:
                raise FormatError(str(error), path=path, line=first + i) from error
        return items

    def read(self, X: Iterable[Any]) -> list[Item]:
        """Return the items of what a classifier is given in Python; ValueError for what it cannot read.

        A text is a string or a list of its words. With several columns an item is a row, with a field for every
        column but `label` and `-`, or for every column, as in a file; where the only one of these is a text, the
        text must have more than one word, or the row is a list of words. Items that `items` made stay as they are.

        >>> one, other = ItemReader(("label", "text"), ngrams=1).read(["Good fun", ["good", "fun"]])
        >>> one == other == ({"good", "fun"},)
        True
        """
        given = list(X)
        rows = [None if isinstance(x, Item) else self._row(x, i) for i, x in enumerate(given, 1)]
        new = [row for row in rows if row is not None]
        parsed = iter(self._parsed(new) or [[]] * len(new))
        made = []
        for i, (x, row) in enumerate(zip(given, rows), 1):
            try:
                made.append(x if row is None else self._item(row, next(parsed)))
            except ValueError as error:
                raise ValueError(f"Item {i}: {error}") from error
        return made

    def example(self) -> Item:
        """Return an item of the usual form, made without the parser."""
        fields = {"tree": "(X x)", "number": "0"}
        row = [fields.get(kind, "x") for kind in self.columns]
        return self._item(row, [Tree.parse("(X x)") for _ in row])

    def labels(self, rows: Sequence[Sequence[str]]) -> list[str]:
        """The labels of rows."""
        at = self.columns.index("label")
        return [row[at] for row in rows]

    def kernel(self, **options: Any) -> Kernel:
        """Return the sum of the kernels of all parts, with these `KernelOptions`."""
        return KernelOptions.of(options, "The kernel of an item").kernel(self.parts)

    @property
    def wants_kernel(self) -> bool:
        """Whether there are trees or strings, whose features are not written down."""
        return bool({"tree", "string"} & set(self.parts))

    def seen_as(self, sees: str) -> ItemReader:
        """Return the reader for a kind of model (`ClassModel.sees`): rows are flat, items of kernels are not."""
        flat = {"rows": True, "kernel": False}.get(sees, self.flat)
        return self if flat == self.flat else replace(self, flat=flat)

    def uses(self, option: str) -> bool:
        """Tell whether an option of readers or kernels changes anything for these columns.

        >>> ItemReader(("label", "string")).uses("n"), ItemReader(("label", "string")).uses("decay")
        (True, False)
        """
        return not self.flat and ABOUT[option] in (*self.parts, *self.columns)

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

    def feature(self, name: str) -> str:
        """Return a feature of a linear model for people.

        >>> reader = ItemReader(("label", "text"))
        >>> [reader.feature(name) for name in ("bias", "0:far", "0:how far", "0:<s> how")]
        ['bias', 'word "far"', 'words "how far"', 'first word "how"']
        """
        found = re.fullmatch(r"(\d+)([:=])(.*)", name, re.DOTALL)
        if found is None or int(found[1]) >= len(self.parts):
            return name
        part, value = self.parts[int(found[1])], found[3]
        at = self._columns_of_parts[int(found[1])]
        if part == "words":
            first = value.startswith(f"{_START} ")
            words = value.removeprefix(f"{_START} ") if first else value
            noun = ("first " if first else "") + ("words" if " " in words else "word")
            several = self.parts.count("words") > 1
            return f'{noun} "{words}"' + (f" in column {at[0] + 1}" if several else "")
        if part == "symbols":
            column, _, value = value.partition("=")
            return f'column {column} is "{value}"'
        if part == "numbers" and value.startswith("x") and value[1:].isdigit():
            return f"number in column {at[int(value[1:])] + 1}" if int(value[1:]) < len(at) else name
        return f'column {at[0] + 1} is "{value}"'

    @cached_property
    def _columns_of_parts(self) -> list[list[int]]:
        """The columns of every part."""
        found: list[list[int]] = []
        for i, column in enumerate(self.columns):
            if column == "tree" or (column in _TEXTS and self.parser is not None):
                found += [[i], [i]]
            elif column in _TEXTS or column == "string":
                found.append([i])
        for kinds in ({"symbol", "word"}, {"number"}):
            places = [i for i, column in enumerate(self.columns) if column in kinds]
            found += [places] if places else []
        return found

    # Files

    def options(self) -> dict[str, Any]:
        """What a model file keeps, beside the parser."""
        names = (*ReaderOptions.names(), "flat")
        return {"columns": list(self.columns)} | {name: getattr(self, name) for name in names}

    @classmethod
    def of_options(cls, options: Any, parser: ConstituencyParser | None) -> ItemReader:
        """The reader of a model file; ValueError if it is damaged."""
        columns, flat = options["columns"], options["flat"]
        if not isinstance(columns, list) or not isinstance(flat, bool):
            raise ValueError("its columns are not described")
        own = {name: options[name] for name in ReaderOptions.names() if name in options}
        return cls(tuple(columns), parser, flat=flat, **own)

    # One row

    def _row(self, x: Any, number: int) -> list[Any]:
        """An item as it is given in Python as a row with a field for every column."""
        used = [i for i, kind in enumerate(self.columns) if kind not in ("label", "-")]
        if len(used) == 1 and _is_field(self.columns[used[0]], x) and not self._is_whole_row(x, used[0]):
            fields = [x]
        else:
            is_row = isinstance(x, list | tuple) or (isinstance(x, np.ndarray) and x.ndim == 1)
            fields = list(x) if is_row else [None]
            if len(fields) == len(self.columns) > len(used):
                fields = [fields[i] for i in used]
        kinds = [self.columns[i] for i in used]
        if len(fields) != len(used) or not all(map(_is_field, kinds, fields)):
            row_of = f"a row of {len(used)} fields ({', '.join(kinds)})"
            wanted = _FIELDS[kinds[0]] if len(used) == 1 else row_of
            raise ValueError(
                f"Item {number} must be {wanted}: the columns of this classifier are {','.join(self.columns)}. "
                f"Got {type(x).__name__} {x!r:.60} instead."
            )
        row: list[Any] = [""] * len(self.columns)
        for i, value in zip(used, fields):
            row[i] = value
        return row

    def _is_whole_row(self, x: Any, at: int) -> bool:
        """Whether a list has a field for every column and is not the words of a text: words have no spaces."""
        return isinstance(x, list | tuple) and len(x) == len(self.columns) > 1 and len(x[at].split()) > 1

    def _item(self, row: Sequence[Any], trees: Sequence[Tree]) -> Item:
        parts: list[Any] = []
        flat: list[Any] = []
        shown: list[str] = []
        symbols, numbers, parsed = set(), [], iter(trees)
        for i, (kind, value) in enumerate(zip(self.columns, row)):
            if kind in ("label", "-"):
                continue
            shown.append(_shown(value))
            if kind in _TEXTS:
                if self.parser is not None:
                    parts.append(self._bounded(next(parsed)))
                parts.append(self._words(self._tokens(kind, value)))
            elif kind == "tree":
                tree = self._bounded(Tree.parse(value) if isinstance(value, str) else value)
                parts += [tree, self._words(tree.words)]
                shown[-1] = _shown(tree)
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
        text = "  ".join(shown)
        if self.flat:
            return Item(flat, text)
        more = [*([symbols] if symbols else []), *([np.array(numbers)] if numbers else [])]
        return Item([*parts, *more], text)

    def _bounded(self, tree: Tree) -> Tree:
        n = sum(isinstance(item, Tree) for item in tree.upwards())
        if n > self.max_nodes:
            raise ValueError(
                f"a tree of {n:,} nodes, and the bound is {self.max_nodes:,}: train with max_nodes={n} to raise it"
            )
        return tree

    def _tokens(self, kind: str, text: str | Sequence[str]) -> list[str]:
        if not isinstance(text, str):
            return list(text)
        if kind == "text":
            return text.split()
        return [token.text for sentence in self._tokenizer.sentences(text) for token in sentence]

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer(self.language)

    def _words(self, words: Sequence[str]) -> set[str] | dict[str, int]:
        """The words, and all n-grams up to the length with the start of the text before them; or their counts."""
        row = [word.lower() for word in words] if self.lower else list(words)
        padded, found = [_START, *row], row.copy()
        for n in range(2, min(self.ngrams, len(padded)) + 1):
            found += (" ".join(padded[i : i + n]) for i in range(len(padded) - n + 1))
        return dict(Counter(found)) if self.counts else set(found)

    def _parsed(self, rows: Sequence[Sequence[Any]]) -> list[list[Tree]] | None:
        if self.parser is None:
            return None
        places = [i for i, kind in enumerate(self.columns) if kind in _TEXTS]
        texts = [self._tokens(self.columns[i], row[i]) for row in rows for i in places]
        found = iter(self.parser.predict(texts))
        # A text without words has a tree without any.
        return [[next(found) or Tree("TOP", [Tree("X", [Leaf("_", 0)])]) for _ in places] for _ in rows]


def item_text(item: Any) -> str:
    """Return an item for people: as it was given, or what its parts are."""
    if isinstance(item, Item):
        return item.given
    if not isinstance(item, tuple):
        return _shown(item)
    trees = [part for part in item if isinstance(part, Tree)]
    return "  ".join(map(_shown, trees or item))  # beside a tree its words say nothing new


def _shown(value: Any) -> str:
    if isinstance(value, Tree):
        return " ".join(value.words)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, set | frozenset):
        value = sorted(str(one) for one in value if " " not in str(one))  # words, not runs of them
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _is_field(kind: str, value: Any) -> bool:
    """Whether a value in Python can be a field of a column."""
    if kind in _TEXTS and isinstance(value, list | tuple):
        return all(isinstance(word, str) for word in value)
    if kind == "tree" and isinstance(value, Tree):
        return True
    if kind == "number" and isinstance(value, int | float | np.number):
        return True
    return isinstance(value, str)


def _number(text: str | float, column: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"column {column} is {text!r} and must be a number")
    return value
