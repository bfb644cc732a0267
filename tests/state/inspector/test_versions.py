"""Versions of a pair in state: restored, swapped, compared word by word."""

from __future__ import annotations

import pytest

from app.runs.app_context import AppContext
from app.runs.conversation.conversation_commands import create_conversation
from app.runs.resend.resend import resend_pair
from app.runs.runtime.owner import LOCAL_OWNER
from app.state.inspector.versions import VersionDiffView, VersionsState
from app.state.messages.toasts import ToastState
from app.state.undo.undo import UndoState
from app.store.conversation.pairs import load_pair
from tests.runs.steps import collect, reply_to
from tests.state.conftest import Tab


async def a_pair_of_three_versions(ctx: AppContext) -> str:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    pair_id = (await reply_to(ctx, conversation.id, "/echo The red fox")).pair.id
    for text in ("/echo The grey fox", "/echo The grey fox runs"):
        resent = await resend_pair(ctx, LOCAL_OWNER, pair_id, text=text)
        await collect(ctx, resent.started.run_id)
    return pair_id


async def standing(ctx: AppContext, pair_id: str) -> int:
    async with ctx.store.read() as session:
        return (await load_pair(session, LOCAL_OWNER, pair_id)).version


def view(tab: Tab) -> VersionDiffView:
    shown = tab.shows(VersionsState, "view")
    assert shown is not None
    return shown


def spans(tab: Tab, at: int = 0) -> list[tuple[str, str]]:
    return [(span.sign, span.text) for span in view(tab).texts[at].spans]


async def test_standing_version_is_compared_with_the_one_before(ctx: AppContext, tab: Tab) -> None:
    pair_id = await a_pair_of_three_versions(ctx)

    await tab.send(VersionsState.compare, pair_id=pair_id)

    assert tab.shows(VersionsState, "title") == "Versions of pair 1"
    assert (view(tab).before.number, view(tab).after.number, view(tab).standing) == ("2", "3", 3)
    assert [item.name for item in view(tab).versions] == ["Version 1", "Version 2", "Version 3 (current)"]
    assert spans(tab) == [("", "/echo The grey fox"), ("+", " runs")]
    assert [(item.version, item.text) for item in view(tab).restores] == [(2, "Restore version 2")]


async def test_any_two_versions_are_compared(ctx: AppContext, tab: Tab) -> None:
    pair_id = await a_pair_of_three_versions(ctx)
    await tab.send(VersionsState.compare, pair_id=pair_id)

    await tab.send(VersionsState.choose_before, number="1")
    assert spans(tab, 1) == [("", "The"), ("-", " red"), ("+", " grey"), ("", " fox"), ("+", " runs")]
    await tab.send(VersionsState.choose_after, number="1")

    assert [text.title for text in view(tab).texts] == ["Request: the same", "Reply: the same"]
    await tab.send(VersionsState.close)
    assert tab.shows(VersionsState, "pair") == ""


@pytest.mark.parametrize("number", ["0", "99", "x", None, 2, "²"])
async def test_version_that_there_is_not_is_not_chosen(ctx: AppContext, tab: Tab, number: object) -> None:
    pair_id = await a_pair_of_three_versions(ctx)
    await tab.send(VersionsState.compare, pair_id=pair_id)

    await tab.send(VersionsState.choose_before, number=number)
    await tab.send(VersionsState.choose_after, number=number)

    assert {view(tab).before.number, view(tab).after.number} <= {"1", "2", "3"}


async def test_restored_version_is_current_and_its_undo_restores_the_other(ctx: AppContext, tab: Tab) -> None:
    pair_id = await a_pair_of_three_versions(ctx)
    await tab.send(VersionsState.compare, pair_id=pair_id)

    await tab.send(VersionsState.restore, pair_id=pair_id, version=1, standing=3)

    assert await standing(ctx, pair_id) == 1
    assert tab.shows(VersionsState, "pair") == ""
    assert tab.shows(ToastState, "toast").message == "Pair 1: version 1 of 3 is current"
    await tab.send(UndoState.undo_last)
    assert await standing(ctx, pair_id) == 3


async def test_version_is_not_restored_over_another_than_was_seen(ctx: AppContext, tab: Tab) -> None:
    pair_id = await a_pair_of_three_versions(ctx)

    await tab.send(VersionsState.restore, pair_id=pair_id, version=1, standing=2)
    await tab.send(VersionsState.take_back, pair_id=pair_id, version=1, standing=2)

    assert await standing(ctx, pair_id) == 3
    assert tab.shows(ToastState, "toast").fault is True


async def test_swap_goes_to_the_version_before_and_back(ctx: AppContext, tab: Tab) -> None:
    pair_id = await a_pair_of_three_versions(ctx)
    stood = list[int]()
    for _ in range(3):
        await tab.send(VersionsState.swap, pair_id=pair_id)
        stood.append(await standing(ctx, pair_id))

    assert stood == [2, 3, 2]


async def test_pair_of_one_version_has_nothing_to_swap(ctx: AppContext, tab: Tab) -> None:
    conversation = await create_conversation(ctx, LOCAL_OWNER, model="offline:demo")
    pair_id = (await reply_to(ctx, conversation.id, "/echo one")).pair.id

    await tab.send(VersionsState.swap, pair_id=pair_id)

    assert "has only one version" in tab.shows(ToastState, "toast").message


@pytest.mark.parametrize("pair_id", ["gone", 7, None, ["x"], ""])
async def test_pair_that_there_is_not_has_no_versions(ctx: AppContext, tab: Tab, pair_id: object) -> None:
    await tab.send(VersionsState.compare, pair_id=pair_id)
    await tab.send(VersionsState.swap, pair_id=pair_id)
    await tab.send(VersionsState.restore, pair_id=pair_id, version=1, standing=1)
    await tab.send(VersionsState.take_back, pair_id=pair_id, version=1, standing=1)

    assert tab.shows(VersionsState, "view") is None
    assert pair_id != "gone" or tab.shows(ToastState, "toast").fault
