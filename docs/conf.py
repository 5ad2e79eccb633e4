"""Sphinx's settings. The sources are plain Markdown; tools/site puts them together and adds what is generated."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/site"))

project = "Palmette"
author = "The Palmette authors"
copyright = "The Palmette authors, Apache-2.0"
version = release = version_of("palmette")

extensions = ["myst_parser", "sphinx_copybutton", "mathml"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["dollarmath", "attrs_inline"]
myst_heading_anchors = 4
smartquotes = False  # --set keeps both hyphens
# Indented blocks and fences without a language are commands or output.
highlight_language = "text"
copybutton_prompt_text = ">>> "
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"Palmette {version}"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#1f6b4b",
        "color-brand-content": "#1f6b4b",
        "color-brand-visited": "#1f6b4b",
        "color-api-name": "#1f6b4b",
        "color-api-pre-name": "#5c6863",
    },
    "dark_css_variables": {
        "color-brand-primary": "#7bd3ab",
        "color-brand-content": "#7bd3ab",
        "color-brand-visited": "#7bd3ab",
        "color-api-name": "#7bd3ab",
        "color-api-pre-name": "#9aa8a3",
    },
}
html_static_path = ["static"]
html_css_files = ["palmette.css"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
templates_path = []
