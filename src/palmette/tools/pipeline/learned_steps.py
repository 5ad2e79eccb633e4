"""How each step of a pipeline is trained, and the line that says what was learned."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from palmette.evaluation.tree_pairs import column_accuracy
from palmette.formats.corpus import Corpus
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.tags import is_empty
from palmette.tools.morphology.lemmatizer import Lemmatizer
from palmette.tools.morphology.morphology import Morphology
from palmette.tools.pipeline.jackknifing import Annotate, jackknifed
from palmette.tools.pipeline.parser_choice import WORTH, ParserChoice, parser_choices
from palmette.tools.pipeline.step import ENTITIES, LEMMAS, MORPHOLOGY, PARSER, TOKENS, WORDS
from palmette.tools.pipeline.steps import EntityStep, LemmaStep, MorphologyStep, ParserStep
from palmette.tools.sequence.jackknifing import fill, train_taggers
from palmette.tools.sequence.span_tagger import SpanTagger

if TYPE_CHECKING:
    from palmette.tools.pipeline.training import _Training

TAGS = ("upos", "xpos", "feats")


def tokenizer(training: _Training) -> Any:
    """Learn to cut text into sentences, tokens and words."""
    from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer

    pipeline = training.pipeline
    made = LearnedTokenizer(words=WORDS not in pipeline.without, n_jobs=pipeline.n_jobs)
    _seed(made, pipeline.random_state)
    made.fit(training.treebank, dev=training.dev)
    for text in made.notes_:
        training.note(f"{TOKENS:<10}  {text}")
    told = f"{made.training_['treebank_tokens']:,} tokens, {made.training_['characters']:,} characters"
    if training.dev is not None:
        counts = made.evaluate(training.dev).counts
        found = {name: counts[name].f1 for name in ("tokens", "sentences", "words")}
        training.figures[TOKENS] = {name: round(value, 5) for name, value in found.items()}
        told += "; dev: " + ", ".join(f"{name} {100 * value:.2f}" for name, value in found.items())
    training.note(f"{TOKENS:<10}  {told}")
    return made


def morphology(training: _Training) -> None:
    """Learn the tags and features that no step has filled yet."""
    corpus, pipeline = training.treebank, training.pipeline
    there = [name for name in TAGS if not is_empty(corpus, name)]
    missing = [name for name in TAGS if name not in there]
    if missing:
        training.note(f"{MORPHOLOGY:<10}  the treebank has no {', no '.join(missing)}: stays empty")
    columns = [name for name in there if name not in training.filled]
    if not columns:
        return
    made = Morphology(columns=columns, lexicon=training.lexicon, n_jobs=pipeline.n_jobs)
    _seed(made, pipeline.random_state)
    made.fit(corpus, dev=training.dev if _has_all(training.dev, columns) else None)
    training.steps.append(MorphologyStep(made))
    told = f"{len(made.classes_):,} analyses of {', '.join(made.columns_)}"
    _tell(training, MORPHOLOGY, told, columns)


def jackknifed_tags(training: _Training) -> Corpus:
    """The treebank with the tags that models which have not seen a sentence give it; gold without jackknifing."""
    corpus = training.treebank
    columns = [name for name in TAGS if name in training.filled and not is_empty(corpus, name)]
    if not columns or not training.folds or not training.trains(PARSER):
        return corpus
    return jackknifed(
        corpus, columns, training.folds, partial(_quick_tags, columns), n_jobs=training.pipeline._jobs
    )


def lemmas(training: _Training) -> None:
    """Learn lemmas from gold tags.

    On the English Web Treebank (dev, predicted tags) 97.2 % are right; with jackknifed tags in training 96.9 %.
    """
    pipeline = training.pipeline
    made = Lemmatizer(dictionary=training.lexicon, n_jobs=pipeline.n_jobs)
    _seed(made, pipeline.random_state)
    dev = training.on_dev()
    if dev is not None and training.dev is not None and not is_empty(training.dev, "lemma"):
        dev = dev.with_column("lemma", training.dev.column("lemma"))
        made.fit(training.treebank, dev=dev)
    else:
        made.fit(training.treebank)
    training.steps.append(LemmaStep(made))
    _tell(training, LEMMAS, f"{made.training_['scripts']:,} edit scripts", ["lemma"])


def parser(training: _Training, trees: Corpus) -> None:
    """Learn trees from predicted columns: by one parser, or by the best of a few on the dev set."""
    dev = training.on_dev()
    if dev is not None and (dev.heads is None or (dev.heads < 0).any()):
        dev = None
    choices = parser_choices(trees, sorted(training.filled), training.pipeline.method, dev=dev is not None)
    found = [(_parser(training, choice, trees, dev), choice) for choice in choices.parsers]
    scores = [100 * made.score(dev) if dev is not None else 0.0 for made, _ in found]
    fair = [score - WORTH * (made.probabilities_from is None) for (made, _), score in zip(found, scores)]
    best = max(range(len(found)), key=fair.__getitem__)
    made, chosen = found[best]
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
    _seed(made, training.pipeline.random_state)
    return made.fit(trees, dev=dev)


def entities(training: _Training, labelled: Any) -> None:
    """Learn names from sentences of their own."""
    train, dev = labelled if isinstance(labelled, tuple) else (labelled, None)
    tagger = SpanTagger(n_jobs=training.pipeline.n_jobs)
    _seed(tagger, training.pipeline.random_state)
    tagger.fit(words_and_labels(train))
    training.steps.append(EntityStep(tagger))
    kinds = sorted({label.partition("-")[2] for label in tagger.classes_} - {""})
    told = f"{len(kinds)} types: {', '.join(kinds)}"
    if dev is not None:
        f1 = tagger.score(words_and_labels(dev))
        training.figures[ENTITIES] = {"f1": round(f1, 5)}
        told += f"; dev: F1 {100 * f1:.2f}"
    training.note(f"{ENTITIES:<10}  {told}")


def words_and_labels(corpus: Corpus) -> Corpus:
    """The first column of a corpus and its last one, which has the labels of entities."""
    last = corpus.names[-1]
    if len(corpus.names) < 2:
        raise ValueError("The file of entities needs two columns at least: words, and labels such as B-PER.")
    return Corpus(
        {"form": corpus.column("form" if "form" in corpus.names else 0), "entity": corpus.column(last)},
        corpus.offsets,
    )


def _quick_tags(columns: Sequence[str], others: Corpus) -> Annotate:
    """Learn tags in less time, for sentences that nobody will see."""
    taggers = train_taggers(others, columns, None, quick=True)
    return lambda part: fill(part, taggers)


def _has_all(corpus: Corpus | None, columns: Sequence[str]) -> bool:
    """Whether a corpus has values in all of these columns."""
    return corpus is not None and not any(is_empty(corpus, name) for name in columns)


def _seed(tool: Any, seed: int) -> None:
    """Let a tool's learner begin with another seed; with 0 the tool may still choose its learner."""
    if seed:
        tool.set_params(learner__random_state=seed)


def _tell(training: _Training, step: str, told: str, columns: list[str]) -> None:
    """Say what was learned, with the accuracy of columns on the dev set."""
    dev = training.on_dev()
    if dev is not None and training.dev is not None:
        found = {name: column_accuracy(training.dev, dev, name) or 0.0 for name in columns}
        training.figures[step] = {name: round(value, 5) for name, value in found.items()}
        told += "; dev: " + ", ".join(f"{name} {100 * value:.2f}" for name, value in found.items())
    training.note(f"{step:<10}  {told}")
