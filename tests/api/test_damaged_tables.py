"""Damage of a value of any table never hides a conversation to which it does not belong."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.store.diagnosis.mending import mend
from tests.api.damaged import Harm
from tests.api.damaged_tables import (
    DOCTOR,
    Ids,
    build_every_table,
    check_rest,
    first_screen,
    harm,
    list_table_harms,
)
from tests.api.served import serve_api
from tests.api.talk import answered

OFTEN = frozenset(
    {
        "agent.parameters broken JSON",
        "budget.amount not UTF-8",
        "comparison.runs broken JSON",
        "mcp_server.way other JSON",
        "node.role bytes",
        "reply_journal.growth broken JSON",
        "run.retries broken JSON",
        "saved_filter.filter no filter",
        "saved_filter.name bytes",
        "topic.id missing",
        "topic.parent_id not UTF-8",
    }
)
"""The part that the short gate runs."""


@pytest.fixture(scope="module")
def every_table(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Ids]:
    database, ids = asyncio.run(build_every_table(tmp_path_factory.mktemp("every")))
    return database.read_bytes(), ids


def _lay(every_table: tuple[bytes, Ids], folder: Path, done: Harm) -> Ids:
    content, ids = every_table
    database = folder / "inview.db"
    database.write_bytes(content)
    harm(database, done)
    return ids


@pytest.mark.parametrize("done", [one for one in list_table_harms() if str(one) in OFTEN], ids=str)
async def test_rest_works_with_a_damaged_row(every_table: tuple[bytes, Ids], tmp_path: Path, done: Harm) -> None:
    await check_rest(tmp_path, _lay(every_table, tmp_path, done), done)


@pytest.mark.exhaustive
@pytest.mark.parametrize("done", [one for one in list_table_harms() if str(one) not in OFTEN], ids=str)
async def test_rest_works_with_any_damaged_value(every_table: tuple[bytes, Ids], tmp_path: Path, done: Harm) -> None:
    await check_rest(tmp_path, _lay(every_table, tmp_path, done), done)


def _harm_column(table: str, column: str, value: str) -> Harm:
    return Harm(table, column, value, f"UPDATE {table} SET {column} = {value} WHERE rowid = 1")


@pytest.mark.parametrize(
    ("table", "column", "what"),
    [
        ("budget", "amount", "A budget cannot be read"),
        ("price", "input", "A price of your own cannot be read"),
        ("provider_setting", "base_url", "The key or the address of a provider cannot be read"),
        ("preference", "value", "A preference cannot be read"),
        ("agent", "allowed_tools", "An agent cannot be read"),
    ],
)
async def test_nothing_is_sent_past_a_damaged_guard_until_the_doctor_has_mended_it(
    every_table: tuple[bytes, Ids], tmp_path: Path, table: str, column: str, what: str
) -> None:
    ids = _lay(every_table, tmp_path, _harm_column(table, column, "x'00ff'"))
    place = f"/conversations/{ids.other}"
    if table == "agent":
        harm(tmp_path / "inview.db", _agent_answers(ids.other))
    async with serve_api(tmp_path) as api:
        refused = await api.http.post(f"{place}/send", json={"text": "/echo x"})
        assert refused.status_code == 409, refused.text
        assert what in refused.json()["detail"]
        assert "Stop Inview and run `inview doctor --mend`" in refused.json()["detail"]
        screen = await first_screen(api.ctx, ids.other)
        assert screen is not None
        assert len(screen.pairs) == 1

    mended = mend(f"sqlite+aiosqlite:///{tmp_path / 'inview.db'}", tmp_path)

    assert mended.kept is not None
    assert table in mended.kept.read_text()
    async with serve_api(tmp_path) as api:
        assert (await answered(api, ids.other, "/echo goes on"))["reply_text"] == "goes on"


def _agent_answers(conversation_id: str) -> Harm:
    return Harm(
        "conversation", "agent_id", "", f"UPDATE conversation SET agent_id = 'a1' WHERE id = '{conversation_id}'"
    )


@pytest.mark.parametrize(("column", "value"), [("look", "'{}'"), ("until", "'soon'"), ("look", "x'00ff'")])
async def test_unreadable_keep_alive_makes_no_call_and_is_reported(
    every_table: tuple[bytes, Ids], tmp_path: Path, column: str, value: str
) -> None:
    ids = _lay(every_table, tmp_path, _harm_column("keep_warm", column, value))
    async with serve_api(tmp_path) as api:
        assert api.ctx.keeping == {}
        shown = await api.http.get(f"/conversations/{ids.whole}/keep-warm")

    assert shown.status_code == 200, shown.text
    assert "cannot be read, so nothing is kept warm. Start it again." in shown.text


async def test_conversation_with_an_unreadable_keep_alive_reports_it_on_its_page(
    every_table: tuple[bytes, Ids], tmp_path: Path
) -> None:
    ids = _lay(every_table, tmp_path, _harm_column("pair", "position", "'first'"))
    async with serve_api(tmp_path) as api:
        screen = await first_screen(api.ctx, ids.whole)
        listed = await api.http.get(f"/conversations/{ids.whole}/pairs")

    assert screen is not None
    assert screen.refusal is not None
    assert "The place of a pair cannot be read" in screen.refusal.message
    assert DOCTOR in screen.refusal.message
    assert listed.status_code == 409
    assert DOCTOR in listed.json()["detail"]


@pytest.mark.parametrize("value", ["x'00ff'", "'lately'", "CAST(x'5bff' AS TEXT)"])
async def test_conversation_in_the_trash_without_a_time_comes_back(
    every_table: tuple[bytes, Ids], tmp_path: Path, value: str
) -> None:
    ids = _lay(every_table, tmp_path, _harm_column("conversation", "deleted_at", value))
    async with serve_api(tmp_path) as api:
        listed = (await api.http.get("/trash")).json()["items"]
        assert ids.whole in [one["id"] for one in listed]
        assert (await api.http.post(f"/trash/{ids.whole}/restore")).status_code < 300
        assert (await api.http.get(f"/conversations/{ids.whole}")).status_code == 200


async def test_queued_text_that_cannot_be_read_is_shown_never_sent_and_can_be_dropped(
    every_table: tuple[bytes, Ids], tmp_path: Path
) -> None:
    ids = _lay(every_table, tmp_path, _harm_column("queued", "filter", "x'00ff'"))
    place = f"/conversations/{ids.whole}/queue"
    async with serve_api(tmp_path) as api:
        (item,) = (await api.http.get(place)).json()["items"]
        resumed = await api.http.post(f"{place}/resume", json={})
        held = (await api.http.get(place)).json()["held"]
        dropped = await api.http.delete(f"{place}/{item['id']}")

    assert item["text"] == "later"
    assert resumed.status_code == 409, resumed.text
    assert "The first queued text cannot be read" in held["message"]
    assert "Remove it from the queue" in held["message"]
    assert "doctor" not in held["message"], "it does not mend that"
    assert dropped.status_code < 300, dropped.text
