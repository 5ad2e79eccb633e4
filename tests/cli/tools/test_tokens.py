"""`palmette train tokens` and what follows: the verbs, and one sentence for bad input."""

import io
import json

import numpy as np
import pytest

from samples.raw_text import ENGLISH, VIETNAMESE, treebank

TEXT = "Anna didn't go. Ben\nsleeps!\n\nGo!"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    from palmette.cli import main

    folder = tmp_path_factory.mktemp("tokens")
    (folder / "train.conllu").write_text(ENGLISH)
    assert (
        main(["train", "tokens", "--train", str(folder / "train.conllu"), "-o", str(folder / "t.palm"), "-q"])
        == 0
    )
    return folder / "t.palm"


@pytest.fixture
def run(capfd, monkeypatch):
    from palmette.cli import main

    def call(*args, text=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code = main([str(arg) for arg in args])
        out, err = capfd.readouterr()
        return code, out, err

    return call


def test_predict(run, model, tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    code, out, _ = run("predict", model, tmp_path / "a.txt")
    assert code == 0
    assert "2-3\tdidn't" in out
    assert "# text = Ben sleeps!" in out
    assert out.count("# newpar") == 2
    code, out, _ = run("predict", model, tmp_path / "a.txt", "--to", "lines", "--no-words")
    assert out == "Anna didn't go .\nBen sleeps !\nGo !\n"
    code, out, _ = run("predict", model, tmp_path / "a.txt", "--to", "lines", "--presegmented")
    assert out == "Anna did n't go . Ben\nsleeps !\nGo !\n"
    code, out, _ = run("predict", model, tmp_path / "a.txt", "--jsonl")
    first = json.loads(out.splitlines()[0])
    assert first["words"][1] == {"form": "did", "begin": 5, "end": 11}
    assert first["multiword"] == [{"first": 2, "last": 3, "form": "didn't"}]


def test_probabilities(run, model, tmp_path):
    from palmette.formats.conllu import parse_conllu
    from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer

    (tmp_path / "a.txt").write_text(TEXT)
    found = list(LearnedTokenizer.load(model).segmented([TEXT], probabilities=True))
    want = {
        name: np.concatenate([one.probabilities[name] for one in found]) for name in ("token", "sentence")
    }
    notes = (
        parse_conllu(run("predict", model, tmp_path / "a.txt", "--probabilities")[1]).column("misc").values()
    )
    for layer in ("Token", "Sentence"):
        p = [float(note.partition(f"{layer}Prob=")[2].partition("|")[0]) for note in notes]
        assert p == pytest.approx(want[layer.lower()].tolist(), abs=1e-4)
    lines = run("predict", model, tmp_path / "a.txt", "--probabilities", "--jsonl")[1].splitlines()
    first = json.loads(lines[0])["words"][0]
    assert first["token_probability"] == pytest.approx(want["token"][0], abs=1e-4)
    code, _, err = run("predict", model, tmp_path / "a.txt", "--probabilities", "--to", "lines")
    assert code == 2
    assert "does not apply to --to lines" in err


def test_evaluate_inspect_and_explain(run, model, tmp_path):
    (tmp_path / "test.conllu").write_text(ENGLISH)
    code, out, _ = run("evaluate", model, tmp_path / "test.conllu", "--json")
    scores = json.loads(out)
    assert scores["tokens"] == scores["words"] == scores["sentences"] == 1.0
    assert scores["seconds"] > 0
    code, out, _ = run("inspect", model)
    assert code == 0
    assert "multiword classes" in out
    code, out, _ = run("explain", model, "Go! Ben")
    assert "sentence" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no sentences"),
        ("# text = a\n1\ta\n", "train.conllu:2"),
    ],
)
def test_bad_treebanks(run, tmp_path, text, message):
    (tmp_path / "train.conllu").write_text(text)
    code, _, err = run("train", "tokens", "--train", tmp_path / "train.conllu", "-o", tmp_path / "x.palm")
    assert code == 1
    assert message in err
    assert "Traceback" not in err
    assert not (tmp_path / "x.palm").exists()


def test_what_is_inconsistent_is_said(run, tmp_path):
    rows = treebank(("Go on!", [("Go",), ("on",), ("!",)]), ("Go on!", [("Go",), ("on",), ("!",)]))
    (tmp_path / "train.conllu").write_text(rows.replace("# text = Go on!", "# text = Went on!", 1))
    code, _, err = run("train", "tokens", "--train", tmp_path / "train.conllu", "-o", tmp_path / "x.palm")
    assert code == 0
    assert "1 of 2 sentences (sentence 1) has a `# text` that differs from the forms" in err


def test_bad_options_and_text(run, model, tmp_path):
    (tmp_path / "nul.txt").write_bytes(b"a\x00b")
    code, _, err = run("predict", model, tmp_path / "nul.txt")
    assert code == 1
    assert "NUL" in err
    code, _, _ = run("predict", model, tmp_path / "nul.txt", "--errors", "replace", "--to", "lines")
    assert code == 0
    code, _, err = run("predict", model, tmp_path / "nul.txt", "--presegmented", "--newlines", "space")
    assert code == 2
    assert "leave --newlines out" in err
    code, _, err = run("train", "tokens", "--train", tmp_path / "no.conllu", "-o", tmp_path / "x.palm")
    assert code == 1


def test_other_learners_and_spaces_inside_tokens(run, tmp_path):
    (tmp_path / "vi.conllu").write_text(VIETNAMESE)
    (tmp_path / "vi.txt").write_text("Việt Nam có xe máy.\n")
    args = ("train", "tokens", "--train", tmp_path / "vi.conllu", "--dev", tmp_path / "vi.conllu")
    code, _, _ = run(*args, "--learner", "perceptron", "--set", "n_iter=5", "-o", tmp_path / "vi.palm")
    assert code == 0
    code, out, _ = run("predict", tmp_path / "vi.palm", tmp_path / "vi.txt")
    assert "1\tViệt Nam\t" in out
