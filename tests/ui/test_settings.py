"""The controls of Settings and of the page of usage."""

from __future__ import annotations

import pytest

from app.domain.models.provider_trials import ProviderHealth
from app.domain.settings.preferences import Preferences
from app.state.agents.form import AgentFormState
from app.state.settings.access import ACTIONS, AccessItem, AccessState
from app.state.settings.permissions import PermissionRulesState, RuleItem
from app.state.settings.preferences import PreferencesState, describe_preferences
from app.state.settings.privacy import PrivacyState
from app.state.settings.providers import ProviderItem, ProvidersState
from app.state.settings.server_items import OfferItem, ServerItem
from app.state.settings.servers import BuiltInItem, ServersState
from app.state.settings.titles import TitleModel, TitlesState
from app.state.usage.bill import BillState
from app.state.usage.prices import KINDS, REQUIRED, OwnPriceState, PriceItem
from app.ui.pages.agents import agents
from app.ui.pages.settings import settings
from app.ui.pages.usage import usage
from tests.ui.drawn import Element, draw, sent


def labelled(page: Element, label: str, kind: str = "input") -> Element:
    """Return the field with this label."""
    (found,) = [one for one in page.list("label") if one.text.strip().startswith(label)]
    return found.find(kind)


def test_titles_and_replays_are_switched_by_their_checkboxes() -> None:
    page = draw(settings, {PreferencesState: {"loaded": True}})

    titles, replays = labelled(page, "Let a model title"), labelled(page, "Answer an identical request")
    assert titles.sends("on_change") == [sent(TitlesState.name_conversations, on="<checked>")]
    assert replays.sends("on_change") == [sent(TitlesState.replay, on="<checked>")]
    assert (titles.props["checked"], replays.props["checked"]) == (True, False)


def test_model_for_titles_is_chosen_from_a_menu() -> None:
    models = (TitleModel("offline:tiny", "Tiny"),)

    page = draw(settings, {PreferencesState: {"loaded": True}, TitlesState: {"models": models}})

    menu = labelled(page, "Model for titles", "select")
    assert [(one.props["value"], one.text) for one in menu.list("option")] == [
        ("", "Model of the conversation"),
        ("offline:tiny", "Tiny"),
    ]
    assert menu.sends("on_change") == [sent(TitlesState.choose_model, model="<value>")]


def test_built_in_tool_is_switched_by_its_checkbox() -> None:
    tools = {"loaded": True, "built_ins": (BuiltInItem("now", "Clock", "The time."),)}

    early = draw(settings, {ServersState: tools})
    page = draw(settings, {ServersState: tools, PreferencesState: {"loaded": True}})

    switch = labelled(page, "Clock")
    assert switch.sends("on_change") == [sent(ServersState.switch_built_in, name="now", on="<checked>")]
    assert (switch.props["checked"], switch.props["disabled"]) == (False, False)
    assert labelled(early, "Clock").props["disabled"] is True


def test_form_of_a_server_has_fields_for_a_client_of_ones_own() -> None:
    form = draw(settings, {ServersState: {"loaded": True, "redirect_uri": "http://here/back"}}).find(
        "form", "Add an MCP server"
    )

    client_id, secret = labelled(form, "Client ID"), labelled(form, "Client secret")
    assert (client_id.props["name"], secret.props["name"]) == ("client_id", "client_secret")
    assert secret.props["type"] == "password"
    assert "http://here/back" in form.text
    assert form.sends("on_submit") == [sent(ServersState.add, form="<form>")]


def provider(health: ProviderHealth, problem: str = "", said: str = "") -> ProviderItem:
    return ProviderItem(
        "lab", "Lab", "", health.value, "Cannot be reached", problem, takes_setup=True, has_key=False,
        base_url="http://lab", usual_url="", key_page="", removable=True, said=said,
    )  # fmt: skip


def test_provider_is_tested_by_its_buttons_and_says_what_came_of_it() -> None:
    item = provider(ProviderHealth.UNREACHABLE, problem="Lab could not be reached.", said="It does not answer.")

    page = draw(settings, {ProvidersState: {"providers": (item,)}})
    well = draw(settings, {ProvidersState: {"providers": (provider(ProviderHealth.ANSWERS),)}})

    for name in ("Test", "Try again"):
        assert page.find("button", name).sends("on_click") == [sent(ProvidersState.test_provider, name="lab")], name
    assert "Lab could not be reached." in page.text
    assert "It does not answer." in page.text
    assert well.list("button", "Test")
    assert not well.list("button", "Try again")


def test_price_of_ones_own_is_set_by_its_form_and_removed_by_its_row() -> None:
    price = PriceItem("offline:demo", "2026-01-01", "1", "2", "-", "-", "-")

    page = draw(usage, {OwnPriceState: {"items": (price,), "fault": "Not a price.", "message": "The price is set."}})

    form = page.find("form", "Set a price")
    assert {one.props["name"]: one.props["required"] for one in form.list("input")} == {
        "model": True,
        "since": True,
        **{kind: kind in REQUIRED for kind in KINDS},
    }
    assert form.find("button", "Set price").props["type"] == "submit"
    assert form.sends("on_submit") == [sent(OwnPriceState.save, form="<form>")]
    assert page.find("button", "Remove the price of offline:demo from 2026-01-01").sends("on_click") == [
        sent(OwnPriceState.remove, model="offline:demo", since="2026-01-01")
    ]
    assert page.find("p", "Not a price.").props["role"] == "alert"
    assert page.find("p", "The price is set.").props["role"] == "status"


def test_file_that_is_no_bill_is_reported_in_an_alert() -> None:
    page = draw(usage, {BillState: {"fault": "This is no bill."}})

    assert page.find("p", "This is no bill.").props["role"] == "alert"
    assert page.find("TextFile").sends("on_piece") == [
        sent(BillState.take_piece, number="<0>", text="<1>", is_last="<2>")
    ]


def test_access_log_has_a_filter_and_says_when_it_is_empty() -> None:
    empty = draw(settings, {AccessState: {"shown": True}})
    item = AccessItem(7, "2026-11-23T12:00:00+00:00", "Opened", "/c/c1", "on this page")
    page = draw(settings, {AccessState: {"shown": True, "items": (item,), "older": True}})

    assert "No entries yet." in empty.text
    menu = labelled(page, "Show", "select")
    assert [one.text for one in menu.list("option")] == list(ACTIONS)
    assert menu.sends("on_change") == [sent(AccessState.choose, actions="<value>")]
    assert "No entries yet." not in page.text
    assert page.find("button", "Show older").sends("on_click") == [sent(AccessState.show_older)]


def test_rules_of_an_agent_are_listed_with_it_and_in_settings() -> None:
    rule = RuleItem("r1", "Files: Write", "", "2026-11-23T00:00:00+00:00", ("path: /notes/*",), "Reviewer")

    form = draw(agents, {AgentFormState: {"editing": "agent a1", "ready": True, "rules": (rule,)}})
    page = draw(settings, {PermissionRulesState: {"loaded": True, "rules": (rule,)}})

    own = next(one for one in form.list("ul") if one.props.get("aria-label") == "Calls always allowed for this agent")
    assert "path: /notes/*" in own.text
    assert own.find("button", "Remove Files: Write").sends("on_click") == [
        sent(AgentFormState.remove_rule, rule_id="r1")
    ]
    assert "always for Reviewer" in page.text


@pytest.mark.parametrize(("changed", "name"), [(True, "Discard"), (False, "Cancel")])
def test_form_of_an_agent_is_closed_by_discard_if_it_was_changed(changed: bool, name: str) -> None:
    page = draw(agents, {AgentFormState: {"editing": "agent a1", "ready": True, "changed": changed}})

    closing = [one for one in page.list("button") if sent(AgentFormState.close) in one.sends("on_click")]
    assert [one.name for one in closing] == [name]
    (field,) = [one for one in page.list("textarea") if one.props.get("name") == "system_prompt"]
    assert field.sends("on_change") == [sent(AgentFormState.write, name="system_prompt", text="<value>")]


def test_time_in_requests_needs_the_date_and_says_what_it_costs() -> None:
    loaded = {"opened": 1}
    dated = describe_preferences(Preferences(date_zone="UTC"))

    plain = draw(settings, {PrivacyState: loaded})
    page = draw(settings, {PrivacyState: loaded, PreferencesState: {"preferred": dated}})

    switch = labelled(page, "Send the time with the date")
    assert "the provider’s cache is not used" in page.text
    assert switch.sends("on_change") == [sent(PrivacyState.tell_time, on="<checked>")]
    assert (switch.props["checked"], switch.props["disabled"]) == (False, False)
    assert labelled(plain, "Send the time with the date").props["disabled"] is True
    first = labelled(page, "Send the first request of a conversation")
    assert first.sends("on_change") == [sent(PrivacyState.tell_first_request, on="<checked>")]
    project = labelled(page, "Send the name of the folder of a conversation as its project")
    assert project.sends("on_change") == [sent(PrivacyState.tell_project, on="<checked>")]


def test_server_can_list_two_tools_with_the_same_name() -> None:
    tools = OfferItem("find", "Finds pages"), OfferItem("find", "Finds people")
    server = ServerItem(
        id="a", name="Wiki", health="ready", status="Ready", where="", problem="", enabled=True, signing_in=False,
        signed_in=False, facts="", tools=tools, resources=(), prompts=(), cut=(),
    )  # fmt: skip

    page = draw(settings, {ServersState: {"loaded": True, "servers": (server,)}})

    assert "Finds pages" in page.text
    assert "Finds people" in page.text
