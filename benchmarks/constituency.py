"""How good and how fast the constituency parsers are with their default settings.

Training data only, words as input, no gold tags; F1 is that of labelled brackets by the rules of Collins' file of
parameters for EVALB. The time of an accuracy row is that of the training, file to model. What concerns grammars as
they are read off trees, exact and pruned, stands in `benchmarks.charts`.

Berkeley's parser, Charniak's and disco-dop's were measured on this machine, on a like split of the same sample;
their numbers stand beside the rows that ask for them.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.measuring.row import Row
from benchmarks.ours import grammars as ours
from benchmarks.ours.grammars import COMBINED, DUTCH, ENGLISH, ICELANDIC
from benchmarks.peers.process import Measured

METHODS = ("pcfg", "markov", "lexicalized", "latent", "crf", "perceptron", COMBINED)
QUICK = ("pcfg", "markov")
BEST = "crf"  # the most accurate single model
MAIN = (BEST, "latent", "lexicalized")  # whose threads and 50 best trees are timed
LEAST = {"pcfg": 67.0, "markov": 72.0, "lexicalized": 85.0, "latent": 85.5, "crf": 84.0, COMBINED: 87.0}
ABOVE = 10.0  # of the best method above a plain PCFG in Icelandic
MOST_SECONDS = {"lexicalized": (6.0, 1), "latent": (60.0, 2)}  # of training, with so many threads
MOST_MS = 10.0  # a sentence, the most accurate single grammar
PLAIN = {"closed": 0.0}  # a plain PCFG has no closed words
UNPRUNED = 1e-30  # a threshold that keeps every item
LEAST_ORACLE = 93.0
DISCONTINUOUS = 25.0
MOST_MEDIAN = 50.0


def rows(quick: bool = False) -> Iterator[Row]:
    for name in (ENGLISH, ICELANDIC):
        yield from treebank_rows(name, QUICK if quick else METHODS)
    if not quick:
        yield from speed_rows()
        yield from discontinuous_rows()


def treebank_rows(name: str, methods: tuple[str, ...]) -> Iterator[Row]:
    found: dict[str, Measured] = {}
    for method in methods:
        threads = MOST_SECONDS.get(method, (0.0, 1))[1]
        options: dict[str, object] = dict(PLAIN) if method == "pcfg" else {}
        if method == COMBINED:  # of the models of the rows above
            members = [one for one in ("lexicalized", "latent", "crf") if one in found]
            options = {"models": ",".join(ours.model_of(one, name) for one in members)}
        found[method] = ours.training(method, name, threads, **options)
        least = LEAST.get(method) if name == ENGLISH else None
        if name == ICELANDIC and method == methods[-1]:
            least = found["pcfg"].quality["F1"] + ABOVE
        yield score_row(name, method, found[method], least, threads)


def score_row(name: str, method: str, have: Measured, least: float | None, threads: int = 1) -> Row:
    """With what F1 and the time of training must be, and minimum risk above the most probable tree.

    >>> have = Measured(4.0, 4.0, 1.0, {"F1": 85.2, "most probable": 84.0, "minimum risk": 85.2})
    >>> made = score_row("const_en_ptb", "lexicalized", have, 85.0)
    >>> made.work, made.met
    ('const_en_ptb, lexicalized, F1 ≥ 85, training ≤ 6 s', True)
    """
    asked, checks = [], []
    if least is not None:
        asked.append(f"F1 ≥ {least:g}")
        checks.append(have.quality["F1"] >= least)
    most = MOST_SECONDS.get(method)
    if most is not None and name == ENGLISH:
        asked.append(f"training ≤ {most[0]:g} s" + (f", {threads} threads" if threads > 1 else ""))
        checks.append(have.seconds <= most[0])
    if "most probable" in have.quality and method != COMBINED:
        checks.append(have.quality.get("minimum risk", 0.0) > have.quality["most probable"])
    return Row(
        ", ".join([name, method, *asked]),
        have.seconds,
        memory=f"{have.peak_mb:,.0f} MB",
        quality=_shown(have.quality),
        holds=all(checks) if checks else None,
    )


def speed_rows() -> Iterator[Row]:
    one = ours.parsing(BEST)
    n = one.quality["sentences"]
    yield Row(
        f"{ENGLISH} test, {BEST}, ≤ {MOST_MS:g} ms a sentence (Berkeley 65 ms, Charniak 207 ms)",
        one.seconds / n,
        quality=_shown({"F1": one.quality["F1"]}),
        holds=1000 * one.seconds / n <= MOST_MS,
    )
    whole = ours.parsing(BEST, times=1, threshold=UNPRUNED)
    yield Row(
        f"the same beside its own parse of everything ({BEST})",
        one.seconds,
        peer=whole.seconds,
        quality=_shown({"F1": whole.quality["F1"]}),
    )
    for method in MAIN:
        yield from many_rows(method)


def many_rows(method: str) -> Iterator[Row]:
    """Words in memory to trees: two threads beside one, and 50 trees of every sentence beside one."""
    one, two, best = ours.parsing(method), ours.parsing(method, threads=2), ours.ranking(method)
    yield Row(
        f"{ENGLISH} test, {method}, two threads beside one", two.seconds, peer=one.seconds, least_ratio=1.8
    )
    yield Row(
        f"{ENGLISH} test, {method}, 50 best beside one, oracle F1 ≥ {LEAST_ORACLE:g}",
        best.seconds,
        peer=one.seconds,
        least_ratio=1 / 1.3,
        quality=_shown(best.quality),
        holds=best.quality["oracle F1"] >= LEAST_ORACLE,
    )


def discontinuous_rows() -> Iterator[Row]:
    have = ours.discontinuous()
    yield Row(
        f"{DUTCH} test up to 25 words, plcfrs, median ≤ {MOST_MEDIAN:g} ms, discontinuous F1 > {DISCONTINUOUS:g}",
        have.quality["median ms"] / 1000,
        quality=_shown(have.quality),
        holds=have.quality["median ms"] <= MOST_MEDIAN and have.quality["discontinuous F1"] > DISCONTINUOUS,
    )


def _shown(quality: dict[str, float]) -> str:
    return ", ".join(f"{key} {value:.2f}" for key, value in quality.items())
