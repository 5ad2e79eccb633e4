"""The options of the stages that all methods share: alignment, language model, tuning."""

from __future__ import annotations

from dataclasses import dataclass

from palmette.parameters import Options, option
from palmette.tools.alignment.symmetrization import METHODS
from palmette.tools.lm.estimation import MAX_ORDER, SMOOTHINGS


@dataclass(frozen=True, kw_only=True)
class StageOptions(Options):
    """What the stages beside extraction and search take."""

    models: str = option("best", "models of word alignment: best, fast, or a list as model1,hmm", fixed=True)
    symmetrization: str = option(
        "grow-diag-final-and", "how two directions become one alignment", choices=METHODS, fixed=True
    )
    order: int = option(
        5, "words in the longest n-grams of the language model", low=1, high=MAX_ORDER, fixed=True
    )
    lm_smoothing: str = option(
        "modified-kneser-ney", "smoothing of the language model", choices=SMOOTHINGS, fixed=True
    )
    metric: str = option("bleu", "what tuning maximises", choices=("bleu", "chrf", "ter"), fixed=True)
    tuning_rounds: int = option(10, "most rounds of translating and tuning", low=1, fixed=True)
    restarts: int = option(
        5, "random starts of MERT in each round of tuning, beside the best weights so far", low=0, fixed=True
    )
    tuning_list: int = option(100, "translations of a sentence in each round of tuning", low=2, fixed=True)
