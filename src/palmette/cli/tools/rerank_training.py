"""Training a reranker from files: what `palmette train rerank` does."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palmette.cli.run import Run
from palmette.cli.tools.rerank_options import BaseTool
from palmette.cli.tools.sequence_input import read_tokens
from palmette.cli.tools.training import facts_of, pass_notes, tell_of_interruption
from palmette.evaluation.candidates import guess_measure
from palmette.features.kernels.kernel import Kernel
from palmette.features.sequence_templates import GROUPS as SEQUENCE_GROUPS
from palmette.features.sequence_templates import SequenceTemplates
from palmette.features.tree_templates import GROUPS as TREE_GROUPS
from palmette.features.tree_templates import TreeTemplates
from palmette.formats.errors import FormatError
from palmette.formats.files import display_name, read_bytes
from palmette.formats.model import ModelFile, fingerprint
from palmette.formats.nbest import NBestFile, write_nbest
from palmette.learning.learner import Learner
from palmette.learning.registry import make_learner
from palmette.structures.candidates import Candidates
from palmette.tools.constituency.input import gold_trees, read_trees
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.reranking.lists import FirstModel, candidate_lists, cross_lists
from palmette.tools.reranking.reranker import Reranker, default_kernel, default_learner
from palmette.tools.spans import SpanTagger
from palmette.tools.tagger import Tagger


@dataclass(frozen=True)
class Wanted:
    """What is asked of `train rerank`."""

    train: str
    dev: str | None
    gold: str | None
    base: BaseTool | None
    method: str | None
    column: str | None
    folds: int
    candidates: int
    lists_to: str | None
    features: str | None
    decay: str | None
    beta: str | None
    prior: str
    stream: bool
    about: Sequence[str] | None

    def __post_init__(self) -> None:
        if self.base is None and (self.method or self.column or self.lists_to):
            raise ValueError("--method, --column and --lists-to go with --base, which makes the lists")
        if self.base is not None and (self.gold or self.stream):
            raise ValueError("--gold and --stream are for lists that exist already, not for --base")
        if self.method is not None and self.base is not BaseTool.parse:
            raise ValueError("--method goes with --base parse")
        if self.features is not None and (self.decay is not None or self.stream):
            raise ValueError("--decay and --stream are for the dual form, --features for the primal one")


def train_reranker(run: Run, wanted: Wanted) -> ModelFile:
    """Train a reranker, and make its model file."""
    facts = facts_of(wanted.about)
    base: FirstModel | None = None
    lists: Any
    if wanted.base is None:
        gold = None if wanted.gold is None else gold_trees(read_trees(wanted.gold)).trees
        lists = NBestFile(wanted.train, gold)
        data = b"" if wanted.train == "-" else read_bytes(wanted.train)
        dev: Any = None if wanted.dev is None else list(NBestFile(wanted.dev))
        if not wanted.stream:
            lists = list(lists)
            run.progress.note(f"{len(lists):,} lists of {sum(map(len, lists)):,} candidates")
    else:
        lists, dev, base, data = _made(run, wanted)
    reranker = _best(run, wanted, lists, dev)
    without = reranker.training_["without_gold"]
    if without:
        print(
            f"palmette: {without:,} of {reranker.training_['lists']:,} lists lack the right output; the closest "
            "candidates by F1 took its place",
            file=sys.stderr,
        )
    if reranker.training_["without_candidates"]:
        n = reranker.training_["without_candidates"]
        print(f"palmette: left out {n:,} lists without candidates", file=sys.stderr)
    if reranker.interrupted_:
        tell_of_interruption(reranker.history_)
    if base is not None:
        facts |= {"base": wanted.base.value if wanted.base else "", "k": wanted.candidates}  # type: ignore[dict-item]
    return reranker.to_model(
        fingerprint=fingerprint(data), about=facts, base=None if base is None else base.to_model()
    )


def _made(run: Run, wanted: Wanted) -> tuple[list[Candidates], Any, FirstModel, bytes]:
    """Lists of the training data by cross-training, of the dev set, the first model of everything, the data."""
    data = read_bytes(wanted.train)
    read, make = _first(run, wanted)
    examples = read(wanted.train)
    lists = cross_lists(make, examples, wanted.folds, wanted.candidates, run.progress.note)
    base = make().fit(examples)
    run.progress.note(f"first model of all {len(examples):,} sentences")
    dev = None if wanted.dev is None else candidate_lists(base, read(wanted.dev), wanted.candidates)
    if wanted.lists_to is not None:
        write_nbest(lists, wanted.lists_to)
    return lists, dev, base, data


def _first(run: Run, wanted: Wanted) -> tuple[Callable[[str], Any], Callable[[], FirstModel]]:
    """How the first model's examples are read, and what makes an untrained one."""
    if wanted.base is BaseTool.parse:
        method = wanted.method or "lexicalized"
        return (
            lambda path: gold_trees(read_trees(path)).trees,
            lambda: ConstituencyParser(method, random_state=run.seed, n_jobs=run.n_jobs),
        )
    column: str | int | None = wanted.column
    if wanted.column is not None and wanted.column.lstrip("-").isdigit():
        column = int(wanted.column)
    tool: Any = SpanTagger if wanted.base is BaseTool.spans else Tagger
    return lambda path: read_tokens(path)[0], lambda: tool(column=column, n_jobs=run.n_jobs)


def _best(run: Run, wanted: Wanted, lists: Any, dev: list[Candidates] | None) -> Reranker:
    """The reranker of the best λ and β, by its F1 on the dev set."""
    betas = [None] if wanted.beta is None else _numbers("beta", wanted.beta)
    settings = list(itertools.product(_kernels(wanted, lists), betas, _numbers("prior", wanted.prior)))
    if len(settings) > 1 and dev is None:
        raise ValueError("several values of --decay, --beta or --prior need a --dev to choose by")
    best: Reranker | None = None
    best_score = -1.0
    for kernel, beta, prior in settings:
        reranker = Reranker(
            _learner(run, dual=wanted.features is None),
            kernel=kernel,
            features=_templates(wanted, lists),
            beta=beta,
            prior=prior,
            n_jobs=run.n_jobs,
        )
        if len(settings) > 1:
            run.progress.note(", ".join(_told(kernel, beta, prior)))
        try:
            reranker.fit(lists, dev=dev, callback=pass_notes(run))
        except FormatError as error:
            raise FormatError(
                error.message, path=error.path or display_name(wanted.train), line=error.line
            ) from error
        score = max((report.numbers.get("dev", 0.0) for report in reranker.history_), default=0.0)
        if best is None or score > best_score:
            best, best_score = reranker, score
    assert best is not None
    return best


def _learner(run: Run, *, dual: bool) -> Learner:
    usual = default_learner(dual=dual)
    if run.learner is None:
        try:
            return replace(usual, **{**run.settings, "random_state": run.seed, "n_jobs": run.n_jobs})
        except TypeError:
            known = ", ".join(usual.get_params())
            raise ValueError(f"the learner has the options {known}; got {', '.join(run.settings)}") from None
    return make_learner(run.learner, run.settings, random_state=run.seed, n_jobs=run.n_jobs)


def _kernels(wanted: Wanted, lists: Iterable[Candidates]) -> list[Kernel | None]:
    if wanted.features is not None:
        return [None]
    usual = default_kernel(_measure(lists))
    if wanted.decay is None:
        return [usual]
    inner: Any = usual.kernel
    return [replace(usual, kernel=replace(inner, decay=value)) for value in _numbers("decay", wanted.decay)]


def _told(kernel: Any, beta: float | None, prior: float) -> Iterator[str]:
    """What is tried, where it is not the usual."""
    decay = None if kernel is None else kernel.kernel.decay
    for name, value in (("λ", decay), ("β", beta), ("prior", prior)):
        if value is not None:
            yield f"{name} {value:g}"


def _templates(wanted: Wanted, lists: Iterable[Candidates]) -> TreeTemplates | SequenceTemplates | None:
    if wanted.features is None:
        return None
    trees = _measure(lists) == "brackets"
    names = (TREE_GROUPS if trees else SEQUENCE_GROUPS) if wanted.features == "all" else None
    groups = names or tuple(name.strip() for name in wanted.features.split(","))
    return TreeTemplates(groups) if trees else SequenceTemplates(groups)


def _measure(lists: Iterable[Candidates]) -> str:
    return guess_measure(itertools.islice(iter(lists), 1000))


def _numbers(name: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--{name} {text}: write numbers with commas between, as in 0.2,0.4") from None
