"""The file formats of Moses: lists of translations, tables of phrases and of reordering, weights."""
