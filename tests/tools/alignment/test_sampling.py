"""The sampler of alignments with fertilities, against the joint probability and against all alignments."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import partial

import numpy as np
import pytest

from palmette._native import N_FERTILITIES, Bitext
from palmette.tools.alignment.sampling import (
    ORDERS,
    Model3Sampling,
    Priors,
    Sampling,
    flat_priors,
    likeliest,
    run,
    sampler_of,
)

pytestmark = pytest.mark.native
REACH, STEPS = 50, 101


def step(d: float) -> int:
    return int(np.clip(d, -REACH, REACH)) + REACH


def normal(counts, smoothing: float = 0.5):
    return (counts + smoothing) / (counts + smoothing).sum()


class Text:
    """A small bitext with its words, and an alignment as lists of places."""

    def __init__(self, pairs, n_source: int = 3, n_target: int = 4) -> None:
        self.pairs = pairs
        offsets = [np.cumsum([0, *(len(pair[side]) for pair in pairs)]).astype(np.int64) for side in (0, 1)]
        words = [np.array([w for pair in pairs for w in pair[side]], np.int32) for side in (0, 1)]
        self.sizes = n_source, n_target
        self.bitext = Bitext(offsets[0], words[0], offsets[1], words[1], n_source, n_target)
        self.number = {
            (e, f): k
            for e in range(n_source + 1)
            for k, f in enumerate(self.bitext.target_of.tolist())
            if self.bitext.first_of[e] <= k < self.bitext.first_of[e + 1]
        }

    def cut(self, flat) -> list[list[int]]:
        ends = itertools.accumulate((len(f) for _, f in self.pairs), initial=0)
        return [list(flat[a:b]) for a, b in itertools.pairwise(ends)]


def jumps(text: Text, alignment, counts: np.ndarray, classes) -> float:
    """The HMM's, with beginnings and ends."""
    s, first, last = normal(counts[:STEPS]), normal(counts[STEPS : STEPS + 51]), normal(counts[STEPS + 51 :])
    total = 0.0
    for (e, _), a in zip(text.pairs, alignment):
        n, before = len(e), 0
        for i in filter(None, a):
            weights = [s[step(k - before)] if before else first[min(k, REACH)] for k in range(1, n + 1)]
            total += math.log(weights[i - 1] / sum(weights))
            before = i
        ends = [last[min(n - k, REACH)] for k in range(n + 1)]
        total += math.log(ends[before] * (n + 1) / sum(ends))
    return total


TABLE = 3.0  # observations that a distance is worth


def diagonal(text: Text, alignment, counts: np.ndarray, classes) -> float:
    """Model 3: φ! and d(j | i, l, m), by distances or by a table around them."""
    d, total = normal(counts[:STEPS]), 0.0
    shapes = [tuple(shape) for shape in text.bitext.shape_lengths.reshape(-1, 2).tolist()]
    begin = dict(zip(shapes, itertools.accumulate(((n + 1) * m for n, m in shapes), initial=STEPS)))
    for (e, f), a in zip(text.pairs, alignment):
        total += sum(math.lgamma(a.count(i) + 1) for i in range(1, len(e) + 1))
        for j, i in enumerate(a, 1):
            if i:
                weights = [
                    d[step(math.floor(abs(x := k - i * len(f) / len(e)) + 0.5) * math.copysign(1, x))]
                    for k in range(1, len(f) + 1)
                ]
                p = weights[j - 1] / sum(weights)
                if len(counts) > STEPS:
                    at = begin[len(e), len(f)] + i * len(f)
                    own = counts[at : at + len(f)]
                    p = (own[j - 1] + TABLE * p) / (own.sum() + TABLE)
                total += math.log(p)
    return total


def cepts(text: Text, alignment, counts: np.ndarray, classes, strength: float = 20.0) -> float:
    """Model 4."""
    n_source, n_target = (max(own) + 1 for own in classes)
    counts = counts.reshape(-1, STEPS)
    tables = []
    for rows in (counts[: n_source * n_target], counts[n_source * n_target :]):
        tables.append(
            (rows + strength * normal(rows.sum(axis=0))) / (rows.sum(axis=1, keepdims=True) + strength)
        )
    heads, others = tables
    total = 0.0
    for (e, f), a in zip(text.pairs, alignment):
        centre, kind = -1, 0
        for i in range(1, len(e) + 1):
            words = [j for j in range(len(f)) if a[j] == i]
            for k, j in enumerate(words):
                own = classes[1][f[j]]
                if k == 0:
                    total += math.log(heads[kind * n_target + own][step(j - centre)])
                else:
                    total += math.log(others[own][step(j - words[k - 1])])
            if words:
                centre, kind = math.ceil(sum(words) / len(words)), classes[0][e[i - 1]]
    return total


ORACLES = {"fertility": jumps, "model3": diagonal, "model4": cepts}
KINDS = [*((kind, Sampling) for kind in ORDERS), ("model3", partial(Model3Sampling, table=TABLE))]


def gamma_ratio(prior: float, count: float) -> float:
    return math.lgamma(prior + count) - math.lgamma(prior)


def joint(
    kind: str, text: Text, alignment, priors: Priors, order: np.ndarray, usual: np.ndarray, classes, null=0.3
):
    """log P(f, a | e), translations and fertilities integrated out; the order's weights from given counts."""
    uses, pairs, levels = Counter(), Counter(), Counter()
    total = 0.0
    for (e, f), a in zip(text.pairs, alignment):
        for j, i in enumerate(a):
            row = e[i - 1] + 1 if i else 0
            uses[row] += 1
            pairs[text.number[row, f[j]]] += 1
        for i, word in enumerate(e, 1):
            levels[word + 1, min(a.count(i), N_FERTILITIES - 1)] += 1
        m, empty = len(f), a.count(0)
        total += empty * math.log(null) + (m - empty) * math.log(1 - null)
        if kind != "fertility":
            total += math.log(math.comb(m, empty))
    total += sum(gamma_ratio(float(priors.pairs[k]), n) for k, n in pairs.items())
    total -= sum(gamma_ratio(float(priors.sources[row]), n) for row, n in uses.items())
    before = priors.fertilities.reshape(-1, N_FERTILITIES) if len(priors.fertilities) else None
    for (row, level), n in levels.items():
        own = 0.0 if before is None else float(before[row, level])
        total += gamma_ratio(20.0 * usual[level] + own, n)
    return total + ORACLES[kind](text, alignment, order, classes)


def usual_fertilities(text: Text, alignment, before=None) -> np.ndarray:
    counts = np.zeros(N_FERTILITIES)
    for (e, _), a in zip(text.pairs, alignment):
        for i in range(1, len(e) + 1):
            counts[min(a.count(i), N_FERTILITIES - 1)] += 1
    if before is not None:
        counts += before.reshape(-1, N_FERTILITIES)[1:].sum(axis=0)
    return normal(counts)


def some_text(rng: np.random.Generator, n: int = 4, most: int = 5) -> Text:
    lengths = rng.integers(1, most + 1, size=(n, 2))
    return Text([(rng.integers(0, 3, a).tolist(), rng.integers(0, 4, b).tolist()) for a, b in lengths])


@pytest.mark.parametrize(("kind", "options"), KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_choices_have_the_probabilities_of_the_whole(kind: str, options, seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = some_text(rng)
    classes = [0, 1, 1], [1, 0, 0, 2]
    priors = flat_priors(text.bitext, Sampling(prior=0.3))
    start = np.array([rng.integers(0, len(e) + 1) for e, f in text.pairs for _ in f], np.int32)
    sampler = sampler_of(
        kind,
        text.bitext,
        priors,
        tuple(np.array(c, np.int32) for c in classes),
        start,
        options(sweeps=1, kept=1),
    )
    alignment = text.cut(start.tolist())
    usual, order = usual_fertilities(text, alignment), sampler.order_counts()
    for s, (e, f) in enumerate(text.pairs):
        for j in range(len(f)):
            want = []
            for i in range(len(e) + 1):
                moved = [list(a) for a in alignment]
                moved[s][j] = i
                want.append(joint(kind, text, moved, priors, order, usual, classes))
            shares = np.exp(np.array(want) - max(want))
            have = sampler.conditional(s, j, text.bitext)
            np.testing.assert_allclose(have, shares / shares.sum(), rtol=2e-4, atol=1e-6)


def fixed(text: Text, kind: str, classes, rng: np.random.Generator, table: bool) -> Priors:
    """Counts so large that a few more change nothing: the model is given."""
    n, size = text.sizes[0] + 1, {"fertility": STEPS + 102, "model3": STEPS, "model4": 9 * STEPS}[kind]
    if table:
        size += sum((n + 1) * m for n, m in text.bitext.shape_lengths.reshape(-1, 2).tolist())
    pairs = 1e6 * rng.dirichlet(np.ones(text.bitext.n_pairs))
    first = text.bitext.first_of
    sources = np.array([pairs[a:b].sum() for a, b in itertools.pairwise(first)]) + 1e5
    fertilities = 1e6 * rng.dirichlet(np.ones(N_FERTILITIES), size=n).ravel()
    displacements = 1e6 * rng.dirichlet(np.full(size, 5.0))
    return Priors(*(own.astype(np.float32) for own in (pairs, sources, fertilities, displacements)))


@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_posteriors_and_the_best_against_all_alignments(kind: str, options) -> None:
    rng = np.random.default_rng(7)
    text = Text([([0, 1, 2], [0, 1, 2, 3])])
    classes = [0, 1, 1], [1, 0, 0, 2]
    priors = fixed(text, kind, classes, rng, options is not Sampling)
    (e, f) = text.pairs[0]
    sampling = options(sweeps=4000, kept=3900)
    as_arrays = tuple(np.array(c, np.int32) for c in classes)
    sampler = sampler_of(kind, text.bitext, priors, as_arrays, np.zeros(4, np.int32), sampling)
    run(sampler, sampling)
    usual = usual_fertilities(text, [[0] * 4], priors.fertilities)
    score = partial(
        joint,
        kind,
        text,
        priors=priors,
        order=priors.displacements.astype(np.float64),
        usual=usual,
        classes=classes,
    )
    every = list(itertools.product(range(len(e) + 1), repeat=len(f)))
    logs = np.array([score([list(a)]) for a in every])
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    want = np.zeros((len(e), len(f)))
    for a, p in zip(every, shares):
        for j, i in enumerate(a):
            if i:
                want[i - 1, j] += p
    np.testing.assert_allclose(sampler.posteriors().reshape(want.shape), want, atol=0.03)

    # Climbing ends where no move and no swap helps.
    for start in rng.integers(0, len(e) + 1, size=(5, len(f))).astype(np.int32):
        climber = sampler_of(kind, text.bitext, priors, as_arrays, start, options(sweeps=1, kept=1))
        climber.climb()
        top = climber.alignment.tolist()
        here = score([top])
        assert here >= score([start.tolist()]) - 1e-3
        for j in range(len(f)):
            for i in range(len(e) + 1):
                assert score([[*top[:j], i, *top[j + 1 :]]]) <= here + 1e-2
            for k in range(j):
                swapped = list(top)
                swapped[j], swapped[k] = swapped[k], swapped[j]
                assert score([swapped]) <= here + 1e-2


def test_the_same_seed_gives_the_same_alignment() -> None:
    text = some_text(np.random.default_rng(1), 30, 8)
    start = np.zeros(int(text.bitext.lengths[1].sum()), np.int32)
    none = np.zeros(3, np.int32), np.zeros(4, np.int32)
    found = []
    for seed in (0, 0, 1):
        sampling = Sampling(sweeps=5, kept=3, random_state=seed)
        sampler = sampler_of(
            "fertility", text.bitext, flat_priors(text.bitext, sampling), none, start, sampling
        )
        run(sampler, sampling)
        found.append(sampler.posteriors())
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])
    pairs = sampler.pair_counts()
    assert pairs.sum() == pytest.approx(len(start), rel=1e-2)
    assert sampler.fertility_counts().sum() == text.bitext.lengths[0].sum()


def test_the_likeliest_word_or_none() -> None:
    bitext = Text([([0, 1], [0, 1, 2]), ([], [3]), ([2], [])]).bitext
    posteriors = np.array([0.6, 0.1, 0.3, 0.2, 0.1, 0.45], np.float32)
    assert likeliest(bitext, posteriors).tolist() == [1, 0, 2, 0]


def test_spelling_makes_priors_larger() -> None:
    bitext = Text([([0, 1], [0, 1]), ([2], [2, 3])]).bitext
    bitext.liken(["parliament", "a", "12"], ["parlement", "é", "12", "parfois"])
    alike = dict(
        zip(zip(np.repeat(range(4), np.diff(bitext.first_of)), bitext.target_of.tolist()), bitext.alike)
    )
    assert alike[1, 0] == pytest.approx((4 / 10) ** 2)  # "parl" of ten letters
    assert alike[3, 2] == 1
    assert alike[3, 3] == 0
    assert alike[2, 1] == 0
    assert alike[0, 0] == 0
    priors = flat_priors(bitext, Sampling(prior=0.1, spelling=10))
    assert priors.pairs.max() == pytest.approx(1.1)
    assert priors.sources[3] == pytest.approx(0.4 + 1.0)
    assert bitext.part(0, 1).alike.tolist() == bitext.alike.tolist()


def test_bad_input_is_refused() -> None:
    bitext = Text([([0], [0])]).bitext
    one, start = np.zeros(3, np.int32), np.zeros(1, np.int32)
    priors, four = flat_priors(bitext, Sampling()), np.zeros(4, np.int32)
    sampling = Sampling(sweeps=1, kept=1)
    with pytest.raises(ValueError, match="start"):
        sampler_of("model3", bitext, priors, (one, four), np.array([2], np.int32), sampling)
    with pytest.raises(ValueError, match="class of every word"):
        sampler_of("model4", bitext, priors, (one, one), start, sampling)
    with pytest.raises(ValueError, match="above zero"):
        sampler_of("model4", bitext, Priors(priors.pairs * 0, priors.sources), (one, four), start, sampling)
    with pytest.raises(ValueError, match="cannot be kept"):
        Sampling(sweeps=2, kept=3)
    with pytest.raises(ValueError, match="'null'"):
        Sampling(null=1.0)


def test_sweeps_by_the_size_of_the_text() -> None:
    small = Text([([0], [0])]).bitext
    assert Sampling().planned(small).sweeps == 64
    assert Sampling(sweeps=7, kept=2).planned(small).kept == 2
    assert Sampling().planned(small, again=True).sweeps == 250
