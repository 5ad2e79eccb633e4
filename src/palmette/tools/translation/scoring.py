"""Scores of translations: by sacrebleu, and BLEU of tokenized text also without it."""

from __future__ import annotations

from collections.abc import Sequence

from palmette.evaluation.translations import TranslationScores, evaluate_translations, reference_sets
from palmette.tools.translation.tuning.metric import TuningMetric
from palmette.tools.translation.tuning.references import References


def score_translations(
    guess: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    metrics: Sequence[str] = ("bleu", "chrf", "ter"),
    raw: bool = False,
    n_resamples: int = 0,
) -> TranslationScores:
    """Compare translations with lists of references; raw: words are found as sacrebleu finds them.

    BLEU alone of tokenized text is counted natively, with the same result, so that it needs no extra package.
    """
    if list(metrics) != ["bleu"] or raw or n_resamples or not guess:
        return evaluate_translations(
            guess, references, metrics=metrics, tokenize="13a" if raw else "none", n_resamples=n_resamples
        )
    sets = reference_sets(references, len(guess))
    metric = TuningMetric("bleu")
    counts = References(sets, metric).count([[text] for text in guess])
    bleu = float(metric.scores(counts.sum(axis=0, dtype="f8")[None])[0])
    signature = f"nrefs:{len(sets)}|case:mixed|eff:no|tok:none|smooth:exp"
    return TranslationScores({"bleu": bleu}, {"bleu": signature}, len(guess))
