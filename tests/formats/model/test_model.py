"""Model files: what is saved comes back, and what is not a model is refused in one sentence."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open

from palmette.errors import FormatError
from palmette.formats.model import FORMAT_VERSION, ModelFile, check_indices, fingerprint
from palmette.formats.model.safetensors import DTYPES, MAX_HEADER


def small_model() -> ModelFile:
    return ModelFile(
        kind="tagger",
        options={"learner": "crf", "l2": 0.5, "layers": [1, {"deep": None}], "Größe": True},
        arrays={
            "weights": np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4),
            "heads": np.array([2, 0, 1], dtype=np.int16),
            "mask": np.array([1, 0, 1], dtype=np.uint8),
            "scalar": np.array(2.5),
            "nothing": np.zeros((2, 0), dtype=np.int32),
        },
        strings={"labels": ["NOUN", "VERB", "", "ἄλφα", "🌿"], "empty": []},
        fingerprint=fingerprint(b"training data"),
    )


def content(model: ModelFile) -> bytes:
    file = io.BytesIO()
    model.write(file)
    return file.getvalue()


def rebuilt(edit, model: ModelFile | None = None) -> bytes:
    """A model's file with an edited header."""
    have = content(model or small_model())
    n = int.from_bytes(have[:8], "little")
    header = json.loads(have[8 : 8 + n])
    edit(header)
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    return len(text).to_bytes(8, "little") + text + have[8 + n :]


def refusal(data: bytes, kind: str | None = None) -> str:
    with pytest.raises(FormatError) as caught:
        ModelFile.from_buffer(data, kind, path="x.palm")
    assert str(caught.value).startswith("x.palm: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    return caught.value.message


def test_a_saved_model_comes_back(tmp_path: Path) -> None:
    want = small_model()
    want.save(tmp_path / "x.palm")
    have = ModelFile.load(tmp_path / "x.palm", "tagger")
    assert have.kind == "tagger"
    assert have.options == want.options
    assert have.fingerprint == hashlib.sha256(b"training data").hexdigest()
    assert have.palmette_version
    assert have.path == str(tmp_path / "x.palm")
    assert have.arrays.keys() == want.arrays.keys()
    for name, array in want.arrays.items():
        assert have.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(have.arrays[name], array, strict=True)
    assert {name: list(table) for name, table in have.strings.items()} == want.strings


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_every_type_comes_back_aligned(dtype: np.dtype) -> None:
    arrays = {"a": np.ones(3, np.uint8), "b": np.arange(6).astype(dtype).reshape(2, 3), "c": np.ones(5)}
    have = ModelFile.from_buffer(content(ModelFile("lm", {}, arrays, {}))).arrays["b"]
    np.testing.assert_array_equal(have, arrays["b"], strict=True)
    assert have.flags.aligned
    assert have.flags.c_contiguous


def test_arrays_that_do_not_lie_as_in_the_file_are_rearranged() -> None:
    matrix = np.arange(12, dtype=">i4").reshape(3, 4)
    have = ModelFile.from_buffer(content(ModelFile("lm", {}, {"t": matrix.T}, {}))).arrays["t"]
    np.testing.assert_array_equal(have, matrix.T)
    assert have.dtype == np.dtype("<i4")


def test_loaded_arrays_cannot_be_written_to(tmp_path: Path) -> None:
    small_model().save(tmp_path / "x.palm")
    for model in (
        ModelFile.load(tmp_path / "x.palm"),
        ModelFile.from_buffer(bytearray(content(small_model()))),
    ):
        with pytest.raises(ValueError, match="read-only"):
            model.arrays["weights"][0, 0] = 1


def test_a_model_in_use_survives_its_replacement(tmp_path: Path) -> None:
    small_model().save(tmp_path / "x.palm")
    old = ModelFile.load(tmp_path / "x.palm")
    ModelFile("lm", {}, {}, {}).save(tmp_path / "x.palm")
    assert old.arrays["weights"][2, 3] == 1
    assert ModelFile.load(tmp_path / "x.palm").kind == "lm"


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    model = small_model()
    turned = ModelFile(
        model.kind,
        dict(reversed(model.options.items())),
        dict(reversed(model.arrays.items())),
        dict(reversed(model.strings.items())),
        model.fingerprint,
    )
    assert content(model) == content(turned)
    loaded = ModelFile.from_buffer(content(model))
    assert content(loaded) == content(model)


def test_the_safetensors_package_reads_what_we_write(tmp_path: Path) -> None:
    model = small_model()
    model.save(tmp_path / "x.palm")
    theirs = safetensors.numpy.load_file(tmp_path / "x.palm")
    for name, array in model.arrays.items():
        np.testing.assert_array_equal(theirs[name], array, strict=True)
    assert bytes(theirs["labels.utf8"]).decode() == "".join(model.strings["labels"])
    with safe_open(tmp_path / "x.palm", "numpy") as file:
        metadata = file.metadata()
    assert metadata["format"] == "palmette"
    assert json.loads(metadata["options"]) == model.options


def test_we_read_what_the_safetensors_package_writes() -> None:
    metadata = {
        "format": "palmette", "format_version": "1", "kind": "lm", "options": "{}", "strings": "[]",
        "fingerprint": "", "palmette_version": "9.9", "someone": "else",
    }  # fmt: skip
    arrays = {"a": np.arange(3.0), "b": np.arange(4, dtype=np.int8)}
    have = ModelFile.from_buffer(safetensors.numpy.save(arrays, metadata))
    np.testing.assert_array_equal(have.arrays["a"], arrays["a"])
    np.testing.assert_array_equal(have.arrays["b"], arrays["b"])
    assert refusal(safetensors.numpy.save(arrays)) == "a safetensors file, but not a Palmette model"


@given(
    st.lists(st.text()),
    st.dictionaries(st.text(), st.integers() | st.floats(allow_nan=False, allow_infinity=False)),
)
def test_any_text_comes_back(strings: list[str], options: dict[str, float]) -> None:
    have = ModelFile.from_buffer(content(ModelFile("lm", options, {}, {"t": strings})))
    assert list(have.strings["t"]) == strings
    assert [have.strings["t"][i] for i in range(len(strings))] == strings
    assert have.options == options


def test_a_fingerprint_tells_parts_apart() -> None:
    assert fingerprint(b"ab", b"c") != fingerprint(b"a", b"bc") != fingerprint(b"abc")
    assert fingerprint(b"x") == hashlib.sha256(b"x").hexdigest()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "Tagger!"}, "cannot be a kind of model"),
        ({"fingerprint": "abc"}, "64 hexadecimal digits"),
        ({"options": {"width": (1, 2)}}, "width is of type tuple"),
        ({"options": {"l2": float("nan")}}, "l2 is nan"),
        ({"options": {"a": {1: 2}}}, "a has a key of type int"),
        ({"options": {"a": "\ud800"}}, "not valid Unicode"),
        ({"options": {"a": "x" * MAX_HEADER}}, "keep long lists in arrays"),
        ({"arrays": {"b": np.array([True])}}, "array 'b' is of type bool"),
        ({"arrays": {"b": np.array(["text"])}}, "array 'b' is of type <U4"),
        ({"arrays": {"b": np.array([{}])}}, "array 'b' is of type object"),
        ({"arrays": {"b\n": np.zeros(1)}}, "cannot name an array"),
        ({"arrays": {"__metadata__": np.zeros(1)}}, "cannot name an array"),
        ({"arrays": {"b": np.zeros((1,) * 9)}}, "has 9 dimensions"),
        ({"arrays": {"t.utf8": np.zeros(1)}, "strings": {"t": []}}, "rename one"),
        ({"strings": {"t": ["\ud800"]}}, "not valid Unicode"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(change: dict, sentence: str, tmp_path: Path) -> None:
    fields = {"kind": "lm", "options": {}, "arrays": {}, "strings": {}} | change
    with pytest.raises(ValueError, match=sentence):
        ModelFile(**fields).save(tmp_path / "x.palm")
    assert list(tmp_path.iterdir()) == []


def test_a_model_is_not_gzipped(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"drop the \.gz"):
        small_model().save(tmp_path / "x.palm.gz")


def test_a_model_goes_to_a_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not to standard output"):
        small_model().save("-")
    with pytest.raises(IsADirectoryError):
        small_model().save(tmp_path)
    with pytest.raises(FileNotFoundError):
        small_model().save(tmp_path / "no" / "x.palm")
    small_model().save("/dev/null")


# What is not a model


def test_things_that_are_not_model_files(tmp_path: Path) -> None:
    def sentence(path: Path | str) -> str:
        with pytest.raises(FormatError) as caught:
            ModelFile.load(path)
        return caught.value.message

    whole = content(small_model())
    for name, data in {
        "part": whole[: len(whole) // 2],
        "empty": b"",
        "short": b"abc",
        "text": b"Time flies like an arrow.\n",
        "packed": gzip.compress(content(small_model())),
        "x.arpa": b"\\data\\\n",
        "x.arpa.gz": gzip.compress(b"\\data\\\n"),
    }.items():
        (tmp_path / name).write_bytes(data)
    assert sentence(tmp_path / "part").startswith("truncated model")
    assert sentence(tmp_path / "empty") == "an empty file, not a model"
    assert sentence(tmp_path / "short") == "not a model file: it begins with b'abc'"
    assert sentence(tmp_path / "text") == "not a model file: it begins with b'Time flie'"
    assert "gunzip" in sentence(tmp_path / "packed")
    for name in ("x.arpa", "x.arpa.gz"):
        assert sentence(tmp_path / name) == (
            "an ARPA file, not a model file: make one with "
            f"palmette convert {tmp_path / name} {tmp_path / 'x.palm'}"
        )
    assert sentence(tmp_path) == "a directory, and a model is an ordinary file"
    assert "not an ordinary file" in sentence("/dev/null")
    assert "standard input" in sentence("-")
    os.mkfifo(tmp_path / "pipe")
    assert "not an ordinary file" in sentence(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError):
        ModelFile.load(tmp_path / "missing.palm")


def test_the_wrong_kind() -> None:
    assert refusal(content(small_model()), "dependency parser") == "holds a tagger, not a dependency parser"
    assert refusal(content(small_model()), "aligner") == "holds a tagger, not an aligner"


def test_a_newer_format() -> None:
    def edit(header: dict) -> None:
        header["__metadata__"]["format_version"] = "3"
        del header["__metadata__"]["kind"]  # what a later format may do

    assert refusal(rebuilt(edit)).startswith(
        f"written by a newer Palmette: format 3, and this one reads up to {FORMAT_VERSION}; upgrade"
    )


def test_every_truncation_is_refused() -> None:
    whole = content(small_model())
    for n in range(len(whole)):
        refusal(whole[:n])
    assert refusal(whole + b"x") == "damaged model: 1 bytes follow the last array"
    assert refusal(whole[:-1]).startswith("truncated model: its arrays need")


def set_array(name: str, **fields: object):
    return lambda header: header[name].update(fields)


def set_metadata(**fields: object):
    return lambda header: header["__metadata__"].update(fields)


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (set_array("weights", dtype="BF16"), "unknown type"),
        (set_array("weights", dtype=["F32"]), "unknown type"),
        (set_array("weights", shape=[3, -4]), "impossible shape"),
        (set_array("weights", shape=[3, True]), "impossible shape"),
        (set_array("weights", shape=[3.0, 4]), "impossible shape"),
        (set_array("weights", shape="34"), "impossible shape"),
        (set_array("weights", shape=[1] * 9), "impossible shape"),
        (set_array("weights", shape=[2**62, 2**62]), "impossible shape"),
        (set_array("nothing", shape=[0, 2**62, 2**62]), "impossible shape"),
        (set_array("nothing", shape=[0, 10**400]), "impossible shape"),
        (set_array("weights", shape=[2**61]), "impossible shape"),
        (set_array("weights", shape=[2**40]), "does not fill its 48 bytes"),
        (set_array("weights", shape=[3, 5]), "does not fill its 48 bytes"),
        (set_array("weights", shape=[]), "does not fill its 48 bytes"),
        (set_array("weights", data_offsets=[48, 0]), "impossible offsets"),
        (set_array("weights", data_offsets=[-48, 0]), "impossible offsets"),
        (set_array("weights", data_offsets=[0]), "impossible offsets"),
        (set_array("weights", data_offsets=[1, 49]), "not aligned"),
        (set_array("weights", data_offsets=[0, 48]), "overlaps another"),
        (set_array("weights", data_offsets=[2**40, 2**40 + 48]), "follows a gap"),
        (set_array("weights", extra=1), "needs a dtype, a shape and data_offsets"),
        (lambda header: header.update(weights=None), "needs a dtype, a shape and data_offsets"),
        (lambda header: header.pop("weights"), "follows a gap"),
        (lambda header: header.update({"a\x1b[2J": header.pop("weights")}), "cannot name an array"),
        (lambda header: header.update({"": header.pop("weights")}), "cannot name an array"),
        (lambda header: header.update({"x" * 300: header.pop("weights")}), "cannot name an array"),
        (lambda header: header.update(__metadata__=[]), "not an object of strings"),
        (lambda header: header["__metadata__"].update(kind=1), "not an object of strings"),
        (lambda header: header.pop("__metadata__"), "not a Palmette model"),
        (lambda header: header["__metadata__"].pop("options"), "lack 'options'"),
        (set_metadata(format_version="01"), "not a number"),
        (set_metadata(format_version="1.0"), "not a number"),
        (set_metadata(format_version="9" * 9999), "not a number"),
        (set_metadata(kind="\x1b[2J"), "its kind is not a word"),
        (set_metadata(fingerprint="z" * 64), "64 hexadecimal digits"),
        (set_metadata(palmette_version="1\n2"), "palmette_version"),
        (set_metadata(options="[]"), "not a JSON object"),
        (set_metadata(options="{"), "options cannot be read"),
        (set_metadata(options='{"a": NaN}'), "NaN is not JSON"),
        (set_metadata(options='{"a": 1e999}'), "a is inf"),
        (set_metadata(options='{"a": 1, "a": 2}'), "key 'a' appears twice"),
        (set_metadata(options='{"a": "\\ud800"}'), "not valid Unicode"),
        (set_metadata(options="[" * 200_000), "nested deeper"),
        (set_metadata(options="[" * 40 + "]" * 40), "nested deeper"),
        (set_metadata(options="9" * 5000), "options cannot be read"),
        (set_metadata(strings="{}"), "not a list of names"),
        (set_metadata(strings="[1]"), "not a list of names"),
        (set_metadata(strings='["labels","labels"]'), "named twice"),
        (set_metadata(strings='["words"]'), "table of strings 'words' is missing"),
        (lambda header: header.update({"z": header.pop("labels.utf8")}), "'labels' is missing"),
    ],
)
def test_a_damaged_header(edit, sentence: str) -> None:
    assert sentence in refusal(rebuilt(edit))


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        (b"{", "cannot be read"),
        (b"{\xff}", "cannot be read"),
        (b'{"a": {}, "a": {}}', "key 'a' appears twice"),
        (b'{"a":' * 100_000, "nested deeper"),
        (b'{"' + b"k" * 10_000 + b'":1,"' + b"k" * 10_000 + b'":1}', "appears twice"),
    ],
)
def test_a_header_that_is_not_json(header: bytes, sentence: str) -> None:
    assert sentence in refusal(len(header).to_bytes(8, "little") + header)


def test_lengths_of_the_header() -> None:
    for length in (MAX_HEADER + 1, 2**63, 2**64 - 1):
        assert "at most 1,048,576 are allowed" in refusal(length.to_bytes(8, "little") + b"{}")
    assert refusal((1000).to_bytes(8, "little") + b"{}").startswith(
        "truncated model: a header of 1,000 bytes"
    )


def test_damaged_tables_of_strings() -> None:
    def damaged(utf8: bytes, offsets: list[int], dtype: str = "<i8") -> str:
        arrays = {"t.utf8": np.frombuffer(utf8, np.uint8), "t.offsets": np.array(offsets, dtype)}
        return refusal(rebuilt(set_metadata(strings='["t"]'), ModelFile("lm", {}, arrays, {})))

    assert "do not cut the 3 bytes" in damaged(b"abc", [0, 2, 1, 3])
    assert "do not cut" in damaged(b"abc", [0, 2])
    assert "do not cut" in damaged(b"abc", [1, 3])
    assert "do not cut" in damaged(b"abc", [0, -1, 3])
    assert "do not cut" in damaged(b"abc", [0, 4, 3])
    assert "do not cut" in damaged(b"abc", [])
    assert "begins inside a character" in damaged("aä".encode(), [0, 2, 3])
    assert "not valid UTF-8" in damaged(b"a\xff", [0, 1, 2])
    assert "not valid UTF-8" in damaged("ä".encode()[:1], [0, 1])
    assert "64-bit offsets" in damaged(b"abc", [0, 3], "<i4")


# What a tool asks of a model


def test_a_tool_asks_for_what_it_needs() -> None:
    model = ModelFile.from_buffer(content(small_model()), path="x.palm")
    assert model.array("weights", np.float32, (3, None)).shape == (3, 4)
    assert model.indices("heads", np.int16, [None], limit=3).tolist() == [2, 0, 1]
    assert list(model.table("labels", 5))[1] == "VERB"
    for ask, sentence in [
        (lambda: model.array("bias", np.float32, [None]), "x.palm: this tagger has no array 'bias'"),
        (lambda: model.array("weights", np.float64, [3, 4]), "array 'weights' holds float32, not float64"),
        (lambda: model.array("weights", np.float32, [3, 5]), r"has shape \(3, 4\), not 3 × 5"),
        (lambda: model.array("weights", np.float32, [None]), r"has shape \(3, 4\), not any"),
        (lambda: model.indices("heads", np.int16, [3], limit=2), "points to 2, and there are only 2"),
        (lambda: model.table("words"), "this tagger has no table of strings 'words'"),
        (lambda: model.table("labels", 4), "has 5 strings, not 4"),
    ]:
        with pytest.raises(FormatError, match=sentence):
            ask()


def test_indices_and_boundaries() -> None:
    check_indices(np.zeros(0, np.int32), 0, "none")
    for array, limit in [(np.array([-1]), 5), (np.array([5]), 5), (np.array([2**64 - 1], np.uint64), 5)]:
        with pytest.raises(FormatError, match="and there are only 5"):
            check_indices(array, limit, "heads")
    with pytest.raises(FormatError, match="not whole numbers"):
        check_indices(np.array([0.5]), 5, "heads")

    def rows(*numbers: int) -> ModelFile:
        return ModelFile("lm", {}, {"rows": np.array(numbers, np.int64)}, {})

    assert rows(0, 2, 2, 5).boundaries("rows", np.int64, last=5, rows=3).tolist() == [0, 2, 2, 5]
    for wrong in [(), (1, 5), (0, 4), (0, 3, 2, 5), (0, 6, 5)]:
        with pytest.raises(FormatError, match="does not cut 5 items"):
            rows(*wrong).boundaries("rows", np.int64, last=5)


def test_models_in_models(tmp_path: Path) -> None:
    tagger = ModelFile(
        "tagger", {"order": 1}, {"w": np.arange(3.0)}, {"labels": ["A", "B"]}, fingerprint(b"x")
    )
    parser = ModelFile("parser", {"method": "graph"}, {"w": np.arange(2.0)}, {})
    inner = parser.put("tags", tagger)
    whole = ModelFile("pipeline", {"about": 1}, {"w": np.zeros(1)}, {}).put("one", tagger).put("two", inner)
    whole.save(tmp_path / "m.palm")
    found = ModelFile.load(tmp_path / "m.palm")
    assert list(found.parts()) == ["one", "two"]
    assert found.part("three") is None
    for part in (found.part("one"), found.part("two").part("tags")):
        assert (part.kind, part.options, part.fingerprint) == ("tagger", {"order": 1}, fingerprint(b"x"))
        assert part.path == found.path
        np.testing.assert_array_equal(part.arrays["w"], np.arange(3.0))
        assert list(part.table("labels")) == ["A", "B"]
    assert set(found.part("two").part("tags").arrays) == {"w"}
    found.part("two").require_kind("parser")
    with pytest.raises(FormatError, match=r"m\.palm: holds a parser, not a tagger"):
        found.part("two").require_kind("tagger")


@pytest.mark.parametrize(
    "parts",
    [
        3,
        {"name": "one"},
        [3],
        [{"name": "one", "kind": "", "options": {}, "fingerprint": ""}],
        [{"name": 1, "kind": "tagger", "options": {}, "fingerprint": ""}],
        [{"name": "one", "kind": "tagger", "options": [], "fingerprint": ""}],
        [{"name": "one", "kind": "tagger", "options": {}}],
    ],
)
def test_damaged_parts(parts: Any) -> None:
    file = ModelFile("pipeline", {"parts": parts}, {}, {}, path="m.palm")
    with pytest.raises(FormatError, match=r"m\.palm: damaged model: "):
        file.parts()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("its rules\nare odd"), "m.palm: damaged model: its rules are odd"),
        (KeyError("root"), "m.palm: damaged model: 'root' is missing"),
        (IndexError(), "m.palm: damaged model: IndexError"),
        (MemoryError(), "m.palm: damaged model: its tables are larger than the memory"),
        (FormatError("damaged model: no labels"), "m.palm: damaged model: no labels"),
        (FormatError("no labels", path="other.palm"), "other.palm: no labels"),
    ],
)
def test_whatever_goes_wrong_in_restoring_is_damage(error: Exception, message: str) -> None:
    with pytest.raises(FormatError) as caught, ModelFile("x", {}, {}, {}, path="m.palm").restoring():
        raise error
    assert str(caught.value) == message
