"""`make test` runs failed tests again, to say what is wrong with them; one that is unsteady and not listed fails."""

from __future__ import annotations

import os
import re
from datetime import date
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


def test_test_that_passes_when_run_again_is_told_apart_and_has_failed(tmp_path: Path):
    count = run_twice(tmp_path, UNSTEADY)

    assert (count.passed, count.failed, count.failures) == (1, 1, ())
    named, said = count.name_all().splitlines()
    assert re.fullmatch(r"failed, then passed: \S+test_page.py::test_late\[1\] \(mend it.*\)", named)
    assert said == "1 passed, 1 failed, 0 skipped, 1 unsteady"


def test_test_on_the_list_may_pass_when_run_again_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    name = f"{os.path.relpath(tmp_path, run_all.ROOT)}/test_page.py::test_late"
    listed = tmp_path / "unsteady.toml"
    listed.write_text(f"[[test]]\nname = '{name}'\nsince = 2026-11-25\nreason = 'A test of lists.'")
    monkeypatch.setattr(run_all, "UNSTEADY", listed)

    count = run_twice(tmp_path, UNSTEADY)

    assert (count.passed, count.failed, count.known) == (2, 0, (f"{name}[1]",))
    assert count.name_all().splitlines() == [
        f"unsteady, as known: {name}[1]",
        "2 passed, 0 failed, 0 skipped, 1 unsteady",
    ]


def test_test_that_fails_again_has_failed(tmp_path: Path):
    count = run_twice(tmp_path, BROKEN)

    assert (count.passed, count.failed, count.unsteady, count.known) == (1, 1, (), ())
    assert count.name_all().splitlines()[0].endswith("test_page.py::test_wrong")


def test_many_failures_are_no_matter_of_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(run_all, "MAX_RUN_AGAIN", 0)

    assert len(run_twice(tmp_path, UNSTEADY).failures) == 1


def test_list_is_short_and_each_of_its_tests_exists_and_has_a_reason_and_a_date():
    listed = run_all.read_unsteady()

    assert len(listed) <= 10
    for each in listed:
        path, _, function = each.name.partition("::")
        assert f"def {function}(" in (run_all.ROOT / path).read_text(), each.name
        assert each.since <= date.today()  # noqa: DTZ011 - a day of the calendar
        assert len(each.reason) > 20
