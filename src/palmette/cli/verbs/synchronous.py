"""What `palmette grammar` does with a synchronous grammar: check it, translate, parse pairs, draw samples."""

from __future__ import annotations

import math
import shutil
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from palmette.cli.plots.output import write_image
from palmette.cli.report import print_lines, printable, shows
from palmette.drawing.canvas import drawn_or_told

if TYPE_CHECKING:
    from palmette.grammars.finiteness import Finiteness
    from palmette.grammars.synchronous.derivation import SynchronousDerivation
    from palmette.grammars.synchronous.grammar import SynchronousGrammar


def checked(found: SynchronousGrammar) -> dict[str, Any]:
    """What to say about a grammar: its size, its totals, which rules cannot be binarized."""
    from palmette.grammars.synchronous.factoring import smallest_rank
    from palmette.grammars.trimming import productive, reachable

    state = found.consistency()
    skeleton = found.skeleton
    whole = [rule.arrow() for rule in found.rules if rule.rank > 2 and smallest_rank(rule) > 2]
    return {
        "start": found.start,
        "rules": len(found.rules),
        "nonterminals": len(found.nonterminals),
        "source_words": len(found.source.terminals),
        "target_words": len(found.target.terminals),
        "rank": found.rank,
        "smallest_rank": max(smallest_rank(rule) for rule in found.rules),
        "not_binarizable": whole,
        "proper": state.is_proper,
        "consistent": state.is_consistent,
        "total": state.total if math.isfinite(state.total) else None,
        "unary_cycle": [rule.arrow() for rule in found.unary_cycle()],
        "unreachable": sorted(set(found.nonterminals) - reachable(skeleton)),
        "unproductive": sorted(set(found.nonterminals) - productive(skeleton)),
    }


def report(
    found: SynchronousGrammar,
    source: str | None,
    target: str | None,
    *,
    kbest: int,
    max_edges: int,
    finite: bool,
    sample: int,
    seed: int,
    with_trees: bool,
    draw: bool,
    svg: str | None,
) -> dict[str, Any]:
    """Return what was asked for; `svg` is the file for an image of the first derivation."""
    asked: dict[str, Any] = {}
    derivations: list[SynchronousDerivation] = []
    if source is not None or target is not None:
        words = [None if text is None else text.split() for text in (source, target)]
        asked["parse"], derivations = parsed(found, words[0], words[1], kbest, max_edges)
    if finite:
        asked["language"] = language(found)
    if sample:
        drawn = found.samples(sample, random_state=seed)
        asked["samples"] = [
            dict(zip(("source", "target"), trees(one))) if with_trees else _pair(one) for one in drawn
        ]
        derivations += drawn
    if draw:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        ascii = not shows("┌─▼¹")
        asked["pictures"] = [
            drawn_or_told(partial(one.draw, ascii=ascii, width=width)) for one in _both_sided(derivations)
        ]
    if svg is not None:
        if not (both := _both_sided(derivations)):
            raise ValueError("there is no derivation to draw: ask for one with --parse, --target or --sample")
        write_image(both[0].svg(), svg)
    return asked


def parsed(
    found: SynchronousGrammar, source: list[str] | None, target: list[str] | None, kbest: int, max_edges: int
) -> tuple[dict[str, Any], list[SynchronousDerivation]]:
    """The best derivations of a pair, or of one sentence with its translations, and a report of them."""
    forest = found.parse(source, target, max_edges=max_edges)
    best = forest.best()
    derivations = [] if best is None else [best] if kbest == 1 else forest.kbest(kbest)
    sides = (source, found.source.terminals), (target, found.target.terminals)
    unknown = sorted(
        {word for words, known in sides if words is not None for word in set(words) - set(known)}
    )
    log_z = forest.log_z
    asked = {
        "source": source,
        "target": target,
        "log_probability": log_z if log_z > -math.inf else None,
        "unknown": unknown,
        "derivations": [
            {
                **_pair(one),
                "trees": list(trees(one)),
                "log_probability": one.score,
                "share": math.exp(one.score - log_z),
            }
            for one in derivations
        ],
    }
    return asked, derivations


def language(found: SynchronousGrammar) -> dict[str, Any]:
    """Whether there are finitely many pairs, how many, and how many strings each side has."""
    state = found.finiteness()
    return {
        "finite": state.is_finite,
        "pairs": state.n_pairs,
        "derivations": state.n_derivations,
        "source": finite_strings(state.source),
        "target": finite_strings(state.target),
        "cycle": [rule.arrow() for rule in state.cycle],
        "text": str(state),
    }


def finite_strings(state: Finiteness) -> dict[str, Any]:
    """A count of the strings of one language, as JSON has it."""
    return {
        "finite": state.is_finite,
        "strings": state.n_strings,
        "shortest": state.shortest,
        "longest": state.longest,
        "cycle": [rule.arrow() for rule in state.cycle],
    }


def trees(derivation: SynchronousDerivation) -> tuple[str, str]:
    """Both trees in brackets; ε for a side without words."""
    sides = derivation.source_words, derivation.target_words
    if all(sides):
        source, target = derivation.trees()
        return str(source), str(target)
    one, two = (str(derivation.side_tree(side == 0)) if sides[side] else "ε" for side in (0, 1))
    return one, two


def print_report(report: dict[str, Any]) -> None:
    """Print what was asked for, as lines."""
    for pair in report.pop("samples", ()):
        print(f"{printable(pair['source'])} ||| {printable(pair['target'])}")
    state = report.pop("language", None)
    if state is not None:
        for line in state["text"].splitlines():
            print(printable(line))
    parse = report.pop("parse", None)
    if parse is not None:
        _print_parse(parse)
    for picture in report.pop("pictures", ()):
        print(f"\n{picture}")
    if report:
        shown = {name: value if value is not None else "infinite" for name, value in report.items()}
        print_lines({name: value for name, value in shown.items() if value != []})


def _print_parse(parse: dict[str, Any]) -> None:
    if not parse["derivations"]:
        unknown = ", ".join(map(printable, parse["unknown"]))
        print("no derivation" + (f": the grammar does not know {unknown}" if unknown else ""))
        return
    print(f"log-probability {parse['log_probability']:.6g}")
    for one in parse["derivations"]:
        print(f"{one['share']:7.2%}  {printable(one['source'])} ||| {printable(one['target'])}")
        for tree in one["trees"]:
            print(f"         {printable(tree)}")


def _both_sided(derivations: list[SynchronousDerivation]) -> list[SynchronousDerivation]:
    """Those with words on both sides, which can be drawn."""
    return [one for one in derivations if one.source_words and one.target_words]


def _pair(derivation: SynchronousDerivation) -> dict[str, Any]:
    source, target = (" ".join(words) or "ε" for words in (derivation.source_words, derivation.target_words))
    return {"source": source, "target": target}
