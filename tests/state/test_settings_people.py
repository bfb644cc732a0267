"""Settings → Account and Settings → People in state: what each role sees and may do, with the role read each time."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.errors import NotFoundError
from app.domain.people.people import Role
from app.runs.people import sessions
from app.runs.people.passwords import hash_password
from app.runs.people.sessions import read_session
from app.runs.people.throttle import Throttle
from app.runs.send.commands import create_conversation
from app.runs.usage.allowances import read_allowance
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.state.settings.allowances import AllowanceState
from app.state.settings.people import PeopleState
from app.state.settings.session import SessionState
from app.store.conversation.conversations import load_conversation
from app.store.people.people import load_person, set_role
from tests.runs.people.accounts import a_person, a_session
from tests.runs.steps import settings_of
from tests.state.conftest import SignedInTab, Tab

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PASSWORD = "correct horse battery"

Opens = Callable[[str, Role], Awaitable[SignedInTab]]


@pytest.fixture
async def wb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Workbench]:
    monkeypatch.setattr(sessions, "_throttle", Throttle())
    async with open_workbench(replace(settings_of(tmp_path), accounts=True)) as opened:
        yield opened


@pytest.fixture
def sign_in(wb: Workbench, tab: Tab) -> Opens:
    """Makes a person and opens a tab of theirs."""

    async def opens(name: str, role: Role) -> SignedInTab:
        whose = await a_person(wb, name, role)
        return SignedInTab(tab.processor, session_id=await a_session(wb, whose))

    return opens


def names(page: Tab) -> list[str]:
    return [item.name for item in page.shows(PeopleState, "items") or ()]


async def test_a_member_sees_nothing_and_may_nothing(wb: Workbench, sign_in: Opens) -> None:
    await a_person(wb, "olga", Role.OWNER)
    page = await sign_in("mia", Role.MEMBER)

    await page.send(PeopleState.load)
    await page.send(PeopleState.invite, form={"role": "member"})
    await page.send(PeopleState.change_role, person_id="mia", role="owner")
    await page.send(PeopleState.disable, person_id="olga")
    await page.send(PeopleState.make_reset, person_id="olga")
    await page.send(PeopleState.sign_out, person_id="olga")
    await page.send(PeopleState.ask, person_id="olga")
    await page.send(PeopleState.delete, form={"name": "olga"})

    assert not page.shows(PeopleState, "shown")
    assert names(page) == []
    assert not page.shows(PeopleState, "link")
    async with wb.store.read() as session:
        assert (await load_person(session, "mia")).role is Role.MEMBER
        assert not (await load_person(session, "olga")).disabled


async def test_an_admin_manages_all_but_owners_until_demoted(wb: Workbench, sign_in: Opens) -> None:
    await a_person(wb, "olga", Role.OWNER)
    await a_person(wb, "mia")
    page = await sign_in("adam", Role.ADMIN)
    await page.send(PeopleState.load)

    assert page.shows(PeopleState, "grantable") == ("member", "admin")
    manageable = {item.name: item.manageable for item in page.shows(PeopleState, "items")}
    assert manageable == {"olga": False, "mia": True, "adam": True}
    await page.send(PeopleState.disable, person_id="olga")
    assert page.shows(PeopleState, "said") == "Only an owner can change an owner."
    await page.send(PeopleState.change_role, person_id="mia", role="admin")
    assert page.shows(PeopleState, "said") == "mia has the role Admin now."
    await page.send(PeopleState.make_reset, person_id="mia")
    assert "/welcome?key=" in page.shows(PeopleState, "link")

    async with wb.store.write() as session:
        await set_role(session, "adam", Role.MEMBER)
    await page.send(PeopleState.disable, person_id="mia")

    assert not page.shows(PeopleState, "shown")
    assert names(page) == []
    assert page.shows(PeopleState, "link") == ""
    async with wb.store.read() as session:
        assert not (await load_person(session, "mia")).disabled


async def test_an_invitation_is_made_and_withdrawn(sign_in: Opens) -> None:
    page = await sign_in("olga", Role.OWNER)
    await page.send(PeopleState.invite, form={"role": "admin"})

    assert page.shows(PeopleState, "link").startswith("http://127.0.0.1:3000/welcome?key=")
    (invitation,) = page.shows(PeopleState, "invitations")
    assert invitation.role_name == "Admin"
    await page.send(PeopleState.withdraw, invitation_id=invitation.id)

    assert page.shows(PeopleState, "invitations") == ()
    assert page.shows(PeopleState, "link") == ""
    await page.send(PeopleState.withdraw, invitation_id=invitation.id)
    assert page.shows(PeopleState, "said") == "This invitation is not open any more."


async def test_a_person_is_deleted_once_the_name_is_typed(wb: Workbench, sign_in: Opens) -> None:
    page = await sign_in("olga", Role.OWNER)
    await a_person(wb, "mia")
    theirs = await create_conversation(wb, "mia")
    await page.send(PeopleState.ask, person_id="mia")
    await page.send(PeopleState.delete, form={"name": "Max"})

    assert page.shows(PeopleState, "said") == "That is another name. Nothing was deleted."
    assert page.shows(PeopleState, "asked") == "mia"
    await page.send(PeopleState.delete, form={"name": "mia"})

    assert page.shows(PeopleState, "said") == "Deleted mia."
    assert names(page) == ["olga"]
    async with wb.store.read() as session:
        with pytest.raises(NotFoundError):
            await load_conversation(session, "mia", theirs.id)


async def test_the_last_owner_stays(wb: Workbench, sign_in: Opens) -> None:
    page = await sign_in("olga", Role.OWNER)

    await page.send(PeopleState.change_role, person_id="olga", role="member")

    assert page.shows(PeopleState, "said") == "This is the last owner. Make another person an owner first."
    await page.send(PeopleState.disable, person_id="olga")
    async with wb.store.read() as session:
        olga = await load_person(session, "olga")
    assert (olga.role, olga.disabled) == (Role.OWNER, False)


@pytest.mark.parametrize("forged", [None, 7, ["owner"], {"role": "owner"}, "root"])
async def test_forged_roles_change_nothing(wb: Workbench, sign_in: Opens, forged: object) -> None:
    page = await sign_in("olga", Role.OWNER)
    await a_person(wb, "mia")

    await page.send(PeopleState.invite, form={"role": forged})
    await page.send(PeopleState.change_role, person_id="mia", role=forged)

    assert not page.shows(PeopleState, "invitations")
    async with wb.store.read() as session:
        assert (await load_person(session, "mia")).role is Role.MEMBER


async def test_own_sessions_are_listed_and_ended(wb: Workbench, tab: Tab) -> None:
    mia = await a_person(wb, "mia")
    mine, other = await a_session(wb, mia), await a_session(wb, mia, FIREFOX)
    max_ = await a_session(wb, await a_person(wb, "max"))
    page = SignedInTab(tab.processor, session_id=mine)
    await page.send(SessionState.load)

    shown = {item.id: (item.agent, item.mine) for item in page.shows(SessionState, "sessions")}
    assert shown == {mine: ("Unknown browser", True), other: ("Firefox · Linux", False)}
    await page.send(SessionState.end, session_id=max_)
    await page.send(SessionState.end, session_id=mine)
    assert await read_session(wb, max_) is not None
    assert await read_session(wb, mine) is not None
    await page.send(SessionState.end, session_id=other)

    assert await read_session(wb, other) is None
    again = await a_session(wb, mia)
    await page.send(SessionState.end_others)
    assert await read_session(wb, again) is None
    assert [item.id for item in page.shows(SessionState, "sessions")] == [mine]


async def test_name_and_password_are_changed_by_who_knows_the_old_one(wb: Workbench, tab: Tab) -> None:
    mia = await a_person(wb, "mia", password_hash=await hash_password(PASSWORD))
    other = await a_session(wb, mia)
    page = SignedInTab(tab.processor, session_id=await a_session(wb, mia))
    await page.send(SessionState.rename, form={"name": "  Mia   Maier "})
    assert page.shows(SessionState, "name") == "Mia Maier"
    await page.send(SessionState.rename, form={"name": " "})
    assert page.shows(SessionState, "said") == "The name has to have 1 to 100 characters."

    await page.send(SessionState.change_password, form={"old": "wrong", "new": PASSWORD * 2})
    assert page.shows(SessionState, "password_said") == "This is not your password."
    await page.send(SessionState.change_password, form={"old": PASSWORD, "new": "short"})
    assert "10 to 1,000 characters" in page.shows(SessionState, "password_said")
    assert await read_session(wb, other) is not None
    await page.send(SessionState.change_password, form={"old": PASSWORD, "new": PASSWORD * 2})

    assert page.shows(SessionState, "password_said") == "Changed. Your other sessions are signed out."
    assert await read_session(wb, other) is None


async def test_allowances_are_set_by_admins_and_seen_by_them_alone(wb: Workbench, sign_in: Opens) -> None:
    await a_person(wb, "mia")
    page = await sign_in("adam", Role.ADMIN)
    await page.send(AllowanceState.load)
    await page.send(AllowanceState.save_models, form={"role": "member", "models": "anthropic:*\n"})
    await page.send(AllowanceState.give, form={"to": "person:mia", "span": "month", "amount": "5", "stops": "on"})

    assert (await read_allowance(wb, "mia")).models == ("anthropic:*",)
    assert [(one.receiver, one.name) for one in page.shows(AllowanceState, "budgets")] == [("person:mia", "mia")]
    await page.send(AllowanceState.give, form={"to": "role:owner", "span": "month", "amount": "5"})
    assert page.shows(AllowanceState, "said") == "Only an owner can make owners."
    await page.send(AllowanceState.take, receiver="person:mia", span="month")
    assert (await read_allowance(wb, "mia")).budgets == ()

    await set_role_of(wb, "adam")
    await page.send(AllowanceState.give, form={"to": "person:mia", "span": "month", "amount": "5"})
    await page.send(AllowanceState.load)
    assert not page.shows(AllowanceState, "loaded")
    assert (await read_allowance(wb, "mia")).budgets == ()


async def set_role_of(wb: Workbench, name: str) -> None:
    """Make this person a member."""
    async with wb.store.write() as session:
        await set_role(session, name, Role.MEMBER)
