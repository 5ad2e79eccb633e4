"""Train a tagger on fifty sentences, evaluate it on ten, and explain a label.

python examples/tagging/train.py
"""

from __future__ import annotations

from pathlib import Path

from palmette import CRF, Tagger
from palmette.formats import read_conllu

HERE = Path(__file__).parent


def main() -> None:
    train, test = read_conllu(HERE / "train.conllu"), read_conllu(HERE / "test.conllu")
    tagger = Tagger(CRF(l2=0.1, n_iter=30)).fit(train)
    print(f"{train.n_words} words to learn from: {tagger.score(test):.1%} right on {test.n_words} others")
    words = "The cook leaves the light on .".split()
    print(" ".join(f"{word}/{tag}" for word, tag in zip(words, tagger.predict([words])[0])))
    print(tagger.explain(words).of(token=3, top=4))


if __name__ == "__main__":
    main()
