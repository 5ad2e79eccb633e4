"""A lexicalised model as arrays, strings and settings of a model file, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.tools.constituency.lexicalized.options import OWNER, LexicalizedOptions
from palmette.tools.constituency.lexicalized.trees import Labels
from palmette.tools.constituency.lexicalized.words import Words
from palmette.tools.constituency.model import Arrays
from palmette.transforms.heads import ENGLISH, HeadRule, HeadRules, generic_rules, is_english
from palmette.transforms.semantic_heads import Giving
from palmette.trees.tree import Tree

# In the order in which the native model gives and takes them.
COUNTS = (
    "rows",
    "key",
    "lengths",
    "outcome",
    "count",
    "pairs",
    "lasts",
    "tag_probability",
    "word_probability",
)
_TYPES = (np.int64, np.uint64, np.int64, np.int32, np.float32, np.int32, np.int32, np.float32, np.float32)


_SIDES = ("left", "right")


def rules_of(heads: str, trees: Sequence[Tree], labels: Labels) -> HeadRules:
    """The rules of a name; `auto` is English for the labels of the Penn treebank, else what the trees show."""
    if heads == "english" or (heads == "auto" and is_english(labels.numbers)):
        return ENGLISH
    return generic_rules(trees)


def arrays_of(native: _native.LexicalizedModel, labels: Labels, words: Words) -> Arrays:
    """The counts, the heights of labels, and how often words were written."""
    arrays: Arrays = dict(zip(COUNTS, native.counts(), strict=True))
    arrays["heights"] = labels.heights
    arrays["written"] = np.array(list(words.written.values()), dtype=np.int32)
    return arrays


def strings_of(
    labels: Labels, words: Words, rules: HeadRules, giving: frozenset[Giving], options: LexicalizedOptions
) -> dict[str, Sequence[str]]:
    """Tables of strings; the rules of heads as `label child child …` unless they are the English ones.

    With two heads also those of semantic heads, as `label head-child child side`.
    """
    lines = (
        [] if rules is ENGLISH else ["\t".join((label, *rule.labels)) for label, rule in rules.rules.items()]
    )
    semantic = ["\t".join((*rule[:3], _SIDES[rule.right])) for rule in sorted(giving)]
    return {
        **({"semantic_heads": semantic} if options.two_heads else {}),
        "labels": labels.names,
        "tags": [name for name in labels.names if name in labels.tags],
        "words": list(words.words),
        "written": list(words.written),
        "features": list(words.features),
        "heads": lines,
    }


def settings_of(options: LexicalizedOptions, widest: int) -> dict[str, Any]:
    """The options, and the most children that a root had."""
    return {"options": options.to_dict(), "widest": widest}


def restored(
    arrays: Mapping[str, NDArray[Any]],
    strings: Mapping[str, Sequence[str]],
    settings: Mapping[str, Any],
) -> tuple[Labels, Words, HeadRules, frozenset[Giving], LexicalizedOptions, int]:
    """All but the counts, which the native model checks itself; ValueError if something is amiss."""
    for name, kind in zip((*COUNTS, "heights", "written"), (*_TYPES, np.float32, np.int32), strict=True):
        if name not in arrays or arrays[name].dtype != kind or arrays[name].ndim != 1:
            raise ValueError(f"a model file without its {name!r}, or with one of another type")
    for name in ("labels", "tags", "words", "written", "features", "heads"):
        if name not in strings:
            raise ValueError(f"a model file without its {name!r}")
        if name != "heads" and len(set(strings[name])) != len(strings[name]):
            raise ValueError(f"a model file with the same string twice among its {name!r}")
    names = list(strings["labels"])
    if len(arrays["heights"]) != len(names) or not set(strings["tags"]) <= set(names):
        raise ValueError("a model file whose labels do not fit their tags and heights")
    if not np.isfinite(arrays["heights"]).all():
        raise ValueError("a model file with heights of labels that are not numbers")
    if len(arrays["written"]) != len(strings["written"]):
        raise ValueError("a model file whose words do not fit their numbers")
    labels = Labels(names, strings["tags"], arrays["heights"].tolist())
    if missing := {labels.plain[i] for i, name in enumerate(names) if name not in labels.tags} - set(names):
        raise ValueError(f"a model file without the label {min(missing)!r}")
    written = dict(zip(strings["written"], arrays["written"].tolist(), strict=True))
    words = Words(strings["words"], written, strings["features"])
    widest, options = settings.get("widest"), settings.get("options")
    if not isinstance(widest, int) or not isinstance(options, Mapping):
        raise ValueError("a model file without its options")
    chosen = LexicalizedOptions.of(options, OWNER)
    if chosen.two_heads and "semantic_heads" not in strings:
        raise ValueError("a model file without its 'semantic_heads'")
    giving = _giving(strings["semantic_heads"]) if chosen.two_heads else frozenset[Giving]()
    return labels, words, _rules(strings["heads"]), giving, chosen, widest


def _giving(lines: Sequence[str]) -> frozenset[Giving]:
    found = []
    for line in lines:
        parts = line.split("\t")
        if len(parts) != 4 or parts[3] not in _SIDES:
            raise ValueError(f"a model file with the rule of semantic heads {line!r}")
        found.append(Giving(parts[0], parts[1], parts[2], parts[3] == "right"))
    return frozenset(found)


def _rules(lines: Sequence[str]) -> HeadRules:
    if not lines:
        return ENGLISH
    rules = {}
    for line in lines:
        label, *children = line.split("\t")
        rules[label] = HeadRule(tuple(children))
    return HeadRules(rules, conjunctions=ENGLISH.conjunctions)
