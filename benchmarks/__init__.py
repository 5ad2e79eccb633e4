"""What Palmette claims, measured beside its peers: same data, same machine, one run. `make bench` prints it.

A benchmark is a module with a generator `rows(quick)`; `benchmarks.measuring.row` says what a row has.
"""

NAMES = (
    "accuracy",
    "alignment",
    "arborescence",
    "charts",
    "classification",
    "constituency",
    "engine",
    "formats",
    "growth",
    "hidden_states",
    "partly_labelled",
    "kernels",
    "language_models",
    "learners",
    "neural",
    "parsing",
    "pipelines",
    "reranking",
    "rules",
    "searches",
    "senses",
    "sentiment",
    "sequences",
    "syntax",
    "thesaurus",
    "translation",
    "treebanks",
    "trees",
    "tuning",
)
