"""`palmette explain` for every tagger: the model says which kind it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palmette.cli.tools.sequence import options as options

if TYPE_CHECKING:
    from palmette.cli.run import Run
    from palmette.formats.model import ModelFile
    from palmette.tools.explanation import Explanation


def explain(
    model: ModelFile,
    run: Run,
    text: options.Text = None,
    file: options.SentenceFile = None,
    sentence: options.SentenceNumber = 1,
    token: options.TokenNumber = None,
    top: options.Top = 5,
    format: options.FormatName = None,
    language: options.Language = None,
) -> Explanation:
    """Why the words of a sentence got their labels.

    For each token its label and the runner-up, that is the best sequence with another label there, with their
    probabilities; the margin between the two sequences; and the features that make it up.
    """
    from palmette.cli.tools.sequence.input import language_of
    from palmette.cli.tools.sequence.prediction import loaded
    from palmette.cli.tools.sequence.report import explained, sentence_to_explain
    from palmette.tools.sequence.span_tagger import SpanTagger
    from palmette.tools.sequence.tagger import Tagger

    kind = SpanTagger if model.kind == SpanTagger.kind else Tagger
    tagger = loaded(kind, model, run)
    found = sentence_to_explain(text, file, sentence, format, language_of(tagger.training_, language), run)
    return explained(tagger, found, token, top)
