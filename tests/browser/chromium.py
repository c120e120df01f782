"""Where the browser of the tests is: ``python -m tests.browser.chromium`` finds or installs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ABSENT = (
    "No Chromium was found (looked for {names}, and for the file named by SVSIEVE_CHROMIUM). The "
    "tests of the report in a browser need one: on Debian, apt-get install chromium."
)


def find() -> str | None:
    """Return the path of a Chromium; None if there is none."""
    return os.environ.get("SVSIEVE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def absence() -> str:
    """Return what to say where there is none."""
    return ABSENT.format(names=", ".join(NAMES))


def is_required() -> bool:
    """Tell whether tests must not be left out: where CI is true."""
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def install() -> None:
    """Install Debian's package where that is allowed: as root, with apt-get."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return
    sys.stderr.write("installing chromium, for the tests of the report in a browser\n")
    settings = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    package = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
    # Lists of packages may be missing or old: they are fetched if it does not work without.
    for command in (package, ["apt-get", "update", "-qq"], package):
        done = subprocess.run(command, env=settings, stdout=subprocess.DEVNULL, check=False)
        if command is package and done.returncode == 0:
            return


def main() -> int:
    """Find or install a browser, or say that there is none."""
    if find() is None:
        install()
    if find() is not None:
        return 0
    outcome = "failed, as CI is true" if is_required() else "left out"
    sys.stderr.write(f"{absence()} They are {outcome}.\n")
    return int(is_required())


if __name__ == "__main__":
    sys.exit(main())
