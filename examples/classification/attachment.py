"""PP attachment by nearest neighbours: in "saw the man with the telescope", does the phrase modify verb or noun?

With the modified value difference metric, two words are close if they occur with the same classes: "of" is closer
to "for" than to "at". So an unseen tuple has neighbours too.
"""

from __future__ import annotations

from palmette import Classifier, NearestNeighbours

EXAMPLES = """\
join board as director V
is chairman of company N
named director of conglomerate N
makes products for industry N
set price at dollars V
brought case against bank V
sold stake in company N
bought shares at price V
led investigation of bank N
moved office to city V
saw decline in sales N
cut rate at bank V
has interest in industry N
took board to court V
"""
QUERIES = [
    ("sold", "shares", "of", "company"),
    ("set", "rate", "at", "city"),
    ("brought", "chairman", "to", "bank"),
]


def main() -> None:
    rows = [line.split() for line in EXAMPLES.splitlines()]
    learner = NearestNeighbours(k=3, metric="mvdm", voting="inverse_linear", smoothing=0.5)
    classifier = Classifier(learner).fit([tuple(row[:4]) for row in rows], [row[4] for row in rows])
    print("weights of the columns:", classifier.model_.facts()["weights"])
    for query in QUERIES:
        print(classifier.explain(query).of(top=3))


if __name__ == "__main__":
    main()
