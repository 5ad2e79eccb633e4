"""Scores of translations: BLEU, chrF and TER by sacrebleu, with signatures, bootstrap intervals and paired tests.

CSC 448, §21.1; Post 2018. The package `sacrebleu` is the extra `mt`. Scores are fractions of one, where sacrebleu
prints percent; for TER lower is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palmette.drawing.tables import ReportPicture
from palmette.evaluation.bootstrap import Interval
from palmette.optional import optional_module
from palmette.parameters import refuse_unknown, require_choice, require_int

METRICS = {"bleu": "BLEU", "chrf": "CHRF", "ter": "TER"}  # and their classes in sacrebleu
_LEVEL = 0.95  # the only one that sacrebleu computes


@dataclass(frozen=True)
class PairedTest:
    """Another system on the same sentences: its score, and how likely so large a difference is by chance."""

    score: float
    p_value: float


@dataclass(frozen=True)
class TranslationScores(ReportPicture):
    """Scores of a corpus by the name of the metric, as fractions of one.

    signatures: how sacrebleu computed each; intervals: by the bootstrap over sentences; against: of each other
    system the paired bootstrap test for each metric; details: precisions and lengths behind BLEU.
    """

    scores: Mapping[str, float]
    signatures: Mapping[str, str]
    sentences: int
    details: Mapping[str, Any] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    against: Mapping[str, Mapping[str, PairedTest]] = field(default_factory=dict)

    @property
    def bleu(self) -> float:
        """BLEU, if it was asked for."""
        return self.scores["bleu"]

    @property
    def chrf(self) -> float:
        """The F-score of character n-grams, if it was asked for."""
        return self.scores["chrf"]

    @property
    def ter(self) -> float:
        """The translation edit rate, if it was asked for; lower is better."""
        return self.scores["ter"]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        report: dict[str, Any] = {**self.scores, "sentences": self.sentences, **self.details}
        if self.intervals:
            report["intervals"] = {name: [one.low, one.high] for name, one in self.intervals.items()}
        if self.against:
            report["against"] = {
                system: {name: {"score": test.score, "p_value": test.p_value} for name, test in tests.items()}
                for system, tests in self.against.items()
            }
        return report | {"signatures": dict(self.signatures)}


def evaluate_translations(
    guess: Iterable[str],
    references: Iterable[str] | Iterable[Iterable[str]],
    *,
    metrics: Sequence[str] = ("bleu", "chrf", "ter"),
    tokenize: str = "13a",
    lowercase: bool = False,
    n_resamples: int = 0,
    against: Mapping[str, Iterable[str]] | None = None,
) -> TranslationScores:
    """Compare translations with references, one sentence each.

    references: one for each sentence, or several lists of such. tokenize: how BLEU finds words: `13a`, `none` for
    text that is tokenized, `char`, `zh`, … as in sacrebleu. n_resamples: for intervals of 95 %; 0: none. against:
    translations of other systems by name, for a paired bootstrap test of n_resamples, or 1,000.

    >>> scores = evaluate_translations(["the cat sat down"], ["the cat sat down"])
    >>> round(scores.bleu, 4), scores.ter
    (1.0, 0.0)
    """
    sentences = _texts(guess, "translations")
    sets = reference_sets(references, len(sentences))
    refuse_unknown(metrics, METRICS, "Translation scoring", "metric")
    require_int("n_resamples", n_resamples, 0)
    if not metrics:
        raise ValueError(f"Name a metric: {', '.join(METRICS)}.")
    if not sentences:
        raise ValueError("There are no translations to score.")
    made = {name: sacrebleu_metric(name, tokenize, lowercase) for name in metrics}
    found = {
        name: one.corpus_score(sentences, sets, n_bootstrap=n_resamples or 1) for name, one in made.items()
    }
    intervals = {
        name: Interval(
            float(one.score) / 100,
            float(one._mean - one._ci) / 100,
            float(one._mean + one._ci) / 100,
            _LEVEL,
        )
        for name, one in found.items()
        if n_resamples > 1
    }
    details: dict[str, Any] = {}
    if "bleu" in found:
        one = found["bleu"]
        details = {
            "brevity_penalty": one.bp,
            "precisions": [value / 100 for value in one.precisions],
            "words": one.sys_len,
            "reference_words": one.ref_len,
        }
    return TranslationScores(
        scores={name: float(one.score) / 100 for name, one in found.items()},
        signatures={name: str(one.get_signature()) for name, one in made.items()},
        sentences=len(sentences),
        details=details,
        intervals=intervals,
        against=_paired(sentences, against or {}, sets, (metrics, tokenize, lowercase), n_resamples or 1000),
    )


def reference_sets(references: Iterable[Any], n: int) -> list[list[str]]:
    """Return lists of references, each with one for each of n sentences; ValueError if there are more or fewer."""
    if isinstance(references, str):
        raise ValueError("References must be a list with a sentence for each translation. Got one string.")
    rows = list(references)
    sets = [rows] if not rows or isinstance(rows[0], str) else rows
    found = [_texts(one, "references") for one in sets]
    for number, one in enumerate(found, 1):
        if len(one) != n:
            which = f" in list {number}" if len(found) > 1 else ""
            raise ValueError(f"There are {n:,} translations, but {len(one):,} references{which}.")
    return found


def words_of(tokenize: str, lowercase: bool = False) -> Callable[[str], list[str]]:
    """Return a function that cuts a sentence into words as BLEU does; `none` needs no sacrebleu."""
    if tokenize == "none":
        return lambda text: (text.lower() if lowercase else text).split()
    metric = sacrebleu_metric("bleu", tokenize, lowercase)
    return lambda text: metric._preprocess_segment(text).split()


def sacrebleu_metric(name: str, tokenize: str, lowercase: bool) -> Any:
    """Return a metric of sacrebleu; ImportError with the command that installs it."""
    metrics = optional_module("sacrebleu.metrics", extra="mt")
    made = getattr(metrics, METRICS[name])
    if name == "bleu":
        require_choice("tokenize", tokenize, tuple(made.TOKENIZERS))
        return made(tokenize=tokenize, lowercase=lowercase, force=True)
    return made(case_sensitive=not lowercase) if name == "ter" else made(lowercase=lowercase)


def _paired(
    sentences: list[str],
    against: Mapping[str, Iterable[str]],
    sets: list[list[str]],
    how: tuple[Sequence[str], str, bool],
    n_resamples: int,
) -> dict[str, dict[str, PairedTest]]:
    if not against:
        return {}
    test = optional_module("sacrebleu.significance", extra="mt").PairedTest
    metrics, tokenize, lowercase = how
    systems: list[tuple[str, list[str]]] = [("", sentences)]
    for system, texts in against.items():
        other = _texts(texts, "translations")
        if len(other) != len(sentences):
            raise ValueError(
                f"{system} has {len(other):,} translations, but there are {len(sentences):,} to compare with."
            )
        systems.append((system, other))
    made = {name: sacrebleu_metric(name, tokenize, lowercase) for name in metrics}
    _, scores = test(systems, made, sets, test_type="bs", n_samples=n_resamples)()
    columns = dict(zip(metrics, list(scores.values())[1:]))  # the first column has the names of the systems
    return {
        system: {
            # sacrebleu calls a system that equals the first one surely different from it.
            name: PairedTest(
                float(column[row].score) / 100,
                1.0 if column[row].score == column[0].score else float(column[row].p_value),
            )
            for name, column in columns.items()
        }
        for row, system in enumerate(against, 1)
    }


def _texts(given: Iterable[Any], what: str) -> list[str]:
    if isinstance(given, str):
        raise ValueError(f"The {what} must be a list of sentences. Got one string.")
    found = list(given)
    for number, text in enumerate(found, 1):
        if not isinstance(text, str):
            raise ValueError(f"The {what} must be strings. Got {type(text).__name__} for sentence {number}.")
    return found
