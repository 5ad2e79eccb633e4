"""All derivations of a translation by phrases, written down one by one, and Φ by its definition."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.tables.phrase_table import PhraseTable, TablePair

LN10 = math.log(10)


@dataclass(frozen=True)
class Step:
    """A phrase of a derivation; pair: None for an unknown word."""

    begin: int
    end: int
    target: tuple[str, ...]
    pair: TablePair | None


Path = tuple[Step, ...]


def options(table: PhraseTable, words: Sequence[str]) -> list[Step]:
    """Every phrase of the table that translates a span, and a copy of every word that has none."""
    n, found = len(words), []
    for begin in range(n):
        for end in range(begin + 1, n + 1):
            pairs = table.lookup(words[begin:end])
            found += [Step(begin, end, pair.target, pair) for pair in pairs]
            if end == begin + 1 and not pairs:
                found.append(Step(begin, end, (words[begin],), None))
    return found


def derivations(
    n: int,
    steps: Sequence[Step],
    limit: int | None = None,
    walls: Sequence[bool] = (),
    allowed: Callable[[tuple[str, ...]], bool] = lambda words: True,
    *,
    partial: bool = False,
) -> Iterator[Path]:
    """Yield all sequences of phrases that cover n words once each, with jumps of at most `limit` words.

    A phrase that leaves a gap before it must end within reach of the first gap. walls: punctuation marks that
    nothing jumps over. allowed: whether a target text may begin like this. partial: yield unfinished ones, too.
    """

    def extend(path: Path, covered: frozenset[int], text: tuple[str, ...]) -> Iterator[Path]:
        if len(covered) == n or partial:
            yield path
        if len(covered) == n:
            return
        gap = min(set(range(n)) - covered)
        last = path[-1].end if path else 0
        for step in steps:
            span = range(step.begin, step.end)
            if any(i in covered for i in span):
                continue
            if limit is not None and abs(step.begin - last) > limit:
                continue
            if step.begin != gap and limit is not None and step.end - gap > limit:
                continue
            if step.begin != gap and walls and any(walls[gap : step.end - 1]):
                continue
            if not allowed(text + step.target):
                continue
            yield from extend((*path, step), covered | frozenset(span), text + step.target)

    yield from extend((), frozenset(), ())


def text(path: Path) -> tuple[str, ...]:
    return tuple(word for step in path for word in step.target)


def features(
    path: Path, n: int, lm: LanguageModel | None, table: PhraseTable, blocks: bool = False
) -> np.ndarray:
    """Φ of a derivation."""
    values = {"lm": LN10 * lm.score(list(text(path))) if lm else 0.0}
    last, jumps = 0, 0
    for step in path:
        jumps += abs(step.begin - last)
        last = step.end
    values["distortion"] = -(jumps + abs(n - last))
    values["words"] = -len(text(path))
    values["phrases"] = len(path)
    values["unknown"] = -sum(step.pair is None for step in path)
    for column, name in enumerate(table.columns):
        values[name] = sum(step.pair.scores[column] for step in path if step.pair)
    names = table.reordering_columns
    values.update(dict.fromkeys(names, 0.0))
    for k, step in enumerate(path):
        own = dict(zip(names, step.pair.reordering)) if step.pair else {}
        name = "from_" + from_orientation(path, k, blocks)
        values[name] = values.get(name, 0.0) + own.get(name, 0.0)
        if k + 1 < len(path):
            name = "to_" + to_orientation(path, k, blocks)
            values[name] = values.get(name, 0.0) + own.get(name, 0.0)
    order = ("lm", "distortion", "words", "phrases", "unknown", *table.columns, *names)
    return np.array([values[name] for name in order])


def block(path: Path, j: int, k: int) -> tuple[int, int] | None:
    """The source range of phrases j … k − 1, if neighbours can be joined two at a time until one is left."""
    if k - j == 1:
        return path[j].begin, path[j].end
    for m in range(j + 1, k):
        left, right = block(path, j, m), block(path, m, k)
        if left and right:
            if left[1] == right[0]:
                return left[0], right[1]
            if right[1] == left[0]:
                return right[0], left[1]
    return None


def from_orientation(path: Path, k: int, blocks: bool) -> str:
    begin, end = path[k].begin, path[k].end
    if k == 0:
        return "monotone" if begin == 0 else "discontinuous"
    firsts = range(k) if blocks else [k - 1]
    ranges = [found for j in firsts if (found := block(path, j, k))]
    if any(found[1] == begin for found in ranges):
        return "monotone"
    if any(found[0] == end for found in ranges):
        return "swap"
    return "discontinuous"


def to_orientation(path: Path, k: int, blocks: bool) -> str:
    one, after = path[k], path[k + 1]
    covered = {i for step in path[: k + 1] for i in range(step.begin, step.end)}
    if after.begin == one.end or (blocks and after.begin > one.end and one.end not in covered):
        return "monotone"
    if after.end == one.begin or (blocks and after.end < one.begin and one.begin - 1 not in covered):
        return "swap"
    return "discontinuous"


def random_table(seed: int, n_words: int = 4, orientations: int = 0, n_pairs: int = 12) -> PhraseTable:
    """A small table over words a, b, … and A, B, …"""
    rng = random.Random(seed)
    source, target = "abcdefgh"[:n_words], "ABCDEF"
    pairs = {}
    while len(pairs) < n_pairs:
        size = rng.choice([1, 1, 1, 2, 2, 3])
        phrase = " ".join(rng.choice(source) for _ in range(size))
        words = " ".join(rng.choice(target) for _ in range(rng.choice([1, 1, 2, 3])))
        pairs[phrase, words] = (
            phrase,
            words,
            [-3 * rng.random() for _ in range(4)],
            [-3 * rng.random() for _ in range(orientations)],
        )
    return PhraseTable.from_pairs(pairs.values())


def random_lm(seed: int, order: int = 3) -> LanguageModel:
    rng = random.Random(seed)
    lines = [" ".join(rng.choice("ABCDEF") for _ in range(rng.randint(1, 7))) for _ in range(30)]
    return LanguageModel.fit(lines, order=order, smoothing="dirichlet", concentration=1.0)
