"""The export menu: links to the files of the conversation on screen, whole or as its filter shows it."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from app.runs.workbench import Workbench
from app.state.transfer.export_menu import ExportMenuState, ExportMenuView
from tests.state.conftest import Tab
from tests.state.filtering import opened, write_pairs


def menu(tab: Tab) -> ExportMenuView:
    shown = tab.shows(ExportMenuState, "menu")
    assert isinstance(shown, ExportMenuView)
    return shown


def asked(view: ExportMenuView) -> list[dict[str, str]]:
    queries = [parse_qs(urlsplit(link.address).query) for link in view.links]
    return [{name: values[0] for name, values in query.items()} for query in queries]


async def test_menu_offers_the_whole_conversation_in_every_form(wb: Workbench, tab: Tab) -> None:
    await write_pairs(wb)

    async with opened(tab):
        await tab.send(ExportMenuState.show)

        view = menu(tab)
        assert [(link.name, link.download) for link in view.links] == [
            ("JSON", True), ("Markdown", True), ("HTML", True), ("Print…", False),
        ]  # fmt: skip
        assert {urlsplit(link.address).path for link in view.links} == {"/api/v1/conversations/c1/export"}
        assert asked(view) == [
            {"format": "json"}, {"format": "md"}, {"format": "html"}, {"format": "html", "print": "true"},
        ]  # fmt: skip
        assert (view.filtered, view.narrowed) == (False, False)


async def test_with_a_filter_in_force_the_files_have_what_it_shows_unless_all_are_wanted(
    wb: Workbench, tab: Tab
) -> None:
    await write_pairs(wb, kept="s>=3")

    async with opened(tab):
        await tab.send(ExportMenuState.show)
        shown = menu(tab)
        await tab.send(ExportMenuState.toggle_scope)
        whole = menu(tab)

        assert (shown.filtered, shown.narrowed) == (True, True)
        assert {query["filter"] for query in asked(shown)} == {"s>=3"}
        assert all(query["zone"] for query in asked(shown))
        assert (whole.filtered, whole.narrowed) == (True, False)
        assert asked(whole)[0] == {"format": "json"}
        await tab.send(ExportMenuState.close)
        assert tab.shows(ExportMenuState, "menu") is None
