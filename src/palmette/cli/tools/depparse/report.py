"""Reports on parsers: measures, the content of a model, why words have their heads."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from palmette.cli.report import Table
from palmette.cli.tools.depparse.training import read_treebank
from palmette.cli.tools.sequence.report import explained as explained_tags
from palmette.errors import UsageError
from palmette.evaluation.calibration import reliability
from palmette.evaluation.dependencies import Measure
from palmette.evaluation.guesses import Guesses
from palmette.evaluation.tree_pairs import column_accuracy
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name
from palmette.messages import counted
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.treebank import require_heads
from palmette.tools.explanation import Explanation


def evaluation(
    parser: DependencyParser, source: str, gold_tags: bool, *, calibrated: bool = False
) -> dict[str, Any]:
    """The measures of a parser on a treebank."""
    gold = require_heads(read_treebank(source), path=display_name(source))
    began = time.perf_counter()
    retag = bool(parser.taggers_) and not gold_tags
    parsed = parser.parse(gold, retag=retag)
    seconds = time.perf_counter() - began
    scores = parser.evaluate(gold, retag=retag, parsed=parsed)
    measure: Measure = "las" if scores.is_labelled else "uas"
    interval = scores.interval(measure)
    report: dict[str, Any] = {
        measure: scores.las if scores.is_labelled else scores.uas,
        f"{measure}_interval": [interval.low, interval.high],
    }
    if scores.is_labelled:
        report |= {"uas": scores.uas, "clas": scores.clas, "exact": scores.exact_match}
        report |= {"exact_labelled": scores.exact_match_labelled}
    else:
        report |= {"exact": scores.exact_match, "las": None}
        report["note"] = "the treebank has no relations, so LAS does not apply"
    rest = scores.to_dict()
    report |= {name: value for name, value in rest.items() if value is not None and "exact_match" not in name}
    tables = {name: Table(report.pop(name)) for name in list(report) if isinstance(report[name], dict)}
    report |= {"seconds": seconds, "tokens_per_second": gold.n_words / max(seconds, 1e-9)}
    if not gold_tags:
        report |= {f"{name}_accuracy": column_accuracy(gold, parsed, name) for name in parser.taggers_}
    if calibrated:
        likely = np.concatenate(parser.arc_probabilities(parsed, parsed))
        table = reliability(likely, np.asarray(gold.heads) == np.asarray(parsed.heads))
        report["probabilities_from"] = parser.probabilities_from
        report["calibration_error"] = table.error
        tables["calibration"] = Table(table.to_dict()["bins"])
    unseen = _unseen(parser, gold)
    if unseen:
        report["relations_never_seen"] = unseen
    return report | tables


def guesses(parser: DependencyParser, source: str, probabilities: bool) -> Guesses:
    """The relations of gold and guess; a guess is right if its head is, and its probability is that of the arc."""
    gold = require_heads(read_treebank(source), path=display_name(source))
    parsed = parser.parse(gold, retag=bool(parser.taggers_))
    likely = np.concatenate(parser.arc_probabilities(parsed, parsed)) if probabilities else None
    relations, guessed = (one.column("deprel").values() for one in (gold, parsed))
    return Guesses(relations, guessed, likely, np.asarray(gold.heads) == np.asarray(parsed.heads))


def _unseen(parser: DependencyParser, gold: Corpus) -> list[str]:
    column = gold.column("deprel")
    used = {column.strings[k] for k in np.unique(column.ids).tolist()}
    return sorted(used - set(parser.relations_) - {"_"})


def inspection(parser: DependencyParser) -> dict[str, Any]:
    """What is in a parser."""
    model = parser.model_
    return {
        "method": parser.method,
        "options": dict(parser.options or {}),
        "settings": model.settings(),
        "columns": list(parser.columns_),
        "relations": list(model.labels),
        "bytes": sum(array.nbytes for array in model.arrays().values()),
        "taggers": {name: f"{counted(len(t.classes_), 'label')}" for name, t in parser.taggers_.items()},
        "training": {name: value for name, value in parser.training_.items() if value is not None},
    }


def explained(
    parser: DependencyParser,
    sentence: Corpus,
    token: int | None,
    against: int | None,
    top: int,
    *,
    tags: bool,
) -> Explanation:
    """The explanation of the heads of a sentence, of one of them, against another one, or of the tags."""
    if token is not None and token > sentence.n_words:
        raise ValueError(f"the sentence has {counted(sentence.n_words, 'token')}; there is no token {token}")
    if tags:
        if not parser.taggers_:
            raise UsageError("--tags needs a pipeline; this parser has no taggers")
        return explained_tags(next(iter(parser.taggers_.values())), sentence, token, top)
    if against is None:
        return parser.explain(sentence).of(token, top)
    if token is None:
        raise UsageError("--against needs --token, the word to explain")
    return parser.explain(sentence, against=(token, against)).of(top=top)
