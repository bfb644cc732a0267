from __future__ import annotations

from app.domain.settings.preferences import Preferences
from app.runs.app_context import AppContext
from app.runs.runtime.owner import LOCAL_OWNER
from app.runs.settings.preference_commands import read_preferences, set_preferences
from app.state.settings.keys import KeyItem, KeysState
from app.state.settings.preferences import OwnKey, PreferencesState
from tests.state.conftest import Tab


def item(tab: Tab, action_id: str) -> KeyItem:
    return next(one for one in tab.shows(KeysState, "actions") if one.id == action_id)


async def stored(ctx: AppContext) -> dict[str, str]:
    return (await read_preferences(ctx, LOCAL_OWNER)).keys


async def press(tab: Tab, action_id: str, key: str, *, combined: bool = False) -> KeyItem:
    await tab.send(KeysState.press, action_id=action_id, key=key, combined=combined)
    return item(tab, action_id)


async def test_keys_are_shown_as_people_write_them_with_the_usual_one_where_it_is_another(
    ctx: AppContext, tab: Tab
) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(keys={"flag": "F", "delete": ""}))

    await tab.send(KeysState.load)

    assert (item(tab, "flag").key, item(tab, "flag").usual) == ("Shift+F", "a")
    assert (item(tab, "delete").key, item(tab, "delete").usual) == ("", "x")
    assert (item(tab, "last_pair").key, item(tab, "last_pair").usual) == ("Shift+G", "")


async def test_key_is_asked_for_refused_and_given(ctx: AppContext, tab: Tab) -> None:
    await tab.send(KeysState.load)
    await tab.send(KeysState.ask, action_id="flag")
    assert item(tab, "flag").asking

    shown = await press(tab, "flag", "j")
    assert (shown.asking, shown.said) == (
        True,
        "j is already the key of “Next part”. Change that key first.",
    )
    assert "belong to the browser" in (await press(tab, "flag", "c", combined=True)).said
    shown = await press(tab, "flag", "f")

    assert (shown.asking, shown.said, shown.key) == (False, "Key set to f.", "f")
    assert await stored(ctx) == {"flag": "f"}
    assert tab.shows(PreferencesState, "preferred").own_keys == (OwnKey("flag", "f"),)


async def test_key_that_was_not_asked_for_changes_nothing(ctx: AppContext, tab: Tab) -> None:
    await tab.send(KeysState.load)

    await press(tab, "flag", "f")
    await tab.send(KeysState.ask, action_id="flag")
    await tab.send(KeysState.leave, action_id="mark")
    assert item(tab, "flag").asking
    await tab.send(KeysState.leave, action_id="flag")
    await press(tab, "flag", "f")
    await tab.send(KeysState.ask, action_id="flag")
    assert not (await press(tab, "flag", "Escape")).asking
    await tab.send(KeysState.press, action_id="not an action", key="f", combined=False)

    assert await stored(ctx) == {}


async def test_key_is_taken_away_and_the_usual_one_given_back(ctx: AppContext, tab: Tab) -> None:
    await tab.send(KeysState.load)
    await tab.send(KeysState.ask, action_id="flag")
    assert (await press(tab, "flag", "Backspace")).said == "Key removed."
    assert await stored(ctx) == {"flag": ""}

    await tab.send(KeysState.take_usual, action_id="flag")
    assert await stored(ctx) == {}
    await tab.send(KeysState.take_usual, action_id="undo")
    assert await stored(ctx) == {}


async def test_usual_key_that_another_action_has_is_not_given_back(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(keys={"flag": "f", "mark": "a"}))
    await tab.send(KeysState.load)

    await tab.send(KeysState.take_usual, action_id="flag")

    assert "“Filter tag”" in item(tab, "flag").said
    assert await stored(ctx) == {"flag": "f", "mark": "a"}


async def test_all_keys_are_reset(ctx: AppContext, tab: Tab) -> None:
    await set_preferences(ctx, LOCAL_OWNER, Preferences(keys={"flag": "f", "mark": "a"}))
    await tab.send(KeysState.load)

    await tab.send(KeysState.reset_all)

    assert await stored(ctx) == {}
    assert tab.shows(KeysState, "said") == "All keys are reset."


async def test_moving_to_long_replies_is_switched_off(ctx: AppContext, tab: Tab) -> None:
    await tab.send(KeysState.enter_view, on=False)

    assert (await read_preferences(ctx, LOCAL_OWNER)).auto_enter_view_on_overflow is False
    assert tab.shows(KeysState, "said") == "Saved."
