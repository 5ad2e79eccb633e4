"""`palmette.compat.kenlm` beside the kenlm module itself."""

import copy
import pickle
from pathlib import Path

import pytest

from palmette.compat import kenlm
from samples.lm_text import random_text, trained

pytestmark = pytest.mark.native

TEXT = random_text(80, "abcdefghijkl", seed=2)
SENTENCES = [*TEXT[:20], "a zzz b", "", "a b c d e f g", "l l l l"]


@pytest.fixture(scope="module")
def arpa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kenlm") / "m.arpa"
    trained(TEXT, order=4).to_arpa(path)
    return path


def test_as_kenlm(arpa: Path) -> None:
    peer = pytest.importorskip("kenlm").Model(str(arpa))
    model = kenlm.Model(str(arpa))
    assert model.order == peer.order
    for sentence in SENTENCES:
        for bos in (True, False):
            for eos in (True, False):
                assert model.score(sentence, bos=bos, eos=eos) == pytest.approx(
                    peer.score(sentence, bos=bos, eos=eos), abs=1e-4
                )
                have = list(model.full_scores(sentence, bos=bos, eos=eos))
                want = list(peer.full_scores(sentence, bos=bos, eos=eos))
                assert [one[1:] for one in have] == [one[1:] for one in want]
                assert [one[0] for one in have] == pytest.approx([one[0] for one in want], abs=1e-4)
        assert model.perplexity(sentence) == pytest.approx(peer.perplexity(sentence), rel=1e-4)
    for word in ("a", "zzz", "<unk>", "</s>"):
        assert (word in model) == (word in peer)


def test_states(arpa: Path) -> None:
    model = kenlm.Model(arpa)
    state, out = kenlm.State(), kenlm.State()
    for sentence in SENTENCES:
        model.BeginSentenceWrite(state)
        total = 0.0
        for word in [*sentence.split(), "</s>"]:
            full = model.BaseFullScore(state, word, out)
            assert model.BaseScore(state, word, out) == full.log_prob
            assert full.oov == (word not in model)
            total += full.log_prob
            state, out = out, state
        assert total == pytest.approx(model.score(sentence), abs=1e-4)
    null, same = kenlm.State(), kenlm.State()
    model.NullContextWrite(null)
    assert null == same
    model.BeginSentenceWrite(null)
    assert null != same
    assert same < null
    assert {copy.copy(null), copy.deepcopy(null)} == {null}


def test_files(arpa: Path, tmp_path: Path) -> None:
    model = kenlm.Model(str(arpa).encode(), kenlm.Config())
    assert pickle.loads(pickle.dumps(model)).score("a b") == model.score(b"a b")
    model._model.save(tmp_path / "m.palm")
    assert kenlm.LanguageModel(tmp_path / "m.palm").score("a b") == model.score("a b")
    with pytest.raises(OSError, match="Cannot read model"):
        kenlm.Model(str(tmp_path / "missing"))
    (tmp_path / "bin").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    with pytest.raises(OSError, match="binary file of KenLM"):
        kenlm.Model(str(tmp_path / "bin"))
