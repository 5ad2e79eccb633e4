"""Palmette's model files: safetensors files with arrays, strings and checked JSON."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.formats.model.file import FORMAT_VERSION as FORMAT_VERSION
    from palmette.formats.model.file import ModelFile as ModelFile
    from palmette.formats.model.file import check_indices as check_indices
    from palmette.formats.model.file import check_target as check_target
    from palmette.formats.model.file import fingerprint as fingerprint
    from palmette.formats.model.file import placed_under as placed_under
    from palmette.formats.model.file import taken_from as taken_from
    from palmette.formats.model.file import with_article as with_article
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "file": (
                "FORMAT_VERSION ModelFile check_indices check_target fingerprint placed_under taken_from "
                "with_article"
            )
        },
    )
