"""A model whose template opens the reasoning itself: text before the closing tag never becomes text of the reply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from app.domain.conversation.parts import Text, Thinking
from app.domain.filters.language.commands import Export, ExportFormat
from app.domain.text.search import parse_search
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.transfer.exporting import export_conversation
from app.runs.wiring import open_app_context
from app.store.conversation.lists import ListCriteria
from app.store.index.search import search
from tests.providers.peer import Answer, a_peer
from tests.runs.exchange import export
from tests.runs.steps import a_conversation, reply_to, settings_of


def says(*pieces: str) -> Answer:
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces
    ]
    end: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    lines = b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in (*chunks, end))
    return Answer((lines + b"data: [DONE]\n\n",))


QWQ = says("The user greets me. ", "Short is best.\n</th", "ink>\n\nHello!")
THOUGHT = Thinking("The user greets me. Short is best.\n")
TAG = "The tag </think> ends it."


@pytest.mark.parametrize(
    ("model", "answer", "parts", "words"),
    [("box:qwq-32b", QWQ, (THOUGHT, Text("Hello!")), "Hello!"), ("box:test", says(TAG), (Text(TAG),), TAG)],
    ids=["its closing tag alone", "a text about the tag"],
)
async def test_next_request_search_and_exports_have_the_words_alone(
    data: Path, model: str, answer: Answer, parts: tuple[Text | Thinking, ...], words: str
) -> None:
    async with (
        a_peer(answer) as peer,
        open_app_context(settings_of(data, INVIEW_COMPATIBLE=f"box={peer.url}/v1")) as ctx,
    ):
        conversation_id = await a_conversation(ctx, model=model)
        ended = await reply_to(ctx, conversation_id, "Hi")
        async with ctx.store.read() as session:
            found = [
                await search(session, LOCAL_OWNER, ListCriteria(), parse_search(text)) for text in ("greets", words)
            ]
        exported = orjson.loads(await export(ctx, conversation_id))
        written = await export_conversation(ctx, LOCAL_OWNER, conversation_id, Export(ExportFormat.MARKDOWN))
        markdown = b"".join([chunk async for chunk in written.chunks]).decode()
        await reply_to(ctx, conversation_id, "And now?")

    assert ended.pair.reply is not None
    assert ended.pair.reply.parts == parts
    assert [len(places.places) for places in found] == [0, 1]
    (pair,) = exported["conversations"][0]["pairs"]
    assert pair["reply_text"] == words
    assert json.loads(peer.heard[1].body)["messages"][1] == {"role": "assistant", "content": words}
    if THOUGHT in parts:
        assert "> *Thinking*\n>\n> The user greets me. Short is best.\n" in markdown
        assert "think>" not in markdown
