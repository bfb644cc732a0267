from __future__ import annotations

import re
from pathlib import Path

from app.views.keys import ACTIONS, ACTIONS_BY_ID, FREE_ACTIONS, KeyAction, Mode, key_of, refusal_of

SCRIPT = Path(__file__).parents[2] / "app/ui/components/keys.js"
ROW = re.compile(
    r'\{ id: "(?P<id>\w+)", key: "(?P<key>[^"]+)", mode: "?(?P<mode>\w+)"?,(?P<fixed> fixed: true,)? '
    r'name: "(?P<name>[^"]+)", does: "(?P<does>[^"]+)" \}'
)


def test_the_old_script_has_the_same_keys() -> None:
    rows = [row.groupdict() for row in ROW.finditer(SCRIPT.read_text(encoding="utf-8"))]

    assert (
        tuple(
            KeyAction(row["id"], row["key"], Mode(row["mode"]), row["name"], row["does"], fixed=bool(row["fixed"]))
            for row in rows
        )
        == ACTIONS
    )


def test_no_two_actions_that_can_be_changed_have_the_same_usual_key() -> None:
    assert len({action.key for action in FREE_ACTIONS}) == len(FREE_ACTIONS)


def test_usual_keys_are_not_refused() -> None:
    assert {refusal_of(action, action.key, {}) for action in FREE_ACTIONS} == {""}


def test_keys_that_browsers_and_screen_readers_need_are_refused() -> None:
    flag = ACTIONS_BY_ID["flag"]

    for key in ("ArrowDown", "F5", "Enter", "", " ", "\u0301\u0301", "\x07", "\u200b"):
        assert "belongs to the browser" in refusal_of(flag, key, {}), key
    assert [refusal_of(flag, key, {}) for key in ("f", "F", "+", "é", "9")] == [""] * 5


def test_key_of_a_fixed_action_cannot_be_taken_from_it() -> None:
    assert key_of(ACTIONS_BY_ID["undo"], {"undo": "z"}) == "Ctrl+Z"
