"""``svsieve info``: versions and what is installed, for bug reports."""

from __future__ import annotations

import importlib.util
import os
import platform

from svsieve.cli import options as o
from svsieve.cli.console import show_json, show_table
from svsieve.cli.results import versions

# What an extra adds, told by one of its modules.
EXTRAS = {
    "cli": "pyarrow",
    "report": "vl_convert",
    "anndata": "anndata",
    "dask": "distributed",
    "networks": "networkx",
}


def info(as_json: o.Json = False) -> None:
    """Print versions, extras and the machine, for bug reports.

    Example: svsieve info --json
    """
    facts = {
        "versions": versions(),
        "extras": {
            name: importlib.util.find_spec(module) is not None for name, module in EXTRAS.items()
        },
        "system": platform.platform(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }
    if as_json:
        show_json(facts)
        return
    rows = [
        *facts["versions"].items(),  # type: ignore[attr-defined]
        *(
            (f"svsieve[{name}]", "installed" if there else "not installed")
            for name, there in facts["extras"].items()  # type: ignore[attr-defined]
        ),
        ("system", str(facts["system"])),
        ("cores", str(facts["cores"])),
    ]
    show_table(("", ""), rows)
