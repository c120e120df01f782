"""How the documentation site is built; ``make docs`` builds it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

import svsieve

sys.path.insert(0, str(Path(__file__).resolve().parent))
from differences import write_pages

project = "svsieve"
author = "The svsieve developers"
copyright = "the svsieve developers"
release = version = svsieve.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "literal"  # single backquotes in docstrings name parameters and attributes
nitpicky = True

# --- pages ---------------------------------------------------------------------------------------

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = "svsieve"
html_math_renderer = "mathml"  # drawn by the browser itself: the site needs no network
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"quick_start": [], "changes": [], "errata": []}

# --- reference -----------------------------------------------------------------------------------

autosummary_generate = True
autodoc_typehints = "none"  # docstrings say what is allowed, in words
autodoc_default_options = {"members": True, "inherited-members": "Exception,object"}
numpydoc_show_class_members = False  # autodoc shows them

REQUEST = re.compile(r"set_\w+_request")  # added to every estimator for metadata routing
SHAPE, LAST = re.compile(r"shape \([^)]*\)"), re.compile(r"_(?=[,)])")

# --- gallery -------------------------------------------------------------------------------------

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "ignore_pattern": r"(^|/)(?!plot_)[^/]*\.py$",
    "doc_module": ("svsieve",),
    "reference_url": {"svsieve": None},
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
}


def formula(translator: Any, node: nodes.Element) -> None:
    """Write a formula as MathML."""
    latex = node.astext()
    display = "block" if isinstance(node, nodes.math_block) else "inline"
    written = convert(latex, display=display)
    if "\\" in written:
        logging.getLogger(__name__).warning("not understood: %s", latex, location=node)
    translator.body.append(written)
    raise nodes.SkipNode


def of_scikit_learn(
    app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what estimators inherit from scikit-learn: its own pages describe that."""
    module = getattr(getattr(obj, "fget", obj), "__module__", None) or ""
    return True if module.startswith("sklearn") or REQUEST.fullmatch(name) else None


def with_plain_shapes(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Keep ``shape (n_features_in_,)`` from being read as a link to ``n_features_in``."""
    lines[:] = [SHAPE.sub(lambda found: LAST.sub(r"\\_", found[0]), line) for line in lines]


def setup(app: Sphinx) -> None:
    """Connect what is defined here."""
    both = (formula, None)
    app.add_html_math_renderer("mathml", inline_renderers=both, block_renderers=both)
    app.connect("builder-inited", lambda _: write_pages())
    app.connect("autodoc-skip-member", of_scikit_learn)
    app.connect("autodoc-process-docstring", with_plain_shapes, priority=100)  # before numpydoc
