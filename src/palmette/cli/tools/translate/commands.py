"""`palmette train translate`, and what the other commands do with a translator."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from typing import Any

from palmette.cli.held_out import HeldOut, all_lines
from palmette.cli.options import parse_settings
from palmette.cli.report import Answers, Table, shows
from palmette.cli.run import Run, restored
from palmette.cli.text_or_file import text_or_file
from palmette.cli.tools.sequence.options import About
from palmette.cli.tools.training import facts_of, methods_help
from palmette.cli.tools.translate import options as own
from palmette.cli.tools.translate import prediction_options as asked
from palmette.cli.tools.translate import training
from palmette.cli.tools.translate.prediction import Wanted, forced, predictions
from palmette.errors import UsageError
from palmette.formats.files import display_name, write_atomically
from palmette.formats.model import ModelFile, fingerprint
from palmette.formats.moses.weights import read_weights, write_weights
from palmette.messages import counted
from palmette.tools.alignment.text import ParallelText
from palmette.tools.translation.constraints import LineReader
from palmette.tools.translation.explanation import TranslationExplanation
from palmette.tools.translation.glossary import Glossary, read_phrases
from palmette.tools.translation.input import Pairs, pair_rows, sentence_rows
from palmette.tools.translation.model import METHODS, check_given
from palmette.tools.translation.scoring import score_translations
from palmette.tools.translation.source_trees import read_trees
from palmette.tools.translation.translator import Translator

HELD_OUT = HeldOut(
    ("bleu", "chrf", "ter"),
    files={"source": "source", "target": "target", "train": "file", "trees": "trees", "alignment": None},
    cut=all_lines,
    dev={"dev_source": "source", "dev_target": "target", "dev": "file", "dev_trees": "trees"},
)

EXAMPLES = {
    "train": [
        "palmette train translate --source train.de --target train.en --dev-source dev.de --dev-target dev.en "
        "-o de-en.palm",
        "palmette train translate --train pairs.tsv --raw --source-language de --target-language en -o de-en.palm",
        "palmette train translate --train pairs.txt --lm big.arpa.gz --set order=3 -o small.palm",
        "palmette train translate --method hiero --source train.ja --target train.en -o ja-en.palm",
        "palmette train translate --method string-to-tree --train pairs.tsv --parser en.palm -o trees.palm",
        "palmette train translate --method tree-to-string --source train.en --target train.de --parser en.palm "
        "-o en-de.palm",
        "palmette train translate --table phrase-table.gz --reordering reordering.gz --lm en.palm --tuning none "
        "-o moses.palm",
    ],
    "predict": [
        "palmette predict de-en.palm new.de > new.en",
        "palmette predict de-en.palm new.de --glossary terms.tsv --unknown mark",
        'echo "das Haus" | palmette predict de-en.palm --kbest 5 --alignment',
        "palmette predict de-en.palm new.de --probabilities | sort -g    the least certain first",
    ],
    "evaluate": [
        "palmette evaluate de-en.palm --source test.de --target test.en",
        "palmette evaluate de-en.palm --source test.de --target one.en --target two.en --bootstrap 1000 --json",
    ],
    "inspect": [
        'palmette inspect de-en.palm --phrase "das Haus"',
        "palmette inspect de-en.palm --table-to phrase-table.gz --reordering-to reordering.gz --lm-to en.arpa",
    ],
    "explain": [
        'palmette explain de-en.palm "das ist ein Haus"',
        "palmette explain de-en.palm --file new.de --number 3 --svg phrases.svg",
    ],
}


def train(
    run: Run,
    source: own.SourceFile = None,
    target: own.TargetFile = None,
    train: own.TrainFile = None,
    format: own.FormatOption = None,
    dev_source: own.DevSource = None,
    dev_target: own.DevTarget = None,
    dev: own.DevFile = None,
    method: own.MethodName = "phrase",
    tuning: own.TuningOption = own.Tuning.mert,
    held_out: own.HeldOut = None,
    lm: own.LmFile = None,
    alignment: own.AlignmentFile = None,
    table: own.TableFile = None,
    reordering: own.ReorderingFile = None,
    weights: own.WeightsFile = None,
    trees: own.TreesFile = None,
    parser: own.ParserFile = None,
    dev_trees: own.DevTreesFile = None,
    raw: own.Raw = False,
    source_language: own.SourceLanguage = "generic",
    target_language: own.TargetLanguage = "generic",
    casing: own.CasingOption = own.Casing.truecase,
    alignment_to: own.AlignmentTo = None,
    table_to: own.TableTo = None,
    reordering_to: own.ReorderingTo = None,
    lm_to: own.LmTo = None,
    about: About = None,
) -> ModelFile:
    if run.learner is not None:
        raise UsageError("a translator has no learner; choose how its weights are tuned with --tuning")
    chosen = METHODS.named(method)
    chosen.options_class.of({**chosen.preset, **run.settings}, f"The method {method!r}")
    written = training.Written(method, alignment_to, table_to, reordering_to, lm_to)
    written.check()
    written.check_made(alignment=alignment is not None, table=table is not None, lm=lm is not None)
    facts = facts_of(about)
    if reordering is not None:
        training.check_reordering(method)
        if table is None:
            raise ValueError("--reordering needs --table: it has the orientations of its phrases")
    check_given(
        method,
        table=table is not None,
        alignments=alignment is not None,
        trees=trees is not None,
        parser=parser is not None,
        dev=any(file is not None for file in (dev, dev_source, dev_target)),
        dev_trees=dev_trees is not None,
    )
    rules = None if table is None else chosen.model_class.read_table(table, reordering)
    pairs = None
    if table is None or source is not None or target is not None or train is not None:
        pairs = training.training_pairs(source, target, train, format, raw=raw)
        run.progress.note(f"{counted(len(pairs.source), 'sentence pair')}")
    tuned = training.dev_text(dev_source, dev_target, dev, raw=raw)
    if tuned is not None and tuning is not own.Tuning.none:
        run.progress.note(training.tuning_line(tuning.value, len(tuned[0])))
    translator = Translator(
        method,
        options=run.settings or None,
        tuning=tuning.value,
        lm=lm,
        held_out=held_out,
        raw=raw,
        languages=(source_language, target_language),
        casing=casing.value,
        random_state=run.seed,
        n_jobs=run.n_jobs,
    )
    text = (pairs.source, pairs.target) if isinstance(pairs, Pairs) else (pairs, None)
    translator.fit(
        *text,
        dev=tuned,
        alignments=training.given_alignments(alignment, pairs),
        table=rules,
        weights=None if weights is None else read_weights(weights),
        trees=None if trees is None else read_trees(trees),
        parser=parser,
        dev_trees=None if dev_trees is None else read_trees(dev_trees),
        callback=training.stage_notes(run),
        keep=written.keep,
    )
    training.tell_of_training(translator, run)
    return translator.to_model(fingerprint=_fingerprint(pairs), about=facts)


train.help_text = lambda: "\n".join(  # type: ignore[attr-defined]
    [
        "Learn to translate from sentences and their translations.",
        "",
        "Words are aligned, phrases extracted, a language model estimated, and the weights tuned for BLEU on the "
        "dev text. Without one, a part of the training text is put aside for tuning; then the model is made of "
        "all of it. Alignments, phrase tables, language models and weights can also be given, in place of what "
        "would be made. Ctrl-C ends a stage and saves what is finished.",
        *methods_help(METHODS),
    ]
)
train.hidden = ("learner", "help_learner")  # type: ignore[attr-defined]


def predict(
    model: ModelFile,
    run: Run,
    file: asked.TextFile = "-",
    kbest: asked.KBest = None,
    distinct: asked.Distinct = True,
    alignment: asked.Alignment = False,
    graph: asked.Graph = False,
    minimum_risk: asked.MinimumRisk = None,
    probabilities: asked.Probabilities = False,
    glossary: asked.GlossaryFile = None,
    markup: asked.Markup = False,
    inclusive: asked.Inclusive = False,
    forbid: asked.ForbidFile = None,
    forced_to: asked.ForcedFile = None,
    unknown: asked.UnknownWords = None,
    raw: asked.RawText = None,
    draw: asked.Draw = False,
    trees: asked.TreesFile = None,
    settings: asked.SearchSettings = None,
) -> Iterator[bytes]:
    """Translate sentences, one on each line; every line gives a line, and an empty one an empty one.

    The line of a sentence whose terms, tags or forbidden phrases cannot be obeyed is translated without them, and
    named in a warning.
    """
    risk = None if minimum_risk is None else minimum_risk.value
    wanted = Wanted(kbest, distinct, alignment, graph, risk, probabilities, draw)
    translator = _loaded(model, run, unknown, raw, settings, trees)
    reader = _reader(translator, glossary, forbid, markup, inclusive)
    if forced_to is not None:
        if reader.constrains or wanted != Wanted():
            raise ValueError("--forced writes derivations, and can be combined with --jsonl only")
        return forced(translator, file, forced_to, reader, run)
    return predictions(translator, file, reader, wanted, run)


def evaluate(
    model: ModelFile,
    run: Run,
    file: asked.PairsFile = None,
    source: asked.SourceFile = None,
    target: asked.TargetFiles = None,
    metrics: asked.Metrics = "bleu,chrf,ter",
    bootstrap: asked.Resamples = 0,
    minimum_risk: asked.MinimumRisk = None,
    glossary: asked.GlossaryFile = None,
    unknown: asked.UnknownWords = None,
    raw: asked.RawText = None,
    trees: asked.TreesFile = None,
    settings: asked.SearchSettings = None,
) -> dict[str, Any]:
    """Translate sentences and compare with references: BLEU, chrF and TER, by sacrebleu.

    The text is taken as tokenized, unless it is raw. `seconds` is the time of translating.
    """
    translator = _loaded(model, run, unknown, raw, settings, trees)
    rows, references = _references(file, source, target, raw=translator.raw_ is not None)
    if not rows:
        raise ValueError("expected sentences to evaluate on; the file has none")
    reader = _reader(translator, glossary, None, False, False)
    read = [reader.read(line) for line in rows]
    known = [one.known for one in read] if reader.constrains else None
    risk = None if minimum_risk is None else minimum_risk.value
    began = time.perf_counter()
    guess = translator.predict([one.words for one in read], known=known, minimum_risk=risk)
    seconds = time.perf_counter() - began
    scores = score_translations(
        guess,
        references,
        metrics=metrics.split(","),
        raw=translator.raw_ is not None,
        n_resamples=bootstrap,
    )
    report = scores.to_dict()
    return report | {"seconds": seconds, "sentences_per_second": len(rows) / max(seconds, 1e-9)}


def inspect(
    model: ModelFile,
    run: Run,
    phrase: asked.Phrase = None,
    top: asked.Top = 10,
    table_to: asked.TableTo = None,
    reordering_to: asked.ReorderingTo = None,
    lm_to: asked.LmTo = None,
    weights_to: asked.WeightsTo = None,
) -> dict[str, Any]:
    """Show what is in a translator: sizes, weights, and translations of phrases; write its parts to files."""
    translator = Translator.from_model(model)
    found: Any = translator.model_
    training.Written(translator.method, None, table_to, reordering_to, lm_to).check()
    if table_to is not None:
        found.write_table(found.table, table_to, reordering_to)
    if lm_to is not None:
        found.lm.save(lm_to)
    if weights_to is not None:
        write_weights(found.names, found.weights.tolist(), weights_to)
    report: dict[str, Any] = {"method": translator.method, **found.facts(), "scale": translator.scale_}
    if phrase:
        return Answers(report, {"phrases": {one: _translations(translator, one, top) for one in phrase}})
    return report


def explain(
    model: ModelFile,
    run: Run,
    sentence: asked.SentenceText = None,
    file: asked.SentenceFile = None,
    number: asked.SentenceNumber = 1,
    glossary: asked.GlossaryFile = None,
    markup: asked.Markup = False,
    unknown: asked.UnknownWords = None,
    raw: asked.RawText = None,
    trees: asked.TreesFile = None,
    settings: asked.SearchSettings = None,
    svg: asked.Svg = None,
    ascii: asked.Ascii = False,
) -> TranslationExplanation:
    """Explain a translation: its phrases, the share of each feature, and why it is not the next different one.

    The shares of the difference sum to the margin between the two.
    """
    sentence, file = text_or_file(sentence, file, "a sentence", run)
    translator = _loaded(model, run, unknown, raw, settings, trees)
    if file is not None or sentence == "-":
        file = file or "-"
        rows = sentence_rows(file)
        if number > len(rows):
            raise ValueError(
                f"{display_name(file)} has {counted(len(rows), 'line')}; there is no line {number}"
            )
        sentence = str(rows[number - 1])
    words, known = _reader(translator, glossary, None, markup, False).read(
        sentence or "", path=file, number=number
    )
    found = translator.explain(words, known=known)
    if svg is not None:
        with write_atomically(svg) as image:
            image.write(found.svg().encode())
    shown = found.fitting(shutil.get_terminal_size((160, 25)).columns)
    return shown.plain() if ascii or not shows("┌─┴─┐") else shown


def _loaded(
    model: ModelFile,
    run: Run,
    unknown: asked.Unknown | None,
    raw: bool | None,
    settings: list[str] | None,
    trees: str | None,
) -> Translator:
    translator: Translator = restored(Translator, model, n_jobs=run.n_jobs)
    if raw and translator.raw_ is None:
        raise ValueError(
            "this model was trained on tokenized text: train one with --raw, or tokenize the input"
        )
    if raw is False:
        translator.raw_ = None
    changed = parse_settings(settings) | ({} if unknown is None else {"unknown": unknown.value})
    if changed:
        translator = translator.with_options(**changed)
    found: Any = translator.model_
    if hasattr(found, "telling"):
        translator.model_ = found.telling(run.progress.warn)
    if trees is None:
        return translator
    return translator.with_trees(tree for tree in read_trees(trees) if tree is not None)


def _reader(
    translator: Translator, glossary: str | None, forbid: str | None, markup: bool, inclusive: bool
) -> LineReader:
    raw = translator.raw_
    cuts = {} if raw is None else {"source": raw.source.plain, "target": raw.target.plain}
    terms = None if glossary is None else Glossary.read(glossary, exclusive=not inclusive, **cuts)
    phrases = () if forbid is None else read_phrases(forbid, *([] if raw is None else [raw.target.plain]))
    return LineReader(raw, terms, phrases, markup, not inclusive)


def _references(
    file: str | None, source: str | None, target: list[str] | None, *, raw: bool
) -> tuple[list[str], list[list[str]]]:
    """The lines to translate, and lists of their references."""
    if file is not None:
        if source is not None or target:
            raise ValueError("give either --source and --target or one file, not both")
        pairs = training.raw_pairs(file, None) if raw else pair_rows(file)
        rows = [[_line(one) for one in side] for side in pairs]
        return rows[0], [rows[1]]
    dev = training.dev_text(source, target, None, raw=raw)
    if dev is None:
        raise ValueError(
            "give --source and --target, or one file with a sentence and its reference on each line"
        )
    return [_line(one) for one in dev[0]], [[_line(one) for one in rows] for rows in dev[1:]]


def _line(sentence: Any) -> str:
    return sentence if isinstance(sentence, str) else " ".join(sentence)


def _translations(translator: Translator, phrase: str, top: int) -> Any:
    """The translations of a phrase and their scores by column; an empty mapping where there are none."""
    model: Any = translator.model_
    raw, table = translator.raw_, model.table
    found = model.lookup(phrase if raw is None else raw.source.plain(phrase), top)
    return Table({one: dict(zip(table.columns, scores)) for one, scores in found.items()}) if found else {}


def _fingerprint(pairs: ParallelText | Pairs | None) -> str:
    if pairs is None:
        return ""
    if isinstance(pairs, Pairs):
        return fingerprint(*("\n".join(map(_line, side)).encode() for side in pairs))
    parts = []
    for side in (pairs.source, pairs.target):
        parts += [
            "\n".join(side.strings).encode("utf-8", "surrogatepass"),
            side.ids.tobytes(),
            side.offsets.tobytes(),
        ]
    return fingerprint(*parts)
