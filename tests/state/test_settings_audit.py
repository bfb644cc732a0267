"""The page of the audit trail in state: who sees it, what an entry says, filters, and the check of the chain."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url

from app.domain.people.audit import COMMAND_LINE, Actor, AuditEntry
from app.domain.people.audit_actions import AuditAction, ObjectKind
from app.domain.people.people import Role
from app.language.catalogue import LANGUAGES, load_catalogue
from app.runs.process.ids import now
from app.runs.send.commands import create_conversation
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.state.settings.audit import DAYS, NOBODY, PAGE, AuditState, EntryItem
from app.store.audit.entries import insert_entries
from app.store.audit.integrity import TRIGGERS, ChainReport
from tests.runs.people.accounts import a_person, a_session
from tests.runs.steps import settings_of
from tests.state.conftest import SignedInTab, Tab

FROM = "203.0.113.7"


@pytest.fixture
async def wb(tmp_path: Path) -> AsyncGenerator[Workbench]:
    async with open_workbench(replace(settings_of(tmp_path), accounts=True)) as opened:
        yield opened


@pytest.fixture
async def page(wb: Workbench, tab: Tab) -> SignedInTab:
    """A tab of the owner, Olga."""
    return SignedInTab(tab.processor, session_id=await a_session(wb, await a_person(wb, "olga", Role.OWNER)))


async def enter(wb: Workbench, *entries: AuditEntry) -> None:
    async with wb.store.write() as session:
        await insert_entries(session, entries)


def entry(action: AuditAction, kind: ObjectKind, subject: str, whose: Actor, days_ago: int = 0) -> AuditEntry:
    return AuditEntry(now() - timedelta(days=days_ago), whose, action, kind, subject)


def items(page: Tab) -> tuple[EntryItem, ...]:
    return page.shows(AuditState, "items")


async def test_a_member_is_shown_nothing(wb: Workbench, page: SignedInTab, tab: Tab) -> None:
    member = SignedInTab(tab.processor, session_id=await a_session(wb, await a_person(wb, "mia", Role.MEMBER)))

    await member.send(AuditState.load)
    await member.send(AuditState.narrow, choice="person", value="olga")
    await member.send(AuditState.show_more)
    await member.send(AuditState.check)

    assert member.shows(AuditState, "loaded")
    assert not member.shows(AuditState, "shown")
    assert not items(member)
    assert not member.shows(AuditState, "said")
    assert not member.shows(AuditState, "people")


async def test_an_entry_says_who_did_what_to_what_and_from_where(wb: Workbench, page: SignedInTab) -> None:
    mine, others = await create_conversation(wb, "olga"), await create_conversation(wb, "mia")
    await a_person(wb, "mia")
    mia = Actor("mia", "token t1", FROM)
    read, kind = AuditAction.CONVERSATION_READ, ObjectKind.CONVERSATION
    await enter(
        wb,
        entry(read, kind, mine.id, mia),
        entry(read, kind, others.id, mia),
        entry(AuditAction.PERSON_DISABLED, ObjectKind.PERSON, "mia", COMMAND_LINE),
        entry(AuditAction.SIGN_IN_FAILED, ObjectKind.PERSON, "gone", Actor("", "", FROM)),
    )

    await page.send(AuditState.load)

    _, failed, disabled, of_others, of_mine = items(page)[:5]
    assert (failed.who, failed.action, failed.target, failed.path) == (
        "Not signed in", "Sign-in failed", "Person gone", "",
    )  # fmt: skip
    assert failed.place == FROM
    assert (disabled.who, disabled.place, disabled.path) == ("", "Command line", "/settings#people")
    assert disabled.target == "Person: mia"
    assert (of_mine.who, of_mine.place, of_mine.path) == ("mia", f"API token · {FROM}", f"/c/{mine.id}")
    assert (of_others.target, of_others.path) == (f"Conversation {others.id}", "")


async def test_filters_hold_together_and_go_along_with_the_export(wb: Workbench, page: SignedInTab) -> None:
    mia = Actor("mia", "session s", FROM)
    await enter(
        wb,
        entry(AuditAction.SHARE_MADE, ObjectKind.SHARE, "old", mia, days_ago=9),
        entry(AuditAction.SHARE_MADE, ObjectKind.SHARE, "new", mia),
        entry(AuditAction.FILE_READ, ObjectKind.FILE, "f", mia),
        entry(AuditAction.SHARE_MADE, ObjectKind.SHARE, "unknown", Actor("", "", FROM)),
    )

    await page.send(AuditState.load)
    await page.send(AuditState.narrow, choice="person", value="mia")
    assert [item.target for item in items(page)] == ["File f", "Share new", "Share old"]
    await page.send(AuditState.narrow, choice="kind", value="share")
    await page.send(AuditState.narrow, choice="period", value="week")
    assert [item.target for item in items(page)] == ["Share new"]
    path = page.shows(AuditState, "export_path")
    assert path.startswith("/api/v1/audit/export?format=jsonl&person=mia&kind=share&since=")
    await page.send(AuditState.narrow, choice="person", value=NOBODY)
    assert [item.target for item in items(page)] == ["Share unknown"]
    await page.send(AuditState.narrow, choice="action", value="file.read")
    assert items(page) == ()


async def test_older_entries_are_added_below(wb: Workbench, page: SignedInTab) -> None:
    whose = Actor("mia", "session s", FROM)
    await enter(wb, *(entry(AuditAction.SHARE_MADE, ObjectKind.SHARE, f"s{n}", whose) for n in range(PAGE + 2)))

    await page.send(AuditState.load)
    await page.send(AuditState.narrow, choice="person", value="mia")
    assert (len(items(page)), page.shows(AuditState, "older")) == (PAGE, True)
    await page.send(AuditState.show_more)

    assert [item.target for item in items(page)] == [f"Share s{n}" for n in reversed(range(PAGE + 2))]
    assert not page.shows(AuditState, "older")


async def test_the_check_names_the_first_broken_entry(wb: Workbench, page: SignedInTab) -> None:
    whose = Actor("mia", "session s", FROM)
    await enter(wb, *(entry(AuditAction.SHARE_MADE, ObjectKind.SHARE, f"s{n}", whose) for n in range(5)))

    await page.send(AuditState.check)
    assert "the chain is whole" in page.shows(AuditState, "said")
    assert not page.shows(AuditState, "fault")

    with closing(sqlite3.connect(make_url(wb.settings.database_url).database or "")) as database:
        for rule in TRIGGERS:
            database.execute(f"DROP TRIGGER {rule}")
        broken = database.execute("SELECT id FROM audit WHERE subject = 's2'").fetchone()[0]
        database.execute("UPDATE audit SET subject = 'another' WHERE id = ?", (broken,))
        database.commit()
    await page.send(AuditState.check)

    assert page.shows(AuditState, "said") == f"The chain is broken at entry {broken}."
    assert page.shows(AuditState, "fault")


async def test_the_page_goes_on_while_the_chain_is_checked(
    wb: Workbench, page: SignedInTab, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ = wb
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def check_slowly(*_: object) -> ChainReport:
        begun.set()
        await may_end.wait()
        return ChainReport(7, (), "f" * 64)

    monkeypatch.setattr("app.state.settings.audit.check_chain", check_slowly)
    checking = asyncio.create_task(page.send(AuditState.check))
    await begun.wait()
    other = SignedInTab(page.processor, session_id=page.session_id, token=page.token)

    await other.send(AuditState.narrow, choice="person", value="mia")

    assert other.shows(AuditState, "person") == "mia"
    assert not checking.done()
    may_end.set()
    await checking
    assert not page.shows(AuditState, "checking")
    assert "7 entries" in page.shows(AuditState, "said")


def test_every_action_and_kind_has_a_name_in_every_language() -> None:
    for language in LANGUAGES:
        texts = load_catalogue(language).texts
        wanted = {f"audit.action.{one.name.lower()}" for one in AuditAction}
        wanted |= {f"audit.kind.{one.name.lower()}" for one in ObjectKind}
        wanted |= {f"audit.period.{one}" for one in DAYS}
        assert wanted <= texts.keys()
