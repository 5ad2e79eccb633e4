"""Rounds of annotation: a tagger chooses the sentences that it wants tagged, or gets them at random."""

from __future__ import annotations

from pathlib import Path

from palmette import Tagger
from palmette.formats import read_conllu
from palmette.tools import select

DATA = Path(__file__).parents[1] / "pipelines"


def rounds(strategy: str, n_rounds: int = 4, at_once: int = 5, seed: int = 0) -> list[float]:
    """Return the accuracy on the test set after each round."""
    pool, test = read_conllu(DATA / "train.conllu"), read_conllu(DATA / "test.conllu")
    done, left = list(range(at_once)), list(range(at_once, len(pool)))
    found = []
    for _ in range(n_rounds):
        known = pool.select(done)
        tagger = Tagger(column="upos").fit(known)
        found.append(tagger.score(test))
        words = [sentence["form"] for sentence in known]
        chosen = select(
            tagger, pool.select(left), at_once, strategy=strategy, annotated=words, random_state=seed
        )
        places = [left[one.number - 1] for one in chosen]
        done += places  # here a person would tag them
        left = [i for i in left if i not in places]
    return found


if __name__ == "__main__":
    for strategy in ("random", "mixed"):
        print(strategy.ljust(8), "  ".join(f"{accuracy:.3f}" for accuracy in rounds(strategy)))
