"""The callbacks of scikit-learn (1.9 and later): who is told what a fit is doing.

Older versions have none; estimators then lack ``set_callbacks``, and nothing else changes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")


def _interface() -> Any:
    try:
        return importlib.import_module("sklearn.callback")
    except ImportError:
        return None


class _Nobody:
    """In the place of scikit-learn's mixin where there is none."""


INTERFACE = _interface()
TakesCallbacks: Any = _Nobody if INTERFACE is None else INTERFACE.CallbackSupportMixin


class Watch:
    """Tells the callbacks of an estimator about its fit.

    Parameters
    ----------
    estimator : estimator
    X, y
        Its training rows.
    n_tasks : int or None
        Parts of the fit, if known. None also means that they come one after another.
    task : str
        What a part is called.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, n_tasks: int | None, task: str) -> None:
        self._estimator = estimator
        self._task = task
        self._root = estimator._init_callback_context(
            max_subtasks=n_tasks, sequential_subtasks=n_tasks is None
        )
        self._root.call_on_fit_task_begin(estimator=estimator, X=X, y=y)

    def done(self, number: int | None = None) -> bool:
        """Tell that a part is done; return whether a callback asks to stop there.

        Parts that run in other processes begin, for the callbacks, when they are done.
        """
        context = self._root.subcontext(task_name=self._task, task_id=number)
        context.call_on_fit_task_begin(estimator=self._estimator)
        return bool(context.call_on_fit_task_end(estimator=self._estimator))

    def end(self) -> None:
        """Tell that all parts are done."""
        self._root.call_on_fit_task_end(estimator=self._estimator)


def watched(
    estimator: Any,
    work: Callable[[Watch | None], Result],
    X: Any,
    y: Any,
    *,
    n_tasks: int | None = None,
    task: str,
) -> Result:
    """Do the work of a fit while the callbacks of the estimator watch.

    Parameters
    ----------
    estimator : estimator
    work : callable
        It is given a Watch, or None where nobody watches.
    X, y, n_tasks, task
        As in :class:`Watch`.

    Returns
    -------
    object
        What `work` returns.
    """
    if INTERFACE is None or not getattr(estimator, "_skl_callbacks", None):
        return work(None)

    def under_watch(estimator: Any) -> Result:
        watch = Watch(estimator, X, y, n_tasks, task)
        result = work(watch)
        watch.end()
        return result

    # The callbacks are let go whatever happens.
    done: Result = INTERFACE.with_callbacks(under_watch)(estimator)
    return done
