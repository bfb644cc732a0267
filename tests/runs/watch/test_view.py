"""Pairs in view on a page: filters, drafts, marks, models, long histories. A refused request changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.domain.context.context import OutReason
from app.domain.conversation.marks import Marks, PairMarks
from app.domain.conversation.parts import plain_text
from app.domain.filters.language.errors import FilterError
from app.domain.settings.preferences import Preferences
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.conversation.folder_commands import (
    Contents,
    change_folder,
    create_folder,
    delete_folder,
    restore_folder,
)
from app.runs.conversation.mark_commands import mark_pair, mark_pairs
from app.runs.request import indexes
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.settings.preference_commands import set_preferences
from app.runs.settings.provider_commands import list_models
from app.runs.watch import composed
from app.runs.watch import pairs as watch_pairs
from app.runs.watch import watcher as watching
from app.runs.watch.screen import Screen
from app.runs.watch.window import MAX_PAIRS
from app.runs.wiring import open_app_context
from app.store.conversation import pairs as stored_pairs
from app.store.conversation.pairs import WINDOW
from app.views.reply.panels import CountingView
from tests.api.peer import Peer, serve_peer
from tests.runs.clock import HANG_SECONDS, take_turns
from tests.runs.steps import a_conversation, pair_of, send, settings_of
from tests.runs.watch.page import Page, a_page, is_running, positions_of, store_past, text_of, view_of


@pytest.fixture
async def peer() -> AsyncGenerator[Peer]:
    async with serve_peer() as served:
        yield served


async def a_past(ctx: AppContext, count: int) -> str:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await store_past(ctx, conversation_id, count)
    return conversation_id


async def test_a_new_conversation_has_nothing_in_view(ctx: AppContext) -> None:
    async with a_page(ctx, await a_conversation(ctx, model="offline:demo")) as page:
        screen = await page.until_known()

    assert (screen.pairs, screen.earlier, screen.later, screen.running) == ((), False, False, "")
    assert screen.context is not None
    assert (screen.context.x, screen.context.y, screen.context.boundary) == (0, 0, None)


async def test_the_first_screen_shows_the_newest_pairs_in_view_of_the_filter(ctx: AppContext) -> None:
    async with a_page(ctx, await a_past(ctx, 4), options=ViewOptions(filter="r3")) as page:
        screen = await page.read()

    assert page.positions == [2, 3, 4]
    assert screen.context is not None
    assert (screen.context.filter, screen.context.y) == ("r3", 3)
    assert all(pair.tokens for pair in screen.pairs)


async def test_the_newest_pairs_are_shown_though_it_takes_long_to_know_what_is_sent(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "PATIENCE_SECONDS", 0)

    async with a_page(ctx, await a_past(ctx, 35)) as page:
        first = await page.read()
        assert (len(first.pairs), first.earlier, first.context) == (WINDOW, True, None)
        known = await page.until_known()

    assert [pair.position for pair in known.pairs] == [pair.position for pair in first.pairs] == list(range(6, 36))


@pytest.mark.usefixtures("complete_lists")
async def test_the_first_view_after_a_restart_uses_the_window_that_a_server_reported(data: Path, peer: Peer) -> None:
    peer.window = 131_072
    settings = settings_of(data, **peer.environment)
    async with open_app_context(settings) as ctx:
        conversation_id = await a_conversation(ctx, model="peer:m", system_prompt="word " * 5_000)
        await store_past(ctx, conversation_id, 200)
        assert await list_models(ctx, LOCAL_OWNER)

    async with open_app_context(settings) as ctx, a_page(ctx, conversation_id) as page:
        context = (await page.until_known()).context

    assert context is not None
    assert (context.x, context.y, context.boundary) == (200, 200, None)


async def test_what_a_report_changes_of_sizes_is_shown_on_every_pair(data: Path, peer: Peer) -> None:
    peer.usage = {"prompt_tokens": 500, "completion_tokens": 2, "total_tokens": 502}
    async with open_app_context(settings_of(data, **peer.environment)) as ctx:
        conversation_id = await a_conversation(ctx, model="peer:m")
        await store_past(ctx, conversation_id, 4)

        async with a_page(ctx, conversation_id) as page:
            await page.until_known()
            before = [pair.tokens for pair in page.screen.pairs]
            await send(ctx, conversation_id, "a word " * 100)
            screen = await page.until(lambda screen: [pair.tokens for pair in screen.pairs[:4]] != before)

    assert all(pair.tokens for pair in screen.pairs[:4])


async def test_another_filter_replaces_what_is_in_view(ctx: AppContext) -> None:
    async with a_page(ctx, await a_past(ctx, 4)) as page:
        await page.until_known()
        assert page.positions == [1, 2, 3, 4]

        page.watcher.set_options(ViewOptions(filter="r1"))
        screen = await page.until(lambda screen: screen.context and screen.context.filter == "r1")

    assert page.positions == [4]
    assert screen.context is not None
    assert (screen.context.x, screen.context.y) == (1, 1)


async def test_a_filter_asked_for_before_the_first_screen_holds(ctx: AppContext) -> None:
    async with a_page(ctx, await a_past(ctx, 4)) as page:
        page.watcher.set_options(ViewOptions(filter="r2"))
        await page.until(lambda screen: screen.context and screen.context.filter == "r2")
        await page.settle()

    assert page.positions == [3, 4]


async def test_a_filter_tried_before_the_watcher_runs_holds(ctx: AppContext) -> None:
    conversation_id = await a_past(ctx, 4)
    await send(ctx, conversation_id, "/long 4000 /rate 50")  # a watcher that runs would follow this reply
    watcher = watching.Watcher(ctx, LOCAL_OWNER, conversation_id)

    with pytest.raises(FilterError):
        await watcher.try_options(ViewOptions(filter="s7"))
    await watcher.try_options(ViewOptions(filter="r2"))
    assert watcher.screen == Screen()

    async with watcher:
        screen = await Page(watcher).until_known()
    assert screen.context is not None
    assert (screen.context.filter, screen.refusal, positions_of(screen)) == ("r2", None, [4, 5])


async def test_a_filter_asked_for_while_the_first_screen_is_read_holds(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "PATIENCE_SECONDS", 0)

    async with a_page(ctx, await a_past(ctx, 4)) as page:
        await page.read()
        page.watcher.set_options(ViewOptions(filter="r2"))
        await page.until(lambda screen: screen.context and screen.context.filter == "r2")
        screen = await page.settle()

    assert page.positions == [3, 4]
    assert screen.context is not None
    assert screen.context.filter == "r2"


async def test_a_filter_that_cannot_be_read_changes_nothing_and_says_where(ctx: AppContext) -> None:
    async with a_page(ctx, await a_past(ctx, 2)) as page:
        before = await page.until_known()

        page.watcher.set_options(ViewOptions(filter="s7"))
        screen = await page.until(lambda screen: screen.refusal)

    assert screen.refusal is not None
    assert (screen.refusal.position, screen.refusal.found) == (1, "7")
    assert screen.context == before.context
    assert page.positions == [1, 2]


async def test_error_of_a_filter_is_shown_until_another_is_requested(ctx: AppContext) -> None:
    async with a_page(ctx, await a_past(ctx, 2), options=ViewOptions(filter="s7")) as page:
        await page.until(lambda screen: screen.refusal)
        turn = page.watcher.view.turn
        page.watcher.write("A draft")
        await page.until(lambda _: page.watcher.view.turn > turn)
        assert page.screen.refusal is not None

        page.watcher.set_options(ViewOptions(filter="s0"))
        screen = await page.until(lambda screen: not screen.refusal)

    assert screen.context is not None
    assert screen.context.filter == "s0"


async def test_a_filter_that_cannot_be_read_does_not_undo_the_one_asked_for_after_it(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_page(ctx, await a_past(ctx, 3)) as page:
        await page.until_known()
        read, page_watcher = composed.read_base, page.watcher

        async def read_as_a_person_types(*args: object, **kwargs: object) -> object:
            if page_watcher.view.options.filter == "s7":
                page_watcher.set_options(ViewOptions(filter="r1"))
            return await read(*args, **kwargs)  # type: ignore[arg-type]

        monkeypatch.setattr(composed, "read_base", read_as_a_person_types)
        page_watcher.set_options(ViewOptions(filter="s7"))
        screen = await page.until(lambda screen: screen.context and screen.context.filter == "r1")

    assert screen.refusal is None
    assert page.positions == [3]


async def test_a_model_that_is_not_there_is_refused_and_the_one_in_force_stays(ctx: AppContext) -> None:
    async with a_page(ctx, await a_past(ctx, 2)) as page:
        await page.until_known()

        page.watcher.set_options(ViewOptions(model="nobody:nothing"))
        screen = await page.until(lambda screen: screen.refusal)

    assert screen.context is not None
    assert screen.context.model == "offline:demo"


async def test_another_model_is_counted_for(ctx: AppContext) -> None:
    async with a_page(ctx, await a_past(ctx, 2)) as page:
        before = (await page.until_known()).context

        page.watcher.set_options(ViewOptions(model="offline:tiny"))
        after = (await page.until(lambda screen: screen.context and screen.context.model == "offline:tiny")).context

    assert before is not None
    assert after is not None
    assert after.estimate.limit < before.estimate.limit


async def test_pairs_of_a_conversation_with_an_unknown_model_are_shown(data: Path, peer: Peer) -> None:
    async with open_app_context(settings_of(data, **peer.environment)) as ctx:
        conversation_id = await a_conversation(ctx, model="peer:m")
        await store_past(ctx, conversation_id, 3)

    async with open_app_context(settings_of(data)) as ctx, a_page(ctx, conversation_id) as page:
        screen = await page.until_known()

    assert page.positions == [1, 2, 3]
    assert screen.context is not None
    assert (screen.context.model, screen.refusal) == ("peer:m", None)


async def test_a_draft_moves_the_estimate(ctx: AppContext) -> None:
    async with a_page(ctx, await a_past(ctx, 1), draft="hello") as page:
        context = (await page.until_known()).context
        assert context is not None
        assert 0 < context.estimate.draft < 200

        page.watcher.write("hello " * 200)
        screen = await page.until(lambda screen: screen.context and screen.context.estimate.draft >= 200)

    assert screen.context is not None
    assert screen.context.estimate.tokens > context.estimate.tokens


async def test_a_draft_that_leaves_less_room_moves_the_boundary(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:tiny")
    await store_past(ctx, conversation_id, 60)

    async with a_page(ctx, conversation_id) as page:
        before = (await page.until_known()).context
        assert before is not None
        page.watcher.write("word " * (before.estimate.limit // 2))
        screen = await page.until(lambda screen: screen.context and screen.context.x < before.x)

    context = screen.context
    assert context is not None
    assert context.boundary is not None
    for pair in screen.pairs:
        assert pair.out == (context.boundary_reason if pair.position < context.boundary else None)


async def test_marks_bring_pairs_into_view_and_out_of_it(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    pairs = await store_past(ctx, conversation_id, 3)

    async with a_page(ctx, conversation_id, options=ViewOptions(filter="b")) as page:
        context = (await page.until_known()).context
        assert (page.positions, context and context.y) == ([], 0)

        await mark_pair(ctx, LOCAL_OWNER, pairs[1].id, Marks(flagged=True))
        await page.until(lambda screen: _in_view(screen) == ([2], 1))
        await mark_pair(ctx, LOCAL_OWNER, pairs[1].id, Marks(flagged=False))
        await page.until(lambda screen: _in_view(screen) == ([], 0))


async def test_a_thousand_pairs_that_come_into_view_at_once_do_not_all_go_to_the_page(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    pairs = await store_past(ctx, conversation_id, 400)

    async with a_page(ctx, conversation_id, options=ViewOptions(filter="b")) as page:
        await page.until_known()
        changes = [PairMarks(pair.id, Marks(flagged=True)) for pair in pairs]
        await mark_pairs(ctx, LOCAL_OWNER, conversation_id, changes)
        screen = await page.until(lambda screen: screen.pairs)

    assert max(len(screen.pairs) for screen in page.screens) <= MAX_PAIRS
    assert screen.pairs[-1].position == 400
    assert screen.earlier


async def test_a_pair_just_sent_stays_until_the_next_though_the_filter_hides_it(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    options = ViewOptions(filter="b")

    async with a_page(ctx, conversation_id, options=options) as page:
        await page.until_known()
        first = await send(ctx, conversation_id, "/echo one", options=options)
        await page.until(lambda screen: screen.pairs and screen.pairs[0].out is OutReason.FILTERED)
        assert _in_view(page.screen) == ([1], 0)

        second = await send(ctx, conversation_id, "/echo two", options=options)
        screen = await page.until(lambda screen: [pair.id for pair in screen.pairs] == [second.pair_id])

    assert first.pair_id not in {pair.id for pair in screen.pairs}


async def test_a_guest_leaves_with_the_next_filter(ctx: AppContext) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with a_page(ctx, conversation_id, options=ViewOptions(filter="b")) as page:
        await page.until_known()
        await send(ctx, conversation_id, "/echo one", options=ViewOptions(filter="b"))
        await page.until(lambda screen: screen.pairs and screen.pairs[0].out is OutReason.FILTERED)
        page.watcher.set_options(ViewOptions(filter="s>=1"))
        await page.until(lambda screen: screen.context and screen.context.filter == "s>=1")

    assert page.positions == []


async def test_a_reply_continues_though_another_filter_changes_the_view(ctx: AppContext) -> None:
    conversation_id = await a_past(ctx, 2)

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        started = await send(ctx, conversation_id, "/long 60 /rate 100")
        await page.until(lambda screen: screen.running and text_of(screen.pairs[-1]))
        page.watcher.set_options(ViewOptions(filter="r1"))
        await page.until(lambda screen: screen.context and screen.context.filter == "r1")
        assert started.pair_id in {pair.id for pair in page.screen.pairs}
        screen = await page.until_end_of(started.pair_id)
        await page.settle()

    assert page.positions == [3]
    stored = await pair_of(ctx, started.pair_id)
    assert text_of(view_of(screen, started.pair_id)) == plain_text(stored.reply.parts if stored.reply else ())


# --- long histories ---


async def test_a_reader_goes_back_to_the_first_pair_and_forth_to_the_newest(ctx: AppContext) -> None:
    async with a_page(ctx, await a_past(ctx, 500)) as page:
        await page.until_known()
        assert (page.positions[0], page.positions[-1]) == (471, 500)
        seen = set(page.positions)
        while page.screen.earlier:
            await page.watcher.show_earlier()
            await page.read()
            seen.update(page.positions)
            assert len(page.positions) <= MAX_PAIRS
        assert seen == set(range(1, 501))
        assert (page.screen.later, page.positions[0]) == (True, 1)

        while page.screen.later:
            await page.watcher.show_later()
            await page.read()
            assert len(page.positions) <= MAX_PAIRS

    assert page.positions[-1] == 500
    assert page.screen.earlier


async def test_a_reader_goes_to_a_pair_far_away_and_back_to_the_newest(ctx: AppContext) -> None:
    async with a_page(ctx, await a_past(ctx, 500)) as page:
        await page.until_known()

        await page.watcher.show_position(100)
        await page.read()
        assert 100 in page.positions
        assert page.positions[0] < 100
        assert (page.screen.earlier, page.screen.later) == (True, True)
        assert all(pair.tokens for pair in page.screen.pairs)

        await page.watcher.show_newest()
        screen = await page.read()

    assert (page.positions[0], page.positions[-1], screen.later) == (471, 500, False)


async def test_a_reader_who_goes_to_the_first_pair_at_once_sees_no_window_without_its_pairs(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = stored_pairs.load_standing

    async def load_slowly(*args: Any, **kwargs: Any) -> Any:
        found = await load(*args, **kwargs)
        await take_turns()
        return found

    monkeypatch.setattr(watch_pairs, "load_standing", load_slowly)
    async with a_page(ctx, await a_past(ctx, 80)) as page:
        going = asyncio.create_task(page.watcher.show_position(0))
        await page.until(lambda screen: screen.pairs and not screen.earlier)
        await going

    assert page.positions[0] == 1


async def test_the_first_pair_that_is_sent_is_known(ctx: AppContext) -> None:
    conversation_id = await a_past(ctx, 3)
    async with a_page(ctx, conversation_id) as page:
        screen = await page.until_known()
        assert screen.context is not None
        assert screen.context.first_sent == 1

        page.watcher.set_options(ViewOptions(filter="s>=1"))
        screen = await page.until(lambda screen: screen.context and screen.context.filter == "s>=1")

    assert screen.context is not None
    assert screen.context.first_sent == 0


async def test_a_reader_far_above_is_not_moved_by_a_reply_and_finds_it_at_the_end(ctx: AppContext) -> None:
    conversation_id = await a_past(ctx, 300)

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        await page.watcher.show_position(0)
        await page.read()
        before = page.positions
        started = await send(ctx, conversation_id, "/long 20 /rate 200")
        await page.until(lambda screen: screen.running == started.pair_id)
        await page.until(lambda screen: screen.ended == started.pair_id)
        await page.settle()
        assert page.positions == before

        await page.watcher.show_newest()
        screen = await page.until(lambda screen: not is_running(screen, started.pair_id))

    assert page.positions[-1] == 301
    stored = await pair_of(ctx, started.pair_id)
    assert text_of(screen.pairs[-1]) == plain_text(stored.reply.parts if stored.reply else ())


async def test_a_reader_far_above_can_go_to_the_pair_just_sent(ctx: AppContext) -> None:
    conversation_id = await a_past(ctx, 300)

    async with a_page(ctx, conversation_id) as page:
        await page.until_known()
        await page.watcher.show_position(0)
        started = await send(ctx, conversation_id, "/echo here")
        await page.until(lambda screen: screen.ended == started.pair_id)
        await page.settle()

        await page.watcher.show_position(301)
        await page.read()

    assert page.positions[-1] == 301


def _in_view(screen: Screen) -> tuple[list[int], int]:
    return positions_of(screen), -1 if screen.context is None else screen.context.y


async def test_counting_is_shown_until_the_figures_are_known(ctx: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation_id = await a_past(ctx, 5)
    monkeypatch.setattr(indexes, "BATCH", 2)
    count, goes_on = indexes.count_texts, asyncio.Event()
    asked = 0

    async def count_slowly(vocabulary: str, texts: Sequence[str]) -> list[int]:
        nonlocal asked
        asked += 1
        if asked == 3:
            await goes_on.wait()
        return await count(vocabulary, texts)

    monkeypatch.setattr(indexes, "count_texts", count_slowly)
    async with a_page(ctx, conversation_id) as page:
        counting = await page.until(lambda screen: screen.counting == CountingView(4, 5))
        goes_on.set()
        known = await page.until_known()
        settled = await page.settle()

    assert counting.context is None
    assert known.context is not None
    assert settled.counting is None


async def test_a_watcher_that_ends_without_pairs_counts_as_loaded(ctx: AppContext) -> None:
    watcher = watching.Watcher(ctx, LOCAL_OWNER, "nowhere")
    async with watcher, asyncio.timeout(HANG_SECONDS):
        await watcher.loaded.wait()
        assert await watcher.next_screen() is None


async def test_pairs_are_found_before_it_is_known_what_is_sent(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def wait_forever(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    conversation_id = await a_past(ctx, 2)
    monkeypatch.setattr(watching, "PATIENCE_SECONDS", 0)
    monkeypatch.setattr(composed, "read_base", wait_forever)
    watcher = watching.Watcher(ctx, LOCAL_OWNER, conversation_id)

    async with watcher, asyncio.timeout(HANG_SECONDS):
        await watcher.loaded.wait()
        assert len((await watcher.next_screen() or Screen()).pairs) == 2


async def test_view_with_the_time_of_day_is_composed_again_every_minute_and_sent_with_its_time(
    ctx: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composed, "MINUTE", 0.05)
    conversation_id = await a_past(ctx, 1)
    async with a_page(ctx, conversation_id) as page:
        screen = await page.until_known()
        assert screen.context is not None
        assert screen.context.as_of == ""
        await set_preferences(ctx, LOCAL_OWNER, Preferences(date_zone="UTC", tell_time=True))
        first = await page.until(lambda screen: screen.context is not None and screen.context.as_of != "")
        later = await page.until(
            lambda screen: (
                screen.context is not None and first.context is not None and screen.context.as_of > first.context.as_of
            )
        )
        seen = page.watcher.view.seen

    assert later.context is not None
    assert seen.as_of is not None
    assert seen.as_of.isoformat() >= later.context.as_of
    assert f"The time is {seen.as_of:%H:%M} (UTC)." in (later.context.prelude or "")


async def test_open_page_shows_the_folder_as_project_and_each_change_of_it(ctx: AppContext) -> None:
    work, home = [(await create_folder(ctx, LOCAL_OWNER, name)).folder.id for name in ("Work", "Home")]
    conversation_id = await a_past(ctx, 1)
    async with a_page(ctx, conversation_id) as page:

        async def until_prelude(expected: str | None) -> None:
            await page.until(lambda screen: screen.context is not None and screen.context.prelude == expected)

        await page.until_known()
        await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(folder_id=work))
        await set_preferences(ctx, LOCAL_OWNER, Preferences(tell_project=True))
        await until_prelude("Project: Work")
        await change_conversation(ctx, LOCAL_OWNER, conversation_id, SettingChanges(folder_id=home))
        await until_prelude("Project: Home")
        await change_folder(ctx, LOCAL_OWNER, home, {"name": "House"})
        await until_prelude("Project: House")
        await delete_folder(ctx, LOCAL_OWNER, home, Contents.KEEP)
        await until_prelude(None)
        await restore_folder(ctx, LOCAL_OWNER, home)
        await until_prelude("Project: House")
        await set_preferences(ctx, LOCAL_OWNER, Preferences())
        await until_prelude(None)


async def test_open_page_shows_the_first_request_as_soon_as_it_is_switched_on(ctx: AppContext) -> None:
    conversation_id = await a_past(ctx, 1)
    async with a_page(ctx, conversation_id) as page:
        await page.until_known()

        await set_preferences(ctx, LOCAL_OWNER, Preferences(tell_first_request=True))

        await page.until(lambda screen: screen.context is not None and screen.context.prelude is not None)
