"""When two numbers agree."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svsieve.reproduce.experiment import Quantity
from svsieve.reproduce.pages import _noise
from svsieve.reproduce.verdicts import Estimate, Word, judged

ERROR = Quantity("error", better="lower")
ACCURACY = Quantity("accuracy", better="higher")

values = st.floats(-10, 10)
errors = st.floats(1e-3, 10)


@pytest.mark.parametrize(
    ("measured", "word"),
    [
        (0.30, Word.WITHIN),
        (0.342, Word.WITHIN),
        (0.343, Word.WORSE),
        (0.258, Word.WITHIN),
        (0.257, Word.BETTER),
    ],
)
def test_three_combined_standard_errors_are_the_limit(measured, word):
    verdict = judged(ERROR, Estimate(0.3, 0.01), Estimate(measured, 0.01))
    assert verdict.word is word
    assert verdict.apart == pytest.approx((measured - 0.3) / math.hypot(0.01, 0.01))


@given(values, values, errors, errors)
def test_a_metric_and_its_negative_get_the_same_verdict(a, b, error_a, error_b):
    one = judged(ERROR, Estimate(a, error_a), Estimate(b, error_b))
    other = judged(ACCURACY, Estimate(-a, error_a), Estimate(-b, error_b))
    assert one.word is other.word
    assert one.apart == -other.apart


@given(values, values, errors, errors)
def test_published_and_measured_exchanged_exchange_better_and_worse(a, b, error_a, error_b):
    opposite = {Word.BETTER: Word.WORSE, Word.WORSE: Word.BETTER, Word.WITHIN: Word.WITHIN}
    one = judged(ERROR, Estimate(a, error_a), Estimate(b, error_b))
    other = judged(ERROR, Estimate(b, error_b), Estimate(a, error_a))
    assert opposite[one.word] is other.word


def test_a_number_without_a_good_direction_is_worse_on_both_sides():
    size = Quantity("size", better="equal")
    for measured in (1.0, 99.0):
        assert judged(size, Estimate(50, 2), Estimate(measured, 2)).word is Word.WORSE
    assert judged(size, Estimate(50, 2), Estimate(53, 2)).word is Word.WITHIN


def test_exact_numbers_are_equal_or_not():
    size = Quantity("size", exact=True)
    assert judged(size, Estimate(5), Estimate(5.0)).word is Word.WITHIN
    assert judged(size, Estimate(5), Estimate(6.0)).word is Word.WORSE


@pytest.mark.parametrize(
    ("quantity", "published", "why_not", "why"),
    [
        (ERROR, None, "", "nothing was published"),
        (ERROR, Estimate(0.3, 0.1), "other data", "other data"),
        (ERROR, Estimate(0.3), "", "no standard error"),
        (Quantity("s", relative_to={"step": 1}), Estimate(0.3, 0.1), "", "times depend"),
        (Quantity("accuracy"), Estimate(0.9, 0.01), "", "no direction"),
    ],
)
def test_what_cannot_be_compared_says_why(quantity, published, why_not, why):
    verdict = judged(quantity, published, Estimate(0.3, 0.01), why_not)
    assert verdict.word is Word.NOT_COMPARABLE
    assert why in verdict.why


def test_an_explanation_is_for_what_is_worse():
    for measured, why in ((0.3, ""), (0.4, "other data"), (0.2, "")):
        verdict = judged(ERROR, Estimate(0.3, 0.01), Estimate(measured, 0.01), explained=why or "x")
        assert verdict.why == why
    exact = Quantity("size", exact=True)
    assert judged(exact, Estimate(5), Estimate(6), explained="rounded").why == "rounded"
    assert judged(exact, Estimate(5), Estimate(5), explained="rounded").why == ""


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ((1, 1), ""),
        ((1, 3), " 1 to 3 runs of each cell"),
        ((4, 4), " 4 runs of each cell"),
        ((), ""),
    ],
)
def test_pages_say_how_many_runs_the_standard_errors_are_of(runs, said):
    quantity = SimpleNamespace(judged=True, exact=False)
    exact = SimpleNamespace(runs=9, quantity=SimpleNamespace(judged=True, exact=True))
    rows = [exact, *(SimpleNamespace(runs=one, quantity=quantity) for one in runs)]
    text = _noise(SimpleNamespace(rows=rows, experiment=SimpleNamespace(one_run=False)))
    assert text.startswith(said)
    assert bool(text) == bool(said)
