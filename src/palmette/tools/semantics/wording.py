"""DCS trees in plain words: "cities whose state is california and that are major"."""

from __future__ import annotations

from collections.abc import Mapping

from palmette.tools.semantics.dcs import AGGREGATE, COMPARE, JOIN, DCSTree, Edge
from palmette.tools.semantics.schema import NUMBER
from palmette.tools.semantics.world import World

# The words between the names of the database, by language.
PHRASES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "and": " and ",
        "of": "{0} of {1}",
        "all": "all {0}",
        "count": "the number of {0}",
        "sum": "the sum of {0}",
        "average": "the average of {0}",
        "largest": "the largest of {0}",
        "smallest": "the smallest of {0}",
        "whose": "whose {0} is {1}",
        "having": "with a known {0}",
        "verb": "that {0} {1}",
        "among": "that are {0} of {1}",
        "are": "that are {0}",
        "above": "{0} above {1}",
        "below": "{0} below {1}",
        "argmax": "with the largest {0}",
        "argmin": "with the smallest {0}",
        "most": "with the most {0}",
        "fewest": "with the fewest {0}",
        "no": "without {0}",
        "not": "that are not {0}",
        "every": "with every one of {0}",
        "at least": "with at least {1} {0}",
        "at most": "with at most {1} {0}",
        "exactly": "with exactly {1} {0}",
        "greater": "whose {0} is above {1}",
        "less": "whose {0} is below {1}",
        "per": "{0} per {1}",
        "where": "the place of {0}",
    },
    "de": {
        "and": " und ",
        "of": "{0} von {1}",
        "all": "alle {0}",
        "count": "die Anzahl: {0}",
        "sum": "die Summe: {0}",
        "average": "der Durchschnitt: {0}",
        "largest": "das Größte von {0}",
        "smallest": "das Kleinste von {0}",
        "whose": "mit {0} gleich {1}",
        "having": "mit bekanntem Wert von {0}",
        "verb": "mit {0} gleich {1}",
        "among": "unter {0} von {1}",
        "are": "die auch {0} sind",
        "above": "{0} über {1}",
        "below": "{0} unter {1}",
        "argmax": "mit dem größten Wert von {0}",
        "argmin": "mit dem kleinsten Wert von {0}",
        "most": "mit den meisten {0}",
        "fewest": "mit den wenigsten {0}",
        "no": "ohne {0}",
        "not": "die nicht {0} sind",
        "every": "mit allen {0}",
        "at least": "mit mindestens {1} {0}",
        "at most": "mit höchstens {1} {0}",
        "exactly": "mit genau {1} {0}",
        "greater": "mit {0} über {1}",
        "less": "mit {0} unter {1}",
        "per": "{0} je {1}",
        "where": "der Ort von {0}",
    },
}


class Wording:
    """Says trees in words.

    named: words that a question used for predicates, which are better than their definitions.
    """

    def __init__(self, world: World, language: str = "en", named: Mapping[str, str] | None = None) -> None:
        self.world = world
        self.phrases = PHRASES[language]
        self.plural = language == "en"
        self.named = dict(named or {})

    def describe(self, tree: DCSTree) -> str:
        """Return what a tree denotes, in words."""
        aggregate = next((e for e in tree.edges if e.relation == AGGREGATE), None)
        if aggregate is not None:
            return self._say(tree.predicate, self._set(aggregate.child, aggregate.child_column))
        return self._set(tree, tree.column)

    def _say(self, phrase: str, *parts: str) -> str:
        return self.phrases[phrase].format(*parts)

    def _set(self, tree: DCSTree, column: int) -> str:
        """Return the values of one component in words."""
        if any(e.relation == AGGREGATE for e in tree.edges):
            return self.describe(tree)
        predicate = self.world.find(tree.predicate)
        rest: list[str] = []
        if tree.values is not None:
            head = tree.predicate.partition(":")[2].strip("'") or tree.predicate
        elif predicate is None or predicate.arity == 1:
            head = self._noun(tree.predicate)
            if predicate is not None and predicate.types[0] != tree.predicate and " " in tree.predicate:
                head = f"{head} {self._noun(predicate.types[0])}"  # big cities
        else:
            inside = [e for e in tree.edges if e.relation == JOIN and e.parent == 3 - column]
            head = self._label(tree.predicate) if column == 2 else self._noun(predicate.types[0])
            if inside:
                owners = self.phrases["and"].join(self._set(e.child, e.child_column) for e in inside)
                head = self._say("of", head, owners)
            elif column == 2 and predicate.types[1] != NUMBER:
                head = self._noun(head)
        for edge in tree.edges:
            if edge.relation == JOIN and (predicate is None or predicate.arity == 1 or edge.parent == column):
                rest.append(self._join(edge))
            elif edge.relation == COMPARE:
                rest.append(self._comparison(edge))
        return " ".join([head, self.phrases["and"].join(rest)]).strip()

    def _join(self, edge: Edge) -> str:
        child, predicate = edge.child, self.world.find(edge.child.predicate)
        if child.values is not None:
            return self._set(child, 1)
        if predicate is None or predicate.arity == 1:
            return self._say("are", self._set(child, 1) if child.edges else self._noun(child.predicate))
        if edge.child_column == 2 and not any(e.parent == 1 for e in child.edges):
            return self._say("are", self._set(child, 2))
        other = 3 - edge.child_column
        inside = [e for e in child.edges if e.relation == JOIN and e.parent == other]
        owners = self.phrases["and"].join(self._set(e.child, e.child_column) for e in inside) or "…"
        label = self._label(child.predicate)
        if edge.child_column == 1 and owners in (label, self._noun(label)):
            return self._say("having", label)  # not "whose planet is planets"
        if predicate.label == predicate.name:
            return self._say("verb", label, owners)
        return self._say("whose" if edge.child_column == 1 else "among", label, owners)

    def _comparison(self, edge: Edge) -> str:
        label = self._label(edge.child.predicate)
        if edge.operator in ("argmax", "argmin"):
            return self._say(edge.operator, label)
        if edge.than is not None:
            return self._say(edge.operator, label, self.describe(edge.than))
        inside = [e for e in edge.child.edges if e.relation == JOIN and e.parent == edge.child.mark]
        what = self._set(inside[0].child, inside[0].child_column) if inside else self._set(edge.child, 1)
        if edge.operator == "no" and not inside:
            return self._say("not", what)
        if inside:
            what = f"{what} ({label})"
        return self._say(edge.operator, what, "" if edge.amount is None else f"{edge.amount:g}")

    def _noun(self, name: str) -> str:
        if name in self.named:
            return self.named[name]
        for sign, phrase in ((" > ", "above"), (" < ", "below")):
            if sign in name:
                attribute, _, bound = name.partition(sign)
                return self._say(phrase, self._label(attribute), bound)
        plain = name.replace("_", " ")
        if not self.plural or plain.endswith("s"):
            return plain
        return plain[:-1] + "ies" if plain.endswith("y") else plain + "s"

    def _label(self, name: str) -> str:
        above, sign, below = name.partition(" / ")
        if sign:
            return self._say("per", self._label(above), self._label(below))
        predicate = self.world.find(name)
        return (predicate.label if predicate is not None else name).replace("_", " ")
