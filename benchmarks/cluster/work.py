"""Work for the benchmark of clusters: recipes of shards, and what is done with them. Workers import it."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from palmette.cluster.shares import CountJob, Held, Part, SumJob, Sums, counts_of, sums_of

SHARDS = 16


@lru_cache(1)
def tagging(path: str, sentences: int) -> Held:
    """A tagging problem of so many sentences of a corpus, which is repeated if need be; labels of one letter."""
    from palmette.features import Templates
    from palmette.formats.columns import read_columns
    from palmette.tools.sequence.tagger import Tagger

    once = read_columns(path)
    many = once.select(np.arange(sentences) % len(once))
    flat, ends = [label[:1] for label in many.column(1).values()], many.offsets.tolist()
    labels = [flat[a:b] for a, b in pairwise(ends)]
    many = many.with_column(many.names[1], labels)
    templates = Templates("w[0]\nw[-1]\nw[1]\nsuffix3[0]\nshape[0]")
    return Held(_problem_of(Tagger(min_count=1 + sentences // len(once), templates=templates), many))


@lru_cache(1)
def alignment(source: str, target: str, times: float) -> Held:
    """An alignment problem of a parallel text, so many times over."""
    from palmette.formats.files import read_lines
    from palmette.learning.em import EM
    from palmette.tools.alignment.aligner import Aligner

    lines = [read_lines(path) for path in (source, target)]
    pairs = [
        [line.split() for line in text][: int(len(text) * min(times, 1))] * max(1, int(times))
        for text in lines
    ]
    return Held(
        _problem_of(Aligner(["model1"], learner=EM(n_iter=1, tolerance=None)), list(zip(*pairs, strict=True)))
    )


class _FoundError(Exception):
    def __init__(self, problem: Any) -> None:
        super().__init__()
        self.problem = problem


class _First:
    def problem(self, key: object, learner: object, problem: Any) -> Any:
        raise _FoundError(problem)


def _problem_of(tool: Any, *data: Any) -> Any:
    """The first problem that a tool makes of data."""
    from palmette.course import Course, follow

    try:
        with follow(Course(spread=_First())):
            tool.fit(*data)
    except _FoundError as found:
        return found.problem
    raise RuntimeError("The tool has no learner.")


@dataclass(frozen=True)
class Range:
    """A shard: a range of the examples of a problem, which `maker(*arguments)` makes."""

    maker: Any
    arguments: tuple[Any, ...]
    k: int
    n: int = SHARDS

    @property
    def key(self) -> str:
        """A name of its own."""
        return f"{self.maker.__name__} {self.arguments} {self.k}/{self.n}"

    def make(self) -> Part:
        """Make the problem, once in a process, and take the range."""
        held = self.maker(*self.arguments)
        size = len(held.problem)
        return Part(held, size * self.k // self.n, size * (self.k + 1) // self.n, self.k)


def gradient(part: Part, w: Any) -> Sums:
    """The gradient at w; at a number, those weights everywhere."""
    places = _observed(part.held)
    return sums_of(part, SumJob("gradient", _weights(part, w, np.float32), places=places))


@lru_cache(1)
def _observed(held: Held) -> Any:
    return np.flatnonzero(held.problem.observed())


def counts(part: Part, w: Any) -> Sums:
    """The expected counts at w."""
    return counts_of(part, CountJob(_weights(part, w, np.float64), None))


def _weights(part: Part, w: Any, dtype: Any) -> Any:
    size = len(part.problem.groups) if hasattr(part.problem, "groups") else part.problem.n_weights
    return np.full(size, w, dtype) if isinstance(w, float) else w


@dataclass(frozen=True)
class Killing:
    """A function of shards during which the worker that finds a mark first is killed."""

    function: Any
    value: Any
    mark: str


def killed_once(content: Any, given: Killing) -> Any:
    """What the function gives, unless there is the mark."""
    found = given.function(content, given.value)
    try:
        Path(given.mark).unlink()
    except FileNotFoundError:
        return found
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("killed")


@dataclass(frozen=True)
class Text:
    """A shard: a part of a text for a language model."""

    path: str
    k: int
    n: int = SHARDS

    @property
    def key(self) -> str:
        """A name of its own."""
        return f"text {self.path} {self.k}/{self.n}"

    def make(self) -> Any:
        """The part; it reads when it is asked."""
        from palmette.tools.lm.sharing import line_parts

        return line_parts(self.path, self.n)[self.k].make()


@lru_cache(1)
def vocabulary(path: str) -> Any:
    """The words of a text, by first appearance."""
    from palmette._native import NgramText
    from palmette.tools.lm.sharing import Vocabulary

    text = NgramText()
    text.add(Path(path).read_bytes(), False, 1)
    return Vocabulary.of(text)


def ngrams(part: Any, job: Any) -> Any:
    """The n-grams of a part: it is read, its words are looked for and numbered, and it is counted."""
    from palmette.tools.lm.sharing import counts_of, words_of

    words_of(part, None)
    return counts_of(part, job)


def nothing(shard: int, w: Any) -> Any:
    """As many numbers as there came: what an engine costs."""
    return w


def processor_seconds(process: int) -> float:
    """What a process has spent, by the system's count."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
