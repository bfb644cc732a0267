"""Every handler of the page says what the audit trail gets, and through the guard it gets it."""

from __future__ import annotations

from app.runs.send.commands import LOCAL_OWNER, create_conversation
from app.runs.temporary import create_temporary
from app.runs.workbench import Workbench
from app.state.address import conversation_path
from app.state.audit_rules import find_rules
from app.state.chat import ChatState
from app.state.guard import CALLABLE
from app.state.settings.titles import TitlesState
from app.state.system_prompt import SystemPromptState
from app.store.audit.entries import AuditFilter, list_entries
from tests.state.conftest import Tab


def test_every_handler_says_what_the_audit_trail_gets() -> None:
    handlers = {f"{state.__name__}.{handler}" for state, found in CALLABLE.items() for handler in found}

    assert handlers == find_rules().keys()


async def entries(wb: Workbench) -> list[tuple[str, str, dict[str, object]]]:
    await wb.trail.enter(wb.store)
    async with wb.store.read() as session:
        listed = await list_entries(session, AuditFilter(), limit=99)
    return [(one.entry.action, one.entry.subject, dict(one.entry.data)) for one in reversed(listed)]


async def test_opening_a_conversation_is_entered_once_in_a_while(wb: Workbench, tab: Tab) -> None:
    made = await create_conversation(wb, LOCAL_OWNER)
    tab.path = conversation_path(made.id)

    await tab.send(ChatState.open)
    await tab.send(SystemPromptState.open)
    await tab.send(ChatState.open)

    assert await entries(wb) == [("conversation.read", made.id, {"through": "ChatState.open"})]


async def test_reading_what_is_not_there_is_entered_as_not_found(wb: Workbench, tab: Tab) -> None:
    tab.path = conversation_path("another-persons")

    await tab.send(ChatState.open)

    ((action, subject, data),) = await entries(wb)
    assert (action, subject, data["outcome"]) == ("conversation.read", "another-persons", "not found")


async def test_change_is_entered_with_what_it_stores_and_names_fields_without_values(wb: Workbench, tab: Tab) -> None:
    made = await create_conversation(wb, LOCAL_OWNER)
    tab.path = conversation_path(made.id)

    await tab.send(ChatState.rename, title="secret-title")
    await tab.send(TitlesState.name_conversations, on=False)

    renamed, settings = await entries(wb)
    assert renamed == ("conversation.changed", made.id, {"through": "ChatState.rename"})
    assert settings == ("settings.changed", "", {"through": "TitlesState.name_conversations", "fields": ["on"]})


async def test_temporary_conversation_leaves_no_id(wb: Workbench, tab: Tab) -> None:
    made = await create_temporary(wb, LOCAL_OWNER)
    tab.path = conversation_path(made.id)

    await tab.send(ChatState.open)
    await tab.send(ChatState.rename, title="x")

    async with wb.store.read() as session:
        listed = await list_entries(session, AuditFilter(), limit=99)
    assert made.id not in repr(listed)
    assert {action for action, _, _ in await entries(wb)} == {"conversation.read", "conversation.changed"}


async def test_event_that_no_page_sends_is_entered(wb: Workbench, tab: Tab) -> None:
    await tab.send_event(f"{ChatState.get_full_name()}.setvar", {"var_name": "x", "value": "y"})

    assert await entries(wb) == [("event.refused", "", {})]
