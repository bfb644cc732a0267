from __future__ import annotations

import re

import pytest

from app.domain.filters.bar.sheet import SHEET, describe_sheet
from app.domain.filters.language.commands import COMMANDS
from app.domain.filters.language.parser import parse_filter, parse_line
from app.domain.filters.language.predicates import Name

SECTIONS = {section.title: section for section in SHEET}


def test_the_sheet_has_every_predicate_and_every_command() -> None:
    assert [row[0] for row in SECTIONS["Filters"].rows] == [f"`{name}`" for name in Name]
    assert [row[0][2:].split("`")[0].split()[0] for row in SECTIONS["Commands"].rows[:-1]] == list(COMMANDS)


@pytest.mark.parametrize("section", SHEET, ids=lambda section: section.title)
def test_every_row_fills_its_table(section: object) -> None:
    found = SECTIONS[getattr(section, "title", "")]

    assert found.rows
    assert {len(row) for row in found.rows} == {len(found.heads)}


@pytest.mark.parametrize("title", ["Topics", "Boundary", "Examples"])
def test_every_filter_on_the_sheet_can_be_typed(title: str) -> None:
    for row in SECTIONS[title].rows:
        for typed in re.findall("`(.*)`", row[0]):
            parse_filter(typed)


def test_every_command_on_the_sheet_can_be_typed() -> None:
    for row in SECTIONS["Commands"].rows:
        assert parse_line(row[2].strip("`")).call


def test_the_page_has_all_sections_and_escapes_the_bars_of_its_tables() -> None:
    page = describe_sheet()

    assert all(f"\n## {title}\n" in page for title in SECTIONS)
    assert r"`t'*Neural*...' \| i`" in page
