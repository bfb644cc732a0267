"""Notes about a vendor's cache in state, with a provider that bills by the public rules."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from app.runs.app_context import AppContext
from app.runs.cache.keep_alive import read_keeping
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.wiring import open_app_context
from app.state.inspector import cache as cache_state
from app.state.inspector.cache import CacheState
from app.views.inspector.cache import CacheNotesView
from tests.billing.alibaba import AlibabaCache
from tests.billing.anthropic import AnthropicCache
from tests.billing.peer import BillingPeer, play_alibaba, play_anthropic, serve_billing
from tests.runs.steps import reply_to, settings_of
from tests.state.conftest import Tab
from tests.state.watched import running, watching
from tests.waiting import until

PROMPT = "You help an engineer of bridges. " * 200


@pytest.fixture
async def ctx(tmp_path: Path) -> AsyncGenerator[AppContext]:
    """Open an app context whose providers Anthropic and Alibaba are peers."""
    anthropic = BillingPeer("anthropic", AnthropicCache().bill, play_anthropic)
    alibaba = BillingPeer("alibaba", AlibabaCache().bill, play_alibaba)
    async with serve_billing(anthropic), serve_billing(alibaba):
        environment = anthropic.environment | alibaba.environment
        async with open_app_context(settings_of(tmp_path, **environment)) as opened:
            yield opened


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_state, "SETTLE_SECONDS", 0.01)


async def a_conversation(ctx: AppContext, model: str = "anthropic:claude-sonnet-4-5") -> str:
    made = await create_conversation(ctx, LOCAL_OWNER, model=model, system_prompt=PROMPT)
    for text in ("Which load?", "And in winter?"):
        await reply_to(ctx, made.id, text)
    return made.id


def notes(tab: Tab) -> CacheNotesView:
    return tab.shows(CacheState, "notes") or CacheNotesView()


@pytest.mark.parametrize("model", ["anthropic:claude-sonnet-4-5", "alibaba:qwen3-coder-plus"])
async def test_line_says_how_far_and_how_long_the_provider_keeps(ctx: AppContext, tab: Tab, model: str) -> None:
    conversation_id = await a_conversation(ctx, model)
    async with watching(ctx, tab, conversation_id) as watcher, running(tab, CacheState.follow):
        await until(lambda: notes(tab).line is not None)
        newest = watcher.screen.pairs[-1].id

    line = notes(tab).line
    assert line is not None
    assert (line.pair_id, line.place) == (newest, "request")
    assert line.text.startswith("Cached to here · ")
    assert line.expires_at > line.now
    assert notes(tab).cold is None
    assert tab.shows(CacheState, "conversation") == conversation_id


async def test_look_that_breaks_what_is_kept_says_what_it_costs(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id) as watcher, running(tab, CacheState.follow):
        await until(lambda: notes(tab).line is not None)
        watcher.set_options(ViewOptions(filter="r1"))
        await until(lambda: notes(tab).cold is not None)

    cold = notes(tab).cold
    assert cold is not None
    assert "Pair 2 is the first part that differs from the last send." in cold.text


async def test_cache_is_kept_for_as_long_as_is_chosen_until_it_is_stopped(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id), running(tab, CacheState.follow):
        await until(lambda: notes(tab).offer is not None)
        await tab.send(CacheState.ask)
        assert tab.shows(CacheState, "asking") is True
        offer = notes(tab).offer
        assert offer is not None
        assert [choice.name for choice in offer.choices] == ["15 minutes", "30 minutes", "An hour", "2 hours"]
        await tab.send(CacheState.end_ask)
        assert tab.shows(CacheState, "asking") is False

        await tab.send(CacheState.keep, minutes=30)
        keeping = notes(tab).keeping
        assert keeping is not None
        assert (keeping.on, keeping.text) == (True, " · no refresh needed yet ")

        await tab.send(CacheState.stop)
        assert notes(tab).keeping is None
    assert await read_keeping(ctx, LOCAL_OWNER, conversation_id) is None


@pytest.mark.parametrize("minutes", [0, -5, 7, "soon", None, True, 10**9])
async def test_time_that_is_not_offered_keeps_nothing(ctx: AppContext, tab: Tab, minutes: object) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id):
        await tab.send(CacheState.keep, minutes=minutes)

    assert await read_keeping(ctx, LOCAL_OWNER, conversation_id) is None


async def test_what_cannot_be_kept_says_why_in_the_dialog(ctx: AppContext, tab: Tab) -> None:
    made = await create_conversation(ctx, LOCAL_OWNER, model="anthropic:claude-sonnet-4-5")
    async with watching(ctx, tab, made.id):
        await tab.send(CacheState.ask)
        assert not tab.shows(CacheState, "asking")  # no keep-alive is offered
        await tab.send(CacheState.keep, minutes=30)

    assert tab.shows(CacheState, "fault")


async def test_model_with_an_unknown_cache_has_no_notes(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, "offline:demo")
    async with watching(ctx, tab, conversation_id), running(tab, CacheState.follow):
        await until(lambda: tab.shows(CacheState, "conversation") == conversation_id)

    assert notes(tab) == CacheNotesView()


async def test_stop_without_a_keep_alive_is_reported(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx)
    async with watching(ctx, tab, conversation_id):
        await tab.send(CacheState.stop)

    assert notes(tab).keeping is None
