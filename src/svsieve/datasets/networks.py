"""Random networks of two kinds as rows of a table, by statistics of their vertices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.sparse.csgraph import shortest_path

from svsieve.arrays import FloatArray, IndexArray
from svsieve.elimination.checks import check_whole

QUANTITIES = (
    "InDegree",
    "OutDegree",
    "Degree",
    "NumPredecessors",
    "NumSuccessors",
    "NumNeighbors",
)
STATISTICS = (
    "mean",
    "variance",
    "standardDeviation",
    "skewness",
    "kurtosis",
    "minimum",
    "maximum",
    "median",
    "geometricMean",
    "sum",
    "sumOfSquares",
)
WHOLE = (
    "numVertices",
    "numEdges",
    "diameter",
    "averagePathLength",
    "clusteringCoefficient",
    "clusteringCoefficientWithLoops",
)
ALL = tuple(f"{s}{q}" for q in QUANTITIES for s in STATISTICS) + WHOLE
INTUITIVE = tuple(f"mean{q}" for q in QUANTITIES) + WHOLE[2:]
FEATURES = {"all": ALL, "intuitive": INTUITIVE}
OWNER = "make_random_networks"


def make_random_networks(
    n_scale_free: int = 519,
    n_small_world: int = 330,
    *,
    vertices: tuple[int, int] = (20, 100),
    features: str = "all",
    rng: Any = None,
) -> tuple[FloatArray, IndexArray, NDArray[np.str_]]:
    """Return statistics of random networks: scale-free ones (y = 1) and small worlds (y = -1).

    Scale-free networks are directed and grow as Bollobás, Borgs, Chayes and Riordan (2003) have it:
    most vertices stay with few edges, some become hubs; there may be loops and several edges
    between the same vertices. Small worlds are rings of Watts and Strogatz (1998), every vertex
    tied to its nearest 4, 6 or 8 and each edge led elsewhere with a probability drawn between 0.01
    and 0.3; every edge counts in both directions.

    Parameters
    ----------
    n_scale_free, n_small_world : int, default=519 and 330
        Networks of each kind.
    vertices : tuple of two int, default=(20, 100)
        Least and most vertices of a network, drawn evenly; at least 10.
    features : {"all", "intuitive"}, default="all"
        72 columns: eleven statistics of six numbers that every vertex has, and six of the network
        as a whole. Or the ten that one would think of first: the means of the six, diameter,
        average path length, and the clustering coefficient without and with loops.
    rng : int, numpy Generator or None, default=None
        Source of the numbers, or its seed.

    Returns
    -------
    X : ndarray of shape (n_networks, n_features)
        Not scaled. Rows of both kinds in random order.
    y : ndarray of int, shape (n_networks,)
        1 for scale-free, -1 for small worlds.
    names : ndarray of str, shape (n_features,)
        Names of the columns.

    Notes
    -----
    Degrees count edges, the others distinct vertices. Distances follow the direction of the edges;
    diameter and average are over the pairs that are connected. The clustering coefficient of a
    vertex is the share of ordered pairs of its neighbours, whatever the direction, that are joined
    by an edge; with loops, a neighbour may be paired with itself. A geometric mean is that of the
    values plus one, less one, since many are zero.

    It needs networkx (``pip install 'svsieve[networks]'``).

    Examples
    --------
    >>> from svsieve.datasets import make_random_networks
    >>> X, y, names = make_random_networks(6, 4, features="intuitive", rng=0)
    >>> X.shape, int((y == 1).sum()), str(names[6])
    ((10, 10), 6, 'diameter')
    """
    for name, value in (("n_scale_free", n_scale_free), ("n_small_world", n_small_world)):
        check_whole(value, name, OWNER, 0)
    if features not in FEATURES:
        raise ValueError(
            f"features of {OWNER} must be one of 'all', 'intuitive'. Got {features!r} instead."
        )
    low, high = _vertex_range(vertices)
    nx = _networkx()
    generator = np.random.default_rng(rng)
    y = generator.permutation(np.repeat([1, -1], [n_scale_free, n_small_world]))
    names = FEATURES[features]
    X = np.empty((len(y), len(names)))
    for row, kind in enumerate(y):
        n = int(generator.integers(low, high + 1))
        graph = (_scale_free if kind == 1 else _small_world)(nx, n, generator)
        statistics = network_statistics(nx.to_numpy_array(graph, dtype=np.float64))
        X[row] = [statistics[name] for name in names]
    return X, y, np.array(names)


def network_statistics(edges: FloatArray) -> dict[str, float]:
    """Return the 72 statistics of a directed network.

    Parameters
    ----------
    edges : ndarray of shape (n_vertices, n_vertices)
        How many edges lead from each vertex to each.

    Returns
    -------
    dict of str to float
        By name, in the order of the columns of `make_random_networks`.

    Examples
    --------
    A ring of three:

    >>> import numpy as np
    >>> from svsieve.datasets.networks import network_statistics
    >>> found = network_statistics(np.roll(np.eye(3), 1, axis=1))
    >>> found["meanDegree"], found["diameter"], found["clusteringCoefficient"]
    (2.0, 2.0, 0.5)
    """
    joined = edges > 0
    others = joined & ~np.eye(len(edges), dtype=bool)
    numbers = (
        edges.sum(axis=0),
        edges.sum(axis=1),
        edges.sum(axis=0) + edges.sum(axis=1),
        others.sum(axis=0),
        others.sum(axis=1),
        (others | others.T).sum(axis=0),
    )
    found: dict[str, float] = {}
    for quantity, values in zip(QUANTITIES, numbers, strict=True):
        summary = _summary(np.asarray(values, dtype=np.float64))
        for statistic, value in zip(STATISTICS, summary, strict=True):
            found[f"{statistic}{quantity}"] = value
    lengths = shortest_path(others.astype(np.float64), unweighted=True)
    reached = lengths[np.isfinite(lengths) & (lengths > 0)]
    whole = (
        float(len(edges)),
        float(edges.sum()),
        float(reached.max(initial=0.0)),
        float(reached.mean()) if len(reached) else 0.0,
        _clustering(others, others, lambda size: size * (size - 1.0)),
        _clustering(others, joined, np.square),
    )
    return found | dict(zip(WHOLE, whole, strict=True))


def _summary(values: FloatArray) -> tuple[float, ...]:
    """Return the statistics of one number of all vertices, in the order of `STATISTICS`."""
    spread = bool(values.max() > values.min())  # moments of a constant are not defined
    return (
        float(values.mean()),
        float(values.var()),
        float(values.std()),
        float(stats.skew(values)) if spread else 0.0,
        float(stats.kurtosis(values)) if spread else 0.0,
        float(values.min()),
        float(values.max()),
        float(np.median(values)),
        float(np.expm1(np.log1p(values).mean())),
        float(values.sum()),
        float((values**2).sum()),
    )


def _clustering(
    others: NDArray[np.bool_],
    joined: NDArray[np.bool_],
    pairs_of: Callable[[FloatArray], FloatArray],
) -> float:
    """Mean over vertices of the share of the pairs of neighbours that are `joined`.

    With N the matrix of neighbours and J that of joined vertices, (N J N)_vv counts them around v.
    """
    near = (others | others.T).astype(np.float64)
    counts = ((near @ joined) * near).sum(axis=1)
    pairs = pairs_of(near.sum(axis=0))
    return float(np.divide(counts, pairs, out=np.zeros(len(pairs)), where=pairs > 0).mean())


def _scale_free(nx: Any, n: int, generator: np.random.Generator) -> Any:
    return nx.scale_free_graph(n, seed=int(generator.integers(2**31)))


def _small_world(nx: Any, n: int, generator: np.random.Generator) -> Any:
    nearest = int(generator.choice([4, 6, 8]))
    elsewhere = float(generator.uniform(0.01, 0.3))
    seed = int(generator.integers(2**31))
    return nx.watts_strogatz_graph(n, nearest, elsewhere, seed=seed).to_directed()


def _vertex_range(vertices: Any) -> tuple[int, int]:
    pair = tuple(np.atleast_1d(np.asarray(vertices, dtype=object)))
    if len(pair) != 2 or pair[1] < pair[0]:
        raise ValueError(
            f"vertices of {OWNER} must be the least and the most, in this order. "
            f"Got {vertices!r} instead."
        )
    for value in pair:
        check_whole(value, "vertices", OWNER, 10)
    return int(pair[0]), int(pair[1])


def _networkx() -> Any:
    try:
        import networkx
    except ImportError as error:
        raise ImportError(
            f"{OWNER} needs networkx, which is not installed: pip install 'svsieve[networks]'."
        ) from error
    return networkx
