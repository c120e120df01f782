"""Tuning inside an elimination."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from svsieve import SVC, SVMRFE, Retune
from svsieve.elimination import Constant, Data, Parts, Task, trace, walk
from svsieve.elimination.engines.kernel import KernelEngine
from svsieve.elimination.solved import solutions_on
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import Linear, Polynomial, Rbf
from svsieve.machines import CSvm, L2Svm, OneClass
from svsieve.resolve.fitting import on_columns
from svsieve.selection.objectives import CrossValidation, Judge, RadiusMargin, Span
from svsieve.selection.retuning import resolve_retune
from tests.elimination.walks import cut, same_walk, several_classes, table


def product_data(rows=60, columns=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = np.where(X[:, 3] * X[:, 7] > 0, 1.0, -1.0)
    return Data(X, (Task(labels=y),), (y > 0).astype(np.int64))


@dataclass(frozen=True)
class Remembers:
    """Tunes by a rule that can be checked, and says when it was asked."""

    every: int = 3
    asked: list = field(default_factory=list, compare=False, repr=False)

    def tune(self, data, parts, kept):
        self.asked.append(kept.copy())
        return replace(parts.machine, C=float(len(kept))), Rbf(gamma=1.0 / len(kept))


def parts_of(retune, **options):
    options = {"kernel": Rbf(gamma="scale"), "machine": L2Svm(C=1.0), **options}
    return Parts(**options, retune=retune)


# ---- what Retune finds


@pytest.mark.parametrize(
    ("machine", "kernel"),
    [
        (L2Svm(1.0), Rbf(gamma="scale")),
        (L2Svm(1.0), Polynomial(degree=2, gamma="scale", coef0=1.0)),
        (L2Svm(1.0), Rbf(gamma=0.1, weights=tuple(np.linspace(0.5, 1.5, 12)))),
        (L2Svm(1e-3), Linear()),
        (CSvm(1.0), Rbf(gamma="scale")),
    ],
    ids=str,
)
@pytest.mark.parametrize("objective", [Span(), RadiusMargin()], ids=str)
def test_the_bound_is_lower_at_what_is_found(machine, kernel, objective):
    data, kept = product_data(), np.array([0, 3, 5, 7, 9])
    found, tuned = Retune(objective=objective).tune(data, Parts(kernel, machine), kept)
    judge = Judge(objective, data.X, data.tasks[0].labels)

    def value(one, k):
        plain = Judge(objective, data.X[:, kept], data.tasks[0].labels)
        return plain(one, on_columns(k, kept)).value

    start = kernel.bind(data.X[:, kept]) if getattr(kernel, "weights", None) is None else kernel
    assert value(found, tuned) < value(machine, start)
    assert judge(found, tuned).value > 0  # the kernel is one for all columns
    stays = isinstance(machine, CSvm) and isinstance(objective, RadiusMargin)
    assert (found.C == machine.C) == stays


def test_two_tunings_of_the_same_columns_are_one():
    data, parts = product_data(), parts_of(Retune())
    kept = np.array([1, 3, 4, 7])
    assert Retune().tune(data, parts, kept) == Retune().tune(data, parts, kept)


def test_problems_of_several_classes_are_tuned_together():
    data = several_classes(table("plain", 40, 6), 3, "one-vs-one")
    machine, kernel = Retune().tune(data, parts_of(Retune()), np.arange(6))
    assert machine.C > 0
    assert kernel.gamma > 0


def test_tuning_pays():
    # So wide a kernel and so small a C see nothing.
    hits = {None: 0, 5: 0}
    for seed in range(4):
        data = product_data(rows=80, columns=20, seed=seed)
        for retune in hits:
            parts = parts_of(resolve_retune(retune), kernel=Rbf(gamma=0.01), least=2)
            hits[retune] += set(trace(data, parts).survivors.tolist()) == {3, 7}
    assert hits[None] <= 1
    assert hits[5] >= 3


# ---- the walk


def test_it_is_asked_every_so_many_steps_with_the_columns_left():
    retune = Remembers(every=3)
    path = trace(product_data(), parts_of(retune, schedule=Constant(2), least=2))
    assert [len(kept) for kept in retune.asked] == [12, 6]
    left = np.setdiff1d(np.arange(12), path.dropped[:6])
    np.testing.assert_array_equal(retune.asked[1], left)


def test_steps_use_what_was_found():
    data = product_data()
    path = trace(data, parts_of(Remembers(every=1), least=4))
    kept = np.arange(12)
    for step in range(path.n_steps):
        own = Parts(Rbf(gamma=1.0 / len(kept)), L2Svm(C=float(len(kept))), least=len(kept) - 1)
        plain = trace(replace(data, X=data.X[:, kept]), own)
        assert kept[plain.dropped[0]] == path.dropped[step]
        assert plain.scores[0] == pytest.approx(path.scores[step], rel=1e-6)
        kept = np.delete(kept, plain.dropped[0])


def test_tuning_once_is_the_elimination_with_what_was_found():
    data = product_data()
    retune = Retune(every=1000)
    machine, kernel = retune.tune(data, parts_of(retune), np.arange(12))
    same_walk(trace(data, parts_of(retune)), trace(data, Parts(kernel, machine)))


@pytest.mark.parametrize("retune", [Remembers(every=3), Retune(every=4)], ids=str)
@pytest.mark.parametrize("steps", [1, 3, 4, 7, 8])
def test_a_walk_taken_up_again_ends_the_same(retune, steps):
    data, parts = product_data(), parts_of(retune)
    whole = trace(data, parts)
    again = trace(data, parts, resume=cut(whole, steps))
    same_walk(again, whole)
    np.testing.assert_array_equal(again.survivors, whole.survivors)


def test_the_path_says_so():
    path = trace(product_data(), parts_of(Retune(every=6)))
    assert path.notes["retune"] == repr(Retune(every=6))
    assert path.engine == "kernel"
    assert trace(product_data(), parts_of(None)).notes["retune"] is None


def test_linear_kernels_are_walked_by_the_kernel_engine():
    data = product_data()
    path = trace(data, parts_of(Retune(every=6), kernel=Linear()))
    assert path.engine == "kernel"
    with pytest.raises(IncompatiblePartsError, match=r"'wide-linear' cannot be used: .*Retune"):
        trace(data, parts_of(Retune(every=6), kernel=Linear(), engine="wide-linear"))


def test_machines_of_a_walk_are_not_guessed():
    with pytest.raises(IncompatiblePartsError, match=r"a walk with Retune\(every=3"):
        solutions_on(product_data(), parts_of(Retune(every=3)), np.array([3, 7]))


# ---- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": 0}, "every of Retune must be a whole number of at least 1. Got 0"),
        ({"every": 2.5}, "every of Retune must be a whole number of at least 1. Got 2.5"),
        ({"max_evaluations": 0}, "max_evaluations of Retune must be a whole number"),
        ({"objective": CrossValidation()}, "objective of Retune must have slopes"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Retune(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": Linear(), "machine": L2Svm(math.inf)}, "finds nothing to tune"),
        ({"machine": OneClass(0.5)}, "tunes CSvm and L2Svm"),
        ({"kernel": Linear(), "bias": 1.0}, "without a penalised bias"),
    ],
)
def test_what_cannot_be_tuned_is_refused(options, message):
    with pytest.raises(IncompatiblePartsError, match=message):
        next(walk(product_data(), parts_of(Retune(), **options)))


def test_the_penalty_of_linear_slack_is_not_tuned_by_the_radius():
    retune = Retune(objective=RadiusMargin())
    with pytest.raises(IncompatiblePartsError, match="finds nothing to tune"):
        next(walk(product_data(), parts_of(retune, kernel=Linear(), machine=CSvm(1.0))))


@pytest.mark.parametrize("value", [0, -3, 2.5, True, "often", object()])
def test_bad_values_of_the_option_are_refused(value):
    with pytest.raises(ValueError, match="'retune' parameter of SVMRFE must be None, a positive"):
        SVMRFE(SVC(slack="l2"), retune=value).fit(np.eye(4), [0, 1, 0, 1])


# ---- SVMRFE


def test_the_estimator_has_what_was_found_for_the_columns_kept():
    data = product_data()
    y = data.tasks[0].labels
    selector = SVMRFE(SVC(slack="l2"), n_features_to_select=2, retune=4).fit(data.X, y)
    assert set(np.flatnonzero(selector.support_)) == {3, 7}
    machine, kernel = Retune().tune(data, parts_of(Retune()), np.array([3, 7]))
    assert pytest.approx(machine.C) == selector.estimator_.C
    assert selector.estimator_.gamma == pytest.approx(kernel.gamma)
    assert selector.score(data.X, y) > 0.9
    assert selector.estimator.get_params()["C"] == 1.0  # the user's is left alone


def test_a_kernel_object_is_tuned_as_well():
    data = product_data()
    kernel = Rbf(gamma="scale") + 0.1 * Linear()
    selector = SVMRFE(SVC(kernel=kernel, slack="l2"), n_features_to_select=2, retune=20)
    fitted = selector.fit(data.X, data.tasks[0].labels).estimator_
    assert fitted.kernel.children[0].gamma > 0


@pytest.mark.parametrize("slack", ["l1", "l2"])
@pytest.mark.parametrize("call", [2, 5, 8])
def test_an_interrupted_run_resumes_from_its_checkpoint(tmp_path, monkeypatch, slack, call):
    data = product_data()
    y, options = data.tasks[0].labels, {"n_features_to_select": 2, "retune": 3}
    whole = SVMRFE(SVC(slack=slack), **options).fit(data.X, y)
    advance, calls = KernelEngine.advance, []

    def pressed(self, turn):
        calls.append(turn)
        if len(calls) == call:
            raise KeyboardInterrupt
        return advance(self, turn)

    selector = SVMRFE(SVC(slack=slack), checkpoint=tmp_path / "run", **options)
    monkeypatch.setattr(KernelEngine, "advance", pressed)
    with pytest.warns(UserWarning, match="interrupted"):
        selector.fit(data.X, y)
    assert selector.path_.n_steps == call - 1
    selector.fit(data.X, y)
    same_walk(selector.path_, whole.path_)
    np.testing.assert_array_equal(selector.path_.survivors, whole.path_.survivors)
    assert pytest.approx(whole.estimator_.C) == selector.estimator_.C


def test_another_tuning_is_another_run(tmp_path):
    data, file = product_data(), tmp_path / "run"
    SVMRFE(SVC(slack="l2"), retune=3, checkpoint=file).fit(data.X, data.tasks[0].labels)
    with pytest.raises(ValueError, match="belongs to another run: the options differ"):
        SVMRFE(SVC(slack="l2"), retune=4, checkpoint=file).fit(data.X, data.tasks[0].labels)
