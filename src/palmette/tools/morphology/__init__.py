"""Parts of speech, morphological features and lemmas of words."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.morphology.edit_scripts import apply_script as apply_script
    from palmette.tools.morphology.edit_scripts import script_of as script_of
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "edit_scripts": "apply_script script_of",
        },
    )
