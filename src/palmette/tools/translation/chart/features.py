"""The features of a translation by synchronous rules: names and the weights that tuning begins with.

lm            ln p of the target text, with <s> and </s>
words         minus the number of target words
rules         the number of rules, also those that copy a word
glue          the number of glue rules, S → A and S → S A
unknown       minus the number of copied words
hierarchical  the number of rules with a nonterminal
…             the columns of the rule table
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from palmette.tools.translation.features import FeatureNames, Weights

OWN = ("lm", "words", "rules", "glue", "unknown", "hierarchical")
_START = {"lm": 0.5, "words": -1.0, "rules": 0.2, "glue": 0.0, "unknown": 100.0, "hierarchical": 0.0}
_COLUMN = 0.2


class Columns(Protocol):
    """A table with names of columns, such as a `RuleTable`."""

    @property
    def columns(self) -> tuple[str, ...]: ...


def rule_feature_names(table: Columns) -> FeatureNames:
    """Return the names of the features of a table, in the order of weights."""
    return (*OWN, *table.columns)


def rule_start_weights(table: Columns) -> Weights:
    """Return the weights that tuning begins with."""
    return np.array([_START[name] for name in OWN] + [_COLUMN] * len(table.columns), dtype=np.float64)
