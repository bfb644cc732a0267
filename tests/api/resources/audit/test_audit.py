"""The audit trail over HTTP: what a program reads is noted, and the trail can be filtered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.domain.audit import AuditAction
from app.store.audit.audit import AuditEntry, insert_entries
from tests.api.served import Api
from tests.api.talk import answered, create_conversation, follow, send

PAGE = {"Sec-Fetch-Site": "same-origin"}


async def audited(api: Api, **query: Any) -> list[dict[str, Any]]:
    """Return the entries, oldest first."""
    await api.ctx.accesses.flush()
    answer = await api.http.get("/audit", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()["items"][::-1]


async def test_reads_of_a_conversation_are_noted_once_a_minute(api: Api) -> None:
    one = await create_conversation(api, model="offline:demo")
    pair = await answered(api, one)
    before = await audited(api)

    for path in (f"/conversations/{one}", f"/conversations/{one}/history", f"/pairs/{pair['id']}/versions"):
        for _ in range(2):
            assert (await api.http.get(path)).status_code == 200
    await api.http.post(f"/conversations/{one}/preview", json={"text": "Hello"})
    await api.http.post(f"/conversations/{one}/count", json={"text": "Hello"})

    entries = (await audited(api))[len(before) :]
    assert [(entry["action"], entry["data"]["what"]) for entry in entries] == [
        (AuditAction.READ, "conversations"),
        (AuditAction.READ, "history"),
        (AuditAction.READ, "versions"),
        (AuditAction.READ, "preview"),
    ]
    assert {(each["who"], each["conversation_id"], each["via"], each["address"]) for each in entries} == {
        ("local", one, "api", "127.0.0.1")
    }


async def test_a_change_that_changes_nothing_is_noted_as_a_read_of_what_it_answers(api: Api) -> None:
    one = await create_conversation(api, model="offline:demo")
    started = await send(api, one, "/echo Hello")
    await follow(api, started["run_id"])
    before = await audited(api)

    marked = await api.http.patch(f"/pairs/{started['pair_id']}", json={"stars": 0})
    restored = await api.http.post(f"/pairs/{started['pair_id']}/undelete")
    await api.http.patch(f"/pairs/{started['pair_id']}", json={"stars": 1})

    assert marked.json()["reply_text"] == restored.json()["reply_text"] == "Hello"
    entries = (await audited(api))[len(before) :]
    assert sorted((entry["action"], entry["data"]["what"]) for entry in entries) == [
        (AuditAction.CHANGED, "stars"),
        (AuditAction.READ, "pairs"),
        (AuditAction.READ, "undelete"),
    ]


async def test_the_events_of_a_run_are_noted_when_the_stream_begins(api: Api) -> None:
    one = await create_conversation(api, model="offline:demo")
    await answered(api, one)

    assert [entry["data"]["what"] for entry in await audited(api, action=AuditAction.READ)] == ["events", "pairs"]


async def test_usage_can_be_requested_for_all_days_that_exist(api: Api) -> None:
    await answered(api, await create_conversation(api, model="offline:demo"))

    whole, usual = [
        await api.http.get("/usage", params={**days, "group_by": "model"})
        for days in ({"from": "0001-01-01", "to": "9999-12-31"}, {})
    ]
    daily = await api.http.get("/usage", params={"from": "0001-01-01", "to": "9999-12-31", "group_by": "day"})

    assert (whole.status_code, daily.status_code) == (200, 200), whole.text + daily.text
    assert whole.json()["total"] == usual.json()["total"]


@pytest.mark.parametrize("path", ["/conversations/nowhere", "/pairs/nowhere/snapshot", "/conversations", "/audit"])
async def test_what_is_not_read_is_not_noted(api: Api, path: str) -> None:
    await create_conversation(api)

    await api.http.get(path)

    assert await audited(api, action=AuditAction.READ) == []


async def test_requests_of_the_page_are_told_from_those_of_programs(api: Api) -> None:
    one = await create_conversation(api)

    await api.http.get(f"/conversations/{one}", headers=PAGE)
    await api.http.get(f"/conversations/{one}", headers={"Sec-Fetch-Site": "cross-site"})

    assert [entry["via"] for entry in await audited(api, action=AuditAction.READ)] == ["page", "api"]


async def test_an_export_is_no_read(api: Api) -> None:
    one = await create_conversation(api)

    await api.http.get(f"/conversations/{one}/export", params={"format": "md"})

    entries = await audited(api, conversation_id=one)
    assert [(entry["action"], entry["data"]) for entry in entries] == [
        (AuditAction.CREATED, {}),
        (AuditAction.EXPORTED, {"what": "md"}),
    ]


async def test_a_read_of_a_temporary_conversation_is_noted(api: Api) -> None:
    one = await create_conversation(api, temporary=True, model="offline:demo")
    pair = await answered(api, one)

    await api.http.get(f"/pairs/{pair['id']}/versions")
    assert api.ctx.temporary.ctx is not None
    await api.ctx.temporary.ctx.accesses.flush()

    read = [entry for entry in await audited(api, conversation_id=one) if entry["data"].get("what") == "versions"]
    assert len(read) == 1


async def test_entries_are_filtered_by_conversation_action_and_time(api: Api) -> None:
    one, other = await create_conversation(api), await create_conversation(api)
    await api.http.delete(f"/conversations/{one}")
    at = datetime(2020, 1, 1, tzinfo=UTC)
    async with api.ctx.store.write() as session:
        await insert_entries(
            session,
            [
                AuditEntry("local", at, AuditAction.OPENED, one, one, {}),
                AuditEntry("other", at, AuditAction.OPENED, one, one, {}),
            ],
        )

    async def actions(**query: Any) -> list[str]:
        return [entry["action"] for entry in await audited(api, **query)]

    assert await actions(conversation_id=one) == [AuditAction.CREATED, AuditAction.TRASHED, AuditAction.OPENED]
    assert await actions(conversation_id=other) == [AuditAction.CREATED]
    assert await actions(action=AuditAction.CREATED) == [AuditAction.CREATED] * 2
    assert await actions(conversation_id=one, since=(at + timedelta(days=1)).isoformat()) == [
        AuditAction.CREATED,
        AuditAction.TRASHED,
    ]
    assert await actions(since=at.isoformat(), action=AuditAction.OPENED) == [AuditAction.OPENED]


@pytest.mark.parametrize("query", ["action=opened", "since=yesterday", "since=2020-01-01T00:00:00", "limit=501"])
async def test_filters_that_cannot_be_used_are_refused(api: Api, query: str) -> None:
    answer = await api.http.get(f"/audit?{query}")

    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert query.partition("=")[0] in str(error)


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
async def test_a_time_that_would_overflow_in_another_zone_is_refused(api: Api, at: str) -> None:
    one = await create_conversation(api, model="offline:demo")
    place = f"/conversations/{one}"
    asked = [
        await api.http.get("/audit", params={"since": at}),
        await api.http.get(f"{place}/pairs", params={"as_of": at, "filter": "d<1", "zone": "Asia/Tokyo"}),
        await api.http.post(f"{place}/preview", json={"text": "Hi", "as_of": at, "filter": "d<1"}),
    ]

    assert [answer.status_code for answer in asked] == [422, 422, 422]
    assert all("between the years 1900 and 9000" in answer.text for answer in asked)
