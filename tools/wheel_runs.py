"""What tools/check-wheel and tools/check-aarch64 run with a wheel, and how the runs must agree.

WORK is a program that loads a model, trains some, and prints what came out. A core must give the same bytes when
it runs again. All cores must give the same outputs, and probabilities that differ by at most MOST.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

MOST = 1e-4
WORK = """
import hashlib, json, platform, sys, tempfile, warnings
from pathlib import Path
import palmette
from palmette import CRF, Aligner, DependencyParser, LanguageModel, MIRA, Perceptron, Tagger
from palmette.tools.alignment import read_pairs
from palmette.variants import active

core, examples = sys.argv[1], Path(sys.argv[2])
warnings.simplefilter("ignore")  # the examples are small
assert core in ("best", active()), f"the core {active()} was chosen, and not {core}"
words = "Time flies like an arrow .".split()
outputs, probabilities, files = {}, [], hashlib.sha256()

def learned(name, tool, y, *sums):
    outputs[name] = y
    probabilities.extend(round(float(p), 9) for p in sums)
    with tempfile.TemporaryDirectory() as folder:
        tool.save(Path(folder) / "model.palm")
        files.update((Path(folder) / "model.palm").read_bytes())

def likeliest(rows):
    return [max(row) for sentence in rows for row in sentence]

nlp = palmette.load("en")
text = " ".join(words) + " Mary had not seen the two old dogs in London, had she?"
layers = [token.probabilities for token in nlp(text, probabilities=True).tokens]
learned("en", nlp, nlp(text).to_conllu(), *(p for layer in layers for _, p in sorted(layer.items())))
en = Tagger.load("en")
learned("tags", en, en.predict([words]), *likeliest(en.predict_proba([words])))
train = examples / "parsing" / "train.conllu"
for learner in (CRF(n_iter=5), Perceptron(n_iter=5)):
    tagger = Tagger(learner).fit(train)
    learned(type(learner).__name__, tagger, tagger.predict([words]), *likeliest(tagger.predict_proba([words])))
for method, learner in (("graph", CRF(n_iter=3)), ("transition", Perceptron(n_iter=3))):
    parser = DependencyParser(method, learner).fit(train)
    learned(method, parser, [tree.heads for tree in parser.predict(train)][:20])
lm = LanguageModel.fit(examples / "language_models" / "text.txt", order=3)
learned("lm", lm, [], lm.score(" ".join(words)))
pairs = read_pairs(examples / "alignment" / "pairs.tsv")
aligner = Aligner()
learned("aligner", aligner, aligner.fit_align(pairs).pharaoh())
found = {"core": f"{active()} ({platform.machine()})", "outputs": outputs, "probabilities": probabilities,
         "files": files.hexdigest()}
print(json.dumps(found, default=str))
"""


def work(command: list[str], core: str, where: str, given: dict[str, str]) -> dict[str, Any]:
    """Run WORK by a command that starts Python. core: "best", or the one it must be. given: environment."""
    done = output([*command, "-c", WORK, core, str(Path("examples").absolute())], given)
    run: dict[str, Any] = json.loads(done)
    print(f"{run['core']} on {where}: {len(run['outputs'])} tools", flush=True)
    return run


def agree(found: list[dict[str, Any]]) -> None:
    """Stop with a sentence if runs do not agree."""
    first = found[0]
    for run in found[1:]:
        if run["outputs"] != first["outputs"]:
            names = [name for name, output in run["outputs"].items() if output != first["outputs"][name]]
            sys.exit(f"the core {run['core']} has other outputs than {first['core']}: {', '.join(names)}")
    rows = zip(*(run["probabilities"] for run in found), strict=True)
    spread = max(max(row) - min(row) for row in rows)
    cores = sorted({run["core"] for run in found})
    print(
        f"{len(found)} runs of {', '.join(cores)}: the same outputs; probabilities differ by at most {spread:.1e}"
    )
    if spread > MOST:
        sys.exit(f"probabilities of different cores differ by more than {MOST}")
    for core in cores:
        made = {run["files"] for run in found if run["core"] == core}
        if len(made) > 1:
            sys.exit(f"the core {core} made different models of the same data")


def output(command: list[str], given: dict[str, str] | None = None) -> str:
    """Return what a command prints, or stop."""
    environment = {key: value for key, value in os.environ.items() if key != "PALMETTE_CORE"} | (given or {})
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(f"failed ({done.returncode}): {command[0]} ... {' '.join(command[-2:])}")
    return done.stdout.strip()
