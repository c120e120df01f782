"""The page about all experiments."""

from svsieve.reproduce import Effort, compare, experiments, find, pages, run
from svsieve.reproduce.records import Made
from svsieve.reproduce.summary import write_summary


def _results(id, folder, effort):
    experiment = find(id)
    outcome = run(experiment, effort)
    made = Made(f"svsieve reproduce {id} --{effort.value}", "0.0", "2001-02-03")
    pages.write(compare(experiment, outcome.measurements, effort), made, folder)


def test_the_page_counts_verdicts_and_names_what_was_not_run(tmp_path):
    _results("planas-fig-5.10", tmp_path, Effort.FULL)
    _results("planas-fig-5.2", tmp_path, Effort.SMOKE)
    page = write_summary(tmp_path).read_text(encoding="utf-8")
    published = len(find("planas-fig-5.10").published())
    row = next(line for line in page.splitlines() if "planas-fig-5.10]" in line)
    assert f"| {published} | {published} | 0 | 0 | 0 |  | 0.0, 2001-02-03 |" in row
    assert "(planas-fig-5.10.md)" in row
    assert f"Of {published} published numbers {published} agree, 0 agree in level only" in page
    assert "only --smoke" in next(line for line in page.splitlines() if "fig-5.2]" in line)
    assert page.count("not run yet") == len(experiments()) - 2
