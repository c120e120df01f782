"""Reports on disk, and a browser that cannot reach anything else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser import chromium
from tests.reports import made

ARTIFACTS = Path(os.environ.get("SVSIEVE_ARTIFACTS", "build/browser"))


class Opened:
    """A report opened in a page, with all that the page said and asked for."""

    def __init__(self, report, page, file):
        self.report, self.page, self.file = report, page, file
        self.said, self.asked = [], []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.said.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self.asked.append(request.url))

    def load(self):
        self.page.goto(self.file.as_uri())
        return self

    def drawn(self):
        """Wait for the pictures."""
        for name in ("accuracy", "elimination"):
            self.page.wait_for_selector(f"#chart-{name}[data-ready] svg")
        return self

    def marked(self):
        """The sizes marked in each picture, by a line or a dot, read from what is drawn."""
        return self.page.evaluate(
            """() => {
              const sizes = (name) => {
                const marks = 'line[stroke="var(--accent)"], path[fill="var(--accent)"]';
                const drawn = document.querySelectorAll(`#chart-${name} :is(${marks})`);
                return [...drawn].map((mark) => mark.__data__.datum.size);
              };
              return { accuracy: sizes("accuracy"), elimination: sizes("elimination") };
            }"""
        )

    def names(self):
        return self.page.locator("#ranking tbody tr td.name bdi").all_text_contents()

    def kept_names(self):
        return self.page.locator("#ranking tbody tr.kept td.name bdi").all_text_contents()

    def slide(self, stop):
        """Move the slider as a hand would, and return what the page says then."""
        return self.page.evaluate(
            """(stop) => {
              const slider = document.getElementById("weight");
              slider.value = stop;
              slider.dispatchEvent(new Event("input", { bubbles: true }));
              return document.getElementById("choice").textContent;
            }""",
            stop,
        )


@pytest.fixture(scope="session")
def browser():
    executable = chromium.find()
    if executable is None:
        if chromium.is_required():
            pytest.fail(chromium.absence())
        pytest.skip(chromium.absence())
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable)
        yield started
        started.close()


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """Reports by name with their files, made when first asked for."""
    folder, ready = tmp_path_factory.mktemp("reports"), {}

    def get(name):
        if name not in ready:
            report, file = getattr(made, name)(), folder / f"{name}.html"
            report.save_html(file)
            ready[name] = (report, file)
        return ready[name]

    return get


@pytest.fixture
def open_report(browser, reports):
    """Open a report by name, with the network cut; further options are those of a context."""
    contexts = []

    def opened(name="breast_cancer", file=None, **options):
        report, path = reports(name)
        settings = {"viewport": {"width": 1100, "height": 900}} | options
        context = browser.new_context(offline=True, **settings)
        context.set_default_timeout(60_000)
        contexts.append(context)
        return Opened(report, context.new_page(), file or path).load()

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def artifacts():
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    return ARTIFACTS
