"""`palmette train rerank`, and what the other commands do with a reranker: the best of the n best."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from palmette.cli.commands import helped
from palmette.cli.held_out import HeldOut
from palmette.cli.report import json_line
from palmette.cli.run import Run, restored
from palmette.cli.tools.parse import options as phrases
from palmette.cli.tools.rerank import options as own
from palmette.cli.tools.rerank.input import lists_of, lists_with_gold
from palmette.cli.tools.rerank.training import Wanted, train_reranker
from palmette.cli.tools.sequence import options as options
from palmette.cli.tools.sequence.prediction import tokens
from palmette.cli.tools.training import learners_help
from palmette.features import sequence_templates, tree_templates
from palmette.formats.brackets import bracket_printer
from palmette.formats.candidates import Candidates, Output
from palmette.formats.model import ModelFile
from palmette.formats.nbest import nbest_printer, tagged_text
from palmette.learning.capabilities import SUMS
from palmette.messages import counted
from palmette.tools.explanation import Explanation
from palmette.tools.reranking.model import PrimalModel
from palmette.tools.reranking.reranker import MAX_SIZE, Reranker
from palmette.trees.tree import Tree

HELD_OUT = HeldOut(("f1",), same=("max_size",))

EXAMPLES = {
    "train": [
        "palmette train rerank --train train.nbest.gz --dev dev.nbest --beta 1e-4 --prior 1,3,5 -o rerank.palm",
        "palmette train rerank --train train.nbest.gz --features all -o rerank.palm",
        "palmette train rerank --base parse --train train.mrg --dev dev.mrg --candidates 50 -o rerank.palm",
        "palmette train rerank --base spans --train train.txt --dev dev.txt --candidates 20 -o rerank.palm",
    ],
    "predict": [
        "palmette predict en-parse.palm lines.txt --format tokens --kbest 50 | palmette predict rerank.palm -",
        "palmette predict rerank.palm lines.txt --format tokens",
        "palmette predict rerank.palm test.nbest --ranked",
    ],
    "evaluate": [
        "palmette evaluate rerank.palm test.nbest",
        "palmette evaluate rerank.palm test.mrg --json",
    ],
    "inspect": ["palmette inspect rerank.palm"],
    "explain": [
        "palmette explain rerank.palm test.nbest --list 3",
        "palmette explain rerank.palm lines.txt --format tokens --rival 2",
    ],
}
_AT_ONCE = 100  # lists


def _train_help() -> str:
    return "\n".join(
        [
            learners_help(
                """Train a reranker: a second model that chooses among the best outputs of a first one.

            A file of lists has one candidate per line: its log-probability, a tab, and a tree in brackets or words
            with labels (time/NN). `gold` in place of the number marks the gold output; an empty line ends a list.
            --base trains the first model too, and creates the lists by cross-training. Without a learner or
            settings, cross-validation chooses among a few (--choose). With --no-choose, the default is the dual
            form: a perceptron with a margin and a kernel, of all subtrees for trees (a voted perceptron), or of
            fragments of up to three words for sequences. --features selects the primal form.""",
                SUMS,
            ),
            "",
            "\b",
            f"Groups of --features for trees: {', '.join(tree_templates.GROUPS)};",
            f"  for sequences: {', '.join(sequence_templates.GROUPS)}",
        ]
    )


@helped(_train_help)
def train(
    run: Run,
    train: own.TrainLists,
    dev: own.DevLists = None,
    gold: own.Gold = None,
    base: own.Base = None,
    method: own.Method = None,
    column: own.Column = None,
    lenient: own.Lenient = False,
    folds: own.Folds = None,
    candidates: own.HowMany = None,
    lists_to: own.KeepLists = None,
    features: own.Features = None,
    decay: own.Decay = None,
    beta: own.Beta = None,
    prior: own.Prior = "0",
    choose: own.Choose = None,
    stream: own.Stream = False,
    max_size: own.MaxSize = MAX_SIZE,
    about: options.About = None,
) -> ModelFile:
    wanted = Wanted(
        train=train,
        dev=dev,
        gold=gold,
        base=base,
        method=method,
        column=column,
        lenient=lenient,
        folds=folds,
        candidates=candidates,
        lists_to=lists_to,
        features=features,
        decay=decay,
        beta=beta,
        prior=prior,
        choose=choose,
        stream=stream,
        max_size=max_size,
        about=about,
    )
    return train_reranker(run, wanted)


def predict(
    model: ModelFile,
    run: Run,
    source: own.Source = "-",
    format: phrases.InputFormat = None,
    language: options.Language = None,
    ranked: own.Ranked = False,
    minimum_risk: own.MinimumRisk = None,
    max_size: own.MaxSize = MAX_SIZE,
) -> Iterator[bytes]:
    """Write the best candidate of every list: a tree, or words with labels, one per line; empty for an empty list.

    A model that was trained with --base contains its first model and also reads sentences.
    """
    reranker = _loaded(model, run, max_size)
    lists = lists_of(reranker, source, format, language, run.reading)
    begin, too_large = 1, 0
    line = nbest_printer()
    # Each list is answered as soon as it is there, or some together, which is faster.
    while some := list(islice(lists, 1 if run.reading.line_buffered else _AT_ONCE)):
        too_large += sum(given.size > max_size for given in some)
        with _told_here():
            ordered = reranker.rank(some, minimum_risk=minimum_risk, first=begin)
        if run.jsonl:
            yield from (json_line(_object(given, n, ranked)) for n, given in enumerate(ordered, begin))
        else:
            yield from ((line(given) if ranked else _first_line(given)).encode("utf-8") for given in ordered)
        begin += len(some)
    if too_large:
        _tell_of_size(run, too_large, begin - 1, max_size)


def _object(given: Candidates, number: int, ranked: bool) -> dict[str, Any]:
    """What JSON has of a list that is ranked: all candidates, or the first, or only its number if it is empty."""
    if ranked:
        scores = given.log_probabilities.tolist()
        rows = [{"log_probability": p, **_output(y)} for p, y in zip(scores, given.outputs)]
        return {"list": number, "candidates": rows}
    return {"list": number, **(_output(given.outputs[0]) if len(given) else {})}


def _output(output: Output) -> dict[str, Any]:
    if isinstance(output, Tree):
        line = bracket_printer()(output).rstrip("\n")
        return {"tokens": tokens(output.words, tag=output.tags), "tree": line}
    return {"tokens": tokens([word for word, _ in output], label=[label for _, label in output])}


def evaluate(
    model: ModelFile,
    run: Run,
    source: own.GoldSource,
    gold: own.Gold = None,
    minimum_risk: own.MinimumRisk = None,
    max_size: own.MaxSize = MAX_SIZE,
) -> dict[str, Any]:
    """Report F1 of the first model, of the reranked outputs and of the best candidates, with a paired bootstrap.

    `p_value` is the probability of a difference this large between the first two by chance. `seconds` is the time
    of choosing, without that of the first model.
    """
    reranker = _loaded(model, run, max_size)
    lists = lists_with_gold(reranker, source, gold)
    too_large = sum(given.size > max_size for given in lists)
    if too_large:
        _tell_of_size(run, too_large, len(lists), max_size, left_out=True)
        lists = [given for given in lists if given.size <= max_size]
    began = time.perf_counter()
    reranker.choose(lists, minimum_risk=minimum_risk)
    seconds = time.perf_counter() - began
    return reranker.evaluate(lists, minimum_risk=minimum_risk).to_dict() | {"seconds": seconds}


def inspect(model: ModelFile, run: Run) -> dict[str, Any]:
    """Show what is in a reranker: its form, its kernel or features, its training."""
    reranker = _loaded(model, run)
    found = reranker.model_
    return {
        "form": model.options.get("form"),
        "kernel": model.options.get("kernel"),
        "features" if isinstance(found, PrimalModel) else "supports": len(found),
        "measure": reranker.measure_,
        "first_model": None if reranker.base_ is None else reranker.base_.kind,
        "training": {name: value for name, value in reranker.training_.items() if value is not None},
    }


def explain(
    model: ModelFile,
    run: Run,
    source: own.Source = "-",
    number: own.ListNumber = 1,
    format: phrases.InputFormat = None,
    language: options.Language = None,
    rival: own.Rival = None,
    minimum_risk: own.MinimumRisk = None,
    max_size: own.MaxSize = MAX_SIZE,
    top: options.Top = 5,
) -> Explanation:
    """Explain why a candidate of a list, or of a sentence, is chosen and not another.

    In primal form, show the features that made the difference. In dual form, show the fragments that did, up to
    three rules or states each; larger ones are summed up in one number.
    """
    reranker = _loaded(model, run, max_size)
    lists = lists_of(reranker, source, format, language)
    given: Candidates | None = next(islice(lists, number - 1, None), None)
    if given is None:
        raise ValueError(f"{source} has no list {number}; lists are counted from 1")
    if rival is not None and rival > len(given):
        raise ValueError(f"list {number} has {counted(len(given), 'candidate')}; there is no rival {rival}")
    place = None if rival is None else rival - 1
    return reranker.explain(given, rival=place, minimum_risk=minimum_risk).of(top=top)


def _loaded(model: ModelFile, run: Run, max_size: int = MAX_SIZE) -> Reranker:
    reranker: Reranker = restored(Reranker, model, n_jobs=run.n_jobs, max_size=max_size)
    return reranker


def _first_line(given: Candidates) -> str:
    """The best output of a list that is ranked, on a line."""
    if not len(given):
        return "\n"
    output = given.outputs[0]
    return bracket_printer()(output) if isinstance(output, Tree) else tagged_text(output) + "\n"


@contextmanager
def _told_here() -> Iterator[None]:
    """What the reranker warns of is told once, at the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _tell_of_size(run: Run, n: int, of: int, bound: int, *, left_out: bool = False) -> None:
    what = "were left out" if left_out else "keep the first model's order"
    run.progress.warn(
        f"{n:,} of {of:,} lists have outputs of more than {bound:,} nodes or words and {what}; "
        "--max-size raises the bound"
    )
