"""`palmette.load`: any trained model, as an object of its own class."""

from __future__ import annotations

from typing import Any

from palmette.errors import FormatError
from palmette.formats.files import Source
from palmette.formats.model import ModelFile, with_article
from palmette.models import find_model
from palmette.tools.registry import tool_for


def load(path: Source) -> Any:
    """Return the model of a file, or of a model that comes with Palmette, by its name ("en").

    It is an object of the class that made it: a `Tagger`, `SpanTagger`, `TagInducer`, `DependencyParser` (of
    pipelines too), `ConstituencyParser`, `Reranker`, `Classifier`, `Aligner`, `Translator` or `LanguageModel`. A
    file whose name ends in .arpa or .arpa.gz is a `LanguageModel`.
    """
    if str(path).endswith((".arpa", ".arpa.gz")):
        from palmette.tools.lm.model import LanguageModel

        return LanguageModel.load(path)
    file = ModelFile.load(find_model(path))
    tool = tool_for(file.kind)
    if tool is None:
        raise FormatError(f"holds {with_article(file.kind)}, which this version cannot load", path=file.path)
    return tool.from_model(file)
