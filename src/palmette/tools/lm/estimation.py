"""Language models from text: counts of n-grams, smoothed (CSC 448, §5).

| smoothing | what it does with n-grams that were not seen |
| --- | --- |
| modified-kneser-ney | three discounts of each order; shorter histories count words in front; as lmplz |
| kneser-ney | one discount of each order; words that the text does not have get no probability (section 5.2) |
| absolute-discounting | one discount of each order, interpolated with shorter histories |
| katz | Good-Turing discounts of counts up to 7; the rest is shared by words not seen after the history |
| katz-absolute | one discount of each order; the rest is shared by words not seen after the history |
| dirichlet | the shorter history as a prior, worth as many words as leaving one out finds best |
| maximum-likelihood | nothing: relative frequencies |
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from palmette._native import NgramCounts, NgramPlain
from palmette.course import workers
from palmette.formats.model.strict_json import Json
from palmette.parameters import Options, option
from palmette.tools.lm.runs import check_memory, count_in_parts
from palmette.tools.lm.sharing import shared_text
from palmette.tools.lm.text import Text, TextReader

SMOOTHINGS = (
    "modified-kneser-ney",
    "kneser-ney",
    "absolute-discounting",
    "katz",
    "katz-absolute",
    "dirichlet",
    "maximum-likelihood",
)
DISCOUNTED = ("absolute-discounting", "katz-absolute", "kneser-ney")  # by one discount
MAX_ORDER = 9


@dataclass(frozen=True, kw_only=True)
class Estimation(Options):
    """How a model is estimated.

    The vocabulary may have words that are missing from the text; all words outside it are unknown.
    """

    order: int = option(5, "words in the longest n-grams", low=1, high=MAX_ORDER)
    smoothing: str = option("modified-kneser-ney", "what n-grams that were not seen get", choices=SMOOTHINGS)
    prune: Sequence[int] = option(
        (0,),
        "largest count of the n-grams that are left out, by order from 1 on; the last is for all longer n-grams",
    )
    vocabulary: Iterable[str] | None = option(None, "words of the model; none: those of the text")
    max_words: int | None = option(None, "number of the commonest words that are known; none: all", low=1)
    min_count: int = option(1, "least count of a word that is known", low=1)
    discount: float | None = option(
        None,
        "what is taken off every count, for absolute-discounting, katz-absolute and kneser-ney; none: an estimate",
        above=0,
        below=1,
    )
    concentration: float | None = option(
        None, "words that the shorter history is worth, for dirichlet; none: an estimate", above=0
    )

    def check(self) -> None:
        thresholds = list(self.prune)
        if any(type(n) is not int or n < 0 for n in thresholds) or thresholds != sorted(thresholds):
            raise ValueError(
                "The 'prune' parameter must be whole numbers that do not fall, as in (0, 0, 1). "
                f"Got {self.prune!r:.60} instead."
            )
        if thresholds and thresholds[0]:
            raise ValueError(
                "The 'prune' parameter must begin with 0: to leave out rare words, use min_count or max_words."
            )
        if self.discount is not None and self.smoothing not in DISCOUNTED:
            raise ValueError(f"The smoothing {self.smoothing!r} does not take one discount.")
        if self.concentration is not None and self.smoothing != "dirichlet":
            raise ValueError(f"A concentration is for dirichlet, not for {self.smoothing!r}.")


@dataclass(frozen=True)
class Counted:
    """The n-grams of a text."""

    counts: NgramCounts
    facts: dict[str, Json]
    fingerprint: str


def count(
    text: Text,
    options: Estimation,
    *,
    errors: Literal["strict", "replace"] = "strict",
    marks: Literal["fail", "skip"] = "fail",
    n_jobs: int = 1,
    progress: Callable[[int], object] | None = None,
    known: Sequence[str] | None = None,
    memory: int | None = None,
    bytes_per_ngram: int = 0,
) -> Counted:
    """Count the n-grams of a text.

    known: words that have the first numbers already, those of counts that these will be added to.
    memory: bytes that may be used; a text whose n-grams cannot be counted in as many is counted in parts, which
        wait on disk. bytes_per_ngram: what will be needed of these afterwards; MemoryError if it is not there.
    """
    reader = TextReader(errors, marks, n_jobs, progress)
    native = reader.native
    for word in known or ():
        native.intern(word)
    given = None
    if options.vocabulary is not None:
        for word in options.vocabulary:
            if len(word.split()) != 1:
                raise ValueError(f"{word!r} in the vocabulary is not a word")
            native.intern(word)
        given = native.n_words
    limited = options.max_words is not None or options.min_count > 1 or given is not None
    limited = limited and known is None
    cluster = workers()
    if cluster is not None:
        with shared_text(text, reader, cluster) as shared:
            n_lines, n_words = shared.n_lines, _words_in(shared.n_lines, shared.n_tokens)
            kept = _kept(shared.frequencies(), options, given) if limited else None
            counts = shared.count(options.order, kept, memory)
    else:
        reader.read(text)
        n_lines, n_words = native.n_lines, _words_in(native.n_lines, native.n_tokens)
        if limited:
            native.keep(_kept(native.word_counts(), options, given))
        counts = count_in_parts(native, options.order, memory, n_jobs)
    sizes = counts.sizes
    if memory is not None:
        check_memory(sum(sizes), bytes_per_ngram, memory)
    order = max(n for n, size in enumerate(sizes, 1) if size)
    if order < options.order and known is None:
        warnings.warn(
            f"no line has n-grams of {options.order} words: the order of the model is {order}", stacklevel=4
        )
        counts.cut(order)
    facts: dict[str, Json] = {"sentences": n_lines, "words": n_words}
    return Counted(counts, facts, reader.fingerprint)


def estimate(
    counted: NgramCounts, options: Estimation, n_jobs: int = 1
) -> tuple[NgramPlain, dict[str, Json]]:
    """A model of counts, which are gone afterwards, and the discounts of each order."""
    thresholds = list(options.prune)
    plain, rows, fallbacks = counted.estimate(
        options.smoothing, thresholds, options.discount or 0.0, options.concentration or 0.0, n_jobs
    )
    for order in fallbacks:
        used = "0.5, 1 and 1.5" if options.smoothing == "modified-kneser-ney" else "0.5"
        warnings.warn(
            f"the counts of {order}-grams are too few or too odd to estimate discounts: using {used}",
            stacklevel=4,
        )
    facts: dict[str, Json] = {"smoothing": options.smoothing}
    if options.smoothing == "dirichlet":
        facts["concentrations"] = [row[-1] for row in rows]
    elif options.smoothing == "katz":
        facts["discounts"] = [row[:7] for row in rows]
    elif options.smoothing != "maximum-likelihood":
        facts["discounts"] = [
            row[:3] if options.smoothing == "modified-kneser-ney" else row[:1] for row in rows
        ]
    if any(thresholds):
        facts["prune"] = [int(n) for n in thresholds]
    return plain, facts


def _words_in(n_lines: int, n_tokens: int) -> int:
    n_words = n_tokens - 2 * n_lines
    if n_words < 1:
        raise ValueError("no text: a language model needs at least one word")
    return n_words


def _kept(
    counts: np.ndarray[tuple[int], np.dtype[np.integer[Any]]], options: Estimation, given: int | None
) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """Which words of a text are known: a number of each, not 0 if it is."""
    kept = counts >= options.min_count
    if given is not None:
        kept[:given], kept[given:] = True, False
    kept[:3] = False
    if options.max_words is not None and kept.sum() > options.max_words:
        # The commonest; of equally common ones those that came first.
        order = np.argsort(-counts.astype(np.int64), kind="stable")
        order = order[kept[order]]
        kept[order[options.max_words :]] = False
    return kept.astype(np.uint8)
