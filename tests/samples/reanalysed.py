"""Other analyses of the text of a CoNLL-U file, as a poor system could make them, always with whole trees."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from palmette.formats.corpus import Corpus

OTHER = {
    "lemma": ["_", "other"],
    "upos": ["X", "NOUN", "ADP"],
    "xpos": ["Z", "_"],
    "feats": ["_", "Number=Plur|Case=Nom", "Odd=Yes|Number=Sing"],
    "deprel": ["det", "case", "obl:tmod", "obj", "punct", "nsubj", "_"],
}


@dataclass(eq=False)
class Word:
    """A word with its columns; `head` is None at the root."""

    form: str
    columns: dict[str, str]
    head: Word | None = None


@dataclass(eq=False)
class Token:
    """A token; with `is_multi` it has a range of its own above its words."""

    form: str
    words: list[Word]
    is_multi: bool


Sentences = list[list[Token]]


def tokens_of(corpus: Corpus) -> Sentences:
    """The tokens of a corpus with heads."""
    found = []
    for i, sentence in enumerate(corpus):
        heads = corpus.heads[corpus.offsets[i] : corpus.offsets[i + 1]].tolist()
        words = [
            Word(form, {name: sentence[name][k] for name in OTHER}) for k, form in enumerate(sentence["form"])
        ]
        for word, head in zip(words, heads):
            word.head = words[head - 1] if head else None
        tokens, done = [], 0
        for line in corpus.extras.of(i):
            number, form = line.split("\t")[:2]
            if "-" in number:
                first, last = map(int, number.split("-"))
                tokens += [Token(word.form, [word], False) for word in words[done : first - 1]]
                tokens.append(Token(form, words[first - 1 : last], True))
                done = last
        found.append(tokens + [Token(word.form, [word], False) for word in words[done:]])
    return found


def reanalysed(sentences: Sentences, random: Random, rate: float) -> Sentences:
    """Divide and annotate the same text differently at about `rate` of the places."""
    made: Sentences = []
    for tokens in sentences:
        now: list[Token] = []
        for token in tokens:
            now += _retokenised(token, random) if random.random() < rate else [token]
            if len(now) > 1 and random.random() < rate:
                second, first = now.pop(), now.pop()
                as_range = random.random() < 0.5
                words = first.words + second.words
                form = first.form + second.form
                now.append(Token(form, words, True) if as_range else _plain(form, first.words[0]))
            if random.random() < rate / 10:
                made.append(now)
                now = []
        if now and made and random.random() < rate:
            made[-1] = made[-1] + now
        elif now:
            made.append(now)
    for tokens in made:
        _mend([word for token in tokens for word in token.words], random, rate)
    return made


def _plain(form: str, like: Word) -> Token:
    return Token(form, [Word(form, dict(like.columns), like.head)], False)


def _retokenised(token: Token, random: Random) -> list[Token]:
    words, form = token.words, token.form
    kind = random.randrange(4)
    if kind == 0 and len(form) > 1:
        k = random.randrange(1, len(form))
        return [_plain(form[:k], words[0]), _plain(form[k:], words[-1])]
    if kind == 1:
        k = random.randrange(len(form) + 1)
        pieces = [piece for piece in (form[:k], form[k:].upper(), random.choice("aei")) if piece]
        return [Token(form, [_plain(piece, words[0]).words[0] for piece in pieces], True)]
    if kind == 2 and len(words) > 1:
        return [Token(form, words[random.randrange(2) :][: len(words) - 1], True)]
    return [_plain(form, words[0])]


def _mend(words: list[Word], random: Random, rate: float) -> None:
    """Change columns and heads, and see to it that the words are one tree."""
    inside = set(words)
    root = next((word for word in words if word.head is None), words[0])
    root.head = None
    for word in words:
        if word is not root and (word.head not in inside or not _leads_to(word, root, len(words))):
            word.head = root
    for word in words:
        for name, values in OTHER.items():
            if random.random() < rate:
                word.columns[name] = random.choice(values)
        head = random.choice(words)
        if word is not root and random.random() < rate and not _is_below(head, word):
            word.head = head


def _leads_to(word: Word, root: Word, most: int) -> bool:
    at: Word | None = word
    for _ in range(most):
        at = at.head if at is not None else None
    return at is None or at is root


def _is_below(word: Word, other: Word) -> bool:
    at: Word | None = word
    while at is not None and at is not other:
        at = at.head
    return at is other


def conllu_of(sentences: Sentences) -> str:
    """The sentences as CoNLL-U."""
    lines = []
    for tokens in sentences:
        number = {word: n for n, word in enumerate((w for t in tokens for w in t.words), 1)}
        for token in tokens:
            if token.is_multi:
                first, last = number[token.words[0]], number[token.words[-1]]
                lines.append(f"{first}-{last}\t{token.form}" + "\t_" * 8)
            for word in token.words:
                c = word.columns
                head = number[word.head] if word.head else 0
                start = f"{number[word]}\t{word.form}\t{c['lemma']}\t{c['upos']}\t{c['xpos']}\t{c['feats']}"
                lines.append(f"{start}\t{head}\t{c['deprel']}\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


def random_sentences(text: str, random: Random) -> Sentences:
    """A random analysis of a text without spaces: many multiword tokens, words that may be anything."""
    made: Sentences = [[]]
    at = 0
    while at < len(text):
        n = min(random.choice([1, 1, 1, 2, 2, 3, 5]), len(text) - at)
        form = text[at : at + n]
        is_multi = random.random() < 0.4
        if is_multi and random.random() < 0.5:
            forms = list(form)
        elif is_multi:
            forms = [random.choice(["a", "b", "A", "ab", "c"]) for _ in range(random.randint(1, 4))]
        else:
            forms = [form]
        words = [Word(f, {name: random.choice(values) for name, values in OTHER.items()}) for f in forms]
        made[-1].append(Token(form, words, is_multi))
        at += n
        if at < len(text) and random.random() < 0.15:
            made.append([])
    for tokens in made:
        words = [word for token in tokens for word in token.words]
        for k, word in enumerate(words):
            word.head = random.choice(words[:k]) if k else None
    return made
