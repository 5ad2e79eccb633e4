"""`Translator`: training from every kind of input, its stages, its answers, its files."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import Aligner, LanguageModel, Translator
from palmette.tools.alignment import ParallelText, read_pairs
from palmette.tools.translation import Known, PhraseTable, extract

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[3] / "examples" / "translation"
SENTENCE = "das Kind sieht morgen den Garten ."
QUICK = {"models": "fast", "tuning_rounds": 2, "tuning_list": 20, "order": 3}


def text(n: int = 200) -> ParallelText:
    return read_pairs(EXAMPLES / "train.tsv").part(0, n)


def dev(n: int = 20) -> tuple[list[list[str]], list[list[str]]]:
    pairs = list(read_pairs(EXAMPLES / "dev.tsv"))[:n]
    return [a for a, _ in pairs], [b for _, b in pairs]


@cache
def trained() -> Translator:
    return Translator(options=QUICK).fit(text(), dev=dev())


@cache
def untuned() -> Translator:
    return Translator(options=QUICK, tuning="none").fit(text())


def test_it_translates() -> None:
    assert trained().predict([SENTENCE])[0].startswith("the child sees the garden")
    assert trained().score(EXAMPLES / "dev.tsv") > 0.6


def test_every_form_of_a_text_gives_the_same_model(tmp_path: Path) -> None:
    pairs = list(text(60))
    sides = [[" ".join(words) for words in side] for side in zip(*pairs)]
    for name, lines in zip(("a", "b"), sides):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "c").write_text("".join(f"{a} ||| {b}\n" for a, b in zip(*sides)))
    forms: list[tuple[Any, ...]] = [
        (text(60),),
        (pairs,),
        (sides[0], sides[1]),
        (iter(sides[0]), [line.split() for line in sides[1]]),
        (tmp_path / "a", str(tmp_path / "b")),
        (tmp_path / "c",),
        (str(tmp_path / "a"), sides[1]),
    ]
    want = None
    for form in forms:
        found = Translator(options=QUICK, tuning="none").fit(*form).kbest([SENTENCE], 3)
        want = want or found
        assert found == want
        assert len(found[0]) == 3


def test_the_same_seed_gives_the_same_model_on_any_number_of_threads() -> None:
    found = [
        Translator(options=QUICK, n_jobs=jobs).fit(text(100), dev=dev(8)).model_.weights.tolist()
        for jobs in (1, 2)
    ]
    assert found[0] == found[1]


def test_tuning_does_not_fall_below_its_start() -> None:
    numbers = trained().training_["tuned"]
    assert numbers["dev"] >= numbers["start"]
    weights = dict(zip(trained().model_.names, trained().model_.weights))
    assert weights["unknown"] == 100
    free = [abs(w) for name, w in weights.items() if name != "unknown"]
    start = [abs(w) for name, w in zip(untuned().model_.names, untuned().model_.weights) if name != "unknown"]
    assert sum(free) == pytest.approx(sum(start))


def test_a_part_of_the_text_is_put_aside_without_dev() -> None:
    told: list[str] = []
    made = Translator(options=QUICK).fit(text(), callback=lambda report: told.append(report.where["stage"]))
    stages = [stage for k, stage in enumerate(told) if k == 0 or told[k - 1] != stage]
    assert stages == ["align", "phrases", "language model", "tune", "phrases", "language model"]
    assert made.training_["tuned"]["dev"] > 0
    small = Translator(options=QUICK).fit(text(50))
    assert small.training_["tuned"] == {}
    assert "The weights are those of the start" in small.training_["notes"][-1]
    none = Translator(options=QUICK, held_out=0).fit(text())
    assert none.training_["tuned"] == {}


def test_stages_can_be_given() -> None:
    kept: dict[str, Any] = {}
    made = Translator(options=QUICK, tuning="none").fit(text(), keep=kept.__setitem__)
    assert list(kept) == ["alignments", "table", "lm"]
    links = Aligner("fast", symmetrization="grow-diag-final-and").fit_align(text())
    table = extract(text(), links)
    want = made.kbest([SENTENCE], 5)[0]
    for given, own in (
        ({"alignments": kept["alignments"]}, {}),
        ({"table": kept["table"]}, {}),
        ({"table": kept["table"]}, {"lm": kept["lm"]}),
        ({"alignments": links}, {"lm": kept["lm"]}),
        ({"table": table}, {}),
    ):
        other = Translator(options=QUICK, tuning="none", **own).fit(text(), **given)
        assert [one.output for one in other.kbest([SENTENCE], 5)[0]] == [one.output for one in want]
    alone = Translator(options=QUICK, tuning="none", lm=kept["lm"]).fit(None, table=kept["table"])
    assert alone.kbest([SENTENCE], 5)[0] == want
    heavy = Translator(options=QUICK, tuning="none").fit(text(), weights={"words": -50.0})
    assert heavy.with_weights({"words": -1.0}).kbest([SENTENCE], 5)[0] == want
    assert len(heavy.predict([SENTENCE])[0]) > len(want[0].output)


def test_a_language_model_from_a_file(tmp_path: Path) -> None:
    model = LanguageModel.fit([["the", "garden"], ["a", "garden"]], order=2, smoothing="dirichlet")
    for name in ("lm.palm", "lm.arpa"):
        model.save(tmp_path / name)
        made = Translator(options=QUICK, tuning="none", lm=tmp_path / name).fit(text(60))
        assert made.model_.facts()["lm_order"] == 2


def test_ctrl_c_while_aligning_skips_tuning(monkeypatch: pytest.MonkeyPatch) -> None:
    align = Aligner.fit_align

    def interrupted(aligner: Aligner, *given: Any, **more: Any) -> Any:
        links = align(aligner, *given, **more)
        aligner.interrupted_ = True  # as after a signal, which keeps the models so far
        return links

    monkeypatch.setattr(Aligner, "fit_align", interrupted)
    made = Translator(options=QUICK).fit(text(60), dev=dev(5))
    assert made.interrupted_
    assert made.training_["tuned"] == {}
    assert made.predict([SENTENCE])[0]


def test_ctrl_c_while_tuning_keeps_the_best_weights() -> None:
    seen: list[float] = []

    def stop(report: Any) -> None:
        if report.where["stage"] == "tune":
            seen.append(report.numbers["dev"])
            if len(seen) == 2:
                raise KeyboardInterrupt

    made = Translator(options={**QUICK, "tuning_rounds": 5}).fit(text(), dev=dev(), callback=stop)
    assert made.interrupted_
    assert len(seen) == 2
    assert made.training_["tuned"]["dev"] == pytest.approx(max(seen))
    guess, right = made.predict(dev()[0]), [" ".join(words) for words in dev()[1]]
    assert len(guess) == len(right)


# Answers


def test_ranked_translations() -> None:
    (row,) = trained().kbest([SENTENCE], 4, probabilities=True)
    assert len({one.output for one in row}) == len(row) == 4
    for one in row:
        found = one.derivation
        assert found.features @ trained().model_.weights == pytest.approx(one.score)
        assert len(one.words) == len(found.words)
        assert all(0 <= p <= 1 for p in one.words)
    assert math.fsum(one.probability or 0 for one in row) <= 1 + 1e-9
    (best,) = trained().translate([SENTENCE], probabilities=True)
    assert best.output == row[0].output
    assert best.score == pytest.approx(row[0].score)
    (every,) = trained().kbest([SENTENCE], 4, distinct=False)
    assert every[0].score == row[0].score
    assert every[3].score >= row[3].score


def test_probabilities_are_those_of_the_graph() -> None:
    (best,), (graph,) = trained().translate([SENTENCE], probabilities=True), trained().graphs([SENTENCE])
    scaled = trained().scale_ * trained().model_.weights
    want = graph.log_probability(best.derivation.words, scaled)
    assert best.log_probability == pytest.approx(want)


@pytest.mark.parametrize("over", ["list", "graph"])
def test_minimum_risk(over: str) -> None:
    sentences = dev(6)[0]
    found = trained().minimum_risk(sentences, over)
    lists = trained().kbest(sentences, 100)
    for one, row in zip(found, lists):
        assert one.output in {other.output for other in row}
    assert trained().predict(sentences, minimum_risk=over) == [one.output for one in found]
    with pytest.raises(ValueError, match="'over' parameter must be one of"):
        trained().minimum_risk(sentences, "all")


def test_constraints() -> None:
    known = Known(fixed=[(5, 6, "the plot")], forbidden=["sees"])
    (found,) = trained().predict([SENTENCE], known=[known])
    assert "the plot" in found
    assert "sees" not in found.split()
    assert trained().kbest([SENTENCE], 2, known=[known])[0][0].output == found
    with pytest.raises(ValueError, match=r"Sentence 1 .*no span"):
        trained().predict([SENTENCE], known=[Known(fixed=[(6, 9, "x")])])


def test_forced_translations() -> None:
    (best,) = trained().kbest([SENTENCE], 1)[0]
    reached, lost = trained().forced([SENTENCE, SENTENCE], [best.output, "nothing of it"])
    assert reached.translation.score == pytest.approx(best.score)
    assert "not reachable" in str(lost)


def test_raw_output_with_copied_words_is_reachable() -> None:
    pairs = [(f"Das {a} ist alt.", f"The {b} is old.") for a, b in (("Haus", "house"), ("Buch", "book"))] * 3
    pairs += [("Der Jet ist neu.", "The jet is new."), ("Ein Ball.", "A ball.")]
    translator = Translator(tuning="none", raw=True, languages=("de", "en")).fit(pairs)
    lines = ["Das Schwarz-Weiß-Foto ist alt.", "Schwarz-Weiß-Foto alt.", "Das House ist alt."]
    for unknown in ("copy", "mark"):
        chosen = translator.with_options(unknown=unknown)
        output = chosen.predict(lines)
        for row, best, found in zip(output, chosen.translate(lines), chosen.forced(lines, output)):
            assert getattr(found, "translation", None) is not None, f"{row}: {found}"
            assert found.translation.words == best.derivation.words
    assert "not reachable" in str(translator.forced(lines[:1], ["The Schwarz-Weiß-Film is old."])[0])


def test_parameters_that_are_options_are_told() -> None:
    with pytest.raises(TypeError, match=r"no parameter 'order': it is an option .* options={'order': …}"):
        Translator(order=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Translator has no parameter 'ordre': it has method, options"):
        Translator(ordre=3)  # type: ignore[call-arg]


def test_texts_that_look_wrong_are_noted() -> None:
    def notes(*given: Any, table: Any = None, **more: Any) -> list[str]:
        made = Translator(options=QUICK, tuning="none", **more).fit(*given, table=table)
        return [note for note in made.training_["notes"] if "discounts" not in note]

    pairs = [("これは古い家です。", "this is an old house")] * 3 + [
        ("彼は新しい本を読みます。", "he reads a book")
    ]
    (note,) = notes(pairs)
    assert note.startswith("The source sentences have no spaces between words")
    assert notes(pairs, raw=True) == []
    spaced = [(" ".join(a), b) for a, b in pairs]
    assert notes(spaced) == []
    model: Any = untuned().model_
    (note,) = notes(spaced, lm=model.lm, table=model.table)
    assert note.startswith("The phrase table knows only 0% of the words")
    (note,) = notes(None, lm=model.lm, table=model.table, raw=True)
    assert note.startswith("There is no training text to learn spellings")


def test_links_outside_of_sentences() -> None:
    with pytest.raises(ValueError, match=r"Alignment 2: the link 0-3 lies outside of its .* 1 and 1 words"):
        Translator(options=QUICK).fit([("a b", "c d"), ("a", "c")], alignments=[[(1, 1)], [(0, 3)]])


def test_explanations() -> None:
    found = trained().explain(SENTENCE)
    (decision,) = found.decisions
    first, second = trained().kbest([SENTENCE], 2)[0]
    assert (decision.chosen, decision.rival) == (first.output, second.output)
    assert decision.margin == pytest.approx(first.score - second.score)
    shares = [row["share"] for row in decision.extra["features"].values()]
    assert math.fsum(shares) == pytest.approx(first.score)
    text = str(found)
    assert "margin" in text
    assert "lm" in found.table()
    assert found.plain().draw().isascii()
    assert found.svg().startswith("<svg")
    assert len(found.fitting(10).draw().split("\n")) == len(first.derivation.phrases)
    with pytest.raises(ValueError, match="no word to explain"):
        trained().explain("")


def test_evaluation() -> None:
    sentences, right = dev()
    scores = trained().evaluate(sentences, right)
    assert set(scores.scores) == {"bleu", "chrf", "ter"}
    several = trained().evaluate(sentences, right, more=[[["x"]] * len(right)])
    assert several.bleu >= scores.bleu - 1e-9
    with pytest.raises(ValueError, match=r"There are 20 translations, but 3 references"):
        trained().evaluate(sentences, right[:3])


def test_options_of_the_search_can_change() -> None:
    narrow = trained().with_options(stack=1, pop_limit=1)
    assert narrow.model_.facts()["search"]["stack"] == 1
    assert trained().model_.facts()["search"]["stack"] == 100
    assert narrow.kbest([SENTENCE], 1)[0][0].score <= trained().kbest([SENTENCE], 1)[0][0].score
    with pytest.raises(ValueError, match="has no option 'stacks': did you mean 'stack'"):
        trained().with_options(stacks=1)
    marked = trained().with_options(unknown="mark").predict(["der Zug ."])
    assert "<unk>Zug</unk>" in marked[0]


# Files


def test_a_file(tmp_path: Path) -> None:
    trained().save(tmp_path / "m.palm")
    again = Translator.load(tmp_path / "m.palm")
    sentences = dev(5)[0]
    assert again.kbest(sentences, 3, probabilities=True) == trained().kbest(sentences, 3, probabilities=True)
    again.save(tmp_path / "n.palm")
    assert (tmp_path / "n.palm").read_bytes() == (tmp_path / "m.palm").read_bytes()


def test_raw_text(tmp_path: Path) -> None:
    pairs = [
        (
            a[:1].upper() + a[1:].replace(" .", ".").replace(" ,", ","),
            b.capitalize().replace(" .", ".").replace(" ,", ","),
        )
        for a, b in ((" ".join(x), " ".join(y)) for x, y in text())
    ]
    sides = [[a for a, _ in pairs], [b for _, b in pairs]]
    made = Translator(options=QUICK, tuning="none", raw=True, languages=("de", "en")).fit(*sides)
    (found,) = made.predict(["Das Kind sieht den Garten."])
    assert found == "The child sees the garden."
    made.save(tmp_path / "m.palm")
    again = Translator.load(tmp_path / "m.palm")
    assert again.predict(["Das Kind sieht den Garten."]) == [found]
    assert again.get_params()["languages"] == ("de", "en")
    assert made.evaluate(sides[0][:20], sides[1][:20]).bleu > 0.3


# Bad input


def test_an_untrained_translator_says_so() -> None:
    with pytest.raises(ValueError, match="not trained yet: call fit first"):
        Translator().predict(["a"])


def test_empty_sentences() -> None:
    assert trained().predict(["", SENTENCE, " "])[::2] == ["", ""]
    assert len(trained().kbest([""], 3)[0]) == 1
    assert trained().minimum_risk([""], "graph")[0].output == ""


def test_a_sentence_of_300_words() -> None:
    words = [word for sentence in dev()[0] for word in sentence] * 3
    (found,) = trained().predict([words[:300]])
    assert len(found.split()) > 100


def test_a_text_without_a_common_phrase() -> None:
    made = Translator(options=QUICK, tuning="none").fit([("a", "x"), ("b", "y")])
    assert made.predict(["c d"]) == ["c d"]
    unaligned = Translator(options=QUICK, tuning="none").fit([("a", "x"), ("b", "y")], alignments=[[], []])
    assert unaligned.predict(["a b"]) == ["a b"]


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ([("a", ""), ("b", "")], "all target sentences are empty"),
        ([("", "a")], "all source sentences are empty"),
        ([], "all source sentences are empty"),
    ],
)
def test_a_text_with_an_empty_side(pairs: list[tuple[str, str]], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Translator(tuning="none").fit(pairs)


def test_texts_of_different_length() -> None:
    with pytest.raises(ValueError, match=r"Both languages must have as many sentences\. Got 2 and 1"):
        Translator().fit(["a", "b"], ["x"])
    with pytest.raises(ValueError, match="There are 2 sentence pairs, but alignments of 1"):
        Translator(tuning="none").fit([("a", "x"), ("b", "y")], alignments=[[(0, 0)]])


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ((["a"], []), "The dev text has 1 sentence, but 0 references"),
        (([], []), "at least one sentence"),
        ((["a"], [""]), "no references: all their lines are empty"),
    ],
)
def test_a_dev_text_without_references(given: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Translator(options=QUICK).fit(text(20), dev=given)


@pytest.mark.parametrize(
    ("weights", "why"),
    [
        ({"lm": math.nan}, "The weight of 'lm' must be a finite number. Got nan"),
        ({"lm": "x"}, "The weight of 'lm' must be a finite number"),
        ({"ml": 1.0}, "This model has no feature 'ml': it has lm, distortion"),
    ],
)
def test_bad_weights(weights: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Translator(options=QUICK, tuning="none").fit(text(20), weights=weights)


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ({"method": "phrases"}, "no method 'phrases': did you mean 'phrase'"),
        ({"options": {"stak": 1}}, "has no option 'stak': did you mean 'stack'"),
        ({"options": {"stack": 0}}, "'stack' parameter must be an int"),
        ({"tuning": "grid"}, "'tuning' parameter must be one of"),
        ({"casing": "upper"}, "'casing' parameter must be one of"),
        ({"held_out": -1}, "'held_out' parameter must be an int"),
    ],
)
def test_bad_parameters(own: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Translator(**own).fit(text(20))


def test_a_table_without_a_language_model() -> None:
    table = PhraseTable.from_pairs([("a", "x", [-0.1] * 4)])
    with pytest.raises(ValueError, match="no target sentences to estimate a language model from"):
        Translator().fit(None, table=table)


def test_numbers_of_the_weights_are_arrays() -> None:
    assert isinstance(trained().model_.weights, np.ndarray)
    assert trained().probabilities_from == "scores"
