"""Correcting files: constraints are obeyed, other bytes stay, steps can be undone, and crashes lose nothing."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from typing import Any

import pytest

from palmette.errors import FormatError
from palmette.serve.editing.documents import Lines, Trees, opened
from palmette.serve.editing.journal import SUFFIX, Journal
from palmette.serve.editing.routes import ACTIONS, edit_routes
from palmette.serve.editing.sessions import Session
from palmette.serve.limits import Limits, RequestError
from palmette.serve.models import Models
from palmette.trees.tree import Tree
from serve.conftest import EXAMPLES, SPANS, serving

CONLLU = (
    "# sent_id = a\r\n1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\tX=1\r\n1\tDo\tdo\tAUX\tVB\t_\t3\taux\t_\t_\r\n"
    "2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\tA=ü|B\r\n3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\r\n\r\n\r\n"
    "# second\r\n1\tHi\thi\tINTJ\tUH\t_\t0\troot\t_\tno-newline-at-the-end"
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    shutil.copy(EXAMPLES / "parsing/test.conllu", tmp_path / "t.conllu")
    shutil.copy(EXAMPLES / "constituency/test.mrg", tmp_path / "t.mrg")
    shutil.copy(EXAMPLES / "alignment/pairs.tsv", tmp_path / "pairs.tsv")
    (tmp_path / "s.txt").write_text(SPANS * 3)
    (tmp_path / "odd.conllu").write_bytes(CONLLU.encode())
    return {path.suffix[1:] if path.stem != "odd" else "odd": path for path in tmp_path.iterdir()}


def session(path: Path, models: Models) -> Session:
    return Session(str(path), models, Limits())


def heads(found: dict[str, Any]) -> list[int]:
    return [token["head"] for token in found["tokens"]]


def test_a_fixed_head_changes_the_tree_and_stays(files: dict[str, Path], every_model: Models) -> None:
    one = session(files["conllu"], every_model)
    before = heads(one.sentence(0))
    found = one.correct(0, {"token": 2, "head": 1})
    assert found["tokens"][1]["head"] == 1
    assert found["fixed"] == {"1": {"head": 1}}
    assert len([h for h in heads(found) if h == 0]) == 1
    found = one.correct(0, {"token": 4, "upos": "NOUN"})
    assert found["tokens"][3]["upos"] == "NOUN"
    assert found["tokens"][1]["head"] == 1
    one.correct(0, {"token": 4, "upos": None})
    assert heads(one.correct(0, {"token": 2, "head": None})) == before


def test_what_is_impossible_is_refused_and_nothing_changes(
    files: dict[str, Path], every_model: Models
) -> None:
    one = session(files["conllu"], every_model)
    data = one.document.data()
    one.correct(0, {"token": 2, "head": 3})
    changed = one.document.data()
    with pytest.raises(ValueError, match="circle"):
        one.correct(0, {"token": 3, "head": 2})
    for given in (
        {"token": 99, "head": 1},
        {"token": 1, "head": 1},
        {"token": 1, "head": 99},
        {"token": 1, "misc": "x"},
    ):
        with pytest.raises(RequestError):
            one.correct(0, given)
    for given in (
        {"token": True},
        {"token": 1, "upos": "a\tb"},
        {"token": 1, "upos": ""},
        {"token": 1, "head": "2"},
    ):
        with pytest.raises(RequestError):
            one.correct(0, given)
    with pytest.raises(RequestError):
        one.correct(10_000, {"token": 1, "head": 2})
    assert one.document.data() == changed
    one.move(back=True)
    assert one.document.data() == data


def test_only_what_changes_is_written(files: dict[str, Path], every_model: Models) -> None:
    one = session(files["odd"], every_model)
    assert one.document.data() == CONLLU.encode()
    one.correct(0, {"token": 2, "deprel": "discourse", "keep": True})
    one.save()
    assert files["odd"].read_bytes() == CONLLU.replace("advmod", "discourse").encode()
    trees = session(files["mrg"], every_model)
    assert trees.document.data() == files["mrg"].read_bytes()
    trees.correct(2, {"bracket": "NP:1-2", "must": True})
    before, after = files["mrg"].read_text().splitlines(), trees.document.data().decode().splitlines()
    assert [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [2]
    assert not after[2].startswith("(TOP")


def test_undo_and_redo_to_the_last_byte(files: dict[str, Path], every_model: Models) -> None:
    one = session(files["conllu"], every_model)
    contents = [one.document.data()]
    for given in ({"token": 2, "head": 1}, {"token": 3, "upos": "VERB"}, {"accept": True}):
        one.correct(1, given)
        contents.append(one.document.data())
    for wanted in contents[-2::-1]:
        one.move(back=True)
        assert one.document.data() == wanted
    with pytest.raises(RequestError, match="undo"):
        one.move(back=True)
    for wanted in contents[1:]:
        one.move(back=False)
        assert one.document.data() == wanted


def test_a_sentence_is_corrected_after_all_was_undone(files: dict[str, Path], every_model: Models) -> None:
    one = session(files["conllu"], every_model)
    data = one.document.data()
    for head in (1, 3):
        one.correct(1, {"token": 2, "head": head})
        changed = one.document.data()
        one.move(back=True)
        assert one.document.data() == data
    one = session(files["conllu"], every_model)  # as after a crash
    one.correct(1, {"token": 2, "head": 3})
    assert one.document.data() == changed
    one.move(back=True)
    assert one.document.data() == data


def test_labels_of_columns(files: dict[str, Path], every_model: Models) -> None:
    one = session(files["txt"], every_model)
    assert one.about()["tool"] == "spans"
    found = one.correct(0, {"token": 3, "label": "B-PER"})
    assert found["tokens"][2]["label"] == "B-PER"
    one.save()
    assert files["txt"].read_text().splitlines()[2] == "old\tB-PER"


def test_brackets_that_must_and_must_not_be_there(files: dict[str, Path], every_model: Models) -> None:
    one = session(files["mrg"], every_model)
    found = one.correct(0, {"bracket": "NP:1-2", "must": True})
    assert "(NP (DT The) (" in found["tree"]
    found = one.correct(0, {"bracket": "NP:1-2", "must": False})
    assert found["fixed"] == {"NP:1-2": False}
    assert one.correct(0, {"bracket": "NP:1-2", "must": None})["fixed"] == {}
    for wrong in (
        {"bracket": "NP:0-2", "must": True},
        {"bracket": "NP", "must": True},
        {"bracket": "NP:1-2", "must": 3},
    ):
        with pytest.raises(RequestError):
            one.correct(0, wrong)


def test_a_bracket_gets_another_label(files: dict[str, Path], every_model: Models) -> None:
    one = session(files["mrg"], every_model)
    before = one.sentence(0)["tree"]
    label, first, last = next(
        (name, *place) for name, *place in _brackets(before) if place[1] - place[0] > 0 and name == "NP"
    )
    found = one.correct(0, {"bracket": f"{label}:{first}-{last}", "to": "XYZ"})  # no grammar has it
    assert found["fixed"] == {"tree": found["tree"]}
    assert sorted(_brackets(found["tree"])) == sorted(
        [*(b for b in _brackets(before) if b != (label, first, last)), ("XYZ", first, last)]
    )
    again = one.correct(0, {"bracket": f"XYZ:{first}-{last}", "to": "NP"})
    assert sorted(_brackets(again["tree"])) == sorted(_brackets(before))
    one.move(back=True)
    one.move(back=True)
    assert one.sentence(0)["tree"] == before
    for given in ({"to": "NP"}, {"to": ""}, {"to": 3}, {"to": "A B"}):
        with pytest.raises(RequestError):
            one.correct(0, {"bracket": f"{label}:{first}-{last}", **given})
    with pytest.raises(RequestError, match="has no QQ"):
        one.correct(0, {"bracket": f"QQ:{first}-{last}", "to": "XYZ"})


def _brackets(tree: str) -> list[tuple[str, int, int]]:
    return [(span.label, span.segments[0][0] + 1, span.segments[-1][1]) for span in Tree.parse(tree).spans()]


def test_links_that_must_and_must_not_be_there(files: dict[str, Path], every_model: Models) -> None:
    one = session(files["tsv"], every_model)
    assert one.path == files["tsv"].with_suffix(".align")
    aligner = every_model.find("align").object
    pairs = [
        tuple(side.split() for side in line.split("\t")) for line in files["tsv"].read_text().splitlines()
    ]
    wanted = [" ".join(f"{i}-{j}" for i, j in links) for links in aligner.predict(pairs)]
    assert one.document.data().decode().splitlines() == wanted  # of a new file
    found = one.correct(0, {"link": "0-3", "must": True})
    names = {(link["source"], link["target"]): link["probability"] for link in found["links"]}
    assert names[0, 3] == 1.0
    assert set(names) == set(aligner.predict([pairs[0]], known=[[(0, 3)]])[0])
    found = one.correct(0, {"link": "0-3", "must": False})
    assert (0, 3) not in {(link["source"], link["target"]) for link in found["links"]}
    assert one.correct(0, {"link": "0-3", "must": None})["fixed"] == {}
    one.correct(1, {"accept": True})
    found = one.correct(1, {"link": "0-0", "must": False})
    assert "0-0" not in found["fixed"]["links"].split()
    for wrong in ({"link": "0-99", "must": True}, {"link": "0", "must": True}, {"link": "0-0", "must": 1}):
        with pytest.raises(RequestError):
            one.correct(0, wrong)
    one.save()
    saved = one.path.read_text()
    assert saved.splitlines()[2:] == wanted[2:]
    one.path.write_text(saved.replace("\n", "\r\n", 3).removesuffix("\n"))
    one.journal.path.unlink()
    again = session(files["tsv"], every_model)
    assert again.document.data() == one.path.read_bytes()
    one.path.write_text("0-0\n")
    again.journal.path.unlink()
    with pytest.raises(FormatError, match="a line of links for each"):
        session(files["tsv"], every_model)


def test_a_text_pipeline_decides_what_is_not_fixed(files: dict[str, Path], trained: dict[str, str]) -> None:
    one = session(files["conllu"], Models([trained["pipeline"]]))
    assert one.about()["columns"] == ["upos", "head", "deprel"]
    assert {"NOUN", "VERB"} <= set(one.about()["labels"]["upos"])
    found = one.correct(0, {"token": 2, "upos": "VERB"})
    assert found["tokens"][1]["upos"] == "VERB"
    found = one.correct(0, {"token": 1, "head": 2})
    assert [token[name] for token, name in zip(found["tokens"], ("head", "upos"))] == [2, "VERB"]
    assert all(p is not None and 0 <= p <= 1 for p in one.confidences())
    one.move(back=True)
    one.move(back=True)
    assert one.document.data() == files["conllu"].read_bytes()


@pytest.mark.parametrize("saved", [False, True])
def test_steps_survive_a_crash(saved: bool, files: dict[str, Path], every_model: Models) -> None:
    one = session(files["conllu"], every_model)
    one.correct(0, {"token": 2, "head": 1})
    if saved:
        one.save()
    one.correct(3, {"token": 1, "upos": "NOUN"})
    journal = files["conllu"].with_name("t.conllu" + SUFFIX)
    with journal.open("ab") as file:
        file.write(b'{"sentence": 0, "sta')  # the machine stopped in the middle of a line
    again = session(files["conllu"], every_model)
    assert again.document.data() == one.document.data()
    assert again.about()["corrected"] == [1, 4]
    assert again.unsaved
    again.move(back=True)
    assert again.sentence(3)["fixed"] == {}


@pytest.mark.parametrize("where", ["before the file", "after the file"])
def test_a_crash_while_saving_loses_nothing(
    where: str, files: dict[str, Path], every_model: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = session(files["conllu"], every_model)
    one.correct(0, {"token": 2, "head": 1})
    wanted = one.document.data()

    def stop(*arguments: object) -> None:
        raise SystemExit

    if where == "before the file":
        monkeypatch.setattr("palmette.serve.editing.journal.write_atomically", stop)
    else:
        monkeypatch.setattr(Journal, "_begin", stop)
    with pytest.raises(SystemExit):
        one.save()
    monkeypatch.undo()
    assert files["conllu"].read_bytes() == (
        wanted if where == "after the file" else (EXAMPLES / "parsing/test.conllu").read_bytes()
    )
    again = session(files["conllu"], every_model)
    assert again.document.data() == wanted
    assert again.about()["corrected"] == [1]
    again.save()
    assert files["conllu"].read_bytes() == wanted


def test_a_file_that_another_program_changed(files: dict[str, Path], every_model: Models) -> None:
    session(files["conllu"], every_model).correct(0, {"token": 2, "head": 1})
    files["conllu"].write_text(files["conllu"].read_text() + "\n")
    with pytest.raises(FormatError, match="another program"):
        session(files["conllu"], every_model)
    files["conllu"].with_name("t.conllu" + SUFFIX).write_text("nonsense\n")
    with pytest.raises(FormatError, match="not a journal"):
        session(files["conllu"], every_model)


def test_saving_never_undoes_what_another_program_wrote(files: dict[str, Path], every_model: Models) -> None:
    one, theirs = session(files["odd"], every_model), CONLLU.replace("aux", "xcomp").encode()
    one.correct(0, {"token": 2, "deprel": "discourse", "keep": True})
    files["odd"].write_bytes(theirs)
    with pytest.raises(RequestError, match="another program changed odd"):
        one.save()
    assert files["odd"].read_bytes() == theirs
    assert one.unsaved
    files["odd"].rename(files["odd"].with_name("theirs.conllu"))
    one.save()
    assert files["odd"].read_bytes() == CONLLU.replace("advmod", "discourse").encode()
    one.correct(0, {"token": 2, "deprel": "advmod", "keep": True})
    one.save()  # and once more, over what was saved


def test_two_servers_do_not_write_into_one_journal(files: dict[str, Path], every_model: Models) -> None:
    one, other = session(files["odd"], every_model), session(files["odd"], every_model)
    one.correct(0, {"token": 2, "deprel": "discourse", "keep": True})
    with pytest.raises(FormatError, match="second server"):
        other.correct(0, {"token": 1, "deprel": "xcomp", "keep": True})
    assert other.document.data() == CONLLU.encode()
    assert session(files["odd"], every_model).states.keys() == {0}


def test_a_journal_that_was_deleted_is_written_again(files: dict[str, Path], every_model: Models) -> None:
    one = session(files["odd"], every_model)
    one.correct(0, {"token": 2, "deprel": "discourse", "keep": True})
    one.journal.path.unlink()
    one.correct(1, {"token": 1, "upos": "NOUN", "keep": True})
    assert session(files["odd"], every_model).document.data() == one.document.data()


def test_a_correction_that_changes_nothing_is_not_a_step(files: dict[str, Path], every_model: Models) -> None:
    one = session(files["conllu"], every_model)
    for _ in range(3):
        one.correct(0, {"accept": True})
    assert one.about()["undo"] == 1
    one.move(back=True)
    assert one.about()["undo"] == 0


def test_what_the_model_changed_and_would_choose_is_told(files: dict[str, Path], every_model: Models) -> None:
    one = session(files["conllu"], every_model)
    before = one.sentence(0)["tokens"]
    kept = one.correct(0, {"token": 2, "head": 1, "keep": True})
    assert kept["changed"] == 0
    assert [token["head"] for token in kept["tokens"]] == [
        1 if i == 1 else t["head"] for i, t in enumerate(before)
    ]
    for token in kept["tokens"]:
        assert ("model" in token) == token["differs"]
    found = one.correct(0, {"token": 2, "head": 1})
    values = [{name: token.get(name) for name in one.editor.columns()} for token in found["tokens"]]
    old = [{name: token.get(name) for name in one.editor.columns()} for token in kept["tokens"]]
    assert found["changed"] == sum(a != b for a, b in zip(values, old)) > 0
    words = "1\tDogs" + "\t_" * 8 + "\n2\tsleep" + "\t_" * 8 + "\n\n"
    files["conllu"].with_name("bare.conllu").write_text(words)
    bare = session(files["conllu"].with_name("bare.conllu"), every_model)
    assert bare.correct(0, {"token": 2, "head": 1})["changed"] == 0  # nothing was lost
    assert bare.correct(0, {"token": 2, "head": None})["changed"] == 2


def test_the_least_sure_sentence_is_known(files: dict[str, Path], every_model: Models) -> None:
    for name in ("conllu", "txt", "mrg", "tsv"):
        one = session(files[name], every_model)
        found = one.confidences()
        assert len(found) == len(one.document)
        assert all(p is not None and 0 <= p <= 1 for p in found)


def test_confidences_come_in_parts(files: dict[str, Path], trained: dict[str, str]) -> None:
    files["txt"].write_text(SPANS * 60)  # 120 sentences
    models = Models([trained["spans"]])
    whole = session(files["txt"], models).confidences()
    one, found = session(files["txt"], models), []
    for expected in (50, 100, 120, 120):
        found = one.confidences(-1.0)
        assert len(found) == expected
    assert found == whole


def test_files_that_cannot_be_edited(tmp_path: Path, trained: dict[str, str]) -> None:
    (tmp_path / "a.txt").write_text("Some prose, and no more.\n")
    (tmp_path / "d.conllu").write_bytes(gzip.compress(CONLLU.encode()))
    (tmp_path / "b.conllu").write_text("1\tword\n")
    (tmp_path / "c.conllu").write_bytes(CONLLU.encode())
    models = Models([trained["lm"]])
    for name, words in (
        ("a.txt", "expected CoNLL-U"),
        ("d.conllu", "unpack it first"),
        ("b.conllu", "b.conllu:1"),
        ("c.conllu", "serve a model of"),
    ):
        with pytest.raises(ValueError, match=words):
            session(tmp_path / name, models)
    assert isinstance(opened(b"(S (A a))", "x.mrg"), Trees)
    assert isinstance(opened(CONLLU.encode(), "x"), Lines)


def test_the_paths_of_editing(files: dict[str, Path], every_model: Models) -> None:
    sessions = [session(files["conllu"], every_model)]
    with serving(every_model, more=lambda service: edit_routes(service, sessions)) as client:
        assert client.get("/v1/models").json()["editing"] is True
        assert client.get("/v1/edit").json()["files"][0]["name"] == "t.conllu"
        found = client.post("/v1/edit/correct", json={"file": 0, "sentence": 1, "token": 2, "head": 1}).json()
        assert found["tokens"][1]["head"] == 1
        assert found["about"]["undo"] == 1
        assert client.post("/v1/edit/save", json={"file": 0}).json()["about"]["unsaved"] is False
        assert client.post("/v1/edit/undo", json={"file": 0}).status_code == 409
        for body in ({"file": 1}, {"file": "/etc/passwd"}, {}, {"file": True}):
            assert client.post("/v1/edit/show", json=body).status_code == 404
        assert client.post("/v1/edit/nothing", json={"file": 0}).status_code == 404
        assert client.post("/v1/edit/show", json={"file": 0, "sentence": 999}).status_code == 404
        circle = client.post("/v1/edit/correct", json={"file": 0, "sentence": 1, "token": 1, "head": 2})
        assert circle.status_code == 400
        assert "circle" in circle.json()["error"]
        order = client.post("/v1/edit/order", json={"file": 0}).json()
        assert len(order["confidence"]) == order["about"]["sentences"]
        assert order["complete"]
        paths = client.get("/openapi.json").json()["paths"]
        assert {f"/v1/edit/{action}" for action in ACTIONS} == {p for p in paths if p.startswith("/v1/edit/")}
        assert "get" in paths["/v1/edit"]
