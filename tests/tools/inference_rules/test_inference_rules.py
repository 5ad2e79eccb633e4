"""`InferenceRules`: paths of small trees, similarities against plain Python, warnings, pages, files, bad input."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import Corpus, FormatError, InferenceRules, Thesaurus, load
from palmette.formats import read_conllu
from palmette.formats.conllu import parse_conllu
from palmette.formats.model import ModelFile
from palmette.tools.inference_rules.paths import find_paths

pytestmark = pytest.mark.native
EXAMPLES = Path(__file__).parents[3] / "examples" / "rules"
NEWS = EXAMPLES / "news.conllu"


@pytest.fixture(scope="module")
def news() -> InferenceRules:
    return InferenceRules().fit(NEWS)


def tree(text: str) -> Corpus:
    """A sentence from lines of form, tag, head and relation."""
    rows = [line.split() for line in text.strip().splitlines()]
    return parse_conllu(
        "".join(
            f"{i}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"
            for i, (form, tag, head, relation) in enumerate(rows, 1)
        )
        + "\n"
    )


def found(corpus: Corpus, longest: int = 4) -> set[tuple[str, str, str, str]]:
    words = [form.lower() for form in corpus[0]["form"]]
    return {
        (one.path, one.wording, words[one.x], words[one.y]) for one in find_paths(corpus[0], words, longest)
    }


def test_the_paths_of_a_sentence() -> None:
    corpus = tree(
        """
        Anna PROPN 2 nsubj
        finds VERB 0 root
        a DET 4 det
        solution NOUN 2 obj
        for ADP 7 case
        the DET 7 det
        problem NOUN 4 nmod
        """
    )
    assert found(corpus) == {
        ("nsubj< finds >obj", "X finds Y", "anna", "solution"),
        ("nsubj< finds >obj solution >nmod:for", "X finds solution for Y", "anna", "problem"),
    }
    assert {path for path, *_ in found(corpus, 2)} == {"nsubj< finds >obj"}


def test_passives_particles_negations_and_slots_above_each_other() -> None:
    passive = tree(
        """
        Problems NOUN 3 nsubj:pass
        were AUX 3 aux:pass
        solved VERB 0 root
        by ADP 5 case
        Anna PROPN 3 obl
        """
    )
    assert found(passive) == {("nsubj:pass< solved >obl:by", "X were solved by Y", "problems", "anna")}
    phrasal = tree(
        """
        Anna PROPN 4 nsubj
        did AUX 4 aux
        not PART 4 advmod
        give VERB 0 root
        up ADP 4 compound:prt
        hope NOUN 4 obj
        and CCONJ 8 cc
        work NOUN 6 conj
        """
    )
    assert found(phrasal) == {("nsubj< not_give_up >obj", "X not give up Y", "anna", "hope")}
    above = tree(
        """
        price NOUN 0 root
        of ADP 3 case
        bread NOUN 1 nmod
        from ADP 5 case
        Rome PROPN 3 nmod
        """
    )
    assert found(above) == {(">nmod:of bread >nmod:from", "X of bread from Y", "price", "rome")}
    fronted = tree(
        """
        Rome PROPN 3 obj
        Anna PROPN 3 nsubj
        loves VERB 0 root
        """
    )
    assert found(fronted) == {("nsubj< loves >obj", "Y X loves", "anna", "rome")}


def test_names_are_not_paths_and_other_tags_are_understood() -> None:
    corpus = tree(
        """
        Jan PROPN 4 nsubj
        van PROPN 1 flat
        Eyck PROPN 1 name
        painted VBD 0 root
        altars NNS 4 obj
        church NN 5 compound
        """
    )
    assert found(corpus) == {("nsubj< painted >obj", "X painted Y", "jan", "altars")}


Slots = Mapping[tuple[str, str], Mapping[str, float]]


def plain_slots(instances: Counter[tuple[str, str, str]]) -> Slots:
    """The positive information of both slots of every path, each path also with its slots exchanged."""
    c: Counter[tuple[tuple[str, str], str]] = Counter()
    for (path, x, y), n in instances.items():
        c[(path, "X"), x] += n
        c[(path, "Y"), y] += n
    total = sum(c.values())
    of_slot: Counter[tuple[str, str]] = Counter()
    of_word: Counter[str] = Counter()
    for (slot, word), n in c.items():
        of_slot[slot] += n
        of_word[word] += n
    rows: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for (slot, word), n in c.items():
        value = math.log(n * total / (of_slot[slot] * of_word[word]))
        if value > 1e-9:
            rows[slot][word] = value
    return rows


def lin(a: Mapping[Any, float], b: Mapping[Any, float]) -> float:
    total = sum(a.values()) + sum(b.values())
    return sum(a[c] + b[c] for c in a.keys() & b.keys()) / total if total else 0.0


def plain_mean(rows: Slots, p: str, q: str, turned: bool) -> float:
    """The geometric mean of the similarities of the slots."""
    x, y = ("Y", "X") if turned else ("X", "Y")
    return math.sqrt(
        lin(rows.get((p, "X"), {}), rows.get((q, x), {})) * lin(rows.get((p, "Y"), {}), rows.get((q, y), {}))
    )


def plain_sum(instances: Counter[tuple[str, str, str]], rows: Slots, p: str, q: str, turned: bool) -> float:
    """Eq. 139; words are similar if they are in the same slots."""
    words: defaultdict[str, dict[Any, float]] = defaultdict(dict)
    for slot, row in rows.items():
        for word, value in row.items():
            words[word][slot] = value

    def alike(v: str, w: str) -> float:
        return 1.0 if v == w else lin(words.get(v, {}), words.get(w, {}))

    mine = [(x, y) for path, x, y in instances if path == p]
    other = [(y, x) if turned else (x, y) for path, x, y in instances if path == q]
    total = sum(alike(x1, x2) for x1, y1 in mine for x2, y2 in other if y1 == y2)
    return total + sum(alike(y1, y2) for x1, y1 in mine for x2, y2 in other if x1 == x2)


def random_corpus(seed: int) -> tuple[Corpus, Counter[tuple[str, str, str]]]:
    rng = random.Random(seed)
    verbs, nouns = [f"verb{i}" for i in range(6)], [f"noun{i}" for i in range(7)]
    instances: Counter[tuple[str, str, str]] = Counter()
    rows = []
    for _ in range(120):
        verb, x, y = rng.choice(verbs), rng.choice(nouns), rng.choice(nouns)
        instances[f"nsubj< {verb} >obj", x, y] += 1
        rows.append((x, verb, y))
    corpus = Corpus.from_columns(
        {
            "form": rows,
            "upos": [["NOUN", "VERB", "NOUN"]] * len(rows),
            "deprel": [["nsubj", "root", "obj"]] * len(rows),
        },
        heads=[[2, 0, 2]] * len(rows),
    )
    return corpus, instances


@pytest.mark.parametrize("seed", range(3))
def test_similarities_are_their_definitions(seed: int) -> None:
    corpus, instances = random_corpus(seed)
    rules = InferenceRules(options={"min_count": 1}).fit(corpus)
    rows = plain_slots(instances)
    paths = sorted({path for path, _, _ in instances})
    for p in paths:
        for q in paths:
            if p == q:
                continue
            one, two = p.split()[1], q.split()[1]
            for turned, wording in ((False, f"X {two} Y"), (True, f"Y {two} X")):
                mean = rules.similarity(f"X {one} Y", wording)
                assert mean == pytest.approx(plain_mean(rows, p, q, turned), rel=1e-4, abs=1e-6)
                summed = rules.similarity(f"X {one} Y", wording, measure="sum")
                assert summed == pytest.approx(plain_sum(instances, rows, p, q, turned), rel=1e-4)
        for measure, plain in (
            ("mean", lambda q, turned, p=p: plain_mean(rows, p, q, turned)),
            ("sum", lambda q, turned, p=p: plain_sum(instances, rows, p, q, turned)),
        ):
            want = sorted((max(plain(q, False), plain(q, True)) for q in paths if q != p), reverse=True)
            got = [one.similarity for one in rules.similar(f"X {p.split()[1]} Y", 10, measure=measure)]
            assert got == pytest.approx([value for value in want if value > 0], rel=1e-4)


def test_neighbours_with_their_words(news: InferenceRules) -> None:
    near = news.similar("X solved Y", 4)
    assert {one.wording for one in near} == {
        "X ended Y",
        "X settled Y",
        "X found solution to Y",
        "Y was solved by X",
    }
    assert all(one.x and one.y for one in near)
    assert [one.wording for one in news.similar("Y solved X", 4)] == [
        one.wording.translate(str.maketrans("XY", "YX")) for one in near
    ]
    assert news.predict(["X solved Y", "X eats Y"], k=4) == [near, []]
    assert news.similar("nsubj< solved >obj", 4) == near


def test_opposites_and_directions(news: InferenceRules, tmp_path: Path) -> None:
    bought = {one.wording: one.opposite for one in news.similar("X bought Y", 10)}
    assert bought["X sold Y"].startswith("bought, sold: either X or Y")
    assert bought["X acquired Y"] == ""
    wrote = {one.wording: one.opposite for one in news.similar("X wrote Y", 10)}
    assert wrote["X not write Y"] == "one of them is negated"
    for name in ("noun", "adj", "adv"):
        (tmp_path / f"data.{name}").write_text("")
    lines = [
        "00000100 00 v 01 acquired 0 001 ! 00000200 v 0101 00 | get",
        "00000200 00 v 01 sold 0 001 ! 00000100 v 0101 00 | give",
    ]
    (tmp_path / "data.verb").write_text("\n".join(lines) + "\n")
    marked = InferenceRules(wordnet=tmp_path).fit(NEWS)
    (one,) = [one for one in marked.similar("X acquired Y", 10) if one.wording == "X sold Y"]
    assert one.opposite == "acquired, sold: WordNet"
    rows = [("ann", "murders", "bob"), ("eve", "murders", "tim")] * 3
    rows += [
        (x, "kills", y)
        for x in ("ann", "eve", "war", "frost", "sun")
        for y in ("bob", "tim", "oak", "elm", "cat")
    ]
    rows += [
        ("dog", "eats", "meat"),
        ("cow", "eats", "grass"),
    ] * 30  # so that all of the above are informative
    corpus = Corpus.from_columns(
        {
            "form": rows,
            "upos": [["NOUN", "VERB", "NOUN"]] * len(rows),
            "deprel": [["nsubj", "root", "obj"]] * len(rows),
        },
        heads=[[2, 0, 2]] * len(rows),
    )
    both = InferenceRules(options={"min_count": 1}).fit(corpus)
    (kills,), (murders,) = both.similar("X murders Y", 1), both.similar("X kills Y", 1)
    assert (kills.wording, kills.direction) == ("X kills Y", "→")
    assert (murders.wording, murders.direction) == ("X murders Y", "←")


def test_explanations_sum_to_the_similarity(news: InferenceRules) -> None:
    (decision,) = news.explain("X solved Y", "X settled Y").decisions
    assert decision.margin == pytest.approx(news.similarity("X solved Y", "X settled Y"))
    assert sum(part.amount for part in decision.contributions) == pytest.approx(decision.margin)
    assert decision.extra["sum"] == pytest.approx(news.similarity("X solved Y", "X settled Y", measure="sum"))
    assert "may be opposites" in str(news.explain("X bought Y", "X sold Y"))
    (none,) = news.explain("X solved Y", "X bought Y").decisions
    assert (none.margin, none.contributions) == (0, ())
    (total,) = news.explain("X solved Y", "X settled Y", measure="sum").decisions
    assert total.margin == pytest.approx(news.similarity("X solved Y", "X settled Y", measure="sum"))
    assert sum(part.amount for part in total.contributions) == pytest.approx(total.margin)
    assert total.contributions
    assert ": sum " in str(total)


def test_lemmas_join_forms_which_all_are_found(tmp_path: Path) -> None:
    rows = [("ann", "has", "bread"), ("bob", "had", "bread"), ("ann", "have", "milk"), ("tim", "had", "milk")]
    rows += [("ann", "eats", "bread"), ("bob", "eats", "meat"), ("tim", "ate", "milk")]
    lemmas = [[x, "have" if verb.startswith("ha") else "eat", y] for x, verb, y in rows]
    corpus = Corpus.from_columns(
        {
            "form": rows,
            "lemma": lemmas,
            "upos": [["NOUN", "VERB", "NOUN"]] * len(rows),
            "deprel": [["nsubj", "root", "obj"]] * len(rows),
        },
        heads=[[2, 0, 2]] * len(rows),
    )
    rules = InferenceRules(options={"min_count": 1}).fit(corpus)
    assert rules.paths_ == ["X has Y", "X eats Y"]
    rules.save(tmp_path / "rules.palm")
    for made in (rules, InferenceRules.load(tmp_path / "rules.palm")):
        assert made.similar("X had Y") == made.similar("X has Y") == made.similar("X have Y")
        assert made.similarity("Y had X", "Y ate X") == made.similarity("X has Y", "X eats Y")


def test_text_without_spaces_is_told() -> None:
    text = ["猫が魚を食べる。", "犬が肉を食べる。"]
    for tool in (InferenceRules(parser="en"), Thesaurus()):
        with pytest.raises(ValueError, match="The text has no spaces between words"):
            tool.fit(text)


def test_pages(news: InferenceRules) -> None:
    text = news.page("X bought Y")
    assert "careful: these may be opposites" in text
    assert "occurs 9 times" in text
    html = news.page("X bought Y", html=True)
    assert html.startswith("<!doctype html>")
    assert "X acquired Y" in html
    assert "&lt; bought &gt;" in html


def test_text_is_parsed() -> None:
    rules = InferenceRules(parser="en").fit(EXAMPLES / "news.txt")
    assert "X solved Y" in rules.paths_


def test_evaluation(news: InferenceRules) -> None:
    pairs = [("X solved Y", "X settled Y"), ("X solved Y", "X bought Y"), ("X solved Y", "X eats Y")]
    scores = news.evaluate(pairs, [9, 1, 0])
    assert (scores.pairs, scores.covered, scores.spearman) == (3, 2, pytest.approx(1.0))


def test_a_file_keeps_it_all(news: InferenceRules, tmp_path: Path) -> None:
    news.save(tmp_path / "m.palm")
    again = load(tmp_path / "m.palm")
    assert isinstance(again, InferenceRules)
    for measure in ("mean", "sum"):
        assert again.similar("X bought Y", 5, measure=measure) == news.similar(
            "X bought Y", 5, measure=measure
        )
        assert again.with_options(measure=measure).similar("X bought Y", 5) == again.similar(
            "X bought Y", 5, measure=measure
        )
    with pytest.raises(ValueError, match="after training"):
        again.with_options(longest=2)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("instances", lambda a: a + 1_000_000),
        ("instances", lambda a: a - 1_000),
        ("instances", lambda a: a[::-1].copy()),
        ("columns", lambda a: a + 1_000_000),
        ("values", lambda a: -a),
        ("starts", lambda a: a[:-1]),
    ],
)
def test_a_damaged_file_is_an_error(news: InferenceRules, tmp_path: Path, name: str, change: Any) -> None:
    file = news.to_model()
    arrays = {**file.arrays, name: change(np.array(file.arrays[name]))}
    ModelFile(file.kind, file.options, arrays, file.strings).save(tmp_path / "m.palm")
    with pytest.raises(FormatError, match=r"m\.palm"):
        InferenceRules.load(tmp_path / "m.palm")


def test_bad_input_is_told(news: InferenceRules) -> None:
    with pytest.raises(ValueError, match=r"'X solve Y' is not among.*did you mean 'X solved Y'"):
        news.similar("X solve Y")
    with pytest.raises(ValueError, match="no sentences"):
        InferenceRules().fit([])
    with pytest.raises(ValueError, match="need dependency trees"):
        InferenceRules().fit(["the cat sat"])
    trees = read_conllu(NEWS)
    with pytest.raises(ValueError, match="no parts of speech"):
        InferenceRules().fit(trees.with_column("upos", [["_"] * len(one["form"]) for one in trees]))
    with pytest.raises(ValueError, match="No two nouns"):
        InferenceRules().fit(trees.with_column("upos", [["VERB"] * len(one["form"]) for one in trees]))
    with pytest.raises(ValueError, match="No path occurs 5,000 times"):
        InferenceRules(options={"min_count": 5000}).fit(trees)
    with pytest.raises(ValueError, match="not trained"):
        InferenceRules().predict(["X solves Y"])
    with pytest.raises(TypeError, match="must be strings"):
        news.predict([1])
    with pytest.raises(ValueError, match="one value for every pair"):
        news.evaluate([("X solved Y", "X ended Y")], [])
