"""The tooltip of counter and estimate, and temporary conversations."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.conversation.parameters import NO_PARAMETERS
from app.runs.app_context import AppContext, context_for
from app.runs.attachments.uploads import attach_file, load_attached
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import preview_send
from app.runs.send.composition import compose_view
from app.runs.send.context_selection import ViewOptions
from app.runs.send.send_request import SendRequest
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.runs.settings.provider_commands import save_provider
from app.runs.temporary.temporary import create_temporary
from app.runs.watch.context import describe_context
from app.runs.wiring import open_app_context
from app.state.composer.split import describe_split
from app.state.composer.state import ComposerState
from app.state.composer.tooltip import TooltipState
from app.state.conversation.temporary import TemporaryState
from app.state.messages.toasts import ToastState
from app.state.transcript.transcript import TranscriptState
from tests.media.test_pictures import a_picture
from tests.providers.peer import Answer, a_peer
from tests.runs.steps import settings_of
from tests.state.conftest import Tab
from tests.state.watched import running, watching

JSON = (("Content-Type", "application/json"),)


@pytest.fixture
async def ctx(tmp_path: Path) -> AsyncGenerator[AppContext]:
    async with open_app_context(settings_of(tmp_path, INVIEW_TIMEOUT="0.3")) as opened:
        yield opened


async def test_a_provider_that_cannot_count_is_named(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"

    await tab.send(TooltipState.count)

    assert tab.shows(TooltipState, "exact")
    assert tab.shows(TooltipState, "counting") is False
    await tab.send(TooltipState.look)
    assert tab.shows(TooltipState, "exact") == ""


async def test_what_is_counted_exactly_has_the_files_and_the_cards_of_the_send(ctx: AppContext, tab: Tab) -> None:
    async with a_peer(Answer((b'{"input_tokens": 4321}',), headers=(("Content-Type", "application/json"),))) as peer:
        await save_provider(ctx, LOCAL_OWNER, "anthropic", key="sk-test", base_url=f"{peer.url}/v1")
        conversation = await create_conversation(
            ctx, LOCAL_OWNER, model="anthropic:claude-sonnet-4-5", system_prompt="Be brief."
        )
        tab.path = f"/c/{conversation.id}"
        picture = await attach_file(ctx, LOCAL_OWNER, a_picture("PNG", (90, 70)), "a.png")
        table = await attach_file(ctx, LOCAL_OWNER, b"x,y", "a.csv")
        ids = f"{picture.attachment.id} {table.attachment.id}"
        await tab.send(ComposerState.restore, draft="", schema="", files=ids)

        await tab.send(TooltipState.count)

        attached = await load_attached(ctx, LOCAL_OWNER, ids.split())
        planned = await preview_send(ctx, LOCAL_OWNER, conversation.id, SendRequest("", attached=attached))
    (heard,) = peer.heard
    asked, sent = json.loads(heard.body), json.loads(planned.wire.body)
    assert tab.shows(TooltipState, "exact").startswith("Exactly 4,321 tokens")
    assert len(asked["messages"][0]["content"]) == 2
    assert asked == {name: sent[name] for name in asked}
    assert "Be brief." in json.dumps(asked["system"])


async def test_exact_count_is_shown_without_a_band_until_the_draft_is_another(ctx: AppContext, tab: Tab) -> None:
    async with a_peer(Answer((b'{"input_tokens": 4321}',), headers=JSON)) as peer:
        await save_provider(ctx, LOCAL_OWNER, "anthropic", key="sk-test", base_url=f"{peer.url}/v1")
        conversation = await create_conversation(ctx, LOCAL_OWNER, model="anthropic:claude-sonnet-4-5")
        tab.path = f"/c/{conversation.id}"
        async with running(tab, TranscriptState.open):
            await tab.until(lambda: figures(tab) is not None)
            estimated = figures(tab)

            await tab.send(TooltipState.count)

            assert estimated == ("0", "", "free")
            assert figures(tab) == ("4,321", "exact", "$0.013")
            await tab.send(TooltipState.look)
            assert tab.shows(TooltipState, "exact").startswith("Exactly 4,321 tokens")

            await tab.send(ComposerState.write, draft="Why is that so?", typed=True, edition=1)
            await tab.until(lambda: tab.shows(ComposerState, "counted") == 1)
            changed = figures(tab)
            assert changed is not None
            assert (changed[0][0], changed[1]) == ("~", "")  # the error of so few tokens is not shown
            await tab.send(TooltipState.look)
            assert tab.shows(TooltipState, "exact") == ""


async def test_exact_count_of_a_draft_that_changed_meanwhile_leaves_the_estimate(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="anthropic:claude-sonnet-4-5")
    async with watching(ctx, tab, conversation.id, draft="Why?") as watcher:
        pieces = (lambda: watcher.write("Why is that so?", NO_PARAMETERS, 1), b'{"input_tokens": 4321}')
        async with a_peer(Answer(pieces, headers=JSON)) as peer:
            await save_provider(ctx, LOCAL_OWNER, "anthropic", key="sk-test", base_url=f"{peer.url}/v1")

            await tab.send(TooltipState.count)

    assert figures(tab) is None
    assert tab.shows(TooltipState, "exact").startswith("Exactly 4,321 tokens")


def figures(tab: Tab) -> tuple[str, str, str] | None:
    """Return tokens, certainty and cost of the estimate as shown."""
    split = tab.shows(ComposerState, "split")
    return None if split is None else (split.tokens, split.certainty, split.cost)


@pytest.mark.parametrize(
    ("model", "key", "countable"),
    [
        ("offline:demo", None, False),
        ("anthropic:claude-sonnet-4-5", None, False),
        ("anthropic:claude-sonnet-4-5", "sk-test", True),
        ("mistral:mistral-large-latest", "sk-test", False),
    ],
)
async def test_the_exact_count_is_offered_where_it_can_be_had(
    ctx: AppContext, model: str, key: str | None, *, countable: bool
) -> None:
    if key is not None:
        await save_provider(ctx, LOCAL_OWNER, model.partition(":")[0], key=key)
    conversation = await create_conversation(ctx, LOCAL_OWNER, model=model)

    composed = await compose_view(ctx, LOCAL_OWNER, conversation.id, ViewOptions())

    assert describe_split(describe_context(composed, None)).countable is countable


@pytest.mark.parametrize("tools", [(), ("current_time",)])
async def test_figures_with_tools_are_labelled_as_those_of_the_first_call(
    ctx: AppContext, tools: tuple[str, ...]
) -> None:
    preferences = await read_preferences(ctx, LOCAL_OWNER)
    await set_preferences(ctx, LOCAL_OWNER, replace(preferences, built_in_tools=tools))
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")

    composed = await compose_view(ctx, LOCAL_OWNER, conversation.id, ViewOptions())

    assert describe_split(describe_context(composed, None)).rounds is bool(tools)


async def test_without_an_estimate_the_cache_says_nothing(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"

    await tab.send(TooltipState.look)

    assert tab.shows(TooltipState, "cached") is None


async def test_a_temporary_conversation_is_kept(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_temporary(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"

    await tab.send(TemporaryState.keep)

    assert await context_for(ctx, conversation.id) is ctx
    assert tab.shows(ToastState, "toast").message.startswith("Saved.")


async def test_what_cannot_be_kept_says_why(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER)
    tab.path = f"/c/{conversation.id}"

    await tab.send(TemporaryState.keep)

    assert tab.shows(TemporaryState, "fault") == "This conversation is not temporary."
    assert tab.shows(TemporaryState, "keeping") is False


async def test_the_wish_for_a_temporary_conversation_ends_in_any_other(ctx: AppContext, tab: Tab) -> None:
    await tab.send(TemporaryState.want, wanted=True)
    assert tab.shows(TemporaryState, "wanted") is True
    tab.path = "/c/c1"

    await tab.send(TemporaryState.open)

    assert tab.shows(TemporaryState, "wanted") is False


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            Answer((b'{"error":{"type":"authentication_error","message":"invalid x-api-key"}}',), 401, JSON),
            "refused the key: invalid x-api-key. Add or correct the key in Settings → Providers.",
        ),
        (
            Answer((b'{"error":{"type":"api_error","message":"Internal server error"}}',), 500, JSON),
            "failed: Internal server error. The estimate is unchanged. Count again later.",
        ),
        (Answer(then="silent"), "sent nothing for 0.3 seconds. The estimate is unchanged. Count again later."),
    ],
    ids=["rejected", "failed", "silent"],
)
async def test_count_that_fails_says_what_happened_and_what_to_do(
    ctx: AppContext, tab: Tab, answer: Answer, said: str
) -> None:
    async with a_peer(answer) as peer:
        await save_provider(ctx, LOCAL_OWNER, "anthropic", key="sk-test", base_url=f"{peer.url}/v1")
        conversation = await create_conversation(ctx, LOCAL_OWNER, model="anthropic:claude-sonnet-4-5")
        tab.path = f"/c/{conversation.id}"

        await tab.send(TooltipState.count)

    assert tab.shows(TooltipState, "exact") == f"Not counted. Anthropic (anthropic:claude-sonnet-4-5) {said}"
    assert tab.shows(TooltipState, "counting") is False
