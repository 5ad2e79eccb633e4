"""Run every verb of every tool on the data of the examples: `python tools/every-verb.py EXAMPLES`.

`make test-clean` runs this in an environment that has the declared dependencies and nothing else. It imports every
module, runs every command below, and fails where one fails or where a tool has a verb that no command runs.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import json
import os
import pkgutil
import re
import runpy
import shlex
import subprocess
import sys
import tempfile
import urllib.request
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import palmette
from palmette.cli import main
from palmette.tools.registry import tools

VERBS = ("train", "predict", "evaluate", "inspect", "explain", "select")
NEEDS_EXTRA = {
    "palmette.compat.sklearn_crfsuite.scorers": "pip install 'palmette[sklearn]'",
    "palmette.compat.torchcrf": "pip install 'palmette[neural]'",
    "palmette.neural": "pip install 'palmette[neural]'",
    "palmette.serve": "pip install 'palmette[serve]'",
}

# What is run: of every tool its training, and the other verbs with the model that it made, M.
TOOLS = {
    "tag": [
        "train tag --train {conllu} -o M",
        "train tag --train {conllu} -o M --cluster local:2 --checkpoint-every 0",
        "predict M {conllu_test} --probabilities",
        "evaluate M {conllu_test} --json",
        "select M {text} --n 2",
        "inspect M",
        "explain M 'The dog sleeps .'",
    ],
    "history": [  # with a model of `write_untrained`
        "predict M {text}",
        "predict M {conllu_test} --width 1",
        "evaluate M {conllu_test} --json",
        "inspect M",
    ],
    "induce": [
        "train induce --train {text} --states 3 -o M",
        "predict M {text}",
        "evaluate M {conllu_test}",
        "select M {text} --n 2",
        "inspect M",
        "explain M 'the dog sleeps'",
    ],
    "morphology": [
        "train morphology --train {words} --lexicon {lexicon} --constrain -o M",
        "predict M {text} --probabilities",
        "predict M {words_test} --keep upos",
        "predict M {words_test} --kbest 2",
        "evaluate M {words_test} --json",
        "select M {text} --n 2",
        "inspect M",
        "explain M 'These geese see the koi.' --token 2",
    ],
    "lemmas": [
        "train lemmas --train {words} --dev {words_test} --dictionary {lexicon} -o M",
        "predict M {words_test} --probabilities",
        "predict M {words_test} --kbest 2",
        "evaluate M {words_test} --json",
        "select M {words_test} --n 2",
        "inspect M",
        "explain M --file {words_test} --token 2",
    ],
    "spans": [
        "train spans --train spans.txt -o M",
        "predict M spans.txt --format columns",
        "evaluate M spans.txt --json",
        "select M {text} --n 2",
        "inspect M",
        "explain M --file spans.txt --token 1",
    ],
    "tokens": [
        "train tokens --train {conllu} --dev {conllu_test} -o M",
        "predict M {text}",
        "predict M {text} --newlines space --no-words --to lines",
        "predict M {text} --presegmented --pretokenized",
        "evaluate M {conllu_test} --json",
        "inspect M",
        "explain M 'Anna sleeps. Ben goes!'",
    ],
    "depparse": [
        "train depparse --train {conllu} --method transition -o M",
        "predict M {conllu_test}",
        "train depparse --train {conllu} --with-tags -o M",
        "predict M {conllu_test} --probabilities",
        "predict M {text}",
        "evaluate M {conllu_test} --json",
        "select M {text} --n 2",
        "inspect M",
        "explain M --file {conllu_test} --token 2",
    ],
    "pipeline": [
        "train pipeline --train {conllu} --dev {conllu_test} --entities spans.txt --jackknife 2 -o M",
        "predict M {text}",
        "predict M {text} --to json",
        "predict M {text} --to columns",
        "predict M {conllu_test} --from conllu --keep upos --probabilities",
        "train pipeline --train {conllu} --start M --only parser --without entities -o N",
        "evaluate M {conllu_test} --json",
        "evaluate M {conllu_test} --gold-tokens",
        "select M {text} --n 2 --annotated {conllu}",
        "inspect M",
        "explain M 'The dog sleeps.' --token 2",
    ],
    "parse": [
        *(
            f"train parse --train {{trees}} --method {method} -o M"
            for method in ("pcfg", "latent", "mira", "plcfrs")
        ),
        "train parse --train {trees} --method lexicalized -o M",
        "predict M lines.txt --format tokens --kbest 3 -o lists.nbest",
        "predict M lines.txt --format tokens --draw",
        "evaluate M {trees_test} --json",
        "select M lines.txt --format tokens --n 1",
        "inspect M",
        "explain M 'the dog sleeps'",
    ],
    "classify": [
        *(
            line
            for learner in ("crf", "kernel-svm", "kernel-perceptron", "knn")
            for line in (
                f"train classify --train rows.tsv --columns label,word,word --learner {learner} -o M",
                "predict M rows.tsv",
                "explain M --file rows.tsv",
            )
        ),
        "train classify --train questions.tsv --columns label,tree -o M",
        "predict M questions.tsv",
        "train classify --train texts.tsv -o M",
        "predict M texts.tsv --probabilities",
        "evaluate M texts.tsv --json",
        "select M texts.tsv --n 2 --strategy diverse",
        "inspect M",
        "explain M 'Who wrote Hamlet'",
    ],
    "lm": [
        "train lm --train {text} --order 3 -o M",
        "predict M {text}",
        "predict M --arpa -o model.arpa.gz",
        "evaluate M {text} --json",
        "inspect M",
        "explain M 'the dog sleeps'",
    ],
    "align": [
        "train align --train {pairs} -o M",
        "predict M {pairs} -o pairs.align",
        "evaluate M {pairs} --gold pairs.align --json",
        "select M {pairs} --n 2",
        "inspect M",
        "explain M 'the house' 'das Haus'",
    ],
    "translate": [
        "train translate --train {translations} --dev {translations_dev} --set tuning_rounds=2 -o M",
        "predict M lines.txt --probabilities",
        "predict M lines.txt --kbest 2 --alignment",
        "evaluate M {translations_dev} --metrics bleu --json",
        "inspect M --phrase 'das Kind'",
        "explain M 'das Kind sieht den Garten .'",
        "train translate --method hiero --train {translations} --dev {translations_dev} --set restarts=1 -o M",
        "predict M lines.txt --probabilities",
        "predict M lines.txt --minimum-risk graph --set pop_limit=30",
        "inspect M --phrase 'das Kind' --table-to rules.gz",
        "explain M 'das Kind sieht den Garten .'",
        "train translate --method hiero --table rules.gz --train {translations} --tuning none -o M",
        "evaluate M {translations_dev} --metrics bleu --json",
        "train translate --method string-to-tree --source {verbs}.de --target {verbs}.en --trees {verbs}.mrg "
        "--tuning none --set order=2 --table-to to-trees.gz -o M",
        "predict M {verbs}.de --probabilities",
        "evaluate M --source {verbs}.de --target {verbs}.en --metrics bleu --json",
        "inspect M --phrase 'das Kind'",
        "explain M 'das Kind wird das Haus sehen' --svg to-tree.svg",
        "train translate --method string-to-tree --table to-trees.gz --source {verbs}.de --target {verbs}.en "
        "--tuning none --set order=2 -o M",
        "predict M {verbs}.de --minimum-risk graph --set pop_limit=30",
        "train translate --method tree-to-string --source {verbs}.en --target {verbs}.de --trees {verbs}.mrg "
        "--set order=2 --set tuning_rounds=2 -o M",
        "predict M {verbs}.en --trees {verbs}.mrg --probabilities",
        "train parse --train {verbs}.mrg -o parser.palm",
        "train translate --method tree-to-string --source {verbs}.en --target {verbs}.de --parser parser.palm "
        "--tuning none --set order=2 --table-to of-trees.gz -o M",
        "predict M {verbs}.en --set forest=3 --kbest 2 --alignment",
        "evaluate M --source {verbs}.en --target {verbs}.de --metrics bleu --json",
        "inspect M",
        "explain M 'the child must not find the book' --svg of-tree.svg",
        "train translate --method tree-to-string --table of-trees.gz --source {verbs}.en --target {verbs}.de "
        "--parser parser.palm --tuning none --set order=2 -o M",
        "predict M {verbs}.en --draw",
    ],
    "sentiment": [
        "train sentiment --train {reviews} --subjectivity {sentences} --dev {reviews_test} -o M",
        "predict M {reviews_test} --extract --sentences 2",
        "predict M {reviews_test} --probabilities",
        "evaluate M {reviews_test} --json",
        "select M {reviews_test} --n 1 --strategy change",
        "inspect M",
        "explain M 'A boy runs away. I loved it.' --keep 1",
    ],
    "senses": [
        "train senses --method lesk --inventory {inventory} -o M",
        "predict M {senses_test}",
        "train senses --method bootstrap --unlabelled {unlabelled} --inventory {inventory} --seeds {seeds} -o M",
        "inspect M",
        "train senses --method co-training --train {senses} --unlabelled {unlabelled} -o M",
        "train senses --train {links} --links {targets} --inventory {inventory} -o M",
        "train senses --train {senses} --inventory {inventory} -o M",
        "predict M {senses_test}",
        "evaluate M {senses_test} --json",
        "inspect M",
        "explain M 'river/NOUN bank/NOUN'",
    ],
    "thesaurus": [
        "train thesaurus --train {farm} --set dimensions=10 -o M",
        "predict M cat oak --top 2",
        "predict M --all --measure lin --top 1",
        "predict M cat dog oak --draw",
        "predict M --clusters 5",
        "predict M --vectors text",
        "evaluate M {farm_pairs} --json",
        "inspect M --word cat",
        "explain M cat dog",
    ],
    "rules": [
        "train rules --train {rule_news} -o M",
        "predict M 'X bought Y' --top 3",
        "predict M 'X bought Y' --html",
        "predict M --all --measure sum --top 1",
        "evaluate M {rule_pairs} --json",
        "inspect M --rule 'X bought Y'",
        "explain M 'X solved Y' 'X settled Y'",
    ],
    "semantics": [
        "train semantics --train {asked} --database {planets} -o M",
        "predict M 'which moons does Mars have' --draw",
        "evaluate M {asked_test} --json",
        "select M {asked_test} --n 2",
        "inspect M",
        "explain M 'how many moons does Mars have'",
    ],
    "rerank": [
        "train rerank --base parse --method pcfg --folds 2 --candidates 3 --train {trees} --features all -o M",
        "predict M lines.txt --format tokens",
        "train rerank --base parse --method pcfg --folds 2 --candidates 3 --train {trees} -o M",
        "predict M lines.txt --format tokens",
        "predict M lists.nbest --ranked",
        "evaluate M {trees_test} --json",
        "inspect M",
        "explain M lists.nbest",
    ],
}
# What needs torch: where it is missing, one sentence says how to get it.
WITH_TORCH = [
    "train tag --train {conllu} --scorer neural --set n_iter=1 -o with-torch.palm",
    "train depparse --train {conllu} --scorer neural --set n_iter=1 -o with-torch.palm",
    "train history --train {conllu} --set n_iter=1 -o with-torch.palm",
]
OTHERS = [
    "models",
    "demo",
    "predict en lines.txt --draw",
    "convert {trees} trees.export --to export",
    "inspect {conllu}",
    "draw {trees_test}",
    "draw {conllu_test} --svg -o trees.svg",
    "plot confusion tag.palm {conllu_test} -o confusion.svg",
    "plot reliability tag.palm {conllu_test} -o reliability.svg",
    "plot precision-recall tag.palm {conllu_test} -o curve.svg",
    "plot ngrams {text} -o ngrams.svg",
    "plot growth en {conllu} -o growth.svg",
    "score {conllu_test} {conllu_test}",
    "score {conllu_test} {conllu_test} --from raw-text --json",
    "score {trees_test} {trees_test}",
    "cross-validate tag --train {conllu} --folds 2 --n-jobs 2 --plot folds.svg -q",
    "cross-validate align --train {pairs} --method model1 --reference pairs.align --folds 2 --json -q",
    "learning-curve spans --train spans.txt --sizes 50%,1.0 --folds 2 --plot curve.svg -q",
    "search classify --train texts.tsv --learners crf,perceptron --try n_iter=2 --folds 2 --plot search.svg -q",
    "grammar {grammar} --parse 'time flies like an arrow'",
    "grammar {synchronous} --parse 'ils ne partent pas'",
    "deduce {rules} {facts} --words 'time flies like an arrow'",
    "trace",
    *(
        f"trace {name}{more}"
        for name in (
            "viterbi forward-backward cky eisner shift-reduce perceptron model1 tree-kernel phrases mert".split()
        )
        for more in ("", " --json", " --fields")
    ),
]
SPANS = "Paris\tB-LOC\nis\tO\nold\tO\n\nMr\tO\nSmith\tB-PER\nleft\tO\nRome\tB-LOC\n\n"
ROWS = "N\tof\tboard\nV\twith\tfork\nN\tof\tcity\nV\tin\tJune\nN\tof\tunit\nV\twith\tknife\n"


def files(examples: Path) -> dict[str, str]:
    """The files of the examples by the names that commands use."""
    return {
        "words": str(examples / "morphology/train.conllu"),
        "words_test": str(examples / "morphology/test.conllu"),
        "lexicon": str(examples / "morphology/words.tsv"),
        "conllu": str(examples / "parsing/train.conllu"),
        "conllu_test": str(examples / "parsing/test.conllu"),
        "trees": str(examples / "constituency/train.mrg"),
        "trees_test": str(examples / "constituency/test.mrg"),
        "text": str(examples / "language_models/text.txt"),
        "pairs": str(examples / "alignment/pairs.tsv"),
        "translations": str(examples / "translation/train.tsv"),
        "translations_dev": str(examples / "translation/dev.tsv"),
        "asked": str(examples / "semantics/questions_en_train.tsv"),
        "asked_test": str(examples / "semantics/questions_en_test.tsv"),
        "planets": str(examples / "semantics/planets.tsv"),
        "rule_news": str(examples / "rules/news.conllu"),
        "rule_pairs": str(examples / "rules/pairs.tsv"),
        "farm": str(examples / "thesaurus/farm.conllu"),
        "farm_pairs": str(examples / "thesaurus/pairs.tsv"),
        "verbs": str(examples / "translation/verbs"),
        "reviews": str(examples / "sentiment/train.tsv"),
        "reviews_test": str(examples / "sentiment/test.tsv"),
        "sentences": str(examples / "sentiment/sentences.tsv"),
        "senses": str(examples / "senses/train.tsv"),
        "senses_test": str(examples / "senses/test.tsv"),
        "unlabelled": str(examples / "senses/unlabelled.tsv"),
        "inventory": str(examples / "senses/inventory.tsv"),
        "seeds": str(examples / "senses/seeds.tsv"),
        "links": str(examples / "senses/links.txt"),
        "targets": str(examples / "senses/targets.tsv"),
        "grammar": str(examples / "grammars/time_flies.cfg"),
        "synchronous": str(examples / "grammars/negation.scfg"),
        "rules": str(examples / "deduction/cky.rules"),
        "facts": str(examples / "deduction/time_flies.tsv"),
    }


def write_data(examples: Path) -> None:
    """Write what the examples hold inside of programs, or do not hold as files."""
    questions = runpy.run_path(str(examples / "classification/questions.py"))["TRAIN"]
    Path("questions.tsv").write_text(questions)
    rows = [line.split("\t") for line in questions.splitlines()]
    texts = [f"{label}\t{' '.join(palmette.Tree.parse(tree).words)}\n" for label, tree in rows]
    Path("texts.tsv").write_text("".join(texts))
    Path("lines.txt").write_text("the dog sleeps\nthe cat sees a dog\n")
    Path("spans.txt").write_text(SPANS * 5)
    Path("rows.tsv").write_text(ROWS)


def write_untrained(conllu: str) -> None:
    """Write the model of a recurrent predictor with random weights: its training needs torch, its use does not."""
    from palmette.features.network.history import History
    from palmette.features.network.inputs import NetworkInputs, attribute_input
    from palmette.features.network.network import Network, Plan
    from palmette.formats.conllu import parse_conllu
    from palmette.tools.sequence.history_tagger import HistoryModel, HistoryTagger

    rng = np.random.default_rng(0)
    corpus = parse_conllu(Path(conllu).read_bytes())
    inputs = NetworkInputs((attribute_input("collapsed", corpus),))
    labels = tuple(sorted(set(corpus.column("upos").values())))
    n, width, size = len(labels), 6, 8
    shapes = {
        "input.0.table": (inputs.inputs[0].n_entries, 5),
        "dense.0.weights": (width, 5),
        "dense.0.bias": (width,),
    }
    decoder = {"labels": (n + 1, 3), "weights": (3 * size, width + 3), "bias": (3 * size,)}
    decoder |= {
        "hidden": (3 * size, size),
        "hidden_bias": (3 * size,),
        "output": (n, size),
        "output_bias": (n,),
    }
    arrays, own = (
        {name: rng.normal(size=shape).astype(np.float32) for name, shape in given.items()}
        for given in (shapes, decoder)
    )
    tagger = HistoryTagger()
    network = Network(inputs, Plan(activations=("none",)), arrays)
    tagger.model_ = HistoryModel(labels, network, History.restore(own, True, n), 4)
    tagger.known_words_, tagger.training_ = None, {"column": "upos"}
    tagger.save("history.palm")


def modules() -> Iterator[str]:
    """The names of all modules but the programs."""
    for found in pkgutil.walk_packages(palmette.__path__, "palmette."):
        if not found.name.endswith("__main__"):
            yield found.name


def import_all() -> None:
    """Import every module; those that need an extra must say how to get it."""
    for name in modules():
        try:
            importlib.import_module(name)
        except ImportError as error:
            if NEEDS_EXTRA.get(name, "nothing") not in str(error):
                raise SystemExit(f"{name} cannot be imported: {error}") from error


def run(command: str) -> None:
    """Run a command; end where it fails."""
    code, errors = result(command)
    if code:
        raise SystemExit(f"palmette {command}\nended with {code}: {errors}")


def run_with_torch(command: str) -> None:
    """Run a command that needs torch; end where it fails for another reason than that torch is missing."""
    code, errors = result(command)
    if code and ("pip install 'palmette[neural]'" not in errors or "Traceback" in errors):
        raise SystemExit(f"palmette {command}\nended with {code}: {errors}")


def result(command: str) -> tuple[int, str]:
    """Run a command, and return how it ended and what it said."""
    output, errors = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = main([*shlex.split(command)])
    return int(code or 0), errors.getvalue()


def serve_once() -> None:
    """Start a server, ask it once, and stop it; where the extra is missing, its sentence must say so."""
    command = [sys.executable, "-I", "-m", "palmette", "serve", "en", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        first = server.stderr.readline()
        address = re.search(r"http://[0-9.:]+/", first)
        if address is None:
            if NEEDS_EXTRA["palmette.serve"] not in first or importlib.util.find_spec("uvicorn"):
                raise SystemExit(f"palmette serve en\nsaid: {first}")
            return
        asked = urllib.request.Request(
            f"{address[0]}v1/predict", b'{"text": "Time flies."}', {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(asked) as answer:
            found = json.load(answer)["results"][0]["tokens"]
        server.terminate()
        if server.wait(30) or len(found) != 3:
            raise SystemExit("palmette serve en did not answer, or did not stop well")


def check_all_verbs() -> None:
    """End where a tool has a verb that is not run."""
    for tool in tools():
        ours = {line.split()[0] for line in TOOLS.get(tool.name, ())}
        ours |= {"train" for line in WITH_TORCH if line.split()[1] == tool.name}
        missing = [verb for verb in VERBS if tool.command(verb) is not None and verb not in ours]
        if missing:
            raise SystemExit(
                f"{Path(__file__).name} runs no {', '.join(missing)} of the tool {tool.name}: add a command"
            )


def every_verb(examples: Path) -> int:
    """Run everything in an empty folder, and return how many commands that were."""
    import_all()
    check_all_verbs()
    known, n = files(examples.resolve()), 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_data(examples.resolve())
        write_untrained(known["conllu"])
        for name, lines in {**TOOLS, "others": OTHERS}.items():
            for line in lines:
                command = line.format(**known).replace(" M", f" {name}.palm")
                run(command if not command.startswith("train") else f"{command} -q")
                n += 1
        for line in WITH_TORCH:
            run_with_torch(f"{line.format(**known)} -q")
        n += len(WITH_TORCH)
        serve_once()
        os.chdir("/")
    return n + 1


if __name__ == "__main__":
    here = Path(sys.argv[1]).resolve()
    print(f"{every_verb(here)} commands ran with the declared dependencies alone")
