"""`palmette plot KIND ...`: learning curves, reliability, precision and recall, confusions, n-grams and growth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from palmette.cli.commands import SETTINGS, LazyGroup, epilog
from palmette.cli.commands import command as make_command
from palmette.cli.options import Jobs, Quiet
from palmette.errors import UsageError
from palmette.formats.files import check_not_read

Output = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help='The image: .svg or .png; "-" writes SVG to standard output.'
    ),
]
Matplotlib = Annotated[
    bool, typer.Option("--matplotlib", help="Draw with Matplotlib, which must be installed, in its style.")
]
Report = Annotated[
    str, typer.Argument(metavar="MODEL|REPORT", help="A model, or the JSON of palmette evaluate.")
]
Gold = Annotated[str | None, typer.Argument(metavar="[GOLD]", help="The file with answers, for a model.")]

Layer = Annotated[
    str | None,
    typer.Option(
        "--layer",
        metavar="NAME",
        help="Draw only this layer of a pipeline: upos, xpos, feats, head, lemma or entity. [default: all]",
    ),
]


def passes(
    log: Annotated[
        str, typer.Argument(metavar="LOG", help='What palmette train wrote with 2>; "-" is input.')
    ],
    output: Output = "-",
    matplotlib: Matplotlib = False,
) -> None:
    """Plot the loss and the score on development data of every pass of a training."""
    from palmette.cli.plots.files import passes as read
    from palmette.cli.plots.output import write_plot

    check_not_read(output, [log])
    write_plot(read(log), output, matplotlib)


def curves(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help='JSON {"curves": {NAME: [[x, y], ...]}, "x": ..., "y": ..., "title": ...}; or a table with tabs, '
            "x in the first column and a curve in each other.",
        ),
    ],
    logarithmic: Annotated[
        Literal["linear", "x", "y", "xy"], typer.Option("--log", help="Which axes are logarithmic.")
    ] = "linear",
    output: Output = "-",
    matplotlib: Matplotlib = False,
) -> None:
    """Plot curves of any measured points, such as learning curves and the growth of cost."""
    from palmette.cli.plots.files import curves as read
    from palmette.cli.plots.output import write_plot

    check_not_read(output, [source])
    write_plot(read(source, logarithmic), output, matplotlib)


def reliability(
    model: Report,
    gold: Gold = None,
    bins: Annotated[int, typer.Option("--bins", min=1, max=100, help="How many bins of probability.")] = 10,
    layer: Layer = None,
    output: Output = "-",
    matplotlib: Matplotlib = False,
    n_jobs: Jobs = 1,
    quiet: Quiet = False,
) -> None:
    """Plot how often guesses are right, by the probability that the model gives them."""
    from palmette.cli.plots.files import reliability_of
    from palmette.cli.plots.measured import guesses, panels
    from palmette.cli.plots.output import write_plot

    check_not_read(output, [model, gold])
    if gold is None:
        plots = {"": reliability_of(_report(model, layer)).plot()}
    else:
        found = guesses(model, gold, n_jobs, quiet, layer=layer, probabilities=True)
        plots = {name: one.reliability(bins).plot() for name, one in found.items()}
    write_plot(panels(plots), output, matplotlib)


def precision_recall(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model.")],
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The file with answers.")],
    layer: Layer = None,
    output: Output = "-",
    matplotlib: Matplotlib = False,
    n_jobs: Jobs = 1,
    quiet: Quiet = False,
) -> None:
    """Plot precision and recall where only guesses above a probability are kept, for all thresholds."""
    from palmette.cli.plots.measured import guesses, panels
    from palmette.cli.plots.output import write_plot

    check_not_read(output, [model, gold])
    found = guesses(model, gold, n_jobs, quiet, layer=layer, probabilities=True)
    write_plot(
        panels({name: one.precision_recall().plot() for name, one in found.items()}), output, matplotlib
    )


def confusion(
    model: Report,
    gold: Gold = None,
    most: Annotated[
        int, typer.Option("--most", min=2, max=200, help="Labels with a row of their own; the rest are one.")
    ] = 24,
    layer: Layer = None,
    output: Output = "-",
    n_jobs: Jobs = 1,
    quiet: Quiet = False,
) -> None:
    """Plot which labels a model confuses: a row for each gold label, a column for each guess."""
    from palmette.cli.plots.files import confusion_of
    from palmette.cli.plots.measured import guesses
    from palmette.cli.plots.output import write_image
    from palmette.drawing.confusion import draw_confusion_svg
    from palmette.drawing.panels import side_by_side

    check_not_read(output, [model, gold])
    if gold is None:
        images = [confusion_of(_report(model, layer), most)]
    else:
        images = []
        for name, one in guesses(model, gold, n_jobs, quiet, layer=layer, probabilities=False).items():
            scores = one.scores()
            title = f"{name}: accuracy" if name else "Accuracy"
            title += f" {100 * scores.accuracy:.2f} % of {scores.tokens:,}"
            images.append(draw_confusion_svg(scores.names, scores.confusion.tolist(), title=title, most=most))
    write_image(side_by_side(images, "Confusions"), output)


def ngrams(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A text, one sentence on each line.")],
    order: Annotated[int, typer.Option("--order", min=1, max=8, help="The longest n-grams.")] = 3,
    output: Output = "-",
    matplotlib: Matplotlib = False,
    n_jobs: Jobs = 1,
) -> None:
    """Plot how often n-grams occur: counts by rank (Zipf's law), and how many occur once, twice and so on."""
    from palmette.cli.plots.ngrams import ngrams as counted
    from palmette.cli.plots.output import write_plot

    check_not_read(output, [text])
    write_plot(counted(text, order, n_jobs), output, matplotlib)


def growth(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model to measure.")],
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="Sentences of different lengths: text lines, or CoNLL-U.")
    ],
    output: Output = "-",
    matplotlib: Matplotlib = False,
    quiet: Quiet = False,
) -> None:
    """Measure and plot how the time of a prediction grows with the length of a sentence."""
    from palmette.cli.plots.growth import growth as measured
    from palmette.cli.plots.output import write_plot

    check_not_read(output, [model, source])
    write_plot(measured(model, source, quiet), output, matplotlib)


def _report(path: str, layer: str | None) -> str:
    """Refuse a model without gold, and a layer of a report."""
    from palmette.formats.files import read_bytes

    if path != "-" and not read_bytes(path).lstrip()[:1] == b"{":
        raise UsageError(f"{path}: give the model and a gold file, or the JSON of palmette evaluate")
    if layer is not None:
        raise UsageError("--layer is for a model and a gold file; a report has no layers")
    return path


KINDS: dict[str, tuple[Callable[..., None], str, str]] = {
    "passes": (
        passes,
        "loss and development score of every pass of a training",
        "plot passes train.log -o a.png",
    ),
    "curves": (curves, "measured points of any kind", "plot curves growth.json --log xy -o a.svg"),
    "reliability": (
        reliability,
        "whether probabilities are what they say",
        "plot reliability en.palm dev.conllu -o a.svg",
    ),
    "precision-recall": (
        precision_recall,
        "precision and recall by threshold",
        "plot precision-recall en.palm dev.conllu -o a.svg",
    ),
    "confusion": (confusion, "which labels are confused", "plot confusion en.palm dev.conllu -o a.png"),
    "ngrams": (ngrams, "counts of n-grams by rank, and counts of counts", "plot ngrams text.txt --order 4"),
    "growth": (growth, "time by length of the sentence", "plot growth en.palm dev.conllu -o a.svg"),
}


class Plots(LazyGroup):
    noun = "plot"

    def names(self) -> list[str]:
        return list(KINDS)

    def build(self, name: str) -> Any:
        if name not in KINDS:
            raise UsageError(f"there is no plot {name!r}: there are {', '.join(KINDS)}")
        function, _, example = KINDS[name]
        return make_command(function, [f"palmette {example}"])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Plots"):
            formatter.write_dl([(name, summary) for name, (_, summary, _) in KINDS.items()])


_app = typer.Typer(cls=Plots, add_completion=False, context_settings=SETTINGS, rich_markup_mode=None)


@_app.callback(
    subcommand_metavar="KIND [OPTIONS]",
    epilog=epilog([f"palmette {example}" for _, _, example in KINDS.values()]),
)
def _plot() -> None:
    """Plot measures of models and data as SVG or PNG."""


command = typer.main.get_command(_app)
