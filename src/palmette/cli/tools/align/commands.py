"""`palmette train align`, and what the other commands do with a word aligner."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from palmette.cli import signals
from palmette.cli.held_out import HeldOut, all_lines
from palmette.cli.report import Answers, Table, json_line, shows
from palmette.cli.run import Run, restored
from palmette.cli.selectable import Examples, Selectable
from palmette.cli.tools.align import options as own
from palmette.cli.tools.align.input import all_pairs, gold_of, pair_batches
from palmette.cli.tools.sequence.options import About
from palmette.cli.tools.training import facts_of, learners_help, methods_help, pass_notes, run_learner
from palmette.errors import UsageError
from palmette.evaluation.alignments import evaluate_alignments
from palmette.formats.files import check_writable, write_atomically
from palmette.formats.model import ModelFile, fingerprint
from palmette.formats.pharaoh import Link, format_pharaoh
from palmette.learning.em import EM
from palmette.messages import counted
from palmette.parameters import refuse_unknown
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.explanation import AlignmentExplanation
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.phrases import extract_phrases
from palmette.tools.alignment.schedule import LEARNERS, OFFERS, PRESETS, Schedule
from palmette.tools.alignment.stages import METHODS
from palmette.tools.alignment.symmetrization import METHODS as SYMMETRIZATIONS
from palmette.tools.alignment.text import PairFormat, ParallelText
from palmette.tools.alignment.word_forms import read_stems

HELD_OUT = HeldOut(
    ("aer", "precision", "recall", "f1"),
    files={"source": "source", "target": "target", "train": "file"},
    cut=all_lines,
    dev={},
    reference="gold",
    lower_is_better=True,
)

EXAMPLES = {
    "train": [
        "palmette train align --source train.en --target train.de -o en-de.palm",
        "palmette train align --train pairs.tsv --alignment-to pairs.align -o en-de.palm",
        "palmette train align --train pairs.txt --method fast --phrases-to phrases.gz -o en-de.palm",
        "palmette train align --train small.tsv --prefix 5 --method model1,hmm --set hmm.p0=0.3 -o small.palm",
    ],
    "predict": [
        "palmette predict en-de.palm --source new.en --target new.de > new.align",
        'echo "the house ||| das Haus" | palmette predict en-de.palm --probabilities',
        "palmette predict en-de.palm pairs.tsv --symmetrization grow-diag-final-and --phrases -o phrases.gz",
        "palmette predict en-de.palm pairs.tsv --kbest 3",
    ],
    "evaluate": ["palmette evaluate en-de.palm --source test.en --target test.de --gold test.align --all"],
    "inspect": [
        "palmette inspect en-de.palm --word house --top 5",
        "palmette inspect en-de.palm --lexical-to lex      lex.f2e and lex.e2f, as Moses has them",
    ],
    "explain": [
        'palmette explain en-de.palm "the old house" "das alte Haus"',
        "palmette explain en-de.palm --file pairs.tsv --number 3 --svg grid.svg",
    ],
}


def train(
    run: Run,
    source: own.SourceFile = None,
    target: own.TargetFile = None,
    train: own.TrainFile = None,
    format: own.FormatOption = None,
    method: own.Models = "best",
    agreement: own.Agreement = True,
    symmetrization: own.SymmetrizationOption = own.Symmetrization.posterior,
    threshold: own.Threshold = 0.5,
    keep_case: own.KeepCase = False,
    spelling: own.Spelling = True,
    prefix: own.Prefix = "0",
    source_stems: own.SourceStems = None,
    target_stems: own.TargetStems = None,
    alignment_to: own.AlignmentTo = None,
    phrases_to: own.PhrasesTo = None,
    max_length: own.MaxLength = 7,
    about: About = None,
) -> ModelFile:
    models = method if method in PRESETS else tuple(method.split(","))
    learner, model_options = _learner_and_options(run, models, agreement)
    aligner = Aligner(
        models,
        learner=learner,
        options=model_options or None,
        agreement=agreement,
        symmetrization=symmetrization.value,
        threshold=threshold,
        lower=not keep_case,
        spelling=spelling,
        prefix=_prefixes(prefix),
        stem=(_stems(source_stems), _stems(target_stems)),
        random_state=run.seed,
        n_jobs=run.n_jobs,
    )
    Schedule(models, learner, model_options, agreement)  # what is wrong is said before anything is read
    facts = facts_of(about)
    for written in (alignment_to, phrases_to):
        if written is not None:
            check_writable(written)
    text = all_pairs(source, target, train, format)
    run.progress.note(
        f"{counted(len(text), 'pair')}, {counted(len(text.source.ids), 'source word')}, "
        f"{counted(len(text.target.ids), 'target word')}"
    )
    if alignment_to is None and phrases_to is None:
        aligner.fit(text, callback=pass_notes(run))
    else:
        links = aligner.fit_align(text, probabilities=False, callback=pass_notes(run))
        _write(text, links, alignment_to, phrases_to, max_length)
    if aligner.interrupted_:
        run.progress.interrupt(f"{signals.verb()}; the models so far are saved")
    return aligner.to_model(fingerprint=_fingerprint(text), about=facts)


train.__doc__ = "\n".join(
    [
        learners_help(
            """Learn which words are translations of each other, from sentences and their translations.

            --method names models to train in turn: best is model1,hmm,fertility, and fast is model1,hmm. Every
            model has a learner of its own; --set n_iter=3 changes an option of all of them, and --set
            hmm.n_iter=3 of one.""",
            OFFERS,
        ),
        *methods_help(METHODS, dotted=True),
    ]
)


def predict(
    model: ModelFile,
    run: Run,
    file: own.PairsFile = "-",
    source: own.SourceFile = None,
    target: own.TargetFile = None,
    format: own.FormatOption = None,
    symmetrization: own.OtherSymmetrization = None,
    threshold: own.OtherThreshold = None,
    probabilities: own.Probabilities = False,
    kbest: own.KBest = 1,
    phrases: own.Phrases = False,
    max_length: own.MaxLength = 7,
    draw: own.Draw = False,
) -> Iterator[bytes]:
    """Align sentence pairs: a line of links for each, in the Pharaoh format, 0-0 1-2.

    Links are source-target, counted from 0. With --symmetrization source every target word has at most one link,
    with target every source word. A pair with an empty sentence gives an empty line.
    """
    if sum((kbest > 1, phrases, draw)) > 1 or (run.jsonl and (phrases or draw)):
        raise UsageError(
            "use only one of --kbest, --phrases and --draw; --jsonl can be combined with --kbest only"
        )
    aligner = _loaded(model, run, symmetrization, threshold)
    if phrases:
        text = all_pairs(source, target, file, format)
        return aligner.phrases(text, max_length=max_length).lines()
    batches = pair_batches(source, target, file, format, run.reading)
    if run.jsonl:
        return map(json_line, _objects(aligner, batches, kbest))
    if kbest > 1:
        return _kbest(aligner, batches, kbest)
    if draw:
        return _drawn(aligner, batches)
    return (aligner.align(part, probabilities=probabilities).pharaoh_bytes(probabilities) for part in batches)


def select(
    model: ModelFile,
    run: Run,
    format: own.FormatOption = None,
) -> Selectable:
    """Choose the sentence pairs most worth links, and write source, target and links between tabs.

    A link has its probability behind it. Links are source-target, counted from 0.
    """
    aligner = _loaded(model, run, None, None)

    def read(source: str) -> Iterator[Examples]:
        for text in pair_batches(None, None, source, format, run.reading):
            pairs = list(text)
            files = ["\t".join(map(" ".join, pair)).encode() + b"\n" for pair in pairs]
            yield Examples(text, [[*source, *target] for source, target in pairs], files)

    def annotate(content: Any) -> Iterator[bytes]:
        found = predict(model, run, content, format=PairFormat.tsv, probabilities=True)
        if run.jsonl:
            return found
        links = b"".join(found).splitlines()
        pairs = zip(content.data.splitlines(), links, strict=True)
        return (pair + b"\t" + own_links + b"\n" for pair, own_links in pairs)

    return Selectable(aligner, read, annotate)


def evaluate(
    model: ModelFile,
    run: Run,
    gold: own.GoldFile,
    file: own.PairsFile = "-",
    source: own.SourceFile = None,
    target: own.TargetFile = None,
    format: own.FormatOption = None,
    symmetrization: own.OtherSymmetrization = None,
    threshold: own.OtherThreshold = None,
    compare: own.Compare = False,
) -> dict[str, Any]:
    """Compare alignments with gold links: alignment error rate, precision, recall, F.

    Precision counts possible links, recall sure ones; `interval` is that of the error rate, by the bootstrap over
    pairs. `seconds` is the time of aligning.
    """
    aligner = _loaded(model, run, symmetrization, threshold)
    text = all_pairs(source, target, file, format)
    right = gold_of(gold, text)
    if not right:
        raise ValueError("expected sentence pairs to evaluate on; the file has none")
    began = time.perf_counter()
    found = aligner.align(text, probabilities=False)
    seconds = time.perf_counter() - began
    scores = evaluate_alignments(right, found)
    report = scores.to_dict()
    interval = scores.interval()
    report |= {"interval": [interval.low, interval.high]}
    report |= {"seconds": seconds, "pairs_per_second": len(text) / max(seconds, 1e-9)}
    if compare:
        rows = {
            name: aligner.evaluate(text, right, symmetrization=name).to_dict() for name in SYMMETRIZATIONS
        }
        kept = ("aer", "precision", "recall", "f1", "links")
        report["symmetrizations"] = Table({n: {key: row[key] for key in kept} for n, row in rows.items()})
    return report


def inspect(
    model: ModelFile,
    run: Run,
    word: own.Words = None,
    back: own.Back = False,
    top: own.Top = 10,
    lexical_to: own.LexicalTo = None,
) -> dict[str, Any]:
    """Show what is in a word aligner: words, pairs of words, perplexities; and translations of words."""
    aligner = Aligner.from_model(model)
    found = aligner.model_
    report: dict[str, Any] = {
        "models": {"forth": found.forth.kind, "back": found.back.kind},
        "source_words": len(found.source),
        "target_words": len(found.target),
        "pairs_of_words": {"forth": found.forth.table.n_pairs, "back": found.back.table.n_pairs},
        "perplexity": _perplexities(aligner.training_),
    }
    if lexical_to is not None:
        report["written"] = _write_lexical(aligner, lexical_to)
    if word:
        found_words = {one: dict(aligner.translations(one, top, back=back)) for one in word}
        return Answers(report, {"translations": found_words})
    return report


def explain(
    model: ModelFile,
    run: Run,
    source_sentence: own.SourceSentence = None,
    target_sentence: own.TargetSentence = None,
    file: own.ExampleFile = None,
    source: own.SourceFile = None,
    target: own.TargetFile = None,
    format: own.FormatOption = None,
    number: own.ExampleNumber = 1,
    gold: own.OptionalGold = None,
    symmetrization: own.OtherSymmetrization = None,
    svg: own.SvgTo = None,
    ascii: own.Ascii = False,
) -> AlignmentExplanation:
    """Explain why words are linked: show the grid of a sentence pair, and the scores of both directions.

    forth and back are the posteriors of the two directions, p is their mean; t is from the lexical tables. With
    --gold, a wrong link is shown as a cross and a missing one as a ring.
    """
    aligner = _loaded(model, run, symmetrization, None)
    right = None
    if source_sentence is not None and target_sentence is not None:
        if file is not None or source is not None or gold is not None:
            raise UsageError("give either two sentences or a pair of a file, not both")
        pair = source_sentence.split(), target_sentence.split()
    elif source_sentence is not None:
        raise UsageError("expected two sentences: the source and its translation")
    else:
        text = all_pairs(source, target, file, format)
        if number > len(text):
            raise ValueError(f"the file has {counted(len(text), 'pair')}; there is no pair {number}")
        pair = text[number - 1]
        right = None if gold is None else gold_of(gold, text)[number - 1]
    found = aligner.explain(*pair, gold=right)
    if svg is not None:
        with write_atomically(svg) as image:
            image.write(found.svg().encode())
    return found.plain() if ascii or not shows("█▓▒░·○✗") else found


def _loaded(
    model: ModelFile, run: Run, symmetrization: own.Symmetrization | None, threshold: float | None
) -> Aligner:
    aligner: Aligner = restored(Aligner, model, n_jobs=run.n_jobs)
    if symmetrization is not None:
        aligner.symmetrization = symmetrization.value
    if threshold is not None:
        aligner.threshold = threshold
    return aligner


def _learner_and_options(
    run: Run, models: Sequence[str], agreement: bool
) -> tuple[EM | None, dict[str, dict[str, Any]]]:
    """Return the learner that --learner names, and the options of models.

    --set hmm.p0=0.3 is an option of one model, or of its learner. Without --learner, --set n_iter=3 changes this
    option of the learners that all models have.
    """
    options: dict[str, dict[str, Any]] = {}
    for key, value in run.settings.items():
        kind, dot, name = key.partition(".")
        if dot:
            options.setdefault(kind, {})[name] = value
    plain = {key: value for key, value in run.settings.items() if "." not in key}
    if run.learner is not None:
        usual = LEARNERS if agreement else LEARNERS[::-1]
        return run_learner(run, usual, OFFERS, other=run.settings.keys() - plain.keys()), options
    schedule = Schedule(models, agreement=agreement)
    learning = [kind for kind in schedule.kinds if METHODS[kind].learners]
    names = list(dict.fromkeys(name for kind in learning for name in schedule.names_of(kind)))
    own = {"learner", *(name for kind in learning for name in METHODS[kind].options_class.names())}
    refuse_unknown(plain, [name for name in names if name not in own], "The learner of these models")
    for kind in learning:
        given = {name: value for name, value in plain.items() if name in schedule.names_of(kind)}
        options[kind] = {**given, **options.get(kind, {})}
    return None, {kind: given for kind, given in options.items() if given}


def _prefixes(text: str) -> tuple[int, int]:
    parts = text.split(",")
    if len(parts) > 2 or not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise UsageError(f"--prefix {text}: expected a number, or one for each language, such as 4,6")
    return int(parts[0]), int(parts[-1])


def _stems(path: str | None) -> dict[str, str] | None:
    return None if path is None else read_stems(path)


def _write(
    text: ParallelText, links: Alignments, alignment_to: str | None, phrases_to: str | None, max_length: int
) -> None:
    if alignment_to is not None:
        with write_atomically(alignment_to) as file:
            file.write(links.pharaoh_bytes())
    if phrases_to is not None:
        extract_phrases(text, links, max_length=max_length).write(phrases_to)


def _kbest(aligner: Aligner, batches: Iterator[ParallelText], k: int) -> Iterator[bytes]:
    number = 0
    for part in batches:
        lines = []
        for ranked in aligner.kbest(part, k):
            lines += [
                f"{number} ||| {format_pharaoh(one.output)} ||| {one.probability:.6g}\n" for one in ranked
            ]
            number += 1
        yield "".join(lines).encode()


def _objects(aligner: Aligner, batches: Iterator[ParallelText], k: int) -> Iterator[dict[str, Any]]:
    """What JSON lines have of every pair."""
    number = 0
    for part in batches:
        found: list[dict[str, Any]]
        if k > 1:
            found = [
                {"kbest": [{"probability": one.probability, "links": _links(one.output)} for one in ranked]}
                for ranked in aligner.kbest(part, k)
            ]
        else:
            links = aligner.align(part, probabilities=True)
            bounds, likely = links.offsets.tolist(), links.probability.astype(float).round(6).tolist()
            found = [{"links": _links(one, likely[bounds[s] : bounds[s + 1]])} for s, one in enumerate(links)]
        for (source, target), one in zip(part, found):
            number += 1
            yield {"pair": number, "source": source, "target": target, **one}


def _links(links: Iterable[Link], likely: Iterable[float] | None = None) -> list[dict[str, Any]]:
    plain = [{"source": i, "target": j} for i, j in links]
    return plain if likely is None else [one | {"probability": p} for one, p in zip(plain, likely)]


def _drawn(aligner: Aligner, batches: Iterator[ParallelText]) -> Iterator[bytes]:
    plain = not shows("█▓▒░·○✗")
    for part in batches:
        for source, target in part:
            yield (aligner.draw(source, target, ascii=plain) + "\n\n").encode()


def _write_lexical(aligner: Aligner, prefix: str) -> list[str]:
    written = []
    for name, back in (("f2e", False), ("e2f", True)):
        path = f"{prefix}.{name}"
        with write_atomically(path) as file:
            rows = sorted(aligner.lexical_table(back=back), key=lambda row: (row[1], -row[2], row[0]))
            file.write("".join(f"{word} {given} {p:.7f}\n" for word, given, p in rows).encode())
        written.append(path)
    return written


def _perplexities(training: Mapping[str, Any]) -> dict[str, Any]:
    """The last of each model in each direction."""
    found: dict[str, Any] = {}
    for one in training.get("passes", []):
        if isinstance(one, dict) and isinstance(one.get("perplexity"), float):
            found.setdefault(str(one.get("direction")), {})[str(one.get("model"))] = one["perplexity"]
    return found


def _fingerprint(text: ParallelText) -> str:
    parts = []
    for side in (text.source, text.target):
        parts += ["\n".join(side.strings).encode(), side.ids.tobytes(), side.offsets.tobytes()]
    return fingerprint(*parts)
