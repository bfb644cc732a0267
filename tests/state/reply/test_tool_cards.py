"""Expanded cards of tool calls in state: the data that is read, when it is dropped, and events that no page sends."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from app.domain.conversation.conversation import Pair
from app.domain.conversation.parts import Text, ToolCall
from app.domain.tools import permissions
from app.domain.tools.tools import ToolOutcome
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.stopping import cancel_run
from app.state.reply.tool_cards import ToolCardState
from app.tools.toolbox import Progress
from app.views.reply.tool_body import MAX_START, ToolBodyView
from tests.runs.steps import collect, reply_to, send
from tests.runs.toolsmith import add_tools
from tests.state.conftest import Tab
from tests.state.watched import watching
from tests.waiting import until

LONG = "\n".join(f"line {at}" for at in range(100))
PICTURE = '{"figures":[{"caption":"sine","png":"iVBORw0KGgo' + "A" * 400_000 + '"}]}'


async def list_lines(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    _ = arguments, progress
    return ToolOutcome((Text(LONG),), '{"lines":100}')


async def draw(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    _ = arguments, progress
    return ToolOutcome((Text(PICTURE),))


async def never(arguments: Mapping[str, Any], progress: Progress) -> ToolOutcome:
    _ = arguments, progress
    await asyncio.Event().wait()
    raise AssertionError


@pytest.fixture
async def pair(ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """Show a conversation of one pair, whose reply called a tool, in the tab."""
    monkeypatch.setattr(permissions, "UNASKED", frozenset({"list_lines", "draw", "never"}))
    await add_tools(ctx, list_lines=list_lines, draw=draw, never=never)
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"
    return (await reply_to(ctx, conversation.id, '/tool list_lines {"a": 1}')).pair


def call_of(pair: Pair) -> str:
    assert pair.reply is not None
    return next(part.tool_call_id for part in pair.reply.parts if isinstance(part, ToolCall))


async def unfold(tab: Tab, pair: Pair, **other: object) -> None:
    asked = {"pair_id": pair.id, "version": pair.version, "tool_call_id": call_of(pair), "turn": "output-available"}
    await tab.send(ToolCardState.unfold, **{**asked, **other})


def bodies(tab: Tab) -> tuple[ToolBodyView, ...]:
    return tab.shows(ToolCardState, "bodies") or ()


async def test_unfolded_card_shows_what_is_recorded_of_its_call(pair: Pair, tab: Tab) -> None:
    await unfold(tab, pair)

    (body,) = bodies(tab)
    card = f"{pair.id}/{pair.version}/{call_of(pair)}"
    assert body.id == card
    assert tab.shows(ToolCardState, "read") == (f"{card}#output-available",)
    assert body.server == "list_lines · server Inview"
    assert body.structured is not None
    assert (body.structured.kind, body.structured.text) == ("json", '{"lines":100}')
    assert body.arguments[0].piece is not None
    assert (body.arguments[0].piece.text, body.copied) == ('{"a": 1}', LONG)


async def test_card_is_read_again_in_place_and_dropped_when_it_is_collapsed(pair: Pair, tab: Tab) -> None:
    await unfold(tab, pair)
    await unfold(tab, pair, turn="later")
    assert len(bodies(tab)) == 1
    assert len(tab.shows(ToolCardState, "read")) == 1

    await tab.send(ToolCardState.fold, pair_id=pair.id, version=pair.version, tool_call_id=call_of(pair))

    assert (bodies(tab), tab.shows(ToolCardState, "read")) == ((), ())


async def test_long_result_is_shown_whole_and_cut_again(pair: Pair, tab: Tab) -> None:
    await unfold(tab, pair)
    piece = bodies(tab)[0].pieces[0].id

    await tab.send(ToolCardState.toggle_piece, piece_id=piece)
    assert tab.shows(ToolCardState, "whole") == (piece,)
    await tab.send(ToolCardState.toggle_piece, piece_id=piece)
    assert tab.shows(ToolCardState, "whole") == ()


async def test_picture_within_a_text_comes_to_the_page_as_its_beginning_and_once_unfolded(
    ctx: AppContext, pair: Pair, tab: Tab
) -> None:
    """The complete result is a download; the card says that the model received the beginning."""
    drawn = (await reply_to(ctx, pair.conversation_id, "/tool draw {}\n/then\n/echo Seen.")).pair
    async with watching(ctx, tab, pair.conversation_id) as watcher:
        assert len(orjson.dumps(watcher.screen.pairs)) < 20_000

    await unfold(tab, drawn, tool_call_id=call_of(drawn))

    (body,) = bodies(tab)
    (piece,) = body.pieces
    assert body.whole
    assert (piece.kind, len(piece.start)) == ("text", MAX_START + len("…"))
    assert (piece.text, piece.more, body.copied) == ("", "", "")
    assert body.download.endswith(f"/pairs/{drawn.id}/tool-calls/1")


async def test_cards_of_a_conversation_that_was_left_are_forgotten(ctx: AppContext, pair: Pair, tab: Tab) -> None:
    await unfold(tab, pair)
    other = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    there = (await reply_to(ctx, other.id, '/tool list_lines {"a": 2}')).pair

    tab.path = f"/c/{other.id}"
    await unfold(tab, there)

    assert [body.id.partition("/")[0] for body in bodies(tab)] == [there.id]


async def test_call_that_runs_is_read_before_it_is_recorded(ctx: AppContext, pair: Pair, tab: Tab) -> None:
    async with watching(ctx, tab, pair.conversation_id) as watcher:
        started = await send(ctx, pair.conversation_id, "/tool never {}")

        def card() -> Any:
            parts = next((one.parts for one in watcher.screen.pairs if one.id == started.pair_id), ())
            return next((part for part in parts if part.type == "tool_call" and part.status == "input-available"), None)

        try:
            await until(lambda: card() is not None)
            await tab.send(
                ToolCardState.unfold, pair_id=started.pair_id, version=1, tool_call_id=card().tool_call_id, turn="now"
            )
        finally:
            await cancel_run(ctx, LOCAL_OWNER, started.run_id)
        (body,) = bodies(tab)
        assert (body.server, body.answered, body.unanswered) == ("", False, False)
        await collect(ctx, started.run_id)


@pytest.mark.parametrize(
    "other",
    [
        {"pair_id": "nobody"}, {"pair_id": 7}, {"version": 2}, {"version": None}, {"tool_call_id": "nothing"},
        {"tool_call_id": None}, {"turn": ""}, {"turn": "x" * 100},
    ],
)  # fmt: skip
async def test_no_page_asks_for_such_a_card(pair: Pair, tab: Tab, other: dict[str, object]) -> None:
    await unfold(tab, pair, **other)
    await tab.send(ToolCardState.toggle_piece, piece_id=other.get("pair_id", "none"))

    assert bodies(tab) == ()
    assert not tab.shows(ToolCardState, "whole")
