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
from tests.effort import ALL, EFFORT
def test_steady(): pass
@pytest.mark.exhaustive
def test_all(): assert EFFORT == ALL
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


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose tests are the whole suite."""
    monkeypatch.setattr(run_all, "CHECKS", {})
    monkeypatch.setattr(run_all, "SUITES", {"browser": [str(tmp_path)]})
    monkeypatch.setattr(run_all, "UNSTEADY", tmp_path / "unsteady.txt")
    monkeypatch.setenv("EFFORT", "")
    return tmp_path


def run(
    small: Path, tests: str, capsys: pytest.CaptureFixture[str], *, tries_all: bool = False
) -> tuple[int, list[str]]:
    """Return the exit code of a run, and the lines that it prints after the line with its seconds."""
    (small / "test_page.py").write_text(tests)
    code = run_all.main(tries_all=tries_all)
    lines = capsys.readouterr().out.splitlines()
    return code, lines[lines.index("") + 2 :]


def test_unsteady_test_is_named_with_its_error_and_does_not_fail_the_gate(
    small: Path, capsys: pytest.CaptureFixture[str]
):
    code, (named, said) = run(small, UNSTEADY, capsys)

    assert code == 0
    assert re.fullmatch(r"unsteady: \S+test_page.py::test_late\[1\]: AssertionError: not yet", named)
    assert said == "1 passed, 0 failed, 0 skipped, 1 unsteady"
    assert (small / "unsteady.txt").read_text() == f"{named.removeprefix('unsteady: ')}\n"


def test_unsteady_test_fails_a_run_of_everything_which_has_exhaustive_tests_and_all_examples(
    small: Path, capsys: pytest.CaptureFixture[str]
):
    code, lines = run(small, UNSTEADY, capsys, tries_all=True)

    assert code == 1
    assert lines[-1] == "2 passed, 0 failed, 0 skipped, 1 unsteady"


def test_tests_that_fail_again_fail_the_run_and_are_named_with_their_errors(
    small: Path, capsys: pytest.CaptureFixture[str]
):
    code, (*named, said) = run(small, BROKEN, capsys)

    assert code == 1
    assert len(named) == 11
    assert re.fullmatch(r"failed: \S+test_page.py::test_wrong\[10\]: ValueError: 10 is wrong", named[-1])
    assert said == "1 passed, 11 failed, 0 skipped"
    assert (small / "unsteady.txt").read_text() == ""


def test_checks_that_fail_end_the_run(small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(run_all, "CHECKS", {"lint": ["python", "-c", "raise SystemExit(1)"]})

    assert run(small, BROKEN, capsys) == (1, ["failed: lint", "0 passed, 1 failed, 0 skipped"])


def test_run_that_finds_no_test_has_failed(small: Path, capsys: pytest.CaptureFixture[str]):
    assert run(small, "", capsys) == (
        1,
        ["failed: pytest itself: ended with 5 (no test was found)", "0 passed, 1 failed, 0 skipped"],
    )
