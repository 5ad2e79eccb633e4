"""Polarity of reviews from the sentences that say what the author thinks, with the cut of a document shown."""

from __future__ import annotations

from pathlib import Path

from palmette import Sentiment

FOLDER = Path(__file__).parent


def read(name: str) -> tuple[list[list[str]], list[str]]:
    """Documents as lists of sentences, and their labels."""
    documents: dict[tuple[str, str], list[str]] = {}
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        label, document, _, words = line.split("\t")
        documents.setdefault((label, document), []).append(words)
    return list(documents.values()), [label for label, _ in documents]


def main() -> None:
    rows = [line.split("\t") for line in (FOLDER / "sentences.tsv").read_text(encoding="utf-8").splitlines()]
    sentences, kinds = [row[1] for row in rows], [row[0] for row in rows]
    sentiment = Sentiment(subjectivity=(sentences, kinds)).fit(*read("train.tsv"))
    documents, labels = read("test.tsv")
    print(f"accuracy {sentiment.score(documents, labels):.2f}")
    print(sentiment.explain(documents[0]).of(top=2))
    print("the two most subjective sentences:", sentiment.extracts(documents[:1], n=2)[0].text)
    print(
        "with the first sentence in it:", sentiment.predict(documents[:1], known=[[True, None, None, None]])
    )


if __name__ == "__main__":
    main()
