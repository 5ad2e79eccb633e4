"""Files, layouts, next words, samples, pruning and mixing of language models."""

import math
import pickle
import random
import re
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from palmette import FormatError, LanguageModel
from palmette.formats import ModelFile
from samples.lm_text import random_text, trained

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def model(lines: list[str]) -> LanguageModel:
    return trained(lines, order=4)


@pytest.mark.parametrize("layout", ["hashed", "trie"])
def test_saved_and_loaded(tmp_path: Path, model: LanguageModel, lines: list[str], layout: str) -> None:
    other = model.convert(layout=layout)  # type: ignore[arg-type]
    other.save(tmp_path / "m.palm")
    loaded = LanguageModel.load(tmp_path / "m.palm")
    assert loaded.layout == layout
    assert loaded.sizes == model.sizes
    assert list(loaded.words) == list(model.words)
    assert (loaded.score_batch(lines) == model.score_batch(lines)).all()
    assert loaded.facts == other.facts
    assert loaded.next_word("a b") == model.next_word("a b")
    copy = pickle.loads(pickle.dumps(loaded))
    assert copy.score(lines[0]) == model.score(lines[0])
    state = model.state("a b")
    assert pickle.loads(pickle.dumps(state)) == state


def test_arpa_and_back(tmp_path: Path, model: LanguageModel, lines: list[str]) -> None:
    for name in ("m.arpa", "m.arpa.gz"):
        model.to_arpa(tmp_path / name)
        again = LanguageModel.load(tmp_path / name)
        assert again.sizes == model.sizes
        assert (again.score_batch(lines) == model.score_batch(lines)).all()
        for name, array in model.to_model().arrays.items():
            assert (again.to_model().arrays[name] == array).all(), name


@pytest.mark.parametrize("layout", ["hashed", "trie"])
def test_quantized(model: LanguageModel, lines: list[str], layout: str) -> None:
    small = model.convert(layout=layout, quantize=8)  # type: ignore[arg-type]
    assert small.score_batch(lines) == pytest.approx(model.score_batch(lines), rel=0.03)
    assert small.sizes == model.sizes
    trie = model.convert(layout="trie")
    sizes = [sum(array.nbytes for array in one.to_model().arrays.values()) for one in (small, trie)]
    assert layout == "hashed" or sizes[0] < sizes[1] + 3 * 4 * 512  # but for the codes
    assert small.score(lines[3]) == small.convert(layout="trie", quantize=8).score(lines[3])


def test_every_ngram_is_found(model: LanguageModel) -> None:
    """The lengths of n-grams found in text that was trained on are as long as can be."""
    text = random_text(60, "abcdefghijklmnopqrstuvw")
    scores = model.word_scores(text)
    for i in range(len(text)):
        found = scores.lengths[scores.bounds[i] : scores.bounds[i + 1]]
        assert found.tolist() == [min(k + 2, 4) for k in range(len(found))]


@pytest.mark.parametrize("layout", ["hashed", "trie"])
def test_words_between_all_kinds_of_white_space(
    model: LanguageModel, layout: Literal["hashed", "trie"]
) -> None:
    rng = random.Random(5)
    text = ["".join(rng.choices(" \t\n\v\f\r\0abé\u0120", k=rng.randint(0, 300))) for _ in range(150)]
    words = [re.split("[ \t\n\v\f\r\0]+", line.strip(" \t\n\v\f\r\0")) for line in text]
    own = model.convert(layout=layout)
    for bos, eos in ((True, True), (True, False), (False, True)):
        scores = own.word_scores(text, bos=bos, eos=eos)
        want = [sum(map(bool, line)) + eos for line in words]
        assert np.diff(scores.bounds).tolist() == want
        assert len(scores.log_probs) == len(scores.lengths) == len(scores.unknown) == sum(want)
        sums = [float(scores.sentence(i).sum(dtype=np.float64)) for i in range(len(text))]
        assert own.score_batch(text, bos=bos, eos=eos) == pytest.approx(sums, abs=1e-4)
        two = own.word_scores(text, bos=bos, eos=eos, n_jobs=2)
        assert np.array_equal(scores.log_probs, two.log_probs)


def test_unknown_words(model: LanguageModel) -> None:
    scores = model.word_scores(["a qqq b"])
    assert scores.unknown.tolist() == [False, True, False, False]
    assert model.score("qqq") == model.score("<unk>")
    report = model.evaluate(["a qqq b", "a"])
    assert report.oov == 1 / 4
    assert report.tokens == 6
    assert report.perplexity == pytest.approx(10 ** (-report.log_prob / 6))
    assert model.perplexity("a b") == pytest.approx(10 ** (-model.score("a b") / 3))


def test_histories_are_values(model: LanguageModel) -> None:
    # Only the last three words can matter, and words that begin no n-gram do not.
    long, short = model.state("u v a b c", bos=False), model.state("v a b c", bos=False)
    assert len(long.words) <= 3
    assert (long == short) == (long.words == short.words)
    assert model.state("qqq qqq") == model.state("") or model.state("qqq", bos=False) == model.state(
        "", bos=False
    )
    assert len({model.state("a"), model.state("a"), model.state("b")}) == 2
    step = model.advance(model.begin(), "a")
    assert step.log_prob == pytest.approx(float(np.log10(dict(model.next_word("", k=99))["a"])), abs=1e-5)


def test_next_words_and_samples(model: LanguageModel, lines: list[str]) -> None:
    every = model.next_word("a", k=1000)
    assert sum(p for _, p in every) == pytest.approx(1, abs=1e-5)
    assert [p for _, p in every] == sorted((p for _, p in every), reverse=True)
    assert model.next_word("a", k=3) == every[:3]
    drawn = model.sample(200, random_state=1)
    assert drawn == model.sample(200, random_state=1)
    assert not any("<unk>" in line or "<s>" in line for line in drawn)
    share = sum(line.split()[:1] == ["a"] for line in drawn) / 200
    want = dict(model.next_word("", k=1000))["a"] / (1 - dict(model.next_word("", k=1000))["<unk>"])
    assert abs(share - want) < 5 * math.sqrt(want / 200)
    assert all(line.startswith("b c") for line in model.sample(3, start="b c"))
    with pytest.raises(ValueError, match="'k' parameter must be an int"):
        model.next_word("a", k=0)


def test_entropy_pruning(model: LanguageModel, lines: list[str]) -> None:
    assert model.prune(0).sizes == model.sizes
    before = model.perplexity(lines)
    last = model.sizes
    for threshold in (1e-6, 1e-4, 1e-2):
        pruned = model.prune(threshold)
        assert sum(pruned.sizes) <= sum(last)
        last = pruned.sizes
        for history in ("", "a b", "c c c", "q"):
            assert pruned.distribution(history).sum(dtype=float) == pytest.approx(1, abs=1e-4)
    assert sum(last) < sum(model.sizes)
    assert model.prune(1e-6).perplexity(lines) == pytest.approx(before, rel=0.05)


def test_pruning_one_ngram_costs_what_it_says() -> None:
    """The rise of the perplexity of a model on its own distribution, by enumeration of a bigram model."""
    text = random_text(40, "abc", seed=3)
    model = trained(text, order=2)
    histories = ["<s>", *"abc"]
    joint = {h: 10 ** model.score("</s>" if h == "<s>" else h, bos=False, eos=False) for h in histories}

    def entropy(of: LanguageModel) -> float:
        total = 0.0
        for h in histories:
            p = model.distribution("" if h == "<s>" else h, bos=h == "<s>")
            q = of.distribution("" if h == "<s>" else h, bos=h == "<s>")
            total -= joint[h] * sum(a * math.log(b) for a, b in zip(p.tolist(), q.tolist()) if a)
        return total

    base = entropy(model)
    thresholds = np.geomspace(1e-7, 1e-2, 40)
    pruned = next(one for t in thresholds if sum((one := model.prune(t)).sizes) < sum(model.sizes))
    gone = sum(model.sizes) - sum(pruned.sizes)
    rise = math.expm1(entropy(pruned) - base)
    bound = next(t for t in thresholds if sum(model.prune(t).sizes) < sum(model.sizes))
    assert 0 <= rise <= 1.5 * gone * bound + 1e-7


def test_mixing(lines: list[str]) -> None:
    one, two = trained(lines, order=3), trained(random_text(50, "abcxyz", seed=5), order=2)
    both = LanguageModel.mix([one, two], [0.3, 0.7])
    assert both.order == 3
    assert set(both.words) == set(one.words) | set(two.words)
    for history in ("", "a b", "x y", "w x a"):
        assert both.distribution(history).sum(dtype=float) == pytest.approx(1, abs=1e-4)
    # An n-gram of one of them has the mixed probability.
    for history, word in (("", "a"), ("", "x"), ("a", "b"), ("x", "y")):
        parts = []
        for part in (one, two):
            p = float(part.distribution(history)[part.words.index(word) if word in part else 0])
            parts.append(p if word in part else p / (len(both.words) - len(part.words) + 1))
        have = float(both.distribution(history)[both.words.index(word)])
        assert have == pytest.approx(0.3 * parts[0] + 0.7 * parts[1], rel=0.02)
    same = LanguageModel.mix([one, one])
    assert same.sizes == one.sizes
    assert same.score_batch(lines) == pytest.approx(one.score_batch(lines), abs=1e-3)


def test_weights_by_em(lines: list[str]) -> None:
    from palmette.tools.lm.mixing import tune_weights

    one, two = trained(lines[:30], order=2), trained(random_text(50, "abcxyz", seed=5), order=2)
    held_out = lines[30:]
    weights = tune_weights([one, two], held_out)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > 0.7
    vocabulary = len({*one.words, *two.words})
    logs = []
    for part in (one, two):
        scores = part.word_scores(held_out)
        share = math.log10(vocabulary - len(part.words) + 1)
        logs.append(scores.log_probs - np.where(scores.unknown, share, 0))
    grid = np.linspace(0.01, 0.99, 99)
    best = max(grid, key=lambda w: float(np.log(w * 10.0 ** logs[0] + (1 - w) * 10.0 ** logs[1]).sum()))
    assert weights[0] == pytest.approx(best, abs=0.02)


def test_damaged_files(tmp_path: Path, model: LanguageModel, lines: list[str]) -> None:
    """Whatever bytes are wrong, a model is read with an error or with wrong numbers, and never crashes."""
    rng = np.random.default_rng(0)
    model.convert(layout="hashed").save(tmp_path / "m.palm")
    data = bytearray((tmp_path / "m.palm").read_bytes())
    for _ in range(60):
        broken = bytearray(data)
        for at in rng.integers(64, len(data), size=20):
            broken[at] = int(rng.integers(256))
        try:
            loaded = LanguageModel.from_model(ModelFile.from_buffer(bytes(broken)))
            loaded.score_batch(lines)
            loaded.convert(layout="trie").score_batch(lines)
            loaded.next_word("a b c")
        except (FormatError, ValueError):
            continue


def test_wrong_models(tmp_path: Path, model: LanguageModel) -> None:
    file = model.to_model()
    for change, fault in (
        ({"sizes": [1, 2]}, "damaged model"),
        ({"sizes": "x"}, "not a list"),
        ({"seed": "xyz"}, "seed"),
        ({"quantize": 40}, "damaged model"),
    ):
        with pytest.raises(FormatError, match=fault):
            LanguageModel.from_model(
                ModelFile(file.kind, {**file.options, **change}, file.arrays, file.strings)
            )
    arrays = {name: array for name, array in file.arrays.items() if name != "records.3"}
    with pytest.raises(FormatError, match=r"no array 'records\.3'"):
        LanguageModel.from_model(ModelFile(file.kind, file.options, arrays, file.strings))
    with pytest.raises(FormatError, match="not a language model"):
        LanguageModel.from_model(ModelFile("tagger", {}, {}, {}))
