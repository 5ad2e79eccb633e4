"""Reports on constituency parsers: measures, the content of a model, why a tree has its brackets."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any

from palmette.cli.brackets import measures
from palmette.cli.options import parse_settings
from palmette.cli.run import Run, restored
from palmette.errors import FormatError, UsageError
from palmette.evaluation.bracket_rules import BracketRules
from palmette.evaluation.brackets import best_of_ranked, evaluate_brackets
from palmette.formats.files import display_name
from palmette.formats.model import ModelFile
from palmette.tools.constituency.input import gold_trees, read_trees
from palmette.tools.constituency.model import Bracket
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.constituency.treebank import sentences_of
from palmette.tools.explanation import Explanation

_BRACKET = re.compile(r"(.+):(\d+)(?:-(\d+))?")


def loaded(model: ModelFile, run: Run, search: Sequence[str] | None = None) -> ConstituencyParser:
    """The parser of a model, for this run, with other options of search if there are any."""
    parser: ConstituencyParser = restored(ConstituencyParser, model, n_jobs=run.n_jobs)
    if not search:
        return parser
    return parser.with_options(**parse_settings(search))


def evaluation(
    parser: ConstituencyParser,
    source: str,
    rules: BracketRules,
    *,
    gold_tags: bool,
    minimum_risk: bool | None,
    max_length: int | None,
    oracle: int | None,
) -> dict[str, Any]:
    """The measures of a parser on a treebank."""
    gold = gold_trees(read_trees(source), scoring=True).trees
    if max_length is not None:
        gold = [tree for tree in gold if len(tree.leaves) <= max_length]
        if not gold:
            raise FormatError(
                f"nothing to evaluate: no sentence has at most {max_length} words", path=display_name(source)
            )
    tags = parser.known_tags(gold) if gold_tags else None
    sentences = sentences_of(gold)
    began = time.perf_counter()
    parses = parser.parse(sentences, tags=tags, minimum_risk=minimum_risk)
    seconds = time.perf_counter() - began
    found = [parse for parse in parses if parse is not None]
    trees = [parse.tree for parse in found]
    rules = parser.counting(rules)
    report = measures(evaluate_brackets(gold, trees, rules))
    if parser.keep_functions:
        report["f1_with_functions"] = evaluate_brackets(
            gold, trees, parser.counting(rules, functions=True)
        ).f1
    labels = report.pop("labels")
    report |= {
        "seconds": seconds,
        "sentences_per_second": len(gold) / max(seconds, 1e-9),
        "fragments": sum("fragment" in parse.note for parse in found),
    }
    if oracle is not None:
        ranked = [[parse.tree for parse in parses] for parses in parser.kbest(sentences, oracle)]
        report["oracle_f1"] = evaluate_brackets(gold, best_of_ranked(gold, ranked, rules), rules).f1
    return report | {"labels": labels}


def inspection(parser: ConstituencyParser) -> dict[str, Any]:
    """What is in a parser."""
    model = parser.model_
    return {
        "method": parser.method,
        "options": dict(parser.options or {}),
        "functions": str(parser.functions_),
        "keep_functions": parser.keep_functions,
        "settings": model.settings(),
        "bytes": sum(array.nbytes for array in model.arrays().values()),
        "training": {name: value for name, value in parser.training_.items() if value is not None},
    }


def explained(parser: ConstituencyParser, words: Sequence[str], bracket: str | None, top: int) -> Explanation:
    """The explanation of the brackets of a sentence, or of one."""
    return parser.explain(list(words), bracket=None if bracket is None else _bracket(bracket)).of(top=top)


def _bracket(text: str) -> Bracket:
    found = _BRACKET.fullmatch(text)
    if found is None:
        raise UsageError(
            f"--bracket {text}: expected LABEL:FIRST-LAST with words counted from 1, such as NP:3-5"
        )
    first = int(found[2])
    return Bracket(first - 1, int(found[3] or first), found[1])
