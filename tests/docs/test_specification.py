"""The table of requirements in `docs/specification.md`: modules, tests and decisions that it names exist."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from tests.docs.test_links import DOCS, ROOT, targets_of

ROW = re.compile(r"\| (?:[A-F]\d+|[34C]\.\d+) \|")


@dataclass(frozen=True)
class Requirement:
    """A row: `modules` and `tests` are paths of this repository; a test has its function after "::"."""

    number: str
    state: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]
    deviation: str


def read_requirements() -> list[Requirement]:
    lines = (DOCS / "specification.md").read_text(encoding="utf-8").splitlines()
    return [_read(line) for line in lines if ROW.match(line)]


def _read(line: str) -> Requirement:
    number, _, state, modules, tests, deviation = (cell.strip() for cell in line.strip("|").split(" | "))
    return Requirement(number, state, _names_in(modules), _names_in(tests), deviation)


def _names_in(cell: str) -> tuple[str, ...]:
    return tuple(re.findall(r"`([^`]+)`", cell))


def test_each_requirement_is_listed_once_and_names_who_holds_it() -> None:
    rows = read_requirements()

    assert len(rows) > 300
    assert [number for number, count in Counter(row.number for row in rows).items() if count > 1] == []
    assert [row.number for row in rows if row.state not in {"full", "half", "none"}] == []
    assert [row.number for row in rows if row.state == "full" and not row.modules] == []


def test_what_is_missing_is_named() -> None:
    unnamed = [row.number for row in read_requirements() if row.state != "full" and not row.deviation]

    assert unnamed == []


def test_modules_and_tests_of_requirements_exist() -> None:
    missing = [
        (row.number, name)
        for row in read_requirements()
        for name in (*row.modules, *row.tests)
        if not _exists(*name.partition("::")[::2])
    ]

    assert missing == []


def test_deviations_link_to_decisions() -> None:
    decided = [row for row in read_requirements() if "decisions/" in row.deviation]

    assert decided
    assert [row.number for row in decided if not targets_of(row.deviation)] == []


def _exists(path: str, function: str) -> bool:
    file = ROOT / path
    if not file.exists():
        return False
    return (
        not function
        or re.search(rf"^\s*(?:async )?def {function}\(", file.read_text("utf-8"), re.MULTILINE) is not None
    )
