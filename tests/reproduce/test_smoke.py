"""Every experiment runs from end to end, on few rows: that it runs, not what it finds."""

import math

import pytest

from svsieve.datasets import MissingDataError, load_public
from svsieve.reproduce import Effort, compare, experiments, pages, run
from svsieve.reproduce.records import Made


@pytest.mark.parametrize("experiment", experiments(), ids=lambda one: one.id)
def test_smoke(experiment, tmp_path):
    for name in experiment.data_sets:
        try:
            load_public(name)
        except MissingDataError as missing:
            pytest.skip(str(missing))
    outcome = run(experiment, Effort.SMOKE)
    assert outcome.measurements
    for one in outcome.measurements:
        assert all(math.isfinite(value) for value in one.values.values())
    findings = compare(experiment, outcome.measurements, Effort.SMOKE)
    made = Made("svsieve reproduce", "0", "today")
    for path in pages.write(findings, made, tmp_path):
        assert path.stat().st_size > 0
    published = [row for row in findings.rows if row.published is not None]
    assert bool(published) == bool(experiment.published()) or experiment.id == "planas-5.17"
