"""Rate limits on the page: a refused message stays in the message box, with the wait."""

from __future__ import annotations

from datetime import UTC, datetime
from unittest.mock import AsyncMock

import pytest

from app.domain.errors import InviewError
from app.domain.settings.preferences import Preferences
from app.domain.settings.rate_limits import RateScope, refuse_sends, refuse_tokens
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.state.composer.state import ComposerState
from app.state.composer.views import SendAnswer
from app.state.composer.waits import plan_wait
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
    assert tab.shows(ComposerState, "fault") == ""
    wait = tab.shows(ComposerState, "wait")
    assert wait.reason == "You can send 1 message per minute. Nothing was sent."
    left = datetime.fromisoformat(wait.until) - datetime.fromisoformat(wait.now)
    assert 0 < left.total_seconds() <= 60
    assert wait.wait.endswith("seconds")


async def test_wait_ends_with_the_clock_of_the_server(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = refuse_sends(RateScope.PERSON, 1, 30)
    monkeypatch.setattr("app.state.composer.state.now", lambda: datetime(2026, 12, 1, 12, tzinfo=UTC))
    monkeypatch.setattr("app.state.composer.state.deliver", AsyncMock(side_effect=refused))
    await opened(ctx, tab)

    await send(tab, "/echo one")
    wait = tab.shows(ComposerState, "wait")
    assert (wait.now, wait.until) == ("2026-12-01T12:00:00+00:00", "2026-12-01T12:00:30+00:00")

    monkeypatch.setattr("app.state.composer.state.deliver", AsyncMock())
    await send(tab, "/echo one", "2")
    assert tab.shows(ComposerState, "wait") is None
    assert tab.shows(ComposerState, "answers")[-1] == SendAnswer("2", accepted=True)


def test_wait_of_hours_is_not_counted_down() -> None:
    at = datetime(2026, 12, 1, 12, tzinfo=UTC)

    assert plan_wait(refuse_tokens(RateScope.PERSON, 5000, 5120, 7300), at) is None
    assert plan_wait(InviewError("Something else."), at) is None


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
