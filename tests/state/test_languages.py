"""Texts that states compose are in the language of the browser that asks, or in the preferred one."""

from __future__ import annotations

import pytest

from app.runs.library.preference_commands import read_preferences
from app.runs.send.commands import LOCAL_OWNER
from app.runs.workbench import Workbench
from app.state.settings.appearance import AppearanceState
from app.state.trash import TrashState
from tests.state.conftest import Tab


@pytest.mark.parametrize(("accepted", "year"), [("", "a year"), ("de-DE,de;q=0.9", "ein Jahr"), ("es", "un año")])
async def test_a_tab_is_told_things_in_the_language_of_its_browser(
    wb: Workbench, tab: Tab, accepted: str, year: str
) -> None:
    tab.accept_language = accepted

    await tab.send(TrashState.load)

    assert year in {term.label for term in tab.shows(TrashState, "terms")}


async def test_the_chosen_language_is_kept_and_used_at_once(wb: Workbench, tab: Tab) -> None:
    tab.accept_language = "de"

    await tab.send(AppearanceState.choose_language, language="es")
    await tab.send(TrashState.load)

    assert tab.shows(AppearanceState, "served") == "es"
    assert (await read_preferences(wb, LOCAL_OWNER)).language == "es"
    assert tab.shows(TrashState, "terms")[-1].label == "hasta que se vacíe la papelera"


async def test_the_language_of_the_system_is_that_of_the_browser_again(wb: Workbench, tab: Tab) -> None:
    tab.accept_language = "de"
    await tab.send(AppearanceState.choose_language, language="es")

    await tab.send(AppearanceState.choose_language, language="")

    assert tab.shows(AppearanceState, "served") == "de"
    assert (await read_preferences(wb, LOCAL_OWNER)).language is None


async def test_what_is_no_language_changes_nothing(wb: Workbench, tab: Tab) -> None:
    await tab.send(AppearanceState.choose_language, language="xx")

    assert (await read_preferences(wb, LOCAL_OWNER)).language is None
