"""An installation on PostgreSQL: copied there and back, backed up, checked by `verify` and `doctor`, alone on it."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from app.cli.backup import make_backup, restore_backup
from app.cli.doctor import check_installation
from app.cli.migrating import require_alone
from app.cli.moving import copy
from app.cli.preferred_language import read_language
from app.domain.errors import StoreError
from app.runs.library.preference_commands import change_preferences
from app.runs.send.commands import LOCAL_OWNER
from app.runs.wiring import open_workbench
from app.settings import SQLITE, Settings, load_settings
from app.store.database import claim
from app.store.database.database import kind_of, make_blocking_engine
from app.store.database.encryption import KEY_FILE
from tests.databases import SERVER, lay_unmigrated
from tests.house.test_backup import an_installation, digest_in, verify
from tests.runs.steps import a_conversation, reply_to

pytestmark = pytest.mark.skipif(SERVER is None, reason="INVIEW_TEST_DATABASE_URL names no server of PostgreSQL")


def said(_line: str) -> None:
    """What a person is told is of no interest here."""


def settings_on(folder: Path, url: str | None = None) -> Settings:
    """An installation in this folder, on SQLite or on this database."""
    folder.mkdir(exist_ok=True)
    named = {} if url is None else {"INVIEW_DATABASE_URL": url}
    return load_settings({"INVIEW_DATA_DIR": str(folder), "INVIEW_TITLES": "off", **named})


def url_of(folder: Path) -> str:
    return f"{SQLITE}{folder / 'inview.db'}"


async def test_an_installation_moves_to_postgresql_and_back_whole(tmp_path: Path) -> None:
    there, back = lay_unmigrated(), tmp_path / "back"
    await a_file(tmp_path / "data")
    before = await verify(settings_on(tmp_path / "data"))

    told = await copy(url_of(tmp_path / "data"), there, said)
    on_server = await verify(settings_on(tmp_path / "data", there))
    back.mkdir()
    await copy(there, url_of(back), said)
    again = await verify(settings_on(back))

    assert before[1] == on_server[1] == []
    assert digest_in(before[0]) == digest_in(on_server[0]) == digest_in(again[0])
    assert any(digest_in(before[0]) in line for line in told)


async def test_what_was_copied_is_searched_numbered_and_kept_from_change(tmp_path: Path) -> None:
    there = lay_unmigrated()
    await a_file(tmp_path / "data")
    await copy(url_of(tmp_path / "data"), there, said)

    async with open_workbench(settings_on(tmp_path / "data", there)) as wb:
        await reply_to(wb, await a_conversation(wb), "/echo Xylophonquartett")
        await reply_to(wb, await a_conversation(wb), "another")
    back = tmp_path / "back"
    back.mkdir()
    await copy(there, url_of(back), said)
    (back / KEY_FILE).write_bytes((tmp_path / "data" / KEY_FILE).read_bytes())
    async with open_workbench(settings_on(back)) as wb:
        await reply_to(wb, await a_conversation(wb), "and one more")

    for url in (there, url_of(back)):
        engine = make_blocking_engine(url)
        with engine.connect() as connection:
            found = "SELECT count(*) FROM search_text WHERE words LIKE '%Xylophon%' AND pair_id IS NOT NULL"
            assert connection.execute(text(found)).scalar_one() == 1
            numbers = list(connection.execute(text("SELECT rowid FROM ledger ORDER BY rowid")).scalars())
            assert numbers == list(range(1, len(numbers) + 1))
            triggers = set(connection.execute(text(kind_of(url).trigger_names)).scalars())
            assert triggers >= {"audit_is_not_changed", "ledger_is_not_changed", "ledger_is_summed"}
        with pytest.raises(IntegrityError, match="never deleted"), engine.begin() as connection:
            connection.execute(text("DELETE FROM ledger"))
        engine.dispose()
    with closing(sqlite3.connect(back / "inview.db")) as database:
        database.execute("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)")
        matched = database.execute("SELECT count(*) FROM search_index WHERE search_index MATCH 'xylophonquartett'")
        assert matched.fetchone() == (1,)
    for settings in (settings_on(tmp_path / "data", there), settings_on(back)):
        assert (await verify(settings))[1] == []


async def test_what_is_in_the_way_is_said_and_nothing_is_copied(tmp_path: Path) -> None:
    there = lay_unmigrated()
    settings = await a_file(tmp_path / "data")
    async with open_workbench(settings):
        with pytest.raises(StoreError, match="Inview runs on the database"):
            await copy(settings.database_url, there, said)
    await copy(settings.database_url, there, said)
    with pytest.raises(StoreError, match="The target is not empty"):
        await copy(settings.database_url, there, said)
    with pytest.raises(StoreError, match="exists, and is left as it is"):
        await copy(there, settings.database_url, said)
    with pytest.raises(StoreError, match="There is no database"):
        await copy(url_of(tmp_path / "nowhere"), lay_unmigrated(), said)


async def test_a_copy_that_fails_leaves_an_empty_target(tmp_path: Path) -> None:
    there = lay_unmigrated()
    settings = await a_file(tmp_path / "data")
    with closing(sqlite3.connect(tmp_path / "data" / "inview.db")) as database:
        database.execute("UPDATE pair SET position = 'nowhere' WHERE id = (SELECT max(id) FROM pair)")
        database.commit()

    with pytest.raises(StoreError, match="The rows of pair cannot be copied"):
        await copy(settings.database_url, there, said)

    engine = make_blocking_engine(there)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM conversation")).scalar_one() == 0
        disabled = "SELECT count(*) FROM pg_trigger WHERE tgenabled = 'D'"
        assert connection.execute(text(disabled)).scalar_one() == 0
    engine.dispose()


async def test_a_backup_of_postgresql_is_restored_as_a_file_with_the_same_digest(tmp_path: Path) -> None:
    settings = await an_installation(tmp_path / "data")
    async with open_workbench(settings):
        made = await asyncio.to_thread(make_backup, settings, tmp_path / "file", "correct horse battery", said)
    restore_backup(tmp_path / "file", tmp_path / "there", "correct horse battery", said)

    printed, faults = await verify(settings_on(tmp_path / "there"))

    assert faults == []
    assert digest_in(printed) == made.digest == digest_in((await verify(settings))[0])
    assert (made.secrets, made.secret_count, made.counts.conversations) == ("included", 1, 2)


async def test_the_doctor_asks_the_server(tmp_path: Path) -> None:
    settings = await an_installation(tmp_path / "data")
    checks = {check.name: check for check in reversed(await check_installation(settings))}

    assert checks["database"].message.startswith("It has revision")
    assert "PostgreSQL" in checks["database"].message
    assert checks["integrity"].message == "All that is stored can be read."

    gone = settings_on(tmp_path / "data", "postgresql+psycopg://inview@127.0.0.1:1/inview")
    refused = {check.name: check for check in await check_installation(gone)}["database"]
    assert "Start PostgreSQL" in refused.advice


async def test_the_language_is_read_before_all_else(tmp_path: Path) -> None:
    settings = await an_installation(tmp_path / "data")
    assert read_language(settings.database_url) == ""
    async with open_workbench(settings) as wb:
        await change_preferences(wb, LOCAL_OWNER, lambda chosen: replace(chosen, language="de"))
    assert read_language(settings.database_url) == "de"


async def test_a_second_process_is_refused_until_the_first_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim, "PATIENCE_SECONDS", 0.3)
    url = lay_unmigrated()
    async with claim.claim(url):
        with pytest.raises(StoreError, match="Another Inview runs on the database"):
            async with claim.claim(url):
                pass
        with pytest.raises(StoreError, match="Another Inview runs on the database"):
            await asyncio.to_thread(require_alone, url)
    await asyncio.to_thread(require_alone, url)
    async with claim.claim(url) as alone:
        assert alone


async def test_processes_with_redis_share_a_database_and_others_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim, "PATIENCE_SECONDS", 0.3)
    url = lay_unmigrated()
    async with claim.claim(url, shared=True) as first, claim.claim(url, shared=True) as second:
        assert (first, second) == (False, False)
        with pytest.raises(StoreError, match="not both of them have INVIEW_REDIS_URL"):
            async with claim.claim(url):
                pass


async def test_a_claim_that_was_lost_with_its_connection_is_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim, "PATIENCE_SECONDS", 0.3)
    monkeypatch.setattr(claim, "KEEP_SECONDS", 0.05)
    url = lay_unmigrated()
    engine = make_blocking_engine(url)
    held = text(
        f"SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = {claim.LOCK} AND granted "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    async with claim.claim(url):
        with engine.connect() as connection:
            first = connection.execute(held).scalar_one()
            connection.execute(text(f"SELECT pg_terminate_backend({first})"))
            connection.rollback()
            async with asyncio.timeout(20):
                while (now_held := connection.execute(held).scalar()) in {None, first}:
                    connection.rollback()
                    await asyncio.sleep(0.05)
        assert now_held != first
    engine.dispose()


async def a_file(folder: Path) -> Settings:
    """The installation of `an_installation`, on SQLite."""
    settings = await an_installation(folder / "made")
    folder_url = url_of(folder)
    await copy(settings.database_url, folder_url, said)
    (folder / KEY_FILE).write_bytes((folder / "made" / KEY_FILE).read_bytes())
    return settings_on(folder)
