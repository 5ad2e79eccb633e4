"""`palmette demo`: something that works, in a second."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated

import typer

from palmette.cli.commands import command as make_command

SENTENCE = "time flies like an arrow"


def examples_directory() -> Path:
    """The examples of a checkout, or those that were installed beside the native module."""
    import palmette
    from palmette import _native

    package = Path(str(palmette.__file__)).parent
    for directory in (package.parents[1] / "examples", Path(str(_native.__file__)).parent / "examples"):
        if (directory / "deduction" / "cky.rules").exists():
            return directory
    raise FileNotFoundError(
        "the examples are not installed: reinstall Palmette, or run the demo in its checkout"
    )


def demo(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS", help=f"A sentence. [default: {SENTENCE}]")
    ] = None,
) -> None:
    """Parse a sentence with a small weighted grammar.

    Draws the two best trees with their probabilities. The grammar knows the words of "time flies like an arrow".
    """
    from palmette.drawing import draw
    from palmette.formats.facts import read_facts
    from palmette.inference.deduction import Deduction

    sentence = " ".join(words or []).split() or SENTENCE.split()
    where = examples_directory() / "deduction"
    grammar = read_facts(where / "time_flies.tsv")
    unknown = sorted(set(sentence) - {str(row[-1]) for row in grammar["rule"] if len(row) == 2})
    if unknown:
        raise ValueError(f"the grammar of the demo does not know {', '.join(unknown)}")
    rules = Deduction.from_file(where / "cky.rules")
    facts = {**grammar, "word": list(zip(sentence, range(len(sentence)))), "length": [len(sentence)]}
    forest = rules.run(facts)
    number = forest.count()
    print(f'"{" ".join(sentence)}" has {number} parse{"" if number == 1 else "s"}', end="")
    if number == 0:
        print(" in the grammar of the demo.")
        return
    print(f" in a grammar of {sum(map(len, grammar.values()))} rules.")
    for rank, proof in enumerate(forest.kbest(2), 1):
        share = math.exp(proof.score - forest.log_z())
        print(f"\n{rank}. probability {math.exp(proof.score):.3g}, {share:.1%} of all parses\n")
        print(draw(proof.tree(), ascii=not _shows("┌─┴─┐")))
    print(_next_steps(_short(where), " ".join(sentence)))


def _shows(text: str) -> bool:
    """Whether standard output can print a text."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def _short(path: Path) -> Path:
    """A path as seen from here, where that is shorter."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _next_steps(where: Path, sentence: str) -> str:
    return f"""
What to try next (with `source .venv/bin/activate` in a checkout):
  palmette deduce {where}/cky.rules {where}/time_flies.tsv --words "{sentence}" --marginals
  palmette demo time flies
  python {where}/earley.py          the other examples of weighted deduction are beside it
  palmette --help"""


command = make_command(demo, ["palmette demo", "palmette demo time flies"])
