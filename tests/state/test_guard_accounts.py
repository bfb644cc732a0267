"""The guard where accounts are on: for every handler there is, without a valid session nothing runs."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.domain.errors import NotFoundError
from app.domain.people.people import Device, Person, Role
from app.runs.people.sessions import begin_session, find_session, revoke
from app.runs.process.ids import now
from app.runs.send.commands import LOCAL_OWNER, create_conversation
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.state.chat import ChatState
from app.state.guard import ALLOWED
from app.state.settings.session import SessionState
from app.state.shell.notice import NoticeState
from app.state.sidebar import SidebarState
from app.store.conversation.conversations import load_conversation
from app.store.people.people import insert_person, set_disabled
from tests.runs.steps import settings_of
from tests.state.conftest import SignedInTab, Tab


@pytest.fixture
async def wb(tmp_path: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(replace(settings_of(tmp_path), accounts=True)) as opened:
        yield opened


async def person(wb: Workbench, person_id: str) -> Person:
    made = Person(person_id, person_id, f"{person_id}@example.org", Role.MEMBER, disabled=False, created_at=now())
    async with wb.store.write() as session:
        await insert_person(session, made, "")
    return made


async def session_of(wb: Workbench, whose: Person) -> str:
    found = await find_session(wb, await begin_session(wb, whose, Device("", "")))
    assert found is not None
    return found.session_id


async def test_no_handler_runs_without_a_session_or_with_one_that_was_revoked(wb: Workbench, tab: Tab) -> None:
    session_id = await session_of(wb, await person(wb, LOCAL_OWNER))
    await revoke(wb, session_id)
    revoked = SignedInTab(tab.processor, session_id=session_id)
    forged = SignedInTab(tab.processor, session_id="x")
    with capture_logs() as logged:
        for one in (tab, revoked, forged):
            for name in sorted(ALLOWED):
                await one.send_event(name, {})

    assert tab.vars == revoked.vars == forged.vars == {}
    refused = [line["event_name"] for line in logged if "without a valid session" in line["event"]]
    assert sorted(set(refused)) == sorted(ALLOWED)
    assert len(refused) == 3 * len(ALLOWED)


async def test_a_session_is_read_afresh_before_each_event(wb: Workbench, tab: Tab) -> None:
    ann = await person(wb, "ann")
    page = SignedInTab(tab.processor, session_id=await session_of(wb, ann))
    await page.send(NoticeState.tell, message="Hello")
    assert page.shows(NoticeState, "message") == "Hello"

    async with wb.store.write() as session:
        await set_disabled(session, ann.id, disabled=True)
    await page.send(NoticeState.tell, message="Again")

    assert page.shows(NoticeState, "message") == "Hello"


async def test_each_person_gets_a_list_of_their_own(wb: Workbench, tab: Tab) -> None:
    pages: dict[str, SignedInTab] = {}
    for name in ("ann", "ben"):
        pages[name] = SignedInTab(tab.processor, session_id=await session_of(wb, await person(wb, name)))
        await create_conversation(wb, name, title=f"{name}'s")

    for name, page in pages.items():
        await page.send(SidebarState.load)
        assert [item.name for item in page.shows(SidebarState, "conversations")] == [f"{name}'s"]


async def test_another_persons_conversation_is_neither_shown_nor_changed(wb: Workbench, tab: Tab) -> None:
    made = await create_conversation(wb, "ann", title="Secret")
    page = SignedInTab(tab.processor, f"/c/{made.id}", session_id=await session_of(wb, await person(wb, "ben")))

    await page.send(ChatState.open)
    with pytest.raises(NotFoundError):
        await page.send(ChatState.rename, title="Mine")
    await page.send(SidebarState.ask_delete, conversation_id=made.id)
    await page.send(SidebarState.delete_conversation)

    async with wb.store.read() as session:
        assert (await load_conversation(session, "ann", made.id)).title == "Secret"
    assert "Secret" not in str(page.vars)


async def test_a_session_that_was_not_used_for_long_is_over(wb: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    token = await begin_session(wb, await person(wb, "ann"), Device("", ""))
    monkeypatch.setattr("app.runs.people.sessions.now", lambda: now() + timedelta(days=31))

    assert await find_session(wb, token) is None


async def test_settings_say_who_is_signed_in(wb: Workbench, tab: Tab) -> None:
    page = SignedInTab(tab.processor, "/settings", session_id=await session_of(wb, await person(wb, "ann")))

    await page.send(SessionState.load)

    assert (page.shows(SessionState, "name"), page.shows(SessionState, "email")) == ("ann", "ann@example.org")
