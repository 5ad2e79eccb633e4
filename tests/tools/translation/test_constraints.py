"""Lines with tags, terms and forbidden phrases, tokenized and raw."""

from __future__ import annotations

from palmette.tools.translation.constraints import LineReader
from palmette.tools.translation.glossary import Glossary
from palmette.tools.translation.known import Fixed
from palmette.tools.translation.raw.text import RawText

GERMAN = ["Das Haus ist alt.", "Ja, das Haus ist neu.", "Die Stadt Berlin, die alt ist."]
ENGLISH = ["The house is old.", "Yes, the house is new.", "The city of Berlin, which is old."]


def test_tokenized_lines() -> None:
    glossary = Glossary([("Haus", "building"), ("alt", "ancient")])
    reader = LineReader(glossary=glossary, forbidden=[("old", "house")], markup=True)
    words, known = reader.read('das <x translation="home">Haus</x> ist alt')
    assert words == ["das", "Haus", "ist", "alt"]
    assert known.fixed == (Fixed(1, 2, ("home",)), Fixed(3, 4, ("ancient",)))
    assert known.forbidden == (("old", "house"),)
    assert LineReader().read("a  b").words == ["a", "b"]
    assert not LineReader().constrains
    assert reader.constrains


def test_raw_lines() -> None:
    raw = RawText.learn(GERMAN, ENGLISH, languages=("de", "en"))
    glossary = Glossary.read_lines(["Haus\tBuilding (old)"], source=raw.source.plain, target=raw.target.plain)
    words, known = LineReader(raw=raw, glossary=glossary).read("Das Haus, das Haus!")
    assert words == ["das", "Haus", ",", "das", "Haus", "!"]
    assert [(one.begin, one.target) for one in known.fixed] == [
        (1, ("Building", "(", "old", ")")),
        (4, ("Building", "(", "old", ")")),
    ]
    marked = LineReader(raw=raw, markup=True).read('Das <x translation="Big house">Haus</x>. Das Haus.')
    assert marked.words == ["das", "Haus", ".", "das", "Haus", "."]
    assert marked.known.fixed[0].begin == 1
