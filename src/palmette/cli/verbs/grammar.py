"""`palmette grammar FILE`: check, convert and re-estimate a grammar; parse, go on with and draw sentences."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from palmette.cli.commands import command as make_command
from palmette.cli.options import AsJson, Quiet, Seed
from palmette.cli.plots.output import write_image
from palmette.cli.progress import Progress
from palmette.cli.report import print_json, print_lines, printable
from palmette.cli.verbs import synchronous
from palmette.errors import UsageError
from palmette.formats.files import display_name, read_text
from palmette.formats.guess import format_of_file
from palmette.grammars.limits import MAX_MATRIX, MAX_RIGHT, allowing
from palmette.inference.limits import MAX_EDGES

if TYPE_CHECKING:
    from palmette.grammars.derivation import LeftmostDerivation
    from palmette.grammars.grammar import Grammar
    from palmette.grammars.synchronous.grammar import SynchronousGrammar

_NEXT = 10  # words that are shown after a prefix


class Form(StrEnum):
    """What a grammar can be made into."""

    normalised = "normalised"
    trimmed = "trimmed"
    tightened = "tightened"
    cnf = "cnf"
    factored = "factored"


class Side(StrEnum):
    """A language of a synchronous grammar."""

    source = "source"
    target = "target"


class Writing(StrEnum):
    """How a synchronous grammar is written to a file."""

    text = "text"
    moses = "moses"
    joshua = "joshua"


def grammar(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help='A grammar as text, or a treebank to extract it from; "-" is standard input.'
        ),
    ],
    start: Annotated[str | None, typer.Option("--start", metavar="NAME", help="The start symbol.")] = None,
    tags: Annotated[
        bool, typer.Option("--tags", help="Treebanks: drop the words and use tags as terminals.")
    ] = False,
    side: Annotated[
        Side | None,
        typer.Option("--side", help="Synchronous grammars: use the grammar of one language."),
    ] = None,
    make: Annotated[
        Form | None,
        typer.Option(
            "--make",
            help="Convert the grammar to this form first; cnf is for one language, factored (rules of the "
            "smallest rank) for two.",
        ),
    ] = None,
    learn: Annotated[
        str | None,
        typer.Option(
            "--learn",
            metavar="FILE",
            help="Re-estimate the weights from this file of sentences, one per line.",
        ),
    ] = None,
    n_iter: Annotated[
        int, typer.Option("--n-iter", metavar="N", min=1, help="learn: largest number of passes.")
    ] = 50,
    bayes: Annotated[
        float | None,
        typer.Option(
            "--vb",
            metavar="PRIOR",
            help="learn: use variational Bayes with this Dirichlet prior. [default: EM]",
        ),
    ] = None,
    parse: Annotated[
        str | None, typer.Option("--parse", metavar="TEXT", help="Print the best trees of a sentence.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="TEXT",
            help="Synchronous grammars: the translation of the sentence to parse, or without --parse the sentence "
            "to translate back.",
        ),
    ] = None,
    kbest: Annotated[int, typer.Option("--kbest", "-k", min=1, help="parse: number of trees to print.")] = 1,
    finite: Annotated[
        bool,
        typer.Option(
            "--finite",
            help="Print whether there are finitely many strings: how many, or the rules that never end.",
        ),
    ] = False,
    prefix: Annotated[
        str | None,
        typer.Option("--prefix", metavar="TEXT", help="Print the words that can follow these words."),
    ] = None,
    sample: Annotated[int, typer.Option("--sample", metavar="N", min=0, help="Print N random strings.")] = 0,
    trees: Annotated[bool, typer.Option("--trees", help="sample: print trees instead of strings.")] = False,
    draw: Annotated[
        bool,
        typer.Option("--draw", help="Synchronous grammars: draw both trees of what is parsed or sampled."),
    ] = False,
    svg: Annotated[
        str | None,
        typer.Option(
            "--svg",
            metavar="FILE",
            help="Write an image to this file (.svg or .png): parse: all derivations of the sentence as a graph; "
            "of synchronous grammars both trees of the first.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help='Write the grammar to this file; "-" is standard output.'
        ),
    ] = None,
    form: Annotated[
        Writing | None,
        typer.Option("--form", help="Synchronous grammars: the format of the output file. [default: text]"),
    ] = None,
    max_matrix: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="The largest number of cells (8 bytes each) in a matrix over nonterminals.",
        ),
    ] = MAX_MATRIX,
    max_right: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="The largest number of symbols on the right side of a rule to binarize."
        ),
    ] = MAX_RIGHT,
    max_edges: Annotated[
        int, typer.Option(metavar="N", min=1, help="parse: the largest number of edges of a forest.")
    ] = MAX_EDGES,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Check a weighted context-free or synchronous grammar, convert it, or parse with it.

    Without options, report whether it is a consistent PCFG and the expected size of its derivations. A rule is
    written on one line, `0.5: NP -> DT 'dog'`, or `NP -> DT NN [0.5] | 'dogs' [0.5]`. A synchronous rule has two
    sides, `0.5: X -> ne X1 pas , not X1`; the rules of Moses, Joshua and cdec are read as well. With --parse,
    print the best trees of a sentence, or its translations; with --target too, the pairs of trees of both.
    """
    if output == "-" and json:
        raise typer.BadParameter("--json and -o - both write to standard output; use -o FILE")
    from palmette.grammars.grammar import Grammar

    with _warnings_as_notes(quiet), allowing(max_matrix=max_matrix, max_right=max_right):
        given = _read(source, start, tags)
        if side is not None:
            if isinstance(given, Grammar):
                raise _only("two languages", "--side")
            given = given.source if side is Side.source else given.target
        if isinstance(given, Grammar):
            _refuse("two languages", target=target, form=form, make=make is Form.factored or None)
            if svg is not None and parse is None:
                raise UsageError("--svg draws the derivations of a sentence: give it with --parse")
            if draw:
                raise _only("two languages", "--draw")
            found = given
        else:
            _refuse("one language (--side)", learn=learn, prefix=prefix, make=make is Form.cnf or None)
            pairs = given if make is None else getattr(given, make.value)()
            report = synchronous.report(
                pairs,
                parse,
                target,
                kbest=kbest,
                max_edges=max_edges,
                finite=finite,
                sample=sample,
                seed=seed,
                with_trees=trees,
                draw=draw,
                svg=svg,
            )
            if not report and (output is None or json):
                report = synchronous.checked(pairs)
            if output is not None:
                pairs.write(output, (form or Writing.text).value)
            return print_json(report) if json else synchronous.print_report(report)
        report = {}
        if learn is not None:
            found, report["learnt"] = _learnt(found, learn, n_iter, bayes, quiet)
        if make is not None:
            found = found.cnf().grammar if make is Form.cnf else getattr(found, make.value)()
        if parse is not None:
            report["parse"] = _parsed(found, parse.split(), kbest, max_edges, svg)
        if finite:
            report["language"] = _finiteness(found, json)
        if prefix is not None:
            report["prefix"] = _continued(found, prefix.split())
        if sample:
            drawn = found.samples(sample, random_state=seed)
            report["samples"] = [_shown(one) if trees else " ".join(one.words) for one in drawn]
        if not report and (output is None or json):
            report = _checked(found)
    if output is not None:
        found.write(output)
    return print_json(report) if json else _print(report)


def _refuse(what: str, **given: object) -> None:
    """Refuse options that are not for this kind of grammar."""
    for name, value in given.items():
        if value is not None:
            raise _only(what, f"--{name}")


def _only(what: str, option: str) -> typer.BadParameter:
    return typer.BadParameter(f"it applies to grammars of {what}", param_hint=f"'{option}'")


def _read(source: str, start: str | None, tags: bool) -> Grammar | SynchronousGrammar:
    """A grammar from its text, or from the trees of a treebank."""
    from palmette.grammars.grammar import Grammar
    from palmette.grammars.synchronous.grammar import SynchronousGrammar
    from palmette.grammars.synchronous.text import looks_synchronous

    text_format = None if source == "-" else format_of_file(source)
    if text_format is None or text_format.holds != "trees":
        if tags:
            raise typer.BadParameter(
                "it applies to treebanks only, and the input is a grammar", param_hint="'--tags'"
            )
        text, path = read_text(source), display_name(source)
        if looks_synchronous(text):
            return SynchronousGrammar.from_text(text, start=start, path=path)
        return Grammar(text, start=start, path=path)
    from palmette.tools.constituency.treebank import ROOT, clean_trees

    root = start or ROOT
    trees = clean_trees(text_format.read(source), root=root)  # type: ignore[arg-type]
    return Grammar.from_trees([tree for tree in trees if tree is not None], start=root, tags=tags)


def _learnt(
    start: Grammar, source: str, n_iter: int, bayes: float | None, quiet: bool
) -> tuple[Grammar, dict[str, Any]]:
    from palmette.grammars.re_estimation import reestimate
    from palmette.learning.em import EM, VB

    sentences = [line.split() for line in read_text(source).split("\n") if line.strip()]
    learner = EM(n_iter=n_iter) if bayes is None else VB(n_iter=n_iter, prior=bayes)
    with Progress(quiet) as progress:
        task = progress.task("Learning", n_iter)
        found = reestimate(start, sentences, learner, callback=lambda _: task.advance())
    last = found.history[-1].numbers
    return found.grammar, {
        "sentences": len(sentences) - len(found.skipped),
        "without_derivation": len(found.skipped),
        "passes": len(found.history),
        "objective_before": found.history[0].numbers["objective"],
        "objective": last["objective"],
    }


def _parsed(found: Grammar, words: list[str], kbest: int, max_edges: int, svg: str | None) -> dict[str, Any]:
    forest = found.parse(words, max_edges=max_edges)
    best = forest.best()
    if svg is not None:
        if best is None:
            raise ValueError("there is no derivation to draw: the grammar does not have this sentence")
        write_image(forest.svg(), svg)
    derivations = [] if best is None else [best] if kbest == 1 else forest.kbest(kbest)
    unknown = sorted(set(words) - set(found.terminals))
    return {
        "words": words,
        "log_probability": forest.log_z if forest.log_z > -math.inf else None,
        "unknown": unknown,
        "trees": [
            {"tree": _shown(one), "log_probability": one.score, "share": math.exp(one.score - forest.log_z)}
            for one in derivations
        ],
    }


def _finiteness(found: Grammar, json: bool) -> Any:
    state = found.finiteness()
    if not json:
        return str(state)
    return synchronous.finite_strings(state)


def _continued(found: Grammar, words: list[str]) -> dict[str, Any]:
    from palmette.grammars.prefixes import PrefixReader

    read = PrefixReader(found).read(words)
    following = {} if read.log_probability == -math.inf else read.next_words()
    likely = sorted(following.items(), key=lambda pair: -pair[1])[:_NEXT]
    return {
        "words": words,
        "log_probability": read.log_probability if following else None,
        "end": following.get(None, 0.0),
        "next": {word: p for word, p in likely if word is not None and p > 0},
    }


def _checked(found: Grammar) -> dict[str, Any]:
    from palmette.grammars.trimming import reachable

    state = found.consistency()
    unreached = set(found.nonterminals) - reachable(found)
    return {
        "start": found.start,
        "rules": len(found.rules),
        "nonterminals": len(found.nonterminals),
        "terminals": len(found.terminals),
        "proper": state.is_proper,
        "worst": {"nonterminal": state.worst, "sum": _finite(state.worst_sum)} if not state.is_proper else {},
        "consistent": state.is_consistent,
        "total": _finite(state.total),
        "spectral_radius": state.spectral_radius,
        "expected_rules": _finite(found.expected_size()),
        "expected_words": _finite(found.expected_length()),
        "unreachable": sorted(unreached),
        "unproductive": list(state.unproductive),
    }


def _shown(derivation: LeftmostDerivation) -> str:
    return str(derivation.tree()) if derivation.words else "ε"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None  # JSON has no infinity


@contextmanager
def _warnings_as_notes(quiet: bool) -> Iterator[None]:
    """Warnings as lines on standard error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught if not quiet else ():
        print(f"palmette: warning: {printable(str(warning.message))}", file=sys.stderr)


def _print(report: dict[str, Any]) -> None:
    for text in report.pop("samples", ()):
        print(printable(text))
    language = report.pop("language", None)
    if language is not None:
        print("\n".join(map(printable, language.split("\n"))))
    parse = report.pop("parse", None)
    if parse is not None:
        if not parse["trees"]:
            unknown = ", ".join(map(printable, parse["unknown"]))
            print("no derivation" + (f": the grammar does not know {unknown}" if unknown else ""))
        else:
            print(f"log-probability {parse['log_probability']:.6g}")
        for tree in parse["trees"]:
            print(f"{tree['share']:7.2%}  {printable(tree['tree'])}")
    if report:
        shown = {name: value if value is not None else "infinite" for name, value in report.items()}
        print_lines({name: value for name, value in shown.items() if value not in ({}, [])})


command = make_command(
    grammar,
    [
        "palmette grammar toy.cfg",
        'palmette grammar toy.cfg --parse "time flies like an arrow" -k 3',
        'palmette grammar toy.cfg --sample 5 --prefix "time flies"',
        "palmette grammar toy.cfg --finite",
        "palmette grammar toy.cfg --learn sentences.txt --vb 0.1 -o learnt.cfg",
        "palmette grammar train.mrg --make cnf -o train.cfg",
        'palmette grammar negation.scfg --parse "ils ne partent pas" --target "they do not leave"',
        'palmette grammar negation.scfg --target "they leave" -k 2 --draw',
        "palmette grammar rules.gz --make factored --form joshua -o factored.txt",
    ],
)
