"""Pictures of trees, arcs, alignments, graphs, labels and measures, for a terminal and for a page."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.drawing.arcs import draw_arcs as draw_arcs
    from palmette.drawing.arcs import draw_arcs_svg as draw_arcs_svg
    from palmette.drawing.confusion import draw_confusion_svg as draw_confusion_svg
    from palmette.drawing.curves import Plot as Plot
    from palmette.drawing.labels import draw_labels_svg as draw_labels_svg
    from palmette.drawing.panels import Panels as Panels
    from palmette.drawing.trees import draw as draw
    from palmette.drawing.trees import draw_svg as draw_svg
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "arcs": "draw_arcs draw_arcs_svg",
            "confusion": "draw_confusion_svg",
            "curves": "Plot",
            "labels": "draw_labels_svg",
            "panels": "Panels",
            "trees": "draw draw_svg",
        },
    )
