from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.runs.workbench import Workbench
from app.state.settings.providers import ProviderItem, ProvidersState
from tests.state.conftest import Tab

KEY = "sk-ant-very-secret-0123456789-wXyZ"


def item(tab: Tab, name: str) -> ProviderItem:
    return next(one for one in tab.shows(ProvidersState, "providers") if one.name == name)


def everything_told(tab: Tab) -> str:
    return repr(tab.vars)


async def save(tab: Tab, name: str, **fields: Any) -> None:
    await tab.send(ProvidersState.save_provider, form={"provider": name, "key": "", "base_url": "", **fields})


async def test_key_goes_in_and_no_part_of_it_comes_out(wb: Workbench, tab: Tab) -> None:
    await save(tab, "anthropic", key=f"  {KEY} ")

    assert item(tab, "anthropic").status == "Key is set"
    assert KEY not in everything_told(tab)
    assert KEY[-4:] not in everything_told(tab)
    async with wb.store.read() as session:
        assert (await wb.catalogue.providers(session, "local"))["anthropic"].key == KEY


async def test_empty_key_keeps_the_one_there_is(wb: Workbench, tab: Tab) -> None:
    await save(tab, "anthropic", key=KEY)

    await save(tab, "anthropic", base_url="https://proxy.example.org/v1")

    assert item(tab, "anthropic").status == "Key is set"
    assert item(tab, "anthropic").base_url == "https://proxy.example.org/v1"


async def test_forgotten_provider_stands_as_before(wb: Workbench, tab: Tab) -> None:
    await tab.send(ProvidersState.load)
    before = item(tab, "anthropic")
    await save(tab, "anthropic", key=KEY)

    await tab.send(ProvidersState.forget_provider, name="anthropic")

    assert item(tab, "anthropic") == replace(before, said="Forgotten.")


async def test_what_cannot_be_an_address_is_refused_and_nothing_stored(wb: Workbench, tab: Tab) -> None:
    await save(tab, "openai", base_url="not an address")

    assert "base_url" in item(tab, "openai").said
    assert not item(tab, "openai").removable


async def test_name_of_another_server_must_be_free(wb: Workbench, tab: Tab) -> None:
    form = {"name": "Lab", "base_url": "http://127.0.0.1:9/v1", "key": ""}

    await tab.send(ProvidersState.add_server, form=form)
    assert tab.shows(ProvidersState, "added_note") == "Added lab."
    await tab.send(ProvidersState.add_server, form=form)

    assert tab.shows(ProvidersState, "added_note") == ("'lab' is taken. Change that one above, or choose another name.")


async def test_trying_a_server_that_is_not_there_says_so(wb: Workbench, tab: Tab) -> None:
    await tab.send(ProvidersState.add_server, form={"name": "lab", "base_url": "http://127.0.0.1:9/v1", "key": ""})

    await tab.send(ProvidersState.test_provider, name="lab")

    assert item(tab, "lab").said.endswith("then send again.")


async def test_form_of_the_wrong_shape_is_no_fault(wb: Workbench, tab: Tab) -> None:
    await tab.send(ProvidersState.save_provider, form={"provider": ["x"], "key": {"a": 1}})

    assert tab.shows(ProvidersState, "providers") != ()


async def test_providers_that_can_be_asked_stand_first_and_none_moves_while_the_page_is_open(
    wb: Workbench, tab: Tab
) -> None:
    await tab.send(ProvidersState.load)
    before = [one.name for one in tab.shows(ProvidersState, "providers")]
    await tab.send(ProvidersState.save_provider, form={"provider": "openai", "key": KEY, "base_url": ""})
    after = [one.name for one in tab.shows(ProvidersState, "providers")]
    await tab.send(ProvidersState.load)
    again = [one.name for one in tab.shows(ProvidersState, "providers")]

    assert (before[0], after) == ("offline", before)
    assert set(again[:2]) == {"openai", "offline"}
