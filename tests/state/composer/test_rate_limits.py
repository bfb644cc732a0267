"""Rate limits on the page: a refused message stays in the message box, with the wait."""

from __future__ import annotations

from app.domain.settings.preferences import Preferences
from app.runs.app_context import AppContext
from app.runs.send.commands import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.state.composer.state import ComposerState
from app.state.composer.views import SendAnswer
from app.state.settings.context import ContextState, ContextTexts
from tests.state.composer.sends import listed, opened, requests, send
from tests.state.conftest import Tab

FORM = {"soft_cap": "94", "reserve": "800", "over_budget": "ask", "cache": "auto"}


async def test_refused_message_stays_in_the_box_with_the_wait(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(minute_sends=1))
    await opened(ctx, tab)
    await send(tab, "/echo one")

    conversation_id = await opened(ctx, tab)
    await send(tab, "/echo two", "2")

    assert await requests(ctx, conversation_id) == []
    assert tab.shows(ComposerState, "answers")[-1] == SendAnswer("2", accepted=False)
    assert tab.shows(ComposerState, "fault").startswith("You can send 1 message per minute. Nothing was sent.")


async def test_refused_first_message_leaves_no_conversation(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(minute_sends=1))
    known = await opened(ctx, tab)
    await send(tab, "/echo one")

    tab.path = "/"
    await tab.send(ComposerState.open)
    await send(tab, "/echo two", "2")

    assert await listed(ctx) == [known]
    assert tab.shows(ComposerState, "answers")[-1] == SendAnswer("2", accepted=False)


async def test_messages_of_a_page_count_for_the_address_of_its_browser(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(address_minute_sends=1))
    tab.address = "203.0.113.7"
    await opened(ctx, tab)
    await send(tab, "/echo one")

    conversation_id = await opened(ctx, tab)
    await send(tab, "/echo two", "2")
    tab.address = "203.0.113.8"
    await send(tab, "/echo three", "3")

    assert await requests(ctx, conversation_id) == ["/echo three"]


async def test_rate_limits_are_set_and_removed_in_settings(ctx: AppContext, tab: Tab) -> None:
    form = {**FORM, "minute_sends": "10", "address_day_tokens": "1 000 000"}
    await tab.send(ContextState.save, form=form)
    await tab.send(ContextState.load)

    wanted = ContextTexts("94", "800", minute_sends="10", address_day_tokens="1000000")
    assert tab.shows(ContextState, "stored") == wanted
    assert await read_preferences(ctx, LOCAL_OWNER) == Preferences(minute_sends=10, address_day_tokens=1_000_000)

    await tab.send(ContextState.save, form={**FORM, "conversation_minute_sends": "0"})
    assert tab.shows(ContextState, "faults").conversation_minute_sends.startswith("Enter a number from 1 to")
    await tab.send(ContextState.save, form=FORM)
    assert await read_preferences(ctx, LOCAL_OWNER) == Preferences()
