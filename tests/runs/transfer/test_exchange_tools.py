"""Tool calls with their images and files, exported and imported: here, in another installation, and with faults."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.attachments.attachments import Attachment
from app.domain.conversation.parts import Text
from app.domain.errors import NotFoundError
from app.domain.tools import permissions
from app.domain.tools.tool_records import CallFault
from app.domain.tools.tools import ToolOutcome
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.send_request import SendRequest
from app.runs.transfer import exporting
from app.runs.transfer.import_file import FaultError
from app.runs.transfer.importing import import_file
from app.runs.wiring import open_app_context
from app.store.attachments.attachments import load_attachment
from app.store.tools.tool_calls import load_pair_tool_calls
from app.tools.toolbox import Progress
from tests.runs.exchange import export
from tests.runs.steps import Ended, a_conversation, pairs_of, reply_to, send, settings_of, until
from tests.runs.toolsmith import add_tools, said

PICTURE = Attachment("image/gif", b"GIF89a" + bytes([3, 0, 2, 0]) + bytes(20))
SOUND = Attachment("audio/wav", b"RIFF" + bytes(3000), "beep.wav")


@pytest.fixture(autouse=True)
def nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permissions, "UNASKED", frozenset({"draw", "wait"}))


async def draw(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    content = (Text("x" * 120_000), PICTURE.part(), SOUND.part())
    return ToolOutcome(content, '{"drawn":true}', attachments=(PICTURE, SOUND))


async def a_drawing(ctx: AppContext) -> tuple[str, Ended]:
    await add_tools(ctx, draw=draw)
    conversation_id = await a_conversation(ctx, model="offline:demo")
    return conversation_id, await reply_to(
        ctx, conversation_id, '/rate 0\n/tool draw {"a": 1}\n/then\n/tool draw {"b": 1}'
    )


async def test_records_and_bytes_come_back_elsewhere_and_what_is_sent_next_is_the_same(
    ctx: AppContext, tmp_path_factory: pytest.TempPathFactory
) -> None:
    conversation_id, ended = await a_drawing(ctx)
    before = await preview_send(ctx, LOCAL_OWNER, conversation_id, SendRequest("And now?"))
    body = await export(ctx, conversation_id)

    async with open_app_context(settings_of(tmp_path_factory.mktemp("other"))) as other:
        await add_tools(other, draw=draw)
        (made,) = await import_file(other, LOCAL_OWNER, body)
        (pair,) = await pairs_of(other, made.id)
        after = await preview_send(other, LOCAL_OWNER, made.id, SendRequest("And now?"))
        async with other.store.read() as session:
            records = await load_pair_tool_calls(session, pair.id)
            kept = [await load_attachment(session, LOCAL_OWNER, one.id) for one in (PICTURE, SOUND)]
        again = orjson.loads(await export(other, made.id))

    async with ctx.store.read() as session:
        assert records == await load_pair_tool_calls(session, ended.pair.id)
    assert [(record.fault, record.structured_json) for record in records] == [
        (None, '{"drawn":true}'),
        (CallFault.INVALID_INPUT, None),
    ]
    assert kept == [PICTURE, SOUND]
    assert after.wire.body == before.wire.body
    assert after.hashes == before.hashes
    first = orjson.loads(body)
    assert again["attachments"] == first["attachments"]
    calls = [run["tool_calls"] for run in again["conversations"][0]["pairs"][0]["runs"]]
    assert calls == [run["tool_calls"] for run in first["conversations"][0]["pairs"][0]["runs"]]
    assert first["conversations"][0]["left_out"] == []


async def test_images_that_do_not_fit_into_a_file_are_left_out_with_a_note(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id, _ = await a_drawing(ctx)
    size = len(await export(ctx, conversation_id))
    monkeypatch.setattr(exporting, "MAX_BYTES", size - 3500)
    monkeypatch.setattr(exporting, "FOR_THE_REST", 0)

    file = orjson.loads(await export(ctx, conversation_id))

    assert [one["id"] for one in file["attachments"]] == [PICTURE.id]
    assert file["conversations"][0]["left_out"] == ["1 image or file (0.0 MiB)"]


async def test_a_running_call_is_imported_as_one_with_an_unknown_end(
    data: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async def wait(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
        progress(1, 2, "half")
        began.set()
        await asyncio.Event().wait()
        return said("never")

    began = asyncio.Event()
    async with open_app_context(settings_of(data)) as ctx:
        await add_tools(ctx, wait=wait)
        conversation_id = await a_conversation(ctx)
        started = await send(ctx, conversation_id, "/rate 0\n/tool wait {}")
        await until(ctx, started.run_id, "tool_call")
        await began.wait()
        await ctx.engine.writer.save()
        body = await export(ctx, conversation_id)

    async with open_app_context(settings_of(tmp_path_factory.mktemp("other"))) as other:
        (made,) = await import_file(other, LOCAL_OWNER, body)
        (pair,) = await pairs_of(other, made.id)
        async with other.store.read() as session:
            (record,) = await load_pair_tool_calls(session, pair.id)
    assert (record.fault, record.is_error) == (CallFault.INTERRUPTED, True)
    assert record.ended_at is not None


def a_file(attachments: list[dict[str, Any]], tool_calls: list[dict[str, Any]]) -> bytes:
    at = "2026-01-31T12:00:00Z"
    run = {
        "id": "r", "reply_id": "m", "model": "offline:demo", "request_hash": "", "outcome": "canceled",
        "attempt_started_at": at, "started_at": at, "tool_calls": tool_calls,
    }  # fmt: skip
    image = {"type": "image", "attachment_id": PICTURE.id, "media_type": "image/gif"}
    pair = {
        "user_text": "", "reply_text": "", "model": "offline:demo", "request": {"parts": [image]},
        "reply": {"id": "m"}, "run_id": "r", "runs": [run], "lifecycle": "canceled",
    }  # fmt: skip
    file = {"format": "inview", "version": 1, "conversations": [{"pairs": [pair]}], "attachments": attachments}
    return orjson.dumps(file)


def packed(one: Attachment, **more: Any) -> dict[str, Any]:
    data = b64encode(one.data).decode()
    return {"id": one.id, "media_type": one.media_type, "name": one.name, "data_base64": data, **more}


CALL = {"tool_call_id": "c", "number": 1, "name": "x", "asked_json": "{}", "asked_at": "2026-01-31T12:00:00Z"}


@pytest.mark.parametrize(
    ("attachments", "tool_calls", "place", "reason"),
    [
        ([packed(PICTURE, data_base64="%")], [], "$.attachments[0].data_base64", "is not base64"),
        ([packed(PICTURE, id="0" * 64)], [], "$.attachments[0].data_base64", "does not match its id"),
        ([packed(PICTURE, id="x")], [], "$.attachments[0].id", "pattern"),
        ([packed(PICTURE), packed(PICTURE)], [], "$.attachments[1].id", "occurs twice"),
        ([packed(PICTURE), packed(SOUND)], [], "$.attachments[1].id", "is not used by any message"),
        ([], [CALL, CALL], "$.conversations[0].pairs[0].runs[0].tool_calls[1]", "of another call"),
        ([], [CALL | {"fault": "tired"}], "$.conversations[0].pairs[0].runs[0].tool_calls[0].fault", "'unknown'"),
    ],
)
async def test_a_file_whose_bytes_or_calls_are_faulty_is_refused_whole(
    ctx: AppContext, attachments: list[dict[str, Any]], tool_calls: list[dict[str, Any]], place: str, reason: str
) -> None:
    with pytest.raises(FaultError) as caught:
        await import_file(ctx, LOCAL_OWNER, a_file(attachments, tool_calls))

    assert caught.value.field == place
    assert reason in caught.value.reason
    async with ctx.store.read() as session:
        with pytest.raises(NotFoundError):
            await load_attachment(session, LOCAL_OWNER, PICTURE.id)
