"""Stems: which known lemma a form comes from, and that a lemma does not know itself in training."""

from palmette.formats.corpus import Corpus
from palmette.tools.morphology.stems import Stem, Stems

WORDS = [
    ("evler", "ev", "NOUN"),
    ("atlar", "at", "NOUN"),
    ("evlerde", "ev", "NOUN"),
    ("atlarda", "at", "NOUN"),
    ("yollarda", "yol", "NOUN"),
    ("kollarda", "kol", "NOUN"),
    ("gider", "git", "VERB"),
    ("eder", "et", "VERB"),
    ("güder", "güt", "VERB"),
]


def brute(stems: Stems, form: str) -> Stem:
    """The definition: the longest stem with a rule that gives a known lemma."""
    for cut in range(len(form), 1, -1):
        for made in stems.rules.get(form[cut:], ()):
            if form[:cut] + made in stems.lemmas:
                tags = stems.lemmas[form[:cut] + made]
                return Stem("+".join(sorted(tags, key=lambda t: (-tags[t], t))[:3]), f"{form[cut:]}>{made}")
    return Stem("–", "–")


def test_new_forms_of_known_lemmas() -> None:
    stems = Stems.learn(WORDS)
    assert stems.find("kollarda") == Stem("NOUN", "larda>")
    assert stems.find("git") == Stem("VERB", ">")
    assert stems.find("güder") == Stem("VERB", "der>t")
    assert stems.find("xyz") == Stem("–", "–")
    for form in ["evler", "kolda", "git", "gider", "x", "", "yollarda"]:
        assert stems.find(form) == brute(stems, form)


def test_in_training_a_rare_lemma_does_not_know_itself() -> None:
    stems = Stems.learn(WORDS)
    corpus = Corpus.from_columns(
        {"form": [["kollarda", "atlarda"]], "lemma": [["kol", "at"]], "upos": [["NOUN", "NOUN"]]}
    )
    made = stems.annotate_training(corpus)
    assert made.column("stem").values() == ["–", "NOUN"]
    assert stems.annotate(corpus, corpus.column("form")).column("stem").values() == ["NOUN", "NOUN"]
