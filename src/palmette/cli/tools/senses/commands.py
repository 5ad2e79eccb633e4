"""`palmette train senses`, and what the other commands do with a sense tagger: which sense of a word is meant."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from palmette.cli.commands import helped
from palmette.cli.held_out import HeldOut
from palmette.cli.report import Table, json_line
from palmette.cli.run import Run, restored
from palmette.cli.tools.senses import options as own
from palmette.cli.tools.sequence.options import About, Top
from palmette.cli.tools.training import (
    chosen_learner,
    facts_of,
    learners_help,
    methods_help,
    pass_notes,
)
from palmette.errors import UsageError
from palmette.formats.files import read_text
from palmette.formats.model import ModelFile, fingerprint
from palmette.learning.registry import read_settings
from palmette.messages import counted
from palmette.tools.explanation import Explanation
from palmette.tools.ranked import Ranked
from palmette.tools.senses.corpus import SenseSentence, Tagged, Token, chunks, read_tagged, sentences_of
from palmette.tools.senses.decision_list import read_seeds
from palmette.tools.senses.inventory import Inventory, read_inventory
from palmette.tools.senses.links import read_links, read_mapping
from palmette.tools.senses.methods import METHODS
from palmette.tools.senses.sense_tagger import SenseTagger
from palmette.tools.senses.wordnet import WordNet

_AT_ONCE = 500  # sentences
HELD_OUT = HeldOut(("f1", "precision", "recall"), same=("wordnet",))

EXAMPLES = {
    "train": [
        "palmette train senses --train semcor.tsv --wordnet /usr/share/wordnet --tagger en -o senses.palm",
        "palmette train senses --method lesk --wordnet /usr/share/wordnet -o lesk.palm",
        "palmette train senses --method bootstrap --unlabelled text.tsv --inventory senses.tsv --seeds seeds.tsv "
        "-o lists.palm",
    ],
    "predict": [
        "palmette predict senses.palm text.tsv",
        "echo 'She sat on the bank.' | palmette predict senses.palm --kbest 3",
    ],
    "evaluate": ["palmette evaluate senses.palm test.tsv --json"],
    "inspect": ["palmette inspect senses.palm"],
    "explain": ['palmette explain senses.palm "the/DET river/NOUN bank/NOUN"'],
}


def _train_help() -> str:
    text = """Train a sense tagger: which sense of a word is meant.

    Senses come from WordNet (--wordnet), from a file (--inventory), or from the training text."""
    return "\n".join([learners_help(text, SenseTagger().offers), *methods_help(METHODS)])


@helped(_train_help)
def train(
    run: Run,
    train: own.TrainFile = None,
    method: own.Method = "supervised",
    dev: own.DevFile = None,
    wordnet: own.WordNetFolder = None,
    inventory: own.InventoryFile = None,
    tagger: own.TaggerModel = None,
    seeds: own.SeedFile = None,
    unlabelled: own.UnlabelledFile = None,
    links: own.LinkMapping = None,
    about: About = None,
) -> ModelFile:
    facts = facts_of(about)
    entry = METHODS.named(method)
    _check(
        method, train=train, dev=dev, wordnet=wordnet, inventory=inventory, seeds=seeds, unlabelled=unlabelled
    )
    known = entry.options_class.names()
    settings = {key: value for key, value in run.settings.items() if key in known}
    made = SenseTagger(method, tagger=tagger, options=read_settings(entry.options_class, method, settings))
    if entry.learners:
        made.learner = chosen_learner(method, entry.usual_learners, known, run)
        made.check_learner()
    else:
        rest = [key for key in run.settings if key not in known]
        if run.learner or rest:
            raise UsageError(f"--method {method} has no learner, so {run.learner or rest[0]!r} has no use")
    made.inventory = _inventory(wordnet, inventory)
    made.seeds = None if seeds is None else read_seeds(seeds)
    if links is not None and train is None:
        raise UsageError("--links says what the links of a training text mean: give the text with --train")
    given = Tagged([], [])
    if train is not None:
        given = read_tagged(train) if links is None else read_links(train, read_mapping(links))
    if unlabelled is not None:
        more = read_tagged(unlabelled)
        given.sentences.extend(more.sentences)
        given.senses.extend([() for _ in row] for row in more.senses)
    run.progress.note(f"{counted(len(given.sentences), 'sentence')}")
    held_out = None if dev is None else read_tagged(dev)
    made.fit(
        given.sentences,
        given.senses,
        dev=None if held_out is None else (held_out.sentences, held_out.senses),
        callback=pass_notes(run),
    )
    absent = made.training_["not_in_inventory"]
    if absent:
        run.progress.warn(f"{counted(absent, 'sense')} of the training text are not in the inventory")
    files = [file for file in (train, unlabelled, seeds) if file is not None]
    return made.to_model(fingerprint=fingerprint(*(read_text(file).encode() for file in files)), about=facts)


def _check(method: str, **given: str | None) -> None:
    if given["wordnet"] is not None and given["inventory"] is not None:
        raise UsageError("--wordnet and --inventory: expected one inventory, got two")
    if given["train"] is None and method not in ("first", "lesk", "bootstrap"):
        raise UsageError(f"--method {method} needs sentences with senses: --train FILE")
    if (
        method in ("first", "lesk")
        and given["train"] is None
        and not (given["wordnet"] or given["inventory"])
    ):
        raise UsageError(f"--method {method} needs an inventory: --wordnet FOLDER or --inventory FILE")
    if method == "bootstrap" and given["train"] is None and given["unlabelled"] is None:
        raise UsageError("--method bootstrap needs sentences: --unlabelled FILE")
    if given["seeds"] is not None and method != "bootstrap":
        raise UsageError(f"--seeds is for --method bootstrap, not for {method}")
    if given["unlabelled"] is not None and method not in ("bootstrap", "self-training", "co-training"):
        raise UsageError(f"--unlabelled is for bootstrap, self-training and co-training, not for {method}")
    if given["dev"] is not None and not METHODS[method].dev:
        raise UsageError(f"--dev is for methods with rounds, and {method} has none")


def _inventory(wordnet: str | None, file: str | None) -> Inventory | None:
    return WordNet(wordnet) if wordnet is not None else None if file is None else read_inventory(file)


def predict(
    model: ModelFile,
    run: Run,
    source: own.Sentences = "-",
    wordnet: own.WordNetFolder = None,
    kbest: own.KBest = 1,
    language: own.Language = "en",
) -> Iterator[bytes]:
    """Predict the senses of words; write form, lemma, part of speech and sense, _ for none.

    Text without tabs is cut into sentences and words; the tagger of the model finds their parts of speech.
    """
    tagger = _loaded(model, wordnet)
    options = tagger.model_.model.options
    size = 1 if run.reading.line_buffered else _AT_ONCE
    given = sentences_of(source, run.reading, language)
    write = _object if run.jsonl else _lines
    number = 0
    for chunk in chunks(given, size=size, window=options.window, whole=options.discourse):
        found = tagger.kbest(chunk.sentences, kbest)
        if not number and tagger.model_.tagger is None:
            _warn_of_text(run, chunk.sentences, found)
        for i in range(chunk.first, chunk.last):
            number += 1
            yield write(number, chunk.sentences[i], found[i], kbest)


def _warn_of_text(
    run: Run, sentences: Sequence[SenseSentence], found: Sequence[Sequence[Ranked[Any]]]
) -> None:
    tagged = any(token.pos for sentence in sentences for token in sentence.tokens)
    if not tagged and not any(any(one[0].output) for one in found):
        run.progress.warn(
            "no word has a part of speech or a sense: give lines of form, lemma and part of speech, or train the "
            "model with --tagger"
        )


def _object(number: int, sentence: SenseSentence, found: Sequence[Ranked[Any]], k: int) -> bytes:
    senses = found[0].output
    words = [{"form": token.form, "sense": sense} for token, sense in zip(sentence.tokens, senses)]
    more = {"kbest": [{"score": one.score, "senses": one.output} for one in found]} if k > 1 else {}
    return json_line({"number": number, "document": sentence.document, "words": words, **more})


def _lines(number: int, sentence: SenseSentence, found: Sequence[Ranked[Any]], k: int) -> bytes:
    made = []
    for rank, one in enumerate(found, 1):
        head = f"# doc={sentence.document}\n" if sentence.document else ""
        head += f"# kbest = {rank}\n# score = {one.score:.6g}\n" if k > 1 else ""
        rows = [
            "\t".join([token.form, token.lemma or "_", token.pos or "_", sense or "_"])
            for token, sense in zip(sentence.tokens, one.output)
        ]
        made.append(head + "".join(f"{row}\n" for row in rows) + "\n")
    return "".join(made).encode()


def evaluate(
    model: ModelFile, run: Run, source: own.GoldFile, wordnet: own.WordNetFolder = None
) -> dict[str, Any]:
    """Compare senses with gold senses: precision, recall and F1 of the words that have some.

    `first_sense`, `random` and `upper_bound` are what the first sense, a random one and the best possible choice
    would reach. `seconds` is the time of predicting.
    """
    tagger = _loaded(model, wordnet)
    given = read_tagged(source)
    began = time.perf_counter()
    guess = tagger.predict(given.sentences)
    seconds = time.perf_counter() - began
    scores = tagger.evaluate(given.sentences, given.senses, predicted=guess)
    if not scores.instances:
        raise ValueError("cannot compare senses: no word of the file has one")
    interval = scores.interval()
    return {
        **scores.to_dict(),
        "recall_interval": [interval.low, interval.high],
        "seconds": seconds,
        "parts_of_speech": Table(scores.by_part_of_speech()),
    }


def inspect(model: ModelFile, run: Run, wordnet: own.WordNetFolder = None) -> dict[str, Any]:
    """Show what is in a sense tagger: method, inventory, and the first lines of decision lists."""
    tagger = _loaded(model, wordnet)
    inside = tagger.model_
    return {
        "method": inside.method,
        "inventory": repr(inside.inventory) if isinstance(inside.inventory, WordNet) else "in the model",
        "tagger": inside.tagger is not None,
        "options": inside.model.options.to_dict(),
        **inside.model.facts(),
        "training": {name: value for name, value in tagger.training_.items() if value is not None},
    }


def explain(
    model: ModelFile, run: Run, sentence: own.Sentence, wordnet: own.WordNetFolder = None, top: Top = 5
) -> Explanation:
    """Explain the senses of the words of a sentence: each against the runner-up, with what decided."""
    tokens = []
    for word in sentence.split():
        form, slash, pos = word.rpartition("/")
        tokens.append(Token(form, "", pos) if slash and form else Token(word))
    found = _loaded(model, wordnet).explain(tokens).of(top=top)
    if not found.decisions:
        raise ValueError(
            "no word of the sentence is in the inventory; write parts of speech, as in bank/NOUN"
        )
    return found


def _loaded(model: ModelFile, wordnet: str | None) -> SenseTagger:
    if wordnet is not None:
        return SenseTagger.from_model(model, inventory=WordNet(wordnet))
    tagger: SenseTagger = restored(SenseTagger, model)
    return tagger
