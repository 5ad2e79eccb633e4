"""Training of a pipeline: every step on what the steps before it will give.

    gold ──tokens, words
    gold ──morphology ──jackknifed tags──▶ parser
    gold, or gold and jackknifed tags ──lemmas
    labels of entities, tags found ──entities

Each step is measured on the dev set after the steps before it. Where only some steps are trained, and none fills
the tags, later steps learn from gold ones: what they need is then part of their input.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from palmette.errors import UsageError
from palmette.formats.corpus import Corpus
from palmette.tools.dependency.tags import is_empty, listed
from palmette.tools.dependency.treebank import as_sentences, check_trees
from palmette.tools.morphology.lexicon import Lexicon
from palmette.tools.pipeline import learned_lemmas, learned_names, learned_steps, learned_tokens
from palmette.tools.pipeline.asked import check_asked, check_warm_start, kept_steps, used_steps
from palmette.tools.pipeline.evaluation import bare, guessed, measures_of
from palmette.tools.pipeline.model import AnyTokenizer, PipelineModel, in_order
from palmette.tools.pipeline.step import ENTITIES, LEMMAS, MORPHOLOGY, PARSER, STEPS, Step
from palmette.tools.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from palmette.formats.files import Source
    from palmette.tools.pipeline.pipeline import Pipeline

Note = Callable[[str], None]
TAGS = learned_steps.TAGS
PARAMETERS = ("jackknife", "method", "random_state")  # of a pipeline, which its file keeps


class TrainedPipeline(NamedTuple):
    """What training gives a pipeline; record: for its users, as `training_`."""

    model: PipelineModel
    record: dict[str, Any]


def train_pipeline(
    pipeline: Pipeline,
    X: Any,
    *,
    dev: Any,
    entities: Any,
    lexicon: Source | None,
    constrain: bool,
    use: Iterable[Any],
    only: Collection[str],
    skip_bad: bool,
    warm_start: bool = False,
    note: Note,
) -> TrainedPipeline:
    """Train with the parameters of a pipeline, which is not changed; the arguments are those of its `fit`."""
    for name in (*pipeline.without, *only):
        if name not in STEPS:
            raise UsageError(f"The steps of a pipeline are {', '.join(STEPS)}. Got {name!r}.")
    tools = list(use)
    given, used = used_steps(tools)
    check_asked(pipeline.without, only, used, given, labelled=entities is not None)
    treebank = as_sentences(X, lenient=skip_bad)
    if not treebank.n_words:
        raise ValueError("There is nothing to learn from: the treebank has no words.")
    earlier = getattr(pipeline, "model_", None)
    if warm_start:
        from palmette.tools.pipeline.going_on import go_on

        check_warm_start(pipeline, only, tools, lexicon, entities)
        return go_on(pipeline, treebank, None if dev is None else as_sentences(dev), skip_bad, note)
    work = _Training(
        pipeline,
        treebank,
        None if dev is None else as_sentences(dev),
        used,
        {} if earlier is None or not only else kept_steps(earlier, pipeline.without, only, used),
        frozenset(only),
        note,
        skip_bad,
        lexicon,
        constrain,
    )
    if given:
        return work.run(entities, given[0])
    return work.run(entities, None if earlier is None or not only else earlier.tokenizer)


@dataclass
class _Training:
    """What is known while the steps are trained, and what they said on the dev set."""

    pipeline: Pipeline
    treebank: Corpus
    dev: Corpus | None
    used: dict[str, Step]
    kept: dict[str, Step]
    only: frozenset[str]
    note: Note
    skip_bad: bool
    lexicon: Lexicon | Source | None
    constrain: bool
    steps: list[Step] = field(default_factory=list)
    record: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    seen: Corpus | None = None  # the treebank with tags as later steps meet them

    def run(self, entities: Any, tokenizer: AnyTokenizer | None) -> TrainedPipeline:
        """Train all steps that are wanted."""
        self._check_lexicon()
        cutter = learned_tokens.tokenizer(self, tokenizer)
        for name, step in {**self.kept, **self.used}.items():
            if name not in STEPS:
                self.steps.append(step)
        self.seen = self._with_tags()
        self._lemmas()
        self._parser(self.seen)
        self._entities(entities)
        model = PipelineModel(cutter, in_order(self.steps))
        pipeline = self.pipeline
        self.record |= {
            "sentences": len(self.treebank),
            "words": self.treebank.n_words,
            "jackknife": self.folds,
            "language": pipeline.language,
            "parameters": {name: getattr(pipeline, name) for name in PARAMETERS}
            | {"without": list(pipeline.without)},
            "dev": self.figures or None,
        }
        if not model.steps and isinstance(cutter, Tokenizer):
            raise ValueError("There is no step left to train: the treebank has no column for any of them.")
        for name, needs in model.lacking.items():
            self.note(
                f"{name:<10}  looks at {listed(needs)}, which no step fills: the input must have them (CoNLL-U)"
            )
        self._measure(model)
        return TrainedPipeline(model, self.record)

    @property
    def filled(self) -> set[str]:
        """The columns that the steps so far fill."""
        return {name for step in self.steps for name in step.fills}

    @property
    def folds(self) -> int:
        """The parts for jackknifing; a single sentence cannot be cut."""
        wanted = self.pipeline.jackknife
        if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 0 or wanted == 1:
            raise UsageError(
                f"The 'jackknife' parameter must be 0 or a number of parts from 2 on. Got {wanted!r}."
            )
        return min(wanted, len(self.treebank)) if len(self.treebank) > 1 else 0

    def trains(self, name: str) -> bool:
        """Whether a step is to be trained."""
        return (
            name not in self.pipeline.without
            and name not in self.used
            and (not self.only or name in self.only)
        )

    @property
    def looked_at(self) -> tuple[str, ...]:
        """The tags that later steps may look at: those that steps fill; gold ones if none is to."""
        if self.only and MORPHOLOGY not in self.pipeline.without and not self.filled & set(TAGS):
            return tuple(name for name in TAGS if not is_empty(self.treebank, name))
        return tuple(name for name in TAGS if name in self.filled)

    def _take(self, name: str) -> Step | None:
        """A step that is not trained, but given or kept."""
        if name in self.pipeline.without:
            return None
        found = self.used.get(name) or self.kept.get(name)
        if found is not None:
            self.steps.append(found)
            self.note(f"{name:<10}  {'given' if name in self.used else 'kept'}: {found.tool!r:.60}")
        return found

    def _with_tags(self) -> Corpus:
        """Learn tags, and return the treebank with such as later steps will meet."""
        if self.trains(MORPHOLOGY):
            learned_steps.morphology(self)
        else:
            self._take(MORPHOLOGY)
        return learned_steps.jackknifed_tags(self)

    def _lemmas(self) -> None:
        if not self.trains(LEMMAS):
            self._take(LEMMAS)
        elif is_empty(self.treebank, "lemma"):
            self.leave_out(LEMMAS, "lemmas")
        else:
            learned_lemmas.lemmas(self)

    def leave_out(self, name: str, lacking: str) -> None:
        """Go on without a step; ValueError if it was asked for by its name."""
        if name in self.only:
            raise ValueError(f"The step {name} cannot be trained: the treebank has no {lacking}.")
        self.note(f"{name:<10}  left out: the treebank has no {lacking}")

    def _check_lexicon(self) -> None:
        if self.lexicon is not None and not (self.trains(MORPHOLOGY) or self.trains(LEMMAS)):
            raise UsageError("A lexicon is for the steps morphology and lemmas, and none of them is trained.")
        if self.constrain and (self.lexicon is None or not self.trains(MORPHOLOGY)):
            raise UsageError("To constrain analyses needs a lexicon, and the step morphology to be trained.")
        self.lexicon = Lexicon.given(self.lexicon)  # what is wrong is said before anything is learned

    def _parser(self, seen: Corpus) -> None:
        if not self.trains(PARSER):
            self._take(PARSER)
            return
        heads = self.treebank.heads
        if heads is None or (heads < 0).all():
            self.leave_out(PARSER, "heads")
            return
        trees = check_trees(seen, skip_bad=self.skip_bad)
        if trees.n_skipped:
            what = "1 sentence" if trees.n_skipped == 1 else f"{trees.n_skipped:,} sentences"
            self.note(f"{PARSER:<10}  not learned from {what} whose heads are not a tree")
        learned_steps.parser(self, trees)

    def _entities(self, labelled: Any) -> None:
        if not self.trains(ENTITIES) or labelled is None:
            if self._take(ENTITIES) is None and labelled is not None:
                raise UsageError("There are labels of entities, but the step 'entities' is not trained.")
            return
        learned_names.entities(self, labelled)

    def on_dev(self) -> Corpus | None:
        """The dev set with what the steps so far say of it; gold trees stay."""
        if self.dev is None:
            return None
        gold = {name: self.dev.column(name) for name in self.looked_at if name not in self.filled}
        words = bare_trees(self.dev).with_columns(gold)
        return PipelineModel(Tokenizer("generic"), in_order(self.steps)).annotate(words)

    def _measure(self, model: PipelineModel) -> None:
        """Say how good the whole is on the text of the dev set, by what its steps fill."""
        if self.dev is None or model.lacking:
            return
        from palmette.evaluation.raw_text import evaluate_raw_text
        from palmette.evaluation.raw_text_scores import TITLES
        from palmette.tools.pipeline.pipeline import Pipeline

        whole = Pipeline()
        whole.model_ = model
        scores = evaluate_raw_text(self.dev, guessed(whole, self.dev, gold_tokens=False))
        told = [name for name in measures_of(model.fills, self.dev) if name in scores.counts]
        self.figures["raw text"] = {name: round(scores.f1(name), 5) for name in told}
        shown = [name for name in ("words", "sentences", "upos", "ufeats", "lemmas", "las") if name in told]
        text = ", ".join(f"{TITLES[name]} {100 * scores.f1(name):.2f}" for name in shown)
        self.note(f"{'all':<10}  dev, from raw text: {text}")


def bare_trees(gold: Corpus) -> Corpus:
    """The words of a treebank without their tags, but with their trees."""
    words = bare(gold)
    return (
        words
        if gold.heads is None
        else words.with_heads(gold.heads).with_column("deprel", gold.column("deprel"))
    )
