"""The stored request of a failed pair in state: shown, and compared with the request that would be sent now."""

from __future__ import annotations

import json

import pytest

from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.conversation.mark_commands import mark_pair
from app.runs.resend.resend import preview_resend
from app.runs.runtime.ids import now
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.inspector.snapshot import NOT_KEPT, SAME, SnapshotState
from app.store.run.snapshots import Snapshot, save_snapshot
from tests.runs.steps import reply_to
from tests.state.conftest import Tab
from tests.state.watched import watching

HEADERS = (("Key", "…"),)


async def a_failed_pair(ctx: AppContext, *, blown_up: bool = False, kept: bytes | None = None) -> tuple[str, str, str]:
    """Create a failed pair whose stored request is current. Return its conversation, the pair before it, and its id."""
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    first = (await reply_to(ctx, conversation.id, "/echo one")).pair
    failed = (await reply_to(ctx, conversation.id, "/fail server")).pair
    planned = await preview_resend(ctx, LOCAL_OWNER, failed.id)
    body = planned.wire.body
    if blown_up:
        body = json.dumps({**json.loads(body), "metadata": "x" * 400_000}).encode()
    body = body if kept is None else kept
    snapshot = Snapshot(
        failed.id,
        failed.run_id or "",
        "offline:demo",
        planned.hashes[-1],
        planned.wire.url,
        (("Key", "…"),),
        body,
        now(),
    )
    async with ctx.store.write() as session:
        await save_snapshot(session, LOCAL_OWNER, snapshot)
    return conversation.id, first.id, failed.id


async def test_kept_request_is_shown_as_it_left_and_closed(ctx: AppContext, tab: Tab) -> None:
    conversation_id, _, pair_id = await a_failed_pair(ctx)
    async with watching(ctx, tab, conversation_id):
        await tab.send(SnapshotState.open, pair_id=pair_id)

        assert tab.shows(SnapshotState, "title") == "Sent request of pair 2"
        kept = tab.shows(SnapshotState, "kept")
        assert json.loads(kept.body.page.text)["messages"][-1]["role"] == "user"
        assert "exactly as sent" in kept.size
        assert kept.headers[0].name == "Key"

        await tab.send(SnapshotState.close)
        assert tab.shows(SnapshotState, "pair") == ""


async def test_kept_request_is_compared_with_what_would_be_sent_now(ctx: AppContext, tab: Tab) -> None:
    conversation_id, first, pair_id = await a_failed_pair(ctx)
    async with watching(ctx, tab, conversation_id):
        await tab.send(SnapshotState.open, pair_id=pair_id)
        await tab.send(SnapshotState.choose_tab, tab="now")
        assert (tab.shows(SnapshotState, "note"), tab.shows(SnapshotState, "changes")) == (SAME, None)

        await mark_pair(ctx, LOCAL_OWNER, first, {"deleted": True})
        await tab.send(SnapshotState.choose_tab, tab="sent")
        await tab.send(SnapshotState.choose_tab, tab="now")

        changes = tab.shows(SnapshotState, "changes")
        assert [row.sign for row in changes.rows if row.sign] == ["-", "-"]
        assert "0 messages added, 2 messages removed" in changes.note
        await tab.send(SnapshotState.open_piece, key=changes.rows[0].key)
        assert tab.shows(SnapshotState, "changes").rows[0].loaded is True


@pytest.mark.parametrize("body", [b'{"seed": ' + b"9" * 5_000 + b"}", b"[]", b"\xff", b"[" * 100_000])
async def test_kept_request_from_a_file_that_is_no_object_is_not_compared(
    ctx: AppContext, tab: Tab, body: bytes
) -> None:
    conversation_id, _, pair_id = await a_failed_pair(ctx, kept=body)
    async with watching(ctx, tab, conversation_id):
        await tab.send(SnapshotState.open, pair_id=pair_id)
        await tab.send(SnapshotState.choose_tab, tab="now")

        assert "cannot be compared" in tab.shows(SnapshotState, "fault")


async def test_large_body_is_read_in_pages(ctx: AppContext, tab: Tab) -> None:
    conversation_id, _, pair_id = await a_failed_pair(ctx, blown_up=True)
    async with watching(ctx, tab, conversation_id):
        await tab.send(SnapshotState.open, pair_id=pair_id)
        first = tab.shows(SnapshotState, "kept").body
        await tab.send(SnapshotState.show_page, number=2)
        second = tab.shows(SnapshotState, "kept").body

    assert first.count > 2
    assert (first.number, second.number) == (1, 2)
    assert first.download == f"/api/v1/pairs/{pair_id}/snapshot/body"


async def test_pair_without_a_stored_request_is_labelled(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    pair_id = (await reply_to(ctx, conversation.id, "/echo one")).pair.id

    await tab.send(SnapshotState.open, pair_id=pair_id)

    assert tab.shows(SnapshotState, "fault") == NOT_KEPT


@pytest.mark.parametrize("value", [7, None, ["x"], "", "x" * 99])
async def test_what_is_no_pair_tab_page_or_piece_changes_nothing(ctx: AppContext, tab: Tab, value: object) -> None:
    _ = ctx
    await tab.send(SnapshotState.open, pair_id=value)
    await tab.send(SnapshotState.choose_tab, tab=value)
    await tab.send(SnapshotState.show_page, number=value)
    await tab.send(SnapshotState.open_piece, key=value)

    assert (tab.shows(SnapshotState, "pair") or "") == ""
    assert tab.shows(SnapshotState, "kept") is None
