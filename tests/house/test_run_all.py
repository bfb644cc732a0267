"""`make test` runs failed tests once more: a test that fails again fails the run, and one that passes is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import run_all

UNSTEADY = """
from pathlib import Path
import pytest
TRIED = Path(__file__).with_name("tried")
def test_steady(): pass
@pytest.mark.parametrize("number", [1])
def test_late(number):
    tried = TRIED.exists()
    TRIED.touch()
    assert tried, "not yet\\nand more"
"""
BROKEN = """
import pytest
def test_steady(): pass
@pytest.mark.parametrize("number", range(11))
def test_wrong(number): raise ValueError(f"{number} is wrong")
"""


def run_twice(folder: Path, tests: str) -> run_all.Count:
    """Run with the options that every test has here."""
    (folder / "test_page.py").write_text(tests)
    report = folder / "1.xml"
    first = run_all.run_suite("browser", [str(folder)], report)
    return run_all.run_failed_again("browser", first, report)[0]


def test_test_that_passes_when_run_again_is_named_with_its_error_and_does_not_fail_the_run(tmp_path: Path):
    count = run_twice(tmp_path, UNSTEADY)

    assert (count.passed, count.failed) == (1, {})
    named, said = count.name_all().splitlines()
    assert re.fullmatch(r"unsteady: \S+test_page.py::test_late\[1\]: AssertionError: not yet", named)
    assert said == "1 passed, 0 failed, 0 skipped, 1 unsteady"


def test_tests_that_fail_again_fail_the_run_and_are_named_with_their_errors(tmp_path: Path):
    count = run_twice(tmp_path, BROKEN)

    assert (count.passed, len(count.failed), count.unsteady) == (1, 11, {})
    *_, named, said = count.name_all().splitlines()
    assert re.fullmatch(r"failed: \S+test_page.py::test_wrong\[10\]: ValueError: 10 is wrong", named)
    assert said == "1 passed, 11 failed, 0 skipped"


@pytest.mark.parametrize(("tests", "code"), [(UNSTEADY, 0), (BROKEN, 1)])
def test_run_ends_with_a_code_and_writes_unsteady_tests_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tests: str, code: int
):
    (tmp_path / "test_page.py").write_text(tests)
    monkeypatch.setattr(run_all, "CHECKS", {})
    monkeypatch.setattr(run_all, "SUITES", {"browser": [str(tmp_path)]})
    monkeypatch.setattr(run_all, "UNSTEADY", tmp_path / "unsteady.txt")

    assert run_all.main() == code

    lines = (tmp_path / "unsteady.txt").read_text().splitlines()
    assert [line.partition("::")[2] for line in lines] == (
        ["test_late[1]: AssertionError: not yet"] if tests == UNSTEADY else []
    )


def test_run_that_finds_no_test_has_failed(tmp_path: Path):
    count, _ = run_all.run_suite("browser", [str(tmp_path)], tmp_path / "1.xml")

    assert count.failed == {"pytest itself": "ended with 5 (no test was found)"}
