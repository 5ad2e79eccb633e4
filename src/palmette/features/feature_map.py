"""Attributes and their ids: what templates found in a training corpus, and the same for other corpora.

An attribute is known by a 64-bit key, mixed from its template and the values that this saw; two attributes share
a key with a probability of n²/2⁶⁵ for n of them. Fitting and transforming are O(tokens · templates) and build no
string; a name is written when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette import _native
from palmette._native import FeatureTable, FeatureValues, SparseRows
from palmette.features.checks import check_bits, check_ids, check_min_count
from palmette.features.instances import Instances
from palmette.features.templates import NativeTemplates, Templates
from palmette.features.views import View, build_views
from palmette.formats.corpus import Corpus
from palmette.formats.model.strings import StringTable


class FeatureMap:
    """The attributes of a training corpus by templates. Make one with `FeatureMap.fit`.

    n_attributes, n_pair_attributes: how many there are, without and with the previous label.

    >>> corpus = Corpus.from_columns({"form": [["a", "b", "a"]]})
    >>> feature_map, instances = FeatureMap.fit(Templates("w[0]"), corpus, min_count=2)
    >>> feature_map.names(), instances.rows.tolist()
    (['w[0]=a'], [0, 1, 1, 2])
    >>> feature_map.transform(Corpus.from_columns({"form": [["c", "a"]]})).attributes.tolist()
    [0]
    """

    def __init__(
        self, templates: Templates, unary: FeatureTable, pairs: FeatureTable, hash_bits: int | None = None
    ) -> None:
        self.templates = templates
        self.hash_bits = hash_bits
        self._unary, self._pairs = unary, pairs
        self._values: list[FeatureValues] = []  # of the training corpus, for names
        self._names: tuple[StringTable | None, StringTable | None] = (None, None)  # that were saved
        self._some_names: dict[int, str] = {}  # if only some were

    @classmethod
    def fit(
        cls, templates: Templates, corpus: Corpus, *, min_count: int = 1, hash_bits: int | None = None
    ) -> tuple[FeatureMap, Instances]:
        """The map of a corpus, and its instances.

        min_count: attributes that come less often are left out; the others keep their order.
        hash_bits: no map is kept; an attribute's id is the first bits of its key, so some share one.
        """
        check_min_count(min_count, hash_bits)
        if hash_bits is not None:
            check_bits(hash_bits)
        made = cls(templates, FeatureTable(), FeatureTable(), hash_bits)
        if hash_bits is not None:
            return made, made.transform(corpus)
        views = build_views(corpus, templates.sources, templates.resources)
        made._values = [values for _, values in views]
        unary = made._unary.grow(corpus.offsets, views, templates.native[0], min_count)
        pairs = None
        if templates.pairs:
            pairs = made._pairs.grow(corpus.offsets, views, templates.native[1], min_count)
        return made, made._instances(corpus, unary, pairs)

    @property
    def n_attributes(self) -> int:
        """How many attributes there are."""
        return len(self._unary) if self.hash_bits is None else 1 << self.hash_bits

    @property
    def n_pair_attributes(self) -> int:
        """How many there are with the previous label."""
        if self.hash_bits is None:
            return len(self._pairs)
        return 1 << self.hash_bits if self.templates.pairs else 0

    def transform(self, corpus: Corpus) -> Instances:
        """The tokens of a corpus in the attributes of this map; others are left out."""
        views = build_views(corpus, self.templates.sources, self.templates.resources)
        unary = self._looked_up(self._unary, corpus, views, self.templates.native[0])
        pairs = None
        if self.templates.pairs:
            pairs = self._looked_up(self._pairs, corpus, views, self.templates.native[1])
        return self._instances(corpus, unary, pairs)

    def token_scores(
        self, corpus: Corpus, weights: NDArray[np.float32] | SparseRows, stride: int, n_jobs: int = 1
    ) -> NDArray[np.float32]:
        """Return the sum of each token's rows of weights, [tokens · stride], faster than by `transform`.

        Only for maps that keep their keys (no hashing); pair attributes are not in it.
        """
        views = build_views(corpus, self.templates.sources, self.templates.resources)
        native = self.templates.native[0]
        if isinstance(weights, SparseRows):
            return self._unary.score_tokens_sparsely(corpus.offsets, views, native, weights, n_jobs)
        return self._unary.score_tokens(corpus.offsets, views, native, weights, stride, n_jobs)

    def names(self, ids: ArrayLike | None = None) -> list[str]:
        """The names of attributes, as in `w[-1]|w[0]=New|York`: of all, or of those with the given ids."""
        return list(self.name_table(ids))

    def pair_names(self, ids: ArrayLike | None = None) -> list[str]:
        """The names of attributes that are conjoined with the previous label."""
        return list(self.name_table(ids, pairs=True))

    def name_table(self, ids: ArrayLike | None = None, *, pairs: bool = False) -> StringTable:
        """The names as a table of strings, which costs no Python object per name."""
        n = self.n_pair_attributes if pairs else self.n_attributes
        chosen = check_ids(ids, n)
        saved, table = self._names[pairs], self._pairs if pairs else self._unary
        if not len(chosen):
            return StringTable.of([])
        if saved is not None:
            return saved if ids is None else StringTable.of(saved[int(i)] for i in chosen)
        if self.hash_bits is not None or not table.has_origins:
            kind = "hash" if self.hash_bits is not None else "attribute"
            some = {} if pairs else self._some_names
            return StringTable.of(some.get(i, f"{kind}:{i}") for i in chosen.tolist())
        templates = self.templates.pairs if pairs else self.templates.unary
        literals = [list(template.literals) for template in templates]
        text, offsets = table.names(self.templates.native[pairs], literals, self._values, chosen)
        return StringTable(np.frombuffer(text, np.uint8), offsets)

    @property
    def has_names(self) -> bool:
        """Whether attributes can be named: not those of hashing, nor of a model that was saved without names."""
        return self._names[0] is not None or (self.hash_bits is None and self._unary.has_origins)

    def ids_of(self, keys: NDArray[np.uint64], *, pairs: bool = False) -> NDArray[np.int64]:
        """The ids of attributes by their keys, -1 for those that the map does not have."""
        if self.hash_bits is not None:
            return (keys >> np.uint64(64 - self.hash_bits)).astype(np.int64)
        own = self.keys(pairs=pairs)
        order = np.argsort(own, kind="stable")
        at = np.minimum(np.searchsorted(own[order], keys), max(len(own) - 1, 0))
        if not len(own):
            return np.full(len(keys), -1, dtype=np.int64)
        return np.where(own[order][at] == keys, order[at], -1).astype(np.int64)

    def set_names(self, names: StringTable, pair_names: StringTable) -> None:
        """The names that were saved with the map, one per attribute."""
        if len(names) != self.n_attributes or len(pair_names) != self.n_pair_attributes:
            raise ValueError(
                f"There must be {self.n_attributes} names and {self.n_pair_attributes} of pairs."
            )
        self._names = (names, pair_names)

    def set_some_names(self, ids: Sequence[int], names: Sequence[str]) -> None:
        """Take the names of some attributes; the others have none."""
        self._some_names = dict(zip(ids, names))

    def is_named(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each id whether its attribute has a name."""
        if self.has_names:
            return np.ones(len(ids), dtype=bool)
        return np.array([i in self._some_names for i in ids.tolist()], dtype=bool)

    def keys(self, *, pairs: bool = False) -> NDArray[np.uint64]:
        """The 64-bit keys of the attributes, in the order of their ids."""
        return (self._pairs if pairs else self._unary).keys()

    def select(self, ids: ArrayLike, pair_ids: ArrayLike | None = None) -> FeatureMap:
        """The map of some attributes, which get the ids 0, 1 and so on: what a pruned model keeps.

        pair_ids: of those with the previous label; all of them without.
        """
        if self.hash_bits is not None:
            raise ValueError("A map by feature hashing has no attributes to choose from.")
        chosen = check_ids(ids, self.n_attributes)
        chosen_pairs = check_ids(pair_ids, self.n_pair_attributes)
        made = FeatureMap(self.templates, self._unary.select(chosen), self._pairs.select(chosen_pairs))
        made._values = self._values
        names, pair_names = self._names
        if names is not None and pair_names is not None:
            made._names = (self.name_table(chosen), self.name_table(chosen_pairs, pairs=True))
        places = {old: new for new, old in enumerate(chosen.tolist())} if self._some_names else {}
        made._some_names = {places[i]: name for i, name in self._some_names.items() if i in places}
        return made

    def __getstate__(self) -> dict[str, Any]:
        tables = [] if self.hash_bits is not None else [self.name_table(), self.name_table(pairs=True)]
        return {
            "templates": self.templates,
            "hash_bits": self.hash_bits,
            "keys": (self._unary.keys(), self._pairs.keys()),
            "names": [(table.utf8, table.offsets) for table in tables],
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        unary, pairs = map(FeatureTable.of, state["keys"])
        FeatureMap.__init__(self, state["templates"], unary, pairs, state["hash_bits"])
        if state["names"]:
            self.set_names(*(StringTable(*arrays) for arrays in state["names"]))

    def __repr__(self) -> str:
        pairs = f", {self.n_pair_attributes:,} with the previous label" if self.templates.pairs else ""
        return f"<FeatureMap: {len(self.templates)} templates, {self.n_attributes:,} attributes{pairs}>"

    def _looked_up(
        self, table: FeatureTable, corpus: Corpus, views: list[View], native: NativeTemplates
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        if self.hash_bits is None:
            return table.look_up(corpus.offsets, views, native)
        return _native.hash_features(self.hash_bits, corpus.offsets, views, native)

    def _instances(self, corpus: Corpus, unary: Any, pairs: Any) -> Instances:
        return Instances(
            corpus.offsets,
            unary[0],
            unary[1],
            None,
            None if pairs is None else pairs[0],
            None if pairs is None else pairs[1],
            None,
            self.n_attributes,
            self.n_pair_attributes,
        )
