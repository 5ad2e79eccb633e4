"""Training again from corrections: in the background, measured, stopped, used, never in the way of requests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from palmette.formats.model import ModelFile
from palmette.serve.editing.recipe import can_start, training_command
from palmette.serve.editing.retraining import Retraining
from palmette.serve.editing.routes import edit_routes
from palmette.serve.editing.sessions import Session
from palmette.serve.limits import Limits, RequestError
from palmette.serve.models import Models
from serve.conftest import EXAMPLES, serving, train


@pytest.fixture
def models(trained: dict[str, str]) -> Models:
    return Models([trained["tag"], trained["align"]])


@pytest.fixture
def session(tmp_path: Path, models: Models) -> Session:
    shutil.copy(EXAMPLES / "parsing/test.conllu", tmp_path / "t.conllu")
    return Session(str(tmp_path / "t.conllu"), models, Limits())


def finished(training: Retraining) -> None:
    assert training._thread is not None
    training._thread.join(120)


def test_corrections_train_a_model_that_can_be_served(session: Session, models: Models) -> None:
    training = Retraining(session, models)
    with pytest.raises(RequestError, match="no sentence is corrected"):
        training.start()
    with pytest.raises(RequestError, match="no model was trained"):
        training.use(new=True)
    for n in range(10):
        session.correct(n, {"accept": True})
    session.document.set(0, 0, 3, "ODD")  # a label that the model does not know
    assert training.start()["state"] == "running"
    with pytest.raises(RequestError, match="running already"):
        training.start()
    finished(training)
    report = training.about()
    assert report["error"] == ""
    assert report["state"] == "done"
    assert [point["sentences"] for point in report["curve"]] == [2, 4, 6, 8]
    assert all(0 <= point["score"] <= 1 for point in report["curve"])
    assert 0 <= report["before"] <= 1
    assert (report["sentences"], report["held_out"]) == (10, 2)
    before, confidence = models.find("tag"), session.confidences()
    assert training.use(new=True)["used"]
    after = models.find("tag")
    assert after.path == str(session.path) + ".palm"
    assert "ODD" in after.object.classes_
    assert "ODD" not in before.object.classes_
    assert session.confidences() is not confidence
    training.use(new=False)
    assert models.find("tag").path == before.path
    training.close()
    assert [p.name for p in session.path.parent.glob("*.palm")] == ["t.conllu.palm"]


def test_more_sentences_and_a_file_to_measure_on(session: Session, models: Models) -> None:
    examples, dev = (str(EXAMPLES / f"parsing/{name}.conllu") for name in ("train", "test"))
    training = Retraining(session, models, examples, dev)
    session.correct(0, {"accept": True})
    training.start()
    finished(training)
    report = training.about()
    assert report["error"] == ""
    assert [point["sentences"] for point in report["curve"]] == [1]
    assert report["held_out"] == 0
    found = ModelFile.load(str(session.path) + ".new.palm")
    assert found.options["training"]["sentences"] == 51  # type: ignore[index,call-overload]
    training.close()
    assert not list(session.path.parent.glob("*.palm"))


def test_a_training_is_stopped(session: Session, models: Models) -> None:
    training = Retraining(session, models)
    training.start(every=True)
    training.stop(wait=True)
    assert training.about()["state"] == "stopped"
    assert not list(session.path.parent.glob("*.palm"))
    assert training.start(every=True)["state"] == "running"  # another one can begin
    training.close()


def test_what_fails_is_said(session: Session, models: Models, tmp_path: Path) -> None:
    (tmp_path / "bad.conllu").write_text("1\tword\n")
    training = Retraining(session, models, str(tmp_path / "bad.conllu"))
    training.start(every=True)
    finished(training)
    assert training.about()["state"] == "failed"
    assert "train.conllu:1" in training.about()["error"]


def test_aligners_do_not_learn_from_links(models: Models, tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "alignment/pairs.tsv", tmp_path / "pairs.tsv")
    session = Session(str(tmp_path / "pairs.tsv"), models, Limits())
    training = Retraining(session, models)
    assert training.about()["possible"] is False
    with pytest.raises(RequestError, match="does not learn"):
        training.start(every=True)


def test_the_paths_of_training(session: Session, models: Models) -> None:
    with serving(models, more=lambda service: edit_routes(service, [session])) as client:
        answer = client.post("/v1/edit/training", json={"file": 0}).json()
        assert answer["training"]["state"] == "none"
        assert answer["training"]["possible"] is True
        assert client.post("/v1/edit/train", json={"file": 0}).status_code == 409
        assert client.post("/v1/edit/train", json={"file": 0, "every": "yes"}).status_code == 400
        assert client.post("/v1/edit/use", json={"file": 0, "new": True}).status_code == 409
        begun = client.post("/v1/edit/train", json={"file": 0, "every": True}).json()
        assert begun["training"]["state"] == "running"
        assert client.post("/v1/predict", json={"model": "tag", "text": "a dog"}).status_code == 200
        assert client.post("/v1/edit/stop", json={"file": 0}).status_code == 200


def test_a_pipeline_keeps_its_names_language_and_options(tmp_path: Path) -> None:
    served = Models(["en"])
    shutil.copy(EXAMPLES / "parsing/test.conllu", tmp_path / "t.conllu")
    session = Session(str(tmp_path / "t.conllu"), served, Limits())
    training = Retraining(session, served)
    for n in range(2):
        session.correct(n, {"accept": True})
    training.start()
    finished(training)
    assert (training.about()["state"], training.about()["error"]) == ("done", "")
    old = served.find("en")
    training.use(new=True)
    new = served.find("en")
    assert new.path == str(session.path) + ".palm"
    assert [step.name for step in new.object.steps_] == [step.name for step in old.object.steps_]
    assert new.object.language == old.object.language
    assert new.object.training_["continued"][0]["sentences"] == 2
    before, after = ({one.name: one.tool for one in found.object.steps_} for found in (old, new))
    assert after["parser"].model_.settings() == before["parser"].model_.settings()
    text = "Angela Merkel lives in Berlin ."
    assert new.object(text).entities == old.object(text).entities != []
    training.close()


def test_recipes_repeat_how_a_model_was_trained(
    models: Models, trained: dict[str, str], tmp_path: Path
) -> None:
    served = models.find("tag")
    assert can_start(served)
    command = training_command(served, "x.conllu", "y.palm", start=True)
    assert command[-2:] == ["--start", served.path]
    command = training_command(served, "x.conllu", "y.palm", start=False)
    assert "--column upos --order 1 --learner crf" in " ".join(command)
    options = [
        "--train",
        EXAMPLES / "parsing/train.conllu",
        "--with-tags",
        "--learner",
        "crf",
        "--set",
        "l2=2.5",
    ]
    parser = train("depparse", tmp_path / "parser.palm", *options, "--set", "n_iter=2")
    found = Models([parser, trained["pipeline"], trained["parse"]])
    words = {one.name: " ".join(training_command(one, "x.conllu", "y.palm", start=True)[3:]) for one in found}
    assert words["parser"].startswith("train depparse --train x.conllu -o y.palm --method graph --with-tags")
    assert "--learner crf" in words["parser"]
    assert "--set l2=2.5" in words["parser"]
    assert "--set n_iter=2" in words["parser"]
    pipeline = found.find("pipeline")
    start = f"--start {pipeline.path}"
    assert words["pipeline"] == f"train pipeline --train x.conllu -o y.palm {start}"
    method = pipeline.object.steps_[-1].tool.method
    again = training_command(pipeline, str(EXAMPLES / "parsing/test.conllu"), "y.palm", start=False)
    assert " ".join(again[-6:]) == f"{start} --only morphology,parser --method {method}"
    (tmp_path / "bare.conllu").write_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    with pytest.raises(ValueError, match="no values that a step of pipeline learns"):
        training_command(pipeline, str(tmp_path / "bare.conllu"), "y.palm", start=False)
    assert words["parse"] == "train parse --train x.conllu -o y.palm --method pcfg"
