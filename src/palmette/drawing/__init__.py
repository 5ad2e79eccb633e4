"""Pictures of trees, arcs and alignments, for a terminal and for a page."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.drawing.arcs import draw_arcs as draw_arcs
    from palmette.drawing.arcs import draw_arcs_svg as draw_arcs_svg
    from palmette.drawing.trees import draw as draw
    from palmette.drawing.trees import draw_svg as draw_svg
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "arcs": "draw_arcs draw_arcs_svg",
            "trees": "draw draw_svg",
        },
    )
