"""Inside-outside: learn the weights of a grammar from plain sentences (CSC 448, §10).

python examples/grammars/inside_outside.py
"""

from __future__ import annotations

from pathlib import Path

from palmette import EM, VB, Grammar
from palmette.grammars import reestimate

HERE = Path(__file__).parent


def main(n: int = 300) -> None:
    source = Grammar.from_file(HERE / "time_flies.cfg")
    sentences = [sample.words for sample in source.samples(n, random_state=1) if len(sample.words) <= 12]
    forgotten = source.with_weights([1.0] * len(source)).normalised()
    for learner in (EM(n_iter=30), VB(n_iter=30, prior=0.5)):
        found = reestimate(forgotten, sentences, learner)
        first, last = found.history[0].numbers["objective"], found.history[-1].numbers["objective"]
        print(f"{type(learner).__name__}: {first:.1f} → {last:.1f} in {len(found.history)} passes")
        for left in ("NP", "VP"):
            rows = zip(source.rules_of(left), found.grammar.rules_of(left))
            for was, now in rows:
                print(f"    {was.weight:.2f} → {now.weight:.2f}  {now.arrow()}")


if __name__ == "__main__":
    main()
