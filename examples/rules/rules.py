"""Inference rules of a small text: similar paths, what made them alike, and warnings."""

from __future__ import annotations

from pathlib import Path

from palmette import InferenceRules

HERE = Path(__file__).parent


def main() -> None:
    rules = InferenceRules().fit(HERE / "news.conllu")
    print(rules.page("X bought Y", 4))
    for one in rules.similar("X solved Y", 4):
        print(f"X solved Y {one.direction} {one.wording:22} {one.similarity:.2f}  {one.opposite}")
    print()
    print(rules.explain("X solved Y", "X settled Y").of(top=4))


if __name__ == "__main__":
    main()
