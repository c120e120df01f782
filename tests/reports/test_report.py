"""The report: what it refuses, says, embeds and draws."""

import dataclasses
import re
import subprocess
import sys

import numpy as np
import pytest

from svsieve import rules, stability
from svsieve.elimination import Path
from svsieve.reports import Candidate, sentences
from svsieve.selection import Choice, Curve
from tests.reports.made import HOSTILE, Page, nested_with, small

ONE = Curve([1], {"f1": [[0.5]]})


# --- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"candidates": ()}, "candidates of a Report must hold at least one"),
        ({"class_counts": (1,)}, "an entry for each of 2 classes. Got 1"),
        ({"confusion": [[1, 2]]}, r"each of 2 classes. Got shape \(1, 2\)"),
        ({"selected": [1]}, r"the best 2 columns of the path of 'linear SVM'. Got \[1\]"),
        ({"selected": [1, 2]}, r"Got \[1, 2\]"),
        ({"selected": [1, 7]}, r"selected holds 7, which is not in \[0, 3\)"),
        ({"frequencies": [1.0]}, "frequencies must have 3 entries. Got 1"),
        ({"names": ("a", "b"), "frequencies": [0, 0]}, "must have the 2 columns that are named"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        small(**changes)


# --- words -------------------------------------------------------------------------------------


def test_the_answer_is_one_sentence():
    assert sentences.answer(small()) == (
        "Keep 2 of 3 columns: on new rows they give an accuracy of about 85% (95% interval 75% to "
        "100%)."
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"chosen": 3, "selected": [1, 0, 2]}, "Keep all 3 columns: on new rows they give"),
        ({"chosen": 1, "selected": [1]}, "Keep 1 of 3 columns: on new rows it gives"),
        ({"nested": nested_with(interval=(np.nan, np.nan))}, "of about 85%."),
        ({"nested": nested_with(metric="roc_auc", chance=None)}, "a ROC AUC of about 0.850 ("),
        ({"nested": nested_with(metric="neg_log_loss")}, "a negative log loss of about"),
    ],
)
def test_the_answer_fits_what_was_found(changes, said):
    assert said in sentences.answer(small(**changes))


@pytest.mark.parametrize(
    ("low", "chance", "doubtful"),
    [(0.75, 0.5, False), (0.5, 0.5, True), (0.4, 0.5, True), (0.75, None, False)],
)
def test_an_answer_no_better_than_chance_is_said_to_be(low, chance, doubtful):
    report = small(nested=nested_with(interval=(low, 0.9), chance=chance))
    assert bool(sentences.doubt(report)) is doubtful
    assert ("not clearly better than chance" in report.to_markdown()) is doubtful
    assert ("not clearly better than chance" in Page(report.to_html()).text) is doubtful


def test_background_tells_the_scores_apart():
    first, second = sentences.background(small())
    assert first == "Ranked by a linear SVM. Two are best."
    assert "The scores that it chose by had promised 90%." in second
    assert "Always saying the largest class gives 50%." in second
    without = small(nested=nested_with(selection_scores=np.array([np.nan, np.nan])))
    assert "had promised" not in sentences.background(without)[1]


def test_stability_in_words():
    assert "Each of 2 folds kept 2 columns. Their agreement is excellent, 1.00" in (
        sentences.stability_in_words(small())
    )
    single = small(nested=nested_with(stability=None, n_features=np.array([2, 5])))
    said = sentences.stability_in_words(single)
    assert said.startswith("The 2 folds kept between 2 and 5 columns, 3.5 in the median;")


# --- the page ----------------------------------------------------------------------------------


def test_page_shows_everything(breast_cancer):
    page = Page(breast_cancer.to_html())
    for said in (
        sentences.answer(breast_cancer),
        *sentences.background(breast_cancer),
        *breast_cancer.data_warnings,
        *breast_cancer.methods,
        *breast_cancer.citations,
        *breast_cancer.names,
        *breast_cancer.classes,
        sentences.stability_in_words(breast_cancer),
        sentences.path_in_words(breast_cancer),
        breast_cancer.provenance["sha256"],
    ):
        assert said in page.text
    ids = {attrs.get("id") for _, attrs in page.tags}
    assert {"weight", "search", "download", "chart-accuracy", "chart-elimination"} <= ids


def test_page_asks_for_nothing_and_runs_only_its_own_scripts(hostile):
    text = hostile.to_html()
    page = Page(text)
    for tag, attrs in page.tags:
        assert not attrs.keys() & {"src", "onload", "onerror", "onclick", "onmouseover"}, tag
        assert attrs.get("href", "#").startswith("#"), attrs
    policy = next(attrs for _, attrs in page.tags if "http-equiv" in attrs)["content"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    run = [attrs for tag, attrs in page.tags if tag == "script" and "type" not in attrs]
    assert len(run) == policy.count("'sha256-") == 2


def test_hostile_texts_are_texts(hostile):
    page = Page(hostile.to_html())
    for said in (hostile.title, hostile.target, *hostile.classes, *hostile.data_warnings):
        assert said in page.text
    assert page.json("columns-data")["names"] == [HOSTILE[j] for j in hostile.best.path.order]
    assert not {"img", "u", "em", "b"} & {tag for tag, _ in page.tags}


@pytest.mark.parametrize(
    ("metric", "nested", "chance"),
    [
        ("accuracy", "accuracy", 0.4),
        ("roc_auc", "roc_auc", 0.4),
        ("accuracy", "f1", 0.5),
        ("f1", "accuracy", None),
    ],
)
def test_the_chance_line_is_that_of_the_metric_shown(metric, nested, chance):
    curve = Curve([1, 2, 3], {metric: [[0.7, 0.9, 0.9], [0.7, 0.8, 0.8]]}, chance=0.5)
    best = dataclasses.replace(small().best, curve=curve)
    report = small(candidates=(best,), nested=nested_with(metric=nested, chance=0.4))
    assert report.chance == chance
    chart = Page(report.to_html()).json("charts-data")["accuracy"]
    rows = [row for rows in chart["datasets"].values() for row in rows]
    scores = {row["score"] for row in rows if row.get("line") == "chance"}
    assert scores == ({chance} if chance is not None else set())


def test_the_chart_holds_means_errors_and_training_scores(breast_cancer):
    chart = Page(breast_cancer.to_html()).json("charts-data")["accuracy"]
    rows = [row for rows in chart["datasets"].values() for row in rows if "line" in row]
    curve = breast_cancer.best.curve
    held_out = [row for row in rows if "low" in row]
    half = [(row["high"] - row["low"]) / 2.0 for row in held_out]
    training = [row["score"] for row in rows if row["line"] == "training rows"]
    assert [row["size"] for row in held_out] == curve.sizes.tolist()
    assert [row["score"] for row in held_out] == curve.mean().tolist()
    np.testing.assert_allclose(half, curve.standard_error())
    np.testing.assert_allclose(training, curve.train["accuracy"].mean(axis=0))
    other = breast_cancer.candidates[1].curve
    drawn = [row["score"] for row in rows if row["line"].startswith("Gaussian SVM")]
    assert drawn == other.mean().tolist()


def test_embedded_columns(breast_cancer):
    table = Page(breast_cancer.to_html()).json("columns-data")
    path = breast_cancer.best.path
    assert table["columns"] == path.order.tolist()
    assert table["names"] == [breast_cancer.names[j] for j in path.order]
    np.testing.assert_allclose(table["scores"], path.importances[::-1], rtol=1e-5)
    np.testing.assert_allclose(table["frequencies"], breast_cancer.frequencies[path.order])
    (other,) = table["others"]
    order = breast_cancer.candidates[1].path.order.tolist()
    assert other["ranks"] == [order.index(j) + 1 for j in path.order]


@pytest.mark.parametrize("name", ["breast_cancer", "hostile", "wide"])
def test_embedded_weights_start_at_the_choice(name, request):
    report = request.getfixturevalue(name)
    slider = Page(report.to_html()).json("tradeoff-data")
    stops = [rules.Scalarised(*weights) for weights in slider["stops"]]
    sizes = [rule.choose(report.best.curve).size for rule in stops]
    nearest = min(abs(size - report.chosen) for size in sizes)
    assert abs(sizes[slider["start"]] - report.chosen) == nearest
    if isinstance(report.rule, rules.Scalarised):
        assert stops[slider["start"]] == report.rule


def test_sixty_thousand_columns_stay_under_six_megabytes():
    n = 60_000
    rng = np.random.default_rng(0)
    sizes = np.unique(np.geomspace(1, n, 3000).astype(int))
    curve = Curve(sizes, {"accuracy": rng.uniform(0.5, 1.0, size=(5, len(sizes)))}, None, n, 0.5)
    first, second = (Path.from_scores(rng.gamma(1.0, size=n)) for _ in range(2))
    choice = rules.Best().choose(curve)
    supports = np.zeros((2, n), dtype=bool)
    supports[:, first.top(choice.size)] = True
    report = small(
        names=tuple(f"ENSG{j:011d}.{j % 9}|transcript" for j in range(n)),
        candidates=(
            Candidate("linear SVM", first, curve, choice),
            Candidate("Gaussian SVM", second, curve, choice),
        ),
        chosen=choice.size,
        selected=first.top(choice.size),
        nested=nested_with(supports=supports, stability=stability(supports)),
        frequencies=supports.mean(axis=0),
    )
    page = report.to_html().encode()
    assert len(page) < 6e6
    text = page.decode()
    assert text.count("<tr") < 100
    rows = Page(text).json("charts-data")["accuracy"]["datasets"]
    assert max(len(values) for values in rows.values()) < 3000


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "", "target": ""},
        {
            "candidates": (Candidate("a", Path.from_scores([2.0]), ONE, Choice(1, "")),),
            "names": ("x",),
            "frequencies": [1.0],
            "chosen": 1,
            "selected": [0],
        },
        {"nested": nested_with(stability=None, interval=(np.nan, np.nan), chance=None)},
        {"confusion": [[0, 0], [0, 5]]},
        {"settings": {"C": [1, 2], "parts": {"a": None, "b": [True]}}, "provenance": {"t": 1.5}},
        {"names": ("\ud800", "b", "c")},
    ],
    ids=["no title", "one column", "one fold", "empty class", "nested settings", "half a pair"],
)
def test_sparse_reports_have_a_page(changes, tmp_path):
    report = small(**changes)
    file = tmp_path / "report.html"
    report.save_html(file)
    assert sentences.answer(report) in Page(file.read_text(encoding="utf-8")).text
    assert report.to_markdown().startswith("# ")


def test_notebooks_get_the_page_in_a_frame_of_its_own(hostile):
    (tag, attrs), *rest = Page(hostile._repr_html_()).tags
    assert (tag, rest) == ("iframe", [])
    assert attrs["srcdoc"] == hostile.to_html()
    assert attrs["sandbox"].split() == ["allow-scripts", "allow-downloads"]


def test_missing_packages_are_named():
    code = (
        "import sys; sys.modules['altair'] = None\n"
        "from tests.reports.test_report import small\n"
        "report = small(); report.to_markdown()\n"
        "try: report.to_html()\n"
        "except ImportError as error: sys.stdout.write(str(error))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "The page of a report needs altair, which is not installed: pip install 'svsieve[report]'."
    )


# --- figures -----------------------------------------------------------------------------------


def test_figures_are_drawn_and_unknown_to_pyplot(breast_cancer, tmp_path):
    from matplotlib import pyplot as plt

    before = plt.get_fignums()
    figures = breast_cancer.figures()
    assert set(figures) == {"curve", "pareto", "ranking", "schedule", "stability", "confusion"}
    assert plt.get_fignums() == before
    for name, figure in figures.items():
        figure.savefig(tmp_path / f"{name}.png")
    labels = [text.get_text() for text in figures["ranking"].axes[0].get_yticklabels()]
    assert labels[0] == breast_cancer.names[breast_cancer.best.path.order[0]]
    counts = {text.get_text() for text in figures["confusion"].axes[0].texts}
    assert counts == {str(count) for count in breast_cancer.confusion.ravel()}


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_figures_of_hostile_names_are_drawn(hostile, tmp_path):
    for name, figure in hostile.figures().items():
        figure.savefig(tmp_path / f"{name}.png")


def test_one_fold_has_no_figure_of_stability():
    assert "stability" not in small(nested=nested_with(stability=None)).figures()


# --- Markdown ----------------------------------------------------------------------------------


def read_markdown(text):
    from markdown_it import MarkdownIt

    return Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


def test_markdown_holds_what_the_page_says(breast_cancer):
    page = read_markdown(breast_cancer.to_markdown())
    for said in (
        sentences.answer(breast_cancer),
        *sentences.background(breast_cancer),
        *breast_cancer.data_warnings,
        *breast_cancer.methods,
        *breast_cancer.citations,
        *breast_cancer.names,
        sentences.stability_in_words(breast_cancer),
    ):
        assert said in page.text
    assert [tag for tag, _ in page.tags].count("table") == 7


def test_markdown_of_hostile_names_is_text(hostile):
    page = read_markdown(hostile.to_markdown())
    allowed = {"h1", "h2", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
    assert {tag for tag, _ in page.tags} <= allowed
    for name in HOSTILE:
        line = " ".join(re.sub(r"[\x00-\x1f\u202a-\u202e]", " ", name).split())
        assert (line[:79] or "(no name)") in page.text
    ranking = [line for line in hostile.to_markdown().splitlines() if re.match(r"\| \d+ \|", line)]
    assert len(ranking) == len(HOSTILE) + len(hostile.nested.scores) + len(
        np.unique(np.append(hostile.chosen, _front(hostile)))
    )


def _front(report):
    from svsieve.selection import pareto_front

    return pareto_front(report.best.curve)


def test_markdown_of_many_columns_is_cut(wide):
    text = wide.to_markdown()
    assert "The first 50 of 3,000 columns." in text
    assert f"and {wide.chosen - 50} more" in text
