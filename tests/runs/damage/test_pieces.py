"""A broken piece stands in its place with what is known of it; everything else is there and can be gone on with."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.domain.context.context import OutReason
from app.domain.context.selection import SelectionChangedError
from app.domain.conversation.marks import Marks
from app.domain.conversation.parts import Text
from app.runs.library.mark_commands import mark_pair
from app.runs.send.commands import LOCAL_OWNER
from app.runs.send.intents import NewSend
from app.runs.send.plan import preview_send
from app.runs.uploads import attach_file, load_attached
from app.runs.watch.watcher import Watcher
from app.runs.workbench import Workbench
from app.store.checkup import find_damage
from app.store.conversation.pairs import load_pairs
from app.store.conversation.raw import load_raw_pair
from app.views.screen.pair import ScreenPairView
from tests.databases import change_past_rules
from tests.media.test_pictures import a_photo
from tests.runs.exchange import export
from tests.runs.steps import a_conversation, collect, pair_of, reply_to, send

BAD = '{"broken'
HOLOGRAM = json.dumps([{"type": "text", "text": "still here"}, {"type": "hologram", "depth": 3}])


@pytest.fixture
async def talk(wb: Workbench) -> tuple[str, list[str]]:
    """A conversation of three pairs, and their ids."""
    conversation = await a_conversation(wb, model="offline:demo")
    words = ("one", "two", "three")
    return conversation, [(await reply_to(wb, conversation, f"/echo {word}")).pair.id for word in words]


async def change_stored(data: Path, statement: str, **values: object) -> None:
    await asyncio.to_thread(change_past_rules, data, statement, **values)  # who is writing needs the loop to end


async def break_reply(data: Path, pair_id: str, parts: str = BAD) -> None:
    broken = "UPDATE message SET parts = :parts WHERE id = (SELECT reply_id FROM pair WHERE id = :pair)"
    await change_stored(data, broken, parts=parts, pair=pair_id)


async def screen_of(wb: Workbench, conversation: str) -> tuple[ScreenPairView, ...]:
    async with Watcher(wb, LOCAL_OWNER, conversation) as watcher:
        while (screen := await watcher.next_screen()) is not None:
            if screen.context is not None and len(screen.pairs) == screen.context.total:
                return screen.pairs
    raise AssertionError("the conversation is gone")


async def test_a_reply_that_is_no_json_stands_in_its_place_and_the_others_are_there(
    wb: Workbench, data: Path, talk: tuple[str, list[str]]
) -> None:
    conversation, ids = talk
    await break_reply(data, ids[1])

    pairs = await screen_of(wb, conversation)

    assert [pair.user_text for pair in pairs] == ["/echo one", "/echo two", "/echo three"]
    assert [pair.out for pair in pairs] == [None, OutReason.DAMAGED, None]
    reply = (await pair_of(wb, ids[1])).reply
    assert reply is not None
    assert pairs[1].damage == (f"parts of message {reply.id}: it is no JSON",)
    assert pairs[0].damage == pairs[2].damage == ()


async def test_what_can_be_read_of_a_message_is_shown(wb: Workbench, data: Path, talk: tuple[str, list[str]]) -> None:
    _, ids = talk
    await break_reply(data, ids[1], HOLOGRAM)

    pair = await pair_of(wb, ids[1])

    assert pair.reply is not None
    assert pair.reply.parts == (Text("still here"),)
    assert "part 2 cannot be read" in pair.damage[0].reason


async def test_a_pair_whose_message_is_missing_is_there(wb: Workbench, data: Path, talk: tuple[str, list[str]]) -> None:
    conversation, ids = talk
    missing = "DELETE FROM message WHERE id = (SELECT request_id FROM pair WHERE id = :pair)"
    await change_stored(data, missing, pair=ids[1])

    async with wb.store.read() as session:
        pairs = await load_pairs(session, LOCAL_OWNER, conversation)

    assert [pair.id for pair in pairs] == ids
    assert [one.reason for one in pairs[1].damage] == ["the message is missing"]


async def test_a_damaged_pair_is_never_sent_and_the_preview_says_so(
    wb: Workbench, data: Path, talk: tuple[str, list[str]]
) -> None:
    conversation, ids = talk
    seen = await preview_send(wb, LOCAL_OWNER, NewSend(conversation, "four"))
    await break_reply(data, ids[1])
    wb.expire(0)  # as after a restart: nothing of it is in memory

    with pytest.raises(SelectionChangedError):  # it was counted as sent: whoever sends is told
        await send(wb, conversation, "/echo four", selection=seen.composed.selection)
    planned = await preview_send(wb, LOCAL_OWNER, NewSend(conversation, "four"))

    assert b"one" in planned.wire.body
    assert b"two" not in planned.wire.body
    assert "Not sent, because something of it cannot be read: pair 2." in planned.composed.base.notices
    again = await preview_send(wb, LOCAL_OWNER, NewSend(conversation, "/echo four"))
    started = await send(wb, conversation, "/echo four", selection=again.composed.selection)
    assert (await collect(wb, started.run_id))[-1].kind == "done"


async def test_a_pair_that_is_mended_is_sent_again(wb: Workbench, data: Path, talk: tuple[str, list[str]]) -> None:
    conversation, ids = talk
    sound = json.dumps([{"type": "text", "text": "two"}])
    await break_reply(data, ids[1])
    await screen_of(wb, conversation)
    await break_reply(data, ids[1], sound)
    await screen_of(wb, conversation)

    planned = await preview_send(wb, LOCAL_OWNER, NewSend(conversation, "four"))

    assert b"two" in planned.wire.body
    assert planned.composed.base.notices == ()


async def test_a_missing_image_is_damage_of_its_pair_alone(wb: Workbench, data: Path) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    photo = (await attach_file(wb, LOCAL_OWNER, a_photo(), "photo.jpg")).attachment.id
    await reply_to(wb, conversation, "Look", attached=await load_attached(wb, LOCAL_OWNER, [photo]))
    await reply_to(wb, conversation, "/echo two")
    await change_stored(data, "DELETE FROM attachment")
    wb.expire(0)

    pairs = await screen_of(wb, conversation)

    assert pairs[0].damage == (f"attachment {photo}: the image or the file is missing",)
    assert pairs[1].out is None
    assert await preview_send(wb, LOCAL_OWNER, NewSend(conversation, "And now?"))


async def test_a_damaged_pair_can_be_deleted_brought_back_and_exported_raw(
    wb: Workbench, data: Path, talk: tuple[str, list[str]]
) -> None:
    conversation, ids = talk
    await break_reply(data, ids[1])

    await mark_pair(wb, LOCAL_OWNER, ids[1], Marks(deleted=True))
    assert [pair.id for pair in await screen_of(wb, conversation)] == [ids[0], ids[2]]
    await mark_pair(wb, LOCAL_OWNER, ids[1], Marks(deleted=False))
    async with wb.store.read() as session:
        raw = await load_raw_pair(session, LOCAL_OWNER, ids[1])

    assert len(await screen_of(wb, conversation)) == 3
    assert BAD in [message["parts"] for message in raw["message"]]
    assert {"pair", "message", "run"} <= raw.keys()


async def test_damage_is_logged_once_however_often_it_is_looked_at(
    wb: Workbench, data: Path, talk: tuple[str, list[str]]
) -> None:
    conversation, ids = talk
    await break_reply(data, ids[1])

    with capture_logs() as logs:
        for _ in range(3):
            await screen_of(wb, conversation)

    noted = [one for one in logs if one["event"].startswith("a stored row cannot be read")]
    assert [(one["table"], one["column"]) for one in noted] == [("message", "parts")]


async def test_an_export_holds_what_can_be_read(wb: Workbench, data: Path, talk: tuple[str, list[str]]) -> None:
    conversation, ids = talk
    await break_reply(data, ids[1], HOLOGRAM)

    exported = json.loads(await export(wb, conversation))

    (written,) = exported["conversations"]
    assert len(written["pairs"]) == 3
    assert "what cannot be read of 1 damaged pair" in written["left_out"]


async def test_a_checkup_finds_each_piece_with_its_place_and_what_to_do(
    wb: Workbench, data: Path, talk: tuple[str, list[str]]
) -> None:
    conversation, ids = talk
    photo = (await attach_file(wb, LOCAL_OWNER, a_photo(), "photo.jpg")).attachment.id
    await reply_to(wb, conversation, "Look", attached=await load_attached(wb, LOCAL_OWNER, [photo]))
    assert await find_damage(wb.store) == ()
    await break_reply(data, ids[0])
    await break_reply(data, ids[1], HOLOGRAM)
    await change_stored(data, "UPDATE pair SET lifecycle = 'dreaming' WHERE id = :pair", pair=ids[2])
    await change_stored(data, "UPDATE conversation SET tool_mode = 'most'")
    await change_stored(data, "UPDATE attachment SET data = :wrong", wrong=b"\0")
    preference = "INSERT INTO preference (owner, name, value, updated_at) VALUES ('local', 'redact', '7', :at)"
    await change_stored(data, preference, at="2026-01-01 00:00:00.000000")

    found = [finding.describe() for finding in await find_damage(wb.store)]

    def is_told(*words: str) -> bool:
        return any(all(word in told for word in words) for told in found)

    assert is_told("parts of message", "it is no JSON", "pair 1 of", "export the raw data")
    assert is_told("part 2 cannot be read", "pair 2 of", conversation)
    assert is_told(f"lifecycle of pair {ids[2]}", "'dreaming'")
    assert is_told(f"tool_mode of conversation {conversation}", "Set it again")
    assert is_told(f"data of attachment {photo}", "not those that were stored")
    assert is_told("value of preference redact", "Settings")
