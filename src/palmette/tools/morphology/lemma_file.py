"""Lemmatizers in model files.

labels, weights, features …    the model of scripts, as `palmette.tools.sequence.file` keeps it
lemmas, lemmas.tags            the lemmas of the training data, and their parts of speech, joined by a blank
exact.form, .upos, .feats, .lemma    words that the model gets wrong; by_tag.form, .upos, .lemma: the same by tag
lexicon.*                      the user's dictionary
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from palmette.features import FeatureMap
from palmette.features.word_hashes import KnownWords
from palmette.formats.model import ModelFile
from palmette.tools.morphology.lemma_model import LemmaModel, Word
from palmette.tools.morphology.lexicon import Lexicon
from palmette.tools.sequence.file import load_sequence_model, sequence_model_file
from palmette.tools.training_record import load_known_words, save_known_words


class Saved(NamedTuple):
    """What a file has of a lemmatizer."""

    model: LemmaModel
    exact: dict[Word, str]
    by_tag: dict[tuple[str, str], str]
    user: Lexicon | None
    known_words: KnownWords | None
    training: dict[str, Any]


def lemmatizer_file(
    model: LemmaModel,
    exact: Mapping[Word, str],
    by_tag: Mapping[tuple[str, str], str],
    user: Lexicon | None,
    known_words: KnownWords | None,
    *,
    kind: str,
    training: Mapping[str, Any],
    compact: bool,
    fingerprint: str,
) -> ModelFile:
    """Return a lemmatizer as the content of a file."""
    file = sequence_model_file(
        model.scripts,
        kind=kind,
        options={"training": dict(training)},
        arrays=save_known_words(known_words),
        compact=compact,
        fingerprint=fingerprint,
    )
    tables: dict[str, Sequence[str]] = {
        "lemmas": list(model.lemmas),
        "lemmas.tags": [" ".join(sorted(tags)) for tags in model.lemmas.values()],
        **{f"exact.{name}": [word[k] for word in exact] for k, name in enumerate(Word._fields)},
        "exact.lemma": list(exact.values()),
        "by_tag.form": [form for form, _ in by_tag],
        "by_tag.upos": [upos for _, upos in by_tag],
        "by_tag.lemma": list(by_tag.values()),
        **({} if user is None else user.tables()),
    }
    return ModelFile(file.kind, file.options, file.arrays, {**file.strings, **tables}, fingerprint)


def load_lemmatizer(file: ModelFile) -> Saved:
    """The lemmatizer of a file; FormatError if it is damaged."""
    scripts = load_sequence_model(file)
    structure, features = scripts.structure, scripts.features
    if (
        structure.order
        or structure.hidden != 1
        or not isinstance(features, FeatureMap)
        or scripts.votes is not None
    ):
        raise file.damaged("it is not one of single words")
    if features.hash_bits is not None or features.n_pair_attributes:
        raise file.damaged("it is not one of single words")
    lemmas = file.table("lemmas")
    tags = file.table("lemmas.tags", len(lemmas))
    known = {lemma: frozenset(joined.split(" ")) for lemma, joined in zip(lemmas, tags)}
    n, m = len(file.table("exact.lemma")), len(file.table("by_tag.lemma"))
    words = map(Word, *(file.table(f"exact.{name}", n) for name in Word._fields))
    exact = dict(zip(words, file.table("exact.lemma")))
    keys = zip(file.table("by_tag.form", m), file.table("by_tag.upos", m))
    by_tag = dict(zip(keys, file.table("by_tag.lemma")))
    if "" in exact.values() or "" in by_tag.values():
        raise file.damaged("a lemma is empty")
    training = file.options.get("training")
    return Saved(
        LemmaModel(scripts, known),
        exact,
        by_tag,
        Lexicon.of_file(file),
        load_known_words(file),
        dict(training) if isinstance(training, dict) else {},
    )
