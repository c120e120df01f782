"""Random networks as rows: their statistics against networkx, their kinds, refusals."""

import builtins

import networkx as nx
import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve import SVC
from svsieve.datasets import make_random_networks
from svsieve.datasets.networks import ALL, INTUITIVE, network_statistics


def statistics(graph):
    return network_statistics(nx.to_numpy_array(graph, dtype=float))


def test_there_are_72_columns_and_10_intuitive_ones():
    assert len(ALL) == len(set(ALL)) == 72
    assert len(INTUITIVE) == 10
    assert set(INTUITIVE) <= set(ALL)
    assert tuple(statistics(nx.scale_free_graph(20, seed=0))) == ALL


@pytest.mark.parametrize("seed", range(4))
def test_numbers_of_vertices_are_those_of_networkx(seed):
    graph = nx.scale_free_graph(40, seed=seed)
    plain = nx.DiGraph(graph)
    plain.remove_edges_from(list(nx.selfloop_edges(plain)))
    found = statistics(graph)
    numbers = {
        "InDegree": dict(graph.in_degree()),
        "OutDegree": dict(graph.out_degree()),
        "Degree": dict(graph.degree()),
        "NumPredecessors": {v: len(list(plain.predecessors(v))) for v in plain},
        "NumSuccessors": {v: len(list(plain.successors(v))) for v in plain},
        "NumNeighbors": {v: len(set(nx.all_neighbors(plain, v))) for v in plain},
    }
    for name, by_vertex in numbers.items():
        values = np.array(list(by_vertex.values()), dtype=float)
        expected = {
            "mean": values.mean(),
            "variance": values.var(),
            "standardDeviation": values.std(),
            "skewness": stats.skew(values),
            "kurtosis": stats.kurtosis(values),
            "minimum": values.min(),
            "maximum": values.max(),
            "median": np.median(values),
            "geometricMean": stats.gmean(values + 1) - 1,
            "sum": values.sum(),
            "sumOfSquares": values @ values,
        }
        for statistic, value in expected.items():
            assert found[f"{statistic}{name}"] == pytest.approx(value), f"{statistic}{name}"
    assert found["numVertices"] == 40
    assert found["numEdges"] == graph.number_of_edges()


@pytest.mark.parametrize("seed", range(4))
def test_distances_are_those_of_networkx(seed):
    graph = nx.scale_free_graph(30, seed=seed)
    lengths = [
        length
        for start, ends in nx.all_pairs_shortest_path_length(graph)
        for end, length in ends.items()
        if start != end
    ]
    found = statistics(graph)
    assert found["diameter"] == max(lengths)
    assert found["averagePathLength"] == pytest.approx(np.mean(lengths))


@pytest.mark.parametrize("seed", range(4))
def test_clustering_of_an_undirected_network_is_that_of_networkx(seed):
    graph = nx.connected_watts_strogatz_graph(30, 4, 0.2, seed=seed)
    assert statistics(graph.to_directed())["clusteringCoefficient"] == pytest.approx(
        nx.average_clustering(graph)
    )


def test_clustering_with_loops_by_hand():
    """Vertex 0 has neighbours 1 and 2, joined one way; 1 has a loop."""
    edges = np.array([[0, 1, 1], [0, 1, 1], [0, 0, 0]], dtype=float)
    found = network_statistics(edges)
    # Around 0: pairs (1,2) of two; with loops (1,1) and (1,2) of four. Around 1: (0,2) of two, of
    # four. Around 2: (0,1) of two; (0,1) and (1,1) of four.
    assert found["clusteringCoefficient"] == pytest.approx(1 / 2)
    assert found["clusteringCoefficientWithLoops"] == pytest.approx((2 + 1 + 2) / 12)


def test_a_network_without_edges_is_all_zeros():
    found = network_statistics(np.zeros((5, 5)))
    assert {name: value for name, value in found.items() if value != 0} == {"numVertices": 5.0}


def test_rows_labels_and_seeds():
    X, y, names = make_random_networks(12, 8, vertices=(15, 25), rng=0)
    assert X.shape == (20, 72)
    assert (y == 1).sum() == 12
    assert (y == -1).sum() == 8
    vertices = X[:, names.tolist().index("numVertices")]
    assert vertices.min() >= 15
    assert vertices.max() <= 25
    again, labels, _ = make_random_networks(12, 8, vertices=(15, 25), rng=0)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, labels)
    few, _, ten = make_random_networks(12, 8, vertices=(15, 25), features="intuitive", rng=0)
    np.testing.assert_array_equal(few, X[:, [names.tolist().index(name) for name in ten]])


def test_hubs_make_scale_free_networks_skewed_and_easy_to_tell():
    X, y, names = make_random_networks(60, 40, rng=1)
    skewness = X[:, names.tolist().index("skewnessDegree")]
    assert skewness[y == 1].min() > skewness[y == -1].max()
    machine = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    assert cross_val_score(machine, X, y, cv=5).mean() > 0.97


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_scale_free": -1}, r"n_scale_free of make_random_networks .* Got -1"),
        ({"n_small_world": 1.5}, r"n_small_world of make_random_networks .* Got 1.5"),
        (
            {"vertices": (30, 20)},
            r"vertices of make_random_networks .*least and the most.* \(30, 20",
        ),
        ({"vertices": 30}, r"vertices of make_random_networks .*least and the most"),
        ({"vertices": (5, 20)}, r"vertices of make_random_networks .*at least 10. Got 5"),
        ({"features": "some"}, r"features of make_random_networks .* Got 'some'"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        make_random_networks(**options)


def test_without_networkx_the_extra_is_named(monkeypatch):
    plain = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "networkx":
            raise ImportError(name)
        return plain(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'svsieve\[networks\]'"):
        make_random_networks(1, 1)
