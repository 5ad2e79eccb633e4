"""Scores of brackets: the options that `score` and `evaluate` share, and the report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from palmette.cli.report import Table
from palmette.evaluation.bracket_rules import RULES, BracketRules, read_rules

if TYPE_CHECKING:
    from palmette.evaluation.bracket_scores import BracketScores

Rules: TypeAlias = Annotated[
    str,
    typer.Option(
        "--params",
        metavar="NAME|FILE",
        help=f"Evaluation rules: {', '.join(RULES)}, or an EVALB parameter file.",
    ),
]
USUAL_RULES = "collins"
AsEvalb: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--as-evalb",
        help="Skip sentences whose punctuation tags differ, as EVALB does.",
    ),
]
Functions: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--functions",
        metavar="PATTERN",
        help="How labels of the gold trees hold functions: label-function (NP-SBJ), function+label (SUBJ+np), or "
        "none. [default: detected]",
    ),
]
MaxLength: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-length", metavar="N", min=1, help="Evaluate only sentences of at most N words. [default: all]"
    ),
]


def rules_for(params: str, as_evalb: bool) -> BracketRules:
    """What counts: Collins' rules, others by name, or those of a parameter file."""
    rules = RULES[params] if params in RULES else read_rules(params)
    return replace(rules, as_evalb=as_evalb)


def measures(scores: BracketScores) -> dict[str, Any]:
    """The measures by name, F1 with its interval first, the labels as a table last."""
    rest = scores.to_dict()
    labels = Table(rest.pop("labels"))
    report: dict[str, Any] = {"f1": rest.pop("f1")}
    if scores.sentences:
        interval = scores.interval()
        report["f1_interval"] = [interval.low, interval.high]
    return report | rest | {"labels": labels}
