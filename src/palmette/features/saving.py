"""Maps of attributes in model files: keys, names, templates and what templates ask for.

What a map needs is under names that begin with `features`, beside the arrays and tables of the tool itself:

    options["features"]    kind, hash_bits; the templates' text and the names of their resources
    features.keys, features.pair_keys    64-bit keys in the order of the ids
    features.names, features.pair_names  strings, if they were wanted (those of mappings always)
    features.named         the ids of the attributes that have a name in features.names, if only some have
    features.gazetteer.0 …, features.cluster.0.words, features.cluster.0.names …
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette._native import FeatureTable, NameTable
from palmette.errors import FormatError
from palmette.features.checks import MAX_BITS
from palmette.features.feature_map import FeatureMap
from palmette.features.mappings import MappingMap
from palmette.features.matrices import MatrixMap
from palmette.features.resources import UserFunction
from palmette.features.templates import Templates
from palmette.features.word_classes import WordClasses
from palmette.formats.model import ModelFile
from palmette.formats.model.safetensors import Array
from palmette.formats.model.strict_json import Json
from palmette.formats.model.strings import StringTable

AnyMap = FeatureMap | MappingMap | MatrixMap | WordClasses


@dataclass(frozen=True, slots=True)
class SavedFeatures:
    """What goes into a `ModelFile`: options under "features", and arrays and tables named `features.…`."""

    options: dict[str, Json]
    arrays: dict[str, Array]
    strings: dict[str, Sequence[str]]


def save_features(
    feature_map: AnyMap, *, names: bool = True, named: NDArray[np.int64] | None = None
) -> SavedFeatures:
    """Return a map as the parts of a model file.

    Names of attributes by templates can be left out, since they only explain; `named` are then the ids of those
    attributes that keep theirs.

    Functions of the user cannot be in a file: only their names do, and `load_features` asks for them.
    """
    if isinstance(feature_map, MatrixMap):
        options: dict[str, Json] = {"kind": "matrices", "n_attributes": feature_map.n_attributes}
        return SavedFeatures({"features": options}, {}, {})
    if isinstance(feature_map, MappingMap):
        options = {"kind": "mappings", "hash_bits": feature_map.hash_bits}
        kept = {} if feature_map.hash_bits is not None else {"features.names": feature_map.name_table()}
        return SavedFeatures({"features": options}, {}, dict(kept))
    if isinstance(feature_map, WordClasses):
        options, tables = feature_map.to_arrays()
        own = {f"features.{name}": table for name, table in tables.items()}
        return SavedFeatures({"features": {"kind": "words", **options}}, {}, dict(own))
    templates = feature_map.templates
    resources = templates.resources
    options = {
        "kind": "templates",
        "hash_bits": feature_map.hash_bits,
        "templates": templates.text,
        "gazetteers": list(resources.gazetteers),
        "clusters": list(resources.clusters),
        "functions": list(resources.functions),
        "names": names and feature_map.hash_bits is None,
    }
    arrays: dict[str, Array] = {}
    strings: dict[str, Sequence[str]] = {}
    if feature_map.hash_bits is None:
        for prefix, pairs in (("", False), ("pair_", True)):
            arrays[f"features.{prefix}keys"] = feature_map.keys(pairs=pairs)
            if names:
                strings[f"features.{prefix}names"] = feature_map.name_table(pairs=pairs)
        if not names and named is not None:
            known = named[feature_map.is_named(named)]
            arrays["features.named"] = known.astype("<u4")
            strings["features.names"] = feature_map.name_table(known)
    for i, entries in enumerate(resources.gazetteers.values()):
        strings[f"features.gazetteer.{i}"] = sorted(entries)
    for i, clusters in enumerate(resources.clusters.values()):
        words = sorted(clusters)
        strings[f"features.cluster.{i}.words"] = words
        strings[f"features.cluster.{i}.names"] = [clusters[word] for word in words]
    return SavedFeatures({"features": options}, arrays, strings)


def has_functions(model: ModelFile) -> bool:
    """Whether the features of a model need functions of its user, which a file cannot hold."""
    options = model.options.get("features")
    return isinstance(options, dict) and bool(options.get("functions"))


def load_features(model: ModelFile, functions: Mapping[str, UserFunction] | None = None) -> AnyMap:
    """The map of a model file; FormatError if it is damaged, ValueError if it lacks functions it needs."""
    options = model.options.get("features")
    if not isinstance(options, dict):
        raise model.damaged("it has no features")
    kind = options.get("kind")
    bits = options.get("hash_bits")
    if bits is not None and (
        not isinstance(bits, int) or isinstance(bits, bool) or not 1 <= bits <= MAX_BITS
    ):
        raise model.damaged("its hash_bits are not a number of bits")
    if kind == "matrices":
        n = options.get("n_attributes")
        if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n < 1 << 31:
            raise model.damaged("its number of attributes is not one")
        return MatrixMap(n)
    if kind == "mappings":
        if bits is not None:
            return MappingMap(NameTable(), bits)
        try:
            return MappingMap.of_names(_strings(model.table("features.names")))
        except FormatError:
            raise
        except ValueError as error:
            raise model.damaged(f"the names of its attributes: {error}") from error
    if kind == "words":
        return _word_classes(model, options)
    if kind != "templates":
        raise model.damaged("its features are of no known kind")
    templates = _templates(model, options, functions or {})
    if bits is not None:
        return FeatureMap(templates, FeatureTable(), FeatureTable(), bits)
    made = FeatureMap(templates, _table(model, "features.keys"), _table(model, "features.pair_keys"))
    if not templates.pairs and made.n_pair_attributes:
        raise model.damaged("it has pair attributes and no templates for them")
    if options.get("names") is True:
        made.set_names(
            _strings(model.table("features.names", made.n_attributes)),
            _strings(model.table("features.pair_names", made.n_pair_attributes)),
        )
    elif "features.named" in model.arrays:
        ids = model.indices("features.named", np.dtype("<u4"), [None], made.n_attributes)
        made.set_some_names(ids.tolist(), model.table("features.names", len(ids)))
    return made


def _word_classes(model: ModelFile, options: Mapping[str, Json]) -> WordClasses:
    tables = {name: _strings(model.table(f"features.{name}")) for name in ("words", "suffixes")}
    kept = {name: value for name, value in options.items() if value is None or isinstance(value, int | str)}
    try:
        return WordClasses.from_arrays(kept, tables)
    except FormatError:
        raise
    except ValueError as error:
        raise model.damaged(f"its words: {error}") from error


def _strings(table: Sequence[str]) -> StringTable:
    """A table of a file as it is: it is not read before a name is wanted."""
    return table if isinstance(table, StringTable) else StringTable.of(table)


def _table(model: ModelFile, name: str) -> FeatureTable:
    try:
        return FeatureTable.of(np.ascontiguousarray(model.array(name, np.uint64, [None])))
    except FormatError:
        raise
    except ValueError as error:
        raise model.damaged(f"array {name!r}: {error}") from error


def _templates(
    model: ModelFile, options: Mapping[str, Json], functions: Mapping[str, UserFunction]
) -> Templates:
    text = options.get("templates")
    if not isinstance(text, str):
        raise model.damaged("it has no templates")
    missing = [name for name in _name_list(model, options, "functions") if name not in functions]
    if missing:
        raise ValueError(
            f"The model uses functions of its author's, which a file cannot hold: give them again as "
            f"functions={{{', '.join(f'{name!r}: …' for name in missing)}}}."
        )
    gazetteers = {
        name: list(model.table(f"features.gazetteer.{i}"))
        for i, name in enumerate(_name_list(model, options, "gazetteers"))
    }
    clusters = {}
    for i, name in enumerate(_name_list(model, options, "clusters")):
        words = model.table(f"features.cluster.{i}.words")
        clusters[name] = dict(zip(words, model.table(f"features.cluster.{i}.names", len(words))))
    try:
        used = {name: functions[name] for name in _name_list(model, options, "functions")}
        return Templates(text, gazetteers=gazetteers, clusters=clusters, functions=used, path=model.path)
    except (TypeError, ValueError) as error:
        raise model.damaged(f"its templates: {error}") from error


def _name_list(model: ModelFile, options: Mapping[str, Json], key: str) -> list[str]:
    names = options.get(key)
    if not isinstance(names, list) or len(set(map(str, names))) != len(names):
        raise model.damaged(f"its {key} are not a list of names")
    checked = [name for name in names if isinstance(name, str)]
    if len(checked) != len(names):
        raise model.damaged(f"its {key} are not a list of names")
    return checked
