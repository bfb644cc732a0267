"""Damage of one stored value never hides the conversation: the rest is shown, listed, exported and continued."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pytest
from sqlalchemy import text

from app.domain.conversation.damage import SETTINGS
from app.store.run.stored_runs import load_run
from tests.api.damaged import SHAPES, Harm, build, check_conversation, harm, list_harms, screen_of
from tests.api.served import serve_api
from tests.api.talk import follow, send

OFTEN = (
    *("message.parts broken JSON", "message.parts strange list", "message * missing", "message.parts not UTF-8"),
    *(
        "pair.lifecycle text",
        "pair.stars too many",
        "pair.reply_id not UTF-8",
        "conversation.title not UTF-8",
        "pair.request_id bytes",
        "pair.reply_id bytes",
        "pair.created_at text",
        "run.usage broken JSON",
        "conversation.parameters broken JSON",
        "node.data bytes",
    ),
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
async def test_rest_of_a_damaged_conversation_is_shown_and_continues(
    whole: tuple[bytes, str], tmp_path: Path, done: Harm
) -> None:
    await check_conversation(tmp_path, _lay(whole, tmp_path, done))


@pytest.mark.exhaustive
@pytest.mark.parametrize("done", [one for one in list_harms() if str(one) not in OFTEN], ids=str)
async def test_damage_of_any_column_stays_where_it_is(whole: tuple[bytes, str], tmp_path: Path, done: Harm) -> None:
    await check_conversation(tmp_path, _lay(whole, tmp_path, done))


LAST_REPLY = "id = (SELECT reply_id FROM pair WHERE position = 4)"


async def test_damaged_pair_is_left_out_whole_and_can_be_kept_and_deleted(
    whole: tuple[bytes, str], tmp_path: Path
) -> None:
    broken = '[{"type": "text", "text": "last"}, {"type": "unheard"}]'
    conversation_id = _lay(
        whole,
        tmp_path,
        Harm("message", "parts", "broken JSON", f"UPDATE message SET parts = '{broken}' WHERE {LAST_REPLY}"),
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
        async with api.ctx.store.read() as session:
            run = await load_run(session, "local", started["run_id"])
        assert run.sent == ((1, 2),)

        assert (await api.http.delete(f"/pairs/{damaged['id']}")).status_code == 200
        assert damaged["id"] not in [one["id"] for one in (await api.http.get(pairs)).json()["items"]]
        assert (await api.http.post(f"/pairs/{damaged['id']}/undelete")).status_code == 200
        assert damaged["id"] in [one["id"] for one in (await api.http.get(pairs)).json()["items"]]


REPAIRS: dict[str, object] = {
    "agent_id": "",
    "model": "offline:demo",
    "system_prompt": "Be brief.",
    "parameters": {"temperature": 0.5},
    "retry_policy": "exponential",
    "retry_limits": {"max_retries": 3},
    "middleware": {"redaction": True},
    "filter": "",
    "tool_mode": "all-off",
    "ticked_tools": [],
}
"""Values that a person sets instead of the unreadable ones."""


def _harm_all_settings() -> Harm:
    columns = ", ".join(f"{column} = x'00ff'" for column in SETTINGS)
    return Harm("conversation", "all settings", "bytes", f"UPDATE conversation SET {columns}")


async def test_nothing_is_sent_until_each_setting_that_cannot_be_read_is_set_again(
    whole: tuple[bytes, str], tmp_path: Path
) -> None:
    conversation_id = _lay(whole, tmp_path, _harm_all_settings())
    async with serve_api(tmp_path) as api:
        place = f"/conversations/{conversation_id}"

        async def list_damaged() -> set[str]:
            return {one["column"] for one in (await api.http.get(place)).json()["damage"]}

        async def require_refusal(address: str, body: Mapping[str, object], name: str) -> None:
            refused = await api.http.post(address, json=body)
            assert refused.status_code == 409, (address, refused.text)
            assert f"The {name} of this conversation" in refused.json()["detail"], address

        assert await list_damaged() == set(SETTINGS)
        items = (await api.http.get(f"{place}/pairs")).json()["items"]
        assert [one["position"] for one in items] == [1, 2, 3, 4]
        first = items[0]
        again: dict[str, object] = {"standing": first["version"], "later": "keep"}
        for address, body in (
            (f"{place}/preview", {"text": "/echo x"}),
            (f"{place}/send", {"text": "/echo x"}),
            (f"{place}/queue", {"text": "/echo x"}),
            (f"{place}/compare", {"text": "/echo x", "models": ["offline:demo", "offline:tiny"]}),
            (f"{place}/fork", {"pair_id": first["id"]}),
            (f"/pairs/{first['id']}/resend", again),
        ):
            await require_refusal(address, body, "agent")

        for column, value in REPAIRS.items():
            await require_refusal(f"{place}/send", {"text": "/echo x"}, SETTINGS[column])
            changed = await api.http.patch(place, json={column: value})
            assert changed.status_code == 200, changed.text
            assert column not in {one["column"] for one in changed.json()["damage"]}
        await require_refusal(f"{place}/send", {"text": "/echo x"}, "checkpoint")

        raw = (await api.http.get(f"{place}/raw")).json()["conversation"][0]
        assert (raw["summary"], raw["model"]) == ({"base64": "AP8="}, "offline:demo")

        assert (await api.http.delete(f"{place}/damage/summary")).status_code == 200
        assert await list_damaged() == set()
        assert (await api.http.delete(f"{place}/damage/summary")).status_code == 409
        started = await send(api, conversation_id, "/echo goes on")
        await follow(api, started["run_id"])
        assert (await api.http.get(f"{place}/pairs")).json()["items"][-1]["reply_text"] == "goes on"


async def test_text_that_is_not_utf8_is_exported_as_its_bytes(whole: tuple[bytes, str], tmp_path: Path) -> None:
    conversation_id = _lay(
        whole,
        tmp_path,
        Harm("message", "parts", "not UTF-8", f"UPDATE message SET parts = {SHAPES['not UTF-8']} WHERE {LAST_REPLY}"),
    )
    async with serve_api(tmp_path) as api:
        *_, damaged = (await api.http.get(f"/conversations/{conversation_id}/pairs")).json()["items"]
        raw = (await api.http.get(f"/pairs/{damaged['id']}/raw")).json()

    assert damaged["out"] == "damaged"
    assert {"base64": "W/8="} in [row["parts"] for row in raw["message"]]


async def test_damaged_accounting_and_version_are_shown_as_damaged(whole: tuple[bytes, str], tmp_path: Path) -> None:
    conversation_id = _lay(whole, tmp_path, Harm("node", "data", "broken JSON", "UPDATE node SET data = '{\"re'"))
    harm(
        tmp_path / "inview.db", Harm("version", "model", "bytes", "UPDATE version SET model = x'00ff' WHERE number = 1")
    )
    async with serve_api(tmp_path) as api:
        place = f"/conversations/{conversation_id}"
        (node,) = (await api.http.get(f"{place}/nodes")).json()["items"]
        assert (node["role"], node["reason"], node["after_position"]) == ("accounting", None, 1)
        assert "cannot be read" in node["words"]
        (damage,) = node["damage"]
        assert (damage["table"], damage["column"]) == ("node", "data")

        first, *_ = (await api.http.get(f"{place}/pairs")).json()["items"]
        old, new = (await api.http.get(f"/pairs/{first['id']}/versions")).json()["items"]
        assert [(one["table"], one["column"]) for one in old["damage"]] == [("version", "model")]
        assert (old["user_text"], new["damage"]) == ("/echo one", [])


async def test_export_names_a_setting_that_cannot_be_read_and_so_does_its_import(
    whole: tuple[bytes, str], tmp_path: Path
) -> None:
    conversation_id = _lay(
        whole, tmp_path, Harm("conversation", "parameters", "bytes", "UPDATE conversation SET parameters = x'00ff'")
    )
    async with serve_api(tmp_path) as api:
        exported = await api.http.get(f"/conversations/{conversation_id}/export", params={"format": "json"})
        imported = await api.http.post(
            "/import", content=exported.content, headers={"Content-Type": "application/json"}
        )

    (written,) = exported.json()["conversations"]
    (damaged,) = written["damaged"]
    assert (damaged["column"], damaged["raw"]) == ("parameters", {"base64": "AP8="})
    assert imported.status_code == 201, imported.text
    assert imported.json()["conversations"][0]["damaged"] == [f"parameters: {damaged['reason']}"]


async def test_invalid_filter_of_a_conversation_is_reported_and_nothing_is_sent_until_it_is_set_again(
    whole: tuple[bytes, str], tmp_path: Path
) -> None:
    harm = Harm("conversation", "filter", "no filter", "UPDATE conversation SET filter = '(('")
    conversation_id = _lay(whole, tmp_path, harm)
    async with serve_api(tmp_path) as api:
        place = f"/conversations/{conversation_id}"

        (damage,) = (await api.http.get(place)).json()["damage"]
        assert damage["column"] == "filter"
        items = (await api.http.get(f"{place}/pairs")).json()["items"]
        assert [one["position"] for one in items] == [1, 2, 3, 4]
        for address in ("preview", "send"):
            refused = await api.http.post(f"{place}/{address}", json={"text": "/echo x"})
            assert refused.status_code == 409, refused.text
            assert "The filter of this conversation cannot be read" in refused.json()["detail"]

        assert (await api.http.patch(place, json={"filter": ""})).json()["damage"] == []
        assert (await api.http.post(f"{place}/preview", json={"text": "/echo x"})).status_code == 200


@pytest.mark.parametrize("stored", ["x'00ff'", SHAPES["not UTF-8"], "'s>='"])
async def test_damaged_saved_filter_takes_no_other_filter_along_and_can_be_deleted(
    whole: tuple[bytes, str], tmp_path: Path, stored: str
) -> None:
    content, conversation_id = whole
    (tmp_path / "inview.db").write_bytes(content)
    async with serve_api(tmp_path) as api:
        for name in ("good", "bad", "other"):
            assert (await api.http.put(f"/filters/{name}", json={"filter": "r20"})).status_code in {200, 201}
        async with api.ctx.store.write() as session:
            await session.execute(text(f"UPDATE saved_filter SET filter = {stored} WHERE name = 'bad'"))

        listed = await api.http.get("/filters")
        assert listed.status_code == 200, listed.text
        assert [one["name"] for one in listed.json()["saved"]] == ["bad", "good", "other"]
        assert (await screen_of(api.ctx, conversation_id)).refusal is None
        assert (
            await api.http.get(f"/conversations/{conversation_id}/pairs", params={"filter": "@good"})
        ).status_code == 200
        refused = await api.http.get(f"/conversations/{conversation_id}/pairs", params={"filter": "@bad"})
        assert refused.status_code == 422, refused.text
        assert (await api.http.delete("/filters/good")).status_code < 300
        assert (await api.http.delete("/filters/bad")).status_code < 300
        assert [one["name"] for one in (await api.http.get("/filters")).json()["saved"]] == ["other"]


@pytest.mark.parametrize("shape", ["text", "bytes", "not UTF-8"])
async def test_accounting_entry_whose_role_cannot_be_read_is_shown_as_damaged(
    whole: tuple[bytes, str], tmp_path: Path, shape: str
) -> None:
    conversation_id = _lay(whole, tmp_path, Harm("node", "role", shape, f"UPDATE node SET role = {SHAPES[shape]}"))
    async with serve_api(tmp_path) as api:
        place = f"/conversations/{conversation_id}"
        (node,) = (await api.http.get(f"{place}/nodes")).json()["items"]
        used = (await api.http.get(f"{place}/usage")).json()

    assert (node["role"], node["reason"], node["after_position"]) == ("accounting", None, 1)
    assert [(one["table"], one["column"]) for one in node["damage"]] == [("node", "role")]
    assert "cannot be read" in node["words"]
    assert used["cumulative"]["output_tokens"] > 0
