"""`palmette train thesaurus`, and what the other commands do with its models: similar words."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from palmette.cli.commands import helped
from palmette.cli.report import json_line
from palmette.cli.run import Run, restored
from palmette.cli.tools.sequence.options import About, Top
from palmette.cli.tools.thesaurus import options as own
from palmette.cli.tools.training import facts_of
from palmette.errors import FormatError, UsageError
from palmette.formats.files import Content, display_name, is_standard, read_lines
from palmette.formats.model import ModelFile
from palmette.learning.registry import read_settings
from palmette.parameters import refuse_unknown
from palmette.tools.explanation import Explanation
from palmette.tools.thesaurus.model import Neighbour
from palmette.tools.thesaurus.options import ThesaurusOptions
from palmette.tools.thesaurus.thesaurus import Thesaurus
from palmette.tools.thesaurus.vectors import text_lines

EXAMPLES = {
    "train": [
        "palmette train thesaurus --train parsed.conllu -o words.palm",
        "palmette train thesaurus --train news.txt --parser en --wordnet /usr/share/wordnet -o words.palm",
        "palmette train thesaurus --train news.txt --set window=5 --set dimensions=0 -o words.palm",
    ],
    "predict": [
        "palmette predict words.palm tree house",
        "palmette predict words.palm --all --top 20 --measure lin",
        "palmette predict words.palm cat dog oak elm --draw",
        "palmette predict words.palm --clusters 40",
        "palmette predict words.palm --vectors npz -o vectors.npz",
    ],
    "evaluate": ["palmette evaluate words.palm ws353sim.tsv --json"],
    "inspect": ["palmette inspect words.palm", "palmette inspect words.palm --word tree"],
    "explain": ["palmette explain words.palm cat dog"],
}


def _train_help() -> str:
    lines = [f"  {line}" for line in ThesaurusOptions.help_lines()]
    text = [
        "Train a thesaurus: words that occur in the same contexts are similar.",
        "",
        "Contexts are the relations of dependency trees and the words nearby. Files may be larger than memory.",
    ]
    return "\n".join([*text, "", "\b", "Options, with --set:", *lines])


@helped(_train_help)
def train(
    run: Run,
    train: own.TrainFiles,
    parser: own.ParserName = None,
    wordnet: own.WordNetFolder = None,
    about: About = None,
) -> ModelFile:
    if run.learner is not None:
        raise UsageError("a thesaurus has no learner: it counts; choose what it counts with --set")
    facts = facts_of(about)
    refuse_unknown(run.settings, ThesaurusOptions.names(), "A thesaurus")
    options = read_settings(ThesaurusOptions, "thesaurus", run.settings)
    thesaurus = Thesaurus(parser=parser, wordnet=wordnet, options=options, n_jobs=run.n_jobs)
    task = run.progress.task("Reading", total_size(train), size=True)
    thesaurus.fit([training_path(file) for file in train], progress=task.advance)
    if thesaurus.model_.options.contexts == "windows" and options.get("contexts") != "windows":
        run.progress.note(
            "no dependency trees: contexts are the words nearby (--parser en parses English text)"
        )
    about_it = thesaurus.training_
    run.progress.note(
        f"{about_it['words']:,} words of text, {about_it['entries']:,} entries, {about_it['contexts']:,} contexts"
    )
    return thesaurus.to_model(about=facts)


train.hidden = ("learner", "help_learner")  # type: ignore[attr-defined]


def predict(
    model: ModelFile,
    run: Run,
    words: own.Words = None,
    top: own.Many = 10,
    measure: own.Measure = None,
    everything: own.All = False,
    clusters: own.Clusters = None,
    draw: own.Draw = False,
    vectors: own.WriteVectors = None,
) -> Iterator[bytes]:
    """Find similar words: write each word, a similar one, their similarity, and a mark of opposites.

    With --clusters or --draw, write clusters of words or their hierarchy; with --vectors, dense vectors.
    """
    if sum((everything, clusters is not None, draw, vectors is not None)) > 1:
        raise UsageError("use only one of --all, --clusters, --draw and --vectors")
    thesaurus = _loaded(model, run, measure)
    if vectors is not None:
        return _vectors(thesaurus, vectors)
    asked = None if words is None or not words else _asked(words, run)
    if draw:
        return iter([f"{thesaurus.hierarchy(50 if asked is None else asked).draw()}\n".encode()])
    if clusters is not None:
        return _clusters(thesaurus, asked, clusters, jsonl=run.jsonl)
    if everything:
        asked = thesaurus.words_
    elif asked is None:
        asked = _asked(["-"], run)
    return _neighbours(thesaurus, asked, top, run)


def evaluate(
    model: ModelFile, run: Run, source: own.PairsFile, measure: own.Measure = None
) -> dict[str, Any]:
    """Compare similarities with those that people gave to pairs of words.

    Report `spearman`, the correlation of ranks over the pairs whose words are in the thesaurus, `spearman_all`
    over all pairs (a missing word is similar to none), the numbers of `pairs` and of those `covered`.
    """
    thesaurus = _loaded(model, run, measure)
    pairs, gold = read_judgements(source)
    began = time.perf_counter()
    scores = thesaurus.evaluate(pairs, gold)
    return {**scores.to_dict(), "measure": thesaurus.model_.measure(), "seconds": time.perf_counter() - began}


def inspect(model: ModelFile, run: Run, word: own.ShownWord = None) -> dict[str, Any]:
    """Show what is in a thesaurus: sizes, relations, options; with --word, what tells most about a word."""
    thesaurus: Thesaurus = restored(Thesaurus, model)
    inside = thesaurus.model_
    if word is not None:
        row = inside.row(word)
        return {
            "word": inside.table.words[row],
            "count": int(inside.table.counts[row]),
            "contexts": dict(thesaurus.contexts(word, 20)),
        }
    table = inside.table
    often = np.bincount(table.context_relations, minlength=len(table.relations))
    order = np.lexsort((np.arange(len(often)), -often))[:10]
    return {
        "entries": table.n_rows,
        "contexts": len(table.context_words),
        "values": len(table.values),
        "dimensions": 0 if inside.vectors is None else inside.vectors.shape[1],
        "opposites": len(inside.opposites),
        "measure": inside.measure(),
        "most frequent": list(table.words[: min(10, table.n_rows)]),
        "relations": {table.relations[i]: int(often[i]) for i in order.tolist()},
        "options": inside.options.to_dict(),
        "training": thesaurus.training_,
    }


def explain(
    model: ModelFile,
    run: Run,
    one: own.OneWord,
    two: own.OtherWord = None,
    measure: own.Measure = None,
    top: Top = 10,
) -> Explanation:
    """Explain why two words are similar: which contexts they share, and what each adds to the similarity."""
    thesaurus = _loaded(model, run, measure)
    if two is None:
        near = thesaurus.neighbours(one, 1)
        if not near:
            raise ValueError(f"The word {one!r} shares no context with another word.")
        two = near[0].word
    return thesaurus.explain(one, two).of(top=top)


def read_judgements(source: str, of: str = "words") -> tuple[list[tuple[str, str]], list[float]]:
    """Return pairs of words, or of something else, and their values; FormatError for other lines."""
    path = display_name(source)
    pairs, values = [], []
    for number, line in enumerate(read_lines(source), 1):
        if not line.strip():
            continue
        row = line.split("\t")
        try:
            one, two, value = row
            values.append(_finite(value))
        except ValueError:
            raise FormatError(
                f"expected two {of} and a number, separated by tabs", path=path, line=number
            ) from None
        pairs.append((one.strip(), two.strip()))
    if not pairs:
        raise FormatError(f"expected pairs of {of}; the file has none", path=path)
    return pairs, values


def _finite(text: str) -> float:
    value = float(text)
    if not np.isfinite(value):
        raise ValueError(text)
    return value


def _loaded(model: ModelFile, run: Run, measure: own.MeasureName | None) -> Thesaurus:
    thesaurus: Thesaurus = restored(Thesaurus, model, n_jobs=run.n_jobs)
    return thesaurus if measure is None else thesaurus.with_options(measure=measure.value)


def total_size(files: Sequence[str]) -> int | None:
    """The bytes of all files; None where that is not known."""
    if any(is_standard(file) or file.endswith(".gz") for file in files):
        return None
    return sum(Path(file).stat().st_size for file in files)


def training_path(file: str) -> Any:
    """A file for `fit`; a list of strings would be texts."""
    return _Standard() if is_standard(file) else Path(file)


class _Standard:
    """Standard input as a path."""

    def __fspath__(self) -> str:
        return "-"

    def __str__(self) -> str:
        return "-"


def _asked(words: Sequence[str], run: Run) -> list[str]:
    """The words of a command line, or of a file that is named there."""
    first = words[0] if len(words) == 1 else None
    if first is not None and (isinstance(first, Content) or is_standard(first) or Path(first).is_file()):
        return [line.strip() for some in run.reading.lines(words[0]) for line in some.lines if line.strip()]
    return list(words)


def _neighbours(thesaurus: Thesaurus, words: Sequence[str], top: int, run: Run) -> Iterator[bytes]:
    unknown = [word for word in words if thesaurus.model_.find(word) is None]
    if words and len(unknown) == len(words):
        thesaurus.model_.row(unknown[0])  # says what is wrong
    if unknown:
        some = ", ".join(unknown[:5]) + (", …" if len(unknown) > 5 else "")
        run.progress.warn(f"not in the thesaurus: {some}")
    for begin in range(0, len(words), 256):
        piece = words[begin : begin + 256]
        for word, near in zip(piece, thesaurus.predict(piece, k=top)):
            if run.jsonl:
                told = [
                    {"word": one.word, "similarity": one.similarity, "opposite": one.opposite} for one in near
                ]
                yield json_line({"word": word, "neighbours": told})
            else:
                yield "".join(_line(word, one) for one in near).encode()


def _line(word: str, one: Neighbour) -> str:
    return (
        "\t".join(
            [
                word,
                one.word,
                f"{one.similarity:.4f}",
                *([f"opposite: {one.opposite}"] if one.opposite else []),
            ]
        )
        + "\n"
    )


def _clusters(thesaurus: Thesaurus, words: list[str] | None, n: int, *, jsonl: bool) -> Iterator[bytes]:
    for number, cluster in enumerate(thesaurus.hierarchy(words or 500).clusters(n=n), 1):
        yield (
            json_line({"number": number, "words": cluster})
            if jsonl
            else f"{number}\t{' '.join(cluster)}\n".encode()
        )


def _vectors(thesaurus: Thesaurus, format: own.VectorFormat) -> Iterator[bytes]:
    if format is own.VectorFormat.text:
        return text_lines(thesaurus.words_, thesaurus.vectors_)
    content = io.BytesIO()
    np.savez(content, words=np.array(thesaurus.words_, dtype=str), vectors=thesaurus.vectors_)
    return iter([content.getvalue()])
