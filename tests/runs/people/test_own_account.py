"""What a person does with their own account."""

from __future__ import annotations

import pytest

from app.domain.errors import InputError, NotFoundError
from app.runs.people.own_account import change_password, end_other_sessions, end_session, list_own_sessions, rename
from app.runs.people.passwords import hash_password, is_password
from app.runs.people.sessions import WrongPasswordError, read_session
from app.runs.people.throttle import MAX_PER_ACCOUNT, TooManyAttemptsError
from app.runs.people.welcome import invite, read_invitation
from app.runs.workbench import Workbench
from app.store.people.people import find_by_email, load_person
from tests.runs.people.accounts import a_person, a_session

OLD, NEW = "correct horse battery", "another password"


async def password_hash_of(wb: Workbench, email: str) -> str:
    async with wb.store.read() as session:
        found = await find_by_email(session, email)
    assert found is not None
    return found[1]


async def test_new_password_counts_and_ends_the_other_sessions_and_reset_links(wb: Workbench) -> None:
    ann = await a_person(wb, "ann", password_hash=await hash_password(OLD))
    here, elsewhere = await a_session(wb, ann), await a_session(wb, ann)
    reset = await invite(wb.store, ann.role, ann.id)

    await change_password(wb, here, OLD, NEW)

    assert await is_password(NEW, await password_hash_of(wb, ann.email))
    assert await read_session(wb, here) is not None
    assert await read_session(wb, elsewhere) is None
    with pytest.raises(NotFoundError):
        await read_invitation(wb, reset.partition("key=")[2])


async def test_wrong_old_password_changes_nothing_and_is_throttled(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_password: str, _hash: str) -> bool:
        return False

    ann = await a_person(wb, "ann", password_hash="as it was")
    here = await a_session(wb, ann)
    monkeypatch.setattr("app.runs.people.own_account.is_password", never)
    for _ in range(MAX_PER_ACCOUNT):
        with pytest.raises(WrongPasswordError):
            await change_password(wb, here, "wrong", NEW)
    with pytest.raises(TooManyAttemptsError):
        await change_password(wb, here, OLD, NEW)

    assert await password_hash_of(wb, ann.email) == "as it was"


async def test_short_password_is_refused(wb: Workbench) -> None:
    here = await a_session(wb, await a_person(wb, "ann"))
    with pytest.raises(InputError):
        await change_password(wb, here, OLD, "short")


async def test_own_sessions_are_listed_and_end_one_by_one_and_together(wb: Workbench) -> None:
    ann, ben = await a_person(wb, "ann"), await a_person(wb, "ben")
    here, there, third = [await a_session(wb, ann, agent) for agent in ("here", "there", "third")]
    bens = await a_session(wb, ben)
    assert {one.device.agent for one in await list_own_sessions(wb, "ann")} == {"here", "there", "third"}

    await end_session(wb, "ann", there)
    await end_session(wb, "ann", bens)  # another person's

    assert {one.id for one in await list_own_sessions(wb, "ann")} == {here, third}
    assert await read_session(wb, bens) is not None
    await end_other_sessions(wb, "ann", here)
    assert [one.id for one in await list_own_sessions(wb, "ann")] == [here]
    assert await read_session(wb, bens) is not None


async def test_name_is_cleaned(wb: Workbench) -> None:
    await a_person(wb, "ann")
    assert await rename(wb, "ann", "  Ann   Lee ") == "Ann Lee"
    async with wb.store.read() as session:
        assert (await load_person(session, "ann")).name == "Ann Lee"
    with pytest.raises(InputError):
        await rename(wb, "ann", " ")
