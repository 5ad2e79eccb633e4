"""What `palmette score` does for translations: BLEU, chrF and TER, paired tests, and the linguistic overlap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any, TypeAlias

import typer

from palmette.cli.report import Table, print_json, print_lines
from palmette.errors import UsageError
from palmette.formats.files import display_name, read_lines
from palmette.messages import counted

TRANSLATIONS = "translations"
_RESAMPLES = 1000

References: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--reference", metavar="FILE", help="Translations: more references; repeatable."),
]
Against: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="FILE", help="Translations: another system for a paired test; repeatable."),
]
Tokenize: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Translations: how BLEU finds words, 13a, none, char, zh, … as in sacrebleu. [default: 13a]",
    ),
]
Lowercase: TypeAlias = Annotated[bool, typer.Option("--lowercase", help="Translations: ignore case.")]
Resamples: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help=f"Translations: resamples of the bootstrap; 0: no intervals. [default: {_RESAMPLES}]",
    ),
]
Synonyms: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Translations: synonyms, those of a line mean the same."),
]
Tagger: TypeAlias = Annotated[
    str | None, typer.Option(metavar="MODEL", help="Translations: a tagger, to compare words with tags.")
]
Parser: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="MODEL", help="Translations: a constituency parser, to compare constituents."),
]


@dataclass(frozen=True)
class Wanted:
    """The options that only translations have."""

    reference: list[str] | None
    against: list[str] | None
    tokenize: str | None
    lowercase: bool
    resamples: int | None
    synonyms: str | None
    tagger: str | None
    parser: str | None

    def refuse(self) -> None:
        """Raise UsageError for an option of translations, where something else is scored."""
        given = [f"--{one.name}" for one in fields(self) if getattr(self, one.name) not in (None, False, [])]
        if given:
            raise UsageError(f"{given[0]} is for translations: add --from {TRANSLATIONS}")

    @property
    def is_linguistic(self) -> bool:
        """Whether there is something for the linguistic overlap to look at."""
        return any(one is not None for one in (self.synonyms, self.tagger, self.parser))


def scores(gold: str, guess: str, wanted: Wanted) -> dict[str, Any]:
    """Return all scores of a file of translations by name."""
    from palmette.evaluation.translations import evaluate_translations

    names = [gold, *(wanted.reference or [])]
    sets = [read_lines(name) for name in names]
    own = read_lines(guess)
    for name, lines in zip(names, sets):
        _check_lines(name, lines, guess, own)
    others = {name: read_lines(name) for name in wanted.against or []}
    for name, lines in others.items():
        _check_lines(name, lines, guess, own)
    found = evaluate_translations(
        own,
        sets,
        tokenize=wanted.tokenize or "13a",
        lowercase=wanted.lowercase,
        n_resamples=_RESAMPLES if wanted.resamples is None else wanted.resamples,
        against=others,
    )
    report = found.to_dict()
    if wanted.is_linguistic:
        report["linguistic"] = _overlap(own, sets, wanted)
    return report


def show(report: dict[str, Any], json: bool) -> None:
    """Print the scores, for people or as JSON."""
    if json:
        print_json(report)
        return
    tables = {
        name: {metric: f"{test['score']:.4f}, p = {test['p_value']:.4f}" for metric, test in tests.items()}
        for name, tests in report.pop("against", {}).items()
    }
    signatures = report.pop("signatures")
    print_lines(report | ({"against": Table(tables)} if tables else {}) | {"signatures": signatures})


def _check_lines(name: str, lines: list[str], guess: str, own: list[str]) -> None:
    if len(lines) != len(own):
        raise ValueError(
            f"{display_name(name)} has {counted(len(lines), 'line')} and {display_name(guess)} has {len(own):,}: "
            "they must be of the same sentences"
        )


def _overlap(own: list[str], sets: list[list[str]], wanted: Wanted) -> dict[str, float]:
    """Return the linguistic overlap with the first reference."""
    from palmette.evaluation.linguistic import linguistic_overlap, read_synonyms

    if len(sets) > 1:
        raise UsageError("--synonyms, --tagger and --parser take one reference; leave out --reference")
    sides = [[_words(line, wanted.lowercase) for line in lines] for lines in (own, sets[0])]
    more: dict[str, Any] = {}
    if wanted.synonyms is not None:
        more["synonyms"] = read_synonyms(wanted.synonyms)
    if wanted.tagger is not None:
        tagged = _tagger(wanted.tagger)
        more["guess_tags"], more["reference_tags"] = (tagged(side) for side in sides)
    if wanted.parser is not None:
        parser = _parser(wanted.parser)
        more["guess_trees"], more["reference_trees"] = (parser.predict(side) for side in sides)
    return linguistic_overlap(*sides, **more).to_dict()


def _tagger(name: str) -> Callable[[list[list[str]]], list[list[str]]]:
    """Return what gives words the tags of a tagger, or the parts of speech of a pipeline."""
    from palmette.tools.loading import load
    from palmette.tools.pipeline.pipeline import Pipeline
    from palmette.tools.sequence.tagger import Tagger

    model = load(name)
    if isinstance(model, Pipeline) and "upos" in model.model_.fills:
        return lambda side: [sentence["upos"] for sentence in model(side).corpus]
    taggers: dict[str, Any] = getattr(model, "taggers_", None) or {}
    found = taggers.get("upos") or next(iter(taggers.values()), model)
    if not isinstance(found, Tagger):
        raise UsageError(f"--tagger takes a tagger or a pipeline; {name} is a {type(model).__name__}")
    return found.predict


def _parser(name: str) -> Any:
    from palmette.tools.constituency.parser import ConstituencyParser
    from palmette.tools.loading import load

    model = load(name)
    if not isinstance(model, ConstituencyParser):
        raise UsageError(f"--parser takes a constituency parser; {name} is a {type(model).__name__}")
    return model


def _words(line: str, lowercase: bool) -> list[str]:
    return (line.lower() if lowercase else line).split()
