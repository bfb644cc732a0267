"""Sends from the page: their content, their results, and their order."""

from __future__ import annotations

import asyncio

import pytest

from app.domain.run.queue import HoldReason
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import pause_queue, queue_text, read_queue
from app.runs.send.send_request import SendRequest
from app.state.composer.message_box import MAX_TEXT
from app.state.composer.state import TOO_LONG, ComposerState
from app.state.composer.views import OrderKind, SendAnswer
from app.state.conversation.model import ModelState
from app.state.conversation.temporary import TemporaryState
from app.store.conversation.pairs import load_pairs
from tests.state.composer.sends import opened, requests, send
from tests.state.conftest import Tab


async def test_a_text_is_sent_unchanged_and_accepted(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await send(tab, "/echo  two  blanks\n")

    assert await requests(ctx, conversation_id) == ["/echo  two  blanks\n"]
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=True),)


async def test_the_model_of_another_conversation_gets_nothing(ctx: AppContext, tab: Tab) -> None:
    await opened(ctx, tab)
    other = await create_conversation(ctx, LOCAL_OWNER, model="offline:tiny")
    tab.path = f"/c/{other.id}"  # and its model is not loaded yet

    await send(tab, "/echo one")

    async with ctx.store.read() as session:
        (pair,) = await load_pairs(session, LOCAL_OWNER, other.id)
    assert pair.model == "offline:tiny"


async def test_a_temporary_conversation_is_started_if_the_switch_is_on(ctx: AppContext, tab: Tab) -> None:
    await tab.send(TemporaryState.want, wanted=True)

    await send(tab, "/echo secret")

    assert ctx.temporary.ctx is not None
    assert await requests(ctx.temporary.ctx, tab.shows(ComposerState, "made")) == ["/echo secret"]


async def test_what_was_chosen_just_before_a_send_counts(ctx: AppContext, tab: Tab) -> None:
    await asyncio.gather(
        tab.send(ComposerState.open),
        tab.send(ModelState.load),  # takes some time
        tab.send(TemporaryState.want, wanted=True),
        send(tab, "/echo secret"),
    )

    assert ctx.temporary.ctx is not None, "the conversation is on the disk"
    assert await requests(ctx.temporary.ctx, tab.shows(ComposerState, "made")) == ["/echo secret"]


async def test_a_text_waits_in_the_queue_while_a_reply_runs(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("/long 4000 /rate 25"))

    await send(tab, "/echo later")

    assert [item.text for item in (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items] == ["/echo later"]
    await tab.send(ComposerState.stop_reply)


async def test_two_quick_sends_keep_their_order(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await asyncio.gather(send(tab, "/long 4000 /rate 25", "1"), send(tab, "two", "2"), send(tab, "three", "3"))

    assert await requests(ctx, conversation_id) == ["/long 4000 /rate 25"]
    assert [item.text for item in (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items] == ["two", "three"]
    assert [answer.id for answer in tab.shows(ComposerState, "answers")] == ["1", "2", "3"]
    await tab.send(ComposerState.stop_reply)


async def test_a_send_whose_answer_was_lost_is_not_sent_again(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await send(tab, "/echo one", "lost-1")

    await send(tab, "/echo one", "lost-1")

    assert await requests(ctx, conversation_id) == ["/echo one"]
    answer = SendAnswer("lost-1", accepted=True)
    assert tab.shows(ComposerState, "answers") == (answer, answer)


@pytest.mark.parametrize("kind", [OrderKind.SEND, OrderKind.SAY])
async def test_an_order_to_send_is_not_repeated_by_a_page_that_is_loaded_again(
    ctx: AppContext, tab: Tab, kind: OrderKind
) -> None:
    await tab.connect("first", anew=True)
    await opened(ctx, tab)
    if kind is OrderKind.SEND:
        await tab.send(ComposerState.compare, models=["offline:demo", "offline:tiny"])
    else:
        await tab.send(ComposerState.continue_reply)
    assert tab.shows(ComposerState, "order").kind is kind

    await tab.connect("second")  # the page knows that it has carried out the order, but the send was lost
    assert tab.shows(ComposerState, "order").kind is kind
    await tab.connect("third", anew=True)

    assert tab.shows(ComposerState, "order") is None, "the first data of the page that is loaded"


async def test_stopping_stops_the_reply(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await send(tab, "/long 4000 /rate 25")

    await tab.send(ComposerState.stop_reply)

    assert ctx.engine.runs_of(conversation_id) == ()


@pytest.mark.parametrize("text", ["", "  \n", 7, None])
async def test_what_is_blank_or_no_text_is_refused(ctx: AppContext, tab: Tab, text: object) -> None:
    conversation_id = await opened(ctx, tab)

    await tab.send(ComposerState.send, send_id="1", text=text, order_id="")

    assert await requests(ctx, conversation_id) == []
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)


async def test_a_text_that_is_too_long_is_refused_with_its_reason(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await send(tab, "x" * (MAX_TEXT + 1))

    assert tab.shows(ComposerState, "fault") == TOO_LONG
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)
    assert await requests(ctx, conversation_id) == []


async def test_a_text_of_too_many_bytes_is_refused_with_its_size(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await send(tab, "é" * (MAX_TEXT // 2 + 1))

    assert "has 1,048,578 bytes. The maximum for a text is 1,048,576" in tab.shows(ComposerState, "fault")
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=False),)
    assert await requests(ctx, conversation_id) == []


async def test_a_refused_text_keeps_its_schema(ctx: AppContext, tab: Tab) -> None:
    await opened(ctx, tab)
    tab.path = "/c/none"
    await tab.send(ComposerState.restore, draft="", schema='{"type":"object"}', files="")

    await send(tab, "one")

    assert "There is no conversation" in tab.shows(ComposerState, "fault")
    assert tab.shows(ComposerState, "schema") == '{"type":"object"}'


async def test_two_tabs_that_send_at_once_send_each_text_once(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    other = Tab(tab.processor, tab.path)
    await other.send(ComposerState.open)

    await asyncio.gather(send(tab, "/long 4000 /rate 25"), send(other, "/long 3000 /rate 25"))

    waiting = [item.text for item in (await read_queue(ctx, LOCAL_OWNER, conversation_id)).items]
    sent = await requests(ctx, conversation_id)
    assert (len(sent), sorted([*sent, *waiting])) == (1, ["/long 3000 /rate 25", "/long 4000 /rate 25"])
    await tab.send(ComposerState.stop_reply)


async def test_a_held_queue_is_resumed(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("/long 4000 /rate 25"))
    await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest("/echo waited"))
    await pause_queue(ctx, LOCAL_OWNER, conversation_id)

    await tab.send(ComposerState.resume_queue)

    assert tab.shows(ComposerState, "fault") in {None, ""}
    await tab.send(ComposerState.stop_reply)


async def test_refusal_of_a_queued_text_is_shown_by_the_queue_alone(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)
    await start_reply(ctx, LOCAL_OWNER, conversation_id, SendRequest("/long 4000 /rate 25"))
    await queue_text(
        ctx, LOCAL_OWNER, conversation_id, SendRequest("/echo waited", ViewOptions(model="anthropic:claude-sonnet-4-5"))
    )
    await tab.send(ComposerState.stop_reply)

    await tab.send(ComposerState.resume_queue)

    hold = (await read_queue(ctx, LOCAL_OWNER, conversation_id)).hold
    assert hold is not None
    assert hold.reason is HoldReason.REFUSED
    assert tab.shows(ComposerState, "fault") in {None, ""}


async def test_texts_for_the_box_are_put_once(ctx: AppContext, tab: Tab) -> None:
    await opened(ctx, tab)

    await tab.send(ComposerState.put, text="Repair it.", schema='{"type":"array"}')

    order = tab.shows(ComposerState, "order")
    assert (order.kind, order.text) == (OrderKind.PUT, "Repair it.")
    assert tab.shows(ComposerState, "schema") == '{"type":"array"}'
    await tab.send(ComposerState.finish_order, order_id="another")
    assert tab.shows(ComposerState, "order") == order
    await tab.send(ComposerState.finish_order, order_id=order.id)
    assert tab.shows(ComposerState, "order") is None
    await tab.send(ComposerState.put_if_empty, text="Again")
    assert tab.shows(ComposerState, "order").kind is OrderKind.PUT_IF_EMPTY


async def test_models_to_compare_get_what_is_written(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await opened(ctx, tab)

    await tab.send(ComposerState.compare, models=["offline:demo", "offline:tiny"])
    order = tab.shows(ComposerState, "order")
    await send(tab, "/echo both", "1", order.id)

    async with ctx.store.read() as session:
        assert await load_pairs(session, LOCAL_OWNER, conversation_id) == ()
    assert tab.shows(ComposerState, "answers") == (SendAnswer("1", accepted=True),)


async def test_a_restored_draft_brings_its_schema(ctx: AppContext, tab: Tab) -> None:
    await opened(ctx, tab)

    await tab.send(ComposerState.restore, draft="half", schema='{"type":"object"}', files="")

    assert tab.shows(ComposerState, "schema") == '{"type":"object"}'


async def test_a_page_that_opens_late_forgets_nothing_of_what_was_sent_on_it(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="anthropic:claude-sonnet-4-5")
    tab.path = f"/c/{conversation.id}"

    await send(tab, "one")
    await tab.send(ComposerState.open)

    assert "There is no key" in tab.shows(ComposerState, "fault")
    tab.path = "/c/another"
    await tab.send(ComposerState.open)
    assert tab.shows(ComposerState, "fault") == ""
