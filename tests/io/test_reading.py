"""Tables from files of every kind, with their classes."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

pytest.importorskip("pyarrow")


from svsieve.io import read_table, svmlight
from svsieve.io.table import Table

X = np.array([[1.0, 0.0, 3.5], [0.0, 2.0, 0.0], [4.0, 0.0, 1.0], [0.0, 1.0, 2.0]])
LABELS = ["a", "b", "a", "b"]


def csv(folder, name="t.csv", ids=True):
    lines = ["id,kind,x,y,z" if ids else "kind,x,y,z"]
    for k, (label, row) in enumerate(zip(LABELS, X.tolist(), strict=True)):
        lines.append(",".join([*([f"r{k}"] if ids else []), label, *map(str, row)]))
    data = ("\n".join(lines) + "\n").encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    return folder / name


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "T.CSV"])
def test_csv(tmp_path, name):
    table = read_table(csv(tmp_path, name), target="kind", id_column="id")
    np.testing.assert_array_equal(table.values, X)
    assert table.values.flags.c_contiguous
    assert table.names == ("x", "y", "z")
    assert table.ids == ("r0", "r1", "r2", "r3")
    assert table.labels.tolist() == LABELS
    assert table.class_counts == {"a": 2, "b": 2}
    assert list(table.digests) == [name]


def test_columns_are_left_out_or_used_alone(tmp_path):
    file = csv(tmp_path)
    assert read_table(file, target="kind", drop=["id", "y"]).names == ("x", "z")
    assert read_table(file, target="kind", only=["z", "x"]).names == ("x", "z")


def test_a_first_column_without_a_name_names_the_rows(tmp_path):
    (tmp_path / "t.csv").write_text(",kind,x\nr0,a,1\nr1,b,2\n")
    assert read_table(tmp_path / "t.csv", target="kind").ids == ("r0", "r1")


def test_parquet_with_types_of_all_kinds(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    columns = {
        "kind": pa.array([0, 1, 0, 1]),
        "whole": pa.array([1, 2, 3, 4], type=pa.int32()),
        "truth": pa.array([True, False, True, True]),
        "single": pa.array([0.5, 1.5, 2.5, 3.5], type=pa.float32()),
        "text": pa.array(["1", "2", "3", "4.5"]),
    }
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", target="kind")
    expected = [[1, 1, 0.5, 1], [2, 0, 1.5, 2], [3, 1, 2.5, 3], [4, 1, 3.5, 4.5]]
    np.testing.assert_array_equal(table.values, expected)
    assert table.labels.tolist() == ["0", "1", "0", "1"]


def test_parquet_refusals_name_row_and_column(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    columns = {"kind": pa.array(["a", "b"]), "x": pa.array([1.0, None])}
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t\.parquet, row 2, column 'x': the cell is empty"):
        read_table(tmp_path / "t.parquet", target="kind")


def test_pandas_index_names_the_rows_of_a_parquet_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"kind": ["a", "b"], "x": [1.0, 2.0]}, index=["r0", "r1"])
    frame.to_parquet(tmp_path / "t.parquet", engine="pyarrow")
    table = read_table(tmp_path / "t.parquet", target="kind")
    assert (table.ids, table.names) == (("r0", "r1"), ("x",))


@pytest.mark.parametrize("zero_based", [True, False])
def test_svmlight_keeps_the_numbers_of_columns(tmp_path, zero_based):
    file = tmp_path / "t.svmlight"
    dump_svmlight_file(X, [1, -1, 1, -1], str(file), zero_based=zero_based)
    table = read_table(file)
    assert sp.issparse(table.values)
    np.testing.assert_array_equal(table.dense().values, X)
    assert table.names == (("0", "1", "2") if zero_based else ("1", "2", "3"))
    assert table.labels.tolist() == ["1", "-1", "1", "-1"]


def test_sparse_tables_are_written_out_where_they_are_small_or_nearly_full():
    thin, full = np.eye(100), np.ones((100, 100))
    for values, small, dense in ((thin, 1e3, False), (thin, 1e5, True), (full, 1e3, True)):
        table = Table(sp.csr_array(values), tuple(map(str, range(100))))
        assert isinstance(table.dense(small).values, np.ndarray) == dense
        np.testing.assert_array_equal(table.dense(1e9).values, values)


def test_npz(tmp_path):
    np.savez(tmp_path / "t.npz", X=X, y=LABELS, feature_names=["x", "y", "z"], other=[1, 0, 1, 0])
    table = read_table(tmp_path / "t.npz")
    np.testing.assert_array_equal(table.values, X)
    assert (table.names, table.target) == (("x", "y", "z"), "y")
    assert read_table(tmp_path / "t.npz", target="other").labels.tolist() == ["1", "0", "1", "0"]


def test_npz_without_names_numbers_columns(tmp_path):
    np.savez(tmp_path / "t.npz", X=X, y=LABELS)
    assert read_table(tmp_path / "t.npz").names == ("0", "1", "2")


def test_labels_by_name_and_by_order(tmp_path):
    file = csv(tmp_path)
    named = tmp_path / "named.csv"
    named.write_text("who,sort\nr3,p\nr2,q\nr1,q\nr0,p\nr9,p\n")
    table = read_table(file, labels=named, id_column="id", drop=["kind"])
    assert (table.labels.tolist(), table.target) == (["p", "q", "q", "p"], "sort")
    for text in ("sort\np\nq\nq\np\n", "p\nq\nq\np\n"):  # with a head, without one
        (tmp_path / "order.csv").write_text(text)
        table = read_table(file, labels=tmp_path / "order.csv", drop=["id", "kind"])
        assert table.labels.tolist() == ["p", "q", "q", "p"]
    assert set(table.digests) == {"t.csv", "order.csv"}


def test_labels_of_the_file_itself_have_the_name_y(tmp_path):
    np.savez(tmp_path / "t.npz", X=X, y=LABELS, other=[1, 0, 1, 0])
    dump_svmlight_file(X, [1, -1, 1, -1], str(tmp_path / "t.svmlight"))
    for name, labels in (("t.npz", LABELS), ("t.svmlight", ["1", "-1", "1", "-1"])):
        table = read_table(tmp_path / name, target="y")
        assert (table.labels.tolist(), table.target) == (labels, "y")
        np.testing.assert_array_equal(table.dense().values, X)
        with pytest.raises(ValueError, match="target"):
            read_table(tmp_path / name, target="yy")


def test_a_column_of_the_name_y_comes_first(tmp_path):
    signs = np.array([[1.0, 7.0], [0.0, 8.0], [0.0, 9.0], [1.0, 6.0]])
    np.savez(tmp_path / "t.npz", X=signs, y=LABELS, feature_names=["y", "z"])
    table = read_table(tmp_path / "t.npz", target="y")
    assert (table.names, table.labels.tolist()) == (("z",), ["1", "0", "0", "1"])


def test_without_a_target_where_none_is_needed(tmp_path):
    table = read_table(csv(tmp_path), drop=["id", "kind"], need_target=False)
    assert table.labels is None
    assert table.class_counts == {}


def test_a_table_without_rows_is_refused(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.empty((0, 3)))
    with pytest.raises(ValueError, match=r"^t\.npz has no rows\.$"):
        read_table(tmp_path / "t.npz", need_target=False)


@pytest.mark.parametrize(
    ("labels", "measured"),
    [
        ([1, 2, 3, 1, 1], True),  # three numbers in five rows
        ([1, 2, 3, 1, 1, 2], False),
        ([1, 2, 3, 4, 1, 1, 2, 3, 4], False),
        ([1, 2, 1], False),  # two kinds are always classes
        (["1", "2", "c"], False),
    ],
)
def test_numbers_in_more_than_half_of_the_rows_look_measured(tmp_path, labels, measured):
    np.savez(tmp_path / "t.npz", X=np.ones((len(labels), 1)), y=labels)
    if not measured:
        assert read_table(tmp_path / "t.npz").n_rows == len(labels)
        return
    with pytest.raises(ValueError, match=r"Got 3 different numbers in 5 rows, which look measured"):
        read_table(tmp_path / "t.npz")


def test_a_format_may_be_said(tmp_path):
    file = csv(tmp_path).rename(tmp_path / "table.data")
    assert read_table(file, target="kind", id_column="id", format="delimited").n_rows == 4
    with pytest.raises(ValueError, match="format of a table must be one of delimited"):
        read_table(file, format="excel")


def test_only_named_rows_can_be_transposed(tmp_path):
    np.savez(tmp_path / "t.npz", X=X, y=LABELS)
    with pytest.raises(ValueError, match=r"t\.npz cannot be transposed"):
        read_table(tmp_path / "t.npz", transpose=True)


@pytest.mark.parametrize(
    ("limits", "refused"),
    [
        ({"FREE_COLUMNS": 10}, True),
        ({"FREE_COLUMNS": 11}, False),
        ({"FREE_COLUMNS": 1, "COLUMNS_PER_ENTRY": 3}, True),
        ({"FREE_COLUMNS": 1, "COLUMNS_PER_ENTRY": 4}, False),
        ({"BYTES_PER_COLUMN": 1e18}, True),
    ],
)
def test_columns_of_svmlight_are_counted_before_they_are_made(
    tmp_path, monkeypatch, limits, refused
):
    file = tmp_path / "t.svm"
    file.write_text("1 1:1\n# nothing\n0 2:1 11:1\n")
    limits = {"FREE_COLUMNS": 5, "COLUMNS_PER_ENTRY": 1} | limits
    if "BYTES_PER_COLUMN" in limits:
        limits["FREE_COLUMNS"] = 100
    for name, value in limits.items():
        monkeypatch.setattr(svmlight, name, value)
    if not refused:
        assert read_table(file).n_columns == 11
        return
    with pytest.raises(ValueError, match=r"t\.svm, line 3: the index 11 .* 3 entries"):
        read_table(file)
