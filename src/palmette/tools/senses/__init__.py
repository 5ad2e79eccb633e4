"""Senses of words: inventories, and taggers that choose among their senses."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.senses.corpus import SenseSentence as SenseSentence
    from palmette.tools.senses.corpus import Token as Token
    from palmette.tools.senses.corpus import read_tagged as read_tagged
    from palmette.tools.senses.inventory import Inventory as Inventory
    from palmette.tools.senses.inventory import ListedInventory as ListedInventory
    from palmette.tools.senses.inventory import read_inventory as read_inventory
    from palmette.tools.senses.sense_tagger import SenseTagger as SenseTagger
    from palmette.tools.senses.wordnet import WordNet as WordNet
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "corpus": "SenseSentence Token read_tagged",
            "inventory": "Inventory ListedInventory read_inventory",
            "sense_tagger": "SenseTagger",
            "wordnet": "WordNet",
        },
    )
