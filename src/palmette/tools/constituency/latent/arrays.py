"""Latent grammars in a model file: what is written, and how it is checked when it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette.tools.constituency.latent.grammar import GrammarWeights, Rules
from palmette.tools.constituency.latent.lexicon import DEPTH, LexiconTables, WordContexts
from palmette.tools.constituency.latent.trees import Symbol, UnaryRule


@dataclass(frozen=True, eq=False)
class LatentFile:
    """Everything of a model but its options of search."""

    rules: Rules
    lexicon: LexiconTables
    smoothing: float
    members: tuple[GrammarWeights, ...]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The numbers."""
        words = self.lexicon
        found: dict[str, NDArray[Any]] = {
            "is_tag": np.array([symbol.is_tag for symbol in self.rules.symbols], dtype=np.uint8),
            "rules": np.ascontiguousarray(self.rules.binary.ravel()),
            "unary_rules": np.array([rule[:2] for rule in self.rules.unary], dtype=np.int32).ravel(),
            "context_begin": words.begin,
            "context_tag": words.tag,
            "context_total": words.total,
            "strength": words.strength,
        }
        for k, member in enumerate(self.members):
            found |= member.arrays(f"{k}.")
        return found

    def strings(self) -> dict[str, Sequence[str]]:
        """The tables of strings."""
        return {
            "symbols": [symbol.label for symbol in self.rules.symbols],
            "between": [" ".join(rule.between) for rule in self.rules.unary],
            "contexts": self.lexicon.contexts.names,
        }

    def settings(self) -> dict[str, Any]:
        """The numbers of things."""
        return {
            "grammars": len(self.members),
            "levels": len(self.members[0].levels),
            "word_smoothing": self.smoothing,
            "horizontal": self.rules.horizontal,
            "leftward": self.rules.leftward,
        }

    @classmethod
    def restored(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        strings: Mapping[str, Sequence[str]],
        settings: Mapping[str, Any],
    ) -> Self:
        """What a file has; ValueError if something is missing or does not fit."""
        labels, between, contexts = (_strings(strings, name) for name in ("symbols", "between", "contexts"))
        is_tag = _array(arrays, "is_tag", np.uint8, len(labels))
        symbols = tuple(Symbol(label, bool(tag)) for label, tag in zip(labels, is_tag))
        binary = _array(arrays, "rules", np.int32).reshape(-1, 3)
        ends = _array(arrays, "unary_rules", np.int32, 2 * len(between)).reshape(-1, 2)
        for numbers in (binary, ends):
            if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(symbols):
                raise ValueError("a rule of the grammar has a symbol that is not there.")
        chains = zip(ends.tolist(), between)
        unary = tuple(UnaryRule(upper, lower, tuple(labels.split())) for (upper, lower), labels in chains)
        for kind, found in (
            ("symbol", symbols),
            ("rule", tuple(map(tuple, binary.tolist()))),
            ("rule", unary),
        ):
            if len(set(found)) != len(found):
                raise ValueError(f"a {kind} of the grammar is there twice.")
        horizontal, leftward = settings.get("horizontal"), settings.get("leftward")
        if not isinstance(horizontal, int) or horizontal < 0 or not isinstance(leftward, bool):
            raise ValueError("the settings 'horizontal' and 'leftward' say how trees were binarized.")
        rules = Rules(symbols, binary, unary, horizontal, leftward)
        if len(set(contexts)) != len(contexts) or not all(contexts):
            raise ValueError("the contexts of words need different names.")
        lexicon = LexiconTables(
            WordContexts(contexts),
            _array(arrays, "context_begin", np.int32, len(contexts) + 1),
            _array(arrays, "context_tag", np.int32),
            _finite(_array(arrays, "context_total", np.float32, len(contexts))),
            _finite(_array(arrays, "strength", np.float32, DEPTH)),
            np.flatnonzero(is_tag).astype(np.int32),
        )
        tags = lexicon.tag
        if not len(lexicon.tags) or (tags.size and not 0 <= tags.min() <= tags.max() < len(symbols)):
            raise ValueError("the lexicon needs tags that are symbols of the grammar.")
        grammars, levels = (_whole(settings, name, most) for name, most in (("grammars", 64), ("levels", 16)))
        smoothing = settings.get("word_smoothing")
        if not isinstance(smoothing, int | float) or not 0 <= smoothing <= 1:
            raise ValueError("the setting 'word_smoothing' must be a number from 0 to 1.")
        members = tuple(
            GrammarWeights.restored(arrays, f"{k}.", rules, tags, levels) for k in range(grammars)
        )
        return cls(rules, lexicon, float(smoothing), members)


def _strings(strings: Mapping[str, Sequence[str]], name: str) -> Sequence[str]:
    if name not in strings:
        raise ValueError(f"the table of strings {name!r} is missing.")
    return strings[name]


def _array(
    arrays: Mapping[str, NDArray[Any]], name: str, dtype: Any, size: int | None = None
) -> NDArray[Any]:
    found = arrays.get(name)
    if found is None or found.dtype != dtype or found.ndim != 1 or (size is not None and found.size != size):
        raise ValueError(f"the array {name!r} is missing or has the wrong shape.")
    if name == "rules" and found.size % 3:
        raise ValueError("binary rules have three symbols each.")
    return np.ascontiguousarray(found)


def _finite(values: NDArray[Any]) -> NDArray[Any]:
    if values.size and not (np.isfinite(values).all() and values.min() >= 0):
        raise ValueError("counts of words must be finite and not below zero.")
    return values


def _whole(settings: Mapping[str, Any], name: str, most: int) -> int:
    value = settings.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise ValueError(f"the setting {name!r} must be an int from 1 to {most}.")
    return value
