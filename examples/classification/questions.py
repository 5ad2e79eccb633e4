"""Question classification: an SVM over parse trees and words, with an explanation of its decisions.

No tree features are written by hand: the kernel has one for every fragment, and the explanation finds those that
decided.
"""

from __future__ import annotations

from palmette import Classifier, KernelSVM
from palmette.tools.classification import ItemReader

TRAIN = """\
person\t(SBARQ (WHNP (WP Who)) (SQ (VBD wrote) (NP (NNP Hamlet))))
person\t(SBARQ (WHNP (WP Who)) (SQ (VBZ is) (NP (NP (DT the) (NN king)) (PP (IN of) (NP (NNP Spain))))))
person\t(SBARQ (WHNP (WDT Which) (NN actor)) (SQ (VBD played) (NP (NNP Zorro))))
person\t(SBARQ (WHNP (WDT Which) (NN actor)) (SQ (VBZ has) (NP (DT a) (NN scar))))
place\t(SBARQ (WHADVP (WRB Where)) (SQ (VBZ is) (NP (NNP Elba))))
place\t(SBARQ (WHNP (WDT Which) (NN city)) (SQ (VBZ has) (NP (DT the) (NNP Prado))))
place\t(SBARQ (WHADVP (WRB Where)) (SQ (VBD was) (NP (NNP Napoleon)) (VP (VBN born))))
number\t(SBARQ (WHADJP (WRB How) (JJ many)) (SQ (NP (NNS legs)) (VBZ has) (NP (DT a) (NN spider))))
number\t(SBARQ (WHADVP (WRB How) (RB far)) (SQ (VBZ is) (NP (PRP it)) (PP (TO to) (NP (NNP Mars)))))
number\t(SBARQ (WHADVP (WRB When)) (SQ (VBD was) (NP (NNP Hamlet)) (VP (VBN written))))
"""
TEST = """\
person\t(SBARQ (WHNP (WDT Which) (NN actor)) (SQ (VBZ has) (NP (DT the) (NN part))))
place\t(SBARQ (WHADVP (WRB Where)) (SQ (VBZ is) (NP (DT the) (NN spider))))
number\t(SBARQ (WHADJP (WRB How) (JJ many)) (SQ (NP (NNS kings)) (VBZ has) (NP (NNP Spain))))
"""


def main() -> None:
    reader = ItemReader(("label", "tree"), ngrams=1)
    train, test = ([line.split("\t") for line in text.splitlines()] for text in (TRAIN, TEST))
    classifier = Classifier(KernelSVM(C=5.0), kernel=reader.kernel(fragments="subset"), reader=reader)
    classifier.fit(train, reader.labels(train))
    print(f"{classifier.score(test, reader.labels(test)):.0%} right")
    for row in test:
        print(classifier.explain(row).of(top=4))


if __name__ == "__main__":
    main()
