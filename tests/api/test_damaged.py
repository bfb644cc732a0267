"""Damage of one stored value never takes the conversation away: the rest is shown, listed, exported and continued."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from app.store.run.runs import load_run
from tests.api.damaged import Harm, build, check_conversation, harm, list_harms
from tests.api.served import serve_api
from tests.api.talk import follow, send

OFTEN = (
    *("message.parts broken JSON", "message.parts strange list", "message * missing", "pair.lifecycle text"),
    *("pair.created_at text", "run.usage broken JSON", "conversation.parameters broken JSON", "node.data bytes"),
)
"""The part of the cross product that the short gate runs."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, str]:
    database, conversation_id = asyncio.run(build(tmp_path_factory.mktemp("whole")))
    with sqlite3.connect(database) as connection:
        for table in ("version", "node", "run", "snapshot", "tool_call"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return database.read_bytes(), conversation_id


def _lay(whole: tuple[bytes, str], folder: Path, done: Harm) -> str:
    content, conversation_id = whole
    database = folder / "inview.db"
    database.write_bytes(content)
    harm(database, done)
    return conversation_id


@pytest.mark.parametrize("done", [one for one in list_harms() if str(one) in OFTEN], ids=str)
async def test_rest_of_a_damaged_conversation_is_shown_and_goes_on(
    whole: tuple[bytes, str], tmp_path: Path, done: Harm
) -> None:
    await check_conversation(tmp_path, _lay(whole, tmp_path, done))


@pytest.mark.exhaustive
@pytest.mark.parametrize("done", [one for one in list_harms() if str(one) not in OFTEN], ids=str)
async def test_damage_of_any_column_stays_where_it_is(whole: tuple[bytes, str], tmp_path: Path, done: Harm) -> None:
    await check_conversation(tmp_path, _lay(whole, tmp_path, done))


async def test_damaged_pair_is_left_out_whole_and_can_be_kept_and_deleted(
    whole: tuple[bytes, str], tmp_path: Path
) -> None:
    reply = "id = (SELECT reply_id FROM pair WHERE position = 4)"
    broken = '[{"type": "text", "text": "last"}, {"type": "unheard"}]'
    conversation_id = _lay(
        whole, tmp_path, Harm("message", "parts", "broken JSON", f"UPDATE message SET parts = '{broken}' WHERE {reply}")
    )
    async with serve_api(tmp_path) as api:
        pairs = f"/conversations/{conversation_id}/pairs"
        seen = await api.http.post(f"/conversations/{conversation_id}/preview", json={"text": "/echo x"})
        *_, damaged = (await api.http.get(pairs)).json()["items"]
        (damage,) = damaged["damage"]
        assert (damaged["out"], damaged["user_text"], damaged["reply_text"]) == ("damaged", "/echo last", "last")
        assert (damage["table"], damage["column"], damage["size"]) == ("message", "parts[1]", len('{"type":"unheard"}'))
        assert "/echo last" not in seen.text
        assert "/echo first" in seen.text

        raw = await api.http.get(f"/pairs/{damaged['id']}/raw")
        assert broken in [row["parts"] for row in raw.json()["message"]]

        started = await send(api, conversation_id, "/echo x")
        await follow(api, started["run_id"])
        async with api.wb.store.read() as session:
            run = await load_run(session, "local", started["run_id"])
        assert run.sent == ((1, 2),)

        assert (await api.http.delete(f"/pairs/{damaged['id']}")).status_code == 200
        assert damaged["id"] not in [one["id"] for one in (await api.http.get(pairs)).json()["items"]]
        assert (await api.http.post(f"/pairs/{damaged['id']}/undelete")).status_code == 200
        assert damaged["id"] in [one["id"] for one in (await api.http.get(pairs)).json()["items"]]
