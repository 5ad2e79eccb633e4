"""Sense taggers in model files.

options   method; own: its options; wordnet: the folder of the inventory, or null; training
strings   inventory.words: lemma, part of speech and senses between tabs; inventory.texts: sense, tab, definition;
          both without `wordnet`
parts     tagger, if tags are made
others    those of the model
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from palmette.formats.files import Source
from palmette.formats.model import ModelFile
from palmette.tools.senses.corpus import SenseSentence
from palmette.tools.senses.inventory import Inventory, ListedInventory, open_inventory
from palmette.tools.senses.methods import METHODS
from palmette.tools.senses.model import KIND
from palmette.tools.senses.wordnet import WordNet


@dataclass(frozen=True, eq=False)
class Trained:
    """A model with its inventory, and what makes tags, if anything does."""

    method: str
    model: Any
    inventory: Inventory
    tagger: Any
    training: Mapping[str, Any]

    def tags(self, sentences: Sequence[SenseSentence]) -> list[list[str]] | None:
        """Return the tags of the tagger; None without one."""
        if self.tagger is None:
            return None
        found: list[list[str]] = self.tagger.predict(
            [[token.form for token in one.tokens] for one in sentences]
        )
        return found


def sense_file(inside: Trained, training: Mapping[str, Any], fingerprint: str) -> ModelFile:
    """Return the content of a model file."""
    inventory = inside.inventory
    options: dict[str, Any] = {"method": inside.method, "training": dict(training), "wordnet": None}
    strings: dict[str, list[str]] = {}
    if isinstance(inventory, WordNet):
        options["wordnet"] = str(inventory.folder)
    elif isinstance(inventory, ListedInventory):
        strings["inventory.words"] = ["\t".join([*word, *own]) for word, own in inventory.words.items()]
        strings["inventory.texts"] = [f"{sense}\t{text}" for sense, text in inventory.texts.items()]
    else:
        raise ValueError(
            "a model file can hold WordNet and listed inventories, and no inventory of your own class"
        )
    file: ModelFile = inside.model.to_file(options, fingerprint)
    file = replace(file, strings={**file.strings, **strings})
    return file if inside.tagger is None else file.put("tagger", inside.tagger.to_model())


def load_senses(file: ModelFile, inventory: Inventory | Source | None = None) -> Trained:
    """The sense tagger of a file; inventory: in place of its own."""
    from palmette.tools.sequence.tagger import Tagger

    file.require_kind(KIND)
    method, training, own = (file.options.get(name) for name in ("method", "training", "own"))
    if not isinstance(method, str) or method not in METHODS:
        raise file.damaged(f"{method!r} is not a method of senses")
    if not isinstance(training, dict) or not isinstance(own, dict):
        raise file.damaged("its options or its training are not described")
    given = file.options.get("wordnet") if inventory is None else inventory
    with file.restoring():
        entry = METHODS[method]
        options = entry.options_class.of(own, f"The method {method!r}")
        part = file.part("tagger")
        tagger = None if part is None else Tagger.from_model(part)
        model = entry.model_class.of_file(file, options)
        listed = _listed(file) if given is None else None
    found = given if isinstance(given, Inventory) else listed if listed is not None else _opened(given)
    return Trained(method, model, found, tagger, training)


def _opened(given: Any) -> Inventory:
    if not isinstance(given, str) and not hasattr(given, "__fspath__"):
        raise ValueError(f"The inventory must be a folder or a file. Got {given!r:.60}.")
    return open_inventory(given) if Path(given).is_file() else WordNet(given)


def _listed(file: ModelFile) -> ListedInventory:
    words = {}
    for line in file.table("inventory.words"):
        lemma, pos, *senses = line.split("\t")
        words[lemma, pos] = senses
    texts = dict(line.split("\t", 1) for line in file.table("inventory.texts"))
    return ListedInventory(words, texts)
