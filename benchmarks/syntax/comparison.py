"""Translation with trees beside that by phrases and by hierarchical rules, by a paired bootstrap on test2016.

A `crf` parser of the Penn Treebank sample in lower case makes trees of the English side: target trees for de→en
(string-to-tree), source trees for en→de (tree-to-string). All systems are tuned on the dev text for a few rounds
only, so that the whole takes some minutes; `rules` and `translation` measure those that are tuned in full.
"""

from __future__ import annotations

import gzip
import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from benchmarks.data import corpus
from benchmarks.measuring.row import Row
from benchmarks.peers.process import Measured, Work, measure
from benchmarks.translation import multi30k
from palmette.evaluation.translations import evaluate_translations
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.translation.translator import Translator

ROUNDS, QUICK_PAIRS, POPS, FASTER = 3, 2000, 100, 3.0
_WORD = re.compile(r" ([^\s()]+)\)")


def rows(quick: bool = False) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parser = str(folder / "parser.palm")
        made = measure(train_parser, parser, int(quick), python=sys.executable)
        yield Row(
            "train a parser of English in lower case",
            made.cpu_seconds,
            amount=made.quality["trees"],
            unit="trees",
        )
        yield from direction_rows(folder, parser, ("de", "en"), "string-to-tree", quick)
        yield from direction_rows(folder, parser, ("en", "de"), "tree-to-string", quick)


def train_parser(model: str, quick: int) -> Work:
    """Train on trees whose words are in lower case, as those of the text are."""
    (path,) = corpus("const_en_ptb/train.mrg.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = list(islice(file, 300 if quick else None))
    lowered = Path(model).with_suffix(".mrg")
    lowered.write_text(
        "".join(_WORD.sub(lambda word: word[0].lower(), line) for line in lines), encoding="utf-8"
    )

    def judge(made: ConstituencyParser) -> dict[str, float]:
        made.save(model)
        return {"trees": len(lines)}

    return Work(lambda: ConstituencyParser("crf", n_jobs=1).fit(lowered), judge)


def train_method(
    method: str,
    parser: str,
    source: str,
    target: str,
    dev_source: str,
    dev_target: str,
    model: str,
    quick: int,
) -> Work:
    """The whole pipeline on one thread, with few rounds of tuning."""
    n = QUICK_PAIRS if quick else None
    sides = [Path(path).read_text(encoding="utf-8").splitlines()[:n] for path in (source, target)]
    given = {"parser": parser} if "tree" in method else {}

    def run() -> Translator:
        options = {"tuning_rounds": 1 if quick else ROUNDS}
        made = Translator(method, options=options, n_jobs=1)
        return made.fit(*sides, dev=(dev_source, dev_target), **given)

    def judge(made: Translator) -> dict[str, float]:
        made.save(model)
        return {"dev": made.training_["tuned"]["dev"]}

    return Work(run, judge)


def decode_method(model: str, parser: str, text: str, output: str) -> Work:
    """Translate the lines of a file, with trees that are made before where the method translates trees."""
    translator = Translator.load(model, n_jobs=1)
    lines = Path(text).read_text(encoding="utf-8").splitlines()
    if translator.method != "phrase":
        translator = translator.with_options(pop_limit=POPS)
    if translator.method == "tree-to-string":
        found = ConstituencyParser.load(parser).predict([line.split() for line in lines])
        translator = translator.with_trees(tree for tree in found if tree is not None)
    translator.predict(lines[:20])

    def judge(made: list[str]) -> dict[str, float]:
        Path(output).write_text("".join(f"{line}\n" for line in made), encoding="utf-8")
        return {"sentences": len(made)}

    return Work(lambda: translator.predict(lines), judge)


def direction_rows(
    folder: Path, parser: str, languages: tuple[str, str], method: str, quick: bool
) -> Iterator[Row]:
    """Train and translate with phrases, hierarchical rules, and trees; compare the last with the others."""
    source, target = (multi30k(folder, language) for language in languages)
    texts = source[0], target[0], source[1], target[1]
    decoded: dict[str, Measured] = {}
    outputs: dict[str, list[str]] = {}
    references = _lines(target[2])
    for name in ("phrase", "hiero", method):
        model, output = str(folder / f"{name}.palm"), str(folder / f"{name}.txt")
        made = measure(train_method, name, parser, *texts, model, int(quick), python=sys.executable)
        decoded[name] = measure(decode_method, model, parser, source[2], output, python=sys.executable)
        outputs[name] = _lines(output)
        bleu = evaluate_translations(outputs[name], references, metrics=["bleu"], tokenize="none").bleu
        yield Row(
            f"train Multi30k {'→'.join(languages)}, {name}, "
            f"{f'{QUICK_PAIRS:,} pairs, 1 round' if quick else f'{ROUNDS} rounds'} of tuning",
            made.cpu_seconds,
            quality=f"BLEU {100 * bleu:.2f} (dev {100 * made.quality['dev']:.2f})",
        )
    rivals = {name: outputs[name] for name in ("phrase", "hiero")}
    scores = evaluate_translations(
        outputs[method], references, metrics=["bleu"], tokenize="none", against=rivals
    )
    pairs = ", ".join(f"{name} p = {scores.against[name]['bleu'].p_value:.3f}" for name in rivals)
    yield Row(
        f"translate test2016 {'→'.join(languages)}, {method} / hiero, pop limit {POPS}, parsing not counted",
        decoded[method].cpu_seconds,
        decoded["hiero"].cpu_seconds,
        len(references),
        "sentences",
        FASTER if method == "tree-to-string" else None,
        quality=f"paired bootstrap against {pairs}",
    )


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").split("\n")[:-1]
