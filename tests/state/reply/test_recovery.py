"""The event by which a page sends back the shown text of an interrupted reply, as any client could send it."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.compare.comparisons import Comparison
from app.domain.conversation.parts import plain_text
from app.domain.run.run import apply_event
from app.domain.run.run_events import Interrupted
from app.runs.app_context import AppContext
from app.runs.compare.comparisons import ComparedModels, start_comparison
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import StartedRun
from app.runs.send.send_request import SendRequest
from app.state.comparison import ComparisonState
from app.state.reply.recovery import RecoveryState
from app.store.run.ends import finish_run
from app.store.run.stored_runs import load_run
from app.views.compare.compared import ComparedColumnView
from app.views.conversation.parts import TextView
from tests.runs.steps import a_conversation, collect, pair_of, send, wait_for_text
from tests.state.compare.test_comparison import DEMO, TINY, columns
from tests.state.conftest import Tab
from tests.state.transcript.test_transcript import until, visiting


async def interrupt(ctx: AppContext) -> tuple[str, str, str]:
    """Start a reply and end it as the reply of a dead process. Return its pair, its run, and its stored text."""
    started = await send(ctx, await a_conversation(ctx), "/long 100 /rate 100")
    return started.pair_id, started.run_id, await cut_off(ctx, started)


async def interrupt_comparison(ctx: AppContext) -> tuple[Comparison, str]:
    """Start a comparison whose first reply ends in that way; the other succeeds. Return it with the stored text."""
    conversation_id = await a_conversation(ctx)
    comparison = await start_comparison(
        ctx, LOCAL_OWNER, conversation_id, SendRequest("/long 40 /rate 100"), ComparedModels((DEMO, TINY))
    )
    first, other = comparison.runs
    text = await cut_off(ctx, StartedRun(first.run_id, first.pair_id, ""))
    await collect(ctx, other.run_id)
    return comparison, text


async def cut_off(ctx: AppContext, started: StartedRun) -> str:
    await wait_for_text(ctx, started)
    await ctx.engine.writer.save()
    async with ctx.store.write() as session:
        run = await load_run(session, LOCAL_OWNER, started.run_id)
        assert await finish_run(session, run.place, apply_event(run.state, Interrupted())[0], now())
    await collect(ctx, started.run_id)
    return plain_text(run.state.parts)


async def stored(ctx: AppContext, pair_id: str) -> str:
    pair = await pair_of(ctx, pair_id)
    assert pair.reply is not None
    return plain_text(pair.reply.parts)


async def test_what_a_page_gives_back_is_stored(ctx: AppContext, tab: Tab) -> None:
    pair_id, run_id, text = await interrupt(ctx)

    await tab.send(RecoveryState.give_back, run_id=run_id, parts=[{"type": "text", "text": text + " and more"}])

    assert await stored(ctx, pair_id) == text + " and more"


async def test_a_page_knows_which_compared_reply_was_cut_off_without_an_open_dialog(ctx: AppContext, tab: Tab) -> None:
    comparison, text = await interrupt_comparison(ctx)

    async with visiting(tab, comparison.conversation_id):
        await until(tab, columns)

    assert not tab.shows(ComparisonState, "shown")
    (column,) = columns(tab)
    assert (column.run_id, column.lifecycle) == (comparison.runs[0].run_id, "error")
    assert column.error is not None
    assert (column.error.error_class, column.error.recovered) == ("interrupted", False)
    assert text_of_column(column) == text


async def test_what_a_page_gives_back_of_a_compared_reply_is_stored_and_marked(ctx: AppContext, tab: Tab) -> None:
    comparison, text = await interrupt_comparison(ctx)
    shown = text + " and more"

    async with visiting(tab, comparison.conversation_id):
        await until(tab, columns)
        await tab.send(ComparisonState.show)
        await until(tab, lambda tab: len(columns(tab)) == 2 and not any(one.running for one in columns(tab)))
        run_id, parts = comparison.runs[0].run_id, [{"type": "text", "text": shown}]
        await tab.send(RecoveryState.give_back, run_id=run_id, parts=parts)
        await until(tab, lambda tab: text_of_column(columns(tab)[0]) == shown)

        first, other = columns(tab)
        assert first.error is not None
        assert first.error.recovered
        assert "The last 9 characters were recovered from an open page" in first.error.next_step
        assert (other.status, other.error) == ("Complete", None)
        assert await stored(ctx, comparison.runs[0].pair_id) == shown
        await tab.send(ComparisonState.fold)
        await until(tab, lambda tab: len(columns(tab)) == 1)
        assert text_of_column(columns(tab)[0]) == shown


def text_of_column(column: ComparedColumnView) -> str:
    return "".join(part.text for part in column.parts if isinstance(part, TextView))


@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "text"}],
        [{"type": "text", "text": 7}],
        [{"type": None, "text": "x"}],
        ["x"],
        "x",
        [{"type": "text", "text": "x"}] * 2_001,
    ],
)
async def test_what_no_page_sends_changes_nothing(ctx: AppContext, tab: Tab, parts: Any) -> None:
    pair_id, run_id, text = await interrupt(ctx)

    await tab.send(RecoveryState.give_back, run_id=run_id, parts=parts)
    await tab.send(RecoveryState.give_back, run_id="nobody's", parts=[{"type": "text", "text": text + " and more"}])

    assert await stored(ctx, pair_id) == text
