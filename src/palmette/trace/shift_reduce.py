"""Shift-reduce parsing: what the beam of a trained parser keeps and drops (CSC 448, §7.3 and §13.1)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from palmette.learning.perceptron import Perceptron
from palmette.structures.token_arrays import arrays_of
from palmette.structures.transitions import LEFT, SYSTEMS, State, TransitionSystem
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.tags import completed, views_of
from palmette.tools.dependency.treebank import as_sentences
from palmette.trace.arc_table import ROOT
from palmette.trace.inputs import MOST_WORDS, count_of, lines_of, words_of
from palmette.trace.registry import Field
from palmette.trace.steps import Change, Figure, Step, Trace, number

TREEBANK = """the/D/2/det dog/N/3/nsubj sleeps/V/0/root
the/D/2/det dog/N/3/nsubj saw/V/0/root a/D/5/det cat/N/3/obj
a/D/2/det cat/N/3/nsubj saw/V/0/root the/D/5/det dog/N/3/obj with/P/8/case a/D/8/det hat/N/5/nmod
she/N/2/nsubj saw/V/0/root a/D/4/det dog/N/2/obj with/P/7/case the/D/7/det glass/N/2/obl
she/N/2/nsubj sleeps/V/0/root in/P/5/case the/D/5/det park/N/2/obl"""
FIELDS = (
    Field("input", "she/N saw/V the/D cat/N with/P a/D hat/N", "the words, each with its tag: word/TAG"),
    Field("beam", "3", "parses that are kept at every step"),
    Field(
        "system",
        "arc-standard",
        "the transition system",
        choices=tuple(SYSTEMS),
    ),
    Field(
        "treebank",
        TREEBANK,
        "what the parser learns from, a sentence on each line: word/TAG/HEAD/RELATION",
        lines=True,
    ),
)
_MOST_SENTENCES, _MOST_BEAM = 30, 8
COLUMNS = ["move", "stack", "buffer", "score", "before"]


@lru_cache(maxsize=8)
def trained(treebank: str, beam: int, system: str) -> DependencyParser:
    """A parser that a perceptron trains on a few trees."""
    lines = lines_of(treebank, "treebank")
    if not 1 <= len(lines) <= _MOST_SENTENCES:
        raise ValueError(f"treebank: expected from 1 to {_MOST_SENTENCES} sentences; there are {len(lines)}")
    sentences, trees = [], []
    for at, line in enumerate(lines, 1):
        rows = [token.rsplit("/", 3) for token in line.split()]
        if any(len(row) != 4 or not all(row) or not row[2].isdecimal() for row in rows) or len(rows) > 30:
            raise ValueError(
                f"treebank, line {at}: expected up to 30 times word/TAG/HEAD/RELATION, got {line[:40]!r}"
            )
        sentences.append([(word, tag) for word, tag, _, _ in rows])
        trees.append([(int(head), relation) for _, _, head, relation in rows])
    options = {"system": system, "beam": beam, "bits": 14, "label_bits": 12}
    # Trees that cross are learnt by lifting their arcs, as ever.
    return DependencyParser("transition", Perceptron(n_iter=10), options=options).fit(sentences, trees)


def shift_reduce(input: str, beam: str, system: str, treebank: str) -> Trace:
    """Follow the beam of the parser from the first state to whole trees."""
    width = count_of(beam, "beam", _MOST_BEAM)
    if system not in SYSTEMS:
        raise ValueError(f"system: expected one of {', '.join(SYSTEMS)}, got {system[:40]!r}")
    tokens = [token.rpartition("/") for token in words_of(input, MOST_WORDS)]
    if any(not word or not tag for word, _, tag in tokens):
        raise ValueError("input: expected every word with its tag, as in she/N saw/V")
    parser = trained(treebank, width, system)
    words = [ROOT, *(word for word, _, _ in tokens)]
    rows = beam_of(parser, [(word, tag) for word, _, tag in tokens], width)
    model: Any = parser.model_
    groups = int(model.groups.max()) + 1
    kinds = TransitionSystem(system)
    states = [kinds.start(len(tokens), single_root=True)]
    ranks = [str(k) for k in range(1, 2 * width + 1)]
    steps = [Step("At the start all words are in the buffer", _row("1", "", states[0], words, 0.0, "", ""))]
    best: Any = None
    for at, row in enumerate(rows, 1):
        kept: list[State] = []
        changes: list[Change] = []
        for rank, (before, move, label, score, stays) in zip(ranks, row):
            old = states[before]
            kind = move if move < 2 else LEFT if move < 2 + groups else LEFT + 1
            name = "done" if move < 0 else kinds.kinds[kind]
            if stays and label >= 0:
                name += f":{model.labels[label]}"
            new = old if move < 0 else old.apply(name)
            if not stays and move > 1:  # a label is chosen among those of the move when it stays
                name += f":{_any_of(model, (move - 2) % groups)}"
            mark = "best" if rank == "1" else "" if stays else "dropped"
            changes += _row(rank, name, new, words, score, f"{before + 1}", mark)
            if stays:
                kept.append(new)
        changes += [Change("beam", (rank, c), None) for rank in ranks[len(row) :] for c in COLUMNS]
        changes += _arcs(best, kept[0])
        best, states = kept[0], kept
        dropped = len(row) - len(kept)
        text = f"Step {at}: {_told(changes)}" + (", and the beam is full" if dropped else "")
        formula = f"score = {number(row[0][3])}"
        steps.append(Step(text, tuple(changes), formula))
    end = states[0]
    return Trace(
        "shift-reduce",
        "Shift-reduce parsing with a beam",
        "score(c_{1} … c_{t}) = Σ_{i} w · Φ(c_{i−1}, move_{i});   of all moves of all states the K best stay",
        [
            Figure(
                "beam",
                "table",
                "The beam, and the best of those that it drops",
                {"rows": ranks, "columns": COLUMNS, "lists": ["stack", "buffer"]},
            ),
            Figure("arcs", "arcs", "Arcs of the best state", {"words": words}),
        ],
        steps,
        {"heads": list(end.heads), "labels": list(end.labels), "score": rows[-1][0][3] if rows else 0.0},
        "A parser that a perceptron trained on the treebank of this page, with as wide a beam.",
    )


def beam_of(parser: DependencyParser, sentence: list[tuple[str, str]], width: int) -> list[list[Any]]:
    """What the native beam keeps and drops, step by step."""
    views = views_of(completed(as_sentences([sentence]), parser.columns_, {}, retag=False), parser.columns_)
    model: Any = parser.model_
    return list(model.core.trace_beam(*arrays_of(views), 0, width))


def _any_of(model: Any, group: int) -> str:
    """The labels that moves of a group have, the first two of them."""
    labels = [label for label, own in zip(model.labels, model.groups) if own == group]
    return "/".join(labels if len(labels) < 3 else [*labels[:2], "…"])


def _row(
    rank: str, move: str, state: State, words: list[str], score: float, before: str, mark: str
) -> tuple[Change, ...]:
    stack, buffer = ([words[i] for i in state.stack], [words[i] for i in state.buffer])
    texts = (move or "start", " ".join(stack), " ".join(buffer), number(score), before)
    return tuple(Change("beam", (rank, column), text, None, mark) for column, text in zip(COLUMNS, texts))


def _arcs(before: State | None, after: State) -> list[Change]:
    """Arcs that are new in the best state, and those that it does not have any more."""
    old = (
        {}
        if before is None
        else {(h, d): y for d, (h, y) in enumerate(zip(before.heads, before.labels), 1) if h >= 0}
    )
    new = {(h, d): y for d, (h, y) in enumerate(zip(after.heads, after.labels), 1) if h >= 0}
    gone = [Change("arcs", arc, None) for arc in old if arc not in new]
    return gone + [
        Change("arcs", arc, label or "", 1.0) for arc, label in new.items() if old.get(arc) != label
    ]


def _told(changes: list[Change]) -> str:
    move = next(change.text for change in changes if change.place == ("1", "move"))
    return f"the best state comes by {move}"
