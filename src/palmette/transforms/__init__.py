"""Trees made into other trees before a grammar is read off them, and back."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.transforms.binarization import Binarization as Binarization
    from palmette.transforms.heads import HeadRule as HeadRule
    from palmette.transforms.heads import HeadRules as HeadRules
    from palmette.transforms.heads import generic_rules as generic_rules
    from palmette.transforms.lexicalization import lexicalized as lexicalized
    from palmette.transforms.lexicalization import unlexicalized as unlexicalized
    from palmette.transforms.semantic_heads import SemanticHeads as SemanticHeads
    from palmette.transforms.semantic_heads import semantic_rules as semantic_rules
    from palmette.transforms.unaries import fold_unaries as fold_unaries
    from palmette.transforms.unaries import unfold_unaries as unfold_unaries
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "binarization": "Binarization",
            "heads": "HeadRule HeadRules generic_rules",
            "lexicalization": "lexicalized unlexicalized",
            "semantic_heads": "SemanticHeads semantic_rules",
            "unaries": "fold_unaries unfold_unaries",
        },
    )
