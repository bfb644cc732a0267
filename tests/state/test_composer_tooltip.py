"""The tooltip of counter and estimate, and temporary conversations."""

from __future__ import annotations

from app.runs.send.commands import LOCAL_OWNER, create_conversation
from app.runs.temporary import create_temporary
from app.runs.workbench import Workbench, bench_of
from app.state.composer.tooltip import TooltipState
from app.state.temporary import TemporaryState
from app.state.toasts import ToastState
from tests.state.conftest import Tab


async def test_a_provider_that_cannot_count_says_so(wb: Workbench, tab: Tab) -> None:
    conversation = await create_conversation(wb, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"

    await tab.send(TooltipState.count)

    assert tab.shows(TooltipState, "exact")
    assert tab.shows(TooltipState, "counting") is False
    await tab.send(TooltipState.look)
    assert tab.shows(TooltipState, "exact") == ""


async def test_without_an_estimate_the_cache_says_nothing(wb: Workbench, tab: Tab) -> None:
    conversation = await create_conversation(wb, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"

    await tab.send(TooltipState.look)

    assert tab.shows(TooltipState, "cached") is None


async def test_a_temporary_conversation_is_kept(wb: Workbench, tab: Tab) -> None:
    conversation = await create_temporary(wb, LOCAL_OWNER, model="offline:demo")
    tab.path = f"/c/{conversation.id}"

    await tab.send(TemporaryState.keep)

    assert await bench_of(wb, conversation.id) is wb
    assert tab.shows(ToastState, "toast").message.startswith("Saved.")


async def test_what_cannot_be_kept_says_why(wb: Workbench, tab: Tab) -> None:
    conversation = await create_conversation(wb, LOCAL_OWNER)
    tab.path = f"/c/{conversation.id}"

    await tab.send(TemporaryState.keep)

    assert "is kept already" in tab.shows(TemporaryState, "fault")
    assert tab.shows(TemporaryState, "keeping") is False


async def test_the_wish_for_a_temporary_conversation_ends_in_any_other(wb: Workbench, tab: Tab) -> None:
    await tab.send(TemporaryState.want, wanted=True)
    assert tab.shows(TemporaryState, "wanted") is True
    tab.path = "/c/c1"

    await tab.send(TemporaryState.open)

    assert tab.shows(TemporaryState, "wanted") is False
