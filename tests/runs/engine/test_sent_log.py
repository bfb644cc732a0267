"""The log of every message sent: off by default, in full at `debug`, and never a word of what was said."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
import structlog
from structlog.testing import capture_logs

from app.runs.engine.sent_log import list_messages
from app.runs.workbench import Workbench
from tests.runs.steps import a_conversation, reply_to

SECRET = "Swordfish and other words"
CALLING = {"type": "function", "id": "1", "function": {"name": "read", "arguments": "{}"}}


async def test_each_message_of_a_call_is_logged_without_its_words(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    await reply_to(wb, conversation_id, "/echo First.")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("debug"))
    with capture_logs() as lines:
        await reply_to(wb, conversation_id, f"/echo {SECRET}")

    sent = [line for line in lines if line["event"] == "message sent"]
    assert [(line["message_index"], line["role"]) for line in sent] == [(0, "user"), (1, "assistant"), (2, "user")]
    assert sent[2]["content_length"] == len(f"/echo {SECRET}")
    assert not any(line["has_tool_calls"] for line in sent)
    assert SECRET not in str(sent)
    assert len({line["sha256"] for line in sent}) == 3


async def test_nothing_of_messages_is_logged_by_default(wb: Workbench) -> None:
    conversation_id = await a_conversation(wb)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("info"))
    with capture_logs() as lines:
        await reply_to(wb, conversation_id, f"/echo {SECRET}")

    assert not [line for line in lines if line["event"] == "message sent"]


CASES: list[tuple[dict[str, Any], list[tuple[str, int, bool]]]] = [
    (
        {"system": "Be brief.", "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]},
        [("system", 9, False), ("user", 5, False)],
    ),
    (
        {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "a", "input": {}}]}]},
        [("assistant", 0, True)],
    ),
    ({"messages": [{"role": "assistant", "content": None, "tool_calls": [CALLING]}]}, [("assistant", 0, True)]),
    (
        {
            "instructions": "Be kind.",
            "input": [
                {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
                {"type": "function_call", "call_id": "1", "name": "a", "arguments": '{"n":1}'},
                {"type": "function_call_output", "call_id": "1", "output": "done"},
            ],
        },
        [("system", 8, False), ("user", 2, False), ("function_call", 7, True), ("function_call_output", 4, False)],
    ),
]


@pytest.mark.parametrize(("body", "told"), CASES, ids=["anthropic", "anthropic calls", "chat calls", "responses"])
def test_every_protocol_is_read(body: dict[str, Any], told: list[tuple[str, int, bool]]) -> None:
    found = [(one["role"], one["content_length"], one["has_tool_calls"]) for one in list_messages(orjson.dumps(body))]

    assert found == told
