from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from app.domain.settings.preferences import OverBudget, Preferences
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.state.settings.context import ContextState, ContextTexts
from app.state.settings.preferences import OwnKey, PreferencesForm, PreferencesState
from app.state.settings.privacy import PrivacyState
from app.state.settings.titles import TitleModel, TitlesState
from tests.state.conftest import Tab

FORM = {"soft_cap": "94", "reserve": "800", "over_budget": "ask", "cache": "auto"}


async def stored(ctx: AppContext) -> Preferences:
    return await read_preferences(ctx, LOCAL_OWNER)


def preferred(tab: Tab) -> PreferencesForm:
    return tab.shows(PreferencesState, "preferred")


async def test_preferences_are_shown_as_stored(ctx: AppContext, tab: Tab) -> None:
    wanted = Preferences(day_money=Decimal("2.50"), keys={"flag": "f", "delete": ""}, trash_days=None)
    await set_preferences(ctx, LOCAL_OWNER, wanted)

    await tab.send(PreferencesState.load)

    shown = preferred(tab)
    assert (shown.day_money, shown.send_money, shown.trash_days) == ("2.50", "", None)
    assert shown.own_keys == (OwnKey("flag", "f"), OwnKey("delete", ""))
    assert (shown.edit_key, shown.delete_key) == ("e", ""), "the buttons at a failed reply have these keys"
    assert tab.shows(PreferencesState, "loaded") is True


async def test_preference_changed_in_one_section_leaves_those_of_another_tab(ctx: AppContext, tab: Tab) -> None:
    await tab.send(PreferencesState.load)
    await set_preferences(ctx, LOCAL_OWNER, Preferences(replay=True))

    await tab.send(PrivacyState.redact, on=True)

    assert await stored(ctx) == Preferences(replay=True, redact=True)
    assert (preferred(tab).replay, preferred(tab).redact) == (True, True)


async def test_text_about_the_user_is_stored_and_shown(ctx: AppContext, tab: Tab) -> None:
    await tab.send(PrivacyState.save_about, form={"about_me": "I am Ada.\r\nI write.", "user_name": ""})

    assert (await stored(ctx)).about_me == "I am Ada.\nI write."
    assert tab.shows(PrivacyState, "prelude") == "About the person you talk to:\nI am Ada.\nI write."
    assert tab.shows(PrivacyState, "said") == "Saved. It applies from the next send."

    await tab.send(PrivacyState.tell_about_me, on=False)

    assert (await stored(ctx)).tell_about_me is False
    assert tab.shows(PrivacyState, "prelude") == ""


async def test_text_about_a_person_that_is_too_long_is_refused_with_its_reason(ctx: AppContext, tab: Tab) -> None:
    await tab.send(PrivacyState.save_about, form={"about_me": "x" * 4001, "user_name": ""})

    assert (await stored(ctx)).about_me == ""
    assert "can have at most 4,000 characters" in tab.shows(PrivacyState, "said")


async def test_form_without_a_text_about_the_person_changes_nothing(ctx: AppContext, tab: Tab) -> None:
    await tab.send(PrivacyState.save_about, form={"about_me": ["no", "text"], "user_name": ""})
    await tab.send(PrivacyState.save_about, form={"about_me": "I am Ada."})

    assert await stored(ctx) == Preferences()


async def test_name_of_the_folder_is_switched_on(ctx: AppContext, tab: Tab) -> None:
    await tab.send(PrivacyState.tell_project, on=True)

    assert await stored(ctx) == Preferences(tell_project=True)
    assert preferred(tab).tell_project


async def test_name_time_and_first_request_are_switched_on_one_by_one(ctx: AppContext, tab: Tab) -> None:
    await tab.send(PrivacyState.save_about, form={"about_me": "", "user_name": " ada "})
    assert await stored(ctx) == Preferences(user_name="ada")
    assert tab.shows(PrivacyState, "prelude") == "User: ada"

    await tab.send(PrivacyState.tell_time, on=True)
    await tab.send(PrivacyState.tell_first_request, on=True)
    await tab.send(PrivacyState.tell_day, on=True, zone="Europe/Berlin")

    assert await stored(ctx) == Preferences(
        user_name="ada", tell_time=True, tell_first_request=True, date_zone="Europe/Berlin"
    )
    assert (preferred(tab).user_name, preferred(tab).tell_time, preferred(tab).tell_first_request) == (
        "ada",
        True,
        True,
    )
    assert tab.shows(PrivacyState, "prelude").endswith("(Europe/Berlin).")


async def test_day_is_sent_in_the_zone_of_the_browser_until_it_is_switched_off(ctx: AppContext, tab: Tab) -> None:
    await tab.send(PrivacyState.tell_day, on=True, zone="Europe/Berlin")
    assert (await stored(ctx)).date_zone == preferred(tab).date_zone == "Europe/Berlin"
    assert tab.shows(PrivacyState, "prelude").startswith("Today is ")

    await tab.send(PrivacyState.tell_day, on=True, zone="Nowhere/Land")
    assert "not a time zone" in tab.shows(PrivacyState, "said")
    assert (await stored(ctx)).date_zone == "Europe/Berlin"

    await tab.send(PrivacyState.tell_day, on=False, zone="Europe/Berlin")
    assert (await stored(ctx)).date_zone is None
    await tab.send(PrivacyState.load)
    assert tab.shows(PrivacyState, "said") == ""


async def test_model_for_titles_is_chosen_refused_and_given_back_to_the_conversation(ctx: AppContext, tab: Tab) -> None:
    await tab.send(TitlesState.choose_model, model="offline:tiny")
    assert (await stored(ctx)).title_model == preferred(tab).title_model == "offline:tiny"

    await tab.send(TitlesState.choose_model, model="no model")
    assert tab.shows(TitlesState, "said").startswith("'no model' is not a model.")
    assert (await stored(ctx)).title_model == "offline:tiny"

    await tab.send(TitlesState.choose_model, model="")
    assert (await stored(ctx)).title_model is None
    assert tab.shows(TitlesState, "said") == "Saved."


async def test_models_for_titles_are_those_on_offer_and_the_chosen_one(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(title_model="gone:model-1"))

    await tab.send(TitlesState.load)

    models: tuple[TitleModel, ...] = tab.shows(TitlesState, "models")
    assert TitleModel("offline:demo", "Offline demo (offline)") in models
    assert TitleModel("gone:model-1", "gone:model-1") in models


async def test_titles_and_replays_are_switched(ctx: AppContext, tab: Tab) -> None:
    await tab.send(TitlesState.name_conversations, on=False)
    await tab.send(TitlesState.replay, on=True)

    assert await stored(ctx) == Preferences(titles=False, replay=True)


async def test_limits_are_read_as_people_write_them_and_stored(ctx: AppContext, tab: Tab) -> None:
    form = {**FORM, "soft_cap": "50 %", "send_tokens": "20 000", "day_money": "$10", "over_budget": "fit"}

    await tab.send(ContextState.save, form=form)

    found = await stored(ctx)
    assert (found.soft_cap, found.send_tokens, found.day_money) == (Decimal("0.5"), 20_000, Decimal(10))
    assert found.over_budget is OverBudget.FIT
    assert tab.shows(ContextState, "said") == "Saved. It applies from the next send."

    await tab.send(ContextState.load)
    assert tab.shows(ContextState, "stored") == ContextTexts("50", "800", send_tokens="20000", day_money="10")
    assert tab.shows(ContextState, "said") == ""


async def test_usual_limits_are_shown_and_an_emptied_ceiling_is_none_again(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ContextState.load)
    assert tab.shows(ContextState, "stored") == ContextTexts("94", "800")
    assert preferred(tab).over_budget == "ask"

    await tab.send(ContextState.save, form={**FORM, "day_tokens": "5000"})
    assert (await stored(ctx)).day_tokens == 5000
    await tab.send(ContextState.save, form={**FORM, "day_tokens": ""})

    assert await stored(ctx) == Preferences()


async def test_invalid_limits_are_reported_at_their_fields_and_nothing_is_stored(ctx: AppContext, tab: Tab) -> None:
    form = {**FORM, "soft_cap": "much", "reserve": "-1", "send_tokens": "0", "day_money": "a lot"}

    await tab.send(ContextState.save, form=form)

    faults: ContextTexts = tab.shows(ContextState, "faults")
    assert faults.soft_cap == "Enter a share of the window from 5 to 100 percent, such as 94."
    assert "from 0 to" in faults.reserve
    assert "or leave it empty for none" in faults.send_tokens
    assert "above 0" in faults.day_money
    assert await stored(ctx) == Preferences()

    await tab.send(ContextState.clear_fault, name="reserve")
    assert tab.shows(ContextState, "faults") == replace(faults, reserve="")
    await tab.send(ContextState.clear_fault, name="__class__")
    assert tab.shows(ContextState, "faults") == replace(faults, reserve="")


@pytest.mark.parametrize("limit", ["500", "800"])
async def test_limit_per_send_that_leaves_no_room_beside_the_reserve_is_refused(
    ctx: AppContext, tab: Tab, limit: str
) -> None:
    await tab.send(ContextState.save, form={**FORM, "reserve": "800", "send_tokens": limit})

    fault = "Enter more than 800, the tokens reserved for the reply. Otherwise no message fits."
    assert tab.shows(ContextState, "faults") == ContextTexts(send_tokens=fault)
    assert await stored(ctx) == Preferences()

    await tab.send(ContextState.save, form={**FORM, "reserve": "400", "send_tokens": limit})
    assert (await stored(ctx)).send_tokens == int(limit)


async def test_form_of_limits_of_the_wrong_shape_is_no_fault(ctx: AppContext, tab: Tab) -> None:
    await tab.send(ContextState.save, form={"soft_cap": ["94"], "over_budget": {"a": 1}})

    assert tab.shows(ContextState, "faults").soft_cap != ""
    assert await stored(ctx) == Preferences()
