"""`palmette train lm`, and what the other commands do with a language model."""

from __future__ import annotations

import inspect as inspection
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any, Literal

from palmette.cli.held_out import HeldOut, filled_lines
from palmette.cli.report import json_line
from palmette.cli.run import Run, restored
from palmette.cli.text_or_file import text_or_file
from palmette.cli.tools.lm import options as own
from palmette.cli.tools.sequence.options import About, Text, TokenNumber
from palmette.cli.tools.training import facts_of
from palmette.errors import UsageError
from palmette.formats.arpa import arpa_pieces
from palmette.formats.files import Source, check_writable, display_name, is_standard, read_text
from palmette.formats.model import ModelFile, check_target
from palmette.formats.registry import is_arpa
from palmette.messages import counted
from palmette.parameters import refuse_unknown
from palmette.tools.explanation import Explanation
from palmette.tools.lm.arrays import KIND
from palmette.tools.lm.estimation import Estimation
from palmette.tools.lm.mixing import mix
from palmette.tools.lm.model import LanguageModel

HELD_OUT = HeldOut(("perplexity", "perplexity_known", "oov"), cut=filled_lines, lower_is_better=True)

EXAMPLES = {
    "train": [
        "palmette train lm --train text.txt --order 5 -o en.palm",
        "cat *.txt | palmette train lm --train - --prune 0,0,1 --layout trie --quantize 8 -o small.palm",
        "palmette train lm --train text.txt --order 3 -o en.arpa.gz    as text, for other toolkits",
        "palmette train lm --arpa model.arpa.gz -o en.palm            an ARPA file of another toolkit",
        "palmette train lm --mix news.palm --mix talk.palm --dev dev.txt -o both.palm",
    ],
    "predict": [
        "palmette predict en.palm lines.txt             the log10 probability of each line",
        "palmette predict en.palm lines.txt --words     and of each word",
        'echo "the price of" | palmette predict en.palm --next 5',
        "palmette convert en.palm en.arpa.gz            as text, for other toolkits",
    ],
    "explain": [
        'palmette explain en.palm "the price of oil"',
        "palmette explain en.palm --file lines.txt --line 3 --token 2",
    ],
    "evaluate": ["palmette evaluate en.palm test.txt", "palmette evaluate en.palm test.txt --json"],
    "inspect": ["palmette inspect en.palm"],
}

# The options of an estimation that have no flag of their own.
SET = ("discount", "concentration")


def train(
    run: Run,
    train: own.TrainText = None,
    arpa: own.ArpaFile = None,
    mixed: own.Mixed = None,
    dev: own.Dev = None,
    order: own.Order = 5,
    smoothing: own.SmoothingOption = own.SmoothingName.modified_kneser_ney,
    prune: own.Prune = "0",
    entropy: own.Entropy = None,
    vocabulary: own.VocabularyFile = None,
    max_words: own.MaxWords = None,
    min_count: own.MinCount = 1,
    layout: own.LayoutOption = own.Layout.hashed,
    quantize: own.Quantize = 0,
    keep_counts: own.KeepCounts = False,
    errors: own.ErrorsOption = own.Errors.strict,
    marks: own.MarksOption = own.Marks.fail,
    memory: own.Memory = None,
    about: About = None,
) -> TrainedModel:
    if run.learner is not None:
        raise UsageError("a language model has no learner; choose the estimation with --smoothing")
    if sum(given is not None and given != [] for given in (train, arpa, mixed)) != 1:
        raise UsageError("expected exactly one of --train, --arpa and --mix")
    if dev is not None and not mixed:
        raise UsageError("--dev needs --mix, whose weights it tunes")
    refuse_unknown(run.settings, SET, "A language model")
    Estimation(smoothing=smoothing.value, **run.settings)  # what is wrong is said before anything is read
    if run.settings and train is None:
        raise UsageError(f"--set {next(iter(run.settings))} needs --train: it is about estimation from text")
    facts = facts_of(about)
    form: Literal["hashed", "trie"] = "hashed" if layout is own.Layout.hashed else "trie"
    if mixed:
        parts = [LanguageModel.load(path) for path in mixed]
        held_out = None if dev is None else read_text(dev).splitlines()
        model = mix(parts, held_out=held_out, layout=form, quantize=quantize, n_jobs=run.n_jobs)
    elif arpa is not None:
        model = LanguageModel.from_arpa(arpa, layout=form, quantize=quantize)
    else:
        assert train is not None
        total = None if is_standard(train) else Path(train).stat().st_size
        task = run.progress.task("Reading", total, size=True)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = LanguageModel.fit(
                train,
                order=order,
                smoothing=smoothing.value,
                prune=_thresholds(prune),
                vocabulary=None if vocabulary is None else read_text(vocabulary).split(),
                max_words=max_words,
                min_count=min_count,
                layout=form,
                quantize=quantize,
                keep_counts=keep_counts,
                errors="strict" if errors is own.Errors.strict else "replace",
                marks="fail" if marks is own.Marks.fail else "skip",
                memory=memory,
                n_jobs=run.n_jobs,
                progress=task.advance,
                **run.settings,
            )
        for warning in caught:
            run.progress.warn(str(warning.message))
    if entropy is not None:
        model = model.prune(entropy)
    run.progress.note(", ".join(f"{size:,} {n}-grams" for n, size in enumerate(model.sizes, 1)))
    file = model.to_model()
    options = {**file.options, **({"about": dict(facts)} if facts else {})}
    return TrainedModel(model, ModelFile(KIND, options, file.arrays, file.strings, file.fingerprint))


train.__doc__ = "\n".join(
    [
        inspection.cleandoc(
            """Estimate a language model from text, import one from an ARPA file, or interpolate several.

            A model whose name ends in .arpa or .arpa.gz is written as an ARPA file, which other toolkits read."""
        ),
        *("", "\b", "Options of --smoothing, with --set:"),
        *(f"  {line}" for line in Estimation.help_lines() if line.partition(":")[0] in SET),
    ]
)


@dataclass(frozen=True)
class TrainedModel:
    """A language model, and the content of its file."""

    model: LanguageModel
    file: ModelFile

    def save(self, path: Source) -> None:
        """Write it; as an ARPA file, if the name says so."""
        if is_arpa(path):
            self.model.to_arpa(path)
        else:
            self.file.save(path)


def _check_target(path: Source) -> None:
    (check_writable if is_arpa(path) else check_target)(path)


train.check_target = _check_target  # type: ignore[attr-defined]
train.hidden = ("learner", "help_learner")  # type: ignore[attr-defined]


def predict(
    model: ModelFile,
    run: Run,
    source: own.Source = "-",
    words: own.WordsFlag = False,
    next: own.Next = None,
    sample: own.Sample = None,
    arpa: own.AsArpa = False,
    seed: own.Seed = 0,
) -> Iterator[bytes]:
    """Score lines: print the log10 probability of each, including its end.

    --words prints every word with its log10 probability and the length of the n-gram found, "*" if it is unknown.
    """
    if sum((words, next is not None, sample is not None, arpa)) > 1:
        raise UsageError("use only one of --words, --next, --sample and --arpa")
    loaded: LanguageModel = restored(LanguageModel, model)
    if arpa:
        if run.jsonl:
            raise UsageError("use either --arpa or --jsonl")
        return arpa_pieces(loaded._plain())
    if sample is not None:
        made = loaded.sample(sample, random_state=seed)
        return (json_line({"text": line}) if run.jsonl else f"{line}\n".encode() for line in made)
    pieces = (given.lines for given in run.reading.lines(source))
    if next is not None:
        return _next(loaded, pieces, next, jsonl=run.jsonl)
    if words:
        return _words(loaded, pieces, run.n_jobs, jsonl=run.jsonl)
    return _scores(loaded, pieces, run.n_jobs, jsonl=run.jsonl)


def evaluate(model: ModelFile, run: Run, source: own.TestText) -> dict[str, Any]:
    """Measure how well a model predicts a text.

    `perplexity` counts all words and ends of lines, `perplexity_known` leaves out unknown words, `oov` is their
    share of all words. `seconds` is the time of scoring, without loading the model and reading the file.
    """
    loaded = LanguageModel.from_model(model)
    lines = _lines(source)
    if not lines:
        raise ValueError(f"{display_name(source)}: no text to evaluate on")
    began = time.perf_counter()
    report = loaded.evaluate(lines, n_jobs=run.n_jobs).to_dict()
    seconds = time.perf_counter() - began
    report = {name: _finite(value) for name, value in report.items()}
    return report | {"seconds": seconds, "tokens_per_second": report["tokens"] / max(seconds, 1e-9)}


def inspect(model: ModelFile, run: Run) -> dict[str, Any]:
    """Show what is in a language model: order, n-grams, smoothing, layout."""
    loaded = LanguageModel.from_model(model)
    return {
        "order": loaded.order,
        "vocabulary": len(loaded.words),
        "ngrams": {f"{counted(n, 'word')}": size for n, size in enumerate(loaded.sizes, 1)},
        "layout": loaded.layout,
        **loaded.facts,
    }


def explain(
    model: ModelFile,
    run: Run,
    text: Text = None,
    file: own.LineFile = None,
    line: own.LineNumber = 1,
    token: TokenNumber = None,
) -> Explanation:
    """Explain the probability of every word of a line.

    Show the n-gram that was found for the word, and what falling back to it from longer histories cost. All
    numbers are log10 probabilities; those of a word sum to its own, and the words sum to the score of the line.
    """
    text, file = text_or_file(text, file, "a line", run)
    lines = _lines(file) if file is not None else _lines("-") if text == "-" else [text or ""]
    if line > len(lines):
        raise ValueError(
            f"{display_name(file or '-')} has {counted(len(lines), 'line')}; there is no line {line}"
        )
    scorer: LanguageModel = restored(LanguageModel, model)
    found = scorer.explain(lines[line - 1])
    if token is not None and token > len(found.decisions):
        raise ValueError(
            f"the line has {counted(len(found.decisions), 'word')} with its end; there is no word {token}"
        )
    return found.of(token)


def _lines(source: str) -> list[str]:
    text = read_text(source)
    return text.removesuffix("\n").split("\n") if text else []


def _scores(
    model: LanguageModel, pieces: Iterable[list[str]], n_jobs: int, *, jsonl: bool
) -> Iterator[bytes]:
    numbers = count(1)
    for lines in pieces:
        scores = model.score_batch(lines, n_jobs=n_jobs).tolist()
        if not jsonl:
            yield "".join(f"{score:.6f}\n" for score in scores).encode()
            continue
        for score in scores:
            yield json_line({"line": next(numbers), "log10_probability": _finite(score)})


def _words(model: LanguageModel, pieces: Iterable[list[str]], n_jobs: int, *, jsonl: bool) -> Iterator[bytes]:
    for number, line in enumerate(chain.from_iterable(pieces), 1):
        scores = model.word_scores([line], n_jobs=n_jobs)
        words = [*line.split(), "</s>"]
        likely, lengths = scores.log_probs.tolist(), scores.lengths.tolist()
        rows = zip(words, likely, lengths, scores.unknown.tolist())
        if not jsonl:
            yield ("".join(f"{w}\t{p:.6f}\t{n}{'*' * u}\n" for w, p, n, u in rows) + "\n").encode()
            continue
        found = [
            {"word": w, "log10_probability": _finite(p), "length": n, "unknown": bool(u)}
            for w, p, n, u in rows
        ]
        yield json_line({"line": number, "log10_probability": _finite(sum(likely)), "words": found})


def _next(model: LanguageModel, pieces: Iterable[list[str]], k: int, *, jsonl: bool) -> Iterator[bytes]:
    for number, line in enumerate(chain.from_iterable(pieces), 1):
        found = model.next_word(line, k)
        if jsonl:
            rows = [{"word": word, "probability": p} for word, p in found]
            yield json_line({"line": number, "next": rows})
        else:
            yield ("".join(f"{word}\t{p:.6f}\n" for word, p in found) + "\n").encode()


def _thresholds(text: str) -> Sequence[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--prune {text}: expected whole numbers, such as 0,0,1") from None


def _finite(value: Any) -> Any:
    """JSON has no infinity: what is infinite is null."""
    return None if isinstance(value, float) and value in (float("inf"), float("-inf")) else value
