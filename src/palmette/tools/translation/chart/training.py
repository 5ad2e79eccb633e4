"""What the trainings of methods with a chart share: the check of a table that is given, and the model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.chart.features import rule_feature_names, rule_start_weights
from palmette.tools.translation.chart.model import RuleModel
from palmette.tools.translation.features import Weights
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.training import Training
from palmette.tools.translation.weights import filled


class RuleTraining(Training):
    """The stages of a method whose model is a chart of rules over strings."""

    model_class: ClassVar[type[RuleModel]]

    def checked(self, table: Any) -> RuleTable:
        """A table that was given."""
        kind = self.model_class.table_kind
        if not isinstance(table, RuleTable) or table.kind != kind:
            raise ValueError(
                f"The method {self.name!r} needs a table of rules over {kind}, and was given another table."
            )
        if not len(table):
            raise ValueError("The rule table that was given has no rules.")
        return table

    def model(self, table: RuleTable, lm: LanguageModel) -> RuleModel:
        """The model with start weights."""
        return self.model_class(*self.parts(table, lm))

    def parts(self, table: RuleTable, lm: LanguageModel) -> tuple[RuleTable, LanguageModel, Weights, Any]:
        """What every model of rules has."""
        weights = filled(self.given.weights, rule_feature_names(table), rule_start_weights(table))
        own: Any = self.own
        bare = replace(table, counts=np.zeros((0, 3), np.float32))
        return bare, lm, weights, own.search
