"""`palmette score GOLD GUESS`: compare files of tags, spans, trees, word alignments or translations."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from palmette.cli import brackets as own
from palmette.cli.commands import command as make_command
from palmette.cli.options import AsJson
from palmette.cli.report import Table, print_json, print_lines
from palmette.cli.verbs import raw_text, translations
from palmette.cli.verbs.raw_text import RAW_TEXT
from palmette.cli.verbs.translations import TRANSLATIONS
from palmette.errors import FormatError, UsageError
from palmette.formats.files import display_name, read_bytes
from palmette.formats.guess import guess_format
from palmette.formats.registry import Format, format_named, format_names, format_of_name
from palmette.messages import counted

if TYPE_CHECKING:
    from palmette.evaluation.bracket_rules import BracketRules
    from palmette.evaluation.bracket_scores import BracketScores
    from palmette.formats.corpus import Corpus
    from palmette.trees.tree import Tree

_LINKS = re.compile(rb"\s*\d+[-p]\d+(:[0-9.eE+-]+)?(\s|$)")  # what a file of word alignments begins with


def score(
    gold: Annotated[
        str,
        typer.Argument(metavar="GOLD", help="The file with the gold labels, trees, links or translations."),
    ],
    guess: Annotated[str, typer.Argument(metavar="GUESS", help="The file with the predicted ones.")],
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Score one column of tokens in detail: its name (upos, lemma, ...) or index (0 is the first, "
            "-1 the last). [default: all of CoNLL-U, the last of a column file]",
        ),
    ] = None,
    source_format: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME",
            help=f"The format of both files: {format_names()}, {RAW_TEXT} (CoNLL-U whose tokens may differ), "
            f"{TRANSLATIONS} (a sentence on each line).",
        ),
    ] = None,
    params: own.Rules = own.USUAL_RULES,
    as_evalb: own.AsEvalb = False,
    max_length: own.MaxLength = None,
    functions: own.Functions = None,
    references: translations.References = None,
    against: translations.Against = None,
    tokenize: translations.Tokenize = None,
    lowercase: translations.Lowercase = False,
    resamples: translations.Resamples = None,
    synonyms: translations.Synonyms = None,
    tagger: translations.Tagger = None,
    parser: translations.Parser = None,
    json: AsJson = False,
) -> None:
    """Compare two files over the same sentences.

    CoNLL-U is compared as CoNLL 2018 does it: tags, features and lemmas by their accuracy, heads by UAS, LAS and
    more. Every column of a column file gets its accuracy, and a column of span labels (B-X, I-X, O) also F1 as in
    conlleval. Phrase structure trees are compared as EVALB does it, and word alignments in the Pharaoh format
    (0-0 1p2) by their error rate.

    With --from raw-text, CoNLL-U files may divide the same text into different tokens, words and sentences: all
    measures of CoNLL 2018 from Tokens to BLEX, and the commonest confusions.

    Translations (--from translations) are compared by BLEU, chrF and TER as sacrebleu computes them (the extra
    `mt`). With --synonyms, --tagger or --parser they also get the linguistic overlap, which is not BLEU.

    Rates and scores are fractions between 0 and 1. Without --json, phrase structure gets EVALB's summary
    in percent.
    """
    wanted = translations.Wanted(
        references, against, tokenize, lowercase, resamples, synonyms, tagger, parser
    )
    if source_format != TRANSLATIONS:
        wanted.refuse()
    whole = source_format in (TRANSLATIONS, RAW_TEXT)
    holds = source_format if source_format is not None and whole else _holds(gold, source_format)
    if holds != "trees" and (
        params != own.USUAL_RULES or as_evalb or max_length is not None or functions is not None
    ):
        raise UsageError("--params, --as-evalb, --max-length and --functions are for phrase structure trees")
    if holds in ("trees", "links", TRANSLATIONS, RAW_TEXT) and column is not None:
        raise UsageError("--column is for CoNLL-U with the same words, and for column files")
    if holds == RAW_TEXT:
        raw_text.show(gold, guess, json)
        return
    if holds == TRANSLATIONS:
        translations.show(translations.scores(gold, guess, wanted), json)
        return
    if holds != "trees":
        report = _alignments(gold, guess) if holds == "links" else _tokens(gold, guess, holds, column)
        (print_json if json else print_lines)(report)
        return
    scores, with_functions = _phrases(gold, guess, own.rules_for(params, as_evalb), max_length, functions)
    report = own.measures(scores)
    if with_functions is not None:
        report = {"f1": report.pop("f1"), "f1_with_functions": with_functions, **report}
    if json:
        print_json(report)
    else:
        print(scores)
        print()
        print_lines(
            {
                name: report[name]
                for name in ("f1_with_functions", "discontinuous_f1", "disagreeing_punctuation", "labels")
                if name in report
            }
        )


def _holds(source: str, named: str | None) -> str:
    """ "trees", "links", or the name of a format of tokens."""
    if named is not None:
        format: Format | None = format_named(named)
    else:
        data = b"" if format_of_name(source) else read_bytes(source)
        if _LINKS.match(data):
            return "links"
        format = format_of_name(source) or guess_format(data)
    if format is None:
        raise FormatError(
            "cannot detect the format (trees, CoNLL-U, columns or word alignments); specify it with --from "
            "(--from translations for sentences)",
            path=display_name(source),
        )
    return "trees" if format.holds == "trees" else format.name


def _phrases(
    gold: str, guess: str, rules: BracketRules, max_length: int | None, functions: str | None
) -> tuple[BracketScores, float | None]:
    """The scores without functions in labels, and F1 with them if the guessed trees have some."""
    from palmette.evaluation.brackets import evaluate_brackets
    from palmette.formats.functions import functions_of, told_of_functions
    from palmette.tools.constituency.input import read_trees

    right: list[Tree] = read_trees(gold)
    tried: list[Tree] = read_trees(guess)
    if len(right) != len(tried):
        raise ValueError(
            f"{display_name(gold)} has {counted(len(right), 'tree')} and {display_name(guess)} has "
            f"{len(tried):,}: "
            "they must be of the same sentences"
        )
    if max_length is not None:
        short = [i for i, tree in enumerate(tried) if len(tree.leaves) <= max_length]
        right, tried = [right[i] for i in short], [tried[i] for i in short]
    rules = replace(rules, labels=functions_of(right, functions))
    scores = evaluate_brackets(right, tried, rules)
    if not told_of_functions(tried, rules.labels):
        return scores, None
    return scores, evaluate_brackets(right, tried, replace(rules, functions=True)).f1


def _alignments(gold: str, guess: str) -> dict[str, Any]:
    from palmette.evaluation.alignments import evaluate_alignments
    from palmette.formats.pharaoh import read_pharaoh

    right, tried = read_pharaoh(gold), read_pharaoh(guess)
    if len(right) != len(tried):
        raise ValueError(
            f"{display_name(gold)} has {counted(len(right), 'alignment')} and {display_name(guess)} has "
            f"{len(tried):,}: "
            "they must be of the same sentences"
        )
    scores = evaluate_alignments(right, [one.possible for one in tried])
    interval = scores.interval()
    return scores.to_dict() | {"interval": [interval.low, interval.high]}


def _tokens(gold: str, guess: str, format: str, column: str | None) -> dict[str, Any]:
    from palmette.evaluation.columns import check_same_words

    right, tried = (_corpus(source, format) for source in (gold, guess))
    try:
        check_same_words(right, tried)
    except ValueError as error:
        if format != "conllu":
            raise
        raise ValueError(f"{error}; --from {RAW_TEXT} compares different words of the same text") from None
    if column is not None:
        return _labels(right, tried, _place(column), _place(column))
    if format == "columns":
        return _columns(right, tried)
    return _conllu(right, tried, gold)


def _corpus(source: str, format: str) -> Corpus:
    found = format_named(format).read(source)
    if not found.n_words:  # type: ignore[union-attr]
        raise FormatError("expected words to score; the files have none", path=display_name(source))
    return found  # type: ignore[return-value]


def _place(column: str) -> str | int:
    return int(column) if re.fullmatch(r"-?\d{1,9}", column) else column


def _conllu(gold: Corpus, guess: Corpus, path: str) -> dict[str, Any]:
    """Tags, features and lemmas; and trees, where gold has heads."""
    from palmette.evaluation.columns import conllu_accuracies
    from palmette.evaluation.dependencies import evaluate_dependencies
    from palmette.tools.dependency.treebank import require_heads

    report: dict[str, Any] = {
        "tokens": gold.n_words,
        "sentences": len(gold),
        **conllu_accuracies(gold, guess),
    }
    if gold.heads is not None and (gold.heads >= 0).any():
        scores = evaluate_dependencies(require_heads(gold, path=display_name(path)), guess).to_dict()
        report |= {name: Table(value) if isinstance(value, dict) else value for name, value in scores.items()}
    elif len(report) == 2:
        raise FormatError("nothing to score: every column except the words is empty", path=path)
    return report


def _columns(gold: Corpus, guess: Corpus) -> dict[str, Any]:
    """The last column in detail, and the accuracy of all that both files have."""
    from palmette.evaluation.columns import agreement

    if len(gold.names) < 2 or len(guess.names) < 2:
        raise ValueError("both files must have a column of labels besides the words")
    report = _labels(gold, guess, -1, -1)
    if len(gold.names) == len(guess.names) > 2:
        report["columns"] = {
            name: float(agreement(gold.column(place), guess.column(place)).mean())
            for place, name in enumerate(gold.names)
            if place
        }
    return report


def _labels(gold: Corpus, guess: Corpus, place: str | int, other: str | int) -> dict[str, Any]:
    """One column: accuracy and labels, or F1 of spans and their types."""
    from palmette.evaluation.columns import holds_spans
    from palmette.evaluation.spans import evaluate_spans
    from palmette.evaluation.tagging import evaluate_tags

    try:
        right, tried = gold.column(place), guess.column(other)
    except KeyError as error:
        raise ValueError(f"--column {place}: {error.args[0]}") from None
    if holds_spans(right):
        scores = evaluate_spans(right, tried, gold.offsets)
        report = scores.to_dict()
        types = report.pop("types")
        low, high = scores.interval().low, scores.interval().high
        report = {"f1": report.pop("f1"), "f1_interval": [low, high], **report, "types": Table(types)}
    else:
        tags = evaluate_tags(right, tried, gold.offsets)
        report = {name: value for name, value in tags.to_dict().items() if value is not None}
        low, high = tags.interval().low, tags.interval().high
        labels, confused = report.pop("labels"), report.pop("confused")
        report = {"accuracy": report.pop("accuracy"), "accuracy_interval": [low, high], **report}
        report["labels"] = Table(labels)
        report["confused"] = {f"{a} as {b}": n for a, b, n in confused}
    report.pop("unknown_labels")
    return report


command = make_command(
    score,
    [
        "palmette score test.mrg output.mrg",
        "palmette score test.mrg output.mrg --params COLLINS.prm --json",
        "palmette score test.conllu output.conllu              tags, features, lemmas and trees",
        "palmette score test.conllu output.conllu --column upos    one column in detail",
        "palmette score test.conllu output.conllu --from raw-text    also tokens, words and sentences",
        "palmette score eng.testb output.txt --from columns    F1 of entities",
        "palmette score test.align output.align",
        "palmette score test.en output.en --from translations    BLEU, chrF and TER",
        "palmette score test.en output.en --from translations --against other.en    a paired test",
    ],
)
