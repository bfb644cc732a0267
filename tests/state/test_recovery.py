"""The event by which a page gives back what it shows of an interrupted reply, as any client could send it."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.parts import plain_text
from app.domain.run import Interrupted, apply_event
from app.runs.commands import LOCAL_OWNER
from app.runs.ids import now
from app.runs.workbench import Workbench
from app.state.reply.recovery import RecoveryState
from app.store.runs import finish_run, load_run
from tests.runs.steps import a_conversation, collect, pair_of, send, wait_for_text
from tests.state.conftest import Tab


async def interrupt(wb: Workbench) -> tuple[str, str, str]:
    """A reply that ended as one of a dead process. Its pair, its run, and what is stored of it."""
    started = await send(wb, await a_conversation(wb), "/long 100 /rate 100")
    await wait_for_text(wb, started)
    await wb.engine.writer.save()
    async with wb.store.write() as session:
        run = await load_run(session, LOCAL_OWNER, started.run_id)
        assert await finish_run(session, run.place, apply_event(run.state, Interrupted())[0], now())
    await collect(wb, started.run_id)
    return started.pair_id, started.run_id, plain_text(run.state.parts)


async def stored(wb: Workbench, pair_id: str) -> str:
    pair = await pair_of(wb, pair_id)
    assert pair.reply is not None
    return plain_text(pair.reply.parts)


async def test_what_a_page_gives_back_is_stored(wb: Workbench, tab: Tab) -> None:
    pair_id, run_id, text = await interrupt(wb)

    await tab.send(RecoveryState.give_back, run_id=run_id, parts=[{"type": "text", "text": text + " and more"}])

    assert await stored(wb, pair_id) == text + " and more"


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
async def test_what_no_page_sends_changes_nothing(wb: Workbench, tab: Tab, parts: Any) -> None:
    pair_id, run_id, text = await interrupt(wb)

    await tab.send(RecoveryState.give_back, run_id=run_id, parts=parts)
    await tab.send(RecoveryState.give_back, run_id="nobody's", parts=[{"type": "text", "text": text + " and more"}])

    assert await stored(wb, pair_id) == text
