"""WordNet folders: our small one, and the real one where it is installed."""

from __future__ import annotations

import shutil
from collections import defaultdict
from pathlib import Path

import pytest

from palmette import FormatError
from palmette.tools.senses.inventory import open_inventory, read_inventory
from palmette.tools.senses.wordnet import WordNet

SMALL = Path(__file__).parents[2] / "data" / "wordnet"
REAL = Path("/usr/share/wordnet")
needs_wordnet = pytest.mark.skipif(
    not (REAL / "index.sense").is_file(),
    reason="the packages wordnet-base and wordnet-sense-index are not here",
)


def of_index(folder: Path) -> dict[tuple[str, str], list[str]]:
    """The senses of all words in the order of index.sense."""
    found: defaultdict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for line in (folder / "index.sense").read_text().splitlines():
        key, _, number, _ = line.split()
        lemma, _, rest = key.partition("%")
        found[lemma, {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}[rest[0]]].append((int(number), key))
    return {word: [key for _, key in sorted(own)] for word, own in found.items()}


def check_against_index(folder: Path, every: int) -> None:
    wordnet = WordNet(folder)
    for i, (word, keys) in enumerate(of_index(folder).items()):
        if i % every == 0:
            assert list(wordnet.senses(word)) == keys


def test_keys_are_those_of_the_sense_index() -> None:
    check_against_index(SMALL, 1)


@needs_wordnet
def test_keys_of_the_real_wordnet() -> None:
    check_against_index(REAL, 101)


@needs_wordnet
def test_definitions_and_lemmas_of_the_real_wordnet() -> None:
    wordnet = WordNet()
    assert "sloping land" in wordnet.definition(wordnet.senses(("bank", "n"))[0])
    lemmas = [
        wordnet.lemma(*pair) for pair in (("geese", "n"), ("ran", "v"), ("boxes", "n"), ("xyzzys", "n"))
    ]
    assert lemmas == ["goose", "run", "box", "xyzzys"]


def test_without_a_sense_index(tmp_path: Path) -> None:
    shutil.copytree(SMALL, tmp_path / "wn")
    (tmp_path / "wn" / "index.sense").unlink()
    whole, part = WordNet(SMALL), WordNet(tmp_path / "wn")
    for word, keys in of_index(SMALL).items():
        assert list(part.senses(word)) == keys
        assert [part.definition(key) for key in keys] == [whole.definition(key) for key in keys]
    assert part.count("bank%1:14:00::") == 0
    assert whole.count("bank%1:14:00::") == 20


def test_what_a_sense_means() -> None:
    wordnet = WordNet(SMALL)
    assert wordnet.related("bank%1:17:00::") == ["the solid part of the surface of the earth"]
    assert wordnet.synonyms("bank%1:14:00::") == ["bank", "depository"]
    assert wordnet.definition("bank%1:99:00::") == wordnet.definition("nonsense") == ""
    assert (
        wordnet.senses(("unknown", "n")) == wordnet.senses(("", "n")) == wordnet.senses(("bank", "x")) == ()
    )
    assert len(list(wordnet.definitions())) == 10


def test_a_missing_folder_says_what_is_needed_and_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(
        FileNotFoundError, match=r"index\.noun, data\.noun.*wordnet-base.*looked in .*nowhere"
    ):
        WordNet(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["data.verb", "index.adj"])
def test_a_missing_or_empty_file(name: str, tmp_path: Path) -> None:
    shutil.copytree(SMALL, tmp_path / "wn")
    (tmp_path / "wn" / name).write_text("")
    with pytest.raises(FormatError, match=f"{name}: expected a file of WordNet.*wordnet-base"):
        WordNet(tmp_path / "wn")


def test_damaged_files(tmp_path: Path) -> None:
    shutil.copytree(SMALL, tmp_path / "wn")
    data = tmp_path / "wn" / "data.noun"
    data.write_bytes(data.read_bytes()[:200])
    with pytest.raises(FormatError, match="damaged WordNet: there is no synset at byte"):
        WordNet(tmp_path / "wn").senses(("bank", "n"))
    index = tmp_path / "wn" / "index.verb"
    index.write_text("run v\n")
    with pytest.raises(FormatError, match="damaged WordNet: the line of 'run'"):
        WordNet(tmp_path / "wn").senses(("run", "v"))


def test_inventories_in_files(tmp_path: Path) -> None:
    path = tmp_path / "senses.tsv"
    path.write_text("# comment\nBank\tNOUN\ts1\tland\nbank\tn\ts2\n")
    found = read_inventory(path)
    assert found.senses(("bank", "n")) == ["s1", "s2"]
    assert found.definition("s1") == "land"
    assert isinstance(open_inventory(SMALL), WordNet)
    for text, message in (
        ("bank\tn\n", "senses.tsv:1: expected word, part of speech, sense"),
        ("bank\tn\ts\nbank\tn\ts\n", "senses.tsv:2: sense 's' of 'bank' comes twice"),
        ("", "the file has none"),
    ):
        path.write_text(text)
        with pytest.raises(FormatError, match=message):
            read_inventory(path)
