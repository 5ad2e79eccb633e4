"""Every reader of text, with valid inputs to damage."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from faults.targets import Run, Target
from palmette import Deduction, Grammar, LanguageModel, Templates
from palmette.evaluation.bracket_rules import read_rules as read_bracket_rules
from palmette.evaluation.linguistic import read_synonyms
from palmette.features.network.vectors import read_vectors as read_network_vectors
from palmette.formats.arpa import read_arpa
from palmette.formats.conllu import parse_words
from palmette.formats.facts import read_facts
from palmette.formats.files import Content, Source, read_text
from palmette.formats.moses.nbest import read_moses_nbest
from palmette.formats.moses.tables import read_moses_tables
from palmette.formats.moses.weights import read_weights
from palmette.formats.nbest import read_nbest
from palmette.formats.pharaoh import read_pharaoh
from palmette.formats.registry import formats
from palmette.grammars.synchronous import SynchronousGrammar
from palmette.structures.automaton import Automaton
from palmette.tools.alignment.text import read_pairs
from palmette.tools.alignment.word_forms import read_stems
from palmette.tools.morphology.lexicon import Lexicon
from palmette.tools.semantics.database import parse_prolog, parse_table
from palmette.tools.semantics.lexicon import read_triggers
from palmette.tools.senses.corpus import read_tagged
from palmette.tools.senses.decision_list import read_seeds
from palmette.tools.senses.inventory import read_inventory
from palmette.tools.translation.glossary import Glossary
from palmette.tools.translation.rules.files import read_rules as read_rule_table
from palmette.tools.translation.source_trees import read_trees
from palmette.tools.translation.tables.files import read_table

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES, GARDEN = ROOT / "examples", ROOT / "tests" / "data" / "garden"
SEEDS = Path(__file__).parent / "seeds"
_MOST_LINES = 25

WAPITI = b'u:1=%x[0,0]\n*:2=%X[-1,1]/%m[0,0,"^[A-Z]"]\nb\n'


def text(read: Callable[[str], Any]) -> Run:
    """Return a reader of bytes that decodes as files are decoded."""
    return lambda data: read(read_text(Content(data)))


def source(read: Callable[..., Any], **options: Any) -> Run:
    """Return a reader of bytes for one of files; iterators are read to their end."""

    def run(data: bytes) -> object:
        found = read(Content(data), **options)
        return list(found) if hasattr(found, "__next__") else found

    return run


def in_file(read: Callable[[str], Any], name: str) -> Run:
    """Return a reader of bytes for one that must have a file."""

    def run(data: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(data)
            return read(str(path))

    return run


def _examples(*names: str) -> tuple[bytes, ...]:
    """The first lines of some files that ship; where empty lines separate sentences, whole sentences."""
    return tuple(_start(_file(name).read_bytes()) for name in names)


def _seeds(*names: str) -> tuple[bytes, ...]:
    return tuple((SEEDS / name).read_bytes() for name in names)


def _start(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    end = _MOST_LINES
    while (
        end < len(lines)
        and (b"\n\n" in data or b"#EOS" in data)
        and lines[end - 1].strip()
        and b"#EOS" not in lines[end - 1]
    ):
        end += 1
    return b"".join(lines[:end])


def _file(name: str) -> Path:
    return (EXAMPLES if "/" in name else GARDEN) / name


_FILES = {
    "conllu": ("parsing/train.conllu", "morphology/train.conllu", "test.conllu"),
    "columns": ("test.chunks.txt", "test.names.txt", "test.tags.tsv"),
    "brackets": ("constituency/test.mrg", "test.mrg"),
    "discbracket": ("test.discbracket",),
    "export": ("test.export",),
}


def _formats() -> Iterable[Target]:
    for form in formats():
        seeds = _examples(*_FILES[form.name])
        yield Target(form.name, source(form.read), seeds)
        yield Target(f"{form.name} lenient", source(form.read, lenient=True), seeds)


def _rows(source_: Source) -> object:
    from palmette.cli.tools.classify.input import read_lines

    return read_lines(source_)  # type: ignore[arg-type]


READERS: tuple[Target, ...] = (
    *_formats(),
    Target("words of conllu", lambda data: parse_words(data, ("form", "upos")), _examples(*_FILES["conllu"])),
    Target("arpa", in_file(read_arpa, "model.arpa"), _seeds("model.arpa")),
    Target("arpa model", in_file(LanguageModel.load, "model.arpa"), _seeds("model.arpa")),
    Target("facts", source(read_facts), _examples("deduction/time_flies.tsv", "deduction/roads.tsv")),
    Target("deduction rules", text(Deduction), _examples("deduction/cky.rules", "deduction/widest.rules")),
    Target("grammar", text(Grammar), _examples("grammars/time_flies.cfg")),
    Target(
        "synchronous grammar",
        text(SynchronousGrammar.from_text),
        _examples("grammars/negation.scfg") + _seeds("rules.joshua", "rules.moses"),
    ),
    Target("nbest", source(read_nbest), _seeds("lists.nbest")),
    Target("moses nbest", source(read_moses_nbest), _seeds("moses.nbest")),
    Target("moses table", source(read_moses_tables), _seeds("phrases.moses")),
    Target("moses weights", source(read_weights), _seeds("moses.ini")),
    Target("phrase table", source(read_table), _seeds("phrases.moses")),
    Target("rule table", source(read_rule_table), _seeds("rules.joshua", "rules.moses")),
    Target("pharaoh", source(read_pharaoh), _seeds("links.align")),
    Target("pairs", source(read_pairs), _examples("alignment/pairs.tsv")),
    Target("stems", source(read_stems), (b"houses\thouse\nrunning\trun\n",)),
    Target("templates", text(Templates), _seeds("templates.txt", "templates.crfpp", "templates.wapiti")),
    Target("automaton", text(Automaton.of_text), _seeds("automaton.txt")),
    Target("vectors", source(read_network_vectors), _seeds("vectors.txt")),
    Target("bracket rules", source(read_bracket_rules), _seeds("rules.prm")),
    Target("synonyms", source(read_synonyms), (b"dog hound\ncat\tpuss kitty\n",)),
    Target("lexicon", source(Lexicon.read), _seeds("lexicon.tsv")),
    Target("glossary", source(Glossary.read), _seeds("glossary.tsv")),
    Target("trees of sentences", source(read_trees), _examples("translation/verbs.mrg")),
    Target("database", text(parse_table), _examples("semantics/planets.tsv")),
    Target("database in prolog", text(parse_prolog), (b"state(ohio, 10.8).\nborder(ohio, 'new york').\n",)),
    Target("triggers", source(read_triggers), _examples("semantics/geo_triggers.tsv")),
    Target("tagged senses", source(read_tagged), _examples("senses/train.tsv")),
    Target("inventory", source(read_inventory), _examples("senses/inventory.tsv")),
    Target("seeds of senses", source(read_seeds), _examples("senses/seeds.tsv")),
    Target("rows", source(_rows), _examples("sentiment/test.tsv")),
)
