"""`palmette train rules`, and what the other commands do with its models: paths that mean the same."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from palmette.cli.commands import helped
from palmette.cli.report import json_line
from palmette.cli.run import Run, restored
from palmette.cli.tools.rules import options as own
from palmette.cli.tools.sequence.options import About, Top
from palmette.cli.tools.thesaurus.commands import read_judgements, total_size, training_path
from palmette.cli.tools.training import facts_of
from palmette.errors import UsageError
from palmette.formats.files import Content, is_standard
from palmette.formats.model import ModelFile
from palmette.learning.registry import read_settings
from palmette.parameters import refuse_unknown
from palmette.tools.explanation import Explanation
from palmette.tools.inference_rules.inference_rules import InferenceRules
from palmette.tools.inference_rules.options import RuleOptions

EXAMPLES = {
    "train": [
        "palmette train rules --train parsed.conllu -o rules.palm",
        "palmette train rules --train news.txt --parser en --wordnet /usr/share/wordnet -o rules.palm",
    ],
    "predict": [
        'palmette predict rules.palm "X solves Y"',
        'palmette predict rules.palm "X solves Y" --html -o page.html',
        "palmette predict rules.palm --all --top 5",
    ],
    "evaluate": ["palmette evaluate rules.palm pairs.tsv --json"],
    "inspect": ["palmette inspect rules.palm", 'palmette inspect rules.palm --rule "X solves Y"'],
    "explain": ['palmette explain rules.palm "X solves Y" "X finds solution to Y"'],
}


def _train_help() -> str:
    lines = [f"  {line}" for line in RuleOptions.help_lines()]
    text = [
        "Train inference rules: paths between two nouns that mean the same.",
        "",
        "Paths are similar if the same words are in their slots, as in 'X solves Y' and 'X finds a way out of Y'.",
    ]
    return "\n".join([*text, "", "\b", "Options, with --set:", *lines])


@helped(_train_help)
def train(
    run: Run,
    train: own.TrainFiles,
    parser: own.ParserName = None,
    wordnet: own.WordNetFolder = None,
    about: About = None,
) -> ModelFile:
    if run.learner is not None:
        raise UsageError("inference rules have no learner: they count; choose what they count with --set")
    facts = facts_of(about)
    refuse_unknown(run.settings, RuleOptions.names(), "A model of inference rules")
    options = read_settings(RuleOptions, "rules", run.settings)
    rules = InferenceRules(parser=parser, wordnet=wordnet, options=options, n_jobs=run.n_jobs)
    task = run.progress.task("Reading", total_size(train), size=True)
    rules.fit([training_path(file) for file in train], progress=task.advance)
    told = rules.training_
    run.progress.note(f"{told['sentences']:,} sentences, {told['paths']:,} paths, {told['words']:,} words")
    return rules.to_model(about=facts)


train.hidden = ("learner", "help_learner")  # type: ignore[attr-defined]


def predict(
    model: ModelFile,
    run: Run,
    paths: own.Paths = None,
    top: own.Many = 10,
    measure: own.Measure = None,
    everything: own.All = False,
    text: own.Text = False,
    html: own.Html = False,
) -> Iterator[bytes]:
    """Find similar paths: write a path, its direction, a similar one, their similarity, and words of both slots.

    "→" says that the first path rather implies the second, "←" the reverse. A last column warns of opposites.
    """
    if sum((text, html, run.jsonl)) > 1:
        raise UsageError("use only one of --text, --html and --jsonl")
    rules = _loaded(model, run, measure)
    asked = rules.paths_ if everything else _asked(paths or ["-"], run)
    unknown = [path for path in asked if rules.model_.find(path) is None]
    if asked and len(unknown) == len(asked):
        rules.model_.place(unknown[0])  # says what is wrong
    if html and len(asked) != 1:
        raise UsageError(f"--html writes a page about one path; got {len(asked)}")
    if unknown:
        run.progress.warn(f"not among the paths: {'; '.join(unknown[:5])}{'; …' if len(unknown) > 5 else ''}")
    known = [path for path in asked if rules.model_.find(path) is not None]
    if text or html:
        return (rules.page(path, top, html=html).encode() for path in known)
    return _lines(rules, known, top, jsonl=run.jsonl)


def evaluate(
    model: ModelFile, run: Run, source: own.PairsFile, measure: own.Measure = None
) -> dict[str, Any]:
    """Compare similarities with those that people gave to pairs of paths.

    Report `spearman`, the correlation of ranks over the pairs whose paths are in the model, `spearman_all` over
    all pairs (a missing path is similar to none), the numbers of `pairs` and of those `covered`.
    """
    rules = _loaded(model, run, measure)
    pairs, gold = read_judgements(source, "paths")
    began = time.perf_counter()
    scores = rules.evaluate(pairs, gold)
    return {
        **scores.to_dict(),
        "measure": rules.model_.options.measure,
        "seconds": time.perf_counter() - began,
    }


def inspect(model: ModelFile, run: Run, rule: own.ShownPath = None) -> dict[str, Any]:
    """Show what is in a model of inference rules; with --rule, a path with its words and its neighbours."""
    rules: InferenceRules = restored(InferenceRules, model)
    inside = rules.model_
    if rule is not None:
        place = inside.place(rule)
        near = rules.similar(rule, 10)
        return {
            "rule": inside.wording(place),
            "path": inside.paths[place // 2],
            "count": int(inside.of(place)[:, 2].sum()),
            "neighbours": {f"{one.direction} {one.wording}": one.similarity for one in near},
            "warnings": {one.wording: one.opposite for one in near if one.opposite},
        }
    return {
        "paths": len(inside.paths),
        "words": len(inside.words),
        "instances": len(inside.instances),
        "opposites": len(inside.opposites),
        "most frequent": list(inside.wordings[:10]),
        "options": inside.options.to_dict(),
        "training": rules.training_,
    }


def explain(
    model: ModelFile,
    run: Run,
    one: own.OnePath,
    two: own.OtherPath = None,
    measure: own.Measure = None,
    top: Top = 10,
) -> Explanation:
    """Explain why two paths are similar: which words their slots share, and what each adds to the similarity."""
    rules = _loaded(model, run, measure)
    if two is None:
        near = rules.similar(one, 1)
        if not near:
            raise ValueError(f"The path {one!r} shares no words of both slots with another path.")
        two = near[0].wording
    return rules.explain(one, two).of(top=top)


def _loaded(model: ModelFile, run: Run, measure: own.MeasureName | None) -> InferenceRules:
    rules: InferenceRules = restored(InferenceRules, model, n_jobs=run.n_jobs)
    return rules if measure is None else rules.with_options(measure=measure.value)


def _asked(paths: Sequence[str], run: Run) -> list[str]:
    """The paths of a command line, or of a file that is named there."""
    first = paths[0] if len(paths) == 1 else None
    if first is not None and (isinstance(first, Content) or is_standard(first) or Path(first).is_file()):
        return [line.strip() for some in run.reading.lines(paths[0]) for line in some.lines if line.strip()]
    return list(paths)


def _lines(rules: InferenceRules, paths: Sequence[str], top: int, *, jsonl: bool) -> Iterator[bytes]:
    for path in paths:
        near = rules.similar(path, top)
        if jsonl:
            yield json_line({"path": path, "neighbours": [dict(one.__dict__) for one in near]})
            continue
        for one in near:
            row = [
                path,
                one.direction,
                one.wording,
                f"{one.similarity:.4f}",
                f"X: {', '.join(one.x[:5])}",
                f"Y: {', '.join(one.y[:5])}",
                *([f"opposite: {one.opposite}"] if one.opposite else []),
            ]
            yield ("\t".join(row) + "\n").encode()
