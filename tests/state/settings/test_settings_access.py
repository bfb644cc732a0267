"""Settings → Access log: the entries, their filter, and older entries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from app.domain.audit import AuditAction
from app.runs.app_context import AppContext
from app.runs.send.commands import LOCAL_OWNER
from app.state.settings.access import ACTIONS, ALL, PAGE, AccessItem, AccessState
from app.store.audit.audit import AuditEntry, insert_entries
from tests.state.conftest import Tab

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
