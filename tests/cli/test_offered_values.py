"""Every value that the help of an option offers is accepted by --set."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette.cli import main
from palmette.cli.options import parse_settings
from palmette.tools.constituency import model as phrases
from palmette.tools.dependency import model as trees
from samples.phrase_treebank import CATS
from samples.treebank import garden_trees

SMALL = {
    "graph": ["bits=12", "label_bits=8", "n_iter=1"],
    "transition": ["bits=12", "label_bits=8", "n_iter=1"],
    "latent": ["rounds=1"],
    "crf": ["bits=12", "folds=2", "n_iter=1"],
    "plcfrs": ["rounds=1", "grammars=1"],
}
OFFERED = [
    ("graph", "projective", "true false none"),
    ("graph", "labels", "after jointly both"),
    ("transition", "system", "arc-eager arc-hybrid arc-standard swap"),
    ("transition", "oracle", "dynamic static"),
    ("transition", "update", "max-violation early"),
    ("pcfg", "horizontal", "none"),
    ("pcfg", "coarse", "true false"),
    ("pcfg", "closed", "0 none"),
    ("lexicalized", "heads", "english generic auto"),
    ("latent", "leftward", "true"),
    ("latent", "decoding", "recall product"),
    ("crf", "risk", "brackets rules"),
    ("plcfrs", "tags", "false"),
    ("plcfrs", "punctuation", "remove lower keep"),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("data")
    (folder / "cats.mrg").write_text("\n".join(CATS) + "\n")
    from palmette.formats.conllu import write_conllu

    write_conllu(garden_trees()[:6], folder / "garden.conllu")
    return {"parse": folder / "cats.mrg", "depparse": folder / "garden.conllu"}


@pytest.mark.native
@pytest.mark.parametrize(
    ("method", "option", "value"),
    [(method, option, value) for method, option, values in OFFERED for value in values.split()],
)
def test_what_help_offers_is_accepted(
    method: str,
    option: str,
    value: str,
    data: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tool, table = ("depparse", trees) if method in trees.METHODS else ("parse", phrases)
    known = table.METHODS[method].options_class.describe()
    assert any(one.name == option and value in f"{one.takes} {one.help}" for one in known)
    settings = [f"--set={pair}" for pair in (*SMALL.get(method, ()), f"{option}={value}")]
    command = ["train", tool, "--train", str(data[tool]), "--method", method, *settings]
    if value == "false" and option == "projective":
        command += ["--learner", "mira"]
    assert main([*command, "-q", "-o", str(tmp_path / "m.palm")]) == 0, capsys.readouterr().err


def test_words_of_python_and_of_json() -> None:
    words = {"True": True, "true": True, "False": False, "false": False}
    words |= dict.fromkeys(["None", "none", "null"])
    for word, value in words.items():
        assert parse_settings([f"x={word}"])["x"] is value
    assert parse_settings(["a=[1, 2]", "b=1e3", "c=nothing"]) == {"a": [1, 2], "b": 1000.0, "c": "nothing"}
