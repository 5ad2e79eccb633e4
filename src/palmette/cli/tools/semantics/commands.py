"""`palmette train semantics`, and what the other commands do with a semantic parser: questions to a database."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from palmette.cli.commands import helped
from palmette.cli.held_out import HeldOut, filled_lines
from palmette.cli.report import Table, json_line
from palmette.cli.run import Run, restored
from palmette.cli.selectable import Examples, Selectable
from palmette.cli.tools.semantics import options as own
from palmette.cli.tools.semantics.input import read_asked, read_questions
from palmette.cli.tools.sequence.options import About, Top
from palmette.cli.tools.training import facts_of, learners_help, pass_notes, run_learner, tell_of_interruption
from palmette.formats.files import read_text
from palmette.formats.model import ModelFile, fingerprint
from palmette.learning.registry import read_settings
from palmette.messages import counted
from palmette.tools.explanation import Explanation
from palmette.tools.semantics.answer import Answer
from palmette.tools.semantics.database import read_database
from palmette.tools.semantics.lexicon import read_triggers
from palmette.tools.semantics.options import SemanticOptions
from palmette.tools.semantics.semantic_parser import SemanticParser

HELD_OUT = HeldOut(("accuracy", "precision", "coverage"), cut=filled_lines)

EXAMPLES = {
    "train": [
        "palmette train semantics --train questions.tsv --database facts.tsv -o facts.palm",
        "palmette train semantics --train train.tsv --dev dev.tsv --database geobase.pl --triggers words.tsv "
        "-o geo.palm",
    ],
    "predict": [
        'palmette predict geo.palm "which states border the most states"',
        "palmette predict geo.palm questions.txt --confidence 0.5",
    ],
    "evaluate": ["palmette evaluate geo.palm test.tsv --json"],
    "inspect": ["palmette inspect geo.palm"],
    "explain": ['palmette explain geo.palm "what is the longest river in texas"'],
}


def _train_help() -> str:
    text = """Train a semantic parser: answers to questions from a database.

    It learns from questions and answers alone. What the columns of the database hold is found from their values,
    and words that name nothing in the database learn what they mean where that answers several questions."""
    lines = [f"  {line}" for line in SemanticOptions.help_lines()]
    return "\n".join([learners_help(text, SemanticParser().offers), "", "\b", "Options, with --set:", *lines])


@helped(_train_help)
def train(
    run: Run,
    train: own.TrainFile,
    database: own.DatabaseFile,
    dev: own.DevFile = None,
    triggers: own.TriggerFile = None,
    language: own.Language = "en",
    about: About = None,
) -> ModelFile:
    facts = facts_of(about)
    known = read_database(database)
    given = read_asked(train)
    held_out = None if dev is None else read_asked(dev)
    settings = {key: value for key, value in run.settings.items() if key in SemanticOptions.names()}
    parser = SemanticParser(
        known,
        triggers=None if triggers is None else read_triggers(triggers),
        language=language,
        options=read_settings(SemanticOptions, "semantics", settings),
    )
    parser.learner = run_learner(run, [parser.default_learner()], parser.offers, other=list(settings))
    parser.check_learner()
    run.progress.note(f"{counted(known.n_facts, 'fact')}, {counted(len(given.questions), 'question')}")
    parser.fit(
        given.questions,
        given.answers,
        dev=None if held_out is None else (held_out.questions, held_out.answers),
        callback=pass_notes(run),
    )
    if parser.interrupted_:
        tell_of_interruption(parser.history_, run)
    if parser.unreached_:
        run.progress.note(
            f"no tree gives the right answer of {len(parser.unreached_):,} questions, such as "
            f"{parser.unreached_[0]!r}; `palmette inspect` lists them"
        )
    data = fingerprint(given.text.encode(), read_text(database).encode())
    return parser.to_model(fingerprint=data, about=facts)


def predict(
    model: ModelFile,
    run: Run,
    source: own.Questions = "-",
    confidence: own.Confidence = 0.0,
    kbest: own.Kbest = 1,
    draw: own.Draw = False,
) -> Iterator[bytes]:
    """Answer questions; write the answer, what was understood, the tree, and what the words mean.

    A question without an answer gets the reason. A set of values that is empty is the answer "none".
    """
    parser = _loaded(model, confidence)
    for number, question in enumerate(read_questions(source), 1):
        answers = [one.output for one in parser.kbest([question], kbest)[0]]
        if run.jsonl:
            told = [answer.to_dict() for answer in answers]
            more = {} if kbest == 1 else {"others": told[1:]}
            yield json_line({"number": number, "question": question, **told[0], **more})
        else:
            yield (_shown(parser, question, answers, draw) + "\n").encode()


def _shown(parser: SemanticParser, question: str, answers: list[Answer], draw: bool) -> str:
    lines = [question]
    for answer in answers:
        lines.append(f"  {answer}")
        if answer.tree is not None:
            chance = "" if answer.probability is None else f", probability {answer.probability:.2f}"
            lines += [f"    meaning: {answer.meaning}{chance}", f"    tree:    {answer.tree.text}"]
            if draw:
                lines += [f"    {line}" for line in answer.draw().split("\n")]
    if answers[0].tree is not None:
        found = parser.explain(question).decisions[0].extra["triggers"]
        lines.append("    why:     " + ", ".join(f"{t['words']} = {t['means']}" for t in found))
        passed_over = parser.explain(question).decisions[0].extra["passed_over"]
        if passed_over:
            lines.append("    without: " + ", ".join(passed_over))
    return "\n".join(lines)


def select(model: ModelFile, run: Run) -> Selectable:
    """Choose the questions most worth an answer of yours, and write them with the parser's."""
    parser = _loaded(model, 0.0)

    def read(source: str) -> Iterator[Examples]:
        questions = read_questions(source)
        yield Examples(
            questions, [one.split() for one in questions], [f"{one}\n".encode() for one in questions]
        )

    def annotate(content: Any) -> Iterator[bytes]:
        return predict(model, run, content)

    return Selectable(parser, read, annotate)


def evaluate(
    model: ModelFile, run: Run, source: own.GoldFile, confidence: own.Confidence = 0.0
) -> dict[str, Any]:
    """Compare answers with the right ones: an answer is right if its set of values is.

    Report accuracy with its interval, precision among the questions that were answered, and the wrong answers.
    `seconds` is the time of answering.
    """
    parser = _loaded(model, confidence)
    given = read_asked(source)
    began = time.perf_counter()
    guess = parser.predict(given.questions)
    seconds = time.perf_counter() - began
    scores = parser.evaluate(given.questions, given.answers, predicted=guess)
    interval = scores.interval()
    wrong = {
        question: {"answer": answer.text[:60], "right": gold[:60]}
        for question, answer, gold, right in zip(given.questions, guess, given.answers, scores.right)
        if not right
    }
    return {
        "accuracy": scores.accuracy,
        "accuracy_interval": [interval.low, interval.high],
        "precision": scores.precision,
        "coverage": scores.coverage,
        "questions": scores.questions,
        "seconds": seconds,
        "milliseconds_per_question": 1000 * seconds / scores.questions,
        "wrong": Table(wrong),
    }


def inspect(model: ModelFile, run: Run) -> dict[str, Any]:
    """Show what is in a semantic parser: its database, its predicates, and what words it learned."""
    parser = SemanticParser.from_model(model)
    inside = parser.model_
    return {
        "tables": {name: len(table.rows) for name, table in inside.database.tables.items()},
        "predicates": {
            p.name: f"{', '.join(p.types)}: {len(p.rows):,}" for p in inside.world.predicates.values()
        },
        "language": inside.language,
        "triggers": {words: list(names) for words, names in inside.lexicon.triggers.items()},
        "learned": {word: list(names) for word, names in inside.lexicon.learned.items()},
        "answers": {name: list(types) for name, types in inside.functors.items()},
        "ties": inside.denotations.ties,
        "features": len(inside.weights),
        "training": {name: value for name, value in parser.training_.items() if value is not None},
    }


def explain(model: ModelFile, run: Run, question: own.Question, top: Top = 10) -> Explanation:
    """Explain an answer: its tree, what its words mean, and the features that decided against the runner-up."""
    parser: SemanticParser = restored(SemanticParser, model)
    return parser.explain(question).of(top=top)


def _loaded(model: ModelFile, confidence: float) -> SemanticParser:
    parser: SemanticParser = restored(SemanticParser, model, confidence=confidence)
    return parser
