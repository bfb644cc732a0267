"""The record of calls: what left, byte for byte, whatever becomes of the conversation afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.exc import IntegrityError

from app.domain.conversation.conversation import Pair
from app.domain.conversation.lifecycle import Lifecycle
from app.domain.conversation.marks import Marks
from app.domain.errors import NotFoundError, StoreError
from app.runs.library.mark_commands import PairMarks, mark_pairs
from app.runs.library.trash import delete_for_good
from app.runs.resend.resend import Replacement, resend_pair
from app.runs.send.commands import LOCAL_OWNER, delete_conversation
from app.runs.send.intents import SendOptions
from app.runs.temporary import create_temporary
from app.runs.uploads import attach_file, load_attached
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench, bench_of
from app.store.conversation.rows import MESSAGE
from app.store.run.sent_calls import RecordReport, SentCall, check_sent_calls, list_sent_calls, load_sent_call
from tests.databases import ask, change, drop_trigger
from tests.media.test_pictures import a_picture
from tests.providers.peer import Answer, Peer, a_peer
from tests.providers.playing import read_recording
from tests.runs.steps import a_conversation, collect, reply_to, settings_of

MODEL = "anthropic:claude-sonnet-4-5"
REPLY = Answer((read_recording("anthropic", "text"),))
BUSY = Answer((b"{}",), status=529, headers=(("Content-Type", "application/json"), ("Retry-After", "0")))


@dataclass(frozen=True)
class Talk:
    wb: Workbench
    peer: Peer

    async def calls(self, pair_id: str) -> tuple[SentCall, ...]:
        async with self.wb.store.read() as session:
            return await list_sent_calls(session, LOCAL_OWNER, pair_id)

    async def body(self, call: SentCall) -> bytes | None:
        async with self.wb.store.read() as session:
            return (await load_sent_call(session, LOCAL_OWNER, call.call.run_id, call.call.number)).body

    async def faults(self) -> tuple[str, ...]:
        async with self.wb.store.read() as session:
            return (await check_sent_calls(session)).faults


@asynccontextmanager
async def a_talk(data: Path, *answers: Answer) -> AsyncGenerator[Talk]:
    async with a_peer(*(answers or (REPLY,))) as peer:
        settings = settings_of(data, ANTHROPIC_BASE_URL=f"{peer.url}/v1", ANTHROPIC_API_KEY="sk-test")
        async with open_workbench(settings) as wb:
            yield Talk(wb, peer)


async def test_what_is_recorded_is_what_the_provider_received(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL, system_prompt="Be brief.")
        pairs = [(await reply_to(talk.wb, conversation, f"Question {n} {'x' * 3000}")).pair for n in range(4)]

        calls = [call for pair in pairs for call in await talk.calls(pair.id)]

        assert [await talk.body(call) for call in calls] == [heard.body for heard in talk.peer.heard]
        assert [call.body_sha256 for call in calls] == [sha256(one.body).hexdigest() for one in talk.peer.heard]
        assert [call.body_bytes for call in calls] == [len(one.body) for one in talk.peer.heard]
        assert [call.call.purpose for call in calls] == ["reply"] * 4
        assert await talk.faults() == ()


async def edit(wb: Workbench, pair: Pair, words: str) -> None:
    resent = await resend_pair(wb, LOCAL_OWNER, Replacement(pair.id, text=words), SendOptions())
    await collect(wb, resent.started.run_id)


async def test_each_attempt_is_a_call_of_its_own(data: Path) -> None:
    async with a_talk(data, BUSY, REPLY) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        pair = (await reply_to(talk.wb, conversation, "Hello")).pair

        assert pair.lifecycle is Lifecycle.SUCCEEDED
        assert [call.call.number for call in await talk.calls(pair.id)] == [1, 2]


async def test_nothing_leaves_that_cannot_be_recorded(data: Path) -> None:
    async with a_talk(data, BUSY, REPLY) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        async with talk.wb.store.write() as session:
            await session.execute(text("DROP TABLE sent_call"))

        with pytest.raises(Exception, match="sent_call"):
            await reply_to(talk.wb, conversation, "Hello")

        assert talk.peer.heard == []


async def test_a_second_attempt_that_cannot_be_recorded_is_not_made(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_talk(data, BUSY, REPLY) as talk:

        async def refuse(*_args: object) -> None:
            raise StoreError("The disk is full.")

        monkeypatch.setattr("app.runs.engine.writer.record_call", refuse)
        conversation = await a_conversation(talk.wb, model=MODEL)
        pair = (await reply_to(talk.wb, conversation, "Hello")).pair

        assert pair.lifecycle is Lifecycle.ERROR
        assert pair.failure is not None
        assert pair.failure.message == "The call could not be recorded, so it was not made. The disk is full."
        assert len(talk.peer.heard) == 1


async def test_edits_marks_and_the_trash_change_nothing_of_it(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        first, second = [(await reply_to(talk.wb, conversation, word)).pair for word in ("One", "Two")]
        before = [await talk.calls(pair.id) for pair in (first, second)]
        await edit(talk.wb, second, "Two, edited")

        await mark_pairs(talk.wb, LOCAL_OWNER, conversation, [PairMarks(first.id, Marks(deleted=True))])
        await reply_to(talk.wb, conversation, "Three")

        assert await talk.calls(first.id) == before[0]
        assert (await talk.calls(second.id))[0] == before[1][0]
        assert len(await talk.calls(second.id)) == 2
        assert [await talk.body(call) for (call,) in before] == [heard.body for heard in talk.peer.heard[:2]]


async def test_words_that_are_deleted_for_good_are_gone_and_hashes_stay(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        first = (await reply_to(talk.wb, conversation, "The swordfish is in the second drawer.")).pair
        await mark_pairs(talk.wb, LOCAL_OWNER, conversation, [PairMarks(first.id, Marks(deleted=True))])
        second = (await reply_to(talk.wb, conversation, "Another matter.")).pair

        await delete_for_good(talk.wb, LOCAL_OWNER, first.id)

        (gone,), (kept,) = await talk.calls(first.id), await talk.calls(second.id)
        assert gone.body_sha256 == sha256(talk.peer.heard[0].body).hexdigest()
        assert await talk.body(gone) is None
        assert await talk.body(kept) == talk.peer.heard[1].body
        assert await talk.faults() == ()


async def delete_pairs(talk: Talk, conversation: str, *pairs: Pair) -> None:
    for pair in pairs:
        await mark_pairs(talk.wb, LOCAL_OWNER, conversation, [PairMarks(pair.id, Marks(deleted=True))])
        await delete_for_good(talk.wb, LOCAL_OWNER, pair.id)


async def test_a_short_text_that_is_deleted_is_not_looked_for_within_other_texts(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model="offline:demo")
        other = (await reply_to(talk.wb, conversation, "/echo That is ok for me, says the user.")).pair
        short = (await reply_to(talk.wb, conversation, "/echo ok")).pair
        role = (await reply_to(talk.wb, conversation, "/echo user")).pair

        await delete_pairs(talk, conversation, short, role)

        assert [[call.body is None for call in await talk.calls(one.id)] for one in (other, short, role)] == [
            [False],
            [True],
            [True],
        ]


async def test_a_short_text_is_forgotten_once_no_pair_of_the_conversation_has_it(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model="offline:demo")
        first, second = [(await reply_to(talk.wb, conversation, "/echo 4711")).pair for _ in range(2)]

        await delete_pairs(talk, conversation, second)
        assert [call.body is None for call in await talk.calls(first.id)] == [False]

        await delete_pairs(talk, conversation, first)
        assert [call.body is None for one in (first, second) for call in await talk.calls(one.id)] == [True, True]
        assert await talk.faults() == ()


async def test_pictures_that_are_deleted_for_good_are_gone(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        picture = (await attach_file(talk.wb, LOCAL_OWNER, a_picture("PNG"), "a.png")).attachment.id
        attached = await load_attached(talk.wb, LOCAL_OWNER, [picture])
        first = (await reply_to(talk.wb, conversation, "Look at this one, please.", attached=attached)).pair
        (call,) = await talk.calls(first.id)
        await mark_pairs(talk.wb, LOCAL_OWNER, conversation, [PairMarks(first.id, Marks(deleted=True))])

        async with talk.wb.store.write() as session:  # as if there were nothing but the picture
            asked = select(MESSAGE.c.id, MESSAGE.c.parts).where(MESSAGE.c.role == "user")
            for message_id, parts in (await session.execute(asked)).all():
                pictures = [part for part in parts if part["type"] == "image"]
                await session.execute(update(MESSAGE).where(MESSAGE.c.id == message_id).values(parts=pictures))
        await delete_for_good(talk.wb, LOCAL_OWNER, first.id)

        assert b"base64" in talk.peer.heard[0].body
        assert await talk.body(call) is None


async def test_with_a_conversation_all_bodies_go(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        pair = (await reply_to(talk.wb, conversation, "Hello")).pair
        await delete_conversation(talk.wb, LOCAL_OWNER, conversation)
        await delete_for_good(talk.wb, LOCAL_OWNER, conversation)

        (call,) = await talk.calls(pair.id)
        assert await talk.body(call) is None
        async with talk.wb.store.read() as session:
            assert (await session.execute(text("SELECT count(*) FROM sent_piece"))).scalar_one() == 0


async def test_the_database_refuses_to_change_or_delete_a_call(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        await reply_to(talk.wb, conversation, "Hello")

    for statement in ("UPDATE sent_call SET model = 'x'", "DELETE FROM sent_call", "UPDATE sent_piece SET data = :no"):
        with pytest.raises(IntegrityError, match="never"):
            change(data, statement, no=b"")


async def test_a_piece_that_was_changed_behind_the_triggers_is_found(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        pair = (await reply_to(talk.wb, conversation, "Hello")).pair
        await asyncio.to_thread(
            change,
            data,
            drop_trigger("sent_piece", "sent_piece_is_not_changed"),
            "UPDATE sent_piece SET data = :data",
            data=bytes.fromhex("789c030000000001"),
        )

        assert await talk.faults() == (
            "The database does not guard the record of calls: trigger sent_piece_is_not_changed is missing.",
            f"The body of call 1 of run {pair.run_id} has another hash than when it was sent.",
        )


async def test_the_database_refuses_to_delete_a_piece_that_a_call_has(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        await reply_to(talk.wb, conversation, "Hello")

    with pytest.raises(IntegrityError, match="a piece that a recorded call has is never deleted"):
        change(data, "DELETE FROM sent_piece")
    added = "INSERT INTO sent_piece (conversation_id, sha256, data) VALUES (:conversation, :zero, :zero)"
    change(data, added, conversation=conversation, zero=b"\0")
    change(data, "DELETE FROM sent_piece WHERE sha256 = :zero", zero=b"\0")  # no call has it
    change(data, "DELETE FROM conversation")
    assert ask(data, "SELECT count(*) FROM sent_piece") == [(0,)]


async def test_a_missing_piece_is_a_fault_and_a_forgotten_one_is_not(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        first = (await reply_to(talk.wb, conversation, "The swordfish is in the second drawer.")).pair
        await mark_pairs(talk.wb, LOCAL_OWNER, conversation, [PairMarks(first.id, Marks(deleted=True))])
        second = (await reply_to(talk.wb, conversation, "Another matter.")).pair
        await delete_for_good(talk.wb, LOCAL_OWNER, first.id)
        elsewhere = await a_conversation(talk.wb, model=MODEL)
        await reply_to(talk.wb, elsewhere, "This one goes with its conversation.")
        await delete_conversation(talk.wb, LOCAL_OWNER, elsewhere)
        await delete_for_good(talk.wb, LOCAL_OWNER, elsewhere)
        async with talk.wb.store.read() as session:
            assert await check_sent_calls(session) == RecordReport(1, 2, ())

        dropped = drop_trigger("sent_piece", "sent_piece_is_not_deleted")
        await asyncio.to_thread(change, data, dropped, "DELETE FROM sent_piece")

        async with talk.wb.store.read() as session:
            report = await check_sent_calls(session)
    assert report.forgotten == 2
    assert report.faults == (
        "The database does not guard the record of calls: trigger sent_piece_is_not_deleted is missing.",
        f"A piece of call 1 of run {second.run_id} is missing, and nobody deleted its words for good.",
    )


async def test_a_piece_that_is_sent_again_is_not_forgotten_any_more(data: Path) -> None:
    words = f"The swordfish is in the second drawer. {'x' * 5000}"
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        first = (await reply_to(talk.wb, conversation, words)).pair
        await mark_pairs(talk.wb, LOCAL_OWNER, conversation, [PairMarks(first.id, Marks(deleted=True))])
        await delete_for_good(talk.wb, LOCAL_OWNER, first.id)
        await reply_to(talk.wb, conversation, words)

        async with talk.wb.store.read() as session:
            assert (await session.execute(text("SELECT count(*) FROM forgotten_piece"))).scalar_one() == 0
            assert await check_sent_calls(session) == RecordReport(2, 0, ())


async def test_calls_of_another_person_are_not_found(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        pair = (await reply_to(talk.wb, conversation, "Hello")).pair
        (call,) = await talk.calls(pair.id)

        async with talk.wb.store.read() as session:
            assert await list_sent_calls(session, "somebody", pair.id) == ()
            with pytest.raises(NotFoundError):
                await load_sent_call(session, "somebody", call.call.run_id, 1)


async def test_a_temporary_conversation_leaves_no_words_on_the_disk(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await create_temporary(talk.wb, LOCAL_OWNER, model=MODEL)
        beside = await bench_of(talk.wb, conversation.id)
        pair = (await reply_to(beside, conversation.id, "The swordfish is here.")).pair

        assert len(talk.peer.heard) == 1
        assert pair.lifecycle is Lifecycle.SUCCEEDED

    assert ask(data, "SELECT count(*) FROM sent_piece") == [(0,)]
    assert ask(data, "SELECT number, purpose FROM sent_call") == [(1, "reply")]


async def test_a_call_has_its_body_after_a_piece_of_it_was_forgotten_with_another_pair(data: Path) -> None:
    async with a_talk(data) as talk:
        conversation = await a_conversation(talk.wb, model=MODEL)
        await reply_to(talk.wb, conversation, f"It is a matter of the swordfish. {'x' * 5000}")
        short = (await reply_to(talk.wb, conversation, "the swordfish")).pair
        await mark_pairs(talk.wb, LOCAL_OWNER, conversation, [PairMarks(short.id, Marks(deleted=True))])
        await reply_to(talk.wb, conversation, "Another question.")

        await delete_for_good(talk.wb, LOCAL_OWNER, short.id)
        pair = (await reply_to(talk.wb, conversation, "The last question.")).pair

        (call,) = await talk.calls(pair.id)
        assert await talk.body(call) == talk.peer.heard[-1].body
