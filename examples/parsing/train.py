"""Train a dependency parser on fifty trees, evaluate it on ten, print a tree, and explain it.

python examples/parsing/train.py
"""

from __future__ import annotations

from pathlib import Path

from palmette import DependencyParser
from palmette.formats import read_conllu

HERE = Path(__file__).parent


def main(method: str = "graph") -> None:
    train, test = read_conllu(HERE / "train.conllu"), read_conllu(HERE / "test.conllu")
    parser = DependencyParser(method, taggers=True, jackknife=0).fit(train)
    print(f"{train.n_words} words to learn from: {parser.evaluate(test, retag=False)}")
    words = "The cook leaves the light on .".split()
    print(parser.predict([words])[0])
    print(parser.explain(words).of(token=2, top=5))

    # What a person knows, the parser keeps: "on" belongs to "light" (5) here.
    known = [None, None, None, None, None, 5, None]
    print(parser.predict([words], known=[known])[0])


if __name__ == "__main__":
    main()
