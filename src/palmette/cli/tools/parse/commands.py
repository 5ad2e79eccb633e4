"""`palmette train parse`, and what the other commands do with a constituency parser: a tree of phrases for every
sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from palmette.cli import brackets
from palmette.cli.commands import helped
from palmette.cli.held_out import HeldOut
from palmette.cli.run import Run
from palmette.cli.selectable import Examples, Selectable
from palmette.cli.tools.depparse import options as drawing
from palmette.cli.tools.parse import options as own
from palmette.cli.tools.parse.input import PhraseReader
from palmette.cli.tools.parse.prediction import Wanted, predictions
from palmette.cli.tools.parse.report import evaluation, explained, inspection, loaded
from palmette.cli.tools.parse.training import train_parser
from palmette.cli.tools.sequence import options as options
from palmette.cli.tools.sequence.input import language_of
from palmette.cli.tools.sequence.report import sentence_to_explain
from palmette.cli.tools.training import learners_help, methods_help
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import SUMS
from palmette.tools.constituency.input import words_of
from palmette.tools.constituency.model import METHODS
from palmette.tools.explanation import Explanation

HELD_OUT = HeldOut(("f1", "precision", "recall", "exact_match", "tagging_accuracy"))

EXAMPLES = {
    "train": [
        "palmette train parse --train train.mrg --method markov -o en-parse.palm",
        "palmette train parse --train train.mrg --dev dev.mrg --method crf -o en-parse.palm",
        "palmette train parse --train train.mrg --method combined --set methods=lexicalized,latent -o en.palm",
    ],
    "predict": [
        'echo "Time flies like an arrow." | palmette predict en-parse.palm --draw',
        "palmette predict en-parse.palm lines.txt --format tokens > trees.mrg",
        "palmette predict en-parse.palm input.conllu --kbest 10",
        "palmette predict en-parse.palm partial.mrg --keep-brackets",
    ],
    "evaluate": [
        "palmette evaluate en-parse.palm test.mrg",
        "palmette evaluate en-parse.palm test.mrg --params COLLINS.prm --json",
    ],
    "inspect": ["palmette inspect en-parse.palm"],
    "explain": [
        'palmette explain en-parse.palm "Time flies like an arrow"',
        'palmette explain en-parse.palm "Time flies like an arrow" --bracket PP:3-5',
    ],
}


def _train_help() -> str:
    return "\n".join(
        [
            learners_help(
                """Train a constituency parser: the tree of phrases of a sentence.

                Empty elements, functions in labels and unary cycles are removed from the trees first. --set takes
                the options of the method, and those of the learner if it has one.""",
                SUMS,
            ),
            *methods_help(METHODS),
        ]
    )


@helped(_train_help)
def train(
    run: Run,
    train: own.Treebank,
    dev: own.DevTreebank = None,
    method: own.MethodName = "lexicalized",
    functions: own.Functions = None,
    keep_functions: own.KeepFunctions = False,
    skip_bad: own.SkipBad = False,
    about: options.About = None,
) -> ModelFile:
    return train_parser(
        run,
        train=train,
        dev=dev,
        method=method,
        functions=functions,
        keep_functions=keep_functions,
        skip_bad=skip_bad,
        about=about,
    )


def predict(
    model: ModelFile,
    run: Run,
    source: own.InputName = "-",
    format: own.InputFormat = None,
    language: options.Language = None,
    lines: options.Lines = False,
    to: own.OutputFormat = None,
    kbest: own.KBest = 1,
    probabilities: own.Probabilities = False,
    minimum_risk: own.MinimumRisk = None,
    keep_tags: own.KeepTags = False,
    keep_brackets: own.KeepBrackets = False,
    search: drawing.Search = None,
    draw: drawing.Draw = False,
    svg: drawing.Svg = False,
) -> Iterator[bytes]:
    """Parse the words of a file of text, tokens, CoNLL-U or trees; write one tree per line.

    If no tree of the grammar covers a sentence, its tree is built from the best fragments, with a warning on
    standard error. An empty sentence gives an empty line.
    """
    parser = loaded(model, run, search)
    reader = PhraseReader(
        source,
        format,
        language_of(parser.training_, language),
        lines,
        tags=keep_tags,
        brackets=keep_brackets,
        functions=parser.functions_,
        keep_functions=parser.keep_functions,
        reading=run.reading,
    )
    return predictions(parser, reader, Wanted(to, kbest, probabilities, minimum_risk, draw, svg), run)


def select(
    model: ModelFile,
    run: Run,
    format: own.InputFormat = None,
    language: options.Language = None,
    lines: options.Lines = False,
    to: own.OutputFormat = None,
) -> Selectable:
    """Choose the sentences most worth a tree, and write their trees with the probabilities of brackets."""
    parser = loaded(model, run)

    def read(source: str) -> Iterator[Examples]:
        spoken = language_of(parser.training_, language)
        for given in PhraseReader(source, format, spoken, lines, reading=run.reading):
            files = [" ".join(words).encode() + b"\n" for words in given.sentences]
            yield Examples(given.sentences, given.sentences, files)

    def annotate(content: Any) -> Iterator[bytes]:
        return predict(model, run, content, format=own.PhraseInput.tokens, to=to, probabilities=True)

    return Selectable(parser, read, annotate)


def evaluate(
    model: ModelFile,
    run: Run,
    source: own.Treebanked,
    params: brackets.Rules = brackets.USUAL_RULES,
    as_evalb: brackets.AsEvalb = False,
    gold_tags: own.GoldTags = False,
    minimum_risk: own.MinimumRisk = None,
    max_length: brackets.MaxLength = None,
    oracle: own.Oracle = None,
    search: drawing.Search = None,
) -> dict[str, Any]:
    """Compare a parser with gold trees: labelled brackets as EVALB counts them.

    Punctuation and the root do not count, and PRT equals ADVP; --params chooses other rules. `crossing` is the
    number of crossing brackets per sentence, `short_f1` is F1 on sentences of at most 40 words, `fragments` is the
    number of sentences that no tree of the grammar covers. A parser with functions in its labels also gets
    `f1_with_functions`. `seconds` is the time of parsing, without loading the
    model and reading the file.
    """
    return evaluation(
        loaded(model, run, search),
        source,
        brackets.rules_for(params, as_evalb),
        gold_tags=gold_tags,
        minimum_risk=minimum_risk,
        max_length=max_length,
        oracle=oracle,
    )


def inspect(model: ModelFile, run: Run) -> dict[str, Any]:
    """Show what is in a parser: method, options, sizes, training."""
    return inspection(loaded(model, run))


def explain(
    model: ModelFile,
    run: Run,
    text: options.Text = None,
    file: options.SentenceFile = None,
    sentence: options.SentenceNumber = 1,
    bracket: own.BracketName = None,
    top: options.Top = 5,
    format: options.FormatName = None,
    language: options.Language = None,
) -> Explanation:
    """Explain why the tree of a sentence has its brackets.

    Show for each bracket its probability, what the best tree without it has instead, the margin between the two
    trees, and the rules or features that explain the margin. A bracket that the tree does not have is compared
    with the best tree that has it.
    """
    parser = loaded(model, run)
    found = sentence_to_explain(text, file, sentence, format, language_of(parser.training_, language), run)
    return explained(parser, words_of(found).sentences[0], bracket, top)
