"""The button that shows a request in its other form."""

from __future__ import annotations

import pytest

from app.runs.app_context import AppContext
from app.state.messages.toasts import ToastState
from app.state.reply import request_text
from app.state.reply.request_text import RequestTextState
from tests.state.conftest import Tab
from tests.state.watched import watching_two


async def test_request_is_turned_and_turned_back(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab) as watcher:
        one, two = (pair.id for pair in watcher.screen.pairs)
        for pair_id in (one, two, one):
            await tab.send(RequestTextState.turn, pair_id=pair_id)

    assert tab.received(RequestTextState, "turned")[-3:] == [(one,), (one, two), (two,)]


async def test_only_the_newest_of_many_requests_stay_turned(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_text, "MAX_TURNED", 1)

    async with watching_two(ctx, tab) as watcher:
        for pair in watcher.screen.pairs:
            await tab.send(RequestTextState.turn, pair_id=pair.id)
        assert tab.shows(RequestTextState, "turned") == (watcher.screen.pairs[1].id,)


async def test_request_that_is_not_on_the_page_is_not_turned(ctx: AppContext, tab: Tab) -> None:
    async with watching_two(ctx, tab):
        for wrong in ("nowhere", "", None, 7):
            await tab.send(RequestTextState.turn, pair_id=wrong)

    assert not tab.shows(RequestTextState, "turned")
    assert tab.shows(ToastState, "toast").fault
