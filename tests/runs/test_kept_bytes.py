"""Bytes of attachments: they are stored as long as something refers to them, and deleted with the last reference.

Random sequences of attaching, sending, queueing, dropping, deleting, undoing and emptying the trash.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import select

from app.domain.conversation.marks import Marks
from app.runs.app_context import AppContext
from app.runs.attachments.uploads import attach_file, drop_upload, load_attached
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.conversation.mark_commands import mark_pair
from app.runs.request.attachments import AttachedParts
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.queue import drop_queued, queue_text
from app.runs.send.send_request import SendRequest
from app.runs.trash.trash import empty_trash, restore
from app.runs.wiring import open_app_context
from app.store.attachments.rows_attachment import ATTACHMENT
from tests.effort import examples
from tests.media.test_pictures import a_picture
from tests.runs.steps import a_conversation, pair_of, reply_to, settings_of

FILES = (b"one", b"two", a_picture("PNG", (2, 3)), a_picture("PNG", (4, 5)))
STEPS = 14


async def stored(ctx: AppContext) -> set[str]:
    async with ctx.store.read() as session:
        return set((await session.execute(select(ATTACHMENT.c.id))).scalars())


async def send_files(ctx: AppContext, conversation: str, *upload_ids: str) -> str:
    attached = await load_attached(ctx, LOCAL_OWNER, upload_ids)
    return (await reply_to(ctx, conversation, "Look", attached=attached)).pair.id


async def delete_pair_for_good(ctx: AppContext, pair_id: str) -> None:
    await mark_pair(ctx, LOCAL_OWNER, pair_id, Marks(deleted=True))
    await empty_trash(ctx, LOCAL_OWNER)


@pytest.mark.parametrize("content", FILES[1:3], ids=["text", "picture"])
async def test_bytes_are_gone_when_the_only_pair_with_them_is_deleted_for_good(ctx: AppContext, content: bytes) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    upload = await attach_file(ctx, LOCAL_OWNER, content, "a")
    pair = await send_files(ctx, conversation, upload.id)

    await mark_pair(ctx, LOCAL_OWNER, pair, Marks(deleted=True))
    assert await stored(ctx) == {upload.attachment.id}  # the pair can still be restored
    await empty_trash(ctx, LOCAL_OWNER)

    assert await stored(ctx) == set()


async def test_bytes_of_a_text_are_gone_with_the_conversation_that_took_it(ctx: AppContext) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    await send_files(ctx, conversation, (await attach_file(ctx, LOCAL_OWNER, b"a,b", "t.csv")).id)

    await delete_conversation(ctx, LOCAL_OWNER, conversation)
    await empty_trash(ctx, LOCAL_OWNER)

    assert await stored(ctx) == set()


@pytest.mark.parametrize("content", FILES[1:3], ids=["text", "picture"])
async def test_draft_keeps_its_file_when_a_message_with_the_same_bytes_is_deleted_for_good(
    ctx: AppContext, content: bytes
) -> None:
    conversation = await a_conversation(ctx, model="offline:demo")
    sent, waits = [await attach_file(ctx, LOCAL_OWNER, content, name) for name in ("sent", "waits")]
    await send_files(ctx, conversation, sent.id)

    await delete_conversation(ctx, LOCAL_OWNER, conversation)
    await empty_trash(ctx, LOCAL_OWNER)

    assert (await load_attached(ctx, LOCAL_OWNER, [waits.id])).uploads == (waits.id,)
    await drop_upload(ctx, LOCAL_OWNER, waits.id)
    assert await stored(ctx) == set()


@dataclass
class Desk:
    """References to bytes, by a second and simpler account than the database's."""

    ctx: AppContext
    random: Random
    talks: list[str] = field(default_factory=list[str])
    drafts: dict[str, str] = field(default_factory=dict[str, str])  # upload → bytes
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])  # pair → conversation, bytes
    trash: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    queued: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    dropped: list[tuple[str, str, AttachedParts]] = field(default_factory=list[tuple[str, str, AttachedParts]])

    @property
    def referred(self) -> set[str]:
        named = [held for _, held in (*self.pairs.values(), *self.trash.values(), *self.queued.values())]
        return {*self.drafts.values(), *named}

    async def attach(self) -> None:
        upload = await attach_file(self.ctx, LOCAL_OWNER, self.random.choice(FILES), f"{len(self.drafts)}.x")
        self.drafts[upload.id] = upload.attachment.id

    async def send(self) -> None:
        waiting = [one for one in self.drafts if all(one not in each[2].uploads for each in self.dropped)]
        free = [one for one in self.talks if one not in {talk for talk, _ in self.queued.values()}]
        if waiting and free:
            upload, talk = self.random.choice(waiting), self.random.choice(free)
            pair = await send_files(self.ctx, talk, upload)
            self.pairs[pair] = (talk, self.drafts.pop(upload))

    async def queue(self) -> None:
        waiting = [one for one in self.drafts if all(one not in each[2].uploads for each in self.dropped)]
        if waiting:
            upload, talk = self.random.choice(waiting), self.random.choice(self.talks)
            attached = await load_attached(self.ctx, LOCAL_OWNER, [upload])
            await self._queue(talk, self.drafts.pop(upload), attached)

    async def _queue(self, talk: str, held: str, attached: AttachedParts) -> None:
        if talk not in {each for each, _ in self.queued.values()}:
            running = await reply_to(self.ctx, talk, "Hello")
            self.pairs[running.pair.id] = (talk, "")
        queue = await queue_text(self.ctx, LOCAL_OWNER, talk, SendRequest("Later", attached=attached), paused=True)
        self.queued[queue.items[-1].id] = (talk, held)

    async def drop(self) -> None:
        if self.queued:
            item = self.random.choice(list(self.queued))
            talk, held = self.queued.pop(item)
            dropped = await drop_queued(self.ctx, LOCAL_OWNER, talk, item)
            (upload,) = dropped.attached.uploads
            self.drafts[upload] = held
            self.dropped.append((talk, upload, dropped.attached))

    async def put_back(self) -> None:
        if self.dropped:
            talk, upload, attached = self.dropped.pop()
            await self._queue(talk, self.drafts.pop(upload), attached)

    async def delete(self) -> None:
        if self.pairs:
            pair = self.random.choice(list(self.pairs))
            await mark_pair(self.ctx, LOCAL_OWNER, pair, Marks(deleted=True))
            self.trash[pair] = self.pairs.pop(pair)

    async def undo(self) -> None:
        if self.trash:
            pair = self.random.choice(list(self.trash))
            await restore(self.ctx, LOCAL_OWNER, pair)
            self.pairs[pair] = self.trash.pop(pair)
            await pair_of(self.ctx, pair)

    async def empty(self) -> None:
        await empty_trash(self.ctx, LOCAL_OWNER)
        self.trash.clear()

    async def forget(self) -> None:
        waiting = [one for one in self.drafts if all(one not in each[2].uploads for each in self.dropped)]
        if waiting:
            upload = self.random.choice(waiting)
            await drop_upload(self.ctx, LOCAL_OWNER, upload)
            del self.drafts[upload]


@pytest.mark.parametrize("seed", range(examples(6)))
async def test_bytes_are_stored_exactly_as_long_as_something_refers_to_them(seed: int) -> None:
    random = Random(seed)
    with TemporaryDirectory() as place:
        async with open_app_context(settings_of(Path(place))) as ctx:
            desk = Desk(ctx, random, [await a_conversation(ctx, model="offline:demo") for _ in range(2)])
            steps = (desk.attach, desk.attach, desk.send, desk.send, desk.queue, desk.drop, desk.put_back)
            taken = list[str]()
            for _ in range(STEPS * 2):
                step = random.choice((*steps, desk.delete, desk.undo, desk.empty, desk.forget))
                await step()
                taken.append(step.__name__)
                assert await stored(ctx) == desk.referred - {""}, taken
