"""Reports on taggers: measures, the content of a model, why a sentence got its labels."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from palmette.cli.heatmap import Heatmap
from palmette.cli.report import Table
from palmette.cli.run import Run
from palmette.cli.text_or_file import text_or_file
from palmette.cli.tools.sequence.input import InputFormat, TokenReader, read_tokens
from palmette.cli.tools.sequence.prediction import Labeller
from palmette.errors import FormatError
from palmette.evaluation.guesses import Guesses
from palmette.evaluation.spans import SpanScores
from palmette.evaluation.tagging import TaggingScores
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name, read_text
from palmette.messages import counted
from palmette.tools.explanation import Explanation
from palmette.tools.sequence.history_tagger import HistoryTagger
from palmette.tools.sequence.model import SequenceModel
from palmette.tools.sequence.searching import ChainSearch, search_errors
from palmette.tools.sequence.tagger import Tagger
from palmette.tools.text.tokenizer import Tokenizer

_CONFUSED = 10


def evaluation(
    tagger: Tagger,
    source: str,
    format: InputFormat | None,
    column: str | int | None,
    minimum_risk: bool = False,
    search: str | None = None,
) -> dict[str, Any]:
    """The measures of a tagger on a file with labels."""
    if search is not None and minimum_risk:
        raise ValueError("--search cannot be combined with --minimum-risk")
    labeller = Labeller(tagger, minimum_risk, None if search is None else ChainSearch.of(search))
    corpus, _ = read_tokens(source, format)
    tagger.column = column if column is not None else gold_column(tagger, corpus)
    try:
        tagger.label_column(corpus)
        began = time.perf_counter()
        predicted, searched = labeller.labels(corpus)
        seconds = time.perf_counter() - began
        scores = tagger.evaluate(corpus, predicted=predicted)
    except FormatError as error:
        raise FormatError(error.message, path=display_name(source), line=error.line) from error
    search_report = None
    if searched is not None:
        search_report = {
            "name": str(labeller.search),
            "states_touched": labeller.totals.states,
            "states_per_token": labeller.totals.states / max(corpus.n_words, 1),
            "search_errors": search_errors(searched, tagger.search(corpus)),
        }
    return measures(scores, seconds, source, search_report)


def measures(
    scores: TaggingScores | SpanScores, seconds: float, source: str, search: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The measures by name; search: what a search looked at. FormatError if there are no gold labels."""
    if not scores.tokens:
        raise FormatError(
            "expected gold labels to compare with; the file has none", path=display_name(source)
        )
    interval = scores.interval()
    report = {name: value for name, value in scores.to_dict().items() if value is not None}
    confused = {f"{gold} as {guess}": n for gold, guess, n in report.pop("confused", [])[:_CONFUSED]}
    unseen = report.pop("unknown_labels")
    main = "f1" if isinstance(scores, SpanScores) else "accuracy"
    tables: dict[str, Any] = {name: Table(report.pop(name)) for name in ("labels", "types") if name in report}
    report = {main: report.pop(main), f"{main}_interval": [interval.low, interval.high], **report}
    report |= {"seconds": seconds, "tokens_per_second": scores.tokens / max(seconds, 1e-9)}
    if search is not None:
        report["search"] = search
    if unseen:
        report["labels_never_seen"] = list(unseen)
    report |= tables
    if not isinstance(scores, SpanScores):
        report["confused"] = confused
    return report


def guesses(tagger: Tagger, source: str, probabilities: bool) -> Guesses:
    """What a tagger says of every token of a file with a gold label."""
    corpus, _ = read_tokens(source, None)
    tagger.column = gold_column(tagger, corpus)
    try:
        gold = corpus.column(tagger.label_column(corpus)).values()
    except FormatError as error:
        raise FormatError(error.message, path=display_name(source), line=error.line) from error
    column = tagger.predict_column(corpus)
    p = tagger.confidence(corpus, column) if probabilities else None
    known = [i for i, label in enumerate(gold) if label != "_" or "_" in tagger.classes_]
    labels = column.values()
    return Guesses([gold[i] for i in known], [labels[i] for i in known], None if p is None else p[known])


def gold_column(tagger: Tagger | HistoryTagger, corpus: Corpus) -> str | int | None:
    """The column of the training labels, if the file has it."""
    trained = tagger.training_.get("column")
    return trained if isinstance(trained, str) and trained in corpus.names else tagger.column


def inspection(tagger: Tagger, top: int) -> dict[str, Any]:
    """What is in a tagger."""
    model = tagger.model_
    structure, features = model.structure, model.features
    report: dict[str, Any] = {
        "labels": list(structure.visible),
        "order": structure.order,
        "attributes": features.n_attributes,
        "pair_attributes": features.n_pair_attributes,
        "weights": len(model.entries()[2]) + int(np.count_nonzero(model.rest)),
    }
    if structure.scheme:
        report["scheme"] = structure.scheme
    if structure.states is not None:
        report["histories"] = structure.states.n_states
        report["history_steps"] = structure.states.n_steps
        if structure.states.automaton is not None:
            report["automaton_states"] = structure.states.automaton.n_states
    if model.network is not None:
        from palmette.tools.sequence.network import network_facts

        report["network"] = network_facts(model.network)
    templates = getattr(features, "templates", None)
    if templates is not None:
        report["templates"] = [template.text for template in templates]
    if tagger.known_words_ is not None:
        report["known_words"] = len(tagger.known_words_)
    report["training"] = {name: value for name, value in tagger.training_.items() if value is not None}
    if top:
        report["top_features"] = top_features(tagger.model_, top)
    if structure.order:
        report["transitions"] = Heatmap(list(structure.labels), model.ngrams(1))
    return report


def top_features(model: SequenceModel, top: int) -> dict[str, dict[str, float]]:
    """For every label the features with the largest weights, by name."""
    attributes, labels, weights = model.entries()
    order = np.lexsort((attributes, -weights, labels))
    order = order[weights[order] > 0]
    bounds = np.searchsorted(labels[order], np.arange(len(model.structure.labels) + 1))
    found = {}
    for y, label in enumerate(model.structure.labels):
        best = order[bounds[y] : bounds[y + 1]][:top]
        names = model.features.names(attributes[best].astype(np.int32))
        found[label] = dict(zip(names, weights[best].tolist()))
    return found


def sentence_to_explain(
    text: str | None, file: str | None, number: int, format: InputFormat | None, language: str, run: Run
) -> Corpus:
    """The sentence with the number, of a file or of a text, which is split as for predictions."""
    text, file = text_or_file(text, file, "a sentence", run)
    if file is not None:
        before = 0
        for batch in TokenReader(file, format, language=language, reading=run.reading):
            if number <= before + len(batch.corpus):
                return batch.corpus.select([number - before - 1])
            before += len(batch.corpus)
        raise ValueError(
            f"{display_name(file)} has {counted(before, 'sentence')}; there is no sentence {number}"
        )
    assert text is not None
    sentences = Tokenizer(language).corpus(read_text("-") if text == "-" else text)
    if not sentences.n_words:
        raise ValueError("expected a sentence to explain; it has no words")
    n = len(sentences)
    if number > n:
        raise ValueError(f"the text has {n} sentence{'s' * (n > 1)}; there is no sentence {number}")
    if n > 1:
        run.progress.warn(
            f"the text has {counted(n, 'sentence')}; this explains sentence {number} (--sentence N: another)"
        )
    return sentences.select([number - 1])


def explained(tagger: Tagger, sentence: Corpus, token: int | None, top: int) -> Explanation:
    """The explanation of a sentence, or of one token in it."""
    if token is not None and token > sentence.n_words:
        raise ValueError(f"the sentence has {counted(sentence.n_words, 'token')}; there is no token {token}")
    return tagger.explain(sentence).of(token, top)
