"""Files that cannot be imported: the error names the place of the first fault, and nothing is stored."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from sqlalchemy import func, select

from app.domain.errors import ConflictError
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.topics.topic_commands import list_topics
from app.runs.transfer.import_file import FaultError
from app.runs.transfer.importing import import_file
from app.store.conversation.rows import CONVERSATION, PAIR
from tests.runs.exchange import PAIR_BY_HAND, export
from tests.runs.steps import a_conversation, reply_to


@pytest.mark.parametrize(
    ("changes", "place", "reason"),
    [
        ({"stars": 4}, "$.pairs[1].stars", "less than or equal to 3"),
        ({"stars": True}, "$.pairs[1].stars", "valid integer"),
        ({"colour": "red"}, "$.pairs[1].colour", "not permitted"),
        ({"user_text": None}, "$.pairs[1].user_text", "valid string"),
        ({"created_at": "yesterday"}, "$.pairs[1].created_at", "valid datetime"),
        ({"created_at": "2025-01-31T12:00:00"}, "$.pairs[1].created_at", "timezone"),
        ({"created_at": 5}, "$.pairs[1].created_at", "write a time as text"),
        ({"created_at": "1950-01-31T12:00:00Z"}, "$.pairs[1].created_at", "between the years"),
        ({"model": "claude"}, "$.pairs[1].model", "match pattern"),
        ({"model": None}, "$.pairs[1].model", "Give the model"),
        ({"topic": "AI > "}, "$.pairs[1].topic", "is blank"),
        ({"position": 1}, "$.pairs[1].position", "is 1, like that of $.conversations[0].pairs[0]"),
        ({"lifecycle": "succeeded", "reply_text": None}, "$.pairs[1].lifecycle", "no reply"),
        ({"reply": {"parts": [{"type": "text", "text": "Bye"}]}}, "$.pairs[1].reply.parts", "differ from the text"),
        ({"reply": {"parts": [{"type": "text"}]}}, "$.pairs[1].reply.parts[0].text", "required"),
        ({"reply": {"parts": [{"type": "sound"}]}}, "$.pairs[1].reply.parts[0]", "does not match"),
        ({"run_id": "r1"}, "$.pairs[1].run_id", "not one of the pair's runs"),
        ({"parameters": {"reply_schema": "{"}}, "$.pairs[1].parameters.reply_schema", "is not valid JSON"),
        ({"parameters": {"reply_schema": "[]"}}, "$.pairs[1].parameters.reply_schema", "is not a JSON object"),
        ({"parameters": {"reply_schema": "[" * 9_999}}, "$.pairs[1].parameters.reply_schema", "levels deep"),
        ({"parameters": {"reply_schema": " " * 50_001}}, "$.pairs[1].parameters.reply_schema", "The maximum is"),
        ({"mark": "maybe"}, "$.pairs[1].mark", "'in' or 'out'"),
    ],
)
async def test_an_error_is_reported_with_its_place_and_nothing_is_stored(
    ctx: AppContext, changes: dict[str, Any], place: str, reason: str
) -> None:
    body = orjson.dumps({"title": "x", "pairs": [PAIR_BY_HAND, PAIR_BY_HAND | changes]})

    with pytest.raises(FaultError) as caught:
        await import_file(ctx, LOCAL_OWNER, body)

    assert caught.value.field.replace("$.conversations[0]", "$") == place
    assert reason in caught.value.reason
    async with ctx.store.read() as session:
        for table in (CONVERSATION, PAIR):
            assert (await session.execute(select(func.count()).select_from(table))).scalar_one() == 0


async def test_failure_of_a_run_that_did_not_fail_is_refused(ctx: AppContext, other: AppContext) -> None:
    conversation_id = await a_conversation(ctx)
    await reply_to(ctx, conversation_id, "/fail auth")
    exported = orjson.loads(await export(ctx, conversation_id))
    exported["conversations"][0]["pairs"][0]["runs"][0]["outcome"] = "canceled"

    with pytest.raises(FaultError) as caught:
        await import_file(other, LOCAL_OWNER, orjson.dumps(exported))

    assert caught.value.field == "$.conversations[0].pairs[0].runs[0].failure"
    assert caught.value.reason == "must be null for a run that did not fail."


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b"", "$"),
        (b"[]", "$"),
        (b"{}", "$.format"),
        (b'{"format": "chat", "version": 1, "conversations": []}', "$.format"),
        (b'{"format": "inview", "version": 3, "conversations": []}', "$.version"),
        (b'{"format": "inview", "version": 1}', "$.conversations"),
        (b'{"format": "inview", "version": 1, "conversations": [{"filter": "s7"}]}', "$.conversations[0].filter"),
        (b'{"format": "inview", "version": 1, "conversations": [{"filter": "@x"}]}', "$.conversations[0].filter"),
        (
            b'{"format": "inview", "version": 1, "conversations": [], "filters": [{"name": "a b", "filter": "b"}]}',
            "$.filters[0].name",
        ),
        (
            b'{"format": "inview", "version": 1, "conversations": [], "filters": [{"name": "a", "filter": "@a"}]}',
            "$.filters[0].filter",
        ),
        (b'{"format": "inview", "version": 1, "conversations": [], "topics": [{"path": ""}]}', "$.topics[0].path"),
        (
            b'{"format": "inview", "version": 1, "conversations": [{"id": "a"}, {"id": "a"}]}',
            "$.conversations[1].id",
        ),
    ],
)
async def test_a_file_that_is_none_is_refused_at_its_first_fault(ctx: AppContext, body: bytes, place: str) -> None:
    with pytest.raises(FaultError) as caught:
        await import_file(ctx, LOCAL_OWNER, body)

    assert caught.value.field == place


OWN = b'{"title": "T", "pairs": [{"user_text": "a", "reply_text": "b", "model": "offline:demo"}]}'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (OWN.decode().encode("utf-16"), "UTF-16"),
        (OWN.decode().encode("utf-16-be"), "UTF-16"),
        (OWN.replace(b"T", b"\xe4"), "is not UTF-8 text"),
        (b"PK\x03\x04 and more", "compressed"),
        (b"\x1f\x8b and more", "compressed"),
        (b"[]", "not Inview's format"),
        (b'[{"title": "Old", "mapping": {"r": {"id": "r", "message": null}}}]', "an export of ChatGPT"),
        (b'[{"uuid": "x", "chat_messages": [{"text": "hi"}]}]', "an export of Claude"),
        (b'[{"id": "x", "chat": {"messages": []}}]', "an export of Open WebUI"),
        (b'{"conversationId": "x", "endpoint": "openAI", "messages": []}', "an export of LibreChat"),
        (b'{"exportType": "all", "state": {}}', "an export of LobeChat"),
    ],
)
async def test_another_file_is_refused_with_what_it_is(ctx: AppContext, body: bytes, reason: str) -> None:
    with pytest.raises(FaultError) as caught:
        await import_file(ctx, LOCAL_OWNER, body)

    assert caught.value.field == "$"
    assert reason in caught.value.reason


async def test_byte_order_mark_is_passed_over(ctx: AppContext) -> None:
    (imported,) = await import_file(ctx, LOCAL_OWNER, b"\xef\xbb\xbf" + OWN)

    assert (imported.title, imported.pair_count) == ("T", 1)


async def test_too_many_topics_leave_nothing_behind(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.runs.topics.topic_commands.MAX_TOPICS", 1)
    body = orjson.dumps({"title": "x", "pairs": [PAIR_BY_HAND | {"topic": "AI > Planning"}]})

    with pytest.raises(ConflictError, match="The maximum is"):
        await import_file(ctx, LOCAL_OWNER, body)

    assert (await list_topics(ctx, LOCAL_OWNER)).items == ()
