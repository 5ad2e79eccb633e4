"""Rules of synchronous grammars as other systems write them.

    Moses          ne [X][X] pas [X] ||| not [X][X] [X] ||| 0.5 0.1 ||| 0-0 1-1 2-0 ||| 2 1 1
    Joshua, cdec   [X] ||| ne [X,1] pas ||| not [X,1] ||| p=-0.69 q=-2.3 ||| 0-0 2-0

Moses has the left side at the end of both sides, nonterminals with a label for each language (X for one without
syntax), links of words and nonterminals, and probabilities; the others have indices and logs. Scores become logs;
the weight of a rule is exp(Σ weight · score). Linear in the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from palmette.errors import FormatError
from palmette.grammars.rule import Symbol, Terminal
from palmette.grammars.synchronous.grammar import SynchronousGrammar
from palmette.grammars.synchronous.rule import Links, Marked, SynchronousRule, linked

_DOUBLE = re.compile(r"\[([^\[\]\s]+)\]\[([^\[\]\s]+)\]")
_LEFT = re.compile(r"\[([^\[\]\s,]+)\]")
_INDEXED = re.compile(r"\[([^\[\]\s]+),(\d+)\]")
_NO_SYNTAX = "X"


def read_rules(
    text: str, path: str, weights: Mapping[str, float] | None = None
) -> tuple[list[SynchronousRule], tuple[str, ...]]:
    """The rules, and the names of their scores: those of the file, or score1, score2, … of Moses."""
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    found: list[tuple[SynchronousRule, dict[str, float]]] = []
    for number, line in lines:
        try:
            fields = [field.strip() for field in f" {line} ".split(" ||| ")]
            found.append((_indexed if _LEFT.fullmatch(fields[0]) else _moses)(fields))
        except ValueError as error:
            raise FormatError(str(error), path=path, line=number) from None
    columns = tuple(dict.fromkeys(name for _, scores in found for name in scores))
    unknown = sorted(set(weights or ()) - set(columns))
    if unknown:
        raise ValueError(f"{path} has no score {unknown[0]}; it has {', '.join(columns) or 'none'}.")
    rules = []
    for (number, _), (rule, scores) in zip(lines, found):
        values = tuple(scores.get(name, 0.0) for name in columns)
        total = sum((weights or {}).get(name, 1.0) * value for name, value in zip(columns, values))
        if not total < 700:
            raise FormatError(
                f"the scores of the rule sum to {total:g}; expected logs", path=path, line=number
            )
        rules.append(rule._replace(weight=math.exp(total), scores=values))
    return rules, columns


def rules_text(grammar: SynchronousGrammar, form: str) -> str:
    """The rules in one of the forms; a grammar without scores gets its weights as the one score."""
    if form not in ("moses", "joshua"):
        raise ValueError(f"The form of a synchronous grammar is text, moses or joshua. Got {form!r}.")
    write = _moses_text if form == "moses" else _indexed_text
    return "".join(write(rule, grammar.columns) + "\n" for rule in grammar.rules)


# Joshua and cdec


def _indexed(fields: Sequence[str]) -> tuple[SynchronousRule, dict[str, float]]:
    if not 3 <= len(fields) <= 5:
        raise ValueError(f"expected [X] ||| source ||| target ||| scores, got {len(fields)} fields")
    sides = [[_marked(token) for token in field.split()] for field in fields[1:3]]
    scores: dict[str, float] = {}
    for place, item in enumerate(fields[3].split() if len(fields) > 3 else ()):
        name, equals, value = item.rpartition("=")
        scores[name if equals else f"score{place + 1}"] = _number(value)
    links = _links(fields[4] if len(fields) > 4 else "", *map(len, sides))
    return linked(fields[0][1:-1], sides[0], sides[1], links=links), scores


def _marked(token: str) -> Marked:
    found = _INDEXED.fullmatch(token)
    return (found[1], int(found[2])) if found else Terminal(token)


def _indexed_text(rule: SynchronousRule, columns: Sequence[str]) -> str:
    names = rule.nonterminals
    numbered = iter(range(1, len(names) + 1))
    source = [_word(s) if isinstance(s, Terminal) else f"[{s},{next(numbered)}]" for s in rule.source]
    target = [_word(s) if isinstance(s, Terminal) else f"[{names[s]},{s + 1}]" for s in rule.target]
    scores = list(zip(columns, rule.scores)) or [("weight", _log(rule.weight))]
    fields = [f"[{_label(rule.left)}]", " ".join(source), " ".join(target)]
    fields.append(" ".join(f"{name}={value!r}" for name, value in scores))
    if rule.links:
        fields.append(" ".join(f"{i}-{j}" for i, j in rule.links))
    return " ||| ".join(fields)


# Moses


def _moses(fields: Sequence[str]) -> tuple[SynchronousRule, dict[str, float]]:
    if len(fields) < 3:
        raise ValueError(
            "expected source [X] ||| target [X] ||| scores, or [X] ||| source ||| target ||| scores"
        )
    sides = [field.split() for field in fields[:2]]
    lefts = []
    for side in sides:
        left = _LEFT.fullmatch(side[-1]) if side else None
        if left is None:
            raise ValueError("expected the left side at the end of both sides, as in: ne [X][X] pas [X]")
        lefts.append(left[1])
        side.pop()
    pairs = _links(fields[3] if len(fields) > 3 else "", *map(len, sides))
    labels = [{i: _both(token) for i, token in enumerate(side) if _DOUBLE.fullmatch(token)} for side in sides]
    index: dict[int, int] = {}
    linked_to: dict[int, int] = {}
    for i, j in pairs:
        if (i in labels[0]) != (j in labels[1]):
            raise ValueError(f"the link {i}-{j} is between a word and a nonterminal")
        if i in labels[0]:
            if i in index or j in linked_to:
                raise ValueError(f"the link {i}-{j} links a nonterminal twice")
            index[i] = linked_to[j] = len(index) + 1
    marked: list[list[Marked]] = []
    for side, names, numbers in zip(sides, labels, (index, linked_to)):
        missing = [i for i in names if i not in numbers]
        if missing and sum(map(len, labels)) == 2:  # one on each side: they can only mean each other
            index, linked_to, missing = dict.fromkeys(labels[0], 1), dict.fromkeys(labels[1], 1), []
            numbers = index if names is labels[0] else linked_to
        if missing:
            raise ValueError(f"no link says what the nonterminal at position {missing[0]} is linked to")
        marked.append([(names[i], numbers[i]) if i in names else Terminal(t) for i, t in enumerate(side)])
    scores = {f"score{k + 1}": _log(_number(value)) for k, value in enumerate(fields[2].split())}
    words = tuple(pair for pair in pairs if pair[0] not in labels[0])
    return linked(_one(*lefts), marked[0], marked[1], links=words), scores


def _both(token: str) -> str:
    found = _DOUBLE.fullmatch(token)
    assert found is not None
    return _one(found[1], found[2])


def _one(source: str, target: str) -> str:
    """The label of a nonterminal with one for each language, of which one may be without syntax."""
    if source == target or target == _NO_SYNTAX:
        return source
    if source == _NO_SYNTAX:
        return target
    raise ValueError(f"a nonterminal is {source} on the source side and {target} on the target side")


def _moses_text(rule: SynchronousRule, columns: Sequence[str]) -> str:
    names = [_label(name) for name in rule.nonterminals]
    places = [i for i, symbol in enumerate(rule.source) if not isinstance(symbol, Terminal)]
    numbered = iter(names)
    source = [
        _word(s) if isinstance(s, Terminal) else (n := next(numbered)) and f"[{n}][{n}]" for s in rule.source
    ]
    target = [_word(s) if isinstance(s, Terminal) else f"[{names[s]}][{names[s]}]" for s in rule.target]
    left = f"[{_label(rule.left)}]"
    scores = [math.exp(value) for value in rule.scores] if columns else [rule.weight]
    nonterminals = [(places[item], j) for j, item in enumerate(rule.target) if isinstance(item, int)]
    links = sorted([*rule.links, *nonterminals])
    return " ||| ".join(
        [
            " ".join([*source, left]),
            " ".join([*target, left]),
            " ".join(f"{score:.12g}" for score in scores),
            " ".join(f"{i}-{j}" for i, j in links),
        ]
    ).rstrip()


# What both have


def _links(text: str, n_source: int, n_target: int) -> Links:
    pairs = []
    for item in text.split():
        i, dash, j = item.partition("-")
        if not dash or not i.isdecimal() or not j.isdecimal():
            raise ValueError(f"expected links such as 0-0 1-2, got {item!r}")
        if int(i) >= n_source or int(j) >= n_target:
            raise ValueError(f"the link {item} is outside of sides of {n_source} and {n_target} symbols")
        pairs.append((int(i), int(j)))
    return tuple(pairs)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value) or value == math.inf:
        raise ValueError(f"expected a number as a score, got {text!r}")
    return value


def _log(value: float) -> float:
    if value < 0:
        raise ValueError(f"expected a probability as a score, got {value:g}")
    return math.log(value) if value > 0 else -math.inf


def _word(symbol: Terminal) -> str:
    word = symbol.word
    if word == "|||" or len(word.split()) != 1 or _LEFT.fullmatch(word) or _INDEXED.fullmatch(word):
        raise ValueError(
            f"The word {word!r} cannot be written in this form, in which it means something else."
        )
    if _DOUBLE.fullmatch(word):
        raise ValueError(
            f"The word {word!r} cannot be written in this form, in which it means something else."
        )
    return word


def _label(name: Symbol) -> str:
    text = str(name)
    if not _LEFT.fullmatch(f"[{text}]"):
        raise ValueError(
            f"The nonterminal {text!r} cannot be written in this form: it has a blank, bracket or comma."
        )
    return text
