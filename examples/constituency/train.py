"""Train a constituency parser on a few trees, evaluate it on ten, draw a tree, and explain it.

python examples/constituency/train.py
"""

from __future__ import annotations

from pathlib import Path

from palmette import ConstituencyParser
from palmette.drawing import draw
from palmette.tools.constituency import Constraints

HERE = Path(__file__).parent


def main(method: str = "markov") -> None:
    parser = ConstituencyParser(method).fit(HERE / "train.mrg")
    print(parser.evaluate(HERE / "test.mrg"))
    words = "The cook leaves the light on .".split()
    for parse in parser.parse([words]):
        if parse is not None:
            print(draw(parse.tree), parse.note)
    print(parser.explain(words).of(top=3))

    # What a person knows, the parser keeps: "the light on" is one phrase here.
    known = Constraints(required=((3, 6, "NP"),))
    print(parser.predict([words], known=[known])[0])


if __name__ == "__main__":
    main()
