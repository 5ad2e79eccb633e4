"""An LCFRS with states as the arrays and strings of a model file, and back, with everything checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.grammars.lcfrs_table import LcfrsTable
from palmette.tools.constituency.model import Arrays
from palmette.tools.constituency.plcfrs.suffix_lexicon import CountRows, SuffixLexicon
from palmette.tools.constituency.plcfrs.training import StateGrammar

_TABLE: dict[str, Any] = {
    "fan_out": np.int32,
    "tags": np.bool_,
    "parent": np.int32,
    "left": np.int32,
    "right": np.int32,
    "yield_code": np.uint64,
    "weight": np.float64,
    "unary_parent": np.int32,
    "unary_child": np.int32,
    "unary_weight": np.float64,
}


def packed(table: LcfrsTable, grammars: Sequence[StateGrammar]) -> tuple[Arrays, dict[str, Sequence[str]]]:
    """The arrays and the strings."""
    arrays: Arrays = {name: getattr(table, name) for name in _TABLE}
    arrays["tags"] = table.tags.astype(np.uint8)
    arrays["yield_code"] = table.yield_code.view(np.int64)
    for g, grammar in enumerate(grammars):
        lexicon = grammar.lexicon
        arrays |= {f"states{g}": grammar.states, f"binary{g}": grammar.binary, f"unary{g}": grammar.unary}
        arrays[f"totals{g}"] = lexicon.totals
        for kind, rows in (("word", lexicon.word_counts), ("shape", lexicon.shape_counts)):
            arrays |= {f"{kind}_first{g}": rows.first, f"{kind}_columns{g}": rows.columns}
            arrays[f"{kind}_values{g}"] = rows.values
    lexicon = grammars[0].lexicon
    return arrays, {"symbols": table.names, "words": list(lexicon.words), "shapes": list(lexicon.shapes)}


def unpacked(
    arrays: Mapping[str, NDArray[Any]], strings: Mapping[str, Sequence[str]], settings: Mapping[str, Any]
) -> tuple[LcfrsTable, list[StateGrammar]]:
    """What was packed; ValueError for what is missing or does not fit. Rules are checked by the native parser."""

    def array(name: str, kind: Any) -> NDArray[Any]:
        if name not in arrays:
            raise ValueError(f"the array {name!r} is missing.")
        found = arrays[name]
        if found.ndim != 1 or found.dtype != kind:
            raise ValueError(f"the array {name!r} must be a row of {np.dtype(kind)}.")
        return np.ascontiguousarray(found)

    for name in ("symbols", "words", "shapes"):
        if name not in strings:
            raise ValueError(f"the table of {name} is missing.")
    symbols, words, shapes = (tuple(strings[name]) for name in ("symbols", "words", "shapes"))
    read = {name: array(name, kind) for name, kind in _TABLE.items() if name not in ("tags", "yield_code")}
    read["tags"] = array("tags", np.uint8).astype(np.bool_)
    read["yield_code"] = array("yield_code", np.int64).view(np.uint64)
    root, n_grammars = settings.get("root"), settings.get("grammars")
    known, backoff = settings.get("known"), settings.get("backoff")
    if (
        not isinstance(root, int)
        or not isinstance(n_grammars, int)
        or not 0 <= root < len(symbols)
        or n_grammars < 1
    ):
        raise ValueError("the root, or the number of grammars, is missing or out of range.")
    if not all(isinstance(value, int | float) and 0 < value < 1e9 for value in (known, backoff)):
        raise ValueError("the strengths of the lexicon are missing or out of range.")
    if not len(symbols) == len(read["fan_out"]) == len(read["tags"]) or not read["tags"].any():
        raise ValueError("the symbols, their fan-outs and tags differ in number.")
    if (read["fan_out"][read["tags"]] != 1).any():
        raise ValueError("a tag has more than one segment.")
    table = LcfrsTable(symbols, root=root, **read)
    grammars = []
    for g in range(n_grammars):
        states = array(f"states{g}", np.int32)
        if len(states) != len(symbols) or (states < 1).any() or (states > 1024).any():
            raise ValueError("the numbers of states do not fit the symbols.")
        totals = array(f"totals{g}", np.float64)
        width = int(states[table.tags].sum())
        if len(totals) != width or not (
            np.isfinite(totals).all() and (totals >= 0).all() and totals.sum() > 0
        ):
            raise ValueError("the counts of tags do not fit the states.")
        rows = []
        for kind, names in (("word", words), ("shape", shapes)):
            row = CountRows(
                array(f"{kind}_first{g}", np.int64),
                array(f"{kind}_columns{g}", np.int32),
                array(f"{kind}_values{g}", np.float32),
            )
            row.check(len(names), width)
            rows.append(row)
        lexicon = SuffixLexicon(
            {word: i for i, word in enumerate(words)},
            rows[0],
            {shape: i for i, shape in enumerate(shapes)},
            rows[1],
            totals,
            float(known),  # type: ignore[arg-type]
            float(backoff),  # type: ignore[arg-type]
        )
        grammars.append(
            StateGrammar(states, array(f"binary{g}", np.float32), array(f"unary{g}", np.float32), lexicon)
        )
    return table, grammars
