"""Readers and writers of the field's file formats, and of Palmette's own model files."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.formats.arpa import read_arpa as read_arpa
    from palmette.formats.arpa import write_arpa as write_arpa
    from palmette.formats.brackets import read_brackets as read_brackets
    from palmette.formats.brackets import write_brackets as write_brackets
    from palmette.formats.candidates import Candidates as Candidates
    from palmette.formats.column import Column as Column
    from palmette.formats.columns import read_columns as read_columns
    from palmette.formats.columns import write_columns as write_columns
    from palmette.formats.conllu import read_conllu as read_conllu
    from palmette.formats.conllu import write_conllu as write_conllu
    from palmette.formats.conversion.conversion import Conversion as Conversion
    from palmette.formats.conversion.conversion import convert as convert
    from palmette.formats.corpus import Corpus as Corpus
    from palmette.formats.discbracket import read_discbrackets as read_discbrackets
    from palmette.formats.discbracket import write_discbrackets as write_discbrackets
    from palmette.formats.export import read_export as read_export
    from palmette.formats.export import write_export as write_export
    from palmette.formats.facts import Facts as Facts
    from palmette.formats.facts import read_facts as read_facts
    from palmette.formats.model.file import ModelFile as ModelFile
    from palmette.formats.moses.nbest import MosesNBest as MosesNBest
    from palmette.formats.moses.nbest import read_moses_nbest as read_moses_nbest
    from palmette.formats.moses.nbest import write_moses_nbest as write_moses_nbest
    from palmette.formats.moses.weights import read_weights as read_weights
    from palmette.formats.moses.weights import write_weights as write_weights
    from palmette.formats.nbest import NBestFile as NBestFile
    from palmette.formats.nbest import read_nbest as read_nbest
    from palmette.formats.nbest import write_nbest as write_nbest
    from palmette.formats.pharaoh import GoldAlignment as GoldAlignment
    from palmette.formats.pharaoh import read_pharaoh as read_pharaoh
    from palmette.formats.sentence import Sentence as Sentence
    from palmette.formats.treebank import Treebank as Treebank
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "arpa": "read_arpa write_arpa",
            "brackets": "read_brackets write_brackets",
            "candidates": "Candidates",
            "column": "Column",
            "columns": "read_columns write_columns",
            "conllu": "read_conllu write_conllu",
            "conversion.conversion": "Conversion convert",
            "corpus": "Corpus",
            "discbracket": "read_discbrackets write_discbrackets",
            "export": "read_export write_export",
            "facts": "Facts read_facts",
            "moses.weights": "read_weights write_weights",
            "model.file": "ModelFile",
            "moses.nbest": "MosesNBest read_moses_nbest write_moses_nbest",
            "nbest": "NBestFile read_nbest write_nbest",
            "pharaoh": "GoldAlignment read_pharaoh",
            "sentence": "Sentence",
            "treebank": "Treebank",
        },
    )
