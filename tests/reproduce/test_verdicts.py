"""When two numbers agree."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from svsieve.reproduce.experiment import Quantity
from svsieve.reproduce.verdicts import Estimate, Word, distance, judged

ERROR = Quantity("error", judged=True)

values = st.floats(-10, 10)
errors = st.floats(1e-3, 10)


@pytest.mark.parametrize(
    ("measured", "word"),
    [
        (0.30, Word.AGREES),
        (0.342, Word.AGREES),
        (0.343, Word.DIFFERS),
        (0.258, Word.AGREES),
        (0.257, Word.DIFFERS),
    ],
)
def test_three_combined_standard_errors_are_the_limit_on_both_sides(measured, word):
    verdict = judged(ERROR, Estimate(0.3, 0.01), Estimate(measured, 0.01))
    assert verdict.word is word
    assert verdict.apart == pytest.approx((measured - 0.3) / math.hypot(0.01, 0.01))


@given(values, values, errors, errors)
def test_published_and_measured_exchanged_give_the_same_word(a, b, error_a, error_b):
    one = judged(ERROR, Estimate(a, error_a), Estimate(b, error_b))
    other = judged(ERROR, Estimate(b, error_b), Estimate(a, error_a))
    assert one.word is other.word
    assert one.apart == -other.apart


def test_counts_are_compared_exactly():
    """Fisher's test by hand: the chance of tables with these margins that are no likelier."""
    hits, trials, other_hits, other_trials = 5, 10, 95, 100
    whole = math.comb(trials + other_trials, hits + other_hits)

    def chance(k):
        return math.comb(trials, k) * math.comb(other_trials, hits + other_hits - k) / whole

    most = chance(hits) * (1 + 1e-9)
    p = sum(chance(k) for k in range(trials + 1) if chance(k) <= most)
    found = distance(Estimate(0.5, trials=10), Estimate(0.95, trials=100))
    assert 2.0 * norm.sf(found) == pytest.approx(p)
    assert distance(Estimate(0.95, trials=100), Estimate(0.5, trials=10)) == pytest.approx(-found)
    # Normal errors would let this pass: none of ten beside 30 of 100 is no rarity.
    assert abs(distance(Estimate(0.0, trials=10), Estimate(0.3, trials=100))) < 3.0


def test_a_tolerance_stands_in_the_place_of_errors():
    printed = Estimate(0.1153, 0.0007, tolerance=0.001)
    assert judged(ERROR, printed, Estimate(0.1163, 0.5)).word is Word.AGREES
    assert judged(ERROR, printed, Estimate(0.1164, 0.5)).word is Word.DIFFERS


def test_exact_numbers_are_equal_or_not():
    size = Quantity("size", judged=True, exact=True)
    assert judged(size, Estimate(5), Estimate(5.0)).word is Word.AGREES
    assert judged(size, Estimate(5), Estimate(6.0)).word is Word.DIFFERS


@pytest.mark.parametrize(
    ("quantity", "published", "why_not", "why"),
    [
        (ERROR, None, "", "nothing was published"),
        (ERROR, Estimate(0.3, 0.1), "other data", "other data"),
        (ERROR, Estimate(0.3), "", "no standard error"),
        (Quantity("s", relative_to={"step": 1}), Estimate(0.3, 0.1), "", "times depend"),
    ],
)
def test_what_cannot_be_compared_says_why(quantity, published, why_not, why):
    verdict = judged(quantity, published, Estimate(0.3, 0.01), why_not)
    assert verdict.word is Word.NOT_COMPARABLE
    assert why in verdict.why


def test_a_reason_is_for_what_differs():
    for measured, why in ((0.3, ""), (0.4, "other data"), (0.2, "other data")):
        verdict = judged(ERROR, Estimate(0.3, 0.01), Estimate(measured, 0.01), reason="other data")
        assert verdict.why == why
    exact = Quantity("size", judged=True, exact=True)
    assert judged(exact, Estimate(5), Estimate(6), reason="rounded").why == "rounded"
    assert judged(exact, Estimate(5), Estimate(6)).why == "reason not known"
    assert judged(exact, Estimate(5), Estimate(5), reason="rounded").why == ""
