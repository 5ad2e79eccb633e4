"""Which bank is meant: by a classifier, by definitions, and by a decision list that grows from two seed words."""

from __future__ import annotations

from pathlib import Path

from palmette import SenseTagger

FOLDER = Path(__file__).parent


def main() -> None:
    inventory, test = FOLDER / "inventory.tsv", FOLDER / "test.tsv"
    for method in ("first", "lesk", "supervised"):
        tagger = SenseTagger(method, inventory=inventory).fit(FOLDER / "train.tsv")
        print(f"{method:<12} {tagger.evaluate(test)}")
    lists = SenseTagger("bootstrap", inventory=inventory, seeds=FOLDER / "seeds.tsv")
    lists.fit(FOLDER / "unlabelled.tsv")
    print(f"{'bootstrap':<12} {lists.evaluate(test)}")
    words = [
        ("the", "the", "DET"),
        ("muddy", "muddy", "ADJ"),
        ("bank", "bank", "NOUN"),
        ("river", "river", "NOUN"),
    ]
    print(lists.explain(words))


if __name__ == "__main__":
    main()
