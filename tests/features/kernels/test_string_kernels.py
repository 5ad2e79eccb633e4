"""String kernels and the kernel of tagged sequences against their definitions and written-out features."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from oracles.kernels import subsequence_kernel, tagged_kernel
from palmette.features.kernels import (
    Kernel,
    MismatchKernel,
    SpectrumKernel,
    SubsequenceKernel,
    TaggedSequenceKernel,
    check_positive,
)
from palmette.features.kernels.kernel import inner_product
from palmette.features.kernels.tagged_sequences import capitalization

pytestmark = pytest.mark.native


def strings(seed: int, n: int = 21, most: int = 9, letters: str = "abc") -> list[str]:
    """More than two groups of eight, of all lengths, the empty string among them."""
    rng = random.Random(seed)
    return ["", *("".join(rng.choices(letters, k=rng.randint(1, most))) for _ in range(n - 1))]


KERNELS: list[Kernel] = [
    *(SpectrumKernel(n) for n in (1, 2, 3)),
    SpectrumKernel(3, least=1),
    *(SubsequenceKernel(n, decay) for n, decay in product((1, 2, 3, 4, 5, 6, 8), (1.0, 0.6))),
    *(MismatchKernel(n, m, "abcd") for n in (1, 2, 3) for m in range(n + 1)),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_kernel_is_the_inner_product_of_the_features(kernel: Kernel) -> None:
    one, two = strings(1), strings(2, 10)
    left, right = ([kernel.features(s) for s in part] for part in (one, two))
    np.testing.assert_allclose(
        kernel.gram(one, two), [[inner_product(a, b) for b in right] for a in left], rtol=1e-12
    )
    gram = kernel.gram(one)
    np.testing.assert_allclose(gram, [[inner_product(a, b) for b in left] for a in left], rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(one), np.diag(gram), rtol=1e-12)
    assert np.array_equal(gram, kernel.gram(one, n_jobs=2))
    check_positive(gram)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_subsequences_against_all_pairs_of_places(n: int) -> None:
    kernel = SubsequenceKernel(n, decay=0.7)
    for s, t in zip(strings(3), strings(4)):
        assert kernel(s, t) == pytest.approx(subsequence_kernel(s, t, n, 0.7), rel=1e-12)


def test_long_subsequences() -> None:
    """Of n equal symbols there is one subsequence of length n, and it stretches over all of them."""
    for n in (16, 17, 18, 40):
        assert SubsequenceKernel(n, decay=0.9)("a" * n, "a" * n) == pytest.approx(0.9 ** (2 * n))


def test_the_cat_and_the_car() -> None:
    """Lodhi et al.: K(cat, car) = λ⁴ and K(cat, cat) = 2 λ⁴ + λ⁶ for n = 2."""
    k, x = SubsequenceKernel(2, decay=0.3), 0.3
    assert k("cat", "car") == pytest.approx(x**4)
    assert k.normalized("cat", "car") == pytest.approx(1 / (2 + x**2))


def test_tokens_and_characters() -> None:
    k = SubsequenceKernel(2)
    assert k(("c", "a", "t"), ("c", "a", "r")) == k("cat", "car")
    assert k(tuple("日本語é𝔸"), tuple("日本語é𝔸")) == k("日本語é𝔸", "日本語é𝔸")
    assert SpectrumKernel(1)(("the", "dog"), ("dog", "the", "dog")) == 3.0
    assert k.gram([["the", "old", "dog"], "cat"]).shape == (2, 2)


def test_a_mismatch_with_a_large_alphabet() -> None:
    """Two 3-grams that differ in two places share, with one mismatch each, the two that take one of each."""
    k = MismatchKernel(3, 1, alphabet=1000)
    assert k("abc", "axy") == 2.0
    assert k("abc", "abx") == 2 + 998  # either of the two, or anything else in the last place
    assert k("abc", "abc") == 1 + 3 * 999


@pytest.mark.parametrize("shape", [None, capitalization])
@pytest.mark.parametrize("decay", [1.0, 0.5])
@pytest.mark.parametrize("longest", [None, 1, 2, 3, 6])
def test_tagged_sequences(shape, decay: float, longest: int | None) -> None:
    rng = random.Random(7)
    words = ["to", "Elba", "Rome", "exiled", "ROME"]
    items = [
        [(rng.choice(words), rng.choice("NS")) for _ in range(rng.randint(0, 5))] or [("to", "N")]
        for _ in range(19)
    ]
    kernel = TaggedSequenceKernel(decay=decay, shape=shape, longest=longest)

    def pi(v: str, w: str) -> float:
        return 1.0 if v == w else 0.5 if shape is not None and shape(v) == shape(w) else 0.0

    want = [[tagged_kernel(s, t, decay, pi, longest) for t in items] for s in items]
    np.testing.assert_allclose(kernel.gram(items), want, rtol=1e-12)
    maps = [kernel.features(item) for item in items]
    np.testing.assert_allclose(want, [[inner_product(a, b) for b in maps] for a in maps], rtol=1e-9)
    np.testing.assert_allclose(kernel.diagonal(items), np.diag(want), rtol=1e-12)
    np.testing.assert_allclose(kernel.gram(items[:3], items), want[:3], rtol=1e-12)
    assert kernel(items[0], items[1]) == pytest.approx(want[0][1])
    check_positive(kernel.gram(items))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SpectrumKernel(0), r"The 'n' must be an int in the range \[1, 4096\]. Got 0"),
        (lambda: SpectrumKernel(2, least=3), "must not be above n = 2"),
        (lambda: SubsequenceKernel(2, decay=1.5), r"The 'decay' must be a number in the range \(0, 1\]"),
        (lambda: SubsequenceKernel(2.5), "The 'n' must be an int"),
        (
            lambda: TaggedSequenceKernel(longest=0),
            r"The 'longest' must be an int in the range \[1, 6\]. Got 0",
        ),
        (
            lambda: TaggedSequenceKernel(longest=7),
            r"The 'longest' must be an int in the range \[1, 6\]. Got 7",
        ),
        (lambda: TaggedSequenceKernel(longest=2.0), "The 'longest' must be an int"),
        (lambda: TaggedSequenceKernel(decay=0.0), r"The 'decay' must be a number in the range \(0, 1\]"),
        (lambda: MismatchKernel(2, 3), r"The 'mismatches' must be an int in the range \[0, 2\]. Got 3"),
        (lambda: MismatchKernel(2, 1, alphabet=""), "must have at least one symbol"),
        (lambda: MismatchKernel(2, 1, "ab").gram(["abc"]), "String 0 has 'c', which is not in the alphabet"),
        (lambda: MismatchKernel(2, 1, 26).features("ab"), "need the alphabet itself"),
        (lambda: SubsequenceKernel(9).features("a" * 100), "at most 200,000 are written down"),
    ],
)
def test_bad_parameters(make, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_bad_items() -> None:
    with pytest.raises(TypeError, match=r"Item 2 must be a string or a sequence of tokens\. Got int"):
        SpectrumKernel(2).gram(["ab", 3])
    with pytest.raises(ValueError, match="symbols must be strings of valid Unicode; got 3"):
        SpectrumKernel(2).gram([("ab", 3)])
    with pytest.raises(TypeError, match=r"Item 1 must be a sequence of pairs \(word, label\)"):
        TaggedSequenceKernel().gram([["word"]])


def test_empty_collections_and_strings() -> None:
    for kernel in (SpectrumKernel(2), SubsequenceKernel(2), MismatchKernel(2, 1, 4), TaggedSequenceKernel()):
        assert kernel.gram([]).shape == (0, 0)
        assert kernel.diagonal([]).shape == (0,)
    assert SubsequenceKernel(2).gram(["", "a"]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert TaggedSequenceKernel().gram([[], [("a", "A")]]).tolist() == [[0.0, 0.0], [0.0, 2.0]]


@pytest.mark.parametrize("shape", [None, capitalization])
@pytest.mark.parametrize("longest", [None, 1, 3, 6])
def test_merged_tagged_sequences_are_the_same_sum(shape, longest: int | None) -> None:
    """Lists of candidates with the same words and some other labels, empty ones and single ones among them."""
    rng = random.Random(3)

    def sequence(n: int) -> list[tuple[str, str]]:
        return [(rng.choice(["a", "b", "C", "Dd", "7"]), rng.choice("OOOXY")) for _ in range(n)]

    supports = [sequence(rng.randint(0, 40)) for _ in range(40)]
    supports += supports[:9]
    alphas = np.array([rng.uniform(-1, 1) for _ in supports])
    items = []
    for _ in range(8):
        first = sequence(rng.randint(0, 30))
        items.append(first)
        for _ in range(rng.randint(0, 6) if first else 0):
            other = first[:]
            for i in rng.choices(range(len(first)), k=rng.randint(0, 3)):
                other[i] = (other[i][0], rng.choice("OXYZ"))  # Z is in no support
            items.append(other)
    for decay in (1.0, 0.3):
        kernel = TaggedSequenceKernel(decay=decay, shape=shape, longest=longest)
        gram = kernel.gram(items, supports)
        merged = kernel.supports()
        assert not merged.score(items).any()
        merged.add(supports[:20], alphas[:20])
        merged.add(supports, alphas[20:], range(20, len(supports)))
        have = merged.score(items)
        np.testing.assert_allclose(have, gram @ alphas, rtol=1e-9, atol=1e-9 * (gram @ abs(alphas)).max())
        assert np.array_equal(have, merged.score(items, n_jobs=2))
        one_by_one = [merged.score([item])[0] for item in items]
        np.testing.assert_allclose(have, one_by_one, rtol=1e-9, atol=1e-9 * (gram @ abs(alphas)).max())
    with pytest.raises(ValueError, match="prepared for"):
        merged.score(TaggedSequenceKernel(shape=str.lower).prepare(items))


def test_what_candidates_share_is_not_entered() -> None:
    """A right and a wrong candidate with opposite weights: only the fragments around the one label in question."""
    words = [*"abcdefghij"]
    right = [(word, "O") for word in words]
    wrong = [(word, "X" if word == "e" else "O") for word in words]
    kernel = TaggedSequenceKernel(decay=0.5, shape=None, longest=2)
    sums = kernel.supports()
    sums.add([right, wrong], [0.7, -0.7])
    runs = [item[begin : begin + 2] for item in (right, wrong) for begin in (3, 4)]
    pairs = {name for run in runs for name in kernel.features(run) if len(name) == 2}
    assert sums.n_distinct == len(pairs | {name[:1] for name in pairs})
    np.testing.assert_allclose(
        sums.score([right, wrong]), kernel.gram([right, wrong]) @ [0.7, -0.7], rtol=1e-12
    )
    # Taken off again, in two steps and with another sentence between.
    sums.add([wrong, [("z", "O")], right], [0.7, 1.0, -0.7])
    np.testing.assert_allclose(
        sums.score([right, wrong]), kernel.gram([right, wrong], [[("z", "O")]])[:, 0], atol=1e-12
    )


@pytest.mark.parametrize("shape", [None, capitalization])
@pytest.mark.parametrize("longest", [1, 3])
def test_amounts_of_fragments(shape, longest: int) -> None:
    """What a fragment adds to a score is its weight, Σ α Φ of the supports, times its value in the item."""
    rng = random.Random(5)
    items = [[(rng.choice(["a", "B", "b7"]), rng.choice("OX")) for _ in range(6)] for _ in range(9)]
    kernel = TaggedSequenceKernel(decay=0.6, shape=shape, longest=longest)
    alphas = np.array([rng.uniform(-1, 1) for _ in items[:6]])
    sums = kernel.supports()
    sums.add(items[:6], alphas)
    weights: dict = {}
    for item, alpha in zip(items[:6], alphas):
        for name, value in kernel.features(item).items():
            weights[name] = weights.get(name, 0.0) + alpha * value
    for item in [*items, []]:
        amounts = sums.amounts(item)
        assert sum(amounts.values()) == pytest.approx(float(sums.score([item])[0]))
        want = {
            name: weights[name] * value for name, value in kernel.features(item).items() if name in weights
        }
        assert amounts == pytest.approx(want)
    with pytest.raises(ValueError, match="where the kernel has a longest fragment"):
        TaggedSequenceKernel().supports().amounts(items[0])
