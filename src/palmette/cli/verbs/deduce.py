"""`palmette deduce RULES FACTS`: run a weighted deduction system and print what it derives."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from palmette.cli.commands import command as make_command
from palmette.cli.options import AsJson, Quiet, Seed
from palmette.cli.progress import Progress
from palmette.cli.report import print_json, printable
from palmette.inference.limits import MAX_EDGES, MAX_ITEMS

if TYPE_CHECKING:
    from palmette.formats.facts import Facts
    from palmette.inference.deduction import Deduction
    from palmette.inference.forest import Forest, Proof
    from palmette.inference.search import Search


class Order(StrEnum):
    """Names of search orders."""

    exhaustive = "exhaustive"
    best_first = "best-first"
    astar = "astar"
    beam = "beam"


def deduce(
    rules: Annotated[str, typer.Argument(metavar="RULES", help='A file of rules; "-" is standard input.')],
    facts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FACTS", help="Files of facts: weight, name and arguments, separated by tabs."
        ),
    ] = None,
    words: Annotated[
        str | None,
        typer.Option("--words", metavar="TEXT", help="A sentence; adds the facts word(w, i) and length(n)."),
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option("--goal", metavar="ITEM", help="The item to derive. [default: the goal of the rules]"),
    ] = None,
    kbest: Annotated[int, typer.Option("--kbest", "-k", min=0, help="Number of derivations to print.")] = 1,
    samples: Annotated[
        int, typer.Option("--samples", min=0, help="Number of random derivations to print.")
    ] = 0,
    marginals: Annotated[
        bool, typer.Option("--marginals", help="Print the expected number of uses of each item and fact.")
    ] = False,
    count: Annotated[bool, typer.Option("--count", help="Print only the number of derivations.")] = False,
    search: Annotated[Order, typer.Option("--search", help="The search order.")] = Order.exhaustive,
    top: Annotated[
        int | None, typer.Option("--top", min=1, help="beam: number of items kept per bucket.")
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(
            "--width", min=0, help="beam: largest difference in log-score from the best item of a bucket."
        ),
    ] = None,
    heuristic: Annotated[
        str | None,
        typer.Option(
            "--heuristic",
            metavar="FILE",
            help="astar: lines like FACTS: upper bounds of the factors from items to the goal. Others have 1.",
        ),
    ] = None,
    heuristic_weight: Annotated[
        float | None,
        typer.Option(
            "--heuristic-weight", min=0, help="astar: exponent of the heuristic's factors. [default: 1]"
        ),
    ] = None,
    log: Annotated[
        bool, typer.Option("--log", help="Read the weights as log-scores, which are added.")
    ] = False,
    max_items: Annotated[
        int, typer.Option(metavar="N", min=1, help="The largest number of items to derive.")
    ] = MAX_ITEMS,
    max_edges: Annotated[
        int, typer.Option(metavar="N", min=1, help="The largest number of rule instances.")
    ] = MAX_EDGES,
    max_seconds: Annotated[
        float, typer.Option(metavar="N", min=0.001, help="Time limit of the search, in seconds.")
    ] = 600.0,
    max_memory: Annotated[
        float | None,
        typer.Option(
            metavar="N", min=0.001, help="Memory limit of the search's tables, in MB. [default: none]"
        ),
    ] = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Run a weighted deduction system.

    Derive the goal from the facts and print the best derivation, the k best, random ones, their number, or the
    marginals of items and facts. Rules are written like `[A, i, k] <- rule(A, B, C) * [B, i, j] *
    [C, j, k]`, with `goal ['S', 0, n] <- ?length(n)`; see the examples. A rule may combine weights by min(...),
    max(...), average(...) or discounted(0.9, ...) instead; then there are no sums, samples and marginals.

    A search that exceeds --max-items, --max-edges, --max-seconds or --max-memory stops and names the most
    productive rule.
    """
    from palmette.formats.facts import read_facts
    from palmette.inference.deduction import Deduction

    if count and (marginals or samples or kbest != 1):
        raise typer.BadParameter(
            "it prints only the number; remove --kbest, --samples and --marginals",
            param_hint="'--count'",
        )
    _check_search(search, top, width, heuristic, heuristic_weight)
    system = Deduction.from_file(rules)
    given = read_facts(*(facts or []), log=log)
    if words is not None:
        sentence = _sentence(words.split(), 0.0 if log else 1.0)
        asked_for = [name for name in sentence if system.uses(name, goal)]
        if not asked_for:
            raise typer.BadParameter("no rule uses word(w, i) or length(n)", param_hint="'--words'")
        for name in asked_for:
            given[name] = {**given.get(name, {}), **sentence[name]}
    if heuristic is not None:
        order: Search = _a_star(system, heuristic, heuristic_weight, log)
    else:
        order = _search(search, top, width)
    with Progress(quiet) as progress:
        progress.task("Deriving", None)
        forest = system.run(
            given,
            goal,
            search=order,
            log=log,
            max_items=max_items,
            max_edges=max_edges,
            max_seconds=max_seconds,
            max_memory=math.inf if max_memory is None else max_memory,
        )
        report = {"search": str(search), **_report(forest, kbest, samples, marginals, count, seed)}
    with _numbers_of_any_length():
        if json:
            print_json(report)
        elif count:
            print("infinitely many" if report["count"] is None else report["count"])
        else:
            _print(report | {"combines": not forest.is_product})


def _sentence(words: list[str], weight: float) -> Facts:
    """The facts word(w, i) and length(n)."""
    return {"word": {(word, i): weight for i, word in enumerate(words)}, "length": {(len(words),): weight}}


def _check_search(
    order: Order,
    top: int | None,
    width: float | None,
    heuristic: str | None,
    heuristic_weight: float | None,
) -> None:
    """Refuses options that do not go together."""
    if order is Order.beam and top is None and width is None:
        raise typer.BadParameter("beam search needs --top, --width or both", param_hint="'--search'")
    if order is not Order.beam and (top is not None or width is not None):
        raise typer.BadParameter("--top and --width belong to --search beam")
    if order is Order.astar and heuristic is None:
        raise typer.BadParameter("A* search needs --heuristic FILE", param_hint="'--search'")
    if order is not Order.astar and (heuristic is not None or heuristic_weight is not None):
        raise typer.BadParameter("--heuristic and --heuristic-weight belong to --search astar")


def _search(order: Order, top: int | None, width: float | None) -> Search:
    from palmette.inference.search import Beam, BestFirst, Exhaustive

    if order is Order.beam:
        return Beam(top, math.inf if width is None else width)
    return BestFirst() if order is Order.best_first else Exhaustive()


def _a_star(system: Deduction, path: str, weight: float | None, log: bool) -> Search:
    """A* with the bounds of a file; an item that it does not list may go on with weight one."""
    from palmette.formats.facts import read_facts
    from palmette.inference.facts import Item
    from palmette.inference.search import AStar

    bounds: dict[Item, float] = {}
    for name, rows in read_facts(path, log=log).items():
        for arguments, bound in rows.items():
            item = Item(name, arguments)
            if not system.derives(item):
                raise typer.BadParameter(f"no rule derives items like {item}", param_hint="'--heuristic'")
            bounds[item] = bound if log else math.log(bound) if bound > 0 else -math.inf
    return AStar(lambda item: bounds.get(item, 0.0), 1.0 if weight is None else weight)


def _report(
    forest: Forest, kbest: int, samples: int, marginals: bool, count: bool, seed: int
) -> dict[str, Any]:
    report: dict[str, Any] = {
        "count": _count(forest),
        "items_popped": forest.statistics.items_popped,
        "edges_built": forest.statistics.edges_built,
    }
    if count:
        return report
    if samples or marginals:
        forest.check_sums()
    log_z = forest.log_z() if forest.is_product else math.nan
    report["log_z"] = _number(log_z)
    best = forest.best() if kbest == 1 else None
    proofs = ([best] if best else []) if kbest == 1 else forest.kbest(kbest) if kbest else []
    report["derivations"] = [_plain(proof, log_z) for proof in proofs]
    if samples and log_z > -math.inf:
        drawn = forest.samples(samples, random_state=seed)
        report["samples"] = [_plain(proof, log_z) for proof in drawn]
    if marginals:
        report["items"] = _named(forest.item_marginals())
        report["facts"] = _named(forest.fact_marginals())
    return report


def _count(forest: Forest) -> int | None:
    """The number of derivations; None where cycles make it infinite."""
    from palmette.inference.hypergraph import CycleError

    try:
        return forest.count()
    except CycleError:
        return None


def _plain(proof: Proof, log_z: float) -> dict[str, Any]:
    """A derivation as plain data: its items in preorder, with their depths."""
    steps = [
        {"depth": depth, "item": str(step.item), "by": None if step.label is None else str(step.label)}
        for step, depth in proof.preorder()
    ]
    probability = None if math.isnan(log_z) else math.exp(proof.score - log_z)
    return {"score": _number(proof.score), "probability": probability, "steps": steps}


@contextmanager
def _numbers_of_any_length() -> Iterator[None]:
    """A long sentence has more derivations than Python prints digits of."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None  # JSON has no infinity: log-zero is null


def _named(values: dict[Any, float]) -> dict[str, float]:
    return {str(item): value for item, value in values.items()}


def _print(report: dict[str, Any]) -> None:
    from palmette.inference.forest import indented

    searched = report["search"] != Order.exhaustive
    if report["count"] == 0 or (report["log_z"] is None and not report["combines"]):
        print(f"no derivation{' was found' if searched else ''}")
        return
    number = _rounded(report["count"])
    total = "" if report["combines"] else f", log of their total weight {report['log_z']:.6g}"
    print(f"{number} derivation(s){total}")
    if searched:
        print(f"(only of what {report['search']} search found: there may be more)")
    for title, derivations in (("derivation", report["derivations"]), ("sample", report.get("samples", []))):
        for n, derivation in enumerate(derivations, 1):
            score, probability = derivation["score"], derivation["probability"]
            share = (
                f"weight {math.exp(score):.6g}"
                if probability is None
                else f"{probability:.2%} of the total weight"
            )
            print(f"\n{title} {n}: score {score:.6g}, {share}")
            for step in derivation["steps"]:
                by = f"  ← {step['by']}" if step["by"] not in (None, step["item"]) else ""
                print(indented(printable(step["item"] + by), step["depth"]))
    for title in ("items", "facts"):
        if title in report:
            print(f"\n{title} and how often they are used")
            for name, value in sorted(report[title].items(), key=lambda pair: -pair[1]):
                print(f"  {value:.4f}  {printable(name)}")


def _rounded(count: int | None) -> str:
    if count is None:
        return "infinitely many"
    return f"{count:,}" if count < 10**15 else f"about 10^{math.log10(count):.0f}"


command = make_command(
    deduce,
    [
        'palmette deduce cky.rules grammar.tsv --words "time flies like an arrow" -k 2',
        'palmette deduce cky.rules grammar.tsv --words "time flies" --goal "[\'NP\', 0, 2]" --marginals',
        'palmette deduce hmm.rules hmm.tsv --words "the dog" --search beam --top 5 --json',
        "palmette deduce widest.rules roads.tsv --search best-first",
    ],
)
