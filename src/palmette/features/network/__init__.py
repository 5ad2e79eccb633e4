"""Networks as Φ: what they see of tokens, their weights as arrays, and their scores. Nothing here needs torch."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.features.network.inputs import NetworkInputs as NetworkInputs
    from palmette.features.network.network import Network as Network
    from palmette.features.network.options import Neural as Neural
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__, {"inputs": "NetworkInputs", "network": "Network", "options": "Neural"}
    )
