"""Heat maps: numbers where no one looks, colours in a terminal."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from palmette.cli.heatmap import Heatmap
from palmette.cli.report import Table


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    Heatmap(["A", "LONGER"], np.array([[1.25, 0], [-0.5, 10]])).show("  ")
    assert capsys.readouterr().out == ("             A LONG…\n  A       +1.2     ·\n  LONGER  -0.5 +10.0\n")


def test_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    labels = [f"L{i}" for i in range(12)]
    Heatmap(labels, np.linspace(-1, 1, 144).reshape(12, 12)).show()
    text = terminal.getvalue()
    assert "\x1b[" in text
    assert text.count("L0 ") >= 3  # in several pieces, since the terminal is narrow
    assert all(name in text for name in labels)


def test_as_data() -> None:
    assert Heatmap(["A"], np.array([[0.5]])).tolist() == {"A": {"A": 0.5}}
    assert Table({"A": {"f1": 0.5}}).tolist() == {"A": {"f1": 0.5}}


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    Table({"A": {"f1": 0.5, "gold": 1000}, "BB": {"f1": 1.0, "gold": 2}}).show()
    assert capsys.readouterr().out == "        f1   gold\nA   0.5000  1,000\nBB  1.0000      2\n"
    Table({}).show()
