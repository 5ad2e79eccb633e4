"""Training of the method `plcfrs`: trees, their grammar, states of its symbols, and a lexicon of each grammar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.grammars.lcfrs_extraction import Derivations, extract_lcfrs
from palmette.grammars.lcfrs_table import LcfrsTable
from palmette.learning.learner import Learner
from palmette.learning.loop import Callback, Pass, Report, run_passes
from palmette.tools.constituency.model import ConstituencyModel, Trained
from palmette.tools.constituency.plcfrs.emissions import columns_of
from palmette.tools.constituency.plcfrs.options import OWNER, PlcfrsOptions
from palmette.tools.constituency.plcfrs.punctuation import PunctuationRule
from palmette.tools.constituency.plcfrs.states import StateTrainer
from palmette.tools.constituency.plcfrs.suffix_lexicon import SuffixLexicon, terminals, word_form
from palmette.transforms.fan_out import CommonHeads, FanOutBinarization
from palmette.trees.tree import Tree

_AFTER_SPLIT, _AFTER_MERGE = 8, 6  # steps of EM; more of them fit the training trees better, and others worse


@dataclass(frozen=True, eq=False)
class StateGrammar:
    """One way to split the symbols of a table: how many states each has, the blocks of rules, and the words."""

    states: NDArray[np.int32]
    binary: NDArray[np.float32]
    unary: NDArray[np.float32]
    lexicon: SuffixLexicon


@dataclass(frozen=True, eq=False)
class _Words:
    """The words of all trees: forms, which begin a sentence, tag symbols, and entries (tag with terminal)."""

    forms: list[str]
    firsts: list[bool]
    tags: NDArray[np.int32]
    entries: NDArray[np.int32]
    entry_symbol: NDArray[np.int32]

    @classmethod
    def of(cls, trees: Derivations) -> _Words:
        firsts = [position == 0 for position in trees.positions.tolist()]
        known = Counter(word for word, first in zip(trees.words, firsts, strict=True) if not first)
        forms = [word_form(word, first, known) for word, first in zip(trees.words, firsts, strict=True)]
        tags = trees.symbol[trees.word_nodes]
        pairs = list(zip(tags.tolist(), terminals(forms, firsts), strict=True))
        numbers = {pair: i for i, pair in enumerate(sorted(set(pairs)))}
        return cls(
            forms,
            firsts,
            tags,
            np.array([numbers[pair] for pair in pairs], np.int32),
            np.array([tag for tag, _ in numbers], np.int32),
        )


def train(
    trees: Sequence[Tree],
    *,
    options: Mapping[str, Any],
    learner: Learner | None = None,
    dev: Callable[[ConstituencyModel], float] | None = None,
    callback: Callback | None = None,
    n_jobs: int = 1,
    seed: int = 0,
) -> Trained:
    """A grammar with states. With dev trees, of all rounds the one whose grammar does best on them is kept."""
    from palmette.tools.constituency.plcfrs.model import PlcfrsModel

    if learner is not None:
        raise ValueError("The method 'plcfrs' counts: it takes no learner.")
    chosen = PlcfrsOptions.of(options, OWNER)
    search = chosen.search
    punctuation = PunctuationRule.of(trees, chosen.punctuation)
    prepared = [made for made in map(punctuation.prepared, trees) if made is not None]
    if not prepared:
        raise ValueError("No tree has a word other than punctuation: there is nothing to learn.")
    binarize = FanOutBinarization(CommonHeads.of(prepared), chosen.horizontal, chosen.vertical, chosen.tags)
    table, derivations = extract_lcfrs([binarize(tree) for tree in prepared])
    words = _Words.of(derivations)
    reports: list[Report] = []
    kept: list[StateGrammar] = []
    interrupted = False

    def rounds(trainer: StateTrainer) -> Iterator[Pass[StateGrammar]]:
        for turn in range(chosen.rounds + 1):
            value = _turn(trainer, turn, chosen.smoothing)
            numbers = {"loss": -value / len(prepared), "states": int(trainer.states.counts.sum())}
            yield Pass(numbers, partial(_grammar, table, trainer, words))

    score = None if dev is None else lambda made: dev(PlcfrsModel(table, [made], punctuation, search))
    for number in range(chosen.grammars):
        where = {"grammar": str(number + 1)} if chosen.grammars > 1 else {}

        def told(report: Report, where: dict[str, str] = where) -> None:
            reports.append(replace(report, where=where))
            if callback is not None:
                callback(reports[-1])

        trainer = StateTrainer(
            table, derivations, words.entries, words.entry_symbol, n_jobs=n_jobs, seed=seed + number
        )
        found = run_passes(rounds(trainer), score=score, callback=told)
        interrupted = found.interrupted
        if not interrupted or not kept:
            kept.append(_grammar(table, trainer, words) if found.result is None else found.result)
        if interrupted:
            break
    model = PlcfrsModel(table, kept, punctuation, search)
    return Trained(model, None, tuple(reports), interrupted)


def _turn(trainer: StateTrainer, turn: int, smoothing: float) -> float:
    """A round of splitting and merging; the log-likelihood of the trees."""
    if turn == 0:
        return trainer.expect()[0]
    trainer.split()
    trainer.iterate(_AFTER_SPLIT)
    trainer.merge()
    trainer.iterate(_AFTER_MERGE)
    trainer.smooth(smoothing)
    value = trainer.iterate(1)
    trainer.smooth(smoothing)
    return value


def _grammar(table: LcfrsTable, trainer: StateTrainer, words: _Words) -> StateGrammar:
    """The weights of now, and a lexicon of how often each state of a tag is expected with each word."""
    _, counts = trainer.expect()
    states = counts.counts
    sizes = states[trainer.entry_symbol]
    first = np.cumsum(sizes) - sizes
    times = np.bincount(words.entries, minlength=len(first))
    columns = dict(zip(np.flatnonzero(table.tags).tolist(), columns_of(table, states).tolist(), strict=True))
    shares = [counts.lexical[a : a + n] / t for a, n, t in zip(first, sizes, times, strict=True)]
    lexicon = SuffixLexicon.of(
        words.forms,
        words.firsts,
        [
            (columns[tag], shares[e])
            for tag, e in zip(words.tags.tolist(), words.entries.tolist(), strict=True)
        ],
        int(states[table.tags].sum()),
    )
    return StateGrammar(
        states, trainer.states.binary.astype(np.float32), trainer.states.unary.astype(np.float32), lexicon
    )
