"""Similar words of a small text: neighbours, a hierarchy, an explanation, and dense vectors."""

from __future__ import annotations

from pathlib import Path

from palmette import Thesaurus

HERE = Path(__file__).parent


def main() -> None:
    thesaurus = Thesaurus(options={"dimensions": 20}).fit(HERE / "farm.conllu")
    for word in ("cat", "oak", "hammer"):
        near = thesaurus.neighbours(word, 3, measure="lin")
        print(f"{word:8}", ", ".join(f"{one.word} {one.similarity:.2f}" for one in near))
    print()
    print(
        thesaurus.hierarchy(
            ["cat", "dog", "wolf", "bear", "oak", "elm", "saw", "hammer"], measure="lin"
        ).draw()
    )
    print()
    print(thesaurus.explain("cat", "dog", measure="lin").of(top=5))
    print()
    print("vectors:", thesaurus.vectors_.shape)


if __name__ == "__main__":
    main()
