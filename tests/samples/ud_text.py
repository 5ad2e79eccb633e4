"""Raw text of a treebank with its gold tokens and sentences as spans of characters, white space not counted."""

from __future__ import annotations

from palmette.formats.conllu import read_conllu


def raw_text(path):
    """The text, paragraphs apart by an empty line; the spans of words, and those of sentences."""
    paragraphs, words, sentences, place = [[]], [], [], 0
    for sentence in read_conllu(path):
        if any(comment.startswith(("# newpar", "# newdoc")) for comment in sentence.comments):
            paragraphs.append([])
        paragraphs[-1].append(sentence.metadata["text"])
        begin = place
        for form in _surface(sentence):
            length = len("".join(form.split()))
            words.append((place, place + length))
            place += length
        sentences.append((begin, place))
        assert place - begin == len("".join(sentence.metadata["text"].split()))
    return "\n\n".join(" ".join(p) for p in paragraphs if p), words, sentences


def _surface(sentence):
    """The words; where the words of a range do not spell it, such as `in dem` for `im`, the range as it stands."""
    forms = sentence["form"]
    for first, last, form in reversed(sentence.ranges):
        if "".join(forms[first - 1 : last]) != form:
            forms[first - 1 : last] = [form]
    return forms


def spans(tokenized):
    """The same two lists for the tokens of a tokenizer."""
    words, sentences, place = [], [], 0
    for sentence in tokenized:
        begin = place
        for token in sentence:
            words.append((place, place + len(token.text)))
            place += len(token.text)
        sentences.append((begin, place))
    return words, sentences


def f1(gold, guess):
    """F1 of two lists of spans."""
    return 2 * len(set(gold) & set(guess)) / (len(gold) + len(guess))
