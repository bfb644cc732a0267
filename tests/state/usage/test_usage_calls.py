"""The dialog with the recorded request of a call, which the usage section of the inspector opens."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import text

from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.usage.accounts import list_booked
from app.state.messages.toasts import ToastState
from app.state.tab.visit import VisitState
from app.state.usage.account import AccountState
from app.state.usage.sent_call import NO_CALL, NOT_RECORDED, SentCallState
from app.store.ledger.ledger import insert_calls
from app.views.inspector.sent_call import DELETED
from tests.state.conftest import Tab
from tests.state.usage.spending import send, talk


async def test_dialog_shows_what_a_call_contained_when_it_was_made(ctx: AppContext, tab: Tab) -> None:
    conversation = await talk(ctx, "/echo one", "/echo two")
    tab.path = f"/c/{conversation}"
    await tab.send(AccountState.load)
    newest = tab.shows(AccountState, "calls")[0]

    await tab.send(SentCallState.open, call_id=newest.id)

    assert tab.shows(SentCallState, "call") == newest
    assert tab.shows(SentCallState, "fault") == ""
    request = tab.shows(SentCallState, "request")
    assert (request.count, request.earlier, request.system) == ("3 messages", "", None)
    assert [(one.role, one.whence, one.gist) for one in request.messages] == [
        ("user", "9 characters", "/echo one"),
        ("assistant", "3 characters", "one"),
        ("user", "9 characters", "/echo two"),
    ]

    await tab.send(SentCallState.close)
    assert (tab.shows(SentCallState, "call"), tab.shows(SentCallState, "request")) == (None, None)


async def test_dialog_says_which_texts_are_gone(ctx: AppContext, tab: Tab) -> None:
    conversation = await talk(ctx)
    await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(system_prompt="Be brief."))
    await send(ctx, conversation, "/echo one")
    async with ctx.store.write() as session:
        await session.execute(text("DELETE FROM sent_text"))
    tab.path = f"/c/{conversation}"
    await tab.send(AccountState.load)

    await tab.send(SentCallState.open, call_id=tab.shows(AccountState, "calls")[0].id)

    request = tab.shows(SentCallState, "request")
    assert [(one.role, one.gist) for one in request.messages] == [("user", DELETED)]
    assert request.system.gist == DELETED


async def test_call_of_an_older_version_has_no_record(ctx: AppContext, tab: Tab) -> None:
    conversation = await talk(ctx, "/echo one")
    (booked,) = await list_booked(ctx, LOCAL_OWNER, conversation, limit=2)
    older = replace(booked.call, id="older", run_id="older")
    async with ctx.store.write() as session:
        await insert_calls(session, [older])
    tab.path = f"/c/{conversation}"
    await tab.send(AccountState.load)

    await tab.send(SentCallState.open, call_id="older")

    assert (tab.shows(SentCallState, "request"), tab.shows(SentCallState, "fault")) == (None, NOT_RECORDED)


async def test_call_that_is_not_listed_opens_nothing(ctx: AppContext, tab: Tab) -> None:
    tab.path = f"/c/{await talk(ctx, '/echo one')}"
    await tab.send(AccountState.load)

    await tab.send(SentCallState.open, call_id="nothing")

    assert tab.shows(SentCallState, "call") is None


async def test_reply_opens_its_newest_call_although_the_costs_are_not_listed(ctx: AppContext, tab: Tab) -> None:
    conversation = await talk(ctx, "/fail rate times 1 retry-after 0 /echo one", "/echo two")
    newer, *older = await list_booked(ctx, LOCAL_OWNER, conversation, limit=9)
    assert [booked.call.attempt for booked in older] == [2, 1]
    tab.path = f"/c/{conversation}"

    await tab.send(SentCallState.open_reply, run_id=older[0].call.run_id)

    call = tab.shows(SentCallState, "call")
    assert (call.id, call.what) == (older[0].call.id, "Reply, pair 1, attempt 2")
    assert call.id != newer.call.id
    assert tab.shows(SentCallState, "request").count == "1 message"


async def test_reply_without_a_recorded_call_says_so(ctx: AppContext, tab: Tab) -> None:
    tab.path = f"/c/{await talk(ctx, '/echo one')}"

    await tab.send(SentCallState.open_reply, run_id="copied")
    copied = tab.shows(ToastState, "toast").message
    tab.path = "/c/none"
    await tab.send(SentCallState.open_reply, run_id="copied")

    await tab.send(SentCallState.open_reply, run_id="r" * 65)

    assert copied == NO_CALL
    assert "conversation" in tab.shows(ToastState, "toast").message
    assert tab.shows(SentCallState, "call") is None


async def test_dialog_closes_when_another_page_is_opened(ctx: AppContext, tab: Tab) -> None:
    tab.path = f"/c/{await talk(ctx, '/echo one')}"
    await tab.send(AccountState.load)
    await tab.send(SentCallState.open, call_id=tab.shows(AccountState, "calls")[0].id)
    assert tab.shows(SentCallState, "call") is not None

    tab.path = f"/c/{await talk(ctx)}"
    await tab.send(VisitState.begin)

    assert tab.shows(SentCallState, "call") is None
