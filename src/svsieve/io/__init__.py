"""Tables in and out: files of many kinds become a `Table`, results become files."""

from svsieve.io.folder import whole_folder
from svsieve.io.reading import read_table
from svsieve.io.spreadsheet import neutralised, write_csv
from svsieve.io.table import Table

__all__ = ["Table", "neutralised", "read_table", "whole_folder", "write_csv"]
