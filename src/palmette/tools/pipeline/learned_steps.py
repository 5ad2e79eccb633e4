"""How the steps of a pipeline that fill tags and trees are trained, and the line that says what was learned."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from palmette.evaluation.tree_pairs import column_accuracy
from palmette.formats.corpus import Corpus
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.tags import is_empty
from palmette.tools.morphology.morphology import Morphology
from palmette.tools.pipeline.hearing import hearing
from palmette.tools.pipeline.jackknifing import Annotate, jackknifed
from palmette.tools.pipeline.parser_choice import WORTH, ParserChoice, parser_choices
from palmette.tools.pipeline.quicker import quicker
from palmette.tools.pipeline.step import LEMMAS, MORPHOLOGY, PARSER
from palmette.tools.pipeline.steps import MorphologyStep, ParserStep, TaggerStep
from palmette.tools.sequence.jackknifing import fill, to_learn, train_taggers
from palmette.tools.sequence.tagger import Tagger

if TYPE_CHECKING:
    from palmette.tools.pipeline.training import _Training

TAGS = ("upos", "xpos", "feats")


def morphology(training: _Training) -> None:
    """Learn tags and features, unless earlier steps fill all; what they fill stays, and the rest fits it."""
    corpus, pipeline = training.treebank, training.pipeline
    there = [name for name in TAGS if not is_empty(corpus, name)]
    missing = [name for name in TAGS if name not in there]
    if not there and MORPHOLOGY in training.only:
        training.leave_out(MORPHOLOGY, "tags and no feats")
    if missing:
        training.note(f"{MORPHOLOGY:<10}  the treebank has no {', no '.join(missing)}: stays empty")
    columns = [name for name in there if name not in training.filled]
    if not columns:
        return
    made = Morphology(
        columns=there, lexicon=training.lexicon, constrain=training.constrain, n_jobs=pipeline.n_jobs
    )
    seed(made, pipeline.random_state)
    dev = training.dev if _has_all(training.dev, there) else None
    made.fit(corpus, dev=dev)
    step = MorphologyStep(made)
    told = f"{len(made.classes_):,} analyses of {', '.join(made.columns_)}"
    if columns == there and "upos" in there:
        tagger = TaggerStep(_tagger(training, "upos"), "upos")
        step = hearing(step, [tagger], dev)
        if step.hears:
            training.steps.append(tagger)
            told += f", with a tagger for upos that counts {step.hears:g}"
    training.steps.append(step)
    tell(training, MORPHOLOGY, told, columns)


def jackknifed_tags(training: _Training) -> Corpus:
    """The treebank with the tags that models which have not seen a sentence give it; gold without jackknifing."""
    corpus = training.treebank
    columns = [name for name in TAGS if name in training.filled and not is_empty(corpus, name)]
    wanted = any(map(training.trains, (LEMMAS, PARSER)))
    if not columns or not training.folds or not wanted:
        return corpus
    return jackknifed(
        corpus, columns, training.folds, partial(quick_tags, columns), n_jobs=training.pipeline._jobs
    )


def parser(training: _Training, trees: Corpus) -> None:
    """Learn trees from predicted columns: by one parser, or by the best of a few on the dev set."""
    dev = training.on_dev()
    if dev is not None and (dev.heads is None or (dev.heads < 0).any()):
        dev = None
    # jackknifed taggers may leave a column empty that has few values
    looked_at = tuple(name for name in training.looked_at if not is_empty(trees, name))
    choices = parser_choices(trees, looked_at, training.pipeline.method, dev=dev is not None)
    found = [(_parser(training, choice, trees, dev), choice) for choice in choices.parsers]
    scores = [100 * made.score(dev) if dev is not None else 0.0 for made, _ in found]
    fair = [score - WORTH * (made.probabilities_from is None) for (made, _), score in zip(found, scores)]
    best = max(range(len(found)), key=fair.__getitem__)
    made, chosen = found[best]
    made = made if dev is None else quicker(made, dev)
    training.steps.append(ParserStep(made))
    told = f"{chosen}: {choices.facts}"
    if len(found) > 1:
        others = [f"{one} {score:.2f}" for (_, one), score in zip(found, scores) if one is not chosen]
        told += f"; LAS {scores[best]:.2f} on dev, and {', '.join(others)}"
    training.note(f"{PARSER:<10}  {told}")
    training.record["parser"] = told
    told = f"{len(made.relations_):,} relations"
    if made.probabilities_from is None:
        told += ", no probabilities of arcs (a beam does not sum over trees)"
    if dev is not None:
        measured = made.evaluate(dev)
        training.figures[PARSER] = {"uas": round(measured.uas, 5), "las": round(measured.las, 5)}
        told += f"; dev: LAS {100 * measured.las:.2f}, UAS {100 * measured.uas:.2f}"
    training.note(f"{PARSER:<10}  {told}")


def _parser(training: _Training, choice: ParserChoice, trees: Corpus, dev: Corpus | None) -> DependencyParser:
    made = DependencyParser(
        choice.method,
        options=dict(choice.options) or None,
        columns=list(choice.columns),
        n_jobs=training.pipeline.n_jobs,
    )
    seed(made, training.pipeline.random_state)
    return made.fit(trees, dev=dev)


def _tagger(training: _Training, column: str) -> Tagger:
    made = Tagger(column=column, n_jobs=training.pipeline.n_jobs)
    seed(made, training.pipeline.random_state)
    return made.fit(to_learn(training.treebank, column))


def quick_tags(columns: Sequence[str], others: Corpus) -> Annotate:
    """Learn tags in less time, for sentences that nobody will see."""
    taggers = train_taggers(others, columns, None, quick=True)
    return lambda part: fill(part, taggers)


def _has_all(corpus: Corpus | None, columns: Sequence[str]) -> bool:
    """Whether a corpus has values in all of these columns."""
    return corpus is not None and not any(is_empty(corpus, name) for name in columns)


def seed(tool: Any, seed: int) -> None:
    """Let a tool's learner begin with another seed; with 0 the tool may still choose its learner."""
    if seed:
        tool.set_params(learner__random_state=seed)


def tell(training: _Training, step: str, told: str, columns: list[str]) -> None:
    """Say what was learned, with the accuracy of columns on the dev set."""
    dev = training.on_dev()
    if dev is not None and training.dev is not None:
        found = {name: column_accuracy(training.dev, dev, name) or 0.0 for name in columns}
        training.figures[step] = {name: round(value, 5) for name, value in found.items()}
        told += "; dev: " + ", ".join(f"{name} {100 * value:.2f}" for name, value in found.items())
    training.note(f"{step:<10}  {told}")
