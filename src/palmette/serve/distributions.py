"""The verb `probabilities`: of every label, head, bracket, class, link or next word, not only of those chosen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from palmette.cli.report import json_line
from palmette.cli.tools.align.input import pair_batches
from palmette.cli.tools.morphology.prediction import in_conllu
from palmette.cli.tools.sequence.input import InputFormat, TokenReader, language_of
from palmette.cli.tools.sequence.prediction import tokens, words_by_sentence
from palmette.formats.corpus import Corpus
from palmette.formats.reading import Reading
from palmette.serve.asking import TAGGERS, Asked
from palmette.serve.limits import RequestError
from palmette.tools.pipeline.steps import TaggerStep

_LEAST = 0.001  # what is less likely is left out
_MOST = 20  # of the values of one place


def distributions(asked: Asked) -> Iterator[bytes]:
    """One JSON object for each sentence or line."""
    tool: Any = asked.served.object
    made = _OF_TOOL.get(asked.tool)
    if made is None:
        raise RequestError(400, f"a {asked.served.file.kind} has no table of probabilities")
    return made(tool, asked)


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
        yield from _of_words(tool, tool.taggers_, tool.tag(corpus))


def _pipeline(tool: Any, asked: Asked) -> Iterator[bytes]:
    parser = next((step.tool for step in tool.steps_ if step.name == "parser"), None)
    if parser is None:
        raise RequestError(400, "this pipeline has no parser, and so no probabilities of arcs")
    content, name = asked.reader()
    if name == "text":
        corpora: Iterator[Corpus] = iter([tool(content.data.decode("utf-8", "replace")).corpus])
    else:
        corpora = (tool(corpus).corpus for corpus in _corpora(tool, asked))
    taggers = {step.column: step.tool for step in tool.steps_ if isinstance(step, TaggerStep)}
    for corpus in corpora:
        yield from _of_words(parser, taggers, corpus)


def _of_words(parser: Any, taggers: Mapping[str, Any], tagged: Corpus) -> Iterator[bytes]:
    """The heads of a parser and the tags of taggers that words may have."""
    tags = _of_taggers(taggers, tagged)
    for i, (words, found) in enumerate(zip(words_by_sentence(tagged), parser.marginals(tagged))):
        own = {name: rows[i] for name, rows in tags.items()}
        yield json_line({"tokens": tokens(words, heads=_heads(found, len(words)), **own)})


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
    content: Any = asked.read()[0]
    names, done = [str(one) for one in tool.classes_.tolist()], 0
    for first, lines in line_batches(content, Reading(longest=asked.limits.words), 500):
        rows = cut(lines, content, reader.columns, labelled=False, first=first).rows
        for row in tool.predict_proba(reader.items(rows, path=str(content), first=first)):
            done += 1
            yield json_line({"number": done, "probabilities": likely(dict(zip(names, row.tolist())))})


def _documents(tool: Any, asked: Asked) -> Iterator[bytes]:
    from palmette.cli.tools.sentiment.input import read_documents

    content: Any = asked.read()[0]
    given = read_documents(content, labelled=False, reading=Reading(longest=asked.limits.words))
    classes = [str(one) for one in tool.classes_.tolist()]
    for number, (name, document) in enumerate(zip(given.names, given.documents), 1):
        (row,) = tool.predict_proba([document])
        found = likely(dict(zip(classes, row.tolist())))
        yield json_line({"number": number, "document": name, "probabilities": found})


def _analyses(tool: Any, asked: Asked) -> Iterator[bytes]:
    """Values that a word may have in each column: sums over the analyses with this value."""
    for corpus in _corpora(tool, asked):
        corpus = in_conllu(corpus)
        for words, rows in zip(words_by_sentence(corpus), tool.predict_proba(corpus)):
            own = {name: [_summed(tool.classes_, name, row) for row in rows] for name in tool.columns_}
            yield json_line({"tokens": tokens(words, **own)})


def _summed(analyses: list[Any], column: str, row: Any) -> dict[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for k in np.flatnonzero(row >= _LEAST / 100).tolist():
        found[getattr(analyses[k], column)] += float(row[k])
    return likely(found)


def _lemmas(tool: Any, asked: Asked) -> Iterator[bytes]:
    for corpus in _corpora(tool, asked):
        corpus = in_conllu(corpus)
        for words, rows in zip(words_by_sentence(corpus), tool.marginals(corpus)):
            yield json_line({"tokens": tokens(words, lemma=[likely(row) for row in rows])})


def _next_words(tool: Any, asked: Asked) -> Iterator[bytes]:
    """At every place of a line, the words that may come there after those before it, and the end of the line."""
    content: Any = asked.read()[0]
    for given in Reading(longest=asked.limits.words).lines(content):
        for number, line in enumerate(given.lines, given.first):
            state, rows = tool.begin(), []
            for word in [*line.split(), "</s>"]:
                found, step = dict(tool.next_word(state, _MOST)), tool.advance(state, word)
                state = step.state
                rows.append({"word": word, "probability": round(10**step.log_prob, 6), "next": likely(found)})
            yield json_line({"line": number, "words": rows})


def _link_probabilities(tool: Any, asked: Asked) -> Iterator[bytes]:
    """The probability of every link of a pair, the mean of both directions; words count from 0."""
    content: Any = asked.read()[0]
    number = 0
    for part in pair_batches(None, None, content, None, Reading(longest=asked.limits.words)):
        for (source, target), table in zip(part, tool.marginals(part)):
            number += 1
            links = [
                {"source": i, "target": j, "probability": round(p, 4)}
                for (i, j), p in sorted(table.items())
                if p >= _LEAST
            ]
            yield json_line({"pair": number, "source": source, "target": target, "links": links})


_OF_TOOL: dict[str, Callable[[Any, Asked], Iterator[bytes]]] = {
    **dict.fromkeys(TAGGERS, _labels),
    "depparse": _arcs,
    "pipeline": _pipeline,
    "parse": _brackets,
    "classify": _classes,
    "sentiment": _documents,
    "morphology": _analyses,
    "lemmas": _lemmas,
    "lm": _next_words,
    "align": _link_probabilities,
}


def likely(row: Mapping[str, float]) -> dict[str, float]:
    """The values that are not close to impossible, the likeliest first."""
    ordered = sorted(row.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST]
    return {name: round(float(p), 4) for name, p in ordered if p >= _LEAST}
