"""Every work of the peers by its name, ready to be measured; the model that it needs is trained if need be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.data import corpus
from benchmarks.peers import batches, crfsuite, pytorch_crf, sklearn_crfsuite, torch_struct
from benchmarks.peers.folder import kept
from benchmarks.peers.parsers import PARSERS, SPACY, UDPIPE, parsing
from benchmarks.peers.parsers import training as parser_training
from benchmarks.peers.process import Measured, Work, measure
from benchmarks.peers.taggers import TAGGERS, tagging, training

CHUNKS = "chunk_en_conll2000/train.txt.gz", "chunk_en_conll2000/test.txt"
ENTITIES = "ner_es_conll2002/train.txt.gz", "ner_es_conll2002/test.txt"
CRF, PERCEPTRON, DICTIONARIES = "chunks-lbfgs.crfsuite", "chunks-ap.crfsuite", "entities.sklearn-crfsuite"
_BATCH_RUNS = 200


def chunk_training(train: Callable[..., Work], model: str) -> Measured:
    """From the file on disk to the model on disk."""
    path, test = map(str, corpus(*CHUNKS))
    return measure(train, path, test, kept(model))


def chunk_tagging(work: Callable[..., Work], model: str, times: int = 3) -> Measured:
    """On the test set; the model is trained first if it is not there."""
    if not Path(kept(model)).exists():
        chunk_training(crfsuite.train_perceptron if model == PERCEPTRON else crfsuite.train_crf, model)
    _, path = corpus(*CHUNKS)
    return measure(work, str(path), kept(model), times=times)


def entity_fit() -> Measured:
    path, test = map(str, corpus(*ENTITIES))
    return measure(sklearn_crfsuite.fit, path, test, kept(DICTIONARIES))


def entity_predict(times: int = 3) -> Measured:
    if not Path(kept(DICTIONARIES)).exists():
        entity_fit()
    _, path = corpus(*ENTITIES)
    return measure(sklearn_crfsuite.predict, str(path), kept(DICTIONARIES), times=times)


WORKS: dict[str, Callable[[], Measured]] = {
    "crfsuite-lbfgs-train": partial(chunk_training, crfsuite.train_crf, CRF),
    "crfsuite-lbfgs-tag": partial(chunk_tagging, crfsuite.tag, CRF),
    "crfsuite-ap-train": partial(chunk_training, crfsuite.train_perceptron, PERCEPTRON),
    "crfsuite-ap-tag": partial(chunk_tagging, crfsuite.tag, PERCEPTRON),
    "crfsuite-predict": partial(chunk_tagging, crfsuite.predict, CRF),
    "crfsuite-marginals": partial(chunk_tagging, crfsuite.marginals, CRF),
    "crfsuite-marginals-from-file": partial(chunk_tagging, crfsuite.tag_marginals, CRF),
    "sklearn-crfsuite-fit": entity_fit,
    "sklearn-crfsuite-predict": entity_predict,
    **{f"{tagger.name}-train": partial(training, tagger) for tagger in TAGGERS},
    **{f"{tagger.name}-tag": partial(tagging, tagger) for tagger in TAGGERS},
    **{f"{parser.name}-parser-train": partial(parser_training, parser) for parser in PARSERS},
    "udpipe-parse": partial(parsing, UDPIPE),
    "udpipe-parse-greedy": partial(parsing, UDPIPE, 1),
    "spacy-parse": partial(parsing, SPACY),
    "batch-numpy-log": partial(measure, batches.in_numpy, "float64", times=20),
    "batch-numpy-scaled": partial(measure, batches.in_numpy_scaled, "float64", times=_BATCH_RUNS),
    "batch-numpy-scaled-float32": partial(measure, batches.in_numpy_scaled, "float32", times=_BATCH_RUNS),
    "batch-pytorch-crf": partial(measure, pytorch_crf.batch, times=20),
    "batch-torch-struct": partial(measure, torch_struct.batch, times=2),
}
