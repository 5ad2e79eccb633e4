"""Reports on pipelines: measures, the content of a model, explanations."""

from __future__ import annotations

import time
from typing import Any

from palmette.cli.report import Table, human_size
from palmette.cli.run import Run, restored
from palmette.cli.text_or_file import text_or_file
from palmette.cli.tools.depparse.training import read_treebank
from palmette.cli.tools.sequence.input import InputFormat, TokenReader
from palmette.errors import UsageError
from palmette.evaluation.raw_text import evaluate_raw_text
from palmette.evaluation.raw_text_scores import MEASURES, TITLES
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name, read_text
from palmette.formats.model import ModelFile
from palmette.messages import counted
from palmette.tools.explanation import Explanation
from palmette.tools.pipeline.evaluation import guessed, main_measure, not_filled
from palmette.tools.pipeline.explanation import explain_step
from palmette.tools.pipeline.pipeline import Pipeline
from palmette.tools.pipeline.step import PARSER, Step
from palmette.tools.pipeline.steps import MorphologyStep
from palmette.tools.text.tokenizer import Tokenizer

_SHOWN = 5  # confusions of a layer


def evaluation(model: ModelFile, source: str, run: Run, *, gold_tokens: bool, worst: int) -> dict[str, Any]:
    """The measures of a pipeline on a treebank."""
    gold = read_treebank(source)
    if not gold.n_words:
        raise ValueError(f"{display_name(source)}: expected words to score; there are none")
    pipeline = Pipeline.from_model(model).set_jobs(run.n_jobs)
    began = time.perf_counter()
    guess = guessed(pipeline, gold, gold_tokens=gold_tokens)
    seconds = time.perf_counter() - began
    scores = evaluate_raw_text(gold, guess)
    fills = pipeline.model_.fills
    measure, empty = main_measure(scores, fills, gold), not_filled(fills, gold)
    known = [name for name in MEASURES if name in scores.counts or name in empty]
    report: dict[str, Any] = {name: None if name in empty else scores.f1(name) for name in known}
    interval = scores.interval(measure)
    report[f"{measure}_interval"] = [interval.low, interval.high]
    report |= {"seconds": seconds, "words_per_second": gold.n_words / max(seconds, 1e-9)}
    report["from"] = "words" if gold_tokens else "raw text"
    if empty:
        report["note"] = f"no step of this pipeline fills what {', '.join(empty)} measure"
    rows = {TITLES[name]: one.to_dict() for name, one in scores.counts.items() if name not in empty}
    shown = ("precision", "recall", "f1", "gold", "guess", "correct")
    report["layers"] = Table({title: {key: row[key] for key in shown} for title, row in rows.items()})
    for layer, mistakes in scores.confused.items():
        if mistakes and layer not in empty:
            report[f"{layer}_confused"] = {f"{a} as {b}": n for a, b, n in mistakes[:_SHOWN]}
    found = scores.worst(measure, worst) if worst else []
    if found:
        report["worst_by"] = TITLES[measure]
        report["worst"] = {
            f"sentence {number}": f"{n} mistakes: {_text(gold, number)}" for number, n in found
        }
    return report


def inspection(model: ModelFile) -> dict[str, Any]:
    """What is in a pipeline."""
    pipeline = Pipeline.from_model(model)
    cutter = pipeline.tokenizer_
    parts = model.parts()
    steps = {
        step.name: {
            "fills": ", ".join(step.fills),
            "looks at": ", ".join(("form", *step.needs)) + _heard(pipeline, step),
            "kind": parts[step.name].kind if step.name in parts else "",
            "size": human_size(_size(parts[step.name])) if step.name in parts else "",
        }
        for step in pipeline.steps_
    }
    return {
        "tokens": f"rules for {cutter.language}" if isinstance(cutter, Tokenizer) else "learned",
        "steps": Table(steps),
        "training": {name: value for name, value in pipeline.training_.items() if value is not None},
    }


def explained(
    model: ModelFile,
    run: Run,
    *,
    text: str | None,
    file: str | None,
    number: int,
    step: str | None,
    token: int | None,
    against: int | None,
    top: int,
    format: InputFormat | None,
) -> Explanation:
    """The explanation of a step for a sentence, or for one of its words."""
    pipeline: Pipeline = restored(Pipeline, model)
    names = [one.name for one in pipeline.steps_]
    if not names:
        raise UsageError("this pipeline only cuts text: there is no step to explain")
    chosen = step or (PARSER if PARSER in names else names[-1])
    sentence = _sentence(pipeline, run, text, file, number, format)
    if token is not None and token > sentence.n_words:
        raise ValueError(f"the sentence has {sentence.n_words} tokens; there is no token {token}")
    if against is None:
        return explain_step(pipeline, sentence, chosen).of(token, top)
    if token is None or chosen != PARSER:
        raise UsageError("--against needs --token, the word to explain, and the step parser")
    return explain_step(pipeline, sentence, chosen, against=(token, against)).of(top=top)


def _heard(pipeline: Pipeline, step: Step) -> str:
    """The taggers that decide together with a step, and how much they count."""
    if not isinstance(step, MorphologyStep) or not pipeline.model_.heard:
        return ""
    taggers = ", ".join(one.column for one in pipeline.model_.heard)
    return f"; hears the taggers for {taggers}, which count {step.hears:g}"


def _sentence(
    pipeline: Pipeline, run: Run, text: str | None, file: str | None, number: int, format: InputFormat | None
) -> Corpus:
    """The sentence with the number, of a file or of a text."""
    text, file = text_or_file(text, file, "a sentence", run)
    if text == "-":
        text = read_text("-")
    if file is not None:
        before = 0
        for batch in TokenReader(file, format, reading=run.reading):
            if batch.format is InputFormat.text:
                text = read_text(file)
                break
            if number <= before + len(batch.corpus):
                return batch.corpus.select([number - before - 1])
            before += len(batch.corpus)
        else:
            raise ValueError(
                f"{display_name(file)} has {counted(before, 'sentence')}; there is no sentence {number}"
            )
    assert text is not None
    found: list[Corpus] = [one.corpus for one in pipeline.tokenizer_.segmented([text])]
    sentences = [(corpus, i) for corpus in found for i in range(len(corpus))]
    if not sentences:
        raise ValueError("expected a sentence to explain; it has no words")
    if number > len(sentences):
        raise ValueError(f"the text has {counted(len(sentences), 'sentence')}; there is no sentence {number}")
    if len(sentences) > 1:
        run.progress.warn(
            f"the text has {len(sentences)} sentences; this explains sentence {number} (--sentence N: another)"
        )
    corpus, i = sentences[number - 1]
    return corpus.select([i])


def _text(gold: Corpus, number: int) -> str:
    sentence = gold[number - 1]
    text = sentence.metadata.get("text") or " ".join(sentence["form"])
    return text if len(text) <= 60 else text[:57] + "..."


def _size(part: ModelFile) -> int:
    return sum(array.nbytes for array in part.arrays.values()) + sum(
        len(text.encode()) for table in part.strings.values() for text in table
    )
