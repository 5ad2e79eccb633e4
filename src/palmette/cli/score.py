"""`palmette score GOLD GUESS`: compare two files of trees, or of word alignments, whoever made them."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer

from palmette.cli.commands import command as make_command
from palmette.cli.options import AsJson
from palmette.cli.report import print_json, print_lines
from palmette.cli.tools import phrase_options as own
from palmette.formats.errors import FormatError
from palmette.formats.files import display_name, read_bytes
from palmette.formats.guess import guess_format
from palmette.formats.registry import format_of_name

_LINKS = re.compile(rb"\s*\d+[-p]\d+(:[0-9.eE+-]+)?(\s|$)")  # what a file of word alignments begins with


def score(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The right trees or links.")],
    guess: Annotated[str, typer.Argument(metavar="GUESS", help="What to compare with them.")],
    params: own.Rules = own.USUAL_RULES,
    as_evalb: own.AsEvalb = False,
    max_length: own.MaxLength = None,
    json: AsJson = False,
) -> None:
    """Compare two files over the same sentences.

    Phrase structure trees are compared as EVALB does it, CoNLL-U as CoNLL 2018, and word alignments in the Pharaoh
    format (0-0 1p2) by their error rate.

    Rates and scores are fractions of one in JSON; for people, phrase structure gets EVALB's summary in percent.
    """
    holds = _holds(gold)
    if holds != "trees":
        if params != own.USUAL_RULES or as_evalb or max_length is not None:
            raise ValueError("--params, --as-evalb and --max-length are for phrase structure trees")
        report = _alignments(gold, guess) if holds == "links" else _dependencies(gold, guess)
        (print_json if json else print_lines)(report)
        return
    from palmette.cli.tools.phrase_report import measures

    scores = _phrases(gold, guess, params, as_evalb, max_length)
    report = measures(scores)
    if json:
        print_json(report)
    else:
        print(scores)
        print()
        print_lines(
            {name: report[name] for name in ("discontinuous_f1", "disagreeing_punctuation", "labels")}
        )


def _holds(source: str) -> str:
    data = b"" if format_of_name(source) else read_bytes(source)
    if _LINKS.match(data):
        return "links"
    format = format_of_name(source) or guess_format(data)
    if format is None:
        raise FormatError("neither trees nor CoNLL-U nor word alignments", path=display_name(source))
    return format.holds


def _phrases(gold: str, guess: str, params: str, as_evalb: bool, max_length: int | None) -> Any:
    from palmette.cli.tools.phrase_report import rules_for
    from palmette.evaluation.brackets import evaluate_brackets
    from palmette.tools.constituency.input import read_trees

    right, tried = read_trees(gold), read_trees(guess)
    if len(right) != len(tried):
        raise ValueError(
            f"{display_name(gold)} has {len(right):,} trees and {display_name(guess)} has {len(tried):,}: "
            "they must be of the same sentences"
        )
    if max_length is not None:
        short = [i for i, tree in enumerate(tried) if len(tree.leaves) <= max_length]
        return evaluate_brackets(
            [right[i] for i in short], [tried[i] for i in short], rules_for(params, as_evalb)
        )
    return evaluate_brackets(right, tried, rules_for(params, as_evalb))


def _alignments(gold: str, guess: str) -> dict[str, Any]:
    from palmette.evaluation.alignments import evaluate_alignments
    from palmette.formats.pharaoh import read_pharaoh

    right, tried = read_pharaoh(gold), read_pharaoh(guess)
    if len(right) != len(tried):
        raise ValueError(
            f"{display_name(gold)} has {len(right):,} alignments and {display_name(guess)} has {len(tried):,}: "
            "they must be of the same sentences"
        )
    scores = evaluate_alignments(right, [one.possible for one in tried])
    interval = scores.interval()
    return scores.to_dict() | {"interval": [interval.low, interval.high]}


def _dependencies(gold: str, guess: str) -> dict[str, Any]:
    from palmette.cli.report import Table
    from palmette.evaluation.dependencies import evaluate_trees
    from palmette.formats.conllu import read_conllu
    from palmette.tools.dependency.treebank import require_heads

    right = require_heads(read_conllu(gold), path=display_name(gold))
    scores = evaluate_trees(right, read_conllu(guess)).to_dict()
    return {name: Table(value) if isinstance(value, dict) else value for name, value in scores.items()}


command = make_command(
    score,
    [
        "palmette score test.mrg output.mrg",
        "palmette score test.mrg output.mrg --params COLLINS.prm --json",
        "palmette score test.conllu output.conllu",
        "palmette score test.align output.align",
    ],
)
