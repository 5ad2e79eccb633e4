"""`Aligner`: learning, aligning, what is in it, manners, and bad input."""

from __future__ import annotations

import pickle
import threading
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from palmette.formats.pharaoh import GoldAlignment
from palmette.learning.em import EM, VB
from palmette.learning.loglinear import CRF
from palmette.learning.loop import Report
from palmette.tools.alignment import schedule
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.stages import METHODS
from palmette.tools.alignment.symmetrization import METHODS as SYMMETRIZATIONS
from palmette.tools.alignment.text import ParallelText
from samples.aligned_text import WORDS, made_pairs

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def aligner() -> Aligner:
    return Aligner(models=("model1", "hmm")).fit(made_pairs())


def right(pairs) -> list[GoldAlignment]:
    links = [frozenset((k, k) for k in range(len(source))) for source, _ in pairs]
    return [GoldAlignment(one, one) for one in links]


@pytest.mark.parametrize("agreement", [True, False])
@pytest.mark.parametrize("kind", METHODS)
def test_words_are_found(kind: str, agreement: bool) -> None:
    pairs = made_pairs()
    found = Aligner(models=("model1", kind), agreement=agreement).fit(pairs)
    for word, translation in WORDS.items():
        assert found.translations(word, 1)[0][0] == translation.lower()
        assert found.translations(translation, 1, back=True)[0][0] == word
    if kind != "model1":  # which cannot know which of two equal words is meant
        assert found.score(pairs, right(pairs)) > 0.9


@pytest.mark.parametrize("models", ["best", "fast"])
def test_presets(models: str) -> None:
    pairs = made_pairs()
    found = Aligner(models).fit(pairs)
    assert found.score(pairs, right(pairs)) > 0.9
    assert found.training_["models"] == list(schedule.PRESETS[models])


def test_threads_change_nothing() -> None:
    pairs = made_pairs(200)
    for models, agreement in ((("model1", "hmm"), True), (("model1", "hmm"), False), ("best", True)):
        one, two = (Aligner(models, agreement=agreement, n_jobs=n).fit(pairs) for n in (1, 2))
        a, b = one.align(pairs), two.align(pairs)
        assert list(a) == list(b)
        assert np.array_equal(a.probability, b.probability)
        assert one.to_model().arrays.keys() == two.to_model().arrays.keys()
        for name, array in one.to_model().arrays.items():
            assert np.array_equal(array, two.to_model().arrays[name]), name


def test_passes_tell_perplexity() -> None:
    seen: list[Report] = []
    settings = {"learner": EM(n_iter=4, tolerance=0.0), "agreement": False}
    found = Aligner(("model1", "hmm"), **settings).fit(made_pairs(), callback=seen.append)
    assert [(one.where["direction"], one.where["model"], one.epoch) for one in found.history_] == [
        (way, kind, n) for kind in ("model1", "hmm") for way in ("forth", "back") for n in range(1, 5)
    ]
    assert len(seen) == len(found.history_)
    values = [
        one.numbers["perplexity"] for one in found.history_ if list(one.where.values()) == ["forth", "model1"]
    ]
    assert values == sorted(values, reverse=True)
    assert values[-1] > 1


def test_alignments_have_probabilities(aligner: Aligner) -> None:
    pairs = made_pairs(20, seed=3)
    found = aligner.align(pairs)
    matrices = [(p + q) / 2 for p, q in aligner.posteriors(pairs)]
    for s, links in enumerate(found):
        assert links == [(i, j) for i, j in np.argwhere(matrices[s] > 0.5).tolist()]
        assert found.probabilities(s) == pytest.approx([float(matrices[s][link]) for link in links])
    for name in SYMMETRIZATIONS:
        links, known = (
            aligner.align(pairs, symmetrization=name, probabilities=False),
            aligner.align(pairs, symmetrization=name),
        )
        assert list(links) == list(known)
        assert len(known.probability) == len(known.source)
        assert not len(links.probability)


def test_kbest(aligner: Aligner) -> None:
    pairs = made_pairs(5, seed=4)
    for name in ("posterior", "source", "target"):
        found = aligner.kbest(pairs, 4, symmetrization=name)
        for ranked in found:
            assert [one.probability for one in ranked] == sorted(
                (one.probability for one in ranked), reverse=True
            )
        if name == "posterior":
            assert [ranked[0].output for ranked in found] == aligner.predict(pairs)
    with pytest.raises(ValueError, match="no k-th best of 'union'"):
        aligner.kbest(pairs, 2, symmetrization="union")
    with pytest.raises(ValueError, match="'k' parameter"):
        aligner.kbest(pairs, 0)


def test_new_words_do_no_harm(aligner: Aligner) -> None:
    (links,) = aligner.predict([("the zebra is old", "das Zebra ist alte")])
    assert {(0, 0), (2, 2), (3, 3)} <= set(links)


def test_a_piece_at_a_time_is_the_same(aligner: Aligner, monkeypatch: pytest.MonkeyPatch) -> None:
    text = ParallelText.of(made_pairs(30, seed=5))
    whole, bounds = aligner.align(text), ParallelText.bounds
    monkeypatch.setattr(ParallelText, "bounds", lambda self: bounds(self, 10))
    pieces = aligner.align(text)
    assert list(whole) == list(pieces)
    assert np.array_equal(whole.probability, pieces.probability)
    again = Aligner(("model1", "hmm"))
    assert list(again.fit_align(text)) == list(again.align(text))


@pytest.mark.parametrize("agreement", [True, False])
def test_learning_and_aligning_in_one(agreement: bool) -> None:
    pairs = made_pairs(40)
    one, other = (Aligner(("model1", "diagonal", "hmm"), agreement=agreement) for _ in range(2))
    found, wanted = one.fit_align(pairs), other.fit(pairs).align(pairs)
    assert list(found) == list(wanted)
    assert np.array_equal(found.probability, wanted.probability)


def test_lexical_table(aligner: Aligner) -> None:
    rows = list(aligner.lexical_table(least=0.0))
    sums: dict[str, float] = {}
    for _, given, p in rows:
        sums[given] = sums.get(given, 0) + p
    assert set(sums) == {*WORDS, "NULL"}
    assert sums.pop("NULL") < 1.001  # the rest is for words that it never met, and it has few
    assert all(0.99 < total < 1.001 for total in sums.values())
    best = dict(aligner.translations("house", 3))
    assert best == {word: p for word, given, p in rows if given == "house" and word in best}
    back = {(word, given) for word, given, _ in aligner.lexical_table(back=True, least=0.5)}
    assert ("house", "haus") in back
    assert aligner.translations("nothing") == []
    assert aligner.translations("NULL", 2)


def test_phrases(aligner: Aligner) -> None:
    table = aligner.phrases([("the old house", "das alte Haus")], max_length=2)
    assert {(pair.source, pair.target) for pair in table} >= {("the old", "das alte"), ("house", "Haus")}


def test_explanation(aligner: Aligner) -> None:
    gold = GoldAlignment(frozenset({(0, 1)}), frozenset({(0, 1), (1, 1)}))
    found = aligner.explain("the house zebra", "das Haus", gold=gold)
    assert (
        [(one.extra["source"], one.extra["target"]) for one in found.reasons]
        == found.links
        == [(0, 0), (1, 1)]
    )
    one = SimpleNamespace(**found.reasons[1].extra)
    assert one.probability == pytest.approx((one.forth + one.back) / 2)
    assert one.target_given_source == pytest.approx(dict(aligner.translations("house"))["haus"])
    assert [reason.extra["source"] for reason in found.rejected] == [2]
    assert "house – Haus" in str(found)
    assert found.to_dict()["links"][0]["words"] == ("the", "das")
    assert found.svg().startswith("<svg")
    assert "✗" in found.draw()
    assert "x" in found.plain().draw()
    assert aligner.draw("the", "das", ascii=True).splitlines()[-1] == "the  #"
    assert str(aligner.explain("", "das"))
    assert aligner.draw("", "", svg=True).startswith("<svg")


def test_forms_of_words() -> None:
    pairs = [("Houses", "Häuser"), ("house", "Haus"), ("books", "Bücher"), ("book", "Buch")] * 5
    assert Aligner(("model1",), prefix=4).fit(pairs).translations("housekeeping", 1)[0][0] in (
        "häuser",
        "haus",
    )
    assert Aligner(("model1",), prefix=(4, 2)).fit(pairs).translations("BOOKS", 1)[0][0] in ("bücher", "buch")
    stem = (lambda word: word.removesuffix("s"), {"häuser": "haus", "bücher": "buch"})
    found = Aligner(("model1",), stem=stem).fit(pairs)
    assert found.translations("houses", 1)[0][0] in ("häuser", "haus")
    assert found.translations("Häuser", 1, back=True)[0][0] in ("house", "houses")
    assert {word for word, _, _ in found.lexical_table()} <= {"haus", "häuser", "buch", "bücher"}
    kept = Aligner(("model1",), lower=False).fit(pairs)
    assert kept.translations("houses") == []
    assert kept.translations("Houses", 1)[0][0] == "Häuser"


# Bad input


def test_empty_sentences_stay() -> None:
    pairs = [("", ""), ("the", ""), ("", "das"), *made_pairs(20), ("", "")]
    for agreement in (True, False):
        found = Aligner(("model1", "diagonal", "hmm"), agreement=agreement).fit(pairs)
        links = found.predict(pairs)
        assert len(links) == len(pairs)
        assert links[:3] == [[], [], []] == [links[-1]] * 3
        assert found.align(pairs).pharaoh().startswith("\n\n\n0-0")
        assert found.kbest([("", "das")], 2)[0][0].output == []


def test_one_pair() -> None:
    for models in (("model1",), ("model1", "hmm"), ("diagonal",), ("model2",)):
        found = Aligner(models).fit([("a", "ein")])
        assert found.predict([("a", "ein")]) == [[(0, 0)]]
        assert len(Aligner(models).fit([("a b", "x y z")]).predict([("a b", "x y z")])) == 1


def test_long_sentences() -> None:
    rng = np.random.default_rng(0)
    long = [f"w{k}" for k in rng.permutation(500)]
    pairs = [*((word, f"x{word}") for word in long), (long, [f"x{word}" for word in long])]
    found = Aligner(("model1", "hmm")).fit(pairs)
    (links,) = found.predict(pairs[-1:])
    assert sum(i == j for i, j in links) > 450


def test_identical_languages() -> None:
    pairs = [(source, source) for source, _ in made_pairs()]
    found = Aligner().fit(pairs)
    assert found.score(pairs, right(pairs)) > 0.95


@pytest.mark.parametrize("pairs", [[], [("", "")], [("a", ""), ("", "b")]])
def test_nothing_to_learn(pairs) -> None:
    with pytest.raises(ValueError, match="not one sentence pair with words on both sides"):
        Aligner().fit(pairs)


@pytest.mark.parametrize(
    ("params", "fault"),
    [
        ({"models": ("model9",)}, "no alignment model 'model9'"),
        ({"models": "slow"}, "one of best, fast"),
        ({"models": ()}, "at least one alignment model"),
        (
            {"learner": CRF()},
            "CRF needs .*, which an aligner does not offer: take one of the learners vb, em",
        ),
        ({"symmetrization": "both"}, "'symmetrization' parameter must be one of"),
        ({"threshold": -1}, "'threshold' parameter"),
        ({"prefix": -1}, "'prefix' parameter"),
        ({"prefix": (1, 2, 3)}, "one for both sides, or a pair"),
        ({"stem": "porter"}, "'stem' parameter must be a function or a dictionary"),
        ({"lower": 1}, "'lower' parameter"),
        ({"agreement": 1}, "'agreement' parameter"),
        ({"spelling": 1}, "'spelling' parameter"),
        ({"random_state": -1}, "'random_state' parameter"),
        ({"models": ("model1",), "options": {"hmm": {}}}, "options of 'hmm', which is not among the models"),
        ({"models": ("hmm",), "options": {"hmm": {"x": 1}}}, "The model 'hmm' has no option 'x': it has p0,"),
        ({"models": ("hmm",), "options": {"hmm": {"p0": 2.0}}}, "'p0' parameter"),
    ],
)
def test_bad_parameters(params, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        Aligner(**params).fit(made_pairs(5))


def test_not_fitted() -> None:
    with pytest.raises(ValueError, match="not fitted yet"):
        Aligner().predict([])
    with pytest.raises(ValueError, match="not fitted yet"):
        Aligner().save("x.palm")


def test_manners() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone

    found = Aligner(("model1",), learner=VB(n_iter=3), prefix=4)
    assert clone(found).get_params()["prefix"] == 4
    assert repr(Aligner(prefix=4)) == "Aligner(prefix=4)"
    assert not hasattr(clone(found.fit(made_pairs(5))), "model_")
    with pytest.raises(ValueError, match="no parameter 'prefxi'"):
        found.set_params(prefxi=3)


@pytest.mark.parametrize("models", ["best", "fast"])
def test_copies(models: str) -> None:
    pairs = made_pairs(20)
    found = Aligner(models).fit(pairs)
    for copy in (pickle.loads(pickle.dumps(found)), deepcopy(found)):
        assert list(copy.align(pairs)) == list(found.align(made_pairs(20)))


def test_files(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("the house\tdas Haus\nthe book\tdas Buch\n" * 5)
    found = Aligner().fit(tmp_path / "pairs.tsv")
    assert found.predict(str(tmp_path / "pairs.tsv"))[0] == [(0, 0), (1, 1)]


def test_interruption_keeps_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C reaches the thread that waits; the other ends with its next pass."""
    passed, told = threading.Event(), []

    def wait(futures) -> None:
        assert passed.wait(60)
        raise KeyboardInterrupt

    def callback(one: Report) -> None:
        told.append(one)
        passed.set()

    monkeypatch.setattr(schedule, "wait", wait)
    settings = {"learner": EM(n_iter=10**6, tolerance=None)}
    found = Aligner(("model1", "hmm"), **settings).fit(made_pairs(5), callback=callback)
    assert found.interrupted_
    assert {one.where["model"] for one in told} == {"model1"}
    assert found.predict([("a", "ein")])
    passed.clear()
    with pytest.raises(KeyboardInterrupt):  # the second direction has nothing yet
        Aligner(("model1",), agreement=False, **settings).fit(made_pairs(5), callback=callback)


def test_stages_are_known_to_the_schedule() -> None:
    assert {kind for models in schedule.PRESETS.values() for kind in models} <= set(METHODS)
    for kind in METHODS:
        names = schedule.Schedule((kind,)).names_of(kind)
        assert "random_state" in names
        assert ("learner" in names) == (kind not in schedule.ORDERS)
        assert set(METHODS[kind].options_class.names()) <= set(names)


def test_options_of_a_model_and_of_its_learner() -> None:
    plan = schedule.Schedule(
        ("model1", "hmm"), options={"hmm": {"n_iter": 7, "p0": 0.3}, "model1": {"prior": 0.5}}
    )
    assert plan.settings("hmm") == {"p0": 0.3}
    (hmm,), (model1,) = plan.learners("hmm"), plan.learners("model1")
    (usual,) = METHODS["hmm"].usual_learners
    assert hmm == replace(usual, n_iter=7)
    assert model1 == replace(METHODS["model1"].usual_learners[0], prior=0.5)
    agreed = schedule.Schedule(("hmm",), options={"hmm": {"n_iter": 7}}, agreement=True).learners("hmm")
    assert [one.n_iter for one in agreed] == [7, 7]
    assert [one.prior for one in agreed] == [1e-3, 0.03]
    for options, message in (
        ({"hmm": {"p0": 2}}, r"'p0' parameter must be a number in the range \(0, 1\). Got 2"),
        ({"hmm": {"n_iter": 0}}, "'n_iter' parameter must be"),
        ({"hmm": {"widht": 3}}, "The model 'hmm' has no option 'widht': did you mean 'width'"),
        ({"model1": {"tension": 3}}, "The model 'model1' has no option 'tension'"),
        ({"hmm": {"learner": "em"}}, "must be an object"),
    ):
        with pytest.raises(ValueError, match=message):
            schedule.Schedule(("model1", "hmm"), options=options)
