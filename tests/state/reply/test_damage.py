"""An unreadable setting of the conversation on screen: named on the page, refused at a send, reset there."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.runs.app_context import AppContext
from app.state.composer.state import ComposerState
from app.state.messages.toasts import ToastState
from app.state.reply.damage import DamageState
from app.state.topics.picker import TopicPickerState
from app.state.transcript.chat import ChatState
from app.state.transcript.transcript import TranscriptState
from tests.runs.steps import a_conversation, reply_to
from tests.state.conftest import Tab
from tests.state.transcript.test_transcript import known, positions, until, visiting


async def test_page_names_a_setting_that_cannot_be_read_and_resets_it(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")
    async with ctx.store.write() as session:
        await session.execute(text("UPDATE conversation SET parameters = '{\"temp', system_prompt = x'00ff'"))

    async with visiting(tab, conversation_id):
        await until(tab, known)
        assert positions(tab) == [1]
        damaged = tab.shows(TranscriptState, "damaged")
        assert [(one.column, one.name) for one in damaged] == [
            ("system_prompt", "system prompt"),
            ("parameters", "parameters"),
        ]
        assert [one.line for one in damaged] == [
            "System prompt: This text is not stored as text (2 bytes of binary data).",
            "Parameters: The stored data is garbled or incomplete (6 bytes).",
        ]

        await tab.send(ComposerState.send, send_id="1", text="/echo two", order_id="")
        await until(tab, lambda tab: tab.shows(ComposerState, "fault") != "")
        assert tab.shows(ComposerState, "fault").startswith("The system prompt of this conversation cannot be read, so")

        await tab.send(DamageState.reset_setting, column="parameters")
        await until(tab, lambda tab: len(tab.shows(TranscriptState, "damaged")) == 1)
        await tab.send(DamageState.reset_setting, column="parameters")
        assert "Nothing was changed" in tab.shows(ToastState, "toast").message
        await tab.send(DamageState.reset_setting, column="system_prompt")
        await until(tab, lambda tab: not tab.shows(TranscriptState, "damaged"))
        assert tab.shows(ComposerState, "fault") == ""
    await reply_to(ctx, conversation_id, "/echo two")


async def test_page_names_a_filter_that_is_none_sends_nothing_with_all_pairs_and_resets_it(
    ctx: AppContext, tab: Tab
) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")
    async with ctx.store.write() as session:
        await session.execute(text("UPDATE conversation SET filter = '(('"))

    async with visiting(tab, conversation_id):
        await until(tab, known)
        assert positions(tab) == [1]
        assert [one.line for one in tab.shows(TranscriptState, "damaged")] == [
            "Filter: The stored data is not a filter (2 bytes)."
        ]

        await tab.send(ComposerState.send, send_id="1", text="/echo two", order_id="")
        await until(tab, lambda tab: tab.shows(ComposerState, "fault") != "")
        assert tab.shows(ComposerState, "fault").startswith("The filter of this conversation cannot be read, so")

        await tab.send(DamageState.reset_setting, column="filter")
        await until(tab, lambda tab: not tab.shows(TranscriptState, "damaged"))
    await reply_to(ctx, conversation_id, "/echo two")


async def test_page_says_that_a_title_cannot_be_read_and_takes_a_new_one(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")
    for mend in (
        lambda: tab.send(ChatState.rename, title="/echo one"),  # the title that is shown instead
        lambda: tab.send(DamageState.reset_setting, column="title"),
    ):
        async with ctx.store.write() as session:
            await session.execute(text("UPDATE conversation SET title = x'ff00'"))
        tab.path = f"/c/{conversation_id}"
        await tab.send(ChatState.open)
        assert tab.shows(ChatState, "title_damage") == "This text is not stored as text (2 bytes of binary data)."
        assert tab.shows(ChatState, "title") == "/echo one"

        await mend()
        await tab.send(ChatState.open)

        assert tab.shows(ChatState, "title_damage") == ""
    await reply_to(ctx, conversation_id, "/echo two")


@pytest.mark.parametrize("which", ["request", "reply"])
async def test_pair_names_the_message_that_cannot_be_read(ctx: AppContext, tab: Tab, which: str) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")
    async with ctx.store.write() as session:
        await session.execute(text(f"UPDATE message SET parts = '[{{' WHERE id = (SELECT {which}_id FROM pair)"))

    async with visiting(tab, conversation_id):
        await until(tab, known)
        (pair,) = tab.shows(TranscriptState, "pairs")

    assert pair.damage == (f"The {which} (parts): The stored data is garbled or incomplete (2 bytes).",)
    assert pair.unread is (which == "request")


async def test_pair_with_a_missing_topic_is_marked_sent_and_filed_again(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")
    await reply_to(ctx, conversation_id, "/echo one")
    async with ctx.store.write() as session:
        await session.execute(text("UPDATE pair SET topic = 'gone'"))

    async with visiting(tab, conversation_id):
        await until(tab, known)
        (pair,) = tab.shows(TranscriptState, "pairs")
        assert (pair.topic, pair.topic_is_missing, pair.out) == ("unknown topic", True, None)

        await tab.send(TopicPickerState.file, pair_id=pair.id, topic_id="")
        await until(tab, lambda tab: not tab.shows(TranscriptState, "pairs")[0].topic_is_missing)
