"""The title above a conversation: requested from a model, with a message about the result."""

from __future__ import annotations

import pytest

from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges, change_conversation, create_conversation
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.send.commands import start_reply
from app.runs.send.send_request import SendRequest
from app.runs.watch.broadcast import follow_states
from app.state.messages.toasts import ToastState
from app.state.transcript.chat import ChatState
from tests.state.conftest import Tab


@pytest.fixture
async def conversation(ctx: AppContext, tab: Tab) -> str:
    """Show a conversation of one pair, without a title, in the tab."""
    made = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    run = await start_reply(ctx, LOCAL_OWNER, made.id, SendRequest("/echo Why is the sky blue?"))
    async for _ in follow_states(ctx, LOCAL_OWNER, run.run_id):
        pass
    tab.path = f"/c/{made.id}"
    return made.id


async def test_title_that_a_model_makes_is_shown(tab: Tab, conversation: str) -> None:
    await tab.send(ChatState.make_title)
    for _ in range(50):
        await tab.send(ChatState.open)
        if tab.shows(ChatState, "title").startswith("Why is the sky"):
            break

    assert tab.shows(ChatState, "title").startswith("Why is the sky")
    assert tab.shows(ChatState, "titling") is False
    assert tab.shows(ToastState, "toast") is None


async def test_title_of_a_person_is_not_replaced_and_the_reason_is_shown(
    ctx: AppContext, tab: Tab, conversation: str
) -> None:
    await change_conversation(ctx, LOCAL_OWNER, conversation, SettingChanges(title="Mine"))

    await tab.send(ChatState.make_title)

    assert tab.shows(ToastState, "toast").fault
    assert tab.shows(ChatState, "titling") is False


async def test_another_title_is_asked_for_until_a_person_gives_one(tab: Tab, conversation: str) -> None:
    await tab.send(ChatState.make_title)
    for _ in range(50):
        await tab.send(ChatState.open)
        if tab.shows(ChatState, "title").startswith("Why is the sky"):
            break
    assert tab.shows(ChatState, "title_made") is True

    await tab.send(ChatState.rename, title="Mine")

    assert (tab.shows(ChatState, "title"), tab.shows(ChatState, "title_made")) == ("Mine", False)

    await tab.send(ToastState.undo, toast_id=tab.shows(ToastState, "toast").id)
    await tab.send(ChatState.open)

    assert tab.shows(ChatState, "title").startswith("Why is the sky")
    assert tab.shows(ChatState, "title_made") is True
