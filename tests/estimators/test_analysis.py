"""One analysis: the parts by themselves, put together by hand, give the same."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve import SVC, SVMRFECV, RunStore, analyse, evaluate, rules, schedules
from svsieve.elimination import Fraction
from svsieve.estimators.analysing.settings import Settings
from svsieve.estimators.analysing.words import rule_words
from svsieve.reports import Report


def table(rows=48, columns=10, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    X = rng.normal(size=(rows, columns))
    X[:, 3] += 1.6 * y
    X[:, 6] -= 1.2 * y
    return X, np.array(["no", "yes"])[y]


QUICK = {"folds": 3, "inner_folds": 3}


@pytest.fixture(scope="module")
def found():
    return analyse(*table(), names=[f"x{j}" for j in range(10)], **QUICK)


def by_hand(kernel, rule="one-se"):
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    criterion = "weight" if kernel == "linear" else "weight-first-order"
    machine = make_pipeline(StandardScaler(), SVC(kernel=kernel))
    return SVMRFECV(machine, cv=cv, rule=rule, criterion=criterion)


def test_candidates_are_selectors_fitted_on_all_rows(found):
    X, y = table()
    codes = (y == "yes").astype(int)
    for kernel, selector in found.selectors.items():
        expected = by_hand(kernel).fit(X, codes)
        np.testing.assert_array_equal(selector.path_.order, expected.path_.order)
        np.testing.assert_array_equal(selector.curve_.scores(), expected.curve_.scores())
        assert selector.choice_ == expected.choice_


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_with_one_candidate_nested_scores_are_those_of_evaluate(kernel):
    X, y = table()
    codes = (y == "yes").astype(int)
    found = analyse(X, y, kernels=kernel, **QUICK)
    outer = StratifiedKFold(3, shuffle=True, random_state=0)
    expected = evaluate(by_hand(kernel), X, codes, cv=outer, scoring="accuracy")
    np.testing.assert_array_equal(found.nested.scores, expected.scores)
    np.testing.assert_array_equal(found.nested.supports, expected.supports)
    np.testing.assert_array_equal(found.nested.selection_scores, expected.selection_scores)
    assert found.nested.interval == expected.interval
    assert found.nested.chance == expected.chance == 0.5


def test_each_outer_fold_takes_the_better_candidate():
    X, y = table()
    codes = (y == "yes").astype(int)
    found = analyse(X, y, **QUICK)
    outer = StratifiedKFold(3, shuffle=True, random_state=0)
    for k, (train, test) in enumerate(outer.split(X, codes)):
        fitted = [by_hand(kernel).fit(X[train], codes[train]) for kernel in ("linear", "rbf")]
        curves = [one.curve_ for one in fitted]
        best = fitted[rules.best_curve(rules.OneStandardError(), curves)]
        np.testing.assert_array_equal(found.predictions[test], best.predict(X[test]))
        np.testing.assert_array_equal(found.nested.supports[k], best.support_)


def test_queries_agree_with_one_another(found):
    rows = found.ranking()
    assert [row["column"] for row in rows[: len(found.selected)]] == [
        found.names[j] for j in found.selected
    ]
    assert [row["kept"] for row in rows] == [k < len(found.selected) for k in range(10)]
    shares = {row["column"]: row["frequency"] for row in rows}
    np.testing.assert_allclose([shares[f"x{j}"] for j in range(10)], found.frequencies)
    assert found.confusion.sum() == 48
    right = np.trace(found.confusion) / 48
    assert right == pytest.approx(np.average(found.nested.scores, weights=[16, 16, 16]))
    facts = found.facts()
    assert facts["n_selected"] == found.selector.n_features_
    assert facts["nested"]["mean"] == found.nested.mean
    assert facts["candidates"][0]["machine"] == facts["machine"]


def test_the_report_has_all_of_it(found):
    report = found.report
    assert isinstance(report, Report)
    assert report.names == found.names
    assert report.candidates[0].label == found.machine
    assert report.chosen == len(report.selected)
    np.testing.assert_array_equal(report.confusion, found.confusion)
    text = " ".join(report.methods)
    assert "48 rows and 10 columns (no: 24, yes: 24)" in text
    assert "3-fold" in text
    assert "10% of the remaining" not in text
    assert any("Rakotomamonjy" in one for one in report.citations)
    linear = analyse(*table(), kernels="linear", **QUICK).report
    assert not any("Rakotomamonjy" in one for one in linear.citations)


def test_what_held_out_rows_hold_has_no_say():
    """Rows of an outer fold may be anything: what is selected without them stays the same."""
    X, y = table()
    codes = (y == "yes").astype(int)
    _, test = next(StratifiedKFold(3, shuffle=True, random_state=0).split(X, codes))
    before = analyse(X, y, **QUICK)
    X = X.copy()
    X[test] = np.random.default_rng(9).normal(size=X[test].shape) * 100.0
    after = analyse(X, y, **QUICK)
    np.testing.assert_array_equal(before.nested.supports[0], after.nested.supports[0])
    assert not np.array_equal(before.nested.supports[1:], after.nested.supports[1:])


def test_noise_is_not_taken_for_a_finding():
    rng = np.random.default_rng(3)
    means = []
    for _ in range(4):
        X, y = rng.normal(size=(60, 300)), np.arange(60) % 2
        means.append(analyse(X, y, kernels="linear", **QUICK).nested.mean)
    assert abs(np.mean(means) - 0.5) < 0.12


def test_a_checkpoint_gives_the_same_and_computes_nothing_twice(tmp_path, monkeypatch):
    X, y = table()
    whole = analyse(X, y, **QUICK)
    first = analyse(X, y, checkpoint=tmp_path / "run", **QUICK)

    def computed(*_):
        raise AssertionError("an elimination was run again")

    monkeypatch.setattr("svsieve.estimators.eliminations.run_fold", computed)
    monkeypatch.setattr("svsieve.estimators.eliminations.run_whole", computed)
    again = analyse(X, y, checkpoint=tmp_path / "run", **QUICK)
    for one in (first, again):
        np.testing.assert_array_equal(one.path.order, whole.path.order)
        np.testing.assert_array_equal(one.path.scores, whole.path.scores)
        np.testing.assert_array_equal(one.nested.scores, whole.nested.scores)
        np.testing.assert_array_equal(one.selector.curve_.scores(), whole.selector.curve_.scores())
    other = analyse(X, y, checkpoint=tmp_path / "run", rule="best", **QUICK)
    assert other.selector.choice_ == rules.Best().choose(other.selector.curve_)
    with RunStore(tmp_path / "run") as store:
        assert len(store.done()) == 2 * (1 + 3) * (1 + 3)
    with pytest.raises(ValueError, match=r"the seed .*differ"):
        analyse(X, y, checkpoint=tmp_path / "run", seed=1, **QUICK)


def test_watchers_see_every_elimination():
    seen = []
    analyse(*table(), kernels="linear", watch=lambda *told: seen.append(told), **QUICK)
    assert seen == [(k, 16) for k in range(17)]


def test_tuning_sets_the_parameters_of_each_candidate():
    from svsieve import GradientSearch
    from svsieve.kernels import PerFeature

    X, y = table()
    found = analyse(X, y, kernels="rbf", tune=True, **QUICK)
    machine = make_pipeline(StandardScaler(), SVC(kernel="rbf", slack="l2"))
    expected = GradientSearch(machine).fit(X, (y == "yes").astype(int)).best_params_
    tuned = found.selector.estimator[-1]
    np.testing.assert_allclose(tuned.C, expected["svc__C"])
    assert isinstance(tuned.gamma, PerFeature)
    np.testing.assert_allclose(tuned.gamma.share, 10 * expected["svc__gamma"])
    assert "radius/margin bound" in " ".join(found.report.methods)


def test_sparse_tables_are_scaled_and_not_centred():
    X, y = table()
    X = np.where(np.abs(X) > 0.7, X, 0.0)
    found = analyse(sp.csr_matrix(X), y, kernels="linear", **QUICK)
    assert found.sparse
    assert "not centred" in " ".join(found.report.methods)
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    machine = make_pipeline(StandardScaler(with_mean=False), SVC(kernel="linear"))
    expected = SVMRFECV(machine, cv=cv).fit(X, (y == "yes").astype(int))
    np.testing.assert_array_equal(found.path.order, expected.path_.order)


def test_classes_and_the_positive_one():
    X, y = table()
    y = np.where(np.arange(48) % 3 == 0, "maybe", y)
    assert analyse(X, y, kernels="linear", **QUICK).classes == ("maybe", "no", "yes")
    found = analyse(X, y, positive="no", scoring="f1", kernels="linear", **QUICK)
    assert found.classes == ("not no", "no")
    np.testing.assert_array_equal(found.codes, y == "no")


def test_data_frames_bring_their_names():
    pytest.importorskip("pandas")
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    found = analyse(X.iloc[:80, :5], y[:80], kernels="linear", keep=["mean area"], **QUICK)
    assert found.names == tuple(X.columns[:5])
    assert "mean area" in [found.names[j] for j in found.selected]
    assert found.path.column_names == found.names


def test_too_few_rows_for_the_folds_are_said():
    X, y = table(rows=12)
    found = analyse(X, y, kernels="linear", folds=8, inner_folds=5)
    assert (found.settings.folds, found.settings.inner_folds) == (6, 5)
    assert any("too few rows for the folds" in sentence for sentence in found.warnings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernels": "cubic"}, "'kernels' parameter of analyse must be one of"),
        ({"kernels": ()}, "at least one kernel"),
        ({"kernels": ("rbf", "rbf")}, "none twice"),
        ({"folds": 1}, r"'folds' parameter of analyse must be an int in \[2, inf\)"),
        ({"rule": "worst"}, "'rule' parameter of analyse"),
        ({"scoring": "luck"}, "'scoring' parameter of analyse"),
        ({"C": -1.0}, "'C' parameter of SVC"),
        ({"step": 0}, "'step' parameter of analyse"),
        ({"positive": "never"}, "'positive' parameter of analyse must be one of the classes"),
        ({"keep": [99]}, "keep"),
    ],
)
def test_refused_before_anything_is_computed(options, message, monkeypatch):
    def computed(*_, **__):
        raise AssertionError("something was computed before the refusal")

    monkeypatch.setattr("svsieve.estimators.analysis.fit_all", computed)
    with pytest.raises(ValueError, match=message):
        analyse(*table(), **options)


def test_an_unknown_setting_is_named():
    with pytest.raises(TypeError, match="analyse has no setting 'fold'"):
        analyse(*table(), fold=3)


def test_every_rule_has_words():
    every = [rules.Best(), rules.OneStandardError(), rules.Tolerance(), rules.Knee()]
    every += [rules.Scalarised(), rules.AtMost(3, rules.Knee())]
    words = [rule_words(rule) for rule in every]
    assert len(set(words)) == len(words)
    assert not any("the rule" in one for one in words)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (1, "one column dropped at a time"),
        (3, "3 columns dropped at a time"),
        (0.25, "25% of the remaining columns dropped at a time"),
        (schedules.FractionOfOriginal(0.25), "the schedule FractionOfOriginal(share=0.25)"),
        (schedules.Sqrt(), "columns dropped by the schedule Sqrt()"),
    ],
)
def test_the_schedule_is_told_in_words(step, said):
    found = analyse(*table(), kernels=("linear",), step=step, folds=2, inner_folds=2)
    assert said in " ".join(found.report.methods)


def test_sparse_rows_of_many_columns_lose_a_share_at_a_time():
    settings = Settings()
    assert settings.steps("linear", 5000) == 1
    assert settings.steps("linear", 5000, sparse=True) == Fraction(0.1)
    assert settings.steps("linear", 100, sparse=True) == 1
    assert Settings(step=3).steps("linear", 5000, sparse=True) == 3
    assert settings.selector("linear", 5000, sparse=True).step == Fraction(0.1)
