"""Lists of candidates from parsers and taggers, by cross-training."""

import runpy
from pathlib import Path

import pytest

from palmette import ConstituencyParser, Corpus, SpanTagger, Tagger
from palmette.formats import ModelFile
from palmette.tools.constituency.treebank import clean_trees
from palmette.tools.reranking.lists import candidate_lists, cross_lists, first_model
from samples.phrase_treebank import garden

pytestmark = pytest.mark.native
EXAMPLE = Path(__file__).parents[3] / "examples" / "reranking" / "rerank.py"
SENTENCES = [
    [("Jack", "B-PER"), ("went", "O")],
    [("to", "O"), ("Paris", "B-LOC")],
    [("Paris", "B-PER"), ("went", "O")],
    [("to", "O"), ("Jack", "B-LOC")],
]


def corpus() -> Corpus:
    return Corpus.from_sentences(SENTENCES, ["form", "spans"])


def test_every_sentence_gets_a_list_from_a_model_that_never_saw_it() -> None:
    trees = [tree for tree in clean_trees(garden()) if tree is not None][:12]
    seen: list[list] = []

    class Recorded(ConstituencyParser):
        def fit(self, X, y=None, **options):
            seen.append(list(X))
            return super().fit(X, y, **options)

    notes: list[str] = []
    lists = cross_lists(lambda: Recorded("pcfg"), trees, 3, 5, notes.append)
    assert [given.gold for given in lists] == trees
    for fold, used in enumerate(seen):
        own = trees[4 * fold : 4 * fold + 4]
        assert len(used) == 8
        assert not any(tree in used for tree in own if trees.count(tree) == 1)
    assert len(notes) == 3
    for given in lists:
        assert 1 <= len(given) <= 5
        assert given.log_probabilities.tolist() == sorted(given.log_probabilities, reverse=True)


@pytest.mark.parametrize("tool", [SpanTagger, Tagger])
def test_lists_of_taggers(tool: type[Tagger]) -> None:
    data = corpus()
    lists = cross_lists(lambda: tool(column="spans"), data, 2, 3)
    assert [list(given.gold) for given in lists] == SENTENCES
    model = tool(column="spans").fit(data)
    for given, ranked in zip(candidate_lists(model, data, 3), model.kbest(data, 3)):
        assert [[label for _, label in y] for y in given.outputs] == [labels for labels, _, _ in ranked]
    words = candidate_lists(model, [["Jack", "went"], []], 3)
    assert words[0].gold is None
    assert (len(words[0]), len(words[1])) == (3, 0)


def test_first_models(tmp_path: Path) -> None:
    tagger = SpanTagger(column="spans").fit(corpus())
    assert isinstance(first_model(tagger.to_model()), SpanTagger)
    with pytest.raises(ValueError, match="not a language model"):
        first_model(ModelFile("language model", {}, {}, {}))


def test_bad_numbers() -> None:
    with pytest.raises(ValueError, match="cannot be cut into 9 folds"):
        cross_lists(lambda: Tagger(column="spans"), corpus(), 9, 3)
    with pytest.raises(ValueError, match="'folds'"):
        cross_lists(lambda: Tagger(column="spans"), corpus(), 1, 3)
    with pytest.raises(ValueError, match="'k'"):
        candidate_lists(Tagger(column="spans").fit(corpus()), corpus(), 0)


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert "supports" in capsys.readouterr().out
