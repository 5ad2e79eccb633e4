"""EVALB once more, from the description of what it does and with none of the library's sets: an oracle.

Lines of brackets are read character by character into words with tags and brackets with start and end; words whose
tag is to be deleted are never numbered. Then the brackets are matched pair by pair, each once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

DELETED = ("TOP", "-NONE-", ",", ":", "``", "''", ".")
EQUAL = {("ADVP", "PRT"), ("PRT", "ADVP")}


@dataclass
class Read:
    words: list[tuple[str, str]] = field(default_factory=list)  # tag, word
    brackets: list[list] = field(default_factory=list)  # label, start, end
    length: int = 0


def read(line):
    found, open_ones = Read(), []
    tokens = line.replace("(", " ( ").replace(")", " ) ").split()
    i = 0
    while i < len(tokens):
        if tokens[i] == ")":
            found.brackets[open_ones.pop()][2] = len(found.words)
            i += 1
        elif tokens[i + 2] not in "()" and tokens[i + 3] == ")":
            tag, word = tokens[i + 1 : i + 3]
            found.length += tag != "-NONE-"
            if tag not in DELETED:
                found.words.append((tag, word))
            i += 4
        else:
            open_ones.append(len(found.brackets))
            found.brackets.append([tokens[i + 1], len(found.words), -1])
            i += 2
    kept = []
    for label, start, end in found.brackets:
        bare = label.split("-")[0].split("=")[0]
        if start != end and bare not in DELETED:
            kept.append((bare, start, end))
    found.brackets = kept
    return found


def equal(a, b):
    return a == b or (a, b) in EQUAL


def crosses(a, b):
    return a[1] < b[1] < a[2] < b[2] or b[1] < a[1] < b[2] < a[2]


def evalb(gold_lines, guess_lines, longest=None):
    """The numbers of EVALB's summary, as fractions; of sentences of at most so many words."""
    gold_total = guess_total = matched = crossing = none = two = complete = words = tags = valid = errors = 0
    for gold_line, guess_line in zip(gold_lines, guess_lines, strict=True):
        gold, guess = read(gold_line), read(guess_line)
        if longest is not None and gold.length > longest:
            continue
        if [word for _, word in gold.words] != [word for _, word in guess.words] or not guess.words:
            errors += 1
            continue
        valid += 1
        free = list(guess.brackets)
        right = 0
        for bracket in gold.brackets:
            for other in free:
                if bracket[1:] == other[1:] and equal(bracket[0], other[0]):
                    free.remove(other)
                    right += 1
                    break
        crossed = sum(any(crosses(a, b) for b in gold.brackets) for a in guess.brackets)
        gold_total += len(gold.brackets)
        guess_total += len(guess.brackets)
        matched += right
        complete += right == len(gold.brackets) == len(guess.brackets)
        crossing += crossed
        none += crossed == 0
        two += crossed <= 2
        words += len(gold.words)
        tags += sum(a == b for (a, _), (b, _) in zip(gold.words, guess.words))
    precision, recall = matched / max(guess_total, 1), matched / max(gold_total, 1)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if matched else 0.0,
        "exact_match": complete / max(valid, 1),
        "crossing": crossing / max(valid, 1),
        "no_crossing": none / max(valid, 1),
        "two_or_less_crossing": two / max(valid, 1),
        "tagging_accuracy": tags / max(words, 1),
        "sentences": valid,
        "errors": errors,
    }
