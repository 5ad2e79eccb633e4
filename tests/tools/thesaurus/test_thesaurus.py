"""`Thesaurus`: input of all forms, neighbours, hierarchies, vectors, opposites, files, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import FormatError, Thesaurus, load
from palmette.formats import read_conllu
from palmette.formats.model import ModelFile
from palmette.tools.thesaurus.hierarchy import Hierarchy
from palmette.tools.thesaurus.opposites import wordnet_antonyms
from palmette.tools.thesaurus.scores import SimilarityScores, spearman

pytestmark = pytest.mark.native
EXAMPLES = Path(__file__).parents[3] / "examples" / "thesaurus"
FARM = EXAMPLES / "farm.conllu"


@pytest.fixture(scope="module")
def farm() -> Thesaurus:
    return Thesaurus(options={"dimensions": 20}).fit(FARM)


def words(found: Any) -> list[str]:
    return [one.word for one in found]


def test_neighbours_are_of_the_same_kind(farm: Thesaurus) -> None:
    for measure in ("lin", "cosine", "set-cosine", "dice", "jaccard", "vectors"):
        assert set(words(farm.neighbours("cat", 2, measure=measure))) == {"dog", "rabbit"}, measure
        assert set(words(farm.neighbours("oak", 2, measure=measure))) == {"elm", "birch"}, measure
    every = farm.predict(farm.words_, k=3, measure="lin")
    assert [words(one) for one in every[:5]] == [
        words(farm.neighbours(word, 3, measure="lin")) for word in farm.words_[:5]
    ]
    assert words(farm.neighbours("CAT", 1)) == words(farm.neighbours("cat", 1))


def test_every_form_of_input_counts_the_same() -> None:
    options = {"contexts": "windows", "min_count": 1}
    lines = (EXAMPLES / "farm.txt").read_text().splitlines()
    corpus = read_conllu(FARM)
    want = Thesaurus(options=options).fit(corpus)
    rows = [list(sentence["form"]) for sentence in corpus]
    for given in (FARM, str(FARM), [FARM], lines, rows, iter(rows), list(corpus), EXAMPLES / "farm.txt"):
        found = Thesaurus(options=options).fit(given)
        assert found.words_ == want.words_
        np.testing.assert_array_equal(found.model_.table.values, want.model_.table.values)
    trees = Thesaurus().fit(list(corpus))
    np.testing.assert_array_equal(trees.model_.table.values, Thesaurus().fit(FARM).model_.table.values)


def test_text_is_parsed() -> None:
    found = Thesaurus(parser="en").fit(EXAMPLES / "farm.txt")
    assert found.model_.options.contexts == "both"
    assert any(relation == "obj" for relation in found.model_.table.relations)
    assert "dog" in words(found.neighbours("cat", 2))


def test_words_of_different_parts_of_speech() -> None:
    found = Thesaurus(options={"tags": True, "min_count": 1}).fit(FARM)
    assert {"saw/NOUN", "saw/VERB"} <= set(found.words_)
    assert "hammer/NOUN" in words(found.neighbours("saw/NOUN", 3))
    assert found.neighbours("oak", 1) == found.neighbours("oak/NOUN", 1)


def test_lemmas_are_words_where_there_are_some() -> None:
    corpus = read_conllu(FARM)
    lemmas = [
        [form.lower().removesuffix("s") if i else "_" for i, form in enumerate(row["form"])] for row in corpus
    ]
    found = Thesaurus().fit(corpus.with_column("lemma", lemmas))
    assert found.model_.options.words == "lemma"
    assert "tool" not in found.words_
    assert "leave" in found.words_
    assert "the" in found.words_  # the form, where a word has no lemma


def plain_average_link(similarity: Any) -> list[tuple[set[int], float]]:
    """Join the two clusters with the greatest mean similarity, by looking at all pairs."""
    clusters = [{i} for i in range(len(similarity))]
    joins = []
    while len(clusters) > 1:
        score, a, b = max(
            (np.mean([similarity[i][j] for i in x for j in y]), -m, -n)
            for m, x in enumerate(clusters)
            for n, y in enumerate(clusters)
            if m < n
        )
        joined = clusters[-a] | clusters[-b]
        clusters = [one for one in clusters if not one <= joined] + [joined]
        joins.append((joined, float(score)))
    return joins


def test_hierarchies_are_average_link() -> None:
    rng = np.random.default_rng(3)
    for n in (2, 3, 9):
        matrix = rng.random((n, n))
        matrix = (matrix + matrix.T) / 2
        found = Hierarchy.average_link([str(i) for i in range(n)], matrix)
        parts = {i: {i} for i in range(n)}
        for i, ((a, b, score), (joined, want)) in enumerate(
            zip(found.joins, plain_average_link(matrix), strict=True)
        ):
            parts[n + i] = parts[a] | parts[b]
            assert parts[n + i] == joined
            assert score == pytest.approx(want)


def test_clusters_and_drawings(farm: Thesaurus) -> None:
    chosen = ["cat", "oak", "dog", "elm", "rabbit", "birch"]
    hierarchy = farm.hierarchy(chosen, measure="lin")
    assert sorted(map(sorted, hierarchy.clusters(n=2))) == [["birch", "elm", "oak"], ["cat", "dog", "rabbit"]]
    assert len(hierarchy.clusters(similarity=0.0)) == 1
    assert len(hierarchy.clusters(similarity=1.1)) == 6
    assert len(hierarchy.clusters(n=99)) == 6
    drawn = hierarchy.draw().splitlines()
    assert len(drawn) == 6
    assert farm.hierarchy(["cat"]).draw() == "cat"
    with pytest.raises(ValueError, match="either"):
        hierarchy.clusters()


def plain_vectors(thesaurus: Thesaurus, near: bool, n: int) -> Any:
    """U Σ^p of the contexts nearby, or of the others."""
    table = thesaurus.model_.table
    matrix = np.zeros((table.n_rows, len(table.context_words)))
    for row in range(table.n_rows):
        columns, values = table.row(row)
        matrix[row, columns] = values
    chosen = [table.context(c).startswith("near ") == near for c in range(matrix.shape[1])]
    u, s, _ = np.linalg.svd(matrix[:, chosen], full_matrices=False)
    return u[:, :n] * s[:n] ** thesaurus.model_.options.power


def test_vectors_are_singular_value_decompositions(farm: Thesaurus, tmp_path: Path) -> None:
    windows = Thesaurus(options={"contexts": "windows", "dimensions": 4}).fit(FARM)
    np.testing.assert_allclose(np.abs(windows.vectors_), np.abs(plain_vectors(windows, True, 4)), atol=0.02)
    parts = []
    for near, scale in ((True, 1.0), (False, 0.5)):
        part = plain_vectors(farm, near, 10_000)
        norms = np.linalg.norm(part, axis=1, keepdims=True)
        parts.append(np.where(norms > 1e-6, scale * part / np.maximum(norms, 1e-6), 0))
    want = np.hstack(parts)
    cosines = want @ want.T / np.outer(*[np.linalg.norm(want, axis=1)] * 2)
    whole = Thesaurus(options={"dimensions": 10_000}).fit(FARM)
    found = whole.model_.matrix(range(len(want)), "vectors")
    np.testing.assert_allclose(found, cosines, atol=1e-4)
    assert 85 < whole.vectors_.shape[1] <= 2 * 85
    farm.save_vectors(tmp_path / "v.npz")
    with np.load(tmp_path / "v.npz") as read:
        assert read["words"].tolist() == farm.words_
        np.testing.assert_array_equal(read["vectors"], farm.vectors_)
    farm.save_vectors(tmp_path / "v.txt")
    first, *lines = (tmp_path / "v.txt").read_text().splitlines()
    assert first == f"{len(farm.words_)} 40"
    np.testing.assert_allclose([float(x) for x in lines[3].split()[1:]], farm.vectors_[3], rtol=1e-4)
    with pytest.raises(ValueError, match=r"must end in .npz"):
        farm.save_vectors(tmp_path / "v.bin")


def test_opposites_are_marked(tmp_path: Path) -> None:
    text = ["a brief talk", "a lengthy talk", "a brief stay", "a lengthy stay", "from brief to lengthy"] * 3
    text += ["either brief or long", "from time to time", "from a to b"]
    found = Thesaurus(options={"min_count": 1, "min_context": 1}).fit(text)
    (one,) = [one for one in found.neighbours("brief", 10) if one.word == "lengthy"]
    assert one.opposite == "from X to Y, 3 ×"
    (other,) = [one for one in found.neighbours("brief", 20) if one.word == "long"]
    assert other.opposite == "either X or Y, 1 ×"
    assert "may be opposites" in str(found.explain("brief", "lengthy"))
    for name in ("noun", "verb", "adv"):
        (tmp_path / f"data.{name}").write_text("  1 a licence\n")
    lines = [
        "00000100 00 a 02 brief(p) 0 short 1 001 ! 00000200 a 0101 | of short duration",
        "00000200 00 a 01 lengthy 0 001 ! 00000100 a 0101 | of long duration",
    ]
    (tmp_path / "data.adj").write_text("\n".join(lines) + "\n")
    assert set(wordnet_antonyms(tmp_path)) == {("brief", "lengthy"), ("lengthy", "brief")}
    marked = Thesaurus(wordnet=tmp_path, options={"min_count": 1, "min_context": 1, "patterns": ""}).fit(text)
    (one,) = [one for one in marked.neighbours("brief", 10) if one.word == "lengthy"]
    assert one.opposite == "WordNet"
    (tmp_path / "data.adj").write_text("00000100 00 a xx brief ! \n")
    with pytest.raises(FormatError, match=r"data.adj:1: not a line"):
        list(wordnet_antonyms(tmp_path))
    (tmp_path / "data.adj").unlink()
    with pytest.raises(FileNotFoundError, match="wordnet-base"):
        Thesaurus(wordnet=tmp_path).fit(text)


def test_explanations_sum_to_the_similarity(farm: Thesaurus) -> None:
    for measure in ("lin", "cosine", "set-cosine", "dice", "jaccard"):
        (decision,) = farm.explain("cat", "dog", measure=measure).decisions
        assert decision.margin == pytest.approx(farm.similarity("cat", "dog", measure=measure))
        total = sum(part.amount for part in decision.contributions)
        assert total == pytest.approx(decision.margin, rel=1e-5)
    assert "cosine of vectors" in str(farm.explain("cat", "dog"))


def test_evaluation(farm: Thesaurus) -> None:
    pairs, gold = [("cat", "dog"), ("oak", "elm"), ("cat", "elm"), ("cat", "spaceship")], [8, 9, 1, 5]
    scores = farm.evaluate(pairs, gold, measure="lin")
    assert (scores.pairs, scores.covered) == (4, 3)
    assert scores.spearman == pytest.approx(1.0)
    assert farm.evaluate([("x", "y")], [1.0]).spearman is None
    with pytest.raises(ValueError, match="one value for every pair"):
        farm.evaluate(pairs, [1.0])
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 5, 40).tolist(), rng.integers(0, 5, 40).tolist()
    assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic)


def test_a_file_keeps_it_all(farm: Thesaurus, tmp_path: Path) -> None:
    farm.save(tmp_path / "m.palm")
    again = load(tmp_path / "m.palm")
    assert isinstance(again, Thesaurus)
    for word in ("cat", "small"):
        for measure in ("lin", "vectors"):
            assert again.neighbours(word, 5, measure=measure) == farm.neighbours(word, 5, measure=measure)
    assert again.training_ == farm.training_
    assert again.with_options(measure="dice").neighbours("cat", 3) == farm.neighbours(
        "cat", 3, measure="dice"
    )
    with pytest.raises(ValueError, match="after training"):
        farm.with_options(window=2)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("columns", lambda a: a + 1_000_000),
        ("columns", lambda a: a[::-1].copy()),
        ("values", lambda a: a * np.float32(np.nan)),
        ("starts", lambda a: a[::-1].copy()),
        ("contexts", lambda a: a - 1_000),
        ("contexts", lambda a: a + 1_000_000),
        ("opposites", lambda a: a + 1_000_000),
        ("vectors", lambda a: np.full_like(a, np.inf)),
        ("vectors", lambda a: a[:3]),
        ("counts", lambda a: a[:3]),
    ],
)
def test_a_damaged_file_is_an_error(farm: Thesaurus, tmp_path: Path, name: str, change: Any) -> None:
    file = farm.to_model()
    arrays = {**file.arrays, name: change(np.array(file.arrays[name]))}
    ModelFile(file.kind, file.options, arrays, file.strings).save(tmp_path / "m.palm")
    with pytest.raises(FormatError, match=r"m\.palm"):
        Thesaurus.load(tmp_path / "m.palm")


def test_bad_input_is_told(farm: Thesaurus, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'rabit' is not in this thesaurus.*did you mean 'rabbit'"):
        farm.neighbours("rabit")
    assert farm.predict(["zebra", "cat"], k=1)[0] == []
    assert farm.predict([]) == []
    with pytest.raises(ValueError, match="no sentences"):
        Thesaurus().fit([])
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(ValueError, match="no sentences"):
        Thesaurus().fit(tmp_path / "empty.txt")
    with pytest.raises(ValueError, match="No word of this text has a context"):
        Thesaurus().fit(["one", "two"])
    with pytest.raises(ValueError, match="Relations need dependency trees"):
        Thesaurus(options={"contexts": "dependencies"}).fit(["the cat sat", "the dog sat"])
    with pytest.raises(ValueError, match="needs lemmas"):
        Thesaurus(options={"words": "lemma"}).fit(["the cat sat"])
    with pytest.raises(ValueError, match="needs parts of speech"):
        Thesaurus(options={"tags": True}).fit(["the cat sat"])
    with pytest.raises(ValueError, match="must have X and Y"):
        Thesaurus(options={"patterns": "X and X"}).fit(["the cat sat"])
    with pytest.raises(ValueError, match="memory"):
        Thesaurus(options={"memory": "lots"}).fit(["the cat sat"])
    with pytest.raises(ValueError, match="no vectors"):
        Thesaurus(options={"min_count": 1, "measure": "vectors", "dimensions": 0}).fit(["the cat sat"] * 3)
    with pytest.raises(TypeError, match="must be a list"):
        Thesaurus().fit(5)
    with pytest.raises(TypeError, match="list of words"):
        Thesaurus().fit([["the", "cat"], 5])
    with pytest.raises(TypeError, match="must be strings"):
        farm.predict([1])
    with pytest.raises(ValueError, match="not trained"):
        Thesaurus().predict(["cat"])
    (tmp_path / "x.conllu").write_text("1\ta\t_\t_\t_\t_\t7\tdet\t_\t_\n\n")
    with pytest.raises(FormatError, match=r"x\.conllu:1"):
        Thesaurus().fit(tmp_path / "x.conllu")
    with pytest.raises(FileNotFoundError, match="a string names a file"):
        Thesaurus().fit("no such file")


def test_values_of_pairs_are_finite() -> None:
    with pytest.raises(ValueError, match="finite"):
        SimilarityScores.of([0.1, 0.5], [float("nan"), 1.0])
