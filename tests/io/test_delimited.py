"""Text tables: what divides cells is found, and what is wrong is named with its line."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyarrow")

from svsieve.io import delimited, read_table
from svsieve.io.delimited import Dialect, read_delimited, sniffed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1.5,2\n", Dialect(",")),
        ("a;b\n1.5;2\n", Dialect(";")),
        ("a;b\n1,5;2,5\n", Dialect(";", ",")),
        ("a\tb\n1,5\t2,5\n", Dialect("\t", ",")),
        ("a|b\n1|2\n", Dialect("|")),
        ("a b c\n1 2 3\n", Dialect(" ")),
        ('"a,x";b\n1;2\n', Dialect(";")),
        ('a,b\n"1,5","2,5"\n', Dialect(",", ",")),
        ("x;y,z;w\n1;2;3\n", Dialect(";")),
        ("mean radius,mean area\n1,2\n3,4\n", Dialect(",")),
        ("label\nyes\nno\n", Dialect("\t")),
    ],
)
def test_delimiter_and_decimal_sign_are_found(text, expected):
    assert sniffed(text, "t.csv") == expected


@given(
    values=st.lists(
        st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 4)), min_size=3, max_size=3),
        min_size=2,
        max_size=6,
    ),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    comma=st.booleans(),
)
def test_what_is_written_is_read(values, delimiter, comma):
    decimal = "," if comma and delimiter != "," else "."
    lines = [delimiter.join(("a", "b", "c"))]
    lines += [delimiter.join(repr(x).replace(".", decimal) for x in row) for row in values]
    cells = read_delimited("\r\n".join(lines).encode(), "t.csv")
    assert cells.names == ["a", "b", "c"]
    np.testing.assert_array_equal(cells.numbers([0, 1, 2]), np.array(values))


def test_every_bit_of_a_number_arrives():
    values = np.random.default_rng(0).normal(size=(200, 3)) * 10.0 ** np.arange(-3, 6, 3)
    text = "a,b,c\n" + "\n".join(",".join(map(repr, row)) for row in values.tolist())
    np.testing.assert_array_equal(read_delimited(text.encode(), "t").numbers([0, 1, 2]), values)


def test_lines_are_counted_as_an_editor_counts_them():
    text = 'a,b\n1,2\n\n"3",4\n5,"x\ny"\n'
    cells = read_delimited(text.encode(), "t.csv")
    with pytest.raises(ValueError, match=r"t\.csv, line 6, column 'b'"):
        cells.numbers([0, 1])
    np.testing.assert_array_equal(cells.numbers([0]).ravel(), [1.0, 3.0, 5.0])


def test_blanks_truths_and_signs():
    cells = read_delimited(b"a,b,c\n 1.5 ,True,+2\n2,false,-1e-3\n", "t.csv")
    np.testing.assert_array_equal(cells.numbers([0, 1, 2]), [[1.5, 1, 2], [2, 0, -1e-3]])


@pytest.mark.parametrize("cell", ["1_000", "0x1F", "1.5.2", "1e", "½"])
def test_what_only_looks_like_a_number_is_none(cell):
    cells = read_delimited(f"a,b\n1,2\n{cell},2\n".encode(), "t.csv")
    with pytest.raises(ValueError, match=r"line 3, column 'a'"):
        cells.numbers([0, 1])


def test_byte_order_mark_and_unicode_names():
    cells = read_delimited("\ufeffgène,β\n1,2\n".encode(), "t.csv")
    assert cells.names == ["gène", "β"]


def test_head_one_shorter_than_rows_names_rows_in_the_first_column():
    cells = read_delimited(b"a\tb\nr1\t1\t2\nr2\t3\t4\n", "t.tsv")
    assert cells.names == ["", "a", "b"]
    assert cells.texts(0) == ["r1", "r2"]


def test_rows_become_columns():
    cells = read_delimited(b"gene,s1,s2,s3\nkind,x,y,x\ng1,1,2,3\ng2,4,5,z\n", "t.csv").transposed()
    assert cells.names == ["kind", "g1", "g2"]
    assert cells.row_names == ["s1", "s2", "s3"]
    assert cells.texts(0) == ["x", "y", "x"]
    np.testing.assert_array_equal(cells.numbers([1]).ravel(), [1, 2, 3])
    with pytest.raises(ValueError, match=r"line 4 \('g2'\), column 's3'.*'z'"):
        cells.numbers([1, 2])


def test_very_long_lines():
    names = [f"g{j}" for j in range(60_000)]
    rows = [",".join(["1.25"] * 60_000), ",".join(["2.5"] * 60_000)]
    cells = read_delimited("\n".join([",".join(names), *rows]).encode(), "t.csv")
    assert cells.names == names
    np.testing.assert_array_equal(cells.numbers(range(60_000))[:, [0, -1]], [[1.25] * 2, [2.5] * 2])


def test_very_long_cells():
    before = csv.field_size_limit()
    rows = f"x,{'a' * 200_000},1\ny,b,2\n"
    for delimiter in ",;\t":
        text = ("kind,text,g\n" + rows).replace(",", delimiter)
        cells = read_delimited(text.encode(), "t.csv")
        assert [len(cell) for cell in cells.texts(1)] == [200_000, 1]
        np.testing.assert_array_equal(cells.numbers([2]).ravel(), [1, 2])
    with pytest.raises(ValueError, match=r"t\.csv, line 3: must have 3 cells"):
        read_delimited(("kind,text,g\n" + rows).replace("y,b,2", "y,b").encode(), "t.csv")
    assert csv.field_size_limit() == before


def test_rows_of_some_megabytes():
    text = "kind,text,g\n" + f"x,{'a' * 3_000_000},1\ny,b,2\n" * 2
    cells = read_delimited(text.encode(), "t.csv")
    assert [len(cell) for cell in cells.texts(1)] == [3_000_000, 1] * 2
    np.testing.assert_array_equal(cells.numbers([2]).ravel(), [1, 2, 1, 2])


@pytest.mark.parametrize("place", [1, 40])
def test_cells_beyond_all_length_are_refused_with_their_line(monkeypatch, place):
    monkeypatch.setattr(delimited, "LONGEST_CELL", 1000)
    rows = ["x,1"] * 50
    rows[place - 1] = f"x,{'1' * 2000}"
    rows[-1] = "y"  # a broken row, which is looked for record by record
    with pytest.raises(ValueError, match=rf"t\.csv, line {place + 1}: cannot be divided"):
        read_delimited("\n".join(["kind,a", *rows]).encode(), "t.csv")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"kind,x\na,1\nb,\xff\n", "line 3: byte 0xff is no UTF-8; save the table as UTF-8 text"),
        (b"k\xe9nd,x\na,1\nb,2\n", "line 1: byte 0xe9 is no UTF-8; save the table as UTF-8 text"),
        (b"kind,x\na,1\nb,\0\n", "line 3: holds a zero byte, so it is no delimited text"),
    ],
)
def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path, data, said):
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(ValueError, match=rf"t\.csv, {said}\."):
        read_table(tmp_path / "t.csv", target="kind")
