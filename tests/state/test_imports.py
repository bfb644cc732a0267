"""The page of imports: what it shows while a file comes, before it is stored, and after."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from urllib.parse import parse_qs, urlsplit

from app.runs.send.commands import LOCAL_OWNER
from app.runs.transfer.imports.job import CUT_OFF
from app.runs.transfer.imports.staging import receive_import
from app.runs.workbench import Workbench
from app.state.transfer.imports import ImportPageView, ImportState
from tests import foreign
from tests.state.conftest import Tab


async def upload(wb: Workbench, tab: Tab, body: bytes) -> None:
    """What the browser does when a file is chosen."""

    async def pieces() -> AsyncGenerator[bytes]:
        yield body

    asked = parse_qs(urlsplit(str(tab.shows(ImportState, "address"))).query)
    await receive_import(wb, LOCAL_OWNER, asked["id"][0], "export.json", pieces(), len(body))
    await tab.send(ImportState.finish, _name="export.json", answer="{}")


def page(tab: Tab) -> ImportPageView:
    view = tab.shows(ImportState, "view")
    assert isinstance(view, ImportPageView)
    return view


async def test_a_file_is_shown_before_it_is_imported_and_can_be_undone(wb: Workbench, tab: Tab) -> None:
    await tab.send(ImportState.load)
    await upload(wb, tab, foreign.written(foreign.chatgpt_with_branches(), {"title": "Odd"}))
    ready = page(tab)
    assert (ready.status, ready.can_import, ready.titles) == ("ready", True, ("Postgres or MongoDB",))
    assert ready.facts[:3] == ("From ChatGPT", "1 conversation", "2 pairs")
    assert [fault.name for fault in ready.faults] == ["Odd"]

    await tab.send(ImportState.start)
    done = page(tab)
    assert (done.status, done.can_undo, len(done.brought)) == ("done", True, 2)
    assert done.brought[0].path.startswith("/c/")

    await tab.send(ImportState.undo)
    assert (page(tab).status, page(tab).can_undo) == ("undone", False)


async def test_what_is_here_already_cannot_be_imported_again(wb: Workbench, tab: Tab) -> None:
    file = foreign.written(foreign.chatgpt_with_branches())
    await tab.send(ImportState.load)
    await upload(wb, tab, file)
    await tab.send(ImportState.start)

    await tab.send(ImportState.choose_again)
    await upload(wb, tab, file)

    assert (page(tab).status, page(tab).can_import) == ("ready", False)
    assert "1 is here already" in page(tab).facts


async def test_an_upload_that_never_arrived_says_so(wb: Workbench, tab: Tab) -> None:
    await tab.send(ImportState.load)

    await tab.send(ImportState.finish, _name="x", answer="")

    assert (page(tab).status, page(tab).message) == (
        "failed", "Inview cannot be reached. Choose the file again in a moment.",
    )  # fmt: skip


async def test_an_import_whose_process_was_killed_is_shown_once_and_can_be_undone(wb: Workbench, tab: Tab) -> None:
    await tab.send(ImportState.load)
    await upload(wb, tab, foreign.written(foreign.chatgpt_with_branches()))
    await tab.send(ImportState.start)
    (note,) = (wb.settings.data_dir / "imports" / LOCAL_OWNER).glob("*.json")
    note.write_text(note.read_text().replace('"done"', '"importing"'))  # what kill -9 leaves behind
    await tab.send(ImportState.choose_again)

    await tab.send(ImportState.load)
    assert (page(tab).status, page(tab).message, page(tab).can_undo) == ("failed", CUT_OFF, True)
    assert page(tab).heading == "The import broke off"
    assert page(tab).facts[1] == "2 conversations imported"
    await tab.send(ImportState.undo)
    assert page(tab).status == "undone"
