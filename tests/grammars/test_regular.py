"""Regular grammars and hidden Markov models: the same probability for every sentence, both ways."""

from __future__ import annotations

import math

import numpy as np
import pytest

from oracles.grammars import string_weights, strings
from palmette import HMM, Tagger
from palmette.grammars.grammar import Grammar
from palmette.grammars.hidden_markov import HiddenMarkovModel
from palmette.grammars.regular import hidden_markov_model, regular_grammar

pytestmark = pytest.mark.native


def random_model(seed: int, n: int = 3, words: str = "ab", empty: float = 0.0) -> HiddenMarkovModel:
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.ones(n + 1), size=n)
    return HiddenMarkovModel(
        tuple(f"Q{i}" for i in range(n)),
        tuple(words),
        rng.dirichlet(np.ones(n)) * (1 - empty),
        rows[:, :n],
        rng.dirichlet(np.ones(len(words)), size=n),
        rows[:, n],
        empty,
    )


def enumerated(model: HiddenMarkovModel, words: tuple[str, ...]) -> float:
    """P(words) as a product of matrices."""
    if not words:
        return model.empty
    state = model.begin
    for t, word in enumerate(words):
        state = (state if t == 0 else state @ model.transitions) * model.emissions[:, model.words.index(word)]
    return float(state @ model.end)


@pytest.mark.parametrize("seed", range(5))
def test_from_a_model_to_a_grammar_and_back(seed: int) -> None:
    model = random_model(seed, empty=0.1 * (seed % 2))
    grammar = regular_grammar(model)
    back = hidden_markov_model(grammar)
    assert grammar.consistency().is_consistent
    assert back.states == model.states
    np.testing.assert_allclose(back.transitions, model.transitions)
    np.testing.assert_allclose(back.emissions, model.emissions)
    np.testing.assert_allclose(back.begin, model.begin)
    for words in strings("ab", 4):
        want = enumerated(model, words)
        assert math.exp(model.log_probability(words)) == pytest.approx(want)
        assert grammar.parse(words).probability == pytest.approx(want)


REGULAR = [
    "S -> 'a' S [0.5] | 'b' S [0.25] | ε [0.25]",
    "S -> 'a' S [0.2] | 'b' T [0.5] | 'a' [0.3]\nT -> 'b' S [0.6] | 'a' T [0.4]",  # words and states depend
    """
    S -> A [0.6] | 'a' B [0.4]
    A -> 'a' 'b' A [0.3] | 'a' 'b' B [0.3] | B [0.4]
    B -> 'b' [0.5] | 'a' A [0.2] | ε [0.3]
    """,
    "S -> A [0.5] | 'a' [0.5]\nA -> S [0.5] | 'b' A [0.25] | 'b' 'b' 'b' [0.25]",  # a unary cycle
]


@pytest.mark.parametrize("text", REGULAR)
def test_from_a_grammar_to_a_model_and_back(text: str) -> None:
    grammar = Grammar(text)
    model = hidden_markov_model(grammar)
    again = regular_grammar(model)
    want = string_weights(grammar, 5)
    for words in strings("ab", 5):
        assert math.exp(model.log_probability(words)) == pytest.approx(want.get(words, 0.0), rel=1e-9)
        assert again.parse(words).probability == pytest.approx(want.get(words, 0.0), rel=1e-9)


def test_derivations_are_sequences_of_states() -> None:
    model = random_model(7)
    grammar = regular_grammar(model)
    words = ["a", "b", "b"]
    best = grammar.parse(words).best()
    assert best is not None
    states = [rule.left for rule in best.rules[1:]]
    chain = model.chain()
    assert states == chain.names(chain.best(model.scores(words)).labels)


def test_grammars_that_are_not_regular() -> None:
    with pytest.raises(ValueError, match=r"not regular .* it has the rule S -> S 'a'"):
        hidden_markov_model(Grammar("S -> S 'a' [0.5] | 'a' [0.5]"))
    with pytest.raises(ValueError, match=r"take grammar\.tightened"):
        hidden_markov_model(Grammar("S -> 'a' S [0.5] | 'a' [0.25]", weighted=True))


def test_tables_that_are_no_model() -> None:
    with pytest.raises(ValueError, match=r"'transitions' must have the shape \(1, 1\)"):
        HiddenMarkovModel(("A",), ("a",), np.ones(1), np.ones(1), np.ones((1, 1)), np.zeros(1))
    with pytest.raises(ValueError, match=r"must sum to one\. Got 2"):
        HiddenMarkovModel(("A",), ("a",), np.ones(1), np.ones((1, 1)), np.ones((1, 1)), np.ones(1))
    with pytest.raises(ValueError, match="negative"):
        HiddenMarkovModel(("A",), ("a",), np.ones(1), -np.ones((1, 1)), np.ones((1, 1)), np.ones(1))
    with pytest.raises(ValueError, match="must differ"):
        HiddenMarkovModel(("A", "A"), ("a",), np.ones(2), np.ones((2, 2)), np.ones((2, 1)), np.ones(2))


def test_a_tagger_is_a_grammar() -> None:
    """A trained HMM of order 1 as a grammar: its best derivation has the tagger's labels."""
    sentences = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["the", "cat", "barks"], ["dogs", "bark"]]
    labels = [["D", "N", "V"], ["D", "N", "V"], ["D", "N", "V"], ["N", "V"]]
    tagger = Tagger(HMM(), order=1).fit(sentences, labels)
    model = HiddenMarkovModel.of_model(tagger.model_)
    grammar = regular_grammar(model)
    assert grammar.consistency().is_consistent
    for sentence, want in zip(sentences, tagger.predict(sentences)):
        forest = grammar.parse(sentence)
        best = forest.best()
        assert best is not None
        assert [rule.left for rule in best.rules[1:]] == list(want)
        assert forest.log_z == pytest.approx(model.log_probability(sentence), rel=1e-6)
    with pytest.raises(ValueError, match="not a model of an HMM of order 1"):
        HiddenMarkovModel.of_model(Tagger(HMM(), order=2).fit(sentences, labels).model_)
