"""NLTK's interpolated Kneser-Ney, from a text to a model that answers."""

from __future__ import annotations

from pathlib import Path

from benchmarks.peers.process import Work


def estimate(text: str, order: int) -> Work:
    """Quality: the words of the text, and the log2 probability of its first word."""
    from nltk.lm import KneserNeyInterpolated
    from nltk.lm.preprocessing import padded_everygram_pipeline

    lines = Path(text).read_text(encoding="utf-8").splitlines()
    first = next(word for line in lines for word in line.split())

    def run() -> KneserNeyInterpolated:
        grams, words = padded_everygram_pipeline(order, [line.split() for line in lines])
        model = KneserNeyInterpolated(order)
        model.fit(grams, words)
        return model

    def judge(made: KneserNeyInterpolated) -> dict[str, float]:
        n = float(sum(len(line.split()) for line in lines))
        return {"words": n, "log_probability": float(made.logscore(first, ["<s>"] * (order - 1)))}

    return Work(run, judge)
