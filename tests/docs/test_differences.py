"""Every difference to scikit-learn's classes has a sentence, and every sentence a difference."""

from dataclasses import replace

import numpy as np
import pytest
import sklearn

from docs.differences import PEERS, Table, page, problems, tables, write_pages

pytestmark = pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9),
    reason="the pages are about scikit-learn 1.9 or later",
)


@pytest.fixture(scope="module", params=PEERS, ids=lambda peers: peers.name)
def compared(request):
    return request.param, tables(request.param)


def test_nothing_is_missing_or_stale(compared):
    assert problems(*compared) == []


def test_a_sentence_that_is_missing_or_stale_is_noticed(compared):
    peers, found = compared
    first = next(iter(peers.differs))
    silent = replace(peers, differs={k: v for k, v in peers.differs.items() if k != first})
    assert problems(silent, found) == [f"{peers.name}.{first} differs, and nothing is said."]
    stale = replace(peers, differs={**peers.differs, "fit_predict_all": "Gone."})
    assert problems(stale, found) == [f"{peers.name}.fit_predict_all does not differ any more."]
    gone = replace(peers, means={**peers.means, "nothing_": "There."})
    assert problems(gone, found) == [f"{peers.name}.nothing_ is not in both."]


def test_defaults_forms_and_names_are_compared():
    ours, peer = {"a": "1", "b": "2", "d": "4"}, {"a": "1", "b": "3", "c": "4"}
    assert Table("Parameters", peer, ours).different() == ["b", "c", "d"]


def test_pages(compared, tmp_path):
    peers, found = compared
    text = page(peers, found)
    for table in found:
        for name in table.names():
            assert f"\n| `{name}` |" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in rows} == {5}
    for sentence in (*peers.differs.values(), *peers.means.values()):
        assert sentence.endswith(".")
        assert sentence in text


def test_the_site_is_not_built_without_a_sentence(tmp_path, monkeypatch):
    write_pages(tmp_path)
    assert sorted(one.stem for one in tmp_path.iterdir()) == sorted(
        peers.name.lower() for peers in PEERS
    )
    monkeypatch.setattr("docs.differences.PEERS", (replace(PEERS[0], differs={}),))
    with pytest.raises(ValueError, match=r"SVC\.slack differs, and nothing is said\."):
        write_pages(tmp_path)
    assert np.all([one.stat().st_size > 500 for one in tmp_path.iterdir()])
