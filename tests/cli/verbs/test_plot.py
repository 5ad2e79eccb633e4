"""`palmette plot`: every kind on small data, images of every kind of file, and what is refused."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import numpy as np
import pytest

from palmette.cli.plots.files import passes
from palmette.cli.plots.measured import guesses
from palmette.drawing import raster
from palmette.drawing.curves import Plot
from palmette.drawing.panels import Panels
from palmette.evaluation.guesses import Guesses
from palmette.learning.loop import Report

EXAMPLES = Path(__file__).parents[3] / "examples"
TAGGED = EXAMPLES / "tagging" / "test.conllu"
PARSED = EXAMPLES / "parsing" / "test.conllu"
SPANS = "Ada B-PER\nsleeps O\n\nBob B-PER\nand O\nEve B-PER\n\n" * 4
LABELLED = "good\tthe film is fine\nbad\tthe film is dull\ngood\ta fine play\nbad\ta dull play\n"


def image(text: str) -> list[str]:
    """Return the texts of an SVG image."""
    return [one.text or "" for one in ElementTree.fromstring(text).iter() if one.tag.endswith("text")]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Return small models with their gold files."""
    from palmette.cli import main

    folder = tmp_path_factory.mktemp("models")
    (folder / "spans.txt").write_text(SPANS)
    (folder / "classes.tsv").write_text(LABELLED)
    made = {
        "tag": (TAGGED, ["--learner", "crf"]),
        "spans": (folder / "spans.txt", ["--learner", "crf"]),
        "depparse": (PARSED, []),
        "classify": (folder / "classes.tsv", ["--columns", "label,text", "--learner", "crf"]),
        "pipeline": (PARSED, ["--method", "graph"]),  # it has probabilities of arcs
    }
    for tool, (gold, more) in made.items():
        arguments = ["train", tool, "--train", gold, *more, "-q", "-o", folder / f"{tool}.palm"]
        assert main([str(argument) for argument in arguments]) == 0
    return {tool: [folder / f"{tool}.palm", gold] for tool, (gold, _) in made.items()}


@pytest.mark.parametrize("tool", ["tag", "spans", "depparse", "classify", "pipeline"])
@pytest.mark.parametrize("kind", ["reliability", "precision-recall", "confusion"])
def test_measures_of_models(palmette, models: dict[str, list[Path]], tool: str, kind: str) -> None:
    made = palmette("plot", kind, *models[tool], "-q")
    assert (made.code, made.err) == (0, "")
    texts = image(made.out)
    wanted = {"reliability": "Reliability", "precision-recall": "recall", "confusion": "gold"}
    titles = [text.partition(":")[0] for text in texts]
    assert wanted[kind] in [*texts, *titles]


def test_a_pipeline_is_measured_layer_by_layer(
    palmette, models: dict[str, list[Path]], tmp_path: Path
) -> None:
    model, gold = models["pipeline"]
    layers = ["upos", "head"]  # the file has no other columns
    for kind, title in (
        ("reliability", "Reliability"),
        ("precision-recall", "Precision and recall by threshold"),
    ):
        texts = image(palmette("plot", kind, model, gold, "-q").out)
        assert [text for text in texts if text.startswith(title)] == [f"{title}: {name}" for name in layers]
        one = image(palmette("plot", kind, model, gold, "-q", "--layer", "head").out)
        assert [text for text in one if text.startswith(title)] == [f"{title}: head"]
    report = json.loads(palmette("evaluate", model, gold, "--gold-tokens", "--json").out)
    shown = image(palmette("plot", "confusion", model, gold, "-q").out)
    words = sum(line[:1].isdigit() for line in gold.read_text().splitlines())
    assert f"upos: accuracy {100 * report['upos']:.2f} % of {words}" in shown
    # heads count where the guess is right by its head: the mean of what is right is the attachment score
    found = guesses(str(model), str(gold), 1, True, layer="head", probabilities=True)
    assert found["head"].right.mean() == pytest.approx(report["uas"])
    assert palmette("plot", "confusion", model, gold, "--layer", "xpos").err == (
        "palmette: --layer xpos: the layers to compare are upos, head\n"
    )
    shipped = guesses("en", str(_annotated(tmp_path)), 1, True, layer=None, probabilities=True)
    assert list(shipped) == ["upos", "xpos", "feats", "head", "lemma", "entity"]
    assert all(len(one.gold) == 3 and one.probability is not None for one in shipped.values())
    assert shipped["entity"].gold == ["B-person", "O", "O"]
    refused = palmette("plot", "confusion", *models["tag"], "--layer", "upos")
    assert (refused.code, refused.err) == (
        2,
        f"palmette: --layer is for pipelines; {models['tag'][0]} holds a tagger\n",
    )
    (tmp_path / "r.json").write_text("{}")
    assert (
        "a report has no layers" in palmette("plot", "confusion", tmp_path / "r.json", "--layer", "upos").err
    )


def _annotated(folder: Path) -> Path:
    """A sentence with values in all layers."""
    rows = [
        "1\tMary\tMary\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t_\tEntity=B-person",
        "2\tsleeps\tsleep\tVERB\tVBZ\tMood=Ind\t0\troot\t_\tSpaceAfter=No",
        "3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_",
    ]
    (folder / "all.conllu").write_text("\n".join(rows) + "\n\n")
    return folder / "all.conllu"


def test_confusions_agree_with_evaluate(palmette, models: dict[str, list[Path]], tmp_path: Path) -> None:
    report = json.loads(palmette("evaluate", *models["tag"], "--json").out)
    texts = image(palmette("plot", "confusion", *models["tag"]).out)
    assert f"Accuracy {100 * report['accuracy']:.2f} % of {report['tokens']}" in texts
    (tmp_path / "r.json").write_text(palmette("evaluate", *models["classify"], "--json").out)
    from_report = image(palmette("plot", "confusion", tmp_path / "r.json").out)
    from_gold = image(palmette("plot", "confusion", *models["classify"]).out)
    assert from_report[1:] == from_gold[1:]  # but the title
    assert {"good", "bad"} <= set(from_report)


def test_reliability_agrees_with_evaluate(palmette, models: dict[str, list[Path]], tmp_path: Path) -> None:
    made = palmette("evaluate", *models["depparse"], "--probabilities", "--json").out
    (tmp_path / "r.json").write_text(made)
    error = json.loads(made)["calibration_error"]
    for given in ([tmp_path / "r.json"], models["depparse"]):
        assert any(
            f"error {error:.4f}" in text for text in image(palmette("plot", "reliability", *given).out)
        )


def test_passes_are_read_from_both_kinds_of_lines(palmette, tmp_path: Path) -> None:
    report = Report(3, 1.25, {"loss": 12.5, "dev": 0.75}, True, {"direction": "forth"})
    own = "50 sentences, 391 tokens\npass   1     0.1 s  loss 485.2975  dev 0.9375  *\n"
    log = f"INFO:palmette:tagger, {report.summary}\n{own}"
    (tmp_path / "train.log").write_text(log)
    found = passes(str(tmp_path / "train.log"))
    assert [plot.y_name for plot in found.plots] == ["loss", "dev"]
    points = [point for curve in found.plots[0].curves.values() for point in curve]
    assert points == [(3, 12.5), (1, 485.2975)]
    assert palmette("plot", "passes", tmp_path / "train.log").out.count("<svg") == 3


def test_curves_are_read_from_json_and_tables(palmette, tmp_path: Path) -> None:
    plot = Plot({"a": [(1, 2), (10, 20)], "b": [(1, 3)]}, "words", "ms", "Growth")
    (tmp_path / "a.json").write_text(json.dumps(plot.to_dict()))
    assert ElementTree.fromstring(palmette("plot", "curves", tmp_path / "a.json").out) is not None
    assert palmette("plot", "curves", tmp_path / "a.json").out == plot.svg()
    (tmp_path / "b.json").write_text(json.dumps(Panels((plot, plot), "two").to_dict()))
    assert palmette("plot", "curves", tmp_path / "b.json").out == Panels((plot, plot), "two").svg()
    (tmp_path / "a.tsv").write_text("words\ta\tb\n1\t2\t3\n10\t20\t\n")
    table = Plot({"a": [(1, 2), (10, 20)], "b": [(1, 3)]}, "words", "", logarithmic="xy")
    assert palmette("plot", "curves", tmp_path / "a.tsv", "--log", "xy").out == table.svg()


def test_ngrams_are_counted(palmette, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b a\na b\n")
    texts = image(palmette("plot", "ngrams", tmp_path / "a.txt", "--order", 2).out)
    assert "Counts by rank" in texts
    assert "2-grams (5)" in texts  # <s> a, a b, b a, a </s>, b </s>


def test_growth_is_measured(palmette, models: dict[str, list[Path]], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(["word"] * 1 + ["word " * n for n in (6, 10, 14, 20)]) + "\n")
    made = palmette("plot", "growth", models["tag"][0], tmp_path / "a.txt", "-q")
    assert (made.code, made.err) == (0, "")
    assert "ms per sentence" in image(made.out)
    alone = palmette("plot", "growth", models["tag"][0], models["spans"][1], "-q")
    assert "sentences of different lengths" in alone.err


def test_precision_and_recall_by_hand() -> None:
    guesses = Guesses(list("AAAB"), list("ABAB"), np.array([0.9, 0.9, 0.5, 0.2]))
    curve = guesses.precision_recall()
    assert curve.threshold.tolist() == [0.9, 0.5, 0.2]
    assert curve.precision.tolist() == [1 / 2, 2 / 3, 3 / 4]
    assert curve.recall.tolist() == [1 / 4, 2 / 4, 3 / 4]
    assert curve.average_precision == pytest.approx((1 / 2 + 2 / 3 + 3 / 4) / 4)
    with pytest.raises(ValueError, match="no probabilities"):
        Guesses(["A"], ["A"]).precision_recall()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reliability", "{palm}"], "give the model and a gold file"),
        (["confusion", "{json}"], "expected|no table 'confusion'"),
        (["reliability", "{json}"], "expected a table 'calibration'"),
        (["curves", "{json}"], "expected an object 'curves'"),
        (["curves", "{text}"], "expected JSON, or a table"),
        (["passes", "{text}"], "expected lines of passes"),
        (["reliability", "{lm}", "{text}"], "this plot is for models of: .*tag"),
        (["ngrams", "{text}", "-o", "{folder}/a.pdf"], "images are written as .svg or .png"),
        (["ngrams", "{folder}/none"], "no such file"),
        (["ngramz", "{text}"], "did you mean 'ngrams'"),
    ],
)
def test_what_is_refused(
    palmette, models: dict[str, list[Path]], tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "a.txt").write_text("plain words\n")
    names = {
        "palm": models["tag"][0],
        "json": tmp_path / "a.json",
        "text": tmp_path / "a.txt",
        "lm": tmp_path / "lm.palm",
        "folder": tmp_path,
    }
    if "{lm}" in arguments:
        palmette("train", "lm", "--train", EXAMPLES / "language_models" / "text.txt", "-q", "-o", names["lm"])
    made = palmette("plot", *(one.format(**names) for one in arguments))
    assert made.code != 0
    assert made.err.count("\n") == 1
    import re

    assert re.search(message, made.err)


def test_images_of_a_suffix(palmette, tmp_path: Path) -> None:
    assert palmette("draw", PARSED, "-o", tmp_path / "a.svg", "--number", 1).code == 0
    assert "<svg" in (tmp_path / "a.svg").read_text()
    (tmp_path / "spans.txt").write_text(SPANS)
    assert "PER" in image(palmette("draw", tmp_path / "spans.txt", "--svg", "--from", "columns").out)


def test_png_needs_a_program(palmette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(raster, "find_spec", lambda name: None)
    made = palmette("draw", PARSED, "-o", tmp_path / "a.png", "--number", 1)
    assert made.code == 1
    assert made.err.startswith("palmette: to write PNG, install one of CairoSVG")
    assert not (tmp_path / "a.png").exists()


def test_png_by_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    svg = Plot({"": [(1, 2)]}, "x", "y").svg()
    fake = ModuleType("cairosvg")
    fake.svg2png = lambda data, **options: b"\x89PNG" + data  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cairosvg", fake)
    monkeypatch.setattr(raster, "find_spec", lambda name: fake)
    assert raster.png(svg) == b"\x89PNG" + svg.encode()
    monkeypatch.setattr(raster, "find_spec", lambda name: None)
    program = tmp_path / "rsvg-convert"
    program.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncat "$3" > "$2"\n')
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program) if name == "rsvg-convert" else None)
    assert raster.png(svg) == svg.encode()
    program.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    with pytest.raises(OSError, match="rsvg-convert could not draw the image: broken"):
        raster.png(svg)


@pytest.mark.skipif(not any(map(shutil.which, ("chromium", "rsvg-convert"))), reason="nothing here draws PNG")
def test_png_has_the_size_of_the_drawing() -> None:
    data = raster.png(Plot({"": [(1, 2)]}, "x", "y").svg())
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    assert data.startswith(b"\x89PNG")
    assert 900 < width < 1200
    assert 700 < height < 900


def test_matplotlib_draws_the_same_curves() -> None:
    pytest.importorskip("matplotlib")
    bars = Plot(
        {"b": [(0.1, 1), (0.2, 2)], "d": [(0, 0), (1, 1)]}, "x", "y", styles={"b": "bars", "d": "dashed"}
    )
    logs = Plot({"": [(1, 2), (10, 20)]}, "x", "y", "title", logarithmic="xy", x_range=(1, 100))
    assert b"<svg" in raster.by_matplotlib(Panels((bars, logs)), "svg")
    assert raster.by_matplotlib(logs, "png").startswith(b"\x89PNG")


def test_without_matplotlib_one_sentence(palmette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    (tmp_path / "a.txt").write_text("a b a\n")
    made = palmette("plot", "ngrams", tmp_path / "a.txt", "--matplotlib")
    assert made.code == 1
    assert "pip install 'palmette[plot]'" in made.err
