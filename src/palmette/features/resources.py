"""What templates may ask beside the corpus: gazetteers, clusters and functions of the user's own.

A gazetteer is a list of strings. One whose strings are single words gives `1` for the words it has. One with
strings of several words (separated by blanks) is laid over the sentence: leftmost, longest, `B` on the first
word of a match and `I` on the others. Words must agree with the list to the letter.

Clusters map words to names of clusters, for Brown clusters bit strings; `cluster:NAME/4` is the first four signs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from palmette._native import FeatureValues
from palmette.features.attributes import is_attribute

UserFunction = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Resources:
    """Gazetteers, clusters and functions by their names."""

    gazetteers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    clusters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    functions: Mapping[str, UserFunction] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        gazetteers: Mapping[str, Iterable[str]] | None,
        clusters: Mapping[str, Mapping[str, str]] | None,
        functions: Mapping[str, UserFunction] | None,
    ) -> Resources:
        """The resources, checked."""
        lists = {name: _entries(name, strings) for name, strings in (gazetteers or {}).items()}
        for name, mapping in (clusters or {}).items():
            if not all(isinstance(word, str) and isinstance(to, str) for word, to in mapping.items()):
                raise TypeError(f"Clusters {name!r} must map strings to strings.")
        for name, function in (functions or {}).items():
            if not callable(function):
                raise TypeError(f"Function {name!r} must be callable. Got {function!r} instead.")
            if name in ("w", "y", "bias") or is_attribute(name):
                raise ValueError(f"A function cannot be named {name!r}: the name is taken.")
        return cls(lists, {k: dict(v) for k, v in (clusters or {}).items()}, dict(functions or {}))

    def known(self, name: str) -> bool:
        """Whether a name is that of an attribute; ValueError if it asks for a resource that is not there."""
        kind, colon, rest = name.partition(":")
        if colon and kind == "gaz":
            if rest not in self.gazetteers:
                raise ValueError(f"there is no gazetteer {rest!r}: {_there_are(self.gazetteers)}")
            return True
        if colon and kind == "cluster":
            cluster, slash, bits = rest.rpartition("/")
            if not slash or not bits.isdecimal():
                cluster, bits = rest, ""
            if cluster not in self.clusters:
                raise ValueError(f"there are no clusters {cluster!r}: {_there_are(self.clusters)}")
            if bits and not 0 < int(bits) <= 1000:
                raise ValueError(f"{name!r} takes {bits} signs of a cluster's name: take 1 to 1000")
            return True
        return name in self.functions or is_attribute(name)

    def cluster_values(self, name: str, strings: list[str]) -> FeatureValues:
        """The clusters `NAME` or `NAME/LENGTH` of every string."""
        cluster, slash, bits = name.rpartition("/")
        if not slash or not bits.isdecimal():
            cluster, bits = name, ""
        of = self.clusters[cluster].get
        found = [of(string) for string in strings]
        if bits:
            found = [None if one is None else one[: int(bits)] for one in found]
        return FeatureValues.of(found)

    def has_phrases(self, gazetteer: str) -> bool:
        """Whether a gazetteer has strings of several words."""
        return any(" " in entry for entry in self.gazetteers[gazetteer])


def phrase_matches(
    entries: frozenset[str], ids: NDArray[np.int32], strings: list[str], offsets: NDArray[np.int64]
) -> NDArray[np.int32]:
    """0 for the first word of a match, 1 for the others, 2 for no match; leftmost longest, in each sentence.

    Only words that begin an entry are looked at in a loop.
    """
    lengths: dict[str, list[int]] = {}
    for entry in entries:
        words = entry.split(" ")
        lengths.setdefault(words[0], []).append(len(words))
    tries = {word: sorted(set(of), reverse=True) for word, of in lengths.items()}
    begins = np.fromiter((string in tries for string in strings), dtype=bool, count=len(strings))
    out = np.full(len(ids), 2, dtype=np.int32)
    places = np.flatnonzero(begins[ids]) if len(ids) else np.zeros(0, dtype=np.int64)
    ends = offsets[np.searchsorted(offsets, places, side="right")]
    done = 0
    for place, end in zip(places.tolist(), ends.tolist()):
        if place < done:
            continue
        for n in tries[strings[ids[place]]]:
            if place + n <= end and " ".join([strings[i] for i in ids[place : place + n]]) in entries:
                out[place], out[place + 1 : place + n] = 0, 1
                done = place + n
                break
    return out


def _entries(name: str, strings: Iterable[str]) -> frozenset[str]:
    if isinstance(strings, str):
        raise TypeError(f"Gazetteer {name!r} must be a list of strings. Got the string {strings!r} instead.")
    entries = frozenset(strings)
    for entry in entries:
        if not isinstance(entry, str):
            raise TypeError(f"Gazetteer {name!r} must be a list of strings. It has {entry!r}.")
    return frozenset(" ".join(entry.split()) for entry in entries) - {""}


def _there_are(named: Mapping[str, object]) -> str:
    return f"there are {', '.join(sorted(named))}" if named else "none were given"
