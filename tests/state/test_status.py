"""The status on screen: figures of this process, two checks, and who sees them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from app.runs.measures.measures import FileChecked
from app.runs.process.ids import now
from app.runs.status import Status, read_status
from app.runs.workbench import Workbench
from app.state.shell.notice import NoticeState
from app.state.status import StatusState
from app.state.usage.labels import FactView
from tests.state.conftest import Tab


def value_of(tab: Tab, var: str, label: str) -> str:
    shown: tuple[FactView, ...] = tab.shows(StatusState, var)
    return next(one.value for one in shown if one.label == label)


async def test_figures_are_those_of_the_process(wb: Workbench, tab: Tab) -> None:
    await tab.send(StatusState.load)

    assert value_of(tab, "work", "Replies that run") == "0"
    assert value_of(tab, "work", "Texts in queues") == "0"
    assert value_of(tab, "store", "Integrity") == "Not checked"
    assert value_of(tab, "store", "Database").endswith("B")
    assert value_of(tab, "store", "Free on the disk").endswith("B")
    assert {one.label for one in tab.shows(StatusState, "versions")} >= {"inview", "reflex"}
    wb.measures.runs["error"] += 2
    wb.measures.began -= 90_000
    await tab.send(StatusState.load)
    assert value_of(tab, "work", "Replies that ended") == "2"
    assert value_of(tab, "work", "Up for").startswith("25:00:")


async def test_check_of_the_database_says_what_it_found(wb: Workbench, tab: Tab) -> None:
    await tab.send(StatusState.load)
    await tab.send(StatusState.check)

    assert value_of(tab, "store", "Integrity") == "Whole"
    wb.measures.checked = FileChecked(now(), "row 3 missing")
    await tab.send(StatusState.load)
    assert value_of(tab, "store", "Integrity") == "Damaged"


async def test_servers_are_asked_on_the_button_alone(tab: Tab) -> None:
    await tab.send(StatusState.load)
    assert tab.shows(StatusState, "servers") == ()

    await tab.send(StatusState.ask)

    assert tab.shows(StatusState, "busy") is False
    assert tab.shows(StatusState, "said") or tab.shows(StatusState, "servers")


async def test_members_see_nothing_of_it(wb: Workbench, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.runs.people.administration.LOCAL_OWNER", "somebody else")

    await tab.send(StatusState.load)

    assert tab.shows(StatusState, "work") == ()
    assert tab.shows(StatusState, "fault") == "Only owners and admins see the status. Ask one of them."


async def test_page_goes_on_while_the_database_is_checked(tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    began, finish = asyncio.Event(), asyncio.Event()

    async def check(*_: object) -> None:
        began.set()
        await finish.wait()

    monkeypatch.setattr("app.state.status.check_database", check)
    checking = asyncio.create_task(tab.send(StatusState.check))
    await began.wait()
    await tab.send(NoticeState.tell, message="Hello")
    assert tab.shows(NoticeState, "message") == "Hello"
    assert tab.shows(StatusState, "checking") is True

    finish.set()
    await checking

    assert tab.shows(StatusState, "checking") is False


@pytest.mark.parametrize(("answers", "said"), [(True, "Answers"), (False, "Away")])
async def test_redis_is_shown_where_there_is_one(
    tab: Tab, monkeypatch: pytest.MonkeyPatch, answers: bool, said: str
) -> None:
    await tab.send(StatusState.load)
    assert "Redis" not in {one.label for one in tab.shows(StatusState, "work")}

    async def read_with_redis(wb: Workbench, person_id: str) -> Status:
        return replace(await read_status(wb, person_id), redis=answers)

    monkeypatch.setattr("app.state.status.read_status", read_with_redis)
    await tab.send(StatusState.load)

    assert value_of(tab, "work", "Redis") == said
