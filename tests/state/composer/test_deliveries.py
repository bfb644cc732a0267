"""Sends that a page repeats because it lost their answer: each is delivered once, also after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app.domain.conversation.marks import Marks
from app.domain.errors import ConflictError
from app.runs.app_context import AppContext
from app.runs.compare.comparisons import discard_comparison, read_comparison
from app.runs.conversation.conversation_commands import delete_conversation
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.queue import drop_queued, read_queue
from app.runs.trash.trash import restore
from app.runs.wiring import open_app_context
from app.state.composer import state as composer_state
from app.state.composer.sending import Draft
from app.state.composer.state import ComposerState
from app.state.composer.views import SendAnswer
from app.state.conversation.model import ModelState
from app.state.conversation.temporary import TemporaryState
from app.state.tab.turns import Turn, Turns
from app.store.database.database import Store
from app.store.run.rows_delivery import DELIVERY
from tests.runs.steps import pairs_of, settings_of, until_quiet
from tests.state.composer.sends import compare, listed, opened, requests, send
from tests.state.conftest import Tab

ACCEPTED = SendAnswer("1", accepted=True)


async def count(store: Store) -> int:
    async with store.read() as session:
        return (await session.execute(select(func.count()).select_from(DELIVERY))).scalar_one()


async def refuse(_draft: Draft) -> tuple[str, str]:
    """Replace `deliver_first` when no conversation may be created, even for a moment."""
    raise ConflictError("This message was sent before.")


async def forget(_ctx: AppContext, _owner: str, _send: object) -> str:
    """Replace `find_delivery`, as if the first send were not stored yet when the second one is planned."""
    return ""


async def test_a_send_whose_answer_was_lost_with_the_server_is_not_sent_again(
    ctx: AppContext, tab: Tab, tmp_path: Path
) -> None:
    conversation_id = await opened(ctx, tab)
    await send(tab, "/echo one")

    async with open_app_context(settings_of(tmp_path)) as restarted:
        await send(tab, "/echo one")

        assert await requests(restarted, conversation_id) == ["/echo one"]
        assert await count(restarted.store) == 1
    assert tab.shows(ComposerState, "answers") == (ACCEPTED, ACCEPTED)


async def test_a_first_message_whose_answer_was_lost_with_the_server_starts_no_second_conversation(
    ctx: AppContext, tab: Tab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tab.send(ComposerState.open)
    await send(tab, "/echo one")
    made = tab.shows(ComposerState, "made")

    monkeypatch.setattr(composer_state, "deliver_first", refuse)
    async with open_app_context(settings_of(tmp_path)) as restarted:
        await tab.connect("second", anew=True)
        await send(tab, "/echo one")

        assert await listed(restarted) == [made]
        assert await requests(restarted, made) == ["/echo one"]
    assert tab.shows(ComposerState, "answers") == (ACCEPTED, ACCEPTED)
    assert tab.way == [f"/c/{made}"] * 2


async def test_the_same_id_of_another_tab_is_another_send(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    other = Tab(tab.processor, tab.path)

    await send(tab, "/long 4000 /rate 25")
    await send(other, "two")

    assert [item.text for item in (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items] == ["two"]
    await tab.send(ComposerState.stop_reply)


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_repeated_send_is_queued_once(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch, *, is_known: bool
) -> None:
    conversation_id = await opened(ctx, tab)
    await send(tab, "/long 4000 /rate 25", "0")
    await send(tab, "two")
    if not is_known:
        monkeypatch.setattr(composer_state, "find_delivery", forget)

    await send(tab, "two")

    assert [item.text for item in (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items] == ["two"]
    assert tab.shows(ComposerState, "answers")[1:] == (ACCEPTED, ACCEPTED)
    await tab.send(ComposerState.stop_reply)


async def test_a_repeated_comparison_is_started_once(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await compare(tab, "offline:demo", "offline:tiny")
    comparison, _ = await read_comparison(ctx, LOCAL_OWNER, conversation_id)
    await send(tab, "What now?")

    assert (await read_comparison(ctx, LOCAL_OWNER, conversation_id))[0].id == comparison.id
    assert tab.shows(ComposerState, "answers") == (ACCEPTED, ACCEPTED)


@pytest.mark.parametrize("is_first", [True, False])
async def test_a_send_that_is_repeated_while_it_is_stored_is_delivered_once(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch, *, is_first: bool
) -> None:
    monkeypatch.setattr(composer_state, "find_delivery", forget)
    if is_first:
        await tab.send(ComposerState.open)
    else:
        await opened(ctx, tab)

    await send(tab, "/echo one")
    if is_first:
        await tab.connect("second", anew=True)  # the reloaded page does not know the new conversation
    await send(tab, "/echo one")

    (conversation_id,) = await listed(ctx)
    assert await requests(ctx, conversation_id) == ["/echo one"]
    assert tab.shows(ComposerState, "answers") == (ACCEPTED, ACCEPTED)


async def test_a_refused_send_is_delivered_when_it_is_repeated(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await tab.send(ModelState.choose, model="anthropic:claude-sonnet-4-5")  # it has no key
    await send(tab, "/echo one")
    assert await count(ctx.store) == 0

    await tab.send(ModelState.choose, model="offline:demo")
    await send(tab, "/echo one")

    assert await requests(ctx, conversation_id) == ["/echo one"]


async def test_a_repeated_send_of_a_temporary_conversation_is_not_sent_again_and_leaves_nothing_on_the_disk(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tab.send(TemporaryState.want, wanted=True)
    await send(tab, "/echo secret")
    made = tab.shows(ComposerState, "made")

    monkeypatch.setattr(composer_state, "deliver_first", refuse)
    await tab.connect("second", anew=True)
    await send(tab, "/echo secret")

    assert ctx.temporary.ctx is not None
    assert await requests(ctx.temporary.ctx, made) == ["/echo secret"]
    assert await listed(ctx) == []
    assert tab.shows(ComposerState, "answers") == (ACCEPTED, ACCEPTED)
    assert (await count(ctx.temporary.ctx.store), await count(ctx.store)) == (1, 0)


# --- a second text of the start page ---


async def open_page(tab: Tab, path: str) -> None:
    tab.path = path
    await tab.send(ComposerState.open)


@dataclass(eq=False, slots=True)
class LateTurns(Turns):
    """Turns of a busy server: `first` is called before the draft of a turn is delivered."""

    first: Callable[[Turn], Awaitable[None]] = field(kw_only=True)

    @asynccontextmanager
    async def held(self, turn: Turn) -> AsyncGenerator[None]:
        async with Turns.held(self, turn):
            await self.first(turn)
            yield


@pytest.mark.parametrize("path", ["/settings", "/"])
async def test_second_text_that_was_sent_before_the_redirect_is_in_the_conversation_of_the_first(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    await tab.send(ComposerState.open)
    await send(tab, "/long 4000 /rate 25", "1")
    made = tab.shows(ComposerState, "made")

    async def open_another(_: Turn) -> None:
        await tab.connect("second", anew=True)
        await open_page(tab, path)

    monkeypatch.setattr(composer_state, "_TURNS", LateTurns(first=open_another))
    await send(tab, "two", "2")

    assert await listed(ctx) == [made]
    assert [item.text for item in (await read_queue(ctx, LOCAL_OWNER, made)).items] == ["two"]
    assert tab.shows(ComposerState, "answers") == (ACCEPTED, SendAnswer("2", accepted=True))
    await open_page(tab, f"/c/{made}")
    await tab.send(ComposerState.stop_reply)


async def test_second_text_that_waits_for_the_first_while_the_redirect_is_followed_is_in_its_conversation(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def follow_the_redirect(turn: Turn) -> None:
        if turn.before is not None:
            await open_page(tab, f"/c/{tab.shows(ComposerState, 'made')}")

    monkeypatch.setattr(composer_state, "_TURNS", LateTurns(first=follow_the_redirect))
    await tab.send(ComposerState.open)

    await asyncio.gather(send(tab, "/long 4000 /rate 25", "1"), send(tab, "two", "2"))

    made = tab.shows(ComposerState, "made")
    assert await listed(ctx) == [made]
    assert [item.text for item in (await read_queue(ctx, LOCAL_OWNER, made)).items] == ["two"]
    assert tab.way == [f"/c/{made}"], "the page is not opened again"
    await tab.send(ComposerState.stop_reply)


async def test_page_of_the_conversation_of_two_texts_is_not_opened_again_from_the_start_page(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tab.send(ComposerState.open)
    await send(tab, "/long 4000 /rate 25", "1")
    made = tab.shows(ComposerState, "made")
    deliver = composer_state.deliver

    async def follow_the_redirect(draft: Draft) -> str:
        await open_page(tab, f"/c/{made}")
        return await deliver(draft)

    monkeypatch.setattr(composer_state, "deliver", follow_the_redirect)
    await send(tab, "two", "2")
    await tab.send(ComposerState.stop_reply)
    await open_page(tab, "/")

    assert await listed(ctx) == [made]
    assert tab.way == [f"/c/{made}"]


async def delete_pair(ctx: AppContext, conversation_id: str) -> None:
    (pair,) = await pairs_of(ctx, conversation_id)
    await until_quiet(ctx)
    await mark_pair(ctx, LOCAL_OWNER, pair.id, Marks(deleted=True))


async def put_into_trash_and_back(ctx: AppContext, conversation_id: str) -> None:
    await delete_conversation(ctx, LOCAL_OWNER, conversation_id)
    await restore(ctx, LOCAL_OWNER, conversation_id)


@pytest.mark.parametrize(("remove", "left"), [(delete_pair, 0), (put_into_trash_and_back, 1)])
async def test_a_text_that_a_person_removed_can_be_sent_again(
    ctx: AppContext, tab: Tab, remove: Callable[[AppContext, str], Awaitable[None]], left: int
) -> None:
    conversation_id = await opened(ctx, tab)
    await send(tab, "/echo one")
    await until_quiet(ctx)

    await remove(ctx, conversation_id)
    await send(tab, "/echo one")

    assert await requests(ctx, conversation_id) == ["/echo one"] * (left + 1)


async def test_a_queued_text_that_a_person_removed_can_be_sent_again(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await send(tab, "/long 4000 /rate 25", "0")
    await send(tab, "two")
    (item,) = (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items

    await drop_queued(ctx, LOCAL_OWNER, conversation_id, item.id)
    await send(tab, "two")

    assert [item.text for item in (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items] == ["two"]
    await tab.send(ComposerState.stop_reply)


async def test_a_request_of_a_discarded_comparison_can_be_sent_again(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await compare(tab, "offline:demo", "offline:tiny")

    await discard_comparison(ctx, LOCAL_OWNER, conversation_id)
    await send(tab, "What now?")

    assert await requests(ctx, conversation_id) == ["What now?"]
