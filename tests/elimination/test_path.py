"""The record of an elimination: its order, its numbers, its files."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import zipfile

import numpy as np
import pytest
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC

from svsieve.elimination import Path, PathRecorder
from tests.elimination.paths import COLUMNS, finished, stretches

ARRAYS = [
    "counts",
    "following",
    "kkt_gap",
    "accuracy",
    "seconds",
    "tied",
    "resolution",
    "dropped",
    "scores",
    "survivors",
    "survivor_scores",
]


def assert_same(path: Path, other: Path) -> None:
    for field in dataclasses.fields(Path):
        ours, theirs = getattr(path, field.name), getattr(other, field.name)
        if field.name in ARRAYS:
            np.testing.assert_array_equal(ours, theirs)
            assert ours.dtype == theirs.dtype, field.name
        elif field.name == "solutions" and ours is not None:
            assert [len(step) for step in ours] == [len(step) for step in theirs]
            for step, same in zip(ours, theirs, strict=True):
                for one, two in zip(step, same, strict=True):
                    np.testing.assert_array_equal(one.rows, two.rows)
                    np.testing.assert_array_equal(one.values, two.values)
                    assert one.rows.dtype == two.rows.dtype
                    assert one.offset == two.offset
        elif field.name in ("final_accuracy", "final_kkt_gap"):
            np.testing.assert_array_equal(ours, theirs)
        else:
            assert ours == theirs, field.name


# ---- order and numbers


def test_order() -> None:
    path = finished()
    assert path.order.tolist() == [5, 2, 7, 3, 6, 1, 0, 8, 4]
    assert path.top(3).tolist() == [5, 2, 7]
    assert path.top(0).tolist() == []
    assert path.top(9).tolist() == path.order.tolist()
    assert path.sizes.tolist() == [9, 7, 5, 4, 2]
    assert path.n_steps == 4
    assert path.counts.tolist() == [2, 2, 1, 2]
    assert path.tied.tolist() == [False, False, True, False]


def test_importances_are_in_the_order_of_leaving() -> None:
    path = finished()
    np.testing.assert_array_equal(path.importances, [*path.scores, 8.0, 9.0])
    by_column = dict(zip(path.order[::-1], path.importances, strict=True))
    assert by_column[5] == 9.0
    assert by_column[4] == path.scores[0]


def test_margins() -> None:
    path = finished()
    expected = [step.following - step.scores[-1] for stretch in stretches() for step in stretch]
    np.testing.assert_array_equal(path.margins, expected)


def test_ranking_has_one_rank_per_step() -> None:
    path = finished()
    assert path.ranking().tolist() == [4, 4, 1, 2, 5, 1, 3, 2, 5]


@pytest.mark.parametrize("step", [1, 2, 3, 5])
@pytest.mark.parametrize("kept", [1, 4])
def test_ranking_is_that_of_scikit_learns_rfe(step: int, kept: int) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 12)), rng.choice([0, 1], 60)
    machine = LinearSVC(dual=False, tol=1e-9)
    theirs = RFE(machine, n_features_to_select=kept, step=step).fit(X, y)
    recorder = PathRecorder(12)
    left, iteration = np.arange(12), 0
    template = stretches()[0]
    while len(left) > kept:
        scores = machine.fit(X[:, left], y).coef_[0] ** 2
        worst = np.argsort(scores)[: min(step, len(left) - kept)]
        iteration += 1
        recorder.add(
            dataclasses.replace(
                template,
                first=iteration,
                size=len(left),
                counts=np.array([len(worst)]),
                dropped=left[worst],
                scores=scores[worst],
            )
        )
        left = np.delete(left, worst)
    recorder.finish(left, np.zeros(len(left)), "size")
    np.testing.assert_array_equal(recorder.path().ranking(), theirs.ranking_)


def test_same_ranking() -> None:
    path = finished()
    assert path.same_ranking(finished(engine="other"))
    swapped = path.dropped.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    assert not path.same_ranking(dataclasses.replace(path, dropped=swapped))
    regrouped = dataclasses.replace(path, counts=np.array([1, 3, 1, 2]))
    assert not path.same_ranking(regrouped)


def test_estimated_size_of_the_worked_examples() -> None:
    zeros = np.zeros(2)
    path = Path(
        n_columns=5,
        counts=np.array([2, 2]),
        following=zeros,
        kkt_gap=zeros,
        accuracy=np.array([0.95, 0.92]),
        seconds=zeros,
        tied=np.zeros(2, dtype=bool),
        dropped=np.array([3, 0, 4, 1]),
        scores=np.array([1.0, 2.0, 3.0, 10.0]),
        survivors=np.array([2]),
        survivor_scores=np.array([40.0]),
        final_accuracy=0.70,
    )
    assert path.estimated_size() == path.estimated_size(bounds=(0.5, 1.0)) == 2
    assert path.estimated_size(bounds="accuracy") == 3
    assert path.estimated_size((0.1, 0.9)) == 1
    assert path.estimated_size((1.0, 0.0)) == 5
    # what the chance level is, is known to the notes, and better to the caller
    level = dataclasses.replace(path, notes={"chance": 0.99})
    assert level.estimated_size() == level.estimated_size(bounds=(0.99, 1.0)) == 1
    assert level.estimated_size(chance=0.5) == 2
    assert level.estimated_size(bounds="accuracy", chance=0.5) == 3
    # without the accuracy at the end the last iteration reaches down to nothing
    unknown = dataclasses.replace(path, final_accuracy=float("nan"))
    assert unknown.estimated_size(bounds="accuracy") == 2


def test_columns_that_score_below_zero_hold_no_importance() -> None:
    path = dataclasses.replace(finished(), scores=np.array([-500.0, -3.0, 0.0, 1.0, 2.0, 2.0, 9.0]))
    nothing = dataclasses.replace(path, scores=np.maximum(path.scores, 0.0))
    for tradeoff in ((0.8, 0.2), (0.99, 0.01), (0.5, 0.5)):
        assert path.estimated_size(tradeoff) == nothing.estimated_size(tradeoff)
    assert path.estimated_size((0.99, 0.01)) < path.n_columns


def test_refused_estimates() -> None:
    path = finished()
    none = dataclasses.replace(path, accuracy=np.full(4, np.nan))
    with pytest.raises(ValueError, match="needs training accuracies; the path has none"):
        none.estimated_size(bounds="accuracy")
    with pytest.raises(ValueError, match=r"two accuracies or 'accuracy'\. Got 'precision'"):
        path.estimated_size(bounds="precision")
    for bounds in ((0.9, 0.5), (0.5,), (float("nan"), 1.0)):
        with pytest.raises(ValueError, match="bounds must be the accuracy with no column"):
            path.estimated_size(bounds=bounds)
    recorder = PathRecorder(3)
    with pytest.raises(ValueError, match="the path is not finished"):
        recorder.path().estimated_size()


@pytest.mark.parametrize("k", [-1, 10])
def test_top_of_more_than_there_are_is_refused(k: int) -> None:
    with pytest.raises(ValueError, match=r"k must lie in \[0, 9\]\. Got"):
        finished().top(k)


# ---- for people


def test_frame() -> None:
    names = [f"gene {j}" for j in range(COLUMNS)]
    path = finished(column_names=names)
    frame = path.to_frame()
    assert list(frame.columns) == [
        "column",
        "name",
        "rank",
        "score",
        "size_before",
        "iteration",
        "kkt_gap",
        "tied",
    ]
    np.testing.assert_array_equal(frame["column"], path.order)
    assert frame["name"].tolist() == [names[j] for j in path.order]
    assert frame["rank"].tolist() == list(range(1, 10))
    np.testing.assert_array_equal(frame["score"], path.importances[::-1])
    assert frame["size_before"].tolist() == [2, 2, 4, 4, 5, 7, 7, 9, 9]
    assert frame["iteration"].isna().tolist() == [True] * 2 + [False] * 7
    assert frame["iteration"][2:].tolist() == [4, 4, 3, 2, 2, 1, 1]
    np.testing.assert_array_equal(frame["kkt_gap"][2:4], path.kkt_gap[3])
    assert frame["tied"].tolist() == [False] * 4 + [True] + [False] * 4


def test_frame_of_a_path_without_steps() -> None:
    frame = PathRecorder(3).path().to_frame()
    assert frame["name"].tolist() == ["0", "1", "2"]
    assert frame["score"].isna().all()


def test_summary_and_repr() -> None:
    path = finished(engine="kernel", column_names=list("abcdefghi"))
    assert repr(path) == "Path(n_columns=9, steps=4, kept=2, stopped='size', engine='kernel')"
    first, second, third = path.summary().splitlines()
    assert first == "9 columns, 4 steps, 2 kept (stopped: size)"
    assert second == "best first: f, c, h, d, g, ..."
    seconds, gap = sum(path.seconds.tolist()), max([*path.kkt_gap.tolist(), path.final_kkt_gap])
    assert third == (f"engine kernel, {seconds:.3g} s, largest KKT gap {gap:.2g}, ties at 1 steps")
    assert PathRecorder(2).path().summary().endswith("best first: 0, 1")


# ---- recording


def test_a_path_in_the_making() -> None:
    recorder = PathRecorder(COLUMNS, notes={"seed": 3})
    assert (recorder.size, recorder.iteration) == (9, 0)
    for count, stretch in enumerate(stretches(), start=1):
        recorder.add(stretch)
        path = recorder.path()
        assert path.stopped == "running"
        assert path.n_steps == recorder.iteration
        assert len(path.survivors) == recorder.size == stretch.size_after
        assert np.isnan(path.survivor_scores).all()
        assert (np.diff(path.survivors) > 0).all()
        assert path.notes == {"seed": 3}
        assert path.dropped.tolist() == [
            j for earlier in stretches()[:count] for j in earlier.dropped
        ]


@pytest.mark.parametrize("solutions", [False, True])
@pytest.mark.parametrize("done", [0, 1, 2])
def test_going_on_from_an_unfinished_path(done: int, solutions: bool) -> None:
    options = {"column_names": list("abcdefghi"), "engine": "kernel", "notes": {"a": [1]}}
    whole = finished(solutions=solutions, **options)
    first = PathRecorder(COLUMNS, solutions=solutions, **options)
    for stretch in stretches(solutions)[:done]:
        first.add(stretch)
    second = PathRecorder(COLUMNS, solutions=solutions, start=first.path())
    assert (second.size, second.iteration) == (first.size, first.iteration)
    for stretch in stretches(solutions)[done:]:
        second.add(stretch)
    second.finish(np.array([5, 2]), np.array([9.0, 8.0]), "size", accuracy=0.75)
    assert_same(second.path(), whole)


def test_facts_given_again_hold() -> None:
    start = PathRecorder(COLUMNS, engine="old", notes={"a": 1}).path()
    path = PathRecorder(COLUMNS, engine="new", notes={}, start=start).path()
    assert path.engine == "new"
    assert path.notes == {}
    recorder = PathRecorder(COLUMNS, start=start)
    recorder.finish(np.arange(COLUMNS), np.zeros(COLUMNS), "size", engine="last")
    assert recorder.path().engine == "last"


def test_steps_recorded_before_solutions_were_asked_for_have_none() -> None:
    first = PathRecorder(COLUMNS)
    first.add(stretches()[0])
    second = PathRecorder(COLUMNS, solutions=True, start=first.path())
    second.add(stretches(True)[1])
    assert [len(step) for step in second.path().solutions] == [0, 2, 2]


def test_a_stretch_that_does_not_follow_is_refused() -> None:
    recorder = PathRecorder(COLUMNS)
    with pytest.raises(ValueError, match=r"begin with iteration 1 and 9 columns\. Got"):
        recorder.add(stretches()[1])
    with pytest.raises(ValueError, match="start has 9 columns, the table 5"):
        PathRecorder(5, start=recorder.path())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": np.zeros(3)}, "scores must have 7 entries. Got 3"),
        ({"tied": np.zeros(3, bool)}, "tied must have 4 entries. Got 3"),
        ({"survivor_scores": np.zeros(3)}, "survivor_scores must have 2 entries. Got 3"),
        ({"column_names": ("a",)}, "column_names must have 9 entries. Got 1"),
        ({"solutions": ()}, "solutions must have 4 entries. Got 0"),
        ({"counts": np.array([2, 2, 2, 2])}, "counts must add up to the 7 .* Got 8"),
        ({"survivors": np.array([5, 4])}, "must name each of 9 columns once"),
        ({"n_columns": 10}, "must name each of 10 columns once"),
    ],
)
def test_arrays_must_agree(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(finished(), **change)


# ---- files

HOSTILE = ["ä", "", "a,b\n", "\x00", "名", '"', "../x", "e" * 300, "\ud800"]


@pytest.mark.parametrize("solutions", [False, True])
def test_saved_and_loaded(tmp_path, solutions: bool) -> None:
    notes = {"chance": np.float64(0.5), "sizes": np.array([1, 2]), "nested": {"x": [None, True]}}
    path = finished(solutions=solutions, engine="kernel", column_names=HOSTILE, notes=notes)
    file = tmp_path / "run"  # nothing is appended to the name
    path.save(file)
    loaded = Path.load(file)
    plain = {"chance": 0.5, "sizes": [1, 2], "nested": {"x": [None, True]}}
    assert loaded.notes == plain
    assert_same(loaded, dataclasses.replace(path, notes=plain))
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_an_unfinished_path_is_saved_too(tmp_path) -> None:
    path = PathRecorder(COLUMNS, solutions=True).path()
    path.save(tmp_path / "empty.npz")
    assert_same(Path.load(tmp_path / "empty.npz"), path)
    assert Path.load(str(tmp_path / "empty.npz")).stopped == "running"


def test_a_failed_save_leaves_the_old_file(tmp_path) -> None:
    file = tmp_path / "run.npz"
    finished().save(file)
    before = file.read_bytes()
    with pytest.raises(TypeError, match="notes must hold plain values"):
        finished(notes={"thing": object()}).save(file)
    broken = dataclasses.replace(finished())
    object.__setattr__(broken, "scores", np.array([object()]))
    with pytest.raises(ValueError, match="scores must hold numbers"):
        broken.save(file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_a_save_replaces_the_file_as_a_whole(tmp_path) -> None:
    file = tmp_path / "run.npz"
    file.write_bytes(b"old")
    other_name = tmp_path / "link.npz"
    os.link(file, other_name)
    finished().save(file)
    assert other_name.read_bytes() == b"old"
    assert Path.load(file).same_ranking(finished())


def rewritten(file, **changes) -> bytes:
    """The archive with some entries replaced, or removed where None."""
    with np.load(file) as archive:
        entries = {name: archive[name] for name in archive.files}
    facts = json.loads(entries["facts"].tobytes())
    for name, value in changes.items():
        target = entries if name in entries else facts
        if value is None:
            del target[name]
        else:
            target[name] = value
    if "facts" in entries:
        entries["facts"] = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **entries)
    return buffer.getvalue()


def test_damaged_files_are_refused_by_name(tmp_path) -> None:
    file = tmp_path / "run.npz"
    finished(solutions=True).save(file)
    good = file.read_bytes()
    other_archive = io.BytesIO()
    with zipfile.ZipFile(other_archive, "w") as archive:
        archive.writestr("notes.txt", "hello")
    plain_array = io.BytesIO()
    np.save(plain_array, np.zeros(3))
    damaged = [
        b"",
        b"garbage",
        good[: len(good) // 2],
        good[:-30],
        good[:200] + bytes(50) + good[250:],
        other_archive.getvalue(),
        plain_array.getvalue(),
        rewritten(file, facts=None),
        rewritten(file, dropped=None),
        rewritten(file, counts=np.array([1])),
        rewritten(file, survivors=np.array([0, 0])),
        rewritten(file, solution_sizes=np.array([2])),
        rewritten(file, solution_sizes=np.zeros(8, dtype=np.int64)),
        rewritten(file, solution_sizes=np.array([-1, 9, 0, 0, 0, 0, 0, 0])),
        rewritten(file, solution_problems=np.array([9, 9, 9, 9])),
        rewritten(file, n_columns=10**15),
        rewritten(file, n_columns="nine"),
        rewritten(file, column_names=3),
        rewritten(file, dropped=finished().dropped.astype(float)),
        rewritten(file, scores=np.array(["high"] * 7)),
        rewritten(file, scores=np.ones((7, 1))),
        rewritten(file, tied=np.zeros(4)),
        rewritten(file, counts=np.array([8, -4, 1, 2])),
        rewritten(file, solution_rows=np.zeros(4)),
        rewritten(file, solution_offsets=np.array(["0.5"] * 8)),
        rewritten(file, stopped=None),
        rewritten(file, final_accuracy="high"),
        rewritten(file, notes=[1]),
    ]
    for content in damaged:
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"run\.npz' is damaged or is no path of svsieve"):
            Path.load(file)
        assert file.read_bytes() == content


def test_a_later_format_is_refused(tmp_path) -> None:
    file = tmp_path / "run.npz"
    finished().save(file)
    file.write_bytes(rewritten(file, format=99))
    with pytest.raises(ValueError, match=r"run\.npz' has format 99; this version reads 1"):
        Path.load(file)


def test_nothing_in_a_file_is_run(tmp_path) -> None:
    file = tmp_path / "run.npz"
    finished().save(file)
    with np.load(file) as archive:
        entries = {name: archive[name] for name in archive.files}
    entries["scores"] = np.array([print], dtype=object)
    np.savez(file, **entries)
    with pytest.raises(ValueError, match="damaged"):
        Path.load(file)


def test_an_absent_file_is_an_absent_file(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        Path.load(tmp_path / "none.npz")
    with pytest.raises(FileNotFoundError):
        finished().save(tmp_path / "folder" / "run.npz")


def test_files_are_small(tmp_path) -> None:
    n = 60_000
    path = PathRecorder(n).path()
    ones = np.random.default_rng(0).random(n - 1)
    long = dataclasses.replace(
        path,
        counts=np.ones(n - 1, dtype=np.int64),
        **{name: ones for name in ("following", "kkt_gap", "accuracy", "seconds", "scores")},
        resolution=ones * 1e-12,
        tied=ones > 2,
        dropped=np.random.default_rng(0).permutation(n)[1:],
        survivors=np.random.default_rng(0).permutation(n)[:1],
        survivor_scores=np.ones(1),
    )
    long.save(tmp_path / "long.npz")
    assert (tmp_path / "long.npz").stat().st_size < 4e6
