"""How the browser is found, and what is said where there is none."""

import os

import pytest

from tests.browser import chromium


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No browser on the path, no right to install one."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SVSIEVE_CHROMIUM", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return tmp_path


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0)])
def test_absence_is_said_and_a_failure_only_in_ci(nowhere, monkeypatch, capsys, ci, code):
    monkeypatch.setenv("CI", ci)
    assert chromium.main() == code
    said = capsys.readouterr().err
    assert "No Chromium was found" in said
    assert "apt-get install chromium" in said
    assert ("failed, as CI is true" if ci else "left out") in said


def test_a_browser_on_the_path_is_taken(nowhere, monkeypatch):
    program = nowhere / "chromium"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert chromium.find() == str(program)
    assert chromium.main() == 0
    monkeypatch.setenv("SVSIEVE_CHROMIUM", "/elsewhere/chrome")
    assert chromium.find() == "/elsewhere/chrome"


def test_root_with_apt_installs_the_package_of_debian(nowhere, monkeypatch, capsys):
    """A stand-in for apt-get that needs its lists first, and then makes a browser."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    log, lists, browser = nowhere / "log", nowhere / "lists", nowhere / "chromium"
    program = nowhere / "apt-get"
    program.write_text(
        "#!/bin/bash\n"
        f'echo "$*" >> {log}\n'
        f'if [ "$1" = update ]; then echo > {lists}; exit 0; fi\n'
        f"if [ ! -f {lists} ]; then exit 100; fi\n"
        f"echo '#!/bin/sh' > {browser}; PATH=/bin:/usr/bin chmod +x {browser}\n"
    )
    program.chmod(0o755)
    assert chromium.main() == 0
    assert chromium.find() == str(browser)
    steps = [line.split()[0] for line in log.read_text().splitlines()]
    assert steps == ["install", "update", "install"]
    assert "installing chromium" in capsys.readouterr().err
