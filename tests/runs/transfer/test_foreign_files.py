"""Whole exports, written by somebody who read only the public descriptions (see `tests/foreign.py`), are imported.

The files hold what descriptions name and other tests do not: instructions, voice, canvas, code, browsing, several
models at once, tools in the text, empty and unanswered conversations.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import Text, Thinking, ToolCall, ToolResult, plain_text
from app.runs.workbench import Workbench
from app.views.imports import ImportStatus, ImportView
from tests.runs.transfer.test_imports import bring, pairs_of

FILES = Path(__file__).parents[2] / "foreign_files"


def file(name: str) -> bytes:
    return (FILES / f"{name}.json").read_bytes()


def left_out(done: ImportView) -> dict[str, int]:
    return {one.what: one.count for one in done.left_out}


async def pairs_under(wb: Workbench, done: ImportView, title: str) -> list[Pair]:
    (found,) = [one for one in done.brought if one.title == title]
    return await pairs_of(wb, found.id)


def replies(pair: Any) -> list[Any]:
    return [] if pair.reply is None else list(pair.reply.parts)


@pytest.mark.parametrize(
    ("name", "format_name", "conversations", "pairs"),
    [
        ("chatgpt", "chatgpt", 4, 10),
        ("claude", "claude", 3, 4),
        ("open_webui", "open-webui", 2, 3),
        ("maichat", "maichat", 1, 4),
    ],
)
async def test_each_file_comes_whole_and_once(
    wb: Workbench, name: str, format_name: str, conversations: int, pairs: int
) -> None:
    done = await bring(wb, file(name))

    assert (done.status, done.format, done.fault_count) == (ImportStatus.DONE, format_name, 0)
    assert (done.brought_count, done.brought_pairs) == (conversations, pairs)
    assert (await bring(wb, file(name))).brought_count == 0


async def test_chatgpt_says_what_it_left_out_and_why_a_reply_failed(wb: Workbench) -> None:
    done = await bring(wb, file("chatgpt"))

    assert left_out(done) == {
        "citations": 1,
        "custom instructions and memories": 1,
        "images and files that the export does not hold": 2,
        "recordings": 2,
        "conversations without messages": 1,
    }
    plot, _, news = await pairs_under(wb, done, "Plot and cat")
    assert "numbers.png" in plain_text(plot.request.parts)
    assert replies(news)[-1] == Text("Charts are up.")
    voice = next(one for one in done.brought if one.title.startswith("Mersenne"))
    proven, spoken, note, last = await pairs_of(wb, voice.id)
    assert isinstance(replies(proven)[0], Thinking)
    assert replies(spoken) == [Text("Ivan Pervushin did.")]
    assert [type(part) for part in replies(note)] == [ToolCall, ToolResult, Text]
    assert last.failure is not None
    assert last.failure.message == "Error in message stream"


async def test_claude_keeps_the_newest_branch_and_says_nothing_is_missing_but_a_picture(wb: Workbench) -> None:
    done = await bring(wb, file("claude"))

    assert left_out(done) == {
        "images and files that the export does not hold": 1,
        "conversations without messages": 1,
    }
    _, weather = await pairs_under(wb, done, "Notes and weather")
    assert [type(part) for part in replies(weather)] == [ToolCall, ToolResult, Text]


async def test_open_webui_calls_of_tools_are_calls(wb: Workbench) -> None:
    done = await bring(wb, file("open_webui"))

    assert left_out(done) == {"conversations without messages": 1}
    _, found = await pairs_under(wb, done, "Tiny picture")
    call, result, text = replies(found)
    assert (call.name, call.input_json) == ("search", '{"q": "pixels"}')
    assert (result.content, text) == ((Text("4 hits"),), Text("Found four."))


async def test_maichat_flags_are_flags_in_both_spellings(wb: Workbench) -> None:
    done = await bring(wb, file("maichat"))

    pairs = await pairs_of(wb, done.brought[0].id)
    assert [(pair.stars, pair.flagged) for pair in pairs] == [(2, True), (1, False), (0, False), (3, True)]
