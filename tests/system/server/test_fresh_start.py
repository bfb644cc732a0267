"""From a clone to a served page with one command, as on a machine that has only Python and make."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.serving import LISTENS, ROOT

pytestmark = [pytest.mark.exhaustive, pytest.mark.slow, pytest.mark.timeout(400)]

READY = "Inview: http://127.0.0.1:"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Clone the committed files, without any other file of this folder."""
    folder = tmp_path_factory.mktemp("fresh") / "inview"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def make_run(clone: Path, seconds: float) -> str:
    """Run `make run` until it has served the page and is ready. Return its output."""
    ours = ("INVIEW_", "ANTHROPIC_", "OPENAI_", "MAKE", "VIRTUAL_ENV", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    output = clone.parent / "output.txt"
    deadline = time.monotonic() + seconds
    with output.open("wb") as stream:
        make = subprocess.Popen(
            ["make", "run"],
            cwd=clone,
            env={**environment, "INVIEW_PORT": "0"},
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            page = _first_page(output, make, deadline)
            while READY not in output.read_text() and time.monotonic() < deadline and make.poll() is None:
                time.sleep(0.05)  # the page comes first, the rest of the application after it
        finally:
            os.killpg(make.pid, signal.SIGTERM)
            make.wait(20)
    assert b"Inview" in page, output.read_text()
    return output.read_text()


def _first_page(output: Path, make: subprocess.Popen[bytes], deadline: float) -> bytes:
    while time.monotonic() < deadline and make.poll() is None:
        if not (named := LISTENS.search(output.read_text())):
            time.sleep(0.05)
            continue
        url = f"http://127.0.0.1:{named[1]}/"
        try:
            with urllib.request.urlopen(url, timeout=max(1.0, deadline - time.monotonic())) as answer:
                page: bytes = answer.read()
                return page
        except urllib.error.URLError:
            time.sleep(0.05)
    return b""


def disk_megabytes(*folders: Path) -> float:
    """Return the size of folders on the disk, as `du` counts it."""
    files = [path.lstat() for folder in folders for path in folder.rglob("*")]
    return sum({file.st_ino: file.st_blocks for file in files}.values()) * 512 / 2**20


def test_one_command_leads_from_a_clone_to_the_page_and_says_how_far_it_is(clone: Path) -> None:
    output = make_run(clone, 300)

    steps = ["Making .venv", "Installing packages", "Building the page", "Built the page", READY]
    assert sorted(steps, key=output.find) == steps, output
    assert all(step in output for step in steps), output
    assert (clone / "data" / "inview.db").is_file()


def test_a_second_start_installs_and_builds_nothing(clone: Path) -> None:
    output = make_run(clone, 60)

    assert LISTENS.sub("", output).lstrip().startswith(READY), output


def test_what_a_clone_takes_of_the_disk_is_bounded(clone: Path) -> None:
    environment, built = disk_megabytes(clone / ".venv"), disk_megabytes(clone / ".web", clone / ".pages")

    print(f"environment {environment:.0f} MB, build output {built:.0f} MB")
    assert environment <= 400
    assert built <= 60


def test_what_was_removed_after_a_build_comes_back_for_the_next(clone: Path) -> None:
    style = clone / "assets" / "inview.css"
    before = style.read_text()
    style.write_text(before + "/* another page */\n")
    try:
        output = make_run(clone, 300)
    finally:
        style.write_text(before)

    assert "Built the page" in output, output
    assert len(list((clone / ".pages").iterdir())) == 2
    assert disk_megabytes(clone / ".web", clone / ".pages") <= 60


def test_starting_changes_no_file_of_the_clone(clone: Path) -> None:
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True)

    assert changed.stdout == ""
