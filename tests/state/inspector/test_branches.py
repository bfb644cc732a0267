from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from app.domain.conversation.conversation import Conversation
from app.domain.conversation.marks import Marks
from app.domain.conversation.parts import plain_text
from app.runs.app_context import AppContext, context_for
from app.runs.conversation.conversation_commands import (
    SettingChanges,
    change_conversation,
    create_conversation,
    delete_conversation,
)
from app.runs.conversation.forks import fork_from
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.temporary.temporary import create_temporary
from app.state.filters.applied import FilterState
from app.state.inspector import branches
from app.state.inspector.branches import BranchItem, BranchState, ForkChoiceView, ForksItem
from app.state.messages.answered import AnsweredState
from app.state.messages.toasts import Toast, ToastState
from app.state.transcript.transcript import TranscriptState
from app.state.undo.undo import UndoState
from app.store.conversation.lists import list_conversations
from tests.runs.steps import pairs_of, reply_to
from tests.state.conftest import Tab
from tests.state.watched import running
from tests.waiting import until


@dataclass(frozen=True)
class Plans:
    """A conversation of two pairs, the second with three stars, on the screen of a tab."""

    id: str
    pairs: tuple[str, str]


@pytest.fixture
async def plans(ctx: AppContext, tab: Tab) -> Plans:
    conversation = await create_conversation(ctx, LOCAL_OWNER, title="Plans", model="offline:demo")
    first = await reply_to(ctx, conversation.id, "/echo one")
    second = await reply_to(ctx, conversation.id, "/echo two")
    await mark_pair(ctx, LOCAL_OWNER, second.pair.id, Marks(stars=3))
    tab.path = f"/c/{conversation.id}"
    return Plans(conversation.id, (first.pair.id, second.pair.id))


async def forks(ctx: AppContext) -> list[Conversation]:
    async with ctx.store.read() as session:
        listed = await list_conversations(session, LOCAL_OWNER, limit=50)
    return [one.conversation for one in listed if one.conversation.title.startswith("Fork")]


async def requests(ctx: AppContext, conversation_id: str) -> list[str]:
    return [plain_text(pair.request.parts) for pair in await pairs_of(ctx, conversation_id)]


def shown(tab: Tab, var: str) -> Any:
    return tab.shows(BranchState, var)


def toast(tab: Tab) -> Toast:
    return tab.shows(ToastState, "toast")


@asynccontextmanager
async def filtered(ctx: AppContext, tab: Tab, plans: Plans, text: str) -> AsyncGenerator[None]:
    """Follow the conversation with the page under this applied filter."""
    await change_conversation(ctx, LOCAL_OWNER, plans.id, SettingChanges(filter=text))
    async with running(tab, TranscriptState.open):
        await until(lambda: tab.shows(FilterState, "filter") == text)
        yield


async def test_the_tree_has_parents_before_their_forks_and_counts_them_at_the_pairs(
    ctx: AppContext, tab: Tab, plans: Plans
) -> None:
    first = await fork_from(ctx, LOCAL_OWNER, plans.id, None, plans.pairs[0])
    await fork_from(ctx, LOCAL_OWNER, plans.id, None, plans.pairs[0])
    await fork_from(ctx, LOCAL_OWNER, first.conversation.id)

    await tab.send(BranchState.keep_current)

    items: tuple[BranchItem, ...] = shown(tab, "items")
    assert [(item.title, item.depth, item.after, item.pairs) for item in items] == [
        ("Plans", 0, "", "2 pairs"),
        ("Fork of Plans", 1, "after pair 1", "1 pair"),
        ("Fork 3 of Plans", 2, "after pair 1", "1 pair"),
        ("Fork 2 of Plans", 1, "after pair 1", "1 pair"),
    ]
    assert items[0].path == f"/c/{plans.id}"
    assert shown(tab, "forks") == (ForksItem(plans.pairs[0], "2 forks"),)
    assert shown(tab, "conversation") == plans.id


async def test_the_tree_stays_while_one_goes_from_branch_to_branch(ctx: AppContext, tab: Tab, plans: Plans) -> None:
    fork = (await fork_from(ctx, LOCAL_OWNER, plans.id)).conversation.id
    other = await create_conversation(ctx, LOCAL_OWNER)
    await tab.send(BranchState.keep_current)
    before = shown(tab, "items")

    tab.path = f"/c/{fork}"
    await tab.send(BranchState.keep_current)
    assert shown(tab, "items") == before
    assert shown(tab, "conversation") == fork
    assert shown(tab, "forks") == ()

    tab.path = f"/c/{other.id}"
    await tab.send(BranchState.keep_current)
    assert [item.id for item in shown(tab, "items")] == [other.id]


async def test_a_missing_conversation_has_no_tree_and_is_reported(ctx: AppContext, tab: Tab, plans: Plans) -> None:
    await delete_conversation(ctx, LOCAL_OWNER, plans.id)
    await tab.send(BranchState.keep_current)

    assert "conversation" in shown(tab, "fault")
    assert not shown(tab, "items")


async def test_elsewhere_there_is_no_tree(tab: Tab) -> None:
    tab.path = "/"
    await tab.send(BranchState.keep_current)

    assert not shown(tab, "items")
    assert not shown(tab, "fault")


async def test_a_fork_has_the_pairs_up_to_one_and_is_taken_back(ctx: AppContext, tab: Tab, plans: Plans) -> None:
    await tab.send(BranchState.ask_fork, pair_id=plans.pairs[0])

    (fork,) = await forks(ctx)
    assert await requests(ctx, fork.id) == ["/echo one"]
    assert toast(tab).message == "Forked: a new conversation with 1 pair. The other one is unchanged."
    assert tab.way == [f"/c/{fork.id}"]
    tab.path = tab.way[-1]
    await tab.send(ToastState.undo, toast_id=toast(tab).id)
    assert await forks(ctx) == []
    assert toast(tab).message == "Undone: forked 1 pair"
    assert tab.way == [f"/c/{fork.id}", f"/c/{plans.id}"]


async def test_a_fork_is_taken_back_from_elsewhere_without_leaving_that_place(
    ctx: AppContext, tab: Tab, plans: Plans
) -> None:
    await tab.send(BranchState.ask_fork, pair_id=plans.pairs[0])
    (fork,) = await forks(ctx)

    await tab.send(UndoState.undo_last)

    assert await forks(ctx) == []
    assert tab.way == [f"/c/{fork.id}"]


async def test_a_fork_of_all_pairs_names_no_pair(ctx: AppContext, tab: Tab, plans: Plans) -> None:
    await tab.send(BranchState.fork, pair_id="", which="all")

    (fork,) = await forks(ctx)
    assert await requests(ctx, fork.id) == ["/echo one", "/echo two"]
    assert fork.parent_id == plans.id


async def test_a_fork_in_which_something_was_said_is_not_taken_back(ctx: AppContext, tab: Tab, plans: Plans) -> None:
    await tab.send(BranchState.fork, pair_id="", which="all")
    (fork,) = await forks(ctx)
    await reply_to(ctx, fork.id, "/echo more")

    await tab.send(UndoState.undo_last)

    assert toast(tab).fault
    assert toast(tab).message.startswith("The fork has new messages.")
    assert len(await forks(ctx)) == 1


async def test_a_fork_that_was_deleted_cannot_be_taken_back(ctx: AppContext, tab: Tab, plans: Plans) -> None:
    await tab.send(BranchState.fork, pair_id="", which="all")
    (fork,) = await forks(ctx)
    await delete_conversation(ctx, LOCAL_OWNER, fork.id)

    await tab.send(UndoState.undo_last)

    assert toast(tab).fault


async def test_fork_of_the_whole_conversation_asks_where_a_filter_hides_pairs(
    ctx: AppContext, tab: Tab, plans: Plans
) -> None:
    async with filtered(ctx, tab, plans, "s3"):
        await tab.send(BranchState.ask_fork, pair_id="")

        choice: ForkChoiceView = shown(tab, "choosing")
        assert (choice.pair_id, choice.up_to) == ("", "")
        assert await forks(ctx) == []


async def test_where_a_filter_hides_pairs_one_is_asked_which_are_meant(ctx: AppContext, tab: Tab, plans: Plans) -> None:
    async with filtered(ctx, tab, plans, "s3"):
        await tab.send(BranchState.ask_fork, pair_id=plans.pairs[1])

        choice: ForkChoiceView = shown(tab, "choosing")
        assert (choice.pair_id, choice.up_to) == (plans.pairs[1], " up to pair 2")
        assert choice.description == tab.shows(FilterState, "description") != ""
        assert await forks(ctx) == []
        await tab.send(BranchState.end_choice)
        assert shown(tab, "choosing") is None

        await tab.send(BranchState.ask_fork, pair_id=plans.pairs[1])
        await tab.send(BranchState.fork, pair_id=plans.pairs[1], which="seen")
        assert shown(tab, "choosing") is None
        (fork,) = await forks(ctx)
        assert await requests(ctx, fork.id) == ["/echo two"]
        assert tab.way == [f"/c/{fork.id}"]


async def test_a_filter_that_leaves_no_pair_makes_no_fork(ctx: AppContext, tab: Tab, plans: Plans) -> None:
    async with filtered(ctx, tab, plans, "s3"):
        await tab.send(BranchState.fork, pair_id=plans.pairs[0], which="seen")

    assert "selects no pair" in toast(tab).message
    assert await forks(ctx) == []
    assert tab.way == []


async def test_a_double_click_makes_one_fork(
    ctx: AppContext, tab: Tab, plans: Plans, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tab.send(BranchState.fork, pair_id=plans.pairs[0], which="all")
    await tab.send(BranchState.fork, pair_id=plans.pairs[0], which="all")
    assert len(await forks(ctx)) == 1
    await tab.send(BranchState.fork, pair_id=plans.pairs[1], which="all")
    assert len(await forks(ctx)) == 2

    monkeypatch.setattr(branches, "AGAIN_SECONDS", 0.0)
    await tab.send(BranchState.fork, pair_id=plans.pairs[1], which="all")

    assert len(await forks(ctx)) == 3


@pytest.mark.parametrize("pair_id", ["gone", "x" * 64])
async def test_a_pair_that_is_not_there_makes_no_fork(ctx: AppContext, tab: Tab, plans: Plans, pair_id: str) -> None:
    await tab.send(BranchState.fork, pair_id=pair_id, which="all")

    assert toast(tab).fault
    assert await forks(ctx) == []
    await tab.send(BranchState.fork, pair_id=plans.pairs[0], which="all")
    assert len(await forks(ctx)) == 1


async def test_a_fork_of_a_temporary_conversation_is_temporary_too(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")
    bench = await context_for(ctx, conversation.id)
    await reply_to(bench, conversation.id, "/echo one")
    tab.path = f"/c/{conversation.id}"

    await tab.send(BranchState.fork, pair_id="", which="all")

    assert await forks(ctx) == []
    assert len(await forks(bench)) == 1


async def test_page_learns_that_a_fork_is_done_once_it_has_been_led_there(tab: Tab, plans: Plans) -> None:
    """The event that asks comes directly after the one that forks, long before the fork exists."""
    seen: list[tuple[int, bool]] = []
    for opening, handler, payload in (
        (1, BranchState.ask_fork, {"pair_id": plans.pairs[0]}),
        (2, BranchState.fork, {"pair_id": plans.pairs[1], "which": "all"}),
        (3, BranchState.fork, {"pair_id": "gone", "which": "all"}),
    ):
        ways = len(tab.way)
        async with asyncio.TaskGroup() as group:
            group.create_task(tab.send(handler, **payload))
            group.create_task(tab.send(AnsweredState.tell_answered, opening=opening))
            await tab.until(lambda opening=opening: tab.shows(AnsweredState, "answered") == opening)
            seen.append((opening, len(tab.way) > ways))

    assert seen == [(1, True), (2, True), (3, False)]
    assert toast(tab).fault
