"""`make test` runs failed tests once more, and hides nothing of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import run_all

UNSTEADY = """
from pathlib import Path
TRIED = Path(__file__).with_name("tried")
def test_steady(): pass
def test_late():
    tried = TRIED.exists()
    TRIED.touch()
    assert tried
"""
BROKEN = """
def test_steady(): pass
def test_wrong(): assert False
"""


def run_twice(folder: Path, tests: str) -> run_all.Count:
    """With the options every test has here: what is run again is found whatever they switch off."""
    (folder / "test_page.py").write_text(tests)
    report = folder / "1.xml"
    first = run_all.run_suite("browser", [str(folder)], report)
    return run_all.run_failed_again("browser", first, report)[0]


def test_test_that_passes_when_run_again_is_counted_and_named(tmp_path: Path):
    count = run_twice(tmp_path, UNSTEADY)

    assert (count.passed, count.failed) == (2, 0)
    name, said = count.name_all().splitlines()
    assert name.startswith("unsteady: ")
    assert name.endswith("test_page.py::test_late")
    assert said == "2 passed, 0 failed, 0 skipped, 1 unsteady"


def test_test_that_fails_again_has_failed(tmp_path: Path):
    count = run_twice(tmp_path, BROKEN)

    assert (count.passed, count.failed, count.unsteady) == (1, 1, ())
    assert count.name_all().splitlines()[0].endswith("test_page.py::test_wrong")


def test_many_failures_are_no_matter_of_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(run_all, "MOST_RUN_AGAIN", 0)

    assert run_twice(tmp_path, UNSTEADY).failed == 1
