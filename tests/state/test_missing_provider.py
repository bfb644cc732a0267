"""The page of a conversation whose provider is not set up: everything is shown, and a send names what is missing."""

from __future__ import annotations

from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.context_selection import ViewOptions
from app.runs.send.queue import queue_text
from app.runs.send.send_request import SendRequest
from app.state.composer.parameters import ParametersState
from app.state.composer.queue import describe_queue
from app.state.composer.split import describe_split
from app.state.conversation.model import ModelState
from tests.runs.steps import a_conversation
from tests.runs.watch.page import store_past
from tests.state.conftest import Tab
from tests.state.watched import watching
from tests.waiting import until


async def test_conversation_of_a_provider_that_is_gone_is_shown_with_its_figures(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="gone:big")
    await store_past(ctx, conversation_id, 2)

    async with watching(ctx, tab, conversation_id) as watcher:
        screen = watcher.screen
        await tab.send(ModelState.load)
        await tab.send(ParametersState.open)

    assert screen.refusal is None
    assert screen.context is not None
    assert (screen.context.x, screen.context.y, screen.context.model) == (2, 2, "gone:big")
    assert len(screen.pairs) == 2
    assert not any(pair.out or pair.unsupported for pair in screen.pairs)
    assert tab.shows(ModelState, "chosen_name") == "gone:big"
    split = describe_split(screen.context)
    assert (split.limit, split.over, split.share) == ("unknown, the provider is not set up", False, 0.0)


async def test_queue_of_a_provider_that_is_gone_says_so_in_a_sentence_and_names_the_settings(
    ctx: AppContext, tab: Tab
) -> None:
    conversation_id = await a_conversation(ctx, model="gone:big")
    stored = await queue_text(ctx, LOCAL_OWNER, conversation_id, SendRequest("And now?"))

    async with watching(ctx, tab, conversation_id) as watcher:
        await until(lambda: watcher.screen.has_panels)
        queue = watcher.screen.queue

    assert stored.hold is not None
    assert stored.hold.message.startswith("model: provider 'gone' is not configured."), "it is for programs too"
    assert (
        "Provider 'gone' is not configured. Choose another model, or add the provider in Settings → Providers. "
        "1 message waits."
    ) in describe_queue(queue, idle=False)


async def test_options_with_a_provider_that_is_gone_are_refused_in_a_sentence(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="offline:demo")

    async with watching(ctx, tab, conversation_id, options=ViewOptions(model="gone:big")) as watcher:
        refusal = watcher.screen.refusal

    assert refusal is not None
    assert refusal.message.startswith("Provider 'gone' is not configured. Choose another model")


async def test_nothing_is_out_for_a_window_that_is_not_known(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await a_conversation(ctx, model="gone:big")
    await store_past(ctx, conversation_id, 3, answer="word " * 5_000)

    async with watching(ctx, tab, conversation_id) as watcher:
        screen = watcher.screen

    assert screen.context is not None
    assert screen.context.estimate.tokens > 10_000
    assert (screen.context.x, screen.context.y, screen.context.boundary) == (3, 3, None)
