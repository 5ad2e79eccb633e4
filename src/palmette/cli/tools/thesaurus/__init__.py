"""The commands of `thesaurus`."""
