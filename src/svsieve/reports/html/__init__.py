"""The report as one page of HTML that needs nothing but a browser."""

from svsieve.reports.html.page import render, render_frame

__all__ = ["render", "render_frame"]
