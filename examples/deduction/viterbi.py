"""Hidden Markov models (CSC 448, §2): Viterbi, forward-backward and five searches from four lines of rules.

[t, i] says that word i (from 1) has tag t and all words before it have some tag: O(n T²) edges.
"""

from __future__ import annotations

from palmette.inference import Deduction, Forest, Proof
from palmette.inference.search import Search

RULES = Deduction("""
    [t, 1]   <- start(t) * emit(t, w) * ?word(w, 1)
    [t, i+1] <- [s, i] * transition(s, t) * emit(t, w) * ?word(w, i+1)
    goal [t, n] <- ?length(n)
    bucket [t, i] = i
""")

START = {"D": 0.7, "N": 0.2, "V": 0.1}
TRANSITION = {
    ("D", "N"): 0.95, ("D", "V"): 0.05,
    ("N", "N"): 0.3, ("N", "V"): 0.6, ("N", "D"): 0.1,
    ("V", "D"): 0.6, ("V", "N"): 0.3, ("V", "V"): 0.1,
}  # fmt: skip
EMIT = {
    ("D", "the"): 0.6, ("D", "a"): 0.4,
    ("N", "dog"): 0.4, ("N", "walk"): 0.3, ("N", "park"): 0.3,
    ("V", "walk"): 0.5, ("V", "saw"): 0.4, ("V", "park"): 0.1,
}  # fmt: skip


def trellis(words: list[str], search: Search | None = None) -> Forest:
    """All tag sequences of the words, packed."""
    facts = {
        "start": START,
        "transition": TRANSITION,
        "emit": EMIT,
        "word": [(w, i) for i, w in enumerate(words, 1)],
        "length": [len(words)],
    }
    return RULES.run(facts, search=search)


def tags(proof: Proof) -> list[str]:
    """The tag sequence of a derivation, read from its last item back to its first."""
    sequence = []
    while proof.item.name == "":
        sequence.append(str(proof.item.arguments[0]))
        proof = proof.children[0]
    return sequence[::-1]


def main() -> None:
    words = "the dog saw the park".split()
    forest = trellis(words)
    for proof in forest.kbest(3):
        print(
            " ".join(f"{w}/{t}" for w, t in zip(words, tags(proof))), f"  log-probability {proof.score:.3f}"
        )
    print("the probability of each tag of each word:")
    for item, probability in sorted(
        forest.item_marginals().items(), key=lambda pair: str(pair[0].arguments[-1:])
    ):
        if item.name == "":
            tag, i = item.arguments
            print(f"  {words[int(i) - 1]}/{tag}  {probability:.3f}")


if __name__ == "__main__":
    main()
