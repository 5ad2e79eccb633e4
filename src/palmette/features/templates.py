"""Sets of templates: what a tagger looks at.

`template_syntax` has their language, `crfpp` that of CRF++ and Wapiti.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from palmette.errors import FormatError
from palmette.features.crfpp import is_crfpp, parse_crfpp
from palmette.features.default_templates import DEFAULTS
from palmette.features.resources import Resources, UserFunction
from palmette.features.template import Source, Template
from palmette.features.template_syntax import parse_templates
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source as FileSource
from palmette.formats.files import display_name, read_bytes

if TYPE_CHECKING:
    from palmette.features.feature_map import FeatureMap
    from palmette.features.instances import Instances

NativeTemplates = list[
    tuple[int, list[tuple[int, int]]]
]  # seeds, and places: the number of a source, an offset


class Templates:
    """Templates, and the gazetteers, clusters and functions that they name.

    templates: text in the language of templates, one per line, or the lines; or a template file of CRF++ or
    Wapiti as it is. gazetteers: name to strings; clusters: name to a mapping of words to clusters; functions:
    name to a function from a word to a string, or None for no attribute.

    label_order is the number of previous labels that the templates ask for: 1 for a line `y` or `B`.

    >>> templates = Templates("w[-1..1]\\nsuffix2[0]\\ny")
    >>> [template.text for template in templates], templates.label_order
    (['w[-1]', 'w[0]', 'w[1]', 'suffix2[0]'], 1)
    >>> corpus = Corpus.from_columns({"form": [["Time", "flies"]]})
    >>> feature_map, instances = templates.extract(corpus)
    >>> feature_map.names()[:5]
    ['w[-1]=_B-1', 'w[0]=Time', 'w[1]=flies', 'suffix2[0]=me', 'w[-1]=Time']
    >>> instances.attributes.tolist()
    [0, 1, 2, 3, 4, 5, 6, 7]
    """

    def __init__(
        self,
        templates: str | Iterable[str],
        *,
        gazetteers: Mapping[str, Iterable[str]] | None = None,
        clusters: Mapping[str, Mapping[str, str]] | None = None,
        functions: Mapping[str, UserFunction] | None = None,
        path: str | None = None,
    ) -> None:
        self.text = templates if isinstance(templates, str) else "\n".join(templates)
        self.resources = Resources.of(gazetteers, clusters, functions)
        path = path or "<templates>"
        if is_crfpp(self.text):
            self.templates, self.label_order = parse_crfpp(self.text, path)
        else:
            self.templates, self.label_order = parse_templates(self.text, self.resources.known, path)
        if not self.templates and not self.label_order:
            raise FormatError("there is no template: write at least one, as in w[0]", path=path)
        self.unary = tuple(template for template in self.templates if not template.with_label)
        self.pairs = tuple(template for template in self.templates if template.with_label)

    @classmethod
    def read(
        cls,
        source: FileSource,
        *,
        gazetteers: Mapping[str, Iterable[str]] | None = None,
        clusters: Mapping[str, Mapping[str, str]] | None = None,
        functions: Mapping[str, UserFunction] | None = None,
    ) -> Templates:
        """The templates of a file: Palmette's own, CRF++'s or Wapiti's."""
        path = display_name(source)
        try:
            text = read_bytes(source).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError(f"byte {error.start + 1} is not UTF-8", path=path) from error
        return cls(text, gazetteers=gazetteers, clusters=clusters, functions=functions, path=path)

    @classmethod
    def default(cls, task: str = "generic", columns: Iterable[str] = ()) -> Templates:
        """A good set for "pos", "ner", "chunk" or "generic"; those of `columns` that it can use, it uses.

        >>> Templates.default("chunk", ["pos"]).label_order
        1
        """
        if task not in DEFAULTS:
            raise ValueError(f"The 'task' must be one of {', '.join(DEFAULTS)}. Got {task!r} instead.")
        return cls(DEFAULTS[task](list(columns)))

    @classmethod
    def named(cls, given: str, columns: Iterable[str] = ()) -> Templates:
        """The templates of a text, or the default set of a task by its name.

        >>> Templates.named("w[0]").label_order, Templates.named("chunk", ["pos"]).label_order
        (0, 1)
        """
        return cls(given) if any(sign in given for sign in "[\n%") else cls.default(given, columns)

    @cached_property
    def sources(self) -> list[Source]:
        """What the templates look at, each once."""
        return list(dict.fromkeys(place.source for template in self for place in template.places))

    @cached_property
    def native(self) -> tuple[NativeTemplates, NativeTemplates]:
        """The templates without and with the previous label, as extraction takes them: places are of `sources`."""
        view = {source: v for v, source in enumerate(self.sources)}
        unary, pairs = (
            [
                (template.seed, [(view[place.source], place.offset) for place in template.places])
                for template in some
            ]
            for some in (self.unary, self.pairs)
        )
        return unary, pairs

    def extract(
        self, corpus: Corpus, *, min_count: int = 1, hash_bits: int | None = None
    ) -> tuple[FeatureMap, Instances]:
        """The attributes of a corpus, numbered, and its tokens in them; see `FeatureMap.fit`."""
        from palmette.features.feature_map import FeatureMap

        return FeatureMap.fit(self, corpus, min_count=min_count, hash_bits=hash_bits)

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self.templates)

    def __len__(self) -> int:
        return len(self.templates)

    def __getitem__(self, index: int) -> Template:
        return self.templates[index]

    def __repr__(self) -> str:
        return f"<Templates: {len(self)}, label order {self.label_order}>"
