"""The report in a browser: read from disk, without a network."""

import csv
import io
import json
import re

import numpy as np
import pytest

from svsieve import rules
from svsieve.io import neutralised
from svsieve.reports import sentences
from tests.reports.made import HOSTILE

PHONE = {"viewport": {"width": 390, "height": 844}}
MODES = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": PHONE,
    "phone-dark": PHONE | {"color_scheme": "dark"},
}


def text_of(opened, selector):
    return " ".join(opened.page.locator(selector).first.inner_text().split())


# --- opening -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["breast_cancer", "hostile", "wide"])
def test_opens_without_a_word_and_without_asking_for_anything(open_report, name):
    opened = open_report(name).drawn()
    assert text_of(opened, ".sentence") == sentences.answer(opened.report)
    assert opened.said == []
    assert opened.asked == [opened.file.as_uri()]
    for part in ("answer", "size", "columns", "stability", "new-rows", "elimination", "methods"):
        assert opened.page.locator(f"#{part}").is_visible()
    counts = opened.page.locator(".confusion .cell").all_text_contents()
    assert counts == [str(count) for count in opened.report.confusion.ravel()]
    chosen = opened.report.chosen
    assert opened.marked() == {"accuracy": [chosen, chosen], "elimination": [chosen]}


def test_without_scripts_there_is_still_a_report(open_report):
    opened = open_report(java_script_enabled=False)
    assert text_of(opened, ".sentence") == sentences.answer(opened.report)
    assert opened.page.locator("#chart-accuracy svg").is_visible()
    assert len(opened.names()) == 30
    assert len(opened.kept_names()) == opened.report.chosen
    assert not opened.page.locator("#weight").is_visible()


def test_the_policy_stops_scripts_that_are_not_the_page_s_own(open_report, reports, tmp_path):
    _, file = reports("breast_cancer")
    text = file.read_text(encoding="utf-8")
    added = "<script>window.hacked = 1</script><img src='x' onerror='window.hacked = 2'>"
    changed = tmp_path / "changed.html"
    changed.write_text(text.replace("<main>", f"<main>{added}"), encoding="utf-8")
    opened = open_report(file=changed).drawn()
    assert opened.page.evaluate("window.hacked") is None
    assert any("Content Security Policy" in said for said in opened.said)
    # The same without the policy, to know that it is the policy.
    bare = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", changed.read_text())
    changed.write_text(bare, encoding="utf-8")
    assert open_report(file=changed).drawn().page.evaluate("window.hacked") is not None


def test_in_the_frame_of_a_notebook(open_report, reports, tmp_path):
    report, _ = reports("breast_cancer")
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><body>{report._repr_html_()}</body>", encoding="utf-8")
    opened = open_report(file=notebook)
    frame = opened.page.frame_locator("iframe")
    frame.locator("#chart-accuracy[data-ready]").wait_for()
    assert frame.locator(".sentence").inner_text() == sentences.answer(report)
    frame.get_by_role("slider").press("Home")
    assert frame.locator("#choice").inner_text().startswith("1 column,")
    assert opened.said == []


# --- the slider ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["breast_cancer", "hostile", "wide"])
def test_slider_chooses_what_the_rule_chooses(open_report, name):
    opened = open_report(name).drawn()
    report, page = opened.report, opened.page
    last = int(page.locator("#weight").get_attribute("max"))
    seen = set()
    for stop in np.linspace(0, last, 25).round().astype(int).tolist():
        opened.slide(stop)
        code = page.locator("#price code").inner_text()
        weights = re.fullmatch(r"rules\.Scalarised\((.+), (.+)\)", code).groups()
        size = rules.Scalarised(*map(float, weights)).choose(report.best.curve).size
        seen.add(size)
        score = sentences.score("accuracy", score_at(report.best.curve, size))
        said = text_of(opened, "#choice")
        assert said.startswith(f"{sentences.columns(size)}, accuracy ")
        assert float(said.split("accuracy ")[1].split("%")[0]) == float(score[:-1])
        assert opened.marked() == {"accuracy": [size, size], "elimination": [size]}
        shown = min(size, 60)
        assert len(opened.kept_names()) == shown
    ends = report.best.curve.sizes[0], rules.Best().choose(report.best.curve).size
    assert set(ends) <= seen
    assert len(seen) > 3
    assert opened.said == []


def score_at(curve, size):
    return float(curve.mean()[np.flatnonzero(curve.sizes == size)[0]])


def test_any_weights_are_computed_as_in_python(open_report, reports, tmp_path):
    """A page with other stops on its slider, among them weights where costs tie."""
    report, file = reports("wide")
    curve, rng = report.best.curve, np.random.default_rng(0)
    gained, paid = np.diff(curve.mean()), np.diff(curve.sizes) / curve.n_columns
    weights = [(0.0, 1.0), (1.0, 0.0), (0.8, 0.2), (0.2, 0.8)]
    weights += [(1.0, float(price)) for price in gained / paid if price > 0.0]
    weights += [(float(weight), float(1.0 - weight)) for weight in rng.beta(0.2, 0.2, size=300)]
    text = file.read_text(encoding="utf-8")
    text = re.sub(r'"stops":\[\[.*?\]\]', f'"stops":{json.dumps(weights)}', text, count=1)
    text = re.sub(r'(id="weight" min="0" max=)"\d+"', rf'\1"{len(weights) - 1}"', text)
    changed = tmp_path / "stops.html"
    changed.write_text(text, encoding="utf-8")
    opened = open_report("wide", changed).drawn()
    said = [text.split(", accuracy")[0] for text in map(opened.slide, range(len(weights)))]
    chosen = [rules.Scalarised(*pair).choose(curve).size for pair in weights]
    assert said == [sentences.columns(size) for size in chosen]
    assert len(set(chosen)) > 4


def test_slider_by_keyboard_and_back(open_report):
    opened = open_report().drawn()
    slider, reset = opened.page.get_by_role("slider"), opened.page.locator("#reset")
    before, marks = text_of(opened, "#choice"), opened.marked()
    assert before.startswith("15 columns")
    assert reset.is_hidden()
    slider.press("Home")
    assert text_of(opened, "#choice").startswith("1 column,")
    assert slider.get_attribute("aria-valuetext") == opened.page.locator("#choice").text_content()
    assert opened.kept_names() == [opened.report.names[opened.report.best.path.order[0]]]
    reset.click()
    assert (text_of(opened, "#choice"), opened.marked()) == (before, marks)
    assert reset.is_hidden()


# --- the table -----------------------------------------------------------------------------------


def test_search_finds_names_and_says_how_many(open_report):
    opened = open_report("wide").drawn()
    search = opened.page.get_by_role("searchbox", name="Search names")
    search.fill("GENE 0012")
    wanted = [f"gene {j:05d}" for j in opened.report.best.path.order if 120 <= j < 130]
    assert opened.names() == wanted
    assert text_of(opened, "#shown") == "10 columns found."
    search.fill("no such name")
    assert opened.names() == []
    assert text_of(opened, "#shown") == "No column has such a name."
    search.fill("")
    assert len(opened.names()) == 300


def test_more_rows_on_demand_and_only_kept(open_report):
    opened = open_report("wide").drawn()
    assert text_of(opened, "#shown") == "The first 60 of 3,000 columns."
    opened.page.get_by_role("button", name="Show more").click()
    assert len(opened.names()) == 360
    opened.page.get_by_role("checkbox", name="kept only").check()
    order = opened.report.best.path.order[: opened.report.chosen]
    assert opened.names() == [opened.report.names[j] for j in order]


def test_sorting_by_every_column(open_report):
    opened = open_report().drawn()
    report, page = opened.report, opened.page
    order = report.best.path.order
    scores = dict(zip(order.tolist(), report.best.path.importances[::-1], strict=True))
    other = report.candidates[1].path.order.tolist()
    rank = {j: at for at, j in enumerate(order.tolist())}

    def expected(key, falling=False):
        return [report.names[j] for j in sorted(order.tolist(), key=key, reverse=falling)]

    def clicked(name):
        page.get_by_role("button", name=name, exact=False).click()
        return opened.names()

    assert clicked("score") == expected(lambda j: -scores[j])
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    assert clicked("score") == expected(lambda j: scores[j])
    assert clicked("selected in folds") == expected(lambda j: (-report.frequencies[j], rank[j]))
    assert clicked("rank, Gaussian SVM") == expected(lambda j: other.index(j))
    assert clicked("column") == expected(lambda j: report.names[j])
    assert clicked("column") == expected(lambda j: report.names[j], falling=True)
    page.locator("th[data-key=rank] button").click()
    assert opened.names() == expected(lambda j: rank[j])
    assert page.locator("th[aria-sort]").count() == 1


@pytest.mark.parametrize("name", ["breast_cancer", "hostile"])
def test_download_holds_all_columns_and_no_formulas(open_report, name):
    opened = open_report(name).drawn()
    report = opened.report
    opened.page.locator("#search").fill("x")  # what is shown does not matter
    opened.slide(0)
    with opened.page.expect_download() as waiting:
        opened.page.get_by_role("button", name="Download CSV").click()
    assert waiting.value.suggested_filename == "ranking.csv"
    with open(waiting.value.path(), encoding="utf-8", newline="") as file:  # noqa: PTH123
        text = file.read()
    rows = list(csv.DictReader(io.StringIO(text)))
    order = report.best.path.order
    assert [row["name"] for row in rows] == [neutralised(report.names[j]) for j in order]
    assert [int(row["column"]) for row in rows] == order.tolist()
    assert [int(row["rank"]) for row in rows] == list(range(1, len(order) + 1))
    assert [int(row["kept"]) for row in rows] == [1] + [0] * (len(order) - 1)
    np.testing.assert_allclose(
        [float(row["score"]) for row in rows], report.best.path.importances[::-1], rtol=1e-5
    )
    np.testing.assert_allclose(
        [float(row["frequency"]) for row in rows], report.frequencies[order], atol=1e-6
    )
    ranks = report.candidates[1].path.order.tolist()
    found = [int(row["rank_Gaussian SVM"]) for row in rows]
    assert found == [ranks.index(j) + 1 for j in order]
    if name == "hostile":
        assert sum(row["name"].startswith("'") for row in rows) == 5


# --- hostile names -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_hostile_names_are_text_and_break_nothing(open_report, mode):
    opened = open_report("hostile", **MODES[mode]).drawn()
    page = opened.page
    shown = opened.names()
    for j, text in zip(opened.report.best.path.order.tolist(), shown, strict=True):
        name = HOSTILE[j] if len(HOSTILE[j]) <= 400 else f"{HOSTILE[j][:399]}…"
        assert text == (name or "no name")
    page.mouse.move(200, 300)
    for chip in page.locator(".kept-names bdi").all():
        chip.hover()
    page.locator("#search").fill("<script>")
    assert len(opened.names()) == sum("<script>" in name for name in HOSTILE)
    assert page.evaluate("window.hacked") is None
    assert opened.said == []
    assert page.title() == opened.report.title
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    heights = page.locator("#ranking tbody tr").evaluate_all(
        "rows => rows.map(r => r.offsetHeight)"
    )
    assert max(heights) < 80


# --- looks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["breast_cancer", "wide"])
def test_screenshots(open_report, artifacts, name, mode):
    opened = open_report(name, **MODES[mode]).drawn()
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    chart = page.locator("#chart-accuracy svg").bounding_box()
    assert chart["width"] <= page.viewport_size["width"]
    assert chart["width"] > 0.8 * page.locator("main").bounding_box()["width"]
    page.screenshot(path=artifacts / f"{name}-{mode}.png", full_page=True)


def test_paper(open_report, artifacts):
    opened = open_report(color_scheme="dark").drawn()
    page = opened.page
    page.emulate_media(media="print")
    assert not page.locator("#weight").is_visible()
    assert not page.locator("nav").is_visible()
    white = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert white == "rgb(255, 255, 255)"
    page.pdf(path=artifacts / "breast_cancer.pdf", format="A4", print_background=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_read(open_report, scheme):
    """Contrast by WCAG 2: 4.5 for text, 3 for lines."""
    page = open_report(color_scheme=scheme).page
    names = ["--page", "--card", "--warn-card", "--ink", "--quiet", "--accent"]
    names += ["--held-out", "--training", "--other-1", "--other-2", "--other-3"]
    colours = page.evaluate(
        """(names) => {
          const style = getComputedStyle(document.documentElement);
          return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name)]));
        }""",
        names,
    )
    for ground in names[:3]:
        for name in names[3:]:
            least = 4.5 if name in ("--ink", "--quiet", "--accent", "--held-out") else 3.0
            assert contrast(colours[name], colours[ground]) >= least, (name, ground)


def contrast(first, second):
    lights = sorted(luminance(colour.strip()) for colour in (first, second))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(colour):
    channels = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255.0
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_every_control_has_a_name_and_can_be_reached(open_report):
    page = open_report().drawn().page
    controls = page.locator("input:visible, button:visible, summary:visible").all()
    assert len(controls) > 8
    for control in controls:
        labels = "[...(node.labels ?? [])].map((label) => label.textContent).join(' ').trim()"
        assert control.evaluate(f"(node) => {labels} || node.textContent.trim()")
        control.focus()
        assert control.evaluate("node => node === document.activeElement")
