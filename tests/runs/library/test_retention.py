"""Retention: what nobody used for long enough goes to the trash by a rule, is logged, and comes back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from app.domain.conversation.marks import Marks
from app.domain.errors import InputError, NotFoundError
from app.domain.preferences import Preferences
from app.domain.retention import RetentionKind, RetentionRule
from app.runs.derived.summaries import summarise
from app.runs.library.folder_commands import (
    create_folder,
    delete_folder,
    keep_folder_for,
    place_conversations,
    read_folder,
    restore_folder,
)
from app.runs.library.mark_commands import mark_pair
from app.runs.library.preference_commands import set_preferences
from app.runs.library.retention import count_due, expire_temporary, list_logged, sweep_conversations, undo_sweep
from app.runs.library.trash import empty_trash, list_trash
from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER
from app.runs.temporary import create_temporary, keep_conversation
from app.runs.watch.broadcast import watch
from app.runs.workbench import Workbench, bench_of
from app.store.conversation.conversations import list_conversations
from tests import foreign
from tests.runs.steps import a_conversation, calls_of, collect, reply_to
from tests.runs.transfer.test_imports import bring

RULE = RetentionRule(RetentionKind.CHAT, 90)
LATER = timedelta(days=91)


async def listed(wb: Workbench) -> list[str]:
    async with wb.store.read() as session:
        return [one.conversation.id for one in await list_conversations(session, LOCAL_OWNER, limit=50)]


async def prefer(wb: Workbench, **changes: int | None) -> None:
    await set_preferences(wb, LOCAL_OWNER, replace(Preferences(), **changes))


async def test_nothing_goes_without_a_rule(wb: Workbench) -> None:
    conversation = await a_conversation(wb)

    assert await sweep_conversations(wb, now() + timedelta(days=5_000)) == 0

    assert await listed(wb) == [conversation]
    assert await list_logged(wb, LOCAL_OWNER) == ()


async def test_what_nobody_used_goes_to_the_trash_is_logged_and_comes_back(wb: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    await reply_to(wb, conversation, "/echo one")
    calls = await calls_of(wb, conversation)
    await prefer(wb, chat_days=90)

    assert await sweep_conversations(wb, now() + timedelta(days=89)) == 0
    assert await sweep_conversations(wb, now() + LATER) == 1

    assert await listed(wb) == []
    (entry,) = (await list_trash(wb, LOCAL_OWNER, limit=5)).entries
    assert entry.id == conversation
    (logged,) = await list_logged(wb, LOCAL_OWNER)
    assert (logged.sweep.rule, logged.sweep.count, logged.left) == (RULE, 1, 1)
    assert await undo_sweep(wb, LOCAL_OWNER, logged.sweep.number) == 1
    assert await listed(wb) == [conversation]
    assert (await list_logged(wb, LOCAL_OWNER))[0].left == 0
    assert await calls_of(wb, conversation) == calls


async def test_a_star_or_a_flag_keeps_a_conversation(wb: Workbench) -> None:
    for marks in (Marks(stars=1), Marks(flagged=True)):
        pair = (await reply_to(wb, await a_conversation(wb, model="offline:demo"), "/echo one")).pair
        await mark_pair(wb, LOCAL_OWNER, pair.id, marks)
    await prefer(wb, chat_days=1)

    assert await count_due(wb, LOCAL_OWNER, RULE) == 0
    assert await sweep_conversations(wb, now() + LATER) == 0
    assert len(await listed(wb)) == 2


async def test_a_conversation_that_a_page_shows_stays(wb: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    await prefer(wb, chat_days=1)

    feed = watch(wb, LOCAL_OWNER, conversation)
    assert await sweep_conversations(wb, now() + LATER) == 0
    del feed

    assert await sweep_conversations(wb, now() + LATER) == 1


async def test_child_conversations_have_a_rule_of_their_own(wb: Workbench) -> None:
    conversation = await a_conversation(wb, model="offline:demo")
    await reply_to(wb, conversation, "/echo one")
    summary = await summarise(wb, LOCAL_OWNER, conversation)
    await collect(wb, summary.started.run_id)
    await prefer(wb, child_days=7)

    assert await sweep_conversations(wb, now() + timedelta(days=8)) == 1

    assert conversation in await listed(wb)
    (logged,) = await list_logged(wb, LOCAL_OWNER)
    assert logged.sweep.rule == RetentionRule(RetentionKind.CHILD, 7)


async def test_what_was_deleted_for_good_is_not_brought_back(wb: Workbench) -> None:
    await a_conversation(wb)
    await prefer(wb, chat_days=1)
    await sweep_conversations(wb, now() + LATER)
    (logged,) = await list_logged(wb, LOCAL_OWNER)
    await empty_trash(wb, LOCAL_OWNER)

    assert await undo_sweep(wb, LOCAL_OWNER, logged.sweep.number) == 0
    for owner, number in ((LOCAL_OWNER, 0), ("bob", logged.sweep.number)):
        with pytest.raises(NotFoundError):
            await undo_sweep(wb, owner, number)


@pytest.mark.parametrize("changes", [{"chat_days": 0}, {"child_days": 10_000}, {"temporary_minutes": 0}])
async def test_a_rule_that_nobody_could_mean_is_refused(wb: Workbench, changes: dict[str, int]) -> None:
    with pytest.raises(InputError):
        await prefer(wb, **changes)


async def test_a_temporary_conversation_is_deleted_after_half_an_hour_of_nothing(wb: Workbench) -> None:
    conversation = (await create_temporary(wb, LOCAL_OWNER, model="offline:demo")).id
    bench = await bench_of(wb, conversation)
    await reply_to(bench, conversation, "/echo one")

    assert await expire_temporary(wb, now() + timedelta(minutes=29)) == 0
    feed = watch(bench, LOCAL_OWNER, conversation)
    assert await expire_temporary(wb, now() + timedelta(minutes=31)) == 0
    del feed
    await prefer(wb, temporary_minutes=None)
    assert await expire_temporary(wb, now() + timedelta(days=9)) == 0
    await prefer(wb)
    assert await expire_temporary(wb, now() + timedelta(minutes=31)) == 1

    assert await listed(bench) == []


async def test_a_temporary_conversation_that_was_kept_does_not_expire(wb: Workbench) -> None:
    conversation = (await create_temporary(wb, LOCAL_OWNER, model="offline:demo")).id
    await keep_conversation(await bench_of(wb, conversation), LOCAL_OWNER, conversation)

    assert await expire_temporary(wb, now() + timedelta(days=9)) == 0

    assert await listed(wb) == [conversation]


async def test_the_rule_of_a_folder_goes_before_that_of_imported_chats_and_that_before_the_one_of_chats(
    wb: Workbench,
) -> None:
    kept_folder = await create_folder(wb, LOCAL_OWNER, "Kept")
    short_folder = await create_folder(wb, LOCAL_OWNER, "Short")
    plain_folder = await create_folder(wb, LOCAL_OWNER, "Plain")
    placed = {
        folder.id: await a_conversation(wb, model="offline:demo")
        for folder in (kept_folder, short_folder, plain_folder)
    }
    for folder_id, conversation in placed.items():
        await place_conversations(wb, LOCAL_OWNER, [conversation], folder_id=folder_id)
    imported = (await bring(wb, foreign.written(foreign.chatgpt_with_branches()))).brought[0].id
    other = await a_conversation(wb, model="offline:demo")
    await keep_folder_for(wb, LOCAL_OWNER, kept_folder.id, 0)
    await keep_folder_for(wb, LOCAL_OWNER, short_folder.id, 7)
    await prefer(wb, chat_days=90, imported_days=0)

    await sweep_conversations(wb, now() + timedelta(days=8))
    after_a_week = set(await listed(wb))
    await sweep_conversations(wb, now() + LATER)
    after_all = set(await listed(wb))

    assert set(placed.values()) - after_a_week == {placed[short_folder.id]}
    assert {placed[kept_folder.id], imported} <= after_all
    assert not {placed[plain_folder.id], other} & after_all
    by_rule = {one.sweep.rule.kind: one.sweep for one in await list_logged(wb, LOCAL_OWNER)}
    assert by_rule[RetentionKind.FOLDER].rule == RetentionRule(RetentionKind.FOLDER, 7, short_folder.id)
    assert await undo_sweep(wb, LOCAL_OWNER, by_rule[RetentionKind.FOLDER].number) == 1
    assert placed[short_folder.id] in await listed(wb)


async def test_imported_chats_go_by_their_own_rule(wb: Workbench) -> None:
    await bring(wb, foreign.written(foreign.claude(foreign.claude_message("1", None, "human", "Hi"))))
    ours = await a_conversation(wb, model="offline:demo")
    await prefer(wb, imported_days=5_000 // 2)

    assert await sweep_conversations(wb, now() + timedelta(days=2_501)) == 1

    assert await listed(wb) == [ours]
    (logged,) = await list_logged(wb, LOCAL_OWNER)
    assert logged.sweep.rule.kind is RetentionKind.IMPORTED


async def test_a_folder_that_comes_back_has_its_rule(wb: Workbench) -> None:
    folder = await create_folder(wb, LOCAL_OWNER, "Short")
    await keep_folder_for(wb, LOCAL_OWNER, folder.id, 7)

    await restore_folder(wb, LOCAL_OWNER, await delete_folder(wb, LOCAL_OWNER, folder.id))

    assert (await read_folder(wb, LOCAL_OWNER, folder.id)).retention_days == 7
    with pytest.raises(InputError, match="0 for never"):
        await keep_folder_for(wb, LOCAL_OWNER, folder.id, -1)
