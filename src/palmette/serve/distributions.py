"""The verb `probabilities`: of every label, head, bracket or class, not only of the chosen ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from palmette.cli.report import json_line
from palmette.cli.tools.sequence.input import InputFormat, TokenReader, language_of
from palmette.cli.tools.sequence.prediction import tokens, words_by_sentence
from palmette.formats.corpus import Corpus
from palmette.formats.reading import Reading
from palmette.serve.asking import TAGGERS, Asked
from palmette.serve.limits import RequestError

_LEAST = 0.001  # what is less likely is left out
_MOST = 20  # of the values of one place


def distributions(asked: Asked) -> Iterator[bytes]:
    """One JSON object for each sentence or line."""
    tool: Any = asked.served.object
    if asked.tool == "classify":
        return _classes(tool, asked)
    if asked.tool in TAGGERS:
        return _labels(tool, asked)
    if asked.tool == "depparse":
        return _arcs(tool, asked)
    if asked.tool == "pipeline":
        return _pipeline(tool, asked)
    if asked.tool == "parse":
        return _brackets(tool, asked)
    raise RequestError(
        400, f"a {asked.served.file.kind} has no table of probabilities; predict has the option probabilities"
    )


def _corpora(tool: Any, asked: Asked) -> Iterator[Corpus]:
    content, name = asked.reader()
    language = language_of(getattr(tool, "training_", {}), None)
    reading = Reading(longest=asked.limits.words)
    for batch in TokenReader(content, InputFormat(name), language=language, reading=reading):
        yield batch.corpus


def _labels(tool: Any, asked: Asked) -> Iterator[bytes]:
    for corpus in _corpora(tool, asked):
        for words, rows in zip(words_by_sentence(corpus), tool.marginals(corpus)):
            yield json_line({"tokens": tokens(words, probabilities=[likely(row) for row in rows])})


def _arcs(tool: Any, asked: Asked) -> Iterator[bytes]:
    for corpus in _corpora(tool, asked):
        tagged = tool.tag(corpus)
        tags = _of_taggers(tool.taggers_, tagged)
        for i, (words, found) in enumerate(zip(words_by_sentence(tagged), tool.marginals(tagged))):
            yield json_line(
                {
                    "tokens": tokens(
                        words, heads=_heads(found, len(words)), **{k: v[i] for k, v in tags.items()}
                    )
                }
            )


def _pipeline(tool: Any, asked: Asked) -> Iterator[bytes]:
    parser = next((step.tool for step in tool.steps_ if step.name == "parser"), None)
    if parser is None:
        raise RequestError(400, "this pipeline has no parser, and so no probabilities of arcs")
    content, name = asked.reader()
    if name == "text":
        corpora: Iterator[Corpus] = iter([tool(content.data.decode("utf-8", "replace")).corpus])
    else:
        corpora = (tool(corpus).corpus for corpus in _corpora(tool, asked))
    for corpus in corpora:
        for words, found in zip(words_by_sentence(corpus), parser.marginals(corpus)):
            yield json_line({"tokens": tokens(words, heads=_heads(found, len(words)))})


def _of_taggers(taggers: Mapping[str, Any], corpus: Corpus) -> dict[str, list[list[dict[str, float]]]]:
    """The probabilities of the tags that the parser's own taggers give, sentence by sentence."""
    plain = corpus.only({"form": "form" if "form" in corpus.names else 0})
    return {
        name: [[likely(row) for row in rows] for rows in tagger.marginals(plain)]
        for name, tagger in taggers.items()
    }


def _heads(found: Mapping[tuple[int, int], float], n: int) -> list[dict[str, float]]:
    """By word, the heads that it may have, as JSON names them."""
    rows: list[dict[str, float]] = [{} for _ in range(n)]
    for (word, head), p in found.items():
        rows[word - 1][str(head)] = float(p)
    return [likely(row) for row in rows]


def _brackets(tool: Any, asked: Asked) -> Iterator[bytes]:
    for corpus in _corpora(tool, asked):
        sentences = words_by_sentence(corpus)
        for words, table in zip(sentences, tool.marginals(sentences)):
            found = [
                {
                    "label": one.label,
                    "first": one.start + 1,
                    "last": one.end,
                    "probability": round(float(p), 4),
                }
                for one, p in table.items()
                if p >= _LEAST
            ]
            found.sort(key=lambda row: (row["first"], -row["last"], -row["probability"]))
            yield json_line({"tokens": tokens(words), "brackets": found})


def _classes(tool: Any, asked: Asked) -> Iterator[bytes]:
    from palmette.cli.tools.classify.input import cut, line_batches

    reader = tool.reader_
    if reader is None:
        raise RequestError(400, "this classifier was trained from Python and reads no text")
    content: Any = asked._input({}, asked.served.tool.command("predict"))
    names, done = [str(one) for one in tool.classes_.tolist()], 0
    for first, lines in line_batches(content, Reading(longest=asked.limits.words), 500):
        rows = cut(lines, content, reader.columns, labelled=False, first=first).rows
        for row in tool.predict_proba(reader.items(rows, path=str(content), first=first)):
            done += 1
            yield json_line({"number": done, "probabilities": likely(dict(zip(names, row.tolist())))})


def likely(row: Mapping[str, float]) -> dict[str, float]:
    """The values that are not close to impossible, the likeliest first."""
    ordered = sorted(row.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST]
    return {name: round(float(p), 4) for name, p in ordered if p >= _LEAST}
