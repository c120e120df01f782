"""How large the report of a wide table is, and how soon a browser shows it.

    python -m benchmarks.report_open [--columns 60000] [--rows 100] [--repeat 5]

Needs svsieve with its ``report`` extra, playwright and a Chromium. The page is opened from disk,
with the network cut. Times are the browser's own, from the start of navigation: to the first paint
(a still picture of the curve stands in the page and needs no script), to the first chart drawn by
the script, and from a move of the slider to the end of the frame that shows it. Nothing fails on a
time; only the size has a limit.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from svsieve import SVC, SVMRFECV, evaluate
from svsieve.reports import Candidate, Report
from svsieve.selection.rules import resolve_rule
from tests.browser import chromium

LIMIT = 6e6

NAMES = ("first paint", "first chart", "slider moved")
TIMES = """async () => {
  const painted = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  while (!document.querySelector("#chart-accuracy[data-ready]")) {
    await new Promise(requestAnimationFrame);
  }
  const ready = performance.getEntriesByName("chart-accuracy")[0].startTime;
  const slider = document.getElementById("weight");
  slider.value = 0;
  const moved = performance.now();
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  await new Promise(requestAnimationFrame);
  await new Promise((done) => setTimeout(done));
  return [painted, ready, performance.now() - moved];
}"""


def wide_report(n_rows: int, n_columns: int) -> Report:
    """Return the report of a generated table, with long names as genes have them."""
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % 2
    X = rng.normal(size=(n_rows, n_columns))
    X[:, :20] += 0.8 * y[:, None]
    candidates = []
    for kernel in ("linear", "rbf"):
        found = SVMRFECV(SVC(kernel=kernel), step=0.1, cv=5, rule="one-se").fit(X, y)
        label = f"{kernel} SVM"
        candidates.append(Candidate(label, found.path_, found.curve_, found.choice_))
    nested = evaluate(SVMRFECV(SVC(kernel="linear"), step=0.1, cv=5, rule="one-se"), X, y, cv=5)
    best = candidates[0]
    return Report(
        title="A wide table",
        target="class",
        classes=("0", "1"),
        class_counts=tuple(np.bincount(y).tolist()),
        n_rows=n_rows,
        names=tuple(f"ENSG{j:011d}.{j % 20} GENE{j % 30_000}" for j in range(n_columns)),
        candidates=tuple(candidates),
        rule=resolve_rule("one-se"),
        chosen=best.choice.size,
        selected=best.path.top(best.choice.size),
        nested=nested,
        confusion=np.diag(np.bincount(y)),  # of no weight here
        frequencies=nested.supports.mean(axis=0),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--columns", type=int, default=60_000)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    executable = chromium.find()
    if executable is None:
        print(chromium.absence(), file=sys.stderr)
        return 1
    from playwright.sync_api import sync_playwright

    report = wide_report(options.rows, options.columns)
    report.to_html()  # the first page also bundles the libraries
    before = time.process_time()
    page_text = report.to_html()
    making = time.process_time() - before
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder, "report.html")
        report.save_html(file)
        browser = playwright.chromium.launch(executable_path=executable)
        times = []
        for _ in range(options.repeat):
            context = browser.new_context(offline=True)
            page = context.new_page()
            page.goto(file.as_uri())
            times.append(page.evaluate(TIMES))
            context.close()
        browser.close()
    size = len(page_text.encode())
    print(f"{options.rows:,} x {options.columns:,}, {report.chosen:,} columns kept")
    print(f"size              {size / 1e6:.2f} MB (limit {LIMIT / 1e6:g} MB)")
    print(f"made in           {making:.2f} s of CPU")
    for name, values in zip(NAMES, zip(*times, strict=True), strict=True):
        print(
            f"{name:17} {median(values):.0f} ms (median of {len(values)}; {min(values):.0f} least)"
        )
    return int(size > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
