"""The files that the guides name, made of the data in examples/, and the models that they take for granted."""

from __future__ import annotations

import gzip
import runpy
import shutil
from pathlib import Path

from palmette import Tree
from palmette.formats import Candidates, read_brackets, read_conllu, write_nbest

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"

PARSED = ("parsing/train.conllu", "parsing/test.conllu")
# By the name of a page: which files have the sentences, trees, texts and pairs of its own subject.
FILES: dict[str, dict[str, str]] = {
    "": {
        "train.conllu": PARSED[0],
        **dict.fromkeys(
            ("dev.conllu", "test.conllu", "gold.conllu", "guess.conllu", "few.conllu", "more.conllu"),
            PARSED[1],
        ),
        **dict.fromkeys(("input.conllu", "tagged.conllu", "words.conllu", "treebank.conllu"), PARSED[1]),
        "train.mrg": "constituency/train.mrg",
        "trees.mrg": "constituency/train.mrg",
        **dict.fromkeys(("test.mrg", "dev.mrg", "wsj.mrg", "partial.mrg"), "constituency/test.mrg"),
        **dict.fromkeys(("text.txt", "test.txt", "2023.txt", "2024.txt"), "language_models/text.txt"),
        "test.tsv": "alignment/pairs.tsv",
        "pairs.tsv": "alignment/pairs.tsv",
        "planets.tsv": "semantics/planets.tsv",
        "toy.cfg": "grammars/time_flies.cfg",
    },
    "deduction": {"cky.rules": "deduction/cky.rules", "time_flies.tsv": "deduction/time_flies.tsv"},
    "inference-rules": {name: f"rules/{name}" for name in ("news.conllu", "news.txt", "pairs.tsv")},
    "morphology": {name: f"morphology/{name}" for name in ("train.conllu", "test.conllu", "words.tsv")},
    "pipelines": {
        **{name: f"pipelines/{name}" for name in ("train.conllu", "dev.conllu", "test.conllu")},
        "words.tsv": "morphology/words.tsv",
    },
    "tokens": {name: f"pipelines/{name}" for name in ("train.conllu", "dev.conllu", "test.conllu")},
    "semantics": {
        name: f"semantics/{name}"
        for name in ("planets.tsv", "questions_en_train.tsv", "questions_en_test.tsv")
    },
    "senses": {name: f"senses/{name}" for name in ("train.tsv", "test.tsv", "inventory.tsv")},
    "sentiment": {name: f"sentiment/{name}" for name in ("train.tsv", "test.tsv", "sentences.tsv")},
    "thesaurus": {name: f"thesaurus/{name}" for name in ("farm.conllu", "farm.txt", "pairs.tsv")},
}
LINES = "time flies like an arrow\nthe dog sleeps\nshe saw the dog\n"
SPANS = "Paris NNP B-LOC\nis VBZ O\nold JJ O\n\nMr NNP O\nSmith NNP B-PER\nleft VBD O\nRome NNP B-LOC\n\n"
ROWS = "join\tboard\tas\tdirector\tV\nis\tchairman\tof\tN.V.\tN\nbring\tattention\tto\tproblem\tV\n" * 4
REVIEWS = (
    "pos\ta lovely clear book\nneg\ta dull long book\npos\tclear and lovely prose\nneg\tdull prose\n" * 3
)


def write_files(folder: Path, page: str = "") -> None:
    """Write what the guides name into a folder; page: the name of a guide that has files of its own."""
    for name, source in {**FILES[""], **FILES.get(page, {})}.items():
        shutil.copy(EXAMPLES / source, folder / name)
    (folder / "train.conllu.gz").write_bytes(gzip.compress((folder / "train.conllu").read_bytes()))
    for name in ("lines.txt", "notes.txt", "sentences.txt", "log"):
        (folder / name).write_text(LINES)
    (folder / "big.txt.gz").write_bytes(gzip.compress(LINES.encode()))
    (folder / "chunks.txt").write_text(SPANS)
    _write_pairs(folder)
    for name in ("train.nbest.gz", "dev.nbest", "test.nbest"):
        write_nbest(lists(), folder / name)
    if page in WRITERS:
        WRITERS[page](folder)


def _write_pairs(folder: Path) -> None:
    """Sentences and their translations, under the names of several languages."""
    aligned = [line.split("\t") for line in (EXAMPLES / "alignment/pairs.tsv").read_text().splitlines()]
    for place, side in enumerate(("en", "de")):
        text = "".join(f"{pair[place]}\n" for pair in aligned)
        for name in ("train", "test"):
            (folder / f"{name}.{side}").write_text(text)
        (folder / f"new.{side}").write_text(aligned[0][place] + "\n")
    (folder / "test.align").write_text("0-0\n" * len(aligned))
    for name in ("train", "dev"):
        pairs = [line.split("\t") for line in (EXAMPLES / f"translation/{name}.tsv").read_text().splitlines()]
        for place, side in enumerate(("source", "target")):
            (folder / f"{name}.{side}").write_text("".join(f"{pair[place]}\n" for pair in pairs[:200]))


def lists() -> list[Candidates]:
    """The right tree of each sentence among others of its words."""

    def other(tree: Tree) -> Tree:
        return Tree("S", [Tree("X", [leaf]) for leaf in tree.leaves])

    trees = list(read_brackets(EXAMPLES / "constituency/train.mrg"))[:10]
    return [Candidates([tree, other(tree)], [-1.5, -1.0], tree) for tree in trees]


def _translations(folder: Path, source: str, target: str) -> None:
    for name, n in (("train", 200), ("dev", 30), ("test", 20)):
        lines = (EXAMPLES / f"translation/{name}.tsv").read_text().splitlines()[:n]
        for place, side in enumerate((source, target)):
            (folder / f"{name}.{side}").write_text(
                "".join(f"{line.split(chr(9))[place]}\n" for line in lines)
            )
    for side in (source, target):
        first = (folder / f"test.{side}").read_text().split("\n")[:2]
        (folder / f"new.{side}").write_text("\n".join(first) + "\n")


def _translation(folder: Path) -> None:
    _translations(folder, "de", "en")
    (folder / "terms.tsv").write_text("Hund\tdog\n")
    (folder / "never.txt").write_text("beautiful\n")


def _tuning(folder: Path) -> None:
    _translation(folder)
    for name in ("ref0.en", "ref1.en", "output.en", "other.en"):
        shutil.copy(folder / "test.en", folder / name)


def _synchronous(folder: Path) -> None:
    pairs = [
        f"{de}\t{en}\n"
        for de, en in zip(
            (EXAMPLES / "translation/verbs.de").read_text().splitlines(),
            (EXAMPLES / "translation/verbs.en").read_text().splitlines(),
        )
    ][:60]
    (folder / "pairs.tsv").write_text("".join(pairs))
    shutil.copy(EXAMPLES / "translation/verbs.mrg", folder / "trees.mrg")
    for name in ("train", "dev"):
        for side in ("de", "ja"):
            (folder / f"{name}.{side}").write_text("".join(pair.split("\t")[0] + "\n" for pair in pairs))
        (folder / f"{name}.en").write_text("".join(pair.split("\t")[1] for pair in pairs))
    for side, place in (("ja", 0), ("en", 1)):
        (folder / f"new.{side}").write_text(pairs[0].strip().split("\t")[place] + "\n")


def _classification(folder: Path) -> None:
    questions = runpy.run_path(str(EXAMPLES / "classification/questions.py"))["TRAIN"]
    rows = [line.split("\t") for line in questions.splitlines()]
    texts = [f"{label}\t-\t{' '.join(Tree.parse(tree).words)}\n" for label, tree in rows]
    (folder / "questions.tsv").write_text("".join(texts))
    (folder / "test.tsv").write_text("".join(texts[:6]))
    (folder / "new.tsv").write_text("".join(text.split("\t")[2] for text in texts[:3]))
    (folder / "reviews.tsv").write_text(REVIEWS)
    (folder / "pp.tsv").write_text(ROWS)


def _tagging(folder: Path) -> None:
    for name in ("esp.train", "esp.testa", "esp.testb"):
        (folder / name).write_text(SPANS * 5)
    (folder / "text.txt").write_text(
        "".join(f"{' '.join(one['form'])}\n" for one in read_conllu(EXAMPLES / "tagging/train.conllu"))
    )


def _grammars(folder: Path) -> None:
    (folder / "sentences.txt").write_text("time flies like an arrow\n" * 3)


def _constituency(folder: Path) -> None:
    trees = (folder / "partial.mrg").read_text().split("\n")[:3]
    (folder / "partial.mrg").write_text("\n".join(trees) + "\n")


def _pictures(folder: Path) -> None:
    (folder / "names.txt").write_text(SPANS)
    pairs = (folder / "pairs.tsv").read_text().splitlines()
    (folder / "pairs.align").write_text("0-0\n" * len(pairs))


def _scale(folder: Path) -> None:
    (folder / "texts").mkdir()
    (folder / "texts" / "a.conllu").write_bytes((folder / "dev.conllu").read_bytes())
    for side in ("en", "de"):
        shutil.copy(folder / f"train.{side}", folder / f"text.{side}")


def _formats(folder: Path) -> None:
    from palmette.formats import write_export

    write_export(read_brackets(folder / "train.mrg"), folder / "tiger.export")
    (folder / "tiger.export.gz").write_bytes(gzip.compress((folder / "tiger.export").read_bytes()))


WRITERS = {
    "translation": _translation,
    "tuning": _tuning,
    "synchronous-grammars": _synchronous,
    "classification": _classification,
    "tagging": _tagging,
    "README": _tagging,
    "formats": _formats,
    "grammars": _grammars,
    "constituency": _constituency,
    "pictures": _pictures,
    "scale": _scale,
}
# Commands for models and files that a page takes for granted.
BEFORE: dict[str, list[str]] = {
    "classification": ["palmette train parse --train train.mrg --method pcfg -o en-parse.palm"],
    "constituency": [
        "palmette train parse --train train.mrg --method lexicalized -o lexicalized.palm",
        "palmette train parse --train train.mrg --method latent --set rounds=1 -o latent.palm",
    ],
    "pictures": ["palmette train tag --train train.conllu -o en.palm"],
    "tuning": [
        "palmette train translate --source train.de --target train.en --tuning none -o de-en.palm",
        "palmette predict de-en.palm dev.de --kbest 5 > dev.nbest",
    ],
}
