"""Training a reranker from files: what `palmette train rerank` does."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from palmette.cli.run import Run
from palmette.cli.tools.rerank.options import BaseTool
from palmette.cli.tools.sequence.input import read_tokens
from palmette.cli.tools.training import facts_of, pass_notes, run_learner, tell_of_interruption
from palmette.errors import FormatError, UsageError
from palmette.evaluation.candidates import guess_measure
from palmette.features.kernels.kernel import checked_decay
from palmette.features.sequence_templates import GROUPS as SEQUENCE_GROUPS
from palmette.features.sequence_templates import SequenceTemplates
from palmette.features.tree_templates import GROUPS as TREE_GROUPS
from palmette.features.tree_templates import TreeTemplates
from palmette.formats.candidates import Candidates
from palmette.formats.files import display_name, read_bytes, read_text
from palmette.formats.model import ModelFile, fingerprint
from palmette.formats.nbest import NBestFile, parse_nbest, with_gold, write_nbest
from palmette.learning.capabilities import SUMS, check_fit
from palmette.learning.learner import Learner
from palmette.messages import counted
from palmette.parameters import require_number
from palmette.tools.constituency.input import gold_trees, parse_trees, read_trees
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.reranking.choice import (
    FOLDS,
    LEAST_LISTS,
    choose_setting,
    cut_lists,
    nested_lists,
    settings_for,
)
from palmette.tools.reranking.defaults import default_kernel, default_learner
from palmette.tools.reranking.dual_steps import DUAL, step_of
from palmette.tools.reranking.lists import FirstModel, candidate_lists, cross_lists
from palmette.tools.reranking.reranker import Reranker
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger
from palmette.trees.tree import Tree


@dataclass(frozen=True)
class Wanted:
    """What is asked of `train rerank`."""

    train: str
    dev: str | None
    gold: str | None
    base: BaseTool | None
    method: str | None
    column: str | None
    lenient: bool
    folds: int | None
    candidates: int | None
    lists_to: str | None
    features: str | None
    decay: str | None
    beta: str | None
    prior: str
    choose: bool | None
    stream: bool
    max_size: int
    about: Sequence[str] | None

    def __post_init__(self) -> None:
        for_base = self.method, self.column, self.lists_to, self.folds, self.candidates
        if self.base is None and any(value is not None for value in for_base):
            raise UsageError(
                "--method, --column, --lists-to, --folds and --candidates need --base, which creates the lists"
            )
        if (
            self.stream
            and not Path(self.train).is_file()
            and (self.train == "-" or Path(self.train).exists())
        ):
            raise UsageError(
                "--stream reads the lists again in every pass, and "
                f"{display_name(self.train)} can be read only once"
            )
        if self.base is not None and (self.gold or self.stream):
            raise UsageError("--gold and --stream apply to existing lists and cannot be combined with --base")
        if self.method is not None and self.base is not BaseTool.parse:
            raise UsageError("--method needs --base parse")
        if self.lenient and self.base is not BaseTool.spans:
            raise UsageError("--lenient needs --base spans")
        if self.features is not None and (self.decay is not None or self.stream):
            raise UsageError(
                "--decay and --stream apply to the dual form and cannot be combined with --features"
            )
        for name, values in (("beta", self.betas), ("prior", self.priors)):
            for value in values:
                if value is not None:
                    require_number(name, value, 0)
        if self.features is not None and 0.0 in self.betas and any(self.priors):
            raise UsageError(
                "with --features, --beta 0 removes the feature whose weight --prior sets; remove one of them"
            )
        tried = [len(values) for values in (self.decays, self.betas, self.priors)]
        if max(tried) > 1 and self.dev is None:
            raise UsageError("several values of --decay, --beta or --prior need a --dev to choose by")
        if self.base is not None:
            self.templates(trees=self.base is BaseTool.parse)
        if self.choose and (self.is_set or self.stream):
            raise ValueError(
                "--choose compares settings, with lists in memory: remove --features, --decay, --beta, --prior, "
                "--stream"
            )

    @property
    def decays(self) -> list[float | None]:
        """The values of --decay; None is the default."""
        found = _numbers("decay", self.decay)
        for value in found:
            if value is not None:
                checked_decay(value, "decay")
        return found

    @property
    def betas(self) -> list[float | None]:
        """The values of --beta; None is the default."""
        return _numbers("beta", self.beta)

    @property
    def priors(self) -> list[float]:
        """The values of --prior."""
        return [value or 0.0 for value in _numbers("prior", self.prior)]

    @property
    def is_set(self) -> bool:
        """Whether the reranker is described already."""
        return self.prior != "0" or any(one is not None for one in (self.features, self.decay, self.beta))

    def may_choose(self, run: Run) -> bool:
        """Whether settings are to be compared; ValueError if this is asked for beside a learner."""
        given = run.learner is not None or bool(run.settings)
        if self.choose and given:
            raise ValueError("--choose compares learners: remove --learner and --set")
        return self.choose is not False and not (self.stream or self.is_set or given)

    def chooses(self, run: Run, lists: Any) -> bool:
        """Whether settings are compared; ValueError if there are too few lists where this is asked for."""
        if not self.may_choose(run):
            return False
        enough = sum(len(one) > 0 for one in lists) >= LEAST_LISTS
        if self.choose and not enough:
            raise ValueError(f"--choose needs at least {counted(LEAST_LISTS, 'list')} with candidates")
        return enough

    @property
    def n_candidates(self) -> int:
        """How many a sentence has: the numbers of docs/tools/reranking.md."""
        return self.candidates or (50 if self.base is BaseTool.parse else 20)

    def templates(self, *, trees: bool) -> TreeTemplates | SequenceTemplates | None:
        """The features of the primal form."""
        if self.features is None:
            return None
        names = (TREE_GROUPS if trees else SEQUENCE_GROUPS) if self.features == "all" else None
        groups = names or tuple(name.strip() for name in self.features.split(","))
        return TreeTemplates(groups) if trees else SequenceTemplates(groups)


def train_reranker(run: Run, wanted: Wanted) -> ModelFile:
    """Train a reranker, and make its model file."""
    facts = facts_of(wanted.about)
    _learner(run, "brackets", dual=wanted.features is None)  # what is wrong with it is said before all else
    wanted.may_choose(run)
    base: FirstModel | None = None
    examples: Any = None
    lists: Any
    if wanted.base is None:
        gold = None if wanted.gold is None else gold_trees(read_trees(wanted.gold)).trees
        if wanted.stream:
            lists, data = NBestFile(wanted.train, gold), read_bytes(wanted.train)
        else:  # a pipe can be read once
            text, name = read_text(wanted.train), display_name(wanted.train)
            lists, data = parse_nbest(text, name), text.encode("utf-8")
            lists = lists if gold is None else list(with_gold(lists, gold, name))
        dev: Any = None if wanted.dev is None else list(NBestFile(wanted.dev))
        if not wanted.stream:
            run.progress.note(f"{counted(len(lists), 'list')} of {sum(map(len, lists)):,} candidates")
    else:
        with _named(wanted.train):
            lists, dev, base, data, examples = _made(run, wanted)
    with _named(wanted.train):
        if wanted.chooses(run, lists):
            reranker = _chosen(run, wanted, lists, dev, examples)
        else:
            reranker = _best(run, wanted, lists, dev)
    without = reranker.training_["without_gold"]
    if without:
        run.progress.warn(
            f"{without:,} of {reranker.training_['lists']:,} lists lack the right output; the closest "
            "candidates by F1 took its place"
        )
    if reranker.training_["too_large"]:
        n = reranker.training_["too_large"]
        bound = f"{counted(wanted.max_size, 'node')} or words (--max-size)"
        run.progress.warn(f"left out {counted(n, 'list')} with outputs of more than {bound}")
    if reranker.training_["without_candidates"]:
        n = reranker.training_["without_candidates"]
        run.progress.warn(f"left out {counted(n, 'list')} without candidates")
    if reranker.interrupted_:
        tell_of_interruption(reranker.history_, run)
    if base is not None:
        facts |= {"base": wanted.base.value if wanted.base else "", "k": wanted.n_candidates}  # type: ignore[dict-item]
    return reranker.to_model(
        fingerprint=fingerprint(data), about=facts, base=None if base is None else base.to_model()
    )


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    """Add this path to format errors that do not name a file."""
    try:
        yield
    except FormatError as error:
        raise FormatError(error.message, path=error.path or display_name(path), line=error.line) from error


def _made(run: Run, wanted: Wanted) -> tuple[list[Candidates], Any, FirstModel, bytes, Any]:
    """Lists of the training data by cross-training, of the dev set, the first model of everything, the data, and
    its examples.
    """
    read, make = _first(run, wanted)
    examples, data = read(wanted.train)
    # What is wrong with other files is found before anything is trained.
    others = None if wanted.dev is None else read(wanted.dev)[0]
    if wanted.lists_to is not None and not Path(wanted.lists_to).absolute().parent.is_dir():
        raise FileNotFoundError(f"{wanted.lists_to}: the folder does not exist")
    lists = cross_lists(make, examples, wanted.folds or 10, wanted.n_candidates, run.progress.note)
    base = make().fit(examples)
    run.progress.note(f"first model of all {counted(len(examples), 'sentence')}")
    dev = None if others is None else candidate_lists(base, others, wanted.n_candidates)
    if wanted.lists_to is not None:
        write_nbest(lists, wanted.lists_to)
    return lists, dev, base, data, examples


def _first(run: Run, wanted: Wanted) -> tuple[Callable[[str], tuple[Any, bytes]], Callable[[], FirstModel]]:
    """What reads the first model's examples with the bytes of their file, and what makes an untrained one."""
    if wanted.base is BaseTool.parse:
        method = wanted.method or "lexicalized"
        return (
            _read_trees,
            lambda: ConstituencyParser(method, random_state=run.seed, n_jobs=run.n_jobs),
        )
    column: str | int | None = wanted.column
    if wanted.column is not None and wanted.column.lstrip("-").isdigit():
        column = int(wanted.column)
    if wanted.base is BaseTool.spans:
        return (
            read_tokens,
            lambda: SpanTagger(column=column, lenient=wanted.lenient, n_jobs=run.n_jobs),
        )
    return read_tokens, lambda: Tagger(column=column, n_jobs=run.n_jobs)


def _read_trees(path: str) -> tuple[list[Tree], bytes]:
    data = read_bytes(path)
    return gold_trees(parse_trees(data, path)).trees, data


def _best(run: Run, wanted: Wanted, lists: Any, dev: list[Candidates] | None) -> Reranker:
    """The reranker of the best λ, β and prior, by its F1 on the dev set."""
    measure = guess_measure(itertools.islice(iter(lists), 1000))
    learner = _learner(run, measure, dual=wanted.features is None)
    templates = wanted.templates(trees=measure == "brackets")
    settings = list(itertools.product(wanted.decays, wanted.betas, wanted.priors))
    best: Reranker | None = None
    best_score = -1.0
    for decay, beta, prior in settings:
        reranker = Reranker(
            learner,
            kernel=None if templates is not None else default_kernel(measure, decay),
            features=templates,
            beta=beta,
            prior=prior,
            max_size=wanted.max_size,
            n_jobs=run.n_jobs,
        )
        if len(settings) > 1:
            run.progress.note(", ".join(_told(decay, beta, prior)))
        reranker.fit(lists, dev=dev, callback=pass_notes(run))
        score = max((report.numbers.get("dev", 0.0) for report in reranker.history_), default=0.0)
        if best is None or score > best_score:
            best, best_score = reranker, score
    assert best is not None
    return best


def _chosen(
    run: Run, wanted: Wanted, lists: list[Candidates], dev: list[Candidates] | None, examples: Any
) -> Reranker:
    """The reranker of the setting that cross-validation chooses; examples: those of the first model."""
    measure = guess_measure(lists[:1000])
    if wanted.base is None:
        folds = cut_lists(lists, FOLDS)
    else:
        make = _first(run, wanted)[1]
        folds = nested_lists(make, examples, FOLDS, wanted.n_candidates, run.progress.note)
    choice = choose_setting(
        settings_for(measure),
        folds,
        measure,
        max_size=wanted.max_size,
        n_jobs=run.n_jobs,
        note=run.progress.note,
    )
    run.progress.note(f"chosen: {choice.setting.name}; in cross-validation, choosing has {choice.scores}")
    if wanted.base is None:
        run.progress.note(
            "the first models of other lists may have seen the right outputs of a fold: this gain is an estimate "
            "only; --base makes the lists again"
        )
    if choice.scores.f1 <= choice.scores.baseline:
        run.progress.warn("in cross-validation no gain over the first model was found")
    reranker = choice.setting.reranker(max_size=wanted.max_size, n_jobs=run.n_jobs)
    reranker.fit(lists, dev=dev, callback=pass_notes(run))
    reranker.training_["choice"] = choice.facts()
    return reranker


def _learner(run: Run, measure: str, *, dual: bool) -> Learner:
    offers = DUAL if dual else SUMS | {"pairs"}
    learner: Learner = run_learner(run, [default_learner(measure, dual=dual)], offers)
    step_of(learner) if dual else check_fit(learner, offers, "a reranker with features")
    return learner


def _told(decay: float | None, beta: float | None, prior: float) -> Iterator[str]:
    """Return the settings that differ from the default."""
    for name, value in (("λ", decay), ("β", beta), ("prior", prior)):
        if value is not None:
            yield f"{name} {value:g}"


def _numbers(name: str, text: str | None) -> list[float | None]:
    try:
        return [None] if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--{name} {text}: expected numbers separated by commas, such as 0.2,0.4") from None
