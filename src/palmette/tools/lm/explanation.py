"""Why a word has its probability: the n-gram that was found for it, and what falling back to it cost.

    log p(w | h) = log p(w | the last words of h)  +  Σ backoff of every longer history that the model knows

The n-gram that is found is the longest one that ends in the word. A history that the model does not know costs
nothing.
"""

from __future__ import annotations

from palmette._native import NgramModel, NgramState
from palmette.tools.explanation import Contribution, Decision, Explanation

UNKNOWN = "<unk>"


def explain_words(model: NgramModel, words: list[str], state: NgramState) -> Explanation:
    """Return a decision for every word, the first one after a history; margins are log10 probabilities."""
    decisions = []
    for number, word in enumerate(words, 1):
        decision, state = _explained(model, number, word, state)
        decisions.append(decision)
    return Explanation(tuple(decisions), "words")


def _explained(model: NgramModel, number: int, word: str, state: NgramState) -> tuple[Decision, NgramState]:
    log_prob, length, unknown, after = model.advance(state, word)
    history = [model.word(i) for i in state.words]
    shown = UNKNOWN if unknown else word
    backoffs = list(state.backoffs)[length - 1 : len(history)] if length else []
    found = _named(shown, history[len(history) - length + 1 :] if length > 1 else [])
    first = max(number - length + 1, 1)
    parts = [
        Contribution(f"p({found})", log_prob - sum(backoffs), tuple(range(first, number + 1))),
        *(
            Contribution(
                f"backoff({' '.join(history[-n:])})",
                weight,
                tuple(range(max(number - n, 1), number)),
            )
            for n, weight in enumerate(backoffs, length)
            if weight
        ),
    ]
    facts = {"number": number, "length": length, "unknown": unknown, "history": " ".join(history)}
    text = f"{number}  {word}  log10 p {log_prob:+.3f}, a {length}-gram" + (", unknown" if unknown else "")
    made = Decision(word, shown, None, log_prob, tuple(parts), extra=facts, text=text)
    return made, after


def _named(word: str, history: list[str]) -> str:
    return f"{word} | {' '.join(history)}" if history else word
