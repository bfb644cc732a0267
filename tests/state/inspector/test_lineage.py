from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from app.runs.app_context import AppContext
from app.runs.child_calls.summaries import summarise
from app.runs.conversation.conversation_commands import create_conversation, delete_conversation
from app.runs.conversation.forks import fork_from
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.inspector import lineage
from app.state.inspector.lineage import DerivedItem, LineageState, OriginItem
from app.views.conversation.lineage import AncestorView, DescendantView, LineageStatus, LineageView
from tests.runs.steps import collect, reply_to
from tests.state.conftest import Tab


def shown(tab: Tab, var: str) -> Any:
    return tab.shows(LineageState, var)


async def read(tab: Tab, conversation_id: str) -> None:
    tab.path = f"/c/{conversation_id}"
    await tab.send(LineageState.keep_current)


async def test_a_fork_is_found_from_where_it_comes_and_leads_back(ctx: AppContext, tab: Tab) -> None:
    origin = (await create_conversation(ctx, LOCAL_OWNER, title="Plans", model="offline:demo")).id
    await reply_to(ctx, origin, "/echo one")
    fork = (await fork_from(ctx, LOCAL_OWNER, origin)).conversation.id

    await read(tab, origin)
    (item,) = shown(tab, "items")
    assert item == DerivedItem(fork, f"/c/{fork}", "Fork of Plans", "Fork", "completed", "", ("pair 1",), item.at)
    assert shown(tab, "origin") is None
    assert shown(tab, "conversation") == origin

    await read(tab, fork)
    assert shown(tab, "origin") == OriginItem(f"/c/{origin}", "Plans", " at pair 1")
    assert shown(tab, "items") == ()


async def test_a_summary_is_found_with_what_is_known_of_it(ctx: AppContext, tab: Tab) -> None:
    conversation = (await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")).id
    await reply_to(ctx, conversation, "/echo one")
    summary = await summarise(ctx, LOCAL_OWNER, conversation)
    await collect(ctx, summary.started.run_id)

    await read(tab, conversation)

    (item,) = shown(tab, "items")
    assert (item.kind, item.status, item.state) == ("Summary", "completed", "Done")
    assert any(fact.endswith("characters") for fact in item.facts)
    assert not shown(tab, "unfinished")


AT = datetime(2026, 1, 1, tzinfo=UTC)
LATER = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "words", "unfinished"),
    [("pending", "Waiting", True), ("streaming", "Running", True), ("failed", "Failed", False)],
)
async def test_progress_of_a_child_conversation_is_shown(
    ctx: AppContext, tab: Tab, monkeypatch: pytest.MonkeyPatch, status: LineageStatus, words: str, *, unfinished: bool
) -> None:
    conversation = (await create_conversation(ctx, LOCAL_OWNER)).id
    made = DescendantView("d1", "delegated", status, "", None, "a1", None, 12_345, 1, LATER, AT, None)

    async def answer(*_: object) -> LineageView:
        return LineageView(AncestorView("o1", "", None), (made,))

    monkeypatch.setattr(lineage, "read_lineage", answer)

    await read(tab, conversation)

    assert shown(tab, "items") == (
        DerivedItem(
            "d1", "/c/d1", "Delegated work", "Delegated work", status, words,
            ("12,345 characters", "1 chunk"), LATER.isoformat(),
        ),
    )  # fmt: skip
    assert (shown(tab, "unfinished") or False) is unfinished
    assert shown(tab, "origin") == OriginItem("/c/o1", "Untitled conversation", "")


async def test_a_missing_conversation_has_no_lineage_and_is_reported(ctx: AppContext, tab: Tab) -> None:
    conversation = (await create_conversation(ctx, LOCAL_OWNER)).id
    await read(tab, conversation)
    await delete_conversation(ctx, LOCAL_OWNER, conversation)

    await tab.send(LineageState.keep_current)
    assert "conversation" in shown(tab, "fault")

    other = (await create_conversation(ctx, LOCAL_OWNER)).id
    await read(tab, other)
    assert shown(tab, "fault") == ""


async def test_elsewhere_there_is_no_lineage(tab: Tab) -> None:
    tab.path = "/"
    await tab.send(LineageState.keep_current)

    assert not shown(tab, "conversation")
    assert not shown(tab, "fault")
