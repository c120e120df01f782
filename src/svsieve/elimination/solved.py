"""The machines of an elimination on any columns, without eliminating any."""

from __future__ import annotations

from svsieve.arrays import IndexArray
from svsieve.elimination.engines import Turn, engine_name
from svsieve.elimination.engines.kernel import KernelEngine
from svsieve.elimination.engines.sparse_linear import SparseLinearEngine
from svsieve.elimination.engines.tall_linear import TallLinearEngine
from svsieve.elimination.parts import Data, Parts
from svsieve.elimination.stretch import Solution
from svsieve.errors import IncompatiblePartsError


def solutions_on(
    data: Data, parts: Parts, kept: IndexArray, iteration: int = 1
) -> tuple[Solution, ...]:
    """Return what a step of `walk` that begins with the columns `kept` would carry.

    Parameters
    ----------
    data : Data
    parts : Parts
    kept : ndarray of int
        Columns, ascending.
    iteration : int, default=1
        Whose rows are drawn, where the sampler draws any.

    Returns
    -------
    tuple of Solution
        One per problem; with several draws of rows, one per draw and problem.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Data, Parts, Task
    >>> from svsieve.elimination.solved import solutions_on
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import CSvm
    >>> data = Data(np.array([[-1.0, 5.0], [1.0, 3.0]]), (Task(labels=np.array([-1.0, 1.0])),),
    ...             np.array([0, 1]))
    >>> (solution,) = solutions_on(data, Parts(Linear(), CSvm()), np.array([0]))
    >>> solution.values
    array([-0.5,  0.5])
    """
    if parts.retune is not None:
        raise IncompatiblePartsError(
            f"machines on columns of one's own choice cannot be those of a walk with "
            f"{parts.retune!r}: they hang on the columns of the iterations before."
        )
    name = engine_name(data, parts)
    if name == "tall-linear":
        tall = TallLinearEngine(data, parts, kept)
        return tall._solutions(tall._solve())
    if name == "sparse-linear":
        turn = Turn(iteration, kept, len(kept), parts, data.n_columns)
        return SparseLinearEngine(data, parts, kept).fit(turn).solutions
    # On the few columns left at the end the wide engine has no advantage.
    kernel = KernelEngine(data, parts, kept)
    turn = Turn(iteration, kept, len(kept), parts, data.n_columns)
    trained = [one for draw in kernel._train(turn) for one in draw]
    return tuple(kernel._solution(one, kept) for one in trained)
