"""Synchronous grammars as objects: read, written, factored, sampled; pairs parsed. CSC 448, §16 to §19."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.grammars.synchronous.collecting import CollectingCost as CollectingCost
    from palmette.grammars.synchronous.collecting import best_order as best_order
    from palmette.grammars.synchronous.collecting import collecting_cost as collecting_cost
    from palmette.grammars.synchronous.derivation import SynchronousDerivation as SynchronousDerivation
    from palmette.grammars.synchronous.factoring import smallest_rank as smallest_rank
    from palmette.grammars.synchronous.finiteness import PairFiniteness as PairFiniteness
    from palmette.grammars.synchronous.grammar import SynchronousGrammar as SynchronousGrammar
    from palmette.grammars.synchronous.parsing import SynchronousForest as SynchronousForest
    from palmette.grammars.synchronous.permutations import PermutationNode as PermutationNode
    from palmette.grammars.synchronous.permutations import is_binarizable as is_binarizable
    from palmette.grammars.synchronous.permutations import permutation_tree as permutation_tree
    from palmette.grammars.synchronous.rule import SynchronousRule as SynchronousRule
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "collecting": "CollectingCost best_order collecting_cost",
            "derivation": "SynchronousDerivation",
            "factoring": "smallest_rank",
            "finiteness": "PairFiniteness",
            "grammar": "SynchronousGrammar",
            "parsing": "SynchronousForest",
            "permutations": "PermutationNode is_binarizable permutation_tree",
            "rule": "SynchronousRule",
        },
    )
