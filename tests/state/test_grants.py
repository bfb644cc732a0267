"""Sharing with persons in state: what its owner sees, what the other person sees, and what nobody else does."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from app.domain.people.people import Role
from app.runs.send.commands import create_conversation, start_reply
from app.runs.send.intents import NewSend
from app.runs.watch.broadcast import follow
from app.runs.wiring import open_workbench
from app.runs.workbench import Workbench
from app.state.address import conversation_path, grant_path
from app.state.transfer.granted import GrantedState
from app.state.transfer.grants import GrantState
from app.store.conversation.conversations import Listed, list_conversations, update_conversation
from tests.runs.people.accounts import a_person, a_session
from tests.runs.steps import settings_of
from tests.state.conftest import SignedInTab, Tab


@dataclass
class Two:
    """Ann, who has a conversation, and Ben."""

    wb: Workbench
    conversation_id: str
    ann: SignedInTab
    ben: SignedInTab


@pytest.fixture
async def two(tmp_path: Path, tab: Tab) -> AsyncGenerator[Two]:
    async with open_workbench(replace(settings_of(tmp_path), accounts=True)) as wb:
        ann, ben = await a_person(wb, "ann", Role.OWNER), await a_person(wb, "ben")
        made = await create_conversation(wb, ann.id, title="Garden", model="offline:demo")
        started = await start_reply(wb, ann.id, NewSend(made.id, "/echo Roses"))
        async for _ in follow(wb, ann.id, started.run_id):
            pass
        of_ann = SignedInTab(tab.processor, session_id=await a_session(wb, ann), token="of-ann")
        of_ben = SignedInTab(tab.processor, session_id=await a_session(wb, ben), token="of-ben")
        of_ann.path = conversation_path(made.id)
        yield Two(wb, made.id, of_ann, of_ben)


async def give(two: Two, access: str) -> str:
    await two.ann.send(GrantState.load)
    await two.ann.send(GrantState.give, form={"person": "ben", "access": access})
    (grant,) = two.ann.shows(GrantState, "grants")
    return grant.id


async def test_both_see_whom_it_is_shared_with_and_by(two: Two) -> None:
    grant_id = await give(two, "read")

    assert two.ann.shows(GrantState, "shared_with") == "ben"
    assert [person.name for person in two.ann.shows(GrantState, "people")] == ["ben"]
    two.ben.path = grant_path(grant_id)
    await two.ben.send(GrantedState.open)
    reading = two.ben.shows(GrantedState, "reading")
    assert (reading.name, reading.by, reading.continuing) == ("Garden", "ann", False)
    assert "Roses" in two.ben.shows(GrantedState, "page")
    assert two.ben.shows(GrantedState, "newest") == (reading,)


async def test_without_a_title_it_has_the_name_of_its_first_words(two: Two) -> None:
    await give(two, "read")
    async with two.wb.store.write() as session:
        await update_conversation(session, "ann", two.conversation_id, {"title": ""})

    await two.ben.send(GrantedState.load)

    assert [item.name for item in two.ben.shows(GrantedState, "items")] == ["/echo Roses"]


async def test_a_copy_is_opened_where_it_may_be_made(two: Two) -> None:
    grant_id = await give(two, "read")
    await two.ben.send(GrantedState.copy, grant_id=grant_id)
    assert len(await list_copies(two)) == 0

    await give(two, "continue")
    await two.ben.send(GrantedState.copy, grant_id=grant_id)

    assert [listed.conversation.title for listed in await list_copies(two)] == ["Garden"]


async def test_the_owner_ends_it_and_nothing_is_left_to_read(two: Two) -> None:
    grant_id = await give(two, "read")
    await two.ann.send(GrantState.end, grant_id=grant_id)

    assert two.ann.shows(GrantState, "shared_with") == ""
    two.ben.path = grant_path(grant_id)
    await two.ben.send(GrantedState.open)
    assert "No grant" in two.ben.shows(GrantedState, "fault")
    assert not two.ben.shows(GrantedState, "page")
    assert not two.ben.shows(GrantedState, "items")


async def test_the_reader_lets_go_of_it(two: Two) -> None:
    grant_id = await give(two, "read")
    await two.ben.send(GrantedState.load)
    await two.ben.send(GrantedState.leave, grant_id=grant_id)

    assert two.ben.shows(GrantedState, "items") == ()
    await two.ann.send(GrantState.load)
    assert two.ann.shows(GrantState, "grants") == ()


async def test_a_reader_can_neither_share_it_nor_see_with_whom_it_is_shared(two: Two) -> None:
    await give(two, "continue")
    two.ben.path = conversation_path(two.conversation_id)

    await two.ben.send(GrantState.load)
    await two.ben.send(GrantState.give, form={"person": "ann", "access": "read"})

    assert not two.ben.shows(GrantState, "people")
    assert "No conversation" in two.ben.shows(GrantState, "fault")


@pytest.mark.parametrize("form", [{}, {"person": None, "access": 3}, {"person": "x" * 99}, {"person": "ann"}])
async def test_what_names_nobody_shares_nothing(two: Two, form: dict[str, object]) -> None:
    await two.ann.send(GrantState.give, form=form)

    assert two.ann.shows(GrantState, "fault")
    assert not two.ann.shows(GrantState, "grants")


async def list_copies(two: Two) -> tuple[Listed, ...]:
    async with two.wb.store.read() as session:
        return await list_conversations(session, "ben", limit=9)
