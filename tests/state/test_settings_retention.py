"""Settings → Retention in state: rules are set, what is due is said, and what was moved comes back."""

from __future__ import annotations

from datetime import timedelta

from app.runs.library.folder_commands import create_folder, place_conversations
from app.runs.library.preference_commands import read_preferences
from app.runs.library.retention import sweep_conversations
from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER, create_conversation
from app.runs.workbench import Workbench
from app.state.settings.retention import RetentionState
from app.store.conversation.conversations import list_conversations
from tests.state.conftest import Tab


async def test_a_rule_is_set_and_says_what_would_go_now(tab: Tab, wb: Workbench) -> None:
    await create_conversation(wb, LOCAL_OWNER)
    await tab.send(RetentionState.load)
    assert (tab.shows(RetentionState, "temporary"), tab.shows(RetentionState, "chat")) == ("30", "")
    assert tab.shows(RetentionState, "due") == ""

    await tab.send(RetentionState.choose, what="chat", count="90")

    assert tab.shows(RetentionState, "chat") == "90"
    assert tab.shows(RetentionState, "due") == "0 chats would go to the trash now."
    assert tab.shows(RetentionState, "said") == "Saved."
    assert (await read_preferences(wb, LOCAL_OWNER)).chat_days == 90
    await tab.send(RetentionState.choose, what="chat", count="")
    assert (await read_preferences(wb, LOCAL_OWNER)).chat_days is None


async def test_what_is_no_choice_changes_nothing(tab: Tab, wb: Workbench) -> None:
    for what, count in (("chat", "1"), ("everything", "30"), ("chat", "-1")):
        await tab.send(RetentionState.choose, what=what, count=count)

    assert (await read_preferences(wb, LOCAL_OWNER)).chat_days is None


async def test_what_a_rule_moved_is_in_the_log_and_comes_back(tab: Tab, wb: Workbench) -> None:
    await create_conversation(wb, LOCAL_OWNER)
    await tab.send(RetentionState.choose, what="chat", count="30")
    await sweep_conversations(wb, now() + timedelta(days=31))
    await tab.send(RetentionState.load)
    (sweep,) = tab.shows(RetentionState, "sweeps")
    assert (sweep.text, sweep.left) == ("1 chat without anything new for 30 days", 1)

    await tab.send(RetentionState.bring_back, number=sweep.number)

    assert tab.shows(RetentionState, "said") == "1 conversation is back."
    assert tab.shows(RetentionState, "sweeps")[0].left == 0
    async with wb.store.read() as session:
        assert len(await list_conversations(session, LOCAL_OWNER, limit=5)) == 1


async def test_a_folder_and_imported_chats_have_rules_of_their_own(tab: Tab, wb: Workbench) -> None:
    folder = await create_folder(wb, LOCAL_OWNER, "Plans")
    conversation = await create_conversation(wb, LOCAL_OWNER)
    await place_conversations(wb, LOCAL_OWNER, [conversation.id], folder_id=folder.id)
    await tab.send(RetentionState.load)
    (shown,) = tab.shows(RetentionState, "folders")
    assert (shown.name, shown.chosen, shown.terms[0].label, shown.terms[1].label) == (
        "Plans", "", "As other chats", "Never",
    )  # fmt: skip

    await tab.send(RetentionState.choose_for_folder, folder_id=folder.id, count="30")
    await tab.send(RetentionState.choose, what="imported", count="0")
    await sweep_conversations(wb, now() + timedelta(days=31))
    await tab.send(RetentionState.load)

    assert tab.shows(RetentionState, "imported") == "0"
    assert tab.shows(RetentionState, "folders")[0].chosen == "30"
    assert tab.shows(RetentionState, "due") == "0 chats in “Plans” would go to the trash now."
    assert [one.text for one in tab.shows(RetentionState, "sweeps")] == [
        "1 chat in “Plans” without anything new for 30 days"
    ]
    await tab.send(RetentionState.choose_for_folder, folder_id=folder.id, count="1")
    assert tab.shows(RetentionState, "folders")[0].chosen == "30"
