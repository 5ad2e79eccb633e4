"""What a label of a tagger sees of the labels before it: the last few, n-grams that occur in training, or the
state of an automaton.

Three labels of history have L³ contexts, and most occur nowhere: from some size on only those that occur in
training become states, and a label after any other sees the longest part of it that does.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.formats.files import read_text
from palmette.formats.model import ModelFile
from palmette.formats.model.safetensors import Array
from palmette.structures.automata import Given, automaton_for
from palmette.structures.automaton import Automaton
from palmette.structures.label_states import Context, Ends, LabelStates, rows_of_tables, seen_contexts
from palmette.structures.schemes import transitions
from palmette.tools.sequence.model import SequenceStructure, stride

_MOST_DENSE = 1000  # contexts; with more, only those that occur become states
_COST_OF_STEP = 7  # a listed step takes as long as 7 entries of a dense table


def read_automaton(given: str) -> Given:
    """Return the automaton of a file, or the text itself if there is no such file."""
    return Automaton.of_text(read_text(given), given) if Path(given).is_file() else given


def with_states(
    structure: SequenceStructure,
    automaton: Given | None,
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    *,
    counted: bool = False,
) -> SequenceStructure:
    """Return the structure with the states of its histories, if it needs such.

    ids: the visible labels of the training data. counted: the weights are those of an HMM, which has all n-grams.
    """
    made = None if automaton is None else automaton_for(automaton, structure.visible)
    n, order, hidden = len(structure.labels), structure.order, structure.hidden
    assert isinstance(hidden, int)  # learners give all labels the same number of variants
    many = n**order > _MOST_DENSE and order > 1 and not counted
    if made is None and not (many and order > 2):
        return structure
    if made is not None:
        _refuse_unaccepted(made, ids, offsets)
        made = made.refined(structure.labels, hidden)
    contexts = seen_contexts(ids, offsets, n // hidden, order, hidden) if many else None
    states = LabelStates.grown(n, order, contexts, made, ends_of(structure))
    dense = made is None and _COST_OF_STEP * states.n_steps > n**order * stride(n)
    return structure if dense else replace(structure, states=states)


def ends_of(structure: SequenceStructure) -> Ends:
    """Return which labels the scheme of a structure lets begin, follow each other, and end."""
    if structure.scheme is None:
        return None, None, None
    start, pairs, end = transitions(list(structure.visible), structure.scheme)
    refine = structure.refinement.refine
    return refine(start).astype(bool), refine(pairs).astype(bool), refine(end).astype(bool)


def of_ngrams(structure: SequenceStructure, weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the weights of a structure with states, from those of the same with all label n-grams."""
    states, n = structure.states, len(structure.labels)
    if states is None:
        return weights
    width = stride(n)
    count = width * sum(n**h for h in range(1, structure.order + 1))
    at = len(weights) - count
    tables, begin = [], at
    for h in range(1, structure.order + 1):
        tables.append(weights[begin : begin + n**h * width].reshape(-1, width)[:, :n])
        begin += n**h * width
    rows = np.zeros((states.n_rows, width), dtype=np.float32)
    rows[:, :n] = rows_of_tables(states, tables)
    return np.concatenate([weights[:at], rows.reshape(-1)])


def save_states(structure: SequenceStructure) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the options and arrays of a file from which `load_states` makes the states again."""
    states = structure.states
    if states is None:
        return {}, {}
    options: dict[str, Any] = {"histories": "all" if states.complete else "seen"}
    arrays: dict[str, Array] = {}
    if not states.complete:
        table = np.full((len(states.contexts), structure.order), -1, dtype=np.int32)
        for row, context in zip(table, states.contexts):
            row[: len(context)] = context
        arrays["contexts"] = table
    if states.automaton is not None:
        options["automaton"] = list(states.automaton.names)
        arrays["automaton"] = states.automaton.table
        arrays["automaton_ends"] = states.automaton.accepting.astype(np.uint8)
    return options, arrays


def load_states(file: ModelFile, structure: SequenceStructure) -> SequenceStructure:
    """Return the structure of a file with its states; FormatError if they are damaged."""
    kind = file.options.get("histories")
    if kind is None:
        return structure
    n, order = len(structure.labels), structure.order
    automaton, contexts = None, None
    try:
        if "automaton" in file.options:
            names = tuple(map(str, list(file.options["automaton"])))
            table = np.asarray(file.arrays["automaton"], dtype=np.int32)
            ends = np.asarray(file.arrays["automaton_ends"]).astype(bool)
            good = table.shape == (len(names), n) and ends.shape == (len(names),) and len(names) > 0
            if not good or table.min(initial=0) < -1 or table.max(initial=0) >= len(names):
                raise ValueError("its automaton does not fit its labels")
            automaton = Automaton(structure.labels, table, ends, names)
        if kind == "seen":
            contexts = _contexts(np.asarray(file.arrays["contexts"]), n, order)
        return replace(structure, states=LabelStates.grown(n, order, contexts, automaton, ends_of(structure)))
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"damaged model: the histories of its labels: {error}", path=file.path) from None


def _contexts(table: NDArray[Any], n: int, order: int) -> list[Context]:
    if table.ndim != 2 or table.shape[1] != order or table.dtype.kind != "i" or table.max(initial=0) >= n:
        raise ValueError("its contexts do not fit its labels")
    return [tuple(y for y in row if y >= 0) for row in table.tolist()]


def _refuse_unaccepted(automaton: Automaton, ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
    """Raise a ValueError if the labels of a sentence, as far as they are known, are not accepted."""
    table = automaton.table.tolist()
    accepting = automaton.accepting.tolist()
    bad = []
    for i, (begin, end) in enumerate(zip(offsets[:-1].tolist(), offsets[1:].tolist())):
        state = 0
        for y in ids[begin:end].tolist():
            state = table[state][y] if y >= 0 else -2
            if state < 0:
                break
        if state == -1 or (state >= 0 and not accepting[state]):
            bad.append(i)
    if bad:
        raise ValueError(
            f"The automaton does not accept the labels of {len(bad)} training sentences, the first of which is "
            f"sentence {bad[0] + 1}. Take one that accepts them, such as @count in place of @at-most."
        )
