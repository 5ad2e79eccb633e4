"""`palmette score --from raw-text`: two analyses of the same text in CoNLL-U, by the measures of CoNLL 2018."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from palmette.cli.report import Table, print_json, print_lines

if TYPE_CHECKING:
    from palmette.evaluation.raw_text_scores import RawTextScores

RAW_TEXT = "raw-text"
_SHOWN = 5  # confusions of a layer, and sentences


def show(gold: str, guess: str, json: bool) -> None:
    """Compare two files, and print a table for people or all of it as JSON."""
    from palmette.evaluation.raw_text import evaluate_raw_text
    from palmette.formats.files import is_standard

    if is_standard(gold) and is_standard(guess):
        raise ValueError("only one of the two files can be standard input")
    scores = evaluate_raw_text(gold, guess)
    if json:
        print_json(_report(scores))
        return
    _print_table(scores)


def _measure(scores: RawTextScores) -> str:
    """The measure that has an interval and sorts sentences: LAS, or without trees the tags."""
    return "las" if scores.has_trees else "upos"


def _report(scores: RawTextScores) -> dict[str, Any]:
    measure = _measure(scores)
    interval = scores.interval(measure)
    worst = [{"sentence": number, "mistakes": n} for number, n in scores.worst(measure)]
    return {**scores.to_dict(), f"{measure}_interval": [interval.low, interval.high], "worst": worst}


def _print_table(scores: RawTextScores) -> None:
    from palmette.evaluation.raw_text_scores import TITLES

    rows = {}
    for name, one in scores.counts.items():
        accuracy = one.aligned_accuracy
        rows[TITLES[name]] = {
            "precision": one.precision,
            "recall": one.recall,
            "f1": one.f1,
            "aligned": "" if accuracy is None else accuracy,
        }
    Table(rows).show()
    print()
    measure = _measure(scores)
    interval = scores.interval(measure)
    report: dict[str, Any] = {f"{measure}_interval": [interval.low, interval.high]}
    if not scores.has_trees:
        report["note"] = "a file has no heads, so there are no scores of trees"
    for layer, mistakes in scores.confused.items():
        if mistakes:
            report[f"{layer} confused"] = {f"{a} as {b}": n for a, b, n in mistakes[:_SHOWN]}
    worst = scores.worst(measure, _SHOWN)
    if worst:
        report["sentences with most mistakes"] = {f"gold sentence {number}": n for number, n in worst}
    print_lines(report)
