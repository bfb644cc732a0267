from __future__ import annotations

from app.ui.shell.keyboard import BINDINGS
from app.views.shortcuts.shortcuts import ACTIONS_BY_ID, FREE_ACTIONS, key_of, refusal_of

HEARD_BY_REGIONS = {
    "send", "dry_run", "break", "emphasis", "compare", "prompts", "edit_queued", "page", "history_ends",
    "apply", "stop",
    "scroll",  # by the browser
}  # fmt: skip


def test_the_page_handles_every_key_that_no_region_handles() -> None:
    assert {binding.action for binding in BINDINGS} == ACTIONS_BY_ID.keys() - HEARD_BY_REGIONS


def test_python_or_the_browser_does_what_a_key_calls() -> None:
    assert [binding.action for binding in BINDINGS if binding.place is None and not binding.sends] == []


def test_no_two_actions_that_can_be_changed_have_the_same_usual_key() -> None:
    assert len({action.key for action in FREE_ACTIONS}) == len(FREE_ACTIONS)


def test_usual_keys_are_not_refused() -> None:
    assert {refusal_of(action, action.key, {}) for action in FREE_ACTIONS} == {""}


def test_keys_that_browsers_and_screen_readers_need_are_refused() -> None:
    flag = ACTIONS_BY_ID["flag"]

    for key in ("ArrowDown", "F5", "Enter", "", " ", "\u0301\u0301", "\x07", "\u200b"):
        assert "is reserved" in refusal_of(flag, key, {}), key
    assert [refusal_of(flag, key, {}) for key in ("f", "F", "+", "é", "9")] == [""] * 5


def test_key_of_a_fixed_action_cannot_be_taken_from_it() -> None:
    assert key_of(ACTIONS_BY_ID["undo"], {"undo": "z"}) == "Ctrl+Z"
