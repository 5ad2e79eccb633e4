"""Structures and losses for models written with torch; `pip install 'palmette[neural]'`.

Only the modules of this package import torch. Models that were trained with it predict without it.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ImportError("This needs the Python package 'torch': pip install 'palmette[neural]'", name="torch")

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.neural.chain_crf import CRF as CRF
    from palmette.neural.functions.chains import Chains as Chains
    from palmette.neural.functions.charts import BinaryRules as BinaryRules
    from palmette.neural.functions.charts import Charts as Charts
    from palmette.neural.functions.charts import items_of_words as items_of_words
    from palmette.neural.functions.charts import spans_of as spans_of
    from palmette.neural.functions.forests import Forests as Forests
    from palmette.neural.functions.loss import LOSSES as LOSSES
    from palmette.neural.functions.loss import structured_loss as structured_loss
    from palmette.neural.functions.structure import Structure as Structure
    from palmette.neural.functions.trees import Trees as Trees
    from palmette.neural.functions.trees import flat_arcs as flat_arcs
    from palmette.neural.losses import chain_loss as chain_loss
    from palmette.neural.losses import tree_loss as tree_loss
    from palmette.neural.rbm.frames import FrameTagger as FrameTagger
    from palmette.neural.rbm.machine import RBM as RBM
    from palmette.neural.rbm.stack import Stack as Stack
    from palmette.neural.recurrent.decoder import RecurrentDecoder as RecurrentDecoder
    from palmette.neural.recurrent.tagger import RecurrentTagger as RecurrentTagger
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "chain_crf": "CRF",
            "functions.chains": "Chains",
            "functions.charts": "BinaryRules Charts items_of_words spans_of",
            "functions.forests": "Forests",
            "functions.loss": "LOSSES structured_loss",
            "functions.structure": "Structure",
            "functions.trees": "Trees flat_arcs",
            "losses": "chain_loss tree_loss",
            "rbm.frames": "FrameTagger",
            "rbm.machine": "RBM",
            "rbm.stack": "Stack",
            "recurrent.decoder": "RecurrentDecoder",
            "recurrent.tagger": "RecurrentTagger",
        },
    )
