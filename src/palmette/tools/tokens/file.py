"""Learned tokenizers in model files.

options    order; features as `palmette.features.saving` keeps them; spaces; how text is read; training
lexicon    hashes of the tokens that were seen; longest; tables lower, upper: see `Lexicon`
part words the `WordSplitter`: tables tokens, vocabulary; arrays token_classes [pairs, 3], vocabulary_counts; where
           lemmas are known, the tables of `Stems`
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from palmette.formats.model import ModelFile
from palmette.tools.morphology.stems import Stems
from palmette.tools.sequence.file import load_sequence_model, sequence_model_file
from palmette.tools.tokens.blocks import NEWLINES
from palmette.tools.tokens.cutting import LABELS
from palmette.tools.tokens.expansions import is_class
from palmette.tools.tokens.lexicon import Lexicon
from palmette.tools.tokens.word_splitter import WordSplitter

if TYPE_CHECKING:
    from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer

READING = ("newlines", "presegmented", "pretokenized", "words")
_LONGEST = 1000


def tokenizer_file(tokenizer: LearnedTokenizer, *, compact: bool, fingerprint: str = "") -> ModelFile:
    """The tokenizer as the content of a file."""
    lexicon = tokenizer.lexicon_
    options = {
        **{name: getattr(tokenizer, name) for name in READING},
        "spaces": tokenizer.spaces_,
        "longest": lexicon.longest,
        "notes": list(tokenizer.notes_),
        "training": tokenizer.training_,
    }
    file = sequence_model_file(
        tokenizer._fitted,
        kind=tokenizer.kind,
        options=options,
        arrays={"lexicon": lexicon.tokens},
        compact=compact,
        fingerprint=fingerprint,
    )
    strings = {**file.strings, "lower": sorted(lexicon.lower), "upper": sorted(lexicon.upper)}
    return replace(file, strings=strings).put("words", splitter_file(tokenizer.splitter_, compact=compact))


def restore_tokenizer(tokenizer: LearnedTokenizer, file: ModelFile) -> None:
    """Give a tokenizer what is in a file; FormatError if it is damaged."""
    model = load_sequence_model(file)
    if model.structure.visible != LABELS:
        raise file.damaged("its labels are not those of a tokenizer")
    options = file.options
    longest, spaces = options.get("longest"), options.get("spaces")
    if not isinstance(longest, int) or not 1 <= longest <= _LONGEST or not isinstance(spaces, bool):
        raise file.damaged("it does not say which tokens it has seen")
    for name in READING:
        value = options.get(name)
        if not isinstance(value, str if name == "newlines" else bool):
            raise file.damaged(f"it does not say what {name} are")
        setattr(tokenizer, name, value)
    if tokenizer.newlines not in NEWLINES:
        raise file.damaged(f"{tokenizer.newlines!r} is not a way to read line ends")
    tokens = np.asarray(file.array("lexicon", np.uint64, [None]))
    if (tokens[1:] <= tokens[:-1]).any():
        raise file.damaged("its lexicon is not sorted")
    lexicon = Lexicon(tokens, longest, file.table("lower"), file.table("upper"))
    words = file.part("words")
    if words is None:
        raise file.damaged("it has no part for words")
    training, notes = options.get("training"), options.get("notes")
    tokenizer._set(model, lexicon, None)
    tokenizer.spaces_ = spaces
    tokenizer.splitter_ = load_splitter(words)
    tokenizer.training_ = dict(training) if isinstance(training, dict) else {}
    tokenizer.notes_ = [str(note) for note in notes] if isinstance(notes, list) else []


def splitter_file(splitter: WordSplitter, *, compact: bool = False) -> ModelFile:
    """The splitter as the content of a file."""
    if splitter.model is None:
        return ModelFile(splitter.kind, {"multiword": False}, {}, {})
    file = sequence_model_file(
        splitter.model, kind=splitter.kind, options={"multiword": True}, arrays={}, compact=compact
    )
    index = {name: k for k, name in enumerate(splitter.model.structure.labels)}
    tokens, vocabulary = sorted(splitter.seen), sorted(splitter.vocabulary)
    triples = [
        (k, index[name], count)
        for k, token in enumerate(tokens)
        for name, count in sorted(splitter.seen[token].items())
    ]
    arrays: dict[str, Any] = {
        **file.arrays,
        "token_classes": np.array(triples, dtype=np.int32),
        "vocabulary_counts": np.array([splitter.vocabulary[word] for word in vocabulary], dtype=np.int32),
    }
    stems = {} if splitter.stems is None else splitter.stems.tables()
    strings = {**file.strings, **stems, "tokens": tokens, "vocabulary": vocabulary}
    return replace(file, arrays=arrays, strings=strings)


def load_splitter(file: ModelFile) -> WordSplitter:
    """The splitter of a file; FormatError if it is damaged."""
    file.require_kind(WordSplitter.kind)
    if not file.options.get("multiword"):
        return WordSplitter()
    model = load_sequence_model(file)
    names = model.structure.labels
    if model.structure.order or not all(map(is_class, names)):
        raise file.damaged("its classes are not expansions of tokens")
    tokens, vocabulary = list(file.table("tokens")), list(file.table("vocabulary"))
    triples = file.array("token_classes", np.int32, [None, 3])
    counts = file.array("vocabulary_counts", np.int32, [len(vocabulary)])
    bad = (triples < 0).any() or (
        len(triples) and (triples[:, :2].max(axis=0) >= (len(tokens), len(names))).any()
    )
    if bad:
        raise file.damaged("a token has a class that is not there")
    seen: dict[str, dict[str, int]] = {}
    for token, name, count in triples.tolist():
        seen.setdefault(tokens[token], {})[names[name]] = count
    stems = Stems.of_file(file) if "stems.lemmas" in file.strings else None
    return WordSplitter(seen, dict(zip(vocabulary, counts.tolist())), model, stems)
