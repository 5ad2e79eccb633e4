"""`palmette train tokens`, and what the other commands do with a tokenizer: text to sentences, tokens, words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from palmette.cli.commands import helped
from palmette.cli.held_out import HeldOut
from palmette.cli.tools.sequence.options import About, Compact, Input, Top
from palmette.cli.tools.tokens import options as own
from palmette.cli.tools.training import learners_help

if TYPE_CHECKING:
    from palmette.cli.run import Run
    from palmette.formats.model import ModelFile
    from palmette.tools.explanation import Explanation

HELD_OUT = HeldOut(("words", "tokens", "sentences"))

EXAMPLES = {
    "train": [
        "palmette train tokens --train train.conllu -o tokens.palm",
        "palmette train tokens --train train.conllu --dev dev.conllu --learner perceptron -o tokens.palm",
    ],
    "predict": [
        "palmette predict tokens.palm text.txt > text.conllu",
        "palmette predict tokens.palm text.txt --to lines",
        "palmette predict tokens.palm sentences.txt --presegmented --probabilities",
    ],
    "evaluate": [
        "palmette evaluate tokens.palm test.conllu",
        "palmette evaluate tokens.palm test.conllu --json",
    ],
    "inspect": ["palmette inspect tokens.palm --top 10"],
    "explain": ['palmette explain tokens.palm "Mr. Wu left. He came back."'],
}


def _train_help() -> str:
    from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer

    return learners_help(
        """Train a tokenizer: where tokens and sentences end, and which words a multiword token has.

        The treebank must have its text: `# text`, or SpaceAfter=No in MISC. The learner is chosen by the size of
        the treebank, unless --learner or --set says otherwise.""",
        LearnedTokenizer().offers,
    )


@helped(_train_help)
def train(
    run: Run,
    train: own.Treebank,
    dev: own.DevTreebank = None,
    min_count: own.MinCount = 2,
    compact: Compact = True,
    about: About = None,
) -> ModelFile:
    from palmette.cli.tools.tokens.running import train_tokenizer

    return train_tokenizer(run, train=train, dev=dev, min_count=min_count, compact=compact, about=about)


def predict(
    model: ModelFile,
    run: Run,
    source: Input = "-",
    newlines: own.LineEnds = None,
    presegmented: own.Presegmented = False,
    pretokenized: own.Pretokenized = False,
    words: own.Words = True,
    probabilities: own.Probabilities = False,
    to: own.To = own.OutputFormat.conllu,
) -> Iterator[bytes]:
    """Cut a text into sentences, tokens and words, and write them as CoNLL-U.

    MISC has the white space of the text. With --jsonl every sentence is an object with the places of its words.
    """
    from palmette.cli.tools.tokens.running import loaded, predictions

    tokenizer = loaded(
        model, run, newlines, presegmented=presegmented, pretokenized=pretokenized, words=words
    )
    return predictions(tokenizer, source, to, run, probabilities=probabilities)


def evaluate(
    model: ModelFile,
    run: Run,
    source: own.GoldTreebank,
    newlines: own.LineEnds = None,
    worst: own.Worst = 5,
) -> dict[str, Any]:
    """Compare a tokenizer with a treebank: precision, recall and F1 of tokens, sentences and words.

    Sentences of the treebank are joined by spaces, paragraphs and documents by an empty line. `seconds` is the
    time of cutting, without loading the model and reading the file.
    """
    from palmette.cli.tools.tokens.running import evaluation, loaded

    return evaluation(loaded(model, run, newlines), source, worst)


def inspect(model: ModelFile, run: Run, top: Top = 5) -> dict[str, Any]:
    """Show what is in a tokenizer: how it reads text, its training, the strongest features of each label."""
    from palmette.cli.tools.tokens.running import inspection, loaded

    return inspection(loaded(model, run), top)


def explain(
    model: ModelFile,
    run: Run,
    text: own.Text = None,
    file: own.TextFile = None,
    top: Top = 5,
) -> Explanation:
    """Explain why tokens and sentences end where they do: the features of each decision, and what they add.

    Characters in the middle of tokens are shown only where that is not certain.
    """
    from palmette.cli.text_or_file import text_or_file
    from palmette.cli.tools.tokens.running import loaded
    from palmette.formats.files import read_text

    text, file = text_or_file(text, file, "a text", run)
    if file is not None or text == "-":
        text = read_text(file or "-")
    assert text is not None
    return loaded(model, run).explain(text).of(top=top)
