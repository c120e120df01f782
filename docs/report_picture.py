"""Make ``docs/images/report.png`` from ``svsieve demo``: ``python docs/report_picture.py``.

Needs svsieve with all extras, playwright and a Chromium, on the path or in ``SVSIEVE_CHROMIUM``. To
be run when the report or what the demo finds has changed; the picture is under version control.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from svsieve.cli.app import run

PICTURE = Path(__file__).resolve().parent / "images" / "report.png"
SIZE = {"width": 960, "height": 1226}  # down to the end of the first chart


def main() -> None:
    """Run the demo, open its report and keep what is seen first."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as browsers:
        run(["demo", "--out", folder])
        found = os.environ.get("SVSIEVE_CHROMIUM") or shutil.which("chromium")
        browser = browsers.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto((Path(folder) / "report.html").as_uri())
        page.wait_for_selector("#chart-accuracy[data-ready] svg")
        page.screenshot(path=PICTURE)
        browser.close()
    with Image.open(PICTURE) as seen:
        seen.convert("RGB").quantize(256).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
