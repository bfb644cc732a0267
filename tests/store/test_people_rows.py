"""Each table is in the archive of a person or withheld for a reason, and has nothing of them once they are deleted."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from app.domain.people.people import Role
from app.runs.people.administration import delete_person
from app.runs.process.old_files import EXPORTS, IMPORTS
from app.runs.wiring import open_quietly
from app.runs.workbench import Workbench
from app.store.database.migrations import upgrade
from app.store.people.belongings import KEPT
from app.store.people.everything import WITHHELD, list_tables, read_rows
from app.store.tables import Row
from tests.runs.people.accounts import a_person
from tests.runs.steps import settings_of
from tests.store.people_rows import insert_rows, mark_of, tables_with_a_row

ENTRIES = {"audit", "deleted_person"}
"""Tables that keep the id of a deleted person: who did what, and that they are gone."""


@pytest.fixture
async def wb(tmp_path: Path) -> AsyncGenerator[Workbench]:
    settings = settings_of(tmp_path, INVIEW_ACCOUNTS="on")
    upgrade(settings.database_url)
    async with open_quietly(settings) as opened:
        await a_person(opened, "owen", Role.OWNER)
        async with opened.store.write() as session:
            for name in ("mia", "max"):
                await insert_rows(session, name)
        yield opened


def test_each_table_is_in_the_archive_or_withheld_for_a_reason() -> None:
    exported = {table.name for table in list_tables()}

    assert exported | {*WITHHELD} == {*Row.metadata.tables}
    assert not exported & {*WITHHELD}
    assert all(reason.endswith(".") for reason in WITHHELD.values())


async def test_the_archive_has_the_rows_of_each_table_and_none_of_others(wb: Workbench) -> None:
    lacking: list[str] = []
    async with wb.store.read() as session:
        for table in list_tables():
            whole = repr([row async for row in read_rows(session, table, "mia")])
            if mark_of(table.name, "mia") not in whole and "mia" not in whole:
                lacking.append(table.name)
            assert "max" not in whole, table.name

    assert lacking == []


async def test_nothing_of_a_deleted_person_stays_but_the_ledger_and_the_audit_trail(
    wb: Workbench, tmp_path: Path
) -> None:
    others = await _texts(wb, "max")
    assert {*others} == {table.name for table in tables_with_a_row()} - {"role_budget", "role_models"}
    for name in (EXPORTS, IMPORTS):
        for person in ("mia", "max"):
            (tmp_path / name / person).mkdir(parents=True)
            (tmp_path / name / person / "x.zip").write_text("theirs")

    await delete_person(wb, "owen", "mia", mark_of("person", "mia"))

    assert {*await _texts(wb, "mia")} - ENTRIES == KEPT
    assert await _texts(wb, "max") == others
    assert _owners_of_files(tmp_path) == {"max"}


def _owners_of_files(data_dir: Path) -> set[str]:
    return {path.parent.name for path in data_dir.rglob("x.zip")}


async def _texts(wb: Workbench, name: str) -> dict[str, list[str]]:
    """The rows that name this person or bear their mark, by table."""
    async with wb.store.read() as session:
        found = {table.name: await _rows(session, table, name) for table in Row.metadata.sorted_tables}
    return {table: rows for table, rows in found.items() if rows and table not in {"role_budget", "role_models"}}


async def _rows(session: AsyncSession, table: Any, name: str) -> list[str]:
    rows = (await session.execute(select(table))).all()
    return sorted(text for row in rows if f"'{name}'" in (text := repr(tuple(row))) or f"zq-{name}" in text)
