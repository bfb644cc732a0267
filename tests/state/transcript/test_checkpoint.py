"""The checkpoint's card: edited, removed, set to an earlier summary, and each of these undone."""

from __future__ import annotations

import pytest

from app.domain.conversation.conversation import Checkpoint
from app.runs.app_context import AppContext
from app.runs.child_calls.summaries import put_checkpoint
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.messages.toasts import ToastState
from app.state.transcript.checkpoint import CheckpointState
from app.store.conversation.conversations import load_conversation
from tests.state.conftest import Tab


@pytest.fixture
async def conversation(ctx: AppContext, tab: Tab) -> str:
    """Show a conversation with a checkpoint before pair 3 in the tab."""
    made = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    await put_checkpoint(ctx, LOCAL_OWNER, made.id, Checkpoint("What was said.", 3))
    tab.path = f"/c/{made.id}"
    return made.id


async def stored(ctx: AppContext, conversation_id: str) -> Checkpoint | None:
    async with ctx.store.read() as session:
        return (await load_conversation(session, LOCAL_OWNER, conversation_id)).checkpoint


async def undo(tab: Tab) -> None:
    await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)


async def test_edited_summary_is_stored_and_undo_brings_the_old_one_back(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    await tab.send(CheckpointState.edit)
    assert tab.shows(CheckpointState, "editing") is True

    await tab.send(CheckpointState.save, form={"summary": "Shorter."})
    assert await stored(ctx, conversation) == Checkpoint("Shorter.", 3)
    assert tab.shows(CheckpointState, "editing") is False

    await undo(tab)
    assert await stored(ctx, conversation) == Checkpoint("What was said.", 3)


async def test_blank_summary_is_refused_and_the_form_stays(ctx: AppContext, tab: Tab, conversation: str) -> None:
    await tab.send(CheckpointState.edit)
    await tab.send(CheckpointState.save, form={"summary": "  "})

    assert tab.shows(ToastState, "toast").fault
    assert tab.shows(CheckpointState, "editing") is True
    assert await stored(ctx, conversation) == Checkpoint("What was said.", 3)


async def test_closing_the_form_is_called_discard_only_if_text_would_be_lost(tab: Tab, conversation: str) -> None:
    await tab.send(CheckpointState.edit)
    changes: list[bool] = []
    for text in ("What was said.", "Less.", "What was said."):
        await tab.send(CheckpointState.write, text=text)
        changes.append(tab.shows(CheckpointState, "changed") or False)
    assert changes == [False, True, False]

    await tab.send(CheckpointState.write, text="Other.")
    await tab.send(CheckpointState.end_edit)
    await tab.send(CheckpointState.edit)
    assert not tab.shows(CheckpointState, "changed")
    assert tab.shows(CheckpointState, "initial") == "What was said."


async def test_reload_keeps_the_typed_summary_and_another_page_drops_it(tab: Tab, conversation: str) -> None:
    here = tab.path
    await tab.connect("first", anew=True)
    await tab.send(CheckpointState.edit)
    await tab.send(CheckpointState.write, text="Less.")

    await tab.connect("second", anew=True)
    assert (tab.shows(CheckpointState, "initial"), tab.shows(CheckpointState, "changed")) == ("Less.", True)

    tab.path = "/"
    await tab.connect("third", anew=True)
    tab.path = here
    await tab.connect("fourth", anew=True)
    assert (tab.shows(CheckpointState, "editing"), tab.shows(CheckpointState, "changed")) == (False, False)


async def test_left_form_changes_nothing(ctx: AppContext, tab: Tab, conversation: str) -> None:
    await tab.send(CheckpointState.edit)
    await tab.send(CheckpointState.end_edit)

    assert tab.shows(CheckpointState, "editing") is False
    assert await stored(ctx, conversation) == Checkpoint("What was said.", 3)


async def test_removed_checkpoint_comes_back_by_undo(ctx: AppContext, tab: Tab, conversation: str) -> None:
    await tab.send(CheckpointState.remove)
    assert await stored(ctx, conversation) is None

    await undo(tab)
    assert await stored(ctx, conversation) == Checkpoint("What was said.", 3)


async def test_earlier_summary_replaces_the_current_one(ctx: AppContext, tab: Tab, conversation: str) -> None:
    await tab.send(CheckpointState.use, summary="The beginning.", position=2)
    assert await stored(ctx, conversation) == Checkpoint("The beginning.", 2)

    await undo(tab)
    assert await stored(ctx, conversation) == Checkpoint("What was said.", 3)


async def test_undo_of_the_first_checkpoint_leaves_none(ctx: AppContext, tab: Tab) -> None:
    made = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{made.id}"
    await tab.send(CheckpointState.use, summary="The beginning.", position=2)

    await undo(tab)
    assert await stored(ctx, made.id) is None


@pytest.mark.parametrize(("summary", "position"), [("", 2), (None, 2), ("Words", "far")])
async def test_no_page_uses_such_a_summary(
    ctx: AppContext, tab: Tab, conversation: str, summary: object, position: object
) -> None:
    await tab.send(CheckpointState.use, summary=summary, position=position)

    assert await stored(ctx, conversation) == Checkpoint("What was said.", 3)
