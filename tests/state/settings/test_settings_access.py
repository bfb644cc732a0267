"""Settings → Access log: the entries, their filter, and older entries."""

from __future__ import annotations

import re
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import app
from app.domain.audit import AuditAction
from app.domain.conversation.conversation import Mark
from app.domain.conversation.marks import Marks
from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import SettingChanges
from app.runs.conversation.mark_commands import mark_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.settings.access import ACTIONS, ALL, PAGE, AccessItem, AccessState
from app.state.settings.access_words import describe_action
from app.store.audit.audit import AuditEntry, insert_entries
from app.store.conversation.pairs import load_pairs
from app.store.ledger.ledger import REPLIES
from tests.state.conftest import Tab
from tests.state.usage.spending import talk

AT = datetime(2026, 11, 23, 12, tzinfo=UTC)


async def an_entry(ctx: AppContext, action: str, number: int = 0, owner: str = LOCAL_OWNER, **data: str) -> None:
    entry = AuditEntry(owner, AT + timedelta(seconds=number), action, "c1", "c1", data, "api", "192.0.2.7")
    async with ctx.store.write() as session:
        await insert_entries(session, [entry])


def items(tab: Tab) -> tuple[AccessItem, ...]:
    return tab.shows(AccessState, "items") or ()


async def test_entries_say_what_was_done_and_how(ctx: AppContext, tab: Tab) -> None:
    await an_entry(ctx, AuditAction.READ, what="pairs")
    await an_entry(ctx, AuditAction.ASKED)
    await an_entry(ctx, AuditAction.READ, owner="other")

    await tab.send(AccessState.show)

    (item,) = items(tab)
    assert item == AccessItem(item.number, AT.isoformat(), "Read", "/c/c1", "through the API from 192.0.2.7: pairs")
    assert (tab.shows(AccessState, "shown"), tab.shows(AccessState, "older")) == (True, False)


async def test_changed_settings_have_plain_names(ctx: AppContext, tab: Tab) -> None:
    await an_entry(ctx, AuditAction.CHANGED, what="folder_id, metadata_json, system_prompt, title")

    await tab.send(AccessState.show)

    (item,) = items(tab)
    assert item.detail == "through the API from 192.0.2.7: folder, metadata, system prompt, title"


async def test_every_action_on_a_conversation_has_a_name_and_a_choice() -> None:
    named = [action for action in AuditAction if action.startswith("conversation.")]

    assert set(ACTIONS[ALL]) == set(named)
    assert sorted(action for choice in ACTIONS if choice != ALL for action in ACTIONS[choice]) == sorted(named)


async def test_entries_are_chosen_by_their_actions(ctx: AppContext, tab: Tab) -> None:
    for number, action in enumerate((AuditAction.OPENED, AuditAction.CHANGED, AuditAction.DELETED)):
        await an_entry(ctx, action, number)
    await tab.send(AccessState.show)
    assert [item.action for item in items(tab)] == ["Deleted permanently", "Changed", "Opened"]

    await tab.send(AccessState.choose, actions="Deleted and restored")
    assert [item.action for item in items(tab)] == ["Deleted permanently"]

    await tab.send(AccessState.choose, actions="nonsense")
    assert tab.shows(AccessState, "actions") == "Deleted and restored"


async def test_older_entries_come_page_by_page(ctx: AppContext, tab: Tab) -> None:
    for number in range(PAGE + 2):
        await an_entry(ctx, AuditAction.OPENED, number)
    await tab.send(AccessState.show)
    assert (len(items(tab)), tab.shows(AccessState, "older")) == (PAGE, True)

    await tab.send(AccessState.show_older)

    numbers = [item.number for item in items(tab)]
    assert (len(numbers), tab.shows(AccessState, "older")) == (PAGE + 2, False)
    assert numbers == sorted(numbers, reverse=True)


async def test_a_deleted_and_restored_pair_is_named_in_plain_words(ctx: AppContext, tab: Tab) -> None:
    conversation_id = await talk(ctx, "/echo one", priced=False)
    async with ctx.store.read() as session:
        (pair,) = await load_pairs(session, LOCAL_OWNER, conversation_id)
    for deleted in (True, False):
        await mark_pair(ctx, LOCAL_OWNER, pair.id, {"deleted": deleted})
    await mark_pair(ctx, LOCAL_OWNER, pair.id, {"mark": Mark.OUT})

    await tab.send(AccessState.show)

    assert [item.detail.partition(": ")[2] for item in items(tab)][:4] == [
        "tag", "1 pair restored", "1 pair deleted", "a message",
    ]  # fmt: skip


def test_every_name_that_a_command_records_has_words() -> None:
    source = "\n".join(file.read_text() for file in Path(app.__file__).parent.joinpath("runs").rglob("*.py"))
    recorded = re.findall(r'AuditAction\.(CHANGED|SENT|CREATED)[^\n]*what="([a-z_ ]+)"', source)
    settings = {one.name for one in fields(SettingChanges)} - {"titled_by_model"}
    columns = settings | set(Marks.__annotations__) | {"flagged removed"}
    named = [(AuditAction[action], name) for action, name in recorded]
    named += [(AuditAction.CHANGED, name) for name in sorted(columns)]
    named += [(AuditAction.SENT, name) for name in ("edit", "resend", *REPLIES)]
    shown = {(action, name): describe_action(action, {"what": name}) for action, name in named}

    assert len(recorded) > 15
    assert [one for one in shown.values() if "_" in one or one in {"mark", "checkpoint", "queue", "version"}] == []
    assert shown[AuditAction.CHANGED, "deleted"] == "pair deleted"
