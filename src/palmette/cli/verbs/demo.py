"""`palmette demo`: something that works, in a few seconds."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from palmette.cli.commands import command as make_command
from palmette.messages import counted

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
        list[str] | None,
        typer.Argument(metavar="WORDS", help=f"The sentence to parse. [default: {SENTENCE}]"),
    ] = None,
) -> None:
    """Parse a sentence with a small weighted grammar; tag one; train a tagger, two parsers, a translator.

    Draw the two best trees with their probabilities. The grammar knows the words of "time flies like an arrow".
    With your own words, the demo only parses these.
    """
    from palmette.cli.report import shows
    from palmette.cli.verbs.demo_parsing import parse_with_shipped_model, train_a_parser
    from palmette.cli.verbs.demo_phrases import learn_a_grammar
    from palmette.cli.verbs.demo_translation import learn_to_translate
    from palmette.drawing.trees import draw
    from palmette.formats.facts import read_facts
    from palmette.inference.deduction import Deduction

    given = " ".join(words or []).split()
    sentence = given or SENTENCE.split()
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
        print(draw(proof.tree(), ascii=not shows("┌─┴─┐")))
    if not given:
        tag_with_shipped_model()
        parse_with_shipped_model(f"{SENTENCE.capitalize()} .")
        train_on_examples(examples_directory() / "tagging")
        train_a_parser(examples_directory() / "parsing")
        learn_a_grammar(examples_directory() / "constituency")
        learn_to_translate(examples_directory() / "translation")
    print(_next_steps(_short(where), " ".join(sentence)))


def tag_with_shipped_model(name: str = "en") -> None:
    """Tag a sentence with a model that comes with Palmette, if it is there, and explain one word."""
    from palmette.models import shipped_models
    from palmette.tools.sequence.tagger import Tagger

    path = shipped_models().get(name)
    if path is None:
        return
    tagger = Tagger.load(path)
    words = [*SENTENCE.capitalize().split(), "."]
    tags, p = tagger.predict_column([words]), tagger.predict_proba([words])[0]
    print(f"\nThe same sentence by the tagger {name!r}, with the probability of each tag:\n")
    for word, tag, row in zip(words, tags.values(), p.tolist()):
        print(f"  {word:<8} {tag:<6} {max(row):.3f}")
    print("\nWhy that tag for the third word (palmette explain):\n")
    print(_indented(str(tagger.explain(words).of(token=3, top=5))))


def train_on_examples(where: Path) -> None:
    """Train a tagger on the sentences of the examples, and use it."""
    import time

    from palmette.formats.conllu import read_conllu
    from palmette.learning.loglinear import CRF
    from palmette.tools.sequence.tagger import Tagger

    train, test = read_conllu(where / "train.conllu"), read_conllu(where / "test.conllu")
    began = time.perf_counter()
    tagger = Tagger(CRF(l2=0.1, n_iter=30)).fit(train)
    seconds = time.perf_counter() - began
    print(
        f"\nA tagger learnt from {counted(len(train), 'sentence')} ({counted(train.n_words, 'word')}) in "
        f"{seconds:.2f} s: "
        f"{tagger.score(test):.1%} of {test.n_words} other words are right. What it says, and why:\n"
    )
    words = "The cook leaves the light on .".split()
    print("  " + " ".join(f"{word}/{tag}" for word, tag in zip(words, tagger.predict([words])[0])) + "\n")
    print(_indented(str(tagger.explain(words).of(token=3, top=4))))


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


def _short(path: Path) -> Path:
    """A path as seen from here, where that is shorter."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _next_steps(where: Path, sentence: str) -> str:
    return f"""
What to try next (with `source .venv/bin/activate` in a checkout):
  palmette deduce {where}/cky.rules {where}/time_flies.tsv --words "{sentence}" --marginals
  palmette demo time flies
  palmette train tag --train {where.parent}/tagging/train.conllu -o garden.palm
  palmette explain garden.palm "The cook leaves the light on."
  palmette train depparse --train {where.parent}/parsing/train.conllu --with-tags -o trees.palm
  palmette train parse --train {where.parent}/constituency/train.mrg -o phrases.palm
  palmette train translate --train {where.parent}/translation/train.tsv -o de-en.palm
  python {where}/earley.py          the other examples of weighted deduction are beside it
  palmette --help"""


command = make_command(demo, ["palmette demo", "palmette demo time flies"])
