"""A tiny model of each tool, trained by its command, and the data for it."""

from __future__ import annotations

from pathlib import Path

from palmette.cli import main

CONLLU = """# sent_id = s1
1\tTime\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tflies\t_\tVERB\t_\t_\t0\troot\t_\t_

1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_

"""
SPANS = "Ann\tB-PER\nsees\tO\nNew\tB-LOC\nYork\tI-LOC\n\nTime\tO\nflies\tO\n\n"
TREES = "(S (NP (N time)) (VP (V flies)))\n(S (NP (N ann)) (VP (V sees) (NP (N time))))\n"
PAIRS = "the house\tdas Haus\nthe book\tdas Buch\na book\tein Buch\n"
LABELLED = "good\ta fine film\nbad\ta dull film\ngood\tfine work\nbad\tdull work\n"
TEXT = "time flies\nann sees time\ntime flies\n"

TOOLS = {
    "tag": ("t.conllu", CONLLU, []),
    "spans": ("s.tsv", SPANS, []),
    "depparse": ("d.conllu", CONLLU * 4, ["--learner", "perceptron"]),
    "parse": ("p.mrg", TREES, ["--method", "pcfg"]),
    "classify": ("c.tsv", LABELLED, []),
    "align": ("a.tsv", PAIRS, ["--method", "model1"]),
    "lm": ("l.txt", TEXT, ["--order", "2", "--smoothing", "absolute-discounting", "--set", "discount=0.5"]),
    "induce": ("i.txt", TEXT, ["--states", "2"]),
}


def train_tiny_models(folder: Path) -> Path:
    """Train tag.palm, … in a folder, beside their data."""
    for tool, (name, data, options) in TOOLS.items():
        (folder / name).write_text(data)
        line = ["train", tool, "--train", folder / name, *options, "-q", "-o", folder / f"{tool}.palm"]
        assert main([str(one) for one in line]) == 0, tool
    lists = "gold\t(S (N a))\n-1\t(S (N a))\n-2\t(S (V a))\n\n"
    (folder / "x.nbest").write_text(lists * 3)
    line = ["train", "rerank", "--train", folder / "x.nbest", "-q", "-o", folder / "rerank.palm"]
    assert main([str(one) for one in line]) == 0
    return folder
