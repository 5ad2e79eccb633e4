"""Questions and answers from files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from palmette.errors import FormatError
from palmette.formats.files import Content, display_name, is_standard, read_text
from palmette.messages import counted
from palmette.tools.semantics.answers import parse_answer

_ANSWERS = ("denotation", "answer", "answers")


@dataclass(frozen=True)
class Asked:
    """Questions with their answers, and the text they came from."""

    questions: list[str]
    answers: list[str]
    text: str


def read_asked(source: str) -> Asked:
    """Return the questions and answers of a file; every answer is checked."""
    path = display_name(source)
    text = read_text(source)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    at, header = _columns(lines)
    questions, answers = [], []
    for number, line in enumerate(lines[header:], 1 + header):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) <= max(at):
            raise FormatError(
                f"expected a question and an answer, separated by a tab; got {counted(len(fields), 'column')}",
                path=path,
                line=number,
            )
        question, answer = (fields[i].strip() for i in at)
        if not question:
            raise FormatError("expected a question; the line has none", path=path, line=number)
        parse_answer(answer, path, number)
        questions.append(question)
        answers.append(answer)
    if not questions:
        raise FormatError("expected questions; the file has none", path=path)
    return Asked(questions, answers, text)


def _columns(lines: Sequence[str]) -> tuple[tuple[int, int], int]:
    """Return the columns of question and answer, and the number of lines of the header."""
    names = [name.strip().casefold() for name in lines[0].split("\t")] if lines else []
    answer = next((names.index(name) for name in _ANSWERS if name in names), None)
    if "question" in names and answer is not None:
        return (names.index("question"), answer), 1
    return (0, 1), 0


def read_questions(given: str) -> list[str]:
    """Return the questions of a file, one for each line, or the one that was given itself."""
    if not isinstance(given, Content) and not given.strip():
        raise ValueError("expected a question or a file of questions; got an empty string")
    if not isinstance(given, Content) and not is_standard(given) and not Path(given).is_file():
        if len(given.split()) > 1 or given.endswith("?"):
            return [given]
        raise FileNotFoundError(2, "No such file, and not a question of several words", given)
    lines = [line.removesuffix("\r") for line in read_text(given).removesuffix("\n").split("\n")]
    names = [name.strip().casefold() for name in lines[0].split("\t")]
    if "question" in names:
        at = names.index("question")
        cut = [line.split("\t") for line in lines[1:]]
        return [fields[at] if at < len(fields) else "" for fields in cut]
    return [] if lines == [""] else [line.split("\t")[0] for line in lines]
