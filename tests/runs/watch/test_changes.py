"""Other changes on a page: marks, deletion, titles, the queue, permissions, comparisons, tools; and the page's end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from app.domain.conversation.damage import Damage, DamagedRowError
from app.domain.conversation.marks import Marks
from app.domain.errors import NotFoundError
from app.runs.app_context import AppContext, context_for
from app.runs.compare.comparisons import ComparedModels, discard_comparison, keep_reply, start_comparison
from app.runs.conversation.conversation_commands import (
    SettingChanges,
    change_conversation,
    create_conversation,
    delete_conversation,
)
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.event_bus import PairsChanged, PairsRemoved, ToolProgress
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import pause_queue, queue_text
from app.runs.send.send_request import SendRequest
from app.runs.send.stopping import cancel_run
from app.runs.temporary.temporary import create_temporary
from app.runs.tools.permission_commands import PermissionChoice
from app.runs.trash.trash import list_trash, restore
from app.runs.watch import composed, panels
from app.runs.watch import watcher as watching
from app.runs.watch.page_window import PageWindow
from app.store.database.database import Store
from tests.api.resources.conversation.test_temporary import files_with
from tests.runs.steps import a_conversation, collect, pair_of, reply_to, send, wait_for_text
from tests.runs.tools.test_permissions import a_scene
from tests.runs.watch.page import Page, a_page, positions_of, store_past, text_of


async def test_a_changed_pair_is_shown_and_the_others_stay_the_same_values(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    pairs = await store_past(ctx, conversation_id, 3)

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        before = await page.settle()
        await mark_pair(ctx, LOCAL_OWNER, pairs[1].id, Marks(stars=2))
        after = await page.until(lambda screen: screen.pairs[1].stars == 2)

    assert after.pairs[0] is before.pairs[0]
    assert after.pairs[1].parts == before.pairs[1].parts
    assert after.pairs[2] is before.pairs[2]


async def test_a_change_that_changes_nothing_leaves_the_screen_as_it_is(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    (pair, *_) = await store_past(ctx, conversation_id, 3)

    async with a_page(ctx, conversation_id) as page:
        before = await page.settle()
        ctx.event_bus.publish(LOCAL_OWNER, conversation_id, PairsChanged((pair.id,)))
        after = await page.settle()

    assert after.pairs is before.pairs
    assert after.has_same_surroundings(before)


async def test_a_pair_changed_while_its_reply_streams_is_shown_so_at_its_end(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        started = await send(ctx, conversation_id, "/long 30 /rate 100")
        await page.until(lambda screen: screen.running and text_of(screen.pairs[-1]))
        await mark_pair(ctx, LOCAL_OWNER, started.pair_id, Marks(stars=3))
        screen = await page.until_end_of(started.pair_id)

    assert screen.pairs[0].stars == 3


async def test_a_pair_restored_before_the_page_was_updated_is_shown_again(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    pair = (await reply_to(ctx, conversation_id, "/echo Hello")).pair

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        monkeypatch.setattr(watching, "SETTLE_SECONDS", 0.2)
        await mark_pair(ctx, LOCAL_OWNER, pair.id, Marks(deleted=True))
        await page.until(lambda screen: not screen.pairs)
        await mark_pair(ctx, LOCAL_OWNER, pair.id, Marks(deleted=False))
        screen = await page.until(lambda screen: screen.pairs)

    assert text_of(screen.pairs[0]) == "Hello"


async def test_the_pair_just_sent_is_shown_again_when_it_is_deleted_and_brought_back(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        pair = (await reply_to(ctx, conversation_id, "/echo Hello")).pair
        await page.until_end_of(pair.id)
        await mark_pair(ctx, LOCAL_OWNER, pair.id, Marks(deleted=True))
        await page.until(lambda screen: not screen.pairs and screen.context and screen.context.y == 0)
        await mark_pair(ctx, LOCAL_OWNER, pair.id, Marks(deleted=False))
        screen = await page.until(lambda screen: screen.pairs)

    assert text_of(screen.pairs[0]) == "Hello"


async def test_a_removed_pair_leaves_at_once(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    (pair, *_) = await store_past(ctx, conversation_id, 3)

    async with a_page(ctx, conversation_id) as page:
        await page.settle()
        monkeypatch.setattr(watching, "SETTLE_SECONDS", 60)
        ctx.event_bus.publish(LOCAL_OWNER, conversation_id, PairsRemoved((pair.id,)))
        screen = await page.until(lambda screen: len(screen.pairs) == 2)

    assert pair.id not in {view.id for view in screen.pairs}


async def test_a_change_of_the_conversation_is_counted(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        before = (await page.settle()).changes
        await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(title="New"))
        screen = await page.until(lambda screen: screen.changes > before)
        assert screen.changes == before + 1

        await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(filter="r1"))
        await page.until(lambda screen: screen.context and screen.context.filter == "r1")


async def test_what_waits_in_the_queue_is_shown(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    started = await send(ctx, conversation_id, "/slow 20 /long 400")
    await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest("before", ViewOptions()))

    async with a_page(ctx, conversation_id) as page:
        await page.until(lambda screen: [item.text for item in screen.queue.items] == ["before"])
        await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest("after", ViewOptions()))
        await page.until(lambda screen: [item.text for item in screen.queue.items] == ["before", "after"])
        await pause_queue(ctx, LOCAL_OWNER, conversation_id)
        await page.until(lambda screen: screen.queue.held)
        await cancel_run(ctx, LOCAL_OWNER, started.run_id)


async def test_a_call_that_waits_for_permission_is_shown_until_it_is_answered(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_scene(ctx, conversation_id) as scene, a_page(ctx, conversation_id) as page:
        waiting = scene.ask("/notes/a")
        screen = await page.until(lambda screen: screen.permissions)
        (request,) = await scene.pending()
        await scene.answer(request, PermissionChoice.ALLOW)
        await page.until(lambda screen: not screen.permissions)
        await waiting

    (shown,) = screen.permissions
    assert (shown.id, shown.input_json) == (request.id, '{"path":"/notes/a"}')
    assert shown.seconds_left > 0


async def test_a_comparison_is_shown_until_a_reply_is_kept(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        made = await start_comparison(
            ctx, LOCAL_OWNER, conversation_id, SendRequest("/echo Hi"), ComparedModels(("offline:demo", "offline:tiny"))
        )
        screen = await page.until(lambda screen: screen.comparison)
        assert screen.comparison is not None
        assert [run.model for run in screen.comparison.runs] == ["offline:demo", "offline:tiny"]
        for run in made.runs:
            await collect(ctx, run.run_id)
        kept = await keep_reply(ctx, LOCAL_OWNER, conversation_id, "offline:tiny")
        screen = await page.until(lambda screen: screen.pairs and not screen.comparison)

    assert screen.pairs[0].id == kept.pair_id
    assert text_of(screen.pairs[0]) == "Hi"


async def test_what_waits_since_the_first_reading_is_not_hidden_by_it(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    read_all, began, goes_on = panels.read_all, asyncio.Event(), asyncio.Event()

    async def read_slowly(*who: Any) -> panels.Panels:
        read = await read_all(*who)
        began.set()
        await goes_on.wait()
        return read

    monkeypatch.setattr(panels, "read_all", read_slowly)
    async with a_page(ctx, conversation_id) as page:
        await asyncio.wait_for(began.wait(), 10)
        await start_comparison(
            ctx, LOCAL_OWNER, conversation_id, SendRequest("/echo Hi"), ComparedModels(("offline:demo", "offline:tiny"))
        )
        await page.until(lambda screen: screen.comparison)
        goes_on.set()
        screen = await page.settle()

    assert screen.comparison is not None


async def test_replies_that_are_looked_at_before_the_first_screen_do_not_empty_the_page(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")
    watcher = watching.Watcher(ctx, LOCAL_OWNER, conversation_id)

    watcher.look_at_compared(on=True)
    async with watcher:
        screen = await Page(watcher).read()

    assert positions_of(screen) == [1]


async def test_replies_are_followed_while_they_are_looked_at(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        made = await start_comparison(
            ctx,
            LOCAL_OWNER,
            conversation_id,
            SendRequest("/long 4000 /rate 50"),
            ComparedModels(("offline:demo", "offline:tiny")),
        )
        screen = await page.until(lambda screen: screen.comparison)
        assert screen.compared is None
        page.watcher.look_at_compared(on=True)
        screen = await page.until(lambda screen: screen.compared and all(one.parts for one in screen.compared.columns))
        assert screen.compared is not None
        assert [one.run_id for one in screen.compared.columns] == [run.run_id for run in made.runs]
        page.watcher.look_at_compared(on=False)
        await page.until(lambda screen: screen.compared is None)
        page.watcher.look_at_compared(on=True)
        screen = await page.until(lambda screen: screen.compared and screen.compared.columns[1].parts)
        await discard_comparison(ctx, LOCAL_OWNER, conversation_id)
        await page.until(lambda screen: screen.compared is None)

    assert screen.compared is not None
    assert screen.compared.columns[1].running


async def test_a_discarded_comparison_leaves(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await start_comparison(
        ctx, LOCAL_OWNER, conversation_id, SendRequest("/echo Hi"), ComparedModels(("offline:demo", "offline:tiny"))
    )

    async with a_page(ctx, conversation_id) as page:
        await page.until(lambda screen: screen.comparison)
        await discard_comparison(ctx, LOCAL_OWNER, conversation_id)
        await page.until(lambda screen: not screen.comparison)


async def test_data_next_to_the_pairs_are_read_in_one_transaction(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    visits = 0
    read = Store.read

    def read_counted(store: Store) -> Any:
        nonlocal visits
        visits += 1
        return read(store)

    monkeypatch.setattr(Store, "read", read_counted)
    found = await panels.read_all(ctx, LOCAL_OWNER, conversation_id)

    assert visits == 1
    assert (found.queue.items, found.comparison, found.permissions) == ((), None, ())


async def test_a_tool_says_how_far_it_is_until_its_reply_ends(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id) as page:
        started = await send(ctx, conversation_id, "/long 100 /rate 100")
        await wait_for_text(ctx, started)
        await page.until(lambda screen: screen.running)
        for done in (1, 2):
            progress = ToolProgress(started.run_id, "call", done, 4, f"{done} of 4", None)
            ctx.event_bus.publish(LOCAL_OWNER, conversation_id, progress)
        ctx.event_bus.publish(LOCAL_OWNER, conversation_id, ToolProgress(started.run_id, "other", 1, None, "", "c2"))
        screen = await page.until(lambda screen: len(screen.progress) == 2)
        await cancel_run(ctx, LOCAL_OWNER, started.run_id)
        ended = await page.until(lambda screen: screen.ended)

    first, second = screen.progress
    assert (first.tool_call_id, first.progress, first.total, first.message) == ("call", 2, 4, "2 of 4")
    assert (second.tool_call_id, second.conversation_id) == ("other", "c2")
    assert ended.progress == ()


async def test_a_deleted_conversation_ends_the_page_and_its_reply(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    started = await send(ctx, conversation_id, "/slow 20 /long 100")

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
        await page.until_gone()

    assert started.run_id not in ctx.engine.runs


async def test_a_conversation_that_is_restored_can_be_watched_again(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo Hello")
    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
    async with a_page(ctx, conversation_id) as page:
        await page.until_gone()

    (entry,) = (await list_trash(ctx, LOCAL_OWNER, limit=1)).entries
    await restore(ctx, LOCAL_OWNER, entry.id)

    async with a_page(ctx, conversation_id) as page:
        assert text_of((await page.until_known()).pairs[0]) == "Hello"


@pytest.mark.parametrize("conversation_id", ["never-was", "\x00", "x" * 300])
async def test_a_conversation_that_is_not_there_is_gone(ctx: AppContext, conversation_id: str) -> None:
    async with a_page(ctx, conversation_id) as page:
        await page.until_gone()

    assert page.screens == []


async def test_another_owners_conversation_is_not_there(ctx: AppContext) -> None:
    theirs = await create_conversation(ctx, "somebody else", title="Secret")

    async with a_page(ctx, theirs.id) as page:
        await page.until_gone()

    assert page.screens == []


async def fail_by_damage(*_: object, **__: object) -> None:
    raise DamagedRowError(Damage("pair", "p1", "position", "it is no number", 3))


async def test_a_fault_ends_the_page_and_leaves_no_task(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise KeyError("a secret of the house")

    conversation_id = await a_conversation(ctx, model="offline:demo")
    monkeypatch.setattr(composed, "read_base", fail)

    with pytest.raises(KeyError):
        async with a_page(ctx, conversation_id) as page:
            await page.read()


async def test_a_conversation_that_cannot_be_opened_shows_why_and_no_pairs(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await store_past(ctx, conversation_id, 2)
    monkeypatch.setattr(composed, "read_base", fail_by_damage)
    monkeypatch.setattr(watching, "load_conversation", fail_by_damage)

    async with a_page(ctx, conversation_id) as page:
        screen = await page.until(lambda screen: screen.refusal)

    assert screen.pairs == ()
    assert screen.refusal is not None
    assert "cannot be read" in screen.refusal.message


async def test_damage_of_something_else_than_the_conversation_ends_the_page(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    monkeypatch.setattr(PageWindow, "put", fail_by_damage)

    with pytest.raises(DamagedRowError):
        async with a_page(ctx, conversation_id) as page:
            await page.read()


async def test_a_temporary_conversation_is_watched_without_a_word_on_the_disk(ctx: AppContext, data: Path) -> None:
    made = await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")
    bench = await context_for(ctx, made.id)

    async with a_page(bench, made.id) as page:
        await page.until_known()
        started = await send(bench, made.id, "/echo Xylophonquartett")
        screen = await page.until_end_of(started.pair_id)

    assert text_of(screen.pairs[0]) == "Xylophonquartett"
    assert files_with(data, "Xylophonquartett") == []
    with pytest.raises(NotFoundError):
        await pair_of(ctx, started.pair_id)
