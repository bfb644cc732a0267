"""The export of the conversations that are ticked: its menu, its download, and its end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.runs.send.commands import LOCAL_OWNER, create_conversation
from app.runs.transfer.exports import bulk
from app.runs.workbench import Workbench
from app.state.placement import PlacementState
from app.state.sidebar import SidebarState
from app.state.toasts import ToastState
from app.state.transfer.bulk_export import BulkExportState
from tests.state.conftest import Tab


@pytest.fixture
async def ticked(wb: Workbench, tab: Tab) -> Tab:
    for title in "abc":
        await create_conversation(wb, LOCAL_OWNER, title=title)
    await tab.send(SidebarState.load)
    await tab.send(PlacementState.begin_select, conversation_id="")
    await tab.send(PlacementState.tick_all)
    return tab


def files(wb: Workbench) -> list[str]:
    return sorted(path.suffix for path in (wb.settings.data_dir / "exports").rglob("*.*"))


async def test_what_is_ticked_becomes_a_file_and_stays_ticked(wb: Workbench, ticked: Tab) -> None:
    await ticked.send(BulkExportState.ask)
    assert ticked.shows(BulkExportState, "open")

    await ticked.send(BulkExportState.export, format_="json")

    assert ticked.shows(ToastState, "toast").message == "Exported 3 conversations"
    assert (ticked.shows(BulkExportState, "open"), ticked.shows(BulkExportState, "total")) == (False, 0)
    assert (files(wb), len(ticked.shows(PlacementState, "selected"))) == ([".json"], 3)


@pytest.mark.parametrize("value", [None, 7, "pdf", ""])
async def test_no_other_format_is_written(wb: Workbench, ticked: Tab, value: Any) -> None:
    await ticked.send(BulkExportState.export, format_=value)

    assert files(wb) == []


async def test_what_cannot_be_written_is_said(wb: Workbench, ticked: Tab) -> None:
    await ticked.send(PlacementState.tick, conversation_id="gone", ticked=True)

    await ticked.send(BulkExportState.export, format_="md")

    assert ticked.shows(ToastState, "toast").fault
    assert (files(wb), ticked.shows(BulkExportState, "total")) == ([], 0)


async def test_a_long_export_says_how_far_it_is_and_can_be_stopped(
    wb: Workbench, ticked: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, reached = bulk.open_source, asyncio.Event()

    async def wait_at_the_second(*arguments: Any) -> Any:
        source = await real(*arguments)
        if source.name == "b":
            reached.set()
            await asyncio.Event().wait()
        return source

    monkeypatch.setattr(bulk, "open_source", wait_at_the_second)
    writing = asyncio.create_task(ticked.send(BulkExportState.export, format_="html"))
    await reached.wait()
    async with asyncio.timeout(20):
        while ticked.shows(BulkExportState, "done") != 1:  # noqa: ASYNC110 - the tab is filled by the event beside this
            await asyncio.sleep(0.01)
    assert ticked.shows(BulkExportState, "total") == 3

    await ticked.send(BulkExportState.stop)
    await writing

    assert (files(wb), ticked.shows(BulkExportState, "total"), ticked.shows(ToastState, "toast")) == ([], 0, None)
