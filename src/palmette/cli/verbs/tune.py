"""`palmette tune`: weights for the features of translations, from n-best lists and references."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from palmette.cli.commands import command as make_command
from palmette.cli.commands import helped
from palmette.cli.options import AsJson, Jobs, Quiet, Seed, Settings, parse_settings
from palmette.cli.progress import Progress
from palmette.cli.report import print_json
from palmette.formats.files import check_not_read, check_writable, display_name
from palmette.messages import counted


def _help() -> str:
    from palmette.tools.translation.tuning.methods import METHODS

    lines = [
        """Find weights of features with which the best translations are good ones.

        Reads Moses n-best lists (number ||| translation ||| features ||| score) and one or more files of
        references, a sentence on each line. Writes a line for each group of features, as in the weights of a
        Moses model.

        \b
        Methods and their options for --set:"""
    ]
    for name, method in METHODS.items():
        lines.append(f"          {name}: {method.summary}")
        lines += [f"            {line}" for line in method.options_class.help_lines()]
    return "\n".join(lines)


@helped(_help)
def tune(
    nbest: Annotated[
        str, typer.Option("--nbest", metavar="FILE", help="Moses n-best lists, with feature values.")
    ],
    references: Annotated[
        list[str],
        typer.Option("--references", metavar="FILE", help="References, a sentence on each line; repeatable."),
    ],
    method: Annotated[str, typer.Option(metavar="NAME", help="The method of tuning.")] = "mert",
    start: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Weights to begin with. [default: 1 for every feature]"),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A feature whose weight stays; repeatable. [default: that of unknown words, if there is one]",
        ),
    ] = None,
    metric: Annotated[
        str, typer.Option(metavar="NAME", help="What is maximised: bleu, chrf, or ter (which is minimised).")
    ] = "bleu",
    tokenize: Annotated[
        str,
        typer.Option(metavar="NAME", help="How BLEU finds words: none for tokenized text, 13a, char, zh, …"),
    ] = "none",
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case.")] = False,
    settings: Settings = None,
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="FILE", help='The weights to write; "-" is standard output.'),
    ] = "-",
    seed: Seed = 0,
    n_jobs: Jobs = 1,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Find weights of features with which the best translations are good ones."""
    from palmette.formats.moses.weights import ordered_weights, read_weights, weights_text, write_weights
    from palmette.tools.translation.tuning.lists import NBestLists
    from palmette.tools.translation.tuning.metric import TuningMetric
    from palmette.tools.translation.tuning.tuner import UNKNOWN, check_method
    from palmette.tools.translation.tuning.tuner import tune as find_weights

    options = parse_settings(settings)
    check_method(method, options)
    check_writable(output)
    check_not_read(output, [nbest, references, start])
    with Progress(quiet, plain=True) as progress:
        given = None if start is None else read_weights(start)
        lists = NBestLists.from_moses(
            nbest, references, TuningMetric(metric, tokenize, lowercase), n_jobs, warn=progress.warn
        )
        first = None if given is None else ordered_weights(given, lists.names, display_name(start or ""))
        progress.note(
            f"{counted(lists.n_candidates, 'candidate')} in {counted(len(lists), 'list')}, "
            f"{counted(len(lists.names), 'feature')}"
        )
        kept = fixed or [name for name in UNKNOWN if name in lists.names]
        if kept:
            progress.note(f"not tuned: {', '.join(kept)}")
        began = time.perf_counter()
        found = find_weights(lists, first, method, options, fixed=kept, random_state=seed, n_jobs=n_jobs)
        seconds = time.perf_counter() - began
        before, after = (1 - value if metric == "ter" else value for value in (found.before, found.after))
        progress.note(f"{metric} {before:.4f} before, {after:.4f} after")
    if output != "-":
        write_weights(found.names, found.weights, output)
    if json:
        report: dict[str, Any] = {"method": method, "metric": metric, "before": before, "after": after}
        report |= {"sentences": len(lists), "candidates": lists.n_candidates, "seconds": seconds}
        print_json(report | {"weights": found.to_dict()["weights"]})
    elif output == "-":
        print(weights_text(found.names, found.weights), end="")


command = make_command(
    tune,
    [
        "palmette tune --nbest dev.nbest --references dev.en -o weights",
        "palmette tune --nbest dev.nbest --references dev.en.0 --references dev.en.1 --method pro --json",
        "palmette tune --nbest dev.nbest --references dev.en --start weights --set restarts=50",
    ],
)
