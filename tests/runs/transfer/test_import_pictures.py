"""An imported picture has the media type of its bytes, whatever the file says."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import orjson

from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.parts import File, Image, Text, ToolResult
from app.domain.tools.tool_records import ToolCallRecord
from app.domain.transfer.records import PairRecord, RunRecord, relabel
from app.runs.app_context import AppContext
from tests.builders import a_pair
from tests.domain.attachments.test_attachments import HEIC, JPEG
from tests.runs.exchange import bring_back, export
from tests.runs.steps import pairs_of


def an_attachment(data: bytes) -> dict[str, Any]:
    found = sha256(data).hexdigest()
    return {"id": found, "media_type": "image/png", "name": "", "data_base64": b64encode(data).decode()}


def an_image(data: bytes) -> dict[str, Any]:
    found = sha256(data).hexdigest()
    return {"type": "image", "attachment_id": found, "media_type": "image/png", "width": 1, "height": 1}


async def test_labels_of_an_import_are_those_of_the_bytes_and_so_is_its_export(ctx: AppContext) -> None:
    call = {"type": "tool_call", "tool_call_id": "c", "name": "camera", "input_json": "{}", "complete": True}
    result = {"type": "tool_result", "tool_call_id": "c", "content": [an_image(JPEG)], "is_error": False}
    pair: dict[str, Any] = {
        "user_text": "Look",
        "request": {"parts": [{"type": "text", "text": "Look"}, an_image(JPEG), an_image(HEIC)]},
        "reply_text": "A dot.",
        "reply": {"parts": [call, result, {"type": "text", "text": "A dot."}]},
        "model": "offline:demo",
    }
    attachments = [an_attachment(JPEG), an_attachment(HEIC)]
    whole = {"format": "inview", "version": 1, "conversations": [{"pairs": [pair]}], "attachments": attachments}

    (conversation_id,) = await bring_back(ctx, orjson.dumps(whole))

    (stored,) = await pairs_of(ctx, conversation_id)
    _, jpeg, heic = stored.request.parts
    assert jpeg == Image(sha256(JPEG).hexdigest(), "image/jpeg", 5, 7)
    assert heic == File(sha256(HEIC).hexdigest(), "image/heic", "file")
    assert stored.reply is not None
    assert isinstance(jpeg, Image)
    assert ToolResult("c", (jpeg,)) in stored.reply.parts
    exported = orjson.loads(await export(ctx, conversation_id))
    assert {one["media_type"] for one in exported["attachments"]} == {"image/jpeg", "image/heic"}


def test_label_in_the_record_of_a_tool_call_is_that_of_the_bytes() -> None:
    wrong, right = Image("x", "image/png", 1, 1), Image("x", "image/jpeg", 5, 7)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    call = ToolCallRecord("c", 1, "camera", "{}", at, content=(Text("Here:"), wrong, File("y", "text/plain", "y.txt")))
    run = RunRecord("r", "a", "offline:demo", "hash", Lifecycle.SUCCEEDED, 1, at, at, at, tool_calls=(call,))

    record = relabel(PairRecord(a_pair(), (), (), (run,), None), {"x": right})

    assert record.runs[0].tool_calls[0].content == (Text("Here:"), right, File("y", "text/plain", "y.txt"))
